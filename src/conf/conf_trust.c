/* SPDX-License-Identifier: ISC */
/*
 * Files whose contents will be believed.
 *
 * The path is walked from / one component at a time, on descriptors: each
 * directory is checked before the name in it is used, so nobody but those
 * who may can change what the name means between check and use.  Symbolic
 * links to directories are followed by hand, by the same rules, and only
 * where their own owner is trusted.
 */
#include "conf_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

struct walk {
	const char *path;	/* as given, for messages */
	uid_t uid;
	int dir;		/* where we stand */
	bool kept;		/* dir belongs to conf_kept.c */
	struct buf rest;	/* what is still to be walked */
	int links;
	bool want_dir;
	struct err *err;
};

/* uid 0 can change any file anyway. */
static bool
owner_trusted(const struct walk *w, uid_t owner)
{
	return owner == 0 || owner == sysdirs()->operator_uid ||
	    (w->uid != (uid_t)-1 && owner == w->uid);
}

static int
check_owner(const struct walk *w, const struct stat *st, const char *what)
{
	if (owner_trusted(w, st->st_uid))
		return 0;
	return err_set(w->err, ERR_TRUST,
	    "%s: %s belongs to uid %lu, who is not trusted here", w->path,
	    what, (unsigned long)st->st_uid);
}

static int
check_dir(const struct walk *w, const char *name)
{
	struct stat st;
	int rc;

	if (fstat(w->dir, &st) < 0)
		return err_sys(w->err, errno, "%s: %s", w->path, name);
	rc = check_owner(w, &st, name);
	if (rc < 0)
		return rc;
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
	    (st.st_mode & S_ISVTX) == 0)
		return err_set(w->err, ERR_TRUST,
		    "%s: others may write to the directory '%s' (mode %04o); "
		    "chmod go-w it", w->path, name,
		    (unsigned)st.st_mode & 07777);
	return 0;
}

static void
leave(struct walk *w)
{
	if (w->kept)
		w->dir = -1;
	w->kept = false;
	io_close(&w->dir);
}

static int
stand(struct walk *w, int fd, const char *name)
{
	int rc;

	leave(w);
	w->dir = fd;
	rc = check_dir(w, name);
	/* Past a link, the text of the path leads somewhere else. */
	if (rc == 0 && w->links == 0)
		w->kept = conf_kept_add(w->path, strlen(w->path) -
		    w->rest.len, w->uid, fd);
	return rc;
}

static int
to_root(struct walk *w)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(w->err, errno, "/");
	return stand(w, fd, "/");
}

/* The root, or as far on the way as was checked already. */
static int
set_out(struct walk *w)
{
	size_t len = 0;
	int fd = conf_kept_find(w->path, w->uid, &len);

	buf_puts(&w->rest, w->path + (fd >= 0 ? len : 0));
	if (fd < 0)
		return to_root(w);
	w->dir = fd;
	w->kept = true;
	return 0;
}

/* To the caller, who closes it. */
static int
hand_over(struct walk *w, int *ret_fd)
{
	int fd = w->kept ? fcntl(w->dir, F_DUPFD_CLOEXEC, 0) : w->dir;

	if (fd < 0)
		return err_sys(w->err, errno, "%s", w->path);
	w->dir = -1;
	w->kept = false;
	*ret_fd = fd;
	return 0;
}

/* name, a symbolic link in w->dir, leads to a directory: put its target in
 * front of what is still to be walked. */
static int
follow(struct walk *w, const char *name, const struct stat *st)
{
	AEG_AUTO(buf_done) struct buf rest = BUF_INIT;
	char target[PATH_MAX];
	ssize_t n;
	int rc;

	rc = check_owner(w, st, name);
	if (rc < 0)
		return rc;
	if (++w->links > CONF_LINKS_MAX)
		return err_sys(w->err, ELOOP, "%s", w->path);
	n = readlinkat(w->dir, name, target, sizeof target);
	if (n < 0)
		return err_sys(w->err, errno, "%s: %s", w->path, name);
	if ((size_t)n == sizeof target)
		return err_sys(w->err, ENAMETOOLONG, "%s: %s", w->path, name);
	buf_put(&rest, target, (size_t)n);
	buf_putc(&rest, '/');
	buf_put(&rest, w->rest.data, w->rest.len);
	buf_done(&w->rest);
	w->rest = rest;
	rest = (struct buf)BUF_INIT;
	return n > 0 && target[0] == '/' ? to_root(w) : 0;
}

/* Mostly it is a directory: what it is else is asked only when it is not. */
static int
enter(struct walk *w, const char *name)
{
	struct stat st;
	int fd = openat(w->dir, name,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return stand(w, fd, name);
	if (errno != ENOTDIR && errno != ELOOP)
		return err_sys(w->err, errno, "%s", w->path);
	if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(w->err, errno, "%s", w->path);
	return S_ISLNK(st.st_mode) ? follow(w, name, &st) :
	    err_sys(w->err, ENOTDIR, "%s: %s", w->path, name);
}

/* Cut the first component off w->rest; NULL at its end. */
static char *
next_name(struct walk *w)
{
	char *p = w->rest.data, *name;
	size_t skip, n;

	if (p == NULL)
		return NULL;
	skip = strspn(p, "/");
	n = strcspn(p + skip, "/");
	if (n == 0)
		return NULL;
	name = xmemdup0(p + skip, n);
	w->rest.len -= skip + n;
	memmove(p, p + skip + n, w->rest.len + 1);
	return name;
}

static bool
at_last(const struct walk *w)
{
	return w->rest.data[strspn(w->rest.data, "/")] == '\0';
}

static int
open_last(struct walk *w, const char *name, int *ret_fd)
{
	AEG_AUTOFD int fd = -1;
	struct stat st;
	int rc;

	if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(w->err, errno, "%s", w->path);
	/* Before the open: opening a device may do things. */
	if (!S_ISREG(st.st_mode))
		return err_set(w->err, ERR_TRUST, "%s: %s", w->path,
		    S_ISLNK(st.st_mode) ? "is a symbolic link" :
		    "is not a regular file");
	fd = openat(w->dir, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(w->err, errno, "%s", w->path);
	if (fstat(fd, &st) < 0)
		return err_sys(w->err, errno, "%s", w->path);
	if (!S_ISREG(st.st_mode))
		return err_set(w->err, ERR_TRUST, "%s: is not a regular file",
		    w->path);
	rc = check_owner(w, &st, "it");
	if (rc < 0)
		return rc;
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(w->err, ERR_TRUST,
		    "%s: others may write to it (mode %04o); chmod go-w it",
		    w->path, (unsigned)st.st_mode & 07777);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int
walk(struct walk *w, int *ret_fd)
{
	int rc;

	rc = set_out(w);
	while (rc == 0) {
		AEG_AUTOFREE char *name = next_name(w);

		if (name == NULL && w->want_dir)
			return hand_over(w, ret_fd);
		if (name == NULL)
			return err_set(w->err, ERR_TRUST,
			    "%s: is not a regular file", w->path);
		if (at_last(w) && !w->want_dir)
			return open_last(w, name, ret_fd);
		rc = enter(w, name);
	}
	return rc;
}

static int
walk_from_root(const char *path, uid_t uid, bool want_dir, int *ret_fd,
    struct err *err)
{
	struct walk w = { .path = path, .uid = uid, .dir = -1,
		.rest = BUF_INIT, .want_dir = want_dir, .err = err };
	int rc;

	if (path[0] != '/' || strlen(path) >= PATH_MAX)
		return err_set(err, -EINVAL, "%s: not an absolute path", path);
	rc = walk(&w, ret_fd);
	buf_done(&w.rest);
	leave(&w);
	return rc;
}

int
conf_trust_open(const char *path, uid_t uid, int *ret_fd, struct err *err)
{
	if (path[0] == '/' && path[strlen(path) - 1] == '/')
		return err_set(err, -EISDIR, "%s: not the path of a file",
		    path);
	return walk_from_root(path, uid, false, ret_fd, err);
}

int
conf_trust_dir(const char *path, uid_t uid, int *ret_fd, struct err *err)
{
	return walk_from_root(path, uid, true, ret_fd, err);
}

int
conf_trust_read(const char *path, uid_t uid, size_t max, struct buf *ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf bytes = BUF_INIT_MAX(max);
	AEG_AUTOFD int fd = -1;
	int rc;

	rc = conf_trust_open(path, uid, &fd, err);
	if (rc < 0)
		return rc;
	rc = io_read_all(fd, &bytes);
	if (rc == ERR_TOO_LONG)
		return err_set(err, rc, "%s: longer than %zu bytes", path, max);
	if (rc < 0)
		return err_sys(err, -rc, "%s", path);
	if (bytes.len > 0)
		buf_put(ret, bytes.data, bytes.len);
	if (buf_overflow(ret))
		return err_set(err, ERR_TOO_LONG, "%s: too long", path);
	return 0;
}

bool
conf_trust_is_roots(const char *path)
	{ return conf_trust_is_owners(path, 0); }

bool
conf_trust_is_owners(const char *path, uid_t uid)
{
	AEG_AUTOFREE char *now = xstrdup(path);
	AEG_AUTOFD int file = -1;
	struct stat st;
	int hop;

	for (hop = 0; hop < CONF_LINKS_MAX; hop++) {
		AEG_AUTOFREE char *dir = xmemdup0(now,
		    (size_t)(path_base(now) - now));
		AEG_AUTOFD int fd = -1;
		char to[PATH_MAX];
		ssize_t n;
		char *next;

		if (conf_trust_dir(dir, (uid_t)-1, &fd, NULL) != 0 ||
		    lstat(now, &st) < 0)
			return false;
		if (!S_ISLNK(st.st_mode))
			break;
		if (st.st_uid != 0)
			return false;
		n = readlink(now, to, sizeof to - 1);
		if (n <= 0)
			return false;
		to[n] = '\0';
		next = path_canon(to[0] == '/' ? "/" : dir, to);
		free(now);
		now = next;
	}
	return hop < CONF_LINKS_MAX &&
	    conf_trust_open(now, uid, &file, NULL) == 0 &&
	    fstat(file, &st) == 0 && (st.st_uid == 0 || st.st_uid == uid);
}
