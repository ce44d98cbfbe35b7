/* SPDX-License-Identifier: ISC */
/*
 * The scripts that a line is about to run: read when it is judged, and
 * hashed again before it starts, because somebody may have had the time of
 * a question to change them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "turn/turn_int.h"

#define HASHED_MOST ((size_t)4 * 1024 * 1024)	/* of a script */
#ifndef MFD_NOEXEC_SEAL			/* linux/memfd.h, since Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#define PROBE 512	/* bytes that tell text from a program */

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

/* The mode of the file: programs that write a file anew, as sed -i does, give
 * it that of the one that they read.  Where the kernel forbids to execute
 * copies it is without that. */
static int
seal(int fd, mode_t mode)
{
	if (fchmod(fd, mode & 0777) < 0 && fchmod(fd, mode & 0666) < 0)
		return -errno;
	return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW |
	    F_SEAL_SHRINK | F_SEAL_SEAL) < 0 ? -errno : 0;
}

/* What the line itself may not read is nothing that it could be handed, nor
 * that a model should see.  Asked of the file that was opened: its name may
 * lead elsewhere before and after. */
static bool
is_hidden(const struct turn *t, int fd)
{
	const struct sandbox_profile *p = turn_sandbox(t);
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0 || path[0] != '/')
		return true;
	path[n] = '\0';
	if (turn_know_places(t, NULL) != 0)
		return true;
	return p != NULL && (sandbox_rights_at(p, path) & SANDBOX_READ) == 0;
}

/* Its bytes up to TURN_SCRIPT_SHOWN, and the hash of them all; all of them
 * into copy as well, unless it is -1. */
static int
read_script(const struct turn *t, const char *path, int copy,
    struct turn_script *ret)
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
	if (is_hidden(t, fd))
		return -EACCES;
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
		if (copy >= 0 && io_write_full(copy, block, (size_t)n) < 0)
			return -EIO;
	}
	if (n < 0)
		return -errno;
	if (copy >= 0 && seal(copy, st.st_mode) < 0)
		return -EIO;
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

/* For what could be changed behind our back; *ret_fd stays -1 for what could
 * not.  -errno: there should be one. */
static int
copy_for(const struct turn *t, const char *path, int *ret_fd)
{
	const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd;

	if (!turn_script_may_change(t, path))
		return 0;
	fd = memfd_create(path_base(path), flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(path_base(path), flags);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

static void
add(const struct turn *t, struct turn_judged *j, const char *path)
{
	struct turn_script s = { .path = NULL, .copy = -1 };
	AEG_AUTOFD int copy = -1;
	int rc;

	if (is_there(j, path))
		return;
	if (j->n_scripts == TURN_SCRIPTS_MAX) {
		j->more_scripts = true;
		return;
	}
	rc = copy_for(t, path, &copy);
	if (rc < 0)
		j->not_held = rc;
	rc = read_script(t, path, copy, &s);
	if (rc == -ENOENT || rc == -ENOTDIR || rc == -ENOEXEC)
		return;		/* no script after all */
	if (rc < 0) {
		j->more_scripts = true;
		return;
	}
	s.path = xstrdup(path);
	s.copy = copy;
	copy = -1;
	j->scripts[j->n_scripts++] = s;
}

/* An absolute name for one that is relative to the command's directory, or
 * NULL: not known. */
static char *
absolute(const struct turn *t, const struct resolved *r, const char *name)
{
	AEG_AUTOFREE char *base = NULL;
	const char *dir = directory(t, r);

	if (name[0] == '/')
		return path_canon("/", name);
	if (dir == NULL)
		return NULL;
	base = path_canon(state_cwd(t->opts.state), dir);
	return path_canon(base, name);
}

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A name without a slash: bash looks for its script in the directory first
 * and in PATH then, "." the other way round. */
static char *
search(const struct turn *t, const struct resolved *r, const char *name)
{
	char *here = absolute(t, r, name);
	const char *p = state_get(t->opts.state, "PATH");
	size_t len;

	if (strchr(name, '/') != NULL || p == NULL ||
	    (r->kind != RESOLVE_BUILTIN && (here == NULL || is_file(here))))
		return here;
	for (; *p != '\0'; p += len + (p[len] == ':')) {
		AEG_AUTOFREE char *path = NULL;

		len = strcspn(p, ":");
		path = xasprintf("%.*s/%s", (int)len, p, name);
		if (path[0] == '/' && is_file(path)) {
			free(here);
			return path_canon("/", path);
		}
	}
	return here;
}

static void
add_named(const struct turn *t, struct turn_judged *j,
    const struct resolved *r, const char *name)
{
	AEG_AUTOFREE char *path = search(t, r, name);

	if (path == NULL)
		j->more_scripts = true;
	else
		add(t, j, path);
}

/* The makefile that make finds by itself. */
static void
add_makefile(const struct turn *t, struct turn_judged *j,
    const struct resolved *r, const struct resolve_files *f)
{
	static const char *const names[] = { "GNUmakefile", "makefile",
		"Makefile" };
	const char *dir = f->directory.word == 0 ? "." :
	    r->argv[f->directory.word].value + f->directory.skip;
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++) {
		AEG_AUTOFREE char *name = xasprintf("%s/%s", dir, names[i]);
		AEG_AUTOFREE char *path = absolute(t, r, name);

		if (path == NULL) {
			j->more_scripts = true;
			return;
		}
		if (is_file(path)) {
			add(t, j, path);
			return;
		}
	}
}

/* ---- standard input ------------------------------------------------------ */

static void
add_word(const struct turn *t, struct turn_judged *j,
    const struct resolved *r, const struct syn_word *word)
{
	AEG_AUTOFREE char *path = word->known ? absolute(t, r, word->value) :
	    NULL;

	if (path == NULL)
		j->more_scripts = true;
	else if (is_file(path))
		add(t, j, path);
}

/* False: the command itself says nothing of its standard input. */
static bool
add_redirected(const struct turn *t, struct turn_judged *j,
    const struct resolved *r, const struct syn_command *c)
{
	size_t i;

	for (i = c->n_redirs; i > 0; i--) {
		const struct syn_redir *to = &c->redirs[i - 1];

		if (to->fd != STDIN_FILENO)
			continue;
		if (to->op == SYN_REDIR_IN || to->op == SYN_REDIR_RDWR)
			add_word(t, j, r, &to->target);
		return true;
	}
	return false;
}

/* The files that "cat FILE… |" puts there. */
static void
add_piped(const struct turn *t, struct turn_judged *j,
    const struct resolved *r)
{
	const struct syn_command *c = NULL;
	bool named = false;
	size_t i;

	for (i = 0; i < j->facts->n_commands; i++)
		if (j->facts->commands[i].pipeline == r->command->pipeline &&
		    j->facts->commands[i].pipe_index + 1 ==
		    r->command->pipe_index)
			c = &j->facts->commands[i];
	if (c == NULL || c->n_words == 0 || !c->words[0].known ||
	    strcmp(path_base(c->words[0].value), "cat") != 0)
		return;
	for (i = 1; i < c->n_words; i++)
		if (!c->words[i].known || c->words[i].value[0] != '-') {
			add_word(t, j, r, &c->words[i]);
			named = true;
		}
	if (!named)
		(void)add_redirected(t, j, r, c);
}

/* What no word gives a program reads it there. */
static void
add_stdin(const struct turn *t, struct turn_judged *j,
    const struct resolved *r)
{
	if (r->command == NULL)
		return;
	if (!add_redirected(t, j, r, r->command) &&
	    r->command->pipe_index > 0)
		add_piped(t, j, r);
}

void
turn_find_scripts(const struct turn *t, struct turn_judged *j)
{
	struct resolve_files f;
	size_t i, k;

	for (i = 0; i < j->resolved->n; i++) {
		const struct resolved *r = &j->resolved->items[i];

		if (r->kind == RESOLVE_FILE && r->interpreter != NULL &&
		    r->path != NULL)
			add(t, j, r->path);
		if (!resolve_files(r, &f))
			continue;
		j->reads_files = true;
		j->more_scripts = j->more_scripts || f.more;
		for (k = 0; k < f.n; k++)
			add_named(t, j, r, r->argv[f.at[k].word].value +
			    f.at[k].skip);
		if (f.make && f.n == 0 && !f.more)
			add_makefile(t, j, r, &f);
		if (f.input)
			add_stdin(t, j, r);
	}
}

bool
turn_tell_not_held(struct turn *t, const struct turn_judged *j)
{
	if (j->not_held == 0 || t->told_not_held)
		return false;
	t->told_not_held = true;
	free(t->news);
	t->news = xasprintf("scripts are not held while a line runs, but "
	    "compared right before it starts: no memory file can be had: %s",
	    strerror(-j->not_held));
	return true;
}

bool
turn_has_scripts(const struct turn_judged *j)
{
	return j->n_scripts > 0 || j->not_held != 0;
}

int
turn_check_scripts(const struct turn *t, const struct turn_judged *j,
    struct err *err)
{
	size_t i;

	if (j->not_held != 0 && t->sandbox != NULL &&
	    sandbox_supervise(t->sandbox) == SANDBOX_SUPERVISE_ALL)
		return err_sys(err, -j->not_held, "a script of the line cannot "
		    "be held while it runs, as the profile's supervise = all "
		    "wants: a memory file");

	for (i = 0; i < j->n_scripts; i++) {
		struct turn_script now = { .path = NULL };
		int rc = read_script(t, j->scripts[i].path, -1, &now);
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
		io_close(&j->scripts[i].copy);
		free(j->scripts[i].path);
		free(j->scripts[i].text);
	}
	j->n_scripts = 0;
}
