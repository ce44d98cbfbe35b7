/* SPDX-License-Identifier: ISC */
/* As a line is typed: what would become of it stands at the right edge, once
 * whoever knows has said so.  Nothing waits for that longer than a moment, and
 * what was said of another line is not left standing. */
#include "line_int.h"

#include <poll.h>
#include <string.h>

#include "aegsh/base/mem.h"

#define OUTLOOK_MOST ((size_t)1000)	/* bytes of a line that gets one */
#define MOMENT_MS 2

void
line_outlook_done(struct line_outlook *o)
{
	buf_done(&o->of);
	buf_done(&o->shown);
	o->awaited = -1;
	o->heard = o->passed = false;
}

/* All lines of the unit. */
static void
put_unit(struct line_editor *e, struct buf *text)
{
	if (e->unit != NULL && e->unit->len > 0)
		buf_put(text, e->unit->data, e->unit->len);
	line_text(e, text);
}

/* What has come.  False: the answer is still to be awaited. */
static bool
hear(struct line_editor *e)
{
	const char *text = e->opts.foreseen(e->opts.ctx);

	if (text == NULL)
		return false;
	e->outlook.awaited = -1;
	buf_reset(&e->outlook.shown);
	if (text[0] != '\0')
		buf_puts(&e->outlook.shown, text);
	return true;
}

static bool
comes_at_once(struct line_editor *e)
{
	struct pollfd p = { .fd = e->outlook.awaited, .events = POLLIN };

	return p.fd >= 0 && poll(&p, 1, MOMENT_MS) > 0 && hear(e);
}

bool
line_outlook_look(struct line_editor *e)
{
	struct line_outlook *o = &e->outlook;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, was = BUF_INIT;
	const LineInfoW *li = el_wline(e->el);

	if (!o->on || e->search.on)
		return false;
	if ((size_t)(li->lastchar - li->buffer) <= OUTLOOK_MOST)
		put_unit(e, &text);
	buf_puts(&text, "");
	if (o->of.data != NULL && strcmp(o->of.data, text.data) == 0) {
		/* A key that changed nothing may be the first of several,
		 * which drawing would tear apart. */
		if (o->passed)
			o->awaited = -1;
		return false;
	}
	was = o->shown;
	o->shown = (struct buf)BUF_INIT;
	line_outlook_done(o);
	o->of = text;
	text = (struct buf)BUF_INIT;
	if (o->of.len > 0 && o->of.len <= OUTLOOK_MOST)
		o->awaited = e->opts.foresee(e->opts.ctx, o->of.data,
		    o->of.len);
	comes_at_once(e);
	return was.len != o->shown.len || (was.len > 0 &&
	    memcmp(was.data, o->shown.data, was.len) != 0);
}

bool
line_outlook_late(struct line_editor *e)
{
	return e->outlook.awaited >= 0 && hear(e) && e->outlook.shown.len > 0;
}

bool
line_outlook_clear(struct line_editor *e)
{
	bool had = e->outlook.shown.len > 0;

	buf_reset(&e->outlook.shown);
	e->outlook.awaited = -1;
	return had;
}

/* The right edge: how the line may go on, and what would become of it. */
char *
line_edge_text(EditLine *el)
{
	static char none[] = "";
	struct line_editor *e = line_editor_of(el);
	struct buf *edge = &e->edge;

	buf_reset(edge);
	if (e->search.on)
		return none;
	if (e->hint.shown.len > 0)
		buf_puts(edge, e->hint.shown.data);
	if (e->outlook.shown.len > 0)
		buf_putf(edge, "%s%s", edge->len > 0 ? "  " : "",
		    e->outlook.shown.data);
	return edge->len > 0 ? edge->data : none;
}

unsigned char
line_explain(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, out = BUF_INIT;

	(void)key;
	if (e->opts.explain == NULL)
		return CC_ERROR;
	put_unit(e, &text);
	buf_puts(&text, "");
	buf_putc(&out, '\n');
	e->opts.explain(e->opts.ctx, text.data, text.len, &out);
	fwrite(out.data, 1, out.len, e->out);
	fflush(e->out);
	if (e->plain != NULL)
		line_plain_begin(e->plain);
	return CC_REDISPLAY;
}
