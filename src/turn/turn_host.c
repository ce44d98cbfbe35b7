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
#include "aegsh/base/text.h"
#include "turn/turn_guest.h"

#define HOPS_MAX 4096		/* processes above one that are looked at */
#define SAME_MAX 4		/* conversations of one process */

struct guest {
	int fd;
	unsigned number;
	pid_t pid;
	uid_t uid;
	struct audit *audit;		/* NULL: not yet, or it cannot be */
	char *unrecorded;
	struct state *state;		/* where its last line was judged */
	struct turn_judged *j;		/* that line; NULL: none to be run */
	char tty[64], label[SUPERVISE_LABEL];
	bool session, stream, terminal;	/* where that line stood */
	struct {
		int64_t said, row;	/* by the guest, by the store */
	} open[GUEST_LINES_MAX];
	size_t n_open;
	bool holds;			/* scripts, for these */
};

struct host {
	struct turn *t;
	const struct supervise_host *door;
	struct guest *guest[GUEST_MAX];
	size_t n;
	bool closed;			/* nobody will come any more */
	struct guest_tally judged, refused;
	bool gave_up;
};

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

static void
use(struct host *h, const struct guest *g)
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

/* A line that runs, or will not, needs none of what it was judged with. */
static void
let_go(struct host *h, struct guest *g)
{
	turn_judged_free(g->j);
	g->j = NULL;
	state_free(g->state);
	g->state = NULL;
	h->t->opts.state = NULL;
}

static void
release_unused(struct host *h, struct guest *g)
{
	if (g->n_open > 0 || !g->holds)
		return;
	supervise_release(h->door, g->number);
	g->holds = false;
}

static void
forget_line(struct host *h, struct guest *g, size_t i)
{
	g->open[i] = g->open[--g->n_open];
	release_unused(h, g);
}

static void
goodbye(struct host *h, struct guest *g)
{
	const struct audit_outcome o = { .status = TURN_STATUS_UNKNOWN,
		.note = "the aegsh that ran it ended before it did" };
	struct err err = ERR_INIT;

	use(h, g);
	while (g->n_open > 0) {
		h->t->ops->outcome(h->t, g->open[0].row, &o);
		forget_line(h, g, 0);
	}
	release_unused(h, g);
	if (g->audit != NULL)
		(void)audit_session_end(g->audit, &err);
	audit_close(g->audit);
	h->t->audit = NULL;
	let_go(h, g);
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
static void
count_refusal(struct host *h, const struct guest *g)
{
	if (!guest_tally_add(&h->refused, clock_mono_ns(), GUEST_REFUSED_MAX,
	    GUEST_REFUSED_NS))
		give_up(h, g, "inside-refused", GUEST_REFUSED_MAX,
		    " that were refused or not run");
}

/* So is each that may run; and one that is judged and then not run at all has
 * cost what a judgement costs, the model's included. */
static void
count_judgement(struct host *h, const struct guest *g)
{
	if (g->j != NULL && !turn_says_nothing(g->j))
		count_refusal(h, g);
	if (!guest_tally_add(&h->judged, clock_mono_ns(), GUEST_JUDGED_MAX,
	    GUEST_JUDGED_NS))
		give_up(h, g, "inside-judged", GUEST_JUDGED_MAX,
		    ", faster than there is work for");
}

/* ---- a line ------------------------------------------------------------- */

static void
begin_record(struct host *h, struct guest *g, const struct guest_question *q)
{
	const struct guest_who who = { .uid = g->uid, .pid = g->pid,
		.tty = g->tty, .remote = state_get(g->state, "SSH_CLIENT"),
		.origin = q->line.origin, .label = g->label };

	if (g->audit == NULL && g->unrecorded == NULL)
		guest_record(h->t, &who, &g->audit, &g->unrecorded);
}

/* What the profile has made of its environment. */
static void
put_changes(const struct guest *g, const struct guest_question *q,
    struct guest_body *b)
{
	struct strv changes = STRV_INIT;
	size_t i;

	for (i = 0; i < q->envp.n; i++) {
		const char *eq = strchr(q->envp.v[i], '='), *now;
		AEG_AUTOFREE char *name = NULL;

		if (eq == NULL)
			continue;
		name = xmemdup0(q->envp.v[i], (size_t)(eq - q->envp.v[i]));
		/* Which state keeps for itself. */
		if (strcmp(name, "SHLVL") == 0 || strcmp(name, "PWD") == 0 ||
		    strcmp(name, "OLDPWD") == 0 || strcmp(name, "_") == 0)
			continue;
		now = state_get(g->state, name);
		if (now == NULL)
			strv_add(&changes, name);
		else if (strcmp(now, eq + 1) != 0)
			strv_addf(&changes, "%s=%s", name, now);
	}
	guest_put(b, (uint32_t)changes.n);
	for (i = 0; i < changes.n; i++)
		guest_put_string(b, changes.v[i]);
	strv_done(&changes);
}

static int
answer(const struct guest *g, const struct guest_question *q)
{
	const struct decision *d = g->j->decision;
	struct guest_body b = { .out = BUF_INIT_MAX(GUEST_BODY_MAX) };
	unsigned char sha256[32];

	guest_sha256(q->line.bytes, q->line.len, sha256);
	guest_put(&b, decision_action(d));
	guest_put(&b, decision_source(d));
	guest_put(&b, (decision_unasked(d) ? GUEST_UNASKED : 0) |
	    (decision_unreadable(d) ? GUEST_UNREADABLE : 0));
	guest_put(&b, decision_confidence(d));
	guest_put_text(&b, (const char *)sha256, sizeof sha256);
	guest_put_string(&b, decision_rule(d));
	guest_put_string(&b, decision_reason(d));
	guest_put_string(&b, decision_instead(d));
	guest_put_string(&b, decision_model(d));
	put_changes(g, q, &b);
	return guest_send(g->fd, GUEST_ANSWER, &b, NULL);
}

/* From where the guest would run it; a refusal is on record before it is
 * told. */
static int
judge(struct host *h, struct guest *g, struct guest_body *b)
{
	AEG_AUTO(guest_question_done) struct guest_question q = { .flags = 0 };
	struct turn *t = h->t;
	int rc;

	if (!guest_get_question(b, &q))
		return -EPROTO;
	count_judgement(h, g);
	if (h->gave_up)
		return -ECANCELED;
	let_go(h, g);
	g->state = state_new_at(strv_peek(&q.envp), q.cwd);
	policy_clean_state(t->policy, g->state);
	snprintf(g->tty, sizeof g->tty, "%s",
	    text_starts(q.tty, "/dev/") ? q.tty : "");
	g->session = (q.flags & GUEST_SESSION) != 0;
	g->stream = (q.flags & GUEST_STREAM) != 0;
	g->terminal = (q.flags & GUEST_TERMINAL) != 0;
	begin_record(h, g, &q);
	use(h, g);
	/* Names in it are relative to there; where that is gone, to nowhere,
	 * as they are for the line. */
	if (chdir(q.cwd) < 0)
		errno = 0;
	g->j = turn_judge_said(t, &q.line, q.prefix, q.prefix_lines);
	if (chdir("/") < 0)
		return -errno;
	if (decision_action(g->j->decision) != DECISION_ALLOW) {
		turn_record_refusal(t, g->j);
		count_refusal(h, g);
	}
	rc = answer(g, &q);
	if (decision_action(g->j->decision) != DECISION_ALLOW)
		let_go(h, g);
	return rc;
}

/* ---- running it --------------------------------------------------------- */

/* Who opens them gets what was judged, where this line is watched; else they
 * are compared, right before the start. */
static int
hold_scripts(struct host *h, struct guest *g, struct err *err)
{
	struct supervise_opts watch;
	size_t i;
	int rc;

	release_unused(h, g);
	/* Before: what is held stays until this guest has no line left. */
	rc = turn_check_scripts(h->t, g->j, err);
	if (rc < 0)
		return rc;
	turn_supervise(h->t, h->t->sandbox, g->j, &watch);
	for (i = 0; i < watch.n; i++) {
		rc = supervise_hold(h->door, g->number, &watch.script[i]);
		g->holds = true;
		if (rc == -EBADMSG)
			return err_set(err, ERR_REFUSED, "%s is not what the "
			    "line around this one was judged with",
			    watch.script[i].path);
		if (rc < 0)
			return err_sys(err, -rc, "the supervisor of the line "
			    "around this one: %s", watch.script[i].path);
	}
	return turn_check_scripts(h->t, g->j, err);
}

static int
record(struct host *h, struct guest *g, char *const *args, int64_t *ret_row,
    struct err *err)
{
	struct turn *t = h->t;
	struct audit_event ev;
	int rc;

	turn_event(t, g->j, true, &ev);
	if (args != NULL)
		turn_event_args(t, g->j, args[0], &args[1], &ev);
	rc = turn_record_intent(t, &ev, err);
	*ret_row = ev.id;
	return rc;
}

static int
run(struct host *h, struct guest *g, struct guest_body *b)
{
	struct guest_body out = { .out = BUF_INIT };
	AEG_AUTOFREE char *text = NULL;
	AEG_AUTOFREE char **args = NULL;
	struct err err = ERR_INIT;
	int64_t said, row = 0;
	int rc;

	if (g->j == NULL || g->n_open == GUEST_LINES_MAX ||
	    decision_action(g->j->decision) != DECISION_ALLOW)
		return -EPROTO;
	args = guest_get_args(b, &text);
	said = guest_get_wide(b);
	if (b->broken)
		return -EPROTO;
	use(h, g);
	rc = hold_scripts(h, g, &err);
	if (rc < 0)
		release_unused(h, g);
	if (rc == 0)
		rc = record(h, g, args, &row, &err);
	if (rc == 0) {
		g->open[g->n_open].said = said;
		g->open[g->n_open++].row = row;
	} else {
		if (h->t->audit != NULL)
			audit_note(h->t->audit, "not-run", err.text);
		count_refusal(h, g);
	}
	guest_put_string(&out, rc < 0 ? err.text : "");
	/* Each judgement lets one line run, once. */
	let_go(h, g);
	return guest_send(g->fd, GUEST_SETTLED, &out, NULL);
}

static int
end(struct host *h, struct guest *g, struct guest_body *b)
{
	int64_t said = guest_get_wide(b);
	struct audit_outcome o = { .status = (int)guest_get(b) };
	AEG_AUTOFREE char *note = NULL;
	size_t i;

	o.signal = (int)guest_get(b);
	o.duration_ns = guest_get_wide(b);
	o.cpu_ns = guest_get_wide(b);
	o.maxrss_kib = guest_get_wide(b);
	o.start_ns = guest_get_wide(b);
	note = guest_get_string(b);
	o.note = note[0] != '\0' ? note : NULL;
	for (i = 0; i < g->n_open && g->open[i].said != said; i++)
		;
	if (b->broken || i == g->n_open)
		return -EPROTO;
	use(h, g);
	h->t->ops->outcome(h->t, g->open[i].row, &o);
	forget_line(h, g, i);
	return 0;
}

static int
builtin(struct host *h, struct guest *g, struct guest_body *b)
{
	struct audit_event ev;
	int status = (int)guest_get(b);

	if (b->broken || g->j == NULL ||
	    decision_action(g->j->decision) != DECISION_ALLOW)
		return -EPROTO;
	use(h, g);
	turn_event(h->t, g->j, true, &ev);
	if (g->audit != NULL)
		audit_builtin(g->audit, &ev, status);
	let_go(h, g);
	return 0;
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
			rc = judge(h, g, &b);
			break;
		case GUEST_RUN:
			rc = run(h, g, &b);
			break;
		case GUEST_END:
			rc = end(h, g, &b);
			break;
		case GUEST_BUILTIN:
			rc = builtin(h, g, &b);
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
		count_refusal(h, g);
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
