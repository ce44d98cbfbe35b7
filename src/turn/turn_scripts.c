/* SPDX-License-Identifier: ISC */
/*
 * The scripts that a line is about to run: read when it is judged, and
 * hashed again before it starts, because somebody may have had the time of
 * a question to change them.
 */
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "turn/turn_int.h"

#define HASHED_MOST ((size_t)4 * 1024 * 1024)	/* of a script */
#define PROBE 512	/* bytes that tell text from a program */

/* Whose first operand is a script, where no option carries the program. */
static const char *const readers[] = { "sh", "bash", "dash", "ksh", "zsh",
    "python", "perl", "ruby", "node", "nodejs", "php", "lua", "tclsh",
    "awk", "gawk", "mawk", "sed", "expect", "Rscript", "source", ".",
    "busybox", "osascript", "make" };

static bool
is_reader(const char *name)
{
	size_t i, n;

	for (i = 0; i < AEG_NELEM(readers); i++) {
		n = strlen(readers[i]);
		/* python3.11, perl5.36, lua5.4 */
		if (strncmp(name, readers[i], n) == 0 &&
		    strspn(name + n, "0123456789.") == strlen(name + n))
			return true;
	}
	return false;
}

/* Where relative names of the command begin, or NULL: not known. */
static const char *
directory(const struct turn *t, const struct resolved *r)
{
	const struct syn_command *c = r->command;

	if (c == NULL || c->dir == SYN_DIR_START)
		return state_cwd(t->opts.state);
	return c->dir == SYN_DIR_AT ? c->cwd : NULL;
}

static int
open_text(const char *path, struct stat *ret)
{
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
	    O_NOCTTY);
	char probe[PROBE];
	ssize_t n;
	int got;

	if (fd < 0 || fstat(fd, ret) < 0)
		return -errno;
	if (!S_ISREG(ret->st_mode))
		return -EINVAL;
	n = pread(fd, probe, sizeof probe, 0);
	if (n < 0 || memchr(probe, '\0', (size_t)n) != NULL)
		return -ENOEXEC;	/* no text */
	got = fd;
	fd = -1;
	return got;
}

/* Its bytes up to TURN_SCRIPT_SHOWN, and the hash of them all. */
static int
read_script(const char *path, struct turn_script *ret)
{
	AEG_AUTOFREE char *bytes = NULL;
	struct sha256_ctx ctx;
	struct stat st;
	AEG_AUTOFD int fd = open_text(path, &st);
	size_t total = 0;
	char block[16384];
	ssize_t n;

	if (fd < 0)
		return fd;
	bytes = xmalloc(TURN_SCRIPT_SHOWN + 1);
	sha256_init(&ctx);
	ret->len = 0;
	while ((n = read(fd, block, sizeof block)) > 0) {
		size_t take = TURN_SCRIPT_SHOWN - ret->len;

		if (take > (size_t)n)
			take = (size_t)n;
		memcpy(bytes + ret->len, block, take);
		ret->len += take;
		total += (size_t)n;
		if (total > HASHED_MOST)
			return ERR_TOO_LONG;
		sha256_update(&ctx, (size_t)n, (const uint8_t *)block);
	}
	if (n < 0)
		return -errno;
	sha256_digest(&ctx, sizeof ret->hash, ret->hash);
	ret->size = total;
	ret->mode = st.st_mode;
	ret->owner = st.st_uid;
	bytes[ret->len] = '\0';
	ret->text = AEG_STEAL(bytes);
	return 0;
}

static bool
is_there(const struct turn_judged *j, const char *path)
{
	size_t i;

	for (i = 0; i < j->n_scripts; i++)
		if (strcmp(j->scripts[i].path, path) == 0)
			return true;
	return false;
}

static void
add(struct turn_judged *j, const char *path)
{
	struct turn_script s = { .path = NULL };
	int rc;

	if (is_there(j, path))
		return;
	if (j->n_scripts == TURN_SCRIPTS_MAX) {
		j->more_scripts = true;
		return;
	}
	rc = read_script(path, &s);
	if (rc == -ENOENT || rc == -ENOTDIR || rc == -ENOEXEC)
		return;		/* no script after all */
	if (rc < 0) {
		j->more_scripts = true;
		return;
	}
	s.path = xstrdup(path);
	j->scripts[j->n_scripts++] = s;
}

/* The first operand, where it is known; options that carry a program come
 * before it and end the search. */
static void
add_operand(const struct turn *t, struct turn_judged *j,
    const struct resolved *r)
{
	const char *dir = directory(t, r), *word;
	AEG_AUTOFREE char *path = NULL;
	size_t i;

	for (i = 1; i < r->argc; i++) {
		if (!r->argv[i].known) {
			j->more_scripts = true;
			return;
		}
		word = r->argv[i].value;
		if (word[0] != '-' || word[1] == '\0')
			break;
		if (strcmp(word, "-c") == 0 || strcmp(word, "-e") == 0)
			return;
		/* awk -f FILE, make -f FILE */
		if (strcmp(word, "-f") == 0 && i + 1 < r->argc) {
			i++;
			break;
		}
	}
	if (i >= r->argc || !r->argv[i].known ||
	    strcmp(r->argv[i].value, "-") == 0)
		return;
	if (dir == NULL && r->argv[i].value[0] != '/') {
		j->more_scripts = true;
		return;
	}
	path = path_canon(dir != NULL && dir[0] == '/' ? dir : "/",
	    r->argv[i].value);
	if (dir != NULL && dir[0] != '/' && r->argv[i].value[0] != '/') {
		AEG_AUTOFREE char *base =
		    path_canon(state_cwd(t->opts.state), dir);

		free(path);
		path = path_canon(base, r->argv[i].value);
	}
	add(j, path);
}

void
turn_find_scripts(const struct turn *t, struct turn_judged *j)
{
	size_t i;

	for (i = 0; i < j->resolved->n; i++) {
		const struct resolved *r = &j->resolved->items[i];

		if (r->kind == RESOLVE_FILE && r->interpreter != NULL &&
		    r->path != NULL)
			add(j, r->path);
		if (r->name != NULL && (r->kind == RESOLVE_FILE ||
		    r->kind == RESOLVE_BUILTIN) && is_reader(r->name))
			add_operand(t, j, r);
	}
}

int
turn_check_scripts(const struct turn_judged *j, struct err *err)
{
	size_t i;

	for (i = 0; i < j->n_scripts; i++) {
		struct turn_script now = { .path = NULL };
		int rc = read_script(j->scripts[i].path, &now);
		bool same = rc == 0 && memcmp(now.hash, j->scripts[i].hash,
		    sizeof now.hash) == 0;

		free(now.text);
		if (!same)
			return err_set(err, ERR_REFUSED, "%s was changed after "
			    "it was judged", j->scripts[i].path);
	}
	return 0;
}

void
turn_scripts_done(struct turn_judged *j)
{
	size_t i;

	for (i = 0; i < j->n_scripts; i++) {
		free(j->scripts[i].path);
		free(j->scripts[i].text);
	}
	j->n_scripts = 0;
}
