/* SPDX-License-Identifier: ISC */
/* The kill ring: what was cut, the newest first, and put in again. */
#include "line_int.h"

#include <stdint.h>
#include <string.h>
#include <wctype.h>

#include "aegsh/base/mem.h"

static void
note(struct line_editor *e, wchar_t **to)
{
	const LineInfoW *li = el_wline(e->el);
	size_t n = (size_t)(li->lastchar - li->buffer);
	wchar_t *text = xreallocarray(NULL, n + 2, sizeof *text);

	/* The cursor, too: who has moved since starts anew. */
	text[0] = (wchar_t)(li->cursor - li->buffer + 1);
	wmemcpy(text + 1, li->buffer, n);
	text[n + 1] = L'\0';
	free(*to);
	*to = text;
}

static bool
is_as_noted(struct line_editor *e, const wchar_t *noted)
{
	wchar_t *now = NULL;
	bool same;

	if (noted == NULL)
		return false;
	note(e, &now);
	same = wcscmp(now, noted) == 0;
	free(now);
	return same;
}

/* Another line, though it may look as the one before did. */
void
line_kill_begin_line(struct line_kill *k)
{
	wchar_t **const notes[] = { &k->after_kill, &k->after_yank,
		&k->after_word };
	size_t i;

	for (i = 0; i < AEG_NELEM(notes); i++) {
		free(*notes[i]);
		*notes[i] = NULL;
	}
}

void
line_kill_done(struct line_kill *k)
{
	size_t i;

	for (i = 0; i < LINE_KILLS; i++)
		free(k->ring[i]);
	line_kill_begin_line(k);
	*k = (struct line_kill){ .at = 0 };
}

/* A new one, or in front of or behind the last where they follow each
 * other. */
static void
keep(struct line_kill *k, const wchar_t *text, size_t n, bool back, bool more)
{
	size_t had = more && k->ring[0] != NULL ? wcslen(k->ring[0]) : 0;
	wchar_t *kept = xreallocarray(NULL, had + n + 1, sizeof *kept);

	if (had > 0)
		wmemcpy(kept + (back ? n : 0), k->ring[0], had);
	wmemcpy(kept + (back ? 0 : had), text, n);
	kept[had + n] = L'\0';
	if (more) {
		free(k->ring[0]);
	} else {
		free(k->ring[LINE_KILLS - 1]);
		memmove(k->ring + 1, k->ring, (LINE_KILLS - 1) *
		    sizeof *k->ring);
	}
	k->ring[0] = kept;
}

unsigned char
line_cut(EditLine *el, size_t n, bool back)
{
	struct line_editor *e = line_editor_of(el);
	const LineInfoW *li = el_wline(el);
	bool more = is_as_noted(e, e->kill.after_kill);

	if (n == 0)
		return CC_ERROR;
	keep(&e->kill, li->cursor - (back ? n : 0), n, back, more);
	if (!back)
		el_cursor(el, (int)n);
	el_deletestr(el, (int)n);
	note(e, &e->kill.after_kill);
	return line_drawn(e);
}

static bool
is_blank(wchar_t c)
{
	return c == L' ' || c == L'\t' || c == L'\n';
}

static bool
is_letter(wchar_t c)
{
	return iswalnum((wint_t)c) != 0;
}

static size_t
before(const LineInfoW *li, bool (*is_word)(wchar_t c), bool word_first)
{
	const wchar_t *p = li->cursor;

	while (p > li->buffer && is_word(p[-1]) != word_first)
		p--;
	while (p > li->buffer && is_word(p[-1]) == word_first)
		p--;
	return (size_t)(li->cursor - p);
}

unsigned char
line_kill_end(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	return line_cut(el, (size_t)(li->lastchar - li->cursor), false);
}

unsigned char
line_kill_begin(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	return line_cut(el, (size_t)(li->cursor - li->buffer), true);
}

/* Up to a blank, as C-w has it. */
unsigned char
line_kill_blank(EditLine *el, wint_t key)
{
	(void)key;
	return line_cut(el, before(el_wline(el), is_blank, false), true);
}

unsigned char
line_kill_word_back(EditLine *el, wint_t key)
{
	(void)key;
	return line_cut(el, before(el_wline(el), is_letter, true), true);
}

unsigned char
line_kill_word(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *p = li->cursor;

	(void)key;
	while (p < li->lastchar && !is_letter(*p))
		p++;
	while (p < li->lastchar && is_letter(*p))
		p++;
	return line_cut(el, (size_t)(p - li->cursor), false);
}

static unsigned char
put_in(struct line_editor *e)
{
	struct line_kill *k = &e->kill;

	if (k->ring[k->at] == NULL || el_winsertstr(e->el, k->ring[k->at]) !=
	    0)
		return CC_ERROR;
	note(e, &k->after_yank);
	return CC_REFRESH;
}

unsigned char
line_yank(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);

	(void)key;
	e->kill.at = 0;
	return put_in(e);
}

/* In place of what was put in right before: the one that was cut earlier. */
unsigned char
line_yank_other(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_kill *k = &e->kill;

	(void)key;
	if (!is_as_noted(e, k->after_yank))
		return CC_ERROR;
	el_deletestr(el, (int)wcslen(k->ring[k->at]));
	k->at = k->at + 1 < LINE_KILLS && k->ring[k->at + 1] != NULL ?
	    k->at + 1 : 0;
	return put_in(e);
}

/* ---- the last word of a line before ------------------------------------- */

struct nth_line {
	unsigned left;
	struct buf text;
};

static int
take(void *ctx, const struct line_past *past)
{
	struct nth_line *n = ctx;

	if (n->left-- > 0)
		return 0;
	buf_put(&n->text, past->text, past->len);
	return 1;
}

/* Where the last begins (nth: or the one of that number, from 0), quotes kept
 * together; *ret_end: where it ends. */
static size_t
find_word(const char *text, size_t len, size_t nth, size_t *ret_end)
{
	size_t i, from = 0, n = 0;
	char quote = '\0';
	bool in_word = false;

	for (i = 0; i < len; i++) {
		if (text[i] == '\\' && quote != '\'') {
			from = in_word ? from : i;
			in_word = true;
			i++;
			continue;
		}
		if (quote == '\0' && strchr(" \t\n", text[i]) != NULL) {
			if (in_word && n++ == nth)
				break;
			in_word = false;
			continue;
		}
		if (!in_word)
			from = i;
		in_word = true;
		if (quote == text[i])
			quote = '\0';
		else if (quote == '\0' && strchr("'\"`", text[i]) != NULL)
			quote = text[i];
	}
	*ret_end = i < len ? i : len;
	return from;
}

unsigned char
line_last_word(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_kill *k = &e->kill;
	struct line_wish wish = { LINE_STARTS, "" };
	struct line_place place = { .typed = 0 };
	struct nth_line n = { .text = BUF_INIT };
	size_t from, len, end;

	(void)key;
	if (e->opts.past == NULL)
		return CC_ERROR;
	/* Again: that of the line before. */
	if (!is_as_noted(e, k->after_word))
		k->word_back = k->word_len = 0;
	n.left = k->word_back;
	while (n.text.len == 0 &&
	    e->opts.past(e->opts.ctx, &wish, &place, take, &n) &&
	    !line_key_waits(e))
		;
	if (n.text.len == 0)
		return CC_ERROR;
	for (len = n.text.len; len > 0 && strchr(" \t\n",
	    n.text.data[len - 1]) != NULL; len--)
		n.text.data[len - 1] = '\0';
	from = find_word(n.text.data, len, SIZE_MAX, &end);
	if (k->word_len > 0)
		el_deletestr(el, k->word_len);
	k->word_len = line_count_wide(n.text.data + from);
	line_insert(e, n.text.data + from, len - from);
	k->word_back++;
	note(e, &k->after_word);
	buf_done(&n.text);
	return CC_REFRESH;
}

/* The first operand of the line before. */
unsigned char
line_first_word(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_wish wish = { LINE_STARTS, "" };
	struct line_place place = { .typed = 0 };
	struct nth_line n = { .text = BUF_INIT };
	unsigned char what = CC_ERROR;
	size_t from, end;

	(void)key;
	if (e->opts.past == NULL)
		return CC_ERROR;
	while (n.text.len == 0 &&
	    e->opts.past(e->opts.ctx, &wish, &place, take, &n) &&
	    !line_key_waits(e))
		;
	if (n.text.len > 0) {
		from = find_word(n.text.data, n.text.len, 1, &end);
		if (from > 0 && line_insert(e, n.text.data + from,
		    end - from))
			what = CC_REFRESH;
	}
	buf_done(&n.text);
	return what;
}
