/* SPDX-License-Identifier: ISC */
/*
 * What a file held before it was edited, kept below the user's state
 * directory: one file each, named by time and by the path it was, so that
 * no index can be wrong.
 */
#include "write_int.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define KEPT_MAX 200		/* backups; older ones are removed */
#define LOCK_MS 30000		/* to wait for another of us */

static const char *
backup_dir(struct shellenv *se)
{
	const char *state = se_getenv(se, "XDG_STATE_HOME");

	return se_printf(se, "%s/aegsh/env", state != NULL &&
	    state[0] == '/' ? state : se_tilde(se, "~/.local/state"));
}

/* mkdir -p; new directories are the user's alone. */
static int
make_dirs(const char *path, struct err *err)
{
	AEG_AUTOFREE char *copy = xstrdup(path);
	char *p;

	for (p = copy + 1; ; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (WRITE_CALL("mkdir", mkdir(copy, 0700)) < 0 &&
		    errno != EEXIST)
			return err_sys(err, errno, "make %s", copy);
		*p = c;
		if (c == '\0')
			return 0;
	}
}

/* On a file, not on the directory: NFS locks only what is open to write. */
static int
take_lock(int dir, const char *path, int *ret, struct err *err)
{
	AEG_AUTOFD int fd = WRITE_CALL("openat", openat(dir, "lock", O_RDWR |
	    O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
	int64_t end = clock_mono_ns() + LOCK_MS * INT64_C(1000000);
	const struct timespec tick = { 0, 20 * 1000 * 1000 };

	if (fd < 0)
		return err_sys(err, errno, "%s/lock", path);
	while (WRITE_CALL("flock", flock(fd, LOCK_EX | LOCK_NB)) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(err, errno, "%s/lock", path);
		if (clock_mono_ns() > end)
			return err_set(err, -EBUSY, "another aegshctl is "
			    "editing and holds %s/lock; nothing is written, "
			    "try again when it has ended", path);
		nanosleep(&tick, NULL);
	}
	*ret = fd;
	fd = -1;
	return 0;
}

int
se_backup_open(struct shellenv *se, int *ret_dir, int *ret_lock,
    struct err *err)
{
	const char *path = backup_dir(se);
	AEG_AUTOFD int fd = -1;
	struct stat st;
	int r = make_dirs(path, err);

	if (r < 0)
		return r;
	fd = WRITE_CALL("open", open(path, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC));
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (st.st_uid != se->uid)
		return err_set(err, ERR_TRUST, "%s belongs to another user",
		    path);
	r = take_lock(fd, path, ret_lock, err);
	if (r < 0)
		return r;
	*ret_dir = fd;
	fd = -1;
	return 0;
}

/* "20260807T101112.123456789Z" and the path with / and odd letters as %XX;
 * "~" for the home. */
static const char *
new_name(struct shellenv *se, const char *path)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	int64_t now = clock_wall_ns();
	time_t s = (time_t)(now / 1000000000);
	const char *p = se_shown(se, path);
	struct tm tm;

	gmtime_r(&s, &tm);
	buf_putf(&out, "%04d%02d%02dT%02d%02d%02d.%09ldZ_", tm.tm_year + 1900,
	    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
	    (long)(now % 1000000000));
	for (; *p != '\0'; p++) {
		if (isalnum((unsigned char)*p) || strchr("._-~", *p) != NULL)
			buf_putc(&out, *p);
		else
			buf_putf(&out, "%%%02X", (unsigned char)*p);
	}
	return se_strdup(se, out.data);
}

static const char *
name_path(struct shellenv *se, const char *name)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const char *p = strchr(name, '_');
	unsigned c;

	for (p = p != NULL ? p + 1 : ""; *p != '\0'; p++) {
		if (p[0] == '%' && isxdigit((unsigned char)p[1]) &&
		    isxdigit((unsigned char)p[2]) &&
		    sscanf(p + 1, "%2x", &c) == 1) {
			buf_putc(&out, (char)c);
			p += 2;
		} else {
			buf_putc(&out, *p);
		}
	}
	return se_strdup(se, out.data != NULL ? out.data : "");
}

static int
is_backup(const struct dirent *d)
{
	return isdigit((unsigned char)d->d_name[0]) &&
	    strstr(d->d_name, "Z_") != NULL;
}

/* The oldest go when there are too many; that they cannot is no error. */
static void
expire(int dir)
{
	struct dirent **list = NULL;
	int i, n = scandirat(dir, ".", &list, is_backup, alphasort);

	for (i = 0; i < n; i++) {
		if (i < n - KEPT_MAX)
			unlinkat(dir, list[i]->d_name, 0);
		free(list[i]);
	}
	free(list);
}

int
se_backup_keep(struct shellenv *se, int dir, const char *path, const char *text,
    size_t len, const char **ret_name, struct err *err)
{
	const char *name = new_name(se, path);
	AEG_AUTOFD int fd = -1;
	int r;

	if (strlen(name) > NAME_MAX)
		return err_set(err, ERR_TOO_LONG, "%s: the path is too long "
		    "for a backup's name", path);
	fd = WRITE_CALL("openat", openat(dir, name, O_WRONLY | O_CREAT |
	    O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
	if (fd < 0)
		return err_sys(err, errno, "backup of %s", path);
	r = se_write_all(fd, text, len);
	if (r == 0 && WRITE_CALL("fsync", fsync(fd)) < 0)
		r = -errno;
	if (r == 0 && WRITE_CALL("fsync", fsync(dir)) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dir, name, 0);
		return err_sys(err, -r, "backup of %s", path);
	}
	expire(dir);
	*ret_name = name;
	return 0;
}

int
shellenv_backups(struct shellenv *se, const struct shellenv_backup **ret,
    size_t *ret_n, struct err *err)
{
	const char *dir = backup_dir(se);
	struct shellenv_backup *out = NULL;
	struct dirent **list = NULL;
	size_t count = 0, cap = 0;
	int n = scandir(dir, &list, is_backup, alphasort);

	if (n < 0 && errno != ENOENT)
		return err_sys(err, errno, "%s", dir);
	while (n-- > 0) {
		struct shellenv_backup *b = SE_PUSH(se, out, count, cap);
		struct stat st;

		b->name = se_strdup(se, list[n]->d_name);
		b->file = name_path(se, b->name);
		b->time = arena_memdup0(se->arena, b->name,
		    strcspn(b->name, "_"));
		if (stat(se_printf(se, "%s/%s", dir, b->name), &st) == 0)
			b->size = (size_t)st.st_size;
		free(list[n]);
	}
	free(list);
	*ret = out;
	*ret_n = count;
	return 0;
}

int
shellenv_restore(struct shellenv *se, const char *name,
    const struct shellenv_plan **ret, struct err *err)
{
	struct shellenv_plan *plan = arena_alloc(se->arena, sizeof *plan);
	struct shellenv_edit *e = arena_alloc(se->arena, sizeof *e);
	static char *none[] = { NULL };
	const char *text, *path;
	size_t len;
	int r;

	if (strchr(name, '/') != NULL || strstr(name, "Z_") == NULL)
		return err_set(err, ERR_UNKNOWN_NAME, "no backup '%s'", name);
	r = se_read(se, se_printf(se, "%s/%s", backup_dir(se), name), &text,
	    &len);
	if (r < 0)
		return err_set(err, r == -EINVAL ? ERR_REFUSED : r, "backup "
		    "'%s': %s", name, r == -EINVAL ? "no regular file" :
		    err_str(r));
	path = se_tilde(se, name_path(se, name));
	if (path[0] != '/')
		return err_set(err, ERR_UNKNOWN_NAME, "backup '%s' names no "
		    "file", name);
	r = se_write_check(se, path, &e->path, &e->old, &e->old_len, err);
	if (r < 0)
		return r;
	e->shown = se_shown(se, e->path);
	e->new = text;
	e->new_len = len;
	/* How open it was is not known any more, and it may hold secrets. */
	e->from_backup = true;
	plan->edits = e;
	plan->n_edits = e->old != NULL && e->old_len == len &&
	    memcmp(e->old, text, len) == 0 ? 0 : 1;
	plan->notes = none;
	*ret = plan;
	return 0;
}
