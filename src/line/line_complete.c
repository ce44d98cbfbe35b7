/* SPDX-License-Identifier: ISC */
/* Tab: asks what the word before the cursor may become, puts in what all of
 * it begins with, and lists it where that is nothing new. */
#include "line_int.h"

#include <string.h>
#include <sys/ioctl.h>

#include "aegsh/base/mem.h"

/* The unit up to the cursor, as bytes. */
static void
text_before(struct line_editor *e, const LineInfoW *li, struct buf *ret)
{
	mbstate_t encode;
	char bytes[16];
	const wchar_t *p;
	size_t n;

	memset(&encode, 0, sizeof encode);
	if (e->unit != NULL && e->unit->len > 0)
		buf_put(ret, e->unit->data, e->unit->len);
	for (p = li->buffer; p < li->cursor; p++) {
		n = wcrtomb(bytes, *p, &encode);
		if (n != (size_t)-1)
			buf_put(ret, bytes, n);
	}
	buf_put(ret, "", 0);
}

/* Characters that these bytes are. */
static int
count_wide(const char *bytes)
{
	size_t n = mbstowcs(NULL, bytes, 0);

	return (int)(n != (size_t)-1 ? n : strlen(bytes));
}

static bool
insert(struct line_editor *e, const char *text)
{
	size_t n = mbstowcs(NULL, text, 0);
	wchar_t *wide AEG_AUTOFREE = NULL;

	if (n == (size_t)-1)
		return false;	/* not to be typed in this locale */
	wide = xreallocarray(NULL, n + 1, sizeof *wide);
	mbstowcs(wide, text, n + 1);
	return n == 0 || el_winsertstr(e->el, wide) == 0;
}

static void
list(struct line_editor *e, const struct line_choices *c)
{
	struct winsize w = { .ws_col = 80, .ws_row = 24 };
	struct buf out = BUF_INIT;

	if (ioctl(e->opts.tty_out, TIOCGWINSZ, &w) < 0 || w.ws_col == 0)
		w = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	buf_putc(&out, '\n');
	line_choices_list(c, w.ws_col, w.ws_row, &out);
	fwrite(out.data, 1, out.len, e->out);
	fflush(e->out);
	buf_done(&out);
}

static unsigned char
complete(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_choices c = { .from = 0 };
	struct buf text = BUF_INIT;
	char *common AEG_AUTOFREE = NULL;
	unsigned char what = CC_ERROR;
	const char *old;

	(void)key;
	text_before(e, el_wline(el), &text);
	c.from = text.len;
	e->opts.choices(e->opts.ctx, text.data, text.len, &c);
	line_choices_sort(&c);
	common = line_choices_common(&c);
	old = text.data + c.from;
	/* What was read before this line can't be changed any more. */
	if (e->unit != NULL && c.from < e->unit->len)
		line_choices_done(&c);
	if (c.n > 0 && strcmp(common, old) != 0 &&
	    strlen(common) >= (c.n == 1 ? 0 : strlen(old))) {
		if (count_wide(old) > 0)
			el_deletestr(el, count_wide(old));
		what = insert(e, common) ? CC_REFRESH : CC_ERROR;
	}
	if (c.n == 1 && c.finished && !c.partial) {
		what = insert(e, " ") ? CC_REFRESH : CC_ERROR;
	} else if (c.n > 1 && what != CC_REFRESH) {
		list(e, &c);
		what = CC_REDISPLAY;
	}
	line_choices_done(&c);
	buf_done(&text);
	return what;
}

void
line_bind_tab(struct line_editor *e)
{
	if (e->opts.choices == NULL)
		return;
	el_wset(e->el, EL_ADDFN, L"aegsh-complete", L"Complete the word",
	    complete);
	el_wset(e->el, EL_BIND, L"^I", L"aegsh-complete", NULL);
}
