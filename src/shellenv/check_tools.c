/* SPDX-License-Identifier: ISC */
/* Programs that are installed where PATH does not lead, and directories
 * that the files of another shell put there. */
#include "check_int.h"

#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static const enum shell_kind others[] = { SHELL_BASH, SHELL_ZSH, SHELL_FISH,
	SHELL_KSH93, SHELL_MKSH, SHELL_YASH };

/* An entry of a list with colons is this directory. */
static bool
listed(const char *path, const char *dir)
{
	for (; path != NULL && *path != '\0'; path += *path == ':') {
		size_t n = strcspn(path, ":");
		AEG_AUTOFREE char *entry = xmemdup0(path, n), *canon = NULL;

		path += n;
		if (entry[0] != '/')
			continue;
		canon = path_canon("/", entry);
		if (strcmp(canon, dir) == 0)
			return true;
	}
	return false;
}

static bool
on_path(struct check *c, const char *dir)
{
	return listed(c->login_path, dir) || listed(c->tab_path, dir) ||
	    se_sim_find(c->login, dir, true) || se_sim_find(c->tab, dir, true);
}

/* A start-up file runs the installer's own command ("brew shellenv"), and
 * nobody has looked at what comes of it. */
static bool
may_be_set(struct check *c, const struct method *m)
{
	const char *word = arena_memdup0(c->se->arena, m->name,
	    strcspn(m->name, "-"));

	if (strcmp(word, "linuxbrew") == 0)
		word = "brew";
	return c->tab_path == NULL && (se_sim_opaque(c->login, word) != NULL ||
	    se_sim_opaque(c->tab, word) != NULL);
}

static void
check_method(struct check *c, const struct method_dir *d)
{
	const struct shell_row *row;
	struct shellenv_finding *f;

	/* A PATH without /usr/bin has a finding of its own. */
	if (strcmp(d->method->name, "system") == 0 ||
	    on_path(c, d->dir) || may_be_set(c, d->method) ||
	    se_check_has(c, "tool-unreachable", d->method->name) != NULL)
		return;
	/* What the system keeps off PATH of its own accord is no fault. */
	if (d->dir[0] == '/' && !path_under(d->dir, c->se->home) &&
	    (d->method->on_path == ON_PATH_DEPENDS ||
	    d->method->on_path == ON_PATH_NO) && d->method->loader == NULL &&
	    strcmp(d->method->name, "go-toolchain") != 0)
		return;
	if (se_other_shell_sets(c->se, d->dir, &row) != NULL)
		return;		/* check_others() says more */
	f = se_check_add(c, SHELLENV_WARNING, "tool-unreachable",
	    d->method->name);
	f->what = se_printf(c->se, "%s is installed at %s/%s but not on PATH"
	    "%s", d->program, se_shown(c->se, d->dir), d->program,
	    listed(se_getenv(c->se, "PATH"), d->dir) ?
	    " of a new session (only of this one)" : "");
	se_check_evidence(c, f, NULL, 0, d->dir);
	if (d->method->loader != NULL) {
		f->remedy = se_printf(c->se, "Let the start-up file run: %s",
		    d->method->loader);
		return;
	}
	f->remedy = se_printf(c->se, "Put %s on PATH (%s).",
	    se_shown(c->se, d->dir), d->method->label);
	se_check_fixable(c, f);
}

static void
check_other(struct check *c, const struct shell_row *row,
    const struct sim_entry *e)
{
	AEG_AUTOFREE char *dir = path_canon("/", e->text);
	struct shellenv_finding *f;

	if (on_path(c, dir) || se_dir_program(c->se, dir) == NULL ||
	    se_own_file(c->se, e->file))
		return;
	f = se_check_has(c, "wrong-shell", se_shown(c->se, dir));
	if (f == NULL) {
		f = se_check_add(c, SHELLENV_WARNING, "wrong-shell",
		    se_shown(c->se, dir));
		f->what = se_printf(c->se, "%s is put on PATH for %s, and the "
		    "shell is %s, which does not read that file",
		    se_shown(c->se, dir), row->name, c->se->type);
		f->remedy = se_printf(c->se, "Put it into the files of %s "
		    "too.", c->se->type);
		se_check_fixable(c, f);
	}
	se_check_evidence(c, f, e->file, e->line, NULL);
}

static void
check_others(struct check *c)
{
	size_t i, k, n;

	for (i = 0; i < AEG_NELEM(others); i++) {
		const struct shell_row *row = se_shell_row(others[i]);
		const struct sim_entry **list;

		if (row == c->se->row)
			continue;
		se_other_shell_entries(c->se, row, &list, &n);
		for (k = 0; k < n; k++)
			check_other(c, row, list[k]);
	}
}

void
se_check_tools(struct check *c)
{
	struct method_dir *dirs;
	size_t i, n;

	if (c->se->row->dialect == DIALECT_NONE)
		return;
	se_methods_find(c->se, &dirs, &n);
	for (i = 0; i < n; i++)
		check_method(c, &dirs[i]);
	check_others(c);
}
