/* SPDX-License-Identifier: ISC */
/*
 * The flow: parse & normalise (the view) → blocklist → allowlist → path
 * validation → the profile's rules.  An allow is a vote; everything else is
 * still looked at.  The strictest command decides the line.
 */
#include "policy_view_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define SHOWN_MAX 2048	/* bytes of the deciding command that are kept */

/* Of a profile that asks about all that its rules do not allow. */
static const char not_listed[] = "not-listed";

struct outcome {
	enum policy_action action;
	const struct pol_rule *rule;	/* or NULL: id and reason are here */
	const char *id, *reason, *instead;
	const struct view_cmd *cmd;
};

struct eval {
	struct view v;
	struct buf *explain;
	uint32_t *seen;			/* bits: evidence counted already */
	const uint32_t *speaks;		/* bits: rules of the profile */
	unsigned evidence;
	const struct pol_rule *strongest;	/* evidence with most score */
};

static const struct pol_rule *
rule_at(const struct policy *p, uint32_t i)
{
	return (const struct pol_rule *)pol_section(p, POL_SEC_RULES) + i;
}

static void say(struct eval *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void
say(struct eval *e, const char *fmt, ...)
{
	AEG_AUTOFREE char *line = NULL;
	va_list ap;

	if (e->explain == NULL)
		return;
	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	text_inert(e->explain, line, strlen(line), TEXT_INERT_NEWLINE);
}

static void
say_rule(struct eval *e, const char *stage, const struct pol_rule *r)
{
	const struct policy *p = e->v.policy;
	struct buf text = BUF_INIT;

	if (e->explain == NULL)
		return;
	buf_putf(&text, "%s %s (%s:%u): %s", r->says == POL_SAYS_EVIDENCE ?
	    "evidence" : policy_action_name(pol_action(r->says)),
	    pol_string(p, r->id), pol_string(p, r->file), r->line,
	    pol_string(p, r->reason));
	if (r->says == POL_SAYS_EVIDENCE)
		buf_putf(&text, " [%u]", r->score);
	say(e, "  %s: %s\n", stage, text.data);
	buf_done(&text);
}

static void
make_stricter(struct outcome *o, const struct pol_rule *r,
	enum policy_action action)
{
	if (o->rule != NULL && o->action <= action)
		return;
	o->action = action;
	o->rule = r;
}

static void
count_evidence(struct eval *e, uint32_t i, const struct pol_rule *r)
{
	uint32_t bit = (uint32_t)1 << (i % 32);

	if (e->seen[i / 32] & bit)
		return;
	e->seen[i / 32] |= bit;
	e->evidence += r->score;
	if (e->evidence > POL_EVIDENCE_MAX)
		e->evidence = POL_EVIDENCE_MAX;
	if (e->strongest == NULL || r->score > e->strongest->score)
		e->strongest = r;
}

/* Let one rule speak about one command. */
static void
try_rule(struct eval *e, struct view_cmd *cmd, uint32_t i,
	enum view_found found, struct outcome *denied, struct outcome *allowed)
{
	const struct policy *p = e->v.policy;
	const struct pol_rule *r = rule_at(p, i);
	bool limit = false;

	if ((e->speaks[i / 32] >> i % 32 & 1) == 0 ||
	    !rule_matches(&e->v, cmd, r, found, &limit))
		return;
	if (limit) {
		make_stricter(denied, r, POLICY_BLOCK);
		return;
	}
	switch ((enum pol_says)r->says) {
	case POL_SAYS_BLOCK:
		say_rule(e, "blocklist", r);
		make_stricter(denied, r, POLICY_BLOCK);
		return;
	case POL_SAYS_WARN:
		say_rule(e, "profile", r);
		make_stricter(denied, r, POLICY_WARN);
		return;
	case POL_SAYS_EVIDENCE:
		say_rule(e, "profile", r);
		count_evidence(e, i, r);
		return;
	case POL_SAYS_ALLOW:
		say_rule(e, "allowlist", r);
		if (allowed->rule == NULL || r->any_words)
			allowed->rule = r;
		return;
	}
	make_stricter(denied, r, POLICY_BLOCK);
}

static void
try_list(struct eval *e, struct view_cmd *cmd, uint32_t first, uint32_t n,
	enum view_found found, struct outcome *denied, struct outcome *allowed)
{
	const struct pol_gate *gates = pol_section(e->v.policy, POL_SEC_GATES);
	const uint32_t *list = pol_list(e->v.policy, first);
	uint32_t i;

	/* rule_matches() asks the gate, too; most rules end here. */
	for (i = 0; i < n; i++)
		if (view_may_match(&e->v, cmd, &gates[list[i]], found))
			try_rule(e, cmd, list[i], found, denied, allowed);
}

static void
try_name(struct eval *e, struct view_cmd *cmd, const char *name, size_t len,
	struct outcome *denied, struct outcome *allowed)
{
	const struct pol_name *row = pol_find_name(e->v.policy, POL_SEC_INDEX,
	    name, len);

	if (row != NULL)
		try_list(e, cmd, row->first, row->n, VIEW_FOUND_BY_NAME, denied,
		    allowed);
}

/* ---- path validation ---------------------------------------------------- */

static bool
is_below(const char *path, const char *dir)
{
	return dir[0] == '/' && path[0] == '/' && path_under(path, dir);
}

/* The path itself, or where it leads. */
static bool
leads_below(const struct view_path *path, const char *dir)
{
	return is_below(path->path, dir) ||
	    (path->real != NULL && is_below(path->real, dir));
}

/* aegsh's own store is nobody's to write, whatever the rules say. */
static bool
writes_store(const struct eval *e, const struct view_cmd *cmd)
{
	const char *store = e->v.in->store;
	size_t i;

	for (i = 0; store != NULL && i < cmd->n_paths; i++)
		if ((cmd->paths[i].how & ~(unsigned)(POL_HOW_READ |
		    POL_HOW_LIST)) != 0 && (leads_below(&cmd->paths[i],
		    store) || (cmd->paths[i].how & POL_HOW_DELETE &&
		    is_below(store, cmd->paths[i].path))))
			return true;
	return false;
}

/* The project's own path may have links in it, too. */
static bool
leads_out(struct eval *e, const struct view_path *path)
{
	if (!is_below(path->path, e->v.project))
		return true;
	if (path->real == NULL || is_below(path->real, e->v.project))
		return false;
	if (e->v.real_project == NULL) {
		e->v.real_project = view_behind(&e->v, e->v.project);
		if (e->v.real_project == NULL)
			e->v.real_project = e->v.project;
	}
	return !is_below(path->real, e->v.real_project);
}

/* Outside of the project, and in no set that the jail leaves open. */
static const struct view_path *
escape(struct eval *e, const struct view_cmd *cmd)
{
	uint64_t open = e->v.policy->jail_open;
	size_t j;

	for (j = 0; j < cmd->n_paths; j++)
		if (leads_out(e, &cmd->paths[j]) &&
		    (cmd->paths[j].sets & open) == 0)
			return &cmd->paths[j];
	return NULL;
}

static void
validate_paths(struct eval *e, const struct view_cmd *cmd,
	struct outcome *denied)
{
	const struct view_path *out;

	/* A rule that blocks already says it better. */
	if (denied->rule != NULL && denied->action == POLICY_BLOCK)
		return;
	if (writes_store(e, cmd)) {
		say(e, "  paths: block store: no line may change aegsh's "
		    "own records\n");
		*denied = (struct outcome){ .action = POLICY_BLOCK,
			.id = "floor.store",
			.reason = "no line may change aegsh's own records",
			.instead = "aegshctl audit prune and audit backup" };
		return;
	}
	/* Start-up files set up the system's places; they run where nothing
	 * can be changed. */
	if (!e->v.policy->profile->jail ||
	    e->v.in->origin == POLICY_ORIGIN_LOGIN)
		return;
	out = escape(e, cmd);
	if (out == NULL)
		return;
	say(e, "  paths: block jail: %s lies outside of %s\n", out->path,
	    e->v.project);
	*denied = (struct outcome){ .action = POLICY_BLOCK, .id = "jail",
		.reason = "a path leads outside of the project",
		.instead = "a copy of it in the project" };
}

/* ---- the allowlist's vote ----------------------------------------------- */

/* Output to a file is a change that no allow speaks of. */
static bool
writes_files(const struct eval *e, const struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	uint64_t sinks = e->v.policy->sinks;
	size_t j, n_redirs = 0;

	for (j = 0; j < c->n_redirs; j++)
		n_redirs += c->redirs[j].op != SYN_REDIR_HEREDOC &&
		    c->redirs[j].op != SYN_REDIR_HERESTRING;
	if (n_redirs == 0)
		return false;
	/* Redirections stand last among the paths. */
	for (j = cmd->n_paths; j-- > 0 && n_redirs > 0;) {
		if ((cmd->paths[j].how & POL_HOW_WRITE) != 0 &&
		    (cmd->paths[j].sets & sinks) == 0)
			return true;
		n_redirs--;
	}
	return false;
}

/* Lists speak of the programs that came with the system, not of any file
 * that bears the same name. */
static bool
is_system_file(const struct eval *e, const struct view_cmd *cmd)
{
	uint64_t sets;

	/* A name that no file bears runs nothing; a path may yet come to be. */
	if (cmd->item->kind == RESOLVE_NOT_FOUND)
		return strchr(cmd->argv[0].value, '/') == NULL;
	if (cmd->item->kind != RESOLVE_FILE)
		return true;
	sets = view_sets(&e->v, cmd->item->path, strlen(cmd->item->path),
	    true);
	return (sets & e->v.policy->programs) != 0;
}

static const char *
why_not_allowed(const struct eval *e, const struct view_cmd *cmd,
	const struct pol_rule *rule)
{
	size_t i;

	if ((cmd->unknown & ~(unsigned)POL_UNKNOWN_REDIR) != 0 &&
	    (rule == NULL || !rule->any_words))
		return "a word of it is not known before it runs";
	if (cmd->unknown & POL_UNKNOWN_EVALUATED)
		return "it evaluates what a variable holds";
	if (cmd->features >> POL_FEATURE_LOADED_VALUE & 1)
		return "the value of a variable holds a command";
	if (!is_system_file(e, cmd))
		return "it is no program of the system";
	if (cmd->item->more_args_unknown && (rule == NULL || !rule->any_words))
		return "it gets words that only running would tell";
	if (cmd->unknown & POL_UNKNOWN_REDIR)
		return "a redirection is not known before it runs";
	for (i = 0; i < cmd->n_assigns; i++)
		if (cmd->assigns[i].prefix)
			return "it is given an environment of its own";
	if (writes_files(e, cmd))
		return "its output goes to a file";
	return NULL;
}

/* A function's body is judged where it stands, an assignment alone stays
 * in the shell. */
static bool
is_inert(const struct eval *e, const struct view_cmd *cmd)
{
	if (cmd->item->kind == RESOLVE_FUNCTION)
		return true;
	if (cmd->item->kind != RESOLVE_NONE)
		return false;
	/* [[ ]] and (( )) evaluate what a variable holds: nobody knows what
	 * has been read into one. */
	return (cmd->item->command->context & SYN_IS_COMPOUND) == 0 ||
	    !e->v.reads_input;
}

static struct outcome
settle(struct eval *e, const struct view_cmd *cmd, const struct outcome *denied,
	const struct outcome *allowed)
{
	struct outcome o = { .action = POLICY_UNKNOWN, .id = "unknown",
		.reason = "no rule knows what this command does",
		.instead = "aegshctl allowlist shows what runs without a "
		    "question" };
	const char *why;

	if (denied->rule != NULL || denied->id != NULL)
		return *denied;
	if (view_is_evaluated(cmd)) {
		o.reason = "a value that is not known is evaluated, which "
		    "could run anything";
		/* Start-up files compare numbers; they run where nothing can
		 * be changed. */
		if (e->v.in->origin == POLICY_ORIGIN_LOGIN) {
			o.action = POLICY_ALLOW;
			o.id = "inert";
		}
		return o;
	}
	if (allowed->rule == NULL && !is_inert(e, cmd)) {
		if (e->v.policy->profile->unknown != POLICY_WARN)
			return o;
		o.id = not_listed;
		o.instead = "what aegshctl allowlist shows; the operator adds "
		    "to it with a rule that allows: aegsh-policy(5), EXAMPLES";
		return o;
	}
	why = why_not_allowed(e, cmd, is_inert(e, cmd) ? NULL : allowed->rule);
	if (why != NULL && !(is_inert(e, cmd) && cmd->unknown == 0 &&
	    !writes_files(e, cmd))) {
		say(e, "  allowlist: not enough: %s\n", why);
		o.reason = why;
		return o;
	}
	o = *allowed;
	o.action = POLICY_ALLOW;
	if (o.rule == NULL) {
		o.id = "inert";
		o.reason = "an assignment or a function of the line itself";
	}
	return o;
}

static void
say_command(struct eval *e, struct view_cmd *cmd)
{
	struct buf text = BUF_INIT;
	size_t i, len;

	if (e->explain == NULL)
		return;
	buf_putf(&text, "%s %s", cmd->argc > 0 ? cmd->argv[0].value :
	    "(no command word)", view_args(&e->v, cmd, &len));
	say(e, "command: %s%s\n", text.data, cmd->item->wrapper != NULL ?
	    " (through a wrapper)" : "");
	if (cmd->item->path != NULL)
		say(e, "  facts: file %s\n", cmd->item->path);
	for (i = 0; i < 64; i++)
		if (cmd->features >> i & 1)
			say(e, "  facts: %s: %s\n",
			    pol_feature_word((unsigned)i),
			    pol_feature_meaning((unsigned)i));
	for (i = 0; i < cmd->n_paths; i++) {
		buf_reset(&text);
		pol_explain_path(e->v.policy, &cmd->paths[i], &text);
		say(e, "  facts: path %s\n", text.data);
	}
	buf_done(&text);
}

static struct outcome
judge(struct eval *e, struct view_cmd *cmd)
{
	const struct pol_header *h = e->v.policy->head;
	struct outcome denied = { .action = POLICY_ALLOW };
	struct outcome allowed = { .action = POLICY_ALLOW };
	struct outcome o;

	say_command(e, cmd);
	if (cmd->name_len > 0) {
		try_name(e, cmd, cmd->name, cmd->name_len, &denied, &allowed);
		if (cmd->stem_len < cmd->name_len)
			try_name(e, cmd, cmd->name, cmd->stem_len, &denied,
			    &allowed);
		if (cmd->real != NULL)
			try_name(e, cmd, cmd->real, strlen(cmd->real),
			    &denied, &allowed);
	}
	try_list(e, cmd, h->general, h->n_general, VIEW_FOUND_BY_WILDCARD,
	    &denied, &allowed);
	if (!e->v.in->started)
		validate_paths(e, cmd, &denied);
	o = settle(e, cmd, &denied, &allowed);
	o.cmd = cmd;
	return o;
}

/* ---- the line ----------------------------------------------------------- */

static void
show(const struct policy *p, struct eval *e, const struct outcome *o,
	struct policy_verdict *ret)
{
	struct buf *b = &((struct policy *)p)->shown;
	size_t where = 0, command, i;

	buf_reset(b);
	if (o->rule != NULL)
		buf_putf(b, "%s:%u", pol_string(p, o->rule->file),
		    o->rule->line);
	buf_putc(b, '\0');
	command = b->len;
	for (i = 0; o->cmd != NULL && i < o->cmd->item->argc &&
	    b->len < SHOWN_MAX; i++) {
		if (i > 0)
			buf_putc(b, ' ');
		buf_put(b, o->cmd->item->argv[i].value,
		    o->cmd->item->argv[i].len);
	}
	buf_putc(b, '\0');
	ret->where = o->rule != NULL ? b->data + where : NULL;
	ret->command = b->data + command;
	ret->evidence = e->evidence;
}

static const char *
say_not_listed(const struct policy *p)
{
	struct policy *own = (struct policy *)p;

	if (p->not_listed_by != p->profile) {
		free(own->not_listed);
		own->not_listed = xasprintf("this command is not on the list "
		    "of the profile %s", policy_profile(p));
		own->not_listed_by = p->profile;
	}
	return p->not_listed;
}

static void
finish(struct eval *e, const struct outcome *o, struct policy_verdict *ret)
{
	const struct policy *p = e->v.policy;
	struct outcome shown = *o;

	ret->action = o->action;
	/* An open line is named after what speaks against it most. */
	if (o->action == POLICY_UNKNOWN && e->strongest != NULL)
		shown.rule = e->strongest;
	show(p, e, &shown, ret);
	if (shown.rule == NULL) {
		ret->rule = o->id;
		ret->reason = o->id == not_listed ? say_not_listed(p) :
		    o->reason;
		ret->instead = o->instead;
		return;
	}
	ret->rule = pol_string(p, shown.rule->id);
	ret->reason = pol_string(p, shown.rule->reason);
	ret->instead = pol_string(p, shown.rule->instead);
}

static void
close_profile(const struct policy *p, struct outcome *worst)
{
	if (p->profile->unknown != POLICY_BLOCK)
		return;
	if (worst->action == POLICY_UNKNOWN)
		*worst = (struct outcome){ .action = POLICY_BLOCK,
			.id = "profile.closed", .cmd = worst->cmd,
			.reason = "this profile runs only what its rules "
			    "allow",
			.instead = "aegshctl allowlist shows what that is" };
	/* … and leaves nothing to the answer of who is kept by it. */
	else if (worst->action == POLICY_WARN)
		worst->action = POLICY_BLOCK;
}

void
policy_eval(const struct policy *p, const struct policy_input *in,
	struct policy_verdict *ret, struct buf *explain)
{
	struct eval e = { .explain = explain };
	struct outcome worst = { .action = POLICY_ALLOW, .id = "empty",
		.reason = "there is nothing to run" }, o;
	size_t i;

	*ret = (struct policy_verdict){ .action = POLICY_BLOCK };
	e.v.arena = arena_new();
	e.v.touch_disk = true;
	e.speaks = pol_list(p, p->profile->rules);
	e.seen = arena_alloc(e.v.arena, (pol_count(p, POL_SEC_RULES) / 32 + 1) *
	    sizeof *e.seen);
	view_build(&e.v, p, in);
	for (i = 0; i < e.v.n_cmds; i++) {
		o = judge(&e, &e.v.cmds[i]);
		if (o.action < worst.action || worst.cmd == NULL)
			worst = o;
	}
	if ((in->resolved->over_cap || e.v.over_cap) &&
	    worst.action > POLICY_WARN)
		worst = (struct outcome){ .action = POLICY_WARN,
			.id = "too-much", .cmd = worst.cmd,
			.reason = "there is more to it than can be judged",
			.instead = "several lines, or a script file" };
	/* Words behind a change of how bash reads are not known, so that no
	 * rule spoke of them. */
	if (in->facts->rest_unknown != NULL && worst.action > POLICY_WARN)
		worst = (struct outcome){ .action = POLICY_WARN,
			.id = "reading-changed", .cmd = worst.cmd,
			.reason = "after an earlier line the rest may mean "
			"something else than it seems to",
			.instead = "the rest as a line of its own" };
	if (!p->profile->enabled && !in->started)
		worst = (struct outcome){ .action = POLICY_BLOCK,
			.id = "profile.disabled", .cmd = worst.cmd,
			.reason = "this profile runs no commands",
			.instead = "another profile, if the operator gives "
			    "you one" };
	/* A start-up file sets PATH under conditions, and goes on; a rule knew
	 * the names in it, and it runs where nothing can be changed. */
	if (in->resolved->incomplete && worst.action == POLICY_ALLOW &&
	    !(in->resolved->only_mild &&
	    in->origin == POLICY_ORIGIN_LOGIN)) {
		worst.action = POLICY_UNKNOWN;
		worst.rule = NULL;
		worst.id = "incomplete";
		worst.reason = "a part of the line can't be followed";
		worst.instead = "a line that names its commands";
	}
	if (!in->started)
		close_profile(p, &worst);
	finish(&e, &worst, ret);
	if (explain != NULL)
		buf_putf(explain, "verdict: %s, rule %s, evidence %u\n",
		    policy_action_name(ret->action), ret->rule, ret->evidence);
	arena_free(e.v.arena);
}
