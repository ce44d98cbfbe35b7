/* SPDX-License-Identifier: ISC */
/*
 * Paths as text (nothing here looks at the disk), and the directories that
 * the build was configured with.
 */
#ifndef AEGSH_BASE_PATH_H
#define AEGSH_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Join unless tail is absolute, then fold ".", ".." and "//" by their
 * letters, as `cd -L` does (POSIX cd, step 8).  dir must be absolute.
 * Returns an owned absolute path. */
char *path_canon(const char *dir, const char *tail)
	__attribute__((nonnull, returns_nonnull));
/* path is dir itself or lies below it; both absolute and canonical. */
bool path_under(const char *path, const char *dir) __attribute__((nonnull));
/* The last component of a path without trailing slash: "b" of "/a/b". */
const char *path_base(const char *path) __attribute__((nonnull));

/*
 * Where things are.  The installed programs link src/base/sysdirs.c, whose
 * values are fixed at build time: no environment variable moves them.
 * Programs of the test suite link their own definition instead.
 */
struct sysdirs {
	const char *conf;	/* /etc/aegsh: operator settings */
	const char *data;	/* …/share/aegsh: vendor policy, sandbox */
	const char *locale;	/* …/share/locale: catalogues of messages */
	const char *libexec;	/* …/libexec/aegsh: helper programs */
	const char *state;	/* /var/lib/aegsh: stores, one per uid */
	const char *state_own;	/* /var/tmp: parent of a personal store when
				 * state holds no directory for the uid */
	const char *bash;	/* /bin/bash */
	const char *getent;	/* of libc: asks the name service */
	const char *nsswitch;	/* /etc/nsswitch.conf: whether it has more
				 * than the files */
	const char *home;	/* NULL: the home directory of passwd(5) */
	const char *system;	/* "": in front of the paths of the system's
				 * own start-up files, /etc/profile */
	const char *kernel_audit;	/* NULL: netlink(7); or a socket that is
				 * in its place */
	uid_t operator_uid;	/* whose files are trusted as operator's: 0 */
};

const struct sysdirs *sysdirs(void) __attribute__((returns_nonnull));

#endif
