/* SPDX-License-Identifier: ISC */
#include "shebang/shebang_int.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "scratch.h"

#include "aegsh/base/mem.h"

/* The tree: top/a/b/c, with candidates made by the rows. */

struct seen {
	struct buf text;	/* the trace, a line a step, below the top */
};

static void
note(void *ctx, const struct shebang_step *step)
{
	struct seen *seen = ctx;
	const char *at = step->kind == SHEBANG_STEP_SKIPPED ? step->name :
	    step->text;
	size_t n = strlen(scratch_dir);

	/* What lies above the test's own directory is not its business. */
	if (strncmp(at, scratch_dir, n) != 0)
		return;
	buf_putf(&seen->text, "%s%s %s;",
	    step->kind == SHEBANG_STEP_SKIPPED ? "skip " : "", at + n,
	    step->kind == SHEBANG_STEP_SKIPPED ? "" :
	    shebang_verdict_str(step->verdict));
}

static int
walk(const char *start, const char *dirs, const char *names,
    const char *walked, struct shebang_result *found, struct seen *seen,
    bool explain)
{
	struct shebang_query q = { .name = "n", .cwd_fd = AT_FDCWD,
	    .explain = explain, .trace = note, .trace_ctx = seen };
	struct shebang_plan plan = { STRV_INIT, STRV_INIT };
	char *path = scratch_path(start), *old = NULL, *list = xstrdup(dirs),
	    *save = NULL, *p;
	struct shebang_walk w = { .q = &q, .plan = &plan, .found = found };
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), rc;

	for (p = strtok_r(list, ":", &save); p != NULL;
	    p = strtok_r(NULL, ":", &save)) {
		if (p[0] == '@')
			strv_addf(&plan.dirs, "%s/%s", scratch_dir, p + 1);
		else
			strv_add(&plan.dirs, p);
	}
	free(list);
	list = xstrdup(names);
	for (p = strtok_r(list, ":", &save); p != NULL;
	    p = strtok_r(NULL, ":", &save))
		strv_add(&plan.names, p);
	free(list);
	if (walked != NULL) {
		old = scratch_path(walked);
		w.walked = old;
		w.absolute_done = true;
	}
	rc = shebang_walk(&w, &fd, path, NULL);
	IS_INTN(fd, -1, "the descriptor is taken over");
	shebang_plan_done(&plan);
	free(path);
	free(old);
	return rc;
}

static void
touch(const char *name)
{
	scratch_write(name, "#!/bin/sh\n", 10, 0755);
}

static void
untouch(const char *name)
{
	char *path = scratch_path(name);

	unlink(path);
	free(path);
}

static void
check(const char *name, const char *dirs, const char *names,
    const char *walked, const char *want, const char *trace)
{
	struct shebang_result r = SHEBANG_RESULT_INIT;
	struct seen seen = { BUF_INIT };
	char *path = want != NULL ? scratch_path(want) : NULL;

	IS_INTN(walk("a/b/c", dirs, names, walked, &r, &seen, true), 0, name);
	IS_STRN(r.path, path, name);
	if (trace != NULL)
		IS_STRN(seen.text.data != NULL ? seen.text.data : "", trace,
		    name);
	shebang_result_done(&r);
	buf_done(&seen.text);
	free(path);
}

static void
test_order(void)
{
	check("nothing", ".:bin", "n", NULL, NULL,
	    "/a/b/c/n missing;/a/b/c/bin/n missing;"
	    "/a/b/n missing;/a/b/bin/n missing;"
	    "/a/n missing;/a/bin/n missing;"
	    "/n missing;/bin/n missing;");
	touch("a/bin/n");
	check("up", ".:bin", "n", NULL, "a/bin/n", NULL);
	touch("a/n");
	check("entry order", ".:bin", "n", NULL, "a/n", NULL);
	check("entry order turned", "bin:.", "n", NULL, "a/bin/n", NULL);
	touch("a/b/bin/n-2");
	check("nearest, though a later name", ".:bin", "n:n-2", NULL,
	    "a/b/bin/n-2", NULL);
	check("names within one directory", "bin", "n:n-2", NULL,
	    "a/b/bin/n-2", "/a/b/c/bin/n missing;/a/b/c/bin/n-2 missing;"
	    "/a/b/bin/n missing;/a/b/bin/n-2 taken;");
	check("an entry of two levels", "../bin", "n", NULL,
	    "a/b/../bin/n", NULL);
	untouch("a/b/bin/n-2");
	untouch("a/n");
	untouch("a/bin/n");
}

static void
test_absolute(void)
{
	touch("opt/n");
	check("absolute in its place", ".:@opt:bin", "n", NULL, "opt/n",
	    "/a/b/c/n missing;/opt/n taken;");
	touch("a/b/c/bin/n");
	check("behind an earlier one", "bin:@opt", "n", NULL, "a/b/c/bin/n",
	    NULL);
	check("before a later one", "@opt:bin", "n", NULL, "opt/n", NULL);
	untouch("a/b/c/bin/n");
	untouch("opt/n");
	check("once only", "@opt:bin", "n", NULL, NULL,
	    "/opt/n missing;/a/b/c/bin/n missing;/a/b/bin/n missing;"
	    "/a/bin/n missing;/bin/n missing;");
}

static void
test_walked(void)
{
	check("common part", ".", "n", "a/x/y", NULL,
	    "/a/b/c/n missing;/a/b/n missing;skip /a ;");
	check("the same place", ".", "n", "a/b/c", NULL, "skip /a/b/c ;");
	check("a name that only begins so", ".", "n", "a/b/c2", NULL,
	    "/a/b/c/n missing;skip /a/b ;");
	check("absolute ones are not looked at again", "@opt:.", "n", "a/x",
	    NULL, "/a/b/c/n missing;/a/b/n missing;skip /a ;");
}

static void
test_quiet(void)
{
	struct shebang_result r = SHEBANG_RESULT_INIT;
	struct seen seen = { BUF_INIT };

	scratch_write("a/n", "", 0, 0644);
	IS_INT(walk("a/b/c", ".:bin", "n", NULL, &r, &seen, false), 0);
	IS_STRN(seen.text.data, "/a/n not executable;",
	    "without explain only what exists is told");
	IS_STR(r.path, NULL);
	buf_done(&seen.text);
	untouch("a/n");
}

static void
test_closed(void)
{
	char *b = scratch_path("a/b");
	struct shebang_result r = SHEBANG_RESULT_INIT;
	struct seen seen = { BUF_INIT };

	if (geteuid() == 0) {
		SKIP(1, "root searches every directory");
		free(b);
		return;
	}
	/* The walk starts in c by a descriptor; b may then not be searched,
	 * nor may its `..' be asked for. */
	touch("a/n");
	scratch_mkdir("a/d", 0700);
	scratch_mkdir("a/d/e", 0700);
	free(b);
	b = scratch_path("a/d");
	{
		struct shebang_query q = { .name = "n", .cwd_fd = AT_FDCWD,
		    .trace = note, .trace_ctx = &seen };
		struct shebang_plan plan = { STRV_INIT, STRV_INIT };
		struct shebang_walk w = { .q = &q, .plan = &plan,
		    .found = &r };
		char *e = scratch_path("a/d/e"), *want = scratch_path("a/n");
		int fd = open(e, O_PATH | O_DIRECTORY | O_CLOEXEC);

		strv_add(&plan.dirs, ".");
		strv_add(&plan.names, "n");
		chmod(b, 0);
		IS_INT(shebang_walk(&w, &fd, e, NULL), 0);
		chmod(b, 0700);
		IS_STRN(r.path, want, "the walk goes on above a closed "
		    "directory");
		shebang_plan_done(&plan);
		free(e);
		free(want);
	}
	shebang_result_done(&r);
	buf_done(&seen.text);
	untouch("a/n");
	free(b);
}

static void
test_caps(void)
{
	struct shebang_result r = SHEBANG_RESULT_INIT;
	struct seen seen = { BUF_INIT };
	struct buf dirs = BUF_INIT, names = BUF_INIT;
	struct rlimit old, few;
	size_t i;

	/* 4 levels at least, 64 directories, 1024 names: over the cap. */
	for (i = 0; i < 64; i++)
		buf_putf(&dirs, "%sd", i > 0 ? ":" : "");
	for (i = 0; i < 1024; i++)
		buf_putf(&names, "%sn", i > 0 ? ":" : "");
	IS_INT(walk("a/b/c", dirs.data, names.data, NULL, &r, &seen, false),
	    ERR_TOO_LONG);
	IS_STR(r.path, NULL);
	/* Without descriptors the answer is an error, never "missing". */
	if (getrlimit(RLIMIT_NOFILE, &old) < 0)
		scratch_die("getrlimit");
	few = old;
	few.rlim_cur = 4;
	touch("a/n");
	setrlimit(RLIMIT_NOFILE, &few);
	IS_INT(walk("a/b/c", "bin:.", "n", NULL, &r, &seen, false), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);
	untouch("a/n");
	buf_done(&dirs);
	buf_done(&names);
	buf_done(&seen.text);
}

int
main(void)
{
	static const char *const dirs[] = { "a", "a/bin", "a/b", "a/b/bin",
	    "a/b/c", "a/b/c/bin", "opt", "bin" };
	size_t i;

	scratch_new();
	for (i = 0; i < AEG_NELEM(dirs); i++)
		scratch_mkdir(dirs[i], 0755);
	test_order();
	test_absolute();
	test_walked();
	test_quiet();
	test_closed();
	test_caps();
	return tap_done();
}
