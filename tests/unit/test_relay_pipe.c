/* SPDX-License-Identifier: ISC */
/* Whose bytes are whose, when the process between two lines is slow. */
#include "relay/relay_int.h"
#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/redact.h"

#define MOST 8

static const unsigned char second[UUID_LEN] = { 2 };

/* The second line's words stand in its pipe before the process has read that
 * there is one. */
static void
late_to_hear(struct relay *r, int writer)
{
	int status;

	kill(relay_pid(r), SIGSTOP);
	waitpid(relay_pid(r), &status, WUNTRACED);
	relay_line(r, second);
	if (write(writer, "second", 6) != 6)
		abort();
	kill(relay_pid(r), SIGCONT);
	waitpid(relay_pid(r), &status, WCONTINUED);
}

static void
run_lines(struct redact *redact)
{
	struct relay_opts o = { .cast = { .dir = "", .redact = redact },
	    .most = MOST };
	const struct cast_line *line;
	const char *trouble;
	struct relay *r = NULL;
	struct err err;
	int writer;

	if (relay_start(&o, &r, &err) < 0 || r == NULL)
		abort();
	writer = dup(relay_child_fd(r, STDOUT_FILENO));
	relay_handed_over(r);
	if (write(writer, "first of all", 12) != 12 ||
	    relay_end(r, &line, &trouble) < 0)
		abort();
	late_to_hear(r, writer);
	if (relay_end(r, &line, &trouble) < 0)
		abort();
	close(writer);
	if (relay_limited(r) != NULL)
		abort();
	waitpid(relay_pid(r), NULL, WNOHANG);
	relay_free(r);
}

int
main(void)
{
	struct redact *redact = redact_new();
	char got[64];
	size_t n = 0;
	ssize_t more;
	int ends[2], status;
	pid_t pid;

	if (redact == NULL || pipe(ends) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		int out = dup2(ends[1], STDOUT_FILENO);

		close(ends[0]);
		close(ends[1]);
		if (out < 0)
			abort();
		run_lines(redact);
		_exit(0);
	}
	close(ends[1]);
	while (n < sizeof got &&
	    (more = read(ends[0], got + n, sizeof got - n)) > 0)
		n += (size_t)more;
	waitpid(pid, &status, 0);
	OKF(status == 0, "two lines of one bash, and no limit on the second");
	OKF(n == 14 && memcmp(got, "first ofsecond", n) == 0,
	    "each may write as much as one line may: %.*s", (int)n, got);
	redact_free(redact);
	return tap_done();
}
