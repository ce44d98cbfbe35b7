/* SPDX-License-Identifier: ISC */
/*
 * A rule's own examples: each must be matched by it, each counterexample
 * must not.  They are judged in a made-up place (a home and a working
 * directory of their own), without looking at files.
 */
#include "policy_compile_int.h"
#include "policy_view_int.h"

#include <string.h>

#include "aegsh/base/log.h"
#include "aegsh/base/text.h"

static const char example_home[] = "/home/user";
static const char example_cwd[] = "/home/user/project";

struct example {
	const struct policy *policy;
	const struct state *state;
	const struct ir_rule *ir;
	const struct pol_rule *rule;
	struct err *err;
	unsigned failed;
};

static bool
matches_line(const struct example *x, const struct policy_input *in)
{
	struct view v = { .arena = arena_new(), .home = example_home,
		.cwds = { example_cwd }, .n_cwds = 1 };
	bool hit = false, limit = false;
	size_t i;

	view_build(&v, x->policy, in);
	for (i = 0; i < v.n_cmds && !hit; i++)
		hit = rule_matches(&v, &v.cmds[i], x->rule, &limit);
	arena_free(v.arena);
	return hit;
}

/* The first complaint is the error; whoever debugs sees all of them. */
static int
complain(struct example *x, const char *what, const char *line)
{
	log_debug("policy: %s:%u: rule '%s' %s: %s", x->ir->file, x->ir->line,
	    x->ir->id, what, line);
	if (x->failed++ == 0)
		err_set(x->err, ERR_SYNTAX, "%s:%u: rule '%s' %s: %s",
		    x->ir->file, x->ir->line, x->ir->id, what, line);
	return ERR_SYNTAX;
}

/* Nothing is set but HOME; what a script would have set is not known. */
static enum syn_var
example_variable(void *ctx, const char *name, const char **ret_value)
{
	(void)ctx;
	if (text_starts(name, "BASH_FUNC_"))	/* an exported function */
		return SYN_VAR_UNSET;
	if (strcmp(name, "HOME") != 0)
		return SYN_VAR_UNKNOWN;
	*ret_value = example_home;
	return SYN_VAR_SET;
}

static int
check_line(struct example *x, const char *line, bool wanted)
{
	const struct syn_vars vars = { example_variable, NULL };
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *facts;
	struct resolve_set *set = NULL;
	struct policy_input in = { .state = x->state,
		.origin = POLICY_ORIGIN_PROMPT, .uid = 1000, .line = line,
		.len = strlen(line) };
	bool hit;

	if (syn_parse(line, strlen(line), NULL, &tree, &diag) != SYN_TREE)
		return complain(x, "has an example that bash does not read",
		    line);
	facts = syn_facts_new(tree, &vars);
	resolve_facts(facts, x->state, &set);
	in.facts = facts;
	in.resolved = set;
	hit = matches_line(x, &in);
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
	if (hit == wanted)
		return 0;
	return complain(x, wanted ? "does not match its example" :
	    "matches its counterexample", line);
}

static void
check_rule(struct example *x)
{
	size_t i;

	for (i = 0; i < x->ir->examples.n; i++)
		check_line(x, x->ir->examples.v[i], true);
	for (i = 0; i < x->ir->counterexamples.n; i++)
		check_line(x, x->ir->counterexamples.v[i], false);
}

int
pol_examples_check(const struct pol_sources *sources, const char *blob,
	size_t size, struct err *err)
{
	static char path[] = "PATH=/usr/bin:/bin";
	char *envp[] = { path, NULL };
	struct policy p = { .blob = (char *)blob, .size = size,
		.head = (const void *)blob };
	struct example x = { .policy = &p, .err = err };
	struct state *state = state_new(envp);
	struct ir *ir = ir_new();
	size_t i;
	int rc = 0;

	p.buckets = pol_buckets_new(&p);
	p.regexes = pol_regex_new(pol_count(&p, POL_SEC_REGEXES));
	x.state = state;
	for (i = 0; i < sources->n && rc == 0; i++)
		rc = ir_parse(ir, &sources->v[i], err);
	for (i = 0; i < ir->n_rules && rc == 0; i++) {
		x.ir = ir->rules[i];
		x.rule = (const struct pol_rule *)pol_section(&p,
		    POL_SEC_RULES) + i;
		check_rule(&x);
	}
	if (rc == 0 && x.failed > 0)
		rc = ERR_SYNTAX;
	free(p.buckets);
	pol_regex_free(&p);
	ir_free(ir);
	state_free(state);
	return rc;
}
