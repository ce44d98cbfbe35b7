/* SPDX-License-Identifier: ISC */
/*
 * What a command must have for a rule to be worth a look: a few masks, worked
 * out with the compiled form, that let almost all rules pass by a command
 * without asking any of their conditions.  A gate only ever leaves out what
 * the conditions would refuse: each of its masks is taken from one of them.
 */
#include "policy_compile_int.h"
#include "policy_view_int.h"

#include <string.h>

enum {			/* bits of pol_gate.needs and view_cmd.has */
	HAS_ASSIGN = 1 << 0, HAS_PREFIX = 1 << 1, HAS_CODE = 1 << 2,
	HAS_INPUT = 1 << 3, HAS_COMPANY = 1 << 4, HAS_WRAPPER = 1 << 5,
	HAS_OPERAND = 1 << 6, HAS_SECOND = 1 << 7, HAS_OPTION = 1 << 8,
};

/* ---- of a rule, when it is compiled -------------------------------------- */

/* Of a word that a name must begin with, or any. */
static uint32_t
initial(const char *pattern)
{
	return pattern[0] == '*' ? UINT32_MAX :
	    (uint32_t)1 << ((unsigned char)pattern[0] % 32);
}

/* The names with a wildcard: for the others the index leads to the rule. */
static uint32_t
initials(const struct compiler *c, const struct pol_cond *cond)
{
	const uint32_t *list = (const uint32_t *)(const void *)c->lists.data +
	    cond->list;
	uint32_t bits = 0, i;
	const char *name;

	for (i = 0; i < cond->n; i++) {
		name = c->strings.bytes.data + list[i];
		if (strchr(name, '*') != NULL)
			bits |= initial(name);
	}
	return bits;
}

static uint64_t
mask_of(const struct compiler *c, const struct pol_cond *cond)
{
	const uint32_t *half = (const uint32_t *)(const void *)c->lists.data +
	    cond->list;

	return half[0] | (uint64_t)half[1] << 32;
}

static const uint16_t needs[POL_COND_COUNT] = {
	[POL_COND_ASSIGN] = HAS_ASSIGN, [POL_COND_ASSIGN_VALUE] = HAS_ASSIGN,
	[POL_COND_PREFIX] = HAS_PREFIX, [POL_COND_LANGUAGE] = HAS_CODE,
	[POL_COND_CODE] = HAS_CODE, [POL_COND_CODE_TEXT] = HAS_CODE,
	[POL_COND_INPUT] = HAS_INPUT, [POL_COND_FED_BY] = HAS_COMPANY,
	[POL_COND_FEEDS] = HAS_COMPANY, [POL_COND_HOLDS] = HAS_COMPANY,
	[POL_COND_INSIDE] = HAS_COMPANY, [POL_COND_BESIDE] = HAS_COMPANY,
	[POL_COND_BESIDE_READS] = HAS_COMPANY,
	[POL_COND_WRAPPER] = HAS_WRAPPER, [POL_COND_FIRST] = HAS_OPERAND,
	[POL_COND_OPERAND] = HAS_OPERAND, [POL_COND_SECOND] = HAS_SECOND,
	[POL_COND_OPTION] = HAS_OPTION,
};

void
pol_gate_make(const struct compiler *c, const struct pol_cond *conds,
	size_t n, struct pol_gate *ret)
{
	const struct pol_cond *cond;

	memset(ret, 0, sizeof *ret);
	ret->names = ret->unknown = UINT32_MAX;
	ret->kinds = ret->origins = ret->turns = UINT16_MAX;
	for (cond = conds; cond < conds + n; cond++) {
		/* A "not", and an option of none, hold for the bare. */
		if ((cond->id & POL_COND_NOT) != 0 || cond->n == 0)
			continue;
		ret->needs |= needs[cond->id];
		if (cond->id == POL_COND_COMMAND) {
			ret->names = initials(c, cond);
			continue;
		}
		switch (pol_cond_row(cond->id)->arg) {
		case POL_ARG_SETS:
			if (cond->id != POL_COND_BESIDE_READS)
				ret->sets = mask_of(c, cond);
			break;
		case POL_ARG_FEATURES:
			ret->features = mask_of(c, cond);
			break;
		case POL_ARG_UNKNOWNS:
			ret->unknown = (uint32_t)mask_of(c, cond);
			break;
		case POL_ARG_KINDS:
			ret->kinds = (uint16_t)mask_of(c, cond);
			break;
		case POL_ARG_ORIGINS:
			ret->origins = (uint16_t)mask_of(c, cond);
			break;
		case POL_ARG_TURNS:
			ret->turns = (uint16_t)mask_of(c, cond);
			break;
		case POL_ARG_NAMES:
		case POL_ARG_GLOBS:
		case POL_ARG_TEXTS:
		case POL_ARG_OPTIONS:
		case POL_ARG_REGEX:
		case POL_ARG_NUMBERS:
		case POL_ARG_TIMES:
			break;
		}
	}
}

/* ---- of a command, when the view of it is whole -------------------------- */

static uint16_t
has_assigns(const struct view_cmd *cmd)
{
	size_t i;

	for (i = 0; i < cmd->n_assigns; i++)
		if (cmd->assigns[i].prefix)
			return HAS_ASSIGN | HAS_PREFIX;
	return cmd->n_assigns > 0 ? HAS_ASSIGN : 0;
}

static uint16_t
has_input(const struct syn_command *c)
{
	size_t i;

	for (i = 0; i < c->n_redirs; i++)
		if (c->redirs[i].op == SYN_REDIR_HEREDOC ||
		    c->redirs[i].op == SYN_REDIR_HERESTRING)
			return HAS_INPUT;
	return 0;
}

void
view_gates(struct view *v)
{
	struct view_cmd *cmd;

	for (cmd = v->cmds; cmd < v->cmds + v->n_cmds; cmd++) {
		cmd->initials = cmd->name_len > 0 ? initial(cmd->name) : 0;
		if (cmd->real != NULL)
			cmd->initials |= initial(cmd->real);
		cmd->has = has_assigns(cmd) | has_input(cmd->item->command) |
		    (cmd->n_code > 0 ? HAS_CODE : 0) |
		    (v->n_cmds > 1 ? HAS_COMPANY : 0) |
		    (cmd->item->wrapper != NULL ? HAS_WRAPPER : 0) |
		    (cmd->n_operands > 0 ? HAS_OPERAND : 0) |
		    (cmd->n_operands > 1 ? HAS_SECOND : 0) |
		    (cmd->n_opts > 0 ? HAS_OPTION : 0);
	}
}
