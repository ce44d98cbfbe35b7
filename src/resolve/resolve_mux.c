/* SPDX-License-Identifier: ISC */
/*
 * screen and tmux: commands for a new window, and commands of their own that
 * start others or type into a shell.
 */
#include "resolve_int.h"

#include <string.h>

static void
follow_words(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct spot inner = *at;

	inner.by_exec = true;
	if (argc > 0)
		resolve_follow(w, &inner, argv, argc);
}

/* Keys for a shell: what marks the Enter at their end is none of it. */
static void
follow_keys(struct walk *w, const struct spot *at, const struct syn_word *keys)
{
	static const char *const enters[] = { "^M", "\\015", "\\012", "\\n",
		"\\r", "\n", "\r" };
	struct syn_word text;
	size_t i, n, len = keys->len;

	for (i = 0; i < AEG_NELEM(enters); i++) {
		n = strlen(enters[i]);
		if (len >= n && memcmp(keys->value + len - n, enters[i],
		    n) == 0) {
			len -= n;
			break;
		}
	}
	text = resolve_word_new(w, keys->value, len, keys->known);
	resolve_program(w, at, &text);
}

/* ---- screen ------------------------------------------------------------- */

/* screen -X COMMAND … */
static void
screen_command(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	size_t i = 1;

	if (argc < 2)
		return;
	if (strcmp(argv[0].value, "stuff") == 0) {
		follow_keys(w, at, &argv[argc - 1]);
		return;
	}
	if (strcmp(argv[0].value, "screen") == 0)
		while (i < argc && argv[i].value[0] == '-')
			i += strchr("tTh", argv[i].value[1]) != NULL ? 2 : 1;
	else if (strcmp(argv[0].value, "exec") != 0)
		return;
	/* A pattern of descriptors, or the number of the window. */
	if (i < argc && strspn(argv[i].value, ".!:|0123456789") ==
	    argv[i].len)
		i++;
	if (i < argc)
		follow_words(w, at, argv + i, argc - i);
}

void
resolve_unwrap_screen(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	static const char grammar[] = "+c:e:h:p:S:s:t:T:";
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	bool named = false;

	resolve_opts_init(&o, grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		const char *word = argv[opt.word].value;

		if (kind == RESOLVE_OPT_OPERAND)
			break;
		if (strcmp(word, "-ls") == 0 || strcmp(word, "-list") == 0 ||
		    strcmp(word, "-wipe") == 0)
			return;
		if (strcmp(word, "-Logfile") == 0) {
			o.letter = 0;
			o.next = opt.word + 2;
			continue;
		}
		if (resolve_opt_is(&opt, "X Q")) {
			screen_command(w, at, argv + opt.word + 1,
			    argc - opt.word - 1);
			return;
		}
		/* The session to come back to. */
		named = resolve_opt_is(&opt, "r R x") && o.letter == 0;
		if (named && o.next < argc && argv[o.next].value[0] != '-')
			o.next++;
	}
	if (kind == RESOLVE_OPT_OPERAND)
		follow_words(w, at, argv + opt.word, argc - opt.word);
}

/* ---- tmux --------------------------------------------------------------- */

enum mux_kind {
	MUX_SHELL = 0,		/* one word: for a shell; more: execve(2) */
	MUX_KEYS,		/* are typed */
	MUX_COMMANDS,		/* commands of tmux again, each in one word */
	MUX_BIND,		/* the same, in words */
	MUX_TEST,		/* a shell's program, then commands of tmux */
	MUX_OPTION,		/* of default-command and its like */
};

struct mux_row {
	const char *name, *alias;
	enum mux_kind kind;
	const char *grammar;
	int skip;
};

static const struct mux_row mux[] = {
	{ "bind-key", "bind", MUX_BIND, "+T:N:", 1 },
	{ "confirm-before", "confirm", MUX_COMMANDS, "+p:t:c:", 0 },
	{ "command-prompt", NULL, MUX_COMMANDS, "+I:p:t:T:", 0 },
	{ "display-popup", "popup", MUX_SHELL,
	    "+b:c:d:e:h:s:S:t:T:w:x:y:", 0 },
	{ "if-shell", "if", MUX_TEST, "+t:", 0 },
	{ "new-session", "new", MUX_SHELL, "+c:e:f:F:n:s:t:x:y:", 0 },
	{ "new-window", "neww", MUX_SHELL, "+c:e:F:n:t:", 0 },
	{ "pipe-pane", "pipep", MUX_SHELL, "+t:", 0 },
	{ "respawn-pane", "respawnp", MUX_SHELL, "+c:e:t:", 0 },
	{ "respawn-window", "respawnw", MUX_SHELL, "+c:e:t:", 0 },
	{ "run-shell", "run", MUX_SHELL, "+c:d:t:", 0 },
	{ "send-keys", "send", MUX_KEYS, "+c:N:t:", 0 },
	{ "set-hook", NULL, MUX_COMMANDS, "+t:", 1 },
	{ "set-option", "set", MUX_OPTION, "+t:", 1 },
	{ "set-window-option", "setw", MUX_OPTION, "+t:", 1 },
	{ "split-window", "splitw", MUX_SHELL, "+c:e:l:p:t:F:", 0 },
};

static const struct mux_row *
find_row(const struct syn_word *word)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(mux); i++)
		if (mux[i].alias != NULL &&
		    strcmp(mux[i].alias, word->value) == 0)
			return &mux[i];
	/* The beginning of a name will do. */
	for (i = 0; i < AEG_NELEM(mux) && word->len > 0; i++)
		if (strncmp(mux[i].name, word->value, word->len) == 0)
			return &mux[i];
	return NULL;
}

static void follow_list(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);

static void
follow_text(struct walk *w, const struct spot *at, const struct syn_word *text)
{
	struct spot inner = *at;
	struct syn_word *words;
	size_t n = 0;

	inner.depth++;
	if (inner.depth > RESOLVE_DEPTH_MAX) {
		resolve_over_cap(w);
		return;
	}
	words = resolve_word_args(w, text, &n);
	follow_list(w, &inner, words, n);
}

static void
follow_operands(struct walk *w, const struct spot *at,
	const struct mux_row *row, const struct syn_word *argv, size_t argc)
{
	size_t i;

	switch (row->kind) {
	case MUX_SHELL:
		if (argc == 1)
			resolve_program(w, at, &argv[0]);
		else
			follow_words(w, at, argv, argc);
		return;
	case MUX_KEYS:
		for (i = 0; i < argc; i++)
			if (strpbrk(argv[i].value, " /\n") != NULL)
				follow_keys(w, at, &argv[i]);
		return;
	case MUX_TEST:
		resolve_program(w, at, &argv[0]);
		for (i = 1; i < argc; i++)
			follow_text(w, at, &argv[i]);
		return;
	case MUX_COMMANDS:
		for (i = 0; i < argc; i++)
			follow_text(w, at, &argv[i]);
		return;
	case MUX_BIND:
		if (argc == 1)
			follow_text(w, at, &argv[0]);
		else
			follow_list(w, at, argv, argc);
		return;
	case MUX_OPTION:
		resolve_program(w, at, &argv[0]);
		return;
	}
}

static void
follow_command(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	const struct mux_row *row = find_row(&argv[0]);
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	int skip;

	if (row == NULL)
		return;
	skip = row->skip;
	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind != RESOLVE_OPT_OPERAND)
			continue;
		if (row->kind == MUX_OPTION && skip > 0 &&
		    !resolve_in_list("default-command default-shell "
		    "lock-command copy-command editor", &argv[opt.word]))
			return;
		if (skip-- <= 0)
			break;
	}
	if (kind == RESOLVE_OPT_OPERAND)
		follow_operands(w, at, row, argv + opt.word, argc - opt.word);
}

/* Commands with ";" between them, or at the end of a word. */
static void
follow_list(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct syn_word *words = arena_alloc(w->arena,
	    argc * sizeof *words + 1);
	size_t i, n = 0;

	for (i = 0; i < argc; i++) {
		bool ends = argv[i].len > 0 &&
		    argv[i].value[argv[i].len - 1] == ';' &&
		    !(argv[i].len > 1 && argv[i].value[argv[i].len - 2] ==
		    '\\');

		if (!ends)
			words[n++] = argv[i];
		else if (argv[i].len > 1)
			words[n++] = resolve_word_new(w, argv[i].value,
			    argv[i].len - 1, argv[i].known);
		if (n > 0 && (ends || i + 1 == argc)) {
			follow_command(w, at, words, n);
			words += n;
			n = 0;
		}
	}
}

void
resolve_unwrap_tmux(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word value;

	resolve_opts_init(&o, "+c:f:L:S:T:", argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND)
			break;
		if (kind != RESOLVE_OPT_VALUE || !resolve_opt_is(&opt, "c"))
			continue;
		value = resolve_word_tail(w, &argv[opt.value_word],
		    opt.value_skip);
		resolve_program(w, at, &value);
	}
	if (kind == RESOLVE_OPT_OPERAND)
		follow_list(w, at, argv + opt.word, argc - opt.word);
}
