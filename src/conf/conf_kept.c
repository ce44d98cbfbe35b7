/* SPDX-License-Identifier: ISC */
/*
 * Directories that conf_trust.c checked, kept open while a program starts:
 * it opens a dozen places below the same few, and what was checked a moment
 * ago, on a descriptor that still leads there, need not be checked again.
 */
#include "conf_int.h"

#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define KEPT_MAX 32

static struct kept {
	char *path;		/* "" is the root */
	uid_t uid;		/* for whom it was checked */
	int fd;
} kept[KEPT_MAX];
static size_t n_kept;
static bool keeping;

void
conf_trust_keep(bool on)
{
	keeping = on;
	while (!on && n_kept > 0) {
		n_kept--;
		free(kept[n_kept].path);
		io_close(&kept[n_kept].fd);
	}
}

/* No name in it that means another directory than its letters say. */
static bool
is_plain(const char *path)
{
	const char *p;

	for (p = path; *p == '/'; p += strcspn(p, "/")) {
		p++;
		if (*p == '/' || *p == '\0' || (p[0] == '.' &&
		    strchr("/.", p[1]) != NULL))
			return false;
	}
	return true;
}

int
conf_kept_find(const char *path, uid_t uid, size_t *ret_len)
{
	int found = -1;
	size_t i, len;

	if (n_kept == 0 || !is_plain(path))
		return -1;
	for (i = 0; i < n_kept; i++) {
		const struct kept *k = &kept[i];

		len = strlen(k->path);
		if ((k->uid != uid && k->uid != (uid_t)-1) ||
		    strncmp(path, k->path, len) != 0 ||
		    (path[len] != '/' && path[len] != '\0') ||
		    (found >= 0 && len < *ret_len))
			continue;
		found = k->fd;
		*ret_len = len;
	}
	return found;
}

bool
conf_kept_add(const char *path, size_t len, uid_t uid, int fd)
{
	if (!keeping || n_kept == KEPT_MAX || !is_plain(path))
		return false;
	kept[n_kept].path = xmemdup0(path, len);
	kept[n_kept].uid = uid;
	kept[n_kept++].fd = fd;
	return true;
}
