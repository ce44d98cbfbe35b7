/* SPDX-License-Identifier: ISC */
/*
 * What the text of a makefile starts, as far as it shows without reading it
 * as make does: $(shell …), NAME != …, recipes behind a tab or a semicolon,
 * and the values of the variables that are programs.
 */
#include "resolve_int.h"

#include <string.h>

/* Names whose value starts the lines of built-in rules. */
static const char programs[] = "AR AS CC CPP CXX FC LD LEX MAKE MAKEINFO RM "
	"SHELL YACC";

static void
follow(struct walk *w, const struct spot *at, const char *from,
	const char *end)
{
	struct syn_word text;

	from += strspn(from, " \t@+-");
	if (from >= end)
		return;
	text = resolve_word_new(w, from, (size_t)(end - from), true);
	resolve_program(w, at, &text);
}

/* $(shell cmd), ${shell cmd} */
static void
follow_calls(struct walk *w, const struct spot *at, const char *p,
	const char *end)
{
	static const char *const calls[] = { "(shell ", "{shell ",
		"(shell\t", "{shell\t" };
	const char *hit, *from;
	char close;
	size_t i;
	int depth;

	for (i = 0; i < AEG_NELEM(calls); i++)
		for (hit = p; (hit = memmem(hit, (size_t)(end - hit), calls[i],
		    strlen(calls[i]))) != NULL;) {
			close = *hit == '(' ? ')' : '}';
			from = hit + strlen(calls[i]);
			for (depth = 1, hit = from; hit < end; hit++) {
				depth += *hit == calls[i][0];
				depth -= *hit == close;
				if (depth == 0)
					break;
			}
			follow(w, at, from, hit);
		}
}

static bool
is_program(const char *name, const char *end)
{
	struct syn_word word = { .value = name };

	while (end > name && strchr(" \t:?+", end[-1]) != NULL)
		end--;
	word.len = (size_t)(end - name);
	return resolve_in_list(programs, &word);
}

static void
follow_line(struct walk *w, const struct spot *at, const char *line,
	const char *end)
{
	size_t len = (size_t)(end - line);
	const char *equal = memchr(line, '=', len), *semi;
	const char *colon = memchr(line, ':', len);

	if (len == 0)
		return;
	if (*line == '\t') {
		follow(w, at, line, end);
		return;
	}
	if (equal > line && equal[-1] == '!') {
		follow(w, at, equal + 1, end);
		return;
	}
	if (equal != NULL && (colon == NULL || equal < colon + 3)) {
		if (is_program(line, equal))
			follow(w, at, equal + 1, end);
		return;
	}
	semi = colon != NULL ? memchr(colon, ';', (size_t)(end - colon)) :
	    NULL;
	if (semi != NULL)
		follow(w, at, semi + 1, end);
}

void
resolve_calls_of_make(struct walk *w, const struct spot *at,
	const struct syn_word *code)
{
	const char *line = code->value, *last = line + code->len, *end;

	follow_calls(w, at, line, last);
	for (; line < last; line = end + 1) {
		end = memchr(line, '\n', (size_t)(last - line));
		if (end == NULL)
			end = last;
		follow_line(w, at, line, end);
	}
}
