/* SPDX-License-Identifier: ISC */
/*
 * Words that braces make of one: ~/.local/{bin,sbin}.  It is done on the
 * text as written, before anything else, as the shells do; {1..3} and what
 * is nested too deep is left to be unknown.
 */
#include "sim_int.h"

#include <string.h>

#define BRACE_WORDS 64
#define BRACE_DEPTH 8

struct braces {
	struct sim *s;
	struct prof_word *out;
	size_t n, cap;
	bool too_much;
};

/* The end of what stands at i and is one thing to braces: a quoted part, an
 * escape, ${…}; i + 1 else. */
static size_t
skip(const char *p, size_t len, size_t i)
{
	char c = p[i];
	size_t k = i + 1;
	int depth = 1;

	if (c == '\\')
		return k < len ? k + 1 : k;
	if (c == '\'' || c == '"') {
		while (k < len && p[k] != c)
			k += p[k] == '\\' && c == '"' && k + 1 < len ? 2 : 1;
		return k < len ? k + 1 : len;
	}
	if (c != '$' || k >= len || (p[k] != '{' && p[k] != '('))
		return k;
	for (k++; k < len && depth > 0; k++)
		depth += (p[k] == '{' || p[k] == '(') -
		    (p[k] == '}' || p[k] == ')');
	return k;
}

struct pair { size_t open, close, commas; bool range; };

/* The first pair of braces of a word that makes several of it. */
static bool
find_pair(const char *p, size_t len, struct pair *ret)
{
	size_t i, k;

	for (i = 0; i < len; i = skip(p, len, i)) {
		struct pair b = { .open = i };
		int depth = 1;

		if (p[i] != '{')
			continue;
		for (k = i + 1; k < len && depth > 0; k = skip(p, len, k)) {
			depth += (p[k] == '{') - (p[k] == '}');
			b.commas += p[k] == ',' && depth == 1;
			b.range |= p[k] == '.' && depth == 1 &&
			    k + 1 < len && p[k + 1] == '.';
			if (depth == 0)
				b.close = k;
		}
		if (depth == 0 && (b.commas > 0 || b.range)) {
			*ret = b;
			return true;
		}
	}
	return false;
}

static void
add(struct braces *b, const char *p, size_t len, int depth)
{
	struct prof_word *to;
	struct pair at;
	size_t i, from, level = 0;

	if (b->too_much || b->n >= BRACE_WORDS || depth > BRACE_DEPTH) {
		b->too_much = true;
		return;
	}
	if (!find_pair(p, len, &at)) {
		to = SE_PUSH(b->s->se, b->out, b->n, b->cap);
		to->raw = p;
		to->len = len;
		return;
	}
	if (at.commas == 0) {
		b->too_much = true;
		return;
	}
	for (i = from = at.open + 1; i <= at.close; i = skip(p, len, i)) {
		const char *made;

		level += p[i] == '{';
		if ((p[i] == ',' && level == 0) || i == at.close) {
			made = se_printf(b->s->se, "%.*s%.*s%.*s",
			    (int)at.open, p, (int)(i - from), p + from,
			    (int)(len - at.close - 1), p + at.close + 1);
			b->s->bytes += strlen(made) + 1;
			add(b, made, strlen(made), depth + 1);
			from = i + 1;
		} else {
			level -= p[i] == '}';
		}
	}
}

const struct prof_word *
se_sim_braces(struct sim *s, const struct prof_word *w, size_t *ret_n)
{
	struct braces b = { .s = s };
	bool does = s->dialect == DIALECT_BASH || s->dialect == DIALECT_ZSH ||
	    s->dialect == DIALECT_KSH;
	struct prof_word *none;

	*ret_n = 1;
	if (!does || memchr(w->raw, '{', w->len) == NULL)
		return w;
	add(&b, w->raw, w->len, 0);
	if (!b.too_much) {
		*ret_n = b.n;
		return b.out;
	}
	none = arena_alloc(s->se->arena, sizeof *none);
	*none = *w;
	none->raw = "$RANDOM";		/* what nobody knows */
	none->len = strlen(none->raw);
	return none;
}
