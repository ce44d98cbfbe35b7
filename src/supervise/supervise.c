/* SPDX-License-Identifier: ISC */
/* Aegsh's side: starting the supervisor, hearing it, and losing it. */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define PATIENCE_NS ((int64_t)10 * 1000000000)	/* for its last words */

struct supervisor {
	pid_t pid;		/* of its process, or 0: there is none yet */
	int control;		/* to it; or to the aegsh around us; or -1 */
	int door;		/* for the child, or -1 */
	int hello;		/* where the child's comes, or -1 */
	int listener;		/* as long as there is no process, or -1 */
	int questions;		/* from who starts programs, or -1 */
	int poll;		/* epoll: what of these there is */
	pid_t line;		/* who brought the listener */
	bool own_group, guest, images, reads, network;
	bool gone;		/* the aegsh around us, and not in peace */
	bool runs;		/* the line's bash was there before it */
	struct supervise_limits limits;
	struct cgroup_line *group;	/* the line's, or NULL */
	supervise_may_fn *may_start;
	supervise_may_connect_fn *may_connect;
	void (*renew)(void *ctx);
	void (*serve)(void *ctx, const struct supervise_host *host);
	void (*broker)(void *ctx, const struct supervise_broker *b);
	void *approved;
	void *ctx;
	char label[SUPERVISE_LABEL];
	struct sup_told told;
};

/* ---- starting ----------------------------------------------------------- */

static void __attribute__((noreturn))
become_supervisor(struct sup *s, const struct supervise_script *script,
    size_t n)
{
	sigset_t all;

	/* Of the terminal and of everybody: only SIGKILL and SIGSTOP. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setpgid(0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NAME, "aegsh-watch", 0, 0, 0);
	sup_pace_begin(s);
	sup_take_files(s);
	if (s->group != NULL)
		cgroup_line_enter_done(s->group);
	for (s->n = 0; s->n < n && s->n < SUPERVISE_SCRIPTS_MAX; s->n++)
		sup_script_set(&s->script[s->n], &script[s->n]);
	sup_close_others(s);
	if (chdir("/") < 0)
		_exit(1);
	sup_main(s);
}

static void
poll_for(const struct supervisor *s, int fd)
{
	struct epoll_event in = { .events = EPOLLIN };

	(void)epoll_ctl(s->poll, EPOLL_CTL_ADD, fd, &in);
}

/* The way by which it asks the person; without it, it asks nobody. */
static int
open_questions(struct supervisor *s)
{
	int ends[2];

	if (s->broker == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET |
	    SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	s->questions = ends[0];
	poll_for(s, s->questions);
	return ends[1];
}

/* With the listener that is there, or with the door by which it comes. */
static int
begin(struct supervisor *s, const struct supervise_opts *o, struct err *err)
{
	const pid_t aegsh = getpid();
	struct sup *sup;
	int control[2], questions;
	pid_t pid;

	/* Whom the line leaves behind is to be found, were it lost. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return err_sys(err, errno, "supervisor: subreaper");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
		return err_sys(err, errno, "supervisor: socketpair");
	questions = open_questions(s);
	pid = fork();
	if (pid == 0) {
		sup = xcalloc(1, sizeof *sup);
		*sup = (struct sup){ .control = control[1], .door = s->hello,
			.listener = s->listener, .own_group = s->own_group,
			.line = s->line, .serve = s->serve, .ctx = s->ctx,
			.guests = -1, .holds = -1,
			.broker = questions >= 0 ? s->broker : NULL,
			.approved = s->approved, .questions = questions,
			.children = -1,
			.may_start = s->may_start, .renew = s->renew,
			.may_connect = s->may_connect,
			.images = s->images, .reads = s->reads,
			.network = s->network,
			.group = s->group,
			.began = s->runs,
			.aegsh = aegsh,
			.meter = { .most = s->limits } };
		memcpy(sup->label, s->label, sizeof sup->label);
		if (s->line > 0)
			sup->head = (struct sup_known){ s->line,
				sup_proc_stat(s->line).start };
		if (s->line > 0)
			sup_adopted_begin(sup);
		if (s->runs)
			sup_attempt_first(sup);
		become_supervisor(sup, o != NULL ? o->script : NULL,
		    o != NULL ? o->n : 0);
	}
	io_close(&control[1]);
	io_close(&questions);
	if (pid < 0) {
		io_close(&control[0]);
		return err_sys(err, errno, "supervisor: fork");
	}
	s->pid = pid;
	s->control = control[0];
	poll_for(s, s->control);
	if (s->listener >= 0)
		epoll_ctl(s->poll, EPOLL_CTL_DEL, s->listener, NULL);
	io_close(&s->listener);
	io_close(&s->hello);
	return 0;
}

static int
open_ways(struct supervisor *s, const struct supervise_opts *o,
    struct err *err)
{
	const bool limits = supervise_has_limits(&o->limits);
	const struct sup_asks asks = {
		.calls = (o->images ? SUP_ASKS_STARTS |
		    SUP_ASKS_IMAGES : 0U) |
		    (s->reads ? SUP_ASKS_READS : 0U) |
		    (limits ? SUP_ASKS_ENDS : 0U) |
		    (o->limits.children > 0 ? SUP_ASKS_SPAWNS : 0U) |
		    (o->network ? SUP_ASKS_NETWORK : 0U) |
		    (o->may_connect != NULL ? SUP_ASKS_CONNECTS : 0U),
	};
	const int on = 1;
	int door[2], rc;

	s->poll = epoll_create1(EPOLL_CLOEXEC);
	if (s->poll < 0)
		return err_sys(err, errno, "supervisor: epoll");
	if (o->guest) {
		s->control = fcntl(o->outer, F_DUPFD_CLOEXEC, 3);
		if (s->control < 0)
			return err_sys(err, errno, "supervisor: dup");
		poll_for(s, s->control);
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, door) < 0)
		return err_sys(err, errno, "supervisor: socketpair");
	s->hello = door[0];
	s->door = door[1];
	if (setsockopt(s->hello, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0)
		return err_sys(err, errno, "supervisor: SO_PASSCRED");
	if (limits && o->cgroup != NULL)
		s->group = sup_group_make(o->cgroup, &o->limits);
	rc = sup_send_asks(s->hello, &asks, s->group != NULL ?
	    cgroup_line_procs(s->group) : -1);
	if (rc < 0)
		return err_sys(err, -rc, "supervisor: its first word");
	/* What was approved is remembered where it is used up. */
	return asks.calls != 0 || o->approved != NULL ? begin(s, o, err) : 0;
}

int
supervise_start(const struct supervise_opts *o, struct supervisor **ret,
    struct err *err)
{
	struct supervisor *s = xcalloc(1, sizeof *s);
	int rc;

	s->control = s->door = s->hello = s->listener = s->poll = -1;
	s->questions = -1;
	s->own_group = o->own_group;
	s->guest = o->guest;
	s->images = o->images;
	s->reads = o->images && (o->reads || o->n > 0);
	s->network = o->network;
	s->limits = o->limits;
	s->serve = o->serve;
	s->broker = o->broker;
	s->approved = o->approved;
	s->may_start = o->may_start;
	s->may_connect = o->may_connect;
	s->renew = o->renew;
	s->ctx = o->ctx;
	memcpy(s->label, o->label, sizeof s->label);
	rc = o->may_connect != NULL ? sup_own_begin() : 0;
	rc = rc < 0 ? err_sys(err, -rc, "supervisor: mmap") :
	    open_ways(s, o, err);
	if (rc < 0)
		supervise_free(s);
	else
		*ret = s;
	return rc;
}

int
supervise_child_fd(const struct supervisor *s)
{
	return s->door;
}

/* It came before that process became bash. */
static void
take_listener(struct supervisor *s)
{
	s->told.done = sup_receive_hello(s->hello, &s->line, &s->listener) < 0;
	io_close(&s->hello);
	if (!s->told.done)
		poll_for(s, s->listener);
}

void
supervise_handed_over(struct supervisor *s)
{
	if (s->door >= 0 && s->hello >= 0)
		take_listener(s);
	io_close(&s->door);
	if (s->group != NULL)
		cgroup_line_enter_done(s->group);
}

pid_t
supervise_pid(const struct supervisor *s)
{
	return s->pid;
}

/* ---- hearing ------------------------------------------------------------ */

int
supervise_poll_fd(const struct supervisor *s)
{
	return s->poll;
}

int
supervise_question(struct supervisor *s, char **ret, size_t *ret_len,
    int *ret_sock)
{
	int rc = s->questions < 0 ? 0 : sup_question(s->questions, ret,
	    ret_len, ret_sock);

	if (rc < 0) {
		epoll_ctl(s->poll, EPOLL_CTL_DEL, s->questions, NULL);
		io_close(&s->questions);
	}
	return rc > 0;
}

/* Somebody knocks, or nobody is left who could. */
static int
look_at_listener(struct supervisor *s)
{
	struct pollfd p = { .fd = s->listener, .events = POLLIN };

	if (poll(&p, 1, 0) <= 0)
		return 0;
	if ((p.revents & POLLIN) != 0)
		return begin(s, NULL, NULL);
	epoll_ctl(s->poll, EPOLL_CTL_DEL, s->listener, NULL);
	io_close(&s->listener);
	s->told.done = true;
	return 0;
}

void
supervise_end_with_outer(const struct supervisor *s)
{
	if (s->gone)
		sup_await_end();
}

/* The aegsh around us says nothing by itself. */
static int
look_at_outer(struct supervisor *s)
{
	struct pollfd p = { .fd = s->control, .events = POLLIN };

	if (s->control < 0 || poll(&p, 1, 0) <= 0)
		return s->told.broken != NULL ? -ESRCH : 0;
	s->gone = sup_has_hung_up(s->control);
	io_close(&s->control);
	s->told.broken = xstrdup("the aegsh around it, which records it, is "
	    "gone");
	return -ESRCH;
}

/* On its own, for where nobody supervises each page of the packet would be
 * touched for nothing. */
static int __attribute__((noinline))
take_packets(struct supervisor *s)
{
	char packet[SUP_CHUNK_MAX];
	ssize_t n;

	while (s->control >= 0) {
		n = recv(s->control, packet, sizeof packet, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		/* It has ended with something of ours unread; what it said
		 * before is still to be had. */
		if (n < 0 && errno == ECONNRESET)
			continue;
		if (n <= 0) {
			io_close(&s->control);
			break;
		}
		sup_told_take(&s->told, packet, (size_t)n);
	}
	if (s->told.done || s->told.ended)
		return 0;
	if (s->told.broken == NULL)
		s->told.broken = xstrdup("its supervisor was killed");
	return -ESRCH;
}

int
supervise_take(struct supervisor *s)
{
	if (s->guest)
		return look_at_outer(s);
	if (s->listener >= 0 && look_at_listener(s) < 0)
		return 0;	/* whoever knocks waits for the next look */
	return s->pid == 0 ? 0 : take_packets(s);
}

/* Until it said so, is gone, or too much time has passed. */
static void
wait_for(struct supervisor *s, const bool *what)
{
	int64_t until = clock_mono_ns() + PATIENCE_NS;

	while (supervise_take(s) == 0 && s->control >= 0 && !*what &&
	    clock_mono_ns() < until) {
		struct pollfd p = { .fd = s->control, .events = POLLIN };

		poll(&p, 1, 100);
	}
}

int
supervise_end(struct supervisor *s)
{
	const struct sup_report end = { .kind = SUP_END };

	supervise_handed_over(s);
	if (s->guest)
		return 0;
	(void)supervise_take(s);
	/* What the line left behind may knock when we are gone. */
	if (s->listener >= 0)
		(void)begin(s, NULL, NULL);
	if (s->control >= 0)
		(void)send(s->control, &end, sizeof end, MSG_NOSIGNAL);
	wait_for(s, &s->told.ended);
	if (s->pid == 0 || s->told.ended || s->told.done)
		return 0;
	/* Somebody has stopped it: what it did not tell is not known. */
	if (s->told.broken == NULL)
		s->told.broken = xstrdup("its supervisor does not answer");
	return -ESRCH;
}

/* ---- units -------------------------------------------------------------- */

/* What the process was told is answered by this. */
static int
hear_answer(struct supervisor *s, int rc)
{
	if (rc == 0)
		wait_for(s, &s->told.answered);
	return rc < 0 ? rc : s->told.answered ? s->told.held : -EPIPE;
}

int
supervise_unit(struct supervisor *s, const struct supervise_opts *o,
    struct err *err)
{
	int rc;

	if (o->label[0] != '\0')
		memcpy(s->label, o->label, sizeof s->label);
	/* Nobody has to know yet, or any more. */
	if (s->guest || (s->control < 0 && !s->images && !supervise_counts(s)))
		return 0;
	s->told.answered = false;
	rc = hear_answer(s, s->control >= 0 ? sup_send_unit(s->control, o) :
	    -EPIPE);
	if (rc == -ENOSPC)
		return err_set(err, ERR_TOO_LONG, "more than %d scripts are "
		    "held for what runs in the background", SUP_SCRIPTS_MAX);
	return rc < 0 ? err_sys(err, -rc, "handing scripts to the "
	    "supervisor") : 0;
}

void
supervise_catch_up(struct supervisor *s, bool waits)
{
	const struct sup_report r = { .kind = SUP_SYNC, .pid = waits };

	s->told.answered = false;
	if ((s->images || supervise_counts(s)) && s->control >= 0 &&
	    !s->guest)
		(void)hear_answer(s, send(s->control, &r, sizeof r,
		    MSG_NOSIGNAL) < 0 ? -errno : 0);
}

bool
supervise_watches(const struct supervisor *s)
{
	return s->images || s->guest;
}

bool
supervise_counts(const struct supervisor *s)
{
	return supervise_has_limits(&s->limits);
}

/* The kernel lets a process have one listener: the one of the filter that
 * heard guests alone goes first. */
static int
change_listener(struct supervisor *s, pid_t pid,
    const struct supervise_opts *o, struct err *err)
{
	int rc = 0, listener;

	if (s->listener >= 0)
		epoll_ctl(s->poll, EPOLL_CTL_DEL, s->listener, NULL);
	io_close(&s->listener);
	s->told.answered = false;
	if (s->pid > 0)
		rc = hear_answer(s, sup_send_listener(s->control, -1, 0));
	if (rc < 0)
		return rc;
	listener = sup_attach(pid, SUP_ASKS_READS | SUP_ASKS_STARTS |
	    SUP_ASKS_IMAGES);
	if (listener < 0)
		return listener;
	s->line = pid;
	s->images = s->reads = s->runs = true;
	s->may_start = o->may_start;
	s->renew = o->renew;
	s->ctx = o->ctx;
	s->told.answered = false;
	if (s->pid > 0) {
		rc = hear_answer(s, sup_send_listener(s->control, listener,
		    pid));
		io_close(&listener);
		return rc;
	}
	s->listener = listener;
	return begin(s, o, err);
}

int
supervise_watch(struct supervisor *s, pid_t pid,
    const struct supervise_opts *o, struct err *err)
{
	bool had = s->pid > 0;
	int rc;

	memcpy(s->label, o->label, sizeof s->label);
	rc = change_listener(s, pid, o, err);
	if (rc < 0) {
		err_sys(err, -rc, "supervisor");
		if (err != NULL)
			err->code = ERR_LAYER;
		return ERR_LAYER;
	}
	return had ? supervise_unit(s, o, err) : 0;
}

void
supervise_other(struct supervisor *s, pid_t pid)
{
	const struct sup_report r = { .kind = SUP_OTHER, .pid = pid };

	if (s->control >= 0 && !s->guest && !s->told.ended)
		(void)send(s->control, &r, sizeof r, MSG_NOSIGNAL);
}

const char *
supervise_broken(const struct supervisor *s)
{
	return s->told.broken;
}

const char *
supervise_limited(const struct supervisor *s)
{
	return s->told.limited;
}

const struct strv *
supervise_network(const struct supervisor *s, const char **ret_label)
{
	*ret_label = s->label;
	return &s->told.network;
}

const struct supervise_image *
supervise_images(const struct supervisor *s, size_t *ret_n,
    size_t *ret_lost)
{
	*ret_n = s->told.n;
	*ret_lost = s->told.lost;
	return s->told.image;
}

void
supervise_kill_images(const struct supervisor *s)
{
	if (s->group != NULL)
		cgroup_line_kill(s->group);
	sup_members_kill(&s->told.known);
}

void
supervise_free(struct supervisor *s)
{
	const struct sup_report end = { .kind = SUP_END };

	if (s == NULL)
		return;
	io_close(&s->door);
	/* Those left are kept: it is told before we are silent. */
	if (s->control >= 0 && !s->told.ended && !s->guest)
		(void)send(s->control, &end, sizeof end, MSG_NOSIGNAL);
	io_close(&s->control);
	io_close(&s->hello);
	io_close(&s->listener);
	io_close(&s->questions);
	io_close(&s->poll);
	/* Where a supervisor that was killed could not. */
	if (s->group != NULL)
		cgroup_line_remove(s->group);
	cgroup_line_free(s->group);
	sup_told_done(&s->told);
	free(s);
}
