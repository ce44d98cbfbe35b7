/* SPDX-License-Identifier: ISC */
/* Where a program comes from, or why it is not found. */
#include "check_int.h"

#include <string.h>
#include <unistd.h>

#include "aegsh/base/path.h"

static bool
holds(struct shellenv *se, const char *dir, const char *tool)
{
	return dir[0] == '/' && se_program(se, se_printf(se, "%s/%s", dir,
	    tool)) != NULL && access(se_disk(se, se_printf(se, "%s/%s", dir,
	    tool)), X_OK) == 0;
}

static struct sim *
follow(struct shellenv *se, enum shellenv_session s)
{
	return se_session_follow(se, se->row, s, NULL, 0, NULL, NULL);
}

/* Which line of which file put the entry there. */
static void
find_origin(struct shellenv *se, struct shellenv_tool *t)
{
	static const enum shellenv_session all[] = { SHELLENV_LOGIN,
	    SHELLENV_INTERACTIVE };
	const struct sim_entry *e = NULL;
	const struct sim_event *perhaps = NULL;
	size_t i;

	for (i = 0; i < AEG_NELEM(all); i++) {
		struct sim *s = follow(se, all[i]);

		if (perhaps == NULL)
			perhaps = se_sim_opaque(s, NULL);
		e = se_sim_find(s, t->entry, true);
		if (e != NULL && e->file != NULL)
			break;
	}
	if (e != NULL && e->file != NULL) {
		t->file = se_shown(se, e->file);
		t->line = e->line;
	} else if (e != NULL) {
		t->note = "the entry is on the default PATH";
	} else if (perhaps != NULL) {
		t->note = se_printf(se, "the entry comes from this session, or "
		    "from a command that a start-up file runs: %s:%d",
		    se_shown(se, perhaps->file), perhaps->line);
	} else {
		t->note = "no start-up file of this shell sets the entry; it "
		    "was set in this session";
	}
}

/* The directory an entry means here and now: an empty or relative one begins
 * where this process is. */
static const char *
dir_of(struct shellenv *se, const char *entry)
{
	AEG_AUTOFREE char *cwd = NULL, *dir = NULL;

	if (entry[0] == '/')
		return entry;
	cwd = getcwd(NULL, 0);
	if (cwd == NULL)
		return entry;
	dir = path_canon(cwd, entry);
	return se_strdup(se, dir);
}

static bool
find_on_path(struct shellenv *se, const char *tool, struct shellenv_tool *t)
{
	const char *path = se_getenv(se, "PATH"), *dir = NULL;
	struct sim *login;
	size_t i, n;

	if (!se->own || path == NULL) {
		login = follow(se, SHELLENV_LOGIN);
		for (i = 0; i < login->n_path && t->entry == NULL; i++)
			if (!login->path[i].unknown &&
			    holds(se, login->path[i].text, tool))
				dir = t->entry = login->path[i].text;
		path = NULL;
	}
	while (path != NULL && t->entry == NULL) {
		const char *entry;

		n = strcspn(path, ":");
		entry = arena_memdup0(se->arena, path, n);
		dir = dir_of(se, entry);
		if (holds(se, dir, tool))
			t->entry = entry;
		path = path[n] == ':' ? path + n + 1 : NULL;
	}
	if (t->entry == NULL)
		return false;
	t->reach = SHELLENV_FOUND;
	t->path = se_printf(se, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir,
	    tool);
	if (t->entry[0] == '/')
		find_origin(se, t);
	else
		t->note = se_printf(se, "the PATH entry '%s' depends on the "
		    "current directory", t->entry);
	return true;
}

static void
say_why(struct shellenv *se, const char *dir, struct shellenv_tool *t)
{
	const struct method *m = se_method_of(se, dir);
	const struct sim_entry *e = se_sim_find(follow(se,
	    SHELLENV_INTERACTIVE), dir, false);
	const struct shell_row *row;

	t->method = m != NULL ? m->label : NULL;
	if (e == NULL)
		e = se_sim_find(follow(se, SHELLENV_LOGIN), dir, false);
	if (e != NULL) {
		t->note = se_printf(se, "%s:%d puts %s on PATH of new "
		    "sessions", e->file != NULL ? se_shown(se, e->file) :
		    "the default", e->line, se_shown(se, dir));
		t->fix = se_printf(se, "exec %s -l", se->shell_path != NULL ?
		    se_quote(se, se->shell_path) : "sh");
		return;
	}
	e = se_other_shell_sets(se, dir, &row);
	if (e != NULL)
		t->note = se_printf(se, "%s:%d sets it for %s, and the shell "
		    "is %s", se_shown(se, e->file), e->line, row->name,
		    se->type);
	t->fix = m != NULL && m->loader != NULL ? m->loader :
	    se_printf(se, "aegshctl env path add %s%s", se_quote(se, dir),
	    se_shell_option(se));
}

static bool
find_elsewhere(struct shellenv *se, const char *tool,
    struct shellenv_tool *t)
{
	struct method_dir *dirs;
	size_t i, n;

	se_methods_find(se, &dirs, &n);
	for (i = 0; i < n; i++) {
		if (!holds(se, dirs[i].dir, tool))
			continue;
		t->reach = SHELLENV_UNREACHABLE;
		t->path = se_printf(se, "%s/%s", dirs[i].dir, tool);
		say_why(se, dirs[i].dir, t);
		return true;
	}
	return false;
}

/* Directories that only the files know, of any shell. */
static void
find_in_files(struct shellenv *se, const char *tool, struct shellenv_tool *t)
{
	enum shell_kind k;
	size_t i, n;

	for (k = SHELL_NONE; k < SHELL_KINDS; k++) {
		const struct sim_entry **list;

		if (se_shell_row(k)->dialect == DIALECT_NONE)
			continue;
		se_other_shell_entries(se, se_shell_row(k), &list, &n);
		for (i = 0; i < n; i++) {
			AEG_AUTOFREE char *dir = path_canon("/",
			    list[i]->text);

			if (!holds(se, dir, tool))
				continue;
			t->reach = SHELLENV_UNREACHABLE;
			t->path = se_printf(se, "%s/%s", dir, tool);
			say_why(se, se_strdup(se, dir), t);
			return;
		}
	}
}

int
shellenv_which(struct shellenv *se, const char *tool,
    const struct shellenv_tool **ret, struct err *err)
{
	struct shellenv_tool *t = arena_alloc(se->arena, sizeof *t);
	const char *kind;

	if (tool[0] == '\0' || strchr(tool, '/') != NULL)
		return err_set(err, ERR_RANGE, "'%s' is no program's name",
		    tool);
	if (!find_on_path(se, tool, t) && !find_elsewhere(se, tool, t))
		find_in_files(se, tool, t);
	kind = t->reach == SHELLENV_ABSENT ? se_builtin(se, tool) : NULL;
	t->in_shell = kind != NULL;
	if (kind != NULL)
		t->note = se_printf(se, "%s is a %s of %s, not a program",
		    tool, kind, se->type);
	*ret = t;
	return 0;
}
