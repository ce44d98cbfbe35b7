/* SPDX-License-Identifier: ISC */
/*
 * Which instructions of a program run: step by step, in it and in what it
 * makes of itself, until that becomes another program.  Of it order.py makes
 * the order of the shell's functions.
 *
 *	touched OUT PROGRAM [ARG…]	offsets into PROGRAM, in hex, to OUT
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE_MAX (16UL << 20)

static unsigned char touched[CODE_MAX];

static unsigned long
where(pid_t pid)
{
#if defined(__x86_64__)
	struct user_regs_struct r;

	return ptrace(PTRACE_GETREGS, pid, NULL, &r) == 0 ? r.rip : 0;
#else
	(void)pid;
	return 0;
#endif
}

static unsigned long
base_of(pid_t pid, const char *program)
{
	char path[64], line[1024];
	unsigned long base = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f != NULL && base == 0 &&
	    fgets(line, sizeof line, f) != NULL)
		if (strstr(line, program) != NULL)
			base = strtoul(line, NULL, 16);
	if (f != NULL)
		fclose(f);
	return base;
}

static void
step_all(pid_t first, unsigned long base)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		int sig, event = status >> 16;
		unsigned long at;

		if (!WIFSTOPPED(status)) {
			if (pid == first)
				return;
			continue;
		}
		if (event == PTRACE_EVENT_EXEC) {
			ptrace(PTRACE_DETACH, pid, NULL, NULL);
			continue;
		}
		at = where(pid) - base;
		if (at < CODE_MAX)
			touched[at] = 1;
		sig = WSTOPSIG(status);
		if (event != 0 || sig == SIGTRAP || sig == SIGSTOP)
			sig = 0;
		ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)sig);
	}
}

int
main(int argc, char **argv)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
	    PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
	unsigned long base, i;
	pid_t pid;
	FILE *out;

	if (argc < 3 || (pid = fork()) < 0)
		return 2;
	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(pid, NULL, 0) != pid)
		return 1;
	base = base_of(pid, argv[2]);
	if (base == 0)
		return 1;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options);
	ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	step_all(pid, base);
	out = fopen(argv[1], "w");
	for (i = 0; out != NULL && i < CODE_MAX; i++)
		if (touched[i])
			fprintf(out, "%lx\n", i);
	return out == NULL || fclose(out) != 0;
}
