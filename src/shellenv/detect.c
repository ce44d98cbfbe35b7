/* SPDX-License-Identifier: ISC */
/* The record: which shell, its version, its files, its PATH. */
#include "sim_int.h"

#include <string.h>

/* The same entries, whatever their order and number. */
static bool
covers(struct shellenv *se, const char *a, const char *b)
{
	for (; *a != '\0'; a += *a == ':') {
		size_t n = strcspn(a, ":");
		const char *p = b;
		bool found = false;

		for (; !found && *p != '\0'; p += *p == ':') {
			size_t m = strcspn(p, ":");

			found = n == m && strncmp(a, p, n) == 0;
			p += m;
		}
		if (!found)
			return false;
		a += n;
	}
	return true;
}

static void
add_probes(struct shellenv *se, struct shellenv_record *r)
{
	struct probe_path login, plain;

	se_probe_path(se, PROBE_LOGIN, &login);
	se_probe_path(se, PROBE_PLAIN, &plain);
	r->path_login = login.path;
	r->path_nonlogin = plain.path;
	if (login.path != NULL && plain.path != NULL)
		r->path_healthy = covers(se, login.path, plain.path) &&
		    covers(se, plain.path, login.path);
	else if (se->shell_real != NULL && se->row->dialect != DIALECT_NONE)
		r->path_healthy = 0;	/* a shell that cannot say is not */
	if (login.path == NULL)
		r->probe_note = se_printf(se, "login shell: %s", login.why);
	else if (plain.path == NULL)
		r->probe_note = se_printf(se, "shell: %s", plain.why);
	if (plain.path != NULL && plain.cannot_cd && !r->restricted) {
		r->restricted = true;
		r->restricted_why = "it refuses to change directory";
	}
}

int
shellenv_detect(struct shellenv *se, int flags,
    const struct shellenv_record **ret, struct err *err)
{
	struct shellenv_record *r = arena_alloc(se->arena, sizeof *r);
	struct running run;
	const char *path;
	bool exists;

	se_running_find(se, &run);
	r->type = se->type;
	r->type_source = se->type_source;
	r->version = se_version_find(se, &r->version_source);
	path = se_session_login_file(se, se->row, &exists);
	r->login_profile = path != NULL ? se_shown(se, path) : NULL;
	path = se_session_rc_file(se, se->row);
	r->rc_file = path != NULL ? se_shown(se, path) : NULL;
	r->path_healthy = -1;
	r->restricted_why = se_restricted_why(se, &run);
	r->restricted = r->restricted_why != NULL;
	r->user = se->user;
	r->uid = se->uid;
	r->home = se->home;
	r->shell_path = se->shell_path;
	r->shell_real = se->shell_real;
	r->shell_env = se_getenv(se, "SHELL");
	r->platform_shell = se_platform_shell(se);
	r->running_type = run.type;
	r->running_path = run.path;
	r->running_pid = run.pid;
	r->running_login = run.login;
	r->mendable = se->row->mendable && !r->restricted;
	r->confined = se_probe_confinement();
	if ((flags & SHELLENV_PROBE) != 0)
		add_probes(se, r);
	*ret = r;
	return 0;
}
