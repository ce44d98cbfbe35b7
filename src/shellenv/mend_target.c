/* SPDX-License-Identifier: ISC */
/*
 * Which file a line belongs in.
 *
 * bash: ~/.bashrc, and the login file has to read that; zsh: .zshrc; fish:
 * config.fish; ksh93, mksh and yash: the file of interactive shells; sh,
 * dash, ash: ~/.profile; aegsh: the login file that it imports.
 */
#include "mend_int.h"

#include <string.h>

unsigned
se_mend_sessions(const struct mend *m)
{
	switch (m->se->row->kind) {
	case SHELL_SH:
	case SHELL_DASH:
	case SHELL_ASH:
	case SHELL_AEGSH:
		return 1U << SHELLENV_LOGIN;
	case SHELL_FISH:
		return 1U << SHELLENV_LOGIN | 1U << SHELLENV_INTERACTIVE |
		    1U << SHELLENV_COMMAND;
	case SHELL_BASH:
	case SHELL_ZSH:
	case SHELL_KSH93:
	case SHELL_MKSH:
	case SHELL_YASH:
	case SHELL_NONE:
	case SHELL_TCSH:
	case SHELL_NU:
	case SHELL_OTHER:
	case SHELL_KINDS:
		break;
	}
	return 1U << SHELLENV_LOGIN | 1U << SHELLENV_INTERACTIVE;
}

static bool
reads(struct mend *m, enum shellenv_session s, const char *path)
{
	const struct session_file *files;
	size_t n;
	struct sim *sim = se_mend_follow(m, s, &files, &n);

	return se_session_reads(sim, files, n, path);
}

const char *
se_mend_target(struct mend *m)
{
	const char *rc, *login;
	bool exists;

	if (m->only != NULL)
		return m->only;
	rc = se_session_rc_file(m->se, m->se->row);
	if (m->se->row->kind != SHELL_BASH)
		return rc;
	login = se_session_login_file(m->se, m->se->row, &exists);
	/* A .bashrc that reads the login file must not be read by it: the
	 * line in the login file serves both. */
	if (exists && !reads(m, SHELLENV_LOGIN, rc) &&
	    reads(m, SHELLENV_INTERACTIVE, login))
		return login;
	return rc;
}

/* bash: the login file reads .bashrc, from now on if need be. */
int
se_mend_ensure_rc(struct mend *m, bool helper, struct err *err)
{
	struct item it = { .kind = ITEM_SOURCE, .helper = helper };
	const char *rc = se_session_rc_file(m->se, m->se->row);
	const char *login;
	struct tmpl t;
	bool exists;
	int r;

	if (reads(m, SHELLENV_LOGIN, rc))
		return 0;
	login = se_session_login_file(m->se, m->se->row, &exists);
	if (exists && reads(m, SHELLENV_INTERACTIVE, login))
		return 0;
	r = se_tmpl_parse(m->se, rc, true, &t, err);
	if (r < 0)
		return r;
	it.text = se_tmpl_posix(m->se, &t);
	return se_mend_put(m, login, &it, err);
}

int
se_mend_place(struct mend *m, const struct item *it, unsigned missing,
    struct err *err)
{
	const char *target = se_mend_target(m);
	int r;

	r = se_mend_put(m, target, it, err);
	if (r < 0 || m->only != NULL || m->se->row->kind != SHELL_BASH ||
	    (missing & (1U << SHELLENV_LOGIN)) == 0 ||
	    strcmp(target, se_session_rc_file(m->se, m->se->row)) != 0)
		return r;
	return se_mend_ensure_rc(m, true, err);
}
