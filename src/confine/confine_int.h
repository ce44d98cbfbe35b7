/* SPDX-License-Identifier: ISC */
/*
 * aegsh-confine: a command of another user in a sandbox (main.c), where
 * sudoers lets who called run it (confine_sudo.c, confine_list.c), as that
 * user and with an environment made anew (confine_become.c).
 */
#ifndef CONFINE_INT_H
#define CONFINE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/base/names.h"

struct confine {
	const char *user, *group;	/* to become; NULL: root; the user's */
	const char *profile;
	struct strv keep;		/* names of variables */
	bool edits;			/* its editor is ours */
	char **argv;			/* of the command */
	struct names_user caller, target;
	gid_t gid;			/* to become */
	gid_t *groups;			/* owned */
	int n_groups;
};

/* ---- confine_sudo.c ----------------------------------------------------- */

/* Who called sudo: by what it says, and by the process that did.  ERR_REFUSED
 * where nobody did, or the two differ. */
int confine_find_caller(struct names_user *ret, struct err *err);
/* 0: sudoers lets the caller run just that as that user, and as much as that
 * would be all that a sandbox adds to.  ERR_REFUSED, with why not. */
int confine_ask_sudo(const struct confine *c, struct err *err);

/* ---- confine_list.c ----------------------------------------------------- */

/* What "sudo -ll" tells of a user: does it ask for anything that is lost where
 * the command is started by us (a password, NOEXEC and their like)?  own: our
 * program's path.  ERR_REFUSED, naming it; ERR_SYNTAX: it reads differently
 * than sudo has ever written it.  group: the command is for another group;
 * roots: nobody but root can change what its name means. */
int confine_check_list(const char *text, const char *own, bool group,
	bool roots, struct err *err);

/* ---- confine_become.c --------------------------------------------------- */

/* Fills target, gid and groups. */
int confine_find_target(struct confine *c, struct err *err);
/* For good. */
int confine_become_target(const struct confine *c, struct err *err);
/* Made anew: who the target is, terminal and locale as far as they name no
 * file, what c->keep names, and for whom sudo did it. */
void confine_envp(const struct confine *c, char *const *env,
	struct strv *ret);

#endif
