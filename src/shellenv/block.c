/* SPDX-License-Identifier: ISC */
/*
 * The marked block: found, read back as items, and written.  What it needs
 * to be taken out again byte for byte stands in its first line: whether
 * the line above it had no end, and whether the file is there because of
 * it.
 */
#include "block_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/text.h"

#define BEGIN "# >>> aegshctl env >>>"
#define END "# <<< aegshctl env <<<"
#define JOINED " (the line above had no end)"
#define CREATED " (the file is new)"
#define NOTE "# Change it with \"aegshctl env\", or delete all of it."
#define HELPER " # for the lines that aegshctl put there"

struct line { const char *p; size_t len; size_t next; };

/* The line at a byte; its CR, if any, is not part of it. */
static bool
line_at(const char *text, size_t len, size_t at, struct line *ret)
{
	const char *nl;

	if (at >= len)
		return false;
	ret->p = text + at;
	nl = memchr(ret->p, '\n', len - at);
	ret->len = nl != NULL ? (size_t)(nl - ret->p) : len - at;
	ret->next = at + ret->len + (nl != NULL);
	if (ret->len > 0 && ret->p[ret->len - 1] == '\r')
		ret->len--;
	return true;
}

static bool
is_line(const struct line *l, const char *want)
{
	return l->len == strlen(want) && memcmp(l->p, want, l->len) == 0;
}

static bool
is_begin(const struct line *l)
{
	size_t n = strlen(BEGIN);

	return l->len >= n && memcmp(l->p, BEGIN, n) == 0;
}

/* The line between a prefix and a suffix; NULL: it is not of that form. */
static const char *
between(struct shellenv *se, const struct line *l, const char *prefix,
    const char *suffix)
{
	size_t a = strlen(prefix), b = strlen(suffix);

	if (l->len < a + b || memcmp(l->p, prefix, a) != 0 ||
	    memcmp(l->p + l->len - b, suffix, b) != 0)
		return NULL;
	return arena_memdup0(se->arena, l->p + a, l->len - a - b);
}

static struct item *
add_item(struct shellenv *se, struct block *b, enum item_kind kind,
    const char *text)
{
	struct item *it = SE_PUSH(se, b->items, b->n, b->cap);

	it->kind = kind;
	it->text = text;
	return it;
}

/* Three lines of a PATH item, of which the middle one says all. */
static size_t
read_path(struct shellenv *se, const char *text, size_t len, size_t at,
    bool fish, struct block *b)
{
	struct line l[3];
	const char *dir;
	size_t i, pos = at;

	for (i = 0; i < 3; i++) {
		if (!line_at(text, len, pos, &l[i]))
			return 0;
		pos = l[i].next;
	}
	dir = fish ? between(se, &l[1], "set -gx PATH ", " $PATH") :
	    between(se, &l[1], "export PATH=\"", ":$PATH\"");
	if (dir == NULL || (fish ? between(se, &l[0],
	    "if not contains -- ", " $PATH") == NULL :
	    between(se, &l[0], "case \":$PATH:\" in *\":", ":\"*) ;; *)")
	    == NULL) || !is_line(&l[2], fish ? "end" : ";; esac"))
		return 0;
	add_item(se, b, ITEM_PATH, dir);
	return pos;
}

static size_t
read_source(struct shellenv *se, const char *text, size_t len, size_t at,
    struct block *b)
{
	struct line l[3];
	const char *file = NULL;
	size_t i, pos = at;
	bool helper;

	for (i = 0; i < 3; i++) {
		if (!line_at(text, len, pos, &l[i]))
			return 0;
		pos = l[i].next;
	}
	file = between(se, &l[1], ". \"", "\"");
	helper = between(se, &l[0], "if [ ", HELPER) != NULL;
	if (file == NULL || between(se, &l[0], "if [ ", "") == NULL ||
	    !is_line(&l[2], "fi"))
		return 0;
	add_item(se, b, ITEM_SOURCE, file)->helper = helper;
	return pos;
}

static bool
read_var(struct shellenv *se, const struct line *l, bool fish,
    struct block *b)
{
	const char *rest = between(se, l, fish ? "set -gx " : "export ", "");
	const char *value;
	struct item *it;
	size_t n;

	if (rest == NULL)
		return false;
	n = strcspn(rest, fish ? " " : "=");
	if (rest[n] == '\0' || !text_is_name(rest, n))
		return false;
	value = rest + n + 1;
	if (!fish) {
		if (value[0] != '"' || !text_ends(value + 1, "\""))
			return false;
		value = arena_memdup0(se->arena, value + 1,
		    strlen(value) - 2);
	}
	it = add_item(se, b, ITEM_VAR, value);
	it->name = arena_memdup0(se->arena, rest, n);
	return true;
}

static void
read_items(struct shellenv *se, const char *text, size_t len, size_t at,
    size_t end, bool fish, struct block *b)
{
	struct line l;
	size_t next;

	while (at < end && line_at(text, len, at, &l)) {
		next = read_path(se, text, len, at, fish, b);
		if (next == 0 && !fish)
			next = read_source(se, text, len, at, b);
		if (next == 0) {
			next = l.next;
			if (!read_var(se, &l, fish, b) && !is_line(&l, NOTE))
				add_item(se, b, ITEM_RAW, arena_memdup0(
				    se->arena, l.p, l.len));
		}
		at = next;
	}
}

int
se_block_find(struct shellenv *se, const char *text, size_t len, size_t from,
    bool fish, struct block *ret)
{
	struct line l;
	size_t at, inner;

	for (at = from; line_at(text, len, at, &l); at = l.next) {
		struct block b = { .begin = at };

		if (!is_begin(&l))
			continue;
		b.joined = memmem(l.p, l.len, JOINED, strlen(JOINED)) != NULL;
		b.created = memmem(l.p, l.len, CREATED, strlen(CREATED)) !=
		    NULL;
		inner = l.next;
		for (at = inner; line_at(text, len, at, &l); at = l.next)
			if (is_line(&l, END))
				break;
		if (at >= len || !is_line(&l, END))
			return -ENOENT;	/* damaged: not ours to touch */
		b.end = l.next;
		read_items(se, text, len, inner, at, fish, &b);
		*ret = b;
		return 0;
	}
	return -ENOENT;
}

int
se_block_damaged(const char *text, size_t len)
{
	int line = 1, open = 0;
	struct line l;
	size_t at;

	for (at = 0; line_at(text, len, at, &l); at = l.next, line++) {
		if (is_begin(&l)) {
			if (open > 0)
				return open;
			open = line;
		} else if (is_line(&l, END)) {
			if (open == 0)
				return line;
			open = 0;
		}
	}
	return open;
}

const char *
se_item_line(struct shellenv *se, const struct item *it, bool fish)
{
	switch (it->kind) {
	case ITEM_PATH:
		return se_printf(se, fish ? "set -gx PATH %s $PATH" :
		    "export PATH=\"%s:$PATH\"", it->text);
	case ITEM_VAR:
		return se_printf(se, fish ? "set -gx %s %s" :
		    "export %s=\"%s\"", it->name, it->text);
	case ITEM_SOURCE:
		return se_printf(se, ". \"%s\"", it->text);
	case ITEM_RAW:
		break;
	}
	return it->text;
}

/* A shell started inside a shell reads the file again: the test keeps PATH
 * from growing each time. */
static void
put_item(struct shellenv *se, struct buf *out, const struct item *it,
    bool fish)
{
	const char *line = se_item_line(se, it, fish);

	switch (it->kind) {
	case ITEM_PATH:
		if (fish)
			buf_putf(out, "if not contains -- %s $PATH\n%s\nend\n",
			    it->text, line);
		else
			buf_putf(out, "case \":$PATH:\" in *\":%s:\"*) ;; *)\n"
			    "%s\n;; esac\n", it->text, line);
		break;
	case ITEM_SOURCE:
		buf_putf(out, "if [ %s-r \"%s\" ]; then%s\n%s\nfi\n",
		    text_ends(it->text, "bashrc") ?
		    "-n \"${BASH_VERSION-}\" ] && [ " : "", it->text,
		    it->helper ? HELPER : "", line);
		break;
	case ITEM_VAR:
	case ITEM_RAW:
		buf_putf(out, "%s\n", line);
		break;
	}
}

struct block
se_block_new(const char *text, size_t len, size_t at)
{
	return (struct block){ .begin = at, .end = at,
		.created = text == NULL,
		.joined = at > 0 && at == len && text[len - 1] != '\n' };
}

char *
se_block_put(const char *text, size_t len, const struct block *b, bool fish,
    struct shellenv *se, size_t *ret_len)
{
	struct buf out = BUF_INIT;
	size_t i;

	if (text != NULL)
		buf_put(&out, text, b->begin);
	if (b->n == 0) {
		/* The newline that made room for it goes too, unless lines
		 * came to stand behind it. */
		if (b->joined && b->end >= len && out.len > 0 &&
		    out.data[out.len - 1] == '\n')
			out.data[--out.len] = '\0';
	} else {
		if (b->joined && b->begin == b->end && out.len > 0)
			buf_putc(&out, '\n');
		buf_putf(&out, "%s%s%s\n%s\n", BEGIN, b->joined ? JOINED : "",
		    b->created ? CREATED : "", NOTE);
		for (i = 0; i < b->n; i++)
			put_item(se, &out, &b->items[i], fish);
		buf_putf(&out, "%s\n", END);
	}
	if (text != NULL)
		buf_put(&out, text + b->end, len - b->end);
	*ret_len = out.len;
	if (b->n == 0 && b->created && out.len == 0) {
		buf_done(&out);
		return NULL;
	}
	return buf_take(&out);
}
