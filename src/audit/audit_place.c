/* SPDX-License-Identifier: ISC */
/*
 * Where a user's store lies, and whether that place is theirs alone.
 *
 * An install makes state/UID.  Where it did not, a personal store goes to
 * state_own, outside the home: rights that a profile grants on a tree
 * cannot be taken back for a part of it.
 */
#include "audit_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"

/* Lines of user 0 find something empty mounted over the store: what cover()
 * in sandbox_apply.c makes, not a disk that somebody mounted there. */
static bool
is_covered(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
	    fs.f_files == 2 && (fs.f_flags & ST_RDONLY) != 0;
}

int
audit_open_dir(const char *path, uid_t uid, int *ret_fd, struct err *err)
{
	AEG_AUTOFD int fd = -1;
	struct stat st;
	int rc;

	rc = conf_trust_dir(path, uid, &fd, err);
	if (rc < 0)
		return rc;
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (st.st_uid != uid)
		return err_set(err, ERR_TRUST,
		    "%s: belongs to uid %lu, not to %lu", path,
		    (unsigned long)st.st_uid, (unsigned long)uid);
	if ((st.st_mode & 077) != 0 && is_covered(fd))
		return err_set(err, AUDIT_KEPT, "%s: covered, and so kept from "
		    "this process by a sandbox, as from each line of aegsh: "
		    AUDIT_LOOK, path);
	if ((st.st_mode & 077) != 0)
		return err_set(err, ERR_TRUST,
		    "%s: must be closed to others (mode 0700, not %04o)",
		    path, (unsigned)st.st_mode & 07777);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int
make_own(const char *path, uid_t uid, struct err *err)
{
	AEG_AUTOFD int parent = -1;
	int rc;

	if (uid != geteuid())
		return err_set(err, -EPERM,
		    "%s: only uid %lu makes it", path, (unsigned long)uid);
	rc = conf_trust_dir(sysdirs()->state_own, (uid_t)-1, &parent, err);
	if (rc < 0)
		return rc;
	if (mkdirat(parent, path_base(path), 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "%s", path);
	return 0;
}

int
audit_place(uid_t uid, bool create, char **ret, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%lu", sysdirs()->state,
	    (unsigned long)uid);
	AEG_AUTOFD int fd = -1;
	int rc;

	/* A place that is there and wrong is said, not passed over: the
	 * record would be looked for there. */
	rc = audit_open_dir(path, uid, &fd, err);
	if (rc == -ENOENT) {
		free(path);
		path = xasprintf("%s/aegsh-%lu", sysdirs()->state_own,
		    (unsigned long)uid);
		rc = create ? make_own(path, uid, err) : 0;
		if (rc == 0)
			rc = audit_open_dir(path, uid, &fd, err);
	}
	if (rc < 0) {
		err_context(err, "audit store");
		return rc;
	}
	*ret = AEG_STEAL(path);
	return 0;
}
