/* SPDX-License-Identifier: ISC */
/* What a session starts with, and what its children get. */
#include "aegsh/state.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "scratch.h"
#include "tap.h"

static struct state *
start(const char *const *entries)
{
	return state_new((char *const *)(uintptr_t)entries);
}

/* The value that a child's environment gives to name. */
static char *
child_value(const struct state *s, const char *name)
{
	struct strv env = STRV_INIT;
	const size_t len = strlen(name);
	char *found = NULL;
	size_t i;

	state_envp(s, &env);
	for (i = 0; i < env.n; i++)
		if (strncmp(env.v[i], name, len) == 0 &&
		    env.v[i][len] == '=')
			found = xstrdup(env.v[i] + len + 1);
	strv_done(&env);
	return found;
}

static void
is_child_value(const struct state *s, const char *name, const char *want)
{
	AEG_AUTOFREE char *got = child_value(s, name);

	IS_STRN(got, want, name);
}

static void
test_shlvl(const char *inherited, const char *shown, const char *given)
{
	AEG_AUTOFREE char *entry = xasprintf("SHLVL=%s", inherited);
	const char *const env[] = { entry, NULL };
	struct state *s = start(env);
	AEG_AUTOFREE char *got = child_value(s, "SHLVL");

	OKF(strcmp(state_get(s, "SHLVL"), shown) == 0,
	    "SHLVL=%s shows as %s", inherited, shown);
	OKF(strcmp(got, given) == 0, "and bash is given %s", given);
	state_free(s);
}

static void
test_start(void)
{
	const char *const env[] = { "B=2", "A=1", "A=again", "no-name=x",
	    "BASH_FUNC_f%%=() { :; }", "LD_PRELOAD=/x.so", "EDITOR=vim",
	    "PAGER=less -R", "EMPTY=", "noequals", "_=/bin/x", NULL };
	struct state *s = start(env);
	struct strv list = STRV_INIT;
	size_t i;

	IS_STR(state_get(s, "A"), "1");
	IS_STR(state_get(s, "EMPTY"), "");
	IS_STR(state_get(s, "EDITOR"), "vim");
	OK(state_get(s, "LD_PRELOAD") == NULL);
	OK(state_get(s, "PAGER") == NULL);
	OK(state_get(s, "_") == NULL);
	OK(state_get(s, "SHLVL") != NULL);
	state_envp(s, &list);
	for (i = 1; i < list.n && strcmp(list.v[i - 1], list.v[i]) < 0; i++)
		;
	OKF(i == list.n, "the environment is in order, each name once");
	IS_INTN((intmax_t)list.n, 6, "A B EDITOR EMPTY PWD SHLVL");
	strv_done(&list);
	IS_STR(state_last_arg(s), "");
	IS_INT(state_status(s), 0);
	state_free(s);
}

static void
test_set(void)
{
	const char *const env[] = { "A=1", NULL };
	struct state *s = start(env);
	struct err err = ERR_INIT;
	AEG_AUTOFREE char *big = xmalloc(STATE_VAR_MAX);

	IS_INT(state_set(s, "B", "2", &err), 0);
	IS_STR(state_get(s, "B"), "2");
	IS_INT(state_set(s, "B", "", &err), 0);
	is_child_value(s, "B", "");
	IS_INT(state_set(s, "1x", "v", &err), -EINVAL);
	IS_INT(state_set(s, "BASH_ENV", "/x", &err), ERR_REFUSED);
	OK(strstr(err.text, "BASH_ENV: ") == err.text);
	memset(big, 'x', STATE_VAR_MAX);
	big[STATE_VAR_MAX - 3] = '\0';
	IS_INTN(state_set(s, "C", big, &err), 0,
	    "the largest that execve takes");
	big[STATE_VAR_MAX - 3] = 'x';
	big[STATE_VAR_MAX - 2] = '\0';
	IS_INTN(state_set(s, "C", big, &err), ERR_TOO_LONG, "one byte more");
	state_unset(s, "C");
	OK(state_get(s, "C") == NULL);
	state_unset(s, "C");
	IS_INT(state_set(s, "PWD", "/elsewhere", &err), 0);
	is_child_value(s, "PWD", state_cwd(s));
	state_free(s);
}

static void
test_cwd(void)
{
	AEG_AUTOFREE char *real = scratch_path("real");
	AEG_AUTOFREE char *link = scratch_path("link");
	AEG_AUTOFREE char *pwd = xasprintf("PWD=%s", link);
	AEG_AUTOFREE char *old = xasprintf("OLDPWD=%s", scratch_dir);
	const char *const logical[] = { pwd, old, NULL };
	const char *const wrong[] = { "PWD=/", "OLDPWD=/nowhere/at/all",
	    NULL };
	const char *const relative[] = { "PWD=.", NULL };
	struct state *s;

	scratch_mkdir("real", 0755);
	if (symlink("real", link) < 0 || chdir(real) < 0)
		scratch_die("link");
	s = start(logical);
	IS_STRN(state_cwd(s), link, "PWD is believed where it leads here");
	is_child_value(s, "PWD", link);
	is_child_value(s, "OLDPWD", scratch_dir);
	state_free(s);
	s = start(wrong);
	IS_STRN(state_cwd(s), real, "and not where it does not");
	OKF(state_get(s, "OLDPWD") == NULL, "nor an OLDPWD that is gone");
	state_free(s);
	s = start(relative);
	IS_STRN(state_cwd(s), real, "nor where it is relative");
	state_free(s);
	if (rmdir(real) < 0)
		scratch_die("rmdir");
	s = start(logical);
	IS_STRN(state_cwd(s), link, "a deleted directory keeps its name");
	state_free(s);
	s = start(relative);
	IS_STRN(state_cwd(s), "/", "without a name there is only the root");
	state_free(s);
	if (chdir("/") < 0)
		scratch_die("chdir");
}

static int
count(void *ctx, const char *name, const char *value)
{
	int *n = ctx;

	return ++*n == 2 ? 7 : 0;
}

static void
test_each(void)
{
	const char *const env[] = { "A=1", "B=2", "C=3", NULL };
	struct state *s = start(env);
	int n = 0;

	IS_INT(state_each(s, count, &n), 7);
	IS_INTN(n, 2, "state_each stops when it is told to");
	state_free(s);
}

int
main(void)
{
	scratch_new();
	test_start();
	test_set();
	test_shlvl("3", "4", "3");
	test_shlvl("", "1", "0");
	test_shlvl("word", "1", "0");
	test_shlvl("-7", "0", "-1");
	test_shlvl("998", "999", "998");
	test_shlvl("999", "1", "0");
	test_shlvl("2147483647", "1", "0");
	test_cwd();
	test_each();
	return tap_done();
}
