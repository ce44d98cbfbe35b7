/* SPDX-License-Identifier: ISC */
/*
 * Whether a start-up file may be replaced: what it is behind its symlinks,
 * whose it is, and what would be lost or broken by a new file in its place.
 */
#include "mend_int.h"
#include "write_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"

static bool
is_dots(const char *name)
{
	size_t n = strcspn(name, "/");

	return (n == 1 || (n == 2 && name[1] == '.')) && name[0] == '.';
}

/* A path whose directories are no links, as the kernel goes: .. leads out of
 * where a link leads, not of where it stands.  What is not there yet stays by
 * name; the last component stays in any case, and may be a link.  NULL and
 * errno: it leads nowhere. */
static char *
real_dirs(const char *path)
{
	AEG_AUTOFREE char *dir = xstrdup(path), *real = NULL;
	const char *rest = path + strlen(path);
	char *slash;

	while (rest > path && rest[-1] == '/')
		rest--;
	for (;;) {
		while (rest > path && rest[-1] != '/')
			rest--;
		if (is_dots(rest))
			return realpath(path, NULL);
		dir[rest - path] = '\0';
		real = realpath(dir, NULL);
		if (real != NULL)
			return xasprintf("%s%s%s", real,
			    strcmp(real, "/") == 0 ? "" : "/", rest);
		if (errno != ENOENT)
			return NULL;
		slash = dir + (rest - path);
		while (slash > dir && slash[-1] == '/')
			slash--;
		if (slash == dir)
			return NULL;
		rest = path + (slash - dir);
	}
}

/* The file a name leads to, also where that is not there (yet). */
static int
follow(struct shellenv *se, const char *path, const char **ret,
    struct err *err)
{
	const char *shown = se_shown(se, path);
	char target[PATH_MAX];
	struct stat st;
	int i;

	for (i = 0; i < WRITE_NAMES_MAX; i++) {
		AEG_AUTOFREE char *next = NULL, *real = NULL;
		ssize_t n;

		if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode)) {
			*ret = path;
			return 0;
		}
		n = readlink(path, target, sizeof target - 1);
		if (n < 0)
			return err_sys(err, errno, "%s", shown);
		target[n] = '\0';
		next = target[0] == '/' ? xstrdup(target) : xasprintf(
		    "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path,
		    target);
		real = real_dirs(next);
		if (real == NULL)
			return err_sys(err, errno, "%s", shown);
		path = se_strdup(se, real);
	}
	return err_set(err, ERR_REFUSED, "%s: symbolic links lead in a "
	    "circle", shown);
}

static int
check_dir(const char *path, const char *shown, struct err *err)
{
	AEG_AUTOFREE char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	slash[slash == dir] = '\0';
	/* A new file is renamed into place: the directory has to let us. */
	if (access(dir, W_OK | X_OK) < 0) {
		if (errno == ENOENT)	/* made when the file is */
			return 0;
		return err_set(err, ERR_REFUSED, "%s: its directory cannot "
		    "be written to (%s)", shown, strerror(errno));
	}
	return 0;
}

static int
check_file(struct shellenv *se, int fd, const struct stat *st,
    const char *shown, struct err *err)
{
	int flags = 0;

	if (S_ISDIR(st->st_mode))
		return err_set(err, ERR_REFUSED, "%s is a directory", shown);
	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_REFUSED, "%s is no regular file",
		    shown);
	if (st->st_uid != se->uid)
		return err_set(err, ERR_REFUSED, "%s belongs to uid %u, not "
		    "to %s", shown, (unsigned)st->st_uid, se->user);
	if ((st->st_mode & S_IWUSR) == 0)
		return err_set(err, ERR_REFUSED, "%s is read-only; chmod u+w "
		    "lets it be edited", shown);
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 &&
	    (flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) != 0)
		return err_set(err, ERR_REFUSED, "%s is %s (chattr)", shown,
		    (flags & FS_IMMUTABLE_FL) != 0 ? "immutable" :
		    "append-only");
	if (st->st_nlink > 1)
		return err_set(err, ERR_REFUSED, "%s has %lu names (hard "
		    "links); a new file would have only one", shown,
		    (unsigned long)st->st_nlink);
	if (st->st_size > (off_t)SHELLENV_FILE_MAX)
		return err_set(err, ERR_REFUSED, "%s is longer than %zu KiB",
		    shown, SHELLENV_FILE_MAX / 1024);
	return 0;
}

int
se_write_check(struct shellenv *se, const char *path, const char **ret_real,
    const char **ret_text, size_t *ret_len, struct err *err)
{
	const char *shown = se_shown(se, path), *real, *text;
	AEG_AUTOFD int fd = -1;
	struct stat st;
	size_t len;
	int r = path[0] != '/' ? err_set(err, ERR_RANGE, "'%s' is no absolute "
	    "path", path) : follow(se, path, &real, err);

	if (r == 0)
		r = check_dir(real, shown, err);
	if (r < 0)
		return r;
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY);
	if (fd < 0 && errno == ENOENT) {
		*ret_real = real;
		*ret_text = NULL;
		*ret_len = 0;
		return 0;
	}
	if (fd < 0)
		return err_set(err, ERR_REFUSED, "%s: %s", shown,
		    strerror(errno));
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", shown);
	r = check_file(se, fd, &st, shown, err);
	if (r < 0)
		return r;
	r = se_read(se, real, &text, &len);
	if (r < 0)
		return err_set(err, r, "%s: %s", shown, err_str(r));
	if (memchr(text, '\0', len) != NULL)
		return err_set(err, ERR_REFUSED, "%s holds a zero byte: it "
		    "is no text", shown);
	*ret_real = real;
	*ret_text = text;
	*ret_len = len;
	return 0;
}
