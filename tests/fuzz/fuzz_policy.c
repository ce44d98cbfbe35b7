/* SPDX-License-Identifier: ISC */
/*
 * Rules and lines of any bytes.  An input that begins with 'R' is a site's
 * rule file on top of the floor: it is refused with its name, or compiles
 * to a form that checks.  Any other input, less its first byte, is a line
 * that is judged by the rules of the tree ($abs_top_srcdir): there is
 * always a verdict with a rule and a reason, the same twice, and what is
 * explained is inert.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "policy/policy_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct policy *policy;
static struct state *state;

static void
prepare(void)
{
	static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/home/user";
	char *envp[] = { path, home, NULL };
	const char *top = getenv("abs_top_srcdir");
	char *data AEG_AUTOFREE = xasprintf("%s/share",
	    top != NULL ? top : ".");
	struct err err = ERR_INIT;

	if (policy != NULL)
		return;
	setenv("AEGSH_TEST_ROOT", "/nonexistent", 1);
	setenv("AEGSH_TEST_DATA", data, 1);
	state = state_new(envp);
	if (policy_load("admin", NULL, &policy, &err) < 0) {
		fprintf(stderr, "fuzz_policy: %s\n", err.text);
		exit(1);
	}
}

static void
rules(const char *text, size_t len)
{
	struct pol_sources sources = POL_SOURCES_INIT;
	struct err err = ERR_INIT;
	char *blob = NULL;
	size_t size = 0;
	int rc;

	pol_sources_add_text(&sources, POL_FLOOR, "(built in)", pol_floor_text,
	    strlen(pol_floor_text));
	pol_sources_add_text(&sources, POL_SITE, "f", text, len);
	pol_sources_hash(&sources);
	rc = pol_compile(&sources, &blob, &size, &err);
	if (rc == 0) {
		must(pol_blob_check(blob, size) == 0, "what was compiled "
		    "checks");
		pol_examples_check(&sources, blob, size, &err);
	} else {
		must(err.text[0] != '\0' && blob == NULL, "an error says what");
	}
	free(blob);
	pol_sources_done(&sources);
}

static bool
is_inert(const struct buf *b)
{
	size_t i;

	for (i = 0; i < b->len; i++)
		if (((unsigned char)b->data[i] < 0x20 && b->data[i] != '\n' &&
		    b->data[i] != '\t') || b->data[i] == 0x7f)
			return false;
	return true;
}

static enum syn_var
variable(void *ctx, const char *name, const char **ret_value)
{
	*ret_value = state_get(ctx, name);
	return *ret_value != NULL ? SYN_VAR_SET : SYN_VAR_UNSET;
}

static void
line(const char *text, size_t len)
{
	const struct syn_options whole = { .at_end = true };
	const struct syn_vars vars = { variable, state };
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *facts;
	struct resolve_set *set = NULL;
	struct policy_verdict first, second;
	struct policy_input in = { .state = state, .uid = 1000,
		.origin = POLICY_ORIGIN_PROMPT, .line = text, .len = len };
	struct buf explain = BUF_INIT;

	if (syn_parse(text, len, &whole, &tree, &diag) != SYN_TREE)
		return;
	facts = syn_facts_new(tree, &vars);
	resolve_facts(facts, state, &set);
	in.facts = facts;
	in.resolved = set;
	policy_eval(policy, &in, &first, &explain);
	must(first.rule != NULL && first.reason != NULL &&
	    first.command != NULL, "a verdict says who and why");
	must(is_inert(&explain), "explanations are inert");
	policy_eval(policy, &in, &second, NULL);
	must(second.action == first.action && second.rule == first.rule &&
	    second.evidence == first.evidence, "twice the same");
	buf_done(&explain);
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text AEG_AUTOFREE = NULL;

	prepare();
	if (size < 1)
		return 0;
	text = xmemdup0(data + 1, size - 1);
	if (data[0] == 'R')
		rules(text, size - 1);
	else
		line(text, size - 1);
	return 0;
}
