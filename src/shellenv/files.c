/* SPDX-License-Identifier: ISC */
/*
 * The matrix of start-up files: for a shell and a kind of session, what is
 * read on this machine, by whom, and what hides what.
 */
#include "sim_int.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

struct out {
	struct shellenv *se;
	struct shellenv_file *list;
	size_t n, cap;
};

static const char *const names[SHELLENV_SESSIONS] = {
	[SHELLENV_LOGIN] = "login", [SHELLENV_LOGIN_CMD] = "login-command",
	[SHELLENV_INTERACTIVE] = "interactive",
	[SHELLENV_COMMAND] = "command", [SHELLENV_SSH_CMD] = "ssh-command",
	[SHELLENV_SU] = "su-login", [SHELLENV_CRON] = "cron",
	[SHELLENV_DESKTOP] = "desktop",
};

const char *
shellenv_session_name(enum shellenv_session s)
{
	return s >= 0 && s < SHELLENV_SESSIONS ? names[s] : NULL;
}

static struct shellenv_file *
add(struct out *o, const char *path, const char *when, bool read)
{
	struct shellenv_file *f = SE_PUSH(o->se, o->list, o->n, o->cap);

	f->path = path;
	f->shown = se_shown(o->se, path);
	f->when = when;
	f->exists = se_exists(o->se, path);
	f->readable = access(se_disk(o->se, path), R_OK) == 0;
	f->read = read && f->exists;
	f->ends_at = SIZE_MAX;
	return f;
}

/* What PAM hands over before the shell starts. */
static void
add_pam(struct out *o, const char *service)
{
	unsigned pam = se_pam_env_of(o->se, service);
	const char *when = se_printf(o->se, "pam_env of %s", service);

	add(o, "/etc/environment", when, pam != 0);
	if ((pam & 2) != 0)
		add(o, se_tilde(o->se, "~/.pam_environment"), when, true);
}

/* sshd reads ~/.ssh/environment only where it is told to. */
static void
add_ssh(struct out *o)
{
	const char *text, *p;
	size_t len;
	bool on = false;

	if (se_read(o->se, "/etc/ssh/sshd_config", &text, &len) < 0)
		return;
	for (p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
		p += strspn(p, " \t");
		if (strncasecmp(p, "PermitUserEnvironment", 21) != 0)
			continue;
		p += 21;
		p += strspn(p, " \t=");
		on = strncasecmp(p, "no", 2) != 0;
		break;
	}
	if (on)
		add(o, se_tilde(o->se, "~/.ssh/environment"),
		    "sshd, PermitUserEnvironment", true);
}

/* Where the last reading of it was left for certain. */
static size_t
ends_at(const struct sim *sim, const char *path)
{
	size_t i, at = SIZE_MAX;

	for (i = 0; i < sim->n_events; i++) {
		const struct sim_event *e = &sim->events[i];

		if (e->what == SIM_END && !e->maybe && e->top &&
		    strcmp(e->name, "return") == 0 && e->file != NULL &&
		    strcmp(e->file, path) == 0)
			at = e->at;
	}
	return at;
}

static void
add_shell(struct out *o, const struct shell_row *row,
    enum shellenv_session session)
{
	const struct session_file *files;
	struct sim *sim;
	size_t i, k, n;

	sim = se_session_follow(o->se, row, session, NULL, 0, &files, &n);
	for (i = 0; i < n; i++) {
		struct shellenv_file *f = add(o, files[i].path,
		    files[i].when, files[i].read);

		f->shadowed_by = files[i].shadowed_by;
		f->ends_at = ends_at(sim, f->path);
		for (k = files[i].first_event; k < files[i].end_event; k++) {
			const struct sim_event *e = &sim->events[k];

			if (e->what != SIM_SOURCE)
				continue;
			f = add(o, e->value, "sourced", true);
			f->sourced_from = e->file;
			f->line = e->line;
			f->maybe = e->maybe;
			f->ends_at = ends_at(sim, f->path);
		}
	}
}

static const char *
display_manager(struct shellenv *se)
{
	static const char unit[] =
	    "/etc/systemd/system/display-manager.service";
	const char *text, *real;
	size_t len;

	if (se_read(se, "/etc/X11/default-display-manager", &text, &len) == 0)
		return path_base(arena_memdup0(se->arena, text,
		    strcspn(text, "\r\n")));
	real = se_real(se, unit);
	if (real == NULL)
		return NULL;
	return arena_memdup0(se->arena, path_base(real),
	    strcspn(path_base(real), "."));
}

static void
add_desktop(struct out *o, const struct shell_row *row)
{
	static const struct { const char *dm, *path; } table[] = {
		{ "gdm", "/etc/profile" }, { "gdm", "~/.profile" },
		{ "gdm", "/etc/xprofile" }, { "gdm", "~/.xprofile" },
		{ "lightdm", "/etc/profile" }, { "lightdm", "~/.profile" },
		{ "lightdm", "/etc/xprofile" }, { "lightdm", "~/.xprofile" },
		{ "", "~/.xsessionrc" },
	};
	const char *dm = display_manager(o->se);
	size_t i;

	if (dm == NULL)
		return;
	add_pam(o, text_starts(dm, "gdm") ? "gdm-password" : dm);
	if (text_starts(dm, "sddm")) {
		/* Its session script starts the login shell as such. */
		add_shell(o, row, SHELLENV_LOGIN_CMD);
		return;
	}
	for (i = 0; i < AEG_NELEM(table); i++)
		if (text_starts(dm, table[i].dm) || table[i].dm[0] == '\0')
			add(o, se_tilde(o->se, table[i].path),
			    se_printf(o->se, "the X session of %s", dm), true);
}

int
shellenv_files(struct shellenv *se, const char *shell,
    enum shellenv_session session, const struct shellenv_file **ret,
    size_t *ret_n, struct err *err)
{
	const struct shell_row *row = se->row;
	struct out o = { .se = se };

	if (shell != NULL)
		row = se_shell_by_name(shell, NULL);
	if (row->kind == SHELL_OTHER)
		return err_set(err, -EINVAL, "the start-up files of '%s' are "
		    "not known", shell != NULL ? shell : se->type);
	switch (session) {
	case SHELLENV_LOGIN:
		add_pam(&o, "login");
		add_shell(&o, row, session);
		break;
	case SHELLENV_SSH_CMD:
		add_pam(&o, "sshd");
		add_ssh(&o);
		add_shell(&o, row, session);
		break;
	case SHELLENV_SU:
		add_pam(&o, se_exists(se, "/etc/pam.d/su-l") ? "su-l" : "su");
		add_shell(&o, row, session);
		break;
	case SHELLENV_CRON:
		/* /bin/sh unless the table sets SHELL; it reads nothing. */
		add_pam(&o, "cron");
		add_shell(&o, se_shell_row(SHELL_SH), session);
		break;
	case SHELLENV_DESKTOP:
		add_desktop(&o, row);
		break;
	case SHELLENV_LOGIN_CMD:
	case SHELLENV_INTERACTIVE:
	case SHELLENV_COMMAND:
		add_shell(&o, row, session);
		break;
	case SHELLENV_SESSIONS:
		return err_set(err, -EINVAL, "no such session");
	}
	*ret = o.list;
	*ret_n = o.n;
	return 0;
}

int
shellenv_login_files(struct shellenv *se, const char *const **ret,
    struct err *err)
{
	const char **list = arena_alloc(se->arena, 3 * sizeof *list);
	const char *login;
	size_t n = 0;
	bool exists;

	if (se_exists(se, "/etc/profile"))
		list[n++] = se_disk(se, "/etc/profile");
	login = se_session_login_file(se, se_shell_row(SHELL_AEGSH), &exists);
	if (exists)
		list[n++] = login;
	list[n] = NULL;
	*ret = list;
	return 0;
}
