/* SPDX-License-Identifier: ISC */
/*
 * The directories of the test programs: below $AEGSH_TEST_ROOT, and the
 * operator is whoever runs the tests.  Linked before the base archive, it
 * takes the place of src/base/sysdirs.c; no installed program holds it.
 */
#include "aegsh/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

const struct sysdirs *
sysdirs(void)
{
	static struct sysdirs dirs;
	const char *root, *data, *libexec, *operator_uid, *getent, *nsswitch,
	    *locale;

	if (dirs.conf != NULL)
		return &dirs;
	root = getenv("AEGSH_TEST_ROOT");
	if (root == NULL || root[0] != '/') {
		fprintf(stderr, "AEGSH_TEST_ROOT must name a directory\n");
		exit(100);
	}
	data = getenv("AEGSH_TEST_DATA");
	libexec = getenv("AEGSH_TEST_LIBEXEC");
	operator_uid = getenv("AEGSH_TEST_OPERATOR");
	dirs.data = data != NULL ? xstrdup(data) :
	    xasprintf("%s/share", root);
	locale = getenv("AEGSH_TEST_LOCALE");
	dirs.locale = locale != NULL ? xstrdup(locale) :
	    xasprintf("%s/locale", root);
	dirs.libexec = libexec != NULL ? xstrdup(libexec) :
	    xasprintf("%s/libexec", root);
	dirs.state = xasprintf("%s/state", root);
	dirs.state_own = xasprintf("%s/own", root);
	dirs.home = xasprintf("%s/home", root);
	dirs.bash = "/bin/bash";
	getent = getenv("AEGSH_TEST_GETENT");
	dirs.getent = getent != NULL ? xstrdup(getent) : AEGSH_GETENT;
	nsswitch = getenv("AEGSH_TEST_NSSWITCH");
	dirs.nsswitch = nsswitch != NULL ? xstrdup(nsswitch) :
	    "/etc/nsswitch.conf";
	dirs.system = xasprintf("%s/system", root);
	/* Where no test listens, nobody is there. */
	if (getenv("AEGSH_TEST_KERNEL") == NULL)
		dirs.kernel_audit = xasprintf("%s/system/kernel-audit", root);
	dirs.operator_uid = operator_uid != NULL ?
	    (uid_t)strtoul(operator_uid, NULL, 10) : geteuid();
	dirs.conf = xasprintf("%s/etc", root);
	return &dirs;
}
