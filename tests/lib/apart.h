/* SPDX-License-Identifier: ISC */
/* A store that is written to by a process of its own, for tests that stop
 * that process, lock it out, kill it and leave it behind. */
#ifndef TESTS_APART_H
#define TESTS_APART_H

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "audit/audit_apart_int.h"
#include "aegsh/audit_chain.h"
#include "store.h"

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define PATIENCE_NS (INT64_C(120) * 1000000000)
#define SHORT_NS 20000000	/* for what is known not to answer */
#define LATE_NS INT64_C(4000000000)	/* where copies must be had in time */

static inline struct audit *
begin(const char *dir, int64_t wait_ns, bool runs_on)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open_apart(path, wait_ns, runs_on, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0)
		scratch_die(err.text);
	return a;
}

static inline struct audit *
fresh(const char *dir, int64_t wait_ns, bool runs_on)
{
	scratch_mkdir(dir, 0700);
	return begin(dir, wait_ns, runs_on);
}

static inline int
is_over(void *ctx)
{
	bool kept;
	size_t n;

	return audit_stalled(ctx, &n, &kept) == NULL;
}

static inline int
is_gone(void *ctx)
{
	return kill(*(pid_t *)ctx, 0) < 0 || waitpid(*(pid_t *)ctx, NULL,
	    WNOHANG) == *(pid_t *)ctx;
}

static inline bool
until(int (*fn)(void *ctx), void *ctx)
{
	int64_t end = clock_mono_ns() + PATIENCE_NS;

	while (!fn(ctx) && clock_mono_ns() < end)
		poll(NULL, 0, 2);
	return fn == is_gone || fn(ctx);
}

/* The writer does nothing more from here on. */
static inline void
hold(struct audit *a)
{
	char path[64], text[512];
	int64_t end = clock_mono_ns() + PATIENCE_NS;
	const char *state;

	kill(audit_writer_pid(a), SIGSTOP);
	snprintf(path, sizeof path, "/proc/%d/stat",
	    (int)audit_writer_pid(a));
	do {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = read(fd, text, sizeof text - 1);

		close(fd);
		text[n > 0 ? n : 0] = '\0';
		state = strrchr(text, ')');
	} while ((state == NULL || state[2] != 'T') && clock_mono_ns() < end);
}

static inline int
add_row(void *ctx, const struct audit_row *row)
{
	buf_putf(ctx, "%s%.*s=%s", ((struct buf *)ctx)->len > 0 ? " " : "",
	    (int)row->len, row->line, !row->ran ? "refused" :
	    !row->finished ? "open" : row->note != NULL ? row->note :
	    row->status == 0 ? "0" : "failed");
	return 0;
}

static inline void
rows(const char *dir, const char *want)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	static const struct audit_against nothing;
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct audit_verdict v = { .findings = -1 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_query(a, &(struct audit_query){ .limit = 0 }, add_row, &b,
	    &err) < 0 ||
	    audit_verify(a, &nothing, NULL, NULL, &v, &err) < 0)
		buf_putf(&b, "! %s", err.text);
	audit_close(a);
	IS_STRN(b.data != NULL ? b.data : "", want, dir);
	IS_INT(v.findings, 0);
}

static inline int64_t
count(const char *dir, const char *sql)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int64_t n = -1;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_db_pragma(audit_db_of(a), sql, &n, &err) < 0)
		printf("# %s\n", err.text);
	audit_close(a);
	return n;
}

/* A machine may be slower than SHORT_NS. */
static inline void
finish(struct audit *a)
{
	struct err err = ERR_INIT;

	OK(audit_session_end(a, &err) == 0 && until(is_over, a));
	audit_close(a);
}

static inline void
ended(struct audit *a, int64_t id)
{
	audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
}

#endif
