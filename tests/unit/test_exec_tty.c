/* SPDX-License-Identifier: ISC */
/* When is a job stuck: every member that could go on has stopped, though
 * the leader has not. */
#include "exec/exec_int.h"
#include "tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"

#define SLOW ((int64_t)60 * 1000000000)

/* A leader of its own group that waits for bash's line. */
static pid_t
leader(const char *line)
{
	pid_t pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/bash", "bash", "--norc", "-c", line, (char *)NULL);
		_exit(127);
	}
	setpgid(pid, pid);
	return pid;
}

static void
end(pid_t pid)
{
	FILE *children;
	int orphan;

	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Those that left its group are ours now. */
	children = fopen("/proc/thread-self/children", "r");
	while (children != NULL && fscanf(children, "%d", &orphan) == 1) {
		kill(orphan, SIGKILL);
		waitpid(orphan, NULL, 0);
	}
	if (children != NULL)
		fclose(children);
}

/* Whether it comes to be stuck. */
static bool
gets_stuck(pid_t pid, int64_t ns)
{
	int64_t until = clock_mono_ns() + ns;

	while (clock_mono_ns() < until) {
		if (exec_tty_stuck(pid))
			return true;
		usleep(2000);
	}
	return false;
}

int
main(void)
{
	const int64_t soon = 300 * 1000000;
	pid_t pid;

	if (access("/proc/self/task/self/children", F_OK) < 0 &&
	    access("/proc/thread-self/children", F_OK) < 0) {
		SKIP(1, "no children files in /proc");
		return tap_done();
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = leader("bash --norc -c 'kill -STOP $$; :'; :");
	OKF(gets_stuck(pid, SLOW), "a program that stopped itself alone");
	end(pid);
	pid = leader("x=$(bash --norc -c 'sleep 100 & kill -STOP $!; "
	    "kill -STOP $$; :'); :");
	OKF(gets_stuck(pid, SLOW), "deep below, with a stopped child");
	end(pid);
	pid = leader("sleep 100; :");
	OKF(!gets_stuck(pid, soon), "one that runs");
	end(pid);
	pid = leader("sleep 100 & kill -STOP $!; sleep 100; :");
	OKF(!gets_stuck(pid, soon), "one stopped, another runs");
	end(pid);
	pid = leader("setsid sleep 100 & kill -STOP $$; :");
	OKF(gets_stuck(pid, SLOW), "a stopped leader is stuck as well");
	end(pid);
	pid = leader(":");
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	OKF(!exec_tty_stuck(pid), "a dead one");
	end(pid);
	OKF(!exec_tty_stuck(pid), "one that is gone");
	return tap_done();
}
