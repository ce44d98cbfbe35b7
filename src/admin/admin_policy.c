/* SPDX-License-Identifier: ISC */
/* The policy and the sandbox that a verb looks at. */
#include <stdlib.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

int
admin_policy(struct admin *a, const char *profile, struct policy **ret,
    struct err *err)
{
	int rc = admin_conf(a, err);

	if (rc < 0)
		return rc;
	/* No cache: the shell alone writes it. */
	return policy_load(profile != NULL ? profile :
	    conf_str(a->conf, CONF_PROFILE), NULL, ret, err);
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
	};

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
	if (conf_layer_file(a->conf, CONF_USER) != NULL) {
		conf_user = path_canon(conf_layer_file(a->conf, CONF_USER),
		    "..");
		vars.conf_user = conf_user;
	}
	return sandbox_load(name, &vars, ret, err);
}
