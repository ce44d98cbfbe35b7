/* SPDX-License-Identifier: ISC */
/* One rule against one command: every condition must hold. */
#include "policy_view_int.h"

#include <fnmatch.h>
#include <string.h>
#include <time.h>

#include "aegsh/base/clock.h"

struct match {
	struct view *v;
	struct view_cmd *cmd;
	const struct pol_rule *rule;
	enum view_found found;
	bool limit;		/* a regular expression ran into its limit */
};

static const char *
element(const struct match *m, const struct pol_cond *c, uint32_t i)
{
	return pol_string(m->v->policy,
	    pol_list(m->v->policy, c->list)[i]);
}

static uint64_t
mask_of(const struct match *m, const struct pol_cond *c)
{
	const uint32_t *half = pol_list(m->v->policy, c->list);

	return half[0] | (uint64_t)half[1] << 32;
}

/* "mkfs*", "*-shell", or the whole name. */
static bool
name_matches(const char *pattern, const char *name, size_t len)
{
	size_t n;

	if (pattern[0] != '*' && pattern[0] != (len > 0 ? name[0] : '\0'))
		return false;
	n = strlen(pattern);
	if (n > 0 && pattern[n - 1] == '*' && pattern[0] != '*')
		return len >= n - 1 && memcmp(pattern, name, n - 1) == 0;
	if (n > 1 && pattern[0] == '*')
		return len >= n - 1 && memcmp(pattern + 1,
		    name + len - (n - 1), n - 1) == 0;
	if (n == 1 && pattern[0] == '*')
		return true;
	return len == n && memcmp(pattern, name, n) == 0;
}

bool
view_name_is(const struct view_cmd *cmd, const char *pattern)
{
	return name_matches(pattern, cmd->name, cmd->name_len) ||
	    (cmd->stem_len < cmd->name_len &&
	    name_matches(pattern, cmd->name, cmd->stem_len)) ||
	    (cmd->real != NULL &&
	    name_matches(pattern, cmd->real, strlen(cmd->real)));
}

bool
view_any_name(const struct policy *p, const struct pol_cond *c,
	const struct view_cmd *cmd)
{
	const uint32_t *list = pol_list(p, c->list);
	uint32_t i;

	for (i = 0; i < c->n; i++)
		if (view_name_is(cmd, pol_string(p, list[i])))
			return true;
	return false;
}

bool
view_glob(const char *pattern, const char *text)
{
	/* Most globs begin with a byte that stands for itself. */
	switch (pattern[0]) {
	case '*':
	case '?':
	case '[':
	case '\\':
		break;
	default:
		if (pattern[0] != text[0])
			return false;
	}
	return strpbrk(pattern, "*?[\\") == NULL ? strcmp(pattern, text) == 0 :
	    fnmatch(pattern, text, 0) == 0;
}

static bool
any_glob(const struct match *m, const struct pol_cond *c, const char *text)
{
	uint32_t i;

	for (i = 0; i < c->n; i++)
		if (view_glob(element(m, c, i), text))
			return true;
	return false;
}

static bool
nth_operand(const struct match *m, const struct pol_cond *c, size_t nth)
{
	return nth < m->cmd->n_operands && any_glob(m, c,
	    m->cmd->argv[m->cmd->operands[nth]].value);
}

static bool
any_operand(const struct match *m, const struct pol_cond *c)
{
	size_t i;

	for (i = 0; i < m->cmd->n_operands; i++)
		if (nth_operand(m, c, i))
			return true;
	return false;
}

static bool
all_options(const struct match *m, const struct pol_cond *c)
{
	uint32_t i;

	for (i = 0; i < c->n; i++)
		if (view_option(m->cmd, element(m, c, i)) == NULL)
			return false;
	return true;
}

static bool
any_path(const struct match *m, const struct pol_cond *c, unsigned how)
{
	uint64_t mask = mask_of(m, c);
	size_t i;

	if ((m->cmd->all_sets & mask) == 0)
		return false;
	for (i = 0; i < m->cmd->n_paths; i++)
		if ((m->cmd->paths[i].how & how) != 0 &&
		    (m->cmd->paths[i].sets & mask) != 0)
			return true;
	return false;
}

static bool
any_regex(struct match *m, const struct pol_cond *c, const char *text,
	size_t len)
{
	const uint32_t *list = pol_list(m->v->policy, c->list);
	uint32_t i;

	for (i = 0; i < c->n; i++)
		switch (pol_regex_match(m->v->policy, list[i], text, len)) {
		case POL_REGEX_YES:
			return true;
		case POL_REGEX_LIMIT_HIT:
			m->limit = true;
			return true;
		case POL_REGEX_NO:
			break;
		}
	return false;
}

static bool
may_hold(const uint32_t *pairs, const char *needle)
{
	unsigned bit;

	if (pairs == NULL || needle[0] == '\0' || needle[1] == '\0')
		return true;
	bit = view_pair(needle);
	return (pairs[bit / 32] >> bit % 32 & 1) != 0;
}

/* pairs: those of the text, or NULL. */
static bool
any_text(const struct match *m, const struct pol_cond *c, const char *text,
	size_t len, const uint32_t *pairs)
{
	const char *needle;
	uint32_t i;

	for (i = 0; i < c->n; i++) {
		needle = element(m, c, i);
		if (may_hold(pairs, needle) && memmem(text, len, needle,
		    strlen(needle)) != NULL)
			return true;
	}
	return false;
}

/* ---- assignments -------------------------------------------------------- */

static bool
assign_name_is(const struct match *m, const struct pol_cond *c,
	const struct view_assign *a)
{
	char name[128];

	if (a->name_len >= sizeof name)
		return false;
	memcpy(name, a->name, a->name_len);
	name[a->name_len] = '\0';
	return any_glob(m, c, name);
}

static bool
any_assign(const struct match *m, const struct pol_cond *c, bool prefix)
{
	size_t i;

	for (i = 0; i < m->cmd->n_assigns; i++)
		if ((!prefix || m->cmd->assigns[i].prefix) &&
		    assign_name_is(m, c, &m->cmd->assigns[i]))
			return true;
	return false;
}

/* The value counts for the names that the rule's own conditions name. */
static bool
assign_is_meant(const struct match *m, const struct view_assign *a)
{
	const struct pol_cond *c = (const struct pol_cond *)pol_section(
	    m->v->policy, POL_SEC_CONDS) + m->rule->conds;
	bool named = false;
	uint32_t i;

	for (i = 0; i < m->rule->n_conds; i++)
		if (c[i].id == POL_COND_ASSIGN || c[i].id == POL_COND_PREFIX) {
			if (assign_name_is(m, &c[i], a))
				return true;
			named = true;
		}
	return !named;
}

static bool
any_assign_value(struct match *m, const struct pol_cond *c)
{
	const struct view_assign *a;
	size_t i;

	for (i = 0; i < m->cmd->n_assigns; i++) {
		a = &m->cmd->assigns[i];
		if (a->skip <= a->value->len && assign_is_meant(m, a) &&
		    any_regex(m, c, a->value->value + a->skip,
		    a->value->len - a->skip))
			return true;
	}
	return false;
}

/* ---- code and input ----------------------------------------------------- */

/* The languages that the rule itself names, or all. */
static bool
language_is_meant(const struct match *m, const struct resolve_code *code)
{
	const struct pol_cond *c = (const struct pol_cond *)pol_section(
	    m->v->policy, POL_SEC_CONDS) + m->rule->conds;
	uint32_t i, j;

	for (i = 0; i < m->rule->n_conds; i++) {
		if (c[i].id != POL_COND_LANGUAGE)
			continue;
		for (j = 0; j < c[i].n; j++)
			if (strcmp(element(m, &c[i], j), code->language) == 0)
				return true;
		return false;
	}
	return true;
}

static bool
any_code(struct match *m, const struct pol_cond *c, bool regex)
{
	const struct resolve_code *code;
	size_t i;

	for (i = 0; i < m->cmd->n_code; i++) {
		code = m->cmd->code[i];
		if (!language_is_meant(m, code))
			continue;
		if (c == NULL)
			return true;
		if (regex ? any_regex(m, c, code->text.value, code->text.len) :
		    any_text(m, c, code->text.value, code->text.len, NULL))
			return true;
	}
	return false;
}

static bool
any_input(struct match *m, const struct pol_cond *c)
{
	const struct syn_command *command = m->cmd->item->command;
	const struct syn_redir *r;
	size_t i;

	for (i = 0; i < command->n_redirs; i++) {
		r = &command->redirs[i];
		if ((r->op == SYN_REDIR_HEREDOC ||
		    r->op == SYN_REDIR_HERESTRING) &&
		    any_regex(m, c, r->target.value, r->target.len))
			return true;
	}
	return false;
}

static bool
any_number(const struct match *m, const struct pol_cond *c, uint32_t number)
{
	const uint32_t *list = pol_list(m->v->policy, c->list);
	uint32_t i;

	for (i = 0; i < c->n; i++)
		if (list[i] == number)
			return true;
	return false;
}

static bool
args_hold_text(struct match *m, const struct pol_cond *c)
{
	size_t len;
	const char *args = view_args(m->v, m->cmd, &len);

	return any_text(m, c, args, len, m->cmd->args_pairs);
}

static bool
args_match(struct match *m, const struct pol_cond *c)
{
	size_t len;
	const char *args = view_args(m->v, m->cmd, &len);

	return any_regex(m, c, args, len);
}

/* The whole line is the same for each of its commands: asked once. */
static bool
any_line(struct match *m, const struct pol_cond *c, bool regex)
{
	const struct policy_input *in = m->v->in;
	const struct pol_cond *first = pol_section(m->v->policy,
	    POL_SEC_CONDS);
	unsigned char *seen;

	if (in->line == NULL)
		return false;
	if (m->v->lines == NULL) {
		m->v->lines = arena_alloc(m->v->arena,
		    pol_count(m->v->policy, POL_SEC_CONDS));
		view_mark_pairs(in->line, in->len, m->v->line_pairs);
	}
	seen = &m->v->lines[c - first];
	if (*seen == 0)
		*seen = (regex ? any_regex(m, c, in->line, in->len) :
		    any_text(m, c, in->line, in->len, m->v->line_pairs)) ?
		    2 : 1;
	return *seen == 2;
}

/* Local time; that of the first question serves the whole line. */
static bool
any_time(struct match *m, const struct pol_cond *c)
{
	const uint32_t *list = pol_list(m->v->policy, c->list);
	struct view *v = m->v;
	struct tm tm;
	uint32_t i;

	if (v->at_any_time)
		return (c->id & POL_COND_NOT) == 0;
	if (!v->time_known) {
		time_t now = (time_t)(clock_wall_ns() / 1000000000);

		v->time_known = localtime_r(&now, &tm) != NULL;
		if (!v->time_known) {	/* no such year: a strict answer */
			m->limit = true;
			return true;
		}
		v->weekday = (unsigned)tm.tm_wday;
		v->minute = (unsigned)(tm.tm_hour * 60 + tm.tm_min);
	}
	for (i = 0; i < c->n; i++)
		if (pol_time_holds(list[i], v->weekday, v->minute))
			return true;
	return false;
}

/* The index knows the exact names; those with wildcards stand first. */
static bool
command_is(const struct match *m, const struct pol_cond *c)
{
	const char *name;
	uint32_t i;

	if ((c->id & POL_COND_NOT) == 0 && m->found == VIEW_FOUND_BY_NAME)
		return true;
	if ((c->id & POL_COND_NOT) != 0 ||
	    m->found != VIEW_FOUND_BY_WILDCARD)
		return view_any_name(m->v->policy, c, m->cmd);
	for (i = 0; i < c->n; i++) {
		name = element(m, c, i);
		if (strchr(name, '*') == NULL)
			return false;
		if (view_name_is(m->cmd, name))
			return true;
	}
	return false;
}

/* ---- one function for each row of policy_conds.h ------------------------- */

#define HOW_CHANGED (POL_HOW_WRITE | POL_HOW_DELETE | POL_HOW_CHANGE)

/* The macro keeps the long list readable: a condition is one expression
 * over the match m and its own arguments c. */
#define HOLDS_WHEN(id, expression) \
	static bool \
	holds_##id(struct match *m, const struct pol_cond *c) \
	{ \
		(void)c; \
		return (expression); \
	}

HOLDS_WHEN(COMMAND, command_is(m, c))
HOLDS_WHEN(KIND, mask_of(m, c) >> m->cmd->item->kind & 1)
HOLDS_WHEN(UNKNOWN, (mask_of(m, c) & m->cmd->unknown) != 0)
HOLDS_WHEN(FEATURE, (mask_of(m, c) & m->cmd->features) != 0)
HOLDS_WHEN(ORIGIN, mask_of(m, c) >> m->v->in->origin & 1)
HOLDS_WHEN(TIME, any_time(m, c))
HOLDS_WHEN(UID, any_number(m, c, m->v->in->uid))
HOLDS_WHEN(OPTION, all_options(m, c))
HOLDS_WHEN(FIRST, nth_operand(m, c, 0))
HOLDS_WHEN(SECOND, nth_operand(m, c, 1))
HOLDS_WHEN(OPERAND, any_operand(m, c))
HOLDS_WHEN(WRAPPER, m->cmd->item->wrapper != NULL &&
    any_glob(m, c, m->cmd->item->wrapper))
HOLDS_WHEN(ASSIGN, any_assign(m, c, false))
HOLDS_WHEN(PREFIX, any_assign(m, c, true))
HOLDS_WHEN(ASSIGN_VALUE, any_assign_value(m, c))
HOLDS_WHEN(FED_BY, view_related(m->v, m->cmd, c, VIEW_FED_BY))
HOLDS_WHEN(FEEDS, view_related(m->v, m->cmd, c, VIEW_FEEDS))
HOLDS_WHEN(HOLDS, view_related(m->v, m->cmd, c, VIEW_HOLDS))
HOLDS_WHEN(INSIDE, view_related(m->v, m->cmd, c, VIEW_INSIDE))
HOLDS_WHEN(BESIDE, view_related(m->v, m->cmd, c, VIEW_BESIDE))
HOLDS_WHEN(BESIDE_READS,
    (view_read_beside(m->v, m->cmd) & mask_of(m, c)) != 0)
HOLDS_WHEN(LANGUAGE, any_code(m, NULL, false))
HOLDS_WHEN(TURNS, (mask_of(m, c) & view_turns(m->v, m->cmd)) != 0)
HOLDS_WHEN(TEXT, args_hold_text(m, c))
HOLDS_WHEN(ARGS, args_match(m, c))
HOLDS_WHEN(CODE_TEXT, any_code(m, c, false))
HOLDS_WHEN(CODE, any_code(m, c, true))
HOLDS_WHEN(INPUT, any_input(m, c))
HOLDS_WHEN(LINE_TEXT, any_line(m, c, false))
HOLDS_WHEN(LINE, any_line(m, c, true))
HOLDS_WHEN(READS, any_path(m, c, POL_HOW_READ))
HOLDS_WHEN(MAY_READ, any_path(m, c, POL_HOW_READ | POL_HOW_RUN |
    POL_HOW_MAYBE))
HOLDS_WHEN(WRITES, any_path(m, c, HOW_CHANGED))
HOLDS_WHEN(MAY_WRITE, any_path(m, c, HOW_CHANGED | POL_HOW_MAYBE))
HOLDS_WHEN(DELETES, any_path(m, c, POL_HOW_DELETE))
HOLDS_WHEN(CHANGES, any_path(m, c, POL_HOW_CHANGE))
HOLDS_WHEN(LISTS, any_path(m, c, POL_HOW_LIST))
HOLDS_WHEN(RUNS, any_path(m, c, POL_HOW_RUN))
HOLDS_WHEN(TOUCHES, any_path(m, c, ~0u))
HOLDS_WHEN(REDIRECTS, any_path(m, c, POL_HOW_REDIRECTED))

static bool (*const holds[])(struct match *m, const struct pol_cond *c) = {
#define POL_COND(id, key, arg, cost) holds_##id,
#include "policy_conds.h"
#undef POL_COND
};

static bool
conds_hold(struct view *v, struct view_cmd *cmd, const struct pol_rule *rule,
	enum view_found found, bool *ret_limit)
{
	const struct pol_cond *c = (const struct pol_cond *)pol_section(
	    v->policy, POL_SEC_CONDS) + rule->conds;
	struct match m = { .v = v, .cmd = cmd, .rule = rule, .found = found };
	uint32_t i;

	for (i = 0; i < rule->n_conds; i++) {
		bool hit = holds[c[i].id & ~POL_COND_NOT](&m, &c[i]);

		if (m.limit) {
			*ret_limit = true;
			return true;
		}
		if (hit == ((c[i].id & POL_COND_NOT) != 0))
			return false;
	}
	return true;
}

bool
rule_matches(struct view *v, struct view_cmd *cmd,
	const struct pol_rule *rule, enum view_found found, bool *ret_limit)
{
	const struct pol_gate *g = (const struct pol_gate *)pol_section(
	    v->policy, POL_SEC_GATES) + (rule - (const struct pol_rule *)
	    pol_section(v->policy, POL_SEC_RULES));

	return view_may_match(v, cmd, g, found) &&
	    (g->turns == UINT16_MAX || (g->turns & view_turns(v, cmd)) != 0) &&
	    conds_hold(v, cmd, rule, found, ret_limit);
}
