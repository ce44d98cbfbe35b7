/* SPDX-License-Identifier: ISC */
#include "aegsh/base/path.h"
#include "tap.h"

#include <stdlib.h>

static const struct {
	const char *dir, *tail, *want;
} cases[] = {
	{ "/a", "b", "/a/b" },
	{ "/a", "/b", "/b" },
	{ "/a/b", "..", "/a" },
	{ "/", "..", "/" },
	{ "/", "../..", "/" },
	{ "/a", "./b//c/", "/a/b/c" },
	{ "/a/b/c", "../../x", "/a/x" },
	{ "/a", "", "/a" },
	{ "/", "", "/" },
	{ "/a", "...", "/a/..." },
	{ "/a", "..b", "/a/..b" },
	{ "/a", "/../..//x/.", "/x" },
};

int
main(void)
{
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *got = path_canon(cases[i].dir, cases[i].tail);

		IS_STRN(got, cases[i].want, cases[i].want);
		free(got);
	}
	OK(path_under("/a/b", "/a"));
	OK(path_under("/a", "/a"));
	OK(!path_under("/ab", "/a"));
	OK(path_under("/x", "/"));
	IS_STR(path_base("/a/b"), "b");
	IS_STR(path_base("b"), "b");
	return tap_done();
}
