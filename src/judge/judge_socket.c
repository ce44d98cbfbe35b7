/* SPDX-License-Identifier: ISC */
/*
 * Whose socket it is that lines are about to go to.  A server on this
 * machine may run as a user of its own, so its directory and its socket may
 * belong to that user; but nobody else may have put it there.
 */
#include "judge_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

struct check {
	const char *socket;
	uid_t uid;		/* trusted besides the operator; -1: none */
	uid_t owner;		/* of the socket */
	bool open;		/* below a directory that anybody writes to */
};

static bool
is_trusted(const struct check *c, uid_t owner)
{
	return owner == 0 || owner == sysdirs()->operator_uid ||
	    (c->uid != (uid_t)-1 && owner == c->uid);
}

static int
check_owner(const struct check *c, uid_t owner, const char *what,
    struct err *err)
{
	if (is_trusted(c, owner) || (!c->open && owner == c->owner))
		return 0;
	return err_set(err, ERR_TRUST, "%s: %s belongs to uid %lu, who is not "
	    "trusted there", c->socket, what, (unsigned long)owner);
}

static int
check_directory(struct check *c, const char *dir, struct err *err)
{
	struct stat st;
	int rc;

	if (stat(dir, &st) < 0)
		return err_sys(err, errno, "%s: %s", c->socket, dir);
	rc = check_owner(c, st.st_uid, dir, err);
	if (rc < 0)
		return rc;
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return 0;
	if ((st.st_mode & S_ISVTX) == 0)
		return err_set(err, ERR_TRUST, "%s: others may write to the "
		    "directory '%s' (mode %04o); chmod go-w it", c->socket,
		    dir, (unsigned)st.st_mode & 07777);
	c->open = true;
	return 0;
}

static int
check_above(struct check *c, struct err *err)
{
	AEG_AUTOFREE char *named = xmemdup0(c->socket,
	    (size_t)(strrchr(c->socket, '/') - c->socket) + 1);
	AEG_AUTOFREE char *dir = realpath(named, NULL);
	char *p;
	int rc;

	if (dir == NULL)
		return err_sys(err, errno, "%s", c->socket);
	rc = check_directory(c, "/", err);
	for (p = dir + 1; rc == 0 && *p != '\0';) {
		p += strcspn(p, "/");
		if (*p != '\0') {
			*p = '\0';
			rc = check_directory(c, dir, err);
			*p++ = '/';
		} else {
			rc = check_directory(c, dir, err);
		}
	}
	return rc;
}

int
judge_socket_check(const char *path, uid_t uid, struct err *err)
{
	struct check c = { .socket = path, .uid = uid };
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, ERR_TRUST, "%s: not a socket", path);
	c.owner = st.st_uid;
	/* Managed: who types the lines does not judge them. */
	if (uid == (uid_t)-1 && !is_trusted(&c, st.st_uid) &&
	    st.st_uid == getuid())
		return err_set(err, ERR_TRUST, "%s: belongs to the user whose "
		    "lines are judged", path);
	rc = check_above(&c, err);
	return rc < 0 ? rc : check_owner(&c, st.st_uid, "it", err);
}
