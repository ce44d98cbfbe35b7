/* SPDX-License-Identifier: ISC */
/*
 * Words and single characters, as readline has them: libedit counts more to a
 * word than letters and digits, and knows none of the shell's words.
 */
#include "line_int.h"

#include <string.h>
#include <wctype.h>

#include "aegsh/base/mem.h"

static bool
is_letter(wchar_t c)
{
	return iswalnum((wint_t)c) != 0;
}

/* ---- bounds -------------------------------------------------------------- */

static const wchar_t *
letters_end(const LineInfoW *li, const wchar_t *p)
{
	while (p < li->lastchar && !is_letter(*p))
		p++;
	while (p < li->lastchar && is_letter(*p))
		p++;
	return p;
}

static const wchar_t *
letters_begin(const LineInfoW *li, const wchar_t *p)
{
	while (p > li->buffer && !is_letter(p[-1]))
		p--;
	while (p > li->buffer && is_letter(p[-1]))
		p--;
	return p;
}

static bool
ends_shell_word(wchar_t c)
{
	return wcschr(L" \t\n;&()|<>", c) != NULL && c != L'\0';
}

/* Behind the word of the shell that begins at p or after what is none. */
static const wchar_t *
shell_end(const LineInfoW *li, const wchar_t *p)
{
	wchar_t quote = L'\0';

	while (p < li->lastchar && ends_shell_word(*p))
		p++;
	for (; p < li->lastchar && (quote != L'\0' || !ends_shell_word(*p));
	    p++) {
		if (*p == L'\\' && quote != L'\'' && p + 1 < li->lastchar)
			p++;
		else if (quote == *p)
			quote = L'\0';
		else if (quote == L'\0' && (*p == L'\'' || *p == L'"'))
			quote = *p;
	}
	return p;
}

/* Quotes can be read from the left only: the last word that begins before
 * p. */
static const wchar_t *
shell_begin(const LineInfoW *li, const wchar_t *p)
{
	const wchar_t *at = li->buffer, *begin = li->buffer;

	for (;;) {
		while (at < li->lastchar && ends_shell_word(*at))
			at++;
		if (at >= p)
			return begin;
		begin = at;
		at = shell_end(li, at);
	}
}

static unsigned char
go(EditLine *el, const wchar_t *to)
{
	el_cursor(el, (int)(to - el_wline(el)->cursor));
	return CC_CURSOR;
}

/* libedit's stops at the first character that is no blank, in vi mode. */
unsigned char
line_begin(EditLine *el, wint_t key)
{
	(void)key;
	return go(el, el_wline(el)->buffer);
}

unsigned char
line_word_back(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	return go(el, letters_begin(li, li->cursor));
}

unsigned char
line_shell_word(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	return go(el, shell_end(li, li->cursor));
}

unsigned char
line_shell_word_back(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	return go(el, shell_begin(li, li->cursor));
}

unsigned char
line_kill_shell_word(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	return line_cut(el, (size_t)(shell_end(li, li->cursor) - li->cursor),
	    false);
}

/* What is in front of the cursor and of one kind: letters, digits and _, or
 * what is none of these, and the blanks behind it. */
unsigned char
line_kill_kind(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *p = li->cursor;
	bool word;

	(void)key;
	while (p > li->buffer && iswspace((wint_t)p[-1]))
		p--;
	word = p > li->buffer && (is_letter(p[-1]) || p[-1] == L'_');
	while (p > li->buffer && !iswspace((wint_t)p[-1]) &&
	    (is_letter(p[-1]) || p[-1] == L'_') == word)
		p--;
	return line_cut(el, (size_t)(li->cursor - p), true);
}

/* ---- change -------------------------------------------------------------- */

/* The characters from begin on, as they shall be; the cursor behind them. */
static unsigned char
put(EditLine *el, const wchar_t *begin, const wchar_t *text)
{
	struct line_editor *e = line_editor_of(el);
	size_t n = wcslen(text);

	go(el, begin + n);
	el_deletestr(el, (int)n);
	return el_winsertstr(el, text) == 0 ? line_drawn(e) : CC_ERROR;
}

/* Of the word at the cursor or after it, from the cursor on; first: as its
 * first letter is to be. */
static unsigned char
recase(EditLine *el, wint_t (*first)(wint_t c), wint_t (*rest)(wint_t c))
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *begin = li->cursor, *end = letters_end(li, begin);
	size_t n = (size_t)(end - begin), i;
	AEG_AUTOFREE wchar_t *text = xreallocarray(NULL, n + 1, sizeof *text);
	bool begun = false;

	if (n == 0)
		return CC_ERROR;
	for (i = 0; i < n; i++) {
		text[i] = is_letter(begin[i]) ?
		    (wchar_t)(begun ? rest : first)((wint_t)begin[i]) :
		    begin[i];
		begun |= is_letter(begin[i]);
	}
	text[n] = L'\0';
	return put(el, begin, text);
}

unsigned char
line_upper(EditLine *el, wint_t key)
{
	(void)key;
	return recase(el, towupper, towupper);
}

unsigned char
line_lower(EditLine *el, wint_t key)
{
	(void)key;
	return recase(el, towlower, towlower);
}

unsigned char
line_capital(EditLine *el, wint_t key)
{
	(void)key;
	return recase(el, towupper, towlower);
}

/* Two words that follow each other change places: a1 to a2, b1 to b2. */
static unsigned char
swap(EditLine *el, const wchar_t *a1, const wchar_t *a2, const wchar_t *b1,
    const wchar_t *b2)
{
	size_t n = (size_t)(b2 - a1), at = 0;
	AEG_AUTOFREE wchar_t *text = NULL;

	if (a1 == b1 || b1 < a2)
		return CC_ERROR;
	text = xreallocarray(NULL, n + 1, sizeof *text);
	wmemcpy(text, b1, (size_t)(b2 - b1));
	at = (size_t)(b2 - b1);
	wmemcpy(text + at, a2, (size_t)(b1 - a2));
	at += (size_t)(b1 - a2);
	wmemcpy(text + at, a1, (size_t)(a2 - a1));
	text[n] = L'\0';
	return put(el, a1, text);
}

/* The word at the cursor (at the end of the line: the last) and the one
 * before it. */
unsigned char
line_swap_words(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *b2 = letters_end(li, li->cursor);
	const wchar_t *b1 = letters_begin(li, b2);
	const wchar_t *a1 = letters_begin(li, b1);

	(void)key;
	return swap(el, a1, letters_end(li, a1), b1, letters_end(li, b1));
}

unsigned char
line_swap_shell_words(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *b2 = shell_end(li, li->cursor);
	const wchar_t *b1 = shell_begin(li, b2);
	const wchar_t *a1 = shell_begin(li, b1);

	(void)key;
	return swap(el, a1, shell_end(li, a1), b1, shell_end(li, b1));
}

/* The character before the cursor goes on behind the one that is there. */
unsigned char
line_swap_chars(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *at = li->cursor == li->lastchar ? li->cursor - 1 :
	    li->cursor;
	wchar_t text[3] = { L'\0' };

	(void)key;
	if (li->cursor == li->buffer || at <= li->buffer)
		return CC_ERROR;
	text[0] = at[0];
	text[1] = at[-1];
	return put(el, at - 1, text);
}

/* The blanks around the cursor. */
unsigned char
line_delete_blanks(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);
	const wchar_t *begin = li->cursor, *end = li->cursor;

	(void)key;
	while (begin > li->buffer && (begin[-1] == L' ' || begin[-1] == L'\t'))
		begin--;
	while (end < li->lastchar && (*end == L' ' || *end == L'\t'))
		end++;
	if (begin == end)
		return CC_ERROR;
	go(el, end);
	el_deletestr(el, (int)(end - begin));
	return line_drawn(line_editor_of(el));
}

/* The one at the cursor, of which there is none behind the line; libedit's
 * takes the one before then. */
unsigned char
line_delete_char(EditLine *el, wint_t key)
{
	const LineInfoW *li = el_wline(el);

	(void)key;
	if (li->cursor == li->lastchar)
		return CC_ERROR;
	go(el, li->cursor + 1);
	el_deletestr(el, 1);
	return line_drawn(line_editor_of(el));
}

/* ---- and other keys of readline's ---------------------------------------- */

/* In vi's command mode the cursor stands at the beginning then. */
static unsigned char
at_begin(EditLine *el, unsigned char what)
{
	if (what != CC_ERROR)
		go(el, el_wline(el)->buffer);
	return what;
}

unsigned char
line_older_command(EditLine *el, wint_t key)
{
	return at_begin(el, line_older(el, key));
}

unsigned char
line_newer_command(EditLine *el, wint_t key)
{
	return at_begin(el, line_newer(el, key));
}

static unsigned char
seek(EditLine *el, int step)
{
	struct line_editor *e = line_editor_of(el);
	const LineInfoW *li;
	const wchar_t *p;
	wchar_t wanted;

	if (line_read_key(e, &wanted) != 1)
		return CC_EOF;
	li = el_wline(el);
	for (p = li->cursor + step; p >= li->buffer && p < li->lastchar;
	    p += step)
		if (*p == wanted)
			return go(el, p);
	return CC_ERROR;
}

unsigned char
line_seek(EditLine *el, wint_t key)
{
	(void)key;
	return seek(el, 1);
}

unsigned char
line_seek_back(EditLine *el, wint_t key)
{
	(void)key;
	return seek(el, -1);
}

/* Kept as a comment: it is sent, and does nothing. */
unsigned char
line_comment(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);

	(void)key;
	go(el, el_wline(el)->buffer);
	if (el_winsertstr(el, L"#") != 0)
		return CC_ERROR;
	line_ahead(e, '\n');
	return line_drawn(e);
}
