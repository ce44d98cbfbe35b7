/* SPDX-License-Identifier: ISC */
/*
 * What the store did not take in time, on disk all the same: copies of
 * records, in a file beside the store that has the form of the spool.
 *
 * They are copies: whoever was to write them may do so yet.  So each is taken
 * in only where it is not in the store, and the file is emptied once all of
 * it is.  A process of its own appends to it, since a disk may stall it, too.
 */
#include "audit_apart_int.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

static const struct audit_spool none = { .fd = -1, .busy_ns = AUDIT_BUSY_NS,
	.name = AUDIT_LATE, .made_in = -1 };

/* ---- the process that appends ------------------------------------------- */

static int
append(const struct audit_db *d, struct audit_spool *s,
    const struct audit_frame *f, const struct buf *record, struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(AUDIT_RECORD_MAX);
	int rc = audit_spool_open(s, d, true, err);

	buf_put(&b, &f->after, sizeof f->after);
	buf_put(&b, record->data, record->len);
	if (rc == 0 && buf_overflow(&b))
		rc = err_set(err, ERR_TOO_LONG, "audit: a record of more than "
		    "%zu bytes", AUDIT_RECORD_MAX);
	if (rc == 0)
		rc = audit_spool_append(s, b.data, b.len, false, err);
	return rc == 0 ? audit_spool_settle(s, err) : rc;
}

void
audit_late_main(const char *dir, int fd)
{
	struct buf record = BUF_INIT_MAX(AUDIT_RECORD_MAX);
	struct audit_answer said = { .session = 0 };
	struct audit_spool s = none;
	struct audit *a = NULL;
	struct audit_frame f;

	audit_writer_become(fd, "aegsh-late");
	while (audit_writer_hear(&f, &record)) {
		struct err err = ERR_INIT;
		int rc = a == NULL ? audit_open_any(dir, false, false, &a,
		    &err) : 0;

		if (rc == 0)
			rc = append(&a->db, &s, &f, &record, &err);
		(void)audit_writer_answer(a, rc, &err, &said);
	}
	_exit(0);
}

/* ---- who tells it -------------------------------------------------------- */

/* One record to whom keeps copies, and that it has it. */
bool
audit_late_say(int fd, const struct audit_frame *f, size_t len,
    int64_t until)
{
	struct audit_answer answer = { .rc = -1 };
	size_t sent = 0, got = 0;

	while (got < sizeof answer) {
		struct pollfd p = { fd, sent < len ? POLLOUT : POLLIN, 0 };
		int64_t left = until - clock_mono_ns();
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)(left / 1000000) + 1) == 0)
			return false;
		n = sent < len ? send(fd, (const char *)f + sent, len - sent,
		    MSG_DONTWAIT | MSG_NOSIGNAL) : recv(fd, (char *)&answer +
		    got, sizeof answer - got, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return false;
		*(sent < len ? &sent : &got) += (size_t)n;
	}
	return answer.rc >= 0;
}

/* ---- taking in ----------------------------------------------------------- */

bool
audit_late_waits(const struct audit_db *d)
{
	static const struct audit_mark begin = { 0, 1 };
	struct audit_spool s = none;
	bool waits = audit_spool_open(&s, d, false, NULL) == 0 &&
	    audit_spool_waits(&s, &begin);

	audit_spool_done(&s);
	return waits;
}

static int
take(struct audit_db *d, struct buf *copy, struct err *err)
{
	int64_t after, session = 0;
	bool there = false;
	int rc;

	if (copy->len < sizeof after)
		return 0;
	memcpy(&after, copy->data, sizeof after);
	copy->len -= sizeof after;
	memmove(copy->data, copy->data + sizeof after, copy->len);
	rc = audit_fold_has(d, copy, after, &there, err);
	return rc < 0 || there ? rc : audit_fold_record(d, copy, &session,
	    err);
}

int
audit_late_fold(struct audit_db *d, struct audit_mark *ret_end,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf copy = BUF_INIT_MAX(AUDIT_RECORD_MAX +
	    AUDIT_SLOT);
	struct audit_spool s = none;
	uint32_t slot = 1, gaps = 0;
	char text[64];
	int rc = audit_spool_open(&s, d, false, err);

	*ret_end = (struct audit_mark){ 0, 1 };
	if (rc == -ENOENT) {
		audit_spool_done(&s);
		return 0;
	}
	if (rc == 0)
		rc = audit_spool_end(&s, ret_end, err);
	while (rc == 0 && audit_spool_next(&s, ret_end, &slot, &copy, &gaps))
		rc = take(d, &copy, err);
	if (rc == 0 && gaps > 0) {
		snprintf(text, sizeof text, "%u slots of what came late",
		    (unsigned)gaps);
		rc = audit_row_event(d, 0, "spool-unreadable", text,
		    clock_wall_ns(), clock_mono_ns(), err);
	}
	audit_spool_done(&s);
	return rc;
}

void
audit_late_empty(struct audit_db *d, const struct audit_mark *folded)
{
	struct audit_spool s = none;

	if (folded->slot > 1 && audit_spool_open(&s, d, false, NULL) == 0)
		audit_spool_empty(&s, folded);
	audit_spool_done(&s);
}
