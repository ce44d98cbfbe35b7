/* SPDX-License-Identifier: ISC */
/* PATH and links, in a directory of the test's own. */
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
	IS_INT(resolve_find("link", s, &path), 0);
	want = scratch_path("a/link");
	IS_STRN(path, want, "or not, for what is started by its link");
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
	state_free(s);
	return tap_done();
}
