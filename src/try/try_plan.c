/* SPDX-License-Identifier: ISC */
/*
 * Which layers there are to be.
 *
 * An ordinary user's namespace takes the mounts from outside as one piece:
 * nothing below a mount can be had without what is mounted there.  So where
 * a directory leads to other mounts, each of its entries gets its own layer,
 * and the directory is a hollow one that cannot be changed.
 *
 * A layer copies the directories on the way to a change, with their owners,
 * and an ordinary user's cannot have root's.  So the trees that the profile
 * lets be changed have layers of their own on top.
 */
#include "try_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define MOUNTS_MAX ((size_t)4 * 1024 * 1024)	/* bytes of mountinfo */

struct mount {
	char *path, *type;
};

struct mounts {
	struct mount *v;
	size_t n;
};

struct plan {
	struct try *t;
	struct mounts mounts;
	size_t looked;
	bool own;		/* all owners can be had */
};

/* Made anew for the line. */
static const char *const remade[] = { "/proc", "/sys", "/dev" };

/* Nothing of these is a file of somebody's. */
static const char *const pseudo[] = { "autofs", "binfmt_misc", "bpf", "cgroup",
	"cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
	"fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore",
	"rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs" };

static void
mounts_done(struct mounts *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		free(m->v[i].path);
		free(m->v[i].type);
	}
	free(m->v);
}

static void
plan_done(struct plan *p)
{
	mounts_done(&p->mounts);
}

/* "\040" is a blank (proc(5)); in place. */
static void
unescape(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' &&
		    s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
			    (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* The fifth word is the place, the one behind " - " the type. */
static void
take_mount(struct mounts *m, char *line)
{
	char *dash = strstr(line, " - "), *save = NULL, *word = NULL;
	size_t i;

	if (dash == NULL)
		return;
	*dash = '\0';
	for (i = 0; i < 5; i++)
		word = strtok_r(i == 0 ? line : NULL, " ", &save);
	if (word == NULL || word[0] != '/')
		return;
	dash += 3;
	dash[strcspn(dash, " ")] = '\0';
	unescape(word);
	m->v = xreallocarray(m->v, m->n + 1, sizeof *m->v);
	m->v[m->n].path = xstrdup(word);
	m->v[m->n++].type = xstrdup(dash);
}

static int
read_mounts(struct mounts *m, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(MOUNTS_MAX);
	AEG_AUTOFD int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	char *line, *save = NULL;
	int rc = fd < 0 ? -errno : io_read_all(fd, &text);

	if (rc < 0)
		return err_sys(err, rc > -4096 ? -rc : EFBIG,
		    "/proc/self/mountinfo");
	buf_putc(&text, '\0');
	for (line = strtok_r(text.data, "\n", &save); line != NULL;
	    line = strtok_r(NULL, "\n", &save))
		take_mount(m, line);
	return 0;
}

static bool
is_remade(const char *path)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(remade); i++)
		if (path_under(path, remade[i]))
			return true;
	return false;
}

/* The last one there covers those before. */
static bool
is_pseudo(const struct plan *p, const char *path)
{
	const char *type = NULL;
	size_t i;

	for (i = 0; i < p->mounts.n; i++)
		if (strcmp(p->mounts.v[i].path, path) == 0)
			type = p->mounts.v[i].type;
	for (i = 0; type != NULL && i < AEG_NELEM(pseudo); i++)
		if (strcmp(type, pseudo[i]) == 0)
			return true;
	return false;
}

static bool
leads_to_mounts(const struct plan *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->mounts.n; i++)
		if (path_under(p->mounts.v[i].path, path) &&
		    strcmp(p->mounts.v[i].path, path) != 0)
			return true;
	return strcmp(path, "/") == 0;
}

static struct try_point *
add_point(struct try *t, enum try_place what, const char *path,
    const struct stat *st)
{
	struct try_point *point;

	t->points = xreallocarray(t->points, t->n_points + 1,
	    sizeof *t->points);
	point = &t->points[t->n_points++];
	*point = (struct try_point){ .what = what, .path = xstrdup(path),
		.mode = st->st_mode & 07777 };
	t->n_layers += what == TRY_LAYER;
	/* What it may not change outside it cannot here: the owner of the
	 * layer's root is whoever made it. */
	if (what == TRY_LAYER && geteuid() != 0 && faccessat(AT_FDCWD, path,
	    W_OK, AT_EACCESS) < 0)
		point->mode &= ~(mode_t)0222;
	return point;
}

static void
add_pointer(struct try *t, const char *path, const struct stat *st)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof to - 1);

	if (n > 0) {
		to[n] = '\0';
		add_point(t, TRY_POINTER, path, st)->target = xstrdup(to);
	}
}

static void
unseen(struct plan *p, const char *path)
{
	strv_add(&p->t->unseen, path);
}

static void plan_place(struct plan *p, const char *path, unsigned depth);

static void
plan_entries(struct plan *p, const char *path, unsigned depth)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		AEG_AUTOFREE char *child = NULL;

		if (strcmp(e->d_name, ".") == 0 ||
		    strcmp(e->d_name, "..") == 0)
			continue;
		child = path_canon(path, e->d_name);
		if (strcmp(path_base(child), e->d_name) == 0)
			plan_place(p, child, depth + 1);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
plan_place(struct plan *p, const char *path, unsigned depth)
{
	struct stat st;

	if (is_remade(path) || lstat(path, &st) < 0)
		return;
	if (p->looked++ >= TRY_PLACES_MAX || depth > TRY_DEPTH_MAX) {
		unseen(p, path);
		return;
	}
	if (S_ISLNK(st.st_mode)) {
		add_pointer(p->t, path, &st);
	} else if (S_ISREG(st.st_mode)) {
		add_point(p->t, TRY_VIEW, path, &st);
	} else if (!S_ISDIR(st.st_mode)) {
		unseen(p, path);
	} else if (leads_to_mounts(p, path)) {
		add_point(p->t, TRY_HOLLOW, path, &st);
		plan_entries(p, path, depth);
	} else if (is_pseudo(p, path) || access(path, X_OK) < 0) {
		add_point(p->t, TRY_ABSENT, path, &st);
	} else if (p->t->n_layers >= TRY_POINTS_MAX) {
		add_point(p->t, TRY_ABSENT, path, &st);
		unseen(p, path);
	} else {
		add_point(p->t, TRY_LAYER, path, &st);
	}
}

static bool
has_point(const struct try *t, const char *path)
{
	size_t i;

	for (i = 0; i < t->n_points; i++)
		if (strcmp(t->points[i].path, path) == 0)
			return true;
	return false;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether all below the directory top, down to path, is of the caller's uid
 * and gid: a layer has to copy each of them, and can give them to nobody else
 * in a user namespace that knows one uid and one gid. */
static bool
is_own_below(const char *top, const char *path)
{
	AEG_AUTOFREE char *part = xstrdup(path);
	struct stat st;

	while (path_under(part, top) && strcmp(part, top) != 0) {
		if (lstat(part, &st) < 0 || st.st_uid != geteuid() ||
		    st.st_gid != getegid())
			return false;
		*strrchr(part, '/') = '\0';
	}
	return true;
}

/* What the layer of another tree does for it, too. */
static bool
is_inner(const struct plan *p, size_t first, const char *path)
{
	size_t i;

	for (i = first; i < p->t->n_points; i++)
		if (path_under(path, p->t->points[i].path) &&
		    is_own_below(p->t->points[i].path, path))
			return true;
	return false;
}

static void
plan_tree(struct plan *p, size_t first, const char *path)
{
	struct stat st;

	if (is_remade(path) || has_point(p->t, path) ||
	    leads_to_mounts(p, path) || lstat(path, &st) < 0 ||
	    !S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) < 0 ||
	    is_inner(p, first, path) || p->t->n_layers >= TRY_POINTS_MAX)
		return;
	add_point(p->t, TRY_LAYER, path, &st);
}

/* A directory in a tree may be somebody else's, or a group's, with one of the
 * caller's below it (/srv/www/alice): where the line begins, that gets a
 * layer, from as far up as all is the caller's. */
static void
plan_place_of_line(struct plan *p, size_t first, const struct strv *trees)
{
	AEG_AUTOFREE char *cwd = getcwd(NULL, 0);
	char *slash;
	size_t i;

	for (i = 0; cwd != NULL && i < trees->n; i++)
		if (path_under(cwd, trees->v[i]))
			break;
	if (cwd == NULL || i == trees->n)
		return;
	while ((slash = strrchr(cwd, '/')) != NULL && slash != cwd) {
		AEG_AUTOFREE char *above = xstrdup(cwd);

		above[slash - cwd] = '\0';
		if (!path_under(above, trees->v[i]) ||
		    !is_own_below(above, cwd) ||
		    access(above, W_OK | X_OK) < 0)
			break;
		*slash = '\0';
	}
	plan_tree(p, first, cwd);
}

/* Behind the layers below them: mounted later, they lie on top. */
static void
plan_trees(struct plan *p)
{
	AEG_AUTO(strv_done) struct strv trees = STRV_INIT;
	size_t i, first = p->t->n_points;

	sandbox_trees(p->t->opts.profile, SANDBOX_WRITE | SANDBOX_MAKE, &trees);
	if (trees.n > 1)
		qsort(trees.v, trees.n, sizeof *trees.v, by_name);
	for (i = 0; i < trees.n; i++)
		plan_tree(p, first, trees.v[i]);
	plan_place_of_line(p, first, &trees);
}

int
try_plan(struct try *t, struct err *err)
{
	AEG_AUTO(plan_done) struct plan p = { .t = t,
		.own = geteuid() == 0 };
	int rc = read_mounts(&p.mounts, err);

	if (rc < 0)
		return rc;
	plan_place(&p, "/", 0);
	if (!p.own)
		plan_trees(&p);
	return 0;
}

void
try_layer_name(char ret[24], char kind, size_t point)
{
	snprintf(ret, 24, "%c%zu", kind, point);
}
