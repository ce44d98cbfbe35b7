/* SPDX-License-Identifier: ISC */
/*
 * What belongs to a file beside its bytes, taken along to the one that
 * replaces it: owner and group, mode, and every extended attribute, which
 * is where ACLs, SELinux labels and the user's own marks are.
 */
#include "write_int.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "aegsh/base/text.h"

#define NAMES_MAX ((size_t)64 * 1024)	/* the kernel's own limits */
#define VALUE_MAX ((size_t)64 * 1024)

/* Already what it should be: a label that the new file got by itself. */
static bool
has_already(int fd, const char *name, const char *value, ssize_t len)
{
	AEG_AUTOFREE char *have = xmalloc(VALUE_MAX);

	return fgetxattr(fd, name, have, VALUE_MAX) == len &&
	    memcmp(have, value, (size_t)len) == 0;
}

static int
copy_xattr(int from, int to, const char *name, struct err *err)
{
	AEG_AUTOFREE char *value = xmalloc(VALUE_MAX);
	ssize_t n = WRITE_CALL("fgetxattr", fgetxattr(from, name, value,
	    VALUE_MAX));

	if (n < 0 && errno == ENODATA)
		return 0;
	if (n < 0)
		return err_sys(err, errno, "attribute %s", name);
	if (has_already(to, name, value, n))
		return 0;
	if (WRITE_CALL("fsetxattr", fsetxattr(to, name, value, (size_t)n,
	    0)) < 0)
		return err_sys(err, errno, "cannot keep the attribute %s",
		    name);
	return 0;
}

static int
copy_xattrs(int from, int to, struct err *err)
{
	AEG_AUTOFREE char *names = xmalloc(NAMES_MAX);
	ssize_t i, n = WRITE_CALL("flistxattr", flistxattr(from, names,
	    NAMES_MAX));
	int r = 0;

	if (n < 0 && errno == EOPNOTSUPP)
		return 0;
	if (n < 0)
		return err_sys(err, errno, "attributes");
	for (i = 0; i < n && r == 0; i += (ssize_t)strlen(names + i) + 1) {
		/* What only the kernel or root's tools may set says nothing
		 * about the bytes that are replaced. */
		if (text_starts(names + i, "trusted.") ||
		    strcmp(names + i, "security.ima") == 0 ||
		    strcmp(names + i, "security.evm") == 0)
			continue;
		r = copy_xattr(from, to, names + i, err);
	}
	return r;
}

int
se_attrs_copy(int from, int to, const struct stat *st, struct err *err)
{
	struct stat now;
	int r;

	if (fstat(to, &now) < 0)
		return err_sys(err, errno, "new file");
	if ((now.st_uid != st->st_uid || now.st_gid != st->st_gid) &&
	    WRITE_CALL("fchown", fchown(to, st->st_uid, st->st_gid)) < 0)
		return err_sys(err, errno, "cannot keep owner and group");
	/* The ACL before the mode: the mode's group bits are the ACL's mask,
	 * and without the ACL they would be the group's rights. */
	r = copy_xattrs(from, to, err);
	if (r < 0)
		return r;
	if (WRITE_CALL("fchmod", fchmod(to, st->st_mode & 07777)) < 0)
		return err_sys(err, errno, "cannot keep the mode");
	return 0;
}
