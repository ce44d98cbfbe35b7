/* SPDX-License-Identifier: ISC */
#include "shebang/shebang_int.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>

#include "scratch.h"

#include "aegsh/base/mem.h"

static int
try_open(const char *name)
{
	struct shebang_script s = SHEBANG_SCRIPT_INIT;
	char *path = scratch_path(name);
	int rc = shebang_script_open(AT_FDCWD, path, &s, NULL);

	free(path);
	shebang_script_done(&s);
	return rc;
}

static void
test_open(void)
{
	char *fifo = scratch_path("fifo"), *longest = xmalloc(5000);
	struct shebang_script s = SHEBANG_SCRIPT_INIT;

	scratch_puts("plain", "x\n");
	scratch_mkdir("dir", 0755);
	if (mkfifo(fifo, 0600) < 0)
		scratch_die(fifo);
	scratch_link("loop", "loop");
	scratch_link("nowhere", "dangling");
	scratch_link("fifo", "to-fifo");
	IS_INT(try_open("plain"), 0);
	IS_INT(try_open("dir"), -EACCES);
	IS_INT(try_open("fifo"), -EACCES);
	IS_INT(try_open("to-fifo"), -EACCES);
	IS_INT(try_open("loop"), -ELOOP);
	IS_INT(try_open("dangling"), -ENOENT);
	IS_INT(try_open("none/x"), -ENOENT);
	IS_INT(try_open("plain/x"), -ENOENT);
	IS_INT(try_open("plain/"), -ENOENT);
	IS_INT(try_open("dir/"), -EACCES);
	IS_INT(shebang_script_open(AT_FDCWD, "/dev/null", &s, NULL), -EACCES);
	shebang_script_done(&s);
	IS_INT(shebang_script_open(AT_FDCWD, "", &s, NULL), -ENOENT);
	memset(longest, 'a', 4999);
	longest[4999] = '\0';
	IS_INT(shebang_script_open(AT_FDCWD, longest, &s, NULL),
	    ERR_TOO_LONG);
	shebang_script_done(&s);
	free(longest);
	free(fifo);
}

static void
test_unreadable(void)
{
	scratch_write("secret", "x", 1, 0111);
	if (geteuid() == 0)
		SKIP(1, "root reads everything");
	else
		IS_INT(try_open("secret"), -EACCES);
}

/* The head of a file with these bytes: how much is taken, and whether the
 * rest matters. */
static void
check_head(const char *name, const char *bytes, size_t len, off_t size,
    size_t want, bool want_cut)
{
	struct shebang_script s = SHEBANG_SCRIPT_INIT;
	struct buf head = BUF_INIT_MAX(SHEBANG_HEAD_MAX);
	char *path = scratch_path("head");
	bool cut = !want_cut;

	scratch_write("head", bytes, len, 0600);
	if (truncate(path, size) < 0)
		scratch_die(path);
	IS_INTN(shebang_script_open(AT_FDCWD, path, &s, NULL), 0, name);
	IS_INTN(shebang_script_head(&s, &head, &cut, NULL), 0, name);
	OKF(head.len >= want && head.len <= SHEBANG_HEAD_MAX,
	    "%s: %zu bytes taken", name, head.len);
	IS_INTN(cut, want_cut, name);
	buf_done(&head);
	shebang_script_done(&s);
	unlink(path);
	free(path);
}

static void
test_head(void)
{
	char lines[SHEBANG_HEAD_LINES + 1];

	memset(lines, '\n', sizeof lines);
	check_head("empty", "", 0, 0, 0, false);
	check_head("short", "abc", 3, 3, 3, false);
	check_head("lines, then much", lines, sizeof lines,
	    (off_t)1024 * 1024 * 1024, sizeof lines, false);
	check_head("a gigabyte without a newline", "", 0,
	    (off_t)1024 * 1024 * 1024, SHEBANG_HEAD_MAX, true);
	check_head("exactly the cap", "", 0, (off_t)SHEBANG_HEAD_MAX,
	    SHEBANG_HEAD_MAX, false);
	check_head("a byte more", "", 0, (off_t)SHEBANG_HEAD_MAX + 1,
	    SHEBANG_HEAD_MAX, true);
}

/* real/f behind a chain of n links in links/. */
static void
check_chain(int n, int want)
{
	struct shebang_script s = SHEBANG_SCRIPT_INIT;
	struct shebang_query q = { .cwd_fd = AT_FDCWD };
	char name[32], target[32];
	char *path, *want_dir = scratch_path("real"), *dir = NULL;
	int i, rc, fd = -1;

	for (i = 1; i <= n; i++) {
		snprintf(name, sizeof name, "links/%d-%d", n, i);
		snprintf(target, sizeof target, "%d-%d", n, i - 1);
		scratch_link(i == 1 ? "../real/f" : target, name);
	}
	snprintf(name, sizeof name, n > 0 ? "links/%d-%d" : "real/f", n, n);
	path = scratch_path(name);
	q.script = path;
	rc = shebang_script_open(AT_FDCWD, path, &s, NULL);
	if (rc == 0)
		rc = shebang_script_real(&s, &fd, NULL);
	IS_INTN(rc, want, name);
	OKF((fd >= 0) == (rc == 0 && n > 0), "%d links: an origin", n);
	if (fd >= 0 && shebang_dir_path(&q, fd, true, &dir) == 0)
		IS_STRN(dir, want_dir, name);
	if (fd >= 0)
		close(fd);
	shebang_script_done(&s);
	free(dir);
	free(want_dir);
	free(path);
}

static void
test_chain(void)
{
	scratch_mkdir("real", 0755);
	scratch_mkdir("links", 0755);
	scratch_puts("real/f", "x");
	check_chain(0, 0);
	check_chain(1, 0);
	check_chain(2, 0);
	check_chain(SHEBANG_HOPS_MAX, 0);
	/* The kernel's own limit is met first, on opening. */
	check_chain(SHEBANG_HOPS_MAX + 1, -ELOOP);
}

/* The chain alone, where the kernel's limit does not stand before it: a
 * link that was put there after the file was opened. */
static void
test_chain_race(void)
{
	struct shebang_script s = SHEBANG_SCRIPT_INIT;
	char *path = scratch_path("swap");
	int fd = -1;

	scratch_link("real/f", "swap");
	IS_INT(shebang_script_open(AT_FDCWD, path, &s, NULL), 0);
	unlink(path);
	scratch_link("swap", "swap");
	IS_INT(shebang_script_real(&s, &fd, NULL), -ELOOP);
	unlink(path);
	scratch_link("plain", "swap");
	IS_INT(shebang_script_real(&s, &fd, NULL), -ESTALE);
	unlink(path);
	scratch_link("nowhere", "swap");
	IS_INT(shebang_script_real(&s, &fd, NULL), -ENOENT);
	unlink(path);
	IS_INT(shebang_script_real(&s, &fd, NULL), -ENOENT);
	IS_INT(fd, -1);
	shebang_script_done(&s);
	free(path);
}

static void
test_dir_path(void)
{
	char *path = scratch_path("gone"), *got = NULL;
	struct shebang_query q = { .script = "x", .cwd_fd = AT_FDCWD };
	int fd;

	scratch_mkdir("gone", 0755);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	IS_INT(shebang_dir_path(&q, fd, false, &got), 0);
	IS_STR(got, path);
	free(got);
	got = NULL;
	rmdir(path);
	IS_INT(shebang_dir_path(&q, fd, false, &got), -ENOENT);
	IS_STR(got, NULL);
	close(fd);
	free(path);
}

int
main(void)
{
	scratch_new();
	test_open();
	test_unreadable();
	test_head();
	test_chain();
	test_chain_race();
	test_dir_path();
	return tap_done();
}
