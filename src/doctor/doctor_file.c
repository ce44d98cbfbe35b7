/* SPDX-License-Identifier: ISC */
/*
 * Files of the system below the root.  A link in an image leads where it
 * would lead if the image ran, never out of it.
 */
#include "doctor_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"

#define NAMES_MAX 256

static int
open_below(const struct doctor *d, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, d->root, path, &how, sizeof how);

	return fd < 0 ? -errno : (int)fd;
}

int
doctor_stat(struct doctor *d, const char *path, struct stat *ret)
{
	int fd AEG_AUTOFD = open_below(d, path, O_PATH);

	if (fd < 0)
		return fd;
	return fstat(fd, ret) < 0 ? -errno : 0;
}

static void
unreadable(struct doctor *d, const char *path, int number)
{
	doctor_find(d, CHECK_UNREADABLE, arena_memdup0(d->mem, path,
	    strlen(path)), 0, number == ERR_TOO_LONG ? "more than 1 MiB" :
	    arena_memdup0(d->mem, strerror(-number), strlen(strerror(
	    -number))));
}

char *
doctor_read(struct doctor *d, const char *path, uid_t *ret_owner)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(DOCTOR_FILE_MAX);
	int fd AEG_AUTOFD = open_below(d, path, O_RDONLY | O_NONBLOCK |
	    O_NOCTTY);
	struct stat st;
	int rc = fd;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return NULL;
	if (fd >= 0)
		rc = fstat(fd, &st) < 0 ? -errno :
		    !S_ISREG(st.st_mode) ? -EINVAL : io_read_all(fd, &text);
	if (rc < 0) {
		unreadable(d, path, rc);
		return NULL;
	}
	if (ret_owner != NULL)
		*ret_owner = st.st_uid;
	return arena_memdup0(d->mem, text.data != NULL ? text.data : "",
	    text.len);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
doctor_glob(struct doctor *d, const char *pattern, struct strv *ret)
{
	const char *slash = strrchr(pattern, '/'), *name = slash + 1;
	AEG_AUTOFREE char *dir = NULL;
	struct dirent *e;
	size_t first = ret->n;
	DIR *list;
	int fd;

	if (strpbrk(name, "*?[") == NULL) {
		strv_add(ret, pattern);
		return;
	}
	dir = (char *)xmemdup0(pattern, (size_t)(slash - pattern) + 1);
	fd = open_below(d, dir, O_RDONLY | O_DIRECTORY);
	list = fd >= 0 ? fdopendir(fd) : NULL;
	if (list == NULL) {
		if (fd >= 0)
			close(fd);
		if (fd != -ENOENT)
			unreadable(d, dir, fd < 0 ? fd : -errno);
		return;
	}
	while ((e = readdir(list)) != NULL && ret->n - first < NAMES_MAX)
		if (fnmatch(name, e->d_name, FNM_PERIOD) == 0)
			strv_addf(ret, "%s%s", dir, e->d_name);
	closedir(list);
	if (ret->n > first + 1)
		qsort(ret->v + first, ret->n - first, sizeof *ret->v,
		    by_name);
}

size_t
doctor_words(char *p, char **words, size_t max)
{
	size_t n = 0;
	char *out;

	while (n < max) {
		p += strspn(p, " \t\r\f");
		if (*p == '\0' || *p == '#')
			break;
		words[n++] = out = p;
		for (; *p != '\0' && strchr(" \t\r\f", *p) == NULL; p++) {
			if (*p != '"') {
				*out++ = *p;
				continue;
			}
			for (p++; *p != '\0' && *p != '"'; p++) {
				if (*p == '\\' && (p[1] == '"' ||
				    p[1] == '\\'))
					p++;
				*out++ = *p;
			}
			if (*p == '\0')
				break;
		}
		if (*p != '\0')
			p++;
		*out = '\0';
	}
	return n;
}
