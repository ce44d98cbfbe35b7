/* SPDX-License-Identifier: ISC */
/*
 * Probes: what a start-up file may try, and that it neither makes the
 * caller wait nor leaves anything behind.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "scratch.h"
#include "shellenv/shellenv_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define LONG_MS 60000		/* for what ends by itself */

static struct probe_result r;

static void
run(const char *script, int limit_ms)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
	const struct probe p = { .path = "/bin/sh", .argv = argv, .env = env,
		.limit_ms = limit_ms, .out_max = 64 * 1024,
		.with_stderr = true };
	struct err err = ERR_INIT;

	se_probe_result_done(&r);
	if (se_probe_run(&p, &r, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
}

static const char *
out(void)
{
	return r.out.data != NULL ? r.out.data : "";
}

/* Dead; an orphan stays a zombie where process 1 does not reap. */
static bool
is_dead(pid_t pid)
{
	char path[64], line[512] = "", *p;
	FILE *f;

	if (kill(pid, 0) < 0)
		return errno == ESRCH;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return true;
	p = fgets(line, sizeof line, f) != NULL ? strrchr(line, ')') : NULL;
	fclose(f);
	return p != NULL && p[1] == ' ' && p[2] == 'Z';
}

/* The process that the output names is gone; a moment for the kernel. */
static bool
gone(const char *text)
{
	pid_t pid = (pid_t)strtol(text, NULL, 10);
	int i;

	if (pid <= 1)
		return false;
	for (i = 0; i < 400 && !is_dead(pid); i++)
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	return is_dead(pid);
}

/* Until it has come to tell a number: a machine under load gives it none of
 * its time, or too late. */
static void
run_telling(const char *script, int limit_ms)
{
	int tries;

	for (tries = 0; tries < 6; tries++) {
		run(script, limit_ms << tries);
		if (strtol(out(), NULL, 10) > 1)
			return;
	}
}

static void
test_plain(void)
{
	run("echo out; echo err >&2; exit 3", 5000);
	IS_STR(out(), "out\nerr\n");
	OK(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 3);
	OK(!r.timed_out && !r.too_much);
	run("env | grep -v ^PWD= | grep -v ^_= | sort", 5000);
	IS_STR(out(), "ONLY=this\nPATH=/usr/bin:/bin\n");
	run("ls /proc/self/fd | wc -l", 5000);
	/* 0, 1, 2 and the one that ls reads the directory by. */
	IS_STR(out(), "4\n");
	run("pwd; kill -l >/dev/null; kill -TERM $$; echo no", 5000);
	OKF(WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGTERM,
	    "signals are as at the start of any program");
}

static void
test_waiting(void)
{
	run("read x; echo \"got $x\"", LONG_MS);
	IS_STR(out(), "got \n");
	OKF(!r.timed_out, "a question gets the end of file");
	run("exec </dev/tty && echo tty", 5000);
	OKF(strstr(out(), "tty\n") == NULL, "there is no terminal");
	run_telling("echo $$; exec sleep 1000", 300);
	OKF(r.timed_out, "the limit holds");
	OKF(gone(out()), "and the process is gone");
	run_telling("trap '' TERM INT HUP QUIT; echo $$; "
	    "while :; do sleep 1000; done", 300);
	OKF(r.timed_out && gone(out()), "also one that ignores signals");
	run("kill -STOP $$", 300);
	OKF(r.timed_out, "also one that stops itself");
}

static void
test_descendants(void)
{
	run("sleep 1000 & echo $!", LONG_MS);
	OKF(!r.timed_out && gone(out()),
	    "a background process ends with it");
	run_telling("setsid sh -c 'echo $$; exec sleep 1000' & wait_for=$!; "
	    "sleep 0.2", 5000);
	OKF(gone(out()), "also in a session of its own");
	run_telling("setsid sh -c 'setsid sh -c \"echo \\$\\$; "
	    "exec sleep 1000\" & exit' ; sleep 0.2", 5000);
	OKF(gone(out()), "also an orphan");
}

static void
test_flood(void)
{
	run("yes", LONG_MS);
	OKF(r.too_much && !r.timed_out, "a flood ends it");
	IS_INT(r.out.len <= 64 * 1024, 1);
}

static void
test_confined(void)
{
	AEG_AUTOFREE char *file = scratch_path("file");
	AEG_AUTOFREE char *script = NULL;
	struct stat st;

	if (strcmp(se_probe_confinement(), "none") == 0) {
		SKIP(6, "no Landlock here");
		return;
	}
	scratch_puts("file", "old\n");
	chmod(scratch_dir, 0777);
	chmod(file, 0666);
	script = xasprintf("cd '%s'; echo new >file; echo x >other; "
	    "mkdir dir; rm -f file; mv file moved; ln file hard; "
	    "ln -s file soft; mkfifo fifo; echo x >/dev/null && echo null",
	    scratch_dir);
	run(script, 5000);
	OK(text_ends(out(), "null\n"));
	OK(stat(file, &st) == 0 && st.st_size == 4 && st.st_nlink == 1);
	free(script);
	script = xasprintf("ls -A '%s'", scratch_dir);
	run(script, 5000);
	IS_STR(out(), "file\n");
	OKF(text_starts(se_probe_confinement(), "landlock-v"), "held by %s",
	    se_probe_confinement());
	free(script);
	script = xasprintf("kill -0 %d && echo reached", (int)getpid());
	run(script, 5000);
	if (atoi(se_probe_confinement() + strlen("landlock-v")) < 6)
		SKIP(1, "this kernel's Landlock does not scope signals");
	else
		OKF(strstr(out(), "reached") == NULL,
		    "it cannot signal what is outside");
	run("grep NoNewPrivs /proc/self/status", 5000);
	IS_STR(out(), "NoNewPrivs:\t1\n");
}

/* The first child of a process, waited for. */
static long
child_of(long pid)
{
	char path[64], line[64];
	long found = 0;
	int i;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
	for (i = 0; i < 1000 && found == 0; i++) {
		FILE *f = fopen(path, "r");

		if (f != NULL && fgets(line, sizeof line, f) != NULL)
			found = atol(line);
		if (f != NULL)
			fclose(f);
		if (found == 0)
			nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	}
	return found;
}

/* The caller is killed: neither the probe nor its monitor may stay. */
static void
test_orphaned(void)
{
	char text[32];
	long monitor, probe;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		run("exec sleep 1000", 60000);
		_exit(0);
	}
	monitor = child_of(pid);
	probe = child_of(monitor);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof text, "%ld", probe);
	OKF(gone(text), "it ends when its caller is killed");
	snprintf(text, sizeof text, "%ld", monitor);
	OKF(gone(text), "and so does the monitor");
}

int
main(void)
{
	scratch_new();
	test_plain();
	test_waiting();
	test_descendants();
	test_flood();
	test_confined();
	test_orphaned();
	se_probe_result_done(&r);
	return tap_done();
}
