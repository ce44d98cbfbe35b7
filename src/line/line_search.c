/* SPDX-License-Identifier: ISC */
/*
 * Searches in the lines of the past: C-r, key by key, and M-r, by words and
 * filters with a list.  Both draw by way of libedit alone: its prompt becomes
 * list and pattern, its line what is chosen.  Looking goes on between keys,
 * so that none waits for it.
 */
#include "line_int.h"

#include <string.h>
#include <sys/ioctl.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"

#define FOUND_MOST 200		/* that are kept */
#define LIST_MOST 10		/* rows of the list */
#define LIST_COLUMNS 40		/* a screen that has less has no list … */
#define LIST_ROWS 10
#define PATTERN_MOST ((size_t)512)

static void
forget(struct line_search *s)
{
	strv_done(&s->found);
	strv_done(&s->about);
	free(s->loose);
	s->loose = NULL;
	s->chosen = 0;
	s->place = (struct line_place){ .typed = 0 };
	s->over = false;
}

void
line_search_end(struct line_editor *e)
{
	struct line_search *s = &e->search;

	forget(s);
	if (s->pattern.len > 0) {
		free(s->last);
		s->last = buf_take(&s->pattern);
	}
	buf_done(&s->pattern);
	buf_done(&s->before);
	buf_done(&s->prompt);
	s->on = false;
}

/* Those that hold the words come before those that hold their letters. */
static size_t
place_for(const struct line_search *s, bool loose)
{
	size_t i = s->found.n;

	while (!loose && i > 0 && s->loose[i - 1])
		i--;
	return i;
}

static int
take(void *ctx, const struct line_past *past)
{
	struct line_search *s = ctx;
	size_t i, n = s->found.n, at = place_for(s, past->loose);

	for (i = 0; i < n; i++)
		if (strlen(s->found.v[i]) == past->len &&
		    memcmp(s->found.v[i], past->text, past->len) == 0)
			return 0;
	s->loose = xreallocarray(s->loose, n + 1, sizeof *s->loose);
	strv_take(&s->found, xmemdup0(past->text, past->len));
	strv_add(&s->about, past->about != NULL ? past->about : "");
	for (i = n; i > at; i--) {
		char *found = s->found.v[i], *about = s->about.v[i];

		s->found.v[i] = s->found.v[i - 1];
		s->found.v[i - 1] = found;
		s->about.v[i] = s->about.v[i - 1];
		s->about.v[i - 1] = about;
		s->loose[i] = s->loose[i - 1];
	}
	s->loose[at] = past->loose;
	return s->found.n >= FOUND_MOST || !s->fuzzy;
}

static struct winsize
screen(const struct line_editor *e)
{
	struct winsize w;

	if (ioctl(e->opts.tty_out, TIOCGWINSZ, &w) < 0 || w.ws_col == 0)
		w = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	return w;
}

/* Where whole screens cannot be drawn anew, the chosen line is all that is
 * shown. */
static size_t
list_rows(const struct line_editor *e)
{
	struct winsize w = screen(e);

	if (!e->search.fuzzy || !e->marks || e->plain != NULL ||
	    w.ws_col < LIST_COLUMNS || w.ws_row < LIST_ROWS)
		return 0;
	return w.ws_row / 2 - 1 < LIST_MOST ? (size_t)w.ws_row / 2 - 1 :
	    LIST_MOST;
}

/* At most so many columns of it; inert text, so a character is one or two of
 * them. */
static void
put_cut(struct buf *out, const char *text, size_t columns)
{
	mbstate_t decode;
	size_t used, i = 0, len = strlen(text);
	wchar_t c;

	memset(&decode, 0, sizeof decode);
	while (i < len) {
		size_t width;

		used = mbrtowc(&c, text + i, len - i, &decode);
		if (used == 0 || used > len - i)
			break;
		width = wcwidth(c) > 0 ? (size_t)wcwidth(c) : 0;
		if (width > columns)
			break;
		columns -= width;
		buf_put(out, text + i, used);
		i += used;
	}
}

static void
put_list(struct line_editor *e, size_t rows)
{
	struct line_search *s = &e->search;
	size_t columns = screen(e).ws_col, first, i;

	first = s->chosen < rows ? 0 : s->chosen - rows + 1;
	for (i = first; i < s->found.n && i < first + rows; i++) {
		AEG_AUTO(buf_done) struct buf row = BUF_INIT;

		buf_putf(&row, "%c %-18s ", i == s->chosen ? '>' : ' ',
		    s->about.v[i]);
		text_inert(&row, s->found.v[i], strnlen(s->found.v[i], 400),
		    0);
		put_cut(&s->prompt, row.data, columns - 1);
		buf_putc(&s->prompt, '\n');
	}
}

static void
put_prompt(struct line_editor *e)
{
	struct line_search *s = &e->search;
	size_t rows = list_rows(e);

	buf_reset(&s->prompt);
	put_list(e, rows);
	if (!s->fuzzy) {
		buf_puts(&s->prompt, s->found.n == 0 && s->over &&
		    s->pattern.len > 0 ? tr("(failed reverse-i-search)`") :
		    tr("(reverse-i-search)`"));
	} else if (s->found.n == 0) {
		buf_puts(&s->prompt, s->over ? tr("(find: nothing) `") :
		    tr("(find: …) `"));
	} else if (rows == 0) {
		buf_putf(&s->prompt, tr("(find %zu/%zu%s: %s) `"),
		    s->chosen + 1,
		    s->found.n, s->over ? "" : "+", s->about.v[s->chosen]);
	} else {
		buf_putf(&s->prompt, tr("(find %zu/%zu%s) `"), s->chosen + 1,
		    s->found.n, s->over ? "" : "+");
	}
	if (s->pattern.len > 0)
		text_inert(&s->prompt, s->pattern.data, s->pattern.len, 0);
	buf_puts(&s->prompt, "': ");
}

/* The cursor goes to where the pattern is. */
static void
show(struct line_editor *e)
{
	struct line_search *s = &e->search;
	const char *text = s->before.data, *hit = NULL;

	put_prompt(e);
	if (s->found.n > 0)
		text = s->found.v[s->chosen];
	else if (!s->fuzzy && s->pattern.len > 0)
		return;		/* as it was when it was found last */
	line_replace(e, text, strlen(text));
	if (!s->fuzzy && s->pattern.len > 0 && e->plain == NULL)
		hit = strstr(text, s->pattern.data);
	if (hit != NULL)
		el_cursor(e->el, -line_count_wide(hit));
}

/* Enough to show? */
static bool
has_enough(const struct line_search *s)
{
	if (!s->fuzzy && s->pattern.len == 0)
		return true;
	return s->found.n > s->chosen + (s->fuzzy ? FOUND_MOST / 2 : 0);
}

/* Nothing is told twice. */
static bool
is_shown(struct line_editor *e)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	line_text(e, &text);
	return text.len > 0 && e->search.found.n > 0 &&
	    strcmp(text.data, e->search.found.v[e->search.chosen]) == 0;
}

bool
line_search_step(struct line_editor *e)
{
	struct line_search *s = &e->search;
	struct line_wish wish = { s->fuzzy ? LINE_FUZZY : LINE_HOLDS,
		s->pattern.len > 0 ? s->pattern.data : "" };
	size_t had = s->found.n;

	if (has_enough(s) || e->opts.past == NULL || had >= FOUND_MOST)
		s->over = true;
	else
		s->over = !e->opts.past(e->opts.ctx, &wish, &s->place, take,
		    s);
	if (e->plain != NULL && is_shown(e))
		return false;
	return s->over || s->found.n != had;
}

static unsigned char
anew(struct line_editor *e)
{
	forget(&e->search);
	line_search_step(e);
	show(e);
	return CC_REDISPLAY;
}

static unsigned char
begin(struct line_editor *e, bool fuzzy)
{
	struct line_search *s = &e->search;

	if (e->opts.past == NULL)
		return CC_ERROR;
	line_search_end(e);
	s->on = true;
	s->fuzzy = fuzzy;
	s->pattern.max = PATTERN_MOST;
	buf_puts(&s->pattern, "");
	line_text(e, &s->before);
	/* What is typed already is what is looked for. */
	if (fuzzy && s->before.len > 0 && s->before.len < PATTERN_MOST)
		buf_put(&s->pattern, s->before.data, s->before.len);
	return anew(e);
}

unsigned char
line_search_begin(EditLine *el, wint_t key)
{
	(void)key;
	return begin(line_editor_of(el), false);
}

unsigned char
line_find_begin(EditLine *el, wint_t key)
{
	(void)key;
	return begin(line_editor_of(el), true);
}

/* ---- keys --------------------------------------------------------------- */

static unsigned char
older(struct line_editor *e)
{
	struct line_search *s = &e->search;
	unsigned n;

	if (s->pattern.len == 0 && s->last != NULL && !s->fuzzy) {
		buf_puts(&s->pattern, s->last);
		return anew(e);
	}
	if (s->chosen + 1 >= s->found.n && s->found.n > 0) {
		/* The next one may still have to be looked for. */
		s->chosen++;
		s->over = false;
		for (n = 0; s->found.n <= s->chosen && !s->over &&
		    (n < 2 || !line_key_waits(e)); n++)
			line_search_step(e);
		if (s->found.n <= s->chosen) {
			s->chosen = s->found.n - 1;
			show(e);
			return CC_REFRESH_BEEP;
		}
	} else if (s->found.n > 0) {
		s->chosen++;
	}
	show(e);
	return CC_REDISPLAY;
}

static unsigned char
newer(struct line_editor *e)
{
	if (e->search.chosen == 0)
		return CC_ERROR;
	e->search.chosen--;
	show(e);
	return CC_REDISPLAY;
}

static unsigned char
cancel(struct line_editor *e)
{
	AEG_AUTOFREE char *before = buf_take(&e->search.before);

	line_replace(e, before, strlen(before));
	line_search_end(e);
	return CC_REDISPLAY;
}

/* The line is what was chosen; the key does what it does to a line. */
static unsigned char
accept(struct line_editor *e, unsigned char key)
{
	line_search_end(e);
	if (key != '\0')
		line_ahead(e, key);
	return CC_REDISPLAY;
}

static unsigned char
drop_last(struct line_editor *e, bool all)
{
	struct buf *p = &e->search.pattern;

	while (p->len > 0) {
		unsigned char last = (unsigned char)p->data[--p->len];

		p->data[p->len] = '\0';
		if (!all && (last < 0x80 || last >= 0xc0))
			break;
	}
	return anew(e);
}

/* dir:. and the like, put in front and taken away again. */
static unsigned char
toggle(struct line_editor *e, const char *filter)
{
	struct buf *p = &e->search.pattern, out = BUF_INIT_MAX(PATTERN_MOST);
	size_t len = strlen(filter);

	if (!e->search.fuzzy)
		e->search.fuzzy = true;
	if (p->len >= len && memcmp(p->data, filter, len) == 0) {
		buf_puts(&out, p->data + len);
	} else {
		buf_puts(&out, filter);
		buf_puts(&out, p->len > 0 ? p->data : "");
	}
	buf_done(p);
	*p = out;
	return anew(e);
}

/* A lone ESC accepts; arrows move; M-KEY sets a filter. */
static unsigned char
escape(struct line_editor *e)
{
	unsigned char byte;

	if (!line_key_at_once(e, &byte))
		return accept(e, '\0');
	switch (byte) {
	case 'r':
		e->search.fuzzy = !e->search.fuzzy;
		return anew(e);
	case 'd':
		return toggle(e, "dir:. ");
	case 's':
		return toggle(e, "session:. ");
	case 'f':
		return toggle(e, "exit:fail ");
	case 'h':
		return toggle(e, "host:. ");
	case 'b':
		return toggle(e, "decision:block ");
	case '[':
	case 'O':
		break;
	default:
		line_ahead(e, byte);
		return accept(e, '\033');
	}
	{
		unsigned char which;

		if (!line_key_at_once(e, &which))
			return accept(e, '\0');
		if (which == 'A')
			return older(e);
		if (which == 'B')
			return newer(e);
		line_ahead(e, which);
		line_ahead(e, byte);
		return accept(e, '\033');
	}
}

static unsigned char
add(struct line_editor *e, wchar_t key)
{
	buf_puts(&e->search.pattern, "");
	line_put_wide(&e->search.pattern, &key, 1);
	return anew(e);
}

/* Its first line. */
static unsigned char
paste(struct line_editor *e)
{
	struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	size_t i;

	if (line_take_paste(e, &text) && text.len > 0)
		for (i = 0; i < text.len && (unsigned char)text.data[i] >= ' ';
		    i++)
			buf_putc(&e->search.pattern, text.data[i]);
	buf_done(&text);
	return anew(e);
}

unsigned char
line_search_key(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_search *s = &e->search;

	(void)key;
	if (e->resized) {
		e->resized = false;
		if (e->plain != NULL)
			return CC_REFRESH;	/* rows are long there */
		el_resize(el);
		if (s->on)
			show(e);
		return CC_REDISPLAY;
	}
	/* A hint is new; or somebody has typed U+009E. */
	if (!s->on)
		return CC_REFRESH;
	switch (s->key) {
	case L'\0':			/* found between keys */
		show(e);
		return CC_REDISPLAY;
	case LINE_KEY_PASTE:
		return paste(e);
	case 'R' & 037:
	case 'P' & 037:
		return older(e);
	case 'S' & 037:
	case 'N' & 037:
		return newer(e);
	case 'G' & 037:
		return cancel(e);
	case 'H' & 037:
	case 0177:
		return drop_last(e, false);
	case 'U' & 037:
		return drop_last(e, true);
	case '\r':
	case '\n':
		/* Meant for what has not been found yet. */
		if (s->found.n == 0 && !s->over)
			return CC_ERROR;
		return accept(e, '\n');
	case '\t':
		return accept(e, '\0');
	case '\033':
		return escape(e);
	default:
		if (s->key >= L' ' && !(s->key >= 0x80 && s->key < 0xa0))
			return add(e, s->key);
		return accept(e, (unsigned char)s->key);
	}
}
