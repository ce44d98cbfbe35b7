/* SPDX-License-Identifier: ISC */
/*
 * Judging a line in a test: a made-up home and environment, the rules of
 * the tree, directories of the test's own.
 */
#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include "aegsh/policy.h"
#include "scratch.h"

#include "aegsh/base/text.h"

struct judge {
	struct policy *policy;
	struct state *state;
	enum policy_origin origin;
	uid_t uid;
	const char *store, *project;
	const struct policy_home *home;	/* NULL: $HOME */
};

struct judged {
	bool unreadable;
	enum policy_action action;
	char rule[128], reason[512], where[512], command[512];
	unsigned evidence;
};

/* Before anything asks for sysdirs(). */
static inline void
judge_places(void)
{
	const char *top = getenv("abs_top_srcdir");
	char *data;

	scratch_new();
	if (asprintf(&data, "%s/share", top != NULL ? top : ".") < 0)
		scratch_die("asprintf");
	setenv("AEGSH_TEST_ROOT", scratch_dir, 1);
	setenv("AEGSH_TEST_DATA", data, 1);
	free(data);
}

static inline struct state *
judge_state(void)
{
	static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	static char home[] = "HOME=/home/user", user[] = "USER=user";
	char *pwd, *envp[5] = { path, home, user };
	struct state *state;

	scratch_mkdir("work", 0755);
	pwd = scratch_path("work");
	if (chdir(pwd) < 0)
		scratch_die(pwd);
	state = state_new(envp);
	free(pwd);
	return state;
}

static inline enum syn_var
judge_variable(void *ctx, const char *name, const char **ret_value)
{
	*ret_value = state_get(ctx, name);
	if (*ret_value != NULL)
		return SYN_VAR_SET;
	/* Exported functions are named BASH_FUNC_name%%. */
	return text_starts(name, "BASH_FUNC_") ? SYN_VAR_UNSET :
	    SYN_VAR_UNKNOWN;
}

static inline struct judged
judge_line(const struct judge *j, const char *line, struct buf *explain)
{
	const struct syn_options whole = { .at_end = true };
	const struct syn_vars vars = { .get = judge_variable, .ctx = j->state,
		.tilde = resolve_home, .homes = j->state };
	struct judged out = { .unreadable = true };
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *facts;
	struct resolve_set *set = NULL;
	struct policy_verdict v;
	struct policy_input in = { .state = j->state, .origin = j->origin,
		.uid = j->uid, .store = j->store, .project = j->project,
		.home = j->home,
		.line = line, .len = strlen(line) };

	if (syn_parse(line, strlen(line), &whole, &tree, &diag) != SYN_TREE)
		return out;
	facts = syn_facts_new(tree, &vars);
	resolve_facts(facts, j->state, &set);
	in.facts = facts;
	in.resolved = set;
	policy_eval(j->policy, &in, &v, explain);
	out.unreadable = false;
	out.action = v.action;
	out.evidence = v.evidence;
	snprintf(out.rule, sizeof out.rule, "%s", v.rule);
	snprintf(out.reason, sizeof out.reason, "%s", v.reason);
	snprintf(out.where, sizeof out.where, "%s",
	    v.where != NULL ? v.where : "");
	snprintf(out.command, sizeof out.command, "%s", v.command);
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
	return out;
}

#endif
