/* SPDX-License-Identifier: ISC */
/* Names of hosts, from the files of ssh(1).  Hashed ones are none. */
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "shell/complete.h"

#define HOSTS_BYTES_MAX ((size_t)1024 * 1024)	/* of one file of names */
#define FILES_MAX 64		/* of settings, with all that they include */
#define DEPTH_MAX 16		/* as ssh(1) has it */

/* What is no plain file gives nothing, and keeps nobody waiting. */
static bool
read_file(const char *path, struct buf *ret)
{
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 && io_read_all(fd, ret) == 0 && ret->len > 0;
}

/* USER@ stays in front of the host. */
static void
host(struct complete *c, const char *name, size_t len)
{
	const char *at = strrchr(c->prefix, '@');
	const char *begin = at != NULL ? at + 1 : c->prefix;
	char *whole AEG_AUTOFREE = NULL;

	if (len == 0 || len > 255 || len < strlen(begin) ||
	    memcmp(name, begin, strlen(begin)) != 0 ||
	    memchr(name, '*', len) != NULL || memchr(name, '?', len) != NULL ||
	    memchr(name, '!', len) != NULL || memchr(name, '|', len) != NULL)
		return;
	whole = xasprintf("%.*s%.*s", (int)(begin - c->prefix), c->prefix,
	    (int)len, name);
	complete_name(c, whole, "", NULL);
}

/* The first field: names with commas between, [NAME]:PORT among them. */
static void
known_host(struct complete *c, char *line)
{
	char *left = NULL, *field = strtok_r(line, " \t", &left), *name;

	/* @cert-authority, @revoked: not a host of that name yet. */
	if (field != NULL && field[0] == '@')
		field = strtok_r(NULL, " \t", &left);
	while (field != NULL && (name = strsep(&field, ",")) != NULL) {
		if (name[0] == '[')
			host(c, name + 1, strcspn(name + 1, "]"));
		else
			host(c, name, strlen(name));
	}
}

/* ssh_config(5).  Patterns that are no names are left to host(). */
static void read_config(struct complete *c, const char *path,
	const char *base, unsigned depth, unsigned *files);

/* Paths, with ~ and patterns, from the directory of the first file. */
static void
include(struct complete *c, const char *pattern, const char *base,
    unsigned depth, unsigned *files)
{
	char *path AEG_AUTOFREE = text_starts(pattern, "~/") ?
	    path_canon(c->sh->home, pattern + 2) : path_canon(base, pattern);
	glob_t found;
	size_t i;

	if (glob(path, 0, NULL, &found) != 0)
		return;
	for (i = 0; i < found.gl_pathc; i++)
		read_config(c, found.gl_pathv[i], base, depth, files);
	globfree(&found);
}

static void
read_config(struct complete *c, const char *path, const char *base,
    unsigned depth, unsigned *files)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(HOSTS_BYTES_MAX);
	char *rest, *line, *word, *left;
	bool includes;

	if (depth == DEPTH_MAX || ++*files > FILES_MAX ||
	    !read_file(path, &text))
		return;
	rest = text.data;
	while ((line = strsep(&rest, "\n")) != NULL) {
		word = strtok_r(line, " \t=", &left);
		if (word == NULL || word[0] == '#')
			continue;
		includes = strcasecmp(word, "Include") == 0;
		if (!includes && strcasecmp(word, "Host") != 0)
			continue;
		while ((word = strtok_r(NULL, " \t\"\r", &left)) != NULL) {
			if (includes)
				include(c, word, base, depth + 1, files);
			else
				host(c, word, strlen(word));
		}
	}
}

static void
read_known(struct complete *c, const char *path)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(HOSTS_BYTES_MAX);
	char *rest, *line;

	if (!read_file(path, &text))
		return;
	rest = text.data;
	while ((line = strsep(&rest, "\n")) != NULL)
		if (line[0] != '#')
			known_host(c, line);
}

void
complete_hosts(struct complete *c)
{
	char *own AEG_AUTOFREE = path_canon(c->sh->home, ".ssh");
	char *known AEG_AUTOFREE = path_canon(own, "known_hosts");
	char *config AEG_AUTOFREE = path_canon(own, "config");
	unsigned files = 0;

	read_known(c, "/etc/ssh/ssh_known_hosts");
	read_config(c, "/etc/ssh/ssh_config", "/etc/ssh", 0, &files);
	complete_send(c);
	read_known(c, known);
	read_config(c, config, own, 0, &files);
}
