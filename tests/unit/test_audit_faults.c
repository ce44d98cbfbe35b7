/* SPDX-License-Identifier: ISC */
/*
 * What becomes of the record when the disk fails: each row of the table of
 * faults in aegsh-audit(5) that a file system for sqlite can play.  What was
 * confirmed stays, whatever fails afterwards; what fails says so; and once
 * the fault is over, the same session records again.
 */
#include "aegsh/audit_chain.h"
#include "audit/audit_int.h"
#include "faultvfs.h"
#include "store.h"

static const struct {
	const char *name;
	enum fault_op op;
	int code;
	bool soon;	/* where a session opens the store, which then has
			 * lines: later, nothing is read or opened */
} faults[] = {
	{ "no space", FAULT_WRITE, SQLITE_FULL },
	{ "a write fails", FAULT_WRITE, SQLITE_IOERR_WRITE },
	{ "a sync fails", FAULT_SYNC, SQLITE_IOERR_FSYNC },
	{ "a read fails", FAULT_READ, SQLITE_IOERR_READ, true },
	{ "no descriptor is left", FAULT_OPEN, SQLITE_CANTOPEN, true },
	{ "the file system turns read-only", FAULT_WRITE, SQLITE_READONLY },
};

struct seen {
	int rows, ended;
};

static int
count(void *ctx, const struct audit_row *row)
{
	struct seen *s = ctx;

	s->rows++;
	s->ended += row->finished;
	return 0;
}

/* Rows of a store that verifies; -1: it does not, and why is said. */
static struct seen
look(const char *dir)
{
	static const struct audit_query all = { 0 };
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit_against against = { NULL, 0, NULL };
	struct audit_verdict v = { .findings = -1 };
	struct seen s = { 0, 0 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int rc = audit_open(path, true, &a, &err);

	if (rc == 0)
		rc = audit_verify(a, &against, NULL, NULL, &v, &err);
	if (rc == 0)
		rc = audit_query(a, &all, count, &s, &err);
	audit_close(a);
	if (rc == -ENOENT)
		return s;	/* nothing is recorded yet */
	if (rc < 0 || v.findings != 0) {
		printf("# %s, %d findings\n", err.text, (int)v.findings);
		s.rows = -1;
	}
	return s;
}

/* ---- an operation that fails -------------------------------------------- */

/* Two lines, a fault from the nth operation on while four more come, and one
 * when it is over.  False: something was lost, or not said. */
static bool
one_fault(size_t which, int after, bool lasts, enum audit_journal journal,
    bool *ret_hit)
{
	static int n;
	AEG_AUTOFREE char *dir = xasprintf("f%d", n++);
	struct audit_outcome o = { .status = 3 };
	struct err err = ERR_INIT;
	struct audit *a;
	struct seen s;
	int confirmed = 0, silent = 0, i;

	scratch_mkdir(dir, 0700);
	a = store_open(dir);
	audit_db_of(a)->journal = journal;
	if (faults[which].soon) {
		confirmed += store_put(a, "before", &err) > 0;
		audit_outcome(a, 1, &o);
		audit_close(a);
		a = store_open(dir);
		audit_db_of(a)->journal = journal;
	}
	audit_db_of(a)->busy_ns = 1000 * 1000;
	for (i = 0; i < 7; i++) {
		int64_t id;

		if (i == (faults[which].soon ? 0 : 2))
			fault = (struct fault){ faults[which].op, after,
				0, lasts, faults[which].code, 0 };
		if (i == 6) {
			*ret_hit = fault.hits > 0;
			fault = (struct fault){ .op = FAULT_NONE };
		}
		err = (struct err)ERR_INIT;
		id = store_put(a, "line", &err);
		confirmed += id > 0;
		silent += id <= 0 && err.text[0] == '\0';
		if (id > 0)
			audit_outcome(a, id, &o);
		audit_flush(a, NULL);
		if (i == 6 && id <= 0) {
			printf("# not over: %s\n", err.text);
			silent++;
		}
	}
	i = audit_session_end(a, &err);
	audit_close(a);
	s = look(dir);
	/* What failed may be there all the same, never the other way. */
	if (s.rows >= confirmed && s.ended >= confirmed && silent == 0 &&
	    i == 0)
		return true;
	printf("# %s after %d%s: %d confirmed, %d there, %d ended, %d silent\n",
	    faults[which].name, after, lasts ? " and on" : "", confirmed,
	    s.rows, s.ended, silent);
	return false;
}

static void
operations(enum audit_journal journal, const char *name, int step)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(faults); i++) {
		int after, bad = 0, runs = 0, hits = 0;
		bool hit = true;

		for (after = 0; hit && after < 80;
		    after += (after < 16 ? 1 : 5) * step) {
			bool twice = false;

			bad += !one_fault(i, after, false, journal, &hit);
			bad += !one_fault(i, after, true, journal, &twice);
			hits += hit;
			runs++;
		}
		OKF(bad == 0 && hits > 0, "%s, %s: nothing is lost, in %d "
		    "places", name, faults[i].name, hits);
	}
}

/* ---- a power cut -------------------------------------------------------- */

static void
record(const char *dir, enum audit_journal journal, int lines)
{
	struct audit_outcome o = { .status = 0, .note = "over" };
	struct err err = ERR_INIT;
	struct audit *a;
	int i;

	scratch_mkdir(dir, 0700);
	fault_forget();
	fault_keeps = true;
	a = store_open(dir);
	audit_db_of(a)->journal = journal;
	for (i = 1; i <= lines; i++) {
		int64_t id = store_put(a, "a line", &err);

		if (id != i) {
			printf("# %s\n", err.text);
			exit(99);
		}
		fault_ack(i);
		audit_outcome(a, id, &o);
		if (i % 3 != 0)
			audit_flush(a, &err);
	}
	audit_session_end(a, &err);
	audit_close(a);
	fault_keeps = false;
}

/* After the cut, the lines that were confirmed, and one more. */
static bool
survives(size_t at, unsigned seed)
{
	AEG_AUTOFREE char *dir = scratch_path("cut");
	struct err err = ERR_INIT;
	struct audit *a;
	int64_t acked, id;
	struct seen s;

	if (access(dir, F_OK) == 0)
		scratch_remove_in(AT_FDCWD, dir);
	scratch_mkdir("cut", 0700);
	acked = fault_cut("cut", at, seed);
	s = look("cut");
	if (s.rows < acked) {
		printf("# cut after %zu of %zu, seed %u: %d of %d lines\n",
		    at, fault_n, seed, s.rows, (int)acked);
		return false;
	}
	a = store_open("cut");
	id = store_put(a, "after", &err);
	audit_close(a);
	if (id > 0 && look("cut").rows == s.rows + 1)
		return true;
	printf("# cut after %zu, seed %u: %s\n", at, seed, err.text);
	return false;
}

static void
power(enum audit_journal journal, const char *name, int lines, int share)
{
	size_t at, cuts = 0, bad = 0, step, places = 0;
	unsigned seed;

	record(name, journal, lines);
	/* Around each confirmation and each sync, and some between. */
	step = fault_n / 60 + 1;
	for (at = 1; at <= fault_n && bad < 5; at++) {
		enum fault_what what = fault_log[at - 1].what;

		if (what != FAULT_ACK && what != FAULT_DID_SYNC &&
		    at % step != 0)
			continue;
		if (places++ % (size_t)share != 0)
			continue;
		for (seed = 0; seed < 3; seed++, cuts++)
			bad += !survives(at, (unsigned)at * 31 + seed);
	}
	OKF(bad == 0 && cuts > 100 / (size_t)share,
	    "%s: a power cut loses nothing that was confirmed, in %zu cuts of "
	    "%zu events", name, cuts, fault_n);
}

int
main(void)
{
	int share = tap_share("the operations that fail and the power cuts");

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	fault_init();
	operations(AUDIT_JOURNAL_WAL, "log", share);
	operations(AUDIT_JOURNAL_DELETE, "journal", share);
	power(AUDIT_JOURNAL_WAL, "log", 60, share);
	power(AUDIT_JOURNAL_DELETE, "journal", 12, share);
	fault_forget();
	return tap_done();
}
