/* SPDX-License-Identifier: ISC */
/* Jobs of the session in what is typed. */
#ifndef SHELL_JOB_WORDS_H
#define SHELL_JOB_WORDS_H

#include "aegsh/base/buf.h"
#include "aegsh/exec.h"
#include "aegsh/line.h"

struct job_words {
	struct exec_session *exec;
	pid_t last;		/* $!, or 0 */
};

/* $! and $(jobs -p), with -r or -s, outside of single quotes, in place; not
 * in a line that has background commands or here-documents of its own. */
void job_words_put(const struct job_words *w, struct buf *text);
/* "jobs -x CMD %1 …": the CMD, with processes for the jobs, in place. */
void job_words_run_with(const struct job_words *w, struct buf *text);

/* A line that begins with a builtin for jobs and goes on: how long that
 * beginning is (0: no such line), where the rest begins, and when it is to be
 * run.  text ends in a NUL. */
enum job_then { JOB_THEN_ALWAYS = 0, JOB_THEN_AND, JOB_THEN_OR };
size_t job_words_first(const struct job_words *w, const char *text,
	size_t len, size_t *ret_rest, enum job_then *ret_then);

#endif
