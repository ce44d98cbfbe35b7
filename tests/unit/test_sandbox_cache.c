/* SPDX-License-Identifier: ISC */
/* The kept text of a profile: the same as the files say, and only as long
 * as they are what they were. */
#include "sandbox/sandbox_int.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static char *store, *copy;

static char *
shown(const char *name, const char *cache)
{
	struct sandbox_vars vars = { .uid = getuid(), .home = "/home/x",
		.store = store, .cache = cache };
	struct sandbox_profile *p = NULL;
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;

	if (sandbox_load(name, &vars, &p, &err) < 0)
		buf_putf(&out, "! %s", err.text);
	else
		sandbox_show(p, &out);
	sandbox_profile_free(p);
	return buf_take(&out);
}

static void
same(const char *what)
{
	AEG_AUTOFREE char *kept = shown("admin", store);
	AEG_AUTOFREE char *plain = shown("admin", NULL);

	IS_STRN(kept, plain, what);
}

static bool
is_kept(void)
{
	return access(copy, F_OK) == 0;
}

/* One byte of the copy, other than it was. */
static void
spoil(off_t at)
{
	AEG_AUTOFD int fd = open(copy, O_RDWR | O_CLOEXEC);
	char c = 0;

	if (fd < 0 || pread(fd, &c, 1, at) != 1)
		scratch_die(copy);
	c = (char)~c;
	if (pwrite(fd, &c, 1, at) != 1)
		scratch_die(copy);
}

/* The vendor's own profiles, which are older than two seconds. */
static void
vendor(void)
{
	struct stat st;
	off_t at;

	OK(!is_kept());
	same("read from its files");
	OK(is_kept());
	OK(stat(copy, &st) == 0 && (st.st_mode & 07777) == 0600);
	same("read from the copy");
	for (at = 0; at < st.st_size; at += 61) {
		spoil(at);
		same("a spoilt copy is none");
	}
	if (truncate(copy, 20) < 0)
		scratch_die(copy);
	same("nor a short one");
	OKF(stat(copy, &st) == 0 && st.st_size > 20, "it is made anew");
	chmod(copy, 0644);
	same("nor one that others can read");
}

/* An operator's file that was not there when the copy was made. */
static void
operators(void)
{
	const char *file = getuid() == 0 ? "etc/sandbox.d/root.conf" :
	    "etc/sandbox.d/admin.conf";
	AEG_AUTOFREE char *text = NULL;

	same("before");
	scratch_mkdir("etc/sandbox.d", 0755);
	scratch_puts(file, "limit-files = 77\n");
	text = shown("admin", store);
	OKF(strstr(text, "77") != NULL, "a new file counts at once");
	same("and is not kept while it is new");
	scratch_puts(file, "limit-files = oops\n");
	free(AEG_STEAL(text));
	text = shown("admin", store);
	OKF(strstr(text, ".conf:1") != NULL, "a broken one is told: %s",
	    text);
}

/* The copy holds for files as they were seen, each part of it. */
static void
identities(void)
{
	AEG_AUTOFD int dir = open(scratch_dir, O_PATH | O_CLOEXEC);
	const int places[SANDBOX_PLACES] = { -1, dir };
	char name[] = "t.conf";
	struct sandbox_seen seen[2] = {
		{ .place = 0, .name = name, .there = false },
		{ .place = 1, .name = name },
	};
	struct sandbox_text t, got;
	struct err err = ERR_INIT;
	struct stat st;
	size_t i;

	IS_INT(sandbox_text_builtin("read = {\"/usr\"}\n", &t, &err), 0);
	scratch_puts("t.conf", "x");
	if (fstatat(dir, "t.conf", &st, 0) < 0)
		scratch_die("t.conf");
	/* As of long ago, so that it counts as settled. */
	st.st_mtim.tv_sec = st.st_ctim.tv_sec = 5;
	sandbox_seen_as(&st, &seen[1]);
	sandbox_cache_write(store, "t", seen, 2, &t);
	OK(sandbox_cache_read(store, "t", places, &got) < 0);
	seen[1].there = false;
	sandbox_cache_write(store, "t", seen, 2, &t);
	OK(sandbox_cache_read(store, "t", places, &got) < 0);
	OK(sandbox_cache_read(store, "t", (const int[SANDBOX_PLACES]){ -1,
	    -1 }, &got) == 0);
	IS_INT((intmax_t)got.list[SANDBOX_KEY_READ].value.n, 1);
	IS_STR(got.list[SANDBOX_KEY_READ].value.v[0], "/usr");
	IS_STR(got.file, t.file);
	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++)
		IS_INT(got.limit[i], t.limit[i]);
	sandbox_text_done(&got);
	/* What changed just now may change once more within a tick. */
	if (fstatat(dir, "t.conf", &st, 0) < 0)
		scratch_die("t.conf");
	sandbox_seen_as(&st, &seen[1]);
	sandbox_cache_write(store, "fresh", seen, 2, &t);
	OK(sandbox_cache_read(store, "fresh", places, &got) == -ENOENT);
	sandbox_text_done(&t);
}

int
main(void)
{
	char *data;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	if (getenv("abs_top_srcdir") == NULL) {
		fprintf(stderr, "abs_top_srcdir is not set\n");
		return 99;
	}
	data = xasprintf("%s/share", getenv("abs_top_srcdir"));
	setenv("AEGSH_TEST_DATA", data, 1);
	free(data);
	scratch_mkdir("etc", 0755);
	scratch_mkdir("store", 0700);
	store = scratch_path("store");
	/* uid 0 gets another profile, and copies of both. */
	copy = scratch_path(getuid() == 0 ? "store/sandbox-root" :
	    "store/sandbox-admin");
	vendor();
	operators();
	identities();
	free(store);
	free(copy);
	return tap_done();
}
