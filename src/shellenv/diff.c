/* SPDX-License-Identifier: ISC */
/*
 * A unified diff of one edit.  Edits here touch one place of a file, so
 * everything between the first and the last difference is one hunk.
 */
#include "aegsh/shellenv_mend.h"

#include <string.h>

#include "aegsh/base/mem.h"

#define CONTEXT 3

struct lines { size_t *at, n, cap; };	/* at[n] is the end */

static void
split(const char *text, size_t len, struct lines *l)
{
	size_t i = 0;

	for (;;) {
		const char *nl;

		if (l->n == l->cap) {
			l->cap = l->cap > 0 ? 2 * l->cap : 64;
			l->at = xreallocarray(l->at, l->cap + 1,
			    sizeof *l->at);
		}
		l->at[l->n] = i;
		if (i >= len)
			return;
		nl = memchr(text + i, '\n', len - i);
		i = nl != NULL ? (size_t)(nl - text) + 1 : len;
		l->n++;
	}
}

static bool
same(const char *a, const struct lines *la, size_t i, const char *b,
    const struct lines *lb, size_t k)
{
	size_t n = la->at[i + 1] - la->at[i];

	return n == lb->at[k + 1] - lb->at[k] &&
	    memcmp(a + la->at[i], b + lb->at[k], n) == 0;
}

static void
put_lines(struct buf *out, char mark, const char *text,
    const struct lines *l, size_t from, size_t to)
{
	for (; from < to; from++) {
		size_t n = l->at[from + 1] - l->at[from];

		buf_putc(out, mark);
		buf_put(out, text + l->at[from], n);
		if (n == 0 || text[l->at[from + 1] - 1] != '\n')
			buf_puts(out, "\n\\ No newline at end of file\n");
	}
}

/* "12,3"; an empty range names the line before it. */
static void
put_range(struct buf *out, size_t from, size_t n)
{
	buf_putf(out, "%zu", n == 0 ? from : from + 1);
	if (n != 1)
		buf_putf(out, ",%zu", n);
}

void
shellenv_diff(const struct shellenv_edit *e, struct buf *out)
{
	const char *a = e->old != NULL ? e->old : "";
	const char *b = e->new != NULL ? e->new : "";
	struct lines la = { NULL, 0, 0 }, lb = { NULL, 0, 0 };
	size_t top = 0, end = 0, from, ea, eb;

	split(a, e->old_len, &la);
	split(b, e->new != NULL ? e->new_len : 0, &lb);
	while (top < la.n && top < lb.n && same(a, &la, top, b, &lb, top))
		top++;
	while (end < la.n - top && end < lb.n - top &&
	    same(a, &la, la.n - end - 1, b, &lb, lb.n - end - 1))
		end++;
	from = top > CONTEXT ? top - CONTEXT : 0;
	ea = la.n - end;
	eb = lb.n - end;
	end = end < CONTEXT ? end : CONTEXT;
	buf_putf(out, "--- %s\n+++ %s\n@@ -",
	    e->old != NULL ? e->path : "/dev/null",
	    e->new != NULL ? e->path : "/dev/null");
	put_range(out, from, ea + end - from);
	buf_puts(out, " +");
	put_range(out, from, eb + end - from);
	buf_puts(out, " @@\n");
	put_lines(out, ' ', a, &la, from, top);
	put_lines(out, '-', a, &la, top, ea);
	put_lines(out, '+', b, &lb, top, eb);
	put_lines(out, ' ', a, &la, ea, ea + end);
	free(la.at);
	free(lb.at);
}
