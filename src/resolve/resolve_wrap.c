/* SPDX-License-Identifier: ISC */
/* From a wrapper's words to what it starts, by its row of the table. */
#include "resolve_int.h"

#include <string.h>

#include "aegsh/base/buf.h"

/* The word at `from` and all after it are a command that execve(2) or the
 * shell itself starts. */
void
resolve_follow_words(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc,
	size_t from)
{
	struct spot inner = *at;
	struct syn_word *copy;

	if (from >= argc)
		return;
	inner.by_exec = !row->in_shell;
	inner.no_function |= row->no_function;
	inner.by.elsewhere |= row->elsewhere;
	if (!resolve_is_tool(row)) {
		resolve_follow(w, &inner, argv + from, argc - from);
		return;
	}
	/* Copies: the words stay the tool's own, too. */
	argc -= from;
	copy = arena_alloc(w->arena, argc * sizeof *copy);
	memcpy(copy, argv + from, argc * sizeof *copy);
	resolve_follow(w, &inner, copy, argc);
}

bool
resolve_in_list(const char *list, const struct syn_word *word)
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

/* env takes any word with "=" for one, be there a name or not. */
static bool
is_assignment(const struct syn_word *word)
{
	return memchr(word->value, '=', word->len) != NULL;
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

/* npx -c 'program' */
void
resolve_follow_value(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv,
	const struct resolve_opt *opt)
{
	struct syn_word text;

	if (row->option == NULL || !resolve_opt_is(opt, row->option))
		return;
	text = resolve_word_tail(w, &argv[opt->value_word], opt->value_skip);
	if (row->appends)
		text = resolve_word_more(w, &text);
	resolve_program(w, at, &text);
}

/* An option of the row says where it starts, or below which root. */
static void
note_move(const struct wrap_row *row, const struct resolve_opt *opt,
	struct spot *spot)
{
	spot->by.moved |= resolve_opt_is(opt, resolve_more(row)->moves);
	spot->by.cwd_unknown |= spot->by.moved;
	spot->by.elsewhere |= resolve_opt_is(opt, resolve_more(row)->roots);
}

/* strace -o '|program' */
static void
follow_pipe(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, const struct resolve_opt *opt)
{
	struct syn_word text;

	if (!resolve_opt_is(opt, resolve_more(row)->pipe))
		return;
	text = resolve_word_tail(w, &argv[opt->value_word], opt->value_skip);
	if (text.len == 0 || strchr("|!", text.value[0]) == NULL)
		return;
	text = resolve_word_tail(w, &text, 1);
	resolve_program(w, at, &text);
}

static void
unwrap_words(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	const struct wrap_more *more = resolve_more(row);
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct spot moved = *at;
	struct syn_word text;
	int skip = row->skip;
	bool joined = false;
	size_t from;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_VALUE) {
			resolve_follow_value(w, at, row, argv, &opt);
			follow_pipe(w, at, row, argv, &opt);
		}
		if (kind != RESOLVE_OPT_OPERAND) {
			note_move(row, &opt, &moved);
			if (resolve_opt_is(&opt, more->instead))
				skip = 0;
			joined |= resolve_opt_is(&opt, more->joined);
			o.next += resolve_opt_is(&opt, more->pairs);
			continue;
		}
		if (row->labels && opt.word + 1 < argc &&
		    strchr(argv[opt.word].value, ':') != NULL)
			continue;
		if (row->after != NULL &&
		    resolve_in_list(row->after, &argv[opt.word])) {
			o.ended = false;
			continue;
		}
		/* mosh host -- command */
		if (skip < row->skip && strcmp(argv[opt.word].value,
		    "--") == 0)
			continue;
		if (skip-- <= 0)
			break;
	}
	if (kind == RESOLVE_OPT_END ||
	    (row->fetches && resolve_is_fetched(&argv[opt.word])))
		return;
	from = opt.word;
	/* flock FILE -c 'program'; sg GROUP -c 'program' */
	if (is_program_option(row, &argv[from]) && from + 1 < argc) {
		resolve_program(w, &moved, &argv[from + 1]);
		return;
	}
	/* entr -s 'program' */
	if (joined) {
		text = resolve_word_join(w, argv + from, argc - from);
		resolve_program(w, &moved, &text);
		return;
	}
	resolve_follow_words(w, &moved, row, argv, argc, from);
}

/* BASH_FUNC_ls%%=() { … }: any bash further down may call it. */
static void
follow_function(struct walk *w, const struct spot *at,
	const struct syn_word *word)
{
	const char *equal = memchr(word->value, '=', word->len), *body;
	struct syn_word text;

	if (strncmp(word->value, "BASH_FUNC_", 10) != 0)
		return;
	body = equal + 1 + strspn(equal + 1, " \t\n()");
	text = resolve_word_tail(w, word, (size_t)(body - word->value));
	resolve_program(w, at, &text);
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
			spot->by.path_given = true;
		}
		if (is_assignment(&o->argv[opt->word])) {
			resolve_give_more(w, spot, (struct resolve_given){
			    .word = &o->argv[opt->word] });
			follow_function(w, spot, &o->argv[opt->word]);
		}
	} else if (resolve_opt_is(opt, "i ignore-environment")) {
		spot->by.path_unknown = false;
		spot->by.path = no_path;
		spot->given = NULL;
	} else if (kind == RESOLVE_OPT_VALUE) {
		value = resolve_word_tail(w, &o->argv[opt->value_word],
		    opt->value_skip);
		if (resolve_opt_is(opt, "u unset")) {
			if (strcmp(value.value, "PATH") == 0)
				spot->by.path = no_path;
			resolve_give_more(w, spot, (struct resolve_given){
			    .unset = value.value });
		}
		spot->by.moved |= resolve_opt_is(opt, "C D chdir");
		spot->by.cwd_unknown |= spot->by.moved;
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
		if (kind != RESOLVE_OPT_OPERAND)
			note_move(row, &opt, &moved);
	}
	if (kind == RESOLVE_OPT_OPERAND)
		resolve_follow_words(w, &moved, row, argv, argc, opt.word);
}

/* ssh -o ProxyCommand=…: programs that this host runs. */
static void
follow_carrier(struct walk *w, const struct spot *at,
	const struct syn_word *argv, const struct resolve_opt *opt)
{
	static const char *const names[] = { "ProxyCommand", "LocalCommand",
		"KnownHostsCommand" };
	struct syn_word value = resolve_word_tail(w, &argv[opt->value_word],
	    opt->value_skip);
	size_t i, n;

	for (i = 0; i < AEG_NELEM(names); i++) {
		n = strlen(names[i]);
		if (strncasecmp(value.value, names[i], n) != 0)
			continue;
		n += strspn(value.value + n, " \t=");
		value = resolve_word_tail(w, &value, n);
		value = resolve_word_marks(w, &value);
		resolve_program(w, at, &value);
		return;
	}
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
	bool reads = row->elsewhere;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND && skip-- <= 0)
			break;
		if (kind == RESOLVE_OPT_VALUE)
			resolve_follow_value(w, at, row, argv, &opt);
		if (kind == RESOLVE_OPT_OPERAND || !row->elsewhere)
			continue;
		/* Forwards only, or has no input. */
		reads &= !resolve_opt_is(&opt, "N n f W O Q V G s");
		if (kind == RESOLVE_OPT_VALUE && resolve_opt_is(&opt, "o"))
			follow_carrier(w, at, argv, &opt);
	}
	inner.by.elsewhere |= row->elsewhere;
	if (kind != RESOLVE_OPT_END) {
		text = resolve_word_join(w, argv + opt.word, argc - opt.word);
		resolve_program(w, &inner, &text);
	} else if (reads && skip < row->skip) {
		/* ssh HOST: the shell there reads what comes in here. */
		resolve_stdin(w, &inner);
	}
}

/* jobs -x: %1 becomes the number of a process. */
static const struct syn_word *
without_jobs(struct walk *w, const struct syn_word *argv, size_t argc)
{
	struct syn_word *out = arena_alloc(w->arena, argc * sizeof *out);
	size_t i;

	for (i = 0; i < argc; i++)
		out[i] = argv[i].known && argv[i].value[0] == '%' ?
		    resolve_word_new(w, argv[i].value, argv[i].len, false) :
		    argv[i];
	return out;
}

/* cmake -E env a=1 -- CMD: its env takes the dashes there. */
static const struct syn_word *
without_dashes(struct walk *w, const struct syn_word *argv, size_t *argc)
{
	struct syn_word *out = arena_alloc(w->arena, *argc * sizeof *out);
	size_t i, n = 0;
	bool found = false;

	for (i = 0; i < *argc; i++) {
		if (!found && strcmp(argv[i].value, "--") == 0)
			found = true;
		else
			out[n++] = argv[i];
	}
	*argc = n;
	return out;
}

void
resolve_unwrap_option(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
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
			if (row->appends)
				text = resolve_word_more(w, &text);
			resolve_program(w, at, &text);
		} else if (kind != RESOLVE_OPT_OPERAND && row->after != NULL &&
		    resolve_opt_is(&opt, row->after)) {
			words = true;
		} else if (kind == RESOLVE_OPT_OPERAND && words) {
			/* A terminal takes a single word for a program. */
			if (opt.word + 1 == argc && !row->in_shell &&
			    strchr(argv[opt.word].value, ' ') != NULL) {
				resolve_program(w, at, &argv[opt.word]);
				return;
			}
			argv = strcmp(row->name, "cmake") == 0 ?
			    without_dashes(w, argv, &argc) :
			    without_jobs(w, argv, argc);
			resolve_follow_words(w, at, row, argv, argc, opt.word);
			return;
		}
	}
}

/* su [options] [-] [user [argument…]]: the arguments are a shell's. */
static void
unwrap_user(struct walk *w, const struct spot *at, const struct wrap_row *row,
	const struct syn_word *argv, size_t argc)
{
	static const struct wrap_row shell = { .kind = WRAP_SHELL,
		.grammar = RESOLVE_SHELL_GRAMMAR };
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word *words = arena_alloc(w->arena, argc * sizeof *words);
	bool user = false, program = false, named = false;
	size_t n = 1;

	words[0] = argv[0];
	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, row->option)) {
			program = true;
			resolve_follow_value(w, at, row, argv, &opt);
		} else if (kind == RESOLVE_OPT_VALUE && row->after != NULL &&
		    resolve_opt_is(&opt, row->after)) {
			named = true;
		} else if (kind == RESOLVE_OPT_OPERAND && named) {
			resolve_follow_words(w, at, row, argv, argc, opt.word);
			return;
		} else if (kind == RESOLVE_OPT_OPERAND && user) {
			words[n++] = argv[opt.word];
		} else if (kind == RESOLVE_OPT_OPERAND &&
		    strcmp(argv[opt.word].value, "-") != 0) {
			user = true;
		}
	}
	if (!program)
		resolve_unwrap_shell(w, at, &shell, words, n);
}

/* start-stop-daemon --exec FILE … -- arguments */
static void
unwrap_daemon(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct spot inner = *at;
	struct syn_word *words = arena_alloc(w->arena,
	    (argc + 1) * sizeof *words);
	bool named = false;
	size_t n = 1;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND) {
			words[n++] = argv[opt.word];
			continue;
		}
		note_move(row, &opt, &inner);
		if (kind == RESOLVE_OPT_VALUE &&
		    resolve_opt_is(&opt, row->option)) {
			words[0] = resolve_word_tail(w, &argv[opt.value_word],
			    opt.value_skip);
			named = true;
		}
	}
	inner.by_exec = true;
	if (named)
		resolve_follow(w, &inner, words, n);
}

/* scp, sftp, rsync: what they use instead of ssh. */
static void
unwrap_remote(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		/* The far end of rsync: its -e names what it understands. */
		if (resolve_opt_is(&opt, "server"))
			return;
		if (kind != RESOLVE_OPT_VALUE)
			continue;
		resolve_follow_value(w, at, row, argv, &opt);
		if (resolve_opt_is(&opt, "o"))
			follow_carrier(w, at, argv, &opt);
	}
}

/* A script is a file: that it runs shows in the item. */
static void
unwrap_source(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	size_t i = argc > 1 && strcmp(argv[1].value, "--") == 0 ? 2 : 1;
	struct spot inner = *at;

	/* a=x . FILE: unset, there, brings back what a was. */
	w->pub.incomplete |= at->command->n_assigns > 0;
	inner.args = argv + i + 1;
	inner.has_args = i + 1 < argc;
	inner.n_args = inner.has_args ? argc - i - 1 : 0;
	if (i < argc)
		resolve_script(w, &inner, &argv[i]);
}

void
resolve_unwrap(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	switch (row->kind) {
	case WRAP_NONE:
		return;
	case WRAP_WORDS:
		if (strcmp(argv[0].value, "command") != 0 ||
		    !syn_command_asks(argv, argc, NULL))
			unwrap_words(w, at, row, argv, argc);
		return;
	case WRAP_ENV:
		unwrap_env(w, at, row, argv, argc);
		return;
	case WRAP_STRING:
		unwrap_string(w, at, row, argv, argc);
		return;
	case WRAP_OPTION:
		resolve_unwrap_option(w, at, row, argv, argc);
		return;
	case WRAP_SHELL:
		resolve_unwrap_shell(w, at, row, argv, argc);
		return;
	case WRAP_FIND:
		resolve_unwrap_find(w, at, argv, argc);
		return;
	case WRAP_XARGS:
		resolve_unwrap_xargs(w, at, row, argv, argc);
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
		resolve_unwrap_after(w, at, row, argv, argc);
		return;
	case WRAP_USER:
		unwrap_user(w, at, row, argv, argc);
		return;
	case WRAP_DAEMON:
		unwrap_daemon(w, at, row, argv, argc);
		return;
	case WRAP_SCREEN:
		resolve_unwrap_screen(w, at, argv, argc);
		return;
	case WRAP_TMUX:
		resolve_unwrap_tmux(w, at, argv, argc);
		return;
	case WRAP_REMOTE:
		unwrap_remote(w, at, row, argv, argc);
		return;
	case WRAP_EACH:
		resolve_unwrap_each(w, at, row, argv, argc);
		return;
	case WRAP_TAR:
		resolve_unwrap_tar(w, at, row, argv, argc);
		return;
	case WRAP_GIT:
		resolve_unwrap_git(w, at, argv, argc);
		return;
	}
}
