/* SPDX-License-Identifier: ISC */
/* A profile: its text, given meaning for one user and session. */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

/* Layers by the names that a profile's text uses. */
static const struct {
	const char *name;
	unsigned layer;
} layers[] = {
	{ "no-new-privs", SANDBOX_NNP },
	{ "landlock", SANDBOX_LANDLOCK_FS },
	{ "scope", SANDBOX_LANDLOCK_SCOPE },
	{ "net", SANDBOX_LANDLOCK_NET },
	{ "seccomp", SANDBOX_SECCOMP },
	{ "limits", SANDBOX_RLIMITS },
	{ "cover", SANDBOX_COVER },
};

const char *
sandbox_layer_name(enum sandbox_layer layer)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(layers); i++) {
		if (layers[i].layer == (unsigned)layer)
			return layers[i].name;
	}
	return "none";
}

uint64_t
sandbox_key_rights(enum sandbox_key key)
{
	static const uint64_t rights[SANDBOX_KEY_GRANTS] = {
		[SANDBOX_KEY_READ] = SANDBOX_FS_READ_FILE |
		    SANDBOX_FS_READ_DIR,
		[SANDBOX_KEY_LIST] = SANDBOX_FS_READ_DIR,
		[SANDBOX_KEY_EXECUTE] = SANDBOX_FS_EXECUTE,
		[SANDBOX_KEY_WRITE] = SANDBOX_FS_WRITE_FILE |
		    SANDBOX_FS_TRUNCATE,
		[SANDBOX_KEY_MAKE] = SANDBOX_FS_REMOVE_DIR |
		    SANDBOX_FS_REMOVE_FILE | SANDBOX_FS_MAKE_DIR |
		    SANDBOX_FS_MAKE_REG | SANDBOX_FS_MAKE_SOCK |
		    SANDBOX_FS_MAKE_FIFO | SANDBOX_FS_MAKE_SYM |
		    SANDBOX_FS_REFER,
		[SANDBOX_KEY_NODE] = SANDBOX_FS_MAKE_CHAR |
		    SANDBOX_FS_MAKE_BLOCK,
		[SANDBOX_KEY_DEVICE] = SANDBOX_FS_READ_FILE |
		    SANDBOX_FS_WRITE_FILE | SANDBOX_FS_IOCTL_DEV,
		[SANDBOX_KEY_CONNECT] = SANDBOX_FS_RESOLVE_UNIX,
	};

	return rights[key];
}

static int
read_layers(struct sandbox_profile *p, struct err *err)
{
	const struct sandbox_list *l = &p->text.list[SANDBOX_KEY_REQUIRE];
	size_t i, k;

	for (i = 0; i < l->value.n; i++) {
		for (k = 0; k < AEG_NELEM(layers); k++) {
			if (strcmp(layers[k].name, l->value.v[i]) == 0)
				break;
		}
		if (k == AEG_NELEM(layers))
			return err_set(err, ERR_UNKNOWN_NAME,
			    "%s: no layer '%s'", l->where.v[i],
			    l->value.v[i]);
		p->required |= layers[k].layer;
	}
	if (p->unscoped && (p->required & SANDBOX_LANDLOCK_SCOPE) != 0)
		return err_set(err, ERR_RANGE,
		    "%s: scope = none, and require names scope",
		    p->text.file);
	/* Without it neither Landlock nor seccomp can be had unprivileged. */
	if (p->required & (SANDBOX_LANDLOCK_FS | SANDBOX_SECCOMP))
		p->required |= SANDBOX_NNP;
	if (p->connect.all && p->bind.all)
		p->required &= ~(unsigned)SANDBOX_LANDLOCK_NET;
	return 0;
}

static int
read_ports(const struct sandbox_list *l, struct sandbox_ports *ret,
    struct err *err)
{
	size_t i;
	int64_t port;

	for (i = 0; i < l->value.n; i++) {
		if (strcmp(l->value.v[i], "all") == 0) {
			ret->all = true;
			continue;
		}
		if (text_to_i64(l->value.v[i], 0, 65535, &port) < 0)
			return err_set(err, ERR_RANGE,
			    "%s: '%s': neither a port nor all", l->where.v[i],
			    l->value.v[i]);
		if (ret->n == SANDBOX_PORTS_MAX)
			return err_set(err, ERR_RANGE, "%s: more than %d ports",
			    l->where.v[i], SANDBOX_PORTS_MAX);
		ret->port[ret->n++] = (uint16_t)port;
	}
	return 0;
}

static int
read_words(struct sandbox_profile *p, struct err *err)
{
	static const struct {
		const char *name;
		enum sandbox_filter filter;
	} filters[] = {
		{ "strict", SANDBOX_FILTER_STRICT },
		{ "default", SANDBOX_FILTER_DEFAULT },
		{ "debugger", SANDBOX_FILTER_DEBUGGER },
		{ "root", SANDBOX_FILTER_ROOT },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(filters); i++) {
		if (strcmp(filters[i].name, p->text.seccomp) == 0)
			break;
	}
	if (i == AEG_NELEM(filters))
		return err_set(err, ERR_UNKNOWN_NAME, "%s: no seccomp '%s'",
		    p->text.file, p->text.seccomp);
	p->filter = filters[i].filter;
	p->udp = strcmp(p->text.udp, "all") == 0;
	if (!p->udp && strcmp(p->text.udp, "none") != 0)
		return err_set(err, ERR_UNKNOWN_NAME,
		    "%s: udp is all or none, not '%s'", p->text.file,
		    p->text.udp);
	p->unscoped = strcmp(p->text.scope, "none") == 0;
	if (!p->unscoped && strcmp(p->text.scope, "all") != 0)
		return err_set(err, ERR_UNKNOWN_NAME,
		    "%s: scope is all or none, not '%s'", p->text.file,
		    p->text.scope);
	return sandbox_read_watch(p, err);
}

const struct sandbox_cover *
sandbox_covered(const struct sandbox_profile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->n_covers; i++) {
		if (path_under(path, p->covers[i].path))
			return &p->covers[i];
	}
	return NULL;
}

const struct sandbox_grant *
sandbox_changed_by(const struct sandbox_profile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->n_grants; i++) {
		const struct sandbox_grant *g = &p->grants[i];

		if ((g->fs & SANDBOX_FS_CHANGE) != 0 &&
		    (path_under(path, g->path) || path_under(g->path, path)))
			return g;
	}
	return NULL;
}

/* What the text says of everything but places. */
static int
build(struct sandbox_profile *p, struct err *err)
{
	int rc;

	rc = read_ports(&p->text.list[SANDBOX_KEY_TCP_CONNECT], &p->connect,
	    err);
	if (rc == 0)
		rc = read_ports(&p->text.list[SANDBOX_KEY_TCP_BIND], &p->bind,
		    err);
	if (rc == 0)
		rc = read_words(p, err);
	if (rc == 0)
		rc = read_layers(p, err);
	return rc;
}

int
sandbox_load(const char *name, const struct sandbox_vars *vars,
    struct sandbox_profile **ret, struct err *err)
{
	struct sandbox_profile *p = xcalloc(1, sizeof *p);
	int rc;

	if (vars->rescue)
		rc = sandbox_text_builtin(sandbox_rescue_text(name), &p->text,
		    err);
	else
		rc = sandbox_text_read(name, vars->cache, &p->text, err);
	p->open = vars->rescue && strcmp(name, "rescue") == 0;
	if (rc == 0 && vars->uid == 0 && p->text.for_root != NULL) {
		AEG_AUTOFREE char *root = xstrdup(p->text.for_root);

		sandbox_text_done(&p->text);
		rc = sandbox_text_read(root, vars->cache, &p->text, err);
		p->name = xstrdup(root);
	} else {
		p->name = xstrdup(name);
	}
	if (rc == 0)
		rc = build(p, err);
	if (rc == 0)
		rc = sandbox_sockets_read(p, vars, err);
	if (rc == 0)
		rc = sandbox_places_expand(p, vars, err);
	if (rc == 0 && !vars->later)
		rc = sandbox_complete(p, err);
	if (vars->cache != NULL && vars->store != NULL &&
	    strcmp(vars->cache, vars->store) == 0)
		p->copy = sandbox_cache_path(vars->store, p->name);
	if (rc < 0) {
		sandbox_profile_free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

int
sandbox_there(const char *name, struct err *err)
{
	const struct sandbox_vars vars = { .uid = getuid() };
	struct sandbox_profile *p = NULL;
	int rc = sandbox_load(name, &vars, &p, err);

	if (rc == 0)
		sandbox_profile_free(p);
	return rc;
}

void
sandbox_profile_free(struct sandbox_profile *p)
{
	if (p == NULL)
		return;
	sandbox_places_done(p);
	sandbox_sockets_done(p);
	free(p->copy);
	free(p->name);
	sandbox_text_done(&p->text);
	free(p);
}

const char *
sandbox_profile_name(const struct sandbox_profile *p)
{
	return p->name;
}

unsigned
sandbox_required(const struct sandbox_profile *p)
{
	/* What there is to cover is not known without the places. */
	return p->required | (p->complete ? 0U : (unsigned)SANDBOX_COVER);
}
