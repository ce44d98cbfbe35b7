/* SPDX-License-Identifier: ISC */
/*
 * The places that a profile's text names, looked up: trees that it grants,
 * hides and covers, and aegsh's own.
 *
 * What the text says and what it may not say is found when it is loaded; what
 * is there, and where links lead, perhaps later.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

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
look_up_grant(struct sandbox_profile *p, const struct sandbox_wish *w,
    struct known *known, struct err *err)
{
	const char *found = know(known, w->path);
	size_t before = p->n_grants;
	int rc;

	/* A rule holds for what is there, not for a name. */
	if (found[0] == '\0')
		return 0;
	rc = add_place(p, w->key, found, w->where, err);
	if (p->n_grants > before) {
		p->grants[before].fd = known->fd;
		known->fd = -1;
	}
	return rc;
}

/* Where no descriptor can be had, what is there is not found: a grant would be
 * lost without a word, and what is hidden behind a link left in view.  All are
 * kept, so that the last moment is the worst. */
static int
check_room(struct err *err)
{
	AEG_AUTOFD int fd = open("/", O_PATH | O_CLOEXEC);

	return fd >= 0 ? 0 : err_sys(err, errno, "sandbox: the places that "
	    "it grants and hides");
}

static int
look_up(struct sandbox_profile *p, struct known *known, struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < p->n_wishes; i++) {
		const struct sandbox_wish *w = &p->wishes[i];

		if (w->key < SANDBOX_KEY_GRANTS)
			rc = look_up_grant(p, w, known, err);
		else if (w->key != SANDBOX_KEY_HIDE || !p->once ||
		    !cannot_come(lead(known, w->path)))
			rc = add_place(p, w->key, lead(known, w->path),
			    w->where, err);
	}
	if (rc == 0)
		rc = check_room(err);
	if (rc == 0)
		drop_inherited(p);
	return rc;
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

/* By where its directory leads: whoever looks at it itself is held. */
static void
hide_silent(struct sandbox_profile *p, struct known *known)
{
	const char *base = path_base(p->asked_silent);
	AEG_AUTOFREE char *dir = xmemdup0(p->asked_silent,
	    (size_t)(base - p->asked_silent) - 1);
	AEG_AUTOFREE char *place = xasprintf("%s/%s", lead(known, dir), base);

	if (sandbox_covered(p, place) == NULL)
		add_hole(p, place, NULL);
}

/* Its own places are known even where the text does not name them. */
static void
take_places(struct sandbox_profile *p, struct known *known)
{
	const char *state = lead(known, sysdirs()->state);
	size_t i;

	/* Our own holes are judged by sandbox_prepare(). */
	for (i = 0; i < p->n_holes; i++) {
		if (strcmp(p->holes[i].path, state) == 0)
			p->holes[i].where = NULL;
	}
	p->conf = xstrdup(lead(known, sysdirs()->conf));
	if (p->asked_conf_user != NULL)
		p->conf_user = xstrdup(lead(known, p->asked_conf_user));
	if (p->asked_silent != NULL)
		hide_silent(p, known);
	if (p->asked_store == NULL)
		return;
	p->store = xstrdup(lead(known, p->asked_store));
	if (sandbox_covered(p, p->store) == NULL)
		add_hole(p, p->store, NULL);
}

/* What cannot be read cannot be copied, either. */
static int
hide_shells(struct sandbox_profile *p, struct err *err)
{
	size_t i;

	sandbox_shells_find(p);
	if (p->n_shells > SANDBOX_SHELLS_MAX)
		return err_set(err, ERR_RANGE, "descendant-shells: more than "
		    "%d shells are installed", SANDBOX_SHELLS_MAX);
	for (i = 0; i < p->n_shells; i++)
		add_hole(p, p->shells[i].path, p->text.file);
	return 0;
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

/* ---- from the text to the places --------------------------------------- */

static void
add_wish(struct sandbox_profile *p, enum sandbox_key key, char *path,
    const char *where)
{
	p->wishes = xreallocarray(p->wishes, p->n_wishes + 1,
	    sizeof *p->wishes);
	p->wishes[p->n_wishes++] = (struct sandbox_wish){ key, path, where };
}

static int
expand_list(struct sandbox_profile *p, const struct sandbox_vars *vars,
    enum sandbox_key key, struct err *err)
{
	const struct sandbox_list *l = &p->text.list[key];
	size_t i;

	for (i = 0; i < l->value.n; i++) {
		char *path = NULL;
		int rc = sandbox_path_expand(l->value.v[i], vars, &path, err);

		if (rc < 0)
			return err_context(err, "%s", l->where.v[i]);
		if (rc > 0)
			add_wish(p, key, path, l->where.v[i]);
	}
	return 0;
}

int
sandbox_places_expand(struct sandbox_profile *p,
    const struct sandbox_vars *vars, struct err *err)
{
	size_t key;
	int rc = 0;

	p->once = vars->once;
	if (vars->store != NULL)
		p->asked_store = xstrdup(vars->store);
	if (vars->silent != NULL)
		p->asked_silent = xstrdup(vars->silent);
	if (vars->conf_user != NULL)
		p->asked_conf_user = xstrdup(vars->conf_user);
	for (key = 0; rc == 0 && key < SANDBOX_KEY_PATHS; key++)
		rc = expand_list(p, vars, (enum sandbox_key)key, err);
	return rc;
}

static void
forget_found(struct sandbox_profile *p)
{
	size_t i;

	for (i = 0; i < p->n_grants; i++) {
		free(p->grants[i].path);
		io_close(&p->grants[i].fd);
	}
	for (i = 0; i < p->n_holes; i++)
		free(p->holes[i].path);
	for (i = 0; i < p->n_covers; i++)
		free(p->covers[i].path);
	for (i = 0; i < p->n_shells; i++)
		free(p->shells[i].path);
	p->n_grants = p->n_holes = p->n_covers = p->n_shells = 0;
	sandbox_sockets_forget(p);
	free(p->store);
	free(p->conf);
	free(p->conf_user);
	p->store = p->conf = p->conf_user = NULL;
}

int
sandbox_complete(struct sandbox_profile *p, struct err *err)
{
	AEG_AUTO(known_done) struct known known = { .once = p->once,
		.fd = -1 };
	int rc;

	if (p->complete)
		return 0;
	rc = look_up(p, &known, err);
	if (rc == 0) {
		p->frozen = changes_nothing(p);
		take_places(p, &known);
		if (p->no_shells)
			rc = hide_shells(p, err);
		if (rc == 0)
			rc = check_holes(p, err);
		if (rc == 0)
			rc = sandbox_sockets_find(p, err);
		if (rc == 0)
			rc = check_room(err);
	}
	if (rc < 0) {
		forget_found(p);
		return rc;
	}
	/* Covers that only sometimes cover would be worse than none. */
	if (p->n_covers > 0)
		p->required |= SANDBOX_COVER;
	else
		p->required &= ~(unsigned)SANDBOX_COVER;
	p->complete = true;
	return 0;
}

void
sandbox_places_done(struct sandbox_profile *p)
{
	size_t i;

	forget_found(p);
	for (i = 0; i < p->n_wishes; i++)
		free(p->wishes[i].path);
	free(p->wishes);
	free(p->grants);
	free(p->holes);
	free(p->shells);
	free(p->asked_store);
	free(p->asked_silent);
	free(p->asked_conf_user);
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

