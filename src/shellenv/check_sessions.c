/* SPDX-License-Identifier: ISC */
/*
 * What differs between sessions: profiles that hide each other, an rc file
 * that logins do not read, files that end early, and directories that only
 * one kind of session has on PATH.
 */
#include "check_int.h"

#include <string.h>

#include "aegsh/base/path.h"

/* What a login ends with: the value that a variable had last. */
static bool
login_has(struct check *c, const struct sim_event *e)
{
	const struct sim *s = c->login;
	size_t i;

	for (i = s->n_events; i-- > 0;)
		if (s->events[i].what == SIM_EXPORT &&
		    strcmp(s->events[i].name, e->name) == 0)
			return strcmp(s->events[i].value, e->value) == 0;
	return false;
}

/* The first line of a file that sets what a login does not have; 0: there
 * is none. */
static int
adds_something(struct check *c, const char *path)
{
	struct sim *s = se_sim_new(c->se, c->se->row, SHELLENV_INTERACTIVE,
	    NULL, 0);
	int line = 0;
	size_t i;

	se_sim_file(s, path);
	for (i = 0; i < s->n_path && line == 0; i++)
		if (s->path[i].file != NULL &&
		    se_sim_find(c->login, s->path[i].text, true) == NULL)
			line = strcmp(s->path[i].file, path) == 0 ?
			    s->path[i].line : 1;
	for (i = 0; i < s->n_events && line == 0; i++) {
		const struct sim_event *e = &s->events[i];

		if (e->what == SIM_EXPORT && strcmp(e->name, "PATH") != 0 &&
		    !login_has(c, e))
			line = strcmp(e->file, path) == 0 ? e->line : 1;
	}
	return line;
}

static void
check_shadowed(struct check *c)
{
	struct shellenv_finding *f;
	size_t i;

	for (i = 0; i < c->n_login_files; i++) {
		const struct session_file *file = &c->login_files[i];
		int line;

		if (file->read || file->shadowed_by == NULL ||
		    !se_exists(c->se, file->path) ||
		    !path_under(file->path, c->se->home) ||
		    se_session_reads(c->login, c->login_files,
		    c->n_login_files, file->path))
			continue;
		line = adds_something(c, file->path);
		if (line == 0)
			continue;
		f = se_check_add(c, SHELLENV_WARNING, "profile-shadowed",
		    se_shown(c->se, file->path));
		f->what = se_printf(c->se, "%s is not read by a login, because "
		    "%s is there", se_shown(c->se, file->path),
		    se_shown(c->se, file->shadowed_by));
		f->remedy = se_printf(c->se, "Let %s read it, or move its "
		    "lines there.", se_shown(c->se, file->shadowed_by));
		se_check_evidence(c, f, file->path, line, NULL);
		if (c->se->row->kind == SHELL_BASH ||
		    c->se->row->kind == SHELL_AEGSH)
			se_check_fixable(c, f);
	}
}

static void
check_rc(struct check *c)
{
	const char *rc, *login;
	struct shellenv_finding *f;
	bool exists;
	int line;

	if (c->se->row->kind != SHELL_BASH)
		return;
	rc = se_session_rc_file(c->se, c->se->row);
	if (!se_exists(c->se, rc) || se_session_reads(c->login,
	    c->login_files, c->n_login_files, rc))
		return;
	line = adds_something(c, rc);
	if (line == 0)
		return;
	login = se_session_login_file(c->se, c->se->row, &exists);
	if (exists && se_session_reads(c->tab, c->tab_files, c->n_tab_files,
	    login))
		return;		/* the other way round */
	f = se_check_add(c, SHELLENV_WARNING, "rc-not-sourced",
	    se_shown(c->se, login));
	f->what = exists ? se_printf(c->se, "%s does not read %s: a login "
	    "(ssh, console, su -) has nothing of what that sets",
	    se_shown(c->se, login), se_shown(c->se, rc)) :
	    se_printf(c->se, "no login file is there to read %s: a login "
	    "(ssh, console, su -) has nothing of what that sets",
	    se_shown(c->se, rc));
	f->remedy = se_printf(c->se, "Let %s read it.",
	    se_shown(c->se, login));
	se_check_evidence(c, f, rc, line, NULL);
	se_check_fixable(c, f);
}

/* Lines below a definite return, exit or exec in an interactive session. */
static void
check_ends(struct check *c, const struct sim *s)
{
	struct shellenv_finding *f;
	size_t i;

	for (i = 0; i < s->n_events; i++) {
		const struct sim_event *e = &s->events[i];
		const struct prof *p = NULL;
		const struct prof_node *n;
		size_t k;

		if (e->what != SIM_END || e->maybe || !e->top ||
		    !path_under(e->file, c->se->home))
			continue;
		for (k = 0; k < c->se->n_profs && p == NULL; k++)
			if (strcmp(c->se->profs[k]->path, e->file) == 0)
				p = c->se->profs[k];
		for (n = p != NULL ? p->body : NULL; n != NULL; n = n->next)
			if (n->at > e->at)
				break;
		if (n == NULL || se_check_has(c, "file-ends-early",
		    se_shown(c->se, e->file)) != NULL)
			continue;
		f = se_check_add(c, SHELLENV_INFO, "file-ends-early",
		    se_shown(c->se, e->file));
		f->what = se_printf(c->se, "%s is left at line %d (%s) also in "
		    "an interactive session; what stands below is not read",
		    se_shown(c->se, e->file), e->line, e->name);
		f->remedy = "Move what should be read above that line.";
		se_check_evidence(c, f, e->file, e->line, NULL);
	}
}

static void
check_loop(struct check *c, const struct sim *s)
{
	struct shellenv_finding *f = se_check_has(c, "source-loop", NULL);

	if (s->loop_file == NULL)
		return;
	if (f == NULL) {
		f = se_check_add(c, SHELLENV_ERROR, "source-loop", NULL);
		f->what = "start-up files read each other without end: the "
		    "shell does not start";
		f->remedy = "Take one of the lines out.";
	}
	se_check_evidence(c, f, s->loop_file, s->loop_line, NULL);
}

static void
check_difference(struct check *c, struct sim *has, struct sim *lacks,
    enum shellenv_severity sev, const char *what, bool fixable)
{
	struct shellenv_finding *f;
	size_t i;

	for (i = 0; i < has->n_path; i++) {
		const struct sim_entry *e = &has->path[i];

		if (e->file == NULL || e->unknown || e->maybe ||
		    e->text[0] != '/' || !path_under(e->file, c->se->home) ||
		    se_sim_find(lacks, e->text, true) != NULL ||
		    se_dir_program(c->se, e->text) == NULL ||
		    se_check_has(c, "login-differs",
		    se_shown(c->se, e->text)) != NULL)
			continue;
		f = se_check_add(c, sev, "login-differs",
		    se_shown(c->se, e->text));
		f->what = se_subst(c->se, what, se_shown(c->se, e->text));
		f->remedy = "Set it where both kinds of session read it.";
		se_check_evidence(c, f, e->file, e->line, NULL);
		if (fixable)
			se_check_fixable(c, f);
	}
}

void
se_check_sessions(struct check *c)
{
	bool mendable = c->se->row->mendable;
	size_t before;
	bool said;

	if (c->se->row->dialect == DIALECT_NONE)
		return;
	check_loop(c, c->login);
	check_loop(c, c->tab);
	check_shadowed(c);
	before = c->n;
	check_rc(c);
	said = c->n != before;
	check_ends(c, c->tab);
	check_ends(c, c->login);
	/* Where a login does not read .bashrc at all, that is said once. */
	if (!said)
		check_difference(c, c->tab, c->login, SHELLENV_WARNING,
		    "%s is on PATH in a terminal, but not after a login (ssh, "
		    "console, su -)", mendable);
	check_difference(c, c->login, c->tab, SHELLENV_INFO,
	    "%s is on PATH after a login; a shell that no login stands "
	    "behind does not have it", mendable);
}
