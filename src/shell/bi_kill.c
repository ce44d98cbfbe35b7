/* SPDX-License-Identifier: ISC */
/*
 * kill of jobs.  A call that names none is left to bash, in its sandbox: we
 * stand outside and could reach what a line must not.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "shell/bi.h"

/* The job that a pid belongs to, or NULL. */
static struct job *
job_of_pid(struct shell *sh, const char *word, pid_t *ret_pid)
{
	int64_t pid;

	if (text_to_i64(word, 1, INT32_MAX, &pid) != 0)
		return NULL;
	*ret_pid = (pid_t)pid;
	return exec_job_of(turn_exec(sh->turn), (pid_t)pid);
}

static bool
names_jobs(void *ctx, int argc, char *const *argv)
{
	pid_t unused;
	int i;

	for (i = 1; i < argc; i++)
		if (argv[i][0] == '%' || job_of_pid(ctx, argv[i], &unused))
			return true;
	return false;
}

/* RTMIN, RTMIN+3, RTMAX-2; -1. */
static int
real_time_signal(const char *word)
{
	bool up = strncasecmp(word, "RTMIN", 5) == 0;
	int64_t by = 0;

	if (!up && strncasecmp(word, "RTMAX", 5) != 0)
		return -1;
	if (word[5] != '\0' && (word[5] != (up ? '+' : '-') ||
	    text_to_i64(word + 6, 1, SIGRTMAX - SIGRTMIN, &by) != 0))
		return -1;
	return up ? SIGRTMIN + (int)by : SIGRTMAX - (int)by;
}

/* A number or a name, with or without SIG; -1. */
static int
signal_of(const char *word)
{
	int64_t number;
	int sig;

	if (text_to_i64(word, 0, SIGRTMAX, &number) == 0)
		return (int)number;
	if (strncasecmp(word, "SIG", 3) == 0)
		word += 3;
	for (sig = 1; sig < SIGRTMIN; sig++) {
		const char *name = sigabbrev_np(sig);

		if (name != NULL && strcasecmp(word, name) == 0)
			return sig;
	}
	return real_time_signal(word);
}

/* The word that names the signal, and the index behind it: -s TERM, -sTERM,
 * -n 15, -n15, -TERM, -15; NULL: none. */
static const char *
signal_word(int argc, char *const *argv, int *ret_next)
{
	const char *option = argv[1];
	bool named = strncmp(option, "-s", 2) == 0;
	bool apart = (named || strncmp(option, "-n", 2) == 0) &&
	    option[2] == '\0';

	*ret_next = 1;
	if (option[0] != '-' || option[1] == '\0' ||
	    strcmp(option, "--") == 0 || (apart && argc < 3))
		return NULL;
	*ret_next = apart ? 3 : 2;
	if (apart)
		return argv[2];
	if ((named && isalpha((unsigned char)option[2])) ||
	    (option[1] == 'n' && isdigit((unsigned char)option[2])))
		return option + 2;
	return option + 1;
}

/* The index of the first operand, or -1 with a complaint. */
static int
options(int argc, char *const *argv, int *ret_sig, struct buf *complaint)
{
	int i;
	const char *word = signal_word(argc, argv, &i);

	*ret_sig = word != NULL ? signal_of(word) : SIGTERM;
	if (*ret_sig < 0) {
		buf_puts(complaint, "aegsh: kill: ");
		text_inert(complaint, word, strlen(word), 0);
		buf_puts(complaint, ": invalid signal specification");
		return -1;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	return i;
}

static int
kill_one(struct shell *sh, const char *word, int sig, struct buf *complaint)
{
	struct job *j;
	pid_t pid = 0;
	int r;

	j = word[0] == '%' ? shell_find_job(sh, "kill", word, complaint) :
	    job_of_pid(sh, word, &pid);
	if (j == NULL && word[0] == '%')
		return 1;
	if (j == NULL) {
		buf_puts(complaint, "aegsh: kill: ");
		text_inert(complaint, word, strlen(word), 0);
		buf_puts(complaint, ": no job; processes have a kill of "
		    "their own, without %\n");
		return 1;
	}
	if (pid > 0)
		r = kill(pid, sig) < 0 ? -errno : 0;
	else
		r = job_kill(turn_exec(sh->turn), j, sig);
	if (r == 0)
		return 0;
	buf_puts(complaint, "aegsh: kill: ");
	text_inert(complaint, word, strlen(word), 0);
	buf_putf(complaint, ": %s\n", strerror(-r));
	return 1;
}

/* As bash: 0 when one of them could be told. */
static int
run_kill(void *ctx, int argc, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct shell *sh = ctx;
	int sig, i = options(argc, argv, &sig, complaint), status = 1;

	if (i < 0)
		return 1;
	exec_poll_jobs(turn_exec(sh->turn));
	for (; i < argc; i++)
		if (kill_one(sh, argv[i], sig, complaint) == 0)
			status = 0;
	return status;
}

const struct turn_builtin bi_kill = {
	.name = "kill",
	.usage = "kill [-SIGNAL] %JOB …",
	.help = TR_LATER("send a signal to jobs; other calls of kill "
	    "go to bash"),
	.run = run_kill,
	.wants = names_jobs,
};
