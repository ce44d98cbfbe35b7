/* SPDX-License-Identifier: ISC */
/* Each start-up file of the user as a file: readable, owned, sound. */
#include "check_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#include "block_int.h"

static struct shellenv_finding *
on_file(struct check *c, enum shellenv_severity sev, const char *kind,
    const char *path, const char *what, const char *remedy)
{
	const char *shown = se_shown(c->se, path);
	struct shellenv_finding *f;

	f = se_check_has(c, kind, shown);
	if (f == NULL) {
		f = se_check_add(c, sev, kind, shown);
		f->what = se_subst(c->se, what, shown);
		f->remedy = remedy;
	}
	return f;
}

/* False: there is nothing in it to look at. */
static bool
check_kind(struct check *c, const char *path)
{
	struct stat st, link;
	int r = se_stat(c->se, path, &st);
	bool is_link = lstat(se_disk(c->se, path), &link) == 0 &&
	    S_ISLNK(link.st_mode);

	if (r == -ENOENT && is_link)
		on_file(c, SHELLENV_WARNING, "file-dangling", path,
		    "%s is a symbolic link to what is not there",
		    "Bring back the file it points to, or remove the link.");
	else if (r == -ELOOP)
		on_file(c, SHELLENV_ERROR, "file-loop", path,
		    "%s is a symbolic link that leads back to itself",
		    "Remove the link.");
	if (r < 0)
		return false;
	if (!S_ISREG(st.st_mode)) {
		on_file(c, SHELLENV_ERROR, "file-not-regular", path,
		    S_ISDIR(st.st_mode) ? "%s is a directory" :
		    "%s is no regular file",
		    "Move it away and make a file of that name.");
		return false;
	}
	if (st.st_uid != 0 && st.st_uid != c->se->uid)
		on_file(c, SHELLENV_ERROR, "file-foreign-owner", path,
		    "%s belongs to another user, who decides what the shell "
		    "runs", "Give it to its user.");
	if ((st.st_mode & S_IWOTH) != 0) {
		struct shellenv_finding *f = on_file(c, SHELLENV_ERROR,
		    "file-world-writable", path, "everybody can write to %s "
		    "and so decide what the shell runs",
		    "Take away the right of others to write to it.");

		f->command = se_printf(c->se, "chmod o-w %s",
		    se_quote(c->se, path));
	}
	return true;
}

static void
check_content(struct check *c, const char *path)
{
	const struct shell_row *row = c->se->row;
	const char *text;
	struct shellenv_finding *f;
	struct syntax syn;
	const struct prof *p;
	size_t len;
	int r = se_read(c->se, path, &text, &len);

	if (r == -EACCES || r == -EPERM) {
		on_file(c, SHELLENV_ERROR, "file-unreadable", path,
		    "%s cannot be read by its user",
		    "Let the user read it (chmod u+r).");
		return;
	}
	if (r == ERR_TOO_LONG)
		on_file(c, SHELLENV_INFO, "file-too-long", path,
		    "%s is too long to be looked at", "Split it.");
	if (r < 0)
		return;
	if (memchr(text, '\0', len) != NULL) {
		on_file(c, SHELLENV_ERROR, "file-binary", path,
		    "%s holds a zero byte: it is no text",
		    "Bring back the right file.");
		return;
	}
	p = se_prof_parse(c->se->arena, path, text, len, row->dialect);
	if (p->crlf) {
		f = on_file(c, SHELLENV_ERROR, "crlf", path,
		    "%s has lines that end in CR LF: the shell takes the CR "
		    "for a letter", "Save it with Unix line ends.");
		se_check_evidence(c, f, path, p->crlf_line, NULL);
		se_check_fixable(c, f);
		return;
	}
	se_syntax_check(c->se, row, path, &syn);
	if (syn.bad) {
		f = on_file(c, SHELLENV_ERROR, "syntax-error", path,
		    "%s has a syntax error: the shell stops reading there",
		    "Mend that line.");
		se_check_evidence(c, f, path, syn.line, syn.text);
		f->command = se_printf(c->se, "${EDITOR:-vi} +%d %s", syn.line,
		    se_quote(c->se, path));
	}
	if (!syn.bad && p->bad_line > 0) {
		f = on_file(c, SHELLENV_INFO, "file-not-understood", path,
		    "%s is understood only up to a line; what stands below it "
		    "is not in what is said here",
		    "Nothing is wrong with the file itself.");
		se_check_evidence(c, f, path, p->bad_line, NULL);
	}
	if (se_block_damaged(text, len) > 0) {
		f = on_file(c, SHELLENV_WARNING, "block-damaged", path,
		    "%s has the first but not the last line of what aegshctl "
		    "wrote, or the other way round",
		    "Put the missing line back, or delete the other.");
		se_check_evidence(c, f, path, se_block_damaged(text, len),
		    NULL);
	}
}

static void
look_at(struct check *c, const char *path)
{
	size_t i;

	if (!path_under(path, c->se->home))
		return;
	for (i = 0; i < c->n_seen; i++)
		if (strcmp(c->seen[i], path) == 0)
			return;
	*SE_PUSH(c->se, c->seen, c->n_seen, c->cap_seen) = path;
	if (check_kind(c, path))
		check_content(c, path);
}

static void
all_of(struct check *c, const struct session_file *files, size_t n,
    const struct sim *sim)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(path_base(files[i].path), "fish_variables") != 0)
			look_at(c, files[i].path);
	for (i = 0; i < sim->n_events; i++)
		if (sim->events[i].what == SIM_SOURCE)
			look_at(c, sim->events[i].value);
}

void
se_check_files(struct check *c)
{
	if (c->se->row->dialect == DIALECT_NONE)
		return;
	all_of(c, c->login_files, c->n_login_files, c->login);
	all_of(c, c->tab_files, c->n_tab_files, c->tab);
}
