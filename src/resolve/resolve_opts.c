/* SPDX-License-Identifier: ISC */
/* Option words, as getopt_long(3) and the single-dash programs read them. */
#include "resolve_int.h"

#include <string.h>

void
resolve_opts_init(struct resolve_opts *o, const char *grammar,
	const struct syn_word *argv, size_t argc)
{
	*o = (struct resolve_opts){
		.grammar = grammar != NULL ? grammar : "",
		.argv = argv, .argc = argc, .next = 1,
	};
}

/* How a letter takes a value: 0 flag, 1 the rest or the next word, 2 only
 * the rest. */
static int
letter_value(const char *grammar, char letter)
{
	const char *p;

	for (p = grammar; *p != '\0' && *p != ' '; p++)
		if (*p == letter && *p != ':' && *p != '+' && *p != '~') {
			if (p[1] != ':')
				return 0;
			return p[2] == ':' ? 2 : 1;
		}
	return 0;
}

/* The same for a long name; an unambiguous beginning of a listed one counts
 * as it, and *name becomes the listed one. */
static int
long_value(const char *grammar, const char **name, size_t *len)
{
	const char *p = strchr(grammar, ' '), *found = NULL;
	size_t n, found_len = 0;
	int value = 0, hits = 0, v;

	for (; p != NULL; p = strchr(p, ' ')) {
		p += strspn(p, " ");
		n = strcspn(p, ": ");
		if (n == 0)
			break;
		v = p[n] != ':' ? 0 : p[n + 1] == ':' ? 2 : 1;
		if (n == *len && memcmp(p, *name, n) == 0)
			return v;
		if (n > *len && *len >= 2 && memcmp(p, *name, *len) == 0) {
			found = p;
			found_len = n;
			value = v;
			hits++;
		}
	}
	if (hits != 1)
		return 0;
	*name = found;
	*len = found_len;
	return value;
}

static enum resolve_opt_kind
take_value(struct resolve_opts *o, struct resolve_opt *ret, size_t skip,
	bool attached, int how)
{
	ret->value_word = ret->word;
	ret->value_skip = skip;
	if (attached)
		return RESOLVE_OPT_VALUE;
	if (how != 1 || o->next >= o->argc)
		return RESOLVE_OPT_FLAG;
	ret->value_word = o->next++;
	ret->value_skip = 0;
	return RESOLVE_OPT_VALUE;
}

static enum resolve_opt_kind
long_option(struct resolve_opts *o, struct resolve_opt *ret, size_t dashes)
{
	const struct syn_word *w = &o->argv[ret->word];
	const char *name = w->value + dashes;
	const char *equal = memchr(name, '=', w->len - dashes);
	size_t len = equal != NULL ? (size_t)(equal - name) : w->len - dashes;
	int how;

	o->next = ret->word + 1;
	ret->long_form = true;
	ret->name = name;
	ret->name_len = len;
	how = long_value(o->grammar, &ret->name, &ret->name_len);
	return take_value(o, ret, dashes + len + 1, equal != NULL, how);
}

static enum resolve_opt_kind
letter_option(struct resolve_opts *o, struct resolve_opt *ret)
{
	const struct syn_word *w = &o->argv[ret->word];
	size_t at = o->letter;
	int how = letter_value(o->grammar, w->value[at]);

	ret->long_form = false;
	ret->name = w->value + at;
	ret->name_len = 1;
	if (how != 0) {
		o->letter = 0;
		o->next = ret->word + 1;
		return take_value(o, ret, at + 1, at + 1 < w->len, how);
	}
	o->letter = at + 1;
	if (o->letter >= w->len) {
		o->letter = 0;
		o->next = ret->word + 1;
	}
	return RESOLVE_OPT_FLAG;
}

enum resolve_opt_kind
resolve_opts_next(struct resolve_opts *o, struct resolve_opt *ret)
{
	const struct syn_word *w;
	bool single = strchr(o->grammar, '~') == o->grammar;

	*ret = (struct resolve_opt){ .word = o->next };
	if (o->letter > 0)
		return letter_option(o, ret);
	if (o->next >= o->argc)
		return RESOLVE_OPT_END;
	w = &o->argv[o->next];
	if (!o->ended && w->len == 2 && w->value[0] == '-' &&
	    w->value[1] == '-') {
		o->ended = true;
		o->next++;
		return resolve_opts_next(o, ret);
	}
	if (!o->ended && w->len > 2 && w->value[0] == '-' &&
	    w->value[1] == '-')
		return long_option(o, ret, 2);
	if (!o->ended && w->len > 1 && w->value[0] == '-') {
		if (single)
			return long_option(o, ret, 1);
		o->letter = 1;
		return letter_option(o, ret);
	}
	if (o->grammar[0] == '+')
		o->ended = true;
	ret->name = w->value;
	ret->name_len = w->len;
	o->next++;
	return RESOLVE_OPT_OPERAND;
}

const char *
resolve_wrapper_grammar(const char *name)
{
	const struct wrap_row *row = resolve_wrap_row(name);

	return row != NULL ? row->grammar : NULL;
}

bool
resolve_opt_is(const struct resolve_opt *opt, const char *names)
{
	const char *p = names;
	size_t n;

	if (names == NULL)
		return false;
	for (;;) {
		p += strspn(p, " ");
		n = strcspn(p, " ");
		if (n == 0)
			return false;
		/* jrunscript -e: one letter is one, however it was read. */
		if (n == opt->name_len && memcmp(p, opt->name, n) == 0)
			return true;
		p += n;
	}
}
