/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "held.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static char state[64], own[64];

static int
place(uid_t uid, bool create, const char *want)
{
	AEG_AUTOFREE char *path = NULL, *got = NULL;
	struct err err = ERR_INIT;
	int rc = audit_place(uid, create, &got, &err);

	if (rc == 0) {
		path = scratch_path(want);
		IS_STR(got, path);
	} else {
		OKF(strncmp(err.text, "audit store: ", 13) == 0 && got == NULL,
		    "%s", err.text);
	}
	return rc;
}

/* 0, or the status of a process that says: it does not answer, this is not
 * where, there is no such filter. */
enum { SILENT = 1, ELSEWHERE, CANNOT, WAITS };

/* What becomes of who looks, in a read; or it is held behind its last word. */
enum fate { FATE_NONE, FATE_HELD, FATE_KILLED, FATE_LAST };

/* That process, which ends by SIGUSR1 when who looked is not waited for. */
static int
wait_behind(pid_t pid)
{
	AEG_AUTOFD int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int status = 0;

	if (fd < 0 || poll(&p, 1, 60000) <= 0)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    WTERMSIG(status) == SIGUSR1 ? 0 : WAITS;
}

static int
reach(const char *want, enum fate fate)
{
	AEG_AUTOFREE char *path = scratch_path(want);
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct err err = ERR_INIT;
		char *silent = NULL;
		int rc;

		if ((fate == FATE_HELD && held_filter(SYS_pread64) < 0) ||
		    (fate == FATE_KILLED && !held_kills(SYS_pread64)) ||
		    (fate == FATE_LAST && held_filter(SYS_exit_group) < 0))
			_exit(CANNOT);
		rc = audit_reach(geteuid(), fate == FATE_HELD ? 50000000 :
		    INT64_C(120000000000), &silent, &err);
		/* It cannot end by a call that is held. */
		if (fate == FATE_LAST)
			raise(rc == 0 ? SIGUSR1 : SIGKILL);
		_exit(rc == 0 ? 0 : strcmp(silent, path) != 0 ? ELSEWHERE :
		    rc == ERR_STORE ? SILENT : ELSEWHERE);
	}
	if (fate == FATE_LAST)
		return wait_behind(pid);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
put_file(const char *dir, const char *name)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s/%s", scratch_dir, dir,
	    name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "x", 1) != 1)
		scratch_die(path);
	close(fd);
}

/* Who looks is held in a read, as a stalled disk holds it. */
static void
silent_place(const char *dir)
{
	int said;

	put_file(dir, "audit.db");
	said = reach(dir, FATE_HELD);
	if (said == CANNOT)
		SKIP(1, "a place that does not answer: no filter can be had");
	else
		IS_INTN(said, SILENT, dir);
	/* Who kills it, each time, keeps no record from being written. */
	said = reach(dir, FATE_KILLED);
	if (said == CANNOT)
		SKIP(1, "who looks is killed: no filter can be had");
	else
		IS_INTN(said, 0, dir);
	said = reach(dir, FATE_LAST);
	if (said == CANNOT)
		SKIP(1, "who looks does not end: no filter can be had");
	else
		IS_INTN(said, 0, dir);
	IS_INTN(reach(dir, FATE_NONE), 0, dir);
	/* What is in memory is not asked of a disk. */
	put_file(dir, "audit.spool");
	put_file(dir, "redact.key");
	IS_INTN(reach(dir, FATE_NONE), 0, dir);
}

int
main(void)
{
	AEG_AUTOFREE char *path = NULL, *other = NULL;
	uid_t me = geteuid();

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	snprintf(state, sizeof state, "state/%lu", (unsigned long)me);
	snprintf(own, sizeof own, "own/aegsh-%lu", (unsigned long)me);
	path = scratch_path(own);
	other = scratch_path(state);
	/* Neither place there, nor the parents. */
	IS_INT(place(me, false, NULL), -ENOENT);
	IS_INT(place(me, true, NULL), -ENOENT);
	scratch_mkdir("own", 01777);
	IS_INT(place(me, false, NULL), -ENOENT);
	IS_INT(place(me + 1, true, NULL), -EPERM);
	IS_INT(reach(own, FATE_NONE), 0);
	IS_INT(place(me, true, own), 0);
	IS_INT(place(me, true, own), 0);
	chmod(path, 0755);
	IS_INT(place(me, true, NULL), ERR_TRUST);
	rmdir(path);
	/* A link, wherever it leads. */
	scratch_mkdir("elsewhere", 0700);
	if (symlink("../elsewhere", path) < 0)
		scratch_die("symlink");
	IS_INT(place(me, true, own), 0);
	unlink(path);
	if (me == 0) {
		/* Somebody else was there first. */
		scratch_mkdir(own, 0700);
		if (chown(path, 4321, (gid_t)-1) < 0)
			scratch_die("chown");
		IS_INT(place(me, true, NULL), ERR_TRUST);
		rmdir(path);
	} else {
		SKIP(2, "only root can give directories away");
	}
	/* Others may write to the parent, and it is not sticky. */
	free(AEG_STEAL(path));
	path = scratch_path("own");
	chmod(path, 0777);
	IS_INT(place(me, true, NULL), ERR_TRUST);
	chmod(path, 01777);
	/* The installed place wins, and is not passed over when wrong. */
	scratch_mkdir("state", 0755);
	IS_INT(place(me, true, own), 0);
	scratch_mkdir(state, 0700);
	IS_INT(place(me, true, state), 0);
	silent_place(state);
	chmod(other, 0770);
	IS_INT(place(me, true, NULL), ERR_TRUST);
	return tap_done();
}
