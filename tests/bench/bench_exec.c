/* SPDX-License-Identifier: ISC */
/*
 * What confinement and the launcher cost, as ratios to the floor: the same
 * line in a plain bash, cloned with CLONE_VM | CLONE_VFORK from a process
 * of the same size, with none of what we add.  All are taken in turn; the
 * median of each round's ratios counts.
 *
 *	bench_exec [PROFILE [STORE]]	AEGSH_TEST_ROOT, AEGSH_TEST_DATA set
 */
#include "aegsh/exec.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define ROUNDS 300
#define WARM_UP 20

extern char **environ;

enum way { PLAIN, DIRECT, LAUNCHER, DIRECT_BACK, LAUNCHER_BACK, WAYS };

static const char *const way_names[] = {
	[PLAIN] = "plain", [DIRECT] = "direct", [LAUNCHER] = "launcher",
	[DIRECT_BACK] = "direct, brings back",
	[LAUNCHER_BACK] = "launcher, brings back",
};

static struct exec_session *sessions[2];
static struct err err;

static void
die(const char *what)
{
	fprintf(stderr, "bench_exec: %s: %s\n", what, err.text);
	exit(111);
}

static int
child(void *arg)
{
	char *argv[] = { (char *)(uintptr_t)"/bin/bash",
		(char *)(uintptr_t)"--norc", (char *)(uintptr_t)"--noprofile",
		(char *)(uintptr_t)"-c", arg, NULL };

	execve(argv[0], argv, environ);
	_exit(127);
}

static int64_t
plain(const char *line)
{
	static char stack[65536] __attribute__((aligned(16)));
	int64_t start = clock_mono_ns();
	int status;
	pid_t pid = clone(child, stack + sizeof stack,
	    CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)(uintptr_t)line);

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		die("plain");
	return clock_mono_ns() - start;
}

static int64_t
ours(enum way way, const char *line)
{
	const struct policy_verdict yes = {
		.action = POLICY_ALLOW, .rule = "bench", .reason = "bench",
	};
	const struct decision_input in = {
		.line = line, .len = strlen(line), .policy = &yes,
	};
	struct exec_session *s = sessions[way == LAUNCHER ||
	    way == LAUNCHER_BACK];
	struct exec_spec spec = {
		.argv0 = "aegsh", .envp = environ, .foreground = true,
		.bring_back = way == DIRECT_BACK || way == LAUNCHER_BACK,
	};
	struct decision *d = decision_make(&in);
	int64_t start = clock_mono_ns(), took;
	struct job *j;

	if (exec_start(s, d, &spec, &j, &err) < 0 ||
	    exec_wait(s, j, &err) < 0 || job_status(j) != 0)
		die(line);
	took = clock_mono_ns() - start;
	job_free(s, j);
	decision_free(d);
	return took;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *v)
{
	qsort(v, ROUNDS, sizeof *v, by_value);
	return v[ROUNDS / 2];
}

static void
measure(const char *line)
{
	static double ratio[WAYS][ROUNDS];
	int64_t took[WAYS];
	size_t way;
	int i;

	for (i = -WARM_UP; i < ROUNDS; i++) {
		for (way = 0; way < WAYS; way++)
			took[way] = way == PLAIN ? plain(line) :
			    ours((enum way)way, line);
		for (way = 0; i >= 0 && way < WAYS; way++)
			ratio[way][i] = way == PLAIN ? (double)took[PLAIN] :
			    (double)took[way] / (double)took[PLAIN];
	}
	printf("%s: plain %.0f us", line, median(ratio[PLAIN]) / 1000);
	for (way = DIRECT; way < WAYS; way++)
		printf("; %s %.2f", way_names[way], median(ratio[way]));
	printf("\n");
	fflush(stdout);
}

/* A session for one line: what a one-shot call pays. */
static void
measure_first(const struct exec_session_opts *opts)
{
	static double ratio[ROUNDS];
	struct exec_session_opts o = *opts;
	struct exec_session *was;
	int way, i;

	for (way = 0; way < 2; way++) {
		o.launcher = way == 1;
		was = sessions[way];
		for (i = 0; i < ROUNDS; i++) {
			int64_t floor = plain("true"), start;

			start = clock_mono_ns();
			if (exec_session_new(&o, &sessions[way], &err) < 0)
				die("session");
			ours(way == 1 ? LAUNCHER : DIRECT, "true");
			ratio[i] = (double)(clock_mono_ns() - start) /
			    (double)floor;
			exec_session_free(sessions[way]);
		}
		sessions[way] = was;
		printf("a session and its first line: %s %.2f\n",
		    way_names[way == 1 ? LAUNCHER : DIRECT], median(ratio));
	}
}

int
main(int argc, char **argv)
{
	struct sandbox_vars vars = {
		.uid = getuid(), .home = getenv("HOME"),
		.store = argc > 2 ? argv[2] : NULL,
	};
	struct exec_session_opts opts = { .tty = -1, .state_max = 4 << 20 };
	struct sandbox_profile *p;
	struct sandbox *s;
	int64_t start, loaded, prepared;
	int i;

	for (i = 0; i < 2; i++) {
		start = clock_mono_ns();
		if (sandbox_load(argc > 1 ? argv[1] : "admin", &vars, &p,
		    &err) < 0)
			die("profile");
		loaded = clock_mono_ns();
		if (sandbox_prepare(p, &s, &err) < 0)
			die("prepare");
		prepared = clock_mono_ns();
		sandbox_free(s);
		printf("profile: load %.0f us, prepare %.0f us (%s)\n",
		    (double)(loaded - start) / 1000,
		    (double)(prepared - loaded) / 1000,
		    i == 0 ? "cold" : "warm");
		if (i == 0)
			sandbox_profile_free(p);
	}
	opts.profile = p;
	for (i = 0; i < 2; i++) {
		opts.launcher = i == 1;
		if (exec_session_new(&opts, &sessions[i], &err) < 0)
			die("session");
	}
	measure_first(&opts);
	measure("true");
	measure("/bin/true");
	measure("ls -l /usr/lib | wc -l >/dev/null");
	for (i = 0; i < 2; i++)
		exec_session_free(sessions[i]);
	sandbox_profile_free(p);
	return 0;
}
