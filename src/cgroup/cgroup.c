/* SPDX-License-Identifier: ISC */
/* A part of the tree that is ours, and us in it. */
#include "cgroup_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define DEPTH_MAX 64		/* of parents */
#define PASSES 8		/* what is moved may just have forked */

/* ---- who is in it -------------------------------------------------------- */

static pid_t
parent_of(const struct cgroup_host *h, pid_t pid)
{
	AEG_AUTOFREE char *name = xasprintf("%s/proc/%d/stat", h->root,
	    (int)pid);
	AEG_AUTOFREE char *text = cgroup_read(AT_FDCWD, name);
	const char *p = text != NULL ? strrchr(text, ')') : NULL;
	int parent = 0;

	/* The name of the program may hold anything. */
	if (p == NULL || sscanf(p + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

static bool
is_below(const struct cgroup_host *h, pid_t pid)
{
	unsigned depth;

	for (depth = 0; pid > 1 && depth < DEPTH_MAX; depth++) {
		if (pid == h->pid)
			return true;
		pid = parent_of(h, pid);
	}
	return false;
}

/* Each process in the directory; how many, or -errno. */
static int
each_process(int dir, int (*fn)(void *ctx, pid_t pid), void *ctx)
{
	AEG_AUTOFREE char *text = cgroup_read(dir, "cgroup.procs");
	char *p = text, *line;
	int64_t pid;
	int rc = 0, n = 0;

	if (text == NULL)
		return -errno;
	while (rc >= 0 && (line = strsep(&p, "\n")) != NULL) {
		if (line[0] == '\0')
			continue;
		/* 0: of another namespace. */
		if (text_to_i64(line, 1, INT32_MAX, &pid) < 0)
			return -EBUSY;
		rc = fn(ctx, (pid_t)pid);
		n++;
	}
	return rc < 0 ? rc : n;
}

struct below {
	const struct cgroup_host *h;
	pid_t *pid;
	size_t n, size;
};

static int
take_one(void *ctx, pid_t pid)
{
	struct below *b = ctx;

	if (pid != b->h->pid && b->n < b->size && is_below(b->h, pid))
		b->pid[b->n++] = pid;
	return 0;
}

size_t
cgroup_below(const struct cgroup_host *h, pid_t *ret, size_t size)
{
	AEG_AUTO(cgroup_found_done) struct cgroup_found f = { .dir = NULL };
	struct below b = { h, ret, 0, size };
	int dir = -1;

	cgroup_find(h, &f);
	if (f.dir != NULL)
		dir = open(f.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0)
		(void)each_process(dir, take_one, &b);
	io_close(&dir);
	return b.n;
}

struct move {
	const struct cgroup_host *h;
	int to;
};

static int
check_one(void *ctx, pid_t pid)
{
	const struct move *m = ctx;

	/* One that has ended since then is nobody's. */
	return is_below(m->h, pid) || parent_of(m->h, pid) == 0 ? 0 : -EBUSY;
}

static int
move_one(void *ctx, pid_t pid)
{
	const struct move *m = ctx;
	char text[16];
	int rc;

	snprintf(text, sizeof text, "%d", (int)pid);
	rc = cgroup_write(m->to, "cgroup.procs", text);
	return rc == -ESRCH ? 0 : rc;
}

/* With those that we started, until nobody is left. */
static int
move_in(const struct cgroup_host *h, int from, int to)
{
	struct move m = { h, to };
	int pass, n = -EBUSY;

	for (pass = 0; pass < PASSES; pass++) {
		n = each_process(from, check_one, &m);
		if (n <= 0)
			break;
		n = each_process(from, move_one, &m);
		if (n < 0)
			break;
		n = -EBUSY;
	}
	return n;
}

/* ---- beginning ----------------------------------------------------------- */

#define PASSED "cgroup.subtree_control"

/* Those that do not pass yet. */
static int
pass_on(struct cgroup *c)
{
	const unsigned want = c->controllers & ~cgroup_words(c->dir, PASSED);
	int rc = 0;

	if (want & CGROUP_MEMORY)
		rc = cgroup_write(c->dir, PASSED, "+memory");
	if (rc == 0)
		c->passed |= want & CGROUP_MEMORY;
	if (rc == 0 && want & CGROUP_PIDS)
		rc = cgroup_write(c->dir, PASSED, "+pids");
	if (rc == 0)
		c->passed |= want & CGROUP_PIDS;
	return rc;
}

/* As it was, for those who come after us: a group that divides what it has
 * takes no process.  Not while there are others in it that need that. */
static void
go_back(const struct cgroup_host *h, struct cgroup *c)
{
	char name[32];

	if (c->own < 0 || cgroup_count(c->dir) != 1)
		return;
	if (c->passed & CGROUP_MEMORY)
		(void)cgroup_write(c->dir, PASSED, "-memory");
	if (c->passed & CGROUP_PIDS)
		(void)cgroup_write(c->dir, PASSED, "-pids");
	(void)move_in(h, c->own, c->dir);
	snprintf(name, sizeof name, CGROUP_OWN "%d", (int)c->pid);
	(void)unlinkat(c->dir, name, AT_REMOVEDIR);
}

/* Into a group of our own below it, and back where that fails. */
static int
settle(const struct cgroup_host *h, struct cgroup *c, bool inside)
{
	char name[32];
	int rc;

	if (inside)
		return pass_on(c);
	snprintf(name, sizeof name, CGROUP_OWN "%d", (int)h->pid);
	if (mkdirat(c->dir, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	c->own = openat(c->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
	    O_NOFOLLOW);
	rc = c->own < 0 ? -errno : move_in(h, c->dir, c->own);
	if (rc == 0)
		rc = pass_on(c);
	if (rc < 0)
		go_back(h, c);
	return rc;
}

static void
done(struct cgroup *c)
{
	io_close(&c->own);
	io_close(&c->dir);
	free(c->path);
	free(c);
}

int
cgroup_begin(const struct cgroup_host *h, struct cgroup **ret,
    struct err *err)
{
	AEG_AUTO(cgroup_found_done) struct cgroup_found f = { .dir = NULL };
	struct cgroup *c;
	int rc;

	cgroup_find(h, &f);
	if (f.state != CGROUP_OURS)
		return err_set(err, ERR_REFUSED, "control group%s%s: %s",
		    f.dir != NULL ? " " : "", f.dir != NULL ? f.dir : "",
		    f.why);
	c = xcalloc(1, sizeof *c);
	c->controllers = f.controllers;
	c->pid = h->pid;
	c->maker = getpid();
	c->own = -1;
	c->dir = open(f.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	rc = c->dir < 0 ? -errno : 0;
	if (rc == 0) {
		cgroup_sweep(c->dir, 0);
		rc = settle(h, c, f.inside);
	}
	if (rc < 0) {
		err_sys(err, -rc, "control group %s", f.dir);
		done(c);
		return rc;
	}
	c->path = f.dir;
	f.dir = NULL;
	*ret = c;
	return 0;
}

const char *
cgroup_dir(const struct cgroup *c)
{
	return c->path;
}

unsigned
cgroup_controllers(const struct cgroup *c)
{
	return c->controllers;
}

void
cgroup_free(struct cgroup *c)
{
	const struct cgroup_host h = { "", 0, c != NULL ? c->pid : 0 };

	if (c == NULL)
		return;
	/* Not a copy of us. */
	if (c->maker == getpid()) {
		cgroup_sweep(c->dir, c->pid);
		go_back(&h, c);
	}
	done(c);
}
