/* SPDX-License-Identifier: ISC */
/* The left half of the way: from a line to a decision. */
#include "aegsh/turn.h"

#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

static enum syn_var
known_variable(void *ctx, const char *name, const char **ret_value)
{
	const struct turn *t = ctx;
	const char *value;

	/* Functions never come from outside: state takes none in. */
	if (text_starts(name, "BASH_FUNC_"))
		return SYN_VAR_UNSET;
	/* In a stream, bash has variables that only it knows. */
	if (t->stream_began)
		return SYN_VAR_UNKNOWN;
	value = state_get(t->opts.state, name);
	if (value == NULL)
		return text_is_name(name, strlen(name)) ? SYN_VAR_UNSET :
		    SYN_VAR_UNKNOWN;
	*ret_value = value;
	return SYN_VAR_SET;
}

bool
turn_asks_allowed(const struct turn *t)
{
	const char *list = conf_str(t->opts.conf, CONF_ASK_ALLOWED);
	const char *profile = policy_profile(t->policy);
	size_t n = strlen(profile), len;

	for (; *list != '\0'; list += len) {
		list += strspn(list, " \t,");
		len = strcspn(list, " \t,");
		if (len == n && memcmp(list, profile, n) == 0)
			return true;
	}
	return false;
}

void
turn_judge_tree(struct turn *t, struct turn_judged *j, bool rules_alone)
{
	const struct syn_vars vars = { .get = known_variable, .ctx = t,
		.tilde = resolve_home, .homes = t->opts.state };
	struct policy_input in = {
		.state = t->opts.state,
		.origin = turn_policy_origin(j->line.origin),
		.uid = t->opts.uid,
		/* What is broken may be the store. */
		.store = t->opts.rescue && t->opts.operator ? NULL : t->store,
		.project = t->project,
		.home = &t->home,
		.line = j->line.bytes,
		.len = j->line.len,
	};
	int r;

	j->facts = syn_facts_new(j->tree, &vars);
	turn_find_own(t, j);
	r = resolve_facts(j->facts, t->opts.state, &j->resolved);
	if (r != 0) {
		j->verdict = (struct policy_verdict){
			.action = POLICY_BLOCK,
			.rule = "resolve-failed",
			.reason = "what the line would run cannot be found out",
		};
		return;
	}
	in.facts = j->facts;
	in.resolved = j->resolved;
	turn_find_reads(t, j);
	if (turn_is_guest(t))
		return;
	in.input_judged = j->reads != TURN_READS_NOTHING;
	t->ops->judge(t, &in, &j->verdict);
	turn_refuse_elevation(t, j);
	if (rules_alone)
		return;
	if (j->verdict.action != POLICY_BLOCK)
		turn_find_scripts(t, j);
	if (turn_tell_not_held(t, j) && t->audit != NULL)
		audit_note(t->audit, "scripts-not-held", t->news);
	if (validator_configured(t->validator) &&
	    (j->verdict.action == POLICY_UNKNOWN ||
	    (j->verdict.action == POLICY_ALLOW && turn_asks_allowed(t))))
		turn_ask(t, j);
}

/* With what bash's options stand for in front.  Start-up files are not run
 * with options that were meant for the line. */
void
turn_copy_line(const struct turn *t, struct turn_judged *j,
    const struct line *line)
{
	struct buf text = BUF_INIT;
	size_t i;

	if (line->origin != LINE_LOGIN) {
		exec_options_text(t->opts.bash_options, &text);
		turn_put_carried(t, &text);
	}
	j->prefix = text.len;
	for (i = 0; i < text.len; i++)
		j->prefix_lines += text.data[i] == '\n';
	buf_put(&text, line->bytes, line->len);
	j->line = *line;
	j->line.len = text.len;
	j->line.bytes = buf_take(&text);
}

void
turn_decide(struct turn *t, struct turn_judged *j)
{
	struct decision_input in = {
		.fail = decision_fail_for(conf_str(t->opts.conf,
		    CONF_FAIL_PROFILES), policy_profile(t->policy),
		    conf_str(t->opts.conf, CONF_FAIL),
		    conf_managed(t->opts.conf)),
		.min_confidence = (unsigned)conf_int(t->opts.conf,
		    CONF_ASK_CONFIDENCE),
		/* A start-up file is nothing that a person has just typed. */
		.can_ask = t->opts.confirm != NULL &&
		    j->line.origin != LINE_LOGIN,
	};

	if (j->tree != NULL) {
		in.policy = &j->verdict;
		in.unknown = policy_unknown(t->policy, j->verdict.evidence);
	}
	in.line = j->line.bytes;
	in.len = j->line.len;
	in.syntax_error = j->syntax_error;
	in.validator = j->was_asked ? &j->asked : NULL;
	j->decision = decision_make(&in);
}

static void
judge(struct turn *t, struct turn_judged *j)
{
	j->cwd = xstrdup(state_cwd(t->opts.state));
	turn_parse(j);
	if (j->tree != NULL)
		turn_judge_tree(t, j, false);
	if (turn_is_guest(t))
		turn_inner_judge(t, j);
	else
		turn_decide(t, j);
	j->judged_ns = clock_mono_ns();
	turn_remember(t, j);
}

void
turn_follow_rules(struct turn *t)
{
	if (turn_is_guest(t))
		return;
	turn_refresh_policy(t);
	turn_fix_path(t);
}

struct turn_judged *
turn_judge(struct turn *t, const struct line *line)
{
	struct turn_judged *j = xcalloc(1, sizeof *j);

	j->came_ns = clock_mono_ns();
	turn_follow_rules(t);
	turn_copy_line(t, j, line);
	judge(t, j);
	return j;
}

struct turn_judged *
turn_judge_said(struct turn *t, const struct line *line, size_t prefix,
    unsigned prefix_lines)
{
	struct turn_judged *j = xcalloc(1, sizeof *j);

	j->came_ns = clock_mono_ns();
	turn_follow_rules(t);
	j->prefix = prefix;
	j->prefix_lines = prefix_lines;
	j->line = *line;
	j->line.bytes = xmemdup0(line->bytes, line->len);
	judge(t, j);
	return j;
}

void
turn_judged_free(struct turn_judged *j)
{
	if (j == NULL)
		return;
	decision_free(j->decision);
	turn_scripts_done(j);
	strv_done(&j->reader);
	resolve_free(j->resolved);
	syn_facts_free(j->own_facts);
	syn_free(j->own_tree);
	syn_facts_free(j->facts);
	syn_free(j->tree);
	free(j->syntax_error);
	free(j->recorded);
	buf_done(&j->args);
	free(j->reason);
	free(j->cwd);
	free((char *)(uintptr_t)j->line.bytes);
	free(j);
}

void
turn_confirm(struct turn *t, struct turn_judged *j)
{
	static const char *const names[] = { [TURN_SAYS_NO] = "no",
		[TURN_SAYS_YES] = "yes", [TURN_SAYS_EDIT] = "edit",
		[TURN_SAYS_TRY] = "try" };
	enum turn_says says = TURN_SAYS_NO;
	struct decision *settled;

	if (decision_action(j->decision) != DECISION_CONFIRM)
		return;
	do {
		if (t->opts.confirm != NULL)
			says = t->opts.confirm(t->opts.ctx, t, j);
	} while (says == TURN_SAYS_TRY && !turn_try_asked(t, j));
	j->answer = names[says];
	settled = decision_confirm(j->decision, says == TURN_SAYS_YES);
	decision_free(j->decision);
	j->decision = settled;
}

const struct decision *
turn_decision(const struct turn_judged *j)
{
	return j->decision;
}

size_t
turn_prefix(const struct turn_judged *j)
{
	return j->prefix;
}

const char *
turn_part(const struct turn_judged *j)
{
	return j->tree != NULL ? j->verdict.command : NULL;
}

const char *
turn_answer(const struct turn_judged *j)
{
	return j->answer;
}

const char *
turn_syntax_error(const struct turn_judged *j)
{
	return j->syntax_error;
}
