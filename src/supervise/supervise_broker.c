/* SPDX-License-Identifier: ISC */
/*
 * Who is asked to start a program as another user.  A line has
 * no_new_privs, so that no program of it gains rights by being set-uid; a
 * small program that is called sudo knocks instead (supervise_knock.c), as an
 * aegsh inside of the line does.
 *
 * The other end of the socket goes to a process that is made for this one
 * request, out of aegsh's memory, outside of every domain: it judges,
 * records, and starts the real program.  Other than the host of guests it
 * stays in the terminal's session, since what it starts joins the line's
 * process group.
 *
 * Whoever knocks too often waits; what a command can fill so is the queue of
 * its own line.  Requests that run go on when the supervisor ends: what root
 * runs could not be killed anyway, and is recorded to its end.  It counts
 * among what the line uses; where that is too much the broker is told, and
 * ends what it may.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rights.h"

/* ---- in the supervisor -------------------------------------------------- */

static void
keep_two(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	if (low > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1U,
		    (unsigned)low - 1, 0);
	if (high > low + 1)
		syscall(SYS_close_range, (unsigned)low + 1,
		    (unsigned)high - 1, 0);
	syscall(SYS_close_range, (unsigned)high + 1, ~0U, 0);
}

static void __attribute__((noreturn))
become_broker(const struct sup *s, const struct sup_waiting *w)
{
	struct supervise_broker b = {
		.sock = w->sock, .questions = s->questions, .pid = w->pid,
		.runs = !s->kept && sup_is_same(&s->head),
		.label = s->label, .approved = s->approved, .files = s->files,
	};
	sigset_t none;
	int sig;

	sup_meter_left(s, &b.cpu_ms, &b.wall_ms);
	prctl(PR_SET_NAME, "aegsh-broker", 0, 0, 0);
	for (sig = 1; sig < SIGRTMIN; sig++)
		signal(sig, sig == SIGPIPE || sig == SIGHUP ||
		    sig == SIGXFSZ || sig == SIGTTOU ? SIG_IGN : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	keep_two(b.sock, b.questions);
	s->broker(s->ctx, &b);
	_exit(0);
}

/* As many as may run at a time. */
static void
start_waiting(struct sup *s)
{
	while (s->n_waiting > 0 && s->n_brokers < SUP_BROKERS_MAX) {
		pid_t pid = sup_pace_fork(s);

		if (pid == 0)
			become_broker(s, &s->waiting[0]);
		/* Without a process it finds nobody at the other end. */
		if (pid > 0)
			s->brokers[s->n_brokers++] = pid;
		io_close(&s->waiting[0].sock);
		s->n_waiting--;
		memmove(s->waiting, s->waiting + 1,
		    s->n_waiting * sizeof s->waiting[0]);
	}
}

int
sup_children_open(struct sup *s)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (s->children < 0)
		s->children = signalfd(-1, &child, SFD_CLOEXEC |
		    SFD_NONBLOCK);
	return s->children < 0 ? -errno : 0;
}

/* With those that it has waited for. */
static uint64_t
ms_of(const struct rusage *u)
{
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000 +
	    (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1000;
}

void
sup_children_reap(struct sup *s)
{
	struct signalfd_siginfo info[8];
	struct rusage used;
	int status;
	size_t i;
	pid_t pid;

	while (read(s->children, info, sizeof info) > 0)
		;
	while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
		sup_connect_ended(s, pid, status);
		for (i = 0; i < s->n_brokers; i++)
			if (s->brokers[i] == pid) {
				s->brokers[i--] = s->brokers[--s->n_brokers];
				s->meter.brokers_ms += ms_of(&used);
			}
	}
	sup_connect_more(s);
	start_waiting(s);
}

enum sup_answer
sup_broker(struct sup *s)
{
	int ends[2] = { -1, -1 };
	bool given;

	s->answer->error = s->broker == NULL ? -EPERM :
	    s->n_waiting == SUP_WAITING_MAX ? -EAGAIN : sup_children_open(s);
	if (s->answer->error < 0)
		return SUP_REFUSE;
	s->answer->error = -EMFILE;
	if (sup_pair(ends) < 0)
		return SUP_REFUSE;
	if (s->waiting == NULL)
		s->waiting = xcalloc(SUP_WAITING_MAX, sizeof *s->waiting);
	s->waiting[s->n_waiting++] = (struct sup_waiting){ ends[0],
		sup_proc_leader((pid_t)s->ask->pid) };
	given = sup_give(s, ends[1], O_CLOEXEC) == 0;
	io_close(&ends[1]);
	if (!given)
		io_close(&s->waiting[--s->n_waiting].sock);
	start_waiting(s);
	return given ? SUP_ANSWERED : SUP_REFUSE;
}

/* They are in the line's session; what else a broker starts serves it, and is
 * in one of its own. */
void
sup_broker_tree(const struct sup *s, struct sup_tree *ret)
{
	struct sup_tree all = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < s->n_brokers; i++)
		sup_tree_root(&all, s->brokers[i]);
	sup_tree_children(&all);
	for (i = all.n_roots; i < all.n; i++)
		if (getsid(all.pid[i]) == getsid(0))
			sup_tree_root(ret, all.pid[i]);
	sup_tree_done(&all);
	sup_tree_grow(ret, false);
}

/* ---- a question, and its answer ----------------------------------------- */

int
supervise_ask(const struct supervise_broker *b, const char *text, size_t len)
{
	const struct iovec iov = { (void *)(uintptr_t)text, len };
	ssize_t n;
	int ends[2], rc = 0;
	uint32_t said = SUPERVISE_SAYS_NO;
	struct pollfd p[2] = { { .events = POLLIN }, { .fd = b->sock,
		.events = POLLIN } };

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	n = rights_send(b->questions, &iov, 1, MSG_DONTWAIT, &ends[1], 1);
	if (n < 0)
		rc = (int)n;
	io_close(&ends[1]);
	p[0].fd = ends[0];
	/* Who asked may end meanwhile; whatever else it says is too much. */
	while (rc == 0 && poll(p, 2, -1) < 0)
		;
	if (rc == 0 && (p[0].revents & POLLIN) != 0 &&
	    recv(ends[0], &said, sizeof said, 0) != (ssize_t)sizeof said)
		said = SUPERVISE_SAYS_NO;
	io_close(&ends[0]);
	return rc < 0 ? rc : said <= SUPERVISE_SAYS_BEHIND ? (int)said :
	    SUPERVISE_SAYS_NO;
}

int
sup_question(int from, char **ret, size_t *ret_len, int *ret_sock)
{
	AEG_AUTOFREE char *text = xmalloc(SUPERVISE_QUESTION_MAX + 1);
	ssize_t n = sup_receive(from, text, SUPERVISE_QUESTION_MAX, ret_sock,
	    1);

	if (n <= 0 || *ret_sock < 0) {
		io_close(ret_sock);
		return n == 0 ? -ENODATA : 0;
	}
	text[n] = '\0';
	*ret = AEG_STEAL(text);
	*ret_len = (size_t)n;
	return 1;
}

void
supervise_reply(int *sock, enum supervise_says says)
{
	const uint32_t said = says;

	(void)send(*sock, &said, sizeof said, MSG_NOSIGNAL | MSG_DONTWAIT);
	io_close(sock);
}
