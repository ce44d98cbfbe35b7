/* SPDX-License-Identifier: ISC */
/*
 * A look at a source before libconfuse gets it: on which line each section
 * begins (the library only remembers where it ended), and that nothing in
 * it would be replaced from the environment.
 */
#include "policy_ir.h"

#include <ctype.h>
#include <string.h>

struct scanner {
	struct ir *ir;
	const struct pol_source *source;
	struct scan *ret;
	struct err *err;
	const char *p, *end;
	unsigned line;
	int depth;
	char word[16];
	unsigned word_line;
};

static int
refuse_environment(struct scanner *s)
{
	return err_set(s->err, ERR_SYNTAX, "%s:%u: ${…} would be replaced "
	    "from the environment; write it inside single quotes",
	    s->source->path, s->line);
}

static int
skip_quoted(struct scanner *s)
{
	char quote = *s->p++;

	for (; s->p < s->end && *s->p != quote; s->p++) {
		if (*s->p == '\n')
			s->line++;
		if (quote == '"' && s->p[0] == '$' && s->p + 1 < s->end &&
		    s->p[1] == '{')
			return refuse_environment(s);
		if (*s->p == '\\' && s->p + 1 < s->end) {
			s->p++;
			if (*s->p == '\n')
				s->line++;
		}
	}
	if (s->p >= s->end)
		return err_set(s->err, ERR_SYNTAX, "%s:%u: a quote is not "
		    "closed", s->source->path, s->line);
	s->p++;
	return 0;
}

static void
skip_comment(struct scanner *s)
{
	bool block = s->p[0] == '/' && s->p[1] == '*';

	for (; s->p < s->end; s->p++) {
		if (*s->p == '\n') {
			if (!block)
				return;
			s->line++;
		}
		if (block && s->p[0] == '*' && s->p + 1 < s->end &&
		    s->p[1] == '/') {
			s->p += 2;
			return;
		}
	}
}

static void
take_word(struct scanner *s)
{
	size_t n = 0;

	s->word_line = s->line;
	for (; s->p < s->end && (isalnum((unsigned char)*s->p) ||
	    *s->p == '_' || *s->p == '-'); s->p++)
		if (n + 1 < sizeof s->word)
			s->word[n++] = *s->p;
	s->word[n] = '\0';
}

static void
open_brace(struct scanner *s)
{
	struct scan_section section = { .line = s->word_line };

	if (s->depth++ == 0) {
		memcpy(section.kind, s->word, sizeof section.kind);
		IR_PUSH(s->ir, s->ret->v, s->ret->n, section);
	}
}

static int
scan_one(struct scanner *s)
{
	char c = *s->p;

	if (c == '"' || c == '\'')
		return skip_quoted(s);
	if (c == '#' || (c == '/' && s->p + 1 < s->end &&
	    (s->p[1] == '/' || s->p[1] == '*'))) {
		skip_comment(s);
		return 0;
	}
	if (c == '$' && s->p + 1 < s->end && s->p[1] == '{')
		return refuse_environment(s);
	if (s->depth == 0 && isalpha((unsigned char)c)) {
		take_word(s);
		return 0;
	}
	if (c == '\n')
		s->line++;
	else if (c == '{')
		open_brace(s);
	else if (c == '}' && s->depth > 0)
		s->depth--;
	s->p++;
	return 0;
}

int
scan_source(struct ir *ir, const struct pol_source *source,
	struct scan *ret, struct err *err)
{
	struct scanner s = { .ir = ir, .source = source, .ret = ret,
		.err = err, .p = source->text, .line = 1 };
	int rc;

	s.end = source->text + source->len;
	if (memchr(source->text, '\0', source->len) != NULL)
		return err_set(err, ERR_SYNTAX, "%s: holds a NUL byte",
		    source->path);
	while (s.p < s.end)
		if ((rc = scan_one(&s)) < 0)
			return rc;
	return 0;
}
