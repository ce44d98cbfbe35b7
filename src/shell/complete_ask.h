/* SPDX-License-Identifier: ISC */
/*
 * A bash for one question to bash-completion, as complete_prog.c starts it for
 * a Tab and complete_ready.c before there is one.
 */
#ifndef SHELL_COMPLETE_ASK_H
#define SHELL_COMPLETE_ASK_H

#include "aegsh/sandbox.h"
#include "shell/complete_prog.h"

struct complete_ask {
	struct shell *sh;
	struct complete_guard guard;
	struct sandbox_profile *profile;
	struct sandbox *sandbox;
	int question, answer, answer_end, listener;
	int pair[2];		/* the listener comes over it */
	bool began;		/* bash itself has been started */
	pid_t bash;
	struct strv env, dirs;
	struct buf file;	/* bash-completion's main file, or "" */
};
#define COMPLETE_ASK_INIT(shell) { .sh = (shell), .question = -1, \
	.answer = -1, .answer_end = -1, .listener = -1, .pair = { -1, -1 } }
#define COMPLETE_ANSWER_MAX ((size_t)1024 * 1024)
#define COMPLETE_QUESTION_MAX ((size_t)256 * 1024)	/* a longer line is not
							 * completed */

void complete_ask_done(struct complete_ask *a);
/* What a bash would be that is started now, where these words are typed:
 * completions, programs, sandbox, environment.  -ENOENT: there are none. */
int complete_ask_look(struct complete_ask *a, const struct strv *typed,
	struct err *err);
/* All of that as bytes: a bash that was started when they were the same is
 * such a bash. */
void complete_ask_key(const struct complete_ask *a, struct buf *out);
/* What complete_bash reads: that of the start, and that of the question. */
void complete_ask_put_start(const struct complete_ask *a, struct buf *out);
void complete_ask_put_words(const struct complete_ask *a,
	const struct complete_words *w, struct buf *out);
/* Start it, with a->question to read from.  0; 1: it did not in time; or
 * -errno. */
int complete_ask_start(struct complete_ask *a, int64_t end_ns);
/* Until all of the answer is there, answering what it asks of the guard.
 * False: the time is over. */
bool complete_ask_listen(struct complete_ask *a, int64_t end_ns,
	struct buf *in);

/* ---- complete_ready.c ---------------------------------------------------- */

/* In the child that a Tab has: by the bash that waits.  False: there is none
 * that would do, and nothing was asked.  *ret_whole: as of
 * complete_prog_ask(). */
bool complete_ready_ask(const struct complete_ask *a,
	const struct complete_words *w, int64_t end_ns, struct buf *in,
	bool *ret_whole);

#endif
