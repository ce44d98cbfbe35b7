/* SPDX-License-Identifier: ISC */
#include "shebang/shebang_int.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>

#include "aegsh/base/mem.h"

static char home[] = "HOME=/home/u", x[] = "X=val", empty[] = "EMPTY=",
    dollar[] = "D=$X`id`", a_1[] = "a_1=one", slash[] = "ABS=/opt";
static char *const envp[] = { home, x, empty, dollar, a_1, slash, NULL };

static const struct {
	const char *entry;
	bool vars;
	const char *want;	/* NULL: see rc */
	int rc;
} expands[] = {
	{ "bin", true, "bin", 0 },
	{ ".", true, ".", 0 },
	{ "~", false, "/home/u", 0 },
	{ "~/bin", true, "/home/u/bin", 0 },
	{ "~root", true, "~root", 0 },
	{ "a/~", true, "a/~", 0 },
	{ "$X", false, "$X", 0 },
	{ "`id`", false, "`id`", 0 },
	{ "$X", true, "val", 0 },
	{ "${X}", true, "val", 0 },
	{ "a$X/b${X}c", true, "aval/bvalc", 0 },
	{ "$a_1.x", true, "one.x", 0 },
	{ "$ABS/$X", true, "/opt/val", 0 },
	{ "~/$X", true, "/home/u/val", 0 },
	{ "$D", true, "$X`id`", 0 },
	{ "*?[a]{b,c};&|<>\\\"'!#", true, "*?[a]{b,c};&|<>\\\"'!#", 0 },
	{ "\xff$X", true, "\xffval", 0 },
	{ "", true, NULL, -ENOENT },
	{ "$EMPTY", true, NULL, -ENOENT },
	{ "${EMPTY}bin", true, "bin", 0 },
	{ "$NONE", true, NULL, -ENOENT },
	{ "a$NONE/b", true, NULL, -ENOENT },
	{ "$", true, NULL, ERR_SYNTAX },
	{ "a$", true, NULL, ERR_SYNTAX },
	{ "$$", true, NULL, ERR_SYNTAX },
	{ "$1", true, NULL, ERR_SYNTAX },
	{ "$-", true, NULL, ERR_SYNTAX },
	{ "$(id)", true, NULL, ERR_SYNTAX },
	{ "$((1))", true, NULL, ERR_SYNTAX },
	{ "`id`", true, NULL, ERR_SYNTAX },
	{ "a`", true, NULL, ERR_SYNTAX },
	{ "${", true, NULL, ERR_SYNTAX },
	{ "${}", true, NULL, ERR_SYNTAX },
	{ "${X", true, NULL, ERR_SYNTAX },
	{ "${X:-y}", true, NULL, ERR_SYNTAX },
	{ "${#X}", true, NULL, ERR_SYNTAX },
	{ "${!X}", true, NULL, ERR_SYNTAX },
	{ "${1}", true, NULL, ERR_SYNTAX },
	{ "$NONE$(id)", true, NULL, ERR_SYNTAX },
	{ "${NONE}`id`", true, NULL, ERR_SYNTAX },
	{ "~/$(id)", true, NULL, ERR_SYNTAX },
};

static void
test_expand(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(expands); i++) {
		struct buf out = BUF_INIT_MAX(SHEBANG_PATH_MAX - 1);
		const char *why = NULL;
		int rc = shebang_expand(expands[i].entry, expands[i].vars,
		    envp, &out, &why, NULL);

		IS_INTN(rc, expands[i].rc, expands[i].entry);
		if (rc == 0)
			IS_STRN(out.data, expands[i].want, expands[i].entry);
		OKF(rc != -ENOENT || why != NULL, "%s: says why",
		    expands[i].entry);
		buf_done(&out);
	}
}

static void
test_home(void)
{
	char relative[] = "HOME=rel", none[] = "HOME=";
	char *const bad[][2] = { { relative, NULL }, { none, NULL },
	    { NULL, NULL } };
	struct buf out = BUF_INIT_MAX(SHEBANG_PATH_MAX - 1);
	const char *why;
	size_t i;

	for (i = 0; i < AEG_NELEM(bad); i++)
		IS_INT(shebang_expand("~/bin", false, bad[i], &out, &why,
		    NULL), -ENOENT);
	/* A refused form is an error whatever HOME is. */
	IS_INT(shebang_expand("~/$(id)", true, bad[0], &out, &why, NULL),
	    ERR_SYNTAX);
	buf_done(&out);
}

static void
test_too_long(void)
{
	struct buf value = BUF_INIT, out = BUF_INIT_MAX(SHEBANG_PATH_MAX - 1);
	char *env[] = { NULL, NULL };
	const char *why;
	size_t i;

	buf_puts(&value, "V=");
	for (i = 0; i < SHEBANG_PATH_MAX - 1; i++)
		buf_putc(&value, 'v');
	env[0] = value.data;
	IS_INT(shebang_expand("$V", true, env, &out, &why, NULL), 0);
	buf_reset(&out);
	IS_INT(shebang_expand("$V/", true, env, &out, &why, NULL),
	    ERR_TOO_LONG);
	buf_done(&out);
	buf_done(&value);
}

static const struct {
	const char *dirs, *want;	/* joined with '|' */
} dir_lists[] = {
	{ ".:bin", ".|bin" },
	{ "::bin:", "bin" },
	{ "./bin//:bin/./x:././:/a//b/:///", "bin|bin/./x|.|/a/b|/" },
	{ "../lib:..", "../lib|.." },
	{ "~/a:~", "/home/u/a|/home/u" },
	{ "$X:${X}/", "val|val" },
	{ "$NONE:bin", "bin" },
	{ "$NONE", "" },
	{ ".bin:..bin", ".bin|..bin" },
};

static const struct {
	const char *suffixes, *want;
} name_lists[] = {
	{ ":primary:secondary", "n|n-primary|n-secondary" },
	{ "primary", "n-primary" },
	{ ":", "n" },
	{ "a:", "n-a" },
	{ "a::b", "n-a|n|n-b" },
	{ "::", "n|n" },
	{ "-", "n--" },
	{ ".:..", "n-.|n-.." },
};

static char *
joined(const struct strv *v)
{
	struct buf out = BUF_INIT;
	size_t i;

	for (i = 0; i < v->n; i++)
		buf_putf(&out, "%s%s", i > 0 ? "|" : "", v->v[i]);
	return buf_take(&out);
}

static void
check_lists(const char *dirs, const char *suffixes, const char *want_dirs,
    const char *want_names)
{
	struct shebang_query q = { .name = "n", .envp = envp };
	struct shebang_plan plan = { STRV_INIT, STRV_INIT };
	struct shebang_settings s = { 0 };
	char *got;

	shebang_settings_layer(&s, NULL, NULL);
	free(s.value[SHEBANG_PROBE_DIRS]);
	s.value[SHEBANG_PROBE_DIRS] = xstrdup(dirs);
	free(s.value[SHEBANG_SUFFIXES]);
	s.value[SHEBANG_SUFFIXES] = xstrdup(suffixes);
	free(s.value[SHEBANG_EXPAND]);
	s.value[SHEBANG_EXPAND] = xstrdup("yes");
	IS_INTN(shebang_plan_build(&q, &s, &plan, NULL), 0, dirs);
	got = joined(&plan.dirs);
	IS_STRN(got, want_dirs, dirs);
	free(got);
	got = joined(&plan.names);
	IS_STRN(got, want_names, suffixes);
	free(got);
	shebang_plan_done(&plan);
	shebang_settings_done(&s);
}

int
main(void)
{
	size_t i;

	test_expand();
	test_home();
	test_too_long();
	for (i = 0; i < AEG_NELEM(dir_lists); i++)
		check_lists(dir_lists[i].dirs, ":", dir_lists[i].want, "n");
	for (i = 0; i < AEG_NELEM(name_lists); i++)
		check_lists(".", name_lists[i].suffixes, ".",
		    name_lists[i].want);
	return tap_done();
}
