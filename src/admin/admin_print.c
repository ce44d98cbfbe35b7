/* SPDX-License-Identifier: ISC */
/* Text for people: inert, and tables that fit the terminal. */
#include "admin_int.h"

#include <langinfo.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define GAP 2			/* blanks between columns */
#define COLUMNS_MAX 10000	/* of a terminal */

struct admin_table {
	const struct admin_column *columns;
	size_t n;
	struct strv cells;
};

static void __attribute__((format(printf, 2, 0)))
print_inert(FILE *f, const char *fmt, va_list ap, int flags)
{
	AEG_AUTO(buf_done) struct buf inert = BUF_INIT;
	AEG_AUTOFREE char *text = xvasprintf(fmt, ap);

	text_inert(&inert, text, strlen(text), flags);
	if (inert.len > 0)
		fwrite(inert.data, 1, inert.len, f);
}

void
admin_complain(struct admin *a, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "aegshctl%s%s: ", a->verb != NULL ? " " : "",
	    a->verb != NULL ? a->verb->name : "");
	va_start(ap, fmt);
	print_inert(stderr, fmt, ap, 0);
	va_end(ap);
	putc('\n', stderr);
}

int
admin_fail(struct admin *a, const struct err *err)
{
	admin_complain(a, "%s", err->text[0] != '\0' ? err->text :
	    err_str(err->code));
	return err->code == ERR_CALLER ? ADMIN_USAGE : ADMIN_SYSTEM;
}

bool
admin_content_is_wrong(int code)
{
	return code == ERR_SYNTAX || code == ERR_TOO_LONG ||
	    code == ERR_RANGE || code == ERR_UNKNOWN_NAME;
}

void
admin_say(struct admin *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_inert(a->out, fmt, ap, TEXT_INERT_NEWLINE);
	va_end(ap);
}

void
admin_put(struct admin *a, const char *p, size_t len)
{
	AEG_AUTO(buf_done) struct buf inert = BUF_INIT;

	text_inert(&inert, p, len, 0);
	if (inert.len > 0)
		fwrite(inert.data, 1, inert.len, a->out);
}

/* Columns of the terminal, or 0 when a->out does not end on one. */
static unsigned
terminal_width(const struct admin *a)
{
	const char *told = getenv("COLUMNS");
	struct winsize ws = { 0 };
	int fd = a->paged ? STDOUT_FILENO : fileno(a->out);
	int64_t n;

	if (!isatty(fd))
		return 0;
	if (told != NULL && text_to_i64(told, 1, COLUMNS_MAX, &n) == 0)
		return (unsigned)n;
	if (ioctl(fd, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0)
		return 80;
	return ws.ws_col;
}

/* Columns of inert text: the length of it that fits into most, and how
 * many it takes. */
static size_t
fit(const char *text, unsigned most, unsigned *ret_columns)
{
	const char *p = text;
	unsigned used = 0;
	size_t n;

	for (; *p != '\0'; p += n) {
		uint32_t cp = 0;
		int w;

		n = text_utf8(p, strlen(p), &cp);
		w = n > 0 ? wcwidth((wchar_t)cp) : 1;
		if (n == 0)
			n = 1;
		if (w < 0)
			w = 1;
		if (used + (unsigned)w > most)
			break;
		used += (unsigned)w;
	}
	*ret_columns = used;
	return (size_t)(p - text);
}

/* Where a line of so many bytes that fit ends: at its last blank behind skip,
 * or behind a word that is longer.  What stands in brackets stays together. */
static size_t
break_at(const char *text, size_t len, size_t skip)
{
	size_t i, at = 0, depth = 0;

	for (i = 0; i <= len; i++) {
		depth += text[i] == '[';
		depth -= depth > 0 && text[i] == ']';
		if (text[i] == ' ' && depth == 0 && i > skip)
			at = i;
	}
	return at > 0 ? at : len + strcspn(text + len, " ");
}

void
admin_fold(FILE *f, unsigned width, unsigned hang, const char *text)
{
	unsigned room = width, columns;
	size_t skip = hang;

	if (hang > width / 2)
		hang = width / 2;
	for (;;) {
		size_t len = fit(text, room, &columns), at = len;

		if (width == 0 || text[len] == '\0')
			break;
		at = break_at(text, len, skip);
		if (text[at + strspn(text + at, " ")] == '\0')
			break;
		fwrite(text, 1, at, f);
		fprintf(f, "\n%*s", (int)hang, "");
		text += at + strspn(text + at, " ");
		room = width - hang;
		skip = 0;
	}
	fprintf(f, "%s\n", text);
}

void
admin_say_folded(struct admin *a, unsigned hang, const char *fmt, ...)
{
	AEG_AUTO(buf_done) struct buf inert = BUF_INIT;
	AEG_AUTOFREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	text_inert(&inert, text, strlen(text), 0);
	admin_fold(a->out, terminal_width(a), hang,
	    inert.data != NULL ? inert.data : "");
}

struct admin_table *
admin_table_new(const struct admin_column *columns, size_t n)
{
	struct admin_table *t = xcalloc(1, sizeof *t);
	size_t i;

	t->columns = columns;
	t->n = n;
	for (i = 0; i < n; i++)
		strv_add(&t->cells, columns[i].title);
	return t;
}

void
admin_table_add(struct admin_table *t, const char *const *cells)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		struct buf inert = BUF_INIT;

		if (cells[i] != NULL)
			text_inert(&inert, cells[i], strlen(cells[i]), 0);
		strv_take(&t->cells, buf_take(&inert));
	}
}

void
admin_table_free(struct admin_table *t)
{
	if (t == NULL)
		return;
	strv_done(&t->cells);
	free(t);
}

/* Natural widths, then what is too much is taken from the growing column,
 * and if that is not enough, from the others down to their least. */
static void
plan(const struct admin_table *t, unsigned terminal, unsigned *width)
{
	unsigned total = 0, columns;
	size_t i, pass;

	for (i = 0; i < t->n; i++)
		width[i] = 0;
	for (i = 0; i < t->cells.n; i++) {
		fit(t->cells.v[i], UINT32_MAX, &columns);
		if (columns > width[i % t->n])
			width[i % t->n] = columns;
	}
	for (i = 0; i < t->n; i++)
		total += width[i] + (i > 0 ? GAP : 0);
	for (pass = 0; terminal > 0 && pass < 2; pass++) {
		for (i = t->n; i-- > 0 && total > terminal; ) {
			unsigned least = t->columns[i].least, cut;

			if (t->columns[i].grows != (pass == 0) ||
			    width[i] <= least)
				continue;
			cut = total - terminal;
			if (cut > width[i] - least)
				cut = width[i] - least;
			width[i] -= cut;
			total -= cut;
		}
	}
}

static void
print_cell(FILE *f, const char *text, unsigned width, bool right, bool last)
{
	unsigned columns;
	size_t len = fit(text, width, &columns);
	bool cut = text[len] != '\0';

	if (cut && width > 0)
		len = fit(text, width - 1, &columns);
	if (right)
		fprintf(f, "%*s", (int)(width - columns - cut), "");
	fwrite(text, 1, len, f);
	if (cut && width > 0)
		fputs(strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ?
		    "\xe2\x80\xa6" : "~", f);
	if (!right && !last)
		fprintf(f, "%*s", (int)(width - columns - cut), "");
}

void
admin_table_print(struct admin_table *t, struct admin *a)
{
	AEG_AUTOFREE unsigned *width = xcalloc(t->n, sizeof *width);
	size_t i;

	plan(t, terminal_width(a), width);
	for (i = 0; i < t->cells.n; i++) {
		size_t c = i % t->n;
		bool last = c + 1 == t->n;

		print_cell(a->out, t->cells.v[i], width[c],
		    t->columns[c].right, last);
		if (last)
			putc('\n', a->out);
		else
			fprintf(a->out, "%*s", GAP, "");
	}
}
