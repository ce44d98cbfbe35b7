/* SPDX-License-Identifier: ISC */
/* Why a command may do something to a path, or may not: the line of the
 * profile that decides. */
#include "sandbox_int.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static const struct {
	const char *name;
	uint64_t fs;		/* the right that stands for it */
	unsigned right;		/* SANDBOX_READ…, or 0 */
} rights[SANDBOX_REASONS] = {
	{ "read", SANDBOX_FS_READ_FILE, SANDBOX_READ },
	{ "write", SANDBOX_FS_WRITE_FILE, SANDBOX_WRITE },
	{ "make", SANDBOX_FS_MAKE_REG, SANDBOX_MAKE },
	{ "execute", SANDBOX_FS_EXECUTE, SANDBOX_EXECUTE },
	{ "device", SANDBOX_FS_IOCTL_DEV, 0 },
	{ "connect", SANDBOX_FS_RESOLVE_UNIX, 0 },
};

/* The entry that grants this at the path; of several, of the nearest tree. */
static bool
granted(const struct sandbox_profile *p, const char *path, uint64_t fs,
    struct sandbox_reason *ret)
{
	const struct sandbox_grant *best = NULL;
	size_t i, key;

	for (i = 0; i < p->n_grants; i++) {
		const struct sandbox_grant *g = &p->grants[i];

		if ((g->fs & fs) != 0 && path_under(path, g->path) &&
		    (best == NULL || strlen(g->path) > strlen(best->path)))
			best = g;
	}
	if (best == NULL)
		return false;
	for (key = 0; key < SANDBOX_KEY_GRANTS; key++)
		if (best->where[key] != NULL &&
		    (sandbox_key_rights((enum sandbox_key)key) & fs) != 0)
			break;
	if (key < SANDBOX_KEY_GRANTS) {
		ret->where = best->where[key];
		ret->key = sandbox_key_name((enum sandbox_key)key);
	}
	ret->tree = best->path;
	return true;
}

/* What takes it away again, or NULL. */
static const char *
taken(const struct sandbox_profile *p, const char *path, unsigned right,
    struct sandbox_reason *ret)
{
	const struct sandbox_cover *cover = sandbox_covered(p, path);
	size_t i;

	if (cover != NULL && (!cover->readonly ||
	    (right & (SANDBOX_WRITE | SANDBOX_MAKE)) != 0)) {
		ret->tree = cover->path;
		return cover->readonly ? "mounted read-only for commands" :
		    "an empty directory lies over it for commands";
	}
	for (i = 0; i < p->n_holes; i++) {
		const struct sandbox_hole *h = &p->holes[i];

		if (path_under(path, h->path) &&
		    (right & (SANDBOX_READ | SANDBOX_EXECUTE)) != 0) {
			ret->tree = h->path;
			ret->where = h->where;
			return h->where != NULL ? "hidden" :
			    "hidden: aegsh's own";
		}
	}
	return NULL;
}

/* Beside the trees there is the list of sockets. */
static void
explain_socket(const struct sandbox_profile *p, const char *path,
    struct sandbox_reason *ret)
{
	const struct sandbox_socket *entry = sandbox_socket_entry(p, path);
	struct stat st = { .st_dev = 0 };

	if (!p->local) {
		ret->why = "unix = none: there are no sockets to connect";
	} else if (p->listed) {
		(void)stat(path, &st);
		ret->granted = sandbox_may_connect(p, path, st.st_dev,
		    st.st_ino) == SANDBOX_REACH_YES;
		ret->where = entry != NULL ? entry->where : NULL;
		ret->tree = entry != NULL ? entry->path : NULL;
		ret->key = ret->granted ? "unix" : NULL;
		if (!ret->granted)
			ret->why = entry != NULL ? "another socket than the "
			    "one that was there, or none" : "not in the list "
			    "of unix; only what lines listen on themselves";
	} else {
		ret->granted = true;
	}
	if (!ret->granted)
		ret->key = NULL;
}

char *
sandbox_place(const char *path)
{
	AEG_AUTOFREE char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);
	AEG_AUTOFREE char *whole = cwd == NULL ? xstrdup(path) :
	    xasprintf("%s/%s", cwd, path);

	return sandbox_path_real(whole);
}

void
sandbox_explain(const struct sandbox_profile *p, const char *path,
    struct sandbox_reason ret[SANDBOX_REASONS])
{
	size_t i;

	for (i = 0; i < SANDBOX_REASONS; i++) {
		struct sandbox_reason *r = &ret[i];

		*r = (struct sandbox_reason){ .right = rights[i].name };
		if (!granted(p, path, rights[i].fs, r)) {
			r->why = "no entry of the profile grants it";
			continue;
		}
		if (rights[i].fs == SANDBOX_FS_RESOLVE_UNIX) {
			explain_socket(p, path, r);
			continue;
		}
		r->why = taken(p, path, rights[i].right, r);
		r->granted = r->why == NULL;
		if (!r->granted)
			r->key = NULL;
	}
}
