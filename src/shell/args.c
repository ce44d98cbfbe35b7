/* SPDX-License-Identifier: ISC */
/* The command line, as bash reads its own. */
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/conf_shell.h"
#include "shell/shell_int.h"

static const struct row {
	char letter;		/* 0: none */
	const char *name;	/* "": no long name */
	const char *argument;	/* or NULL */
	const char *help;
} rows[] = {
#define ROW(letter, name, argument, help, words) \
	{ letter, name, argument, help },
	CONF_SHELL_OPTIONS(ROW)
#undef ROW
};

void
shell_usage(struct buf *out)
{
	size_t i;

	buf_puts(out, "usage: aegsh [options] [SCRIPT [ARG …]]\n"
	    "       aegsh [options] -c COMMAND [NAME [ARG …]]\n"
	    "       aegsh [options] -s [ARG …]\n");
	for (i = 0; i < AEG_NELEM(rows); i++) {
		const struct row *o = &rows[i];
		const char letter[] = { '-', o->letter, '\0' };
		AEG_AUTOFREE char *spelt = xasprintf("%s%s%s%s",
		    o->letter != 0 ? letter : "",
		    o->letter != 0 && o->name[0] != '\0' ? ", " : "",
		    o->name[0] != '\0' ? "--" : "", o->name);

		buf_putf(out, "  %-11s %-11s %s\n", spelt,
		    o->argument != NULL ? o->argument : "", o->help);
	}
}

/* Letters of set(1) that bash takes at its start, but for n and o. */
static const char set_letters[] = "abefhkmprtuvxBCEHPT";

struct parsing {
	char **argv;
	int i;
	struct shell_args *a;
	bool wants_command;
};

static int
usage(const char *option, const char *why)
{
	shell_say("%s: %s; see aegsh --help", option, why);
	return SHELL_USAGE;
}

/* The word after the options of this one. */
static int
next_word(struct parsing *p, const char *option, const char **ret)
{
	if (p->argv[p->i + 1] == NULL)
		return usage(option, "needs a value");
	*ret = p->argv[++p->i];
	return 0;
}

static bool
is_option_name(const char *name)
{
	return name[0] != '\0' &&
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-")] == '\0';
}

/* -o NAME=VALUE is ours, -o NAME and -O NAME are bash's. */
static int
named_option(struct parsing *p, char sign, char letter)
{
	const char option[] = { sign, letter, '\0' };
	const char *name;
	int r = next_word(p, option, &name);

	if (r != 0)
		return r;
	if (letter == 'o' && sign == '-' && strchr(name, '=') != NULL) {
		strv_add(&p->a->options, name);
	} else if (letter == 'o' && strcmp(name, "noexec") == 0) {
		p->a->check_only = sign == '-';
	} else if (is_option_name(name)) {
		strv_add(&p->a->bash_options, option);
		strv_add(&p->a->bash_options, name);
	} else {
		return usage(name, "invalid option name");
	}
	return 0;
}

/* A bundle such as -lc, -euo or +x. */
static int
parse_bundle(struct parsing *p)
{
	const char *word = p->argv[p->i], sign = word[0], *q;
	int r;

	for (q = word + 1; *q != '\0'; q++) {
		const char option[] = { sign, *q, '\0' };

		if (*q == 'o' || *q == 'O') {
			r = named_option(p, sign, *q);
			if (r != 0)
				return r;
		} else if (strchr(set_letters, *q) != NULL) {
			strv_add(&p->a->bash_options, option);
		} else if (*q == 'n') {
			p->a->check_only = sign == '-';
		} else if (sign == '-' && *q == 'c') {
			p->wants_command = true;
		} else if (*q == 'i') {
			p->a->interactive = sign == '-';
		} else if (sign == '-' && *q == 'l') {
			p->a->login = true;
		} else if (sign == '-' && *q == 's') {
			p->a->from_stdin = true;
		} else {
			return usage(option, "no such option");
		}
	}
	return 0;
}

/* Long options that bash knows and what they come to here. */
static int
bash_long(struct parsing *p, const char *name)
{
	static const struct {
		const char *name, *option, *value;
	} same[] = {
		{ "posix", "-o", "posix" }, { "restricted", "-r", NULL },
		{ "verbose", "-v", NULL },
	};
	/* No line reads start-up files, and the editor is ours. */
	static const char *const nothing[] = { "norc", "noediting" };
	static const char *const files[] = { "rcfile", "init-file" };
	const char *unused;
	size_t i;

	for (i = 0; i < AEG_NELEM(same); i++)
		if (strcmp(name, same[i].name) == 0) {
			strv_add(&p->a->bash_options, same[i].option);
			if (same[i].value != NULL)
				strv_add(&p->a->bash_options, same[i].value);
			return 0;
		}
	for (i = 0; i < AEG_NELEM(nothing); i++)
		if (strcmp(name, nothing[i]) == 0)
			return 0;
	for (i = 0; i < AEG_NELEM(files); i++)
		if (strcmp(name, files[i]) == 0)
			return next_word(p, name, &unused);
	return -1;
}

/* 0, a status, or -1: none of these.  bash takes one hyphen, too. */
static int
parse_long(struct parsing *p)
{
	const char *word = p->argv[p->i];
	const char *name = word + (word[1] == '-' ? 2 : 1);

	if (strncmp(word, "--profile=", 10) == 0) {
		p->a->profile = word + 10;
		return 0;
	}
	if (strcmp(name, "profile") == 0)
		return next_word(p, word, &p->a->profile);
	if (strcmp(name, "login") == 0)
		p->a->login = true;
	else if (strcmp(name, "help") == 0)
		p->a->help = true;
	else if (strcmp(name, "version") == 0)
		p->a->version = true;
	else if (strcmp(name, "noprofile") == 0)
		p->a->noprofile = true;
	else
		return bash_long(p, name);
	return 0;
}

/* 1: not an option; else 0 or a status. */
static int
parse_option(struct parsing *p)
{
	const char *word = p->argv[p->i];
	int r;

	if ((word[0] != '-' && word[0] != '+') || word[1] == '\0')
		return 1;
	if (word[0] == '+')
		return parse_bundle(p);
	r = parse_long(p);
	if (r >= 0)
		return r;
	return word[1] == '-' ? usage(word, "no such option") :
	    parse_bundle(p);
}

int
shell_args_parse(int argc, char **argv, struct shell_args *ret)
{
	static char *none[] = { NULL };
	struct parsing p = { .argv = argv, .a = ret };
	int i, r;

	*ret = (struct shell_args){ .argv0 = argc > 0 ? argv[0] : "aegsh" };
	ret->args = none;
	if (argc == 0)
		return 0;
	ret->login = argv[0][0] == '-';
	for (p.i = 1; p.i < argc; p.i++) {
		if (strcmp(argv[p.i], "--") == 0 ||
		    strcmp(argv[p.i], "-") == 0) {
			p.i++;
			break;
		}
		r = parse_option(&p);
		if (r == 1)
			break;
		if (r != 0)
			return r;
	}
	i = p.i;
	if (p.wants_command) {
		if (i >= argc) {
			shell_say("-c: option requires an argument");
			return SHELL_USAGE;
		}
		ret->command = argv[i++];
		if (i < argc)
			ret->name = argv[i++];
	} else if (!ret->from_stdin && i < argc) {
		ret->script = argv[i++];
	}
	if (i < argc)
		ret->args = argv + i;
	return 0;
}
