/* SPDX-License-Identifier: ISC */
/* Names of directories, by their letters and by the disk. */
#include "state/state_int.h"

#include <errno.h>

#include "aegsh/base/mem.h"
#include "scratch.h"
#include "tap.h"

/* Both paths are below the scratch directory unless absolute. */
static void
check(char *(*canon)(const char *), const char *path, const char *want)
{
	AEG_AUTOFREE char *whole = *path == '/' ? xstrdup(path) :
	    scratch_path(path);
	AEG_AUTOFREE char *wanted = want == NULL ? NULL : *want == '/' ?
	    xstrdup(want) : *want == '\0' ? xstrdup(scratch_dir) :
	    scratch_path(want);
	AEG_AUTOFREE char *got = canon(whole);

	IS_STRN(got, wanted, path);
}

static void
make_tree(void)
{
	AEG_AUTOFREE char *abs = scratch_path("a/b");

	scratch_mkdir("a", 0755);
	scratch_mkdir("a/b", 0755);
	scratch_puts("f", "");
	if (chdir(scratch_dir) < 0 || symlink("a/b", "l") < 0 ||
	    symlink(abs, "abs") < 0 || symlink("loop", "loop") < 0 ||
	    symlink("../l", "a/up") < 0 || symlink("nope", "dead") < 0)
		scratch_die("tree");
}

int
main(void)
{
	scratch_new();
	make_tree();
	check(canon_logical, "/", "/");
	check(canon_logical, "//", "//");
	check(canon_logical, "///", "/");
	check(canon_logical, "/..", "/");
	check(canon_logical, "//..", "//");
	check(canon_logical, "//usr/", "//usr");
	check(canon_logical, "/usr/../usr/./lib/..", "/usr");
	check(canon_logical, "a/b/..", "a");
	check(canon_logical, "l", "l");
	check(canon_logical, "l/..", "");
	check(canon_logical, "a//./b///", "a/b");
	check(canon_logical, "f", NULL);
	check(canon_logical, "f/..", NULL);
	check(canon_logical, "nope/..", NULL);
	check(canon_logical, "loop", NULL);
	check(canon_physical, "/", "/");
	check(canon_physical, "//", "//");
	check(canon_physical, "///..", "/");
	check(canon_physical, "l", "a/b");
	check(canon_physical, "l/..", "a");
	check(canon_physical, "abs/../b/.", "a/b");
	check(canon_physical, "a/up/..", "a");
	check(canon_physical, "f", "f");
	check(canon_physical, "nope", NULL);
	check(canon_physical, "dead", NULL);
	OK(canon_physical("/nope") == NULL && errno == ENOENT);
	check(canon_physical, "loop", NULL);
	OK(errno == ELOOP);
	if (chdir("/") < 0)
		scratch_die("/");
	return tap_done();
}
