/* SPDX-License-Identifier: ISC */
/*
 * Where the copies lie that are edited: a directory aegsh-edit.XXXXXX of the
 * user's own, with a list of what they were.  It is locked for as long as this
 * program or the editor lives, the editor having the lock from it.  What is
 * left behind by a session that was killed is seen by that: the next edit
 * removes it where nothing was changed, and else calls it aegsh-kept.XXXXXX
 * and tells so, once.
 */
#include "elevate/elevate_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/scratch.h"
#include "aegsh/base/text.h"
#include "elevate/elevate_edit.h"
#include "elevate/elevate_int.h"

#define PREFIX "aegsh-edit."
#define PREFIX_KEPT "aegsh-kept."
#define LIST ".aegsh-edit"
#define LIST_MAX ((size_t)EDIT_FILES_MAX * (EDIT_NAME_MAX + 80))
#define BEFORE_S 10		/* seconds; any change is later than that */

/* ---- the list ----------------------------------------------------------- */

/* "12 1700000000.123456789 name", of each. */
static void
put_entry(struct buf *b, const char *name, const struct stat *st)
{
	buf_putf(b, "%lld %lld.%09ld %s\n", (long long)st->st_size,
	    (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, name);
}

int
elevate_place_add(struct elevate_place *p, const char *name, const void *bytes,
    size_t len)
{
	AEG_AUTOFD int fd = openat(p->fd, name, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0600);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		{ .tv_sec = time(NULL) - BEFORE_S } };
	struct stat st;
	int rc = fd < 0 ? -errno : io_write_full(fd, bytes, len);

	if (rc < 0)
		return rc;
	if (futimens(fd, times) < 0 || fstat(fd, &st) < 0)
		return -errno;
	put_entry(&p->list, name, &st);
	return 0;
}

int
elevate_place_begin(struct elevate_place *p)
{
	AEG_AUTOFD int fd = openat(p->fd, LIST, O_WRONLY | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : io_write_full(fd, p->list.data, p->list.len);
}

/* Empty where there is none that can be read. */
static void
read_list(int dir, struct buf *ret)
{
	AEG_AUTOFD int fd = openat(dir, LIST, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    io_read_all(fd, ret) < 0)
		buf_reset(ret);
}

/* Its name in an entry, behind two blanks; NULL: it is none. */
static const char *
entry_name(const char *entry, const char *end)
{
	const char *p = memchr(entry, ' ', (size_t)(end - entry));

	if (p != NULL)
		p = memchr(p + 1, ' ', (size_t)(end - p - 1));
	return p == NULL ? NULL : p + 1;
}

/* It stands in the list: as it was then, or, without st, at all. */
static bool
is_listed(const struct buf *list, const char *name, const struct stat *st)
{
	AEG_AUTO(buf_done) struct buf entry = BUF_INIT;
	const char *p = list->len > 0 ? list->data : "", *end;
	size_t n = strlen(name);

	if (strchr(name, '\n') != NULL)
		return false;
	if (st != NULL)
		put_entry(&entry, name, st);
	for (; (end = strchr(p, '\n')) != NULL; p = end + 1) {
		size_t len = (size_t)(end + 1 - p);
		const char *its = entry_name(p, end);

		if (st != NULL && len == entry.len &&
		    memcmp(p, entry.data, len) == 0)
			return true;
		if (st == NULL && its != NULL && (size_t)(end - its) == n &&
		    memcmp(its, name, n) == 0)
			return true;
	}
	return false;
}

/* ---- what lies there ---------------------------------------------------- */

/* None but what the list has; and, where asked so, as it was then.  Without a
 * list: nothing at all. */
static bool
is_bare(int dir, bool unchanged)
{
	AEG_AUTO(buf_done) struct buf list = BUF_INIT_MAX(LIST_MAX);
	DIR *d = scratch_list(dir);
	const char *name;
	struct stat st;
	bool bare = d != NULL;

	read_list(dir, &list);
	while (bare && (name = scratch_next(d)) != NULL) {
		if (strcmp(name, LIST) == 0 && list.len > 0)
			continue;
		bare = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) &&
		    is_listed(&list, name, unchanged ? &st : NULL);
	}
	if (d != NULL)
		closedir(d);
	return bare;
}

bool
elevate_place_is_bare(const struct elevate_place *p)
{
	return is_bare(p->fd, false);
}

/* ---- where they lie ----------------------------------------------------- */

static const char *
directory(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp != NULL && tmp[0] == '/' ? tmp : "/tmp";
}

int
elevate_place_make(struct elevate_place *p)
{
	int rc;

	p->list = (struct buf)BUF_INIT_MAX(LIST_MAX);
	free(p->path);
	p->path = NULL;
	p->fd = scratch_make(directory(), PREFIX, &p->path);
	if (p->fd < 0)
		return p->fd;
	/* The editor is to have the lock, too. */
	rc = io_set_cloexec(p->fd, 0);
	return rc < 0 ? rc : 0;
}

/* PATH/aegsh-edit.XXXXXX, or just that: aegsh-kept.XXXXXX; owned. */
static char *
kept_name(const char *path)
{
	const char *base = path_base(path);

	return xasprintf("%.*s" PREFIX_KEPT "%s", (int)(base - path), path,
	    base + strlen(PREFIX));
}

void
elevate_place_keep(struct elevate_place *p)
{
	AEG_AUTOFREE char *to = NULL;

	if (p->fd < 0)
		return;
	unlinkat(p->fd, LIST, 0);
	/* An empty directory alone would have to go for it. */
	to = kept_name(p->path);
	if (rename(p->path, to) < 0)
		return;
	free(p->path);
	p->path = AEG_STEAL(to);
}

/* Inert: the directory has its name from the environment. */
static void
say(const char *caller, const char *what, const char *path)
{
	AEG_AUTOFREE char *text = xasprintf("aegsh: %s: %s %s\n", caller,
	    what, path);
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	text_inert(&out, text, strlen(text), TEXT_INERT_NEWLINE);
	(void)io_write_full(STDERR_FILENO, out.data, out.len);
}

void
elevate_place_drop(struct elevate_place *p, const char *caller)
{
	if (p->fd < 0)
		return;
	scratch_empty(p->fd);
	if (rmdir(p->path) == 0 || errno == ENOENT)
		return;
	elevate_place_keep(p);
	say(caller, "what the editor left behind is kept in", p->path);
}

void
elevate_place_done(struct elevate_place *p)
{
	io_close(&p->fd);
	buf_done(&p->list);
	free(p->path);
	p->path = NULL;
}

/* ---- what others left --------------------------------------------------- */

struct sweep {
	const char *caller, *dir;
};

static void
look_at(void *ctx, int parent, const char *name, int fd)
{
	const struct sweep *w = ctx;
	AEG_AUTOFREE char *to = NULL;
	AEG_AUTOFREE char *path = NULL;

	if (is_bare(fd, true)) {
		scratch_empty(fd);
		unlinkat(parent, name, AT_REMOVEDIR);
		return;
	}
	to = kept_name(name);
	unlinkat(fd, LIST, 0);
	if (renameat(parent, name, parent, to) < 0) {
		free(to);
		to = xstrdup(name);
	}
	path = xasprintf("%s/%s", w->dir, to);
	say(w->caller, "what was edited in a session that was killed is kept "
	    "in", path);
}

void
elevate_place_sweep(const char *caller)
{
	struct sweep w = { caller, directory() };

	scratch_each_left(w.dir, PREFIX, look_at, &w);
}
