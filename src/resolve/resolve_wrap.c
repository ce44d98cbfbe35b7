/* SPDX-License-Identifier: ISC */
/* From a wrapper's words to what it starts, by its row of the table. */
#include "resolve_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/buf.h"

#define XARGS_LINES_MAX 16	/* known lines that -I is followed for */

/* The word at `from` and all after it are a command that execve(2) or the
 * shell itself starts. */
static void
follow_words(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc, size_t from)
{
	struct spot inner = *at;

	if (from >= argc)
		return;
	inner.by_exec = !row->in_shell;
	inner.no_function |= row->no_function;
	inner.by.elsewhere |= row->elsewhere;
	resolve_follow(w, &inner, argv + from, argc - from);
}

static bool
in_list(const char *list, const struct syn_word *word)
{
	const char *p = list;
	size_t n;

	for (; p != NULL && *p != '\0'; p += n) {
		p += strspn(p, " ");
		n = strcspn(p, " ");
		if (n == word->len && n > 0 && memcmp(p, word->value, n) == 0)
			return true;
	}
	return false;
}

static bool
is_assignment(const struct syn_word *word)
{
	const char *equal = memchr(word->value, '=', word->len);

	return equal != NULL && equal != word->value;
}

/* The option word at `i` is one of the row's that hold a program. */
static bool
is_program_option(const struct wrap_row *row, const struct syn_word *word)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	struct syn_word argv[2] = { *word, *word };

	if (row->option == NULL)
		return false;
	resolve_opts_init(&o, "+", argv, 2);
	return resolve_opts_next(&o, &opt) == RESOLVE_OPT_FLAG &&
	    resolve_opt_is(&opt, row->option);
}

static void
unwrap_words(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	int skip = row->skip;
	size_t from;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_OPERAND)
			continue;
		if (row->after != NULL &&
		    in_list(row->after, &argv[opt.word])) {
			o.ended = false;
			continue;
		}
		if (skip-- <= 0)
			break;
	}
	if (kind == RESOLVE_OPT_END)
		return;
	from = opt.word;
	/* flock FILE -c 'program'; sg GROUP -c 'program' */
	if (is_program_option(row, &argv[from]) && from + 1 < argc) {
		resolve_program(w, at, &argv[from + 1]);
		return;
	}
	follow_words(w, at, row, argv, argc, from);
}

/* command -v and friends look a name up and start nothing. */
static bool
only_asks(const struct syn_word *argv, size_t argc)
{
	return strcmp(argv[0].value, "command") == 0 && argc > 1 &&
	    argv[1].len > 1 && argv[1].value[0] == '-' &&
	    strpbrk(argv[1].value, "vV") != NULL;
}

/* PATH=… of env's operands, and its options that change how the command is
 * found. */
static void
env_moves(struct walk *w, struct spot *spot, const struct resolve_opts *o,
	const struct resolve_opt *opt, enum resolve_opt_kind kind)
{
	/* execvp(3), where PATH is not set. */
	static const char no_path[] = "/bin:/usr/bin";
	struct syn_word value;

	if (kind == RESOLVE_OPT_OPERAND) {
		if (strncmp(opt->name, "PATH=", 5) == 0) {
			spot->by.path_unknown = !o->argv[opt->word].known;
			spot->by.path = opt->name + 5;
		}
	} else if (resolve_opt_is(opt, "i ignore-environment")) {
		spot->by.path_unknown = false;
		spot->by.path = no_path;
	} else if (kind == RESOLVE_OPT_VALUE) {
		value = resolve_word_tail(w, &o->argv[opt->value_word],
		    opt->value_skip);
		if (resolve_opt_is(opt, "u unset") &&
		    strcmp(value.value, "PATH") == 0)
			spot->by.path = no_path;
		spot->by.cwd_unknown |= resolve_opt_is(opt, "C D chdir");
		spot->by.elsewhere |= resolve_opt_is(opt, "R chroot");
	}
}

static void
unwrap_env(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word value, *words, *all;
	struct spot moved = *at;
	size_t n, rest;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, row->option)) {
			/* -S: its words stand in front of the others, and
			 * may be options and assignments themselves. */
			value = resolve_word_tail(w, &argv[opt.value_word],
			    opt.value_skip);
			words = resolve_word_args(w, &value, &n);
			rest = argc - o.next;
			all = arena_alloc(w->arena,
			    (1 + n + rest) * sizeof *all);
			all[0] = argv[0];
			if (n > 0)
				memcpy(all + 1, words, n * sizeof *all);
			if (rest > 0)
				memcpy(all + 1 + n, argv + o.next,
				    rest * sizeof *all);
			if (at->depth < RESOLVE_DEPTH_MAX) {
				struct spot inner = moved;

				inner.depth++;
				unwrap_env(w, &inner, row, all, 1 + n + rest);
			} else {
				resolve_over_cap(w);
			}
			return;
		}
		if (kind == RESOLVE_OPT_OPERAND &&
		    !is_assignment(&argv[opt.word]) &&
		    !(opt.name_len == 1 && opt.name[0] == '-'))
			break;
		env_moves(w, &moved, &o, &opt, kind);
	}
	if (kind == RESOLVE_OPT_OPERAND)
		follow_words(w, &moved, row, argv, argc, opt.word);
}

static void
unwrap_string(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct spot inner = *at;
	struct syn_word text;
	int skip = row->skip;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END)
		if (kind == RESOLVE_OPT_OPERAND && skip-- <= 0)
			break;
	if (kind == RESOLVE_OPT_END)
		return;
	text = resolve_word_join(w, argv + opt.word, argc - opt.word);
	inner.by.elsewhere |= row->elsewhere;
	resolve_program(w, &inner, &text);
}

static void
unwrap_option(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word text;
	bool words = false;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, row->option)) {
			text = resolve_word_tail(w, &argv[opt.value_word],
			    opt.value_skip);
			resolve_program(w, at, &text);
		} else if (kind == RESOLVE_OPT_VALUE && row->after != NULL &&
		    resolve_opt_is(&opt, row->after)) {
			words = true;
		} else if (kind == RESOLVE_OPT_OPERAND && words) {
			follow_words(w, at, row, argv, argc, opt.word);
			return;
		}
	}
}

static void
unwrap_shell(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	bool program = false, plus;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_OPERAND) {
			program |= resolve_opt_is(&opt, "c command commands");
			if (!program && resolve_opt_is(&opt, "s")) {
				resolve_stdin(w, at);
				return;
			}
			continue;
		}
		/* +O extglob, +x: options that stand for "off". */
		plus = opt.name_len == 2 && opt.name[0] == '+';
		if (!plus)
			break;
		o.ended = false;
		if (strchr("Oo", opt.name[1]) != NULL)
			o.next++;
	}
	w->starts_shell = true;
	if (kind == RESOLVE_OPT_END && !program)
		resolve_stdin(w, at);
	else if (kind == RESOLVE_OPT_OPERAND && program)
		resolve_program(w, at, &argv[opt.word]);
	else if (kind == RESOLVE_OPT_OPERAND)
		resolve_script(w, at, &argv[opt.word]);
}

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
		resolve_follow(w, at, all, x->argc);
	}
}

/* With -I the replaced words are not known; without, words are added. */
static void
unwrap_xargs(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
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

static void
unwrap_after(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	int skip = -1;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		/* Until the operand stands, options go on. */
		if (skip < 0)
			o.ended = false;
		if (kind != RESOLVE_OPT_OPERAND)
			continue;
		if (skip < 0 && in_list(row->after, &argv[opt.word]))
			skip = row->skip;
		else if (skip >= 0 && skip-- == 0)
			break;
	}
	if (kind == RESOLVE_OPT_OPERAND)
		follow_words(w, at, row, argv, argc, opt.word);
}

/* A script is a file: that it runs shows in the item. */
static void
unwrap_source(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	size_t i = argc > 1 && strcmp(argv[1].value, "--") == 0 ? 2 : 1;

	if (i < argc)
		resolve_script(w, at, &argv[i]);
}

void
resolve_unwrap(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	switch (row->kind) {
	case WRAP_NONE:
		return;
	case WRAP_WORDS:
		if (!only_asks(argv, argc))
			unwrap_words(w, at, row, argv, argc);
		return;
	case WRAP_ENV:
		unwrap_env(w, at, row, argv, argc);
		return;
	case WRAP_STRING:
		unwrap_string(w, at, row, argv, argc);
		return;
	case WRAP_OPTION:
		unwrap_option(w, at, row, argv, argc);
		return;
	case WRAP_SHELL:
		unwrap_shell(w, at, row, argv, argc);
		return;
	case WRAP_FIND:
		resolve_unwrap_find(w, at, argv, argc);
		return;
	case WRAP_XARGS:
		unwrap_xargs(w, at, row, argv, argc);
		return;
	case WRAP_PARALLEL:
		resolve_unwrap_parallel(w, at, row, argv, argc);
		return;
	case WRAP_TRAP:
		resolve_unwrap_trap(w, at, argv, argc);
		return;
	case WRAP_ALIAS:
		resolve_unwrap_alias(w, at, argv, argc);
		return;
	case WRAP_SOURCE:
		unwrap_source(w, at, argv, argc);
		return;
	case WRAP_STDIN:
		resolve_stdin(w, at);
		return;
	case WRAP_AFTER:
		unwrap_after(w, at, row, argv, argc);
		return;
	}
}
