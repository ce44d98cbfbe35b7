/* SPDX-License-Identifier: ISC */
/*
 * What the record costs, as ratios to one synced append of the same size
 * on the same file system, both taken in turn.  Run with a directory on
 * the disk in question: bench_audit [DIR].
 */
#include "aegsh/audit_read.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define ROUNDS 300
#define EXEC_LINES 20

static const char line[] = "tar -czf /srv/backup/home.tar.gz --one-file-system"
    " /home && ls -l /srv/backup";

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double
median(int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
	return (double)v[n / 2];
}

static void
die(const char *what, const struct err *err)
{
	fprintf(stderr, "bench_audit: %s: %s\n", what, err->text);
	exit(111);
}

static int64_t
raw(int fd)
{
	char record[300] = { 0 };
	int64_t start = clock_mono_ns();

	if (io_write_full(fd, record, sizeof record) < 0 || fdatasync(fd) < 0)
		die("write", &(struct err){ .text = "failed" });
	return clock_mono_ns() - start;
}

static int64_t
intent(struct audit *a, int64_t *ret_id)
{
	struct audit_event ev = { .line = line, .len = sizeof line - 1,
		.cwd = "/home/somebody", .origin = "prompt",
		.decision = "allow", .source = "policy",
		.rule = "admin.read", .reason = "reads", .confidence = -1,
		.ran = true };
	struct err err = ERR_INIT;
	int64_t start = clock_mono_ns();

	if (audit_intent(a, &ev, &err) < 0)
		die("intent", &err);
	*ret_id = ev.id;
	return clock_mono_ns() - start;
}

static const struct audit_session session = { .user = "somebody",
	.tty = "pts/1", .host = "host", .origin = "prompt",
	.version = "0", .profile = "admin", .policy_hash = "0",
	.loginuid = (uid_t)-1 };

static void
starts(const char *dir, double unit)
{
	static int64_t open_ns[ROUNDS], first_ns[ROUNDS], end_ns[ROUNDS];
	struct err err = ERR_INIT;
	size_t i;

	for (i = 0; i < ROUNDS; i++) {
		int64_t t = clock_mono_ns(), id;
		struct audit *a;

		if (audit_open(dir, false, &a, &err) < 0)
			die("open", &err);
		open_ns[i] = clock_mono_ns() - t;
		audit_session_begin(a, &session, &err);
		t = clock_mono_ns();
		intent(a, &id);
		first_ns[i] = clock_mono_ns() - t;
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		t = clock_mono_ns();
		if (audit_session_end(a, &err) < 0)
			die("end", &err);
		audit_close(a);
		end_ns[i] = clock_mono_ns() - t;
	}
	printf("open                   %8.1f us  %5.2f\n",
	    median(open_ns, ROUNDS) / 1e3, median(open_ns, ROUNDS) / unit);
	printf("first intent           %8.1f us  %5.2f\n",
	    median(first_ns, ROUNDS) / 1e3, median(first_ns, ROUNDS) / unit);
	printf("outcome, end and close %8.1f us  %5.2f\n",
	    median(end_ns, ROUNDS) / 1e3, median(end_ns, ROUNDS) / unit);
}

/* As at a prompt: by a process of its own. */
static void
apart(const char *dir, int fd)
{
	static int64_t raw_ns[ROUNDS], intent_ns[ROUNDS], flush_ns[ROUNDS];
	struct err err = ERR_INIT;
	struct audit *a;
	double unit;
	size_t i;

	if (audit_open_apart(dir, INT64_C(60) * 1000000000, false, &a, &err) <
	    0 || audit_warm(a, &err) < 0)
		die("open", &err);
	audit_session_begin(a, &session, &err);
	for (i = 0; i < ROUNDS; i++) {
		int64_t id, t;

		raw_ns[i] = raw(fd);
		intent_ns[i] = intent(a, &id);
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		t = clock_mono_ns();
		if (audit_flush(a, &err) < 0)
			die("flush", &err);
		flush_ns[i] = clock_mono_ns() - t;
	}
	audit_session_end(a, &err);
	audit_close(a);
	unit = median(raw_ns, ROUNDS);
	printf("intent, by its writer  %8.1f us  %5.2f\n",
	    median(intent_ns, ROUNDS) / 1e3, median(intent_ns, ROUNDS) / unit);
	printf("outcome, by its writer %8.1f us  %5.2f\n",
	    median(flush_ns, ROUNDS) / 1e3, median(flush_ns, ROUNDS) / unit);
}

struct kept {
	int64_t *ids;
	size_t n;
};

static int
keep_id(void *ctx, const struct audit_row *row)
{
	struct kept *k = ctx;

	k->ids[k->n++] = row->id;
	return 0;
}

static int
count_exec(void *ctx, const struct audit_ran *x)
{
	++*(int64_t *)ctx;
	return 0;
}

/* Programs under lines, a thousand each, which is what a line keeps. */
static void
execs(const char *dir)
{
	static const char argv[] = "cc\0-c\0-O2\0file.c";
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int64_t ids[EXEC_LINES], start, took, there = 0, id;
	size_t i, j;

	if (audit_open_apart(dir, INT64_C(60) * 1000000000, false, &a, &err) <
	    0 || audit_warm(a, &err) < 0)
		die("open", &err);
	audit_session_begin(a, &session, &err);
	start = clock_mono_ns();
	for (i = 0; i < EXEC_LINES; i++) {
		intent(a, &id);
		for (j = 0; j < AUDIT_EXECS_SHOWN; j++)
			audit_exec(a, id, &(struct audit_exec){
			    .pid = (pid_t)j + 2, .ppid = 1,
			    .wall_ns = clock_wall_ns(),
			    .mono_ns = clock_mono_ns(),
			    .path = "/usr/bin/cc", .argv = argv,
			    .argv_len = sizeof argv });
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		if (audit_flush(a, &err) < 0)
			die("flush", &err);
	}
	took = clock_mono_ns() - start;
	audit_session_end(a, &err);
	audit_close(a);
	if (audit_open(dir, true, &a, &err) < 0)
		die("open", &err);
	if (audit_query(a, &(struct audit_query){ .limit = EXEC_LINES },
	    keep_id, &(struct kept){ ids, 0 }, &err) < 0)
		die("read", &err);
	for (i = 0; i < EXEC_LINES; i++) {
		if (audit_execs(a, ids[i], count_exec, &there, &err) < 0)
			die("read", &err);
	}
	audit_close(a);
	printf("programs under lines   %8.0f rows a second (at least 1000), "
	    "%lld of %d lost\n", EXEC_LINES * AUDIT_EXECS_SHOWN * 1e9 /
	    (double)took, (long long)(EXEC_LINES * AUDIT_EXECS_SHOWN - there),
	    EXEC_LINES * AUDIT_EXECS_SHOWN);
}

int
main(int argc, char **argv)
{
	static int64_t raw_ns[ROUNDS], intent_ns[ROUNDS], flush_ns[ROUNDS];
	AEG_AUTOFREE char *dir = xasprintf("%s/aegsh-bench-XXXXXX",
	    argc > 1 ? argv[1] : "/var/tmp");
	AEG_AUTOFREE char *file = NULL;
	AEG_AUTOFREE char *remove = NULL;
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	double unit;
	size_t i;
	int fd;

	if (mkdtemp(dir) == NULL || audit_open(dir, false, &a, &err) < 0)
		die(dir, &err);
	file = xasprintf("%s/raw", dir);
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	audit_session_begin(a, &session, &err);
	for (i = 0; i < ROUNDS; i++) {
		int64_t id, t;

		raw_ns[i] = raw(fd);
		intent_ns[i] = intent(a, &id);
		audit_outcome(a, id, &(struct audit_outcome){ .status = 0 });
		t = clock_mono_ns();
		if (i % 2 != 0)
			continue;	/* joins the next intent */
		if (audit_flush(a, &err) < 0)
			die("flush", &err);
		flush_ns[i / 2] = clock_mono_ns() - t;
	}
	unit = median(raw_ns, ROUNDS);
	printf("append + fdatasync     %8.1f us  %5.2f\n", unit / 1e3, 1.0);
	printf("intent (durable)       %8.1f us  %5.2f\n",
	    median(intent_ns, ROUNDS) / 1e3, median(intent_ns, ROUNDS) / unit);
	printf("outcome, flushed       %8.1f us  %5.2f\n",
	    median(flush_ns, ROUNDS / 2) / 1e3,
	    median(flush_ns, ROUNDS / 2) / unit);
	audit_close(a);
	apart(dir, fd);
	execs(dir);
	starts(dir, unit);
	remove = xasprintf("rm -rf '%s'", dir);
	return system(remove) != 0;
}
