/* SPDX-License-Identifier: ISC */
/* What the files of cgroup share. */
#ifndef AEGSH_CGROUP_INT_H
#define AEGSH_CGROUP_INT_H

#include "aegsh/cgroup.h"

#define CGROUP_OWN "aegsh-"	/* PID: where we are ourselves */
#define CGROUP_LINE "line-"	/* PID-N */
#define CGROUP_TEXT_MAX ((size_t)1024 * 1024)	/* of a file that is read */

struct cgroup {
	int dir;
	int own;		/* where we went, or -1: we were there */
	char *path;
	unsigned controllers;
	unsigned passed;	/* of them, that did not pass before us */
	pid_t pid;		/* whose lines they are … */
	pid_t maker;		/* … and the process that this is */
	unsigned n;		/* that it had */
};

/* cgroup_find.c.  "/path" of the process, owned, or NULL. */
char *cgroup_own_path(const struct cgroup_host *h);
/* cgroup.c.  Processes in its group that it started; how many. */
size_t cgroup_below(const struct cgroup_host *h, pid_t *ret, size_t size);

/* cgroup_file.c.  A file of the directory, whole, with a NUL, owned; NULL with
 * errno. */
char *cgroup_read(int dir, const char *name);
/* 0; -errno. */
int cgroup_write(int dir, const char *name, const char *text);
/* The number after that word at the begin of a line of the file, or 0. */
uint64_t cgroup_value(int dir, const char *name, const char *word);
/* How many processes of it were killed for its own limit of memory. */
uint64_t cgroup_killed(int dir);
/* CGROUP_… of the words in it. */
unsigned cgroup_words(int dir, const char *name);
/* The process that the name tells of after this prefix, or 0. */
pid_t cgroup_name_pid(const char *name, const char *prefix);
/* Groups in it that processes of ours which are gone have left, or that one
 * itself (0: none). */
void cgroup_sweep(int dir, pid_t self);
/* How many groups are in it; SWEEP_MAX at most. */
size_t cgroup_count(int dir);

#endif
