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

/* A bundle such as -lc.  wants_command is set by c. */
static int
parse_bundle(const char *arg, struct shell_args *a, bool *wants_command)
{
	const char *p;

	for (p = arg + 1; *p != '\0'; p++) {
		switch (*p) {
		case 'c':
			*wants_command = true;
			break;
		case 'i':
			a->interactive = true;
			break;
		case 'l':
			a->login = true;
			break;
		case 's':
			a->from_stdin = true;
			break;
		case 'o':
			shell_say("-o: stands alone, before NAME=VALUE");
			return SHELL_USAGE;
		default:
			shell_say("-%c: no such option; see aegsh --help", *p);
			return SHELL_USAGE;
		}
	}
	return 0;
}

/* An option with a value in its own or the next word. */
static int
take_value(char **argv, int *i, const char *name, const char **ret)
{
	size_t n = strlen(name);

	if (argv[*i][n] == '=') {
		*ret = argv[*i] + n + 1;
	} else if (argv[*i + 1] != NULL) {
		*ret = argv[++*i];
	} else {
		shell_say("%s: needs a value", name);
		return SHELL_USAGE;
	}
	return 0;
}

static bool
is_long(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && (arg[n] == '\0' || arg[n] == '=');
}

/* 1: not an option; else 0 or a status. */
static int
parse_option(char **argv, int *i, struct shell_args *a, bool *wants_command)
{
	const char *arg = argv[*i], *value;

	if (arg[0] != '-' || arg[1] == '\0')
		return 1;
	if (is_long(arg, "--profile"))
		return take_value(argv, i, "--profile", &a->profile);
	if (strcmp(arg, "-o") == 0) {
		int r = take_value(argv, i, "-o", &value);

		if (r == 0)
			strv_add(&a->options, value);
		return r;
	}
	if (strcmp(arg, "--login") == 0)
		a->login = true;
	else if (strcmp(arg, "--help") == 0)
		a->help = true;
	else if (strcmp(arg, "--version") == 0)
		a->version = true;
	else if (strcmp(arg, "--noprofile") == 0)
		a->noprofile = true;
	else if (strcmp(arg, "--norc") == 0)
		;	/* no line reads such a file */
	else if (arg[1] == '-')
		return shell_say("%s: no such option; see aegsh --help", arg),
		    SHELL_USAGE;
	else
		return parse_bundle(arg, a, wants_command);
	return 0;
}

int
shell_args_parse(int argc, char **argv, struct shell_args *ret)
{
	static char *none[] = { NULL };
	bool wants_command = false;
	int i, r;

	*ret = (struct shell_args){ .argv0 = argc > 0 ? argv[0] : "aegsh" };
	ret->args = none;
	if (argc == 0)
		return 0;
	ret->login = argv[0][0] == '-';
	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0 || strcmp(argv[i], "-") == 0) {
			i++;
			break;
		}
		r = parse_option(argv, &i, ret, &wants_command);
		if (r == 1)
			break;
		if (r != 0)
			return r;
	}
	if (wants_command) {
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
