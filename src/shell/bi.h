/* SPDX-License-Identifier: ISC */
/* The rows of the builtins.  ctx of each is the struct shell. */
#ifndef SHELL_BI_H
#define SHELL_BI_H

#include "shell/shell_int.h"

extern const struct turn_builtin bi_alias, bi_bg, bi_cd, bi_dirs, bi_disown,
	bi_exit, bi_fg, bi_help, bi_history, bi_jobs, bi_kill, bi_logout,
	bi_policy, bi_popd, bi_pushd, bi_unalias, bi_wait;

/* bi_jobs.c: a job as `jobs' lists it, its text inert. */
void shell_put_job(struct buf *out, const struct job *j, char mark, bool pid);
void shell_put_job_text(struct buf *out, const struct job *j);
/* + the current one, - the one before, or a blank. */
char shell_job_mark(struct shell *sh, struct job *j);
/* NULL with a complaint; spec NULL: the current one. */
struct job *shell_find_job(struct shell *sh, const char *who,
	const char *spec, struct buf *complaint);
/* "-x: invalid option" and the usage; 2. */
int shell_wrong_option(struct buf *complaint, const struct turn_builtin *b,
	const char *option);

/* repl.c: what bash says of a command that a signal ended; 0: nothing. */
void shell_tell_signal(int sig);
/* repl.c: false, with a complaint, the first time that jobs are stopped. */
bool shell_may_exit(struct shell *sh, struct buf *complaint);

#endif
