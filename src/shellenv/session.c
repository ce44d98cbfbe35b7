/* SPDX-License-Identifier: ISC */
/* One session from its first start-up file to its last, on this machine. */
#include "sim_int.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define PROGRAM_MAX ((size_t)16 * 1024 * 1024)	/* bytes of a shell */
#define DIR_FILES 256				/* of one conf.d */

struct follow {
	struct shellenv *se;
	const struct shell_row *row;
	struct sim *sim;
	enum shellenv_session session;
	struct session_file *files;
	size_t n, cap;
	const char *first;	/* what won among the RULE_FIRST rows */
	const char *ended_by;	/* a file that left the session */
};

const char *
se_session_program(struct shellenv *se, const struct shell_row *row)
{
	const char *p = NULL;

	if (row == se->row && se->shell_real != NULL)
		return se->shell_real;
	if (row->kind == SHELL_ASH)
		p = se_program(se, "busybox");
	if (p == NULL)
		p = se_program(se, row->name);
	return p != NULL ? se_real(se, p) : NULL;
}

static bool
has_mark(struct shellenv *se, const char *program, const char *mark)
{
	const char *text = NULL;
	size_t i, len = 0, n = strlen(mark);
	struct program *p = NULL;
	const char *at;

	for (i = 0; i < se->n_programs && p == NULL; i++)
		if (strcmp(se->programs[i].path, program) == 0)
			p = &se->programs[i];
	if (p == NULL) {
		if (se_read_big(se, program, PROGRAM_MAX, &text, &len) < 0)
			text = NULL;
		p = SE_PUSH(se, se->programs, se->n_programs,
		    se->cap_programs);
		*p = (struct program){ program, text, len };
	}
	/* The whole text, not the tail of a longer path. */
	for (at = p->text; at != NULL; at += n) {
		at = memmem(at, p->len - (size_t)(at - p->text), mark, n);
		if (at == NULL)
			return false;
		if ((at == p->text || at[-1] == '\0') && at[n] == '\0')
			return true;
	}
	return false;
}

/* Whether the shell that is here was built to read the row's file. */
static bool
row_holds(struct follow *f, const struct startup_row *r)
{
	const char *program;

	if (r->mark[0] == '\0')
		return true;
	program = se_session_program(f->se, f->row);
	if (program == NULL)
		return se_exists(f->se, r->path);
	return has_mark(f->se, program, r->mark);
}

static const char *
variable(struct follow *f, const char *name)
{
	const char *v = f->sim != NULL ? se_sim_get(f->sim, name) : NULL;

	if (v == NULL || v[0] == '\0' || !se_sim_known(v))
		v = se_getenv(f->se, name);
	return v != NULL && v[0] != '\0' ? v : NULL;
}

static const char *
config_dir(struct follow *f, const char *var, const char *fallback)
{
	const char *v = se_getenv(f->se, var);

	return v != NULL && v[0] == '/' ? v : se_tilde(f->se, fallback);
}

/* The absolute path of a row; NULL: none in this session. */
static const char *
row_path(struct follow *f, const struct startup_row *r)
{
	const char *path = r->path, *v, *bar;

	if (r->rule == RULE_VARIABLE) {
		bar = strchr(path, '|');
		v = variable(f, arena_memdup0(f->se->arena, path + 1,
		    strcspn(path, "|") - 1));
		if (v == NULL && bar != NULL)
			v = bar + 1;
		if (v == NULL)
			return NULL;
		v = se_tilde(f->se, v);
		return v[0] == '/' ? v : NULL;
	}
	if (text_starts(path, "$ZDOTDIR")) {
		v = variable(f, "ZDOTDIR");
		return se_printf(f->se, "%s%s", v != NULL && v[0] == '/' ? v :
		    f->se->home, path + strlen("$ZDOTDIR"));
	}
	if (text_starts(path, "$CONFIG"))
		return se_printf(f->se, "%s%s", config_dir(f,
		    "XDG_CONFIG_HOME", "~/.config"), path + 7);
	if (text_starts(path, "$DATA"))
		return se_printf(f->se, "%s%s", config_dir(f,
		    "XDG_DATA_HOME", "~/.local/share"), path + 5);
	return se_tilde(f->se, path);
}

/* There at all: a directory or an unreadable file counts, as in bash; only
 * a name that leads nowhere does not. */
static bool
is_there(struct follow *f, const char *path)
{
	const struct sim_overlay *o = f->sim != NULL ?
	    se_sim_overlay(f->sim, path) : NULL;
	struct stat st;
	int r;

	if (o != NULL)
		return o->text != NULL;
	r = se_stat(f->se, path, &st);
	return r == 0 || (r != -ENOENT && r != -ENOTDIR);
}

/* A compiled .zwc that is newer is what zsh reads. */
static const char *
compiled(struct follow *f, const char *path)
{
	const char *zwc = se_printf(f->se, "%s.zwc", path);
	struct stat a, b;

	if (f->row->kind != SHELL_ZSH || se_stat(f->se, zwc, &b) < 0)
		return NULL;
	if (se_stat(f->se, path, &a) < 0 || a.st_mtime < b.st_mtime)
		return zwc;
	return NULL;
}

static struct session_file *
add_file(struct follow *f, const char *path, const struct startup_row *r)
{
	struct session_file *file;

	file = SE_PUSH(f->se, f->files, f->n, f->cap);
	file->path = path;
	file->when = r->when;
	file->read = f->ended_by == NULL;
	file->shadowed_by = f->ended_by;
	file->first_event = file->end_event = f->sim->n_events;
	return file;
}

static void
run_file(struct follow *f, struct session_file *file)
{
	const char *zwc;

	if (!file->read || f->row->dialect == DIALECT_NONE)
		return;
	zwc = compiled(f, file->path);
	if (zwc != NULL)
		file->shadowed_by = zwc;
	se_sim_file(f->sim, file->path);
	file->end_event = f->sim->n_events;
	if (f->sim->flow == FLOW_EXIT)
		f->ended_by = file->path;
}

/* fish_user_paths of the file in which fish keeps universal variables. */
static void
read_uvars(struct follow *f, struct session_file *file)
{
	static const char name[] = "SETUVAR fish_user_paths:";
	const char *text, *p;
	char *value, *at;
	size_t len;
	int line = 1;

	if (!file->read || se_read(f->se, file->path, &text, &len) < 0)
		return;
	p = strstr(text, name);
	if (p == NULL || (p > text && p[-1] != '\n'))
		return;
	for (at = (char *)(uintptr_t)text; at < p; at++)
		line += *at == '\n';
	p += strlen(name);
	value = arena_memdup0(f->se->arena, p, strcspn(p, "\n"));
	for (at = value; (at = strstr(at, "\\x1e")) != NULL; at++) {
		*at = ':';
		memmove(at + 1, at + 4, strlen(at + 4) + 1);
	}
	if (value[0] == '\0')
		return;
	f->sim->file = file->path;
	f->sim->line = line;
	se_sim_set_path(f->sim, se_printf(f->se, "%s:%c", value, SIM_OLD));
	f->sim->file = NULL;
	file->end_event = f->sim->n_events;
}

static int
is_fish(const struct dirent *d)
{
	return d->d_name[0] != '.' && text_ends(d->d_name, ".fish");
}

/* The first file of a name, of all the directories, is the one read. */
static const char *
same_name(struct follow *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(path_base(f->files[i].path), name) == 0 &&
		    strstr(f->files[i].path, "conf.d/") != NULL)
			return f->files[i].path;
	return NULL;
}

static void
run_dir(struct follow *f, const char *dir, const struct startup_row *r)
{
	struct dirent **list = NULL;
	int i, n = scandir(se_disk(f->se, dir), &list, is_fish, alphasort);

	for (i = 0; i < n; i++) {
		if (i < DIR_FILES) {
			const char *by = same_name(f, list[i]->d_name);
			struct session_file *file = add_file(f, se_printf(
			    f->se, "%s/%s", dir, list[i]->d_name), r);

			if (by != NULL) {
				file->read = false;
				file->shadowed_by = by;
			}
			run_file(f, file);
		}
		free(list[i]);
	}
	free(list);
}

static void
run_row(struct follow *f, const struct startup_row *r)
{
	const char *path = row_path(f, r);
	struct session_file *file;

	if (path == NULL || !row_holds(f, r))
		return;
	if (r->rule == RULE_GLOB) {
		run_dir(f, path, r);
		return;
	}
	file = add_file(f, path, r);
	if (r->rule == RULE_UVARS) {
		read_uvars(f, file);
		return;
	}
	if (r->rule == RULE_FIRST && f->first != NULL) {
		file->read = false;
		file->shadowed_by = f->first;
	} else if (r->rule == RULE_FIRST && is_there(f, path)) {
		f->first = path;
	}
	run_file(f, file);
}

/* What a terminal tab has from the login before it: ENV, BASH_ENV. */
static void
inherit(struct follow *f)
{
	static const char *const names[] = { "ENV", "BASH_ENV" };
	struct sim *login;
	size_t i;

	if (f->session != SHELLENV_INTERACTIVE &&
	    f->session != SHELLENV_COMMAND)
		return;
	login = se_session_follow(f->se, f->row, SHELLENV_LOGIN,
	    f->sim->overlays, f->sim->n_overlays, NULL, NULL);
	for (i = 0; i < login->n_vars; i++) {
		const struct sim_var *v = &login->vars[i];
		size_t k;

		for (k = 0; v->exported && v->value != NULL &&
		    k < AEG_NELEM(names); k++)
			if (strcmp(v->name, names[k]) == 0)
				se_sim_set(f->sim, v->name, v->value, true);
	}
}

struct sim *
se_session_follow(struct shellenv *se, const struct shell_row *row,
    enum shellenv_session session, const struct sim_overlay *overlays,
    size_t n_overlays, const struct session_file **ret, size_t *ret_n)
{
	struct follow f = { .se = se, .row = row, .session = session };
	size_t i;

	f.sim = se_sim_new(se, row, session, overlays, n_overlays);
	inherit(&f);
	f.sim->file = NULL;
	for (i = 0; i < se_startup_n_rows; i++) {
		const struct startup_row *r = &se_startup_rows[i];

		if ((r->shells & (1U << row->kind)) != 0 &&
		    (r->sessions & (1U << session)) != 0)
			run_row(&f, r);
	}
	if (ret != NULL) {
		*ret = f.files;
		*ret_n = f.n;
	}
	return f.sim;
}

/* By either name: people link .bash_profile to .bashrc. */
static bool
same_file(struct shellenv *se, const char *a, const char *b)
{
	const char *x, *y;

	if (strcmp(a, b) == 0)
		return true;
	x = se_real(se, a);
	y = x != NULL ? se_real(se, b) : NULL;
	return y != NULL && strcmp(x, y) == 0;
}

bool
se_session_reads(const struct sim *s, const struct session_file *files,
    size_t n, const char *path)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (files[i].read && is_there(&(struct follow){ .se = s->se,
		    .sim = (struct sim *)(uintptr_t)s }, files[i].path) &&
		    same_file(s->se, files[i].path, path))
			return true;
	for (i = 0; i < s->n_events; i++)
		if (s->events[i].what == SIM_SOURCE &&
		    same_file(s->se, s->events[i].value, path))
			return true;
	return false;
}

const char *
se_session_login_file(struct shellenv *se, const struct shell_row *row,
    bool *ret_exists)
{
	static const char *const bash[] = { "~/.bash_profile",
	    "~/.bash_login", "~/.profile" };
	struct follow f = { .se = se, .row = row };
	const char *path = NULL;
	size_t i;

	if (row->kind == SHELL_BASH || row->kind == SHELL_AEGSH) {
		/* Where none is there it is the last that should be made: it
		 * hides no other. */
		for (i = 0; i < AEG_NELEM(bash); i++) {
			path = se_tilde(se, bash[i]);
			if (is_there(&f, path))
				break;
		}
	} else if (row->kind == SHELL_ZSH) {
		f.sim = se_session_follow(se, row, SHELLENV_COMMAND, NULL, 0,
		    NULL, NULL);
		path = row_path(&f, &(struct startup_row){
		    .path = "$ZDOTDIR/.zprofile" });
	} else if (row->kind == SHELL_FISH) {
		path = se_session_rc_file(se, row);
	} else if (row->login_profile != NULL) {
		path = se_tilde(se, row->login_profile);
	}
	*ret_exists = path != NULL && is_there(&f, path);
	return path;
}

const char *
se_session_rc_file(struct shellenv *se, const struct shell_row *row)
{
	const struct session_file *files = NULL;
	size_t i, n = 0;
	bool exists;

	if (row->kind == SHELL_AEGSH)
		return se_session_login_file(se, row, &exists);
	if (row->rc_file == NULL || row->dialect == DIALECT_NONE ||
	    row->kind == SHELL_SH || row->kind == SHELL_DASH ||
	    row->kind == SHELL_ASH)
		return row->rc_file != NULL ? se_tilde(se, row->rc_file) :
		    NULL;
	se_session_follow(se, row, SHELLENV_INTERACTIVE, NULL, 0, &files, &n);
	/* The last of those that are not the system's. */
	for (i = n; i-- > 0;)
		if (!text_starts(files[i].path, "/etc/"))
			return files[i].path;
	return se_tilde(se, row->rc_file);
}
