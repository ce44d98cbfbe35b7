/* SPDX-License-Identifier: ISC */
/* The group of one line. */
#include "cgroup_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define US_OF_MS 1000

struct cgroup_line {
	int above;		/* the directory that it lies in */
	int dir;
	int procs;		/* or -1 */
	char name[48];
};

static int
write_number(int dir, const char *name, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, n);
	return cgroup_write(dir, name, text);
}

/* All of it ends where it needs more: a part that went on would be a line
 * without some of its processes.  What would be swapped out is not counted as
 * memory; a kernel without swap has no such file. */
static int
limit_memory(int dir, uint64_t most)
{
	int rc = write_number(dir, "memory.max", most);

	if (rc == 0)
		rc = cgroup_write(dir, "memory.oom.group", "1");
	if (rc == 0)
		rc = cgroup_write(dir, "memory.swap.max", "0");
	return rc == -ENOENT && faccessat(dir, "memory.swap.max", F_OK, 0) < 0
	    && faccessat(dir, "memory.oom.group", F_OK, 0) == 0 ? 0 : rc;
}

static int
set_up(const struct cgroup *c, struct cgroup_line *l,
    const struct cgroup_limits *most)
{
	int rc = 0;

	l->dir = openat(l->above, l->name, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC | O_NOFOLLOW);
	if (l->dir < 0)
		return -errno;
	if (most->memory > 0 && (c->controllers & CGROUP_MEMORY) != 0)
		rc = limit_memory(l->dir, most->memory);
	if (rc == 0 && most->tasks > 0 && (c->controllers & CGROUP_PIDS) != 0)
		rc = write_number(l->dir, "pids.max", most->tasks);
	if (rc < 0)
		return rc;
	l->procs = openat(l->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	return l->procs < 0 ? -errno : 0;
}

int
cgroup_line_new(struct cgroup *c, const struct cgroup_limits *most,
    struct cgroup_line **ret, struct err *err)
{
	struct cgroup_line *l = xcalloc(1, sizeof *l);
	int rc;

	l->dir = l->procs = -1;
	snprintf(l->name, sizeof l->name, CGROUP_LINE "%d-%u", (int)c->pid,
	    ++c->n);
	l->above = fcntl(c->dir, F_DUPFD_CLOEXEC, 3);
	rc = l->above < 0 || mkdirat(l->above, l->name, 0755) < 0 ? -errno :
	    set_up(c, l, most);
	if (rc == 0) {
		*ret = l;
		return 0;
	}
	err_sys(err, -rc, "control group %s/%s", c->path, l->name);
	if (rc != -EEXIST)
		cgroup_line_remove(l);
	cgroup_line_free(l);
	return rc;
}

int
cgroup_line_procs(const struct cgroup_line *l)
{
	return l->procs;
}

void
cgroup_line_enter_done(struct cgroup_line *l)
{
	io_close(&l->procs);
}

void
cgroup_line_fds(const struct cgroup_line *l, int ret[2])
{
	ret[0] = l->above;
	ret[1] = l->dir;
}

bool
cgroup_line_has(const struct cgroup_line *l, pid_t pid)
{
	AEG_AUTOFREE char *text = cgroup_read(l->dir, "cgroup.procs");
	char *p = text, *line;
	int64_t n;

	while (p != NULL && (line = strsep(&p, "\n")) != NULL)
		if (text_to_i64(line, 1, INT32_MAX, &n) == 0 && n == pid)
			return true;
	return false;
}

void
cgroup_line_used(const struct cgroup_line *l, struct cgroup_used *ret)
{
	*ret = (struct cgroup_used){
		.cpu_ms = cgroup_value(l->dir, "cpu.stat", "usage_usec") /
		    US_OF_MS,
		.killed = cgroup_killed(l->dir),
		.refused = cgroup_value(l->dir, "pids.events", "max"),
	};
}

void
cgroup_line_kill(const struct cgroup_line *l)
{
	(void)cgroup_write(l->dir, "cgroup.kill", "1");
}

void
cgroup_line_remove(const struct cgroup_line *l)
{
	(void)unlinkat(l->above, l->name, AT_REMOVEDIR);
}

void
cgroup_line_free(struct cgroup_line *l)
{
	if (l == NULL)
		return;
	io_close(&l->procs);
	io_close(&l->dir);
	io_close(&l->above);
	free(l);
}
