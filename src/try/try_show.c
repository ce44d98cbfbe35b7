/* SPDX-License-Identifier: ISC */
/* What was changed, as text for people. */
#include "try_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define CELLS_MAX ((size_t)4 * 1024 * 1024)	/* of one comparison */
#define AROUND 3				/* lines around a difference */
#define SHOWN_MAX ((size_t)1024 * 1024)		/* bytes of a list */
#define DIFFS_MAX ((size_t)32 * 1024 * 1024)	/* … of all differences */

const char *
try_kind_name(enum try_kind kind)
{
	switch (kind) {
	case TRY_CREATED:
		return "created";
	case TRY_CHANGED:
		return "changed";
	case TRY_DELETED:
		return "deleted";
	}
	return "";
}

const char *
try_type_name(enum try_type type)
{
	switch (type) {
	case TRY_OTHER:
		return "special";
	case TRY_FILE:
		return "file";
	case TRY_DIR:
		return "directory";
	case TRY_LINK:
		return "link";
	}
	return "";
}

static void
put_size(const struct try_change *c, struct buf *out)
{
	if (c->kind == TRY_CHANGED && c->type != c->before)
		buf_putf(out, "%s, was %s", try_type_name(c->type),
		    try_type_name(c->before));
	else if (c->size >= 0 && c->size == c->size_before && c->content)
		buf_putf(out, "still %lld bytes", (long long)c->size);
	else if (c->size >= 0 && c->size_before >= 0 && c->content)
		buf_putf(out, "%lld -> %lld bytes", (long long)c->size_before,
		    (long long)c->size);
	else if (c->kind == TRY_CHANGED && !c->content)
		buf_puts(out, "owner, mode or attributes");
	else if (c->size >= 0 || c->size_before >= 0)
		buf_putf(out, "%lld bytes", (long long)(c->size >= 0 ?
		    c->size : c->size_before));
	else
		buf_puts(out, try_type_name(c->type));
}

/* That there is more is told in any case: it would be committed, too. */
static bool
is_enough(const struct try *t, size_t i, size_t max, struct buf *out)
{
	if (out->len < max)
		return false;
	buf_putf(out, "(%zu more changes are not shown)\n", t->n - i);
	return true;
}

void
try_show(const struct try *t, struct buf *out)
{
	size_t i;

	for (i = 0; i < t->n && !is_enough(t, i, SHOWN_MAX, out); i++) {
		const struct try_change *c = &t->changes[i];

		buf_putf(out, "%s  ", try_kind_name(c->kind));
		text_inert(out, c->path, strlen(c->path), 0);
		if (c->type == TRY_DIR)
			buf_putc(out, '/');
		buf_puts(out, "  (");
		put_size(c, out);
		buf_putc(out, ')');
		if (c->conflict != NULL)
			buf_putf(out, "  CONFLICT: %s", c->conflict);
		buf_putc(out, '\n');
	}
}

/* ---- differences -------------------------------------------------------- */

struct text {
	struct buf bytes;
	const char **line;	/* where each begins, and the end */
	size_t n;
};

static void
text_done(struct text *t)
{
	buf_done(&t->bytes);
	free(t->line);
}

/* False where it is too large, or no text. */
static bool
text_read(int fd, struct text *ret)
{
	const char *p, *end;

	ret->bytes = (struct buf)BUF_INIT_MAX(TRY_DIFF_MAX + 1);
	if (fd >= 0 && io_read_all(fd, &ret->bytes) < 0)
		return false;
	if (ret->bytes.len > TRY_DIFF_MAX || (ret->bytes.len > 0 &&
	    memchr(ret->bytes.data, '\0', ret->bytes.len) != NULL))
		return false;
	p = ret->bytes.data;
	end = p + ret->bytes.len;
	ret->line = xreallocarray(NULL, ret->bytes.len + 1,
	    sizeof *ret->line);
	while (ret->bytes.len > 0 && p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		ret->line[ret->n++] = p;
		p = eol != NULL ? eol + 1 : end;
	}
	ret->line[ret->n] = end;
	return true;
}

static size_t
line_len(const struct text *t, size_t i)
{
	return (size_t)(t->line[i + 1] - t->line[i]);
}

static bool
same_line(const struct text *a, size_t i, const struct text *b, size_t k)
{
	return line_len(a, i) == line_len(b, k) &&
	    memcmp(a->line[i], b->line[k], line_len(a, i)) == 0;
}

/* Which lines have no counterpart: the longest common run of the lines
 * between what both begin and end with. */
struct marks {
	bool *gone, *come;
};

static void
mark_middle(const struct text *a, const struct text *b, size_t top,
    size_t na, size_t nb, struct marks *m)
{
	AEG_AUTOFREE uint32_t *cell = NULL;
	size_t i, k, w = nb + 1;

	for (i = 0; i < na; i++)
		m->gone[top + i] = true;
	for (k = 0; k < nb; k++)
		m->come[top + k] = true;
	/* Too much to compare: all of it is another then. */
	if (na == 0 || nb == 0 || (na + 1) > CELLS_MAX / w)
		return;
	cell = xcalloc((na + 1) * w, sizeof *cell);
	for (i = na; i-- > 0;)
		for (k = nb; k-- > 0;)
			cell[i * w + k] = same_line(a, top + i, b, top + k) ?
			    cell[(i + 1) * w + k + 1] + 1 :
			    cell[(i + 1) * w + k] > cell[i * w + k + 1] ?
			    cell[(i + 1) * w + k] : cell[i * w + k + 1];
	for (i = k = 0; i < na && k < nb;) {
		if (same_line(a, top + i, b, top + k)) {
			m->gone[top + i++] = m->come[top + k++] = false;
		} else if (cell[(i + 1) * w + k] >= cell[i * w + k + 1]) {
			i++;
		} else {
			k++;
		}
	}
}

static void
put_line(struct buf *out, char mark, const struct text *t, size_t i)
{
	size_t len = line_len(t, i);
	bool whole = len > 0 && t->line[i][len - 1] == '\n';

	buf_putc(out, mark);
	text_inert(out, t->line[i], whole ? len - 1 : len,
	    TEXT_INERT_NEWLINE);
	buf_puts(out, whole ? "\n" : "\n\\ no newline at the end\n");
}

static size_t
same_from(const struct text *a, const struct text *b, const struct marks *m,
    size_t i, size_t k)
{
	size_t n;

	for (n = 0; i + n < a->n && k + n < b->n && !m->gone[i + n] &&
	    !m->come[k + n]; n++)
		;
	return n;
}

/* The differences from i and k on that stand close together, and the lines
 * around them. */
static void
put_hunk(const struct text *a, const struct text *b, const struct marks *m,
    size_t *i, size_t *k, struct buf *out)
{
	struct buf text = BUF_INIT;
	size_t lead = *i < *k ? *i : *k, from_a, from_b, same, n;
	bool last = false;

	lead = lead < AROUND ? lead : AROUND;
	from_a = *i - lead;
	from_b = *k - lead;
	for (n = 0; n < lead; n++)
		put_line(&text, ' ', a, from_a + n);
	while (!last && (*i < a->n || *k < b->n)) {
		for (; *i < a->n && m->gone[*i]; (*i)++)
			put_line(&text, '-', a, *i);
		for (; *k < b->n && m->come[*k]; (*k)++)
			put_line(&text, '+', b, *k);
		same = same_from(a, b, m, *i, *k);
		last = same > 2 * AROUND || *i + same == a->n;
		last = last && (same > 2 * AROUND || *k + same == b->n);
		for (n = last && same > AROUND ? AROUND : same; n > 0; n--) {
			put_line(&text, ' ', a, (*i)++);
			(*k)++;
		}
	}
	buf_putf(out, "@@ -%zu,%zu +%zu,%zu @@\n", *i > from_a ? from_a + 1 :
	    from_a, *i - from_a, *k > from_b ? from_b + 1 : from_b,
	    *k - from_b);
	if (text.len > 0)
		buf_put(out, text.data, text.len);
	buf_done(&text);
}

static void
compare(const struct text *a, const struct text *b, struct buf *out)
{
	size_t top = 0, end = 0, i, k;
	struct marks m = { xcalloc(a->n + 1, 1), xcalloc(b->n + 1, 1) };

	while (top < a->n && top < b->n && same_line(a, top, b, top))
		top++;
	while (end < a->n - top && end < b->n - top &&
	    same_line(a, a->n - end - 1, b, b->n - end - 1))
		end++;
	mark_middle(a, b, top, a->n - top - end, b->n - top - end, &m);
	for (i = k = 0; i < a->n || k < b->n;) {
		if ((i < a->n && m.gone[i]) || (k < b->n && m.come[k])) {
			put_hunk(a, b, &m, &i, &k, out);
		} else {
			i++;
			k++;
		}
	}
	free(m.gone);
	free(m.come);
}

static void
diff_one(const struct try *t, size_t i, struct buf *out)
{
	const struct try_change *c = &t->changes[i];
	AEG_AUTO(text_done) struct text a = { .n = 0 };
	AEG_AUTO(text_done) struct text b = { .n = 0 };
	AEG_AUTOFD int from = -1;
	AEG_AUTOFD int to = -1;
	bool readable;

	if (c->before == TRY_FILE)
		from = try_open_lower(t, i);
	if (c->kind != TRY_DELETED && c->type == TRY_FILE)
		to = try_open_upper(t, i, O_RDONLY | O_NONBLOCK);
	readable = text_read(from, &a) && text_read(to, &b) &&
	    (c->before != TRY_FILE || from >= 0) &&
	    (c->kind == TRY_DELETED || to >= 0);
	buf_puts(out, "--- ");
	text_inert(out, c->path, strlen(c->path), 0);
	buf_puts(out, c->before == TRY_FILE ? "\n+++ " : " (none)\n+++ ");
	text_inert(out, c->path, strlen(c->path), 0);
	buf_puts(out, c->kind == TRY_DELETED ? " (none)\n" : " (tried)\n");
	if (!readable)
		buf_puts(out, "(no text, too large, or not to be read)\n");
	else
		compare(&a, &b, out);
}

void
try_diff(const struct try *t, struct buf *out)
{
	size_t i;

	for (i = 0; i < t->n && !is_enough(t, i, DIFFS_MAX, out); i++) {
		const struct try_change *c = &t->changes[i];

		if (c->kind == TRY_CHANGED ? c->content && c->type == TRY_FILE :
		    c->type == TRY_FILE)
			diff_one(t, i, out);
	}
}
