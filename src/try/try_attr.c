/* SPDX-License-Identifier: ISC */
/* Extended attributes (xattr(7)), access lists and capabilities of files
 * among them. */
#include "try_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define ATTR_MAX ((size_t)65536)	/* XATTR_LIST_MAX, XATTR_SIZE_MAX */

static bool
counts(const char *attr)
{
	static const char *const others[] = { "user.overlay.",
		"trusted.overlay.", "security.selinux", "security.SMACK64",
		"security.apparmor", "security.ima", "security.evm" };
	size_t i;

	for (i = 0; i < AEG_NELEM(others); i++)
		if (text_starts(attr, others[i]))
			return false;
	return true;
}

/* Names, each with its NUL, owned; a file system without any has none. */
static ssize_t
list(int fd, char **ret)
{
	ssize_t n;

	*ret = xmalloc(ATTR_MAX);
	n = flistxattr(fd, *ret, ATTR_MAX);
	return n < 0 ? errno == EOPNOTSUPP ? 0 : -errno : n;
}

/* Each that counts of a is in b, with the same value. */
static bool
has_all(int a, int b)
{
	AEG_AUTOFREE char *names = NULL;
	AEG_AUTOFREE char *x = xmalloc(ATTR_MAX);
	AEG_AUTOFREE char *y = xmalloc(ATTR_MAX);
	ssize_t len = list(a, &names), n;
	const char *name;

	for (name = names; len > 0 && name < names + len;
	    name += strlen(name) + 1) {
		if (!counts(name))
			continue;
		n = fgetxattr(a, name, x, ATTR_MAX);
		if (n < 0 || fgetxattr(b, name, y, ATTR_MAX) != n ||
		    memcmp(x, y, (size_t)n) != 0)
			return false;
	}
	return len >= 0;
}

bool
try_same_attrs(int a, int b)
{
	return has_all(a, b) && has_all(b, a);
}

static int
remove_others(int from, int to)
{
	AEG_AUTOFREE char *names = NULL;
	ssize_t len = list(to, &names);
	const char *name;

	for (name = names; len > 0 && name < names + len;
	    name += strlen(name) + 1)
		if (counts(name) && fgetxattr(from, name, NULL, 0) < 0 &&
		    errno == ENODATA && fremovexattr(to, name) < 0)
			return -errno;
	return len < 0 ? (int)len : 0;
}

int
try_copy_attrs(int from, int to)
{
	AEG_AUTOFREE char *names = NULL;
	AEG_AUTOFREE char *value = xmalloc(ATTR_MAX);
	ssize_t len = list(from, &names), n;
	const char *name;

	for (name = names; len > 0 && name < names + len;
	    name += strlen(name) + 1) {
		if (!counts(name))
			continue;
		n = fgetxattr(from, name, value, ATTR_MAX);
		if (n < 0 || fsetxattr(to, name, value, (size_t)n, 0) < 0)
			return -errno;
	}
	return len < 0 ? (int)len : remove_others(from, to);
}
