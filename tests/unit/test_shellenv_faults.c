/* SPDX-License-Identifier: ISC */
/*
 * The writer under faults: an error or the end of the process at any of
 * its system calls, and full disks, leave each file as it was or as it
 * should become, never anything between.  And what it kept can be had
 * back.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "env_home.h"
#include "shellenv/shellenv_int.h"
#include "shellenv/write_int.h"

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
	int step = tap_share("the calls that fail");
	int calls, i, r, status, bad = 0, runs = 0, ended = 0;
	size_t e;
	pid_t pid;

	fresh_home();
	read_pair(&before);
	fault_at = -1;
	fault_seen = 0;
	se_write_fault = fault;
	IS_INT(add(DIR_WANTED), 0);
	calls = fault_seen;
	read_pair(&after);
	OKF(calls > 40 && strcmp(before.login, after.login) != 0,
	    "two files, %d system calls", calls);
	for (e = 0; e < AEG_NELEM(errors); e++)
		for (i = 1 + (int)e; i <= calls; i += step) {
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
	for (i = 1; i <= calls; i += step) {
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
	OKF(bad == 0 && ended == (calls + step - 1) / step,
	    "ended at %d calls: old or new, and the next run mends it",
	    ended);
	se_write_fault = NULL;
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
	home_new();
	test_faults();
	test_size_limit();
	test_full_disk();
	test_backups();
	return tap_done();
}
