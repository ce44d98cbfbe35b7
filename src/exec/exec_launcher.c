/* SPDX-License-Identifier: ISC */
/*
 * The launcher: the process that stands in the session's sandbox and clones
 * each line's bash as a child of aegsh's.
 *
 * Every command of the session may kill or stop it, so it guards nothing:
 * whoever starts through it is confined already, and when it is gone aegsh
 * starts another.  Commands can neither trace it nor look into it: each
 * line has a Landlock domain of its own inside, and the launcher is not
 * dumpable.
 */
#include "exec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rights.h"

/* A request as it came, and what it takes to undo it. */
struct order {
	struct exec_request head;
	char *strings;
	void *map;		/* of the memory file, or NULL */
	const char **vector;	/* path, NULL, argv, NULL, envp, NULL */
	int fd[EXEC_REQUEST_FDS];
	size_t n_fds;
};

static char packet[sizeof(struct exec_request) + EXEC_LAUNCH_INLINE];

static void
order_done(struct order *o)
{
	size_t i;

	if (o->map != NULL)
		munmap(o->map, o->head.bytes);
	free(o->vector);
	for (i = 0; i < o->n_fds; i++)
		close(o->fd[i]);
}

/* The next request's packet; its length, 0 at the end. */
static ssize_t
receive(struct order *o)
{
	const struct iovec iov = { packet, sizeof packet };
	size_t n_fds = AEG_NELEM(o->fd);
	ssize_t n = rights_receive(EXEC_LAUNCHER_SOCK, &iov, 1, 0, o->fd,
	    &n_fds);

	if (n > 0)
		o->n_fds = n_fds;
	return n == -EMSGSIZE || n == -EBADMSG ? -1 : n > 0 ? n : 0;
}

/* Cut the strings apart; false when there are not so many. */
static bool
cut(struct order *o)
{
	const uint32_t part[] = { o->head.pathc, o->head.argc, o->head.envc };
	const char *p = o->strings, *end = p + o->head.bytes;
	size_t k, at = 0;
	uint32_t i;

	o->vector = xreallocarray(NULL, (size_t)part[0] + part[1] + part[2] +
	    AEG_NELEM(part), sizeof *o->vector);
	for (k = 0; k < AEG_NELEM(part); k++) {
		for (i = 0; i < part[k]; i++) {
			const char *nul = memchr(p, '\0', (size_t)(end - p));

			if (nul == NULL)
				return false;
			o->vector[at++] = p;
			p = nul + 1;
		}
		o->vector[at++] = NULL;
	}
	return true;
}

static bool
parse(struct order *o, ssize_t n)
{
	const struct exec_request *h = &o->head;

	if (n < (ssize_t)sizeof *h)
		return false;
	memcpy(&o->head, packet, sizeof *h);
	if (h->pathc > 1 || h->argc == 0 || h->argc > EXEC_LAUNCH_STRINGS ||
	    h->envc > EXEC_LAUNCH_STRINGS || h->bytes > EXEC_LAUNCH_MAX ||
	    h->n_fds > EXEC_FDS_MAX ||
	    o->n_fds != h->n_fds + 1 + (h->supervised != 0) +
	    (h->held != 0) + (h->in_file != 0))
		return false;
	o->strings = packet + sizeof *h;
	if (h->in_file) {
		o->map = mmap(NULL, h->bytes, PROT_READ, MAP_PRIVATE,
		    o->fd[o->n_fds - 1], 0);
		if (o->map == MAP_FAILED) {
			o->map = NULL;
			return false;
		}
		o->strings = o->map;
	} else if ((size_t)n - sizeof *h != h->bytes) {
		return false;
	}
	return cut(o);
}

static void
launch(struct order *o, const struct sandbox *sandbox, const char *bash,
    int shell, struct exec_reply *ret)
{
	char *const *argv = (char *const *)o->vector + o->head.pathc + 1;
	struct exec_child c = {
		.path = bash,
		.shell = shell,
		.argv = argv,
		.envp = argv + o->head.argc + 1,
		.n_fds = o->head.n_fds,
		.cwd = o->fd[0],
		.cwd_path = o->vector[0],
		.tty = o->head.tty ? EXEC_LAUNCHER_TTY : -1,
		.foreground = o->head.foreground != 0,
		.set_umask = o->head.set_umask != 0,
		.umask = o->head.umask,
		.limits = o->head.set_limits != 0 ? o->head.limits : NULL,
		.ignored = o->head.ignored,
		.parent = getppid(),
		.parent_signal = exec_parent_signal(o->head.tty != 0,
		    o->head.foreground != 0),
		.sandbox = sandbox,
		.inside = true,
		.supervisor = o->head.supervised != 0 ?
		    o->fd[1 + o->head.n_fds] : -1,
		.notify = EXEC_LAUNCHER_NOTE,
		.word = o->head.held != 0 ? o->fd[1 + o->head.n_fds +
		    (o->head.supervised != 0)] : -1,
	};
	pid_t pid, dead;
	size_t i;

	for (i = 0; i < c.n_fds; i++) {
		c.fd[i].from = o->fd[i + 1];
		c.fd[i].to = o->head.to[i];
	}
	pid = exec_child_clone(&c, CLONE_PARENT | SIGCHLD, &dead);
	ret->error = pid < 0 ? -pid : 0;
	ret->pid = pid < 0 ? dead : pid;
	ret->failed = c.failed;
	ret->layer = (int32_t)c.layer;
}

static void
serve(const struct sandbox *sandbox, const char *bash, int shell)
{
	for (;;) {
		struct order o = { .n_fds = 0 };
		struct exec_reply reply = { .error = EPROTO };
		ssize_t n = receive(&o);

		if (n == 0)
			return;
		if (parse(&o, n))
			launch(&o, sandbox, bash, shell, &reply);
		order_done(&o);
		if (send(EXEC_LAUNCHER_SOCK, &reply, sizeof reply,
		    MSG_NOSIGNAL) < 0)
			return;
	}
}

static int
enter(const struct sandbox_profile *profile, struct sandbox **ret,
    int *ret_shell, struct err *err)
{
	enum sandbox_layer layer = SANDBOX_NNP;
	int rc;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(err, errno, "launcher");
	*ret_shell = exec_shell_open(profile, err);
	if (*ret_shell < 0)
		return *ret_shell;
	rc = sandbox_prepare(profile, ret, err);
	if (rc < 0)
		return rc;
	rc = sandbox_apply_session(*ret, &layer);
	if (rc == 0)
		return 0;
	err_sys(err, -rc, "sandbox layer %s", sandbox_layer_name(layer));
	err->code = ERR_LAYER;
	return ERR_LAYER;
}

void
exec_launcher_main(const struct sandbox_profile *profile, const char *bash)
{
	struct exec_ready ready = { .code = 0 };
	struct sandbox *sandbox = NULL;
	struct err err = ERR_INIT;
	int shell = 0;

	ready.code = enter(profile, &sandbox, &shell, &err);
	memcpy(ready.text, err.text, sizeof ready.text);
	if (send(EXEC_LAUNCHER_SOCK, &ready, sizeof ready, MSG_NOSIGNAL) < 0
	    || ready.code < 0)
		_exit(1);
	serve(sandbox, bash, shell);
	_exit(0);
}
