/* SPDX-License-Identifier: ISC */
/*
 * What hangs on lines, kept for a shorter time than they are: rows go, and
 * their links stay in the chain, which has an event of how far they went, so
 * that whoever verifies knows which may be missing.
 *
 * The newest row of a table stays: numbers go on from it.
 */
#include "audit_chain_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define UP_TO(first, table, wall) \
	"SELECT coalesce(max(id), 0) FROM " table " WHERE " wall " >= " \
	AUDIT_UNSET_NS " AND id <= (SELECT min(coalesce((" first \
	"), max(id)), max(id)) - 1 FROM " table ")"

static const struct {
	enum audit_table table;
	const char *event;	/* its text begins with the last number */
	const char *find;	/* that number; ?1: rows from then on stay */
	const char *remove;
} kinds[] = {
	{ AUDIT_TABLE_OUTPUTS, "output-pruned", UP_TO("SELECT min(o.id) FROM"
	    " outputs AS o JOIN commands AS c ON c.id = o.command WHERE"
	    " c.wall_ns >= ?1", "outputs", "(SELECT wall_ns FROM commands"
	    " WHERE id = outputs.command)"),
	    "DELETE FROM outputs WHERE id <= ?1" },
	{ AUDIT_TABLE_EXECS, "execs-pruned", UP_TO("SELECT min(id) FROM execs"
	    " WHERE wall_ns >= ?1", "execs", "wall_ns"),
	    "DELETE FROM execs WHERE id <= ?1" },
	{ AUDIT_TABLE_EVENTS, "events-pruned", UP_TO("SELECT min(id) FROM"
	    " events WHERE wall_ns >= ?1", "events", "wall_ns"),
	    "DELETE FROM events WHERE id <= ?1 AND kind NOT IN ('pruned',"
	    " 'output-pruned', 'execs-pruned', 'events-pruned')" },
};

static int
expire(struct audit_db *d, size_t i, int64_t since_ns, const char *who,
    int64_t *ret_rows, struct err *err)
{
	int64_t last = 0;
	char text[200];
	int rc = audit_db_look_up(d, kinds[i].find, since_ns, &last, 1, NULL,
	    err);

	if (rc < 0 || last <= 0)
		return rc;
	rc = audit_db_look_up(d, kinds[i].remove, last, NULL, 0, NULL, err);
	if (rc < 0 || sqlite3_changes(d->db) == 0)
		return rc;
	*ret_rows += sqlite3_changes(d->db);
	snprintf(text, sizeof text, "%" PRId64 " was the last, by %.80s",
	    last, who);
	return audit_row_event(d, 0, kinds[i].event, text, clock_wall_ns(),
	    clock_mono_ns(), err);
}

int
audit_expire(struct audit_db *d, const struct audit_keep *keep,
    int64_t *ret_rows, struct err *err)
{
	const int64_t since[AEG_NELEM(kinds)] = { keep->output_since_ns,
		keep->execs_since_ns, keep->events_since_ns };
	size_t i;
	int rc = 0;

	for (i = 0; i < AEG_NELEM(kinds) && rc == 0; i++)
		if (since[i] != 0)
			rc = expire(d, i, since[i], keep->who, ret_rows, err);
	return rc;
}

const char *
audit_expire_event(enum audit_table table)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(kinds); i++)
		if (kinds[i].table == table)
			return kinds[i].event;
	return NULL;
}

bool
audit_expire_is_kind(const char *kind)
{
	static const char *const others[] = { "pruned", "prune-put-off" };
	size_t i;

	for (i = 0; i < AEG_NELEM(kinds); i++)
		if (strcmp(kind, kinds[i].event) == 0)
			return true;
	for (i = 0; i < AEG_NELEM(others); i++)
		if (strcmp(kind, others[i]) == 0)
			return true;
	return false;
}
