/* SPDX-License-Identifier: ISC */
/* What starts as another user is in the line's group before it is a program:
 * what is sent to that group is not heard by aegsh. */
#include "aegsh/exec.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 300

static volatile sig_atomic_t heard;

static void
hear(int sig)
{
	(void)sig;
	heard = 1;
}

/* Sends to its own group for as long as we are there. */
static pid_t
start_noise(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		setpgid(0, 0);
		signal(SIGUSR1, SIG_IGN);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			kill(-getpid(), SIGUSR1);
		_exit(0);
	}
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

static int
elevate(pid_t group, struct err *err)
{
	static char word[] = "true";
	char *argv[] = { word, NULL }, *envp[] = { NULL };
	const int std[3] = { 0, 1, 2 };
	const struct policy_verdict verdict = { .action = POLICY_ALLOW,
		.rule = "test", .reason = "test" };
	const struct decision_input in = { .line = word, .len = strlen(word),
		.policy = &verdict };
	struct exec_elevated e = { .path = "/bin/true", .argv = argv,
		.envp = envp, .std = std, .cwd = -1, .group = group,
		.umask = 022 };
	struct decision *d = decision_make(&in);
	int rc, status;
	pid_t pid = 0;

	e.cwd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	getrlimit(RLIMIT_NOFILE, &e.files);
	rc = exec_elevate(d, &e, &pid, err);
	decision_free(d);
	close(e.cwd);
	if (rc < 0)
		return rc;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
	    (WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1) ? 0 : -EIO;
}

int
main(void)
{
	struct sigaction act = { .sa_handler = hear }, now;
	struct err err = ERR_INIT;
	sigset_t mask;
	pid_t noise;
	int i, rc = 0;

	sigaction(SIGUSR1, &act, NULL);
	noise = start_noise();
	for (i = 0; i < TIMES && rc == 0; i++)
		rc = elevate(noise, &err);
	kill(noise, SIGKILL);
	waitpid(noise, NULL, 0);
	OKF(rc == 0, "each started, or died of what its group was sent (%s)",
	    err.text);
	OKF(!heard, "which nobody else heard");
	OKF(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == hear &&
	    sigprocmask(SIG_BLOCK, NULL, &mask) == 0 &&
	    sigismember(&mask, SIGUSR1) == 0, "signals are as they were");
	return tap_done();
}
