/* SPDX-License-Identifier: ISC */
/* What is remembered of a program, and what makes it forgotten. */
#include "aegsh/resolve.h"
#include "resolve/resolve_path_int.h"
#include "scratch.h"
#include "tap.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

/* A file of root's in directories of root's: the dynamic linker's settings
 * are on each system, and no script. */
static const char file[] = "/etc/passwd";

static struct stat
settled(void)
{
	struct stat st;

	if (stat(file, &st) < 0)
		scratch_die(file);
	st.st_uid = 0;
	st.st_mode = S_IFREG | 0755;
	st.st_nlink = 1;
	st.st_ctim = (struct timespec){ 1000, 7 };
	return st;
}

static bool
put_and_get(const char *name, const struct stat *st, const char *real)
{
	resolve_memo_put(name, st, real);
	return resolve_memo_get(name, st) != NULL;
}

static void
test_remembered(void)
{
	struct stat st = settled(), other = st;

	OKF(resolve_memo_get("/a/tool", &st) == NULL, "nothing is known yet");
	OKF(put_and_get("/a/tool", &st, file), "a program of root's");
	IS_STR(resolve_memo_get("/a/tool", &st), file);
	OKF(resolve_memo_get("/b/tool", &st) == NULL, "by its name");
	other.st_ino++;
	OKF(resolve_memo_get("/a/tool", &other) == NULL, "another file");
	other = st;
	other.st_dev++;
	OKF(resolve_memo_get("/a/tool", &other) == NULL, "of another disk");
	other = st;
	other.st_ctim.tv_nsec++;
	OKF(resolve_memo_get("/a/tool", &other) == NULL, "or changed since");
	other = st;
	other.st_mode |= S_IWOTH;
	OKF(resolve_memo_get("/a/tool", &other) == NULL, "or open to others");
	IS_STRN(resolve_memo_get("/a/tool", &st), file, "it stays known");
}

static void
test_not_remembered(void)
{
	struct stat st = settled();
	char *own = scratch_path("tool");

	OKF(!put_and_get("/c/1", &st, own), "where others can write");
	OKF(!put_and_get("/c/2", &st, "/no/such/dir/tool"), "or nothing is");
	OKF(!put_and_get("/c/3", &st, "tool"), "or a name leads anywhere");
	st.st_nlink = 2;
	OKF(!put_and_get("/c/4", &st, file), "two names of one file");
	st = settled();
	st.st_uid = 1000;
	OKF(!put_and_get("/c/5", &st, file), "a user's file");
	st = settled();
	st.st_mode |= S_IWGRP;
	OKF(!put_and_get("/c/6", &st, file), "a group's file");
	st = settled();
	clock_gettime(CLOCK_REALTIME, &st.st_ctim);
	OKF(!put_and_get("/c/7", &st, file), "a file that just changed");
	free(own);
}

/* Each name of many is either forgotten or told right. */
static void
test_crowded(void)
{
	struct stat st = settled();
	char name[32];
	const char *got;
	int i, right = 0, wrong = 0;

	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "/x/%d", i);
		st.st_ino = (ino_t)i;
		resolve_memo_put(name, &st, i % 2 == 0 ? file : "/etc/group");
	}
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "/x/%d", i);
		st.st_ino = (ino_t)i;
		got = resolve_memo_get(name, &st);
		if (got == NULL)
			continue;
		if (strcmp(got, i % 2 == 0 ? file : "/etc/group") == 0)
			right++;
		else
			wrong++;
	}
	OKF(right > 0 && right < 5000, "%d of 5000 names stay", right);
	IS_INT(wrong, 0);
}

/* Through the walk, as for every line: what a name leads to is told anew. */
static void
leads_to(struct state *s, const char *want)
{
	const struct syn_options whole = { .at_end = true };
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	struct resolve_set *set = NULL;
	char *real = resolve_real(want);

	if (syn_parse("tool", 4, &whole, &tree, &diag) != SYN_TREE)
		scratch_die("tool");
	facts = syn_facts_new(tree, NULL);
	resolve_facts(facts, s, &set);
	IS_STRN(set->items[0].path, real, want);
	OK(set->items[0].interpreter == NULL);
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
	free(real);
}

static void
test_walk(void)
{
	char *dir, *tool, *path_var, *envp[2] = { NULL };
	struct state *s;
	int i;

	scratch_mkdir("bin", 0755);
	dir = scratch_path("bin");
	tool = scratch_path("bin/tool");
	path_var = xasprintf("PATH=%s", dir);
	envp[0] = path_var;
	s = state_new(envp);
	for (i = 0; i < 4; i++) {
		const char *to = i % 2 == 0 ? "/bin/true" : "/bin/false";

		unlink(tool);
		if (symlink(to, tool) < 0)
			scratch_die(tool);
		leads_to(s, to);
		leads_to(s, to);
	}
	state_free(s);
	free(path_var);
	free(tool);
	free(dir);
}

int
main(void)
{
	scratch_new();
	test_remembered();
	test_not_remembered();
	test_crowded();
	test_walk();
	return tap_done();
}
