/* SPDX-License-Identifier: ISC */
/*
 * Whose settings and store, and with which rights.
 *
 * aegshctl is not set-id and needs no rights beyond its caller's; uid 0
 * uses its own only to become the user whose store was asked for.
 */
#include "admin_int.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static int
switch_to(uid_t uid, gid_t gid, struct err *err)
{
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 ||
	    setresuid(uid, uid, uid) < 0)
		return err_sys(err, errno, "becoming uid %lu",
		    (unsigned long)uid);
	/* It must not be possible to come back. */
	if (uid != 0 && setresuid((uid_t)-1, 0, (uid_t)-1) == 0)
		return err_set(err, -EPERM, "uid 0 could not be given up");
	return 0;
}

static int
find_user(const char *user, struct passwd **ret, struct err *err)
{
	errno = 0;
	*ret = getpwnam(user);
	if (*ret == NULL && errno != 0 && errno != ENOENT)
		return err_sys(err, errno, "user %s", user);
	if (*ret == NULL)
		return err_set(err, ERR_CALLER, "no such user: %s", user);
	return 0;
}

static void
speak_of(struct admin *a, const struct passwd *pw)
{
	a->uid = pw->pw_uid;
	a->gid = pw->pw_gid;
	a->posed = true;
	free(a->user);
	free(a->home);
	a->user = xstrdup(pw->pw_name);
	a->home = xstrdup(pw->pw_dir);
	conf_free(a->conf);
	a->conf = NULL;
}

int
admin_pose(struct admin *a, const char *user, struct err *err)
{
	struct passwd *pw;
	int rc;

	if (geteuid() == 0)
		return admin_become(a, user, err);
	rc = find_user(user, &pw, err);
	if (rc == 0)
		speak_of(a, pw);
	return rc;
}

int
admin_become(struct admin *a, const char *user, struct err *err)
{
	struct passwd *pw;
	int rc = find_user(user, &pw, err);

	if (rc < 0)
		return rc;
	if (pw->pw_uid != a->uid) {
		if (geteuid() != 0)
			return err_set(err, ERR_CALLER,
			    "only root may read the store of %s", user);
		rc = switch_to(pw->pw_uid, pw->pw_gid, err);
		if (rc < 0)
			return rc;
	}
	speak_of(a, pw);
	return 0;
}

int
admin_conf(struct admin *a, struct err *err)
{
	if (a->conf != NULL)
		return 0;
	return conf_load(a->uid, a->home, NULL, &a->conf, err);
}
