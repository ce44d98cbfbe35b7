/* SPDX-License-Identifier: ISC */
/* Names in settings and rules that lead nowhere: a session would find out,
 * and not start. */
#include "doctor_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/audit.h"
#include "aegsh/base/names.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

static struct conf *
settings(struct doctor *d)
{
	AEG_AUTO(names_user_done) struct names_user u = { 0 };
	const char *home = sysdirs()->home;
	struct conf *c = NULL;
	struct err err = ERR_INIT;

	if (home == NULL && names_user_by_uid(getuid(), &u) == 0)
		home = u.home;
	if (conf_load(getuid(), home, NULL, &c, &err) == 0)
		return c;
	doctor_find(d, CHECK_SETTINGS, NULL, 0, doctor_printf(d, "%s",
	    err.text));
	return NULL;
}

/* The profile of a session; "": nobody knows. */
static const char *
profile_of(const struct doctor *d, const struct conf *c)
{
	if (d->opts.profile != NULL)
		return d->opts.profile;
	return c != NULL ? conf_str(c, CONF_PROFILE) : "";
}

static void
check_profile(struct doctor *d, const struct conf *c, struct policy *p)
{
	const char *name = profile_of(d, c);
	const char *file = d->opts.profile != NULL ? NULL :
	    conf_origin_file(c, CONF_PROFILE);
	struct err err = ERR_INIT;

	if (policy_select(p, name, &err) == 0)
		return;
	doctor_find(d, CHECK_PROFILE, file != NULL ? doctor_printf(d, "%s",
	    file) : NULL, file != NULL ? conf_origin_line(c, CONF_PROFILE) : 0,
	    doctor_printf(d, "profile = %s", name));
}

/* "admin dev", "kiosk=block": words that begin with a profile's name. */
static void
check_list(struct doctor *d, const struct conf *c, enum conf_id id,
    struct policy *p)
{
	const char *word = conf_str(c, id), *file = conf_origin_file(c, id);
	struct err err = ERR_INIT;
	size_t len;

	for (; *word != '\0'; word += len) {
		AEG_AUTOFREE char *name = NULL;

		word += strspn(word, " \t,");
		len = strcspn(word, " \t,");
		if (len == 0)
			return;
		name = xmemdup0(word, len);
		name[strcspn(name, "=")] = '\0';
		if (policy_select(p, name, &err) < 0)
			doctor_find(d, CHECK_PROFILE_LIST, file != NULL ?
			    doctor_printf(d, "%s", file) : NULL,
			    conf_origin_line(c, id), doctor_printf(d,
			    "%s: %s", conf_row(id)->name, name));
	}
}

static int
check_sandbox(void *ctx, const char *profile, const char *sandbox,
    const char *file, unsigned line)
{
	struct doctor *d = ctx;
	struct err err = ERR_INIT;

	if (sandbox_there(sandbox, &err) < 0)
		doctor_find(d, CHECK_SANDBOX, doctor_printf(d, "%s", file),
		    line, doctor_printf(d, "profile '%s': %s", profile,
		    err.text));
	return 0;
}

static void
check_helper(struct doctor *d, const char *name)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", sysdirs()->libexec, name);
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (st.st_mode & 0111) == 0)
		doctor_find(d, CHECK_ELEVATE, doctor_printf(d, "%s", path), 0,
		    "it is not there");
	else if ((st.st_uid != 0 && st.st_uid != sysdirs()->operator_uid) ||
	    (st.st_mode & 022) != 0)
		doctor_find(d, CHECK_ELEVATE, doctor_printf(d, "%s", path), 0,
		    "others than root can change it");
}

static void
check_elevate(struct doctor *d, const struct conf *c, const struct policy *p)
{
	bool confined = false;

	if (!policy_any_elevates(p, profile_of(d, c), &confined))
		return;
	check_helper(d, "aegsh-elevate");
	check_helper(d, "aegsh-edit");
	if (!confined)
		return;
	check_helper(d, "aegsh-confine");
	doctor_find(d, CHECK_CONFINED, doctor_printf(d, "%s/aegsh-confine",
	    sysdirs()->libexec), 0, NULL);
}

/* An ordinary user may not even ask the kernel: that matters where nobody
 * else is told. */
static void
check_witness(struct doctor *d, const struct conf *c)
{
	const char *file = conf_origin_file(c, CONF_WITNESS);
	unsigned all = 0, bit;

	if (audit_witness_parse(conf_str(c, CONF_WITNESS), &all) < 0)
		return;
	for (bit = 1; bit != 0 && bit <= all; bit <<= 1) {
		struct err err = ERR_INIT;

		if ((all & bit) != 0 && audit_witness_probe(bit, &err) < 0 &&
		    (err.code != -EPERM || all == bit || geteuid() == 0))
			doctor_find(d, CHECK_WITNESS, file != NULL ?
			    doctor_printf(d, "%s", file) : NULL,
			    conf_origin_line(c, CONF_WITNESS),
			    doctor_printf(d, "%s", err.text));
	}
}

void
doctor_check_rules(struct doctor *d)
{
	struct conf *c = settings(d);
	struct policy *p = NULL;
	struct err err = ERR_INIT;

	if (policy_load(NULL, NULL, &p, &err) < 0) {
		doctor_find(d, CHECK_RULES, NULL, 0, doctor_printf(d, "%s",
		    err.text));
	} else {
		policy_each_sandbox(p, check_sandbox, d);
		check_elevate(d, c, p);
		if (c != NULL) {
			check_profile(d, c, p);
			check_list(d, c, CONF_ASK_ALLOWED, p);
			check_list(d, c, CONF_FAIL_PROFILES, p);
		}
		policy_free(p);
	}
	if (c != NULL)
		check_witness(d, c);
	conf_free(c);
}
