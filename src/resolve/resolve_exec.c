/* SPDX-License-Identifier: ISC */
/* The wrappers with a grammar of their own: find, parallel, trap, alias. */
#include "resolve_int.h"

#include <string.h>

static bool
word_is(const struct syn_word *word, const char *text)
{
	return word->known && strcmp(word->value, text) == 0;
}

/* A copy in which each word with a placeholder is not known any more. */
static struct syn_word *
without_marks(struct walk *w, const struct syn_word *argv, size_t n,
	char open)
{
	struct syn_word *copy = arena_alloc(w->arena, (n + 1) * sizeof *copy);
	size_t i;
	const char *p;

	for (i = 0; i < n; i++) {
		copy[i] = argv[i];
		p = memchr(argv[i].value, open, argv[i].len);
		if (p != NULL && strchr(p, '}') != NULL)
			copy[i] = resolve_word_new(w, argv[i].value,
			    argv[i].len, false);
	}
	return copy;
}

static bool
starts_command(const struct syn_word *word)
{
	return word_is(word, "-exec") || word_is(word, "-execdir") ||
	    word_is(word, "-ok") || word_is(word, "-okdir");
}

/* -exec command… ; or -exec command… {} + (find(1)). */
void
resolve_unwrap_find(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct spot inner = *at;
	size_t i, start;

	inner.by_exec = true;
	for (i = 1; i < argc; i++) {
		if (!starts_command(&argv[i]))
			continue;
		for (start = ++i; i < argc; i++)
			if (word_is(&argv[i], ";") || (word_is(&argv[i], "+") &&
			    i > start && word_is(&argv[i - 1], "{}")))
				break;
		inner.more_args = i == argc || word_is(&argv[i], "+");
		if (i > start)
			resolve_follow(w, &inner, without_marks(w, argv + start,
			    i - start, '{'), i - start);
	}
}

/* The words up to ::: make one shell line, into which values are put. */
void
resolve_unwrap_parallel(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct spot inner = *at;
	struct syn_word *copy, file = { .value = NULL }, text;
	size_t n;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND)
			break;
		if (kind == RESOLVE_OPT_VALUE)
			resolve_follow_value(w, at, row, argv, &opt);
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, "a arg-file"))
			file = resolve_word_tail(w, &argv[opt.value_word],
			    opt.value_skip);
	}
	/* The commands stand in a file or on standard input, a line each. */
	if (kind == RESOLVE_OPT_END) {
		if (file.value == NULL || strcmp(file.value, "-") == 0)
			resolve_stdin(w, at);
		else if (resolve_file_text(w, at, &file, &text))
			resolve_program(w, at, &text);
		else
			w->pub.incomplete = true;
		return;
	}
	for (n = 0; opt.word + n < argc; n++)
		if (strncmp(argv[opt.word + n].value, ":::", 3) == 0)
			break;
	inner.more_args = true;
	if (n == 1 && strpbrk(argv[opt.word].value, " \t\n;|&") != NULL) {
		resolve_program(w, &inner, &argv[opt.word]);
		return;
	}
	if (n == 0) {		/* the values themselves are the commands */
		/* :::: FILE */
		w->pub.incomplete |= strncmp(argv[opt.word].value, "::::",
		    4) == 0;
		for (n = opt.word + 1; n < argc; n++)
			if (strncmp(argv[n].value, ":::", 3) != 0)
				resolve_program(w, &inner, &argv[n]);
		return;
	}
	copy = without_marks(w, argv + opt.word, n, '{');
	inner.by_exec = true;
	resolve_follow(w, &inner, copy, n);
}

void
resolve_unwrap_trap(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	size_t i = 1;

	if (i < argc && word_is(&argv[i], "--"))
		i++;
	else if (i < argc && argv[i].len > 1 && argv[i].value[0] == '-')
		return;		/* -l, -p */
	/* One operand, a number or "-" reset signals (trap, POSIX XCU 2.15). */
	if (argc - i < 2 || word_is(&argv[i], "-") ||
	    (argv[i].len > 0 && strspn(argv[i].value, "0123456789") ==
	    argv[i].len))
		return;
	resolve_program(w, at, &argv[i]);
}

void
resolve_unwrap_alias(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct syn_word value;
	const char *equal;
	size_t i;

	for (i = 1; i < argc; i++) {
		equal = memchr(argv[i].value, '=', argv[i].len);
		if (equal == NULL || argv[i].value[0] == '-')
			continue;
		value = resolve_word_tail(w, &argv[i],
		    (size_t)(equal + 1 - argv[i].value));
		resolve_program(w, at, &value);
	}
}
