/* SPDX-License-Identifier: ISC */
/*
 * Groups of processes that the kernel counts together (cgroups(7), the second
 * version), where a part of their tree is ours to arrange: it was delegated,
 * as systemd does for units with Delegate=yes, and an administrator by giving
 * away a directory and its files cgroup.procs and cgroup.subtree_control.
 *
 * A group that divides what it has among groups below it may have no process
 * of its own.  So we go into one below first, "aegsh-PID", with all that we
 * have started; each line that is limited gets another beside it, "line-PID-N".
 *
 * A line's limits are counted by its supervisor whether it has such a group or
 * not (aegsh/supervise.h): the group adds that the kernel holds them between
 * two looks, counts what ended unseen, and kills all of it at once.
 */
#ifndef AEGSH_CGROUP_H
#define AEGSH_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/err.h"

enum cgroup_state {
	CGROUP_NONE = 0,	/* no such tree, or nothing in it to use */
	CGROUP_OTHERS,		/* somebody else arranges our part of it */
	CGROUP_BUSY,		/* ours, with processes that we did not start */
	CGROUP_OURS,
};

enum {
	CGROUP_MEMORY = 1 << 0,
	CGROUP_PIDS = 1 << 1,
};

/* Which machine this is: one made up below a directory, for tests.  There what
 * lies in the tree are plain files. */
struct cgroup_host {
	const char *root;	/* "", or the directory */
	uid_t uid;
	pid_t pid;		/* whose group it is */
};

struct cgroup_found {
	enum cgroup_state state;
	unsigned controllers;	/* CGROUP_…, that it can give */
	char *dir;		/* where lines would get theirs; owned; NULL */
	bool inside;		/* the process is in a group of ours below it */
	char why[160];		/* not: in words, inert */
};

/* Look, and change nothing. */
void cgroup_find(const struct cgroup_host *h, struct cgroup_found *ret);
void cgroup_found_done(struct cgroup_found *f);

struct cgroup;

/* Go where processes may be, and make the controllers pass.  h borrowed for
 * the call.  ERR_REFUSED: it is not ours, or not ours alone; -errno; all is as
 * it was then, but for empty groups. */
int cgroup_begin(const struct cgroup_host *h, struct cgroup **ret,
	struct err *err);
/* Where systemd arranges it: have the user's manager make a scope for us and
 * those that we started, which takes some milliseconds; then begin.  program:
 * busctl(1), which the caller trusts.  ERR_REFUSED: there is no manager;
 * -errno. */
int cgroup_ask(const struct cgroup_host *h, const char *program,
	struct err *err);
const char *cgroup_dir(const struct cgroup *c);
unsigned cgroup_controllers(const struct cgroup *c);
/* Groups of lines that are over are removed; it is left to be.  NULL is
 * none. */
void cgroup_free(struct cgroup *c);

/* ---- a line's ----------------------------------------------------------- */

/* 0: no such limit. */
struct cgroup_limits {
	uint64_t memory;	/* bytes: of its own, of memory files, and what
				 * the kernel needs for it; none of swap */
	uint64_t tasks;		/* processes and threads */
};

struct cgroup_line;

/* -errno: there is none, and nothing left of it.  What c cannot give is not
 * held by it. */
int cgroup_line_new(struct cgroup *c, const struct cgroup_limits *most,
	struct cgroup_line **ret, struct err *err);
/* Writable: who writes "0" there is in it from then on, with all that it
 * starts; or -1.  The line's own. */
int cgroup_line_procs(const struct cgroup_line *l);
/* Nobody else goes in. */
void cgroup_line_enter_done(struct cgroup_line *l);
/* Two descriptors that it needs. */
void cgroup_line_fds(const struct cgroup_line *l, int ret[2]);
bool cgroup_line_has(const struct cgroup_line *l, pid_t pid);

struct cgroup_used {
	uint64_t cpu_ms;	/* of all that ever was in it */
	uint64_t killed;	/* processes, for its own limit of memory */
	uint64_t refused;	/* new processes or threads */
};
/* Zeros where it cannot be read. */
void cgroup_line_used(const struct cgroup_line *l, struct cgroup_used *ret);
/* SIGKILL for all in it at once (Linux 5.14; before that, nothing). */
void cgroup_line_kill(const struct cgroup_line *l);
/* Where nothing is in it any more. */
void cgroup_line_remove(const struct cgroup_line *l);
/* Only the descriptors go.  NULL is none. */
void cgroup_line_free(struct cgroup_line *l);

#endif
