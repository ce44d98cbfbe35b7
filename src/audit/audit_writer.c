/* SPDX-License-Identifier: ISC */
/*
 * The process that keeps the store of a session: it takes records from one
 * socket, one by one, and answers each when it is in the store.
 *
 * It is a child of the shell, outside the domain of every line, in a session
 * of processes of its own and with all signals blocked: what a line may do to
 * it is what a line may do to the shell.  It may wait for a disk, or for
 * others, as long as that takes; the shell does not.  Where the shell is gone
 * it writes what it was told and ends.
 */
#include "audit_apart_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"

void
audit_writer_become(int fd, const char *name)
{
	sigset_t all;
	int null, i;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NAME, name, 0, 0, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < AUDIT_WRITER_FD)
		_exit(1);
	for (i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		dup2(null, i);
	if (fd != AUDIT_WRITER_FD)
		dup3(fd, AUDIT_WRITER_FD, O_CLOEXEC);
	syscall(SYS_close_range, AUDIT_WRITER_FD + 1U, ~0U, 0);
	if (chdir("/") < 0)
		_exit(1);
}

void
audit_writer_end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* With each answer, which a line waits for. */
static void
newest_line(struct audit *a, int64_t *ret)
{
	sqlite3_stmt *st = a->db.ready ? audit_db_stmt(&a->db,
	    AUDIT_NEWEST_LINE, NULL) : NULL;

	if (st == NULL)
		return;
	if (sqlite3_step(st) == SQLITE_ROW)
		*ret = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
}

static int
take(struct audit *a, const struct audit_frame *f, const struct buf *record,
    int64_t late_ns, int64_t *ret_session, struct err *err)
{
	const struct audit_taking how = {
		.full = (f->flags & AUDIT_FRAME_SYNC) != 0,
		/* A writer before this one may have been here; of what is
		 * late, also somebody else. */
		.again = (f->flags & AUDIT_FRAME_AGAIN) != 0,
		.late_ns = f->mono_ns + late_ns,
		.after = f->after,
	};

	if ((f->flags & AUDIT_FRAME_READY) != 0)
		return audit_take_in(a, err);
	return audit_take_record(a, record, &how, ret_session, err);
}

bool
audit_writer_answer(struct audit *a, int rc, const struct err *err,
    struct audit_answer *to)
{
	const char *unheard = a != NULL ? audit_unheard(a) : NULL;
	const char *text = rc < 0 ? err->text : unheard != NULL ? unheard : "";

	to->rc = rc;
	to->unheard = unheard != NULL;
	memset(to->text, 0, sizeof to->text);
	memcpy(to->text, text, strnlen(text, sizeof to->text - 1));
	if (a != NULL)
		newest_line(a, &to->line);
	return send(AUDIT_WRITER_FD, to, sizeof *to, MSG_NOSIGNAL) ==
	    (ssize_t)sizeof *to;
}

bool
audit_writer_hear(struct audit_frame *f, struct buf *record)
{
	char *to;

	buf_reset(record);
	if (io_read_full(AUDIT_WRITER_FD, f, sizeof *f) < 0 ||
	    f->len > AUDIT_RECORD_MAX)
		return false;
	to = buf_reserve(record, f->len);
	if (to == NULL || io_read_full(AUDIT_WRITER_FD, to, f->len) < 0)
		return false;
	record->len += f->len;
	return true;
}

static int
begin(const char *dir, unsigned to, struct audit **ret,
    struct err *err)
{
	int rc = audit_open_any(dir, false, false, ret, err);

	if (rc < 0)
		return rc;
	/* Who waits for us gives up by itself. */
	(*ret)->db.busy_ns = (*ret)->spool.busy_ns = INT64_MAX;
	audit_witness_to(*ret, to);
	return 0;
}

void
audit_writer_main(const char *dir, int fd, unsigned to,
    const struct audit_retain *retain, int64_t late_ns)
{
	struct buf record = BUF_INIT_MAX(AUDIT_RECORD_MAX);
	struct audit_answer said = { .session = 0 };
	struct audit *a = NULL;
	struct audit_frame f;

	audit_writer_become(fd, "aegsh-record");
	while (audit_writer_hear(&f, &record)) {
		struct err err = ERR_INIT;
		/* Also later: what was wrong may be mended by then. */
		int rc = a == NULL ? begin(dir, to, &a, &err) : 0;

		if (rc == 0)
			rc = take(a, &f, &record, late_ns, &said.session,
			    &err);
		/* Nobody else is left to tell it to. */
		if (!audit_writer_answer(a, rc, &err, &said) && rc < 0 &&
		    a != NULL && (f.flags & AUDIT_FRAME_READY) == 0)
			a->queue.lost++;
		if (a != NULL)
			audit_db_tidy(&a->db, (f.flags & AUDIT_FRAME_SYNC) !=
			    0 ? AUDIT_LOG_MAX : AUDIT_LOG_FLUSH);
	}
	/* What was late is there now, and its copies can go. */
	if (a != NULL && audit_late_waits(&a->db))
		audit_take_in(a, NULL);
	if (a != NULL)
		audit_retain_now(a, retain);
	audit_close(a);
	_exit(0);
}
