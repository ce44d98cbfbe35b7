/* SPDX-License-Identifier: ISC */
/*
 * A stream: one bash that lives on from unit to unit, as "bash < script"
 * does, and reads each unit when it was judged.
 *
 * bash -s has a pipe of ours as descriptor 0, while commands must find the
 * real standard input there.  "exec <&196" would turn bash itself to it:
 * a shell reads its script from wherever 0 leads.  So each unit is a group
 * that has the real input, and nothing else, redirected:
 *
 *	{ UNIT
 *	} 0>&"$((LINENO=N,196))" 196<&-
 *
 * bash reads the group whole before it runs it, and has its script back at
 * 0 when it is done.  The parts:
 *
 * - ">&" is the same dup2(2) as "<&"; but after "<&" bash would take it
 *   that background commands have an input of their own and would not give
 *   them /dev/null.
 * - The last line would count in $LINENO and in messages.  Assigning
 *   LINENO, inside an expansion, takes it back without touching $? or $_
 *   and without a line of set -x; the quotes keep IFS out.
 * - 196 is closed inside, so that commands find 0, 1 and 2 alone.
 *
 * Lines without a command can't be a group; they go as they are.
 *
 * bash reads a pipe byte by byte, and a NUL in a script means nothing to
 * it.  Each unit is followed by a NUL, and the pipe has one slot: it can be
 * written again exactly when bash has run the unit and asked for more.
 */
#include "exec_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define CHUNK 4096		/* the slot */

void
exec_stream_free(struct exec_stream *st)
{
	if (st == NULL)
		return;
	io_close(&st->fd);
	strv_done(&st->options);
	free(st);
}

bool
exec_is_blank(const char *p, size_t len)
{
	const char *end = p + len;

	while (p < end) {
		if (*p == ' ' || *p == '\t' || *p == '\n') {
			p++;
		} else if (*p == '\\' && p + 1 < end && p[1] == '\n') {
			p += 2;
		} else if (*p == '#') {
			p = memchr(p, '\n', (size_t)(end - p));
			if (p == NULL)
				return true;
		} else {
			return false;
		}
	}
	return true;
}

void
exec_stream_wrap(struct exec_stream *st, const char *unit, size_t len,
    struct buf *out)
{
	size_t i;

	for (; st->skipped > 0; st->skipped--, st->line++)
		buf_putc(out, '\n');
	if (!exec_is_blank(unit, len) && unit[len - 1] == '\n')
		len--;
	for (i = 0; i < len; i++)
		st->line += unit[i] == '\n';
	if (exec_is_blank(unit, len)) {
		buf_put(out, unit, len);
		if (len == 0 || unit[len - 1] != '\n') {
			buf_putc(out, '\n');
			st->line++;
		}
	} else {
		st->line++;
		buf_puts(out, "{ ");
		buf_put(out, unit, len);
		/* "echo a \" at the end of a file is complete there. */
		if (unit[len - 1] == '\\')
			buf_putc(out, '\n');
		buf_putf(out, "\n} 0>&\"$((LINENO=%lu,%d))\" %d<&-\n",
		    st->line, EXEC_STDIN_FD, EXEC_STDIN_FD);
	}
	buf_putc(out, '\0');
}

/* write(2) that answers a reader's end with -EPIPE and not with a signal:
 * there is no MSG_NOSIGNAL for pipes. */
static ssize_t
write_quietly(int fd, const char *p, size_t len)
{
	const struct timespec now = { 0, 0 };
	sigset_t pipe, old, pending;
	bool was_pending;
	ssize_t n;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	sigprocmask(SIG_BLOCK, &pipe, &old);
	n = write(fd, p, len);
	if (n < 0)
		n = -errno;
	if (n == -EPIPE && !was_pending)
		while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR)
			;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return n;
}

/* 1 when all is written; else as exec_wait_for(). */
static int
write_unit(struct exec_session *s, struct job *j, const struct buf *unit,
    struct err *err)
{
	size_t done = 0;
	int rc;

	while (done < unit->len) {
		size_t len = unit->len - done;
		ssize_t n = write_quietly(j->stream->fd, unit->data + done,
		    len < CHUNK ? len : CHUNK);

		if (n == -EPIPE)
			return EXEC_NO_READER;
		if (n < 0 && n != -EAGAIN && n != -EINTR)
			return err_sys(err, (int)-n, "the script's pipe");
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		rc = exec_wait_for(s, j, j->stream->fd, err);
		if (rc != 1)
			return rc;
	}
	return 1;
}

/* Of the first unit that is done at the start.  Where nothing was watched
 * yet, bash waits for this one. */
static int
supervise(struct job *j, const struct supervise_opts *watch, struct err *err)
{
	static const struct supervise_opts nothing = { .n = 0 };

	/* Of a guest's scripts its host takes care. */
	if (!j->stream->fed || j->supervisor == NULL || (watch != NULL &&
	    watch->guest))
		return 0;
	if (watch != NULL && watch->images &&
	    !supervise_watches(j->supervisor) &&
	    !supervise_counts(j->supervisor))
		return supervise_watch(j->supervisor, j->pid, watch, err);
	return supervise_unit(j->supervisor, watch != NULL ? watch : &nothing,
	    err);
}

int
exec_feed(struct exec_session *s, struct job *j, const struct decision *d,
    const struct supervise_opts *watch, struct err *err)
{
	AEG_AUTO(buf_done) struct buf unit = BUF_INIT;
	const char *bytes;
	size_t len;
	int rc;

	if (decision_action(d) != DECISION_ALLOW)
		return err_set(err, ERR_REFUSED,
		    "the decision does not let this run");
	if (j->stream == NULL || j->stream->fd < 0)
		return err_set(err, -EINVAL, "not a stream that can be fed");
	bytes = decision_bytes(d, &len);
	rc = exec_options_skip(strv_peek(&j->stream->options), &bytes, &len,
	    err);
	if (rc < 0)
		return rc;
	if (memchr(bytes, '\0', len) != NULL)
		return err_set(err, ERR_REFUSED, "the unit holds a NUL byte");
	exec_stream_wrap(j->stream, bytes, len, &unit);
	if (buf_overflow(&unit))
		return err_set(err, ERR_TOO_LONG, "the unit is too long");
	rc = supervise(j, watch, err);
	if (rc < 0) {
		/* Where the supervisor is gone, before bash ends by itself:
		 * what it left is found below it, and nowhere else. */
		exec_job_hear(s, j);
		return rc;
	}
	j->stream->fed = true;
	if (j->quiet)
		exec_session_hold(s);
	rc = write_unit(s, j, &unit, err);
	/* The slot is free: bash has taken the NUL and wants more. */
	if (rc == 1)
		rc = exec_wait_for(s, j, j->stream->fd, err);
	if (rc < 0)
		return rc;
	if (j->supervisor != NULL)
		supervise_catch_up(j->supervisor, rc == 1);
	exec_job_hear(s, j);
	/* No reader any more: bash ends, or has become something else. */
	if (rc == EXEC_NO_READER)
		rc = 0;
	if (rc == 0 && j->state == JOB_RUNNING)
		rc = exec_wait_for(s, j, -1, err);
	if (rc == 1)
		exec_session_release(s);
	return rc;
}

void
exec_feed_skip(struct job *j, size_t lines)
{
	if (j->stream != NULL)
		j->stream->skipped += lines;
}

void
exec_feed_end(struct exec_session *s, struct job *j)
{
	if (j->stream == NULL || j->stream->fd < 0)
		return;
	/* Whatever it does from now on takes its time. */
	if (j->supervisor != NULL && supervise_counts(j->supervisor))
		supervise_catch_up(j->supervisor, false);
	io_close(&j->stream->fd);
}
