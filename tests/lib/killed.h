/* SPDX-License-Identifier: ISC */
/*
 * A process that is traced, and those that it starts killed before one of
 * their system calls each time: who waits for them is to go on.
 */
#ifndef TESTS_KILLED_H
#define TESTS_KILLED_H

#include <errno.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLED_CANNOT 77	/* status: no process can be traced here */

static inline long
killed_trace(int request, pid_t pid, long at, void *data)
{
	return syscall(SYS_ptrace, request, pid, at, data);
}

/* In a child, before all that it does. */
static inline void
killed_begin(void)
{
	if (killed_trace(PTRACE_TRACEME, 0, 0, NULL) < 0)
		_exit(KILLED_CANNOT);
	raise(SIGSTOP);
}

static inline bool
killed_at_a_call(pid_t pid)
{
	struct ptrace_syscall_info info = { .op = 0 };

	return killed_trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info)
	    > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

/* Of a stop: the signal that is passed on. */
static inline long
killed_passed_on(int status)
{
	int sig = WSTOPSIG(status);

	return (status >> 16) != 0 || sig == SIGTRAP || sig == (SIGTRAP | 0x80)
	    || sig == SIGSTOP ? 0 : sig;
}

/* Until all have ended: how main_pid, which began so, did.  True: one that it
 * started was killed as it began the nth of their calls. */
static inline bool
killed_watch(pid_t main_pid, int nth, int *ret_status)
{
	int calls = 0, status = 0;
	bool done = false;
	pid_t pid;

	waitpid(main_pid, &status, 0);
	*ret_status = status;
	if (!WIFSTOPPED(status))
		return false;
	killed_trace(PTRACE_SETOPTIONS, main_pid, 0, (void *)(intptr_t)(
	    PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
	    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE));
	killed_trace(PTRACE_CONT, main_pid, 0, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (pid == main_pid)
				*ret_status = status;
			continue;
		}
		if (pid != main_pid && !done && killed_at_a_call(pid) &&
		    ++calls == nth) {
			done = true;
			kill(pid, SIGKILL);
			continue;
		}
		killed_trace(pid == main_pid || done ? PTRACE_CONT :
		    PTRACE_SYSCALL, pid, 0, (void *)(intptr_t)
		    killed_passed_on(status));
	}
	return done;
}

#endif
