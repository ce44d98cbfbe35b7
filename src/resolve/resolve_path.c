/* SPDX-License-Identifier: ISC */
/*
 * Which file a command word names: PATH as bash searches it (bash(1),
 * COMMAND EXECUTION), symbolic links followed, and the `#!` chain as
 * execve(2) would walk it.  Files are looked at, never run.
 */
#include "resolve_int.h"
#include "resolve_path_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"

#define SHEBANG_LINE_MAX 256	/* BINPRM_BUF_SIZE of the kernel */

/* bash's own default where PATH is not set (config-top.h). */
static const char default_path[] =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

static int
is_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	if ((st.st_mode & 0111) == 0)
		return -EACCES;
	return 0;
}

/* Links of the whole path resolved; the plain text where that fails. */
static char *
real_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real != NULL ? real : xstrdup(path);
}

static int
search(const char *word, const char *path, const char *cwd, char **ret_path)
{
	int rc, worst = -ENOENT;
	const char *end;
	char full[PATH_MAX];
	size_t len, word_len = strlen(word);

	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		len = (size_t)(end - path);
		if (len + word_len + 2 <= sizeof full) {
			/* An empty entry is the working directory. */
			if (len == 0)
				full[len++] = '.';
			else
				memcpy(full, path, len);
			full[len] = '/';
			memcpy(full + len + 1, word, word_len + 1);
			rc = is_program(full);
			if (rc == 0 && full[0] != '/') {
				char *abs AEG_AUTOFREE = path_canon(cwd, full);

				*ret_path = real_path(abs);
				return 0;
			}
			if (rc == 0) {
				*ret_path = real_path(full);
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
resolve_path(const char *word, const struct state *state, char **ret_path)
{
	const char *path;
	char *abs AEG_AUTOFREE = NULL;
	int rc;

	if (word[0] == '\0')
		return -ENOENT;
	if (strchr(word, '/') == NULL) {
		path = state_get(state, "PATH");
		return search(word, path != NULL ? path : default_path,
		    state_cwd(state), ret_path);
	}
	/* Not folded by its letters: ".." after a link is the kernel's. */
	abs = word[0] == '/' ? xstrdup(word) :
	    xasprintf("%s/%s", state_cwd(state), word);
	rc = is_program(abs);
	if (rc == 0)
		*ret_path = real_path(abs);
	return rc;
}

/* First line of a script: the interpreter and its one argument, NULL where
 * there is none.  Returns false for anything else. */
static bool
read_shebang(const char *path, char *line, char **ret_interp, char **ret_arg)
{
	int fd AEG_AUTOFD = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
	    O_NONBLOCK);
	ssize_t n;
	char *p, *end;

	if (fd < 0)
		return false;
	n = read(fd, line, SHEBANG_LINE_MAX - 1);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	p = line + 2 + strspn(line + 2, " \t");
	end = p + strcspn(p, " \t");
	*ret_interp = p;
	*ret_arg = NULL;
	if (*end != '\0') {
		*end++ = '\0';
		p = end + strspn(end, " \t");
		end = p + strlen(p);
		while (end > p && strchr(" \t", end[-1]) != NULL)
			*--end = '\0';
		if (*p != '\0')
			*ret_arg = p;
	}
	return **ret_interp != '\0';
}

/* `#!/usr/bin/env [-S] [-opts] [N=V…] PROG …`: the program's word. */
static char *
env_program(char *arg)
{
	char *word = arg, *end;

	while (word != NULL && *word != '\0') {
		word += strspn(word, " \t");
		end = word + strcspn(word, " \t");
		if (strncmp(word, "-S", 2) == 0 && end > word + 2) {
			word += 2;
			continue;
		}
		if (strncmp(word, "--split-string=", 15) == 0) {
			word += 15;
			continue;
		}
		if (*word != '-' && memchr(word, '=',
		    (size_t)(end - word)) == NULL) {
			*end = '\0';
			return *word != '\0' ? word : NULL;
		}
		word = end;
	}
	return NULL;
}

char *
resolve_interpreter(const char *path, const struct state *state,
	bool *ret_incomplete)
{
	char line[SHEBANG_LINE_MAX], *interp, *arg, *next;
	char *last = NULL;
	int hops;

	for (hops = 0; read_shebang(last != NULL ? last : path, line, &interp,
	    &arg); hops++) {
		if (hops == RESOLVE_SHEBANG_MAX) {
			*ret_incomplete = true;
			break;
		}
		if (strcmp(path_base(interp), "env") == 0 && arg != NULL) {
			interp = env_program(arg);
			if (interp == NULL) {
				*ret_incomplete = true;
				break;
			}
		}
		next = NULL;
		if (resolve_path(interp, state, &next) < 0)
			next = interp[0] == '/' ? xstrdup(interp) : NULL;
		if (next == NULL ||
		    strcmp(next, last != NULL ? last : path) == 0) {
			free(next);
			*ret_incomplete = true;
			break;
		}
		free(last);
		last = next;
	}
	return last;
}
