/* SPDX-License-Identifier: ISC */
/* xargs: what it starts, with the words on its standard input where the line
 * shows them. */
#include "resolve_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/buf.h"

#define XARGS_LINES_MAX 16	/* commands that known input is followed to */

struct xargs_call {
	const struct syn_word *argv;	/* the command as written */
	size_t argc;
	struct syn_word mark;		/* of -I, or empty */
	size_t each;			/* -n: so many words each time */
	bool odd;			/* other options cut it otherwise */
};

static bool
has_mark(const struct xargs_call *x, const struct syn_word *word)
{
	return x->mark.len > 0 && memmem(word->value, word->len,
	    x->mark.value, x->mark.len) != NULL;
}

/* word with each mark replaced by the line. */
static struct syn_word
replace_mark(struct walk *w, const struct xargs_call *x,
	const struct syn_word *word, const char *line, size_t len)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	struct syn_word made;
	const char *p = word->value, *end = p + word->len, *hit;

	while ((hit = memmem(p, (size_t)(end - p), x->mark.value,
	    x->mark.len)) != NULL) {
		buf_put(&out, p, (size_t)(hit - p));
		buf_put(&out, line, len);
		p = hit + x->mark.len;
	}
	buf_put(&out, p, (size_t)(end - p));
	made = resolve_word_new(w, out.data != NULL ? out.data : "", out.len,
	    word->known && !buf_overflow(&out));
	buf_done(&out);
	return made;
}

static void
follow_words_of(struct walk *w, const struct spot *at,
	const struct xargs_call *x, const struct syn_word *input)
{
	struct syn_word *more, *all;
	size_t n = 0, from = 0, take;
	int times = 0;

	more = resolve_word_args(w, input, &n);
	do {
		if (times++ == XARGS_LINES_MAX) {
			resolve_over_cap(w);
			return;
		}
		take = x->each > 0 && x->each < n - from ? x->each : n - from;
		all = arena_alloc(w->arena, (x->argc + take) * sizeof *all);
		memcpy(all, x->argv, x->argc * sizeof *all);
		if (take > 0)
			memcpy(all + x->argc, more + from, take * sizeof *all);
		resolve_follow(w, at, all, x->argc + take);
		from += take;
	} while (from < n);
}

/* What stands on stdin is known: the words that xargs will add or put in. */
static void
follow_known(struct walk *w, const struct spot *at, const struct xargs_call *x,
	const struct syn_word *input)
{
	struct syn_word *all;
	const char *p = input->value, *end;
	size_t i;
	int lines;

	if (x->mark.len == 0) {
		follow_words_of(w, at, x, input);
		return;
	}
	for (lines = 0; *p != '\0'; p = end + (*end == '\n')) {
		p += strspn(p, " \t");
		end = strchrnul(p, '\n');
		if (end == p)
			continue;
		if (lines++ == XARGS_LINES_MAX) {
			resolve_over_cap(w);
			return;
		}
		all = arena_alloc(w->arena, x->argc * sizeof *all);
		for (i = 0; i < x->argc; i++)
			all[i] = has_mark(x, &x->argv[i]) ? replace_mark(w, x,
			    &x->argv[i], p, (size_t)(end - p)) : x->argv[i];
		/* GNU xargs leaves the name as it is, busybox does not. */
		if (has_mark(x, &x->argv[0]))
			all[0] = resolve_word_new(w, x->argv[0].value,
			    x->argv[0].len, false);
		resolve_follow(w, at, all, x->argc);
	}
}

/* With -I the replaced words are not known; without, words are added. */
void
resolve_unwrap_xargs(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct spot inner = *at;
	struct xargs_call x = { .mark = { .value = "" } };
	struct syn_word input, value, *copy;
	size_t i;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND)
			break;
		x.odd |= resolve_opt_is(&opt, "0 null d delimiter E e eof L l "
		    "max-lines s max-chars a arg-file p interactive");
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, "n max-args")) {
			value = resolve_word_tail(w, &argv[opt.value_word],
			    opt.value_skip);
			x.each = strtoul(value.value, NULL, 10);
			x.odd |= !value.known || x.each == 0;
		}
		if (!resolve_opt_is(&opt, row->option))
			continue;
		x.mark = resolve_word_new(w, "{}", 2, true);
		if (kind == RESOLVE_OPT_VALUE)
			x.mark = resolve_word_tail(w, &argv[opt.value_word],
			    opt.value_skip);
	}
	if (kind == RESOLVE_OPT_END)
		return;
	inner.by_exec = true;
	x.argv = argv + opt.word;
	x.argc = argc - opt.word;
	if (!x.odd && resolve_stdin_text(w, at, &input) && input.known &&
	    (x.mark.len == 0 || strpbrk(input.value, "'\"\\") == NULL)) {
		follow_known(w, &inner, &x, &input);
		return;
	}
	inner.more_args = true;
	copy = arena_alloc(w->arena, x.argc * sizeof *copy);
	for (i = 0; i < x.argc; i++)
		copy[i] = has_mark(&x, &x.argv[i]) ? resolve_word_new(w,
		    x.argv[i].value, x.argv[i].len, false) : x.argv[i];
	resolve_follow(w, &inner, copy, x.argc);
}
