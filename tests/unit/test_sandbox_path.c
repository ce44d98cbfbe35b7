/* SPDX-License-Identifier: ISC */
/* Names of places: variables, links, what is not there. */
#include "sandbox/sandbox_int.h"
#include "scratch.h"
#include "tap.h"

#include <limits.h>

#include "aegsh/base/mem.h"

static struct sandbox_vars vars;

static const struct {
	const char *text;
	int rc;
	const char *path;
} cases[] = {
	{ "/a/b", 1, "/a/b" },
	{ "/a//b/./c/../d/", 1, "/a/b/d" },
	{ "$HOME", 1, "/home/u" },
	{ "$HOME/x", 1, "/home/u/x" },
	{ "/run/user/$UID", 1, "/run/user/4321" },
	{ "/r/$UID/x$UID", 1, "/r/4321/x4321" },
	{ "$PROJECT", 0, NULL },
	{ "$TTY", 0, NULL },
	{ "$STORE/..", 1, "/s" },
	{ "$HOMES", ERR_SYNTAX, NULL },
	{ "$home", ERR_SYNTAX, NULL },
	{ "$", ERR_SYNTAX, NULL },
	{ "~/x", ERR_SYNTAX, NULL },
	{ "rel", ERR_SYNTAX, NULL },
	{ "x$HOME", ERR_SYNTAX, NULL },
};

static void
test_expand(void)
{
	AEG_AUTO(buf_done) struct buf longest = BUF_INIT;
	struct err err = ERR_INIT;
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		AEG_AUTOFREE char *path = NULL;

		IS_INTN(sandbox_path_expand(cases[i].text, &vars, &path, &err),
		    cases[i].rc, cases[i].text);
		IS_STR(path, cases[i].path);
	}
	while (longest.len < PATH_MAX)
		buf_puts(&longest, "/long");
	{
		AEG_AUTOFREE char *path = NULL;

		IS_INTN(sandbox_path_expand(longest.data, &vars, &path, &err),
		    ERR_SYNTAX, "a path that is too long");
	}
}

static void
test_real(void)
{
	static const struct {
		const char *name, *real;
		bool found;
	} places[] = {
		{ "dir", "dir", true }, { "dir/file", "dir/file", true },
		{ "link", "dir", true }, { "link/file", "dir/file", true },
		{ "link/gone/x", "dir/gone/x", false },
		{ "gone", "gone", false }, { "dangling", "dangling", false },
		{ "dir/file/x", "dir/file/x", false },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(places); i++) {
		AEG_AUTOFREE char *path = scratch_path(places[i].name);
		AEG_AUTOFREE char *want = scratch_path(places[i].real);
		AEG_AUTOFREE char *real = sandbox_path_real(path);
		AEG_AUTOFREE char *found = sandbox_path_find(path, NULL);

		IS_STRN(real, want, places[i].name);
		IS_STR(found, places[i].found ? want : NULL);
	}
	{
		AEG_AUTOFREE char *root = sandbox_path_real("/");

		IS_STR(root, "/");
	}
}

int
main(void)
{
	AEG_AUTOFREE char *link = NULL, *dangling = NULL;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	vars.uid = 4321;
	vars.home = "/home/u";
	vars.store = "/s/t";
	scratch_mkdir("dir", 0755);
	scratch_puts("dir/file", "");
	link = scratch_path("link");
	dangling = scratch_path("dangling");
	if (symlink("dir", link) < 0 || symlink("nowhere", dangling) < 0)
		scratch_die(link);
	test_expand();
	test_real();
	return tap_done();
}
