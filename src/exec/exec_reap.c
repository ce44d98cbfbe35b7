/* SPDX-License-Identifier: ISC */
/*
 * What lines leave behind.  A process whose parent has ended becomes ours
 * (PR_SET_CHILD_SUBREAPER, prctl(2)): so a group that outlives its bash can
 * be a job, and a daemon is reaped when it ends.
 */
#include "exec_int.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define SWEEP_MAX 4096		/* children that one look goes through */

int
exec_reap_init(struct err *err)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return err_sys(err, errno, "job control: subreaper");
	return 0;
}

int
exec_reap_orphans(struct job *j)
{
	const int flags = WNOHANG | WUNTRACED | WCONTINUED;
	int status;
	pid_t pid;

	while ((pid = waitpid(-j->pid, &status, flags)) > 0 ||
	    (pid < 0 && errno == EINTR)) {
		if (pid < 0)
			continue;
		if (WIFCONTINUED(status)) {
			j->state = JOB_RUNNING;
			continue;
		}
		j->wait_status = status;
		if (WIFSTOPPED(status))
			j->state = JOB_STOPPED;
	}
	/* Some may still have a parent of their own. */
	if (pid < 0 && errno == ECHILD && kill(-j->pid, 0) < 0 &&
	    errno == ESRCH)
		j->state = JOB_DONE;
	return 0;
}

void
exec_reap_later(struct exec_session *s, pid_t watcher)
{
	if (watcher <= 0)
		return;
	s->watchers = xreallocarray(s->watchers, s->n_watchers + 1,
	    sizeof *s->watchers);
	s->watchers[s->n_watchers++] = watcher;
	exec_reap_watchers(s);
}

void
exec_reap_watchers(struct exec_session *s)
{
	size_t i = 0;

	while (i < s->n_watchers)
		if (waitpid(s->watchers[i], NULL, WNOHANG) != 0)
			s->watchers[i] = s->watchers[--s->n_watchers];
		else
			i++;
}

static bool
is_watcher(const struct exec_session *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < s->n_watchers; i++)
		if (s->watchers[i] == pid)
			return true;
	return false;
}

static bool
is_relay(const struct job *j, pid_t pid)
{
	return j->relay != NULL && relay_pid(j->relay) == pid;
}

bool
exec_reap_is_known(void *ctx, pid_t pid)
{
	const struct exec_session *s = ctx;
	pid_t group = getpgid(pid);
	size_t i;

	if (is_watcher(s, pid) || pid == exec_launch_pid(s))
		return true;
	for (i = 0; i < EXEC_SPARED_MAX; i++)
		if (s->spared[i] == pid)
			return true;
	for (i = 0; i < s->n_jobs; i++)
		if (s->jobs[i]->pid == pid || s->jobs[i]->pid == group ||
		    is_relay(s->jobs[i], pid) ||
		    (s->jobs[i]->supervisor != NULL &&
		    supervise_pid(s->jobs[i]->supervisor) == pid))
			return true;
	return false;
}

/* Our children, proc(5); NULL without CONFIG_PROC_CHILDREN. */
static FILE *
open_children(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/task/%d/children",
	    (int)getpid());
	return fopen(path, "re");
}

/* One call instead of the list, which mostly names nobody dead. */
static bool
somebody_is_dead(void)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid != 0;
}

/* Where the kernel keeps no list the dead wait until we end. */
void
exec_reap_strays(struct exec_session *s, const struct job *j)
{
	const pid_t watcher = j != NULL && j->supervisor != NULL ?
	    supervise_pid(j->supervisor) : 0;
	pid_t strays[64];
	size_t n, seen, reaped;
	FILE *f;
	int pid;

	if (!somebody_is_dead())
		return;
	do {
		f = open_children();
		if (f == NULL)
			return;
		n = seen = reaped = 0;
		while (n < AEG_NELEM(strays) && seen++ < SWEEP_MAX &&
		    fscanf(f, "%d", &pid) == 1)
			if (pid != watcher && (j == NULL || (pid != j->pid &&
			    !is_relay(j, pid))) &&
			    !exec_reap_is_known(s, pid))
				strays[n++] = pid;
		fclose(f);
		while (n > 0)
			reaped += waitpid(strays[--n], NULL, WNOHANG) > 0;
	} while (reaped == AEG_NELEM(strays));
}

static pid_t
member_of(pid_t group)
{
	FILE *f = open_children();
	size_t seen = 0;
	pid_t found = group;
	int pid;

	while (f != NULL && seen++ < SWEEP_MAX && fscanf(f, "%d", &pid) == 1)
		if (getpgid(pid) == group)
			found = pid;
	if (f != NULL)
		fclose(f);
	return found;
}

bool
exec_linger(struct exec_session *s, struct job *j)
{
	if (s->opts.tty < 0 || !j->own_group || j->state != JOB_DONE ||
	    kill(-j->pid, 0) < 0)
		return false;
	j->orphans = true;
	j->foreground = false;
	j->state = JOB_RUNNING;
	j->told = JOB_RUNNING;
	j->bound = false;
	j->survivor = member_of(j->pid);
	exec_job_enter(s, j);
	return true;
}

