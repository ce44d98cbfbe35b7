/* SPDX-License-Identifier: ISC */
/* Features of commands that no single word shows. */
#include "policy_view_int.h"

#include <string.h>

#include "aegsh/base/text.h"

#define LONG_LINE 4096	/* bytes of one command's words */

static void
set(struct view_cmd *cmd, enum pol_feature feature)
{
	cmd->features |= (uint64_t)1 << feature;
}

/* Letters of other scripts that look like those of ours: Greek, Cyrillic,
 * Cherokee, letter-like symbols, fullwidth and mathematical forms. */
static bool
looks_latin(uint32_t cp)
{
	return (cp >= 0x370 && cp <= 0x52f) || (cp >= 0x13a0 && cp <= 0x13ff) ||
	    (cp >= 0x2100 && cp <= 0x214f) || (cp >= 0xff00 && cp <= 0xffef) ||
	    (cp >= 0x1d400 && cp <= 0x1d7ff);
}

static bool
has_odd_letters(const struct syn_word *word)
{
	uint32_t cp;
	size_t i = 0, n;

	while (i < word->len) {
		n = text_utf8(word->value + i, word->len - i, &cp);
		if (n > 1 && looks_latin(cp))
			return true;
		i += n > 0 ? n : 1;
	}
	return false;
}

/* $a$b, ${a}"${b}": pieces that the line holds apart are put together to the
 * name of a program.  gcc-$v and $DIR/$name have a part that can be read. */
static bool
is_pieced(const struct view *v, const struct view_cmd *cmd)
{
	const struct syn_word *word = &cmd->argv[0];
	const char *p, *end, *name;
	unsigned n = 0;

	if (!word->known || v->in->line == NULL || cmd->item->level > 0 ||
	    (cmd->item->kind != RESOLVE_FILE &&
	    cmd->item->kind != RESOLVE_BUILTIN) ||
	    memchr(word->value, '/', word->len) != NULL ||
	    word->offset + word->source_len > v->in->len)
		return false;
	p = v->in->line + word->offset;
	end = p + word->source_len;
	while (p < end) {
		if (*p == '"') {
			p++;
			continue;
		}
		if (*p++ != '$')
			return false;
		if (p < end && *p == '{')
			p++;
		for (name = p; p < end && text_is_name(name,
		    (size_t)(p - name) + 1);)
			p++;
		if (p == name)
			return false;
		if (p < end && *p == '}')
			p++;
		n++;
	}
	return n > 1;
}

/* Quotes inside a word that needs none: somebody spelled it so that it
 * does not read as what it is.  `\\ls` and `"ls"` are habits. */
static bool
is_spelled(const struct view *v, const struct view_cmd *cmd)
{
	const struct syn_word *word = &cmd->argv[0];
	const char *line = v->in->line, *dollar;
	size_t i, extra;

	if (!word->known || !word->quoted || word->len == 0 ||
	    word->source_len <= word->len)
		return false;
	/* "$tool" is longer than what it means, and hides nothing. */
	if (line != NULL && cmd->item->level == 0 &&
	    word->offset + word->source_len <= v->in->len) {
		dollar = memchr(line + word->offset, '$', word->source_len);
		if (dollar != NULL && dollar[1] != '\'')
			return false;
	}
	for (i = 0; i < word->len; i++)
		if (strchr(" \t\n'\"\\$`*?[](){}<>|&;!#~", word->value[i]) !=
		    NULL)
			return false;
	extra = word->source_len - word->len;
	if (extra == 1 && line != NULL && cmd->item->level == 0 &&
	    word->offset < v->in->len)
		return line[word->offset] != '\\';	/* c\at */
	return extra > 2 || (extra == 2 && word->n_parts > 1);
}

static bool
is_self(const struct syn_word *word)
{
	static const char *const names[] = { "$0", "${0}", "$BASH", "${BASH}",
		"$BASH_SOURCE", "/proc/self/exe", "/proc/$$/exe" };

	return TEXT_AMONG(word->value, names);
}

static bool
is_interpreter(const struct view_cmd *cmd)
{
	static const char *const names[] = { "python", "perl", "ruby", "node",
		"nodejs", "php", "lua", "luajit", "tclsh", "guile", "pypy",
		"osascript", "deno", "bun", "expect" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (strlen(names[i]) == cmd->stem_len &&
		    memcmp(names[i], cmd->name, cmd->stem_len) == 0)
			return true;
	return view_is_shell(cmd);
}

/* The program that stood on standard input was found in the line. */
static bool
was_followed(const struct view *v, size_t i)
{
	return i + 1 < v->n_cmds &&
	    v->cmds[i + 1].item->level > v->cmds[i].item->level;
}

/* What a shell's words say, wherever it is found; false: it is none. */
static bool
shell_files(const struct view_cmd *cmd, struct resolve_files *ret)
{
	struct resolved item = { .kind = RESOLVE_FILE, .name = cmd->name,
		.argv = cmd->argv, .argc = cmd->argc };

	return view_is_shell(cmd) && resolve_files(&item, ret);
}

static void
interpreter_features(struct view *v, size_t i)
{
	struct view_cmd *cmd = &v->cmds[i];
	struct resolve_files f;
	bool program, own_input;

	if (!is_interpreter(cmd))
		return;
	if (shell_files(cmd, &f)) {
		program = f.idle || cmd->n_code > 0 ||
		    view_option(cmd, "--version|--help") != NULL;
		own_input = f.input || (f.n > 0 && strcmp(
		    cmd->argv[f.at[f.n - 1].word].value, "/dev/stdin") == 0);
	} else {
		program = cmd->n_code > 0 || view_option(cmd,
		    "--version|--help|-V|-h|-m") != NULL;
		own_input = cmd->n_operands == 0 ||
		    strcmp(cmd->argv[cmd->operands[0]].value, "-") == 0 ||
		    strcmp(cmd->argv[cmd->operands[0]].value,
		    "/dev/stdin") == 0;
	}
	if (program || !own_input || was_followed(v, i) ||
	    cmd->item->more_args_unknown)
		return;
	if (view_stdin_given(v, cmd))
		set(cmd, POL_FEATURE_STDIN_PROGRAM);
	else if (view_is_shell(cmd) && !v->in->input_judged)
		set(cmd, POL_FEATURE_BARE_SHELL);
}

/* What stands behind it is the command that it starts. */
static bool
passes_on(const struct view *v, const struct view_cmd *cmd)
{
	return cmd + 1 < v->cmds + v->n_cmds && cmd->argc < cmd->item->argc;
}

/* A function of that name takes the place of something that is there. */
static bool
takes_place(const struct view *v, const char *name)
{
	char *path AEG_AUTOFREE = NULL;

	if (resolve_is_builtin(name))
		return true;
	if (pol_find_name(v->policy, POL_SEC_PROGNAMES, name,
	    strlen(name)) == NULL)
		return false;
	/* Examples are checked without this machine's programs. */
	return !v->touch_disk || resolve_path(name, v->in->state, &path) == 0;
}

static void
context_features(struct view *v, struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	const char *f = c->in_function;

	if (cmd->item->level > 0)
		set(cmd, POL_FEATURE_NESTED);
	if (c->context & SYN_IN_LOOP)
		set(cmd, POL_FEATURE_IN_LOOP);
	if (c->context & SYN_IN_BACKGROUND)
		set(cmd, POL_FEATURE_IN_BACKGROUND);
	if (c->context & (SYN_IN_SUBST | SYN_IN_PROCESS))
		set(cmd, POL_FEATURE_IN_SUBST);
	if (f != NULL)
		set(cmd, POL_FEATURE_IN_FUNCTION);
	if (cmd->item->more_args_unknown)
		set(cmd, POL_FEATURE_MORE_ARGS);
	if (cmd->item->more_args_unknown && !passes_on(v, cmd))
		set(cmd, POL_FEATURE_WORDS_ADDED);
	if (cmd->n_operands == 0 || (cmd->n_operands == 1 &&
	    strcmp(cmd->argv[cmd->operands[0]].value, "-") == 0))
		if (!passes_on(v, cmd))
			set(cmd, POL_FEATURE_NO_OPERANDS);
	if (f != NULL && strcmp(f, cmd->name) == 0 &&
	    ((c->context & SYN_IN_BACKGROUND) || c->pipe_count > 1))
		set(cmd, POL_FEATURE_FORK_BOMB);
	if (f != NULL && takes_place(v, f))
		set(cmd, POL_FEATURE_SHADOWS);
	if (cmd->argc > 0 && is_self(&cmd->argv[0]) &&
	    (c->context & SYN_IN_BACKGROUND) && (c->context & SYN_IN_LOOP))
		set(cmd, POL_FEATURE_SELF_START);
	if (v->in->facts->only_simple && cmd->item->level == 0)
		set(cmd, POL_FEATURE_WHOLE_LINE);
}

static bool
mentions_ifs(const struct syn_word *word)
{
	size_t i;

	for (i = 0; i < word->n_parts; i++)
		if (!word->parts[i].known &&
		    memmem(word->parts[i].text, word->parts[i].len, "IFS",
		    3) != NULL)
			return true;
	return false;
}

/* ${PATH:0:1}bin, ${x//y/}: a piece cut out of a value; defaults as in
 * ${CC:-cc} are another thing. */
static bool
is_cut(const struct syn_word *word)
{
	const char *p, *end;
	size_t i;

	for (i = 0; i < word->n_parts; i++) {
		if (word->parts[i].known || word->parts[i].len < 4 ||
		    memcmp(word->parts[i].text, "${", 2) != 0)
			continue;
		p = word->parts[i].text + 2;
		end = word->parts[i].text + word->parts[i].len;
		while (p < end && (text_is_name(p, 1) ||
		    (*p >= '0' && *p <= '9')))
			p++;
		if (p + 1 < end && (strchr("/#%^,@", *p) != NULL ||
		    (*p == ':' && strchr("0123456789 (", p[1]) != NULL)))
			return true;
	}
	return false;
}

/* A variable in the word is one that the line assigns. */
static bool
is_built(const struct view *v, const struct syn_word *word)
{
	const char *p;
	size_t i, n, left;

	for (i = 0; i < word->n_parts; i++) {
		p = word->parts[i].text;
		left = word->parts[i].len;
		if (word->parts[i].known || left < 2 || *p != '$')
			continue;
		p += p[1] == '{' ? 2 : 1;
		left -= (size_t)(p - word->parts[i].text);
		for (n = 0; n < left && text_is_name(p, n + 1); n++)
			continue;
		if (n > 0 && view_names_have(&v->assigned, p, n))
			return true;
	}
	return false;
}

/* {cat,/etc/x}: the first two words come from the same place. */
static bool
starts_with_brace(const struct view *v, const struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	const struct syn_word *w = c->words;

	return c->n_words > 1 && w[0].source_len > 0 && c->depth == 0 &&
	    cmd->item->level == 0 && w[0].offset == w[1].offset &&
	    v->in->line != NULL && w[0].offset + w[0].source_len <=
	    v->in->len && memchr(v->in->line + w[0].offset, '{',
	    w[0].source_len) != NULL;
}

/* How the name is written. */
static void
name_features(const struct view *v, struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	const struct syn_word *first;

	if (is_spelled(v, cmd) || is_pieced(v, cmd))
		set(cmd, POL_FEATURE_SPELLED_NAME);
	if (has_odd_letters(&cmd->argv[0]))
		set(cmd, POL_FEATURE_ODD_NAME);
	first = c->n_words > 0 ? &c->words[0] : &cmd->argv[0];
	if (!first->known && cmd->argv[0].known &&
	    cmd->item->wrapper == NULL && cmd->item->level == 0)
		set(cmd, POL_FEATURE_SPELLED_NAME);
	if (mentions_ifs(first) || mentions_ifs(&cmd->argv[0]) ||
	    (first->may_split &&
	    view_names_have(&v->assigned, "IFS", 3)))
		set(cmd, POL_FEATURE_IFS_GAME);
	if (is_cut(&cmd->argv[0]))
		set(cmd, POL_FEATURE_SPELLED_NAME);
	if (!cmd->argv[0].known && is_built(v, &cmd->argv[0]))
		set(cmd, POL_FEATURE_BUILT_NAME);
	if (starts_with_brace(v, cmd))
		set(cmd, POL_FEATURE_BRACE_NAME);
	if (cmd->item->wrapper == NULL && (is_self(&cmd->argv[0]) ||
	    strcmp(cmd->argv[0].value, "$SHELL") == 0))
		set(cmd, POL_FEATURE_SELF_SHELL);
}

static void
word_features(const struct view *v, struct view_cmd *cmd)
{
	size_t i, len = 0;

	if (cmd->argc == 0)
		return;
	/* A value that is evaluated is nobody's name: ${1%.*} in [[ -gt ]]
	 * hides nothing. */
	if (!view_is_evaluated(cmd))
		name_features(v, cmd);
	for (i = 0; i < cmd->argc; i++)
		len += cmd->argv[i].len;
	if (len > LONG_LINE)
		set(cmd, POL_FEATURE_LONG_LINE);
	if ((cmd->unknown & ~POL_UNKNOWN_REDIR) == 0)
		set(cmd, POL_FEATURE_PLAIN_WORDS);
	if (cmd->real != NULL)
		set(cmd, POL_FEATURE_LINK_NAME);
}

/* Not even the first bytes of it are known: which command it will be is
 * open.  "ls $dir" is known to be ls. */
static bool
starts_unknown(const struct syn_word *word)
{
	size_t i;

	for (i = 0; i < word->n_parts; i++)
		if (word->parts[i].len > 0)
			return !word->parts[i].known;
	return !word->known;
}

/* The word is nothing but what another command makes. */
static bool
is_made(const struct syn_word *word)
{
	size_t i, n = 0;

	for (i = 0; i < word->n_parts; i++) {
		if (word->parts[i].len == 0)
			continue;
		if (word->parts[i].known ||
		    (word->parts[i].why != SYN_WHY_SUBST &&
		    word->parts[i].why != SYN_WHY_PROCESS))
			return false;
		n++;
	}
	return n > 0;
}

/* Code that is not known, for the programs that run strings. */
static void
code_unknown(struct view_cmd *cmd)
{
	static const char *const evals[] = { "eval", "source", ".", "trap" };
	size_t i, j;

	if (view_is_shell(cmd) && view_option(cmd, "-c") != NULL &&
	    cmd->n_operands > 0 && starts_unknown(
	    &cmd->argv[cmd->operands[0]]))
		cmd->unknown |= POL_UNKNOWN_CODE;
	if (cmd->n_code == 0 && cmd->n_operands > 0 &&
	    view_option(cmd, "-c") == NULL &&
	    is_made(&cmd->argv[cmd->operands[0]]))
		cmd->unknown |= POL_UNKNOWN_SCRIPT_SUBST;
	for (i = 0; i < AEG_NELEM(evals); i++)
		if (strcmp(evals[i], cmd->name) == 0)
			for (j = 1; j < cmd->argc; j++)
				if (starts_unknown(&cmd->argv[j]))
					cmd->unknown |= POL_UNKNOWN_CODE;
}

/* Bidirectional and invisible characters, wherever they stand: comments
 * hide from the tree, not from the eye. */
static bool
hides_text(const struct policy_input *in)
{
	uint32_t cp;
	size_t i = 0, n;

	if (in->line == NULL)
		return false;
	while (i < in->len) {
		if ((unsigned char)in->line[i] < 0x80) {
			i++;
			continue;
		}
		n = text_utf8(in->line + i, in->len - i, &cp);
		if (n == 0) {
			i++;
			continue;
		}
		if ((cp >= 0x202a && cp <= 0x202e) ||
		    (cp >= 0x2066 && cp <= 0x2069) ||
		    (cp >= 0x200b && cp <= 0x200f) || cp == 0x2060 ||
		    cp == 0xfeff || (cp >= 0xe0000 && cp <= 0xe007f))
			return true;
		i += n;
	}
	return false;
}

/* $( ) or ` ` in a value: arithmetic, [[ -eq ]], ${x@P} and a prompt run
 * it.  Prompts are judged by rules of their own. */
static bool
is_loaded(const char *name, size_t name_len, const char *value, size_t len)
{
	if (name_len == 3 && memcmp(name, "PS", 2) == 0)
		return false;
	return memmem(value, len, "$(", 2) != NULL ||
	    memchr(value, '`', len) != NULL;
}

static bool
reads_loaded(const struct policy_input *in)
{
	const char *value;
	size_t i;

	for (i = 0; i < in->facts->n_reads; i++) {
		value = state_get(in->state, in->facts->reads[i]);
		if (value != NULL && is_loaded(in->facts->reads[i],
		    strlen(in->facts->reads[i]), value, strlen(value)))
			return true;
	}
	return false;
}

static bool
assigns_loaded(const struct view_cmd *cmd)
{
	const struct view_assign *a;
	size_t i;

	for (i = 0; i < cmd->n_assigns; i++) {
		a = &cmd->assigns[i];
		if (a->value->known && a->skip <= a->value->len &&
		    is_loaded(a->name, a->name_len, a->value->value + a->skip,
		    a->value->len - a->skip))
			return true;
	}
	return false;
}

static bool
reads_input(const struct view_cmd *cmd)
{
	static const char *const readers[] = { "read", "mapfile", "readarray",
		"getopts" };

	return TEXT_AMONG(cmd->name, readers);
}

/* What is read into a variable, and then run, was made by nobody at the
 * prompt either. */
static void
names_read(struct view *v, const struct view_cmd *cmd)
{
	const struct syn_word *word;
	const char *name;
	size_t i, skip;

	/* for x in $(cat f); do $x; done */
	name = cmd->item->command->variable;
	if (name != NULL)
		view_names_add(v->arena, &v->assigned, name, strlen(name));
	if (!reads_input(cmd))
		return;
	v->reads_input = true;
	if (strcmp(cmd->name, "getopts") == 0)
		view_names_add(v->arena, &v->assigned, "OPTARG", 6);
	else if (strcmp(cmd->name, "read") == 0)
		view_names_add(v->arena, &v->assigned, "REPLY", 5);
	else
		view_names_add(v->arena, &v->assigned, "MAPFILE", 7);
	/* read -a NAME */
	for (i = 0; i < cmd->n_opts; i++) {
		word = &cmd->argv[cmd->opts[i].opt.value_word];
		skip = cmd->opts[i].opt.value_skip;
		if (cmd->opts[i].has_value && word->known &&
		    skip <= word->len &&
		    text_is_name(word->value + skip, word->len - skip))
			view_names_add(v->arena, &v->assigned,
			    word->value + skip, word->len - skip);
	}
	for (i = 0; i < cmd->n_operands; i++) {
		word = &cmd->argv[cmd->operands[i]];
		if (word->known && text_is_name(word->value, word->len))
			view_names_add(v->arena, &v->assigned, word->value,
			    word->len);
	}
}

void
view_features(struct view *v)
{
	bool hidden = hides_text(v->in);
	bool loaded = reads_loaded(v->in);
	size_t i;

	for (i = 0; i < v->n_cmds; i++) {
		names_read(v, &v->cmds[i]);
		context_features(v, &v->cmds[i]);
		word_features(v, &v->cmds[i]);
		interpreter_features(v, i);
		code_unknown(&v->cmds[i]);
		if (hidden)
			set(&v->cmds[i], POL_FEATURE_HIDDEN_TEXT);
		if (loaded || assigns_loaded(&v->cmds[i]))
			set(&v->cmds[i], POL_FEATURE_LOADED_VALUE);
	}
}
