/* SPDX-License-Identifier: ISC */
/*
 * Grants and holes become Landlock rules.
 *
 * Landlock only adds: a hole is made by not granting the tree around it,
 * but each of the hole's neighbours, and the neighbours of the directories
 * on the way to it.  Listing directories stays granted for the whole tree,
 * since "ls /" must work: names in a hole may be seen, contents may not.
 */
#include "sandbox_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/listing.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

struct make {
	const struct sandbox_profile *p;
	int (*each)(void *ctx, const struct sandbox_rule *r, struct err *err);
	void *ctx;
	struct buf path;	/* where we are */
	/* Rights that a neighbour gets which has a grant of its own: one rule
	 * says it all. */
	uint64_t *more;		/* a grant each */
	size_t n;
	struct err *err;
};

static int
put(struct make *m, const struct sandbox_rule *r)
{
	if (m->n == SANDBOX_RULES_MAX)
		return err_set(m->err, ERR_RANGE, "the profile needs more "
		    "than %d rules", SANDBOX_RULES_MAX);
	m->n++;
	return m->each(m->ctx, r, m->err);
}

static bool
is_hole(const struct sandbox_profile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->n_holes; i++) {
		if (path_under(path, p->holes[i].path))
			return true;
	}
	return false;
}

/* A hole lies somewhere below. */
static bool
holds_hole(const struct sandbox_profile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->n_holes; i++) {
		if (path_under(p->holes[i].path, path))
			return true;
	}
	return false;
}

/* By these, contents of a hole could be had. */
static uint64_t
to_be_split(const struct sandbox_profile *p, const struct sandbox_grant *g)
{
	uint64_t some = SANDBOX_FS_READ_FILE | SANDBOX_FS_EXECUTE |
	    SANDBOX_FS_IOCTL_DEV | SANDBOX_FS_RESOLVE_UNIX;

	return holds_hole(p, g->path) ? g->fs & some : 0;
}

/* Grants that lie in one directory, whose entries are compared with few,
 * then; or all of them, where those are not few. */
#define NEAR 24
struct near {
	unsigned short grant[NEAR];
	size_t n;
};

static void
find_near(const struct sandbox_profile *p, const char *dir, struct near *ret)
{
	size_t i;

	ret->n = 0;
	for (i = 0; i < p->n_grants; i++) {
		if (!path_under(p->grants[i].path, dir))
			continue;
		if (ret->n < NEAR)
			ret->grant[ret->n] = (unsigned short)i;
		ret->n++;
	}
}

/* The grant of this place, or n_grants. */
static size_t
find_grant(const struct sandbox_profile *p, const struct near *near,
    const char *path)
{
	size_t n = near->n <= NEAR ? near->n : p->n_grants, i, k;

	for (i = 0; i < n; i++) {
		k = near->n <= NEAR ? near->grant[i] : i;
		if (strcmp(p->grants[k].path, path) == 0)
			return k;
	}
	return p->n_grants;
}

/* A rule is of a file, not of its name: another name of it must get none. */
static bool
is_shell(const struct sandbox_profile *p, int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    sandbox_shells_has(p, st.st_dev, st.st_ino);
}

static int expand(struct make *m, int parent, const char *name, uint64_t fs);

struct listed {			/* a directory, and what its entries get */
	struct make *m;
	int dir;
	struct near near;
	uint64_t fs;
	int rc;
};

static int
expand_path(const struct listed *l, const char *name, unsigned char type)
{
	struct make *m = l->m;
	const struct sandbox_profile *p = m->p;
	struct sandbox_rule r = { .fd = -1, .dir = l->dir, .name = name,
		.path = m->path.data, .fs = l->fs };
	size_t grant;

	if (buf_overflow(&m->path))
		return err_set(m->err, ERR_RANGE, "%s: path too long", r.path);
	if (is_hole(p, r.path) || (p->n_shells > 0 && type == DT_REG &&
	    is_shell(p, l->dir, name)))
		return 0;
	if (holds_hole(p, r.path))
		return expand(m, l->dir, name, l->fs);
	grant = find_grant(p, &l->near, r.path);
	if (grant == p->n_grants)
		return put(m, &r);
	m->more[grant] |= l->fs;
	return 0;
}

static int
expand_entry(void *ctx, const char *name, unsigned char type)
{
	struct listed *l = ctx;
	struct buf *path = &l->m->path;
	size_t above = path->len;

	if (type == DT_LNK)
		return 0;
	if (above > 1)
		buf_putc(path, '/');
	buf_puts(path, name);
	l->rc = expand_path(l, name, type);
	path->len = above;
	path->data[above] = '\0';
	return l->rc;
}

/* Nothing may be left out for want of descriptors. */
static int
open_tree(struct make *m, int parent, const char *name)
{
	const struct sandbox_rule release = { .fd = -1, .dir = -1, .fs = 0 };
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags);

	if (fd < 0 && errno == EMFILE && m->each(m->ctx, &release, m->err)
	    == 0)
		fd = openat(parent, name, flags);
	return fd < 0 ? -errno : fd;
}

/* Grant fs at each entry of the directory m->path but the holes. */
static int
expand(struct make *m, int parent, const char *name, uint64_t fs)
{
	AEG_AUTOFD int fd = open_tree(m, parent, name);
	struct listed l = { .m = m, .dir = fd, .fs = fs };

	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
		return err_sys(m->err, -fd, "sandbox: look into %s",
		    m->path.data);
	/* What can't be listed, or isn't there: nothing in it is granted. */
	if (fd < 0)
		return 0;
	find_near(m->p, m->path.data, &l.near);
	(void)listing_each(fd, expand_entry, &l);
	return l.rc;
}

/* The rights that can't be had below a hole's tree go to the neighbours. */
static int
make_neighbours(struct make *m)
{
	const struct sandbox_profile *p = m->p;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < p->n_grants; i++) {
		const struct sandbox_grant *g = &p->grants[i];
		uint64_t some = to_be_split(p, g);

		if (some == 0 || is_hole(p, g->path))
			continue;
		m->path.len = 0;
		buf_puts(&m->path, g->path);
		rc = expand(m, AT_FDCWD, g->path, some);
	}
	return rc;
}

int
sandbox_rules_make(const struct sandbox_profile *p,
    int (*each)(void *ctx, const struct sandbox_rule *r, struct err *err),
    void *ctx, struct err *err)
{
	AEG_AUTOFREE uint64_t *more = xcalloc(p->n_grants + 1, sizeof *more);
	struct make m = { .p = p, .each = each, .ctx = ctx,
		.path = BUF_INIT, .more = more, .err = err };
	size_t i;
	int rc = make_neighbours(&m);

	for (i = 0; rc == 0 && i < p->n_grants; i++) {
		const struct sandbox_grant *g = &p->grants[i];
		struct sandbox_rule r = { .fd = g->fd, .dir = AT_FDCWD,
			.name = g->path, .path = g->path,
			.fs = (g->fs & ~to_be_split(p, g)) | more[i] };

		if (r.fs != 0 && !is_hole(p, g->path))
			rc = put(&m, &r);
	}
	buf_done(&m.path);
	return rc;
}

static unsigned
rights_of(uint64_t fs)
{
	unsigned rights = 0;

	if (fs & SANDBOX_FS_READ_FILE)
		rights |= SANDBOX_READ;
	if (fs & (SANDBOX_FS_WRITE_FILE | SANDBOX_FS_TRUNCATE))
		rights |= SANDBOX_WRITE;
	if (fs & SANDBOX_FS_EXECUTE)
		rights |= SANDBOX_EXECUTE;
	if (fs & SANDBOX_FS_CHANGE &
	    ~(SANDBOX_FS_WRITE_FILE | SANDBOX_FS_TRUNCATE))
		rights |= SANDBOX_MAKE;
	return rights;
}

unsigned
sandbox_rights_at(const struct sandbox_profile *p, const char *path)
{
	const struct sandbox_cover *cover = sandbox_covered(p, path);
	uint64_t fs = 0;
	unsigned rights;
	size_t i;

	for (i = 0; i < p->n_grants; i++) {
		if (path_under(path, p->grants[i].path))
			fs |= p->grants[i].fs;
	}
	rights = rights_of(fs);
	if (is_hole(p, path))
		rights &= ~(unsigned)(SANDBOX_READ | SANDBOX_EXECUTE);
	if (cover != NULL)
		rights &= cover->readonly ?
		    (unsigned)(SANDBOX_READ | SANDBOX_EXECUTE) : 0;
	return rights;
}

void
sandbox_trees(const struct sandbox_profile *p, unsigned rights,
    struct strv *ret)
{
	size_t i;

	for (i = 0; i < p->n_grants; i++)
		if ((sandbox_rights_at(p, p->grants[i].path) & rights) != 0)
			strv_add(ret, p->grants[i].path);
}

void
sandbox_isolate(struct sandbox_profile *p)
{
	p->local = p->listed = false;
}
