/* SPDX-License-Identifier: ISC */
/* Building the view: names, options, operands, assignments, joined words. */
#include "policy_view_int.h"

#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

/* Commands behind a wrapper that are looked at for its first. */
#define PASSED_ON_MAX 64

/* One file under many names: its own name says nothing. */
static const char *const multicall[] = { "busybox", "toybox", "coreutils" };

bool
policy_is_multicall(const char *name)
{
	return TEXT_AMONG(name, multicall);
}

bool
view_is_shell(const struct view_cmd *cmd)
{
	return resolve_is_shell(cmd->name);
}

static size_t
stem(const char *name, size_t len)
{
	size_t n = len;

	while (n > 0 && strchr("0123456789.-", name[n - 1]) != NULL)
		n--;
	return n > 0 ? n : len;
}

/* "-r|-R|--recursive" holds the option. */
bool
view_opt_in(const struct resolve_opt *opt, const char *group)
{
	const char *p = group;
	size_t n, dashes;

	for (; *p != '\0'; p += n + (p[n] == '|')) {
		n = strcspn(p, "|");
		dashes = n > 1 && p[0] == '-' && p[1] == '-' ? 2 : 1;
		if (n <= dashes || n - dashes != opt->name_len)
			continue;
		if ((n - dashes > 1) == opt->long_form &&
		    memcmp(p + dashes, opt->name, opt->name_len) == 0)
			return true;
		/* A single dash before a long name: find -delete. */
		if (n - dashes == 1 && opt->long_form &&
		    p[dashes] == opt->name[0])
			return true;
	}
	return false;
}

const struct view_opt *
view_option(const struct view_cmd *cmd, const char *group)
{
	size_t i;

	for (i = 0; i < cmd->n_opts; i++)
		if (view_opt_in(&cmd->opts[i].opt, group))
			return &cmd->opts[i];
	return NULL;
}

/* Words that a wrapper passes on belong to the command it starts. */
static void
own_words(const struct view *v, struct view_cmd *cmd, size_t index)
{
	const struct resolve_set *set = v->in->resolved;
	const struct resolved *item = cmd->item;
	size_t i, end = set->n - index > PASSED_ON_MAX ?
	    index + PASSED_ON_MAX : set->n;

	cmd->argv = item->argv;
	cmd->argc = item->argc;
	for (i = index + 1; i < end; i++) {
		const struct resolved *in = &set->items[i];

		if (in->command != item->command || in->wrapper == NULL)
			break;
		if (in->argv > item->argv && in->argv < item->argv +
		    item->argc) {
			cmd->argc = (size_t)(in->argv - item->argv);
			return;
		}
	}
}

static void
find_program(const struct view *v, struct view_cmd *cmd)
{
	const struct pol_name *name = pol_find_name(v->policy,
	    POL_SEC_PROGNAMES, cmd->name, cmd->name_len);

	if (name == NULL && cmd->stem_len < cmd->name_len)
		name = pol_find_name(v->policy, POL_SEC_PROGNAMES, cmd->name,
		    cmd->stem_len);
	if (name != NULL)
		cmd->program = (const struct pol_program *)pol_section(
		    v->policy, POL_SEC_PROGRAMS) + name->first;
}

/* A name that rules or tables speak of stands for itself: pidof may be a
 * link to killall5, and is not meant by what is said of that. */
static bool
is_well_known(const struct view *v, const struct view_cmd *cmd)
{
	return pol_find_name(v->policy, POL_SEC_PROGNAMES, cmd->name,
	    cmd->name_len) != NULL || pol_find_name(v->policy, POL_SEC_INDEX,
	    cmd->name, cmd->name_len) != NULL;
}

/* /usr/lib/apt/methods/http is not HTTPie: its place is its name. */
static bool
is_helper(const struct view *v, const struct resolved *item)
{
	return v->in->helper != NULL && item->level == 0 &&
	    item->wrapper == NULL && item->path != NULL &&
	    strcmp(item->path, v->in->helper) == 0;
}

static void
name_command(const struct view *v, struct view_cmd *cmd)
{
	const struct resolved *item = cmd->item;
	const char *real;

	if (is_helper(v, item)) {
		cmd->name = item->path;
		cmd->name_len = cmd->stem_len = strlen(cmd->name);
		return;
	}
	cmd->name = item->name != NULL ? item->name : "";
	cmd->name_len = strlen(cmd->name);
	cmd->stem_len = stem(cmd->name, cmd->name_len);
	if (item->path != NULL && !is_well_known(v, cmd)) {
		real = path_base(item->path);
		if (strcmp(real, cmd->name) != 0 &&
		    !policy_is_multicall(real))
			cmd->real = real;
	}
	if (cmd->name_len > 0)
		find_program(v, cmd);
}

static void
add_assign(struct view *v, struct view_cmd *cmd, const struct view_assign *a)
{
	VIEW_PUSH(v->arena, cmd->assigns, cmd->n_assigns, *a);
	view_names_add(v->arena, &v->assigned, a->name, a->name_len);
}

static void
push_assign(struct view *v, struct view_cmd *cmd, const struct syn_word *word,
	bool prefix)
{
	struct view_assign a = { .name = word->value, .value = word,
		.prefix = prefix };
	const char *equal = memchr(word->value, '=', word->len);

	if (equal == NULL)
		return;
	a.name_len = (size_t)(equal - word->value);
	a.skip = a.name_len + 1;
	if (a.name_len > 0 && word->value[a.name_len - 1] == '+')
		a.name_len--;
	if (text_is_name(a.name, a.name_len))
		add_assign(v, cmd, &a);
}

static void
find_assigns(struct view *v, struct view_cmd *cmd)
{
	static const char *const declare[] = { "declare", "export", "local",
		"readonly", "typeset" };
	static const char *const runs[] = { "env", "sudo" };
	const struct syn_command *c = cmd->item->command;
	size_t i;

	for (i = 0; i < c->n_assigns; i++) {
		struct view_assign a = { .name = c->assigns[i].name,
			.name_len = strlen(c->assigns[i].name),
			.value = &c->assigns[i].value,
			.prefix = c->n_words > 0 };

		add_assign(v, cmd, &a);
	}
	if (TEXT_AMONG(cmd->name, declare))
		for (i = 1; i < cmd->argc; i++)
			push_assign(v, cmd, &cmd->argv[i], false);
	if (TEXT_AMONG(cmd->name, runs))
		for (i = 1; i < cmd->argc; i++)
			push_assign(v, cmd, &cmd->argv[i], true);
}

static unsigned
why_unknown(const struct syn_word *word, bool name)
{
	unsigned bits = 0;
	size_t i;

	for (i = 0; i < word->n_parts; i++) {
		if (word->parts[i].known)
			continue;
		switch (word->parts[i].why) {
		case SYN_WHY_VARIABLE:
			bits |= name ? POL_UNKNOWN_NAME_VARIABLE : 0;
			break;
		case SYN_WHY_SUBST:
		case SYN_WHY_PROCESS:
			bits |= name ? POL_UNKNOWN_NAME_SUBST :
			    POL_UNKNOWN_OPERAND_SUBST;
			break;
		case SYN_WHY_GLOB:
			bits |= name ? POL_UNKNOWN_NAME_GLOB :
			    POL_UNKNOWN_OPERAND_GLOB;
			break;
		case SYN_WHY_INDIRECT:
			bits |= POL_UNKNOWN_EVALUATED |
			    (name ? POL_UNKNOWN_NAME_INDIRECT : 0);
			break;
		case SYN_WHY_ARITH:
			bits |= POL_UNKNOWN_EVALUATED;
			break;
		case SYN_WHY_BRACE:
			bits |= name ? POL_UNKNOWN_NAME_BRACE :
			    POL_UNKNOWN_OPERAND_BRACE;
			break;
		case SYN_WHY_UNSPECIFIED:
		case SYN_WHY_TILDE:
		case SYN_WHY_CAP:
		case SYN_WHY_READ_CHANGED:
			bits |= name ? POL_UNKNOWN_NAME_OTHER : 0;
			break;
		}
	}
	return bits;
}

/* Nothing that the line names: what bash would run while it evaluates a value
 * that is not known. */
bool
view_is_evaluated(const struct view_cmd *cmd)
{
	return cmd->argc == 1 && cmd->unknown == (POL_UNKNOWN_NAME |
	    POL_UNKNOWN_EVALUATED);
}

static void
read_words(struct view *v, struct view_cmd *cmd)
{
	struct resolve_opts o;
	struct view_opt opt;
	enum resolve_opt_kind kind;
	size_t i;

	if (cmd->argc == 0)
		return;
	if (!cmd->argv[0].known)
		cmd->unknown |= POL_UNKNOWN_NAME |
		    why_unknown(&cmd->argv[0], true);
	for (i = 1; i < cmd->argc; i++)
		if (!cmd->argv[i].known)
			cmd->unknown |= why_unknown(&cmd->argv[i], false) |
			    (cmd->argv[i].value[0] == '-' ?
			    POL_UNKNOWN_OPTION : POL_UNKNOWN_OPERAND);
	resolve_opts_init(&o, cmd->program != NULL ? pol_string(v->policy,
	    cmd->program->options) : NULL, cmd->argv, cmd->argc);
	while ((kind = resolve_opts_next(&o, &opt.opt)) != RESOLVE_OPT_END) {
		opt.has_value = kind == RESOLVE_OPT_VALUE;
		if (kind == RESOLVE_OPT_OPERAND)
			VIEW_PUSH(v->arena, cmd->operands, cmd->n_operands,
			    opt.opt.word);
		else
			VIEW_PUSH(v->arena, cmd->opts, cmd->n_opts, opt);
	}
}

/* Give each command the pieces of code that it holds. */
static void
find_code(struct view *v)
{
	const struct resolve_set *set = v->in->resolved;
	struct view_cmd *cmd;
	size_t i;

	for (i = 0; i < set->n_code; i++) {
		cmd = &v->cmds[set->code[i].by - set->items];
		VIEW_PUSH(v->arena, cmd->code, cmd->n_code, &set->code[i]);
		if (!set->code[i].text.known)
			cmd->unknown |= POL_UNKNOWN_CODE;
	}
}

void
view_mark_pairs(const char *text, size_t len, uint32_t *bits)
{
	unsigned bit;
	size_t i;

	for (i = 0; i + 1 < len; i++) {
		bit = view_pair(text + i);
		bits[bit / 32] |= (uint32_t)1 << bit % 32;
	}
}

const char *
view_args(struct view *v, struct view_cmd *cmd, size_t *ret_len)
{
	size_t i, len = 0;
	char *p;

	if (cmd->args == NULL) {
		for (i = 1; i < cmd->argc; i++)
			len += cmd->argv[i].len + 1;
		p = arena_alloc(v->arena, len + 1);
		cmd->args = p;
		cmd->args_len = len > 0 ? len - 1 : 0;
		for (i = 1; i < cmd->argc; i++) {
			memcpy(p, cmd->argv[i].value, cmd->argv[i].len);
			p += cmd->argv[i].len;
			*p++ = ' ';
		}
		if (len > 0)
			p[-1] = '\0';
		view_mark_pairs(cmd->args, cmd->args_len, cmd->args_pairs);
	}
	*ret_len = cmd->args_len;
	return cmd->args;
}

static void
find_homes(struct view *v)
{
	const struct policy_home *own = v->in->home;

	if (v->env_home == NULL)
		v->env_home = state_get(v->in->state, "HOME");
	if (v->env_home == NULL)
		v->env_home = "";
	v->home = own == NULL ? v->env_home : own->path != NULL ? own->path :
	    "";
	v->real_home = own == NULL ? v->home : own->real != NULL ? own->real :
	    "";
	v->env_home_len = strlen(v->env_home);
	v->home_len = strlen(v->home);
	v->real_home_len = strlen(v->real_home);
}

void
view_build(struct view *v, const struct policy *policy,
	const struct policy_input *in)
{
	const struct resolve_set *set = in->resolved;
	struct view_cmd *cmd;
	size_t i;

	v->policy = policy;
	v->in = in;
	find_homes(v);
	if (v->n_cwds == 0)
		v->cwds[v->n_cwds++] = state_cwd(in->state);
	v->project = in->project != NULL ? in->project : v->cwds[0];
	v->n_cmds = set->n;
	v->cmds = arena_alloc(v->arena, (set->n + 1) * sizeof *v->cmds);
	find_code(v);
	for (i = 0; i < set->n; i++) {
		cmd = &v->cmds[i];
		cmd->item = &set->items[i];
		own_words(v, cmd, i);
		name_command(v, cmd);
		read_words(v, cmd);
		find_assigns(v, cmd);
		view_runs_written(v, cmd);
		view_paths(v, cmd);
		view_note_made(v, cmd);
		view_follow_cd(v, cmd);
	}
	view_features(v);
	view_gates(v);
}
