/* SPDX-License-Identifier: ISC */
#include "admin/admin_int.h"
#include "tap.h"

#include <unistd.h>

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	{ "json", 'j', NULL, "", ADMIN_WORDS_NONE },
	{ "limit", 'n', "N", "", ADMIN_WORDS_NONE },
	{ "long", 0, "X", "", ADMIN_WORDS_NONE },
	{ NULL }
};
static const struct admin_verb verb = { .name = "test", .usage = "",
	.options = options };

/* What a command line gives: letters of options, values, operands. */
static const struct {
	const char *argv[7];
	const char *want;
} cases[] = {
	{ { NULL }, "" },
	{ { "--json" }, "json" },
	{ { "-j" }, "json" },
	{ { "-n", "5" }, "limit=5" },
	{ { "-n5" }, "limit=5" },
	{ { "-jn5" }, "json limit=5" },
	{ { "-jn", "5", "-j" }, "json limit=5 json" },
	{ { "--limit", "5" }, "limit=5" },
	{ { "--limit=5" }, "limit=5" },
	{ { "--limit=" }, "limit=" },
	{ { "--limit", "--json" }, "limit=--json" },
	{ { "--long", "-" }, "long=-" },
	{ { "-j", "word", "-j" }, "json json | word" },
	{ { "a", "-j", "b", "-n", "5", "c" }, "json limit=5 | a b c" },
	{ { "a", "b", "--limit", "5", "c", "--json" },
	    "limit=5 json | a b c" },
	{ { "a", "-jn5", "b" }, "json limit=5 | a b" },
	{ { "a", "-jn", "--", "b" }, "json limit=-- | a b" },
	{ { "a", "-n", "5", "--", "b", "-j" }, "limit=5 | a b -j" },
	{ { "a", "--", "--" }, "| a --" },
	{ { "a", "-", "-j" }, "json | a -" },
	{ { "a", "b", "--" }, "| a b" },
	{ { "a", "-x" }, "BAD" },
	{ { "a", "-n" }, "BAD" },
	{ { "--", "-j" }, "| -j" },
	{ { "-" }, "| -" },
	{ { "-jx" }, "json BAD" },
	{ { "--nothing" }, "BAD" },
	{ { "--jso" }, "BAD" },
	{ { "--json=1" }, "BAD" },
	{ { "--limit" }, "BAD" },
	{ { "-n" }, "BAD" },
};

/* A command's options are its own. */
static void
test_command(void)
{
	static const struct admin_verb run = { .name = "test", .usage = "",
		.options = options, .command = true };
	char *argv[] = { (char[]){ "-j" }, (char[]){ "ls" }, (char[]){ "-j" },
		NULL };
	struct admin_args args = ADMIN_ARGS_INIT(3, argv);
	struct admin a = { .verb = &run, .out = stdout };

	IS_INT(admin_option_next(&a, &args), 0);
	IS_INT(admin_option_next(&a, &args), ADMIN_ARGS_END);
	IS_INT(args.at, 1);
	IS_STR(argv[2], "-j");
}

static void
test_operands(void)
{
	static const struct { int n, least, most, want; } rows[] = {
		{ 0, 0, 0, 0 }, { 1, 0, 0, ADMIN_ARGS_BAD },
		{ 0, 1, 1, ADMIN_ARGS_BAD }, { 1, 1, 1, 0 },
		{ 2, 1, 1, ADMIN_ARGS_BAD }, { 1, 2, 2, ADMIN_ARGS_BAD },
		{ 3, 1, ADMIN_OPERANDS_ANY, 0 },
		{ 0, 1, ADMIN_OPERANDS_ANY, ADMIN_ARGS_BAD },
	};
	char *argv[] = { (char[]){ "a" }, (char[]){ "b" }, (char[]){ "c" },
		NULL };
	struct admin a = { .verb = &verb, .out = stdout };
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct admin_args args = ADMIN_ARGS_INIT(rows[i].n, argv);

		IS_INT(admin_operands(&a, &args, rows[i].least,
		    rows[i].most), rows[i].want);
	}
}

int
main(void)
{
	struct admin a = { .verb = &verb, .out = stdout };
	size_t i;

	/* Usage goes to standard error; it is not what is looked at here. */
	if (freopen("/dev/null", "w", stderr) == NULL)
		return 99;
	test_command();
	test_operands();
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		AEG_AUTO(buf_done) struct buf got = BUF_INIT;
		AEG_AUTO(strv_done) struct strv argv = STRV_INIT;
		struct admin_args args = ADMIN_ARGS_INIT(0, NULL);
		const char *const *p;
		int o;

		for (p = cases[i].argv; *p != NULL; p++)
			strv_add(&argv, *p);
		args.argc = (int)argv.n;
		args.argv = strv_peek(&argv);
		while ((o = admin_option_next(&a, &args)) >= 0)
			buf_putf(&got, "%s%s%s%s", got.len > 0 ? " " : "",
			    options[o].name, args.value != NULL ? "=" : "",
			    args.value != NULL ? args.value : "");
		if (o == ADMIN_ARGS_BAD)
			buf_puts(&got, got.len > 0 ? " BAD" : "BAD");
		else if (args.at < args.argc)
			buf_puts(&got, got.len > 0 ? " |" : "|");
		for (; o == ADMIN_ARGS_END && args.at < args.argc; args.at++)
			buf_putf(&got, " %s", args.argv[args.at]);
		IS_STRN(got.data != NULL ? got.data : "", cases[i].want,
		    cases[i].want);
	}
	return tap_done();
}
