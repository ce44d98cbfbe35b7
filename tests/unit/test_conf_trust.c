/* SPDX-License-Identifier: ISC */
#include "aegsh/conf.h"
#include "scratch.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static int
try_as(const char *name, uid_t uid, struct err *err)
{
	char *path = name[0] == '/' ? strdup(name) : scratch_path(name);
	int fd = -1, rc;

	*err = (struct err)ERR_INIT;
	rc = conf_trust_open(path, uid, &fd, err);
	if ((rc == 0) != (fd >= 0))
		rc = -9999;
	io_close(&fd);
	free(path);
	return rc;
}

static void
want(const char *name, int rc, const char *says)
{
	struct err err;
	int got = try_as(name, getuid(), &err);

	OKF(got == rc && (says == NULL || strstr(err.text, says) != NULL),
	    "%s: %s", name, says != NULL ? says : "opens");
	if (got != rc)
		printf("# %d %s\n", got, err.text);
}

static void
others(void)
{
	char *mine = scratch_path("ok/file"), *dir = scratch_path("theirs");
	char *sticky = scratch_path("sticky/theirs");
	struct err err;

	if (geteuid() != 0) {
		SKIP(7, "only root can give files away");
		goto out;
	}
	/* The operator of these tests is another uid. */
	if (chown(mine, 4321, (gid_t)-1) < 0)
		scratch_die("chown");
	IS_INT(try_as("ok/file", 0, &err), ERR_TRUST);
	IS_INT(try_as("ok/file", (uid_t)-1, &err), ERR_TRUST);
	IS_INT(try_as("ok/file", 4321, &err), 0);
	scratch_mkdir("theirs", 0755);
	scratch_puts("theirs/file", "x");
	if (chown(dir, 4321, (gid_t)-1) < 0)
		scratch_die("chown");
	IS_INT(try_as("theirs/file", 0, &err), ERR_TRUST);
	IS_INT(try_as("theirs/file", 4321, &err), 0);
	/* Somebody else's link in a directory that anybody may write to. */
	scratch_link("../ok", "sticky/theirs");
	if (lchown(sticky, 4321, (gid_t)-1) < 0 ||
	    chown(mine, 0, (gid_t)-1) < 0)
		scratch_die("lchown");
	IS_INT(try_as("sticky/theirs/file", 0, &err), ERR_TRUST);
	IS_INT(try_as("sticky/theirs/file", 4321, &err), 0);
out:
	free(mine);
	free(dir);
	free(sticky);
}

static int
dir_as(const char *name, int *ret_fd)
{
	AEG_AUTOFREE char *path = scratch_path(name);

	return conf_trust_dir(path, getuid(), ret_fd, NULL);
}

static void
directories(void)
{
	int fd = -1;

	IS_INT(dir_as("ok", &fd), 0);
	OK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	io_close(&fd);
	IS_INT(dir_as("ok/", &fd), 0);
	io_close(&fd);
	IS_INT(dir_as("dirlink", &fd), 0);
	io_close(&fd);
	IS_INT(dir_as("sticky", &fd), 0);
	io_close(&fd);
	IS_INT(dir_as("gdir", &fd), ERR_TRUST);
	IS_INT(dir_as("tobad/in", &fd), ERR_TRUST);
	IS_INT(dir_as("ok/file", &fd), -ENOTDIR);
	IS_INT(dir_as("none", &fd), -ENOENT);
	OK(fd == -1);
	IS_INT(conf_trust_dir("ok", getuid(), &fd, NULL), -EINVAL);
}

static int
count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

/* What is kept is what was checked, for whom it was checked. */
static void
keeping(void)
{
	AEG_AUTOFREE char *deep = scratch_path("keep/a/b/c");
	AEG_AUTOFREE char *a = scratch_path("keep/a");
	AEG_AUTOFREE char *moved = scratch_path("keep/moved");
	int before = count_fds(), fd = -1;
	struct err err;

	scratch_mkdir("keep", 0755);
	scratch_mkdir("keep/a", 0755);
	scratch_mkdir("keep/a/b", 0755);
	scratch_mkdir("keep/a/b/c", 0755);
	scratch_puts("keep/a/b/file", "x");
	scratch_link("a", "keep/link");
	conf_trust_keep(true);
	want("keep/a/b/none", -ENOENT, "No such file");
	want("keep/a/b/file", 0, NULL);
	IS_INT(dir_as("keep/a/b", &fd), 0);
	OK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	io_close(&fd);
	want("keep/a/b/../b/file", 0, NULL);
	want("keep/link/b/file", 0, NULL);
	want("keep/a/bb/file", -ENOENT, "No such file");
	/* A directory that was not checked before is checked now. */
	chmod(deep, 0777);
	want("keep/a/b/c/file", ERR_TRUST, "directory 'c'");
	/* What was checked for a user was not for the operator alone. */
	if (geteuid() == 0) {
		if (chown(a, 4321, (gid_t)-1) < 0)
			scratch_die("chown");
		conf_trust_keep(false);
		conf_trust_keep(true);
		IS_INT(try_as("keep/a/b/file", 4321, &err), 0);
		IS_INT(try_as("keep/a/b/file", (uid_t)-1, &err), ERR_TRUST);
	} else {
		SKIP(2, "only root can give files away");
	}
	conf_trust_keep(false);
	IS_INT(count_fds(), before);
	/* Off, each walk looks anew. */
	chmod(deep, 0755);
	if (rename(a, moved) < 0)
		scratch_die("rename");
	want("keep/a/b/file", -ENOENT, "No such file");
}

static void
reading(void)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	char *path = scratch_path("ok/file");

	IS_INT(conf_trust_read(path, getuid(), 5, &b, &err), 0);
	IS_STR(b.data, "bytes");
	buf_reset(&b);
	IS_INT(conf_trust_read(path, getuid(), 4, &b, &err), ERR_TOO_LONG);
	IS_INT((intmax_t)b.len, 0);
	buf_done(&b);
	free(path);
}

int
main(void)
{
	char *path;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("ok", 0755);
	scratch_puts("ok/file", "bytes");
	want("ok/file", 0, NULL);
	want("ok/./../ok//file", 0, NULL);
	want("ok/none", -ENOENT, "No such file");
	want("none/file", -ENOENT, "No such file");
	want("ok/file/more", -ENOTDIR, "Not a directory");
	want("ok/file/", -EISDIR, "file");
	want("ok", ERR_TRUST, "regular");
	want("/", -EISDIR, "file");
	want("/..", ERR_TRUST, "regular");

	scratch_write("ok/group", "x", 1, 0620);
	scratch_write("ok/world", "x", 1, 0602);
	scratch_write("ok/readable", "x", 1, 0644);
	want("ok/group", ERR_TRUST, "others may write");
	want("ok/world", ERR_TRUST, "others may write");
	want("ok/readable", 0, NULL);

	path = scratch_path("ok/fifo");
	if (mkfifo(path, 0600) < 0)
		scratch_die("mkfifo");
	free(path);
	want("ok/fifo", ERR_TRUST, "regular");
	want("/dev/null", ERR_TRUST, "regular");

	scratch_mkdir("gdir", 0775);
	scratch_puts("gdir/file", "x");
	want("gdir/file", ERR_TRUST, "directory 'gdir'");
	scratch_mkdir("gdir/in", 0755);
	scratch_puts("gdir/in/file", "x");
	want("gdir/in/file", ERR_TRUST, "directory 'gdir'");
	want("gdir/../ok/file", ERR_TRUST, "directory 'gdir'");
	scratch_mkdir("sticky", 01777);
	scratch_puts("sticky/file", "x");
	want("sticky/file", 0, NULL);

	scratch_link("file", "ok/link");
	scratch_link("ok", "dirlink");
	scratch_link("dirlink", "twice");
	scratch_link("gdir", "tobad");
	scratch_link("loop", "loop");
	scratch_link("gdir/../ok", "around");
	want("ok/link", ERR_TRUST, "symbolic link");
	want("dirlink/file", 0, NULL);
	want("twice/file", 0, NULL);
	want("twice/../ok/file", 0, NULL);
	want("dirlink/link", ERR_TRUST, "symbolic link");
	want("tobad/file", ERR_TRUST, "directory 'gdir'");
	want("around/file", ERR_TRUST, "directory 'gdir'");
	want("loop/file", -ELOOP, "symbolic links");
	path = scratch_path("ok");
	scratch_link(path, "abs");
	free(path);
	want("abs/file", 0, NULL);

	directories();
	keeping();
	reading();
	others();
	return tap_done();
}
