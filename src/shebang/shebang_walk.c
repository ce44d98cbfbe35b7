/* SPDX-License-Identifier: ISC */
/*
 * The walk: from a directory up to the root, at each level the probe-dirs
 * in their order, in each of those the candidate names in theirs.
 *
 * One descriptor climbs by `..`, and a name is asked for in the directory
 * that was opened, so that a level costs one lookup for each name and
 * nothing for the path above it.  Only what exists is looked at by its
 * whole path: that is what the caller gets, so that is what is checked.
 */
#include "shebang/shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static char *
join(const char *dir, const char *name)
{
	return xasprintf("%s%s%s", dir, strcmp(dir, "/") == 0 ? "" : "/",
	    name);
}

static void
trace_skip(const struct shebang_walk *w, const char *name, const char *why)
{
	struct shebang_step step = { .kind = SHEBANG_STEP_SKIPPED };

	step.name = name;
	step.text = why;
	shebang_trace(w->q, &step);
}

static int
give_up(int errnum, const char *dir, struct err *err)
{
	return err_sys(err, errnum, "cannot go on searching at %s", dir);
}

/*
 * A directory of the automounter holds mount points and no files, and each
 * unknown name looked up there is a question to its daemon, often over the
 * network.  The file system is asked for once per device; only devices
 * without a number of their own can be such a one.
 */
static bool
is_autofs(struct shebang_walk *w, int fd)
{
	struct statx sx;
	struct statfs fs;
	dev_t dev;

	/* statx(2) by number, since not every libc has it: it alone answers
	 * without asking a file server. */
	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0,
	    &sx) < 0)
		return false;
	dev = makedev(sx.stx_dev_major, sx.stx_dev_minor);
	if (w->dev_known && w->dev == dev)
		return w->autofs;
	w->dev_known = true;
	w->dev = dev;
	w->autofs = sx.stx_dev_major == 0 && fstatfs(fd, &fs) == 0 &&
	    fs.f_type == AUTOFS_SUPER_MAGIC;
	return w->autofs;
}

static void
trace_open_error(const struct shebang_walk *w, const char *path, int errnum)
{
	struct shebang_candidate c = SHEBANG_CANDIDATE_INIT;

	if (errnum != ENOENT && errnum != ENOTDIR) {
		c.verdict = SHEBANG_UNREACHABLE;
		c.errnum = errnum;
	}
	shebang_trace_candidate(w->q, path, &c);
}

/* One name in an open directory. */
static int
try_name(struct shebang_walk *w, int dir_fd, const char *dir,
    const char *name, struct err *err)
{
	struct shebang_candidate c = SHEBANG_CANDIDATE_INIT;
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFD int fd = -1;
	int rc;

	fd = openat(dir_fd, name, O_PATH | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !w->q->explain)
		return 0;
	if (fd < 0 && shebang_is_fatal(errno))
		return give_up(errno, dir, err);
	path = join(dir, name);
	rc = shebang_candidate(w->q, w->script, path, &c);
	if (rc < 0)
		return give_up(-rc, dir, err);
	shebang_trace_candidate(w->q, path, &c);
	if (c.verdict == SHEBANG_TAKEN) {
		w->found->path = AEG_STEAL(path);
		w->found->fd = c.fd;
		w->found->format = c.format;
		w->found->from = SHEBANG_WALK;
	}
	return 0;
}

/* Every name in a directory; dir_fd is negative (-errno) when it could not
 * be opened, which answers for all of them.  level: it is the level's own,
 * which is known to hold files. */
static int
try_dir(struct shebang_walk *w, int dir_fd, const char *dir, bool level,
    struct err *err)
{
	size_t i;
	int rc = 0;

	w->tries += (unsigned)w->plan->names.n;
	if (w->tries > SHEBANG_TRIES_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "more than %d candidates", SHEBANG_TRIES_MAX);
	if (dir_fd < 0 && shebang_is_fatal(-dir_fd))
		return give_up(-dir_fd, dir, err);
	if (dir_fd >= 0 && !level && is_autofs(w, dir_fd)) {
		trace_skip(w, dir, "is the automounter's: holds no files");
		return 0;
	}
	if ((dir_fd == -ENOENT || dir_fd == -ENOTDIR) && !w->q->explain)
		return 0;
	for (i = 0; i < w->plan->names.n; i++) {
		const char *name = w->plan->names.v[i];

		if (dir_fd < 0) {
			AEG_AUTOFREE char *path = join(dir, name);

			trace_open_error(w, path, -dir_fd);
			continue;
		}
		rc = try_name(w, dir_fd, dir, name, err);
		if (rc < 0 || w->found->path != NULL)
			return rc;
	}
	return 0;
}

static int
open_dir(int at, const char *path)
{
	int fd = openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* All probe-dirs of one level; fd may be negative as in try_dir(). */
static int
try_level(struct shebang_walk *w, int fd, const char *path, bool first,
    struct err *err)
{
	bool autofs = fd >= 0 && is_autofs(w, fd);
	size_t i;
	int rc = 0;

	if (autofs)
		trace_skip(w, path, "is the automounter's: holds no files");
	for (i = 0; i < w->plan->dirs.n && rc == 0 && w->found->path == NULL;
	    i++) {
		const char *entry = w->plan->dirs.v[i];
		AEG_AUTOFREE char *dir = NULL;
		AEG_AUTOFD int dir_fd = -1;

		if (entry[0] == '/') {
			/* The same at each level, so once is enough. */
			if (!first || w->absolute_done)
				continue;
			dir_fd = open_dir(AT_FDCWD, entry);
			rc = try_dir(w, dir_fd, entry, false, err);
		} else if (autofs) {
			continue;
		} else if (strcmp(entry, ".") == 0) {
			rc = try_dir(w, fd, path, true, err);
		} else {
			dir = join(path, entry);
			dir_fd = fd < 0 ? fd : open_dir(fd, entry);
			rc = try_dir(w, dir_fd, dir, false, err);
		}
	}
	return rc;
}

int
shebang_walk(struct shebang_walk *w, int *fd, const char *path,
    struct err *err)
{
	AEG_AUTOFREE char *at = xstrdup(path);
	AEG_AUTOFD int here = *fd;
	bool first = true;
	int up, rc;

	*fd = -1;
	for (;;) {
		if (w->walked != NULL && path_under(w->walked, at)) {
			trace_skip(w, at, "was searched from here up before");
			break;
		}
		rc = try_level(w, here, at, first, err);
		if (rc < 0 || w->found->path != NULL)
			return rc;
		if (strcmp(at, "/") == 0)
			break;
		*(strrchr(at, '/') + (strrchr(at, '/') == at ? 1 : 0)) = '\0';
		/* A directory that may not be searched hides its `..` too,
		 * but its parent's path does not lead through it. */
		up = here < 0 ? here : open_dir(here, "..");
		if (up < 0)
			up = open_dir(AT_FDCWD, at);
		io_close(&here);
		here = up;
		first = false;
	}
	w->absolute_done = true;
	return 0;
}
