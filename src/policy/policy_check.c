/* SPDX-License-Identifier: ISC */
/*
 * Examples: each of a rule's must be matched by it, each counterexample must
 * not; those of a program show all that it is turned into, counterexamples
 * nothing.  They are judged in a made-up place (a home and a working
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
	const char *kind, *name, *file;	/* of what is being checked … */
	unsigned line;
	const struct pol_rule *rule;	/* … a rule, … */
	const struct pol_program *program;	/* … or a program and … */
	uint64_t turns;			/* … what its examples turned it into */
	struct err *err;
	unsigned failed;
};

static bool
matches_line(struct example *x, const struct policy_input *in)
{
	struct view v = { .arena = arena_new(), .env_home = example_home,
		.cwds = { example_cwd }, .n_cwds = 1, .at_any_time = true };
	bool hit = false, limit = false;
	uint64_t turns = 0;
	size_t i;

	view_build(&v, x->policy, in);
	for (i = 0; i < v.n_cmds && !hit; i++)
		if (x->rule != NULL)
			hit = rule_matches(&v, &v.cmds[i], x->rule,
			    VIEW_FOUND_BY_NOTHING, &limit);
		else if (v.cmds[i].program == x->program)
			turns |= view_turns(&v, &v.cmds[i]);
	arena_free(v.arena);
	x->turns |= turns;
	return hit || turns != 0;
}

/* The first complaint is the error; whoever debugs sees all of them. */
static int
complain(struct example *x, const char *what, const char *line)
{
	log_debug("policy: %s:%u: %s '%s' %s: %s", x->file, x->line, x->kind,
	    x->name, what, line);
	if (x->failed++ == 0)
		err_set(x->err, ERR_SYNTAX, "%s:%u: %s '%s' %s: %s",
		    x->file, x->line, x->kind, x->name, what, line);
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
check_lines(struct example *x, const struct ir_list *lines, bool wanted)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		check_line(x, lines->v[i], wanted);
}

static void
check_rule(struct example *x, const struct ir_rule *ir,
	const struct pol_rule *rule)
{
	x->kind = "rule";
	x->name = ir->id;
	x->file = ir->file;
	x->line = ir->line;
	x->rule = rule;
	check_lines(x, &ir->examples, true);
	check_lines(x, &ir->counterexamples, false);
}

/* A row that gives examples gives one of everything. */
static void
check_program(struct example *x, const struct ir_program *ir,
	const struct pol_program *program)
{
	const uint32_t *turns = pol_list(x->policy, program->turns);
	uint32_t i;

	if (ir->examples.n == 0 && ir->counterexamples.n == 0)
		return;
	x->kind = "program";
	x->name = ir->names;
	x->file = ir->file;
	x->line = ir->line;
	x->rule = NULL;
	x->program = program;
	x->turns = 0;
	check_lines(x, &ir->counterexamples, false);
	x->turns = 0;
	check_lines(x, &ir->examples, true);
	for (i = 0; i < program->n_turns; i += 2)
		if ((x->turns >> pol_arg_bit(POL_ARG_TURNS,
		    pol_string(x->policy, turns[i + 1])) & 1) == 0)
			complain(x, "has no example of being turned into",
			    pol_string(x->policy, turns[i + 1]));
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

	pol_sets_prepare(&p);
	p.regexes = pol_regex_new(pol_count(&p, POL_SEC_REGEXES));
	x.state = state;
	for (i = 0; i < sources->n && rc == 0; i++)
		rc = ir_parse(ir, &sources->v[i], err);
	for (i = 0; i < ir->n_programs && rc == 0; i++)
		check_program(&x, ir->programs[i], (const struct pol_program *)
		    pol_section(&p, POL_SEC_PROGRAMS) + i);
	for (i = 0; i < ir->n_rules && rc == 0; i++)
		check_rule(&x, ir->rules[i], (const struct pol_rule *)
		    pol_section(&p, POL_SEC_RULES) + i);
	if (rc == 0 && x.failed > 0)
		rc = ERR_SYNTAX;
	free(p.buckets);
	pol_regex_free(&p);
	ir_free(ir);
	state_free(state);
	return rc;
}
