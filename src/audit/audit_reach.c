/* SPDX-License-Identifier: ISC */
/*
 * Whether a user's store answers, before anybody opens it: who is in an
 * open(2) or a read(2) that a stalled disk holds cannot be called back.
 *
 * Mostly all that a start looks at is in the kernel's memory, which it tells
 * without asking a disk.  Where it is not, a process of its own looks, holding
 * nothing of ours, and is waited for as long as we want to.
 */
#include "audit_apart_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define PLACES 2
#define MS INT64_C(1000000)
#define KEY "redact.key"	/* src/redact: read before the first line */

#define STARTS_MAX 3		/* where who looks is killed */

/* What the process that looks says: of a place that is not there, and of the
 * last one; and that it was killed or stopped, so that nothing is known. */
enum { SAYS_NOTHING = 0, SAYS_NEXT = 'n', SAYS_DONE = 'd', SAYS_NOBODY = 'x' };

/* As audit_place() tries them. */
static void
find_places(uid_t uid, char *ret[PLACES])
{
	ret[0] = xasprintf("%s/%lu", sysdirs()->state, (unsigned long)uid);
	ret[1] = xasprintf("%s/aegsh-%lu", sysdirs()->state_own,
	    (unsigned long)uid);
}

/* ---- what the kernel knows ----------------------------------------------- */

/* A descriptor; -EAGAIN: a disk would have to be asked. */
static int
from_memory(int at, const char *name, int flags)
{
	const struct open_how how = { .flags = (uint64_t)(flags | O_CLOEXEC |
	    O_NOFOLLOW), .resolve = RESOLVE_CACHED };
	long fd = syscall(SYS_openat2, at, name, &how, sizeof how);

	return fd < 0 ? -errno : (int)fd;
}

/* The files that are opened, or made where they are not there. */
static bool
has_files(int dir)
{
	AEG_AUTOFD int db = from_memory(dir, AUDIT_FILE, O_PATH);
	AEG_AUTOFD int spool = from_memory(dir, AUDIT_SPOOL, O_PATH);
	AEG_AUTOFD int key = from_memory(dir, KEY, O_RDONLY | O_NONBLOCK);
	char byte;
	const struct iovec one = { &byte, 1 };

	return (db >= 0 || db == -ENOENT) && spool >= 0 && key >= 0 &&
	    preadv2(key, &one, 1, 0, RWF_NOWAIT) == 1;
}

static bool
is_in_memory(char *const places[PLACES])
{
	int i;

	for (i = 0; i < PLACES; i++) {
		AEG_AUTOFD int dir = from_memory(AT_FDCWD, places[i], O_PATH |
		    O_DIRECTORY);

		if (dir != -ENOENT)
			return dir >= 0 && has_files(dir);
	}
	return false;		/* it is about to be made */
}

/* ---- the process that looks ---------------------------------------------- */

static void
read_one(int dir, const char *name)
{
	AEG_AUTOFD int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char byte;

	if (fd >= 0)
		(void)!pread(fd, &byte, 1, 0);
}

static void
say(int fd, char what)
{
	if (write(fd, &what, 1) != 1)
		_exit(1);
}

/* What is there, and whether something could be made; what is wrong with it is
 * for others to find. */
static void __attribute__((noreturn))
look(char *const places[PLACES], int to)
{
	int dir = -1, made, i;

	audit_writer_become(to, "aegsh-reach");
	for (i = 0; i < PLACES && dir < 0; i++) {
		dir = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0 && i + 1 < PLACES)
			say(AUDIT_WRITER_FD, SAYS_NEXT);
	}
	if (dir < 0)
		dir = open(sysdirs()->state_own, O_RDONLY | O_DIRECTORY |
		    O_CLOEXEC);
	read_one(dir, AUDIT_FILE);
	read_one(dir, AUDIT_SPOOL);
	read_one(dir, KEY);
	made = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	/* It goes by that, which the disk may hold as well: not behind the
	 * last word, when who waits expects no more than an end. */
	io_close(&made);
	say(AUDIT_WRITER_FD, SAYS_DONE);
	_exit(0);
}

/* ---- who waits ----------------------------------------------------------- */

/* The last that it says by then. */
static char
hear(int from, int64_t until)
{
	char said = SAYS_NOTHING, byte;

	while (said != SAYS_DONE) {
		struct pollfd p = { .fd = from, .events = POLLIN };
		int64_t left = until - clock_mono_ns();
		ssize_t n;

		if (left <= 0)
			return said;
		if (poll(&p, 1, (int)(left / MS < INT32_MAX ? left / MS + 1 :
		    INT32_MAX)) <= 0)
			continue;
		n = read(from, &byte, 1);
		if (n == 0 || (n < 0 && errno != EINTR))
			return said == SAYS_DONE ? said : SAYS_NOBODY;
		if (n == 1)
			said = byte;
	}
	return said;
}

/* It has said nothing in time.  True: for somebody stopped it. */
static bool
was_stopped(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) {
		if (WIFSTOPPED(status))
			audit_writer_end(pid);
		return true;
	}
	/* Held, it ends when it is let go, and is reaped by nobody. */
	kill(pid, SIGKILL);
	return false;
}

/* The last that it said; or -errno. */
static int
ask(char *const places[PLACES], int64_t until)
{
	int ends[2], said;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		look(places, io_move_up(ends[1], STDERR_FILENO + 1));
	said = pid < 0 ? -errno : 0;
	io_close(&ends[1]);
	if (pid > 0) {
		said = hear(ends[0], until);
		if (said == SAYS_DONE || said == SAYS_NOBODY)
			audit_writer_end(pid);
		else if (was_stopped(pid))
			said = SAYS_NOBODY;
	}
	io_close(&ends[0]);
	return said;
}

int
audit_reach(uid_t uid, int64_t wait_ns, char **ret_silent, struct err *err)
{
	int64_t until = clock_mono_ns() + wait_ns;
	char *places[PLACES];
	int rc = 0, said, starts = 0, i, at;

	find_places(uid, places);
	do
		said = is_in_memory(places) ? SAYS_DONE : ask(places, until);
	while (said == SAYS_NOBODY && ++starts < STARTS_MAX);
	at = said == SAYS_NEXT;
	if (said < 0)
		rc = err_sys(err, -said, "audit store %s: look for it",
		    places[0]);
	/* Who kills it shall not have that nothing is recorded. */
	else if (said != SAYS_DONE && said != SAYS_NOBODY)
		rc = err_set(err, ERR_STORE, "audit store %s: no answer for %"
		    PRId64 " ms (record-wait): its disk is stalled; start "
		    "aegsh again once it answers", places[at], wait_ns / MS);
	if (rc < 0)
		*ret_silent = AEG_STEAL(places[at]);
	for (i = 0; i < PLACES; i++)
		free(places[i]);
	return rc;
}
