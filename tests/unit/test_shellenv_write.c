/* SPDX-License-Identifier: ISC */
/* The writer: what it keeps, what it refuses, and others who write. */
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "env_home.h"
#include "shellenv/shellenv_int.h"
#include "shellenv/write_int.h"

/* ---- what is kept ----------------------------------------------------- */

static void
test_mode(void)
{
	AEG_AUTOFREE char *path = in_home(".bashrc");
	struct stat st;

	fresh_home();
	chmod(path, 0640);
	IS_INT(add(DIR_WANTED), 0);
	stat(path, &st);
	IS_INTN(st.st_mode & 07777, 0640, "the mode is kept");
	OK(has(".bashrc", OLD));
	OK(has(".bashrc", "\nexport PATH=\"$HOME/.cargo/bin:$PATH\"\n"));
	IS_INT(leftovers(), 0);
	if (geteuid() != 0) {
		SKIP(1, "another group: not root");
		return;
	}
	if (chown(path, 0, 4242) < 0)
		scratch_die(path);
	add("/opt/other");
	stat(path, &st);
	IS_INTN(st.st_gid, 4242, "the group is kept");
}

static void
test_attributes(void)
{
	/* user::rw- user:65534:r-- group::r-- mask::r-- other::--- */
	static const unsigned char acl[] = { 2, 0, 0, 0,
	    1, 0, 6, 0, 255, 255, 255, 255,
	    2, 0, 4, 0, 254, 255, 0, 0,
	    4, 0, 4, 0, 255, 255, 255, 255,
	    16, 0, 4, 0, 255, 255, 255, 255,
	    32, 0, 0, 0, 255, 255, 255, 255 };
	AEG_AUTOFREE char *path = in_home(".bashrc");
	unsigned char got[256];

	fresh_home();
	if (setxattr(path, "user.note", "mine", 4, 0) < 0) {
		SKIP(1, "no user attributes on this file system");
	} else {
		add(DIR_WANTED);
		OKF(getxattr(path, "user.note", got, sizeof got) == 4 &&
		    memcmp(got, "mine", 4) == 0, "an attribute is kept");
	}
	fresh_home();
	if (setxattr(path, "system.posix_acl_access", acl, sizeof acl, 0) <
	    0) {
		SKIP(1, "no ACLs on this file system");
	} else {
		add(DIR_WANTED);
		OKF(getxattr(path, "system.posix_acl_access", got,
		    sizeof got) == sizeof acl &&
		    memcmp(got, acl, sizeof acl) == 0, "the ACL is kept");
	}
}

static void
test_symlinks(void)
{
	AEG_AUTOFREE char *dots = in_home("dots"), *link = in_home(".bashrc");
	AEG_AUTOFREE char *second = in_home("dots/second");
	struct stat st;

	fresh_home();
	unlink(link);
	mkdir(dots, 0755);
	put("dots/rc", OLD);
	if (symlink("rc", second) < 0 || symlink("dots/second", link) < 0)
		scratch_die(link);
	IS_INT(add(DIR_WANTED), 0);
	OK(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	OK(lstat(second, &st) == 0 && S_ISLNK(st.st_mode));
	OK(has("dots/rc", ".cargo/bin:$PATH"));
	unlink(second);
	if (symlink("new", second) < 0)
		scratch_die(second);
	IS_INTN(add(DIR_WANTED), 0, "a link to what is not there yet");
	OK(has("dots/new", ".cargo/bin:$PATH"));
}

static void
test_new_file(void)
{
	AEG_AUTOFREE char *path = in_home(".bashrc");
	struct stat st;
	mode_t mask;

	fresh_home();
	unlink(path);
	mask = umask(027);
	IS_INT(add(DIR_WANTED), 0);
	umask(mask);
	OK(stat(path, &st) == 0);
	IS_INTN(st.st_mode & 0777, 0640, "a new file follows the umask");
}

/* ---- what is refused -------------------------------------------------- */

static void
refused(const char *what, const char *part)
{
	AEG_AUTOFREE char *before = get(".bashrc"), *after = NULL;
	int r = add(DIR_WANTED);

	after = get(".bashrc");
	OKF(r < 0 && strstr(last.text, part) != NULL, "%s: refused (%s)",
	    what, last.text);
	IS_STRN(after, before, "and the file is as it was");
	IS_INT(leftovers(), 0);
}

static void
test_refusals(void)
{
	AEG_AUTOFREE char *path = in_home(".bashrc"), *other = in_home("x");
	int fd, flags = 0;

	fresh_home();
	chmod(path, 0444);
	refused("read-only", "read-only");
	fresh_home();
	if (link(path, other) < 0)
		scratch_die(other);
	refused("hard links", "hard links");
	fresh_home();
	unlink(path);
	mkdir(path, 0755);
	refused("a directory", "is a directory");
	fresh_home();
	unlink(path);
	if (mkfifo(path, 0600) < 0)
		scratch_die(path);
	IS_INTN(add(DIR_WANTED), ERR_REFUSED, "a FIFO");
	if (geteuid() != 0) {
		SKIP(9, "immutable, other owners: not root");
		return;
	}
	fresh_home();
	if (chown(home, 4242, 0) < 0)
		scratch_die(home);
	refused("a home of somebody else", "belongs to uid 4242");
	fresh_home();
	if (chown(path, 4242, 0) < 0)
		scratch_die(path);
	refused("another owner", "belongs to uid 4242");
	fresh_home();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0) {
		SKIP(3, "no inode flags on this file system");
		close(fd);
		return;
	}
	flags |= FS_IMMUTABLE_FL;
	if (ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0) {
		SKIP(3, "inode flags cannot be set");
	} else {
		refused("immutable", "immutable");
		flags &= ~FS_IMMUTABLE_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	close(fd);
}

/* A directory that a new file cannot be made in. */
static void
test_locked_home(void)
{
	int r;

	if (geteuid() == 0) {
		SKIP(2, "rights do not hold root back");
		return;
	}
	fresh_home();
	chmod(home, 0555);
	r = add(DIR_WANTED);
	chmod(home, 0755);
	IS_INTN(r, ERR_REFUSED, "a home that cannot be written to");
	OK(has(".bashrc", OLD) && !has(".bashrc", "cargo"));
}

/* ---- others at work --------------------------------------------------- */

static const char *hook_call;
static int hook_at, hook_n;
static void (*hook_do)(void);

static int
hook(const char *call)
{
	if (strcmp(call, hook_call) == 0 && ++hook_n == hook_at)
		hook_do();
	return 0;
}

static void
at_call(const char *call, int n, void (*fn)(void))
{
	hook_call = call;
	hook_at = n;
	hook_n = 0;
	hook_do = fn;
	se_write_fault = hook;
}

static void
editor_saves(void)
{
	put(".bashrc", "export EDITED=1\n");
}

static void
test_editor(void)
{
	struct shellenv *se;
	struct shellenv_want w = { SHELLENV_PATH_ADD, DIR_WANTED };
	const struct shellenv_plan *plan;
	AEG_AUTOFREE char *path = in_home(".bashrc"), *text = NULL;
	int i;

	fresh_home();
	se = open_it();
	OK(shellenv_plan(se, &w, 1, NULL, &plan, NULL) == 0);
	editor_saves();
	IS_INTN(shellenv_apply(se, plan, NULL, &last), -ESTALE,
	    "changed after the plan");
	text = get(".bashrc");
	IS_STR(text, "export EDITED=1\n");
	shellenv_free(se);
	/* At each sync on the way: the backup's two, the file's own. */
	for (i = 1; i <= 3; i++) {
		fresh_home();
		at_call("fsync", i, editor_saves);
		IS_INTN(add(DIR_WANTED), -ESTALE, "changed while it writes");
		se_write_fault = NULL;
		free(text);
		text = get(".bashrc");
		IS_STR(text, "export EDITED=1\n");
		IS_INT(leftovers(), 0);
	}
	/* A file that comes where there was none. */
	fresh_home();
	unlink(path);
	at_call("rename", 1, editor_saves);
	IS_INTN(add(DIR_WANTED), -ESTALE, "made while it writes");
	se_write_fault = NULL;
	free(text);
	text = get(".bashrc");
	IS_STR(text, "export EDITED=1\n");
	IS_INT(leftovers(), 0);
}

static int release_pipe[2];

static void
release_lock(void)
{
	close(release_pipe[1]);
	release_pipe[1] = -1;
}

static void
test_lock(void)
{
	AEG_AUTOFREE char *lock = in_home(".local/state/aegsh/env/lock");
	int ready[2], fd, status;
	char c;
	pid_t pid;

	fresh_home();
	IS_INTN(add("/opt/first"), 0, "the directory of the lock is made");
	if (pipe(ready) < 0 || pipe(release_pipe) < 0)
		scratch_die("pipe");
	pid = fork();
	if (pid == 0) {
		close(release_pipe[1]);
		fd = open(lock, O_RDWR | O_CLOEXEC);
		if (fd < 0 || flock(fd, LOCK_EX) < 0 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		_exit(read(release_pipe[0], &c, 1) == 0 ? 0 : 1);
	}
	close(release_pipe[0]);
	if (read(ready[0], &c, 1) != 1)
		scratch_die("child");
	/* Held: tried again, until the other lets go. */
	at_call("flock", 2, release_lock);
	IS_INTN(add(DIR_WANTED), 0, "it waits for another run");
	se_write_fault = NULL;
	OK(hook_n >= 2);
	waitpid(pid, &status, 0);
	close(ready[0]);
	close(ready[1]);
}

int
main(void)
{
	home_new();
	test_mode();
	test_attributes();
	test_symlinks();
	test_new_file();
	test_refusals();
	test_locked_home();
	test_editor();
	test_lock();
	return tap_done();
}
