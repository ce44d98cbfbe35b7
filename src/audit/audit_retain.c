/* SPDX-License-Identifier: ISC */
/*
 * Deleting by itself what is kept for a time: at the end of a session, when
 * its shell is gone, so that no line of it waits; once a day, and so many
 * lines, so that none of another waits for long; and where a store is so
 * large that even this takes its time, not at all: who runs audit prune has
 * chosen the moment.
 */
#include "audit_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define DAY_NS (INT64_C(86400) * 1000000000)
#define EVERY_NS (DAY_NS / 2)
#define LINES_MOST 20000
#define BUDGET_NS INT64_C(1000000000)

void
audit_retain(struct audit *a, const struct audit_retain *r)
{
	a->retain = *r;
}

void
audit_retain_keep(const struct audit_retain *r, int64_t now_ns,
    struct audit_keep *ret)
{
	const struct {
		int64_t span_ns, *ret;
	} rows[] = {
		{ r->lines_ns, &ret->since_ns },
		{ r->output_ns, &ret->output_since_ns },
		{ r->execs_ns, &ret->execs_since_ns },
		{ r->events_ns, &ret->events_since_ns },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++)
		*rows[i].ret = rows[i].span_ns <= 0 ? 0 :
		    rows[i].span_ns < now_ns ? now_ns - rows[i].span_ns : 1;
}

/* ?1, ?3: half a day ago, by the clock and by the time since the start of the
 * machine that ?2 is of; ?4: that start, and those since which the machine has
 * not run for half a day; ?5: are these all?  A row is so old by both, or it is
 * not: a clock that was set forward twice is no day, nor is one that is wrong
 * at two starts.  An event of no session has no start: then, as of this one. */
#define OF(start) "(SELECT boot_id FROM sessions WHERE id = " start ")"
#define BY_BOTH(wall, start, mono) \
	wall " <= ?1 AND ((?5 AND instr(?4, coalesce(" start ", ?2)) = 0) OR" \
	" (" mono " <= ?3 AND coalesce(" start ", ?2) = ?2))"
static const char newest_row[] = "SELECT max("
    "coalesce((SELECT wall_ns FROM commands WHERE "
    BY_BOTH("wall_ns", OF("commands.session"), "mono_ns")
    " ORDER BY id DESC LIMIT 1), 0), "
    "coalesce((SELECT wall_ns FROM events WHERE "
    BY_BOTH("wall_ns", OF("events.session"), "mono_ns")
    " ORDER BY id DESC LIMIT 1), 0), "
    "coalesce((SELECT start_wall_ns FROM sessions WHERE "
    BY_BOTH("start_wall_ns", "boot_id", "start_mono_ns")
    " ORDER BY id DESC LIMIT 1), 0))";

/* Sessions that are looked at for what the machine has run. */
#define SESSIONS_MOST "200000"
#define STARTS_MOST 64

/* The names of this start and of those since which the machine has not run for
 * half a day, as far as sessions tell; *ret_enough: it has, since those before
 * them. */
static int
find_recent(struct audit_db *d, const char *boot, struct buf *ret,
    bool *ret_enough, struct err *err)
{
	int64_t ran = clock_mono_ns();
	sqlite3_stmt *st = NULL;
	int n = 0;

	buf_puts(ret, boot);
	*ret_enough = ran >= EVERY_NS;
	if (*ret_enough)
		return 0;
	if (sqlite3_prepare_v2(d->db, "SELECT boot_id, max(max(start_mono_ns,"
	    " coalesce(end_mono_ns, 0))) FROM sessions WHERE boot_id <> ?1 AND"
	    " id > (SELECT max(id) FROM sessions) - " SESSIONS_MOST
	    " GROUP BY boot_id ORDER BY max(id) DESC", -1, &st, NULL) !=
	    SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_text(st, 1, boot, -1, SQLITE_STATIC);
	while (!*ret_enough && n++ < STARTS_MOST &&
	    sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);
		int64_t ns = sqlite3_column_int64(st, 1);

		buf_putf(ret, " %s", name != NULL ? name : "");
		/* Whoever can write the store can write any number. */
		ran += ns < 0 ? 0 : ns < EVERY_NS ? ns : EVERY_NS;
		*ret_enough = ran >= EVERY_NS;
	}
	sqlite3_finalize(st);
	return 0;
}

/*
 * Up to when the clock is believed: a day behind the newest row of half a day
 * ago or before.  One that is years ahead for an hour, as a machine's without
 * a battery may be until the network has told it better, deletes nothing that
 * is young; who was away for long waits for the next day.  A machine that
 * runs a little each day deletes some days later.
 */
static int
find_believed(struct audit_db *d, int64_t now_ns, int64_t *ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf recent = BUF_INIT;
	int64_t newest = 0;
	sqlite3_stmt *st = NULL;
	bool enough = false;
	char boot[40];
	int rc;

	audit_boot_id(boot);
	rc = find_recent(d, boot, &recent, &enough, err);
	if (rc < 0)
		return rc;
	if (sqlite3_prepare_v2(d->db, newest_row, -1, &st, NULL) != SQLITE_OK)
		return audit_db_error(d, "prepare", err);
	sqlite3_bind_int64(st, 1, now_ns - EVERY_NS);
	sqlite3_bind_text(st, 2, boot, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 3, clock_mono_ns() - EVERY_NS);
	sqlite3_bind_text(st, 4, recent.data, -1, SQLITE_STATIC);
	/* Else none of another start is known to be so old. */
	sqlite3_bind_int(st, 5, enough);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		newest = sqlite3_column_int64(st, 0);
	rc = rc == SQLITE_ROW ? 0 : audit_db_error(d, "read", err);
	sqlite3_finalize(st);
	*ret = newest < now_ns - DAY_NS ? newest + DAY_NS : now_ns;
	return rc;
}

/* The first row that could go is older than what stays. */
static bool
is_due(struct audit_db *d, const struct audit_keep *k)
{
	const struct {
		const char *sql;
		int64_t since_ns;
	} firsts[] = {
		{ "SELECT wall_ns FROM commands ORDER BY id LIMIT 1",
		    k->since_ns },
		{ "SELECT wall_ns FROM commands WHERE id = (SELECT command"
		    " FROM outputs ORDER BY id LIMIT 1)",
		    k->output_since_ns },
		{ "SELECT wall_ns FROM execs ORDER BY id LIMIT 1",
		    k->execs_since_ns },
		{ "SELECT wall_ns FROM events ORDER BY id LIMIT 1",
		    k->events_since_ns },
	};
	int64_t first;
	size_t i;

	for (i = 0; i < AEG_NELEM(firsts); i++)
		if (firsts[i].since_ns > 0 && audit_db_pragma(d,
		    firsts[i].sql, &first, NULL) == 0 &&
		    first < firsts[i].since_ns)
			return true;
	return false;
}

static bool
was_today(struct audit_db *d, int64_t now_ns)
{
	int64_t last = 0;

	return audit_db_pragma(d, "SELECT coalesce(max(wall_ns), 0) FROM"
	    " events WHERE kind IN ('pruned', 'output-pruned',"
	    " 'execs-pruned', 'events-pruned', 'prune-put-off')", &last,
	    NULL) < 0 || (last <= now_ns && now_ns - last < EVERY_NS);
}

static void
put_off(struct audit *a, int64_t ahead_ns)
{
	char text[160];

	snprintf(text, sizeof text, "the clock is %" PRId64 " days ahead of "
	    "all that was recorded before: what is old goes when it still is "
	    "tomorrow", (ahead_ns + DAY_NS) / DAY_NS);
	audit_note(a, "prune-put-off", text);
	audit_flush(a, NULL);
}

int
audit_retain_believe(struct audit *a, const struct audit_retain *r,
    struct audit_keep *ret, struct err *err)
{
	static const struct audit_retain none = { .lines_ns = 0 };
	int64_t now = clock_wall_ns(), believed = now;
	int rc = audit_ready(a, err);
	bool due;

	if (rc < 0)
		return rc;
	audit_retain_keep(r, now, ret);
	due = is_due(&a->db, ret);
	rc = find_believed(&a->db, now, &believed, err);
	if (rc < 0)
		return rc;
	audit_retain_keep(r, believed, ret);
	if (is_due(&a->db, ret))
		return 0;
	audit_retain_keep(&none, believed, ret);
	if (due && !was_today(&a->db, now))
		put_off(a, now - believed);
	return 0;
}

void
audit_retain_now(struct audit *a, const struct audit_retain *r)
{
	int64_t now = clock_wall_ns();
	struct audit_keep keep = { .most = LINES_MOST,
		.budget_ns = BUDGET_NS };
	struct audit_pruned pruned;
	struct err err = ERR_INIT;
	char who[64];

	audit_retain_keep(r, now, &keep);
	if (!is_due(&a->db, &keep) || was_today(&a->db, now) ||
	    audit_retain_believe(a, r, &keep, NULL) < 0 ||
	    !is_due(&a->db, &keep))
		return;
	snprintf(who, sizeof who, "uid %lu, as a session ended",
	    (unsigned long)geteuid());
	keep.who = who;
	/* Whoever holds the store now does so again tomorrow, or not. */
	a->db.busy_ns = BUDGET_NS;
	if (audit_prune(a, &keep, &pruned, &err) == 0)
		return;
	audit_note(a, "prune-put-off", err.text);
	audit_flush(a, NULL);
}
