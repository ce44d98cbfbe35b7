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
se_mend_note(struct mend *m, const char *fmt, ...)
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
se_mend_open(struct mend *m, const char *path, struct mend_file **ret,
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
	r = se_write_check(m->se, path, &new.real, &new.old, &new.old_len, err);
	if (r < 0)
		return r;
	/* Two names of one file are one file. */
	for (i = 0; i < m->n_files; i++)
		if (strcmp(m->files[i].real, new.real) == 0) {
			*ret = &m->files[i];
			return 0;
		}
	if (new.old != NULL && se_block_damaged(new.old, new.old_len) > 0)
		return err_set(err, ERR_REFUSED, "%s:%d: a line of aegshctl's "
		    "block stands without its other half",
		    se_shown(m->se, path),
		    se_block_damaged(new.old, new.old_len));
	new.text = new.old;
	new.len = new.old_len;
	f = SE_PUSH(m->se, m->files, m->n_files, m->cap_files);
	*f = new;
	*ret = f;
	return 0;
}

struct sim *
se_mend_follow(struct mend *m, enum shellenv_session s,
    const struct session_file **ret, size_t *ret_n)
{
	size_t i;

	m->overlays = arena_alloc(m->se->arena,
	    (m->n_files + 1) * sizeof *m->overlays);
	for (i = 0; i < m->n_files; i++)
		m->overlays[i] = (struct sim_overlay){ m->files[i].path,
		    m->files[i].real, m->files[i].text, m->files[i].len };
	return se_session_follow(m->se, m->se->row, s, m->overlays, m->n_files,
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

/* The person at the keyboard may mean the shell that runs. */
static void
say_running(struct mend *m)
{
	struct running run;
	const struct shell_row *row;

	se_running_find(m->se, &run);
	if (run.pid == 0 || strcmp(m->se->type_source, "option") == 0)
		return;
	row = se_shell_by_name(run.type, NULL);
	if (row == m->se->row || row->kind == SHELL_SH ||
	    row->kind == SHELL_DASH || row->kind == SHELL_ASH)
		return;
	se_mend_note(m, "this is for %s; %s runs here (--shell %s)",
	    m->se->type, run.type, run.type);
}

static int
check_allowed(struct shellenv *se, struct err *err)
{
	const struct shellenv_confinement *list;
	struct running run;
	const char *why;
	size_t i, n = 0;

	se_running_find(se, &run);
	why = se_restricted_why(se, &run);
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

/* ---- the plan ---------------------------------------------------------- */

/* No edit may make files read each other without end. */
static int
check_loops(struct mend *m, struct err *err)
{
	static const enum shellenv_session all[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	size_t i;

	for (i = 0; i < AEG_NELEM(all); i++) {
		struct sim *after = se_mend_follow(m, all[i], NULL, NULL);
		struct sim *before = se_session_follow(m->se, m->se->row,
		    all[i], NULL, 0, NULL, NULL);

		if (after->loop_file != NULL && before->loop_file == NULL)
			return err_set(err, ERR_REFUSED, "%s:%d: files would "
			    "read each other without end",
			    se_shown(m->se, after->loop_file),
			    after->loop_line);
	}
	return 0;
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

	/* A plan is of the files as they are now; one was made before this,
	 * and somebody else's came first. */
	se->n_profs = 0;

	if (r == 0 && n > WANTS_MAX)
		r = err_set(err, ERR_TOO_LONG, "more than %d changes at once",
		    WANTS_MAX);
	if (file != NULL)
		m.only = se_tilde(se, file);
	if (r == 0 && m.only != NULL && m.only[0] != '/')
		r = err_set(err, ERR_RANGE, "'%s' is no absolute path", file);
	if (r == 0)
		say_running(&m);
	for (i = 0; r == 0 && i < n; i++)
		r = se_mend_one(&m, &wants[i], err);
	if (r == 0)
		r = check_loops(&m, err);
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
