/* SPDX-License-Identifier: ISC */
/*
 * The host: what judges and records for aegshs inside of a line.  It is a
 * copy of the aegsh that runs the line, made when the first of them knocked
 * (supervise_inner.c), with its rules, its model, and a record of each
 * guest's own in the same store.  It goes on when that aegsh has ended, as
 * long as somebody of the line could come.
 *
 * It stands outside of every domain: no command can signal it or look into
 * it.  It believes a guest nothing (turn_guest.h).  A person is never asked
 * from here: the terminal belongs to the line, whose programs could answer,
 * so that what is to be asked about does not run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "turn/turn_host.h"

#define HOPS_MAX 4096		/* processes above one that are looked at */
#define SAME_MAX 4		/* conversations of one process */

/* ---- guests ------------------------------------------------------------- */

static int64_t
number_after(const char *file, pid_t pid, const char *word)
{
	char path[64], text[2048];
	AEG_AUTOFD int fd = -1;
	const char *p;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	p = strstr(text, word);
	return p != NULL ? strtoll(p + strlen(word), NULL, 10) : -1;
}

/* Guests above it: a chain that a multiplexer's server breaks, which is no
 * deeper for that. */
static unsigned
depth(const struct host *h, pid_t pid)
{
	unsigned n = 0, hop;
	size_t i;

	for (hop = 0; hop < HOPS_MAX && pid > 1; hop++) {
		pid = (pid_t)number_after("status", pid, "\nPPid:");
		for (i = 0; i < h->n && h->guest[i]->pid != pid; i++)
			;
		n += i < h->n;
	}
	return n;
}

static size_t
of_process(const struct host *h, pid_t pid)
{
	size_t i, n = 0;

	for (i = 0; i < h->n; i++)
		n += h->guest[i]->pid == pid;
	return n;
}

static const char *
why_not(const struct host *h, pid_t pid)
{
	if (pid <= 0)
		return "who asked has ended";
	if (of_process(h, pid) >= SAME_MAX)
		return "one process has more conversations with the aegsh "
		    "around the line than an aegsh has";
	if (h->n >= GUEST_MAX)
		return "more aegshs are inside of one line already than the "
		    "one around them serves";
	if (depth(h, pid) >= GUEST_DEPTH_MAX)
		return "aegsh inside of aegsh, and so on, deeper than 8; leave "
		    "some of them";
	return "";
}

static int
welcome(const struct host *h, int sock, const char *refusal)
{
	struct guest_body b = { .out = BUF_INIT };

	guest_put_string(&b, GUEST_VERSION);
	guest_put_string(&b, refusal);
	guest_put_string(&b, policy_profile(h->t->policy));
	return guest_send(sock, GUEST_WELCOME, &b, NULL);
}

static void
let_in(struct host *h)
{
	struct supervise_guest who;
	struct guest *g;
	const char *no;
	pid_t pid;
	int rc = supervise_guest(h->door, &who);

	if (rc <= 0) {
		h->closed = rc < 0;
		return;
	}
	/* The kernel names the thread. */
	pid = (pid_t)number_after("status", who.pid, "\nTgid:");
	no = why_not(h, pid);
	if (fcntl(who.sock, F_SETFL, O_NONBLOCK) < 0 ||
	    welcome(h, who.sock, no) < 0 || no[0] != '\0') {
		io_close(&who.sock);
		return;
	}
	g = xcalloc(1, sizeof *g);
	g->fd = who.sock;
	g->number = who.number;
	memcpy(g->label, who.label, sizeof g->label);
	g->pid = pid;
	g->uid = (uid_t)number_after("status", pid, "\nUid:");
	h->guest[h->n++] = g;
}

void
host_use(struct host *h, const struct guest *g)
{
	h->t->audit = g->audit;
	h->t->opts.state = g->state;
	h->t->opts.cancel_fd = g->fd;
	h->t->opts.session = g->session;
	h->t->stream_began = g->stream;
	h->t->guest_terminal = g->terminal;
	h->t->unsettled = false;
	free(h->t->unrecorded);
	h->t->unrecorded = g->unrecorded != NULL ? xstrdup(g->unrecorded) :
	    NULL;
	snprintf(h->t->tty, sizeof h->t->tty, "%s", g->tty);
}

static void
goodbye(struct host *h, struct guest *g)
{
	const struct audit_outcome o = { .status = TURN_STATUS_UNKNOWN,
		.note = "the aegsh that ran it ended before it did" };
	struct err err = ERR_INIT;

	host_use(h, g);
	while (g->n_open > 0) {
		h->t->ops->outcome(h->t, g->open[0].row, &o);
		host_forget_line(h, g, 0);
	}
	host_release_unused(h, g);
	if (g->audit != NULL)
		(void)audit_session_end(g->audit, &err);
	audit_close(g->audit);
	h->t->audit = NULL;
	host_let_go(h, g);
	io_close(&g->fd);
	free(g->unrecorded);
	free(g);
}

static void
give_up(struct host *h, const struct guest *g, const char *kind, size_t most,
    const char *what)
{
	AEG_AUTOFREE char *why = xasprintf("what is inside of it brought more "
	    "than %zu lines%s", most, what);

	if (h->gave_up)
		return;
	h->gave_up = true;
	/* The aegsh around, which hears of it, may have ended. */
	if (g->audit != NULL)
		audit_note(g->audit, kind, why);
	supervise_give_up(h->door, why);
}

/* Each refusal is a row of the store, which whoever asks for them would fill:
 * beyond what people and their tools come to, the line is killed. */
void
host_count_refusal(struct host *h, const struct guest *g)
{
	if (!guest_tally_add(&h->refused, clock_mono_ns(), GUEST_REFUSED_MAX,
	    GUEST_REFUSED_NS))
		give_up(h, g, "inside-refused", GUEST_REFUSED_MAX,
		    " that were refused or not run");
}

/* So is each that may run; and one that is judged and then not run at all has
 * cost what a judgement costs, the model's included. */
void
host_count_judgement(struct host *h, const struct guest *g)
{
	if (g->j != NULL && !turn_says_nothing(g->j))
		host_count_refusal(h, g);
	if (!guest_tally_add(&h->judged, clock_mono_ns(), GUEST_JUDGED_MAX,
	    GUEST_JUDGED_NS))
		give_up(h, g, "inside-judged", GUEST_JUDGED_MAX,
		    ", faster than there is work for");
}

/* ---- the loop ----------------------------------------------------------- */

static int
hear(struct host *h, struct guest *g)
{
	struct guest_frame f = { .m = WIRE_MSG_INIT };
	struct guest_body b;
	int rc = h->gave_up ? -ECANCELED : guest_recv(g->fd, -1, &f, &b,
	    NULL);

	if (rc == 0) {
		rc = -EPROTO;
		switch ((enum guest_type)f.m.type) {
		case GUEST_JUDGE:
			rc = host_judge(h, g, &b);
			break;
		case GUEST_RUN:
			rc = host_run(h, g, &b);
			break;
		case GUEST_END:
			rc = host_end(h, g, &b);
			break;
		case GUEST_BUILTIN:
			rc = host_builtin(h, g, &b);
			break;
		case GUEST_NOTHING:
		case GUEST_WELCOME:
		case GUEST_ANSWER:
		case GUEST_SETTLED:
			break;
		}
	}
	guest_frame_done(&f);
	if (rc == -EPROTO || rc == ERR_PROTOCOL)
		host_count_refusal(h, g);
	return rc;
}

static void
turn_once(struct host *h)
{
	struct pollfd p[1 + GUEST_MAX] = {
		{ .fd = h->closed ? -1 : h->door->guests, .events = POLLIN },
	};
	size_t i, n = h->n, left = 0;

	for (i = 0; i < n; i++)
		p[1 + i] = (struct pollfd){ .fd = h->guest[i]->fd,
			.events = POLLIN };
	/* Then all of the line have ended, and what they said last is still to
	 * be heard; or they are to end, as the line is killed. */
	if (poll(p, n + 1, h->closed ? 0 : -1) < 0)
		return;
	for (i = 0; i < n; i++) {
		if (p[1 + i].revents != 0 ? hear(h, h->guest[i]) < 0 :
		    h->closed)
			goodbye(h, h->guest[i]);
		else
			h->guest[left++] = h->guest[i];
	}
	h->n = left;
	/* One: who comes after it came when more may have gone than is known
	 * here. */
	if (p[0].revents != 0)
		let_in(h);
}

void
turn_serve(void *ctx, const struct supervise_host *door)
{
	struct host *h = xcalloc(1, sizeof *h);

	h->t = ctx;
	h->door = door;
	/* What the other process has open is not ours to touch. */
	h->t->audit = NULL;
	h->t->exec = NULL;
	h->t->login = NULL;
	h->t->hosts = true;
	h->t->ops = &turn_local;
	h->t->opts.tty = -1;
	h->t->opts.confirm = NULL;
	h->t->opts.progress = NULL;
	h->t->opts.builtins = NULL;
	validator_forked(h->t->validator);
	while (!h->closed || h->n > 0)
		turn_once(h);
	validator_free(h->t->validator);
}
