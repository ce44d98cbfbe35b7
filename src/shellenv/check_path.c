/* SPDX-License-Identifier: ISC */
/* PATH, entry by entry: of a login, and of this very session. */
#include "check_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

struct problem {
	const char *kind;
	enum shellenv_severity sev;
	const char *what, *remedy;	/* %s: the entry */
	bool add;			/* mended by adding the directory */
};

static const struct problem
    p_empty = { "path-empty-entry", SHELLENV_ERROR,
	"PATH has an empty entry, which means the current directory: any "
	"directory you enter can put its programs before the system's",
	"Take the stray colon out of the line that sets PATH." },
    p_relative = { "path-relative-entry", SHELLENV_ERROR,
	"PATH has the relative entry '%s': what it finds depends on the "
	"current directory",
	"Write the entry with its full path." },
    p_tilde = { "path-tilde", SHELLENV_WARNING,
	"PATH has '%s' with a tilde that was not expanded: most programs "
	"look for a directory named ~",
	"Write $HOME instead of ~ (inside quotes ~ is not expanded).", true },
    p_cr = { "path-carriage-return", SHELLENV_ERROR,
	"the PATH entry '%s' ends in a carriage return",
	"Save the file that sets it with Unix line ends." },
    p_missing = { "path-missing-dir", SHELLENV_INFO,
	"the PATH entry %s is not there", "Take it out, or make it." },
    p_not_dir = { "path-not-directory", SHELLENV_WARNING,
	"the PATH entry %s is no directory", "Take it out of PATH." },
    p_search = { "path-not-searchable", SHELLENV_WARNING,
	"the PATH entry %s cannot be searched by this user",
	"Let the user search it (chmod +x), or take it out." },
    p_duplicate = { "path-duplicate", SHELLENV_INFO,
	"PATH has %s more than once", "Set it in one place." },
    p_world = { "path-world-writable", SHELLENV_ERROR,
	"everybody can write to the PATH entry %s and so put a program of "
	"any name before yours",
	"Take away the right of others to write to it." },
    p_foreign = { "path-foreign-owner", SHELLENV_WARNING,
	"the PATH entry %s belongs to another user, who can put a program "
	"of any name there",
	"Take it out, or give it to root or to the user." },
    p_system = { "path-no-system", SHELLENV_ERROR,
	"PATH has neither /usr/bin nor /bin: almost nothing is found",
	"Keep $PATH when adding to it." };

static struct shellenv_finding *
report(struct check *c, const struct problem *p, const char *entry,
    const char *where, const struct sim_entry *from)
{
	struct shellenv_finding *f;
	const char *subject = entry != NULL ? se_shown(c->se, entry) : NULL;

	f = se_check_has(c, p->kind, subject);
	if (f == NULL) {
		f = se_check_add(c, p->sev, p->kind, subject);
		f->what = strstr(p->what, "%s") != NULL ?
		    se_subst(c->se, p->what, subject) : p->what;
		f->remedy = p->remedy;
		if (p->add)
			se_check_fixable(c, f);
		if (from == NULL || from->file == NULL)
			se_check_evidence(c, f, NULL, 0, where);
	}
	if (from != NULL && from->file != NULL)
		se_check_evidence(c, f, from->file, from->line, NULL);
	return f;
}

static void
look_at_dir(struct check *c, const char *entry, const char *where,
    const struct sim_entry *from)
{
	struct shellenv *se = c->se;
	struct shellenv_finding *f;
	struct stat st;
	int r = se_stat(se, entry, &st);

	if (r == -ENOENT || r == -ENOTDIR) {
		report(c, &p_missing, entry, where, from);
		return;
	}
	if (r < 0) {
		report(c, &p_search, entry, where, from);
		return;
	}
	if (!S_ISDIR(st.st_mode)) {
		report(c, &p_not_dir, entry, where, from);
		return;
	}
	if (access(se_disk(se, entry), X_OK) < 0)
		report(c, &p_search, entry, where, from);
	if ((st.st_mode & S_IWOTH) != 0) {
		f = report(c, &p_world, entry, where, from);
		f->command = se_printf(se, "chmod o-w %s",
		    se_quote(se, entry));
	}
	if (st.st_uid != 0 && st.st_uid != se->uid)
		report(c, &p_foreign, entry, where, from);
}

static void
look_at(struct check *c, const char *entry, const char *where,
    const struct sim_entry *from)
{
	size_t n = strlen(entry);

	if (n == 0) {
		report(c, &p_empty, NULL, where, from);
	} else if (entry[n - 1] == '\r') {
		report(c, &p_cr, arena_memdup0(c->se->arena, entry, n - 1),
		    where, from);
	} else if (entry[0] == '~') {
		report(c, &p_tilde, entry, where, from);
	} else if (entry[0] != '/') {
		report(c, &p_relative, entry, where, from);
	} else {
		look_at_dir(c, entry, where, from);
	}
}

/* Where the files set an entry of this text, other than there. */
static const struct sim_entry *
origin(struct check *c, const char *entry, const struct sim_entry *not)
{
	struct sim *sims[2] = { c->login, c->tab };
	size_t i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < sims[i]->n_path; k++) {
			const struct sim_entry *e = &sims[i]->path[k];

			if (e->file != NULL && strcmp(e->text, entry) == 0 &&
			    (not == NULL || not->line != e->line ||
			    strcmp(not->file, e->file) != 0))
				return e;
		}
	return NULL;
}

/* The same path once . and .. are folded; /bin and /usr/bin, which are one
 * where they are merged, are no duplicates. */
static bool
same_text(const char *a, const char *b)
{
	AEG_AUTOFREE char *x = NULL, *y = NULL;

	if (a[0] != '/' || b[0] != '/')
		return strcmp(a, b) == 0;
	x = path_canon("/", a);
	y = path_canon("/", b);
	return strcmp(x, y) == 0;
}

struct entry { const char *text; const struct sim_entry *from; };

static void
look_at_all(struct check *c, const struct entry *e, size_t n,
    const char *where)
{
	bool system = n == 0;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++)
			if (e[i].text[0] != '\0' &&
			    same_text(e[k].text, e[i].text))
				break;
		if (k < i) {
			report(c, &p_duplicate, e[i].text, where, e[k].from);
			report(c, &p_duplicate, e[i].text, where, e[i].from);
			continue;
		}
		system |= strcmp(e[i].text, "/usr/bin") == 0 ||
		    strcmp(e[i].text, "/bin") == 0;
		look_at(c, e[i].text, where, e[i].from);
	}
	if (!system)
		report(c, &p_system, NULL, where, NULL);
}

static void
look_at_text(struct check *c, const char *path, const char *where)
{
	struct entry *list = NULL;
	size_t n = 0, cap = 0;

	for (;;) {
		size_t len = strcspn(path, ":");
		struct entry *e = SE_PUSH(c->se, list, n, cap);
		const struct sim_entry *before = NULL;
		size_t i;

		e->text = arena_memdup0(c->se->arena, path, len);
		for (i = 0; i + 1 < n && before == NULL; i++)
			if (strcmp(list[i].text, e->text) == 0)
				before = list[i].from;
		e->from = origin(c, e->text, before);
		path += len;
		if (*path++ == '\0' || n >= SIM_ENTRIES)
			break;
	}
	look_at_all(c, list, n, where);
}

static void
look_at_sim(struct check *c, const struct sim *s, const char *where)
{
	struct entry *list = NULL;
	size_t n = 0, cap = 0, i;

	for (i = 0; i < s->n_path; i++) {
		struct entry *e;

		if (s->path[i].unknown || s->path[i].maybe)
			continue;
		e = SE_PUSH(c->se, list, n, cap);
		e->text = s->path[i].text;
		e->from = &s->path[i];
	}
	look_at_all(c, list, n, where);
}

void
se_check_path(struct check *c)
{
	const char *now = se_getenv(c->se, "PATH");

	if (c->login_path != NULL)
		look_at_text(c, c->login_path, "PATH of a login");
	else if (c->se->row->dialect != DIALECT_NONE && !c->login->exhausted)
		look_at_sim(c, c->login, "PATH of a login");
	if (now != NULL)
		look_at_text(c, now, "PATH of this session");
	else if (c->se->own) {
		struct shellenv_finding *f = se_check_add(c, SHELLENV_WARNING,
		    "path-unset", NULL);

		f->what = "PATH is not set in this session";
		f->remedy = "Start a new login session.";
	}
}
