/* SPDX-License-Identifier: ISC */
/* A process is told from what it becomes by execve, with or without
 * address randomisation, and from its corpse. */
#include "capture/capture_int.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "tap.h"

static const char *const kinds[] = {
	[CAPTURE_PEER_OTHER] = "other",
	[CAPTURE_PEER_GONE] = "gone",
	[CAPTURE_PEER_SAME] = "same",
};

/* bash with both its ends on fd; says a letter, waits for a line, becomes
 * itself, does so again. */
static pid_t
start(int fd, bool randomised)
{
	/* Where stdin is a socket, bash takes itself for a child of sshd
	 * and would read ~/.bashrc. */
	char bash[] = AEGSH_BASH, norc[] = "--norc", c[] = "-c";
	char line[] = "echo a; read x; exec " AEGSH_BASH
	    " --norc -c 'echo b; read x'";
	char *argv[] = { bash, norc, c, line, NULL };
	char path[] = "PATH=/usr/bin:/bin";
	char *envp[] = { path, NULL };
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (!randomised)
		personality(ADDR_NO_RANDOMIZE);
	if (dup2(fd, 0) < 0 || dup2(fd, 1) < 0)
		_exit(111);
	execve(bash, argv, envp);
	_exit(127);
}

static void
hear(int fd, char want)
{
	char said[2] = "?";

	io_read_full(fd, said, 2);
	OKF(said[0] == want, "bash says %c", want);
}

static void
is(const struct capture_peer *p, enum capture_peer_is want, const char *when)
{
	enum capture_peer_is got = capture_peer_look(p);

	OKF(got == want, "%s: %s", when, kinds[want]);
	if (got != want)
		printf("# %s\n", kinds[got]);
}

static void
one_life(bool randomised)
{
	struct capture_peer p, late;
	siginfo_t info;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		exit(99);
	capture_peer_init(&p);
	is(&p, CAPTURE_PEER_OTHER, "before it was noted");
	p.pid = start(pair[1], randomised);
	close(pair[1]);
	hear(pair[0], 'a');
	IS_INT(capture_peer_note(&p), 0);
	is(&p, CAPTURE_PEER_SAME, randomised ? "randomised" :
	    "not randomised");
	is(&p, CAPTURE_PEER_SAME, "and again");
	OK(write(pair[0], "\n", 1) == 1);
	hear(pair[0], 'b');
	is(&p, CAPTURE_PEER_OTHER, "after execve of the same program");
	late = p;
	late.mm_fd = -1;
	late.auxv_len = 0;
	IS_INT(capture_peer_note(&late), 0);
	is(&late, CAPTURE_PEER_SAME, "noted after execve");
	OK(write(pair[0], "\n", 1) == 1);
	waitid(P_PID, (id_t)p.pid, &info, WEXITED | WNOWAIT);
	is(&p, CAPTURE_PEER_GONE, "as a corpse");
	is(&late, CAPTURE_PEER_GONE, "as a corpse, noted late");
	waitpid(p.pid, NULL, 0);
	is(&late, CAPTURE_PEER_GONE, "buried");
	close(pair[0]);
	capture_peer_done(&p);
	capture_peer_done(&late);
	IS_INT(p.mm_fd, -1);
}

static void
no_process(void)
{
	struct capture_peer p;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	capture_peer_init(&p);
	p.pid = pid;
	OK(capture_peer_note(&p) < 0);
	OK(capture_peer_look(&p) != CAPTURE_PEER_SAME);
	capture_peer_done(&p);
}

int
main(void)
{
	one_life(true);
	one_life(false);
	no_process();
	return tap_done();
}
