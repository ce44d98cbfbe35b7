/* SPDX-License-Identifier: ISC */
/* As a line is typed: what it may become stands at the right edge, and the
 * keys that go on behind its end take it.  Nothing of it is in the line before
 * that. */
#include "line_int.h"

#include <string.h>
#include <sys/ioctl.h>
#include <wctype.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define HINT_MOST ((size_t)1000)	/* bytes of a line that gets one */
#define GREY "\001\033[90m\001"
#define PLAIN "\001\033[0m\001"

void
line_hint_done(struct line_hint *h)
{
	buf_done(&h->of);
	buf_done(&h->rest);
	buf_done(&h->shown);
}

static int
take(void *ctx, const struct line_past *past)
{
	struct line_hint *h = ctx;

	if (past->len <= h->of.len || memchr(past->text, '\n', past->len) !=
	    NULL)
		return 0;
	buf_put(&h->rest, past->text + h->of.len, past->len - h->of.len);
	return 1;
}

/* Cut to a third of the screen, inert; told by an arrow, not by its colour
 * alone. */
static void
put_shown(struct line_editor *e)
{
	struct line_hint *h = &e->hint;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct winsize w = { .ws_col = 80 };
	size_t most;

	if (ioctl(e->opts.tty_out, TIOCGWINSZ, &w) < 0 || w.ws_col == 0)
		w.ws_col = 80;
	most = w.ws_col / 3;
	text_inert(&text, h->rest.data, h->rest.len < most ? h->rest.len :
	    most, 0);
	buf_putf(&h->shown, "%s-> %s%s%s", h->grey ? GREY : "", text.data,
	    h->rest.len > most ? "..." : "", h->grey ? PLAIN : "");
}

bool
line_hint_look(struct line_editor *e)
{
	struct line_hint *h = &e->hint;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct line_wish wish = { LINE_STARTS, NULL };
	struct line_place place = { .typed = 0 };
	const LineInfoW *li = el_wline(e->el);
	bool had = h->shown.len > 0;

	if (!h->on || (size_t)(li->lastchar - li->buffer) > HINT_MOST)
		return false;
	line_text(e, &text);
	if (h->of.data != NULL && strcmp(h->of.data, text.data) == 0)
		return false;
	line_hint_done(h);
	buf_puts(&h->of, text.data);
	if (text.len > 1 && text.data[0] != ' ' && li->cursor == li->lastchar) {
		wish.text = h->of.data;
		e->opts.hint(e->opts.ctx, &wish, &place, take, h);
	}
	if (h->rest.len > 0)
		put_shown(e);
	return had || h->shown.len > 0;
}

/* Nothing of it stays beside a line that runs. */
bool
line_hint_clear(struct line_editor *e)
{
	bool had = e->hint.shown.len > 0;

	buf_done(&e->hint.shown);
	buf_done(&e->hint.rest);
	return had;
}

static bool
at_end(struct line_editor *e)
{
	const LineInfoW *li = el_wline(e->el);

	return li->cursor == li->lastchar;
}

static unsigned char
accept(struct line_editor *e, size_t n)
{
	AEG_AUTOFREE char *rest = buf_take(&e->hint.rest);

	line_hint_clear(e);
	line_insert(e, rest, n);
	return CC_REFRESH;
}

unsigned char
line_forward(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);

	(void)key;
	if (at_end(e))
		return e->hint.rest.len > 0 ? accept(e, e->hint.rest.len) :
		    CC_ERROR;
	el_cursor(el, 1);
	return CC_CURSOR;
}

unsigned char
line_end(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	const LineInfoW *li = el_wline(el);

	(void)key;
	if (at_end(e) && e->hint.rest.len > 0)
		return accept(e, e->hint.rest.len);
	el_cursor(el, (int)(li->lastchar - li->cursor));
	return CC_CURSOR;
}

unsigned char
line_forward_word(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	const LineInfoW *li = el_wline(el);
	const wchar_t *p = li->cursor;

	(void)key;
	if (at_end(e) && e->hint.rest.len > 0) {
		const char *rest = e->hint.rest.data;
		size_t n = strspn(rest, " \t");

		return accept(e, n + strcspn(rest + n, " \t"));
	}
	while (p < li->lastchar && !iswalnum((wint_t)*p))
		p++;
	while (p < li->lastchar && iswalnum((wint_t)*p))
		p++;
	el_cursor(el, (int)(p - li->cursor));
	return CC_CURSOR;
}
