/* SPDX-License-Identifier: ISC */
/* Programs of other languages that stand in an argument. */
#include "resolve_int.h"

#include <string.h>

static void
add_code(struct walk *w, const struct code_row *row,
	const struct syn_word *word, size_t skip, size_t by)
{
	struct syn_word text = resolve_word_tail(w, word, skip);

	resolve_add_code(w, row->language, &text, by);
}

/* node -pe CODE: a letter that only repeats the option. */
static bool
is_option_letter(const struct code_row *row, const struct syn_word *word,
	size_t skip)
{
	struct resolve_opt letter = { .name = word->value + skip,
		.name_len = 1 };

	return skip > 0 && word->len == skip + 1 &&
	    resolve_opt_is(&letter, row->option);
}

/* vim +CMD, and `+/pattern`, `+12` which are no commands. */
static bool
is_plus_command(const struct code_row *row, const struct syn_word *word)
{
	return strcmp(row->language, "vim") == 0 && word->len > 1 &&
	    word->value[0] == '+' &&
	    strchr("/0123456789", word->value[1]) == NULL;
}

/* The value of an option that holds code. */
static void
add_value(struct walk *w, const struct code_row *row, struct resolve_opts *o,
	const struct resolve_opt *opt, size_t by)
{
	const struct syn_word *value = &o->argv[opt->value_word];

	if (is_option_letter(row, value, opt->value_skip) && o->next < o->argc)
		add_code(w, row, &o->argv[o->next++], 0, by);
	else
		add_code(w, row, value, opt->value_skip, by);
}

static bool
is_dash(const struct resolved *item)
{
	return strcmp(item->argv[item->argc - 1].value, "-") == 0 ||
	    strcmp(item->argv[item->argc - 1].value, "/dev/stdin") == 0;
}

/* sed -f <(echo …), python3 <(echo …), perl /dev/fd/3: what that holds. */
static void
add_made(struct walk *w, const struct spot *at, const struct code_row *row,
	const struct syn_word *word, size_t by)
{
	struct syn_word text;

	if (strcmp(word->value, "-") == 0 ?
	    resolve_stdin_text(w, at, &text) :
	    resolve_file_text(w, at, word, &text))
		resolve_add_code(w, row->language, &text, by);
}

/* sed -fFILE, gdb --command=FILE: the same of an option's value. */
static void
add_option_file(struct walk *w, const struct spot *at,
	const struct code_row *row, const struct resolve_opts *o,
	const struct resolve_opt *opt, size_t by)
{
	struct syn_word word = resolve_word_tail(w, &o->argv[opt->value_word],
	    opt->value_skip);

	add_made(w, at, row, &word, by);
}

/* perl -MName=list names a module; what else stands there is code behind
 * "use". */
static bool
is_module_code(const struct code_row *row, const struct resolve_opts *o,
	const struct resolve_opt *opt)
{
	return strcmp(row->language, "perl") == 0 &&
	    resolve_opt_is(opt, "m M d") &&
	    strpbrk(o->argv[opt->value_word].value + opt->value_skip,
	    " \t\n;(){}|`'\"$@&") != NULL;
}

/* perl -n opens what its operands say: a program where a bar stands at an
 * end.  So does a script that reads with <>. */
static void
follow_bar(struct walk *w, const struct spot *at, const struct syn_word *word)
{
	const char *p = word->value, *end = p + word->len;
	struct syn_word program;

	p += strspn(p, " \t\n");
	while (end > p && strchr(" \t\n", end[-1]) != NULL)
		end--;
	if (end - p < 2 || (*p != '|' && end[-1] != '|'))
		return;
	end -= *p != '|';
	p += *p == '|';
	program = resolve_word_new(w, p, (size_t)(end - p), word->known);
	resolve_program(w, at, &program);
}

/* ed '!cmd' reads what cmd writes. */
static bool
is_bang_operand(const struct code_row *row, const struct syn_word *word)
{
	return strcmp(row->language, "ed") == 0 && word->len > 1 &&
	    word->value[0] == '!';
}

/* make NAME=value: text of a makefile. */
static bool
is_make_operand(const struct code_row *row, const struct syn_word *word)
{
	return strcmp(row->language, "make") == 0 &&
	    memchr(word->value, '=', word->len) != NULL;
}

/* python3 -m timeit -s CODE CODE…; the words behind the module are its own:
 * true. */
static bool
add_module(struct walk *w, const struct code_row *row,
	const struct resolve_opts *o, const struct resolve_opt *opt, size_t by)
{
	const struct syn_word *word = &o->argv[opt->value_word];
	struct resolve_opts inner;
	struct resolve_opt one;
	enum resolve_opt_kind kind;

	if (strcmp(row->language, "python") != 0 || !resolve_opt_is(opt, "m"))
		return false;
	if (strcmp(word->value + opt->value_skip, "timeit") != 0)
		return true;
	resolve_opts_init(&inner, "+n:r:s:u:pvh number: repeat: setup: unit: "
	    "process verbose help", o->argv + o->next - 1,
	    o->argc - o->next + 1);
	while ((kind = resolve_opts_next(&inner, &one)) != RESOLVE_OPT_END) {
		inner.ended |= kind == RESOLVE_OPT_OPERAND;
		if (kind == RESOLVE_OPT_OPERAND)
			add_code(w, row, &inner.argv[one.word], 0, by);
		else if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&one, "s setup"))
			add_code(w, row, &inner.argv[one.value_word],
			    one.value_skip, by);
	}
	return true;
}

void
resolve_find_code(struct walk *w, const struct spot *at, size_t by)
{
	const struct resolved *item = &w->items[by];
	const struct syn_word *argv = item->argv;
	size_t argc = item->argc;
	const struct code_row *row = resolve_code_row(item->name);
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	bool blocked = false, first = true, after = false;
	size_t before = w->pub.n_code, operands = 0, i, end;
	struct syn_word text;

	if (row == NULL)
		return;
	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_OPERAND) {
			blocked |= resolve_opt_is(&opt, row->not_with);
			if (kind == RESOLVE_OPT_VALUE &&
			    (resolve_opt_is(&opt, row->option) ||
			    is_module_code(row, &o, &opt)))
				add_value(w, row, &o, &opt, by);
			else if (kind == RESOLVE_OPT_VALUE &&
			    add_module(w, row, &o, &opt, by))
				break;
			else if (kind == RESOLVE_OPT_VALUE)
				add_option_file(w, at, row, &o, &opt, by);
			continue;
		}
		if (strcmp(row->language, "perl") == 0)
			follow_bar(w, at, &argv[opt.word]);
		if (is_bang_operand(row, &argv[opt.word]) ||
		    is_make_operand(row, &argv[opt.word]))
			add_code(w, row, &argv[opt.word], 0, by);
		else if (is_plus_command(row, &argv[opt.word]))
			add_code(w, row, &argv[opt.word], 1, by);
		else if (after || operands + 1 == row->operand ||
		    (first && row->not_with != NULL && !blocked))
			add_code(w, row, &argv[opt.word], 0, by);
		else if (first && row->not_with == NULL)
			add_made(w, at, row, &argv[opt.word], by);
		after = first && row->after != NULL &&
		    resolve_in_list(row->after, &argv[opt.word]);
		first = false;
		operands++;
	}
	item = &w->items[by];
	/* python3 - <<E: the program stands on standard input. */
	if (row->not_with == NULL && (row->reads_stdin ||
	    (w->pub.n_code == before && (operands == 0 ||
	    (operands == 1 && is_dash(item))))) &&
	    resolve_stdin_text(w, at, &text))
		resolve_add_code(w, row->language, &text, by);
	/* Only now: what is followed adds items and code of its own. */
	for (i = before, end = w->pub.n_code; i < end; i++) {
		text = w->codes[i].text;
		resolve_calls(w, at, row->language, &text);
	}
}
