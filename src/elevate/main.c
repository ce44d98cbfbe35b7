/* SPDX-License-Identifier: ISC */
/*
 * aegsh-elevate: what a line finds first when it calls sudo, mount and their
 * like.  No program of a line can gain rights; this one hands its words, its
 * environment, its directory and its standard descriptors to the aegsh around
 * the line, which judges, records and starts the real program, and does
 * itself what that one did: end, by a status or a signal, or stop.
 *
 * It is a program of the line as any other, and guards nothing.
 */
#include "elevate/elevate_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/supervise.h"
#include "aegsh/wire.h"

#define REFUSED 126

extern char **environ;

static const char *name = "sudo";

static int __attribute__((format(printf, 1, 2)))
fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "aegsh: %s: not run: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return REFUSED;
}

/* ---- asking ------------------------------------------------------------- */

static void
put_strings(struct buf *b, char *const *v)
{
	for (; *v != NULL; v++)
		buf_put(b, *v, strlen(*v) + 1);
}

static int
send_head(int sock, uint32_t total, uint32_t words, struct err *err)
{
	struct wire_msg m = WIRE_MSG_INIT;
	char body[sizeof AEGSH_VERSION + 2 * sizeof(uint32_t)];
	int cwd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), i, rc;

	if (cwd < 0)
		return err_sys(err, errno, "the working directory");
	memcpy(body, AEGSH_VERSION, sizeof AEGSH_VERSION);
	memcpy(body + sizeof AEGSH_VERSION, &total, sizeof total);
	memcpy(body + sizeof AEGSH_VERSION + sizeof total, &words,
	    sizeof words);
	m.type = SUPERVISE_CALL;
	m.body = body;
	m.len = sizeof body;
	for (i = 0; i < 3; i++)
		m.fds[i] = i;
	m.fds[3] = cwd;
	m.n_fds = 4;
	rc = wire_send(sock, &m, err);
	close(cwd);
	return rc;
}

static int
call(int sock, char *const *argv, struct err *err)
{
	AEG_AUTO(buf_done) struct buf all = BUF_INIT_MAX(SUPERVISE_CALL_MAX);
	struct wire_msg m = WIRE_MSG_INIT;
	uint32_t words = 0;
	size_t at;
	int rc;

	put_strings(&all, argv);
	put_strings(&all, environ);
	while (argv[words] != NULL)
		words++;
	if (buf_overflow(&all))
		return err_set(err, ERR_TOO_LONG, "its words and environment "
		    "are more than %zu bytes", SUPERVISE_CALL_MAX);
	rc = send_head(sock, (uint32_t)all.len, words, err);
	m.type = SUPERVISE_MORE;
	for (at = 0; rc == 0 && at < all.len; at += m.len) {
		m.body = all.data + at;
		m.len = all.len - at < SUPERVISE_MORE_MAX ? all.len - at :
		    SUPERVISE_MORE_MAX;
		rc = wire_send(sock, &m, err);
	}
	return rc;
}

/* ---- what became of it -------------------------------------------------- */

static uint32_t
number(const struct wire_msg *m)
{
	uint32_t n = REFUSED << 8;

	if (m->len == sizeof n)
		memcpy(&n, m->body, sizeof n);
	return n;
}

/* As the program died; without a core file of this one. */
static int
end(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t all;
	int sig;

	if (!WIFSIGNALED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : REFUSED;
	sig = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	kill(getpid(), sig);
	return 128 + sig;
}

static int
wait_for_end(int sock)
{
	struct wire_msg m = WIRE_MSG_INIT;
	struct err err = ERR_INIT;
	int status = -1, rc = 0;

	while (rc == 0 && status < 0) {
		rc = wire_recv(sock, -1, -1, &m, &err);
		if (rc < 0)
			break;
		if (m.type == SUPERVISE_TEXT)
			rc = io_write_full(STDERR_FILENO, m.body, m.len);
		else if (m.type == SUPERVISE_STOPPED)
			kill(getpid(), SIGSTOP);
		else if (m.type == SUPERVISE_ENDED)
			status = end((int)number(&m));
		wire_msg_done(&m);
	}
	return status >= 0 ? status : fail("the aegsh around the line, which "
	    "judges and records it, does not answer");
}

/* ---- */

/* The keys are for the program that was asked for, and when it has stopped so
 * do we. */
static void
leave_keys(void)
{
	static const int keys[] = { SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN,
	    SIGTTOU };
	size_t i;

	for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
		signal(keys[i], SIG_IGN);
}

int
main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	const char *file = NULL;
	int sock = -1, rc;

	if (io_fill_std() < 0 || argc < 1)
		return REFUSED;
	name = path_base(argv[0]);
	elevate_in_place(name, argv);
	rc = elevate_open_files(name, argv, &file);
	if (rc < 0)
		return fail("%s: %s", file, strerror(-rc));
	rc = supervise_knock_broker(&sock);
	if (rc == -EPERM)
		return fail("the profile lets no line become another user "
		    "(elevate, aegsh-policy(5)); ask who runs this machine, "
		    "or use a session of that user's own");
	if (rc == -EAGAIN)
		return fail("too many of its kind wait in this line");
	if (rc < 0)
		return fail("the aegsh around the line does not answer: %s",
		    strerror(-rc));
	if (rc == 0)
		return fail("this stands for the real one in lines of aegsh, "
		    "and there is none around");
	leave_keys();
	if (call(sock, argv, &err) < 0)
		return fail("%s", err.text);
	return wait_for_end(sock);
}
