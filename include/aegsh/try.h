/* SPDX-License-Identifier: ISC */
/*
 * A dry run: a line runs in namespaces of its own, where every file system
 * is covered by a layer that takes the changes; then they are looked at, and
 * committed or thrown away.
 *
 * The room makes the place and reads what was left in it; what runs there is
 * started by exec alone, and confined as it would be outside.
 *
 * What is inside has no way out: no mount but layers, a /proc and a /dev of
 * its own, no process, network, System V object or terminal of outside, no
 * descriptor but pipes.  (That no unix socket can be made is the sandbox's
 * part: a path leads to a socket through any layer.)
 */
#ifndef AEGSH_TRY_H
#define AEGSH_TRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/sandbox.h"

#define TRY_CHANGES_MAX ((size_t)100000)	/* that are listed */
#define TRY_DIFF_MAX ((size_t)1024 * 1024)	/* bytes of a file */

struct try;

struct try_opts {
	/* Whose rules it runs by, and by which it is committed; outlives
	 * the try. */
	const struct sandbox_profile *profile;
	int out, err;		/* where what it writes goes: passed on, never
				 * handed over */
	uint64_t size;		/* bytes that changes may take; 0: half of the
				 * memory */
	uint64_t most;		/* bytes of both that are passed on; of more,
				 * no more, or all ends.  0: any */
	bool kills;
};

/* Look at what is mounted, and note the time.  Changes nothing. */
int try_new(const struct try_opts *opts, struct try **ret, struct err *err);
void try_free(struct try *t);

/*
 * Make the place and call inside() in it, as process 1 there with all
 * capabilities there, which those that it starts lose at execve(2): it starts
 * the line, and returns its pid, or a negative code with err set.  Returns
 * the pid of a child of ours that ends as the line's process did, after all
 * that was left of it.  ERR_LAYER: the place cannot be made; that says why.
 */
pid_t try_start(struct try *t, int (*inside)(void *ctx, struct err *err),
	void *ctx, struct err *err);

/* It wrote more than most. */
bool try_over(const struct try *t);

/* Can it be made at all here?  0, or ERR_LAYER with the reason. */
int try_probe(struct err *err);

/* ---- what was changed --------------------------------------------------- */

enum try_kind { TRY_CREATED = 0, TRY_CHANGED, TRY_DELETED };
enum try_type { TRY_OTHER = 0, TRY_FILE, TRY_DIR, TRY_LINK };

struct try_change {
	enum try_kind kind;
	enum try_type type, before;	/* TRY_OTHER: none, or no such thing
					 * as can be committed */
	const char *path;	/* absolute; bytes from outside */
	int64_t size, size_before;	/* bytes; -1: it has none */
	bool content;		/* changed: not only owner, mode or times */
	/* Why it cannot be committed, inert, or NULL. */
	const char *conflict;
	bool done;		/* it was committed */
};

/* Once the line has ended.  ERR_RANGE: more than can be listed. */
int try_scan(struct try *t, struct err *err);
size_t try_changes(const struct try *t, const struct try_change **ret);
/* Places that the line did not see, since no layer could be put over them. */
const struct strv *try_unseen(const struct try *t);
/* For people: a line each, inert; behind 1 MiB, how many more there are. */
void try_show(const struct try *t, struct buf *out);
/* What changed in files of text, as diff -u has it; inert but for newlines.
 * Behind 32 MiB, how many changes were not looked at. */
void try_diff(const struct try *t, struct buf *out);
const char *try_kind_name(enum try_kind kind);
const char *try_type_name(enum try_type type);

/* The file there now, outside, by no link, to be read; -errno.  i: a number of
 * try_changes(). */
int try_open_lower(const struct try *t, size_t i);

/* All of it, or nothing where any of it is in conflict (ERR_REFUSED: each
 * change that is has its reason from now on).  Another error came in the
 * midst; *ret_done were carried out. */
int try_commit(struct try *t, size_t *ret_done, struct err *err);

#endif
