/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "store.h"

#include <errno.h>

#include "aegsh/base/mem.h"

static char state[64], own[64];

static int
place(uid_t uid, bool create, const char *want)
{
	AEG_AUTOFREE char *path = NULL, *got = NULL;
	struct err err = ERR_INIT;
	int rc = audit_place(uid, create, &got, &err);

	if (rc == 0) {
		path = scratch_path(want);
		IS_STR(got, path);
	} else {
		OKF(strncmp(err.text, "audit store: ", 13) == 0 && got == NULL,
		    "%s", err.text);
	}
	return rc;
}

int
main(void)
{
	AEG_AUTOFREE char *path = NULL, *other = NULL;
	uid_t me = geteuid();

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	snprintf(state, sizeof state, "state/%lu", (unsigned long)me);
	snprintf(own, sizeof own, "own/aegsh-%lu", (unsigned long)me);
	path = scratch_path(own);
	other = scratch_path(state);
	/* Neither place there, nor the parents. */
	IS_INT(place(me, false, NULL), -ENOENT);
	IS_INT(place(me, true, NULL), -ENOENT);
	scratch_mkdir("own", 01777);
	IS_INT(place(me, false, NULL), -ENOENT);
	IS_INT(place(me + 1, true, NULL), -EPERM);
	IS_INT(place(me, true, own), 0);
	IS_INT(place(me, true, own), 0);
	chmod(path, 0755);
	IS_INT(place(me, true, NULL), ERR_TRUST);
	rmdir(path);
	/* A link, wherever it leads. */
	scratch_mkdir("elsewhere", 0700);
	if (symlink("../elsewhere", path) < 0)
		scratch_die("symlink");
	IS_INT(place(me, true, own), 0);
	unlink(path);
	if (me == 0) {
		/* Somebody else was there first. */
		scratch_mkdir(own, 0700);
		if (chown(path, 4321, (gid_t)-1) < 0)
			scratch_die("chown");
		IS_INT(place(me, true, NULL), ERR_TRUST);
		rmdir(path);
	} else {
		SKIP(2, "only root can give directories away");
	}
	/* Others may write to the parent, and it is not sticky. */
	free(AEG_STEAL(path));
	path = scratch_path("own");
	chmod(path, 0777);
	IS_INT(place(me, true, NULL), ERR_TRUST);
	chmod(path, 01777);
	/* The installed place wins, and is not passed over when wrong. */
	scratch_mkdir("state", 0755);
	IS_INT(place(me, true, own), 0);
	scratch_mkdir(state, 0700);
	IS_INT(place(me, true, state), 0);
	chmod(other, 0770);
	IS_INT(place(me, true, NULL), ERR_TRUST);
	return tap_done();
}
