/* SPDX-License-Identifier: ISC */
/*
 * Where a name leads, links followed: also that of a file which is not there
 * yet, since writing it makes it where its directory really is, or where a
 * link that leads nowhere points.
 */
#include "policy_view_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"

#define LINKS_MAX 8		/* that lead nowhere, one to the next */
#define ABSENT_MAX 16		/* components that are not there yet */
#define REMEMBERED_MAX 16	/* answers of one line */

/* What the kernel says of the directory that this process stands in has no
 * links in it: where the line stands there, too, one question is enough. */
static bool
stands_in(const char *dir)
{
	char at[PATH_MAX];

	return syscall(SYS_getcwd, at, sizeof at) > 0 &&
	    strcmp(at, dir) == 0;
}

/* The directory most lines stand in is asked for once. */
static const char *
real_directory(struct view *v, const char *dir, size_t len)
{
	char *real;
	bool here = v->n_cwds > 0 && strlen(v->cwds[0]) == len &&
	    memcmp(v->cwds[0], dir, len) == 0;

	if (here && v->real_cwd == NULL && stands_in(v->cwds[0]))
		v->real_cwd = v->cwds[0];
	if (here && v->real_cwd != NULL)
		return v->real_cwd;
	real = realpath(arena_memdup0(v->arena, dir, len), NULL);
	if (real == NULL)
		return NULL;
	dir = arena_memdup0(v->arena, real, strlen(real));
	free(real);
	if (here)
		v->real_cwd = dir;
	return dir;
}

/* dir/name of a name that is not there: what a dangling link points to, or
 * just that. */
static char *
follow_dangling(const char *dir, const char *name, bool *ret_link)
{
	AEG_AUTOFREE char *path = path_canon(dir, name);
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);

	*ret_link = n > 0;
	if (n <= 0)
		return AEG_STEAL(path);
	target[n] = '\0';
	return path_canon(dir, target);
}

/* One step towards where path, which is not there, would be made; owned, or
 * NULL.  *ret_link: it was a link, and has to be looked at again. */
static char *
step(struct view *v, const char *path, bool *ret_link)
{
	const char *slash = path + strlen(path), *real = NULL;
	int i;

	for (i = 0; i < ABSENT_MAX && real == NULL; i++) {
		while (slash > path && *--slash != '/')
			;
		if (slash == path)
			return NULL;
		real = real_directory(v, path, (size_t)(slash - path));
		if (real == NULL && errno != ENOENT)
			return NULL;
	}
	*ret_link = false;
	if (real == NULL)
		return NULL;
	if (i > 1)		/* the rest cannot be a link */
		return path_canon(real, slash + 1);
	return follow_dangling(real, slash + 1, ret_link);
}

/* Most names that a line says are in the directory where it stands, and no
 * links, or not there: one question tells.  false: it is not so simple. */
static bool
is_in_directory(struct view *v, const char *path, const char **ret_real)
{
	size_t len = strlen(v->cwds[0]), n, n_name;
	const char *name = path_base(path), *real;
	char c, *joined;

	if (name != path + len + 1 || memcmp(path, v->cwds[0], len) != 0 ||
	    *name == '\0' || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return false;
	real = real_directory(v, v->cwds[0], len);
	if (real == NULL || readlink(path, &c, 1) >= 0 ||
	    (errno != EINVAL && errno != ENOENT))
		return false;
	*ret_real = NULL;
	if (strcmp(real, v->cwds[0]) == 0)
		return true;
	n = strlen(real);
	n_name = strlen(name);
	joined = arena_alloc(v->arena, n + n_name + 2);
	memcpy(joined, real, n);
	if (n > 1)
		joined[n++] = '/';
	memcpy(joined + n, name, n_name);
	*ret_real = joined;
	return true;
}

/* There is no link on the way, nor at its end: one question, where
 * realpath(3) asks about every component.  A link that leads nowhere is one.
 * false: there is, or it can't be told so. */
static bool
has_no_links(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS };
	AEG_AUTOFD int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how,
	    sizeof how);

	return fd >= 0 || errno == ENOENT;
}

static const char *
behind(struct view *v, const char *path)
{
	AEG_AUTOFREE char *at = NULL;
	const char *real;
	bool more;
	int i;

	if (is_in_directory(v, path, &real))
		return real;
	/* What ".." behind a link leads to is not what the letters say. */
	if (strstr(path, "/..") == NULL && has_no_links(path))
		return NULL;
	at = realpath(path, NULL);
	more = at == NULL && errno == ENOENT;

	for (i = 0; more && i < LINKS_MAX; i++) {
		char *next = step(v, at != NULL ? at : path, &more);

		free(at);
		at = next;
		if (at == NULL)
			break;
	}
	if (at == NULL || strcmp(at, path) == 0)
		return NULL;
	return arena_memdup0(v->arena, at, strlen(at));
}

const char *
view_behind(struct view *v, const char *path)
{
	struct view_link link = { .path = path };
	size_t i;

	/* What starts another command names its words again. */
	for (i = 0; i < v->n_links && i < REMEMBERED_MAX; i++)
		if (strcmp(v->links[i].path, path) == 0)
			return v->links[i].real;
	link.real = behind(v, path);
	if (v->n_links < REMEMBERED_MAX)
		VIEW_PUSH(v->arena, v->links, v->n_links, link);
	return link.real;
}

const char *
view_unfolded(struct view *v, const char *text, size_t len)
{
	size_t dir = text[0] == '/' ? 0 : strlen(v->cwds[0]);
	char *whole = arena_alloc(v->arena, dir + len + 2);

	if (dir > 0) {
		memcpy(whole, v->cwds[0], dir);
		whole[dir++] = '/';
	}
	memcpy(whole + dir, text, len);
	return whole;
}
