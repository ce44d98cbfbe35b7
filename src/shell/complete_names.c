/* SPDX-License-Identifier: ISC */
/* Where names are found: directories, the environment, the system's files.
 * Runs in a child: what hangs here is killed. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/base/tr.h"
#include "aegsh/resolve.h"
#include "shell/alias.h"
#include "shell/bi.h"
#include "shell/complete.h"
#include "shell/complete_ctl.h"

#define USERS_MAX 20000

/* Reserved words, that begin or continue a command (bash(1)). */
static const char *const reserved[] = { "case", "coproc", "do", "done",
	"elif", "else", "esac", "fi", "for", "function", "if", "in", "select",
	"then", "time", "until", "while", NULL };

/* A name of a word's last component, to be typed as it is quoted there. */
void
complete_name(struct complete *c, const char *name, const char *after,
    const char *note)
{
	const struct line_word *w = c->word;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTO(buf_done) struct buf shown = BUF_INIT;
	bool whole = after[0] == '\0';

	line_word_quote(&text, w->base_quote, name, w->base == w->from);
	buf_puts(&text, after);
	if (whole)
		buf_puts(&text, line_word_close(w->base_quote));
	buf_putf(&shown, "%s%s", name, after);
	complete_offer(c, text.data, shown.data, note, whole ?
	    COMPLETE_WHOLE : COMPLETE_GOES_ON);
}

/* ---- files --------------------------------------------------------------- */

/* ~ and ~NAME; owned, or NULL. */
static char *
untilde(struct complete *c, const char *path)
{
	const char *rest = path + strcspn(path, "/");
	char *name AEG_AUTOFREE = xmemdup0(path + 1,
	    (size_t)(rest - path) - 1);
	AEG_AUTO(names_user_done) struct names_user u = { 0 };
	const char *home;

	if (name[0] == '\0')
		home = state_get(c->sh->state, "HOME");
	else
		home = names_user_by_name(name, &u) == 0 ? u.home : NULL;
	return home != NULL ? xasprintf("%s%s", home, rest) : NULL;
}

/* The directory that the word's last component lies in; owned, or NULL. */
static char *
folder(struct complete *c)
{
	const struct line_word *w = c->word;
	char *dir AEG_AUTOFREE = xmemdup0(w->typed.data + w->value_from,
	    w->typed_base - w->value_from);
	char *home AEG_AUTOFREE = NULL;

	if (w->tilde && dir[0] == '~') {
		home = untilde(c, dir);
		return home != NULL ?
		    path_canon(state_cwd(c->sh->state), home) : NULL;
	}
	return path_canon(state_cwd(c->sh->state), dir);
}

static void
file(struct complete *c, int dir, const char *name, bool is_dir, mode_t only)
{
	if (!is_dir && (only == S_IFDIR || (only == S_IXUSR &&
	    faccessat(dir, name, X_OK, AT_EACCESS) < 0)))
		return;
	complete_name(c, name, is_dir ? "/" : "", NULL);
}

/* What links lead to may not answer: they come last, behind what was found,
 * and each behind those before it. */
static void
links(struct complete *c, int dir, const struct strv *list, mode_t only)
{
	struct stat st;
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (c->out.len > 0)
			complete_send(c);
		file(c, dir, list->v[i], fstatat(dir, list->v[i], &st, 0) ==
		    0 && S_ISDIR(st.st_mode), only);
	}
}

/* only: 0 all, S_IFDIR directories, S_IXUSR what can be run. */
static void
files(struct complete *c, mode_t only)
{
	const struct line_word *w = c->word;
	const char *begin = w->typed.data + w->typed_base;
	char *dir AEG_AUTOFREE = folder(c);
	AEG_AUTO(strv_done) struct strv later = STRV_INIT;
	DIR *d = dir != NULL ? opendir(dir) : NULL;
	const struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		const char *name = e->d_name;

		if (!text_starts(name, begin) || strcmp(name, ".") == 0 ||
		    strcmp(name, "..") == 0 ||
		    (name[0] == '.' && begin[0] != '.'))
			continue;
		if (e->d_type == DT_LNK || e->d_type == DT_UNKNOWN)
			strv_add(&later, name);
		else
			file(c, dirfd(d), name, e->d_type == DT_DIR, only);
	}
	if (d == NULL)
		return;
	links(c, dirfd(d), &later, only);
	closedir(d);
}

/* ---- commands ------------------------------------------------------------ */

static void
programs_in(struct complete *c, const char *dir)
{
	DIR *d = opendir(dir[0] != '\0' ? dir : ".");
	const struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (!text_starts(e->d_name, c->prefix) ||
		    e->d_type == DT_DIR ||
		    faccessat(dirfd(d), e->d_name, X_OK, AT_EACCESS) < 0)
			continue;
		complete_name(c, e->d_name, "", NULL);
	}
	if (d != NULL)
		closedir(d);
}

static void
names(struct complete *c, const char *const *list, const char *note)
{
	for (; *list != NULL; list++)
		if (text_starts(*list, c->prefix))
			complete_name(c, *list, "", note);
}

/* Ours say what they do. */
static void
builtins(struct complete *c)
{
	const struct turn_builtin *const *b;
	size_t i;

	for (b = shell_builtins; *b != NULL; b++)
		if (text_starts((*b)->name, c->prefix))
			complete_name(c, (*b)->name, "", tr((*b)->help));
	for (i = 0; resolve_builtin(i) != NULL; i++) {
		const char *name = resolve_builtin(i);

		for (b = shell_builtins; *b != NULL; b++)
			if (strcmp((*b)->name, name) == 0)
				break;
		if (*b == NULL && text_starts(name, c->prefix))
			complete_name(c, name, "", tr("builtin"));
	}
}

/* aegsh -o NAME=: the settings, with what they mean. */
static void
settings(struct complete *c)
{
	size_t i;

	for (i = 0; i < CONF_COUNT; i++) {
		const struct conf_row *row = conf_row((enum conf_id)i);

		if (text_starts(row->name, c->prefix))
			complete_name(c, row->name, "=", row->help);
	}
}

static void
alias_names(struct complete *c)
{
	const struct aliases *a = c->sh->aliases;
	size_t i;

	for (i = 0; a != NULL && i < a->n; i++)
		if (text_starts(a->v[i].name, c->prefix))
			complete_name(c, a->v[i].name, "", a->v[i].value);
}

static void
commands(struct complete *c)
{
	const char *path = state_get(c->sh->state, "PATH");
	char *copy AEG_AUTOFREE = NULL;
	char *rest, *dir;

	if (strchr(c->word->typed.data, '/') != NULL || c->word->tilde) {
		files(c, S_IXUSR);
		return;
	}
	/* Nothing typed: everything there is helps nobody. */
	if (c->prefix[0] == '\0')
		return;
	alias_names(c);
	builtins(c);
	names(c, reserved, tr("reserved word"));
	copy = xstrdup(path != NULL ? path : "");
	rest = copy;
	while ((dir = strsep(&rest, ":")) != NULL) {
		if (c->out.len > 0)
			complete_send(c);
		programs_in(c, dir);
	}
}

/* ---- names from elsewhere ------------------------------------------------ */

static int
variable(void *ctx, const char *name, const char *value)
{
	struct complete *c = ctx;
	const struct line_word *w = c->word;
	const char *after = w->name != SIZE_MAX && w->braces ? "}" : "";
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTO(buf_done) struct buf note = BUF_INIT;

	if (!text_starts(name, c->prefix))
		return 0;
	buf_putf(&text, "%s%s", name, after);
	if (value != NULL)
		buf_put(&note, value, strnlen(value, 40));
	buf_put(&note, "", 0);
	complete_offer(c, text.data, name, note.data, COMPLETE_GOES_ON);
	return 0;
}

struct users {
	struct complete *c;
	bool behind_tilde;
};

static int
user(void *ctx, const struct names_user *u)
{
	const struct users *all = ctx;
	const char *begin = all->c->prefix + (all->behind_tilde ? 1 : 0);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	if (!text_starts(u->name, begin))
		return 0;
	if (!all->behind_tilde) {
		complete_name(all->c, u->name, "", u->note);
		return 0;
	}
	buf_putf(&text, "~%s/", u->name);
	complete_offer(all->c, text.data, text.data, u->home,
	    COMPLETE_GOES_ON);
	return 0;
}

static void
users(struct complete *c, bool behind_tilde)
{
	struct users all = { c, behind_tilde };

	names_users(USERS_MAX, user, &all);
}

static int
job_name(void *ctx, struct job *j, char mark)
{
	struct complete *c = ctx;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTO(buf_done) struct buf note = BUF_INIT;

	(void)mark;
	buf_putf(&text, "%%%u", job_number(j));
	shell_put_job_text(&note, j);
	buf_put(&note, "", 0);
	if (text_starts(text.data, c->prefix))
		complete_offer(c, text.data, text.data, note.data,
		    COMPLETE_WHOLE);
	return 0;
}

void
complete_gather(struct complete *c, unsigned sources)
{
	if (sources & COMPLETE_COMMANDS)
		commands(c);
	if (sources & COMPLETE_VARIABLES)
		state_each(c->sh->state, variable, c);
	if (sources & COMPLETE_USERS)
		users(c, (sources & COMPLETE_TILDE) != 0);
	if (sources & COMPLETE_HOSTS)
		complete_hosts(c);
	if (sources & COMPLETE_JOBS)
		exec_each_job(turn_exec(c->sh->turn), job_name, c);
	if (sources & COMPLETE_ALIASES)
		alias_names(c);
	if (sources & COMPLETE_BUILTINS)
		builtins(c);
	if (sources & COMPLETE_SETTINGS)
		settings(c);
	if (sources & COMPLETE_CTL)
		complete_ctl(c);
	if (sources & COMPLETE_DIRS)
		files(c, S_IFDIR);
	if (sources & COMPLETE_FILES)
		files(c, 0);
}
