/* SPDX-License-Identifier: ISC */
/*
 * What it costs to bring a line's state back, as ratios to the same line in
 * a plain bash, both taken in turn.  The median of each round's ratios
 * counts; the time only shows the scale.
 */
#include "aegsh/state.h"

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "launch.h"

#define ROUNDS 300
#define WARM_UP 20

static pid_t
start(const char *line, char *const *envp, int channel, int script)
{
	const char *const argv[] = { AEGSH_BASH, "--norc", "--noprofile",
		"-c", line, NULL };
	pid_t pid = vfork();

	if (pid != 0)
		return pid;
	if (channel >= 0) {
		dup2(channel, CAPTURE_FD);
		dup2(script, CAPTURE_SCRIPT_FD);
	}
	execve(AEGSH_BASH, (char *const *)(uintptr_t)argv, envp);
	_exit(127);
}

static int64_t
run(struct state *s, const char *line, bool captured)
{
	struct state_report report = { .cwd_failed = false };
	const int script = capture_script_fd();
	const int64_t begun = clock_mono_ns();
	struct strv envp = STRV_INIT;
	struct launched r = { .status = 0 };
	struct capture *c = NULL;
	const char *bytes;
	int64_t took;
	size_t len;
	pid_t pid;

	state_envp(s, &envp);
	if (captured) {
		if (capture_new(LAUNCH_FRAME_MAX, &c, NULL) < 0)
			exit(111);
		capture_env(&envp, 0, "x");
	}
	pid = start(line, strv_peek(&envp), captured ? capture_child_fd(c) :
	    -1, script);
	if (captured)
		capture_begin(c, pid);
	launch_wait(c, pid, &r);
	if (captured && (capture_frame(c, &bytes, &len) != CAPTURE_VALID ||
	    state_import(s, bytes, len, &report, NULL) < 0)) {
		fprintf(stderr, "bench_capture: %s\n", capture_why(c));
		exit(111);
	}
	state_report_done(&report);
	capture_free(c);
	strv_done(&envp);
	took = clock_mono_ns() - begun;
	return took;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void
measure(const char *line, int variables)
{
	static double ratio[ROUNDS], plain[ROUNDS];
	char path[] = "PATH=/usr/bin:/bin";
	char *none[] = { path, NULL };
	struct state *s = state_new(none);
	char name[32];
	int i;

	for (i = 0; i < variables; i++) {
		snprintf(name, sizeof(name), "VARIABLE_%d", i);
		state_set(s, name, "some value or other", NULL);
	}
	for (i = -WARM_UP; i < ROUNDS; i++) {
		int64_t a = run(s, line, false), b = run(s, line, true);

		if (i >= 0) {
			ratio[i] = (double)b / (double)a;
			plain[i] = (double)a / 1000;
		}
	}
	qsort(ratio, ROUNDS, sizeof(*ratio), by_value);
	qsort(plain, ROUNDS, sizeof(*plain), by_value);
	printf("%s, %d variables: brought back %.2f (plain %.0f us)\n", line,
	    variables, ratio[ROUNDS / 2], plain[ROUNDS / 2]);
	fflush(stdout);
	state_free(s);
}

int
main(void)
{
	measure(":", 20);
	measure(":", 150);
	measure("/bin/true", 20);
	measure("ls -l /usr/lib | wc -l >/dev/null", 20);
	return 0;
}
