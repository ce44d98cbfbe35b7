/* SPDX-License-Identifier: ISC */
/* Holes by listing neighbours: which rules come out. */
#include "sandbox/sandbox_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "aegsh/base/mem.h"

#define READ (SANDBOX_FS_READ_FILE | SANDBOX_FS_READ_DIR)

static struct strv paths;
static uint64_t granted[SANDBOX_RULES_MAX];

static int released;		/* times it was to close things */

static int
keep(void *ctx, const struct sandbox_rule *r, struct err *err)
{
	if (r->fs == 0) {
		released++;
		return 0;
	}
	granted[paths.n] = r->fs;
	strv_add(&paths, r->path);
	return ctx == NULL ? 0 : err_set(err, ERR_REFUSED, "%s", r->path);
}

static uint64_t
rights(const char *name)
{
	AEG_AUTOFREE char *path = scratch_path(name);
	uint64_t fs = 0;
	size_t i;

	if (strcmp(name, ".") == 0)
		*strrchr(path, '/') = '\0';
	for (i = 0; i < paths.n; i++) {
		if (strcmp(paths.v[i], path) == 0)
			fs |= granted[i];
	}
	return fs;
}

static void
test_expand(void)
{
	struct sandbox_grant grants[] = {
		{ (char *)(uintptr_t)scratch_dir, READ | SANDBOX_FS_EXECUTE,
		    -1 },
		{ scratch_path("a/hole/in"), READ, -1 },
		{ scratch_path("w"), SANDBOX_FS_WRITE_FILE, -1 },
	};
	struct sandbox_hole holes[] = {
		{ scratch_path("a/hole"), NULL },
		{ scratch_path("a/b/file"), NULL },
		{ scratch_path("gone/deep"), NULL },
	};
	struct sandbox_profile p = {
		.grants = grants, .n_grants = 3, .holes = holes, .n_holes = 3,
	};
	struct err err = ERR_INIT;
	size_t i;

	IS_INT(sandbox_rules_make(&p, keep, NULL, &err), 0);
	IS_INTN((intmax_t)rights("."), SANDBOX_FS_READ_DIR,
	    "the tree itself can only be listed");
	IS_INT((intmax_t)rights("a"), 0);
	IS_INT((intmax_t)rights("a/hole"), 0);
	IS_INTN((intmax_t)rights("a/hole/in"), 0, "no grant inside a hole");
	IS_INT((intmax_t)rights("a/b"), 0);
	IS_INT((intmax_t)rights("a/b/file"), 0);
	IS_INT((intmax_t)rights("a/b/other"),
	    SANDBOX_FS_READ_FILE | SANDBOX_FS_EXECUTE);
	IS_INT((intmax_t)rights("a/c"),
	    SANDBOX_FS_READ_FILE | SANDBOX_FS_EXECUTE);
	IS_INTN((intmax_t)rights("link"), 0, "links are no neighbours");
	IS_INTN((intmax_t)rights("w"), SANDBOX_FS_READ_FILE |
	    SANDBOX_FS_EXECUTE | SANDBOX_FS_WRITE_FILE, "a grant of its own");
	IS_INTN((intmax_t)rights("shut"), SANDBOX_FS_READ_FILE |
	    SANDBOX_FS_EXECUTE, "also what its mode shuts today");
	IS_INTN((intmax_t)paths.n, 5, "a place has one rule");
	strv_done(&paths);
	IS_INT(sandbox_rules_make(&p, keep, &p, &err), ERR_REFUSED);
	IS_INTN((intmax_t)paths.n, 1, "none after the first that fails");
	strv_done(&paths);
	for (i = 0; i < AEG_NELEM(holes); i++)
		free(holes[i].path);
	free(grants[1].path);
	free(grants[2].path);
}

static void
test_cap(void)
{
	struct sandbox_grant grant = { scratch_path("many"), READ, -1 };
	struct sandbox_hole hole = { scratch_path("many/0"), NULL };
	struct sandbox_profile p = {
		.grants = &grant, .n_grants = 1, .holes = &hole, .n_holes = 1,
	};
	struct rlimit all, none;
	struct err err = ERR_INIT;
	int i;

	scratch_mkdir("many", 0755);
	for (i = 0; i <= SANDBOX_RULES_MAX; i++) {
		char name[32];

		snprintf(name, sizeof name, "many/%d", i);
		scratch_puts(name, "");
	}
	IS_INT(sandbox_rules_make(&p, keep, NULL, &err), ERR_RANGE);
	strv_done(&paths);
	/* Without a descriptor nothing is left out in silence. */
	if (getrlimit(RLIMIT_NOFILE, &all) < 0)
		scratch_die("getrlimit");
	none = all;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	IS_INT(sandbox_rules_make(&p, keep, NULL, &err), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &all);
	IS_INT(released, 1);
	strv_done(&paths);
	free(grant.path);
	free(hole.path);
}

#define MANY 90

/* Beside the hole there are many places, each with a grant of its own. */
static void
test_many(void)
{
	struct sandbox_grant grants[MANY + 1] = { { (char *)(uintptr_t)
	    scratch_dir, READ, -1 } };
	struct sandbox_hole hole = { scratch_path("crowd/hole"), NULL };
	struct sandbox_profile p = {
		.grants = grants, .n_grants = MANY + 1, .holes = &hole,
		.n_holes = 1,
	};
	struct err err = ERR_INIT;
	char name[32];
	size_t i, both = 0, holes = 0;

	scratch_mkdir("crowd", 0755);
	scratch_puts("crowd/hole", "");
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "crowd/%zu", i);
		scratch_puts(name, "");
		grants[i + 1] = (struct sandbox_grant){ scratch_path(name),
			SANDBOX_FS_WRITE_FILE, -1 };
	}
	IS_INT(sandbox_rules_make(&p, keep, NULL, &err), 0);
	for (i = 0; i < paths.n; i++) {
		both += granted[i] == (SANDBOX_FS_READ_FILE |
		    SANDBOX_FS_WRITE_FILE);
		holes += strcmp(paths.v[i], hole.path) == 0;
	}
	IS_INTN((intmax_t)both, MANY, "each has one rule with both rights");
	IS_INTN((intmax_t)holes, 0, "and the hole none");
	strv_done(&paths);
	for (i = 0; i < MANY; i++)
		free(grants[i + 1].path);
	free(hole.path);
}

static int
count_open(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 60; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Places are closed some at a time: all rules come, and nothing else is
 * closed, however few descriptors there may be and wherever gaps are. */
static void
test_descriptors(void)
{
	AEG_AUTOFREE char *crowd = scratch_path("crowd"),
		*in = scratch_path("crowd/hole");
	struct sandbox_grant grant = { crowd, READ, -1 };
	struct sandbox_hole hole = { in, NULL };
	struct sandbox_profile p = {
		.grants = &grant, .n_grants = 1, .holes = &hole, .n_holes = 1,
	};
	struct rlimit few = { 60, 60 };
	int abi = sandbox_landlock_abi(), fd, i, kept[20], before;
	struct sandbox_handled handled;
	struct err err = ERR_INIT;
	size_t n = 0;

	if (abi < 1) {
		SKIP(4, "no Landlock here");
		return;
	}
	IS_INTN(sandbox_landlock_create(&p, abi, SANDBOX_LANDLOCK_FS, &fd,
	    &handled, &err), 0, err.text);
	for (i = 0; i < 20; i++)
		kept[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < 20; i += 3)
		close(kept[i]);
	if (setrlimit(RLIMIT_NOFILE, &few) < 0)
		scratch_die("setrlimit");
	before = count_open();
	IS_INTN(sandbox_landlock_fill(&p, &handled, fd, &n, &err), 0,
	    err.text);
	IS_INTN((intmax_t)n, MANY + 1, "a rule for each, and the directory's");
	for (i = 0; i < 20; i++)
		OKF(i % 3 == 0 || fcntl(kept[i], F_GETFD) >= 0,
		    "what was open still is");
	IS_INTN(count_open(), before, "and nothing more");
	close(fd);
}

int
main(void)
{
	char *link;

	scratch_new();
	scratch_mkdir("a", 0755);
	scratch_mkdir("a/b", 0755);
	scratch_mkdir("a/hole", 0755);
	scratch_mkdir("a/hole/in", 0755);
	scratch_mkdir("w", 0755);
	scratch_mkdir("shut", 0000);
	scratch_puts("a/b/file", "");
	scratch_puts("a/b/other", "");
	scratch_puts("a/c", "");
	link = scratch_path("link");
	if (symlink("a/hole", link) < 0)
		scratch_die(link);
	free(link);
	test_expand();
	test_cap();
	test_many();
	test_descriptors();
	return tap_done();
}
