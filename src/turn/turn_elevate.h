/* SPDX-License-Identifier: ISC */
/*
 * Sudo and its like inside of a line: what they are called with
 * (turn_elevate.c), who judges, records and starts them (turn_broker.c), and
 * what of a line that a person said yes to need not be asked about again
 * (turn_approve.c).
 */
#ifndef TURN_ELEVATE_H
#define TURN_ELEVATE_H

#include "turn/turn_int.h"

/* Where they, and what they start, are looked for. */
#define ELEVATE_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:" \
	"/sbin:/bin"

struct elevate_call {
	const struct elevate_program *program;
	char *path;		/* of it; owned; NULL: there is none */
	size_t command;		/* index of the command's word, or 0: none */
	bool shell;		/* it is started by a shell of the user's */
	char refusal[320];	/* why it cannot be, or "" */
};

/* argv[0] tells which; the command's word becomes an absolute name where it is
 * found.  Fills ret->refusal, or all else. */
void elevate_parse(const struct policy *p, struct strv *argv,
	struct elevate_call *ret);
void elevate_call_done(struct elevate_call *c);
/* One of those names. */
bool elevate_is_program(const char *name);
/* What it is given of that environment, and of who the user is. */
void elevate_envp(const struct turn *t, const struct strv *env,
	struct strv *ret);
/* Why that needs a person, whatever the rules allow; NULL: it does not. */
const char *elevate_unsure(const struct elevate_call *c,
	const struct strv *argv, const struct resolve_set *resolved);

/* ---- turn_approve.c ----------------------------------------------------- */

/* What a file is, when it is judged and when it runs. */
struct elevate_file {
	uint64_t dev, ino, size;
	int64_t mtime, ctime;		/* ns */
};
/* Zeros: it is not there. */
void elevate_file_of(const char *path, struct elevate_file *ret);
bool elevate_file_same(const struct elevate_file *a,
	const struct elevate_file *b);

/* Shared memory for struct supervise_opts, or NULL: nothing of the line was. */
void *turn_approve(struct turn *t, const struct turn_judged *j);
void turn_approve_done(void *approved);
/* Use up what was approved with these words, in that directory, with such
 * descriptors, for that file; false: there is none, or it is used up. */
bool turn_approved(void *approved, const struct strv *argv, const char *cwd,
	const int *std, const struct elevate_file *file);

#endif
