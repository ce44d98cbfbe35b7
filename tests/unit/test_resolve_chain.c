/* SPDX-License-Identifier: ISC */
/* `#!` chains, through env and auto-shebang, in a directory of the test's
 * own.  The auto-shebang is the one that was built. */
#include "aegsh/resolve.h"
#include "resolve/resolve_path_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>

#include "aegsh/base/mem.h"

static void
file(const char *name, const char *text, mode_t mode)
{
	char *path = scratch_path(name);
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(text, f) == EOF || fclose(f) != 0 ||
	    chmod(path, mode) < 0)
		scratch_die(path);
	free(path);
}

static void
expect(const struct state *s, const char *name, const char *want, bool open)
{
	char *path = scratch_path(name), *got, *full;
	struct resolve_chain chain = { false, false };

	got = resolve_interpreter(path, s, &chain);
	full = want != NULL ? scratch_path(want) : NULL;
	IS_STRN(got, full, name);
	OKF(chain.incomplete == open, "%s: followed to its end or not", name);
	free(path);
	free(got);
	free(full);
}

static void
test_shebang(const struct state *s)
{
	const char *dir = scratch_dir;
	char text[512];
	int i;

	snprintf(text, sizeof text, "#!%s/b/tool\n", dir);
	file("s1", text, 0755);
	expect(s, "s1", "b/tool", false);
	snprintf(text, sizeof text, "#! \t%s/s1  -x y \n", dir);
	file("s2", text, 0755);
	expect(s, "s2", "b/tool", false);
	file("s3", "#!/usr/bin/env tool\n", 0755);
	expect(s, "s3", "b/tool", false);
	file("s4", "#!/usr/bin/env -S A=1 tool -x\n", 0755);
	expect(s, "s4", "b/tool", false);
	file("s5", "#!/usr/bin/env -Stool -x\n", 0755);
	expect(s, "s5", "b/tool", false);
	file("none", "echo\n", 0755);
	expect(s, "none", NULL, false);
	file("empty", "", 0755);
	expect(s, "empty", NULL, false);
	file("bare", "#!\n", 0755);
	expect(s, "bare", NULL, false);
	file("lost", "#!/no/such/program\n", 0755);
	{
		char *path = scratch_path("lost"), *got;
		struct resolve_chain chain = { false, false };

		got = resolve_interpreter(path, s, &chain);
		IS_STRN(got, "/no/such/program", "an interpreter that is not "
		    "there is named");
		free(got);
		free(path);
	}
	snprintf(text, sizeof text, "#!%s/loop\n", dir);
	file("loop", text, 0755);
	expect(s, "loop", NULL, true);
	for (i = 0; i < 8; i++) {
		char name[16];

		snprintf(name, sizeof name, "deep%d", i);
		snprintf(text, sizeof text, "#!%s/deep%d\n", dir, i + 1);
		file(name, text, 0755);
	}
	file("deep8", "#!/bin/sh\n", 0755);
	{
		char *path = scratch_path("deep0"), *got;
		struct resolve_chain chain = { false, false };

		got = resolve_interpreter(path, s, &chain);
		OKF(chain.incomplete, "a chain that is too long is left open");
		free(got);
		free(path);
	}
	{
		char *fifo = scratch_path("fifo");
		struct resolve_chain chain = { false, false };

		if (mkfifo(fifo, 0755) < 0)
			scratch_die(fifo);
		OKF(resolve_interpreter(fifo, s, &chain) == NULL,
		    "a pipe does not hold the judge up");
		free(fifo);
	}
}

/* ---- auto-shebang ------------------------------------------------------- */

static void
link_to(const char *target, const char *name)
{
	char *path = scratch_path(name);

	if (symlink(target, path) < 0)
		scratch_die(path);
	free(path);
}

static void
script(const char *name, const char *first, const char *rest)
{
	char text[512];

	snprintf(text, sizeof text, "#!%s%s%s\n", first, scratch_dir, rest);
	file(name, text, 0755);
}

/*
 *	any/auto-python, any/auto-shebang, any/env	auto-shebang itself
 *	any/renamed					a copy of it
 *	p/bin/auto-python -> p/real, p/inner/bin/auto-python -> p/wrapped
 *	p/wrapped	a script of auto-sh; p/bin/auto-sh -> b/tool
 *	out/bin/auto-python -> p/other
 */
static void
make_tree(const char *built)
{
	char *copy = scratch_path("any/renamed"), command[1024];

	scratch_mkdir("any", 0755);
	scratch_mkdir("p", 0755);
	scratch_mkdir("p/bin", 0755);
	scratch_mkdir("p/inner", 0755);
	scratch_mkdir("p/inner/bin", 0755);
	scratch_mkdir("out", 0755);
	scratch_mkdir("out/bin", 0755);
	scratch_mkdir("alone", 0755);
	link_to(built, "any/auto-python");
	link_to(built, "any/auto-shebang");
	link_to(built, "any/auto-none");
	link_to(built, "any/env");
	snprintf(command, sizeof command, "cp '%s' '%s'", built, copy);
	if (system(command) != 0)
		scratch_die(copy);
	free(copy);
	file("p/real", "x", 0755);
	file("p/other", "x", 0755);
	script("p/wrapped", "", "/any/auto-sh");
	link_to(built, "any/auto-sh");
	link_to("../real", "p/bin/auto-python");
	link_to("../real", "p/bin/renamed");
	link_to("../real", "p/bin/env");
	link_to("../../wrapped", "p/inner/bin/auto-python");
	link_to("../../b/tool", "p/bin/auto-sh");
	link_to("../../p/other", "out/bin/auto-python");
}

static void
test_resolver(const struct state *s)
{
	script("p/direct", "", "/any/auto-python");
	expect(s, "p/direct", "p/real", false);
	script("p/env", "/usr/bin/env ", "/any/auto-python");
	expect(s, "p/env", "p/real", false);
	script("p/split", "/usr/bin/env -S ", "/any/auto-python");
	expect(s, "p/split", "p/real", false);
	script("p/named", "", "/any/auto-shebang auto-python");
	expect(s, "p/named", "p/real", false);
	script("p/both", "/usr/bin/env -S ", "/any/auto-shebang auto-python");
	expect(s, "p/both", "p/real", false);
	script("p/copy", "", "/any/renamed");
	expect(s, "p/copy", "p/real", false);
	script("p/isenv", "", "/any/env");
	expect(s, "p/isenv", "p/real", false);
	script("p/inner/x", "", "/any/auto-python");
	expect(s, "p/inner/x", "b/tool", false);
	/* Its search begins where the link stands. */
	link_to("../p/direct", "out/link");
	expect(s, "out/link", "p/other", false);
}

/* Never the alias itself, and never as if it were followed. */
static void
test_resolver_open(const struct state *s)
{
	static const struct {
		const char *name, *first, *rest;
	} rows[] = {
		{ "p/none", "", "/any/auto-none" },
		{ "alone/none", "", "/any/auto-python" },
		{ "p/bare", "", "/any/auto-shebang" },
		{ "p/option", "", "/any/auto-shebang --resolve" },
		{ "p/verb", "", "/any/auto-shebang doctor" },
		{ "p/argument", "", "/any/auto-python -u" },
		{ "p/unsplit", "/usr/bin/env ",
		    "/any/auto-shebang auto-python" },
		{ "p/setenv", "/usr/bin/env -S AUTO_SHEBANG_PROBE_DIRS=x ",
		    "/any/auto-python" },
		{ "p/cleared", "/usr/bin/env -S -i ", "/any/auto-python" },
		{ "p/envarg", "", "/any/env tool" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		script(rows[i].name, rows[i].first, rows[i].rest);
		expect(s, rows[i].name, NULL, true);
	}
}

/* Settings of the shell's environment count; those of the line can't be
 * told from here. */
static void
test_environment(struct state *s)
{
	static const struct {
		const char *prefix;
		bool open;
	} rows[] = {
		{ "", false },
		{ "A=1 ", false },
		{ "AUTO_SHEBANG_PROBE_DIRS=x ", true },
		{ "export AUTO_SHEBANG_PROBE_DIRS=x; ", true },
		{ "env AUTO_SHE''BANG_PROBE_DIRS=x ", true },
	};
	char *path = scratch_path("p/direct"), *real = scratch_path("p/real");
	char *other = scratch_path("p/other");
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		char *line = xasprintf("%s%s", rows[i].prefix, path);
		struct resolve_set *set;
		struct syn_facts *facts;
		struct syn_tree *tree;
		struct syn_diag diag;

		if (syn_parse(line, strlen(line), NULL, &tree, &diag) !=
		    SYN_TREE)
			scratch_die(line);
		facts = syn_facts_new(tree, NULL);
		IS_INT(resolve_facts(facts, s, &set), 0);
		IS_STRN(set->items[set->n - 1].interpreter, real, line);
		OKF(set->incomplete == rows[i].open, "%s: %s", line,
		    rows[i].open ? "left open" : "followed");
		resolve_free(set);
		syn_facts_free(facts);
		syn_free(tree);
		free(line);
	}
	IS_INT(state_set(s, "AUTO_SHEBANG_OVERRIDE_EXE", other, NULL), 0);
	IS_INT(state_set(s, "AUTO_SHEBANG_TRUST_ENV", "yes", NULL), 0);
	expect(s, "p/direct", "p/other", false);
	state_unset(s, "AUTO_SHEBANG_OVERRIDE_EXE");
	state_unset(s, "AUTO_SHEBANG_TRUST_ENV");
	free(path);
	free(real);
	free(other);
}

int
main(void)
{
	const char *top = getenv("abs_top_builddir");
	char path_var[512], pwd[512], built[512];
	char *envp[] = { path_var, pwd, NULL };
	struct state *s;

	if (top == NULL) {
		fputs("abs_top_builddir is not set\n", stderr);
		return 99;
	}
	snprintf(built, sizeof built, "%s/auto-shebang", top);
	scratch_new();
	scratch_mkdir("b", 0755);
	file("b/tool", "x", 0755);
	if (chdir(scratch_dir) < 0)
		scratch_die(scratch_dir);
	snprintf(path_var, sizeof path_var, "PATH=%s/no:%s/b:/usr/bin:/bin",
	    scratch_dir, scratch_dir);
	snprintf(pwd, sizeof pwd, "PWD=%s", scratch_dir);
	s = state_new(envp);
	test_shebang(s);
	make_tree(built);
	test_resolver(s);
	test_resolver_open(s);
	test_environment(s);
	state_free(s);
	return tap_done();
}
