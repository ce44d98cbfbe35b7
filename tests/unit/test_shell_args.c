/* SPDX-License-Identifier: ISC */
#include "shell/shell_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/conf_shell.h"

static int
parse(struct shell_args *a, const char *const *argv)
{
	int n = 0;

	while (argv[n] != NULL)
		n++;
	return shell_args_parse(n, (char **)(uintptr_t)argv, a);
}
#define PARSE(a, ...) parse(a, (const char *const[]){ __VA_ARGS__, NULL })

/* Each row is taken, with a word where it wants one. */
static void
takes(char letter, const char *name, const char *argument)
{
	const char *const short_form[] = { "aegsh", (char[]){ '-', letter,
	    '\0' }, argument, NULL };
	AEG_AUTOFREE char *spelt = xasprintf("--%s", name);
	const char *const long_form[] = { "aegsh", spelt, argument, NULL };
	struct shell_args a;

	if (letter != 0) {
		IS_INTN(parse(&a, short_form), 0, short_form[1]);
		OK(a.script == NULL);
		strv_done(&a.options);
		strv_done(&a.bash_options);
	}
	if (name[0] != '\0') {
		IS_INTN(parse(&a, long_form), 0, spelt);
		OK(a.script == NULL);
		strv_done(&a.options);
	}
}

/* The words that go to bash. */
static void
is_passed(const char *const *argv, const char *want)
{
	struct buf got = BUF_INIT;
	struct shell_args a;
	size_t i;

	IS_INT(parse(&a, argv), 0);
	for (i = 0; i < a.bash_options.n; i++)
		buf_putf(&got, "%s ", a.bash_options.v[i]);
	IS_STR(got.data, want);
	IS_STR(a.command, "ls");
	strv_done(&a.bash_options);
	buf_done(&got);
}

int
main(void)
{
	struct shell_args a;

#define ROW(letter, name, argument, help, words) takes(letter, name, argument);
	CONF_SHELL_OPTIONS(ROW)
#undef ROW

	IS_INT(PARSE(&a, "aegsh"), 0);
	OK(a.command == NULL && a.script == NULL && !a.login);
	OK(a.args[0] == NULL);
	IS_INT(PARSE(&a, "-aegsh"), 0);
	OKF(a.login, "a hyphen before the name means login");
	IS_INT(PARSE(&a, "aegsh", "-c", "ls", "name", "x"), 0);
	IS_STR(a.command, "ls");
	IS_STR(a.name, "name");
	IS_STR(a.args[0], "x");
	IS_INT(PARSE(&a, "aegsh", "-lc", "ls"), 0);
	OK(a.login);
	IS_STR(a.command, "ls");
	OK(a.name == NULL);
	IS_INT(PARSE(&a, "aegsh", "-c", "--", "-x"), 0);
	IS_STRN(a.command, "-x", "-- ends the options before the command");
	IS_INT(PARSE(&a, "aegsh", "-c", "-l", "ls"), 0);
	IS_STRN(a.command, "ls", "options may stand after -c");
	IS_INT(PARSE(&a, "aegsh", "script", "-c", "x"), 0);
	IS_STR(a.script, "script");
	IS_STRN(a.args[0], "-c", "what follows a script is the script's");
	IS_INT(PARSE(&a, "aegsh", "-s", "a", "b"), 0);
	OK(a.from_stdin && a.script == NULL);
	IS_STR(a.args[1], "b");
	IS_INT(PARSE(&a, "aegsh", "--profile", "dev", "-c", "x"), 0);
	IS_STR(a.profile, "dev");
	IS_INT(PARSE(&a, "aegsh", "--profile=safe"), 0);
	IS_STR(a.profile, "safe");
	IS_INT(PARSE(&a, "aegsh", "-o", "a=b", "-o", "c=d", "x"), 0);
	IS_INT(a.options.n, 2);
	IS_STR(a.options.v[1], "c=d");
	strv_done(&a.options);
	IS_INT(PARSE(&a, "aegsh", "-c"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "-o"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "-oa=b"), SHELL_USAGE);
	is_passed((const char *const[]){ "aegsh", "-euo", "pipefail", "+x",
	    "-O", "nullglob", "-c", "ls", NULL },
	    "-e -u -o pipefail +x -O nullglob ");
	is_passed((const char *const[]){ "aegsh", "-lco", "pipefail", "ls",
	    NULL }, "-o pipefail ");
	is_passed((const char *const[]){ "aegsh", "--posix", "--norc",
	    "--rcfile", "/x", "-noediting", "--verbose", "-c", "ls", NULL },
	    "-o posix -v ");
	is_passed((const char *const[]){ "aegsh", "-c", "-e", "ls", "-x",
	    NULL }, "-e ");
	IS_INT(PARSE(&a, "aegsh", "-nc", "ls"), 0);
	OK(a.check_only && a.bash_options.n == 0);
	IS_INT(PARSE(&a, "aegsh", "-o", "noexec", "+n", "x"), 0);
	OK(!a.check_only);
	IS_INT(PARSE(&a, "aegsh", "-login"), 0);
	OKF(a.login && a.bash_options.n == 0, "one hyphen, as bash");
	IS_INT(PARSE(&a, "aegsh", "-o", "x;y", "-c", "ls"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "-O"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "+c", "ls"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "-D"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "--dump-strings"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "-Z"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "--nonsense"), SHELL_USAGE);
	IS_INT(PARSE(&a, "aegsh", "--profilex"), SHELL_USAGE);
	return tap_done();
}
