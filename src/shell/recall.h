/* SPDX-License-Identifier: ISC */
/* The lines of this session as they were typed, and behind them those that
 * the record holds, without secrets, of all sessions of this user here. */
#ifndef SHELL_RECALL_H
#define SHELL_RECALL_H

#include "aegsh/audit.h"
#include "aegsh/line.h"
#include "aegsh/state.h"
#include "shell/events.h"

struct recall;

struct recall *recall_new(const struct state *state, int64_t limit);
void recall_free(struct recall *r);
/* limit: so many rows of the record are looked at.  audit NULL: none. */
void recall_set_audit(struct recall *r, struct audit *a);
/* It is typed now, and runs next. */
void recall_add(struct recall *r, const char *text, size_t len);
/* The last one has ended so. */
void recall_ended(struct recall *r, int status, const char *decision);
/* As line_past_fn; ctx is the recall. */
bool recall_past(void *ctx, const struct line_wish *wish,
	struct line_place *place,
	int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx);
/* The same for a hint: within about a thousandth of a second. */
bool recall_hint(void *ctx, const struct line_wish *wish,
	struct line_place *place,
	int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx);
/* What was typed so far, here and in other sessions, is forgotten: of the
 * record only what this session adds is looked at. */
void recall_clear(struct recall *r);
/* The newest `most' lines of the record that all these words and filters let
 * through, oldest first; of as many as recall_new() says. */
int recall_list(struct recall *r, const char *words, size_t most,
	void (*fn)(void *ctx, int64_t id, const char *text, size_t len),
	void *ctx, struct err *err);
/* As event_fn; ctx is the recall. */
char *recall_event(void *ctx, enum event_kind kind, int64_t n,
	const char *text);
/* Where a tag of the record stands for a secret, its length; else 0. */
size_t recall_tag(const char *text, size_t len, size_t *ret_at);

/* ---- recall_wish.c: what is wanted -------------------------------------- */

struct recall_row {		/* a line, wherever it comes from */
	const char *text;
	size_t len;
	const char *cwd, *decision;
	int64_t wall_ns;
	int status;		/* -1: none yet */
	bool ran;
};
struct recall_wish {
	struct audit_query q;	/* what the record can be asked for */
	struct strv words;	/* LINE_FUZZY: all of them, in lower case
				 * where the pattern is */
	bool fold;
	bool elsewhere;		/* filters that no line of this session
				 * passes */
	bool here;		/* … and that only those do */
	struct buf kept;	/* what q borrows, with NUL bytes between */
};
void recall_wish_init(struct recall_wish *w, const struct line_wish *wish,
	const char *cwd, const char *home, const char *host);
void recall_wish_done(struct recall_wish *w);
/* What the record is not asked for: 0 no, 1 loosely, 2 yes. */
int recall_wish_has(const struct recall_wish *w, const char *text, size_t len);
/* All of it, of a line of this session. */
bool recall_wish_passes(const struct recall_wish *w,
	const struct recall_row *row);
/* "5 min  exit 1  ~/src": inert. */
void recall_about(struct buf *out, const struct recall_row *row,
	int64_t now_ns, const char *home);

#endif
