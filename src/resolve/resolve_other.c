/* SPDX-License-Identifier: ISC */
/*
 * What dash makes of a text where bash makes something else of it, written
 * so that bash's parser reads it that way.  By its letters alone: where a
 * quote begins is what the two disagree about.  A reading too many is
 * judged, too; one that is missing would be run unseen.
 */
#include "resolve_int.h"

#include <string.h>

#include "aegsh/base/buf.h"

struct other {
	const char *p, *end;
	struct buf out;
	size_t open, arith;	/* ${ and $(( that no end was seen of */
	bool differs;
};

static bool
starts(const struct other *o, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(o->end - o->p) >= n && memcmp(o->p, with, n) == 0;
}

static void
take(struct other *o, size_t n)
{
	buf_put(&o->out, o->p, n);
	o->p += n;
}

/* Skips n bytes and writes others. */
static void
change(struct other *o, size_t n, const char *to)
{
	buf_puts(&o->out, to);
	o->p += n;
	o->differs = true;
}

/* Words of bash's grammar that are names of commands elsewhere. */
static bool
take_word(struct other *o)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "&>", "& >" }, { "$'", "\\$'" }, { "$\"", "\\$\"" },
		{ "$[", "\\$[" }, { "[[ ", "\\[[ " }, { "[[\t", "\\[[\t" },
		{ "function ", "\\function " },
		{ "function\t", "\\function\t" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++)
		if (starts(o, rows[i].from)) {
			change(o, strlen(rows[i].from), rows[i].to);
			return true;
		}
	return false;
}

/* "${x:-'}" and $(('1')): a quote there is a letter, or an error. */
static bool
take_operand(struct other *o)
{
	if (starts(o, "}") && o->open > 0)
		o->open--;
	else if (starts(o, "))") && o->arith > 0)
		o->arith--;
	else if (starts(o, "\\\"") || starts(o, "\\'"))
		change(o, 2, "");
	else if (starts(o, "\"") || starts(o, "'"))
		change(o, 1, "");
	else
		return false;
	return true;
}

static void
take_next(struct other *o)
{
	if (starts(o, "${")) {
		o->open++;
		take(o, 2);
	} else if (starts(o, "$((")) {
		o->arith++;
		take(o, 3);
	} else if (o->open + o->arith > 0 && take_operand(o)) {
		return;
	} else if (starts(o, "((") && o->arith == 0) {
		change(o, 1, "( ");
	} else if (starts(o, "\\") && o->end - o->p > 1) {
		take(o, 2);
	} else if (!take_word(o)) {
		take(o, 1);
	}
}

bool
resolve_other_text(struct walk *w, const struct syn_word *text,
	struct syn_word *ret)
{
	struct other o = { .p = text->value, .end = text->value + text->len,
		.out = BUF_INIT_MAX(SYN_LEN_MAX) };

	while (o.p < o.end)
		take_next(&o);
	o.differs &= !buf_overflow(&o.out);
	if (o.differs)
		*ret = resolve_word_new(w, o.out.data != NULL ? o.out.data :
		    "", o.out.len, text->known);
	buf_done(&o.out);
	return o.differs;
}

bool
resolve_other_output(struct walk *w, const struct syn_command *c,
	struct syn_word *ret)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	struct syn_word *words;
	bool escapes = false, done;
	size_t i;

	if (c->n_words < 2 || !c->words[0].known ||
	    strcmp(c->words[0].value, "echo") != 0)
		return false;
	for (i = 1; i < c->n_words; i++)
		escapes |= strchr(c->words[i].value, '\\') != NULL;
	if (!escapes)
		return false;
	words = arena_alloc(w->arena, (c->n_words + 1) * sizeof *words);
	words[0] = c->words[0];
	words[1] = resolve_word_new(w, "-e", 2, true);
	memcpy(words + 2, c->words + 1, (c->n_words - 1) * sizeof *words);
	done = syn_output(words, c->n_words + 1, &out);
	if (done)
		*ret = resolve_word_new(w, out.data != NULL ? out.data : "",
		    out.len, true);
	buf_done(&out);
	return done;
}
