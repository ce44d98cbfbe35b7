/* SPDX-License-Identifier: ISC */
/*
 * Wherever another process holds a lock of the store for a moment, nobody
 * meets a locked database: each request for a lock in turn is refused, once
 * or some times over, from a store that is not there yet to one whose writer
 * was killed.
 */
#include "audit/audit_int.h"
#include "faultvfs.h"
#include "store.h"

#include <sys/wait.h>

#define REQUESTS_MAX 400	/* more than any of these makes */

enum before { NOTHING = 0, CLOSED, KILLED };

static const struct {
	const char *name;
	enum before before;
	enum audit_journal was, is;	/* journals, then and now */
} stores[] = {
	{ "a new store", NOTHING, AUDIT_JOURNAL_WAL, AUDIT_JOURNAL_WAL },
	{ "one that is there", CLOSED, AUDIT_JOURNAL_WAL, AUDIT_JOURNAL_WAL },
	{ "one whose writer was killed", KILLED, AUDIT_JOURNAL_WAL,
	    AUDIT_JOURNAL_WAL },
	{ "a new store on a network", NOTHING, AUDIT_JOURNAL_DELETE,
	    AUDIT_JOURNAL_DELETE },
	{ "one that is there on a network", CLOSED, AUDIT_JOURNAL_DELETE,
	    AUDIT_JOURNAL_DELETE },
	{ "one that was brought to a network", KILLED, AUDIT_JOURNAL_WAL,
	    AUDIT_JOURNAL_DELETE },
	{ "one that was brought from a network", CLOSED, AUDIT_JOURNAL_DELETE,
	    AUDIT_JOURNAL_WAL },
};

static void
die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	_exit(99);
}

/* A store as it is found: of one session with a line, ended or not. */
static void
prepare(const char *dir, enum before before, enum audit_journal journal)
{
	struct err err = ERR_INIT;
	int status = 0;
	pid_t pid;

	scratch_mkdir(dir, 0700);
	if (before == NOTHING)
		return;
	pid = fork();
	if (pid == 0) {
		struct audit *a = store_open(dir);

		audit_db_of(a)->journal = journal;
		if (store_put(a, "before", &err) < 0)
			die(&err);
		if (before == CLOSED)
			audit_close(a);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		scratch_die("another session");
}

/* A session of two lines, and what reads them: 0, or what was met. */
static int
use(const char *dir, enum audit_journal journal, struct err *err)
{
	static const struct audit_query all = { 0 };
	struct audit_outcome o = { .status = 3 };
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit *a = store_open(dir), *reader = NULL;
	struct store_count c = { 0, 0, 0 };
	int64_t id;
	int rc = 0;

	audit_db_of(a)->journal = journal;
	id = store_put(a, "first", err);
	if (id > 0) {
		audit_outcome(a, id, &o);
		rc = audit_flush(a, err);
	}
	if (id > 0 && rc == 0)
		rc = audit_open(path, true, &reader, err);
	if (reader != NULL)
		rc = audit_query(reader, &all, store_count_row, &c, err);
	audit_close(reader);
	if (id > 0 && rc == 0)
		id = store_put(a, "second", err);
	if (id > 0 && rc == 0)
		rc = audit_session_end(a, err);
	if (id < 0)
		rc = (int)id;
	audit_close(a);
	return rc != 0 ? rc : c.rows > 0 ? 0 : err_set(err, ERR_STORE,
	    "no row is there");
}

/* The nth request for a lock is refused, and so many behind it. */
static bool
refused(size_t which, int nth, int more, bool *ret_hit)
{
	static int n;
	AEG_AUTOFREE char *dir = xasprintf("b%d", n++);
	struct err err = ERR_INIT;
	int rc;

	prepare(dir, stores[which].before, stores[which].was);
	fault = (struct fault){ .op = FAULT_LOCK, .after = nth, .more = more,
		.code = SQLITE_BUSY };
	rc = use(dir, stores[which].is, &err);
	*ret_hit = fault.hits > more;
	fault = (struct fault){ .op = FAULT_NONE };
	if (rc != 0)
		printf("# %s, lock %d refused %d times: %s\n",
		    stores[which].name, nth, more + 1, err.text);
	return rc == 0;
}

int
main(void)
{
	size_t i;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	fault_init();
	for (i = 0; i < AEG_NELEM(stores); i++) {
		int nth, bad = 0, hits = 0;
		bool hit = true;

		for (nth = 0; hit && nth < REQUESTS_MAX; nth++) {
			bool often;

			bad += !refused(i, nth, 0, &hit);
			bad += !refused(i, nth, 3, &often);
			hits += hit;
		}
		OKF(bad == 0 && hits > 10 && !hit, "%s: whichever of %d locks "
		    "another holds for a moment, it is waited for",
		    stores[i].name, hits);
	}
	return tap_done();
}
