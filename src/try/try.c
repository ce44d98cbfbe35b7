/* SPDX-License-Identifier: ISC */
/*
 * The processes of a try.  A keeper in the new user namespace starts process
 * 1 of the new process namespace, hands on what the line writes, and ends as
 * the line did; process 1 makes the view, has the line started, and when
 * that ends takes all that is left with it: the kernel kills whoever is in a
 * namespace whose first process is gone.  Both die with who began them.
 */
#include "try_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rights.h"

#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | \
	CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

/* What root's lines keep of root's powers over files that they see; all of
 * them end at the namespaces. */
static const int kept[] = { CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH,
	CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID,
	CAP_NET_BIND_SERVICE };

struct report {			/* of process 1: the line runs, or why not */
	int code;
	int status;		/* of the line, once it is over */
	char text[ERR_TEXT_MAX];
	bool lost[TRY_PLACES_MAX];
};

struct ways {
	int report[2];		/* ours, theirs */
	int go[2];
	int out[2], err[2];
	int status[2];		/* to the keeper: how it ended */
};

static void
ways_done(struct ways *w)
{
	int i;

	for (i = 0; i < 2; i++) {
		io_close(&w->report[i]);
		io_close(&w->go[i]);
		io_close(&w->out[i]);
		io_close(&w->err[i]);
		io_close(&w->status[i]);
	}
}

int
try_new(const struct try_opts *opts, struct try **ret, struct err *err)
{
	struct try *t = xcalloc(1, sizeof *t);
	struct sysinfo si;
	int rc;

	t->opts = *opts;
	t->upper = -1;
	rc = try_share(t, err);
	if (rc < 0) {
		try_free(t);
		return rc;
	}
	if (t->opts.size == 0)
		t->opts.size = sysinfo(&si) == 0 ?
		    (uint64_t)si.totalram * si.mem_unit / 2 :
		    (uint64_t)1 << 30;
	rc = try_plan(t, err);
	if (rc < 0) {
		try_free(t);
		return rc;
	}
	*ret = t;
	return 0;
}

void
try_free(struct try *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->n_points; i++) {
		free(t->points[i].path);
		free(t->points[i].target);
	}
	free(t->points);
	for (i = 0; i < t->n; i++) {
		free((char *)(uintptr_t)t->changes[i].path);
		free((char *)(uintptr_t)t->changes[i].conflict);
		free(t->entries[i].rel);
		free(t->entries[i].same_as);
	}
	free(t->changes);
	free(t->entries);
	strv_done(&t->unseen);
	io_close(&t->upper);
	try_unshare(t);
	free(t);
}

const struct strv *
try_unseen(const struct try *t)
{
	return &t->unseen;
}

/* ---- process 1 ---------------------------------------------------------- */

static void
say(int to, struct report *r, int upper)
{
	const struct iovec iov = { r, sizeof *r };

	if (rights_send(to, &iov, 1, 0, &upper, upper >= 0) !=
	    (ssize_t)sizeof *r)
		_exit(1);
}

/* Taken from what the line's programs could ever have. */
static int
bound_capabilities(struct err *err)
{
	int cap;
	size_t i;

	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		for (i = 0; i < AEG_NELEM(kept) && kept[i] != cap; i++)
			;
		if (i == AEG_NELEM(kept) &&
		    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return err_sys(err, errno, "giving up capabilities");
	}
	return 0;
}

/* Its 0, 1 and 2: nothing of these is ever handed over. */
static int
take_ways(struct ways *w, struct err *err)
{
	AEG_AUTOFD int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(w->out[1], STDOUT_FILENO) < 0 ||
	    dup2(w->err[1], STDERR_FILENO) < 0)
		return err_sys(err, errno, "the line's descriptors");
	io_close(&w->out[0]);
	io_close(&w->out[1]);
	io_close(&w->err[0]);
	io_close(&w->err[1]);
	io_close(&w->status[0]);
	return 0;
}

/* Until the line's own process ends; the kernel ends the others. */
static int
wait_for_line(pid_t line)
{
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, 0);
		if (pid == line)
			return status;
		if (pid < 0 && errno != EINTR)
			return 0x7f00;
	}
}

/* Files are stamped by a clock that goes in steps: what is changed from here
 * on has a later time than the one that was noted. */
static void
let_clock_tick(const struct timespec *began)
{
	const struct timespec step = { .tv_nsec = 500000 };
	struct timespec now;

	for (;;) {
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		/* Set back meanwhile: no use in waiting. */
		if (now.tv_sec != began->tv_sec ?
		    now.tv_sec > began->tv_sec || now.tv_sec + 1 <
		    began->tv_sec : now.tv_nsec > began->tv_nsec)
			return;
		nanosleep(&step, NULL);
	}
}

static void __attribute__((noreturn))
first_process(struct try *t, struct ways *w,
    int (*inside)(void *ctx, struct err *err), void *ctx)
{
	struct report *r = xcalloc(1, sizeof *r);
	struct err err = ERR_INIT;
	int upper = -1, rc, status;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rc = take_ways(w, &err);
	if (rc == 0)
		rc = try_mount(t, &upper, &err);
	if (rc == 0)
		rc = bound_capabilities(&err);
	let_clock_tick(&t->began);
	if (rc < 0)
		r->code = ERR_LAYER;
	else
		rc = r->code = inside(ctx, &err);
	for (i = 0; i < t->n_points && i < TRY_PLACES_MAX; i++)
		r->lost[i] = t->points[i].lost;
	memcpy(r->text, err.text, sizeof r->text);
	say(w->report[1], r, r->code < 0 ? -1 : upper);
	io_close(&w->report[1]);
	/* All but the last word's. */
	if (dup2(w->status[1], STDIN_FILENO) < 0)
		_exit(1);
	syscall(SYS_close_range, 1U, ~0U, 0);
	if (rc < 0)
		_exit(1);
	status = wait_for_line(rc);
	(void)io_write_full(STDIN_FILENO, &status, sizeof status);
	_exit(0);
}

/* ---- the keeper --------------------------------------------------------- */

static void __attribute__((noreturn))
end_as(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

/* Its user namespace, whose maps the parent writes. */
static int
enter_namespaces(struct ways *w, pid_t parent)
{
	char word = '\0';

	/* An ordinary user's maps cannot be written for a process that may
	 * not be looked into. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(NAMESPACES) < 0)
		return err_failed();
	if (io_write_full(w->report[1], "", 1) < 0 ||
	    read(w->go[0], &word, 1) != 1)
		return -ECANCELED;
	/* New credentials may have cost the first. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_failed();
	return getppid() == parent ? 0 : -ESRCH;
}

static void __attribute__((noreturn))
keeper(struct try *t, struct ways *w, pid_t parent,
    int (*inside)(void *ctx, struct err *err), void *ctx)
{
	struct report *r = xcalloc(1, sizeof *r);
	int rc, status = 0x7f00;
	sigset_t all;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || setsid() < 0)
		_exit(1);
	io_close(&w->report[0]);
	io_close(&w->go[1]);
	rc = enter_namespaces(w, parent);
	pid = rc < 0 ? rc : fork();
	if (pid == 0)
		first_process(t, w, inside, ctx);
	if (pid < 0) {
		r->code = ERR_LAYER;
		snprintf(r->text, sizeof r->text, "nothing can be tried here, "
		    "since user namespaces are barred: %s",
		    strerror(rc < 0 ? -rc : errno));
		say(w->report[1], r, -1);
		_exit(1);
	}
	io_close(&w->report[1]);
	io_close(&w->status[1]);
	io_close(&w->out[1]);
	io_close(&w->err[1]);
	try_relay(t, &w->out[0], &w->err[0], pid);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (io_read_full(w->status[0], &status, sizeof status) < 0)
		status = SIGKILL;
	end_as(status);
}

/* What AppArmor or a full table of namespaces keeps an ordinary user from is
 * seen at the first mount. */
static int
probe(void)
{
	int status = 0;
	pid_t pid;

	if (unshare(NAMESPACES) < 0)
		return errno;
	pid = fork();
	if (pid == 0) {
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV |
		    MS_NOEXEC | MS_RDONLY, NULL) < 0 ||
		    mount("aegsh-try", "/proc", "tmpfs", MS_NOSUID, NULL) < 0)
			_exit(errno);
		_exit(0);
	}
	if (pid < 0)
		return errno;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

int
try_probe(struct err *err)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(probe());
	if (pid < 0)
		return err_sys(err, errno, "a try: fork");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(err, ERR_LAYER, "nothing can be tried here, since user "
	    "namespaces or mounts in them are barred: %s", WIFEXITED(status) ?
	    strerror(WEXITSTATUS(status)) : "the probe died");
}

/* ---- outside ------------------------------------------------------------ */

static int
write_file(pid_t pid, const char *name, const char *text, size_t len)
{
	AEG_AUTOFREE char *path = xasprintf("/proc/%d/%s", (int)pid, name);
	AEG_AUTOFD int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, len) == (ssize_t)len ? 0 : err_failed();
}

/* Root keeps all numbers that it has: each stays what it is. */
static int
map_all(pid_t pid, const char *name, struct err *err)
{
	AEG_AUTOFREE char *own = xasprintf("/proc/self/%s", name);
	AEG_AUTO(buf_done) struct buf map = BUF_INIT;
	unsigned inside, outside, count;
	FILE *f = fopen(own, "re");
	int rc;

	while (f != NULL && fscanf(f, "%u %u %u", &inside, &outside,
	    &count) == 3)
		buf_putf(&map, "%u %u %u\n", inside, inside, count);
	if (f != NULL)
		fclose(f);
	rc = write_file(pid, name, map.data != NULL ? map.data : "", map.len);
	return rc < 0 ? err_sys(err, -rc, "%s of its user namespace", name) :
	    0;
}

static int
map_one(pid_t pid, const char *name, unsigned id, struct err *err)
{
	AEG_AUTOFREE char *map = xasprintf("%u %u 1\n", id, id);
	int rc = write_file(pid, name, map, strlen(map));

	return rc < 0 ? err_sys(err, -rc, "%s of its user namespace", name) :
	    0;
}

static int
write_maps(pid_t pid, struct err *err)
{
	int rc;

	if (geteuid() == 0) {
		rc = map_all(pid, "uid_map", err);
		return rc < 0 ? rc : map_all(pid, "gid_map", err);
	}
	rc = write_file(pid, "setgroups", "deny", 4);
	if (rc < 0)
		return err_sys(err, -rc, "groups of its user namespace");
	rc = map_one(pid, "uid_map", geteuid(), err);
	return rc < 0 ? rc : map_one(pid, "gid_map", getegid(), err);
}

/* One pipe for both where they are one thing outside: what is written to it
 * stays in order. */
static int
open_ways(const struct try *t, struct ways *w, struct err *err)
{
	struct stat a, b;
	bool same = fstat(t->opts.out, &a) == 0 && fstat(t->opts.err, &b) == 0
	    && a.st_dev == b.st_dev && a.st_ino == b.st_ino;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    w->report) < 0 || pipe2(w->go, O_CLOEXEC) < 0 ||
	    pipe2(w->status, O_CLOEXEC) < 0 || pipe2(w->out, O_CLOEXEC) < 0)
		return err_sys(err, errno, "a try: pipes");
	if (same)
		w->err[1] = fcntl(w->out[1], F_DUPFD_CLOEXEC, 3);
	else if (pipe2(w->err, O_CLOEXEC) < 0)
		w->err[1] = -1;
	return w->err[1] < 0 ? err_sys(err, errno, "a try: pipes") : 0;
}

/* A packet of one byte, or the last word. */
static ssize_t
hear(int from, struct report *r, int *ret_fd)
{
	const struct iovec iov = { r, sizeof *r };
	size_t n_fds = 1;
	ssize_t n = rights_receive(from, &iov, 1, 0, ret_fd, &n_fds);

	return n;
}

static int
hear_last(struct try *t, struct ways *w, struct report *r, struct err *err)
{
	ssize_t n = hear(w->report[0], r, &t->upper);
	size_t i;

	if (n != (ssize_t)sizeof *r)
		return err_set(err, ERR_LAYER, "the try ended while it was "
		    "made ready");
	r->text[sizeof r->text - 1] = '\0';
	if (r->code < 0)
		return err_set(err, r->code, "%s", r->text);
	for (i = 0; i < t->n_points; i++) {
		t->points[i].lost = r->lost[i];
		if (r->lost[i])
			strv_add(&t->unseen, t->points[i].path);
	}
	return 0;
}

static int
bring_up(struct try *t, struct ways *w, pid_t pid, struct err *err)
{
	struct report *r = xcalloc(1, sizeof *r);
	int rc;
	ssize_t n;

	n = hear(w->report[0], r, &t->upper);
	if (n == 1)
		rc = write_maps(pid, err);
	else if (n == (ssize_t)sizeof *r)
		rc = err_set(err, ERR_LAYER, "%s", r->text);
	else
		rc = err_set(err, ERR_LAYER, "the try ended at its start");
	if (rc == 0)
		rc = io_write_full(w->go[1], "", 1);
	if (rc == 0)
		rc = hear_last(t, w, r, err);
	else if (err != NULL && rc != ERR_LAYER)
		rc = err->code = ERR_LAYER;
	free(r);
	return rc;
}

pid_t
try_start(struct try *t, int (*inside)(void *ctx, struct err *err),
    void *ctx, struct err *err)
{
	AEG_AUTO(ways_done) struct ways w = { { -1, -1 }, { -1, -1 },
		{ -1, -1 }, { -1, -1 }, { -1, -1 } };
	pid_t self = getpid(), pid;
	int rc = open_ways(t, &w, err);

	if (rc < 0)
		return rc;
	clock_gettime(CLOCK_REALTIME, &t->began);
	pid = fork();
	if (pid == 0)
		keeper(t, &w, self, inside, ctx);
	if (pid < 0)
		return err_sys(err, errno, "a try: fork");
	io_close(&w.report[1]);
	io_close(&w.go[0]);
	rc = bring_up(t, &w, pid, err);
	if (rc == 0)
		return pid;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}
