/* SPDX-License-Identifier: ISC */
/*
 * The rules of a session: the operator's, which are looked at again before
 * each line, and the user's own, which stay as they were at the start: a
 * line could otherwise change what the next one is judged by.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "turn/turn_int.h"

#define GROUPS_MAX 65536	/* NGROUPS_MAX of the kernel */

enum policy_origin
turn_policy_origin(enum line_origin o)
{
	switch (o) {
	case LINE_ORIGIN_UNKNOWN:
		return POLICY_ORIGIN_UNKNOWN;
	case LINE_PROMPT:
		return POLICY_ORIGIN_PROMPT;
	case LINE_COMMAND:
		return POLICY_ORIGIN_COMMAND;
	case LINE_FORCED:
		return POLICY_ORIGIN_FORCED;
	case LINE_SCRIPT:
		return POLICY_ORIGIN_SCRIPT;
	case LINE_STDIN:
		return POLICY_ORIGIN_STDIN;
	case LINE_LOGIN:
		return POLICY_ORIGIN_LOGIN;
	}
	return POLICY_ORIGIN_UNKNOWN;
}

static int
load_layers(struct turn *t, struct err *err)
{
	AEG_AUTOFREE char *dir = NULL;

	/* The operator has the site's layer. */
	if (t->opts.uid != 0 && !t->opts.operator && t->opts.conf_user != NULL)
		dir = xasprintf("%s/policy.d", t->opts.conf_user);
	/* One line, judged at once, is judged by what was just read. */
	return policy_load_session(t->store, dir, t->opts.uid,
	    t->opts.session || t->opts.origin == LINE_STDIN, &t->policy,
	    &t->user_rules, &t->notes, err);
}

/* The groups of this process: the kernel's word, not a file's. */
static int
own_groups(gid_t **ret, size_t *ret_n, struct err *err)
{
	int n = getgroups(0, NULL);
	gid_t *v;

	if (n < 0 || n > GROUPS_MAX)
		return err_sys(err, n < 0 ? errno : E2BIG, "groups");
	v = xreallocarray(NULL, (size_t)n + 1, sizeof *v);
	n = getgroups(n, v);
	if (n < 0) {
		free(v);
		return err_sys(err, errno, "groups");
	}
	v[n] = getegid();
	*ret = v;
	*ret_n = (size_t)n + 1;
	return 0;
}

static int
choose_profile(struct turn *t, struct err *err)
{
	AEG_AUTOFREE gid_t *groups = NULL;
	char host[256] = "";
	struct policy_who who = {
		.user = t->opts.user != NULL ? t->opts.user : "",
		.host = host,
		.origin = turn_policy_origin(t->opts.origin),
		.login = t->opts.login,
	};
	const struct policy_wish wish = {
		.configured = conf_str(t->opts.conf, CONF_PROFILE),
		.file = conf_origin_file(t->opts.conf, CONF_PROFILE),
		.line = conf_origin_line(t->opts.conf, CONF_PROFILE),
		.own = conf_origin(t->opts.conf, CONF_PROFILE) >= CONF_USER,
		.wanted = t->opts.profile,
		.only_tighter = conf_managed(t->opts.conf) || t->opts.bound,
	};
	struct policy_choice choice;
	int r;

	if (gethostname(host, sizeof host - 1) < 0)
		host[0] = '\0';
	r = own_groups(&groups, &who.n_groups, err);
	if (r != 0)
		return r;
	who.groups = groups;
	r = policy_choose(t->policy, &who, &wish, &choice, err);
	if (r == 0 && choice.note[0] != '\0')
		strv_add(&t->notes, choice.note);
	return r;
}

int
turn_load_policy(struct turn *t, struct err *err)
{
	int r;

	policy_home_find(t->opts.home, &t->home);
	if (t->opts.rescue)
		return policy_load_rescue(t->opts.operator, &t->policy, err);
	r = load_layers(t, err);
	return r != 0 ? r : choose_profile(t, err);
}

void
turn_free_policy(struct turn *t)
{
	policy_free(t->policy);
	policy_free(t->policy_before);
	policy_user_free(t->user_rules);
	policy_home_done(&t->home);
	strv_done(&t->notes);
	free(t->news);
}

/*
 * Between two lines.  What is wrong with the new rules is told once, and
 * the old ones hold.  The sandbox stays: it is part of the processes that
 * the session has started.
 */
void
turn_refresh_policy(struct turn *t)
{
	struct policy *fresh = NULL;
	struct err err = ERR_INIT;

	if (t->opts.rescue)
		return;
	if (policy_refresh(t->policy, t->store, t->user_rules, &fresh,
	    &err) != 0) {
		free(t->news);
		t->news = xasprintf("the changed policy is not used: %s",
		    err.text);
		if (t->audit != NULL)
			audit_note(t->audit, "policy-refused", err.text);
		return;
	}
	if (fresh == NULL)
		return;
	policy_free(t->policy_before);
	t->policy_before = t->policy;
	t->policy = fresh;
	if (t->audit != NULL)
		audit_note(t->audit, "policy-reload", policy_hash(fresh));
	if (strcmp(policy_sandbox(fresh), policy_sandbox(t->policy_before)) !=
	    0) {
		free(t->news);
		t->news = xasprintf("the changed policy is used; its sandbox "
		    "'%s' from the next session on", policy_sandbox(fresh));
	}
}

const struct strv *
turn_notes(const struct turn *t)
{
	return &t->notes;
}

char *
turn_take_news(struct turn *t)
{
	return AEG_STEAL(t->news);
}

/* ---- where lines run ----------------------------------------------------- */

/* The session begins in the root of the project. */
int
turn_enter_project(struct turn *t, struct err *err)
{
	AEG_AUTOFREE char *root = policy_project(t->policy,
	    state_cwd(t->opts.state), t->opts.home, t->opts.uid);
	AEG_AUTO(buf_done) struct buf out = BUF_INIT, complaint = BUF_INIT;
	char stop[] = "--";
	char *const argv[] = { stop, root, NULL };

	if (strcmp(root, state_cwd(t->opts.state)) != 0 &&
	    state_cd(t->opts.state, argv, &out, &complaint) != 0)
		return err_set(err, -ENOENT, "the project's root: %s",
		    complaint.data != NULL ? complaint.data : root);
	t->project = AEG_STEAL(root);
	return 0;
}

/* A fixed PATH is that of every line, whatever the one before has set. */
void
turn_fix_path(struct turn *t)
{
	const char *path = policy_search_path(t->policy);
	const char *now = state_get(t->opts.state, "PATH");

	if (path == NULL || (now != NULL && strcmp(now, path) == 0))
		return;
	if (t->news == NULL)
		t->news = xasprintf("PATH is %s again: the profile %s fixes "
		    "it", path, policy_profile(t->policy));
	state_set(t->opts.state, "PATH", path, NULL);
}
