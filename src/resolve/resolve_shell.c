/* SPDX-License-Identifier: ISC */
/*
 * Shells: where in their words the program stands, and which of what stands
 * in it they read otherwise than bash does.
 *
 * Options are read as bash's shell.c and dash's options.c do: groups of
 * letters behind "-" or "+", each "o" and "O" among them taking one of the
 * words that follow, whatever stands behind it in its group; "-" ends them,
 * as "--" does.  Before them bash takes its long ones, with one dash or two.
 */
#include "resolve_int.h"

#include <ctype.h>
#include <string.h>

/* ---- options ------------------------------------------------------------ */

/* Names of -o that change no reading and no value. */
static const char plain_options[] = "allexport emacs errexit errtrace "
	"functrace hashall interactive-comments monitor noclobber noexec "
	"noglob nolog notify nounset onecmd pipefail privileged verbose vi "
	"xtrace";

/* k, P, H: keyword, physical, history; i: aliases, and what a file says. */
static bool
is_odd_letter(char letter, bool on)
{
	return on ? strchr("kPHi", letter) != NULL : letter == 'B';
}

/* The word at *next is the value of an o or O of the group. */
static void
take_name(const struct syn_word *argv, size_t argc, bool on, char letter,
	size_t *next, struct shell_call *ret)
{
	const struct syn_word *word;

	if (*next >= argc)
		return;
	word = &argv[(*next)++];
	if (letter == 'O' && word->known &&
	    strcmp(word->value, "extglob") == 0) {
		ret->extglob = true;
		return;
	}
	ret->odd |= letter == 'O' || !word->known ||
	    (!resolve_in_list(plain_options, word) &&
	    !(on && strcmp(word->value, "braceexpand") == 0));
}

/* One group; the index of the next. */
static size_t
read_group(const struct syn_word *argv, size_t argc, size_t at,
	struct shell_call *ret)
{
	const char *p = argv[at].value;
	bool on = *p == '-';
	size_t next = at + 1;

	ret->odd |= !argv[at].known;
	for (p++; *p != '\0'; p++) {
		if (*p == 'c')
			ret->command = true;
		else if (*p == 's')
			ret->input = true;
		else if (*p == 'n')
			ret->idle = on;
		else if (*p == 'o' || *p == 'O')
			take_name(argv, argc, on, *p, &next, ret);
		else
			ret->odd |= is_odd_letter(*p, on);
	}
	return next;
}

/* Bash's long options; the index behind them. */
static size_t
read_long(const struct syn_word *argv, size_t argc, struct shell_call *ret)
{
	static const char flags[] = "debug debugger dump-po-strings "
		"dump-strings help login noediting noprofile norc posix "
		"pretty-print protected restricted verbose version wordexp";
	static const char files[] = "init-file rcfile";
	struct syn_word name;
	size_t i;

	for (i = 1; i < argc && argv[i].len > 1 &&
	    argv[i].value[0] == '-'; i++) {
		name = argv[i];
		name.value += name.value[1] == '-' ? 2 : 1;
		name.len = strlen(name.value);
		if (resolve_in_list(files, &name)) {
			if (i + 1 < argc)
				ret->startup = ++i;
		} else if (!resolve_in_list(flags, &name)) {
			break;
		}
		ret->odd |= strcmp(name.value, "posix") == 0;
	}
	return i;
}

static bool
ends_options(const struct syn_word *word)
{
	return strcmp(word->value, "-") == 0 || strcmp(word->value, "--") == 0;
}

/* zsh: the name of o is the rest of its group, or the next word.  Plain
 * words, of which alone something is known, are read alike under all. */
static size_t
read_zsh(const struct syn_word *argv, size_t argc, struct shell_call *ret)
{
	size_t i = 1;
	const char *p;

	if (argc > 1 && strcmp(argv[1].value, "--emulate") == 0)
		i = 3;
	for (; i < argc && !ends_options(&argv[i]); i++) {
		if (argv[i].value[0] != '-' && argv[i].value[0] != '+')
			return i;
		ret->odd |= !argv[i].known;
		for (p = argv[i].value + 1; *p != '\0' && *p != 'o'; p++) {
			ret->command |= *p == 'c';
			ret->input |= *p == 's';
			ret->idle |= *p == 'n' && argv[i].value[0] == '-';
		}
		i += *p == 'o' && p[1] == '\0';
	}
	return i < argc ? i + 1 : argc;
}

/* csh, fish: as getopt(3) does. */
static void
read_plain(const struct wrap_row *row, const struct syn_word *argv,
	size_t argc, struct shell_call *ret)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND) {
			ret->operand = opt.word;
			return;
		}
		ret->command |= resolve_opt_is(&opt, "c command");
		ret->input |= resolve_opt_is(&opt, "s");
		ret->idle |= resolve_opt_is(&opt, "n no-execute");
	}
}

/* As bash's shell.c does. */
static void
read_bash(const struct syn_word *argv, size_t argc, struct shell_call *ret)
{
	size_t i = read_long(argv, argc, ret);

	while (i < argc) {
		if (ends_options(&argv[i])) {
			i++;
			break;
		}
		if (argv[i].value[0] != '-' && argv[i].value[0] != '+')
			break;
		i = read_group(argv, argc, i, ret);
	}
	ret->operand = i < argc ? i : 0;
}

void
resolve_shell_call(const struct wrap_row *row, const struct syn_word *argv,
	size_t argc, struct shell_call *ret)
{
	size_t i;

	*ret = (struct shell_call){ .command = false };
	if (strcmp(row->grammar, RESOLVE_ZSH_GRAMMAR) == 0) {
		i = read_zsh(argv, argc, ret);
		ret->operand = i < argc ? i : 0;
	} else if (strcmp(row->grammar, RESOLVE_SHELL_GRAMMAR) == 0) {
		read_bash(argv, argc, ret);
	} else {
		read_plain(row, argv, argc, ret);
	}
	ret->input |= !ret->command && ret->operand == 0;
}

/* ---- what other shells read otherwise ----------------------------------- */

static bool
has(const struct syn_word *text, const char *s)
{
	return memmem(text->value, text->len, s, strlen(s)) != NULL;
}

static bool
has_any(const struct syn_word *text, const char *const *list)
{
	for (; *list != NULL; list++)
		if (has(text, *list))
			return true;
	return false;
}

/* ((rm x)) is two subshells there; $(( )) is the same everywhere. */
static bool
has_arithmetic(const struct syn_word *text)
{
	const char *paren = text->value;

	while ((paren = strstr(paren, "((")) != NULL) {
		if (paren == text->value || paren[-1] != '$')
			return true;
		paren += 2;
	}
	return false;
}

/* {a,b} {1..3}: of each word what stands behind its first brace. */
static bool
has_braces(const struct syn_word *text)
{
	static const char ends[] = " \t\n;}";
	const char *brace = text->value;
	size_t n;

	while ((brace = strchr(brace, '{')) != NULL) {
		if (brace > text->value && brace[-1] == '$') {
			brace++;
			continue;
		}
		n = strcspn(brace, ends);
		if (memchr(brace, ',', n) != NULL ||
		    memmem(brace, n, "..", 2) != NULL)
			return true;
		brace += n;
	}
	return false;
}

/* 10>x: elsewhere the number of a descriptor is one digit. */
static bool
has_long_number(const struct syn_word *text)
{
	const char *p = text->value;

	while ((p = strpbrk(p, "<>")) != NULL) {
		if (p - text->value > 1 && isdigit((unsigned char)p[-1]) &&
		    isdigit((unsigned char)p[-2]))
			return true;
		p++;
	}
	return false;
}

/* Numbers too long for 64 bits wrap in bash, and stay the greatest there. */
static bool
has_long_value(const struct syn_word *text)
{
	static const char digits[] = "0123456789abcdefABCDEFxX";
	const char *p = text->value;
	size_t n;

	if (!has(text, "$(("))
		return false;
	while ((p = strpbrk(p, "0123456789")) != NULL) {
		n = strspn(p, digits);
		if (n >= 18)
			return true;
		p += n;
	}
	return false;
}

/* What echo and printf print, which may be a program again. */
static bool
has_escapes(const struct syn_word *text)
{
	static const char *const formats[] = { "\\x", "\\u", "\\U", "\\e",
		"\\E", "\\'", "\\\"", "%q", "%(", "%b", NULL };

	if (has(text, "echo") && (has(text, "\\") || has(text, "-e") ||
	    has(text, "-E")))
		return true;
	return has(text, "printf") && has_any(text, formats);
}

/* $'…' is a dollar and a string, {a,b} a word, &> a job and a file. */
static bool
text_differs(const struct syn_word *text)
{
	static const char *const differ[] = { "${ ", "${|", "${\t", "${\n",
		"$'", "$\"", "$[", "&>", "|&",
		"<(", ">(", "[[", "=(", "+=", "]=", ";;&", ";&", "}>", "}<",
		NULL };

	return has_any(text, differ) || has_arithmetic(text) ||
	    has_braces(text) || has_long_number(text) ||
	    has_long_value(text) || has_escapes(text);
}

/* Elsewhere an assignment in front of these stays, of functions it may. */
static bool
is_special(const struct syn_command *c)
{
	return c->function != SYN_FUNCTION_NO || resolve_in_list(". : break "
	    "continue eval exec exit export readonly return set shift times "
	    "trap unset", &c->words[0]);
}

/* Builtins that other shells do not have, or not all of them; printf -v. */
static bool
is_of_bash(const struct syn_command *c)
{
	if (strcmp(c->words[0].value, "printf") == 0)
		return c->n_words > 1 && (!c->words[1].known ||
		    strncmp(c->words[1].value, "-v", 2) == 0);
	return resolve_in_list("bind builtin caller compgen complete compopt "
	    "coproc declare dirs disown enable function help history let "
	    "logout mapfile popd pushd readarray select shopt suspend "
	    "typeset", &c->words[0]);
}

static bool
facts_differ(const struct syn_facts *facts)
{
	const struct syn_command *c;
	size_t i;

	for (i = 0; i < facts->n_commands; i++) {
		c = &facts->commands[i];
		if (c->n_words == 0 || !c->words[0].known)
			continue;
		if ((c->n_assigns > 0 && is_special(c)) || is_of_bash(c))
			return true;
	}
	return false;
}

/* !(x) is a pattern where extglob is set, else a subshell. */
static bool
has_patterns(const struct syn_word *text)
{
	static const char *const opens[] = { "?(", "*(", "+(", "@(", "!(",
		NULL };

	return has_any(text, opens);
}

/* Shells with a language of their own: words and quoted strings only. */
static bool
is_foreign(const char *shell)
{
	static const char *const names[] = { "csh", "elvish", "fish", "zsh" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (strstr(shell, names[i]) != NULL)
			return true;
	return false;
}

bool
resolve_is_other(const char *shell, bool around)
{
	if (shell == NULL || resolve_is_builtin(shell))
		return around;
	return strstr(shell, "bash") == NULL;
}

bool
resolve_text_differs(const struct syn_word *text)
{
	return text_differs(text);
}

bool
resolve_reads_otherwise(const char *shell, const struct syn_word *text,
	const struct syn_facts *facts)
{
	if (shell == NULL || strstr(shell, "bash") != NULL ||
	    resolve_is_builtin(shell))
		return false;
	if (is_foreign(shell) && strpbrk(text->value, "$`\\(){}=^~!#") != NULL)
		return true;
	return text_differs(text) || facts_differ(facts);
}

/* ---- what they run ------------------------------------------------------ */

/* fish -C 'program' --command='program' */
static void
follow_values(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	struct syn_word text;

	resolve_opts_init(&o, row->grammar, argv, argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END) {
		if (kind == RESOLVE_OPT_OPERAND)
			return;
		if (kind != RESOLVE_OPT_VALUE || !resolve_opt_is(&opt,
		    row->option))
			continue;
		text = resolve_word_tail(w, &argv[opt.value_word],
		    opt.value_skip);
		resolve_program(w, at, &text);
	}
}

/* $0, and $1 and so on. */
static void
give_words(const struct wrap_row *row, const struct syn_word *argv,
	size_t argc, const struct shell_call *call, struct spot *inner)
{
	size_t from = call->operand == 0 ? argc : call->operand;

	/* csh, fish and their like name them otherwise. */
	if (strcmp(row->grammar, RESOLVE_SHELL_GRAMMAR) != 0 &&
	    strcmp(row->grammar, RESOLVE_ZSH_GRAMMAR) != 0)
		return;
	/* bash -c TEXT $0 $1; bash FILE $1, where FILE is $0 */
	if (call->command && from < argc)
		from++;
	if ((call->command || !call->input) && from < argc)
		inner->zero = &argv[from++];
	/* Which of the words that is, is open. */
	if (inner->zero != NULL && inner->zero->may_split) {
		inner->zero = NULL;
		return;
	}
	inner->args = argv + from;
	inner->n_args = argc - from;
	inner->has_args = true;
}

void
resolve_unwrap_shell(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc)
{
	struct shell_call call;
	struct spot inner = *at;
	const char *value;

	resolve_shell_call(row, argv, argc, &call);
	w->starts_shell = true;
	give_words(row, argv, argc, &call, &inner);
	inner.odd = call.odd || resolve_given_get(at->given, "SHELLOPTS",
	    &value) == SYN_VAR_SET || resolve_given_get(at->given, "BASHOPTS",
	    &value) == SYN_VAR_SET;
	if (row->option != NULL)
		follow_values(w, at, row, argv, argc);
	w->pub.incomplete |= call.odd || (call.extglob && (!call.command ||
	    call.operand == 0 || has_patterns(&argv[call.operand])));
	if (call.startup != 0)
		resolve_script(w, at, &argv[call.startup]);
	if (call.command) {
		if (call.operand != 0)
			resolve_program(w, &inner, &argv[call.operand]);
		/* dash -sc reads on when that is done. */
		if (call.input)
			resolve_stdin(w, &inner);
	} else if (!call.input) {
		resolve_script(w, &inner, &argv[call.operand]);
	} else {
		resolve_stdin(w, &inner);
	}
}
