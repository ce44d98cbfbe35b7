/* SPDX-License-Identifier: ISC */
/* Up and down: the lines that start with what stood before the cursor, each
 * once. */
#include "line_int.h"

#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define WAIT_NS 50000000

void
line_walk_done(struct line_walk *w)
{
	strv_done(&w->shown);
	free(w->starts);
	*w = (struct line_walk){ .now = 0 };
}

/* What was typed, and up to where: anew, unless the line is the one that was
 * shown last. */
static void
begin(struct line_editor *e)
{
	struct line_walk *w = &e->walk;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, before = BUF_INIT;
	const LineInfoW *li = el_wline(e->el);

	line_text(e, &text);
	if (w->shown.n > 0 && strcmp(w->shown.v[w->now], text.data) == 0)
		return;
	line_walk_done(w);
	strv_add(&w->shown, text.data);
	line_put_wide(&before, li->buffer, (size_t)(li->cursor - li->buffer));
	w->starts = buf_take(&before);
}

static int
take(void *ctx, const struct line_past *past)
{
	struct line_walk *w = ctx;
	size_t i;

	for (i = 0; i < w->shown.n; i++)
		if (strlen(w->shown.v[i]) == past->len &&
		    memcmp(w->shown.v[i], past->text, past->len) == 0)
			return 0;
	strv_take(&w->shown, xmemdup0(past->text, past->len));
	return 1;
}

/* As long as it takes, or until another key is pressed, if that is not at
 * once: what it finds shall not hang on how fast somebody types. */
static bool
find(struct line_editor *e)
{
	struct line_walk *w = &e->walk;
	struct line_wish wish = { LINE_STARTS, w->starts };
	size_t had = w->shown.n;
	int64_t end = clock_mono_ns() + WAIT_NS;

	if (e->opts.past == NULL)
		return false;
	while (!w->over && w->shown.n == had) {
		w->over = !e->opts.past(e->opts.ctx, &wish, &w->place, take,
		    w);
		if (w->shown.n == had && clock_mono_ns() > end &&
		    line_key_waits(e)) {
			line_drop_enter(e);
			break;
		}
	}
	return w->shown.n > had;
}

static unsigned char
show(struct line_editor *e)
{
	const char *text = e->walk.shown.v[e->walk.now];

	return line_replace(e, text, strlen(text)) ? line_drawn(e) :
	    CC_ERROR;
}

unsigned char
line_older(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);

	(void)key;
	begin(e);
	if (e->walk.now + 1 == e->walk.shown.n && !find(e))
		return CC_ERROR;
	e->walk.now++;
	return show(e);
}

unsigned char
line_newer(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);

	(void)key;
	begin(e);
	if (e->walk.now == 0)
		return CC_ERROR;
	e->walk.now--;
	return show(e);
}
