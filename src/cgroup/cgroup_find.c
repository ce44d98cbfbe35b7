/* SPDX-License-Identifier: ISC */
/*
 * Which group we are in, and whether it is ours to arrange.
 *
 * To be able to write there is not enough: root can everywhere, and to whom
 * systemd's user manager belongs in all of its units.  Two who arrange one
 * group undo each other's work, so where systemd runs only a unit is ours that
 * it marked as delegated (Delegate=, systemd.resource-control(5): the extended
 * attribute user.delegate or, by the system's, trusted.delegate), or that is
 * named for us, since managers of users mark none (systemd 252).  Elsewhere a
 * directory is that was given to us; and the root of a whole machine never,
 * unless somebody divides it already.
 */
#include "cgroup_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define SYSTEMD "/run/systemd/system"	/* sd_booted(3) */

static char *
read_file(const struct cgroup_host *h, const char *path)
{
	AEG_AUTOFREE char *name = xasprintf("%s%s", h->root, path);

	return cgroup_read(AT_FDCWD, name);
}

/* "0::/path": the one of the second version, where it lies in what we may see
 * (cgroup_namespaces(7)); owned, or NULL. */
char *
cgroup_own_path(const struct cgroup_host *h)
{
	AEG_AUTOFREE char *file = xasprintf("/proc/%d/cgroup", (int)h->pid);
	AEG_AUTOFREE char *text = read_file(h, file);
	char *p, *line;

	for (p = text; p != NULL && (line = strsep(&p, "\n")) != NULL;)
		if (text_starts(line, "0::/") &&
		    strstr(line, "/..") == NULL)
			return xstrdup(line + 3);
	return NULL;
}

/* proc(5): number, parent, device, root, mount point, options, -, type.  Names
 * with blanks, which are escaped, are none that we look for. */
static bool
parse_mount(char *line, const char **ret_root, const char **ret_point)
{
	char *field[5], *type = strstr(line, " - ");
	size_t i;

	if (type == NULL || !text_starts(type, " - cgroup2 "))
		return false;
	for (i = 0; i < AEG_NELEM(field); i++) {
		field[i] = strsep(&line, " ");
		if (field[i] == NULL)
			return false;
	}
	*ret_root = field[3];
	*ret_point = field[4];
	return field[4][0] == '/' && strchr(field[3], '\\') == NULL &&
	    strchr(field[4], '\\') == NULL;
}

/* Where the path lies, owned, or NULL: nothing that is mounted shows it. */
static char *
place_of(const struct cgroup_host *h, const char *path)
{
	AEG_AUTOFREE char *text = read_file(h, "/proc/self/mountinfo");
	const char *root, *point;
	char *p, *line;

	for (p = text; p != NULL && (line = strsep(&p, "\n")) != NULL;) {
		if (!parse_mount(line, &root, &point) ||
		    !path_under(path, root))
			continue;
		if (strcmp(root, "/") != 0)
			path += strlen(root);
		return xasprintf("%s%s%s", h->root, point,
		    strcmp(path, "/") == 0 ? "" : path);
	}
	return NULL;
}

static int
open_dir(const struct cgroup_host *h, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct statfs fs;

	if (fd >= 0 && h->root[0] == '\0' && (fstatfs(fd, &fs) < 0 ||
	    fs.f_type != CGROUP2_SUPER_MAGIC))
		io_close(&fd);
	return fd;
}

static void
say(struct cgroup_found *f, enum cgroup_state state, const char *why)
{
	f->state = state;
	snprintf(f->why, sizeof f->why, "%s", why);
}

static bool
is_named_for_us(const char *path)
{
	const char *name = path_base(path);

	return text_starts(name, CGROUP_OWN) && (text_ends(name, ".scope") ||
	    text_ends(name, ".service"));
}

static bool
is_marked(int dir)
{
	static const char *const names[] = { "user.delegate",
	    "trusted.delegate" };
	char value[2];
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (fgetxattr(dir, names[i], value, sizeof value) == 1 &&
		    value[0] == '1')
			return true;
	return false;
}

/* It, and what is needed to arrange it. */
static bool
may_write(int dir)
{
	static const char *const names[] = { ".", "cgroup.procs",
	    "cgroup.subtree_control" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (faccessat(dir, names[i], W_OK, AT_EACCESS) < 0)
			return false;
	return true;
}

static bool
is_ours(const struct cgroup_host *h, int dir, struct cgroup_found *f)
{
	AEG_AUTOFREE char *systemd = xasprintf("%s" SYSTEMD, h->root);
	AEG_AUTOFREE char *type = cgroup_read(dir, "cgroup.type");
	struct stat st;

	say(f, CGROUP_OTHERS, "");
	if (cgroup_name_pid(path_base(f->dir), CGROUP_LINE) > 0)
		say(f, CGROUP_OTHERS, "it is that of a line of aegsh, whose "
		    "limits it holds");
	else if (!may_write(dir) || fstat(dir, &st) < 0)
		say(f, CGROUP_OTHERS, "it is not writable");
	else if (type == NULL && cgroup_words(dir,
	    "cgroup.subtree_control") == 0)
		say(f, CGROUP_OTHERS, "it is the root of all, which nobody "
		    "divides");
	else if (type != NULL && strcmp(type, "domain\n") != 0)
		say(f, CGROUP_OTHERS, "it is one for threads");
	else if (access(systemd, F_OK) == 0 && !is_marked(dir) &&
	    !is_named_for_us(f->dir))
		say(f, CGROUP_OTHERS, "systemd did not delegate it");
	else if (st.st_uid != h->uid)
		say(f, CGROUP_OTHERS, "it is another user's");
	else
		f->state = CGROUP_OURS;
	return f->state == CGROUP_OURS;
}

/* The parent of one that an aegsh made for itself. */
static void
leave_own(struct cgroup_found *f)
{
	const char *name = path_base(f->dir);

	f->inside = cgroup_name_pid(name, CGROUP_OWN) > 0;
	if (f->inside)
		f->dir[name - f->dir - 1] = '\0';
}

void
cgroup_find(const struct cgroup_host *h, struct cgroup_found *ret)
{
	AEG_AUTOFREE char *path = cgroup_own_path(h);
	AEG_AUTOFD int dir = -1;

	*ret = (struct cgroup_found){ .state = CGROUP_NONE };
	if (path == NULL) {
		say(ret, CGROUP_NONE, "there is none of version 2 here");
		return;
	}
	ret->dir = place_of(h, path);
	if (ret->dir == NULL) {
		say(ret, CGROUP_NONE, "version 2 is not mounted here");
		return;
	}
	leave_own(ret);
	dir = open_dir(h, ret->dir);
	if (dir < 0) {
		say(ret, CGROUP_NONE, "it cannot be opened");
		return;
	}
	ret->controllers = cgroup_words(dir, "cgroup.controllers");
	if (ret->controllers == 0)
		say(ret, CGROUP_NONE, "it has neither memory nor pids");
	else
		(void)is_ours(h, dir, ret);
}

void
cgroup_found_done(struct cgroup_found *f)
{
	free(f->dir);
	f->dir = NULL;
}
