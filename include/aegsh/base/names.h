/* SPDX-License-Identifier: ISC */
/*
 * Users and groups by name and number.
 *
 * The files passwd(5) and group(5) are read here.  What they do not have is
 * asked of getent(1): it has the modules of the name service loaded, which
 * cost a tenth of a start and cannot be had in a program that is linked
 * statically.
 */
#ifndef AEGSH_BASE_NAMES_H
#define AEGSH_BASE_NAMES_H

#include <sys/types.h>

#include "aegsh/base/err.h"

struct names_user {
	uid_t uid;
	gid_t gid;
	char *name, *note, *home, *shell;	/* owned, never NULL */
};

void names_user_done(struct names_user *u) __attribute__((nonnull));

/* 0; -ENOENT: nobody knows that user, or who could cannot be asked, or does
 * not answer in time. */
int names_user_by_uid(uid_t uid, struct names_user *ret)
	__attribute__((nonnull));
int names_user_by_name(const char *name, struct names_user *ret)
	__attribute__((nonnull));

/*
 * Whose groups are asked for, in one round of questions that ends with
 * names_groups_sure().  gids and the names that are asked stay the caller's
 * and must outlive the round.
 */
struct names_groups {
	const gid_t *gids;
	size_t n;
	const char *unsure;	/* a group that the service says it does not
				 * have; NULL at the beginning */
};

/* Whether the group of that name is among them: 1 or 0.  A negative value:
 * there may be such a group, and who knows could not be asked, or did not
 * answer in time. */
int names_in_group(const char *name, struct names_groups *g,
	struct err *err) __attribute__((nonnull(1, 2)));

/* 0: each 0 of the round stands.  A negative value: one may be wrong, for
 * who knows the groups was not there. */
int names_groups_sure(const struct names_groups *g, struct err *err)
	__attribute__((nonnull(1)));

/* All users, until each() gives something but 0, and at most that many.  u
 * is the callee's for the time of the call. */
void names_users(size_t most, int (*each)(void *ctx,
	const struct names_user *u), void *ctx) __attribute__((nonnull(2)));

#endif
