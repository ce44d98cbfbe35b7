/* SPDX-License-Identifier: ISC */
/*
 * How bash is called: arguments, environment, descriptors.
 *
 * A line goes to -c untouched.  One that no argument can hold (execve(2):
 * 128 KiB) comes in a sealed memory file and is run by eval, which reads a
 * string by the same rules as -c: what differs is the word "eval:" in the
 * message about a syntax error, and $BASH_EXECUTION_STRING.
 */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#ifndef MFD_NOEXEC_SEAL			/* linux/memfd.h, since Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static void
add_fd(struct exec_command *c, int from, int to)
{
	c->fd[c->n_fds].from = from;
	c->fd[c->n_fds++].to = to;
}

/* The bytes in a memory file that nobody can change, or -errno. */
static int
sealed(const char *bytes, size_t len)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	AEG_AUTOFD int fd = -1;
	int rc;

	fd = memfd_create("aegsh-line", flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("aegsh-line", flags);
	if (fd < 0)
		return -errno;
	rc = io_write_full(fd, bytes, len);
	if (rc < 0)
		return rc;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW |
	    F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	rc = fd;
	fd = -1;
	return rc;
}

static int
long_line(struct exec_command *c, const struct exec_spec *spec,
    const char *bytes, size_t len)
{
	c->line_fd = sealed(bytes, len);
	if (c->line_fd < 0)
		return c->line_fd;
	add_fd(c, c->line_fd, EXEC_LINE_FD);
	/* Captured lines start from $? themselves; set -- would lose it. */
	strv_addf(&c->argv, "set -- \"$(</dev/fd/%d)\" \"$@\"; "
	    "exec %d<&-; eval \"shift; (exit %d); $1\"", EXEC_LINE_FD,
	    EXEC_LINE_FD, spec->bring_back ? spec->status & 0xff : 0);
	return 0;
}

/*
 * The bytes that bash gets, owned.  They are the judged ones, but for the &
 * that aegsh carries out itself, which must be one by its neighbours.
 */
static char *
line_bytes(const struct exec_spec *spec, const char *bytes, size_t len)
{
	char *copy = xmemdup0(bytes, len);
	size_t at = spec->amp - spec->preamble - 1;

	if (spec->amp == 0)
		return copy;
	if (at >= len || copy[at] != '&' ||
	    (at > 0 && strchr("&<>|\\", copy[at - 1]) != NULL) ||
	    (copy[at + 1] != '\0' &&
	    strchr("&>", copy[at + 1]) != NULL)) {
		free(copy);
		return NULL;
	}
	copy[at] = ' ';
	return copy;
}

static int
line_argv(struct exec_command *c, const struct decision *d,
    const struct exec_spec *spec, struct err *err)
{
	size_t len;
	const char *bytes = decision_bytes(d, &len);
	AEG_AUTOFREE char *text = NULL;
	int rc = exec_options_skip(spec->options, &bytes, &len, err);

	if (rc < 0)
		return rc;
	if (spec->preamble > len)
		return err_set(err, -EINVAL, "a preamble longer than what was "
		    "judged");
	bytes += spec->preamble;
	len -= spec->preamble;
	strv_add(&c->argv, "-c");
	if (memchr(bytes, '\0', len) != NULL)
		return err_set(err, ERR_REFUSED, "the line holds a NUL byte");
	text = line_bytes(spec, bytes, len);
	if (text == NULL)
		return err_set(err, -EINVAL, "no & where the line's last one "
		    "should be");
	if (len < EXEC_ARG_MAX) {
		strv_take(&c->argv, AEG_STEAL(text));
	} else {
		rc = long_line(c, spec, text, len);
		if (rc < 0)
			return err_sys(err, -rc, "a memory file for the line");
	}
	strv_add(&c->argv, spec->argv0);
	return 0;
}

/* bash takes hints from its own name: no login shell, no POSIX or
 * restricted mode is meant here. */
static const char *
stream_name(const char *argv0)
{
	const char *base = path_base(argv0);

	if (argv0[0] == '-' || strcmp(base, "sh") == 0 ||
	    strcmp(base, "rbash") == 0)
		return sysdirs()->bash;
	return argv0;
}

static int
stream_pipe(struct exec_command *c, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(err, errno, "a pipe for the script");
	c->script_fd = ends[0];
	c->stream_fd = ends[1];
	/* One slot: exec_stream.c says why. */
	if (fcntl(c->stream_fd, F_SETPIPE_SZ, 4096) != 4096 ||
	    fcntl(c->stream_fd, F_SETFL, O_NONBLOCK) < 0)
		return err_sys(err, errno, "a pipe for the script");
	add_fd(c, STDIN_FILENO, EXEC_STDIN_FD);
	add_fd(c, c->script_fd, STDIN_FILENO);
	return 0;
}

/* What bash runs before the line, at CAPTURE_SCRIPT_FD. */
static int
start_text(struct exec_command *c, const struct decision *d,
    const struct exec_spec *spec, struct err *err)
{
	size_t len;
	const char *bytes = decision_bytes(d, &len);
	int fd;

	if (spec->preamble == 0 && spec->keep == CAPTURE_KEEP_EXPORTS)
		fd = capture_script_fd();
	else
		fd = c->text_fd = capture_script_with(spec->bring_back,
		    spec->keep, bytes, spec->preamble);
	if (fd < 0)
		return err_sys(err, -fd, "the text that bash starts with");
	add_fd(c, fd, CAPTURE_SCRIPT_FD);
	return 0;
}

static void
make_envp(struct exec_command *c, const struct exec_spec *spec)
{
	size_t n = 0, i;

	if (spec->bring_back)
		capture_env(&c->added, spec->status, spec->last_arg);
	else if (spec->preamble > 0)
		capture_env_plain(&c->added);
	while (spec->envp[n] != NULL)
		n++;
	c->envp = xreallocarray(NULL, n + c->added.n + 1, sizeof *c->envp);
	for (i = 0; i < n; i++)
		c->envp[i] = spec->envp[i];
	for (i = 0; i < c->added.n; i++)
		c->envp[n++] = c->added.v[i];
	c->envp[n] = NULL;
}

void
exec_command_redirect(struct exec_command *c, int fd, int from)
{
	size_t i;

	for (i = 0; from >= 0 && i < c->n_fds; i++)
		if (c->fd[i].to == fd)
			c->fd[i].from = from;
}

int
exec_command_make(const struct decision *d, const struct exec_spec *spec,
    const struct capture *capture, struct exec_command *ret, struct err *err)
{
	struct exec_command c = { .line_fd = -1, .stream_fd = -1,
		.script_fd = -1, .text_fd = -1 };
	static const int own[] = { STDIN_FILENO, STDOUT_FILENO,
		STDERR_FILENO };
	const int *std = spec->std != NULL ? spec->std : own;
	char *const *arg;
	int rc;

	strv_add(&c.argv, spec->kind == EXEC_STREAM ?
	    stream_name(spec->argv0) : sysdirs()->bash);
	strv_add(&c.argv, "--norc");
	strv_add(&c.argv, "--noprofile");
	for (arg = spec->options; arg != NULL && *arg != NULL; arg++)
		strv_add(&c.argv, *arg);
	if (spec->kind == EXEC_STREAM) {
		strv_add(&c.argv, "-s");
		strv_add(&c.argv, "--");
		rc = stream_pipe(&c, err);
	} else {
		add_fd(&c, std[0], STDIN_FILENO);
		rc = line_argv(&c, d, spec, err);
	}
	add_fd(&c, std[1], STDOUT_FILENO);
	add_fd(&c, std[2], STDERR_FILENO);
	for (arg = spec->args; arg != NULL && *arg != NULL; arg++)
		strv_add(&c.argv, *arg);
	if (rc == 0 && spec->bring_back)
		add_fd(&c, capture_child_fd(capture), CAPTURE_FD);
	if (rc == 0 && (spec->bring_back || spec->preamble > 0))
		rc = start_text(&c, d, spec, err);
	make_envp(&c, spec);
	if (rc < 0)
		exec_command_done(&c);
	else
		*ret = c;
	return rc;
}

void
exec_command_done(struct exec_command *c)
{
	strv_done(&c->argv);
	strv_done(&c->added);
	free(c->envp);
	c->envp = NULL;
	io_close(&c->line_fd);
	io_close(&c->stream_fd);
	io_close(&c->script_fd);
	io_close(&c->text_fd);
}
