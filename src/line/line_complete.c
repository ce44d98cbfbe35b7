/* SPDX-License-Identifier: ISC */
/* Tab: asks what the word before the cursor may become, puts in what all of
 * it begins with, and lists it where that is nothing new. */
#include "line_int.h"

#include <string.h>
#include <sys/ioctl.h>

#include "aegsh/base/mem.h"

static void
list(struct line_editor *e, const struct line_choices *c)
{
	struct winsize w = { .ws_col = 80, .ws_row = 24 };
	struct buf out = BUF_INIT;

	if (ioctl(e->opts.tty_out, TIOCGWINSZ, &w) < 0 || w.ws_col == 0)
		w = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	buf_putc(&out, '\n');
	if (e->plain != NULL)
		line_choices_number(c, w.ws_row, e->page, &out);
	else
		line_choices_list(c, w.ws_col, w.ws_row, e->page, &out);
	fwrite(out.data, 1, out.len, e->out);
	fflush(e->out);
	if (e->plain != NULL)
		line_plain_begin(e->plain);
	buf_done(&out);
}

void
line_forget_page(struct line_editor *e)
{
	free(e->paged);
	e->paged = NULL;
	e->page = 0;
}

/* Once more at the same place: the next screenful. */
static void
turn_page(struct line_editor *e, const char *text)
{
	if (e->paged != NULL && strcmp(e->paged, text) == 0) {
		e->page++;
		return;
	}
	line_forget_page(e);
	e->paged = xstrdup(text);
}

unsigned char
line_complete_word(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_choices c = { .from = 0 };
	struct buf text = BUF_INIT;
	char *common AEG_AUTOFREE = NULL;
	unsigned char what = CC_ERROR;
	const char *old;

	(void)key;
	line_text_before(e, &text);
	c.from = text.len;
	e->opts.choices(e->opts.ctx, text.data, text.len, &c);
	line_choices_sort(&c);
	common = line_choices_common(&c);
	old = text.data + c.from;
	/* What was read before this line can't be changed any more. */
	if (e->unit != NULL && c.from < e->unit->len)
		line_choices_done(&c);
	/* Of what is not all, nobody knows what all of it begins with. */
	if (c.n > 0 && !c.partial && strcmp(common, old) != 0 &&
	    strlen(common) >= (c.n == 1 ? 0 : strlen(old))) {
		if (line_count_wide(old) > 0)
			el_deletestr(el, line_count_wide(old));
		what = line_insert(e, common, strlen(common)) ? CC_REFRESH :
		    CC_ERROR;
	}
	if (c.n == 1 && c.finished && !c.partial) {
		what = line_insert(e, " ", 1) ? CC_REFRESH : CC_ERROR;
	} else if ((c.n > 1 || c.partial) && what != CC_REFRESH) {
		turn_page(e, text.data);
		list(e, &c);
		what = CC_REDISPLAY;
	}
	line_choices_done(&c);
	buf_done(&text);
	return what;
}
