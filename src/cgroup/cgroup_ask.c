/* SPDX-License-Identifier: ISC */
/*
 * The user's own manager (systemd --user) makes a group of its own for us, with
 * Delegate=yes, and moves us there: a transient scope, StartTransientUnit() of
 * org.freedesktop.systemd1(5).  busctl(1) says it, by the user's message bus,
 * and not longer than it is given.
 */
#include "cgroup_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define PATIENCE_NS ((int64_t)2 * 1000000000)	/* for each of the two */
#define STEP_MS 5
#define MOVED_MAX 1024		/* processes */

static bool
is_bus_of(const struct cgroup_host *h, const char *path)
{
	AEG_AUTOFREE char *name = xasprintf("%s%s", h->root, path);
	struct stat st;

	return lstat(name, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_uid == h->uid;
}

/* ---- the words ----------------------------------------------------------- */

static void
add_number(struct strv *v, int64_t n)
{
	AEG_AUTOFREE char *text = xasprintf("%lld", (long long)n);

	strv_add(v, text);
}

/* We first, then those that we started, who go along. */
static void
add_processes(struct strv *v, const struct cgroup_host *h, const pid_t *pid,
    size_t n)
{
	size_t i;

	strv_add(v, "PIDs");
	strv_add(v, "au");
	add_number(v, (int64_t)n + 1);
	add_number(v, h->pid);
	for (i = 0; i < n; i++)
		add_number(v, pid[i]);
}

static void
make_words(struct strv *v, const struct cgroup_host *h, const pid_t *pid,
    size_t n)
{
	static const char *const before[] = { "busctl", "--user", "--quiet",
	    "--timeout=2", "call", "org.freedesktop.systemd1",
	    "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
	    "StartTransientUnit", "ssa(sv)a(sa(sv))" };
	static const char *const after[] = { "Delegate", "b", "true",
	    "CollectMode", "s", "inactive-or-failed", "0" };
	AEG_AUTOFREE char *unit = xasprintf("aegsh-%d.scope", (int)h->pid);
	size_t i;

	for (i = 0; i < AEG_NELEM(before); i++)
		strv_add(v, before[i]);
	strv_add(v, unit);
	strv_add(v, "fail");
	strv_add(v, "4");
	strv_add(v, "Description");
	strv_add(v, "s");
	strv_add(v, "aegsh and its lines");
	add_processes(v, h, pid, n);
	for (i = 0; i < AEG_NELEM(after); i++)
		strv_add(v, after[i]);
}

/* ---- running it ---------------------------------------------------------- */

static void __attribute__((noreturn))
become(const char *program, char *const *argv, char *const *envp)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i;
	sigset_t none;

	for (i = 1; i < SIGRTMIN; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ctrl-C is not meant for it. */
	setpgid(0, 0);
	for (i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		dup2(null, i);
	syscall(SYS_close_range, STDERR_FILENO + 1U, ~0U, 0);
	if (null >= 0)
		execve(program, argv, envp);
	_exit(127);
}

/* 0; -ETIMEDOUT; -ECANCELED: it said no. */
static int
run(const char *program, char *const *argv, char *const *envp)
{
	const int64_t end = clock_mono_ns() + PATIENCE_NS;
	int status = 0;
	pid_t pid = fork(), got;

	if (pid < 0)
		return -errno;
	if (pid == 0)
		become(program, argv, envp);
	while ((got = waitpid(pid, &status, WNOHANG)) == 0 &&
	    clock_mono_ns() < end)
		poll(NULL, 0, STEP_MS);
	if (got == pid)
		return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 :
		    -ECANCELED;
	if (got < 0)
		return -errno;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return -ETIMEDOUT;
}

/* What it began is done a little later. */
static int
wait_moved(const struct cgroup_host *h, const char *before)
{
	const int64_t end = clock_mono_ns() + PATIENCE_NS;

	for (;;) {
		AEG_AUTOFREE char *now = cgroup_own_path(h);

		if (now != NULL && strcmp(now, before) != 0)
			return 0;
		if (clock_mono_ns() >= end)
			return -ETIMEDOUT;
		poll(NULL, 0, STEP_MS);
	}
}

int
cgroup_ask(const struct cgroup_host *h, const char *program, struct err *err)
{
	AEG_AUTOFREE char *run_dir = xasprintf("/run/user/%lu",
	    (unsigned long)h->uid);
	AEG_AUTOFREE char *bus = xasprintf("%s/bus", run_dir);
	AEG_AUTOFREE char *env_dir = xasprintf("XDG_RUNTIME_DIR=%s", run_dir);
	AEG_AUTOFREE char *env_bus = xasprintf(
	    "DBUS_SESSION_BUS_ADDRESS=unix:path=%s", bus);
	AEG_AUTOFREE char *before = cgroup_own_path(h);
	AEG_AUTOFREE pid_t *pid = NULL;
	AEG_AUTO(strv_done) struct strv argv = STRV_INIT;
	char path[] = "PATH=/usr/bin:/bin";
	char *envp[] = { env_dir, env_bus, path, NULL };
	size_t n = 0;
	int rc;

	if (before == NULL || !is_bus_of(h, bus))
		return err_set(err, ERR_REFUSED, "there is no message bus of "
		    "the user's at %s", bus);
	pid = xreallocarray(NULL, MOVED_MAX, sizeof *pid);
	n = cgroup_below(h, pid, MOVED_MAX);
	make_words(&argv, h, pid, n);
	rc = run(program, strv_peek(&argv), envp);
	if (rc == 0)
		rc = wait_moved(h, before);
	return rc < 0 ? err_sys(err, -rc, "the user's service manager made no "
	    "scope") : 0;
}
