/* SPDX-License-Identifier: ISC */
/*
 * auto-shebang: called by an alias, it becomes the interpreter that the
 * alias names for the script; called by its own name, it takes options and
 * verbs.  An alias takes none, since every word behind the script belongs
 * to the interpreter's program.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static const char usage_text[] =
	"usage: auto-shebang [--debug] NAME SCRIPT [ARGUMENT...]\n"
	"       auto-shebang [--debug] --resolve NAME SCRIPT\n"
	"       auto-shebang [--debug] --check NAME SCRIPT\n"
	"       auto-shebang link DIR NAME...\n"
	"       auto-shebang unlink DIR NAME...\n"
	"       auto-shebang doctor [--json] [--name NAME] SCRIPT\n"
	"       auto-shebang --version | --help\n"
	"       ALIAS SCRIPT [ARGUMENT...]\n"
	"\n"
	"Runs SCRIPT with the interpreter NAME that stands nearest to it,\n"
	"from the script's directory upward.\n"
	"See auto-shebang(1) and auto-shebang(7).\n";

enum mode { MODE_EXEC, MODE_RESOLVE, MODE_CHECK };

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "link", links_make },
	{ "unlink", links_remove },
	{ "doctor", doctor },
};

static int
print(const char *text, int status)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_puts(&out, text);
	return say_out(&out, status);
}

static int
usage(const char *why, const char *what)
{
	say("%s%s; try auto-shebang --help", why, what);
	return EXIT_USAGE;
}

static int
run(const char *name, char **script_argv)
{
	AEG_AUTO(shebang_result_done) struct shebang_result r =
	    SHEBANG_RESULT_INIT;
	int status = ask(name, script_argv[0], false, &r);

	return status != 0 ? status : start(&r, script_argv);
}

static int
run_alias(const char *name, char **script_argv)
{
	int status;

	if (script_argv[0] == NULL)
		return usage(name, ": an alias needs a script");
	status = run(name, script_argv);
	if (status == EXIT_NOT_FOUND && script_argv[0][0] == '-' &&
	    access(script_argv[0], F_OK) < 0)
		say("an alias takes no options: its first argument is the "
		    "script");
	return status;
}

/* --resolve: the bare bytes for a program, an inert form for a terminal. */
static int
resolve(const char *name, const char *script)
{
	AEG_AUTO(shebang_result_done) struct shebang_result r =
	    SHEBANG_RESULT_INIT;
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	int status = ask(name, script, false, &r);

	if (status != 0)
		return status;
	if (isatty(STDOUT_FILENO))
		say_text(&out, r.path);
	else
		buf_puts(&out, r.path);
	buf_putc(&out, '\n');
	return say_out(&out, 0);
}

static int
check(const char *name, const char *script)
{
	AEG_AUTO(shebang_result_done) struct shebang_result r =
	    SHEBANG_RESULT_INIT;
	int status = ask(name, script, true, &r);

	return status == 0 || status == EXIT_USAGE ? status : EXIT_NO;
}

static int
operands(enum mode mode, int argc, char **argv)
{
	if (argc < 2)
		return usage("a name and a script are needed", "");
	if (mode == MODE_EXEC)
		return run(argv[0], argv + 1);
	if (argc > 2)
		return usage("too many arguments: ", argv[2]);
	return mode == MODE_RESOLVE ? resolve(argv[0], argv[1]) :
	    check(argv[0], argv[1]);
}

static int
manage(int argc, char **argv)
{
	enum mode mode = MODE_EXEC;
	bool options = true;
	size_t v;
	int i;

	for (i = 1; i < argc && options && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0)
			options = false;
		else if (strcmp(argv[i], "--resolve") == 0)
			mode = MODE_RESOLVE;
		else if (strcmp(argv[i], "--check") == 0)
			mode = MODE_CHECK;
		else if (strcmp(argv[i], "--debug") == 0)
			ask_debug_on();
		else if (strcmp(argv[i], "--help") == 0)
			return print(usage_text, 0);
		else if (strcmp(argv[i], "--version") == 0)
			return print("auto-shebang " PACKAGE_VERSION "\n", 0);
		else
			return usage("unknown option ", argv[i]);
	}
	/* Behind -- or an option that asks, even "link" is a name. */
	for (v = 0; options && mode == MODE_EXEC && i < argc &&
	    v < AEG_NELEM(verbs); v++)
		if (strcmp(argv[i], verbs[v].name) == 0)
			return verbs[v].run(argc - i - 1, argv + i + 1);
	return operands(mode, argc - i, argv + i);
}

int
main(int argc, char **argv)
{
	const char *name = argc > 0 ? path_base(argv[0]) : "";

	if (strcmp(name, "auto-shebang") == 0)
		return manage(argc, argv);
	if (argc == 0)
		return usage("called without any name", "");
	return run_alias(name, argv + 1);
}
