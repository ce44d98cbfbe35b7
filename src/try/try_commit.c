/* SPDX-License-Identifier: ISC */
/*
 * Committing: first every change is looked at again, and nothing is touched
 * unless all of them may go through; then what was made and changed, parents
 * first, then what was removed, children first, so that a failure in the
 * midst loses nothing; then the directories' modes and dates.
 *
 * Each path is opened from its tree by openat2(2) without following a link
 * or leaving the tree, and a file takes its name in one step (rename(2)).
 */
#include "try_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define CHUNK ((size_t)65536)

/* Relative to dir, through no link, to nothing beside it or mounted in it. */
static int
open_beneath(int dir, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
		    resolve,
	};
	int fd = (int)syscall(SYS_openat2, dir, path[0] != '\0' ? path : ".",
	    &how, sizeof how);

	return fd < 0 ? -errno : fd;
}

static int
open_tree_of(const struct try *t, size_t i)
{
	return open_beneath(AT_FDCWD, t->points[t->entries[i].point].path,
	    O_PATH | O_DIRECTORY, 0);
}

int
try_open_parent(const struct try *t, size_t i, const char **ret_name)
{
	const char *rel = t->entries[i].rel, *name = path_base(rel);
	AEG_AUTOFREE char *dir = xmemdup0(rel, name > rel ?
	    (size_t)(name - rel - 1) : 0);
	AEG_AUTOFD int tree = open_tree_of(t, i);

	*ret_name = name;
	return tree < 0 ? tree : open_beneath(tree, dir, O_RDONLY |
	    O_DIRECTORY, RESOLVE_BENEATH | RESOLVE_NO_XDEV);
}

int
try_open_lower(const struct try *t, size_t i)
{
	AEG_AUTOFD int tree = open_tree_of(t, i);

	return tree < 0 ? tree : open_beneath(tree, t->entries[i].rel,
	    O_RDONLY | O_NONBLOCK, RESOLVE_BENEATH | RESOLVE_NO_XDEV);
}

/* ---- may it? ------------------------------------------------------------ */

static bool
is_permitted(const struct try *t, size_t i)
{
	const struct try_change *c = &t->changes[i];
	unsigned rights = sandbox_rights_at(t->opts.profile, c->path);

	if (c->kind == TRY_CHANGED && c->type == c->before)
		return (rights & (c->type == TRY_LINK || c->type == TRY_DIR ?
		    SANDBOX_MAKE | SANDBOX_WRITE : SANDBOX_WRITE)) != 0;
	return (rights & SANDBOX_MAKE) != 0;
}

static void
check(struct try *t, size_t i)
{
	struct try_change *c = &t->changes[i];
	AEG_AUTOFD int parent = -1;
	struct try_stamp now;
	const char *name;

	if (c->conflict != NULL)
		return;
	if (!is_permitted(t, i)) {
		try_refuse(t, i, "not within the profile's rights");
		return;
	}
	if (t->entries[i].in_new)
		return;
	parent = try_open_parent(t, i, &name);
	if (parent < 0)
		try_refuse(t, i, parent == -ENOENT ? "its directory is gone" :
		    parent == -ELOOP || parent == -EXDEV ? "its directory is "
		    "another by now" : "its directory cannot be opened");
	else if (try_stamp_at(parent, name, &now) < 0)
		try_refuse(t, i, "what is there cannot be looked at");
	else if (t->entries[i].was.ino == 0 && now.ino != 0)
		try_refuse(t, i, "made by others meanwhile");
	else if (!try_stamp_equal(&now, &t->entries[i].was))
		try_refuse(t, i, "changed by others meanwhile");
}

/* ---- one file ----------------------------------------------------------- */

/* One that nobody can have made before. */
static int
temp_name(char ret[40])
{
	uint64_t r = 0;
	ssize_t n;

	do
		n = getrandom(&r, sizeof r, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof r)
		return n < 0 ? -errno : -EIO;
	snprintf(ret, 40, ".aegsh-try-%016llx", (unsigned long long)r);
	return 0;
}

/* A file that has no name yet, so that nothing is left where we are killed
 * while it is filled; *ret_named: where the file system knows none such, one
 * of that name. */
static int
open_temp(int parent, const char *temp, bool *ret_named)
{
	int fd = openat(parent, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);

	*ret_named = fd < 0;
	if (fd < 0)
		fd = openat(parent, temp, O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int
give_name(int fd, int parent, const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, parent, name, AT_SYMLINK_FOLLOW) < 0 ?
	    -errno : 0;
}

/* Holes stay holes: a terabyte of nothing took no memory in the layer, and
 * is to take no disk. */
static int
copy_bytes(int from, int to, int64_t size)
{
	AEG_AUTOFREE char *bytes = xmalloc(CHUNK);
	off_t at = 0, end;
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (at = lseek(from, at, SEEK_DATA)) >= 0) {
		end = lseek(from, at, SEEK_HOLE);
		if (end < 0 || lseek(from, at, SEEK_SET) < 0 ||
		    lseek(to, at, SEEK_SET) < 0)
			return -errno;
		for (; rc == 0 && at < end; at += n) {
			n = read(from, bytes, end - at < (off_t)CHUNK ?
			    (size_t)(end - at) : CHUNK);
			if (n <= 0)
				return n < 0 ? -errno : -EIO;
			rc = io_write_full(to, bytes, (size_t)n);
		}
	}
	/* ENXIO: nothing but holes follows. */
	if (rc == 0 && errno != ENXIO)
		return -errno;
	if (rc == 0 && lseek(from, 0, SEEK_END) != size)
		return -EIO;
	return rc == 0 && ftruncate(to, size) < 0 ? -errno : rc;
}

/* Owner first: changing it takes set-user-ID bits away. */
static int
dress(int fd, const struct try_stamp *is)
{
	const struct timespec times[2] = { is->mtime, is->mtime };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_uid != is->uid || st.st_gid != is->gid) &&
	    fchown(fd, is->uid, is->gid) < 0)
		return -errno;
	if (fchmod(fd, is->mode & 07777) < 0 || futimens(fd, times) < 0)
		return -errno;
	return 0;
}

static bool
is_same_file(const struct try_stamp *a, const struct try_stamp *b)
{
	return (a->mode & S_IFMT) == (b->mode & S_IFMT) && a->size == b->size &&
	    a->mtime.tv_sec == b->mtime.tv_sec &&
	    a->mtime.tv_nsec == b->mtime.tv_nsec;
}

/* A moment ago it was what it had been; not its time of change, which another
 * name, or one less, sets, too. */
static int
is_still(const struct try *t, size_t i, int parent, const char *name)
{
	const struct try_stamp *was = &t->entries[i].was;
	struct try_stamp now;
	int rc = try_stamp_at(parent, name, &now);

	if (rc < 0)
		return rc;
	return now.ino == was->ino && now.dev == was->dev &&
	    (was->ino == 0 || is_same_file(&now, was)) ? 0 : -ESTALE;
}

/* What is new takes nothing's place. */
static int
take_name(const struct try *t, size_t i, int parent, const char *temp,
    const char *name)
{
	const struct try_change *c = &t->changes[i];
	int rc = 0;

	/* Of another type than what is there, and in its place. */
	if (c->kind != TRY_CREATED && c->type != c->before &&
	    c->before != TRY_DIR) {
		rc = is_still(t, i, parent, name);
	} else if (c->kind == TRY_CREATED || c->type != c->before) {
		if (syscall(SYS_renameat2, parent, temp, parent, name,
		    RENAME_NOREPLACE) == 0)
			return 0;
		/* A file system that cannot, alone. */
		if (errno != EINVAL)
			return -errno;
	} else {
		rc = is_still(t, i, parent, name);
	}
	if (rc == 0 && renameat(parent, temp, parent, name) < 0)
		rc = -errno;
	return rc;
}

static int
put_file(struct try *t, size_t i, int parent, const char *name)
{
	const struct try_stamp *is = &t->entries[i].is;
	AEG_AUTOFD int from = try_open_upper(t, i, O_RDONLY | O_NONBLOCK);
	AEG_AUTOFD int to = -1;
	char temp[40];
	bool named;
	int rc = from < 0 ? from : temp_name(temp);

	if (rc < 0)
		return rc;
	to = open_temp(parent, temp, &named);
	if (to < 0)
		return to;
	rc = copy_bytes(from, to, is->size);
	/* A new owner costs capabilities, and an access list is a mode. */
	if (rc == 0)
		rc = dress(to, is);
	if (rc == 0)
		rc = try_copy_attrs(from, to);
	if (rc == 0 && !named) {
		rc = give_name(to, parent, temp);
		named = rc == 0;
	}
	if (rc == 0)
		rc = take_name(t, i, parent, temp, name);
	if (rc < 0 && named)
		unlinkat(parent, temp, 0);
	return rc;
}

static int
put_link(struct try *t, size_t i, int parent, const char *name)
{
	const struct try_stamp *is = &t->entries[i].is;
	const struct timespec times[2] = { is->mtime, is->mtime };
	AEG_AUTOFD int from = try_open_upper(t, i, O_PATH);
	AEG_AUTOFREE char *to = xcalloc(1, (size_t)is->size + 2);
	char temp[40];
	ssize_t n;
	int rc = 0;

	if (from < 0)
		return from;
	n = readlinkat(from, "", to, (size_t)is->size + 1);
	if (n != is->size)
		return n < 0 ? -errno : -EIO;
	rc = temp_name(temp);
	if (rc < 0)
		return rc;
	if (symlinkat(to, parent, temp) < 0)
		return -errno;
	if (geteuid() == 0 && fchownat(parent, temp, is->uid, is->gid,
	    AT_SYMLINK_NOFOLLOW) < 0)
		rc = -errno;
	(void)utimensat(parent, temp, times, AT_SYMLINK_NOFOLLOW);
	if (rc == 0)
		rc = take_name(t, i, parent, temp, name);
	if (rc < 0)
		unlinkat(parent, temp, 0);
	return rc;
}

/* Another name of a file that is there, or has just been put there. */
static int
put_name(struct try *t, size_t i, int parent, const char *name)
{
	const struct try_point *p = &t->points[t->entries[i].point];
	const char *rel = t->entries[i].same_as + strlen(p->path);
	AEG_AUTOFD int tree = open_tree_of(t, i);
	AEG_AUTOFD int from = -1;
	AEG_AUTOFREE char *dir = NULL;
	struct try_stamp now;
	const char *base;
	char temp[40];
	int rc;

	rel += *rel == '/';
	base = path_base(rel);
	dir = xmemdup0(rel, base > rel ? (size_t)(base - rel - 1) : 0);
	from = tree < 0 ? tree : open_beneath(tree, dir, O_RDONLY |
	    O_DIRECTORY, RESOLVE_BENEATH | RESOLVE_NO_XDEV);
	if (from < 0)
		return from;
	rc = temp_name(temp);
	if (rc < 0)
		return rc;
	if (linkat(from, base, parent, temp, 0) < 0)
		return -errno;
	rc = try_stamp_at(parent, temp, &now);
	if (rc == 0 && !is_same_file(&now, &t->entries[i].is))
		rc = -ESTALE;
	if (rc == 0)
		rc = take_name(t, i, parent, temp, name);
	/* Where both are one file already, rename(2) does nothing. */
	unlinkat(parent, temp, 0);
	return rc;
}

static int
take_away(struct try *t, size_t i)
{
	struct try_stamp now;
	const char *name;
	AEG_AUTOFD int parent = try_open_parent(t, i, &name);

	if (parent >= 0 && t->changes[i].type != TRY_DIR &&
	    is_still(t, i, parent, name) == -ESTALE && try_stamp_at(parent,
	    name, &now) == 0 && now.ino != 0)
		return -ESTALE;
	if (parent >= 0 && unlinkat(parent, name, t->changes[i].type ==
	    TRY_DIR ? AT_REMOVEDIR : 0) == 0)
		return 0;
	if (parent < 0)
		return parent == -ENOENT || parent == -ENOTDIR ? 0 : parent;
	/* With what took its place. */
	return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

/* Everything that was there was looked at, and is removed by its name. */
static int
clear_tree(struct try *t, size_t i)
{
	size_t k, len = strlen(t->changes[i].path), last = i;
	int rc = 0;

	for (k = i + 1; k < t->n && strncmp(t->changes[k].path,
	    t->changes[i].path, len) == 0 && t->changes[k].path[len] == '/';
	    k++)
		last = k;
	for (k = last; k > i && rc == 0; k--)
		if (t->changes[k].kind == TRY_DELETED) {
			rc = take_away(t, k);
			t->changes[k].done = rc == 0;
		}
	return rc;
}

static int
put(struct try *t, size_t i)
{
	const struct try_change *c = &t->changes[i];
	const char *name;
	AEG_AUTOFD int parent = try_open_parent(t, i, &name);
	bool other = c->kind == TRY_CHANGED && c->type != c->before;
	int rc = parent < 0 ? parent : 0;

	if (rc == 0 && other && c->before == TRY_DIR) {
		rc = clear_tree(t, i);
		if (rc == 0 && unlinkat(parent, name, AT_REMOVEDIR) < 0)
			rc = -errno;
	} else if (rc == 0 && other && c->type == TRY_DIR) {
		rc = is_still(t, i, parent, name);
		if (rc == 0 && unlinkat(parent, name, 0) < 0)
			rc = -errno;
	}
	if (rc < 0)
		return rc;
	switch (c->type) {
	case TRY_OTHER:
		break;
	case TRY_DIR:
		if (c->before == TRY_DIR)
			return 0;
		return mkdirat(parent, name, 0700) < 0 ? -errno : 0;
	case TRY_LINK:
		return put_link(t, i, parent, name);
	case TRY_FILE:
		return t->entries[i].same_as != NULL ?
		    put_name(t, i, parent, name) :
		    put_file(t, i, parent, name);
	}
	return -EINVAL;
}

static int
dress_dir(struct try *t, size_t i)
{
	const char *name;
	AEG_AUTOFD int parent = try_open_parent(t, i, &name);
	AEG_AUTOFD int from = try_open_upper(t, i, O_RDONLY | O_DIRECTORY);
	AEG_AUTOFD int fd = -1;
	int rc;

	if (parent < 0 || from < 0)
		return parent < 0 ? parent : from;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = dress(fd, &t->entries[i].is);
	return rc < 0 ? rc : try_copy_attrs(from, fd);
}

static int
failed(const struct try *t, size_t i, int rc, struct err *err)
{
	return rc < 0 ? err_sys(err, -rc, "%s", t->changes[i].path) : 0;
}

int
try_commit(struct try *t, size_t *ret_done, struct err *err)
{
	size_t i, refused = 0;
	int rc = 0;

	*ret_done = 0;
	for (i = 0; i < t->n; i++) {
		check(t, i);
		refused += t->changes[i].conflict != NULL;
	}
	if (refused > 0)
		return err_set(err, ERR_REFUSED, "nothing is committed: %zu "
		    "of %zu changes cannot be", refused, t->n);
	for (i = 0; rc == 0 && i < t->n; i++) {
		if (t->changes[i].kind == TRY_DELETED)
			continue;
		rc = failed(t, i, put(t, i), err);
		t->changes[i].done = rc == 0;
		*ret_done += rc == 0;
	}
	for (i = t->n; rc == 0 && i-- > 0;) {
		if (t->changes[i].kind != TRY_DELETED)
			continue;
		/* Else it went before what took its directory's place. */
		if (!t->changes[i].done)
			rc = failed(t, i, take_away(t, i), err);
		t->changes[i].done = rc == 0;
		*ret_done += rc == 0;
	}
	for (i = t->n; rc == 0 && i-- > 0;)
		if (t->changes[i].kind != TRY_DELETED &&
		    t->changes[i].type == TRY_DIR)
			rc = failed(t, i, dress_dir(t, i), err);
	return rc;
}
