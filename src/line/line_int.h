/* SPDX-License-Identifier: ISC */
/* What the files of line share. */
#ifndef AEGSH_LINE_INT_H
#define AEGSH_LINE_INT_H

#include "aegsh/line.h"

#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

struct line_editor {
	EditLine *el;
	History *hist;
	FILE *in, *out;
	int tty_in, signals;
	struct line_editor_opts opts;
	const char *prompt;
	char *continuation;
	bool idled, interrupted;
	bool timed_out;
	unsigned regained;		/* the terminal, in this line */
	unsigned patience;		/* seconds for one line, 0: for ever */
	int64_t deadline_ns;
	int ending_signal;
	mbstate_t decode;
	const struct buf *unit;		/* lines of it that were read before */
	enum line_paste {
		LINE_TYPED = 0, LINE_PASTED,
	} paste;
	bool marks;			/* the terminal may mark pastes */
	struct buf given;		/* keys that were never typed … */
	size_t given_at;		/* … the next of them */
	bool quoted;			/* the next key is taken as it is */
	size_t n_ahead;			/* keys that were read, to be taken
					 * again */
	unsigned char ahead[16];
};

struct line_editor *line_editor_of(EditLine *el);

/* line_complete.c: what Tab does. */
void line_bind_tab(struct line_editor *e);

#endif
