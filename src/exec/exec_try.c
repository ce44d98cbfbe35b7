/* SPDX-License-Identifier: ISC */
/*
 * A line that is only tried: what the session's lines run in, prepared and
 * entered within the view that try.h makes.  Landlock's rules are of the
 * files there.
 */
#include "exec_int.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

struct arrival {
	const struct exec_session *s;
	struct exec_child *c;
	const char *cwd;
};

/* Process 1 of the place, which nothing of the line may signal or look
 * into. */
static int
arrive(void *ctx, struct err *err)
{
	struct arrival *a = ctx;
	struct exec_child *c = a->c;
	struct sandbox *sandbox = NULL;
	pid_t pid, dead;
	int rc;

	if (chdir(a->cwd) < 0)
		return err_sys(err, errno, "a try does not see %s", a->cwd);
	rc = sandbox_prepare(a->s->opts.profile, &sandbox, err);
	if (rc < 0)
		return rc;
	c->shell = exec_shell_open(a->s->opts.profile, err);
	if (c->shell < 0)
		return c->shell;
	c->sandbox = sandbox;
	c->profile = a->s->opts.profile;
	c->parent = getpid();
	c->parent_signal = SIGKILL;
	pid = exec_child_clone(c, SIGCHLD, &dead);
	return pid > 0 ? pid : exec_child_error(c, -pid, err);
}

pid_t
exec_try(struct exec_session *s, struct try *t, struct exec_child *c,
    struct err *err)
{
	AEG_AUTOFREE char *cwd = getcwd(NULL, 0);
	struct arrival a = { s, c, cwd };

	if (cwd == NULL || cwd[0] != '/')
		return err_sys(err, cwd == NULL ? errno : ENOENT,
		    "the working directory");
	return try_start(t, arrive, &a, err);
}
