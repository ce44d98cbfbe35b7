/* SPDX-License-Identifier: ISC */
/*
 * One line inside a session, judged, confined, captured and recorded,
 * beside `bash -c` of the same: run in turn, the median of the ratios of
 * the pairs.  The ratio is the figure; the times only show the scale.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/turn.h"

extern char **environ;

struct bench {
	const char *line;
	double most;		/* the budget, as a ratio */
	bool builtin;
};

static const struct bench benches[] = {
	{ "true", 1.6, false },
	{ "/bin/true", 1.6, false },
	{ "ls -l /usr/lib | wc -l", 1.25, false },
	{ "export BENCHED=1", 0, false },
	{ "cd /tmp", 0.1, true },
};

static int
run_cd(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	return state_cd(ctx, argv + 1, out, complaint);
}

static const struct turn_builtin cd = { .name = "cd", .run = run_cd };
static const struct turn_builtin *const builtins[] = { &cd, NULL };

static int64_t
time_bash(const char *line)
{
	const char *const argv[] = { "/bin/bash", "--norc", "--noprofile",
	    "-c", line, NULL };
	int64_t start = clock_mono_ns();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL,
	    (char *const *)(uintptr_t)argv, environ) != 0)
		exit(111);
	waitpid(pid, &status, 0);
	return clock_mono_ns() - start;
}

static int64_t
time_turn(struct turn *t, const char *text)
{
	struct line line = { text, strlen(text), LINE_PROMPT };
	int64_t start = clock_mono_ns(), took;
	struct turn_judged *j = turn_judge(t, &line);
	struct turn_result r;

	turn_act(t, j, NULL, NULL, &r);
	took = clock_mono_ns() - start;
	if (!r.ran || r.status != 0) {
		fprintf(stderr, "'%s' did not run: %s %s\n", text, r.err.text,
		    decision_reason(turn_decision(j)));
		exit(111);
	}
	turn_judged_free(j);
	/* What the shell does while the prompt waits is not the line's. */
	turn_idle(t);
	return took;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return v[n / 2];
}

static void
run(struct turn *t, const struct bench *b, int rounds, int real_out)
{
	double ratio[2000], ours[2000], bashs[2000];
	int i;

	for (i = -5; i < rounds; i++) {
		double theirs = (double)time_bash(b->line);
		double mine = (double)time_turn(t, b->line);

		if (i < 0)
			continue;
		ratio[i] = mine / theirs;
		ours[i] = mine;
		bashs[i] = theirs;
	}
	dprintf(real_out, "line %-24s %6.2f", b->line, median(ratio, rounds));
	if (b->most > 0)
		dprintf(real_out, " (at most %.2f)", b->most);
	dprintf(real_out, "   %7.0f us beside %7.0f us\n",
	    median(ours, rounds) / 1000, median(bashs, rounds) / 1000);
}

/* ---- what the record costs ----------------------------------------------- */

static int
no_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	ev->id = 1;
	return 0;
}

static int
no_settle(struct turn *t, struct err *err)
{
	return 0;
}

static void
no_outcome(struct turn *t, int64_t id, const struct audit_outcome *o)
{
}

static double
time_sync(int fd)
{
	char record[512] = { 0 };
	int64_t start = clock_mono_ns();

	if (pwrite(fd, record, sizeof record, 0) != (ssize_t)sizeof record ||
	    fdatasync(fd) < 0)
		exit(111);
	return (double)(clock_mono_ns() - start);
}

/* The same line, by the same turn but for the record, and beside it a synced
 * write of 512 bytes where the record lies: the three in turn. */
static void
record(const struct turn_opts *opts, const char *name, double most,
    int rounds, int real_out)
{
	AEG_AUTOFREE char *path = xasprintf("%s/raw", sysdirs()->state_own);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), i;
	double ratio[2000], added[2000], sync[2000];
	struct turn_ops bare = turn_local;
	struct turn_opts o = *opts;
	struct err err = ERR_INIT;
	struct turn *with, *without;

	bare.intent = no_intent;
	bare.settle = no_settle;
	bare.outcome = no_outcome;
	if (turn_new(&o, &with, &err) != 0)
		exit(111);
	o.ops = &bare;
	if (fd < 0 || turn_new(&o, &without, &err) != 0)
		exit(111);
	for (i = -5; i < rounds; i++) {
		double a = (double)time_turn(without, "/bin/true");
		double b = (double)time_turn(with, "/bin/true");
		double c = time_sync(fd);

		if (i < 0)
			continue;
		ratio[i] = b / a;
		added[i] = b - a;
		sync[i] = c;
	}
	dprintf(real_out, "record, %-22s %5.1f %% (at most %.0f)   %7.0f us, "
	    "a synced write %7.0f us\n", name, 100 * (median(ratio, rounds) -
	    1), most, median(added, rounds) / 1000, median(sync, rounds) /
	    1000);
	turn_free(with);
	turn_free(without);
	close(fd);
	unlink(path);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300, real_out, null;
	struct err err = ERR_INIT;
	struct conf *conf = NULL;
	struct turn *t = NULL;
	struct turn_opts o = {
		.uid = getuid(),
		.home = getenv("HOME"),
		.user = "bench",
		.version = "bench",
		.origin = LINE_PROMPT,
		.session = true,
		.tty = -1,
		.argv0 = "aegsh",
		.builtins = builtins,
		.cancel_fd = -1,
	};
	size_t i;

	if (rounds < 1 || rounds > 2000)
		return 100;
	if (conf_load(getuid(), o.home, NULL, &conf, &err) != 0)
		goto failed;
	o.conf = conf;
	o.state = state_new(environ);
	o.ctx = o.state;
	if (turn_new(&o, &t, &err) != 0)
		goto failed;
	real_out = fcntl(1, F_DUPFD_CLOEXEC, 10);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (real_out < 0 || dup2(null, 1) < 0)
		return 111;
	for (i = 0; i < AEG_NELEM(benches); i++)
		run(t, &benches[i], rounds, real_out);
	turn_free(t);
	record(&o, "of a session", 25, rounds, real_out);
	o.session = false;
	o.origin = LINE_STDIN;
	record(&o, "of a short run", 12, rounds, real_out);
	return 0;
failed:
	fprintf(stderr, "bench_turn: %s\n", err.text);
	return 111;
}
