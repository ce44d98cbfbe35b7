/* SPDX-License-Identifier: ISC */
/* Asking the aegsh around the line, and what it answers: the frames of
 * supervise.h. */
#include "elevate/elevate_int.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/supervise.h"
#include "aegsh/wire.h"

extern char **environ;

int
elevate_fail(const char *name, const char *fmt, ...)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	char said[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said, sizeof said, fmt, ap);
	va_end(ap);
	/* It may name what a line or another program made up. */
	buf_puts(&out, "aegsh: ");
	text_inert(&out, name, strlen(name), 0);
	buf_puts(&out, ": not run: ");
	text_inert(&out, said, strlen(said), 0);
	buf_putc(&out, '\n');
	(void)io_write_full(STDERR_FILENO, out.data, out.len);
	return ELEVATE_REFUSED;
}

/* ---- asking ------------------------------------------------------------- */

static void
put_strings(struct buf *b, char *const *v)
{
	for (; *v != NULL; v++)
		buf_put(b, *v, strlen(*v) + 1);
}

static int
send_head(int sock, const int *std, uint32_t total, uint32_t words,
    struct err *err)
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
		m.fds[i] = std[i];
	m.fds[3] = cwd;
	m.n_fds = 4;
	rc = wire_send(sock, &m, err);
	close(cwd);
	return rc;
}

int
elevate_call(int sock, char *const *argv, const int *std, struct err *err)
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
	rc = send_head(sock, std, (uint32_t)all.len, words, err);
	m.type = SUPERVISE_MORE;
	for (at = 0; rc == 0 && at < all.len; at += m.len) {
		m.body = all.data + at;
		m.len = all.len - at < SUPERVISE_MORE_MAX ? all.len - at :
		    SUPERVISE_MORE_MAX;
		rc = wire_send(sock, &m, err);
	}
	return rc;
}

int
elevate_open(const char *name, int *ret_sock)
{
	int rc = supervise_knock_broker(ret_sock);

	if (rc == 1)
		return 0;
	if (rc == -EPERM)
		return elevate_fail(name, "the profile lets no line become "
		    "another user (elevate, aegsh-policy(5)); ask who runs "
		    "this machine, or use a session of that user's own");
	if (rc == -EAGAIN)
		return elevate_fail(name, "too many of its kind wait in this "
		    "line");
	if (rc < 0)
		return elevate_fail(name, "the aegsh around the line does not "
		    "answer: %s", strerror(-rc));
	return elevate_fail(name, "this stands for the real one in lines of "
	    "aegsh, and there is none around");
}

/* ---- what became of it -------------------------------------------------- */

static uint32_t
number(const struct wire_msg *m)
{
	uint32_t n = ELEVATE_REFUSED << 8;

	if (m->len == sizeof n)
		memcpy(&n, m->body, sizeof n);
	return n;
}

int
elevate_end(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t all;
	int sig;

	if (!WIFSIGNALED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) :
		    ELEVATE_REFUSED;
	sig = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	kill(getpid(), sig);
	return 128 + sig;
}

int
elevate_hear(int sock, int *ret_status)
{
	struct wire_msg m = WIRE_MSG_INIT;
	int rc = wire_recv(sock, -1, -1, &m, NULL);

	if (rc < 0)
		return rc;
	if (m.type == SUPERVISE_TEXT) {
		rc = io_write_full(STDERR_FILENO, m.body, m.len);
	} else if (m.type == SUPERVISE_STOPPED) {
		kill(getpid(), SIGSTOP);
	} else if (m.type == SUPERVISE_ENDED) {
		*ret_status = (int)number(&m);
		rc = 1;
	}
	wire_msg_done(&m);
	return rc;
}
