/* SPDX-License-Identifier: ISC */
/*
 * Which services commands reach by unix sockets: a list of paths, to which
 * the supervisor holds them (supervise_connect.c), and the ports of TCP,
 * which who connects for them has to keep to, too.
 *
 * A path means what lies there when a command connects, unless commands may
 * change that place: then any other service's socket could be moved there,
 * and what is meant is the one that lay there when the profile was loaded.
 */
#include "sandbox_int.h"

#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

static int
add_word(struct sandbox_profile *p, const char *value, const char *where,
    const struct sandbox_vars *vars, struct err *err)
{
	char *path = NULL;
	int rc;

	if (value[0] != '/' && value[0] != '$')
		return err_set(err, ERR_UNKNOWN_NAME, "%s: unix is all, none, "
		    "or paths, not '%s'", where, value);
	rc = sandbox_path_expand(value, vars, &path, err);
	if (rc < 0)
		return err_context(err, "%s", where);
	if (rc == 0)
		return 0;
	p->sockets = xreallocarray(p->sockets, p->n_sockets + 1,
	    sizeof *p->sockets);
	p->sockets[p->n_sockets++] = (struct sandbox_socket){ .asked = path,
		.where = where };
	return 0;
}

int
sandbox_sockets_read(struct sandbox_profile *p,
    const struct sandbox_vars *vars, struct err *err)
{
	const struct sandbox_list *l = &p->text.list[SANDBOX_KEY_UNIX];
	bool all = false, none = false;
	size_t i;
	int rc;

	for (i = 0; i < l->value.n; i++) {
		const char *value = l->value.v[i];

		if (strcmp(value, "all") == 0) {
			all = true;
			continue;
		}
		if (strcmp(value, "none") == 0) {
			none = true;
			continue;
		}
		rc = add_word(p, value, l->where.v[i], vars, err);
		if (rc < 0)
			return rc;
	}
	if (none && l->value.n > 1)
		return err_set(err, ERR_SYNTAX, "%s: unix = none stands alone",
		    l->where.v[l->where.n - 1]);
	p->local = !none;
	p->listed = !none && !all;
	if (p->listed && p->supervise == SANDBOX_SUPERVISE_NONE)
		return err_set(err, ERR_RANGE, "%s: a list of unix sockets "
		    "needs a supervisor, and supervise is none", p->text.file);
	return 0;
}

/* What was found at the name, where the name alone does not tell. */
static int
pin(struct sandbox_profile *p, struct sandbox_socket *s, struct err *err)
{
	const struct sandbox_grant *g = sandbox_changed_by(p, s->path);
	struct stat st;

	if (g == NULL)
		return 0;
	s->pinned = true;
	if (stat(s->path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_RANGE, "%s: unix: the profile lets "
		    "commands change %s, so that sockets of others could be "
		    "moved to %s; name a socket", s->where, g->path, s->path);
	s->there = S_ISSOCK(st.st_mode);
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

int
sandbox_sockets_find(struct sandbox_profile *p, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; p->listed && rc == 0 && i < p->n_sockets; i++) {
		p->sockets[i].path = sandbox_path_real(p->sockets[i].asked);
		rc = pin(p, &p->sockets[i], err);
	}
	return rc;
}

void
sandbox_sockets_forget(struct sandbox_profile *p)
{
	size_t i;

	for (i = 0; i < p->n_sockets; i++) {
		free(p->sockets[i].path);
		p->sockets[i].path = NULL;
		p->sockets[i].pinned = p->sockets[i].there = false;
	}
}

void
sandbox_sockets_done(struct sandbox_profile *p)
{
	size_t i;

	sandbox_sockets_forget(p);
	for (i = 0; i < p->n_sockets; i++)
		free(p->sockets[i].asked);
	free(p->sockets);
}

bool
sandbox_lists_sockets(const struct sandbox_profile *p)
{
	return p->listed;
}

const struct sandbox_socket *
sandbox_socket_entry(const struct sandbox_profile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->n_sockets; i++)
		if (p->sockets[i].path != NULL &&
		    path_under(path, p->sockets[i].path))
			return &p->sockets[i];
	return NULL;
}

/* A tree of `connect' around it, which kernels that know that right hold
 * commands to, and none of `hide'. */
static bool
is_granted(const struct sandbox_profile *p, const char *path)
{
	bool granted = false;
	size_t i;

	for (i = 0; i < p->n_holes; i++)
		if (path_under(path, p->holes[i].path))
			return false;
	for (i = 0; !granted && i < p->n_grants; i++)
		granted = (p->grants[i].fs & SANDBOX_FS_RESOLVE_UNIX) != 0 &&
		    path_under(path, p->grants[i].path);
	return granted && sandbox_covered(p, path) == NULL;
}

enum sandbox_reach
sandbox_may_connect(const struct sandbox_profile *p, const char *path,
    dev_t dev, ino_t ino)
{
	size_t i;

	if (!p->complete || !p->local || !is_granted(p, path))
		return SANDBOX_REACH_NO;
	if (!p->listed)
		return SANDBOX_REACH_YES;
	for (i = 0; i < p->n_sockets; i++) {
		const struct sandbox_socket *s = &p->sockets[i];

		if (s->path != NULL && path_under(path, s->path) &&
		    (!s->pinned || (s->there && s->dev == dev &&
		    s->ino == ino)))
			return SANDBOX_REACH_YES;
	}
	return SANDBOX_REACH_OWN;
}

bool
sandbox_may_connect_tcp(const struct sandbox_profile *p, uint16_t port)
{
	size_t i;

	for (i = 0; i < p->connect.n; i++)
		if (p->connect.port[i] == port)
			return true;
	return p->connect.all;
}
