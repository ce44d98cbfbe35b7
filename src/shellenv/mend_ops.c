/* SPDX-License-Identifier: ISC */
/* One wish each: a directory on PATH, a variable, and taking them out. */
#include "mend_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static const char *
lookup(void *ctx, const char *name)
{
	return se_sim_get(ctx, name);
}

/* A session in which the lines of ours have been read. */
static struct sim *
follow_usual(struct mend *m)
{
	enum shellenv_session session = (se_mend_sessions(m) &
	    (1U << SHELLENV_INTERACTIVE)) != 0 ? SHELLENV_INTERACTIVE :
	    SHELLENV_LOGIN;
	struct sim *s = se_mend_follow(m, session, NULL, NULL);

	/* One that did not come to its end expands nothing any more; what
	 * it began with is better than that. */
	return s->exhausted ? se_sim_new(m->se, m->se->row, session, NULL, 0) :
	    s;
}

static const char *
expanded(struct mend *m, const struct tmpl *t)
{
	struct sim *s = follow_usual(m);

	return se_sim_flat(s, se_tmpl_expand(m->se, t, lookup, s));
}

static const char *
written(struct mend *m, const struct tmpl *t)
{
	return m->fish ? se_tmpl_fish(m->se, t) : se_tmpl_posix(m->se, t);
}

static void
add_step(struct mend *m, const char *label, const struct item *it)
{
	struct shellenv_step *s = SE_PUSH(m->se, m->steps, m->n_steps,
	    m->cap_steps);

	s->label = label;
	s->file = se_shown(m->se, se_mend_target(m));
	s->line = se_item_line(m->se, it, m->fish);
}

/* Why the line is not enough: what takes the directory out again. */
static void
say_lost(struct mend *m, enum shellenv_session s, const char *dir)
{
	struct sim *sim = se_mend_follow(m, s, NULL, NULL);
	size_t i;

	if (se_sim_find(sim, dir, false) != NULL)
		return;
	for (i = sim->n_events; i-- > 0;)
		if (sim->events[i].what == SIM_RESET) {
			se_mend_note(m, "%s:%d sets PATH anew, and %s is lost "
			    "(%s session)", se_shown(m->se,
			    sim->events[i].file), sim->events[i].line, dir,
			    shellenv_session_name(s));
			return;
		}
	se_mend_note(m, "%s may be missing from a session of kind %s: its "
	    "start-up files end before the line, or depend on what cannot be "
	    "told here", dir, shellenv_session_name(s));
}

int
se_mend_path_add(struct mend *m, const char *arg, struct err *err)
{
	struct tmpl t;
	struct item it = { .kind = ITEM_PATH };
	const char *dir, *label;
	const struct method *method;
	unsigned want = se_mend_sessions(m), missing = 0;
	int s, r = se_tmpl_parse(m->se, arg, true, &t, err);

	if (r < 0)
		return r;
	it.text = written(m, &t);
	dir = expanded(m, &t);
	if (dir[0] != '/')
		return err_set(err, ERR_RANGE, "'%s' does not stand for an "
		    "absolute path: a variable in it is not set", arg);
	method = se_method_of(m->se, dir);
	label = method != NULL ? method->name : se_shown(m->se, dir);
	add_step(m, se_printf(m->se, "Add %s to PATH in %s", label,
	    se_shown(m->se, se_mend_target(m))), &it);
	for (s = 0; s < SHELLENV_SESSIONS; s++) {
		const struct sim_entry *e;

		if ((want & (1U << s)) == 0)
			continue;
		e = se_sim_find(se_mend_follow(m, s, NULL, NULL), dir, false);
		if (e == NULL)
			missing |= 1U << s;
		else if (e->file != NULL)
			se_mend_note(m, "%s:%d puts %s on PATH (%s session)",
			    se_shown(m->se, e->file), e->line, dir,
			    shellenv_session_name(s));
		else
			se_mend_note(m, "%s is on the default PATH", dir);
	}
	if (missing == 0)
		return 0;
	if (!se_exists(m->se, dir))
		se_mend_note(m, "%s is not there yet", dir);
	r = se_mend_place(m, &it, missing, err);
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

/* A later line that gives it another value. */
static void
say_overridden(struct mend *m, enum shellenv_session s, const char *name,
    const char *value)
{
	const struct sim_event *e = last_export(se_mend_follow(m, s, NULL,
	    NULL), name);

	if (e != NULL && strcmp(e->value, value) != 0)
		se_mend_note(m, "%s:%d sets %s after it, and wins (%s "
		    "session)", se_shown(m->se, e->file), e->line, name,
		    shellenv_session_name(s));
}

static int
var_set(struct mend *m, const char *arg, struct err *err)
{
	struct item it = { .kind = ITEM_VAR };
	const char *value;
	unsigned missing = 0, want = se_mend_sessions(m);
	struct tmpl t;
	size_t n = 0;
	int s, r = var_name(arg, &n, err);

	if (r == 0 && arg[n] != '=')
		r = err_set(err, ERR_RANGE, "'%s' is not NAME=VALUE", arg);
	if (r == 0)
		r = se_tmpl_parse(m->se, arg + n + 1, false, &t, err);
	if (r < 0)
		return r;
	it.name = arena_memdup0(m->se->arena, arg, n);
	it.text = written(m, &t);
	value = expanded(m, &t);
	add_step(m, se_printf(m->se, "Set %s in %s", it.name,
	    se_shown(m->se, se_mend_target(m))), &it);
	for (s = 0; s < SHELLENV_SESSIONS; s++) {
		const struct sim_event *e;

		if ((want & (1U << s)) == 0)
			continue;
		e = last_export(se_mend_follow(m, s, NULL, NULL), it.name);
		if (e == NULL || strcmp(e->value, value) != 0)
			missing |= 1U << s;
		else
			se_mend_note(m, "%s:%d sets %s so (%s session)",
			    se_shown(m->se, e->file), e->line, it.name,
			    shellenv_session_name(s));
	}
	if (missing == 0)
		return 0;
	r = se_mend_place(m, &it, missing, err);
	for (s = 0; r == 0 && s < SHELLENV_SESSIONS; s++)
		if ((want & (1U << s)) != 0)
			say_overridden(m, s, it.name, value);
	return r;
}

/* ---- taking out ------------------------------------------------------- */

static bool
is_dir(struct mend *m, const struct item *it, const void *arg)
{
	const char *text, *want = arg;
	struct sim *s;

	if (it->kind != ITEM_PATH)
		return false;
	s = follow_usual(m);
	text = m->fish ? it->text : se_printf(m->se, "\"%s\"", it->text);
	text = se_sim_expand(s, text, strlen(text), 0);
	return text[0] == '/' && se_same_dir(m->se, text, want);
}

static bool
is_var(struct mend *m, const struct item *it, const void *arg)
{
	return it->kind == ITEM_VAR && strcmp(it->name, arg) == 0;
}

/* What only makes the lines of another file be read, which are gone. */
static bool
is_idle_helper(struct mend *m, const struct item *it, const void *arg)
{
	return it->kind == ITEM_SOURCE && it->helper &&
	    !se_mend_has_lines(m, se_tilde(m->se, it->text));
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

	if (m->only != NULL && se_mend_open(m, m->only, &f, err) < 0)
		return err->code;
	for (i = 0; i < AEG_NELEM(all); i++) {
		se_mend_follow(m, all[i], &files, &n);
		for (k = 0; k < n; k++) {
			const char *text;
			size_t len;
			struct block b;

			if (!path_under(files[k].path, m->se->home) ||
			    se_read(m->se, files[k].path, &text, &len) < 0 ||
			    se_block_find(m->se, text, len, 0, m->fish, &b) < 0)
				continue;
			if (se_mend_open(m, files[k].path, &f, err) < 0)
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
	bool any = false;
	size_t i;
	int r = open_all(m, err != NULL ? err : &own);

	if (r < 0)
		return r;
	for (i = 0; i < m->n_files; i++)
		if (m->only == NULL ||
		    strcmp(m->files[i].path, m->only) == 0)
			any |= se_mend_take(m, &m->files[i], match, arg);
	for (i = 0; any && i < m->n_files; i++)
		se_mend_take(m, &m->files[i], is_idle_helper, NULL);
	return any ? 1 : 0;
}

static int
path_remove(struct mend *m, const char *arg, struct err *err)
{
	static const enum shellenv_session all[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	const char *want;
	const struct sim_entry *other;
	const struct shell_row *row;
	struct tmpl t;
	size_t i;
	bool still = false;
	int r = se_tmpl_parse(m->se, arg, true, &t, err);

	if (r < 0)
		return r;
	want = expanded(m, &t);
	if (want[0] != '/')
		return err_set(err, ERR_RANGE, "'%s' does not stand for an "
		    "absolute path", arg);
	r = take_out(m, is_dir, want, err);
	if (r < 0)
		return r;
	for (i = 0; i < AEG_NELEM(all); i++) {
		const struct sim_entry *e = se_sim_find(se_mend_follow(m,
		    all[i], NULL, NULL), want, true);

		still |= e != NULL;
		if (e != NULL && e->file != NULL)
			se_mend_note(m, "%s:%d, which aegshctl did not write, "
			    "puts %s on PATH", se_shown(m->se, e->file),
			    e->line, want);
		else if (e != NULL)
			se_mend_note(m, "%s is on the default PATH", want);
	}
	if (r == 0 && !still)
		se_mend_note(m, "no start-up file puts %s on PATH", want);
	other = se_other_shell_sets(m->se, want, &row);
	if (other != NULL)
		se_mend_note(m, "%s:%d puts it on PATH for %s (--shell %s)",
		    se_shown(m->se, other->file), other->line, row->name,
		    row->name);
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
	e = last_export(se_mend_follow(m, SHELLENV_LOGIN, NULL, NULL), arg);
	if (e != NULL && e->file != NULL)
		se_mend_note(m, "%s:%d, which aegshctl did not write, sets %s",
		    se_shown(m->se, e->file), e->line, arg);
	else if (r == 0)
		se_mend_note(m, "no start-up file sets %s", arg);
	return 0;
}

int
se_mend_one(struct mend *m, const struct shellenv_want *w, struct err *err)
{
	switch (w->op) {
	case SHELLENV_PATH_ADD:
		return se_mend_path_add(m, w->arg, err);
	case SHELLENV_PATH_REMOVE:
		return path_remove(m, w->arg, err);
	case SHELLENV_VAR_SET:
		return var_set(m, w->arg, err);
	case SHELLENV_VAR_UNSET:
		return var_unset(m, w->arg, err);
	case SHELLENV_FIX:
		return se_mend_fix(m, w->arg, err);
	}
	return err_set(err, -EINVAL, "no such operation");
}
