/* SPDX-License-Identifier: ISC */
/* The account itself: home, login shell, $SHELL, what confines it. */
#include "check_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/path.h"

static void
check_home(struct check *c)
{
	struct shellenv *se = c->se;
	struct shellenv_finding *f;
	struct stat st;

	if (se_stat(se, se->home, &st) < 0 || !S_ISDIR(st.st_mode)) {
		f = se_check_add(c, SHELLENV_ERROR, "home-missing", NULL);
		f->what = se_printf(se, "the home %s is not there", se->home);
		f->remedy = "Make it, or correct the account.";
		return;
	}
	if (st.st_uid != se->uid && !(se->uid == 0 && st.st_uid == 0)) {
		f = se_check_add(c, SHELLENV_ERROR, "home-foreign-owner", NULL);
		f->what = se_printf(se, "the home %s belongs to uid %u, not to "
		    "%s", se->home, (unsigned)st.st_uid, se->user);
		f->remedy = "Its files are not edited; give it to the user.";
	}
	if ((st.st_mode & S_IWOTH) != 0) {
		f = se_check_add(c, SHELLENV_ERROR, "home-world-writable",
		    NULL);
		f->what = se_printf(se, "everybody can write to the home %s",
		    se->home);
		f->remedy = "Take away the right of others to write to it.";
		f->command = se_printf(se, "chmod o-w %s",
		    se_quote(se, se->home));
	}
	if (se->home_env && se->pw_home != NULL) {
		AEG_AUTOFREE char *canon = path_canon("/", se->pw_home);

		if (strcmp(canon, se->home) == 0)
			return;
		f = se_check_add(c, SHELLENV_INFO, "home-differs", NULL);
		f->what = se_printf(se, "HOME is %s, and a login would have %s",
		    se->home, se->pw_home);
		f->remedy = "What is found and mended here is below HOME.";
	}
}

/* A line of /etc/shells. */
static bool
is_listed(struct shellenv *se, const char *shell)
{
	const char *text, *p;
	size_t len, n = strlen(shell);

	if (se_read(se, "/etc/shells", &text, &len) < 0)
		return true;	/* no such list, no such rule */
	for (p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, shell, n) == 0 &&
		    (p[n] == '\n' || p[n] == '\0' || p[n] == '\r'))
			return true;
	return false;
}

static void
check_shell(struct check *c)
{
	struct shellenv *se = c->se;
	const char *env = se_getenv(se, "SHELL");
	struct shellenv_finding *f;

	if (se->shell_real == NULL) {
		f = se_check_add(c, SHELLENV_ERROR, "shell-missing", NULL);
		f->what = se_printf(se, "the shell %s is not there or no "
		    "program", se->shell_path != NULL ? se->shell_path :
		    se->type);
		f->remedy = "Choose one of /etc/shells.";
		f->command = "chsh -s /bin/sh";
	} else if (strcmp(se->type_source, "passwd") == 0 &&
	    se->row->kind != SHELL_NONE && !is_listed(se, se->shell_path)) {
		f = se_check_add(c, SHELLENV_WARNING, "shell-not-listed", NULL);
		f->what = se_printf(se, "the login shell %s is not in "
		    "/etc/shells: ftp, some display managers and chsh refuse "
		    "it", se->shell_path);
		f->remedy = "The system's owner adds it to /etc/shells.";
	}
	if (se->row->kind == SHELL_NONE) {
		f = se_check_add(c, SHELLENV_INFO, "shell-none", NULL);
		f->what = se_printf(se, "the account has no shell (%s)",
		    se->shell_path != NULL ? se->shell_path : se->type);
		f->remedy = "Nothing is edited for it unless --shell names "
		    "one.";
	}
	if (env != NULL && env[0] != '\0' && se->pw_shell != NULL &&
	    se->pw_shell[0] != '\0' && strcmp(se->type_source, "passwd") == 0 &&
	    se_shell_by_name(env, NULL) !=
	    se_shell_by_name(se->pw_shell, NULL)) {
		f = se_check_add(c, SHELLENV_WARNING, "shell-variable-differs",
		    NULL);
		f->what = se_printf(se, "SHELL says %s, and the login shell "
		    "is %s", env, se->pw_shell);
		f->remedy = "After chsh a new login sets it; here the login "
		    "shell counts.";
		se_check_evidence(c, f, NULL, 0,
		    se_printf(se, "SHELL=%s", env));
	}
}

static void
check_held(struct check *c)
{
	const struct shellenv_confinement *list;
	struct shellenv_finding *f;
	struct running run;
	const char *why;
	size_t i, n;

	se_running_find(c->se, &run);
	why = se_restricted_why(c->se, &run);
	if (why == NULL && c->login_path != NULL && c->login_probe.cannot_cd)
		why = "a login refuses to change directory";
	if (why != NULL) {
		f = se_check_add(c, SHELLENV_WARNING, "shell-restricted", NULL);
		f->what = se_printf(c->se, "Running in a restricted shell "
		    "(%s): some operations may fail", why);
		f->remedy = "Files are not edited; only system packages, "
		    "installed by an administrator, will do.";
	}
	if (shellenv_confinements(c->se, &list, &n, NULL) < 0)
		return;
	for (i = 0; i < n; i++) {
		if (list[i].present != 1 ||
		    list[i].profile_write != SHELLENV_CAN_NOT)
			continue;
		f = se_check_add(c, SHELLENV_WARNING, "confined", list[i].id);
		f->what = se_printf(c->se, "this process is confined by "
		    "%s%s%s: start-up files cannot be edited from here",
		    list[i].id,
		    list[i].mode != NULL ? ", " : "",
		    list[i].mode != NULL ? list[i].mode : "");
		f->remedy = "Run it outside.";
		se_check_evidence(c, f, NULL, 0, list[i].evidence);
	}
}

static void
check_start(struct check *c)
{
	const struct probe_path *p = &c->login_probe;
	struct shellenv_finding *f;

	if (!c->probed || p->path != NULL)
		return;
	f = se_check_add(c, SHELLENV_ERROR, p->timed_out ? "login-hangs" :
	    "login-fails", NULL);
	f->what = se_printf(c->se, "a login with %s does not work: %s",
	    c->se->type, p->why);
	f->remedy = p->timed_out ? "Find what waits in the start-up files; "
	    "a question belongs behind a test for a terminal." :
	    "Find the line in the start-up files that ends it.";
}

void
se_check_subject(struct check *c)
{
	check_home(c);
	check_shell(c);
	check_held(c);
	check_start(c);
}
