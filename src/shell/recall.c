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
	int64_t now;
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

	if (r->audit == NULL || r->limit == 0 || k->wish.here)
		place->stored = -1;
	if (place->stored < 0)
		return false;
	q->limit = r->limit;
	q->not_session = audit_session_id(r->audit);
	if (audit_recall(r->audit, q, &place->stored, BUDGET_NS, give_stored,
	    k, &err) != 0)
		place->stored = -1;
	return place->stored >= 0;
}

bool
recall_past(void *ctx, const struct line_wish *wish, struct line_place *place,
    int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx)
{
	struct look k = { .r = ctx, .now = now_ns(), .fn = fn,
		.ctx = fn_ctx };
	bool more;

	recall_wish_init(&k.wish, wish, state_cwd(k.r->state),
	    state_get(k.r->state, "HOME"), k.r->host);
	more = look_typed(&k, place) || look_stored(&k, place);
	recall_wish_done(&k.wish);
	return more;
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
