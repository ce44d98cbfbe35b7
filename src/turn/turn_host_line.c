/* SPDX-License-Identifier: ISC */
/*
 * The host (turn_host.c), and one line of a guest: it is judged as the guest
 * would run it, goes on record, runs there, and its outcome is told.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_host.h"

/* A line that runs, or will not, needs none of what it was judged with. */
void
host_let_go(struct host *h, struct guest *g)
{
	turn_judged_free(g->j);
	g->j = NULL;
	state_free(g->state);
	g->state = NULL;
	h->t->opts.state = NULL;
}

void
host_release_unused(struct host *h, struct guest *g)
{
	if (g->n_open > 0 || !g->holds)
		return;
	supervise_release(h->door, g->number);
	g->holds = false;
}

void
host_forget_line(struct host *h, struct guest *g, size_t i)
{
	g->open[i] = g->open[--g->n_open];
	host_release_unused(h, g);
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
int
host_judge(struct host *h, struct guest *g, struct guest_body *b)
{
	AEG_AUTO(guest_question_done) struct guest_question q = { .flags = 0 };
	struct turn *t = h->t;
	int rc;

	if (!guest_get_question(b, &q))
		return -EPROTO;
	host_count_judgement(h, g);
	if (h->gave_up)
		return -ECANCELED;
	host_let_go(h, g);
	g->state = state_new_at(strv_peek(&q.envp), q.cwd);
	policy_clean_state(t->policy, g->state);
	snprintf(g->tty, sizeof g->tty, "%s",
	    text_starts(q.tty, "/dev/") ? q.tty : "");
	g->session = (q.flags & GUEST_SESSION) != 0;
	g->stream = (q.flags & GUEST_STREAM) != 0;
	g->terminal = (q.flags & GUEST_TERMINAL) != 0;
	begin_record(h, g, &q);
	host_use(h, g);
	/* Names in it are relative to there; where that is gone, to nowhere,
	 * as they are for the line. */
	if (chdir(q.cwd) < 0)
		errno = 0;
	g->j = turn_judge_said(t, &q.line, q.prefix, q.prefix_lines);
	if (chdir("/") < 0)
		return -errno;
	if (decision_action(g->j->decision) != DECISION_ALLOW) {
		turn_record_refusal(t, g->j);
		host_count_refusal(h, g);
	}
	rc = answer(g, &q);
	if (decision_action(g->j->decision) != DECISION_ALLOW)
		host_let_go(h, g);
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

	host_release_unused(h, g);
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

int
host_run(struct host *h, struct guest *g, struct guest_body *b)
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
	said = pack_get_int(&b->in);
	if (guest_broken(b))
		return -EPROTO;
	host_use(h, g);
	rc = hold_scripts(h, g, &err);
	if (rc < 0)
		host_release_unused(h, g);
	if (rc == 0)
		rc = record(h, g, args, &row, &err);
	if (rc == 0) {
		g->open[g->n_open].said = said;
		g->open[g->n_open++].row = row;
	} else {
		if (h->t->audit != NULL)
			audit_note(h->t->audit, "not-run", err.text);
		host_count_refusal(h, g);
	}
	guest_put_string(&out, rc < 0 ? err.text : "");
	/* Each judgement lets one line run, once. */
	host_let_go(h, g);
	return guest_send(g->fd, GUEST_SETTLED, &out, NULL);
}

int
host_end(struct host *h, struct guest *g, struct guest_body *b)
{
	int64_t said = pack_get_int(&b->in);
	struct audit_outcome o = { .status = (int)guest_get(b) };
	AEG_AUTOFREE char *note = NULL;
	size_t i;

	o.signal = (int)guest_get(b);
	o.duration_ns = pack_get_int(&b->in);
	o.cpu_ns = pack_get_int(&b->in);
	o.maxrss_kib = pack_get_int(&b->in);
	o.start_ns = pack_get_int(&b->in);
	note = guest_get_string(b);
	o.note = note[0] != '\0' ? note : NULL;
	for (i = 0; i < g->n_open && g->open[i].said != said; i++)
		;
	if (guest_broken(b) || i == g->n_open)
		return -EPROTO;
	host_use(h, g);
	h->t->ops->outcome(h->t, g->open[i].row, &o);
	host_forget_line(h, g, i);
	return 0;
}

int
host_builtin(struct host *h, struct guest *g, struct guest_body *b)
{
	struct audit_event ev;
	int status = (int)guest_get(b);

	if (guest_broken(b) || g->j == NULL ||
	    decision_action(g->j->decision) != DECISION_ALLOW)
		return -EPROTO;
	host_use(h, g);
	turn_event(h->t, g->j, true, &ev);
	if (g->audit != NULL)
		audit_builtin(g->audit, &ev, status);
	host_let_go(h, g);
	return 0;
}
