/* SPDX-License-Identifier: ISC */
/* Words made from words: the rest of one, several joined, one split. */
#include "resolve_int.h"

#include <string.h>

#include "aegsh/base/buf.h"

struct syn_word
resolve_word_new(struct walk *w, const char *text, size_t len, bool known)
{
	struct syn_word word = { .known = known, .quoted = true, .len = len };
	struct syn_part *part = arena_alloc(w->arena, sizeof *part);

	word.value = arena_memdup0(w->arena, text, len);
	*part = (struct syn_part){ .known = known, .quoted = true,
		.why = known ? SYN_WHY_UNSPECIFIED : SYN_WHY_CAP,
		.text = word.value, .len = len };
	word.parts = part;
	word.n_parts = 1;
	return word;
}

struct syn_word
resolve_word_tail(struct walk *w, const struct syn_word *word, size_t skip)
{
	struct syn_word tail = *word;
	struct syn_part *parts;
	size_t i = 0, left = skip;

	if (skip == 0)
		return tail;
	if (skip > word->len)
		return resolve_word_new(w, "", 0, true);
	tail.value += skip;
	tail.len -= skip;
	while (i < word->n_parts && left >= word->parts[i].len)
		left -= word->parts[i++].len;
	tail.n_parts = word->n_parts - i;
	parts = arena_alloc(w->arena, (tail.n_parts + 1) * sizeof *parts);
	if (tail.n_parts > 0)
		memcpy(parts, word->parts + i, tail.n_parts * sizeof *parts);
	if (left > 0 && tail.n_parts > 0) {
		parts[0].text += left;
		parts[0].len -= left;
	}
	tail.parts = parts;
	tail.known = true;
	for (i = 0; i < tail.n_parts; i++)
		if (!parts[i].known)
			tail.known = false;
	return tail;
}

struct syn_word
resolve_word_join(struct walk *w, const struct syn_word *words, size_t n)
{
	struct buf text = BUF_INIT;
	struct syn_word word = { .known = true };
	struct syn_part *parts;
	size_t i, j, n_parts = 0;

	if (n == 1)
		return words[0];
	for (i = 0; i < n; i++)
		n_parts += words[i].n_parts + 1;
	parts = arena_alloc(w->arena, (n_parts + 1) * sizeof *parts);
	n_parts = 0;
	for (i = 0; i < n; i++) {
		if (i > 0) {
			buf_putc(&text, ' ');
			parts[n_parts++] = (struct syn_part){ .known = true,
				.text = " ", .len = 1 };
		}
		buf_put(&text, words[i].value, words[i].len);
		for (j = 0; j < words[i].n_parts; j++)
			parts[n_parts++] = words[i].parts[j];
		word.known &= words[i].known;
		word.quoted |= words[i].quoted;
		word.may_split |= words[i].may_split;
	}
	word.value = arena_memdup0(w->arena, text.data != NULL ? text.data : "",
	    text.len);
	word.len = text.len;
	word.parts = parts;
	word.n_parts = n_parts;
	buf_done(&text);
	return word;
}

struct syn_word *
resolve_word_split(struct walk *w, const struct syn_word *word,
	const char *separators, size_t *ret_n)
{
	struct syn_word *out = NULL;
	const char *p = word->value, *end = word->value + word->len;
	size_t n = 0, len;

	while (p < end && n < RESOLVE_SPLIT_MAX) {
		while (p < end && strchr(separators, *p) != NULL)
			p++;
		for (len = 0; p + len < end &&
		    strchr(separators, p[len]) == NULL; len++)
			continue;
		if (len == 0)
			break;
		if ((n & (n - 1)) == 0)
			out = arena_grow(w->arena, out, n, n == 0 ? 1 : n * 2,
			    sizeof *out);
		out[n++] = resolve_word_new(w, p, len, word->known);
		p += len;
	}
	if (p < end && n == RESOLVE_SPLIT_MAX)
		resolve_over_cap(w);
	*ret_n = n;
	return out;
}

/* One argument of env -S from *p on; false at the end or a bad quote. */
static bool
next_arg(const char **p, const char *end, struct buf *out, bool *odd)
{
	char quote = '\0';
	bool any = false;

	while (*p < end && strchr(" \t\n\v\f\r", **p) != NULL)
		(*p)++;
	if (*p < end && **p == '#')
		return false;
	for (; *p < end; (*p)++) {
		if (quote == '\0' && strchr(" \t\n\v\f\r", **p) != NULL)
			break;
		any = true;
		if (quote == '\0' && (**p == '\'' || **p == '"')) {
			quote = **p;
		} else if (**p == quote && quote != '\0') {
			quote = '\0';
		} else if (**p == '\\' && *p + 1 < end) {
			(*p)++;
			/* \_ is a blank; \c ends the string (env(1)). */
			if (**p == 'c') {
				*p = end;
				break;
			}
			buf_putc(out, **p == '_' ? ' ' : **p == 't' ? '\t' :
			    **p == 'n' ? '\n' : **p);
		} else {
			if (**p == '$' && quote != '\'')
				*odd = true;
			buf_putc(out, **p);
		}
	}
	if (quote != '\0')
		*odd = true;
	return any;
}

struct syn_word *
resolve_word_args(struct walk *w, const struct syn_word *word, size_t *ret_n)
{
	struct syn_word *out = NULL;
	struct buf text = BUF_INIT;
	const char *p = word->value, *end = word->value + word->len;
	size_t n = 0;
	bool odd = false;

	while (n < RESOLVE_SPLIT_MAX && next_arg(&p, end, &text, &odd)) {
		if ((n & (n - 1)) == 0)
			out = arena_grow(w->arena, out, n, n == 0 ? 1 : n * 2,
			    sizeof *out);
		out[n++] = resolve_word_new(w, text.data != NULL ? text.data :
		    "", text.len, word->known);
		buf_reset(&text);
	}
	if (n == RESOLVE_SPLIT_MAX)
		resolve_over_cap(w);
	w->pub.incomplete |= odd;
	buf_done(&text);
	*ret_n = n;
	return out;
}
