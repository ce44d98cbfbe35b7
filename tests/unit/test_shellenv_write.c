/* SPDX-License-Identifier: ISC */
/*
 * The writer: what it keeps, what it refuses, and that a failure or the
 * end of the process at any of its system calls leaves each file as it was
 * or as it should become, never anything between.
 */
#include <errno.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "scratch.h"
#include "shellenv/shellenv_int.h"
#include "shellenv/write_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"

#define OLD "alias ll='ls -l'\n"
#define DIR_WANTED "$HOME/.cargo/bin"

static char home[300];

static char *
in_home(const char *name)
{
	return xasprintf("%s/%s", home, name);
}

static void
put(const char *name, const char *text)
{
	AEG_AUTOFREE char *path = in_home(name);
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		scratch_die(path);
}

/* NULL: not there, or nothing to read. */
static char *
get(const char *name)
{
	AEG_AUTOFREE char *path = in_home(name);
	char *text = xcalloc(1, 65536);
	FILE *f = fopen(path, "r");

	if (f == NULL) {
		free(text);
		return NULL;
	}
	if (fread(text, 1, 65535, f) == 0 && ferror(f)) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

static void
fresh_home(void)
{
	scratch_remove_in(AT_FDCWD, home);
	if (mkdir(home, 0755) < 0)
		scratch_die(home);
	put(".bashrc", OLD);
	put(".profile", ":\n");
}

static struct shellenv *
open_it(void)
{
	AEG_AUTOFREE char *h = xasprintf("HOME=%s", home);
	char *env[] = { h, (char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL };
	struct shellenv_opts opts = { .home = home, .shell = "bash",
		.env = env };
	struct shellenv *se;

	if (shellenv_open(&opts, &se, NULL) < 0)
		scratch_die("shellenv_open");
	return se;
}

/* Plan and write; the error's text is kept. */
static struct err last;

static int
add(const char *dir)
{
	struct shellenv *se = open_it();
	struct shellenv_want w = { SHELLENV_PATH_ADD, dir };
	const struct shellenv_plan *plan;
	int r;

	last = (struct err)ERR_INIT;
	r = shellenv_plan(se, &w, 1, NULL, &plan, &last);
	if (r == 0)
		r = shellenv_apply(se, plan, NULL, &last);
	shellenv_free(se);
	return r;
}

static bool
has(const char *name, const char *part)
{
	AEG_AUTOFREE char *text = get(name);

	return text != NULL && strstr(text, part) != NULL;
}

/* Files of the home that no plan asked for. */
static int
leftovers(void)
{
	DIR *d = opendir(home);
	struct dirent *e;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		n += strncmp(e->d_name, ".aegshctl-", 10) == 0;
	if (d != NULL)
		closedir(d);
	return n;
}

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
		SKIP(6, "immutable, other owners: not root");
		return;
	}
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
	write_fault = hook;
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
		write_fault = NULL;
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
	write_fault = NULL;
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
	AEG_AUTOFREE char *dir = in_home(".local/state/aegsh/env");
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
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	write_fault = NULL;
	OK(hook_n >= 2);
	waitpid(pid, &status, 0);
	close(ready[0]);
	close(ready[1]);
}

/* ---- faults ----------------------------------------------------------- */

static int fault_at, fault_seen, fault_errno;	/* errno 0: end there */
static char fault_name[32];

static int
fault(const char *call)
{
	if (++fault_seen != fault_at)
		return 0;
	snprintf(fault_name, sizeof fault_name, "%s", call);
	if (fault_errno == 0)
		_exit(77);
	return fault_errno;
}

struct pair { char *rc, *login; };

static void
read_pair(struct pair *p)
{
	p->rc = get(".bashrc");
	p->login = get(".profile");
}

static void
pair_done(struct pair *p)
{
	free(p->rc);
	free(p->login);
}

static bool
one_of(const char *have, const char *a, const char *b)
{
	return have != NULL && (strcmp(have, a) == 0 || strcmp(have, b) == 0);
}

static void
test_faults(void)
{
	static const int errors[] = { EIO, ENOSPC, EDQUOT, EINTR };
	struct pair before, after, now;
	int calls, i, r, status, bad = 0, runs = 0, ended = 0;
	size_t e;
	pid_t pid;

	fresh_home();
	read_pair(&before);
	fault_at = -1;
	fault_seen = 0;
	write_fault = fault;
	IS_INT(add(DIR_WANTED), 0);
	calls = fault_seen;
	read_pair(&after);
	OKF(calls > 40 && strcmp(before.login, after.login) != 0,
	    "two files, %d system calls", calls);
	for (e = 0; e < AEG_NELEM(errors); e++)
		for (i = 1; i <= calls; i++) {
			fresh_home();
			fault_at = i;
			fault_seen = 0;
			fault_errno = errors[e];
			r = add(DIR_WANTED);
			fault_at = -1;
			read_pair(&now);
			runs++;
			/* EINTR of a write or lock is tried again. */
			if (!one_of(now.rc, before.rc, after.rc) ||
			    !one_of(now.login, before.login, after.login) ||
			    leftovers() > 0 || (r < 0 && last.text[0] == '\0')
			    || (r == 0 && strcmp(now.rc, after.rc) != 0)) {
				printf("# %s %d: %s: %d %s\n", fault_name, i,
				    strerror(errors[e]), r, last.text);
				bad++;
			}
			pair_done(&now);
		}
	OKF(bad == 0, "%d failed calls: the old bytes or the new ones", runs);
	bad = 0;
	for (i = 1; i <= calls; i++) {
		fresh_home();
		fault_at = i;
		fault_seen = 0;
		fault_errno = 0;
		pid = fork();
		if (pid == 0) {
			add(DIR_WANTED);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		ended += WIFEXITED(status) && WEXITSTATUS(status) == 77;
		fault_at = -1;
		read_pair(&now);
		if (!one_of(now.rc, before.rc, after.rc) ||
		    !one_of(now.login, before.login, after.login))
			bad++;
		pair_done(&now);
		/* The next run sees to the rest, also to what is left. */
		fault_seen = 0;
		r = add(DIR_WANTED);
		read_pair(&now);
		if (r != 0 || strcmp(now.rc, after.rc) != 0 ||
		    strcmp(now.login, after.login) != 0 || leftovers() > 1)
			bad++;
		pair_done(&now);
	}
	OKF(bad == 0 && ended == calls,
	    "ended at %d calls: old or new, and the next run mends it",
	    ended);
	write_fault = NULL;
	pair_done(&before);
	pair_done(&after);
}

/* ---- full disks ------------------------------------------------------- */

static void
test_size_limit(void)
{
	struct rlimit old, small;
	AEG_AUTOFREE char *text = NULL;
	int r;

	fresh_home();
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 30;
	setrlimit(RLIMIT_FSIZE, &small);
	r = add(DIR_WANTED);
	setrlimit(RLIMIT_FSIZE, &old);
	IS_INTN(r, -EFBIG, "over the limit of file sizes");
	text = get(".bashrc");
	IS_STR(text, OLD);
	IS_INT(leftovers(), 0);
}

static void
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

/* A name space to mount in, the user's ids as they were. */
static int
new_mounts(void)
{
	uid_t uid = geteuid();
	AEG_AUTOFREE char *map = xasprintf("%u %u 1", (unsigned)uid,
	    (unsigned)uid);
	AEG_AUTOFREE char *gmap = xasprintf("%u %u 1", (unsigned)getegid(),
	    (unsigned)getegid());

	if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -1;
	if (uid != 0) {
		write_text("/proc/self/uid_map", map);
		write_text("/proc/self/setgroups", "deny");
		write_text("/proc/self/gid_map", gmap);
	}
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* In a child with a file system of its own, 64 KiB and full. */
static int
on_full_disk(void)
{
	char chunk[4096];
	AEG_AUTOFREE char *filler = in_home("filler"), *text = NULL;
	int fd, r;

	if (new_mounts() < 0 || mount("none", home, "tmpfs", 0,
	    "size=64k,mode=755") < 0)
		return 77;
	put(".bashrc", OLD);
	put(".profile", ":\n");
	memset(chunk, 'x', sizeof chunk);
	fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (write(fd, chunk, sizeof chunk) > 0)
		;
	close(fd);
	r = add(DIR_WANTED);
	text = get(".bashrc");
	if (r != -ENOSPC || text == NULL || strcmp(text, OLD) != 0 ||
	    leftovers() != 0) {
		printf("# %d %s\n# %s\n", r, last.text, text);
		return 1;
	}
	unlink(filler);
	return add(DIR_WANTED) == 0 && has(".bashrc", "cargo") ? 0 : 2;
}

static void
test_full_disk(void)
{
	int status;
	pid_t pid;

	fresh_home();
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		status = on_full_disk();
		fflush(stdout);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP(1, "a full disk: file systems cannot be mounted here");
	else
		IS_INTN(status, 0, "a full disk");
}

/* ---- backups ---------------------------------------------------------- */

static void
test_backups(void)
{
	const struct shellenv_backup *list;
	const struct shellenv_plan *plan;
	AEG_AUTOFREE char *text = NULL;
	struct shellenv *se;
	struct stat st;
	size_t n;

	fresh_home();
	add(DIR_WANTED);
	add("/opt/second");
	se = open_it();
	OK(shellenv_backups(se, &list, &n, NULL) == 0);
	OKF(n == 3, "%zu backups", n);
	IS_STR(list[0].file, "~/.bashrc");
	IS_STR(list[n - 1].file, "~/.bashrc");
	IS_INT(list[n - 1].size, strlen(OLD));
	{
		AEG_AUTOFREE char *path = xasprintf(
		    "%s/.local/state/aegsh/env/%s", home, list[0].name);

		OK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
	}
	OK(shellenv_restore(se, list[n - 1].name, &plan, NULL) == 0);
	IS_INT(plan->n_edits, 1);
	OK(shellenv_apply(se, plan, NULL, NULL) == 0);
	text = get(".bashrc");
	IS_STR(text, OLD);
	OK(shellenv_restore(se, list[n - 1].name, &plan, NULL) == 0);
	IS_INT(plan->n_edits, 0);
	OK(shellenv_restore(se, "../../.bashrc", &plan, NULL) ==
	    ERR_UNKNOWN_NAME);
	OK(shellenv_restore(se, "20260101T000000.000000000Z_x", &plan,
	    NULL) == -ENOENT);
	shellenv_free(se);
}

int
main(void)
{
	scratch_new();
	snprintf(home, sizeof home, "%s/home", scratch_dir);
	test_mode();
	test_attributes();
	test_symlinks();
	test_new_file();
	test_refusals();
	test_locked_home();
	test_editor();
	test_lock();
	test_faults();
	test_size_limit();
	test_full_disk();
	test_backups();
	return tap_done();
}
