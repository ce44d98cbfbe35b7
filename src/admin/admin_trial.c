/* SPDX-License-Identifier: ISC */
/* `aegshctl doctor --sandbox`: each act that the profile forbids, tried. */
#include "admin_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/sandbox.h"

static const char *
outcome_name(enum sandbox_trial_outcome outcome)
{
	switch (outcome) {
	case SANDBOX_TRIAL_ENFORCED:
		return "enforced";
	case SANDBOX_TRIAL_NOTHING:
		return "not shown";
	case SANDBOX_TRIAL_NOT_REQUIRED:
		return "not required";
	case SANDBOX_TRIAL_ABSENT:
		break;
	}
	return "absent";
}

/* The kernel's answer, in its own words; owned. */
static char *
answer(int result)
{
	if (result == 0)
		return xstrdup("went through");
	if (result < 0)
		return xasprintf("SIG%s", sigabbrev_np(-result));
	return xstrdup(strerrorname_np(result) != NULL ?
	    strerrorname_np(result) : "unknown");
}

/* What no layer of the kernel's alone answers for. */
static const char *
layer_name(const struct sandbox_trial *t)
{
	return t->layer != 0 ? sandbox_layer_name(t->layer) : "supervisor";
}

static void
print_json(struct admin *a, const struct sandbox_trial *t)
{
	AEG_AUTOFREE char *confined = answer(t->confined);
	AEG_AUTOFREE char *unconfined = answer(t->unconfined);
	json_t *o = json_object();

	admin_json_text(o, "act", t->name);
	admin_json_text(o, "what", t->what);
	admin_json_text(o, "layer", layer_name(t));
	admin_json_text(o, "outcome", outcome_name(t->outcome));
	admin_json_text(o, "confined", confined);
	admin_json_text(o, "unconfined", unconfined);
	admin_json_print(a, o);
}

static void
print_text(struct admin *a, const struct sandbox_trial *t)
{
	bool nothing = t->outcome == SANDBOX_TRIAL_NOTHING;
	AEG_AUTOFREE char *why = nothing && t->unconfined == 0 ?
	    xstrdup("nothing to try it on") :
	    answer(nothing ? t->unconfined : t->confined);

	admin_say(a, "%-12s  %-14s  %-16s  %s (%s)\n",
	    outcome_name(t->outcome), layer_name(t), t->name, t->what, why);
}

static int
try_all(const struct sandbox_profile *p, struct sandbox_trial **ret,
    size_t *ret_n, struct err *err)
{
	int rc = sandbox_try(p, ret, ret_n, err);

	if (rc < 0 || !sandbox_lists_sockets(p))
		return rc;
	*ret = xreallocarray(*ret, *ret_n + ADMIN_SOCKET_TRIALS,
	    sizeof **ret);
	rc = admin_try_sockets(p, *ret + *ret_n, err);
	*ret_n += ADMIN_SOCKET_TRIALS;
	return rc;
}

int
admin_trial(struct admin *a, const char *name, bool json)
{
	AEG_AUTOFREE struct sandbox_trial *list = NULL;
	AEG_AUTOFREE char *limits = NULL;
	struct sandbox_profile *p = NULL;
	struct err err = ERR_INIT;
	int rc, status = ADMIN_OK;
	size_t i, n = 0, enforced = 0, absent = 0;

	if (admin_sandbox(a, name, &p, &err) < 0)
		return admin_fail(a, &err);
	rc = try_all(p, &list, &n, &err);
	if (rc < 0) {
		sandbox_profile_free(p);
		return admin_fail(a, &err);
	}
	for (i = 0; i < n; i++) {
		if (json)
			print_json(a, &list[i]);
		else
			print_text(a, &list[i]);
		enforced += list[i].outcome == SANDBOX_TRIAL_ENFORCED;
		absent += list[i].outcome == SANDBOX_TRIAL_ABSENT;
	}
	if (absent > 0)
		status = ADMIN_NO;
	limits = admin_limits_text(p);
	if (!json)
		admin_say(a, "limits of a line are %s\n", limits);
	if (!json)
		admin_say(a, "%s: %zu acts tried, %zu enforced, %zu absent\n",
		    sandbox_profile_name(p), n, enforced, absent);
	sandbox_profile_free(p);
	return status;
}
