/* SPDX-License-Identifier: ISC */
/* Where lines to recall come from. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "shell/recall.h"

#define TYPED_MOST 10000		/* lines of this session … */
#define TYPED_BYTES ((size_t)16 << 20)	/* … and bytes of them */
#define BUDGET_NS 25000000		/* for one call */
#define HINT_NS 500000
#define EVENT_NS 2000000000		/* for one "!…" */

struct typed {
	char *text, *cwd;
	size_t len;
	const char *decision;
	int64_t wall_ns;
	int status;
};

struct recall {
	const struct state *state;
	struct audit *audit;
	int64_t limit;
	struct typed *v;
	size_t n, bytes;
	bool cleared;			/* history -c: of the record only
					 * rows of this session count … */
	int64_t since;			/* … behind that one */
	char host[256];
};

struct recall *
recall_new(const struct state *state, int64_t limit)
{
	struct recall *r = xcalloc(1, sizeof *r);

	r->state = state;
	r->limit = limit;
	r->v = xcalloc(TYPED_MOST, sizeof *r->v);
	if (gethostname(r->host, sizeof r->host - 1) < 0)
		r->host[0] = '\0';
	return r;
}

static void
drop_oldest(struct recall *r)
{
	r->bytes -= r->v[0].len;
	free(r->v[0].text);
	free(r->v[0].cwd);
	memmove(r->v, r->v + 1, --r->n * sizeof *r->v);
}

void
recall_free(struct recall *r)
{
	if (r == NULL)
		return;
	while (r->n > 0)
		drop_oldest(r);
	free(r->v);
	free(r);
}

void
recall_set_audit(struct recall *r, struct audit *a)
{
	r->audit = a;
}

static int64_t
now_ns(void)
{
	struct timespec t = { .tv_sec = 0 };

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void
recall_add(struct recall *r, const char *text, size_t len)
{
	if (len > TYPED_BYTES)
		return;
	while (r->n == TYPED_MOST || (r->n > 0 && r->bytes + len >
	    TYPED_BYTES))
		drop_oldest(r);
	r->v[r->n++] = (struct typed){
		.text = xmemdup0(text, len),
		.len = len,
		.cwd = xstrdup(state_cwd(r->state)),
		.wall_ns = now_ns(),
		.status = -1,
	};
	r->bytes += len;
}

void
recall_ended(struct recall *r, int status, const char *decision)
{
	if (r->n == 0)
		return;
	r->v[r->n - 1].status = status;
	r->v[r->n - 1].decision = decision;
}

/* ---- looking ------------------------------------------------------------ */

struct look {
	struct recall *r;
	struct recall_wish wish;
	int64_t now, budget_ns;
	int (*fn)(void *ctx, const struct line_past *past);
	void *ctx;
};

static int
give(struct look *k, const struct recall_row *row, int how)
{
	AEG_AUTO(buf_done) struct buf about = BUF_INIT;
	struct line_past past = { .text = row->text, .len = row->len,
		.loose = how < 2 };

	recall_about(&about, row, k->now, state_get(k->r->state, "HOME"));
	past.about = about.data;
	return k->fn(k->ctx, &past);
}

static int
give_typed(struct look *k, const struct typed *t)
{
	struct recall_row row = { .text = t->text, .len = t->len,
		.cwd = t->cwd, .decision = t->decision, .wall_ns = t->wall_ns,
		.status = t->status, .ran = t->decision == NULL ||
		    strcmp(t->decision, "block") != 0 };
	int how = recall_wish_has(&k->wish, t->text, t->len);

	return how > 0 && recall_wish_passes(&k->wish, &row) ?
	    give(k, &row, how) : 0;
}

static int
give_stored(void *ctx, const struct audit_row *a)
{
	struct look *k = ctx;
	struct recall_row row = { .text = a->line, .len = a->len,
		.cwd = a->cwd, .decision = a->decision,
		.wall_ns = a->wall_ns, .ran = a->ran,
		.status = a->finished ? a->status : -1 };
	int how;

	while (row.len > 0 && row.text[row.len - 1] == '\n')
		row.len--;
	if (row.len == 0 || memchr(row.text, '\0', row.len) != NULL)
		return 0;
	how = recall_wish_has(&k->wish, row.text, row.len);
	return how > 0 ? give(k, &row, how) : 0;
}

/* True where there may be more. */
static bool
look_typed(struct look *k, struct line_place *place)
{
	struct recall *r = k->r;

	while (place->typed < r->n)
		if (give_typed(k, &r->v[r->n - ++place->typed]) != 0)
			return true;
	return false;
}

static bool
look_stored(struct look *k, struct line_place *place)
{
	struct recall *r = k->r;
	struct audit_query *q = &k->wish.q;
	struct err err = ERR_INIT;

	if (r->audit == NULL || r->limit == 0 || r->cleared || k->wish.here)
		place->stored = -1;
	if (place->stored < 0)
		return false;
	q->limit = r->limit;
	q->not_session = audit_session_id(r->audit);
	if (audit_recall(r->audit, q, &place->stored, k->budget_ns,
	    give_stored, k, &err) != 0)
		place->stored = -1;
	return place->stored >= 0;
}

static bool
look(struct look *k, const struct line_wish *wish, struct line_place *place)
{
	bool more;

	k->now = now_ns();
	recall_wish_init(&k->wish, wish, state_cwd(k->r->state),
	    state_get(k->r->state, "HOME"), k->r->host);
	more = look_typed(k, place) || look_stored(k, place);
	recall_wish_done(&k->wish);
	return more;
}

bool
recall_past(void *ctx, const struct line_wish *wish, struct line_place *place,
    int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx)
{
	struct look k = { .r = ctx, .budget_ns = BUDGET_NS, .fn = fn,
		.ctx = fn_ctx };

	return look(&k, wish, place);
}

bool
recall_hint(void *ctx, const struct line_wish *wish, struct line_place *place,
    int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx)
{
	struct look k = { .r = ctx, .budget_ns = HINT_NS, .fn = fn,
		.ctx = fn_ctx };

	return look(&k, wish, place);
}

/* ---- all of them -------------------------------------------------------- */

static int
take_id(void *ctx, const struct audit_row *row)
{
	*(int64_t *)ctx = row->id;
	return 1;
}

/* Of the newest row; 0: there is none.  -errno: it is not known. */
static int64_t
newest(struct recall *r)
{
	struct audit_query q = { .limit = 1 };
	struct err err = ERR_INIT;
	int64_t id = 0, at = 0;
	int rc = 0;

	while (rc == 0 && at >= 0 && id == 0)
		rc = audit_recall(r->audit, &q, &at, BUDGET_NS, take_id, &id,
		    &err);
	return rc < 0 ? rc : id;
}

/* Which rows may be shown, in the query; false: none. */
static bool
narrow(struct recall *r, struct audit_query *q)
{
	if (r->audit == NULL || r->limit == 0)
		return false;
	if (!r->cleared)
		return true;
	q->session = audit_session_id(r->audit);
	q->after_id = r->since;
	return q->session != 0;
}

void
recall_clear(struct recall *r)
{
	struct err err = ERR_INIT;

	while (r->n > 0)
		drop_oldest(r);
	r->cleared = true;
	/* Where it cannot be told what is old, all is. */
	r->since = INT64_MAX;
	if (r->audit == NULL || audit_flush(r->audit, &err) != 0)
		return;
	r->since = newest(r);
	if (r->since < 0)
		r->since = INT64_MAX;
}

struct listed {
	int64_t id;
	char *text;
	size_t len;
};

struct list {
	const struct recall_wish *wish;
	struct listed *v;
	size_t n, most;
};

static int
add_row(void *ctx, const struct audit_row *row)
{
	struct list *l = ctx;

	if (recall_wish_has(l->wish, row->line, row->len) < 2)
		return 0;
	l->v = xreallocarray(l->v, l->n + 1, sizeof *l->v);
	l->v[l->n++] = (struct listed){ row->id,
		xmemdup0(row->line, row->len), row->len };
	return l->n == l->most;
}

int
recall_list(struct recall *r, const char *words, size_t most,
    void (*fn)(void *ctx, int64_t id, const char *text, size_t len),
    void *ctx, struct err *err)
{
	struct line_wish fuzzy = { LINE_FUZZY, words };
	struct recall_wish wish;
	struct list l = { .wish = &wish, .most = most };
	int64_t at = most > 0 ? 0 : -1;
	int rc = 0;

	recall_wish_init(&wish, &fuzzy, state_cwd(r->state),
	    state_get(r->state, "HOME"), r->host);
	wish.q.limit = r->limit;
	if (!narrow(r, &wish.q))
		at = -1;
	if (wish.here) {
		wish.q.session = audit_session_id(r->audit);
		/* 0 would be any. */
		at = wish.q.session != 0 ? at : -1;
	}
	while (rc == 0 && at >= 0 && l.n < most)
		rc = audit_recall(r->audit, &wish.q, &at, BUDGET_NS, add_row,
		    &l, err);
	recall_wish_done(&wish);
	while (l.n > 0) {
		struct listed *row = &l.v[--l.n];

		if (rc == 0)
			fn(ctx, row->id, row->text, row->len);
		free(row->text);
	}
	free(l.v);
	return rc;
}

/* ---- history expansion -------------------------------------------------- */

struct nth {
	int64_t left;
	char *text;
};

static int
count_down(void *ctx, const struct line_past *past)
{
	struct nth *n = ctx;

	if (--n->left > 0)
		return 0;
	n->text = xmemdup0(past->text, past->len);
	return 1;
}

static char *
search(struct recall *r, const struct line_wish *wish, int64_t n)
{
	/* Not the line that runs (history -p). */
	struct line_place place = {
		.typed = r->n > 0 && r->v[r->n - 1].status < 0 };
	struct nth nth = { .left = n };
	int64_t end = clock_mono_ns() + EVENT_NS;

	while (nth.text == NULL && clock_mono_ns() < end &&
	    recall_past(r, wish, &place, count_down, &nth))
		;
	return nth.text;
}

static int
take_row(void *ctx, const struct audit_row *row)
{
	char **text = ctx;

	if (memchr(row->line, '\0', row->len) == NULL)
		*text = xmemdup0(row->line, row->len);
	return 1;
}

static char *
numbered(struct recall *r, int64_t id)
{
	struct audit_query q = { .id = id, .recalled = true };
	struct err err = ERR_INIT;
	char *text = NULL;

	if (!narrow(r, &q) || id <= newest(r) - r->limit ||
	    audit_query(r->audit, &q, take_row, &text, &err) != 0)
		return NULL;
	return text;
}

char *
recall_event(void *ctx, enum event_kind kind, int64_t n, const char *text)
{
	struct line_wish wish = { LINE_STARTS, "" };

	switch (kind) {
	case EVENT_BACK:
		return search(ctx, &wish, n);
	case EVENT_NUMBER:
		return numbered(ctx, n);
	case EVENT_STARTS:
		wish.text = text;
		return search(ctx, &wish, 1);
	case EVENT_HOLDS:
		wish = (struct line_wish){ LINE_HOLDS, text };
		return search(ctx, &wish, 1);
	}
	return NULL;
}

/* ---- secrets ------------------------------------------------------------ */

size_t
recall_tag(const char *text, size_t len, size_t *ret_at)
{
	static const char begin[] = "<redacted:";
	size_t i, k, n = sizeof begin - 1;

	for (i = 0; i + n < len; i++) {
		if (memcmp(text + i, begin, n) != 0)
			continue;
		for (k = i + n; k < len && (text[k] == ':' || text[k] == '-' ||
		    text_is_name(text + k, 1) ||
		    (text[k] >= '0' && text[k] <= '9')); k++)
			;
		if (k < len && text[k] == '>' && k > i + n) {
			*ret_at = i;
			return k + 1 - i;
		}
	}
	return 0;
}
