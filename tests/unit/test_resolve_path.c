/* SPDX-License-Identifier: ISC */
/* PATH, links and `#!` chains, in a directory of the test's own. */
#include "aegsh/resolve.h"
#include "resolve/resolve_path_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>

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
test_lookup(const struct state *s)
{
	char *path = NULL, *want = scratch_path("b/tool");

	IS_INT(resolve_path("tool", s, &path), 0);
	IS_STR(path, want);
	free(path);
	free(want);
	path = NULL;
	IS_INT(resolve_path("link", s, &path), 0);
	want = scratch_path("b/tool");
	IS_STRN(path, want, "links are followed to the end");
	free(path);
	free(want);
	path = NULL;
	IS_INT(resolve_path("nosuch", s, &path), -ENOENT);
	IS_INT(resolve_path("plain", s, &path), -EACCES);
	IS_INT(resolve_path("dir", s, &path), -EACCES);
	IS_INT(resolve_path("", s, &path), -ENOENT);
	OK(path == NULL);
	want = scratch_path("b/tool");
	IS_INTN(resolve_path(want, s, &path), 0, "a path is no name");
	free(path);
	path = NULL;
	IS_INTN(resolve_path("./here", s, &path), 0, "relative to the cwd");
	free(path);
	free(want);
}

static void
expect(const struct state *s, const char *name, const char *want, bool open)
{
	char *path = scratch_path(name), *got, *full;
	bool incomplete = false;

	got = resolve_interpreter(path, s, &incomplete);
	full = want != NULL ? scratch_path(want) : NULL;
	IS_STRN(got, full, name);
	OKF(incomplete == open, "%s: followed to its end or not", name);
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
		bool incomplete = false;

		got = resolve_interpreter(path, s, &incomplete);
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
		bool incomplete = false;

		got = resolve_interpreter(path, s, &incomplete);
		OKF(incomplete, "a chain that is too long is left open");
		free(got);
		free(path);
	}
	{
		char *fifo = scratch_path("fifo");
		bool incomplete = false;

		if (mkfifo(fifo, 0755) < 0)
			scratch_die(fifo);
		OKF(resolve_interpreter(fifo, s, &incomplete) == NULL,
		    "a pipe does not hold the judge up");
		free(fifo);
	}
}

int
main(void)
{
	char path_var[512], pwd[512];
	char *envp[] = { path_var, pwd, NULL };
	struct state *s;
	char *target, *link;

	scratch_new();
	scratch_mkdir("a", 0755);
	scratch_mkdir("b", 0755);
	scratch_mkdir("a/dir", 0755);
	file("b/tool", "x", 0755);
	file("a/plain", "x", 0644);
	file("here", "x", 0755);
	target = scratch_path("b/tool");
	link = scratch_path("a/link");
	if (symlink(target, link) < 0 || chdir(scratch_dir) < 0)
		scratch_die("symlink");
	free(target);
	free(link);
	snprintf(path_var, sizeof path_var, "PATH=%s/a:%s/no:%s/b",
	    scratch_dir, scratch_dir, scratch_dir);
	snprintf(pwd, sizeof pwd, "PWD=%s", scratch_dir);
	s = state_new(envp);
	test_lookup(s);
	test_shebang(s);
	state_free(s);
	return tap_done();
}
