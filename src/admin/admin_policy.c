/* SPDX-License-Identifier: ISC */
/* The policy and the sandbox that a verb looks at. */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

/* Directory of the user's own settings, or NULL; owned. */
static char *
settings_place(const struct admin *a)
{
	const char *file = conf_layer_file(a->conf, CONF_USER);

	return file != NULL ? path_canon(file, "..") : NULL;
}

/* Of the caller the kernel knows them; of whom he speaks, group(5). */
static int
groups_of(const struct admin *a, gid_t **ret, size_t *ret_n, struct err *err)
{
	int n = a->posed ? 0 : getgroups(0, NULL);
	gid_t *v;

	if (a->posed && getgrouplist(a->user, a->gid, NULL, &n) >= 0)
		n = 1;
	if (n < 0)
		return err_sys(err, errno, "groups");
	v = xreallocarray(NULL, (size_t)n + 1, sizeof *v);
	if (a->posed ? getgrouplist(a->user, a->gid, v, &n) < 0 :
	    (n = getgroups(n, v)) < 0) {
		free(v);
		return err_sys(err, errno, "groups of %s", a->user);
	}
	if (!a->posed)
		v[n++] = getegid();
	*ret = v;
	*ret_n = (size_t)n;
	return 0;
}

static int
blame(struct err *err, int code)
{
	if (err != NULL)
		err->code = code;
	return code;
}

static int
choose(struct admin *a, const struct admin_session *s, struct policy *p,
    struct policy_choice *ret, struct err *err)
{
	AEG_AUTOFREE gid_t *groups = NULL;
	char host[256] = "";
	struct policy_who who = {
		.user = a->user,
		.host = host,
		.origin = s->origin == POLICY_ORIGIN_LOGIN ?
		    POLICY_ORIGIN_PROMPT : s->origin,
		.login = s->origin == POLICY_ORIGIN_LOGIN,
	};
	const struct policy_wish wish = {
		.configured = conf_str(a->conf, CONF_PROFILE),
		.file = conf_origin_file(a->conf, CONF_PROFILE),
		.line = conf_origin_line(a->conf, CONF_PROFILE),
		.own = conf_origin(a->conf, CONF_PROFILE) >= CONF_USER,
	};
	int rc;

	if (gethostname(host, sizeof host - 1) < 0)
		host[0] = '\0';
	rc = groups_of(a, &groups, &who.n_groups, err);
	who.groups = groups;
	return rc < 0 ? rc : policy_choose(p, &who, &wish, ret, err);
}

/* Directory of the rules that the user may add, or NULL; owned. */
char *
admin_policy_own(const struct admin *a)
{
	AEG_AUTOFREE char *place = settings_place(a);

	if (place == NULL || a->uid == 0 ||
	    a->uid == sysdirs()->operator_uid)
		return NULL;
	return xasprintf("%s/policy.d", place);
}

int
admin_policy_session(struct admin *a, const struct admin_session *s,
    struct policy **ret, struct policy_choice *ret_choice, struct strv *notes,
    struct err *err)
{
	AEG_AUTOFREE char *dir = NULL;
	struct policy_user *user = NULL;
	struct policy *p = NULL;
	int rc = admin_conf(a, err);

	if (rc < 0)
		return rc;
	dir = admin_policy_own(a);
	/* No cache: the shell alone writes it. */
	rc = policy_load_session(NULL, dir, a->uid, false, &p, &user, notes,
	    err);
	policy_user_free(user);
	if (rc < 0)
		return rc;
	rc = s->profile != NULL ? policy_select(p, s->profile, err) :
	    choose(a, s, p, ret_choice, err);
	/* The name came with the call, not from a file. */
	if (rc == ERR_UNKNOWN_NAME && s->profile != NULL)
		rc = blame(err, ERR_CALLER);
	if (rc == 0 && ret_choice->note[0] != '\0')
		strv_add(notes, ret_choice->note);
	if (rc < 0)
		policy_free(p);
	else
		*ret = p;
	return rc;
}

int
admin_policy(struct admin *a, const char *profile, struct policy **ret,
    struct err *err)
{
	const struct admin_session s = { profile, POLICY_ORIGIN_PROMPT };
	struct policy_choice choice = { .block = NULL };
	struct strv notes = STRV_INIT;
	int rc = admin_policy_session(a, &s, ret, &choice, &notes, err);

	strv_done(&notes);
	return rc;
}

static char *
sandbox_of_policy(struct admin *a, struct err *err)
{
	struct policy *p = NULL;
	char *name;

	if (admin_policy(a, NULL, &p, err) < 0)
		return NULL;
	name = xstrdup(policy_sandbox(p));
	policy_free(p);
	return name;
}

int
admin_sandbox(struct admin *a, const char *name, struct sandbox_profile **ret,
    struct err *err)
{
	AEG_AUTOFREE char *cwd = getcwd(NULL, 0), *own = NULL, *store = NULL;
	AEG_AUTOFREE char *conf_user = NULL;
	struct sandbox_vars vars = {
		.uid = a->uid,
		.home = a->home,
		.project = cwd,
		.tmpdir = getenv("TMPDIR"),
		.agent = getenv("SSH_AUTH_SOCK"),
	};
	int rc;

	if (name == NULL) {
		own = sandbox_of_policy(a, err);
		if (own == NULL)
			return err != NULL ? err->code : -1;
		name = own;
	}
	if (audit_place(a->uid, false, &store, NULL) == 0)
		vars.store = store;
	if (admin_conf(a, err) < 0)
		return err != NULL ? err->code : -1;
	conf_user = settings_place(a);
	vars.conf_user = conf_user;
	rc = sandbox_load(name, &vars, ret, err);
	/* The name came from a file, not with the call. */
	return rc == ERR_CALLER && own != NULL ? blame(err, ERR_UNKNOWN_NAME) :
	    rc;
}
