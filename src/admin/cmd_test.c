/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl test`: what would be decided about a line, and why.  The same
 * stages as in the shell, up to where a language model or a person would
 * be asked; nothing is run and nobody is asked.
 */
#include <errno.h>
#include <string.h>

#include "admin_facts.h"
#include "aegsh/audit.h"
#include "aegsh/base/mem.h"
#include "aegsh/decision.h"
#include "aegsh/policy.h"

enum { O_JSON, O_PROFILE, O_EXPLAIN };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_PROFILE] = { "profile", 0, "NAME",
	    "judge by that policy profile", ADMIN_WORDS_PROFILE },
	[O_EXPLAIN] = { "explain", 0, NULL,
	    "tell the facts and what each stage found", ADMIN_WORDS_NONE },
	{ NULL }
};

struct test {
	struct admin_facts facts;
	struct policy *policy;
	struct policy_verdict verdict;	/* with SYN_TREE */
	struct decision *decision;
	bool model;			/* a language model would be asked */
	struct buf explain;
};

static void
judge(struct admin *a, struct test *t, const char *store, bool explain)
{
	AEG_AUTOFREE char *diag = NULL;
	struct decision_input in = {
		.line = t->facts.bytes,
		.len = t->facts.len,
		.fail = decision_fail_of(conf_str(a->conf, CONF_FAIL),
		    conf_managed(a->conf)),
		.min_confidence = (unsigned)conf_int(a->conf,
		    CONF_ASK_CONFIDENCE),
		.can_ask = true,
	};
	struct policy_input pin = {
		.facts = t->facts.facts,
		.resolved = t->facts.resolved,
		.state = t->facts.state,
		.origin = POLICY_ORIGIN_PROMPT,
		.uid = a->uid,
		.store = store,
		.line = t->facts.bytes,
		.len = t->facts.len,
	};

	if (t->facts.answer == SYN_TREE) {
		policy_eval(t->policy, &pin, &t->verdict,
		    explain ? &t->explain : NULL);
		in.policy = &t->verdict;
		in.unknown = policy_unknown(t->policy, t->verdict.evidence);
		t->model = t->verdict.action == POLICY_UNKNOWN &&
		    conf_str(a->conf, CONF_ENDPOINT)[0] != '\0';
	} else {
		diag = admin_facts_diag(&t->facts);
		in.syntax_error = diag;
	}
	t->decision = decision_make(&in);
}

static void
print_json(struct admin *a, const struct test *t, bool explain)
{
	const struct decision *d = t->decision;
	json_t *o = json_object();

	admin_json_bytes(o, "line", t->facts.bytes, t->facts.len);
	admin_json_text(o, "profile", policy_profile(t->policy));
	admin_json_text(o, "decision", decision_action_name(
	    decision_action(d)));
	admin_json_text(o, "source", decision_source_name(
	    decision_source(d)));
	json_object_set_new(o, "model_would_be_asked",
	    json_boolean(t->model));
	admin_json_text(o, "rule", decision_rule(d));
	admin_json_text(o, "reason", decision_reason(d));
	admin_json_text(o, "instead", decision_instead(d));
	if (t->facts.answer == SYN_TREE) {
		admin_json_text(o, "policy", policy_action_name(
		    t->verdict.action));
		admin_json_text(o, "where", t->verdict.where);
		admin_json_text(o, "command", t->verdict.command);
		json_object_set_new(o, "evidence",
		    json_integer(t->verdict.evidence));
	}
	if (explain && t->facts.answer == SYN_TREE) {
		json_object_set_new(o, "facts", admin_facts_json(&t->facts));
		admin_json_bytes(o, "explanation", t->explain.data != NULL ?
		    t->explain.data : "", t->explain.len);
	}
	admin_json_print(a, o);
}

static void
print_text(struct admin *a, const struct test *t, bool explain)
{
	const struct decision *d = t->decision;

	admin_say(a, "%s: %s\n", t->model ? "model" :
	    decision_action_name(decision_action(d)), t->model ?
	    "no rule settles it; the language model would be asked" :
	    decision_reason(d));
	admin_say(a, "rule:    %s%s%s%s\n", decision_rule(d),
	    t->verdict.where != NULL ? " (" : "",
	    t->verdict.where != NULL ? t->verdict.where : "",
	    t->verdict.where != NULL ? ")" : "");
	if (t->verdict.command != NULL)
		admin_say(a, "command: %s\n", t->verdict.command);
	if (decision_instead(d) != NULL)
		admin_say(a, "instead: %s\n", decision_instead(d));
	admin_say(a, "profile: %s\n", policy_profile(t->policy));
	if (!explain || t->facts.answer != SYN_TREE)
		return;
	admin_say(a, "\n");
	admin_facts_print(a, &t->facts);
	admin_say(a, "\n%s", t->explain.data != NULL ? t->explain.data : "");
}

static int
status_of(const struct test *t)
{
	if (t->model)
		return ADMIN_NO;
	switch (decision_action(t->decision)) {
	case DECISION_BLOCK:
		return ADMIN_BLOCK;
	case DECISION_CONFIRM:
		return ADMIN_NO;
	case DECISION_ALLOW:
		return ADMIN_OK;
	}
	return ADMIN_BLOCK;
}

static int
test(struct admin *a, const char *line, const char *profile, bool json,
    bool explain)
{
	struct test t = { .explain = BUF_INIT };
	AEG_AUTOFREE char *store = NULL;
	struct err err = ERR_INIT;
	int status;

	if (admin_policy(a, profile, &t.policy, &err) < 0)
		return admin_fail(a, &err);
	/* The shell's own places are judged also where they are not yet. */
	if (audit_place(a->uid, false, &store, NULL) < 0)
		store = NULL;
	if (admin_facts_new(xstrdup(line), strlen(line), &t.facts, &err) < 0) {
		policy_free(t.policy);
		return admin_fail(a, &err);
	}
	judge(a, &t, store, explain);
	if (json)
		print_json(a, &t, explain);
	else
		print_text(a, &t, explain);
	status = status_of(&t);
	decision_free(t.decision);
	policy_free(t.policy);
	admin_facts_done(&t.facts);
	buf_done(&t.explain);
	return status;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	bool json = false, explain = false;
	const char *profile = NULL;
	struct err err = ERR_INIT;
	int o;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == O_JSON)
			json = true;
		else if (o == O_EXPLAIN)
			explain = true;
		else
			profile = args.value;
	}
	if (o == ADMIN_ARGS_BAD)
		return ADMIN_USAGE;
	if (args.argc - args.at != 1)
		return admin_usage(a);
	if (admin_conf(a, &err) < 0)
		return admin_fail(a, &err);
	return test(a, argv[args.at], profile, json, explain);
}

const struct admin_verb cmd_test = {
	.name = "test",
	.usage = "[--] LINE",
	.summary = "show what would be decided about a line, and why",
	.run = run,
	.options = options,
};
