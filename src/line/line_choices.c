/* SPDX-License-Identifier: ISC */
/* What a word may become, and how that is shown. */
#include "aegsh/line.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"

#define NOTES_UP_TO 40		/* choices that are shown with their notes */
#define GAP 2

void
line_choices_add(struct line_choices *c, const char *text, const char *shown,
    const char *note)
{
	if (c->n == LINE_CHOICES_MAX) {
		c->partial = true;
		return;
	}
	if ((c->n & (c->n - 1)) == 0)
		c->v = xreallocarray(c->v, c->n > 0 ? c->n * 2 : 1,
		    sizeof *c->v);
	c->v[c->n++] = (struct line_choice){ xstrdup(text), xstrdup(shown),
		note != NULL ? xstrdup(note) : NULL, false };
}

void
line_choices_block(struct line_choices *c, const char *text)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		c->v[i].blocked |= strcmp(c->v[i].text, text) == 0;
}

static void
drop(struct line_choice *c)
{
	free(c->text);
	free(c->shown);
	free(c->note);
}

void
line_choices_done(struct line_choices *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		drop(&c->v[i]);
	free(c->v);
	*c = (struct line_choices){ .from = 0 };
}

static int
by_text(const void *a, const void *b)
{
	const struct line_choice *x = a, *y = b;

	return strcmp(x->text, y->text);
}

void
line_choices_sort(struct line_choices *c)
{
	size_t i, n = 0;

	if (c->n == 0)
		return;
	qsort(c->v, c->n, sizeof *c->v, by_text);
	for (i = 0; i < c->n; i++) {
		if (n > 0 && strcmp(c->v[n - 1].text, c->v[i].text) == 0)
			drop(&c->v[i]);
		else
			c->v[n++] = c->v[i];
	}
	c->n = n;
}

char *
line_choices_common(const struct line_choices *c)
{
	size_t i, n;

	if (c->n == 0)
		return xstrdup("");
	n = strlen(c->v[0].text);
	for (i = 1; i < c->n; i++) {
		size_t k = 0;

		while (k < n && c->v[i].text[k] == c->v[0].text[k])
			k++;
		n = k;
	}
	/* Not in the middle of a character. */
	while (n > 0 && n < strlen(c->v[0].text) &&
	    ((unsigned char)c->v[0].text[n] & 0xc0) == 0x80)
		n--;
	return xmemdup0(c->v[0].text, n);
}

/* ---- the table ----------------------------------------------------------- */

/* Columns of text that is inert: in a locale without these characters, its
 * bytes. */
static unsigned
width_of(const char *text)
{
	size_t len = mbstowcs(NULL, text, 0);
	wchar_t *wide AEG_AUTOFREE = NULL;
	int width;

	if (len == (size_t)-1)
		return (unsigned)strlen(text);
	wide = xreallocarray(NULL, len + 1, sizeof *wide);
	mbstowcs(wide, text, len + 1);
	width = wcswidth(wide, len);
	return width < 0 ? (unsigned)strlen(text) : (unsigned)width;
}

/* Cut from its end until it fits. */
static unsigned
cut(struct buf *text, unsigned room)
{
	unsigned width;

	while ((width = width_of(text->data)) > room && text->len > 0) {
		do
			text->len--;
		while (text->len > 0 &&
		    ((unsigned char)text->data[text->len] & 0xc0) == 0x80);
		text->data[text->len] = '\0';
	}
	return width;
}

#define PARTIAL TR_LATER("(not all: looking took too long)")
/* In words: not all see colours or signs. */
#define MARK TR_LATER("(blocked)")

/* One entry, inert, cut to the room there is; its width. */
static unsigned
put_entry(struct buf *out, const struct line_choice *c, bool notes,
    unsigned room)
{
	struct buf text = BUF_INIT;
	unsigned mark = c->blocked ? width_of(tr(MARK)) + 1 : 0, width;

	/* What it is warned of stays to be seen. */
	if (mark >= room)
		mark = 0;
	text_inert(&text, c->shown, strlen(c->shown), 0);
	buf_put(&text, "", 0);
	width = cut(&text, room - mark);
	if (mark > 0) {
		buf_putf(&text, " %s", tr(MARK));
		width += mark;
	}
	if (notes && c->note != NULL && width + 2 < room) {
		buf_puts(&text, "  ");
		text_inert(&text, c->note, strlen(c->note), 0);
		buf_put(&text, "", 0);
		width = cut(&text, room);
	}
	if (text.len == 0)
		width = 0;
	buf_puts(out, text.data);
	buf_done(&text);
	return width;
}

static void
put_line(struct buf *out, const char *line, unsigned columns)
{
	struct buf text = BUF_INIT;

	buf_puts(&text, line);
	cut(&text, columns - 1);
	buf_puts(out, text.data);
	buf_putc(out, '\n');
	buf_done(&text);
}

static void
put_footer(const struct line_choices *c, unsigned columns, unsigned page,
    unsigned pages, struct buf *out)
{
	char line[256];

	snprintf(line, sizeof line, tr("%u/%u: %zu in all; Tab for more, or "
	    "type more"), page + 1, pages, c->n);
	put_line(out, line, columns);
}

static unsigned
widest(const struct line_choices *c, bool notes, unsigned columns)
{
	struct buf unused = BUF_INIT;
	unsigned most = 1, width;
	size_t i;

	for (i = 0; i < c->n; i++) {
		unused.len = 0;
		width = put_entry(&unused, &c->v[i], notes, columns);
		if (width > most)
			most = width;
	}
	buf_done(&unused);
	return most;
}

void
line_choices_number(const struct line_choices *c, unsigned rows,
    unsigned page, struct buf *out)
{
	size_t most = rows > 4 ? rows - 3 : SIZE_MAX, i;
	unsigned pages = (unsigned)((c->n + most - 1) / most);

	if (most == SIZE_MAX || pages == 0)
		pages = 1;
	page %= pages;
	for (i = page * most; i < c->n && i - page * most < most; i++) {
		buf_putf(out, "%zu. ", i + 1);
		put_entry(out, &c->v[i], true, UINT_MAX);
		buf_putc(out, '\n');
	}
	if (pages > 1)
		put_footer(c, UINT_MAX, page, pages, out);
	if (c->partial)
		put_line(out, tr(PARTIAL), UINT_MAX);
}

void
line_choices_list(const struct line_choices *c, unsigned columns,
    unsigned rows, unsigned page, struct buf *out)
{
	bool notes = c->n <= NOTES_UP_TO;
	unsigned width, across, pad, pages = 1;
	size_t lines, shown, first, i, k;

	if (columns < 2)
		columns = 80;
	width = widest(c, notes, columns - 1) + GAP;
	across = columns / width > 0 ? columns / width : 1;
	lines = (c->n + across - 1) / across;
	shown = rows > 4 && lines > rows - 3 ? rows - 3 : lines;
	if (shown > 0)
		pages = (unsigned)((lines + shown - 1) / shown);
	page = pages > 0 ? page % pages : 0;
	first = page * shown * across;
	/* A page is read column by column, as a list of one page is. */
	for (i = 0; i < shown && first + i < c->n; i++) {
		for (k = first + i; k < c->n && k < first + shown * across;
		    k += shown) {
			pad = put_entry(out, &c->v[k], notes, columns - 1);
			if (k + shown < c->n && k + shown < first +
			    shown * across)
				buf_putf(out, "%*s", (int)(width - pad), "");
		}
		buf_putc(out, '\n');
	}
	if (pages > 1)
		put_footer(c, columns, page, pages, out);
	if (c->partial)
		put_line(out, tr(PARTIAL), columns);
}
