/* SPDX-License-Identifier: ISC */
/* What would become of text that nobody has sent: the same parsing, rules and
 * fold as for a line, of which nothing is kept and nothing can be run. */
#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

static bool
is_open(const char *text, size_t len)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	enum syn_answer a = syn_parse(text, len, NULL, &tree, &diag);

	syn_free(tree);
	return a == SYN_INCOMPLETE;
}

static bool
lacks_command(const struct turn_judged *j)
{
	size_t i;

	for (i = 0; j->resolved != NULL && i < j->resolved->n; i++)
		if (j->resolved->items[i].kind == RESOLVE_NOT_FOUND)
			return true;
	return false;
}

static bool
asks_model(const struct turn *t, const struct turn_judged *j)
{
	return validator_configured(t->validator) &&
	    (j->verdict.action == POLICY_UNKNOWN ||
	    (j->verdict.action == POLICY_ALLOW && turn_asks_allowed(t)));
}

static enum turn_outlook
outlook_of(const struct turn *t, const struct turn_judged *j)
{
	if (j->tree == NULL)
		return TURN_OUTLOOK_UNREADABLE;
	if (j->verdict.action == POLICY_BLOCK)
		return TURN_OUTLOOK_BLOCK;
	if (lacks_command(j))
		return TURN_OUTLOOK_NO_COMMAND;
	if (asks_model(t, j))
		return TURN_OUTLOOK_MODEL;
	switch (decision_action(j->decision)) {
	case DECISION_CONFIRM:
		return TURN_OUTLOOK_ASK;
	case DECISION_ALLOW:
		return TURN_OUTLOOK_RUN;
	case DECISION_BLOCK:
		break;
	}
	return TURN_OUTLOOK_NOT_LET;
}

enum turn_outlook
turn_foresee(struct turn *t, const char *text, size_t len,
    void (*tell)(void *ctx, const struct turn_judged *j), void *ctx)
{
	const struct line line = { .origin = LINE_PROMPT, .bytes = text,
		.len = len };
	struct turn_judged *j;
	enum turn_outlook outlook = TURN_OUTLOOK_OPEN;

	if (turn_is_guest(t))
		return TURN_OUTLOOK_NONE;
	j = xcalloc(1, sizeof *j);
	turn_copy_line(t, j, &line);
	j->cwd = xstrdup(state_cwd(t->opts.state));
	turn_parse(j);
	if (j->tree != NULL)
		turn_judge_tree(t, j, true);
	if (j->tree != NULL || !is_open(j->line.bytes, j->line.len)) {
		turn_decide(t, j);
		outlook = outlook_of(t, j);
		if (tell != NULL)
			tell(ctx, j);
	}
	turn_judged_free(j);
	return outlook;
}
