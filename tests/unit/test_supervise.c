/* SPDX-License-Identifier: ISC */
/* What the supervisor keeps of processes, and what comes in with packets. */
#include "supervise/supervise_int.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

/* More than live are dropped, none that does. */
static void
test_members(void)
{
	struct sup_members m = { .n = 0 };
	pid_t pid = fork();
	struct sup_known child, dead;
	int i, status = 0;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	child = (struct sup_known){ pid, sup_proc_stat(pid).start };
	dead = child;
	OK(child.start != 0 && sup_is_same(&child));
	sup_members_add(&m, child);
	for (i = 0; i < 100000; i++) {
		dead.start = child.start + 1 + (uint64_t)i;
		sup_members_add(&m, dead);
		sup_members_add(&m, child);	/* it became another program */
	}
	OK(m.size < 2000);
	sup_members_kill(&m);
	OK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGKILL);
	OK(!sup_is_same(&child));
	free(m.v);
}

static struct sup_mark
mark_of(uint64_t n)
{
	struct sup_mark m = { .file = 1 + n % 3 };

	/* As alike as a program can make them. */
	memcpy(m.random + 8, &n, sizeof n);
	return m;
}

/* None is lost that somebody runs, whatever came after it; those of the dead
 * are, when there are many. */
static void
test_judged(void)
{
	const uint64_t many = SUP_JUDGED_MANY;
	const struct sup_stat self = sup_proc_stat(getpid());
	struct sup_judged t = { .n = 0 };
	struct sup_mark m = mark_of(0);
	struct sup_image image;
	uint64_t i, n = 0;

	OK(!sup_judged_has(&t, &m));
	OK(sup_proc_image(getpid(), self, &image) == 0);
	sup_judged_add(&t, &image.mark);
	for (i = 0; i < many; i++) {
		m = mark_of(i);
		sup_judged_add(&t, &m);
		sup_judged_add(&t, &m);
		if (i + 2 < many)
			sup_judged_tidy(&t, self.start);
	}
	for (i = 0; i < many; i++) {
		m = mark_of(i);
		n += sup_judged_has(&t, &m);
	}
	IS_INT((int)n, (int)many);
	OK(t.n == many + 1 && !t.lossy);
	m = mark_of(many);
	OK(!sup_judged_has(&t, &m));
	sup_judged_tidy(&t, self.start);
	OK(t.n == 1 && t.lossy && sup_judged_has(&t, &image.mark));
	/* It was there before. */
	for (i = 0; i < many; i++) {
		m = mark_of(i);
		sup_judged_add(&t, &m);
	}
	sup_judged_tidy(&t, self.start + 1);
	OK(t.n == 0 && !sup_judged_has(&t, &image.mark));
	sup_image_done(&image);
	sup_judged_done(&t);
}

struct started {
	char path[2][SUP_PATH_MAX];
	size_t n;
};

static bool
note_started(void *ctx, const struct supervise_image *m, char *ret, size_t size)
{
	struct started *to = ctx;

	if (to->n < AEG_NELEM(to->path))
		snprintf(to->path[to->n], sizeof to->path[0], "%s", m->path);
	to->n++;
	ret[0] = '\0';
	return size > 0;
}

/* As time passes; true: as many programs were seen. */
static bool
look_until(struct sup *s, const struct started *seen, size_t n)
{
	const int64_t until = clock_mono_ns() + (int64_t)60 * 1000000000;

	while (seen->n < n && clock_mono_ns() < until) {
		sup_attempt_look(s);
		poll(NULL, 0, 1);
	}
	return seen->n == n;
}

/* It has called execve(2), and what it runs still is not known any more: it is
 * looked at until it runs the other, which asks for nothing. */
static void
test_look(bool lossy)
{
	struct started seen = { .n = 0 };
	struct sup s = { .control = -1, .looked_at = -1, .images = true,
		.may_start = note_started, .ctx = &seen,
		.judged.lossy = lossy };
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	int gate[2];
	char byte;

	if (pipe2(gate, O_CLOEXEC) < 0)
		exit(99);
	s.ask_size = sizeof *s.ask;
	s.ask = xcalloc(1, s.ask_size);
	s.answer = xcalloc(1, sizeof *s.answer);
	s.ask->pid = (uint32_t)fork();
	if (s.ask->pid == 0) {
		if (read(gate[0], &byte, 1) == 1)
			execvp(argv[0], argv);
		_exit(1);
	}
	s.line = (pid_t)s.ask->pid;
	s.began = true;
	OK(sup_attempt(&s) == SUP_CONTINUE && s.attempts.n == 1);
	OK(look_until(&s, &seen, 1));
	IS_INT((int)s.attempts.n, lossy);
	if (write(gate[1], "", 1) == 1 && lossy) {
		OK(look_until(&s, &seen, 2));
		OK(strcmp(seen.path[0], seen.path[1]) != 0 &&
		    strstr(seen.path[1], "sleep") != NULL);
	}
	kill(s.line, SIGKILL);
	OK(waitpid(s.line, NULL, 0) == s.line);
	io_close(&gate[0]);
	io_close(&gate[1]);
	free(s.ask);
	free(s.answer);
	free(s.attempts.v);
	free(s.known.v);
	sup_judged_done(&s.judged);
}

static int
count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static void
send_fds(int sock, size_t len, size_t n)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} control = { .bytes = { 0 } };
	char bytes[64] = { 0 };
	struct iovec iov = { bytes, len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fd[16];
	size_t i;

	for (i = 0; i < n; i++)
		fd[i] = STDERR_FILENO;
	if (n > 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(n * sizeof fd[0]);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(n * sizeof fd[0]);
		memcpy(CMSG_DATA(&control.head), fd, n * sizeof fd[0]);
	}
	if (sendmsg(sock, &m, MSG_NOSIGNAL) < 0)
		exit(99);
}

/* Whatever comes, no descriptor stays that nobody knows of. */
static void
test_packets(void)
{
	static const struct {
		const char *name;
		size_t len, fds, wants;
		ssize_t rc;
		size_t gets;
	} rows[] = {
		{ "as it should be", 8, 1, 1, 8, 1 },
		{ "without one", 8, 0, 1, 8, 0 },
		{ "with one more", 8, 2, 1, 8, 1 },
		{ "with as many as there may be", 8, 4, 2, 8, 2 },
		{ "with more than there may be", 8, 9, 2, -EMSGSIZE, 0 },
		{ "too long", 64, 2, 2, -EMSGSIZE, 0 },
		{ "too long, with too many", 64, 16, 2, -EMSGSIZE, 0 },
	};
	int sock[2], fd[2] = { -1, -1 }, before;
	char bytes[32];
	size_t i, k, got;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) < 0)
		exit(99);
	IS_INT((int)sup_receive(sock[1], bytes, sizeof bytes, fd, 2), -EAGAIN);
	before = count_fds();
	for (i = 0; i < AEG_NELEM(rows); i++) {
		send_fds(sock[0], rows[i].len, rows[i].fds);
		IS_INTN((int)sup_receive(sock[1], bytes, sizeof bytes, fd,
		    rows[i].wants), (int)rows[i].rc, rows[i].name);
		for (got = k = 0; k < rows[i].wants; k++) {
			got += fd[k] >= 0 && (fcntl(fd[k], F_GETFD) &
			    FD_CLOEXEC) != 0;
			io_close(&fd[k]);
		}
		IS_INTN((int)got, (int)rows[i].gets, rows[i].name);
		IS_INTN(count_fds(), before, rows[i].name);
	}
	io_close(&sock[0]);
	IS_INT((int)sup_receive(sock[1], bytes, sizeof bytes, fd, 2), 0);
	io_close(&sock[1]);
}

/* One packet with as many reports of one kind. */
static void
tell(struct sup_told *t, enum sup_kind kind, int n)
{
	const struct sup_report r = { .kind = kind, .pid = 1, .path_len = 4,
		.said_len = 2 };
	const uint32_t len = sizeof r + 6;
	struct buf b = BUF_INIT;

	while (n-- > 0) {
		buf_put(&b, &len, sizeof len);
		buf_put(&b, &r, sizeof r);
		buf_put(&b, "/x/yno", 6);
	}
	/* What follows a length that lies is left. */
	buf_put(&b, "\377\377\377\377", 4);
	sup_told_take(t, b.data, b.len);
	buf_done(&b);
}

static void
test_told(void)
{
	struct sup_told t = { .n = 0 };
	size_t last;

	tell(&t, SUP_IMAGE, SUPERVISE_IMAGES_MAX + 5);
	OK(t.n == SUPERVISE_IMAGES_MAX && t.lost == 5);
	/* Those that were killed are told of after that, too. */
	tell(&t, SUP_REFUSED, SUPERVISE_REFUSED_MAX + 2);
	last = t.n - 1;
	OK(t.n == SUPERVISE_IMAGES_MAX + SUPERVISE_REFUSED_MAX && t.lost == 7);
	OK(t.image[last].refused && strcmp(t.image[last].said, "no") == 0 &&
	    strcmp(t.image[last].path, "/x/y") == 0);
	tell(&t, SUP_IMAGE, 1);
	OK(t.lost == 8);
	sup_told_done(&t);
}

/* nice(2) that a process may have, or this one's. */
static int
best_nice(int wanted)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(setpriority(PRIO_PROCESS, 0, wanted) < 0);
	waitpid(pid, &status, 0);
	return getpriority(PRIO_PROCESS, 0) == 0 && status == 0 ? wanted :
	    getpriority(PRIO_PROCESS, 0);
}

/* It goes before those that wait for it where it may, and what it starts does
 * not. */
static void
test_nice(void)
{
	const struct supervise_opts o = { .images = true };
	const int want = best_nice(-10);
	const int64_t until = clock_mono_ns() + (int64_t)60 * 1000000000;
	struct supervisor *s = NULL;
	struct err err = ERR_INIT;
	pid_t pid;

	IS_INT(supervise_start(&o, &s, &err), 0);
	pid = supervise_pid(s);
	while (getpriority(PRIO_PROCESS, (id_t)pid) != want &&
	    clock_mono_ns() < until)
		poll(NULL, 0, 1);
	IS_INT(getpriority(PRIO_PROCESS, (id_t)pid), want);
	OK(want >= 0 || (sched_getscheduler(pid) & SCHED_RESET_ON_FORK) != 0);
	supervise_free(s);
	OK(waitpid(pid, NULL, 0) == pid);
}

static bool
has_slack(unsigned long ns)
{
	return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) == (int)ns;
}

static int
status_of(pid_t pid)
{
	int status = -1;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Its clocks may be late; those of what it starts are as ours. */
static void
test_late(void)
{
	const unsigned long ours = 70000;
	pid_t pid = fork(), child;
	struct sup s = { .slack = 0 };

	if (pid == 0) {
		prctl(PR_SET_TIMERSLACK, ours, 0, 0, 0);
		sup_pace_begin(&s);
		child = sup_pace_fork(&s);
		/* 0: the one that it was made with. */
		if (child == 0 && has_slack(ours) &&
		    prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0) == 0)
			_exit(!has_slack(ours));
		_exit(child > 0 && has_slack(4000000) && s.slack == ours ?
		    status_of(child) != 0 : 1);
	}
	IS_INT(status_of(pid), 0);
}

int
main(void)
{
	test_nice();
	test_late();
	test_members();
	test_judged();
	test_look(false);
	test_look(true);
	test_told();
	test_packets();
	return tap_done();
}
