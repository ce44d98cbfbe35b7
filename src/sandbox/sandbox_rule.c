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
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static int
add(struct sandbox_rules *r, char *path, int fd, uint64_t fs, struct err *err)
{
	if (r->n == SANDBOX_RULES_MAX) {
		free(path);
		return err_set(err, ERR_RANGE, "the profile needs more than %d "
		    "rules", SANDBOX_RULES_MAX);
	}
	if (r->n == r->cap) {
		r->cap = r->cap > 0 ? r->cap * 2 : 64;
		r->rule = xreallocarray(r->rule, r->cap, sizeof *r->rule);
	}
	r->rule[r->n].path = path;
	r->rule[r->n].fd = fd;
	r->rule[r->n++].fs = fs;
	return 0;
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

static int expand(const struct sandbox_profile *p, int parent,
	const char *name, const char *path, uint64_t fs,
	struct sandbox_rules *r, struct err *err);

static int
expand_entry(const struct sandbox_profile *p, int dir,
    const struct dirent *e, const char *path, uint64_t fs,
    struct sandbox_rules *r, struct err *err)
{
	AEG_AUTOFREE char *child = path_canon(path, e->d_name);

	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
	    e->d_type == DT_LNK || is_hole(p, child))
		return 0;
	if (holds_hole(p, child))
		return expand(p, dir, e->d_name, child, fs, r, err);
	return add(r, AEG_STEAL(child), -1, fs, err);
}

/* Grant fs at each entry of a directory but the holes. */
static int
expand(const struct sandbox_profile *p, int parent, const char *name,
    const char *path, uint64_t fs, struct sandbox_rules *r, struct err *err)
{
	int fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *e;
	int rc = 0;
	DIR *d;

	/* What can't be listed, or isn't there: nothing in it is granted. */
	if (fd < 0)
		return 0;
	d = fdopendir(fd);
	if (d == NULL) {
		rc = err_sys(err, errno, "%s", path);
		close(fd);
		return rc;
	}
	while (rc == 0 && (e = readdir(d)) != NULL)
		rc = expand_entry(p, dirfd(d), e, path, fs, r, err);
	closedir(d);
	return rc;
}

int
sandbox_rules_make(const struct sandbox_profile *p,
    struct sandbox_rules *ret, struct err *err)
{
	struct sandbox_rules r = { NULL, 0, 0 };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < p->n_grants; i++) {
		const struct sandbox_grant *g = &p->grants[i];
		uint64_t all = g->fs;
		/* By these, contents of a hole could be had. */
		uint64_t some = SANDBOX_FS_READ_FILE | SANDBOX_FS_EXECUTE |
		    SANDBOX_FS_IOCTL_DEV | SANDBOX_FS_RESOLVE_UNIX;

		if (is_hole(p, g->path))
			continue;
		if (holds_hole(p, g->path) && (all & some) != 0) {
			rc = expand(p, AT_FDCWD, g->path, g->path, all & some,
			    &r, err);
			all &= ~some;
		}
		if (rc == 0 && all != 0)
			rc = add(&r, xstrdup(g->path), g->fd, all, err);
	}
	if (rc < 0)
		sandbox_rules_done(&r);
	else
		*ret = r;
	return rc;
}

void
sandbox_rules_done(struct sandbox_rules *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->rule[i].path);
	free(r->rule);
	*r = (struct sandbox_rules){ NULL, 0, 0 };
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
