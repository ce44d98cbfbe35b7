/* SPDX-License-Identifier: ISC */
/*
 * Opening for reading.  What waits in the spool is to be seen as if it
 * were in the store, and an older store as a new one: a writer sees to
 * both first.  Where the store cannot be written (a full disk, a file
 * system for reading) the spool is taken into a copy in memory.
 */
#include "audit_int.h"

#include <errno.h>

#include "aegsh/base/io.h"

static int
bring_up_to_date(const char *dir, struct err *err)
{
	struct audit *a = NULL;
	int rc = audit_open_any(dir, false, false, &a, err);

	if (rc == 0)
		rc = audit_take_in(a, err);
	audit_close(a);
	return rc;
}

/* Whether there is anything in the spool that the store does not have. */
static int
look_behind(struct audit *a, struct err *err)
{
	struct audit_mark end = { 0, 1 };
	int rc = audit_spool_open(&a->spool, &a->db, false, err);

	if (audit_late_waits(&a->db))
		return 1;
	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	/* Looked at as a writer does: a damaged one is an error. */
	rc = audit_spool_end(&a->spool, &end, err);
	if (rc == 0)
		rc = audit_fold_mark(&a->db, &a->spool.folded, err);
	return rc < 0 ? rc : audit_spool_waits(&a->spool, &a->spool.folded);
}

static int
copy_and_fold(struct audit *a, struct err *err)
{
	struct audit_mark late;
	int rc = audit_db_copy(&a->db, err);

	if (rc == 0 && a->spool.fd >= 0)
		rc = audit_fold(&a->db, &a->spool, err);
	return rc < 0 ? rc : audit_late_fold(&a->db, &late, err);
}

/* Short runs have recorded, and no database can be made of it now. */
static int
fold_alone(const char *dir, struct audit **ret, struct err *err)
{
	struct audit_mark late;
	struct audit *a = NULL;
	int rc = audit_open_any(dir, false, false, &a, err);

	if (rc == 0)
		rc = audit_db_model(&a->db, err);
	if (rc == 0) {
		rc = audit_spool_open(&a->spool, &a->db, false, err);
		rc = rc == 0 ? audit_fold(&a->db, &a->spool, err) :
		    rc == -ENOENT ? 0 : rc;
	}
	if (rc >= 0)
		rc = audit_late_fold(&a->db, &late, err);
	if (rc < 0) {
		audit_close(a);
		return rc;
	}
	*ret = a;
	return 0;
}

/* The store is there and reads; its spool may hold more. */
static int
with_spool(const char *dir, struct audit **a, struct err *err)
{
	int rc = look_behind(*a, err);

	if (rc <= 0)
		return rc;
	/* Closed first: two connections would see each other's locks. */
	audit_close(*a);
	*a = NULL;
	if (bring_up_to_date(dir, NULL) == 0)
		return audit_open_reader(dir, a, err);
	rc = audit_open_reader(dir, a, err);
	if (rc == 0)
		rc = look_behind(*a, err);
	return rc > 0 ? copy_and_fold(*a, err) : rc;
}

int
audit_open(const char *dir, bool readonly, struct audit **ret,
    struct err *err)
{
	struct audit *a = NULL;
	bool bare;
	int rc;

	if (!readonly)
		return audit_open_any(dir, false, false, ret, err);
	rc = audit_open_reader(dir, &a, err);
	bare = rc == -ENOENT && audit_spool_is_in(dir);
	if (rc == AUDIT_OLD || bare) {
		rc = bring_up_to_date(dir, err);
		if (rc == 0)
			rc = audit_open_reader(dir, &a, err);
		else if (bare)
			rc = fold_alone(dir, &a, err);
	} else if (rc == 0) {
		rc = with_spool(dir, &a, err);
	}
	if (rc < 0) {
		audit_close(a);
		return rc;
	}
	*ret = a;
	return 0;
}
