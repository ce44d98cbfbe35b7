/* SPDX-License-Identifier: ISC */
/*
 * Which file a command word names: PATH as bash searches it (bash(1),
 * COMMAND EXECUTION), symbolic links followed.  Files are looked at, never
 * run.
 */
#include "resolve_int.h"
#include "resolve_path_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/path.h"

/* bash's own default where PATH is not set (config-top.h). */
static const char default_path[] =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

static int
is_program(const char *path, struct stat *st)
{
	if (stat(path, st) != 0)
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -EACCES;
	/* It was found to be one by this process. */
	if (resolve_memo_get(path, st) != NULL)
		return 0;
	/* Bash goes on to the next directory where this user may not. */
	if ((st->st_mode & 0111) == 0 ||
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return -EACCES;
	return 0;
}

bool
resolve_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool
resolve_is_relative(const char *path)
{
	for (;; path++) {
		if (*path != '/')
			return true;
		path = strchr(path, ':');
		if (path == NULL)
			return false;
	}
}

const char *
resolve_search_path(const struct state *state)
{
	const char *path = state_get(state, "PATH");

	return path != NULL ? path : default_path;
}

char *
resolve_real(const char *path)
{
	char *real = realpath(path, NULL);

	return real != NULL ? real : xstrdup(path);
}

static int
search(const char *word, const char *path, const char *cwd, char **ret_path,
	struct stat *st)
{
	int rc, worst = -ENOENT;
	const char *end;
	char full[PATH_MAX];
	size_t len, word_len = strlen(word);

	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		len = (size_t)(end - path);
		if (len + word_len + 2 <= sizeof full) {
			char *abs AEG_AUTOFREE = NULL;

			/* An empty entry is the working directory. */
			if (len == 0)
				full[len++] = '.';
			else
				memcpy(full, path, len);
			full[len] = '/';
			memcpy(full + len + 1, word, word_len + 1);
			if (full[0] != '/')
				abs = xasprintf("%s/%s", cwd, full);
			rc = is_program(abs != NULL ? abs : full, st);
			if (rc == 0) {
				*ret_path = abs == NULL ? xstrdup(full) :
				    path_canon(cwd, full);
				return 0;
			}
			if (rc == -EACCES)
				worst = rc;
		}
		if (*end == '\0')
			return worst;
	}
}

int
resolve_find_by(const char *word, const struct state *state, const char *path,
    const char *cwd, char **ret_path, struct stat *ret_st)
{
	char *abs AEG_AUTOFREE = NULL;
	int rc;

	if (word[0] == '\0')
		return -ENOENT;
	if (cwd == NULL)
		cwd = state_cwd(state);
	if (strchr(word, '/') == NULL) {
		if (path == NULL)
			path = resolve_search_path(state);
		return search(word, path, cwd, ret_path, ret_st);
	}
	/* Not folded by its letters: ".." after a link is the kernel's. */
	abs = word[0] == '/' ? xstrdup(word) : xasprintf("%s/%s", cwd, word);
	rc = is_program(abs, ret_st);
	if (rc == 0)
		*ret_path = AEG_STEAL(abs);
	return rc;
}

int
resolve_find(const char *word, const struct state *state, char **ret_path)
{
	struct stat st;

	return resolve_find_by(word, state, NULL, NULL, ret_path, &st);
}

int
resolve_path(const char *word, const struct state *state, char **ret_path)
{
	char *found AEG_AUTOFREE = NULL;
	int rc = resolve_find(word, state, &found);

	if (rc == 0)
		*ret_path = resolve_real(found);
	return rc;
}
