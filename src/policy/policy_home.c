/* SPDX-License-Identifier: ISC */
/*
 * An account's home, as far as it is the account's own: what the user
 * database says, wherever that is, not what $HOME says, which any line can
 * set.  Many accounts of services have a directory of the system there.
 */
#include "policy_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/path.h"

/* Shared, or the system's: "/…/" with all that is in it. */
static const char *const none[] = { "/", "/bin/", "/boot/", "/dev/", "/etc/",
	"/home", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/media", "/mnt",
	"/nonexistent", "/opt", "/proc/", "/run", "/sbin/", "/srv", "/sys/",
	"/tmp", "/Users", "/usr", "/usr/bin/", "/usr/games/", "/usr/include/",
	"/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libexec/",
	"/usr/local", "/usr/local/bin/", "/usr/local/lib/",
	"/usr/local/libexec/", "/usr/local/sbin/", "/usr/local/share/",
	"/usr/sbin/", "/usr/share/", "/var", "/var/cache", "/var/empty",
	"/var/lib", "/var/log/", "/var/mail", "/var/run", "/var/spool",
	"/var/tmp", "/var/www" };

static bool
is_nobodys(const char *dir)
{
	size_t i, n;

	for (i = 0; i < AEG_NELEM(none); i++) {
		n = strlen(none[i]);
		if (n > 1 && none[i][n - 1] == '/' &&
		    strncmp(dir, none[i], n - 1) == 0 &&
		    (dir[n - 1] == '/' || dir[n - 1] == '\0'))
			return true;
		if (strcmp(dir, none[i]) == 0)
			return true;
	}
	return false;
}

void
policy_home_find(const char *home, struct policy_home *ret)
{
	AEG_AUTOFREE char *path = home != NULL && home[0] == '/' ?
	    path_canon("/", home) : NULL;
	AEG_AUTOFREE char *real = path != NULL ? realpath(path, NULL) : NULL;

	if (real == NULL || is_nobodys(path) || is_nobodys(real)) {
		*ret = (struct policy_home){ xstrdup(""), xstrdup("") };
		return;
	}
	*ret = (struct policy_home){ AEG_STEAL(path), AEG_STEAL(real) };
}

void
policy_home_done(struct policy_home *h)
{
	free(h->path);
	free(h->real);
	*h = (struct policy_home)POLICY_HOME_INIT;
}
