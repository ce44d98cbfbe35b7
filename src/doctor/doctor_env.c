/* SPDX-License-Identifier: ISC */
/*
 * What a login by aegsh takes in: start-up files that it will not believe,
 * and, for the one who asks, what else is wrong with them.  Of the system
 * that runs alone, since rights in an image mean nothing here.
 */
#include "doctor_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"
#include "aegsh/shellenv.h"

static int
open_env(const struct doctor_account *a, struct shellenv **ret,
    struct err *err)
{
	char user[32];
	struct shellenv_opts opts = { .user = user, .home = a->home,
		.shell = "aegsh", .root = sysdirs()->system };

	snprintf(user, sizeof user, "%u", (unsigned)a->uid);
	return shellenv_open(&opts, ret, err);
}

/* As the login itself asks, of the open file and all above it. */
static void
check_file(struct doctor *d, const struct doctor_account *a, const char *path)
{
	AEG_AUTOFREE char *real = realpath(path, NULL);
	AEG_AUTOFD int fd = -1;
	struct err err = ERR_INIT;

	if (real == NULL ||
	    conf_trust_open(real, a->uid, &fd, &err) != ERR_TRUST)
		return;
	doctor_find(d, CHECK_LOGIN_FILE, doctor_printf(d, "%s", path), 0,
	    doctor_printf(d, "%s: %s", a->name, err.text));
}

/* Managed, what lies in a home is not read anyway. */
static void
check_files(struct doctor *d, const struct doctor_account *a)
{
	const char *const *files;
	struct shellenv *se = NULL;
	AEG_AUTOFREE char *home = path_canon("/", a->home);
	struct err err = ERR_INIT;
	size_t i;

	if (open_env(a, &se, &err) < 0)
		return;
	if (shellenv_login_files(se, &files, &err) == 0)
		for (i = 0; files[i] != NULL; i++)
			if (!d->opts.managed ||
			    !path_under(files[i], home))
				check_file(d, a, files[i]);
	shellenv_free(se);
}

static void
check_environment(struct doctor *d, const struct doctor_account *a)
{
	const struct shellenv_finding *f;
	struct shellenv *se = NULL;
	struct err err = ERR_INIT;
	size_t i, n;

	if (open_env(a, &se, &err) < 0)
		return;
	if (shellenv_check(se, 0, &f, &n, &err) == 0)
		for (i = 0; i < n; i++)
			/* Whether the shell is there is asked of all. */
			if (f[i].severity == SHELLENV_ERROR &&
			    strncmp(f[i].id, "shell-", 6) != 0)
				doctor_find(d, CHECK_LOGIN_ENV,
				    f[i].n_evidence > 0 &&
				    f[i].evidence[0].file != NULL ?
				    doctor_printf(d, "%s",
				    f[i].evidence[0].file) : NULL,
				    f[i].n_evidence > 0 &&
				    f[i].evidence[0].line > 0 ?
				    (unsigned)f[i].evidence[0].line : 0,
				    doctor_printf(d, "%s: %s", f[i].id,
				    f[i].what));
	shellenv_free(se);
}

void
doctor_check_env(struct doctor *d)
{
	size_t i;

	if (d->opts.root != NULL)
		return;
	for (i = 0; i < d->n_accounts && i < DOCTOR_FINDINGS_MAX; i++) {
		const struct doctor_account *a = &d->account[i];

		if (!a->ours || a->home[0] != '/')
			continue;
		check_files(d, a);
		if (a->uid == geteuid())
			check_environment(d, a);
	}
}
