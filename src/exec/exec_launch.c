/* SPDX-License-Identifier: ISC */
/*
 * Aegsh's side of the launcher: starting it, asking it, and losing it.
 *
 * A child announces its pid on a socket of its own just before it becomes
 * bash.  When the launcher is lost that socket is shut first and read then:
 * a child that was not heard by then can't announce itself any more and
 * ends, so the line did not run and may be asked for again; one that was
 * heard is killed.
 *
 * What has still to be waited for is asked here while the launcher and the
 * child do their part: the child stands in its sandbox and becomes bash by a
 * word of ours alone.  Only we can give it: who is confined sees neither end
 * of that pipe.
 */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/rights.h"

#define PATIENCE_NS ((int64_t)10 * 1000000000)	/* for an answer */
#define LOST (-EOWNERDEAD)

struct exec_launcher {
	pid_t pid;
	int sock;
	int note;		/* children announce themselves here */
	bool ready;
	bool lost;		/* dead or stopped */
};

/* ---- starting and stopping --------------------------------------------- */

/* Descriptors and signals of the new process; see EXEC_LAUNCHER_SOCK. */
static void __attribute__((noreturn))
become_launcher(const struct exec_session *s, int sock, int note,
    pid_t parent)
{
	int from[] = { sock, note, s->opts.tty }, null;
	sigset_t all;
	size_t i;

	/* Only SIGKILL and SIGSTOP shall reach it. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	for (i = 0; i < AEG_NELEM(from); i++) {
		if (from[i] >= 0)
			from[i] = fcntl(from[i], F_DUPFD, EXEC_HIGH_FD);
	}
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (i = 0; i < 3; i++)
		dup2(null, (int)i);
	for (i = 0; i < AEG_NELEM(from); i++) {
		if (from[i] >= 0)
			dup3(from[i], EXEC_LAUNCHER_SOCK + (int)i, O_CLOEXEC);
		else
			close(EXEC_LAUNCHER_SOCK + (int)i);
	}
	syscall(SYS_close_range, (unsigned)EXEC_LAUNCHER_FREE, ~0U, 0);
	exec_launcher_main(s->opts.profile, sysdirs()->bash);
}

int
exec_launch_start(struct exec_session *s, struct err *err)
{
	int sock[2] = { -1, -1 }, note[2] = { -1, -1 }, rc = 0;
	pid_t self = getpid(), pid = -1;
	struct exec_launcher *l;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, note) < 0)
		rc = err_sys(err, errno, "launcher: socketpair");
	if (rc == 0)
		pid = fork();
	if (pid == 0)
		become_launcher(s, sock[1], note[1], self);
	if (rc == 0 && pid < 0)
		rc = err_sys(err, errno, "launcher: fork");
	io_close(&sock[1]);
	io_close(&note[1]);
	if (rc < 0) {
		io_close(&sock[0]);
		io_close(&note[0]);
		return rc;
	}
	l = xcalloc(1, sizeof *l);
	l->pid = pid;
	l->sock = sock[0];
	l->note = note[0];
	s->launcher = l;
	return 0;
}

/* Read who announced themselves, and kill those not to be spared. */
static unsigned
read_notes(struct exec_launcher *l, bool spare)
{
	unsigned n = 0;
	pid_t pid;

	while (recv(l->note, &pid, sizeof pid, MSG_DONTWAIT) ==
	    (ssize_t)sizeof pid) {
		n++;
		if (spare)
			continue;
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return n;
}

/* Returns how many lines in flight were killed. */
static unsigned
stop(struct exec_session *s)
{
	struct exec_launcher *l = s->launcher;
	unsigned killed;

	if (l == NULL)
		return 0;
	kill(l->pid, SIGKILL);
	shutdown(l->note, SHUT_RDWR);
	killed = read_notes(l, false);
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	io_close(&l->sock);
	io_close(&l->note);
	free(l);
	s->launcher = NULL;
	return killed;
}

void
exec_launch_stop(struct exec_session *s)
{
	stop(s);
}

pid_t
exec_launch_pid(const struct exec_session *s)
{
	return s->launcher != NULL ? s->launcher->pid : 0;
}

/* ---- asking ------------------------------------------------------------ */

/* Dead, or stopped, which is no better: it would never answer. */
static bool
is_lost(struct exec_launcher *l)
{
	/* Told once. */
	if (!l->lost)
		l->lost = waitpid(l->pid, NULL, WNOHANG | WUNTRACED) != 0;
	return l->lost;
}

/* The next packet, or LOST. */
static int
get(struct exec_session *s, void *to, size_t len)
{
	struct exec_launcher *l = s->launcher;
	struct pollfd p[2] = {
		{ .fd = l->sock, .events = POLLIN },
		{ .fd = s->child_fd, .events = POLLIN },
	};
	int64_t end = clock_mono_ns() + PATIENCE_NS, left;
	struct signalfd_siginfo info[8];
	ssize_t n;

	for (;;) {
		/* First: what it sent before its end is there to be read. */
		bool gone = is_lost(l);

		n = recv(l->sock, to, len, MSG_DONTWAIT);
		if (n == (ssize_t)len)
			return 0;
		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			return LOST;
		left = end - clock_mono_ns();
		if (gone || left <= 0)
			return LOST;
		poll(p, 2, (int)(left / 1000000) + 1);
		while (read(s->child_fd, info, sizeof info) > 0)
			;
	}
}

static int
wait_ready(struct exec_session *s, struct err *err)
{
	struct exec_ready ready;
	int rc;

	if (s->launcher->ready)
		return 0;
	rc = get(s, &ready, sizeof ready);
	if (rc < 0)
		return rc;
	if (ready.code < 0) {
		ready.text[sizeof ready.text - 1] = '\0';
		return err_set(err, ready.code, "%s", ready.text);
	}
	s->launcher->ready = true;
	return 0;
}

static uint32_t
put_strings(struct buf *out, char *const *v)
{
	uint32_t n;

	for (n = 0; v[n] != NULL; n++)
		buf_put(out, v[n], strlen(v[n]) + 1);
	return n;
}

/* The strings in a memory file instead of the packet. */
static int
to_file(const struct buf *strings)
{
	AEG_AUTOFD int fd = memfd_create("aegsh-launch", MFD_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = io_write_full(fd, strings->data, strings->len);
	if (rc < 0)
		return rc;
	rc = fd;
	fd = -1;
	return rc;
}

static int
send_all(int sock, struct exec_request *head, const struct buf *strings,
    const int *fds, size_t n_fds)
{
	const struct iovec iov[2] = {
		{ head, sizeof *head },
		{ strings->data, head->in_file ? 0 : strings->len },
	};
	ssize_t n = rights_send(sock, iov, 2, 0, fds, n_fds);

	if (n < 0)
		return n == -EPIPE || n == -ECONNRESET ||
		    n == -ECONNREFUSED ? LOST : (int)n;
	return 0;
}

static int
ask(struct exec_session *s, const struct exec_child *c, int cwd, int word,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf strings = BUF_INIT_MAX(EXEC_LAUNCH_MAX);
	AEG_AUTOFD int file = -1;
	struct exec_request head;
	int fds[EXEC_REQUEST_FDS], rc;
	size_t n = 0, i;

	memset(&head, 0, sizeof head);
	if (c->cwd_path != NULL) {
		head.pathc = 1;
		buf_put(&strings, c->cwd_path, strlen(c->cwd_path) + 1);
	}
	head.argc = put_strings(&strings, c->argv);
	head.envc = put_strings(&strings, c->envp);
	if (buf_overflow(&strings) || head.argc > EXEC_LAUNCH_STRINGS ||
	    head.envc > EXEC_LAUNCH_STRINGS)
		return err_sys(err, E2BIG, "%s", c->path);
	head.bytes = (uint32_t)strings.len;
	head.n_fds = (uint32_t)c->n_fds;
	head.ignored = c->ignored;
	head.umask = c->umask;
	head.tty = c->tty >= 0;
	head.foreground = c->foreground;
	head.set_umask = c->set_umask;
	head.set_limits = c->limits != NULL;
	if (c->limits != NULL)
		memcpy(head.limits, c->limits, sizeof head.limits);
	fds[n++] = cwd;
	for (i = 0; i < c->n_fds; i++) {
		head.to[i] = c->fd[i].to;
		fds[n++] = c->fd[i].from;
	}
	if (c->supervisor >= 0) {
		head.supervised = 1;
		fds[n++] = c->supervisor;
	}
	if (word >= 0) {
		head.held = 1;
		fds[n++] = word;
	}
	if (strings.len > EXEC_LAUNCH_INLINE) {
		file = to_file(&strings);
		if (file < 0)
			return err_sys(err, -file, "a memory file");
		head.in_file = 1;
		fds[n++] = file;
	}
	rc = send_all(s->launcher->sock, &head, &strings, fds, n);
	return rc < 0 && rc != LOST ? err_sys(err, -rc, "launcher") : rc;
}

/* What is to be waited for; once, also where another launcher is asked. */
static int
settle(struct exec_child *c)
{
	int rc = c->settle != NULL ? c->settle(c->ctx, c->err) : 0;

	c->settle = NULL;
	if (rc >= 0 && c->ready != NULL)
		rc = c->ready(c->ctx, c->err);
	c->refused = rc < 0 ? rc : 0;
	return c->refused;
}

/* Ask for a child that waits for the word, and give it. */
static int
ask_and_answer(struct exec_session *s, struct exec_child *c, int cwd,
    struct err *err)
{
	int go[2] = { -1, -1 }, rc;

	if (c->settle == NULL && c->ready == NULL)
		return ask(s, c, cwd, -1, err);
	if (pipe2(go, O_CLOEXEC) < 0)
		return err_sys(err, errno, "launcher: pipe");
	rc = ask(s, c, cwd, go[0], err);
	/* Who was forked meanwhile may hold it open: so a no is said. */
	if (rc == 0)
		(void)exec_child_answer(go[1], settle(c) >= 0);
	io_close(&go[1]);
	/* Last: that the child is dead must not cost us SIGPIPE. */
	io_close(&go[0]);
	return rc;
}

static void
reap(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* One try.  The pid; LOST; or another code with err set. */
static pid_t
try_launch(struct exec_session *s, struct exec_child *c, int cwd,
    struct err *err)
{
	struct exec_child said = { .path = c->path };
	struct exec_reply reply = { .error = ECANCELED };
	int rc;

	/* One that has not come up may still have said why. */
	rc = s->launcher->ready && is_lost(s->launcher) ? LOST :
	    wait_ready(s, err);
	if (rc == 0)
		rc = ask_and_answer(s, c, cwd, err);
	if (rc == 0)
		rc = get(s, &reply, sizeof reply);
	if (c->refused < 0) {
		reap(reply.pid);
		/* What it still does is not known. */
		if (rc < 0)
			stop(s);
		return c->refused;
	}
	if (rc < 0)
		return rc;
	read_notes(s->launcher, true);
	if (reply.error == 0)
		return reply.pid;
	reap(reply.pid);
	said.failed = (enum exec_step)reply.failed;
	said.layer = (enum sandbox_layer)reply.layer;
	return exec_child_error(&said, reply.error, err);
}

/* 0 to try again, else the code. */
static int
lost(struct exec_session *s, int tries, struct err *err)
{
	unsigned killed = stop(s);

	if (killed > 0)
		return err_set(err, ERR_LAYER, "the launcher was killed while "
		    "it started this line, which was killed with it");
	if (tries > 0)
		return err_set(err, ERR_LAYER,
		    "the launcher ends as soon as it is started");
	return 0;
}

pid_t
exec_launch(struct exec_session *s, struct exec_child *c, struct err *err)
{
	AEG_AUTOFD int cwd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTOFREE char *path = NULL;
	sigset_t child, old;
	pid_t pid = LOST;
	int tries, rc = 0;

	if (cwd < 0)
		return err_sys(err, errno, "entering the working directory");
	if (sandbox_required(s->opts.profile) & SANDBOX_COVER) {
		c->cwd_path = path = getcwd(NULL, 0);
		if (path == NULL || path[0] != '/')
			return err_sys(err, path == NULL ? errno : ENOENT,
			    "entering the working directory");
	}
	/* For its end, or stop, to be seen while we wait for an answer. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &old);
	for (tries = 0; pid == LOST && rc == 0 && c->refused == 0; tries++) {
		if (s->launcher == NULL)
			rc = exec_launch_start(s, err);
		if (rc == 0)
			pid = try_launch(s, c, cwd, err);
		if (rc == 0 && pid == LOST && c->refused == 0)
			rc = lost(s, tries, err);
	}
	/* One that could not enter its sandbox is of no use. */
	if (pid < 0 && s->launcher != NULL && !s->launcher->ready)
		stop(s);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc < 0 ? rc : pid;
}
