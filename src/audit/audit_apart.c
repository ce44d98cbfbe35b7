/* SPDX-License-Identifier: ISC */
/*
 * Recording through a process of its own (audit_writer.c).
 *
 * Each transaction is a record; records are answered in the order in which
 * they were said.  As long as all is well there is one at a time, and it is
 * waited for.  One that is not answered in time stalls the record.  Whoever
 * may go on without (runs_on) then says what follows without waiting: it is
 * kept here, and in the socket, which outlives us, until it is answered.
 * Others say nothing more until the record answers again.
 *
 * A writer that has ended is started anew, and is told again what it did not
 * answer: it looks whether that is in the store already.
 */
#include "audit_apart_int.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define STARTS_MAX 3		/* of a writer, for one record */
#define MS INT64_C(1000000)

struct said {			/* and not answered */
	struct said *next;
	size_t len, sent;	/* frame and record; of these, on the way */
	bool copied;		/* is on disk beside the store */
	struct audit_frame frame;	/* the record follows it */
};

struct audit_apart {
	char *dir;
	int fd;			/* -1: there is no writer */
	pid_t pid;
	int64_t wait_ns;
	bool runs_on, stalled;
	int late_fd;		/* to the process that keeps copies, or -1 */
	pid_t late_pid;
	bool copies, no_copies;	/* there are some; they cannot be had */
	struct said *first, **last;
	size_t n, bytes;
	struct audit_answer answer;	/* the last one, and how much of the
					 * next is here */
	size_t got;
	int64_t line;
	struct audit_queue held;	/* what the record on its way has of
					 * the queue */
	bool one;		/* the last record is yet to be settled, */
	int64_t one_id;		/* and is of that line, 0: of none */
	int64_t not_run;	/* a line whose outcome is known: none */
	int rc;			/* of what was answered since */
	struct err err;
	uint64_t lost;
};

struct audit_apart *
audit_apart_new(const char *dir, int64_t wait_ns, bool runs_on)
{
	struct audit_apart *p = xcalloc(1, sizeof *p);

	p->dir = xstrdup(dir);
	p->fd = p->late_fd = -1;
	p->wait_ns = wait_ns;
	p->runs_on = runs_on;
	p->last = &p->first;
	audit_queue_init(&p->held);
	return p;
}

pid_t
audit_writer_pid(const struct audit *a)
{
	return a->apart != NULL ? a->apart->pid : 0;
}

pid_t
audit_late_pid(const struct audit *a)
{
	return a->apart != NULL ? a->apart->late_pid : 0;
}

/* ---- the process -------------------------------------------------------- */

/* A child with an end of a socket; *ret_fd is the other. */
static int
start_child(struct audit *a, bool late, int *ret_fd, pid_t *ret_pid,
    struct err *err)
{
	const struct audit_apart *p = a->apart;
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(err, errno, "audit store: socketpair");
	/* sqlite of a child believes in the locks of its parent. */
	audit_db_close(&a->db);
	pid = fork();
	if (pid == 0) {
		/* Above what it opens first. */
		int fd = io_move_up(ends[1], STDERR_FILENO + 1);

		if (late)
			audit_late_main(p->dir, fd);
		audit_writer_main(p->dir, fd, a->hand.to, &a->retain,
		    p->wait_ns / 2);
	}
	io_close(&ends[1]);
	if (pid < 0) {
		io_close(&ends[0]);
		return err_sys(err, errno, "audit store: fork");
	}
	*ret_fd = ends[0];
	*ret_pid = pid;
	return 0;
}

static int
start(struct audit *a, struct err *err)
{
	struct audit_apart *p = a->apart;
	int rc = p->fd < 0 ? start_child(a, false, &p->fd, &p->pid, err) : 1;

	if (rc == 0)
		p->got = 0;
	return rc < 0 ? rc : 0;
}

/* Of no use any more; it may be held up, and reaped by nobody then. */
static void
leave_child(int *fd, pid_t *pid)
{
	io_close(fd);
	if (*pid > 0)
		waitpid(*pid, NULL, WNOHANG);
	*pid = 0;
}

static void
leave(struct audit_apart *p)
{
	leave_child(&p->fd, &p->pid);
}

/* What it did not answer is said again to the next. */
static void
has_ended(struct audit_apart *p)
{
	struct said *s;

	leave(p);
	leave_child(&p->late_fd, &p->late_pid);
	for (s = p->first; s != NULL; s = s->next) {
		s->sent = 0;
		s->frame.flags |= AUDIT_FRAME_AGAIN;
	}
}

/* ---- saying and hearing -------------------------------------------------- */

static void
say(struct audit_apart *p, uint32_t flags, const struct buf *record)
{
	size_t len = record != NULL ? record->len : 0;
	struct said *s = xcalloc(1, sizeof *s + len);

	s->len = sizeof s->frame + len;
	s->frame = (struct audit_frame){ .len = (uint32_t)len,
		.flags = flags, .mono_ns = clock_mono_ns(),
		.after = p->line };
	if (len > 0)
		memcpy(s + 1, record->data, len);
	*p->last = s;
	p->last = &s->next;
	p->n++;
	p->bytes += s->len;
}
_Static_assert(sizeof(struct said) == offsetof(struct said, frame) +
    sizeof(struct audit_frame), "the record stands behind its frame");

/* As much as goes; 1: all of it, 0, -1: there is nobody. */
static int
send_some(struct audit_apart *p)
{
	struct said *s;

	for (s = p->first; s != NULL; s = s->next) {
		while (s->sent < s->len) {
			ssize_t n = send(p->fd, (const char *)&s->frame +
			    s->sent, s->len - s->sent, MSG_DONTWAIT |
			    MSG_NOSIGNAL);

			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return errno == EAGAIN ? 0 : -1;
			s->sent += (size_t)n;
		}
	}
	return 1;
}

static void
was_answered(struct audit *a)
{
	struct audit_apart *p = a->apart;
	struct said *s = p->first;
	bool last = s->next == NULL;

	p->first = s->next;
	if (p->first == NULL)
		p->last = &p->first;
	p->n--;
	p->bytes -= s->len;
	p->line = p->answer.line;
	p->answer.text[sizeof p->answer.text - 1] = '\0';
	a->hand.failed = p->answer.unheard != 0 && p->answer.rc >= 0 ?
	    a->hand.to : 0;
	if (a->hand.failed != 0)
		err_set(&a->hand.err, ERR_STORE, "%s", p->answer.text);
	if (p->answer.rc >= 0 && p->answer.session > 0)
		a->session_row = p->answer.session;
	if (p->answer.rc < 0) {
		err_set(&p->err, p->answer.rc, "%s", p->answer.text);
		p->rc = p->answer.rc;
		a->begun_sent = a->session_row != 0;
		/* The one that is waited for is not given up here. */
		if ((!last || !p->one) &&
		    (s->frame.flags & AUDIT_FRAME_READY) == 0)
			p->lost++;
	} else if (last) {
		p->rc = 0;
	}
	free(s);
}

/* What is there to be heard; -1: there is nobody. */
static int
hear_some(struct audit *a)
{
	struct audit_apart *p = a->apart;

	while (p->first != NULL) {
		ssize_t n = recv(p->fd, (char *)&p->answer + p->got,
		    sizeof p->answer - p->got, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n <= 0)
			return -1;
		p->got += (size_t)n;
		if (p->got < sizeof p->answer)
			continue;
		p->got = 0;
		was_answered(a);
	}
	return 0;
}

/* Until all is answered, or so long; 1: it is. */
static int
talk(struct audit *a, int64_t wait_ns, struct err *err)
{
	struct audit_apart *p = a->apart;
	int64_t until = clock_mono_ns() + wait_ns, left;
	int starts = 0, rc;

	for (;;) {
		struct pollfd fd = { .events = POLLIN };
		int all;

		if (p->first == NULL)
			return 1;
		if (p->fd < 0 && starts++ == STARTS_MAX)
			return err_set(err, ERR_STORE, "audit store %s: its "
			    "writer ends before it answers", p->dir);
		rc = start(a, err);
		if (rc < 0)
			return rc;
		all = send_some(p);
		if (all < 0 || hear_some(a) < 0) {
			has_ended(p);
			continue;
		}
		left = until - clock_mono_ns();
		if (p->first == NULL || left <= 0)
			return p->first == NULL;
		fd.fd = p->fd;
		fd.events = (short)(all == 0 ? POLLIN | POLLOUT : POLLIN);
		poll(&fd, 1, (int)(left / MS < INT32_MAX ? left / MS + 1 :
		    INT32_MAX));
	}
}

/* ---- stalls -------------------------------------------------------------- */

static int
too_late(const struct audit_apart *p, struct err *err)
{
	return err_set(err, ERR_STORE, "audit store %s: no answer for %" PRId64
	    " ms (record-wait): its disk is stalled, or another process "
	    "holds it", p->dir, p->wait_ns / MS);
}

/* What waits, on disk beside the store, if that can be had in time; once in
 * vain is enough. */
static void
copy_late(struct audit *a)
{
	struct audit_apart *p = a->apart;
	int64_t until = clock_mono_ns() + p->wait_ns / 4;
	struct said *s;

	for (s = p->first; s != NULL && !p->no_copies; s = s->next) {
		if (s->copied || (s->frame.flags & AUDIT_FRAME_READY) != 0)
			continue;
		p->no_copies = (p->late_fd < 0 && start_child(a, true,
		    &p->late_fd, &p->late_pid, NULL) < 0) ||
		    !audit_late_say(p->late_fd, &s->frame, s->len, until);
		s->copied = !p->no_copies;
		p->copies |= s->copied;
	}
	if (p->no_copies)
		leave_child(&p->late_fd, &p->late_pid);
}

/* Whether what stalled is over: nothing waits for an answer. */
static bool
is_over(struct audit *a)
{
	struct audit_apart *p = a->apart;

	if (!p->stalled || talk(a, 0, NULL) != 1)
		return !p->stalled;
	p->stalled = p->no_copies = false;
	a->queue.lost += p->lost;
	p->lost = 0;
	leave_child(&p->late_fd, &p->late_pid);
	/* Copies of what is there now can go. */
	if (p->copies) {
		p->copies = false;
		say(p, AUDIT_FRAME_READY, NULL);
		(void)talk(a, 0, NULL);
	}
	return true;
}

static void
release(struct audit *a)
{
	audit_forget(a, &a->apart->held);
	audit_queue_clear(&a->apart->held);
}

const char *
audit_stalled(struct audit *a, size_t *ret_waiting, bool *ret_kept)
{
	const struct audit_apart *p = a->apart;

	if (p == NULL || !p->stalled || is_over(a))
		return NULL;
	*ret_waiting = p->n;
	*ret_kept = p->copies && !p->no_copies;
	return p->dir;
}

/* It cannot be called back, and will be on record. */
static void
note_not_run(struct audit *a, int64_t line)
{
	static const struct audit_outcome not_run = { .status = 126,
		.note = "not run: the record did not answer in time" };

	if (line != 0)
		audit_queue_outcome(&a->queue, line, &not_run);
	a->apart->not_run = line;
}

/* rc: that no writer could be had, or 0. */
static int
stall(struct audit *a, int rc, struct err *err)
{
	struct audit_apart *p = a->apart;

	p->stalled = true;
	release(a);		/* is in the record */
	if (p->runs_on) {
		copy_late(a);
		return 0;
	}
	note_not_run(a, p->one_id);
	return rc < 0 ? rc : too_late(p, err);
}

int
audit_apart_stalled(struct audit *a, const struct buf *record,
    int64_t ran_not, struct err *err)
{
	struct audit_apart *p = a->apart;

	note_not_run(a, ran_not);
	p->stalled = true;
	say(p, AUDIT_FRAME_SYNC | AUDIT_FRAME_AGAIN, record);
	(void)talk(a, 0, NULL);
	return ran_not != 0 ? too_late(p, err) : 0;
}

int
audit_apart_refuses(struct audit *a, bool settled, struct err *err)
{
	if (!a->refuses || is_over(a))
		return 0;
	if (settled)
		note_not_run(a, a->apart->one_id);
	return too_late(a->apart, err);
}

bool
audit_apart_knows(const struct audit_apart *p, int64_t id)
{
	return id == p->not_run;
}

/* ---- transactions -------------------------------------------------------- */

int
audit_apart_warm(struct audit *a, struct err *err)
{
	struct audit_apart *p = a->apart;
	int rc;

	if (p->fd >= 0 && !is_over(a))
		return p->runs_on ? 0 : too_late(p, err);
	if (p->fd >= 0)
		return p->first == NULL && p->rc < 0 ? err_set(err, p->rc,
		    "%s", p->err.text) : 0;
	say(p, AUDIT_FRAME_READY, NULL);
	rc = talk(a, 0, err);
	return rc < 0 ? rc : 0;
}

static int
has_room(const struct audit_apart *p, size_t len, struct err *err)
{
	if (!p->stalled || (p->n < AUDIT_KEPT_MAX && p->bytes + len <
	    AUDIT_KEPT_BYTES))
		return 0;
	return err_set(err, ERR_STORE, "audit store %s: no answer, and %zu "
	    "records wait: more are not kept", p->dir, p->n);
}

int
audit_apart_begin(struct audit *a, struct audit_event *ev, bool end,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(AUDIT_RECORD_MAX);
	bool full = ev != NULL || (end && a->hand.to != 0);
	struct audit_apart *p = a->apart;
	unsigned char uuid[UUID_LEN];
	int rc = 0;

	if (p->stalled && !is_over(a) && !p->runs_on)
		return too_late(p, err);
	/* Of a stream, or what a warm one had to say. */
	if (p->one)
		rc = audit_apart_settle(a, err);
	else if (!p->stalled)
		rc = audit_apart_settled(a, NULL) < 0 && !p->runs_on ?
		    too_late(p, err) : 0;
	if (rc < 0)
		return rc;
	rc = audit_compose(a, ev, end, &b, uuid, err);
	if (rc == 0)
		rc = has_room(p, b.len, err);
	if (rc < 0)
		return rc;
	/* What is late, others may have taken from its copy. */
	say(p, (full ? AUDIT_FRAME_SYNC : 0) |
	    (p->stalled ? AUDIT_FRAME_AGAIN : 0), &b);
	audit_composed(a, ev, uuid);
	release(a);
	audit_queue_back(&p->held, &a->queue);
	a->begun_sent = a->in_session;
	p->one = true;
	p->one_id = ev != NULL ? ev->id : 0;
	(void)talk(a, 0, NULL);	/* who settles it is told */
	return 0;
}

int
audit_apart_settle(struct audit *a, struct err *err)
{
	struct audit_apart *p = a->apart;
	int rc;

	if (!p->one)
		return 0;
	/* The rest is for copies. */
	rc = talk(a, p->stalled ? 0 : p->runs_on ? p->wait_ns / 4 * 3 :
	    p->wait_ns, err);
	p->one = false;
	if (rc <= 0)
		return stall(a, rc, err);
	if (p->rc < 0) {
		/* What it held back goes with the next. */
		audit_queue_back(&a->queue, &p->held);
		return err_set(err, p->rc, "%s", p->err.text);
	}
	p->stalled = false;
	release(a);
	return 0;
}

int
audit_apart_settled(struct audit *a, struct err *err)
{
	struct audit_apart *p = a->apart;
	int rc = talk(a, p->stalled ? 0 : p->wait_ns, err);

	if (rc == 1) {
		p->stalled = false;
		return 0;
	}
	p->stalled |= rc == 0;
	return rc < 0 ? rc : too_late(p, err);
}

/* What is not answered as its teller ends: a writer that has ended is told no
 * more by anybody, and one that is held may be ended, too.  So it is on disk
 * beside the store, or with a new writer, before it is left. */
static void
save(struct audit *a)
{
	struct audit_apart *p = a->apart;
	pid_t was = p->pid;

	if (talk(a, 0, NULL) == 1)
		return;
	/* Once in vain was enough, as long as the session had it. */
	p->no_copies = false;
	copy_late(a);
	if (p->no_copies && p->pid != was)
		(void)talk(a, p->wait_ns, NULL);
}

void
audit_apart_free(struct audit *a)
{
	struct audit_apart *p = a->apart;
	struct said *s, *next;
	char byte;

	if (p == NULL)
		return;
	if (p->first != NULL)
		save(a);
	if (p->fd >= 0 && p->first == NULL) {
		struct pollfd fd = { p->fd, POLLIN, 0 };

		/* So that who looks next finds all of it in its place. */
		shutdown(p->fd, SHUT_WR);
		while (poll(&fd, 1, (int)(p->wait_ns / MS)) > 0 &&
		    recv(p->fd, &byte, 1, 0) > 0)
			;
	}
	leave(p);
	leave_child(&p->late_fd, &p->late_pid);
	for (s = p->first; s != NULL; s = next) {
		next = s->next;
		free(s);
	}
	audit_queue_clear(&p->held);
	free(p->dir);
	free(p);
	a->apart = NULL;
}
