/* SPDX-License-Identifier: ISC */
/* Findings that can be mended from here, each by its kind. */
#include "mend_int.h"

#include <string.h>

#include "aegsh/base/text.h"

static int
fix_dir(struct mend *m, const char *subject, struct err *err)
{
	return se_mend_path_add(m, subject, err);
}

static int
fix_tool(struct mend *m, const char *subject, struct err *err)
{
	struct method_dir *dirs;
	size_t i, n;

	se_methods_find(m->se, &dirs, &n);
	for (i = 0; i < n; i++)
		if (strcmp(dirs[i].method->name, subject) == 0)
			return se_mend_path_add(m, dirs[i].dir, err);
	return err_set(err, ERR_UNKNOWN_NAME, "nothing of %s is installed",
	    subject);
}

static int
fix_rc(struct mend *m, const char *subject, struct err *err)
{
	return se_mend_ensure_rc(m, false, err);
}

/* The login file that hides another reads it. */
static int
fix_shadowed(struct mend *m, const char *subject, struct err *err)
{
	struct item it = { .kind = ITEM_SOURCE };
	const char *login;
	struct tmpl t;
	bool exists;
	int r = se_tmpl_parse(m->se, subject, true, &t, err);

	if (r < 0)
		return r;
	login = se_session_login_file(m->se, m->se->row, &exists);
	it.text = se_tmpl_posix(m->se, &t);
	return se_mend_put(m, login, &it, err);
}

static int
fix_crlf(struct mend *m, const char *subject, struct err *err)
{
	struct mend_file *f;
	char *to;
	size_t i, n = 0;
	int r = se_mend_open(m, se_tilde(m->se, subject), &f, err);

	if (r < 0)
		return r;
	if (f->text == NULL)
		return 0;
	to = arena_alloc(m->se->arena, f->len + 1);
	for (i = 0; i < f->len; i++)
		if (!(f->text[i] == '\r' && i + 1 < f->len &&
		    f->text[i + 1] == '\n') &&
		    !(f->text[i] == '\r' && i + 1 == f->len))
			to[n++] = f->text[i];
	f->text = to;
	f->len = n;
	return 0;
}

static const struct {
	const char *kind;
	int (*fix)(struct mend *m, const char *subject, struct err *err);
} table[] = {
	{ "tool-unreachable", fix_tool }, { "wrong-shell", fix_dir },
	{ "path-tilde", fix_dir }, { "login-differs", fix_dir },
	{ "rc-not-sourced", fix_rc }, { "profile-shadowed", fix_shadowed },
	{ "crlf", fix_crlf },
};

int
se_mend_fix(struct mend *m, const char *id, struct err *err)
{
	const struct shellenv_finding *list, *f = NULL;
	size_t i, n, len = strcspn(id, ":");
	const char *subject = id[len] == ':' ? id + len + 1 : "";
	int r = shellenv_check(m->se, 0, &list, &n, err);

	if (r < 0)
		return r;
	for (i = 0; i < n && f == NULL; i++)
		if (strcmp(list[i].id, id) == 0)
			f = &list[i];
	for (i = 0; i < AEG_NELEM(table); i++)
		if (strlen(table[i].kind) == len &&
		    strncmp(table[i].kind, id, len) == 0)
			break;
	if (f == NULL && i == AEG_NELEM(table))
		return err_set(err, ERR_UNKNOWN_NAME, "no finding '%s'", id);
	if (f == NULL) {
		se_mend_note(m, "there is no finding '%s' now", id);
		return 0;
	}
	if (f->fixable && i < AEG_NELEM(table))
		return table[i].fix(m, subject, err);
	return err_set(err, ERR_REFUSED, "%s is not mended from here. %s", id,
	    f->remedy);
}
