/* SPDX-License-Identifier: ISC */
/*
 * Which lines are supervised, with what, and what came of it: the programs
 * that started under the line, or why it was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"
#include "turn/turn_elevate.h"

#define RECORDED_MAX 2000	/* programs of one line */
#define REFUSED_TOLD 100	/* events of one line */

bool
turn_can_look(const struct turn *t)
{
	return t->opts.uid == 0 || sandbox_yama(SANDBOX_YAMA) <= 0;
}

bool
turn_can_watch(const struct turn *t)
{
	return sandbox_supervise(t->sandbox) != SANDBOX_SUPERVISE_NONE &&
	    turn_can_look(t);
}

bool
turn_script_may_change(const struct turn *t, const char *path)
{
	AEG_AUTOFREE char *real = realpath(path, NULL);

	switch (sandbox_supervise(t->sandbox)) {
	case SANDBOX_SUPERVISE_ALL:
		break;
	case SANDBOX_SUPERVISE_SCRIPTS:
		/* It could only kill the line: the script is compared right
		 * before the start then. */
		if (!turn_can_watch(t))
			return false;
		break;
	case SANDBOX_SUPERVISE_NONE:
		return false;
	}
	return real == NULL || turn_know_places(t, NULL) != 0 ||
	    (sandbox_rights_at(t->sandbox, real) &
	    (SANDBOX_WRITE | SANDBOX_MAKE)) != 0 || !conf_trust_is_roots(path);
}

/* An aegsh inside of it may bring scripts, to be held while it runs them:
 * where that cannot be told they are compared right before. */
static bool
may_have_guests(const struct turn_judged *j)
{
	static const char *const names[] = { "abduco", "byobu", "dtach",
		"emacs", "nvim", "screen", "script", "tmux", "vi", "vim",
		"zellij" };
	size_t i, k;

	if (memmem(j->line.bytes, j->line.len, "aegsh", 5) != NULL)
		return true;
	for (i = 0; j->resolved != NULL && i < j->resolved->n; i++)
		for (k = 0; k < AEG_NELEM(names); k++)
			if (j->resolved->items[i].name != NULL &&
			    strcmp(j->resolved->items[i].name, names[k]) == 0)
				return true;
	return false;
}

enum supervise_reach
turn_reach(const struct sandbox_profile *p, const struct supervise_wish *w)
{
	if (w->path == NULL)
		return sandbox_may_connect_tcp(p, w->port) ?
		    SUPERVISE_REACH_YES : SUPERVISE_REACH_NO;
	switch (sandbox_may_connect(p, w->path, w->dev, w->ino)) {
	case SANDBOX_REACH_YES:
		return SUPERVISE_REACH_YES;
	case SANDBOX_REACH_OWN:
		return SUPERVISE_REACH_OWN;
	case SANDBOX_REACH_NO:
		break;
	}
	return SUPERVISE_REACH_NO;
}

enum supervise_reach
turn_may_connect(void *ctx, const struct supervise_wish *w)
{
	const struct turn *t = ctx;

	return turn_reach(t->sandbox, w);
}

const struct supervise_opts *
turn_supervise(struct turn *t, const struct sandbox_profile *where,
    const struct turn_judged *j, struct supervise_opts *ret)
{
	struct sandbox_line_limits most;
	size_t i;

	*ret = (struct supervise_opts){ .guest = turn_is_guest(t),
		.outer = t->outer };
	if (ret->guest)
		return ret;
	/* Before the supervisor is made: it has to know them. */
	if (t->sudo_answers == NULL && turn_elevates(t))
		t->sudo_answers = elevate_answers_new();
	if (sandbox_denies_shells(t->sandbox) ||
	    sandbox_lists_sockets(where))
		(void)sandbox_complete(t->sandbox, NULL);
	sandbox_line_limits(where, &most);
	*ret = (struct supervise_opts){
		.own_group = t->opts.tty >= 0,
		.may_start = turn_may_start,
		.renew = turn_renew,
		.serve = turn_serve,
		.broker = turn_elevates(t) ? turn_broker : NULL,
		.ctx = t,
		.limits = {
			.children = most.children,
			.cpu_ms = most.cpu_s * 1000,
			.wall_ms = most.time_s * 1000,
			.memory = most.memory,
		},
	};
	for (i = 0; i < j->n_scripts && ret->n < SUPERVISE_SCRIPTS_MAX; i++) {
		const struct turn_script *s = &j->scripts[i];

		if (s->copy < 0)
			continue;
		ret->script[ret->n++] = (struct supervise_script){
			.path = s->path,
			.copy = s->copy,
		};
	}
	ret->images = ret->n > 0 ||
	    sandbox_supervise(t->sandbox) == SANDBOX_SUPERVISE_ALL;
	/* Where it could not look, no line runs. */
	if (where == t->sandbox && sandbox_lists_sockets(where) &&
	    turn_can_look(t))
		ret->may_connect = turn_may_connect;
	ret->network = ret->images && sandbox_records_addresses(where);
	ret->reads = may_have_guests(j);
	return ret;
}

/* Which program it was, and what policy said of it. */
static void
note_refused(const struct turn *t, const struct supervise_image *m)
{
	AEG_AUTOFREE char *text = xasprintf("%s: %s", m->path, m->said);

	audit_note(t->audit, "program-killed", text);
}

const char *
turn_refused(const struct turn *t, const struct job *job, size_t from,
    char *ret, size_t size)
{
	const struct supervisor *s = job_supervisor(job);
	const struct supervise_image *m, *first = NULL;
	size_t n = 0, lost, i, refused = 0;

	m = s != NULL ? supervise_images(s, &n, &lost) : NULL;
	for (i = from; i < n; i++) {
		if (!m[i].refused)
			continue;
		if (refused++ == 0)
			first = &m[i];
		if (t->audit != NULL && refused <= REFUSED_TOLD)
			note_refused(t, &m[i]);
	}
	if (first == NULL)
		return NULL;
	if (refused == 1)
		snprintf(ret, size, "%s was killed before it began: %s",
		    path_base(first->path), first->said);
	else
		snprintf(ret, size, "%s and %zu more were killed before they "
		    "began: %s", path_base(first->path), refused - 1,
		    first->said);
	return ret;
}

const char *
turn_limited(const struct turn *t, const struct job *job, char *ret,
    size_t size)
{
	const struct supervisor *s = job_supervisor(job);
	const char *which = turn_output_limited(t, job);

	/* Those that are counted there are a stream's, told once. */
	if (which == NULL && s != NULL && !(job == t->stream &&
	    t->stream_limited))
		which = supervise_limited(s);
	if (which == NULL)
		return NULL;
	if (t->audit != NULL)
		audit_note(t->audit, "line-limited", which);
	snprintf(ret, size, "the line met a limit of the profile %s: %s",
	    sandbox_profile_name(turn_sandbox(t)), which);
	return ret;
}

const char *
turn_killed(const struct turn *t, const struct job *job, char *ret,
    size_t size)
{
	const struct supervisor *s = job_supervisor(job);
	const char *why = s != NULL ? supervise_broken(s) : NULL;

	if (why == NULL)
		why = turn_output_lost(t, job);
	if (why == NULL)
		return NULL;
	if (t->audit != NULL)
		audit_note(t->audit, "line-killed", why);
	snprintf(ret, size, "the line was killed: %s", why);
	return ret;
}

static void
record_image(struct turn *t, int64_t id, const struct supervise_image *m)
{
	AEG_AUTO(buf_done) struct buf argv = BUF_INIT_MAX(AUDIT_LINE_MAX);
	AEG_AUTOFREE char *decision = xasprintf("%s%s", m->refused ?
	    "killed: " : "", m->said);
	struct audit_exec x = { .pid = m->pid, .ppid = m->ppid,
		.wall_ns = m->wall_ns, .mono_ns = m->mono_ns,
		.path = m->path,
		.decision = m->said[0] != '\0' ? decision : NULL };
	const char *p = m->argv, *end = p + m->argv_len;

	while (p < end) {
		size_t len = strnlen(p, (size_t)(end - p));

		redact_text(t->redact, &argv, p, len);
		buf_putc(&argv, '\0');
		p += len + 1;
	}
	if (buf_overflow(&argv))
		return;
	x.argv = argv.data;
	x.argv_len = argv.len;
	audit_exec(t->audit, id, &x);
}

/* Of a stream, those of its units before are on record. */
static void
record_addresses(struct turn *t, const struct job *job,
    const struct supervisor *s)
{
	const char *label;
	const struct strv *wanted = supervise_network(s, &label);
	size_t i = job == t->stream ? t->stream_addresses : 0;

	for (; i < wanted->n; i++) {
		AEG_AUTOFREE char *text = xasprintf("%s: %s", label,
		    wanted->v[i]);

		audit_note(t->audit, "address", text);
	}
	if (job == t->stream)
		t->stream_addresses = i;
}

/* From the first on that is left: after those of earlier units, or after the
 * bash that runs the line, which the line's own row stands for. */
size_t
turn_record_images(struct turn *t, const struct job *job, size_t first,
    int64_t id)
{
	const struct supervisor *s = job_supervisor(job);
	const struct supervise_image *m;
	size_t n, lost, i;
	char text[96];

	if (s == NULL)
		return first;
	m = supervise_images(s, &n, &lost);
	if (t->audit == NULL || id == 0 || n < first)
		return n > first ? n : first;
	record_addresses(t, job, s);
	for (i = first; i < n && i - first < RECORDED_MAX; i++)
		record_image(t, id, &m[i]);
	lost += n - i;
	if (lost > 0) {
		snprintf(text, sizeof text, "%zu programs of a line, after "
		    "its first %zu", lost, i - first);
		audit_note(t->audit, "execs-left-out", text);
	}
	return n;
}
