/* SPDX-License-Identifier: ISC */
/*
 * Completions that others wrote: bash-completion's functions, in a bash that
 * can look and do nothing else (share/sandbox/completion.conf).
 *
 * What is typed reaches them as data, in a sealed memory file; what they
 * answer is bytes, of which a bounded number is taken and each is quoted
 * before it is put into the line.
 */
#ifndef SHELL_COMPLETE_PROG_H
#define SHELL_COMPLETE_PROG_H

#include "shell/complete.h"

/* ---- complete_words.c: the line, as bash splits it for completions ------ */

struct complete_words {
	struct strv word;	/* COMP_WORDS: as typed, quotes and all */
	size_t n;		/* the one at the cursor, COMP_CWORD */
	char *line;		/* COMP_LINE, up to the cursor */
	char *cur;		/* what is to be completed, without the quote
				 * or break before it */
	size_t from;		/* in the text: what an answer replaces */
	enum line_quote quote;	/* … and how it is to be quoted */
};
#define COMPLETE_BREAKS " \t\n\"'@><=;|&(:"	/* COMP_WORDBREAKS of bash */

/* The command that begins at byte command_from of the text, whose end is
 * where the cursor is.  alias: what stands for its first word, or NULL. */
void complete_words_split(const char *text, size_t len, size_t command_from,
	const char *alias, struct complete_words *ret);
void complete_words_done(struct complete_words *w);

/* ---- complete_reply.c: what comes back ---------------------------------- */

struct complete_answer {
	bool known;		/* there is a completion for the command */
	bool nospace, filenames, plusdirs;
	struct strv choice;	/* COMPREPLY */
};
#define COMPLETE_ANSWERS_MAX 5000

/* Options, then the choices, each with its NUL; a last one that is cut off
 * is left out. */
void complete_answer_read(const char *bytes, size_t len,
	struct complete_answer *ret);
void complete_answer_done(struct complete_answer *a);
/* The bytes that a choice means: it is text for a shell, or, where that would
 * be more than one plain word, those bytes themselves.  Owned. */
char *complete_answer_value(const char *choice, bool filename);

/* ---- complete_guard.c: which programs may start ------------------------- */

struct complete_guard {
	struct strv allowed;	/* paths, to the letter */
	struct strv programs;	/* the files that these are */
};
/* The operator's list; what is completed is not in it, by name or as the
 * same file. */
void complete_guard_init(const char *helpers, const struct strv *typed,
	const char *cwd, const char *path, struct complete_guard *ret);
void complete_guard_done(struct complete_guard *g);
/* Between fork and execve: what starts a program asks, what could signal
 * another process fails.  The descriptor to listen at, or -errno. */
int complete_guard_install(void);
/* Answer one question.  *began: bash itself has started, as it may. */
void complete_guard_answer(const struct complete_guard *g, int listener,
	bool *began);

/* ---- complete_prog.c ---------------------------------------------------- */

/* The bash program that loads and calls a completion (complete_bash.c). */
extern const char complete_bash[];

/* In the child: asks, until end_ns of clock_mono_ns().  False: time was over
 * first.  ret: owned by the caller in any case. */
bool complete_prog_ask(struct complete *c, const struct complete_words *w,
	int64_t end_ns, struct complete_answer *ret);

#endif
