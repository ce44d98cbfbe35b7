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

struct syn_word *
resolve_word_fields(struct walk *w, const struct syn_word *word,
	const char *separators, size_t *ret_n)
{
	struct syn_word *out = NULL;
	struct buf text = BUF_INIT_MAX(SYN_LEN_MAX);
	const struct syn_part *part;
	size_t i, j, n = 0;
	bool any = false, ends;

	for (i = 0; i <= word->n_parts && n < RESOLVE_SPLIT_MAX; i++) {
		/* Behind the last part the last word ends. */
		part = i < word->n_parts ? &word->parts[i] : NULL;
		if (part != NULL && part->quoted) {
			buf_put(&text, part->text, part->len);
			any = true;
			continue;
		}
		for (j = 0; n < RESOLVE_SPLIT_MAX &&
		    j < (part != NULL ? part->len : 1); j++) {
			ends = part == NULL || (part->text[j] != '\0' &&
			    strchr(separators, part->text[j]) != NULL);
			if (!ends)
				buf_putc(&text, part->text[j]);
			any |= !ends;
			if (!ends || !any)
				continue;
			if ((n & (n - 1)) == 0)
				out = arena_grow(w->arena, out, n,
				    n == 0 ? 1 : n * 2, sizeof *out);
			out[n++] = resolve_word_new(w, text.data != NULL ?
			    text.data : "", text.len, word->known);
			buf_reset(&text);
			any = false;
		}
	}
	if (n == RESOLVE_SPLIT_MAX)
		resolve_over_cap(w);
	buf_done(&text);
	*ret_n = n;
	return out;
}

/* What follows a backslash in env -S, outside '…'; false: no byte is meant,
 * the word, or the whole string, ends there. */
static bool
put_env_escape(const char **p, const char *end, char quote, struct buf *out)
{
	static const char from[] = "tnfrv", to[] = "\t\n\f\r\v";
	const char *hit = **p != '\0' ? strchr(from, **p) : NULL;

	if (**p == 'c') {		/* ends the string */
		*p = end;
		return false;
	}
	if (**p == '_') {		/* parts words, a blank in "…" */
		if (quote == '\0')
			return false;
		buf_putc(out, ' ');
		return true;
	}
	buf_putc(out, hit != NULL ? to[hit - from] : **p);
	return true;
}

/* Blanks between the arguments of env -S; an unquoted \_ is one, too. */
static void
skip_blanks(const char **p, const char *end)
{
	while (*p < end) {
		if (strchr(" \t\n\v\f\r", **p) != NULL && **p != '\0')
			(*p)++;
		else if (end - *p > 1 && (*p)[0] == '\\' && (*p)[1] == '_')
			*p += 2;
		else
			return;
	}
}

/* One argument of env -S from *p on; false at the end.  *odd: a quote that
 * is not closed, or a variable. */
static bool
next_arg(const char **p, const char *end, struct buf *out, bool *odd)
{
	char quote = '\0';
	bool any = false;

	skip_blanks(p, end);
	if (*p < end && **p == '#')
		return false;
	for (; *p < end; (*p)++) {
		if (quote == '\0' && strchr(" \t\n\v\f\r", **p) != NULL)
			break;
		if (quote == '\0' && (**p == '\'' || **p == '"')) {
			quote = **p;
		} else if (**p == quote && quote != '\0') {
			quote = '\0';
		} else if (**p == '\\' && *p + 1 < end && (quote != '\'' ||
		    (*p)[1] == '\\' || (*p)[1] == '\'')) {
			(*p)++;
			if (quote == '\'')
				buf_putc(out, **p);
			else if (!put_env_escape(p, end, quote, out))
				break;
		} else {
			if (**p == '$' && quote != '\'')
				*odd = true;
			buf_putc(out, **p);
		}
		any = true;
	}
	/* The "_" of a blank that ended the word. */
	if (*p < end && quote == '\0' && **p == '_' && (*p)[-1] == '\\')
		(*p)++;
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

	for (; n < RESOLVE_SPLIT_MAX && next_arg(&p, end, &text, &odd);
	    odd = false) {
		if ((n & (n - 1)) == 0)
			out = arena_grow(w->arena, out, n, n == 0 ? 1 : n * 2,
			    sizeof *out);
		out[n++] = resolve_word_new(w, text.data != NULL ? text.data :
		    "", text.len, word->known && !odd);
		w->pub.incomplete |= odd;
		buf_reset(&text);
	}
	if (n == RESOLVE_SPLIT_MAX)
		resolve_over_cap(w);
	buf_done(&text);
	*ret_n = n;
	return out;
}

/* What ends in a comment takes no more. */
struct syn_word
resolve_word_more(struct walk *w, const struct syn_word *text)
{
	struct syn_word words[2];

	if (memchr(text->value, '#', text->len) != NULL)
		return *text;
	words[0] = *text;
	words[1] = resolve_word_new(w, "\"$@\"", 4, text->known);
	return resolve_word_join(w, words, 2);
}

struct syn_word
resolve_word_marks(struct walk *w, const struct syn_word *text)
{
	char *copy;
	size_t i;

	if (memchr(text->value, '%', text->len) == NULL)
		return *text;
	copy = arena_memdup0(w->arena, text->value, text->len);
	for (i = 0; i + 1 < text->len; i++)
		if (copy[i] == '%' && ((copy[i + 1] >= 'a' &&
		    copy[i + 1] <= 'z') || (copy[i + 1] >= 'A' &&
		    copy[i + 1] <= 'Z'))) {
			copy[i] = '$';
			copy[i + 1] = '1';
		}
	return resolve_word_new(w, copy, text->len, text->known);
}
