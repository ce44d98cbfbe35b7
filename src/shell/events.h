/* SPDX-License-Identifier: ISC */
/* History expansion as bash(1) has it: "!!", "!grep:2", "^old^new^". */
#ifndef SHELL_EVENTS_H
#define SHELL_EVENTS_H

#include <stdint.h>

#include "aegsh/base/buf.h"

enum event_kind { EVENT_BACK = 0,	/* the n-th before this one */
	EVENT_NUMBER,			/* as history shows it */
	EVENT_STARTS, EVENT_HOLDS };
/* Owned; NULL: there is none. */
typedef char *event_fn(void *ctx, enum event_kind kind, int64_t n,
	const char *text);

enum events_result { EVENTS_NONE = 0,	/* nothing to expand */
	EVENTS_EXPANDED,
	EVENTS_SHOWN,			/* ":p": expanded, not to be run */
	EVENTS_WRONG };			/* and complaint says why */
#define EVENTS_MOST ((size_t)1024 * 1024)	/* bytes of the result */
/* In place; untouched where it is wrong. */
enum events_result events_expand(struct buf *line, event_fn *event, void *ctx,
	struct buf *complaint);

/* events_words.c: the words of a line as bash counts them. */
void events_words(const char *line, struct strv *ret);
/* Modifiers at *p (":h:s/a/b/"), applied; false: complaint says why. */
struct events_memory {		/* of the last :s, for :& */
	char *from, *to;
};
bool events_modify(const char **p, char **text, bool *shown,
	struct events_memory *m, struct buf *complaint);

#endif
