/* SPDX-License-Identifier: ISC */
/*
 * What all processes of a line use together.
 *
 * Who they are: bash, what is below it, and below whom else was met, since one
 * that has lost its parent is below nobody of the line.  Met are those that
 * ask, the children of one that ends, and, at each reading, all that are
 * there, and those that aegsh has been left with (supervise_adopted.c).
 */
#include "supervise_int.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define READING_NS ((int64_t)200 * 1000000)
#define IN_FLIGHT_NS ((int64_t)1000 * 1000000)

bool
supervise_has_limits(const struct supervise_limits *l)
{
	return (l->cpu_ms | l->wall_ms | l->memory | l->children) != 0;
}

/* All that live.  Bash is one of those known; an adopted one is none of
 * them.  Both are in the order of their numbers. */
static void
find_all(struct sup *s, struct sup_tree *t)
{
	const struct sup_members *k = &s->known, *a = &s->adopted;
	size_t i = 0, j = 0;

	sup_members_forget_dead(&s->known);
	sup_adopted_look(s);
	sup_members_forget_dead(&s->adopted);
	while (i < k->n || j < a->n)
		sup_tree_root(t, j == a->n || (i < k->n &&
		    k->v[i].pid < a->v[j].pid) ? k->v[i++].pid :
		    a->v[j++].pid);
	sup_tree_grow(t, false);
}

static void
know_new(struct sup *s, const struct sup_tree *t)
{
	size_t i;

	for (i = t->n_roots; i < t->n; i++)
		sup_know(s, t->pid[i]);
}

/* What it leaves behind. */
enum sup_answer
sup_exit(struct sup *s)
{
	struct sup_tree t = { NULL, 0, 0 };

	/* It leaves them to aegsh, where they are found. */
	if (getppid() == s->aegsh)
		return SUP_CONTINUE;
	sup_tree_root(&t, sup_proc_leader((pid_t)s->ask->pid));
	sup_tree_children(&t);
	know_new(s, &t);
	sup_tree_done(&t);
	return SUP_CONTINUE;
}

/* ---- new processes ------------------------------------------------------ */

/* It was let make a process and may not have done so yet: it still runs in
 * the kernel.  One that sleeps, or has ended, is past that; one that asks
 * again, too. */
static bool
is_in_flight(const struct sup *s, size_t i)
{
	pid_t asker = s->meter.grant[i].asker;

	if (asker == (pid_t)s->ask->pid ||
	    clock_mono_ns() - s->meter.grant[i].at_ns > IN_FLIGHT_NS)
		return false;
	return sup_proc_stat(asker).state == 'R';
}

static void
forget_landed(struct sup *s)
{
	struct sup_meter *m = &s->meter;
	size_t i, n = 0;

	for (i = 0; i < m->n_grants; i++)
		if (is_in_flight(s, i))
			m->grant[n++] = m->grant[i];
	m->n_grants = n;
}

void
sup_meter_say(struct sup *s, const char *text)
{
	struct sup_report head = { .kind = SUP_LIMITED,
		.path_len = (uint32_t)strlen(text) };

	if (!s->meter.told)
		sup_report(s, &head, text, NULL, NULL);
	s->meter.told = true;
}

/* No more than these are there, as the last look had it and with those let
 * since; only where that would be too many are they counted anew. */
static bool
has_place(struct sup *s)
{
	struct sup_meter *m = &s->meter;
	size_t most = (size_t)m->most.children + 1;
	struct sup_tree t = { NULL, 0, 0 }, other = { NULL, 0, 0 };

	/* What brokers run starts others unasked. */
	if (s->n_brokers == 0 && m->bound < most &&
	    m->n_grants < SUP_GRANTS_MAX)
		return true;
	/* Before: one that lands meanwhile is counted twice, not never. */
	forget_landed(s);
	find_all(s, &t);
	know_new(s, &t);
	/* For the program itself there is one of the line that called it. */
	sup_broker_tree(s, &other);
	m->bound = t.n + m->n_grants + other.n - other.n_roots;
	sup_tree_done(&t);
	sup_tree_done(&other);
	return m->bound < most && m->n_grants < SUP_GRANTS_MAX;
}

enum sup_answer
sup_spawn(struct sup *s)
{
	struct sup_meter *m = &s->meter;
	pid_t asker = (pid_t)s->ask->pid;
	char text[96];

	if (m->most.children == 0)
		return SUP_CONTINUE;
	if (has_place(s)) {
		m->bound++;
		m->grant[m->n_grants].asker = asker;
		m->grant[m->n_grants++].at_ns = clock_mono_ns();
		return SUP_CONTINUE;
	}
	snprintf(text, sizeof text, "limit-children: %u at one time; starting "
	    "more failed", m->most.children);
	sup_meter_say(s, text);
	s->answer->error = -EAGAIN;
	return SUP_REFUSE;
}

/* ---- time and memory ---------------------------------------------------- */

struct usage {
	uint64_t cpu_ms, memory;
};

static void
add_usage(struct usage *u, pid_t pid)
{
	unsigned long resident = 0, shared = 0;
	char text[128];
	ssize_t n;

	u->cpu_ms += sup_proc_stat(pid).ticks * 1000 /
	    (uint64_t)sysconf(_SC_CLK_TCK);
	n = sup_proc_file(pid, "statm", text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "%*u %lu %lu", &resident, &shared) == 2 &&
	    resident > shared)
		u->memory += (uint64_t)(resident - shared) *
		    (uint64_t)sysconf(_SC_PAGESIZE);
}

void
sup_meter_break(struct sup *s, const char *limit, uint64_t most,
    const char *unit)
{
	char text[96];
	size_t i;

	snprintf(text, sizeof text, "%s: more than %" PRIu64 " %s", limit,
	    most, unit);
	sup_meter_say(s, text);
	for (i = 0; i < s->n_brokers; i++)
		kill(s->brokers[i], SIGTERM);
	sup_break(s, "it met its limit, %s", text);
}

/* Those that run as another user, by a broker; not to be killed with it. */
static size_t
count_brokers(struct sup *s, struct usage *u)
{
	struct sup_tree t = { NULL, 0, 0 };
	size_t i, n;

	sup_broker_tree(s, &t);
	for (i = 0; i < t.n; i++)
		add_usage(u, t.pid[i]);
	n = t.n;
	sup_tree_done(&t);
	u->cpu_ms += s->meter.brokers_ms;
	return n;
}

/* How many are there, and what they have used. */
static size_t
count(struct sup *s, struct usage *u)
{
	struct sup_tree t = { NULL, 0, 0 };
	uint64_t most;
	size_t i, n;

	find_all(s, &t);
	know_new(s, &t);
	for (i = 0; i < t.n; i++)
		add_usage(u, t.pid[i]);
	n = t.n;
	sup_tree_done(&t);
	most = sup_group_cpu_ms(s);
	if (most > u->cpu_ms)
		u->cpu_ms = most;
	n += count_brokers(s, u);
	/* Without a group nothing is left to be read of one that ended with
	 * nobody of the line to wait for it. */
	if (u->cpu_ms > s->meter.cpu_ms)
		s->meter.cpu_ms = u->cpu_ms;
	return n;
}

/*
 * The lines of a standard input share a bash.  Each has its own time as long
 * as the one before left nothing behind: what is left could go on for ever in
 * the time of the next, and of that after it.
 */
static void
begin_account(struct sup_meter *m, size_t n)
{
	if (n > 1)
		return;
	m->began_ns = clock_mono_ns();
	m->past_ms = m->cpu_ms;
}

void
sup_meter_unit(struct sup *s)
{
	struct usage u = { 0, 0 };

	s->meter.waits = false;
	if (s->meter.next_ns != 0 && !s->broken)
		begin_account(&s->meter, count(s, &u));
}

void
sup_meter_waits(struct sup *s, bool waits)
{
	if (s->meter.waits && !waits)
		sup_meter_unit(s);
	s->meter.waits = waits;
}

void
sup_meter_read(struct sup *s)
{
	struct sup_meter *m = &s->meter;
	struct usage u = { 0, 0 };
	int64_t now = clock_mono_ns();
	size_t n;

	if (m->next_ns == 0 || now < m->next_ns || s->broken)
		return;
	m->next_ns = now + READING_NS;
	sup_group_look(s);
	n = count(s, &u);
	/* Between two units nobody uses any time. */
	if (m->waits)
		begin_account(m, n);
	if (s->broken)
		return;
	if (m->most.cpu_ms > 0 && m->cpu_ms - m->past_ms > m->most.cpu_ms)
		sup_meter_break(s, "limit-cpu", m->most.cpu_ms / 1000, "s");
	else if (m->most.memory > 0 && u.memory > m->most.memory)
		sup_meter_break(s, "limit-memory", m->most.memory >> 20, "MiB");
	else if (m->most.wall_ms > 0 && now - m->began_ns >
	    (int64_t)m->most.wall_ms * 1000000)
		sup_meter_break(s, "limit-time", m->most.wall_ms / 1000, "s");
}

void
sup_meter_begin(struct sup *s)
{
	struct sup_meter *m = &s->meter;

	if (!supervise_has_limits(&m->most))
		return;
	m->began_ns = clock_mono_ns();
	m->next_ns = m->began_ns + READING_NS;
	m->bound = 1;
	sup_know(s, s->line);
}

/* At least one, which is no limit met yet. */
static uint64_t
left(uint64_t most, uint64_t used)
{
	return most == 0 ? 0 : most > used ? most - used : 1;
}

void
sup_meter_left(const struct sup *s, uint64_t *ret_cpu_ms,
    uint64_t *ret_wall_ms)
{
	const struct sup_meter *m = &s->meter;

	*ret_cpu_ms = left(m->most.cpu_ms, m->cpu_ms - m->past_ms);
	*ret_wall_ms = left(m->most.wall_ms,
	    (uint64_t)(clock_mono_ns() - m->began_ns) / 1000000);
}

int64_t
sup_meter_due(const struct sup *s)
{
	return s->broken ? 0 : s->meter.next_ns;
}
