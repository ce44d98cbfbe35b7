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

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "elevate/elevate_edit.h"
#include "elevate/elevate_int.h"

#define PREFIX "aegsh-edit."
#define PREFIX_KEPT "aegsh-kept."
#define SUFFIX_LEN 6U		/* by mkdtemp(3) */
#define LIST ".aegsh-edit"
#define LIST_MAX ((size_t)EDIT_FILES_MAX * (EDIT_NAME_MAX + 80))
#define LOOKED_MAX 65536	/* entries of a directory for such files */
#define FOUND_MAX 64		/* of those in it that are looked at */
#define TRIES 8			/* against who takes a new one for left */
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

static DIR *
list_of(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d == NULL)
		io_close(&fd);
	return d;
}

/* The next of its names but "." and "..", or NULL. */
static const char *
next_name(DIR *d)
{
	const struct dirent *e;

	while ((e = readdir(d)) != NULL && (strcmp(e->d_name, ".") == 0 ||
	    strcmp(e->d_name, "..") == 0))
		;
	return e == NULL ? NULL : e->d_name;
}

/* None but what the list has; and, where asked so, as it was then.  Without a
 * list: nothing at all. */
static bool
is_bare(int dir, bool unchanged)
{
	AEG_AUTO(buf_done) struct buf list = BUF_INIT_MAX(LIST_MAX);
	DIR *d = list_of(dir);
	const char *name;
	struct stat st;
	bool bare = d != NULL;

	read_list(dir, &list);
	while (bare && (name = next_name(d)) != NULL) {
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

/* An editor's backups and the like, too; a directory that is none of ours
 * holds the rest there. */
static void
empty(int dir)
{
	DIR *d = list_of(dir);
	const char *name;

	while (d != NULL && (name = next_name(d)) != NULL)
		unlinkat(dir, name, 0);
	if (d != NULL)
		closedir(d);
}

/* ---- where they lie ----------------------------------------------------- */

static const char *
directory(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp != NULL && tmp[0] == '/' ? tmp : "/tmp";
}

/* That one, and not another that has its name by now. */
static bool
is_at(int fd, int parent, const char *name)
{
	struct stat there, st;

	return fstat(fd, &st) == 0 && fstatat(parent, name, &there,
	    AT_SYMLINK_NOFOLLOW) == 0 && there.st_dev == st.st_dev &&
	    there.st_ino == st.st_ino;
}

/* 1; 0: somebody took it for left behind, before it was locked. */
static int
make(struct elevate_place *p)
{
	free(p->path);
	p->path = xasprintf("%s/" PREFIX "XXXXXX", directory());
	if (mkdtemp(p->path) == NULL)
		return -errno;
	/* Not close-on-exec: the editor is to have it. */
	p->fd = open(p->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (p->fd < 0)
		return errno == ENOENT ? 0 : -errno;
	/* Where directories can't be locked nobody finds one unlocked. */
	if ((flock(p->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
	    is_at(p->fd, AT_FDCWD, p->path))
		return 1;
	io_close(&p->fd);
	return 0;
}

int
elevate_place_make(struct elevate_place *p)
{
	int tries, rc = 0;

	p->list = (struct buf)BUF_INIT_MAX(LIST_MAX);
	for (tries = 0; rc == 0 && tries < TRIES; tries++)
		rc = make(p);
	return rc == 0 ? -EBUSY : rc < 0 ? rc : 0;
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
	empty(p->fd);
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

static bool
is_one(const char *name)
{
	return text_starts(name, PREFIX) &&
	    strlen(name) == strlen(PREFIX) + SUFFIX_LEN &&
	    strspn(name + strlen(PREFIX), "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == SUFFIX_LEN;
}

/* As we make them, and of nobody who lives. */
static int
open_left(int parent, const char *name)
{
	AEG_AUTOFD int fd = openat(parent, name, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int found;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() ||
	    (st.st_mode & 07777) != 0700 ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0 || !is_at(fd, parent, name))
		return -1;
	found = fd;
	fd = -1;
	return found;
}

static void
look_at(const char *caller, const char *dir, int parent, const char *name)
{
	AEG_AUTOFD int fd = open_left(parent, name);
	AEG_AUTOFREE char *to = NULL;
	AEG_AUTOFREE char *path = NULL;

	if (fd < 0)
		return;
	if (is_bare(fd, true)) {
		empty(fd);
		unlinkat(parent, name, AT_REMOVEDIR);
		return;
	}
	to = kept_name(name);
	unlinkat(fd, LIST, 0);
	if (renameat(parent, name, parent, to) < 0) {
		free(to);
		to = xstrdup(name);
	}
	path = xasprintf("%s/%s", dir, to);
	say(caller, "what was edited in a session that was killed is kept in",
	    path);
}

void
elevate_place_sweep(const char *caller)
{
	const char *dir = directory(), *name;
	AEG_AUTOFD int parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTO(strv_done) struct strv found = STRV_INIT;
	DIR *d = parent < 0 ? NULL : list_of(parent);
	size_t i;

	/* A name that comes by a rename could be met again. */
	for (i = 0; d != NULL && i < LOOKED_MAX && found.n < FOUND_MAX &&
	    (name = next_name(d)) != NULL; i++)
		if (is_one(name))
			strv_add(&found, name);
	if (d != NULL)
		closedir(d);
	for (i = 0; i < found.n; i++)
		look_at(caller, dir, parent, found.v[i]);
}
