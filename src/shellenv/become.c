/* SPDX-License-Identifier: ISC */
/* To become the user it is about, as root. */
#include "shellenv_int.h"

#include <errno.h>
#include <grp.h>
#include <unistd.h>

int
shellenv_become(const struct shellenv *se, struct err *err)
{
	if (geteuid() == se->uid && getuid() == se->uid)
		return 0;
	if (geteuid() != 0)
		return err_set(err, ERR_CALLER, "only root may act for %s",
		    se->user);
	if (initgroups(se->user, se->gid) < 0)
		return err_sys(err, errno, "groups of %s", se->user);
	if (setresgid(se->gid, se->gid, se->gid) < 0 ||
	    setresuid(se->uid, se->uid, se->uid) < 0)
		return err_sys(err, errno, "become %s", se->user);
	if (se->uid != 0 && setuid(0) == 0)
		return err_set(err, -EPERM, "become %s: root came back",
		    se->user);
	return 0;
}
