/* SPDX-License-Identifier: ISC */
/*
 * Who writes the file of a session is killed before each of its system calls
 * in turn: whoever records goes on, what a line is told to have in the file it
 * has, where something is missing that is said, and the file can be read to
 * its end.
 */
#include "aegsh/cast.h"
#include "killed.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/cast_files.h"
#include "aegsh/cast_read.h"

#define MS INT64_C(1000000)
#define LATE (INT64_C(480) * 1000 * MS)	/* for a disk that answers */
#define LINES 3

static unsigned char session[UUID_LEN] = { 1 };
static struct redact *redact;

struct told {			/* of a line, or (last) of all */
	bool filed, troubled;
	int64_t offset, length;
	unsigned char sha256[CAST_HASH_LEN];
};

static void
tell(int to, const struct told *t)
{
	if (write(to, t, sizeof *t) != (ssize_t)sizeof *t)
		_exit(3);
}

static void __attribute__((noreturn))
record(int to)
{
	struct cast_setup setup = { .dir = scratch_dir, .redact = redact,
		.keep = CAST_KEEP_FULL, .line_max = CAST_LINE_MOST,
		.wall_ns = 1700000000000 * MS, .wait_ns = LATE };
	unsigned char line[UUID_LEN] = { 7 };
	struct told all = { .filed = false };
	struct cast *c;
	int i;

	killed_begin();
	memcpy(setup.session, session, sizeof session);
	c = cast_new(&setup);
	for (i = 1; i <= LINES; i++) {
		struct told t = { .filed = false };
		const struct cast_line *l;
		char text[32];

		snprintf(text, sizeof text, "line %d\n", i);
		line[1] = (unsigned char)i;
		cast_begin(c, line, i * MS);
		cast_put(c, CAST_OUT, text, strlen(text), i * MS);
		l = cast_end(c);
		t.filed = l->filed;
		t.troubled = cast_trouble(c) != NULL;
		t.offset = l->offset;
		t.length = l->length;
		memcpy(t.sha256, l->sha256, sizeof t.sha256);
		tell(to, &t);
	}
	all.troubled = cast_trouble(c) != NULL;
	cast_free(c);
	tell(to, &all);
	_exit(0);
}

/* 1: a whole line of ours is in the file there; -1: it cannot be read. */
static int
find(int which)
{
	struct cast_reader *r = NULL;
	struct cast_event ev;
	struct err err = ERR_INIT;
	char text[32];
	int found = 0, rc = cast_reader_open(scratch_dir, session, &r, &err);

	snprintf(text, sizeof text, "line %d\n", which);
	if (rc == -ENOENT)
		return 0;
	while (rc >= 0 && (rc = cast_reader_next(r, &ev, &err)) == 1)
		found |= ev.code == CAST_CODE_OUT && ev.len == strlen(text) &&
		    memcmp(ev.bytes, text, ev.len) == 0;
	cast_reader_free(r);
	if (rc < 0)
		printf("# %s\n", err.text);
	return rc < 0 ? -1 : found;
}

/* NULL, or what is wrong. */
static const char *
wrong(const struct told told[LINES + 1])
{
	unsigned char hash[CAST_HASH_LEN];
	bool said = false;
	int i;

	for (i = 0; i < LINES; i++) {
		const struct told *t = &told[i];
		int there = find(i + 1);

		said |= t->troubled;
		if (there < 0)
			return "the file cannot be read";
		if (t->filed && (!there || cast_hash(scratch_dir, session,
		    t->offset, t->length, hash, NULL) != 0 || memcmp(hash,
		    t->sha256, sizeof hash) != 0))
			return "a line is not where it is told to be";
		if (!t->filed && !said)
			return "a line is missing, and nothing is said";
	}
	/* One was killed: the next line has another. */
	return told[LINES - 1].filed || told[LINES - 2].filed ? NULL :
	    "no other one takes its place";
}

/* 1: killed; 0: it ended before; -1: nothing can be traced here. */
static int
once(int nth, const char **ret_wrong)
{
	struct told told[LINES + 1];
	int ends[2], status, n = 0;
	bool killed;
	pid_t pid;

	memset(told, 0, sizeof told);
	if (pipe2(ends, O_CLOEXEC) < 0)
		scratch_die("pipe");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		record(ends[1]);
	close(ends[1]);
	killed = killed_watch(pid, nth, &status);
	while (n <= LINES && io_read_full(ends[0], &told[n],
	    sizeof told[n]) == 0)
		n++;
	close(ends[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == KILLED_CANNOT)
		return -1;
	*ret_wrong = n != LINES + 1 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0 ? "who recorded failed" : wrong(told);
	return killed;
}

int
main(void)
{
	int nth, rc = 1, bad = 0;

	scratch_new();
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	redact = redact_new();
	for (nth = 1; rc == 1 && nth < 5000 && bad < 5; nth++) {
		const char *why = NULL;

		session[0]++;
		session[1] = (unsigned char)(nth / 256);
		rc = once(nth, &why);
		if (rc >= 0 && why != NULL) {
			printf("# before call %d: %s\n", nth, why);
			bad++;
		}
	}
	if (rc < 0)
		SKIP(1, "who writes recordings is killed: no process can be "
		    "traced here");
	else
		OKF(bad == 0 && rc == 0 && nth > 20,
		    "killed before each of %d system calls", nth - 2);
	redact_free(redact);
	return tap_done();
}
