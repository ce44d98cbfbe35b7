/* SPDX-License-Identifier: ISC */
/*
 * The circuit breaker of each endpoint: after some failures in a row it is
 * left alone for a while, then one question probes it.
 */
#include "judge_int.h"

#include <string.h>

#include "aegsh/base/clock.h"

#define FAILURES_MOST 3
#define SECOND ((int64_t)1000000000)
#define OPEN_LEAST (5 * SECOND)
#define OPEN_MOST (60 * SECOND)

/* Closed, or half open: one question may probe it, and there is but one at
 * a time. */
bool
judge_health_asks(const struct judge_member *m, int64_t now_ns)
{
	return m->open_until_ns == 0 || now_ns >= m->open_until_ns;
}

static void
tell(struct judge *j, const struct judge_member *m, bool good)
{
	int64_t now = clock_wall_ns(), mono = clock_mono_ns();
	struct val_health h = { .place = m->place, .print = m->print,
		.asked = 1,
		.failures = m->failures, .answered = good };

	if (j->state_fd < 0)
		return;
	memcpy(h.name, m->name, strnlen(m->name, sizeof h.name - 1));
	h.open = m->open_until_ns > mono;
	if (h.open)
		h.open_until_ns = now + m->open_until_ns - mono;
	*(good ? &h.last_ok_ns : &h.last_fail_ns) = now;
	val_state_health(j->state_fd, &h);
}

void
judge_health_good(struct judge *j, struct judge_member *m)
{
	m->failures = 0;
	m->open_until_ns = 0;
	tell(j, m, true);
}

void
judge_health_bad(struct judge *j, struct judge_member *m)
{
	int64_t pause = OPEN_LEAST;
	unsigned n;

	if (m->failures < 1000)
		m->failures++;
	if (m->failures >= FAILURES_MOST) {
		for (n = FAILURES_MOST; n < m->failures && pause < OPEN_MOST;
		    n++)
			pause *= 2;
		m->open_until_ns = clock_mono_ns() +
		    (pause < OPEN_MOST ? pause : OPEN_MOST);
	}
	tell(j, m, false);
}

void
judge_health_load(struct judge *j)
{
	int64_t now = clock_wall_ns();
	struct val_state s;
	size_t i, k;

	if (j->state_fd < 0)
		return;
	val_state_read(j->state_fd, &s);
	for (i = 0; i < j->n; i++)
		for (k = 0; k < VAL_CHAIN_MAX; k++) {
			const struct val_health *h = &s.endpoints[k];
			int64_t left = h->open_until_ns - now;

			if (strcmp(h->name, j->members[i].name) != 0 ||
			    h->print != j->members[i].print || h->open == 0 ||
			    left <= 0 || left > OPEN_MOST)
				continue;
			j->members[i].failures = h->failures;
			j->members[i].open_until_ns = clock_mono_ns() + left;
		}
}
