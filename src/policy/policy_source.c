/* SPDX-License-Identifier: ISC */
/*
 * The rule files of all layers: found below a directory that was checked on
 * the way to it, their owners and modes checked, and, where their compiled
 * form is not known yet, opened, checked once more on the descriptor, read
 * and hashed together.
 */
#include "policy_int.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/listing.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"

struct place {
	enum pol_layer layer;
	const char *path;
	uid_t uid;		/* beside the operator, whose files count */
};

static void
add_source(struct pol_sources *s, enum pol_layer layer, char *path, char *text,
	size_t len)
{
	s->v = xreallocarray(s->v, s->n + 1, sizeof *s->v);
	s->v[s->n++] = (struct pol_source){ .layer = layer, .path = path,
		.text = text, .len = len };
}

void
pol_file_identity(const struct stat *st, int64_t ret[POL_FILE_IDENTITY])
{
	const int64_t v[POL_FILE_IDENTITY] = { (int64_t)st->st_dev,
		(int64_t)st->st_ino, st->st_size, st->st_mtim.tv_sec,
		st->st_mtim.tv_nsec, st->st_ctim.tv_sec,
		st->st_ctim.tv_nsec };

	memcpy(ret, v, sizeof v);
}

static void
identify(struct sha256_ctx *ctx, const struct stat *st, struct pol_sources *s)
{
	int64_t v[POL_FILE_IDENTITY];

	pol_file_identity(st, v);
	sha256_update(ctx, sizeof v, (const void *)v);
	if (st->st_ctim.tv_sec > s->newest)
		s->newest = st->st_ctim.tv_sec;
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	    a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	    a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* The directory is trusted already; what is left is the file itself. */
static int
check_file(const char *path, uid_t uid, const struct stat *st,
	struct err *err)
{
	if (!S_ISREG(st->st_mode) || (st->st_mode & 022) != 0 ||
	    (st->st_uid != sysdirs()->operator_uid && st->st_uid != 0 &&
	    st->st_uid != uid))
		return err_set(err, ERR_TRUST, "%s: not a regular file of "
		    "its owner that nobody else can write", path);
	if (st->st_size > (off_t)POL_SOURCE_MAX)
		return err_set(err, ERR_TOO_LONG, "%s: longer than %zu "
		    "bytes", path, POL_SOURCE_MAX);
	return 0;
}

/* A look by name is enough where the compiled form is known: it was made
 * from this very inode, unchanged since, that was checked when it was open. */
static int
find_file(const struct place *place, const char *name, struct sha256_ctx *ctx,
	struct pol_sources *ret, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", place->path, name);
	struct pol_source *found;
	struct stat st;
	int rc;

	if (fstatat(ret->dir[place->layer], name, &st,
	    AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(err, errno, "%s", path);
	rc = check_file(path, place->uid, &st, err);
	if (rc < 0)
		return rc;
	if (ret->n == POL_SOURCES_MAX)
		return err_set(err, ERR_TOO_LONG, "more than %d rule files",
		    POL_SOURCES_MAX);
	sha256_update(ctx, strlen(path) + 1, (const void *)path);
	identify(ctx, &st, ret);
	add_source(ret, place->layer, AEG_STEAL(path), NULL, 0);
	found = &ret->v[ret->n - 1];
	found->seen = st;
	found->uid = place->uid;
	return 0;
}

static int
add_rule_file(void *ctx, const char *name, unsigned char type)
{
	(void)type;
	if (name[0] != '.' && text_ends(name, ".conf"))
		strv_add(ctx, name);
	return 0;
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All *.conf of a directory; one that is not there holds none. */
static int
find_place(const struct place *place, struct sha256_ctx *ctx,
	struct pol_sources *ret, struct err *err)
{
	AEG_AUTO(strv_done) struct strv names = STRV_INIT;
	AEG_AUTOFD int fd = -1;
	int rc, *dir = &ret->dir[place->layer];
	size_t i;

	rc = conf_trust_dir(place->path, place->uid, dir, err);
	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	fd = openat(*dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : listing_each(fd, add_rule_file, &names);
	if (rc < 0)
		return err_sys(err, -rc, "%s", place->path);
	if (names.n > 1)
		qsort(names.v, names.n, sizeof *names.v, by_bytes);
	for (i = 0; i < names.n && rc == 0; i++)
		rc = find_file(place, names.v[i], ctx, ret, err);
	return rc;
}

void
pol_sources_hash(struct pol_sources *s)
{
	struct sha256_ctx ctx;
	uint32_t head[3];
	size_t i;

	sha256_init(&ctx);
	for (i = 0; i < s->n; i++) {
		head[0] = POL_VERSION;
		head[1] = s->v[i].layer;
		head[2] = (uint32_t)s->v[i].len;
		sha256_update(&ctx, sizeof head, (const void *)head);
		sha256_update(&ctx, strlen(s->v[i].path) + 1,
		    (const void *)s->v[i].path);
		sha256_update(&ctx, s->v[i].len, (const void *)s->v[i].text);
	}
	sha256_digest(&ctx, sizeof s->hash, s->hash);
}

void
pol_sources_add_text(struct pol_sources *s, enum pol_layer layer,
	const char *path, const char *text, size_t len)
{
	add_source(s, layer, xstrdup(path), xmemdup0(text, len), len);
}

/* The rules built in are as old as the program is. */
static void
identify_program(struct sha256_ctx *ctx, struct pol_sources *s)
{
	const uint32_t version = POL_VERSION;
	struct stat st;

	sha256_update(ctx, sizeof version, (const void *)&version);
	if (stat("/proc/self/exe", &st) == 0)
		identify(ctx, &st, s);
	else
		s->newest = INT64_MAX;	/* unknown: nothing is remembered */
}

/* ---- a user's layer ------------------------------------------------------ */

struct policy_user {
	struct pol_sources files;
};

int
policy_user_read(const char *dir, uid_t uid, struct policy_user **ret,
	struct err *err)
{
	const struct place place = { POL_USER, dir, uid };
	struct policy_user *u = xcalloc(1, sizeof *u);
	struct sha256_ctx ctx;
	int rc;

	u->files = (struct pol_sources)POL_SOURCES_INIT;
	sha256_init(&ctx);
	rc = find_place(&place, &ctx, &u->files, err);
	if (rc == 0 && u->files.n > POL_USER_FILES_MAX)
		rc = err_set(err, ERR_TOO_LONG, "%s: more than %d rule files",
		    dir, POL_USER_FILES_MAX);
	if (rc == 0)
		rc = pol_sources_fill(&u->files, err);
	if (rc < 0 || u->files.n == 0)
		policy_user_free(AEG_STEAL(u));
	else
		*ret = u;
	return rc;
}

const struct pol_sources *
pol_user_files(const struct policy_user *u)
{
	return &u->files;
}

void
policy_user_free(struct policy_user *u)
{
	if (u == NULL)
		return;
	pol_sources_done(&u->files);
	free(u);
}

/* Its texts are at hand: they are what it is known by. */
static int
add_user(struct pol_sources *s, struct sha256_ctx *ctx,
	const struct policy_user *user, struct err *err)
{
	size_t i;

	for (i = 0; user != NULL && i < user->files.n; i++) {
		const struct pol_source *f = &user->files.v[i];

		if (s->n == POL_SOURCES_MAX)
			return err_set(err, ERR_TOO_LONG, "more than %d rule "
			    "files", POL_SOURCES_MAX);
		pol_sources_add_text(s, f->layer, f->path, f->text, f->len);
		sha256_update(ctx, strlen(f->path) + 1, (const void *)f->path);
		sha256_update(ctx, f->len, (const void *)f->text);
	}
	return 0;
}

/* ---- all layers ---------------------------------------------------------- */

int
pol_sources_find(const struct policy_user *user, struct pol_sources *ret,
	struct err *err)
{
	struct pol_sources s = POL_SOURCES_INIT;
	char *vendor AEG_AUTOFREE = xasprintf("%s/policy", sysdirs()->data);
	char *site AEG_AUTOFREE = xasprintf("%s/policy.d", sysdirs()->conf);
	const struct place places[] = {
		{ POL_VENDOR, vendor, geteuid() },
		{ POL_SITE, site, (uid_t)-1 },
	};
	struct sha256_ctx ctx;
	size_t i;
	int rc = 0;

	sha256_init(&ctx);
	identify_program(&ctx, &s);
	add_source(&s, POL_FLOOR, xstrdup("(built in)"), NULL, 0);
	for (i = 0; i < AEG_NELEM(places) && rc == 0; i++)
		rc = find_place(&places[i], &ctx, &s, err);
	if (rc == 0)
		rc = add_user(&s, &ctx, user, err);
	/* The floor alone defines no profile. */
	if (rc == 0 && s.n == 1)
		rc = err_set(err, -ENOENT, "no rule files in %s and %s",
		    vendor, site);
	if (rc < 0) {
		pol_sources_done(&s);
		return rc;
	}
	sha256_digest(&ctx, sizeof s.identity, s.identity);
	*ret = s;
	return 0;
}

static int
read_source(struct pol_sources *s, struct pol_source *v, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(POL_SOURCE_MAX);
	AEG_AUTOFD int fd = openat(s->dir[v->layer], path_base(v->path),
	    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", v->path);
	rc = check_file(v->path, v->uid, &st, err);
	if (rc < 0)
		return rc;
	/* What it was known by is not what is read: nothing to remember. */
	if (!is_same_file(&st, &v->seen))
		s->newest = INT64_MAX;
	rc = io_read_all(fd, &text);
	if (rc < 0)
		return err_set(err, rc, "%s: %s", v->path, err_str(rc));
	v->len = text.len;
	v->text = buf_take(&text);
	return 0;
}

static int
fill_source(struct pol_sources *s, struct pol_source *v, struct err *err)
{
	if (v->text != NULL)
		return 0;
	if (v->layer != POL_FLOOR)
		return read_source(s, v, err);
	v->len = strlen(pol_floor_text);
	v->text = xmemdup0(pol_floor_text, v->len);
	return 0;
}

int
pol_sources_fill(struct pol_sources *s, struct err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < s->n; i++) {
		rc = fill_source(s, &s->v[i], err);
		if (rc < 0)
			return rc;
	}
	for (i = 0; i < AEG_NELEM(s->dir); i++)
		io_close(&s->dir[i]);
	pol_sources_hash(s);
	return 0;
}

int
pol_sources_read(const struct policy_user *user, struct pol_sources *ret,
	struct err *err)
{
	struct pol_sources s;
	int rc = pol_sources_find(user, &s, err);

	if (rc < 0)
		return rc;
	rc = pol_sources_fill(&s, err);
	if (rc < 0)
		pol_sources_done(&s);
	else
		*ret = s;
	return rc;
}

void
pol_sources_drop_site(struct pol_sources *s, const char *name)
{
	size_t i, kept = 0;

	for (i = 0; i < s->n; i++) {
		struct pol_source *v = &s->v[i];

		if (v->layer != POL_SITE || (name != NULL &&
		    strcmp(path_base(v->path), name) != 0)) {
			s->v[kept++] = *v;
			continue;
		}
		free(v->path);
		free(v->text);
	}
	s->n = kept;
}

void
pol_sources_done(struct pol_sources *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->v[i].path);
		free(s->v[i].text);
	}
	for (i = 0; i < AEG_NELEM(s->dir); i++)
		io_close(&s->dir[i]);
	free(s->v);
	*s = (struct pol_sources)POL_SOURCES_INIT;
}
