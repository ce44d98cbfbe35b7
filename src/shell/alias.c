/* SPDX-License-Identifier: ISC */
/*
 * Aliases (bash(1), ALIASES).  They are expanded here, before a line is
 * judged: what is judged, recorded and run is the expanded line, and bash is
 * never told of one.  A word is expanded where the parser sees a command's
 * name that is spelt without quoting; after a value that ends in a blank so
 * is the next word.
 */
#include "shell/alias.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/syntax.h"

#define NAME_MAX_BYTES 256
#define DEPTH_MAX 32		/* aliases of aliases */

/* Names that are being expanded, innermost first. */
struct busy {
	const char *name;
	const struct busy *outer;
	unsigned depth;
};

struct place {
	size_t offset, len;
};

struct places {
	struct place *v;
	size_t n, cap;
};

/* ---- the table ---------------------------------------------------------- */

static size_t
find(const struct aliases *a, const char *name, bool *ret_there)
{
	size_t low = 0, high = a->n;

	*ret_there = false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int r = strcmp(name, a->v[mid].name);

		if (r == 0) {
			*ret_there = true;
			return mid;
		}
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const char *
alias_get(const struct aliases *a, const char *name)
{
	bool there;
	size_t at = find(a, name, &there);

	return there ? a->v[at].value : NULL;
}

static bool
is_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= NAME_MAX_BYTES && name[0] != '-' &&
	    strcspn(name, " \t\n|&;()<>\"'\\$`/=") == len;
}

int
alias_set(struct aliases *a, const char *name, const char *value)
{
	bool there;
	size_t at = find(a, name, &there);

	if (!is_name(name))
		return -1;
	if (there) {
		free(a->v[at].value);
		a->v[at].value = xstrdup(value);
		return 0;
	}
	if (a->n == ALIASES_MAX || strlen(value) > ALIAS_VALUE_MAX)
		return -1;
	a->v = xreallocarray(a->v, a->n + 1, sizeof *a->v);
	memmove(a->v + at + 1, a->v + at, (a->n - at) * sizeof *a->v);
	a->v[at].name = xstrdup(name);
	a->v[at].value = xstrdup(value);
	a->n++;
	return 0;
}

bool
alias_unset(struct aliases *a, const char *name)
{
	bool there;
	size_t at = find(a, name, &there);

	if (!there)
		return false;
	free(a->v[at].name);
	free(a->v[at].value);
	a->n--;
	memmove(a->v + at, a->v + at + 1, (a->n - at) * sizeof *a->v);
	return true;
}

void
aliases_done(struct aliases *a)
{
	while (a->n > 0)
		alias_unset(a, a->v[a->n - 1].name);
	free(a->v);
	*a = (struct aliases){ NULL, 0 };
}

/* ---- settings ----------------------------------------------------------- */

int
aliases_read(struct aliases *a, const char *words)
{
	AEG_AUTOFREE char *line = xasprintf("alias %s", words);
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	int r = -1;
	size_t i;

	if (words[strspn(words, " \t")] == '\0')
		return 0;
	if (syn_parse(line, strlen(line), NULL, &tree, &diag) != SYN_TREE)
		return -1;
	facts = syn_facts_new(tree, NULL);
	if (facts->only_simple && facts->n_commands == 1)
		r = 0;
	for (i = 1; r == 0 && i < facts->commands[0].n_words; i++) {
		const struct syn_word *w = &facts->commands[0].words[i];
		const char *eq = strchr(w->value, '=');
		AEG_AUTOFREE char *name = NULL;

		if (!w->known || eq == NULL) {
			r = -1;
			break;
		}
		name = xmemdup0(w->value, (size_t)(eq - w->value));
		r = alias_set(a, name, eq + 1);
	}
	syn_facts_free(facts);
	syn_free(tree);
	return r;
}

/* ---- expansion ---------------------------------------------------------- */

static void
add_place(struct places *p, size_t offset, size_t len)
{
	if (p->n == p->cap) {
		p->cap = p->cap > 0 ? 2 * p->cap : 16;
		p->v = xreallocarray(p->v, p->cap, sizeof *p->v);
	}
	p->v[p->n++] = (struct place){ offset, len };
}

static int
by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The alias that the word is, spelt as it is meant; or NULL. */
static const char *
alias_of(const struct aliases *a, const char *text, size_t len,
    const struct syn_word *w, const struct busy *busy)
{
	const char *value;

	if (!w->known || w->quoted || w->source_len != w->len ||
	    w->offset > len || w->len > len - w->offset ||
	    memcmp(text + w->offset, w->value, w->len) != 0)
		return NULL;
	value = alias_get(a, w->value);
	for (; value != NULL && busy != NULL; busy = busy->outer)
		if (strcmp(busy->name, w->value) == 0)
			return NULL;
	return value;
}

static bool
ends_blank(const char *value)
{
	size_t len = strlen(value);

	return len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t');
}

static void
find_places(const struct aliases *a, const char *text, size_t len,
    const struct syn_facts *f, const struct busy *busy, struct places *ret)
{
	size_t i, k;

	for (i = 0; i < f->n_commands; i++)
		/* What eval reads has no place in the text. */
		for (k = (f->commands[i].context & SYN_IN_EVAL) == 0 ? 0 :
		    f->commands[i].n_words; k < f->commands[i].n_words; k++) {
			const struct syn_word *w = &f->commands[i].words[k];
			const char *value = alias_of(a, text, len, w, busy);

			if (value == NULL)
				break;
			add_place(ret, w->offset, w->len);
			if (!ends_blank(value))
				break;
		}
	if (ret->n > 1)
		qsort(ret->v, ret->n, sizeof *ret->v, by_offset);
}

static void expand(const struct aliases *a, const char *text, size_t len,
    const struct busy *busy, struct buf *out);

static void
put_value(const struct aliases *a, const char *word, size_t len,
    const struct busy *busy, struct buf *out)
{
	AEG_AUTOFREE char *name = xmemdup0(word, len);
	struct busy inner = { name, busy, busy != NULL ? busy->depth + 1 : 1 };
	const char *value = alias_get(a, name);

	expand(a, value, strlen(value), &inner, out);
}

static void
expand(const struct aliases *a, const char *text, size_t len,
    const struct busy *busy, struct buf *out)
{
	struct places places = { NULL, 0, 0 };
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	size_t i, done = 0;

	/* What is no whole command by itself stays as it stands. */
	if ((busy != NULL && busy->depth > DEPTH_MAX) ||
	    syn_parse(text, len, NULL, &tree, &diag) != SYN_TREE) {
		buf_put(out, text, len);
		return;
	}
	facts = syn_facts_new(tree, NULL);
	find_places(a, text, len, facts, busy, &places);
	for (i = 0; i < places.n && !buf_overflow(out); i++) {
		if (places.v[i].offset < done)
			continue;	/* seen twice */
		buf_put(out, text + done, places.v[i].offset - done);
		put_value(a, text + places.v[i].offset, places.v[i].len, busy,
		    out);
		done = places.v[i].offset + places.v[i].len;
	}
	buf_put(out, text + done, len - done);
	free(places.v);
	syn_facts_free(facts);
	syn_free(tree);
}

int
aliases_expand(const struct aliases *a, struct buf *text)
{
	struct buf out = BUF_INIT_MAX(LINE_MAX_BYTES);

	if (a->n == 0 || text->len == 0)
		return 0;
	expand(a, text->data, text->len, NULL, &out);
	if (buf_overflow(&out)) {
		buf_done(&out);
		return -1;
	}
	buf_reset(text);
	buf_put(text, out.data, out.len);
	buf_done(&out);
	return 0;
}
