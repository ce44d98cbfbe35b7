/* SPDX-License-Identifier: ISC */
/* What a followed session holds: variables, PATH, events, files. */
#include "sim_int.h"

#include <stdio.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

bool
se_sim_known(const char *text)
{
	return text != NULL && strchr(text, SIM_UNKNOWN) == NULL;
}

/* How often a file is being read right now, by files that it sources.
 * Twice may be meant (a guard at its top ends it); three times is a loop,
 * which the shell itself would never leave. */
static int
times_on_stack(const struct sim *s, const char *path)
{
	int i, n = 0;

	for (i = 0; i < s->depth; i++)
		n += s->stack[i] != NULL && strcmp(s->stack[i], path) == 0;
	return n;
}

void
se_sim_event(struct sim *s, enum sim_what what, const char *name,
    const char *value)
{
	struct sim_event *e;

	if (s->n_events >= SIM_EVENTS) {
		s->exhausted = true;
		return;
	}
	e = SE_PUSH(s->se, s->events, s->n_events, s->cap_events);
	e->what = what;
	e->file = s->file;
	e->line = s->line;
	e->name = name;
	e->value = value;
	e->maybe = s->maybe > 0;
	e->known = value == NULL || se_sim_known(value);
	/* Neither in a function nor in a second reading, which a guard ends. */
	e->top = s->in_func == 0 && (s->file == NULL ||
	    times_on_stack(s, s->file) <= 1);
	e->at = s->top != NULL ? s->top->at : 0;
}

static struct sim_var *
find_var(struct sim *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n_vars; i++)
		if (strcmp(s->vars[i].name, name) == 0)
			return &s->vars[i];
	return NULL;
}

/* ---- variables -------------------------------------------------------- */

/* What the shell itself sets. */
static const char *
special(struct sim *s, const char *name)
{
	bool bash = s->dialect == DIALECT_BASH;
	bool zsh = s->dialect == DIALECT_ZSH;
	const struct { const char *name, *value; } table[] = {
		{ "PS1", s->interactive ? "$ " : NULL },
		{ "-", s->interactive ? "himBHs" : "hBc" },
		{ "0", s->arg0 },
		{ "SHLVL", "1" }, { "?", "0" }, { "#", NULL },
		{ "UID", bash || zsh ? s->uid_text : NULL },
		{ "EUID", bash || zsh ? s->uid_text : NULL },
		{ "BASH", bash ? "/bin/bash" : NULL },
		{ "BASH_VERSION", bash ? "5" : NULL },
		{ "BASH_VERSINFO", bash ? "5" : NULL },
		{ "OSTYPE", bash || zsh ? "linux-gnu" : NULL },
		{ "ZSH_VERSION", zsh ? "5" : NULL },
		{ "ZSH_NAME", zsh ? "zsh" : NULL },
		{ "KSH_VERSION", s->dialect == DIALECT_KSH ? "ksh" : NULL },
		{ "FISH_VERSION", s->dialect == DIALECT_FISH ? "3" : NULL },
		{ "SSH_CONNECTION", s->ssh ? "\003" : NULL },
		{ "SSH_CLIENT", s->ssh ? "\003" : NULL },
		{ "HOSTNAME", "\003" }, { "HOST", "\003" },
		{ "RANDOM", "\003" }, { "$", "\003" }, { "!", "\003" },
		{ "PPID", "\003" }, { "_", "\003" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(table); i++)
		if (strcmp(name, table[i].name) == 0)
			return table[i].value;
	return NULL;
}

static const char *
positional(struct sim *s, const char *name)
{
	AEG_AUTO(buf_done) struct buf all = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	int64_t i;
	size_t k;

	if (strcmp(name, "#") == 0)
		return se_printf(s->se, "%zu", s->n_args);
	if (text_to_i64(name, 1, 1000, &i) == 0)
		return (size_t)i <= s->n_args ? s->args[i - 1] : NULL;
	if (strcmp(name, "@") != 0 && strcmp(name, "*") != 0 &&
	    strcmp(name, "argv") != 0)
		return NULL;
	for (k = 0; k < s->n_args; k++)
		buf_putf(&all, "%s%s", k > 0 ? " " : "", s->args[k]);
	return se_strdup(s->se, all.data != NULL ? all.data : "");
}

const char *
se_sim_get(struct sim *s, const char *name)
{
	static const char old[2] = { SIM_OLD, '\0' };
	struct sim_var *v;
	const char *value;

	if (strcmp(name, "PATH") == 0 || (strcmp(name, "path") == 0 &&
	    s->dialect == DIALECT_ZSH))
		return s->n_path > 0 ? old : NULL;
	v = find_var(s, name);
	if (v != NULL)
		return v->value;
	value = positional(s, name);
	return value != NULL ? value : special(s, name);
}

void
se_sim_set(struct sim *s, const char *name, const char *value, bool exported)
{
	struct sim_var *v;

	s->bytes += strlen(value);
	if (s->bytes > SIM_BYTES) {
		s->exhausted = true;
		return;
	}
	if (strcmp(name, "PATH") == 0) {
		se_sim_set_path(s, value);
		return;
	}
	v = find_var(s, name);
	if (v == NULL) {
		if (s->n_vars >= SIM_VARS) {
			s->exhausted = true;
			return;
		}
		v = SE_PUSH(s->se, s->vars, s->n_vars, s->cap_vars);
		v->name = se_strdup(s->se, name);
	}
	v->value = se_strdup(s->se, value);
	v->exported |= exported || s->allexport;
	if (v->exported && s->file != NULL)
		se_sim_event(s, SIM_EXPORT, v->name, se_sim_flat(s, v->value));
}

void
se_sim_export(struct sim *s, const char *name)
{
	struct sim_var *v = find_var(s, name);

	if (v == NULL || v->exported)
		return;
	v->exported = true;
	if (v->value != NULL)
		se_sim_event(s, SIM_EXPORT, v->name, se_sim_flat(s, v->value));
}

/* ---- PATH ------------------------------------------------------------- */

static void
add_entry(struct sim *s, struct sim_entry **list, size_t *n, size_t *cap,
    const struct sim_entry *e)
{
	if (*n >= SIM_ENTRIES)
		s->exhausted = true;
	else
		*SE_PUSH(s->se, *list, *n, *cap) = *e;
}

/* All entries so far, with the letters that stand right before and behind
 * them (a carriage return, most likely) on the first and the last. */
static void
add_old(struct sim *s, struct sim_entry **list, size_t *n, size_t *cap,
    const char *part, const char *old, size_t len)
{
	size_t i, before = (size_t)(old - part), after = len - before - 1;

	for (i = 0; i < s->n_path; i++) {
		struct sim_entry e = s->path[i];
		bool first = i == 0 && before > 0;
		bool last = i + 1 == s->n_path && after > 0;

		if (first || last) {
			e.text = se_printf(s->se, "%.*s%s%.*s",
			    first ? (int)before : 0, part, e.text,
			    last ? (int)after : 0, old + 1);
			e.file = s->file;
			e.line = s->line;
			e.unknown |= !se_sim_known(e.text) ||
			    strchr(e.text, SIM_OLD) != NULL;
		}
		add_entry(s, list, n, cap, &e);
	}
}

/* Text between colons; SIM_OLD stands for all the entries so far. */
void
se_sim_set_path(struct sim *s, const char *value)
{
	struct sim_entry *list = NULL, e;
	size_t n = 0, cap = 0, i;
	bool kept = false;
	const char *p = value, *old;

	for (;;) {
		size_t len = strcspn(p, ":");

		old = memchr(p, SIM_OLD, len);
		if (old != NULL) {
			add_old(s, &list, &n, &cap, p, old, len);
			kept = true;
		} else {
			e = (struct sim_entry){ .file = s->file,
				.line = s->line, .maybe = s->maybe > 0 };
			e.text = arena_memdup0(s->se->arena, p, len);
			e.unknown = !se_sim_known(e.text);
			add_entry(s, &list, &n, &cap, &e);
		}
		p += len;
		if (*p++ == '\0')
			break;
	}
	if (!kept && s->n_path > 0 && s->file != NULL)
		se_sim_event(s, SIM_RESET, "PATH", se_sim_flat(s, value));
	/* In a branch that may not be taken nothing is lost. */
	for (i = 0; !kept && s->maybe > 0 && i < s->n_path; i++)
		add_entry(s, &list, &n, &cap, &s->path[i]);
	s->bytes += cap * sizeof *list;
	s->exhausted |= s->bytes > SIM_BYTES;
	s->path = list;
	s->n_path = n;
	s->cap_path = cap;
	if (s->file != NULL)
		se_sim_event(s, SIM_EXPORT, "PATH", se_sim_flat(s, value));
}

const char *
se_sim_flat(struct sim *s, const char *text)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	size_t i;

	if (strchr(text, SIM_OLD) == NULL)
		return text;
	for (; *text != '\0'; text++) {
		if (*text != SIM_OLD) {
			buf_putc(&out, *text);
			continue;
		}
		for (i = 0; i < s->n_path; i++)
			buf_putf(&out, "%s%s", i > 0 ? ":" : "",
			    s->path[i].text);
	}
	s->bytes += out.len;
	if (s->bytes > SIM_BYTES)
		s->exhausted = true;
	return s->exhausted ? "\003" :
	    se_strdup(s->se, out.data != NULL ? out.data : "");
}

/* One directory under two names (a home that is a link) counts as one. */
bool
se_same_dir(struct shellenv *se, const char *a, const char *b)
{
	AEG_AUTOFREE char *x = NULL, *y = NULL;
	struct stat s, t;

	if (a[0] != '/' || b[0] != '/')
		return strcmp(a, b) == 0;
	x = path_canon("/", a);
	y = path_canon("/", b);
	return strcmp(x, y) == 0 || (se_stat(se, x, &s) == 0 &&
	    se_stat(se, y, &t) == 0 && s.st_ino == t.st_ino &&
	    s.st_dev == t.st_dev);
}

const struct sim_entry *
se_sim_find(struct sim *s, const char *dir, bool maybe)
{
	size_t i;

	for (i = 0; i < s->n_path; i++)
		if (s->path[i].text[0] == '/' && !s->path[i].unknown &&
		    (!s->path[i].maybe || maybe) &&
		    se_same_dir(s->se, s->path[i].text, dir))
			return &s->path[i];
	return NULL;
}

const struct sim_event *
se_sim_opaque(const struct sim *s, const char *word)
{
	size_t i;

	for (i = 0; i < s->n_events; i++) {
		const struct sim_event *e = &s->events[i];

		if (e->what == SIM_OPAQUE && (word == NULL ||
		    (e->value != NULL && strstr(e->value, word) != NULL)))
			return e;
	}
	return NULL;
}

/* ---- files ------------------------------------------------------------ */

const struct sim_overlay *
se_sim_overlay(const struct sim *s, const char *path)
{
	const char *real;
	size_t i;

	for (i = 0; i < s->n_overlays; i++)
		if (strcmp(s->overlays[i].path, path) == 0)
			return &s->overlays[i];
	real = s->n_overlays > 0 ? se_real(s->se, path) : NULL;
	for (i = 0; real != NULL && i < s->n_overlays; i++)
		if (strcmp(s->overlays[i].real, real) == 0)
			return &s->overlays[i];
	return NULL;
}

static const struct prof *
load(struct sim *s, const char *path)
{
	const struct sim_overlay *o = se_sim_overlay(s, path);
	const char *text;
	size_t i, len;

	if (o != NULL)
		return o->text == NULL ? NULL : se_prof_parse(s->se->arena,
		    path, o->text, o->len, s->dialect);
	for (i = 0; i < s->se->n_profs; i++) {
		const struct prof *p = s->se->profs[i];

		if (p->dialect == s->dialect && strcmp(p->path, path) == 0)
			return p;
	}
	if (se_read(s->se, path, &text, &len) < 0)
		return NULL;
	return *SE_PUSH(s->se, s->se->profs, s->se->n_profs,
	    s->se->cap_profs) = se_prof_parse(s->se->arena, path, text, len,
	    s->dialect);
}

static void
read_file(struct sim *s, const char *path)
{
	const char *file = s->file;
	const struct prof *prof = s->prof;
	struct prof_node *top = s->top;
	int line = s->line;

	if (s->depth >= SIM_DEPTH || s->files >= SIM_FILES) {
		s->exhausted = true;
		return;
	}
	if (times_on_stack(s, path) >= 2) {
		if (s->maybe == 0 && s->loop_file == NULL) {
			s->loop_file = s->file;
			s->loop_line = s->line;
		}
		return;
	}
	s->prof = load(s, path);
	if (s->prof != NULL) {
		s->files++;
		s->file = path;
		s->stack[s->depth++] = path;
		for (s->top = s->prof->body; s->top != NULL &&
		    s->flow == FLOW_RUN && !s->exhausted;
		    s->top = s->top->next) {
			struct prof_node one = *s->top;

			one.next = NULL;
			se_sim_list(s, &one);
		}
		if (s->flow == FLOW_RETURN)
			s->flow = FLOW_RUN;
		s->depth--;
	}
	s->file = file;
	s->prof = prof;
	s->top = top;
	s->line = line;
}

void
se_sim_source(struct sim *s, const char *path, const char *const *args,
    size_t n_args)
{
	const char *const *old = s->args;
	size_t n_old = s->n_args;
	int in_func = s->in_func;
	AEG_AUTOFREE char *canon = NULL;
	const char *real;

	if (path[0] != '/') {
		se_sim_event(s, SIM_OPAQUE, "source", path);
		return;
	}
	/* .. leads out of where a link leads, not of where it stands. */
	real = strstr(path, "/..") != NULL ? se_real(s->se, path) : NULL;
	canon = path_canon("/", path);
	if (real == NULL)
		real = se_strdup(s->se, canon);
	se_sim_event(s, SIM_SOURCE, NULL, real);
	if (n_args > 0) {
		s->args = args;
		s->n_args = n_args;
	}
	s->in_func = 0;
	read_file(s, real);
	s->in_func = in_func;
	s->args = old;
	s->n_args = n_old;
}

void
se_sim_file(struct sim *s, const char *path)
{
	if (s->flow == FLOW_EXIT)
		return;
	s->flow = FLOW_RUN;
	read_file(s, path);
}

struct sim *
se_sim_new(struct shellenv *se, const struct shell_row *row,
    enum shellenv_session session, const struct sim_overlay *overlays,
    size_t n_overlays)
{
	struct sim *s = arena_alloc(se->arena, sizeof *s);
	AEG_AUTO(strv_done) struct strv env = STRV_INIT;
	size_t i;

	s->se = se;
	s->dialect = row->dialect;
	s->shell_name = row->name;
	s->uid_text = se_printf(se, "%u", (unsigned)se->uid);
	/* aegsh has its files run by a shell that nobody talks to. */
	s->interactive = row->kind != SHELL_AEGSH &&
	    (session == SHELLENV_LOGIN || session == SHELLENV_INTERACTIVE ||
	    session == SHELLENV_SU);
	s->login = session == SHELLENV_LOGIN || session == SHELLENV_SU ||
	    session == SHELLENV_LOGIN_CMD;
	s->ssh = session == SHELLENV_SSH_CMD;
	s->arg0 = se_printf(se, "%s%s", s->login ? "-" : "", row->name);
	s->overlays = overlays;
	s->n_overlays = n_overlays;
	s->status = TRI_YES;
	se_login_env(se, &env);
	for (i = 0; i < env.n; i++) {
		char *eq = strchr(env.v[i], '=');

		*eq = '\0';
		se_sim_set(s, env.v[i], eq + 1, true);
	}
	return s;
}
