/* SPDX-License-Identifier: ISC */
/*
 * A disk that stalls a short run: a filter of system calls holds what it
 * wants to write, or to sync, until we answer, which is as a disk does that
 * does not answer: whoever called it is in that call for so long.  In the end
 * the disk answers, or fails, or whoever waits for it is killed: what the run
 * had given up is on record all the same, once.
 */
#include "apart.h"
#include "held.h"

#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "aegsh/base/io.h"
#include "aegsh/base/rights.h"

/* What becomes of the call that was given up. */
enum end { ENDS_WELL = 0, ENDS_FAILED, ENDS_KILLED };

/* One at a time is held; a run tells us what it came to. */
struct run {
	pid_t pid;
	int listener, said;
};

static void
pass_fd(int to, int fd)
{
	const struct iovec one = { &(char){ fd >= 0 ? 'f' : 'n' }, 1 };

	if (rights_send(to, &one, 1, 0, &fd, fd >= 0) != 1)
		_exit(8);
}

static int
take_fd(int from)
{
	char byte = 0;
	int fd = -1;
	size_t n = 1;

	(void)rights_receive(from, &(struct iovec){ &byte, 1 }, 1, 0, &fd, &n);
	return n == 1 ? fd : -1;
}

static void __attribute__((noreturn))
line(const char *path, int number, bool runs_on, bool stays, int to)
{
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	char text[ERR_TEXT_MAX + sizeof ", answers"] = "";
	bool kept = false;
	int64_t id;
	size_t n;

	if (audit_open_brief(path, 200 * 1000 * 1000, runs_on, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0)
		_exit(7);
	pass_fd(to, held_filter(number));
	id = store_put(a, "held", &err);
	snprintf(text, sizeof text, "%s, %s", id > 0 ? "runs" : err.text,
	    audit_stalled(a, &n, &kept) != NULL ? "stalled" : "answers");
	if (stays && (write(to, "g", 1) != 1 || !until(is_over, a)))
		_exit(5);
	audit_outcome(a, id > 0 ? id : 1, &(struct audit_outcome){
	    .status = 0 });
	audit_session_end(a, &err);
	audit_close(a);
	/* Nobody waits for what is held: all of us is gone. */
	if (write(to, text, sizeof text) != (ssize_t)sizeof text)
		_exit(6);
	_exit(0);
}

/* False: no filter can be had here. */
static bool
begin_run(const char *path, int number, bool runs_on, bool stays,
    struct run *ret)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		scratch_die("socketpair");
	fflush(stdout);
	ret->pid = fork();
	if (ret->pid == 0) {
		close(ends[0]);
		line(path, number, runs_on, stays, ends[1]);
	}
	close(ends[1]);
	ret->said = ends[0];
	ret->listener = take_fd(ends[0]);
	if (ret->listener >= 0)
		return true;
	waitpid(ret->pid, NULL, 0);
	close(ret->said);
	return false;
}

static bool
is_sync(pid_t pid)
{
	char path[64], name[32] = "";
	int fd;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, name, sizeof name - 1) < 0)
		name[0] = '\0';
	close(fd);
	return strcmp(name, "aegsh-sync\n") == 0;
}

/* The disk answers, whoever is there to hear it, until nobody is. */
static void
answer(int listener, enum end end)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };

	for (;;) {
		struct seccomp_notif ask = { .id = 0 };
		struct seccomp_notif_resp say = {
			.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		if (poll(&p, 1, -1) < 0 || (p.revents & POLLIN) == 0)
			break;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask) < 0)
			continue;
		if (end == ENDS_KILLED && is_sync((pid_t)ask.pid)) {
			kill((pid_t)ask.pid, SIGKILL);
			continue;
		}
		if (end == ENDS_FAILED && is_sync((pid_t)ask.pid)) {
			say.flags = 0;
			say.error = -EIO;
		}
		say.id = ask.id;
		(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &say);
	}
	close(listener);
}

/* stays: the run goes on until the record answers again. */
static void
stalls(const char *dir, int number, bool runs_on, bool stays, enum end end,
    const char *want, const char *row)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	char text[ERR_TEXT_MAX] = "";
	struct err err = ERR_INIT;
	struct run r;
	int status = -1;
	pid_t disk;

	scratch_mkdir(dir, 0700);
	audit_close(begin(dir, PATIENCE_NS, true));
	/* A spool that is there, as mostly. */
	{
		struct audit *a = NULL;

		OK(audit_open_brief(path, STORE_WAIT_NS, true, &a, &err) == 0 &&
		    audit_session_begin(a, &store_session, &err) == 0 &&
		    store_put(a, "before", &err) > 0);
		audit_close(a);
	}
	if (!begin_run(path, number, runs_on, stays, &r)) {
		SKIP(1, "a stalled disk: no filter can be asked here");
		return;
	}
	/* Once it has given up. */
	if (stays)
		OK(io_read_full(r.said, text, 1) == 0 && *text == 'g');
	fflush(stdout);
	disk = stays ? fork() : -1;
	if (disk == 0) {
		answer(r.listener, end);
		_exit(0);
	}
	/* Or it ends, though nothing was answered. */
	OK(io_read_full(r.said, text, sizeof text) == 0);
	OK(waitpid(r.pid, &status, 0) == r.pid && status == 0);
	OKF(strstr(text, want) != NULL, "%s: %s", dir, text);
	close(r.said);
	if (stays)
		close(r.listener);
	else
		answer(r.listener, end);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	rows(dir, row);
	IS_INT(count(dir, "SELECT count(*) FROM events"), 0);
	IS_INT(count(dir, "SELECT count(*) FROM sessions WHERE end_wall_ns"
	    " IS NOT NULL"), 1);
}

int
main(void)
{
	static const char not_run[] = "before=open held=not run: the record "
	    "did not answer in time";

	static const char runs[] = "before=open held=0";
	static const char said[] = "runs, stalled";
	static const struct {
		const char *name;
		int number;
		enum end end;
	} each[] = {
		{ "sync", SYS_fdatasync, ENDS_WELL },
		{ "write", SYS_pwrite64, ENDS_WELL },
		{ "sync-fails", SYS_fdatasync, ENDS_FAILED },
		{ "write-fails", SYS_pwrite64, ENDS_FAILED },
		{ "sync-killed", SYS_fdatasync, ENDS_KILLED },
		{ "write-killed", SYS_pwrite64, ENDS_KILLED },
	};
	size_t i;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (i = 0; i < AEG_NELEM(each); i++) {
		AEG_AUTOFREE char *stays = xasprintf("%s-stays", each[i].name);
		AEG_AUTOFREE char *managed = xasprintf("%s-managed",
		    each[i].name);

		stalls(each[i].name, each[i].number, true, false, each[i].end,
		    said, runs);
		stalls(stays, each[i].number, true, true, each[i].end, said,
		    runs);
		stalls(managed, each[i].number, false, false, each[i].end,
		    "record-wait", not_run);
	}
	return tap_done();
}
