/* SPDX-License-Identifier: ISC */
/*
 * Which files a line changed, on record: those that a try commits, and those
 * that an edit of another user's files installs.  Both are looked at by us,
 * before and after, outside of every sandbox; nothing of it is what a command
 * said.
 *
 * Hashes are of what can be read in reasonable time, and of what everybody may
 * read: a row without one says only that the file was changed.
 */
#include "turn/turn_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define CHUNK ((size_t)65536)
/* Bytes that are read for the hashes of one commit, before and after. */
#define HASHED_MAX ((uint64_t)256 * 1024 * 1024)
/* Of the names in the rows of one commit, beyond which none begins: what waits
 * for the store is bounded, and more than files must fit. */
#define NAMES_MAX ((size_t)1024 * 1024)

/* Of a regular file that is not larger than what is left.  A record goes to
 * more places than a file that is kept from others, and whoever has the hash
 * of a short secret finds that by trying. */
static bool
hash_file(int fd, uint64_t *left, unsigned char ret[TURN_HASH_LEN])
{
	AEG_AUTOFREE char *bytes = NULL;
	struct sha256_ctx hash;
	struct stat st;
	uint64_t n = 0;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (st.st_mode & S_IROTH) == 0 || st.st_size < 0 ||
	    (uint64_t)st.st_size > *left)
		return false;
	bytes = xmalloc(CHUNK);
	sha256_init(&hash);
	while ((got = read(fd, bytes, CHUNK)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		/* It grows as we read. */
		if (got < 0 || (n += (uint64_t)got) > *left)
			return false;
		sha256_update(&hash, (size_t)got, (const uint8_t *)bytes);
	}
	sha256_digest(&hash, TURN_HASH_LEN, ret);
	*left -= n;
	return true;
}

/* How long its name is in the record; 0: too long for a row. */
static size_t
record_file(struct turn *t, int64_t id, const char *uuid, const char *path,
    struct audit_file *f)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX((size_t)64 * 1024);

	redact_text(t->redact, &text, path, strlen(path));
	buf_putc(&text, '\0');
	if (buf_overflow(&text))
		return 0;
	f->path = text.data;
	f->wall_ns = clock_wall_ns();
	f->mono_ns = clock_mono_ns();
	audit_file(t->audit, id, uuid, f);
	return text.len;
}

static void
note_left_out(struct turn *t, const char *uuid, size_t n)
{
	AEG_AUTOFREE char *text = n > 0 && t->audit != NULL ?
	    xasprintf("%s: %zu", uuid, n) : NULL;

	if (text != NULL)
		audit_note(t->audit, "files-left-out", text);
}

/* ---- a commit ----------------------------------------------------------- */

struct turn_changes {
	struct audit_file *files;	/* as long as those of the try, or
					 * AUDIT_FILES_MAX */
	size_t n;
	uint64_t left;
};

struct turn_changes *
turn_changes_new(const struct turn *t, const struct try *try)
{
	struct turn_changes *c = xcalloc(1, sizeof *c);
	const struct try_change *all;
	size_t i, n = try_changes(try, &all);

	c->left = HASHED_MAX;
	c->n = t->audit == NULL ? 0 : n < AUDIT_FILES_MAX ? n :
	    AUDIT_FILES_MAX;
	c->files = xcalloc(c->n > 0 ? c->n : 1, sizeof *c->files);
	for (i = 0; i < c->n; i++) {
		AEG_AUTOFD int fd = all[i].kind != TRY_CREATED &&
		    all[i].before == TRY_FILE ? try_open_lower(try, i) : -1;

		c->files[i].has_old = hash_file(fd, &c->left,
		    c->files[i].old_sha256);
	}
	return c;
}

void
turn_changes_record(struct turn *t, struct turn_changes *c,
    const struct try *try, int64_t id, const char *uuid)
{
	static const enum audit_change kinds[] = {
		[TRY_CREATED] = AUDIT_CHANGE_MADE,
		[TRY_CHANGED] = AUDIT_CHANGE_CHANGED,
		[TRY_DELETED] = AUDIT_CHANGE_REMOVED };
	const struct try_change *all;
	size_t i, n = try_changes(try, &all), left_out = 0, names = 0, len;

	for (i = 0; i < c->n; i++) {
		AEG_AUTOFD int fd = -1;

		if (!all[i].done)
			continue;
		if (names > NAMES_MAX) {
			left_out++;
			continue;
		}
		if (all[i].kind != TRY_DELETED && all[i].type == TRY_FILE)
			fd = try_open_lower(try, i);
		c->files[i].has_new = hash_file(fd, &c->left,
		    c->files[i].new_sha256);
		c->files[i].change = kinds[all[i].kind];
		len = record_file(t, id, uuid, all[i].path, &c->files[i]);
		names += len;
		left_out += len == 0;
	}
	for (i = c->n; i < n; i++)
		left_out += all[i].done;
	note_left_out(t, uuid, left_out);
}

void
turn_changes_free(struct turn_changes *c)
{
	if (c == NULL)
		return;
	free(c->files);
	free(c);
}

/* ---- an edit ------------------------------------------------------------ */

struct seen {
	struct elevate_file is;
	bool hashed;
	unsigned char sha256[TURN_HASH_LEN];
};

struct turn_edited {
	size_t n;
	char *paths[TURN_EDITED_MAX];
	struct seen was[TURN_EDITED_MAX];
};

static void
look(const char *path, struct seen *ret)
{
	uint64_t left = TURN_EDITED_BYTES;
	struct stat st;
	AEG_AUTOFD int fd = -1;

	memset(ret, 0, sizeof *ret);
	elevate_file_of(path, &ret->is);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ret->hashed = hash_file(fd, &left, ret->sha256);
}

/* By its real name, which is what is edited; one that is not there yet, by
 * that of its directory. */
static void
add(struct turn_edited *e, const char *cwd, const char *word)
{
	AEG_AUTOFREE char *path = path_canon(cwd, word);
	AEG_AUTOFREE char *real = realpath(path, NULL);
	size_t i;

	if (real != NULL) {
		free(path);
		path = AEG_STEAL(real);
	}
	for (i = 0; i < e->n; i++)
		if (strcmp(e->paths[i], path) == 0)
			return;
	if (e->n == TURN_EDITED_MAX)
		return;
	look(path, &e->was[e->n]);
	e->paths[e->n++] = AEG_STEAL(path);
}

/* What these edit unless they are told otherwise. */
static void
add_usual(struct turn_edited *e, const char *program, const char *user)
{
	static const struct {
		const char *program;
		const char *files[2];
	} usual[] = {
		{ "visudo", { "/etc/sudoers", NULL } },
		{ "vipw", { "/etc/passwd", "/etc/shadow" } },
		{ "vigr", { "/etc/group", "/etc/gshadow" } },
	};
	size_t i, k;

	for (i = 0; i < AEG_NELEM(usual); i++)
		for (k = 0; strcmp(program, usual[i].program) == 0 && k < 2 &&
		    usual[i].files[k] != NULL; k++)
			add(e, "/", usual[i].files[k]);
	if (strcmp(program, "crontab") == 0 && user != NULL)
		add(e, "/var/spool/cron/crontabs", user);
}

struct turn_edited *
turn_edited_new(const struct turn *t, const struct elevate_call *c,
    const struct strv *argv, const char *cwd)
{
	struct turn_edited *e;
	size_t i;

	if (!c->edits || t->audit == NULL)
		return NULL;
	e = xcalloc(1, sizeof *e);
	/* Words that are no files' names are files that are never there. */
	for (i = c->command + 1; i < argv->n; i++)
		if (argv->v[i][0] != '-' && argv->v[i][0] != '\0')
			add(e, cwd, argv->v[i]);
	add_usual(e, path_base(argv->v[c->command]), t->opts.user);
	return e;
}

static bool
is_there(const struct seen *s)
{
	return s->is.ino != 0;
}

void
turn_edited_record(struct turn *t, struct turn_edited *e, int64_t id,
    const char *uuid)
{
	size_t i, left_out = 0;

	for (i = 0; e != NULL && i < e->n; i++) {
		const struct seen *was = &e->was[i];
		struct audit_file f = { .has_old = was->hashed };
		struct seen now;

		look(e->paths[i], &now);
		if (elevate_file_same(&was->is, &now.is))
			continue;
		f.change = !is_there(was) ? AUDIT_CHANGE_MADE :
		    !is_there(&now) ? AUDIT_CHANGE_REMOVED :
		    AUDIT_CHANGE_CHANGED;
		f.has_new = now.hashed;
		memcpy(f.old_sha256, was->sha256, sizeof f.old_sha256);
		memcpy(f.new_sha256, now.sha256, sizeof f.new_sha256);
		left_out += record_file(t, id, uuid, e->paths[i], &f) == 0;
	}
	note_left_out(t, uuid, left_out);
}

void
turn_edited_free(struct turn_edited *e)
{
	size_t i;

	for (i = 0; e != NULL && i < e->n; i++)
		free(e->paths[i]);
	free(e);
}
