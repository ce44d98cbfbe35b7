/* SPDX-License-Identifier: ISC */
/* The plan: what is wanted, turned into new bytes for files. */
#include "mend_int.h"
#include "write_int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define WANTS_MAX 256

void
mend_note(struct mend *m, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (i = 0; i < m->notes.n; i++)
		if (strcmp(m->notes.v[i], text) == 0)
			return;
	strv_add(&m->notes, text);
}

int
mend_open(struct mend *m, const char *path, struct mend_file **ret,
    struct err *err)
{
	struct mend_file *f, new = { .path = path };
	size_t i;
	int r;

	for (i = 0; i < m->n_files; i++)
		if (strcmp(m->files[i].path, path) == 0) {
			*ret = &m->files[i];
			return 0;
		}
	r = write_check(m->se, path, &new.real, &new.old, &new.old_len, err);
	if (r < 0)
		return r;
	/* Two names of one file are one file. */
	for (i = 0; i < m->n_files; i++)
		if (strcmp(m->files[i].real, new.real) == 0) {
			*ret = &m->files[i];
			return 0;
		}
	if (new.old != NULL && block_damaged(new.old, new.old_len) > 0)
		return err_set(err, ERR_REFUSED, "%s:%d: a line of aegshctl's "
		    "block stands without its other half",
		    se_shown(m->se, path),
		    block_damaged(new.old, new.old_len));
	new.text = new.old;
	new.len = new.old_len;
	f = SE_PUSH(m->se, m->files, m->n_files, m->cap_files);
	*f = new;
	*ret = f;
	return 0;
}

struct sim *
mend_follow(struct mend *m, enum shellenv_session s,
    const struct session_file **ret, size_t *ret_n)
{
	size_t i;

	m->overlays = arena_alloc(m->se->arena,
	    (m->n_files + 1) * sizeof *m->overlays);
	for (i = 0; i < m->n_files; i++)
		m->overlays[i] = (struct sim_overlay){ m->files[i].path,
		    m->files[i].real, m->files[i].text, m->files[i].len };
	return session_follow(m->se, m->se->row, s, m->overlays, m->n_files,
	    ret, ret_n);
}

/* ---- may anything be edited at all? ----------------------------------- */

static int
check_home(struct shellenv *se, struct err *err)
{
	struct stat st;
	int r = se_stat(se, se->home, &st);

	if (r < 0 || !S_ISDIR(st.st_mode))
		return err_set(err, ERR_REFUSED, "the home %s is not there",
		    se->home);
	if (st.st_uid != se->uid)
		return err_set(err, ERR_REFUSED, "the home %s belongs to uid "
		    "%u, not to %s", se->home, (unsigned)st.st_uid, se->user);
	return 0;
}

static int
check_allowed(struct shellenv *se, struct err *err)
{
	const struct shellenv_confinement *list;
	struct running run;
	const char *why;
	size_t i, n = 0;

	running_find(se, &run);
	why = restricted_why(se, &run);
	if (why != NULL)
		return err_set(err, ERR_REFUSED, "a restricted shell (%s): "
		    "start-up files are not edited", why);
	if (!se->row->mendable)
		return err_set(err, ERR_REFUSED, "the files of %s are not "
		    "edited here", se->type);
	if (shellenv_confinements(se, &list, &n, err) < 0)
		n = 0;
	for (i = 0; i < n; i++)
		if (list[i].present == 1 &&
		    list[i].profile_write == SHELLENV_CAN_NOT)
			return err_set(err, ERR_REFUSED, "confined by %s: "
			    "start-up files cannot be edited from here",
			    list[i].id);
	return check_home(se, err);
}

/* ---- one wish each ---------------------------------------------------- */

static const char *
lookup(void *ctx, const char *name)
{
	return sim_get(ctx, name);
}

/* A session in which the lines of ours have been read. */
static struct sim *
follow_usual(struct mend *m)
{
	return mend_follow(m, (mend_sessions(m) &
	    (1U << SHELLENV_INTERACTIVE)) != 0 ? SHELLENV_INTERACTIVE :
	    SHELLENV_LOGIN, NULL, NULL);
}

static const char *
expanded(struct mend *m, const struct tmpl *t)
{
	struct sim *s = follow_usual(m);

	return sim_flat(s, tmpl_expand(m->se, t, lookup, s));
}

static const char *
written(struct mend *m, const struct tmpl *t)
{
	return m->fish ? tmpl_fish(m->se, t) : tmpl_posix(m->se, t);
}

static void
add_step(struct mend *m, const char *label, const struct item *it)
{
	struct shellenv_step *s = SE_PUSH(m->se, m->steps, m->n_steps,
	    m->cap_steps);

	s->label = label;
	s->file = se_shown(m->se, mend_target(m));
	s->line = item_line(m->se, it, m->fish);
}

/* Why the line is not enough: what takes the directory out again. */
static void
say_lost(struct mend *m, enum shellenv_session s, const char *dir)
{
	struct sim *sim = mend_follow(m, s, NULL, NULL);
	size_t i;

	if (sim_find(sim, dir, false) != NULL)
		return;
	for (i = sim->n_events; i-- > 0;)
		if (sim->events[i].what == SIM_RESET) {
			mend_note(m, "%s:%d sets PATH anew, and %s is lost "
			    "(%s session)", se_shown(m->se,
			    sim->events[i].file), sim->events[i].line, dir,
			    shellenv_session_name(s));
			return;
		}
	mend_note(m, "%s may be missing from a session of kind %s: its "
	    "start-up files end before the line, or depend on what cannot be "
	    "told here", dir, shellenv_session_name(s));
}

int
mend_path_add(struct mend *m, const char *arg, struct err *err)
{
	struct tmpl t;
	struct item it = { .kind = ITEM_PATH };
	const char *dir, *label;
	const struct method *method;
	unsigned want = mend_sessions(m), missing = 0;
	int s, r = tmpl_parse(m->se, arg, true, &t, err);

	if (r < 0)
		return r;
	it.text = written(m, &t);
	dir = expanded(m, &t);
	if (dir[0] != '/')
		return err_set(err, ERR_RANGE, "'%s' does not stand for an "
		    "absolute path: a variable in it is not set", arg);
	method = method_of(m->se, dir);
	label = method != NULL ? method->name : se_shown(m->se, dir);
	add_step(m, se_printf(m->se, "Add %s to PATH in %s", label,
	    se_shown(m->se, mend_target(m))), &it);
	for (s = 0; s < SHELLENV_SESSIONS; s++) {
		const struct sim_entry *e;

		if ((want & (1U << s)) == 0)
			continue;
		e = sim_find(mend_follow(m, s, NULL, NULL), dir, false);
		if (e == NULL)
			missing |= 1U << s;
		else if (e->file != NULL)
			mend_note(m, "%s:%d puts %s on PATH (%s session)",
			    se_shown(m->se, e->file), e->line, dir,
			    shellenv_session_name(s));
		else
			mend_note(m, "%s is on the default PATH", dir);
	}
	if (missing == 0)
		return 0;
	r = mend_place(m, &it, missing, err);
	for (s = 0; r == 0 && s < SHELLENV_SESSIONS; s++)
		if ((want & (1U << s)) != 0)
			say_lost(m, s, dir);
	return r;
}

static int
var_name(const char *arg, size_t *ret_len, struct err *err)
{
	/* Setting these is an error or changes the shell itself. */
	static const char *const no[] = { "PATH", "path", "UID", "EUID",
	    "PPID", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO", "GID", "EGID",
	    "IFS", "status", "argv" };
	size_t i, n = strcspn(arg, "=");

	if (!text_is_name(arg, n))
		return err_set(err, ERR_RANGE, "'%.*s' is no variable's name",
		    (int)(n < 80 ? n : 80), arg);
	for (i = 0; i < AEG_NELEM(no); i++)
		if (strlen(no[i]) == n && strncmp(arg, no[i], n) == 0)
			return err_set(err, ERR_RANGE, "%s is not set this "
			    "way%s", no[i], i < 2 ? "; use \"env path add\"" :
			    "");
	*ret_len = n;
	return 0;
}

/* The value that a variable ends a session with, told for sure. */
static const struct sim_event *
last_export(const struct sim *s, const char *name)
{
	size_t i;

	for (i = s->n_events; i-- > 0;) {
		const struct sim_event *e = &s->events[i];

		if (e->what == SIM_EXPORT && strcmp(e->name, name) == 0)
			return e->maybe || !e->known ? NULL : e;
	}
	return NULL;
}

static int
var_set(struct mend *m, const char *arg, struct err *err)
{
	struct item it = { .kind = ITEM_VAR };
	const char *value;
	unsigned missing = 0, want = mend_sessions(m);
	struct tmpl t;
	size_t n = 0;
	int s, r = var_name(arg, &n, err);

	if (r == 0 && arg[n] != '=')
		r = err_set(err, ERR_RANGE, "'%s' is not NAME=VALUE", arg);
	if (r == 0)
		r = tmpl_parse(m->se, arg + n + 1, false, &t, err);
	if (r < 0)
		return r;
	it.name = arena_memdup0(m->se->arena, arg, n);
	it.text = written(m, &t);
	value = expanded(m, &t);
	add_step(m, se_printf(m->se, "Set %s in %s", it.name,
	    se_shown(m->se, mend_target(m))), &it);
	for (s = 0; s < SHELLENV_SESSIONS; s++) {
		const struct sim_event *e;

		if ((want & (1U << s)) == 0)
			continue;
		e = last_export(mend_follow(m, s, NULL, NULL), it.name);
		if (e == NULL || strcmp(e->value, value) != 0)
			missing |= 1U << s;
		else
			mend_note(m, "%s:%d sets %s so (%s session)",
			    se_shown(m->se, e->file), e->line, it.name,
			    shellenv_session_name(s));
	}
	return missing == 0 ? 0 : mend_place(m, &it, missing, err);
}

/* ---- taking out ------------------------------------------------------- */

struct dir_arg { const char *dir; };

static bool
is_dir(struct mend *m, const struct item *it, const void *arg)
{
	const struct dir_arg *want = arg;
	AEG_AUTOFREE char *a = NULL, *b = NULL;
	struct sim *s;
	const char *text;

	if (it->kind != ITEM_PATH)
		return false;
	s = follow_usual(m);
	text = m->fish ? it->text : se_printf(m->se, "\"%s\"", it->text);
	text = sim_expand(s, text, strlen(text), 0);
	if (text[0] != '/')
		return false;
	a = path_canon("/", text);
	b = path_canon("/", want->dir);
	return strcmp(a, b) == 0;
}

static bool
is_var(struct mend *m, const struct item *it, const void *arg)
{
	return it->kind == ITEM_VAR && strcmp(it->name, arg) == 0;
}

bool
mend_source_helper(struct mend *m, const struct item *it, const void *arg)
{
	return it->kind == ITEM_SOURCE && it->helper;
}

/* Every start-up file of the user that there is. */
static int
open_all(struct mend *m, struct err *err)
{
	static const enum shellenv_session all[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	const struct session_file *files;
	struct mend_file *f;
	size_t i, k, n;

	if (m->only != NULL && mend_open(m, m->only, &f, err) < 0)
		return err->code;
	for (i = 0; i < AEG_NELEM(all); i++) {
		mend_follow(m, all[i], &files, &n);
		for (k = 0; k < n; k++) {
			const char *text;
			size_t len;
			struct block b;

			if (!path_under(files[k].path, m->se->home) ||
			    se_read(m->se, files[k].path, &text, &len) < 0 ||
			    block_find(m->se, text, len, 0, m->fish, &b) < 0)
				continue;
			if (mend_open(m, files[k].path, &f, err) < 0)
				return err->code;
		}
	}
	return 0;
}

static int
take_out(struct mend *m, bool (*match)(struct mend *, const struct item *,
    const void *), const void *arg, struct err *err)
{
	struct err own = ERR_INIT;
	bool any = false, left = false;
	size_t i;
	int r = open_all(m, err != NULL ? err : &own);

	if (r < 0)
		return r;
	for (i = 0; i < m->n_files; i++)
		if (m->only == NULL ||
		    strcmp(m->files[i].path, m->only) == 0)
			any |= mend_take(m, &m->files[i], match, arg);
	/* What only makes other lines be read goes with the last of them. */
	for (i = 0; i < m->n_files; i++)
		left |= mend_has_lines(m, &m->files[i]);
	for (i = 0; any && !left && i < m->n_files; i++)
		mend_take(m, &m->files[i], mend_source_helper, NULL);
	return any ? 1 : 0;
}

static int
path_remove(struct mend *m, const char *arg, struct err *err)
{
	static const enum shellenv_session all[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	struct dir_arg want;
	struct tmpl t;
	size_t i;
	bool still = false;
	int r = tmpl_parse(m->se, arg, true, &t, err);

	if (r < 0)
		return r;
	want.dir = expanded(m, &t);
	if (want.dir[0] != '/')
		return err_set(err, ERR_RANGE, "'%s' does not stand for an "
		    "absolute path", arg);
	r = take_out(m, is_dir, &want, err);
	if (r < 0)
		return r;
	for (i = 0; i < AEG_NELEM(all); i++) {
		const struct sim_entry *e = sim_find(mend_follow(m, all[i],
		    NULL, NULL), want.dir, true);

		still |= e != NULL;
		if (e != NULL && e->file != NULL)
			mend_note(m, "%s:%d, which aegshctl did not write, "
			    "puts %s on PATH", se_shown(m->se, e->file),
			    e->line, want.dir);
		else if (e != NULL)
			mend_note(m, "%s is on the default PATH", want.dir);
	}
	if (r == 0 && !still)
		mend_note(m, "no start-up file puts %s on PATH", want.dir);
	return 0;
}

static int
var_unset(struct mend *m, const char *arg, struct err *err)
{
	const struct sim_event *e;
	size_t n = 0;
	int r = var_name(arg, &n, err);

	if (r < 0)
		return r;
	if (arg[n] != '\0')
		return err_set(err, ERR_RANGE, "'%s' is no variable's name",
		    arg);
	r = take_out(m, is_var, arg, err);
	if (r < 0)
		return r;
	e = last_export(mend_follow(m, SHELLENV_LOGIN, NULL, NULL), arg);
	if (e != NULL && e->file != NULL)
		mend_note(m, "%s:%d, which aegshctl did not write, sets %s",
		    se_shown(m->se, e->file), e->line, arg);
	else if (r == 0)
		mend_note(m, "no start-up file sets %s", arg);
	return 0;
}

static int
one(struct mend *m, const struct shellenv_want *w, struct err *err)
{
	switch (w->op) {
	case SHELLENV_PATH_ADD:
		return mend_path_add(m, w->arg, err);
	case SHELLENV_PATH_REMOVE:
		return path_remove(m, w->arg, err);
	case SHELLENV_VAR_SET:
		return var_set(m, w->arg, err);
	case SHELLENV_VAR_UNSET:
		return var_unset(m, w->arg, err);
	case SHELLENV_FIX:
		return mend_fix(m, w->arg, err);
	}
	return err_set(err, -EINVAL, "no such operation");
}

static void
take_edits(struct mend *m, struct shellenv_plan *plan)
{
	struct shellenv_edit *list = NULL;
	size_t i, n = 0, cap = 0;

	for (i = 0; i < m->n_files; i++) {
		const struct mend_file *f = &m->files[i];
		struct shellenv_edit *e;

		if ((f->old == NULL && f->text == NULL) ||
		    (f->old != NULL && f->text != NULL && f->old_len == f->len
		    && memcmp(f->old, f->text, f->len) == 0))
			continue;
		e = SE_PUSH(m->se, list, n, cap);
		e->path = f->real;
		e->shown = se_shown(m->se, f->path);
		e->old = f->old;
		e->old_len = f->old_len;
		e->new = f->text;
		e->new_len = f->len;
	}
	plan->edits = list;
	plan->n_edits = n;
}

int
shellenv_plan(struct shellenv *se, const struct shellenv_want *wants,
    size_t n, const char *file, const struct shellenv_plan **ret,
    struct err *err)
{
	struct mend m = { .se = se, .notes = STRV_INIT,
		.fish = se->row->dialect == DIALECT_FISH };
	struct shellenv_plan *plan = arena_alloc(se->arena, sizeof *plan);
	char **notes;
	size_t i;
	int r = check_allowed(se, err);

	if (r == 0 && n > WANTS_MAX)
		r = err_set(err, ERR_TOO_LONG, "more than %d changes at once",
		    WANTS_MAX);
	if (file != NULL)
		m.only = se_tilde(se, file);
	if (r == 0 && m.only != NULL && m.only[0] != '/')
		r = err_set(err, ERR_RANGE, "'%s' is no absolute path", file);
	for (i = 0; r == 0 && i < n; i++)
		r = one(&m, &wants[i], err);
	if (r == 0) {
		take_edits(&m, plan);
		plan->steps = m.steps;
		plan->n_steps = m.n_steps;
		notes = arena_alloc(se->arena,
		    (m.notes.n + 1) * sizeof *notes);
		for (i = 0; i < m.notes.n; i++)
			notes[i] = arena_memdup0(se->arena, m.notes.v[i],
			    strlen(m.notes.v[i]));
		plan->notes = notes;
		*ret = plan;
	}
	strv_done(&m.notes);
	return r;
}
