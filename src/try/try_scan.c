/* SPDX-License-Identifier: ISC */
/*
 * What was changed: each layer's upper directory is walked beside what lies
 * below it.  A whiteout, a character device 0:0, stands for what was
 * removed; a directory marked as opaque hides all that lies below it.
 *
 * Below is the real tree, which others go on to change.  Whatever of it
 * changed after the try began is in conflict: the inode's own time of change
 * (ctime) can't be set by anybody.
 */
#include "try_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define OPAQUE "user.overlay.opaque"

struct scan {
	struct try *t;
	size_t point;
	bool in_new;		/* the directory that is read is not below */
	/* Files of the layer with several names, by their inodes: a table of
	 * a power of two places, at most half of them taken. */
	struct first {
		ino_t ino;
		char *path;	/* the first that was met; NULL: no file */
	} *names;
	size_t n_names, room;
	int rc;
};

static void
scan_done(struct scan *s)
{
	size_t i;

	for (i = 0; i < s->room; i++)
		free(s->names[i].path);
	free(s->names);
}

int
try_stamp_at(int dir, const char *name, struct try_stamp *ret)
{
	struct stat st;

	memset(ret, 0, sizeof *ret);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	*ret = (struct try_stamp){ st.st_dev, st.st_ino, st.st_mode,
		st.st_uid, st.st_gid, st.st_size, st.st_mtim, st.st_ctim,
		st.st_nlink };
	return 0;
}

enum try_type
try_stamp_type(const struct try_stamp *s)
{
	return S_ISREG(s->mode) ? TRY_FILE : S_ISDIR(s->mode) ? TRY_DIR :
	    S_ISLNK(s->mode) ? TRY_LINK : TRY_OTHER;
}

static bool
same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool
try_stamp_equal(const struct try_stamp *a, const struct try_stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->mode == b->mode &&
	    a->uid == b->uid && a->gid == b->gid && a->size == b->size &&
	    same_time(&a->mtime, &b->mtime) && same_time(&a->ctime, &b->ctime);
}

void
try_refuse(struct try *t, size_t i, const char *why)
{
	if (t->changes[i].conflict == NULL)
		t->changes[i].conflict = xstrdup(why);
}

static bool
is_whiteout(const struct try_stamp *s, int dir, const char *name)
{
	struct stat st;

	return S_ISCHR(s->mode) && fstatat(dir, name, &st,
	    AT_SYMLINK_NOFOLLOW) == 0 && st.st_rdev == makedev(0, 0);
}

static char *
joined(const char *rel, const char *name)
{
	return rel[0] == '\0' ? xstrdup(name) : xasprintf("%s/%s", rel, name);
}

static bool
changed_since(const struct timespec *began, const struct try_stamp *s)
{
	return s->ctime.tv_sec > began->tv_sec ||
	    (s->ctime.tv_sec == began->tv_sec &&
	    s->ctime.tv_nsec > began->tv_nsec);
}

static struct first *
place_of(const struct scan *s, ino_t ino)
{
	size_t at = (size_t)((uint64_t)ino * 0x9e3779b97f4a7c15U >> 32);

	for (;; at++) {
		struct first *f = &s->names[at & (s->room - 1)];

		if (f->path == NULL || f->ino == ino)
			return f;
	}
}

static void
make_places(struct scan *s)
{
	struct scan more = { .room = s->room > 0 ? 2 * s->room : 64 };
	size_t i;

	if (2 * s->n_names < s->room)
		return;
	more.names = xcalloc(more.room, sizeof *more.names);
	for (i = 0; i < s->room; i++)
		if (s->names[i].path != NULL)
			*place_of(&more, s->names[i].ino) = s->names[i];
	free(s->names);
	s->names = more.names;
	s->room = more.room;
}

/* The same file under another name, or NULL; a new one is remembered. */
static const char *
first_name(struct scan *s, const struct try_stamp *is, const char *path)
{
	struct first *f;

	if (!S_ISREG(is->mode) || is->links < 2)
		return NULL;
	make_places(s);
	f = place_of(s, is->ino);
	if (f->path != NULL)
		return f->path;
	if (s->n_names >= TRY_CHANGES_MAX)
		return NULL;
	*f = (struct first){ is->ino, xstrdup(path) };
	s->n_names++;
	return NULL;
}

static void
judge_change(struct scan *s, size_t i)
{
	struct try *t = s->t;
	struct try_change *c = &t->changes[i];
	const struct try_entry *e = &t->entries[i];

	if (c->kind != TRY_DELETED && c->type == TRY_OTHER)
		try_refuse(t, i, "neither a file, a directory nor a link");
	else if (e->was.ino != 0 && c->before == TRY_OTHER)
		try_refuse(t, i, "in place of what is neither a file, a "
		    "directory nor a link");
	else if (e->was.ino != 0 && changed_since(&t->began, &e->was))
		try_refuse(t, i, "changed by others since the try began");
	else if (c->kind == TRY_DELETED && e->was.ino == 0)
		try_refuse(t, i, "gone already");
	else if (c->kind == TRY_CHANGED && c->before == TRY_FILE &&
	    e->was.links > 1)
		try_refuse(t, i, "a file with several names, which would be "
		    "torn apart");
}

static void
add(struct scan *s, enum try_kind kind, const char *rel,
    const struct try_stamp *was, const struct try_stamp *is)
{
	struct try *t = s->t;
	struct try_change *c;
	struct try_entry *e;

	if (t->n == TRY_CHANGES_MAX) {
		s->rc = ERR_RANGE;
		return;
	}
	if (t->n == t->room) {
		t->room = t->room > 0 ? t->room * 2 : 64;
		t->changes = xreallocarray(t->changes, t->room,
		    sizeof *t->changes);
		t->entries = xreallocarray(t->entries, t->room,
		    sizeof *t->entries);
	}
	c = &t->changes[t->n];
	e = &t->entries[t->n];
	*e = (struct try_entry){ .point = s->point, .rel = xstrdup(rel),
		.was = *was, .is = *is, .in_new = s->in_new };
	*c = (struct try_change){ .kind = kind,
		.type = try_stamp_type(kind == TRY_DELETED ? was : is),
		.before = try_stamp_type(was),
		.path = path_canon(t->points[s->point].path, rel),
		.size = kind != TRY_DELETED && S_ISREG(is->mode) ? is->size :
		    -1,
		.size_before = S_ISREG(was->mode) ? was->size : -1,
		.content = (was->mode & S_IFMT) != (is->mode & S_IFMT) ||
		    was->size != is->size ||
		    !same_time(&was->mtime, &is->mtime) };
	t->n++;
	judge_change(s, t->n - 1);
}

/* ---- what was below ----------------------------------------------------- */

static DIR *
open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir == NULL)
		io_close(&fd);
	return dir;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In an order that does not depend on who asks. */
static void
list_names(DIR *dir, struct strv *ret)
{
	struct dirent *e;

	while (ret->n < TRY_CHANGES_MAX && (e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") !=
		    0)
			strv_add(ret, e->d_name);
	if (ret->n > 1)
		qsort(ret->v, ret->n, sizeof *ret->v, by_name);
}

static void lower_tree(struct scan *s, int dir, const char *name,
    const char *rel, unsigned depth);

/* Everything in a directory that is gone, but for what the layer has under
 * the same name (upper, or -1). */
static void
lower_entries(struct scan *s, int at, const char *name, const char *rel,
    int upper, unsigned depth)
{
	AEG_AUTO(strv_done) struct strv names = STRV_INIT;
	DIR *dir = open_dir(at, name);
	struct try_stamp there;
	size_t i;

	if (dir == NULL && s->t->n > 0)
		try_refuse(s->t, s->t->n - 1, "what is in it cannot be "
		    "listed");
	if (dir != NULL)
		list_names(dir, &names);
	for (i = 0; i < names.n && s->rc == 0; i++) {
		AEG_AUTOFREE char *below = joined(rel, names.v[i]);

		if (upper < 0 || try_stamp_at(upper, names.v[i], &there) != 0
		    || there.ino == 0)
			lower_tree(s, dirfd(dir), names.v[i], below,
			    depth + 1);
	}
	if (dir != NULL)
		closedir(dir);
}

/* A name that is gone, and all below it. */
static void
lower_tree(struct scan *s, int dir, const char *name, const char *rel,
    unsigned depth)
{
	static const struct try_stamp none;
	struct try_stamp was;

	if (depth > TRY_DEPTH_MAX) {
		s->rc = ERR_RANGE;
		return;
	}
	if (dir < 0 || try_stamp_at(dir, name, &was) < 0)
		was = none;
	s->in_new = false;
	add(s, TRY_DELETED, rel, &was, &none);
	if (s->rc == 0 && S_ISDIR(was.mode))
		lower_entries(s, dir, name, rel, -1, depth);
}

/* ---- the layer ---------------------------------------------------------- */

static bool
is_opaque(int fd)
{
	char value;

	return fgetxattr(fd, OPAQUE, &value, 1) == 1 && value == 'y';
}

static bool
same_stat(const struct try_stamp *was, const struct try_stamp *is)
{
	return was->mode == is->mode && was->uid == is->uid &&
	    was->gid == is->gid && (S_ISDIR(is->mode) ||
	    (was->size == is->size && same_time(&was->mtime, &is->mtime)));
}

/* Dates can be set, sizes kept. */
static bool
same_bytes(int a, int b)
{
	char x[4096], y[4096];
	ssize_t n;

	do {
		n = read(a, x, sizeof x);
		if (n < 0 || io_read_full(b, y, (size_t)n) < 0 ||
		    memcmp(x, y, (size_t)n) != 0)
			return false;
	} while (n > 0);
	return true;
}

/* Copied up, and then left as it was. */
static bool
is_unchanged(int upper_at, int lower_at, const char *name,
    const struct try_stamp *was, const struct try_stamp *is)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	AEG_AUTOFD int upper = -1;
	AEG_AUTOFD int lower = -1;

	if (!same_stat(was, is))
		return false;
	if (S_ISLNK(is->mode))
		return true;
	upper = openat(upper_at, name, flags);
	lower = openat(lower_at, name, flags);
	/* Not to be read by who made it: then only a mode was looked at. */
	if (upper < 0 || lower < 0)
		return upper < 0 && lower < 0;
	return try_same_attrs(upper, lower) && (S_ISDIR(is->mode) ||
	    same_bytes(upper, lower));
}

static void upper_dir(struct scan *s, DIR *dir, int lower, const char *rel,
    unsigned depth);

static void
upper_below(struct scan *s, int at, const char *name, int lower_at,
    const struct try_stamp *was, const char *rel, unsigned depth)
{
	DIR *dir = open_dir(at, name);
	AEG_AUTOFD int lower = -1;
	bool opaque;

	/* A mode that shuts out its owner; what it was is known by now. */
	if (dir == NULL && fchmodat(at, name, 0700, 0) == 0)
		dir = open_dir(at, name);
	if (dir == NULL) {
		s->rc = -EACCES;
		return;
	}
	opaque = is_opaque(dirfd(dir));
	if (S_ISDIR(was->mode) && opaque)
		lower_entries(s, lower_at, name, rel, dirfd(dir), depth);
	if (S_ISDIR(was->mode))
		lower = openat(lower_at, name, O_PATH | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
	if (S_ISDIR(was->mode) && lower < 0)
		s->rc = -errno;
	else
		upper_dir(s, dir, lower, rel, depth + 1);
	closedir(dir);
}

static void
upper_entry(struct scan *s, int at, const char *name, int lower,
    const char *rel, unsigned depth)
{
	static const struct try_stamp none;
	AEG_AUTOFREE char *path = NULL;
	struct try_stamp was = none, is;
	const char *other;
	size_t first = s->t->n;

	if (try_stamp_at(at, name, &is) < 0 || is.ino == 0)
		return;
	if (is_whiteout(&is, at, name)) {
		lower_tree(s, lower, name, rel, depth);
		return;
	}
	if (lower >= 0 && try_stamp_at(lower, name, &was) < 0)
		was = none;
	s->in_new = lower < 0;
	path = path_canon(s->t->points[s->point].path, rel);
	other = first_name(s, &is, path);
	if (was.ino == 0)
		add(s, TRY_CREATED, rel, &was, &is);
	else if (try_stamp_type(&was) != try_stamp_type(&is) ||
	    !is_unchanged(at, lower, name, &was, &is))
		add(s, TRY_CHANGED, rel, &was, &is);
	if (s->rc == 0 && s->t->n > first && other != NULL)
		s->t->entries[first].same_as = xstrdup(other);
	if (s->rc == 0 && S_ISDIR(was.mode) && !S_ISDIR(is.mode))
		lower_entries(s, lower, name, rel, -1, depth);
	if (s->rc == 0 && S_ISDIR(is.mode))
		upper_below(s, at, name, lower, &was, rel, depth);
}

static void
upper_dir(struct scan *s, DIR *dir, int lower, const char *rel,
    unsigned depth)
{
	AEG_AUTO(strv_done) struct strv names = STRV_INIT;
	size_t i;

	if (depth > TRY_DEPTH_MAX)
		s->rc = ERR_RANGE;
	else
		list_names(dir, &names);
	for (i = 0; i < names.n && s->rc == 0; i++) {
		AEG_AUTOFREE char *below = joined(rel, names.v[i]);

		upper_entry(s, dirfd(dir), names.v[i], lower, below, depth);
	}
}

/* A layer's own directory is the try's, made in the likeness of the real
 * one. */
static void
scan_top(struct scan *s, int upper, int lower)
{
	struct try_stamp was, is;

	if (try_stamp_at(upper, ".", &is) < 0 || try_stamp_at(lower, ".",
	    &was) < 0 || (is.mode & 07777) == s->t->points[s->point].mode)
		return;
	add(s, TRY_CHANGED, "", &was, &is);
	try_refuse(s->t, s->t->n - 1, "the mode of a tree's own directory");
}

static int
scan_point(struct try *t, size_t i, struct err *err)
{
	AEG_AUTO(scan_done) struct scan s = { .t = t, .point = i };
	AEG_AUTOFD int lower = -1;
	char name[24];
	DIR *dir;

	try_layer_name(name, 'u', i);
	dir = open_dir(t->upper, name);
	if (dir == NULL)
		return err_sys(err, errno, "what was changed in %s",
		    t->points[i].path);
	lower = open(t->points[i].path, O_PATH | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (lower < 0) {
		closedir(dir);
		return err_sys(err, errno, "%s", t->points[i].path);
	}
	scan_top(&s, dirfd(dir), lower);
	upper_dir(&s, dir, lower, "", 0);
	closedir(dir);
	if (s.rc == ERR_RANGE)
		return err_set(err, ERR_RANGE, "more was changed than can be "
		    "listed: %zu names, or directories %d deep",
		    TRY_CHANGES_MAX, TRY_DEPTH_MAX);
	return s.rc < 0 ? err_sys(err, -s.rc, "what was changed in %s",
	    t->points[i].path) : 0;
}

int
try_scan(struct try *t, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < t->n_points; i++)
		if (t->points[i].what == TRY_LAYER && !t->points[i].lost)
			rc = scan_point(t, i, err);
	return rc;
}

size_t
try_changes(const struct try *t, const struct try_change **ret)
{
	*ret = t->changes;
	return t->n;
}

/* Directory by directory: no name of it is followed. */
int
try_open_upper(const struct try *t, size_t i, int flags)
{
	AEG_AUTOFREE char *rel = xstrdup(t->entries[i].rel);
	AEG_AUTOFD int at = -1;
	char name[24], *part = rel, *slash;
	int fd;

	try_layer_name(name, 'u', t->entries[i].point);
	at = openat(t->upper, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (at >= 0 && (slash = strchr(part, '/')) != NULL) {
		*slash = '\0';
		fd = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
		io_close(&at);
		at = fd;
		part = slash + 1;
	}
	if (at < 0)
		return -errno;
	fd = openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC);
	/* Its owner's own mode keeps him out. */
	if (fd < 0 && errno == EACCES && S_ISREG(t->entries[i].is.mode) &&
	    fchmodat(at, part, 0600, 0) == 0)
		fd = openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
