/* SPDX-License-Identifier: ISC */
/*
 * A plan carried out.  Each file is replaced by one rename of a complete,
 * synced temporary file in the same directory, so that whoever opens it
 * finds the old bytes or the new ones; a crash leaves at most the
 * temporary file, which the next run removes.
 *
 * Runs of this room exclude each other by a lock.  An editor takes no
 * lock: right before the rename (or the removal) the file is read again,
 * and if it is not what the plan saw, nothing is written.  What an editor
 * writes between that look and the rename is lost to the file and is in no
 * backup.
 */
#include "mend_int.h"
#include "write_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define TEMP_PREFIX ".aegshctl-"

int (*se_write_fault)(const char *call);

struct job {
	struct shellenv *se;
	const struct shellenv_edit *e;
	const char *name;	/* last component */
	const char *temp;
	int dir;		/* of the file */
	int old;		/* the file itself; -1: none */
	struct stat st;
};

int
se_write_all(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = WRITE_CALL("write", write(fd, p, len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static void
job_done(struct job *j)
{
	io_close(&j->old);
	io_close(&j->dir);
}

/* Directories that the file needs: ~/.config/fish. */
static int
make_parents(const char *path, struct err *err)
{
	AEG_AUTOFREE char *copy = xstrdup(path);
	char *p;

	for (p = strchr(copy + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (WRITE_CALL("mkdir", mkdir(copy, 0755)) < 0 &&
		    errno != EEXIST)
			return err_sys(err, errno, "make %s", copy);
		*p = '/';
	}
	return 0;
}

static int
open_dir(struct job *j, struct err *err)
{
	AEG_AUTOFREE char *dir = xstrdup(j->e->path);
	char *slash = strrchr(dir, '/');
	int r;

	if (j->e->old == NULL && j->e->new != NULL) {
		r = make_parents(j->e->path, err);
		if (r < 0)
			return r;
	}
	j->name = strrchr(j->e->path, '/') + 1;
	slash[slash == dir] = '\0';
	j->dir = WRITE_CALL("open", open(dir, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC));
	return j->dir < 0 ? err_sys(err, errno, "%s", dir) : 0;
}

static int
changed(struct job *j, struct err *err)
{
	return err_set(err, -ESTALE, "%s was changed meanwhile; nothing is "
	    "written to it", j->e->shown);
}

/* The file as it is now is the one that the plan saw. */
static int
compare(struct job *j, struct err *err)
{
	AEG_AUTO(buf_done) struct buf now = BUF_INIT_MAX(SHELLENV_FILE_MAX);
	struct stat st;
	int fd, r;

	fd = WRITE_CALL("openat", openat(j->dir, j->name, O_RDONLY |
	    O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
	if (fd < 0 && errno == ENOENT)
		return j->e->old == NULL ? 0 : changed(j, err);
	if (fd < 0)
		return err_sys(err, errno, "%s", j->e->shown);
	io_close(&j->old);
	j->old = fd;
	if (WRITE_CALL("fstat", fstat(fd, &st)) < 0)
		return err_sys(err, errno, "%s", j->e->shown);
	if (j->e->old == NULL || !S_ISREG(st.st_mode) ||
	    st.st_uid != j->se->uid)
		return changed(j, err);
	r = WRITE_CALL("read", 0) < 0 ? -errno : io_read_all(fd, &now);
	if (r < 0)
		return err_set(err, r, "%s: %s", j->e->shown, err_str(r));
	if (now.len != j->e->old_len ||
	    (now.len > 0 && memcmp(now.data, j->e->old, now.len) != 0))
		return changed(j, err);
	j->st = st;
	return 0;
}

/* The temporary file, complete and on the disk. */
static int
write_temp(struct job *j, struct err *err)
{
	AEG_AUTOFD int fd = WRITE_CALL("openat", openat(j->dir, j->temp,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
	int r;

	if (fd < 0)
		return err_sys(err, errno, "%s: new file", j->e->shown);
	r = se_write_all(fd, j->e->new, j->e->new_len);
	if (r < 0)
		return err_sys(err, -r, "%s", j->e->shown);
	if (j->old >= 0) {
		r = se_attrs_copy(j->old, fd, &j->st, err);
		if (r < 0)
			return err_context(err, "%s", j->e->shown);
	} else if (!j->e->from_backup) {
		mode_t mask = umask(077);

		umask(mask);
		if (WRITE_CALL("fchmod", fchmod(fd, 0666 & ~mask)) < 0)
			return err_sys(err, errno, "%s", j->e->shown);
	}
	if (WRITE_CALL("fsync", fsync(fd)) < 0)
		return err_sys(err, errno, "%s", j->e->shown);
	return 0;
}

/* A name that another run left when it was ended. */
static void
clear_stale(struct job *j)
{
	AEG_AUTOFREE char *prefix = xasprintf("%s%s.", TEMP_PREFIX, j->name);
	AEG_AUTOFD int fd = openat(j->dir, ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (d == NULL)
		return;
	fd = -1;
	while ((e = readdir(d)) != NULL)
		if (text_starts(e->d_name, prefix))
			unlinkat(j->dir, e->d_name, 0);
	closedir(d);
}

static int
replace(struct job *j, struct err *err)
{
	int r;

	j->temp = se_printf(j->se, "%s%s.%ld", TEMP_PREFIX, j->name,
	    (long)getpid());
	if (strlen(j->temp) > NAME_MAX)
		j->temp = se_printf(j->se, "%s%ld", TEMP_PREFIX,
		    (long)getpid());
	clear_stale(j);
	r = write_temp(j, err);
	if (r == 0)
		r = compare(j, err);
	/* Where no file was, one that came meanwhile must not be lost. */
	if (r == 0 && WRITE_CALL("rename", j->e->old == NULL ?
	    renameat2(j->dir, j->temp, j->dir, j->name, RENAME_NOREPLACE) :
	    renameat(j->dir, j->temp, j->dir, j->name)) < 0) {
		if (j->e->old != NULL || errno != EINVAL ||
		    linkat(j->dir, j->temp, j->dir, j->name, 0) < 0)
			r = errno == EEXIST ? changed(j, err) :
			    err_sys(err, errno, "%s", j->e->shown);
		unlinkat(j->dir, j->temp, 0);
		return r;
	}
	if (r < 0)
		unlinkat(j->dir, j->temp, 0);
	return r;
}

/* Keeping the backup took a while: look again. */
static int
take_away(struct job *j, struct err *err)
{
	int r = compare(j, err);

	if (r == 0 && WRITE_CALL("unlink", unlinkat(j->dir, j->name, 0)) < 0)
		r = err_sys(err, errno, "%s", j->e->shown);
	return r;
}

static int
one(struct shellenv *se, int backups, const struct shellenv_edit *e,
    struct strv *names, struct err *err)
{
	AEG_AUTO(job_done) struct job j = { .se = se, .e = e, .dir = -1,
		.old = -1 };
	const char *name;
	int r = open_dir(&j, err);

	if (r == 0)
		r = compare(&j, err);
	if (r == 0 && e->old != NULL) {
		r = se_backup_keep(se, backups, e->path, e->old, e->old_len,
		    &name, err);
		if (r == 0 && names != NULL)
			strv_add(names, name);
	}
	if (r < 0)
		return r;
	r = e->new != NULL ? replace(&j, err) : take_away(&j, err);
	/* The name is only safe on the disk with its directory. */
	if (r == 0 && WRITE_CALL("fsync", fsync(j.dir)) < 0)
		r = err_sys(err, errno, "%s: %s, but its directory could not "
		    "be synced", e->shown, e->new != NULL ? "written" :
		    "removed");
	return r;
}

/* Before the first file is written: are all of them what the plan saw? */
static int
look(struct shellenv *se, const struct shellenv_edit *e, struct err *err)
{
	AEG_AUTO(job_done) struct job j = { .se = se, .e = e, .dir = -1,
		.old = -1 };
	int r = open_dir(&j, err);

	return r == 0 ? compare(&j, err) : r;
}

int
shellenv_apply(struct shellenv *se, const struct shellenv_plan *plan,
    struct strv *backups, struct err *err)
{
	AEG_AUTOFD int dir = -1, lock = -1;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	size_t i;
	int r;

	if (plan->n_edits == 0)
		return 0;
	if (geteuid() != se->uid)
		return err_set(err, ERR_REFUSED, "the files are %s's, and "
		    "this process is not", se->user);
	r = se_backup_open(se, &dir, &lock, err);
	if (r < 0)
		return r;
	/* Over the limit of file sizes a write fails instead of killing. */
	sigaction(SIGXFSZ, &ignore, &old);
	for (i = 0; r == 0 && i < plan->n_edits; i++)
		r = look(se, &plan->edits[i], err);
	for (i = 0; r == 0 && i < plan->n_edits; i++)
		r = one(se, dir, &plan->edits[i], backups, err);
	sigaction(SIGXFSZ, &old, NULL);
	return r;
}
