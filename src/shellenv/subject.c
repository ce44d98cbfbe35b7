/* SPDX-License-Identifier: ISC */
/* Who it is about: the user, the home, the login shell, the environment. */
#include "shellenv_int.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define PASSWD_LINES 100000			/* of a file below a root */

static void
take_user(struct shellenv *se, uid_t uid, gid_t gid, const char *name,
    const char *home, const char *shell)
{
	se->known = true;
	se->uid = uid;
	se->gid = gid;
	se->user = se_strdup(se, name);
	se->pw_home = se_strdup(se, home);
	se->pw_shell = se_strdup(se, shell);
}

/* From the passwd file below the root; name NULL: by uid. */
static int
passwd_below_root(struct shellenv *se, const char *name, uid_t uid)
{
	FILE *f = fopen(se_disk(se, "/etc/passwd"), "re");
	struct passwd *pw;
	int i, ret = -ENOENT;

	for (i = 0; f != NULL && i < PASSWD_LINES; i++) {
		pw = fgetpwent(f);
		if (pw == NULL)
			break;
		if (name != NULL ? strcmp(pw->pw_name, name) != 0 :
		    pw->pw_uid != uid)
			continue;
		take_user(se, pw->pw_uid, pw->pw_gid, pw->pw_name,
		    pw->pw_dir, pw->pw_shell);
		ret = 0;
		break;
	}
	if (f != NULL)
		fclose(f);
	return ret;
}

/* -ENOENT: nobody knows the user.  name NULL: by uid. */
static int
passwd_find(struct shellenv *se, const char *name, uid_t uid)
{
	AEG_AUTO(names_user_done) struct names_user u = { 0 };
	int rc;

	if (se->root[0] != '\0')
		return passwd_below_root(se, name, uid);
	rc = name != NULL ? names_user_by_name(name, &u) :
	    names_user_by_uid(uid, &u);
	if (rc == 0)
		take_user(se, u.uid, u.gid, u.name, u.home, u.shell);
	return rc;
}

/* For root: who asked for it, by what sudo, pkexec and doas leave.  False:
 * nobody did.  Trusting these is safe: they can only lead away from root. */
static bool
invoking_user(struct shellenv *se, uid_t *ret_uid, const char **ret_name)
{
	static const char *const vars[] = { "SUDO_UID", "PKEXEC_UID" };
	const char *v;
	int64_t id;
	size_t i;

	*ret_name = NULL;
	for (i = 0; i < AEG_NELEM(vars); i++) {
		v = se_getenv(se, vars[i]);
		if (v == NULL || text_to_i64(v, 0, UINT32_MAX - 1, &id) < 0)
			continue;
		*ret_uid = (uid_t)id;
		return true;
	}
	v = se_getenv(se, "DOAS_USER");
	if (v == NULL || v[0] == '\0')
		return false;
	*ret_name = se_strdup(se, v);
	return true;
}

static int
find_user(struct shellenv *se, const char *want, struct err *err)
{
	uid_t uid = geteuid();
	const char *name = want;
	bool asked = want != NULL;
	int64_t id;

	se->own = true;		/* until it is somebody else */
	if (want != NULL && text_to_i64(want, 0, UINT32_MAX - 1, &id) == 0) {
		name = NULL;
		uid = (uid_t)id;
	} else if (want == NULL && uid == 0) {
		asked = invoking_user(se, &uid, &name);
	}
	se->uid = uid;
	se->gid = getegid();
	if (passwd_find(se, name, uid) < 0) {
		if (want != NULL && (name != NULL || uid != geteuid()))
			return err_set(err, ERR_CALLER, "no user '%s'", want);
		if (name != NULL)
			return err_set(err, ERR_CALLER, "no user '%s', whom "
			    "DOAS_USER names; --user names another", name);
		if (asked && uid != geteuid())
			return err_set(err, ERR_CALLER, "no user with the uid "
			    "%u, whom SUDO_UID or PKEXEC_UID names; --user "
			    "names another", (unsigned)uid);
	}
	se->own = se->uid == geteuid();
	return 0;
}

static void
find_home(struct shellenv *se, const char *want)
{
	const char *env = se_getenv(se, "HOME");
	AEG_AUTOFREE char *canon = NULL;

	if (want == NULL && env != NULL && env[0] == '/') {
		want = env;
		se->home_env = true;
	}
	if (want == NULL)
		want = se->pw_home;
	if (want == NULL || want[0] != '/')
		want = "/";
	canon = path_canon("/", want);
	se->home = se_strdup(se, canon);
}

/* ksh is a name that several shells answer to. */
static const struct shell_row *
row_of(struct shellenv *se, const char *path, const char *real)
{
	const struct shell_row *row;

	row = se_shell_by_name(path, &se->restricted_name);
	if (row->kind == SHELL_KSH93 && real != NULL) {
		const struct shell_row *r = se_shell_by_name(real, NULL);

		if (r->kind == SHELL_MKSH)
			return r;
	}
	return row;
}

static void
find_shell(struct shellenv *se, const char *want)
{
	const char *path = want, *env = se_getenv(se, "SHELL");

	se->type_source = "option";
	if (path == NULL && se->pw_shell != NULL && se->pw_shell[0] != '\0') {
		path = se->pw_shell;
		se->type_source = "passwd";
	}
	if (path == NULL && env != NULL && env[0] != '\0') {
		path = env;
		se->type_source = "$SHELL";
	}
	if (path == NULL) {
		path = "/bin/sh";
		se->type_source = "fallback";
	}
	se->shell_path = se_program(se, path);
	/* Where there is no link to it, busybox is asked by name. */
	if (se->shell_path == NULL && strcmp(path, "ash") == 0)
		se->shell_path = se_program(se, "busybox");
	se->shell_real = se->shell_path != NULL ?
	    se_real(se, se->shell_path) : NULL;
	if (se->shell_path == NULL && path[0] == '/')
		se->shell_path = se_strdup(se, path);
	se->row = row_of(se, path, se->shell_real);
	se->type = se->row->kind == SHELL_OTHER ||
	    se->row->kind == SHELL_NONE ? se_strdup(se, path_base(path)) :
	    se->row->name;
}

int
shellenv_open(const struct shellenv_opts *opts, struct shellenv **ret,
    struct err *err)
{
	static const struct shellenv_opts none;
	struct arena *arena = arena_new();
	struct shellenv *se = arena_alloc(arena, sizeof *se);
	char *const *env;
	int r;

	if (opts == NULL)
		opts = &none;
	se->arena = arena;
	se->root = se_strdup(se, opts->root != NULL ? opts->root : "");
	for (env = opts->env != NULL ? opts->env : environ;
	    env != NULL && *env != NULL; env++)
		strv_add(&se->env, *env);
	se->home = "/";
	r = find_user(se, opts->user, err);
	if (r < 0) {
		shellenv_free(se);
		return r;
	}
	if (se->user == NULL)
		se->user = se_printf(se, "%u", (unsigned)se->uid);
	find_home(se, opts->home);
	find_shell(se, opts->shell);
	*ret = se;
	return 0;
}

void
shellenv_free(struct shellenv *se)
{
	if (se == NULL)
		return;
	strv_done(&se->env);
	arena_free(se->arena);
}
