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
add_grant(struct sandbox_profile *p, const char *path, enum sandbox_key key,
    const char *where, struct err *err)
{
	struct sandbox_grant *g;
	size_t i;

	for (i = 0; i < p->n_grants; i++) {
		g = &p->grants[i];
		if (strcmp(g->path, path) == 0) {
			g->fs |= sandbox_key_rights(key);
			if (g->where[key] == NULL)
				g->where[key] = where;
			return 0;
		}
	}
	if (p->n_grants == SANDBOX_GRANTS_MAX)
		return err_set(err, ERR_RANGE, "%s: more than %d paths",
		    where != NULL ? where : path, SANDBOX_GRANTS_MAX);
	p->grants = xreallocarray(p->grants, p->n_grants + 1,
	    sizeof *p->grants);
	g = &p->grants[p->n_grants++];
	*g = (struct sandbox_grant){ .path = xstrdup(path), .fd = -1,
		.fs = sandbox_key_rights(key) };
	g->where[key] = where;
	return 0;
}

/* What a tree around it grants already needs no rule of its own. */
static void
drop_inherited(struct sandbox_profile *p)
{
	size_t i, k, n = 0;

	for (i = 0; i < p->n_grants; i++) {
		struct sandbox_grant *g = &p->grants[i];
		uint64_t above = 0;

		for (k = 0; k < p->n_grants; k++) {
			if (k != i && path_under(g->path, p->grants[k].path))
				above |= p->grants[k].fs;
		}
		g->fs &= ~above;
	}
	for (i = 0; i < p->n_grants; i++) {
		if (p->grants[i].fs != 0) {
			p->grants[n++] = p->grants[i];
		} else {
			free(p->grants[i].path);
			io_close(&p->grants[i].fd);
		}
	}
	p->n_grants = n;
}

static void
add_hole(struct sandbox_profile *p, const char *path, const char *where)
{
	size_t i;

	for (i = 0; i < p->n_holes; i++) {
		if (strcmp(p->holes[i].path, path) == 0) {
			if (where == NULL)
				p->holes[i].where = NULL;
			return;
		}
	}
	p->holes = xreallocarray(p->holes, p->n_holes + 1, sizeof *p->holes);
	p->holes[p->n_holes].path = xstrdup(path);
	p->holes[p->n_holes++].where = where;
}

static int
add_place(struct sandbox_profile *p, enum sandbox_key key, const char *path,
    const char *where, struct err *err)
{
	if (key < SANDBOX_KEY_GRANTS) {
		return add_grant(p, path, key, where, err);
	} else if (key == SANDBOX_KEY_HIDE) {
		add_hole(p, path, where);
	} else {
		if (p->n_covers == SANDBOX_COVERS_MAX)
			return err_set(err, ERR_RANGE,
			    "%s: more than %d covers", where,
			    SANDBOX_COVERS_MAX);
		p->covers[p->n_covers].path = xstrdup(path);
		p->covers[p->n_covers++].readonly =
		    key == SANDBOX_KEY_COVER_READONLY;
	}
	return 0;
}

/* The same name stands in many lists: what it means is asked once. */
struct known {
	struct strv text, real;
	struct strv place, led;	/* the same for what need not be there */
	bool once;		/* keep the places open */
	int fd;			/* of the newest, if nobody took it */
};

static void
known_done(struct known *k)
{
	strv_done(&k->text);
	strv_done(&k->real);
	strv_done(&k->place);
	strv_done(&k->led);
	io_close(&k->fd);
}

/* Where path leads, or would. */
static const char *
lead(struct known *k, const char *path)
{
	size_t i;

	for (i = 0; i < k->place.n; i++) {
		if (strcmp(k->place.v[i], path) == 0)
			return k->led.v[i];
	}
	strv_add(&k->place, path);
	strv_take(&k->led, sandbox_path_real(path));
	return k->led.v[k->led.n - 1];
}

/* "" for a place that is not there. */
static const char *
know(struct known *k, const char *path)
{
	char *real;
	size_t i;

	for (i = 0; i < k->text.n; i++) {
		if (strcmp(k->text.v[i], path) == 0)
			return k->real.v[i];
	}
	io_close(&k->fd);
	real = sandbox_path_find(path, k->once ? &k->fd : NULL);
	strv_add(&k->text, path);
	strv_take(&k->real, real != NULL ? real : xstrdup(""));
	return k->real.v[k->real.n - 1];
}

/* It is not there, and no command could put it there.  Its neighbours are
 * many; for a single line they need not be told from it. */
static bool
cannot_come(const char *path)
{
	AEG_AUTOFREE char *dir = xmemdup0(path, (size_t)(path_base(path) -
	    path));

	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == ENOENT && faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) < 0 &&
	    errno == EACCES;
}

static int
read_place(struct sandbox_profile *p, const struct sandbox_vars *vars,
    enum sandbox_key key, size_t i, struct known *known, struct err *err)
{
	const struct sandbox_list *l = &p->text.list[key];
	AEG_AUTOFREE char *path = NULL;
	int rc;

	rc = sandbox_path_expand(l->value.v[i], vars, &path, err);
	if (rc < 0)
		return err_context(err, "%s", l->where.v[i]);
	if (rc == 0)
		return 0;
	if (key < SANDBOX_KEY_GRANTS) {
		const char *found = know(known, path);
		size_t before = p->n_grants;

		/* A rule holds for what is there, not for a name. */
		if (found[0] == '\0')
			return 0;
		rc = add_place(p, key, found, l->where.v[i], err);
		if (p->n_grants > before) {
			p->grants[before].fd = known->fd;
			known->fd = -1;
		}
		return rc;
	}
	if (key == SANDBOX_KEY_HIDE && vars->once &&
	    cannot_come(lead(known, path)))
		return 0;
	return add_place(p, key, lead(known, path), l->where.v[i], err);
}

static int
read_places(struct sandbox_profile *p, const struct sandbox_vars *vars,
    struct known *known, struct err *err)
{
	size_t key, i;
	int rc = 0;

	for (key = 0; rc == 0 && key < SANDBOX_KEY_PATHS; key++) {
		for (i = 0; rc == 0 && i < p->text.list[key].value.n; i++)
			rc = read_place(p, vars, (enum sandbox_key)key, i,
			    known, err);
	}
	if (rc == 0)
		drop_inherited(p);
	return rc;
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
	/* Covers that only sometimes cover would be worse than none. */
	if (p->n_covers > 0)
		p->required |= SANDBOX_COVER;
	else
		p->required &= ~(unsigned)SANDBOX_COVER;
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
	p->local = strcmp(p->text.local, "all") == 0;
	if (!p->local && strcmp(p->text.local, "none") != 0)
		return err_set(err, ERR_UNKNOWN_NAME,
		    "%s: unix is all or none, not '%s'", p->text.file,
		    p->text.local);
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

/* Rights are inherited and can't be taken back: in a tree that may be
 * changed, what is hidden could be moved out or written over. */
static int
check_holes(const struct sandbox_profile *p, struct err *err)
{
	size_t i;

	for (i = 0; i < p->n_holes; i++) {
		const struct sandbox_hole *h = &p->holes[i];
		const struct sandbox_grant *g = sandbox_changed_by(p, h->path);

		if (h->where != NULL && g != NULL)
			return err_set(err, ERR_RANGE,
			    "%s: %s can't be hidden: the profile lets commands "
			    "change %s", h->where, h->path, g->path);
	}
	return 0;
}

/* Its own places are known even where the text does not name them. */
static void
take_places(struct sandbox_profile *p, const struct sandbox_vars *vars,
    struct known *known)
{
	const char *state = lead(known, sysdirs()->state);
	size_t i;

	/* Our own holes are judged by sandbox_prepare(). */
	for (i = 0; i < p->n_holes; i++) {
		if (strcmp(p->holes[i].path, state) == 0)
			p->holes[i].where = NULL;
	}
	p->conf = xstrdup(lead(known, sysdirs()->conf));
	if (vars->conf_user != NULL)
		p->conf_user = xstrdup(lead(known, vars->conf_user));
	if (vars->store == NULL)
		return;
	p->store = xstrdup(lead(known, vars->store));
	if (sandbox_covered(p, p->store) == NULL)
		add_hole(p, p->store, NULL);
}

/* No grant is one to change files; devices are written to all the same. */
static bool
changes_nothing(const struct sandbox_profile *p)
{
	const uint64_t change = (sandbox_key_rights(SANDBOX_KEY_WRITE) |
	    sandbox_key_rights(SANDBOX_KEY_MAKE) |
	    sandbox_key_rights(SANDBOX_KEY_NODE)) &
	    ~sandbox_key_rights(SANDBOX_KEY_DEVICE);
	size_t i;

	for (i = 0; i < p->n_grants; i++)
		if ((p->grants[i].fs & change) != 0)
			return false;
	return true;
}

static int
build(struct sandbox_profile *p, const struct sandbox_vars *vars,
    struct err *err)
{
	AEG_AUTO(known_done) struct known known = { .once = vars->once,
		.fd = -1 };
	int rc;

	rc = read_places(p, vars, &known, err);
	if (rc == 0)
		rc = read_ports(&p->text.list[SANDBOX_KEY_TCP_CONNECT],
		    &p->connect, err);
	if (rc == 0)
		rc = read_ports(&p->text.list[SANDBOX_KEY_TCP_BIND], &p->bind,
		    err);
	if (rc == 0)
		rc = read_words(p, err);
	if (rc == 0)
		rc = read_layers(p, err);
	if (rc == 0) {
		p->frozen = changes_nothing(p);
		take_places(p, vars, &known);
		rc = check_holes(p, err);
	}
	return rc;
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
		rc = build(p, vars, err);
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

void
sandbox_profile_free(struct sandbox_profile *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->n_grants; i++) {
		free(p->grants[i].path);
		io_close(&p->grants[i].fd);
	}
	for (i = 0; i < p->n_holes; i++)
		free(p->holes[i].path);
	for (i = 0; i < p->n_covers; i++)
		free(p->covers[i].path);
	free(p->grants);
	free(p->holes);
	free(p->store);
	free(p->conf);
	free(p->conf_user);
	free(p->copy);
	free(p->name);
	sandbox_text_done(&p->text);
	free(p);
}

int
sandbox_add(struct sandbox_profile *p, const char *path, unsigned rights,
    struct err *err)
{
	int rc = 0;

	if (rights & SANDBOX_READ)
		rc = add_grant(p, path, SANDBOX_KEY_READ, NULL, err);
	if (rc == 0 && (rights & SANDBOX_EXECUTE))
		rc = add_grant(p, path, SANDBOX_KEY_EXECUTE, NULL, err);
	return rc;
}

const char *
sandbox_profile_name(const struct sandbox_profile *p)
{
	return p->name;
}

unsigned
sandbox_required(const struct sandbox_profile *p)
{
	return p->required;
}
