/* SPDX-License-Identifier: ISC */
/*
 * What the table of programs knows: into what a program is made by the
 * options and operands that stand here, or whether it only looks.
 */
#include "policy_view_int.h"

#include <string.h>

/* "gzip,pigz" holds the word that the value begins with, and nothing in
 * the value would start a second program. */
static bool
is_approved(const char *list, const char *text, size_t len)
{
	size_t n, i;

	for (i = 0; i < len; i++)
		if (strchr(";|&`(", text[i]) != NULL)
			return false;
	for (i = 0; i < len && text[i] != ' ' && text[i] != '='; i++)
		continue;
	len = i;

	for (; *list != '\0'; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == len && memcmp(list, text, n) == 0)
			return true;
	}
	return false;
}

static const struct syn_word *
operand(const struct view_cmd *cmd, size_t i)
{
	return i < cmd->n_operands ? &cmd->argv[cmd->operands[i]] : NULL;
}

/* "subvolume list *": one glob for each operand; a last "*" stands for all
 * that follow. */
static bool
operands_are(const struct view_cmd *cmd, const char *globs, size_t len)
{
	const struct syn_word *word;
	const char *p = globs, *end = globs + len;
	bool rest = false;
	char glob[64];
	size_t i, n;

	for (i = 0; p < end; i++, p += n + (p + n < end)) {
		for (n = 0; p + n < end && p[n] != ' '; n++)
			continue;
		word = operand(cmd, i);
		if (word == NULL || !word->known || n >= sizeof glob)
			return false;
		memcpy(glob, p, n);
		glob[n] = '\0';
		if (!view_glob(glob, word->value))
			return false;
		rest = strcmp(glob, "*") == 0;
	}
	return rest || i == cmd->n_operands;
}

static bool
any_row(const struct view_cmd *cmd, const char *shape)
{
	size_t n;

	for (; *shape != '\0'; shape += n + (shape[n] == '|')) {
		n = strcspn(shape, "|");
		if (operands_are(cmd, shape, n))
			return true;
	}
	return false;
}

/* "sh|bash": either. */
static bool
any_glob(const char *globs, const char *text)
{
	char glob[128];
	size_t n;

	for (; *globs != '\0'; globs += n + (globs[n] == '|')) {
		n = strcspn(globs + 1, "|") + 1;	/* "|*" is a glob */
		if (n >= sizeof glob)
			return true;
		memcpy(glob, globs, n);
		glob[n] = '\0';
		if (view_glob(glob, text))
			return true;
	}
	return false;
}

static bool
any_operand(const struct view_cmd *cmd, const char *globs)
{
	size_t i;

	for (i = 0; i < cmd->n_operands; i++)
		if (any_glob(globs, operand(cmd, i)->value))
			return true;
	return false;
}

/* fine: values that are; wanted: globs of values that are not; or NULL.
 * unknown: the answer where a value is not known. */
static bool
any_option(const struct view_cmd *cmd, const char *group, const char *fine,
	const char *wanted, bool unknown)
{
	const struct view_opt *opt;
	const struct syn_word *value;
	size_t i;

	for (i = 0; i < cmd->n_opts; i++) {
		opt = &cmd->opts[i];
		if (!view_opt_in(&opt->opt, group))
			continue;
		value = &cmd->argv[opt->opt.value_word];
		if (!opt->has_value || (fine == NULL && wanted == NULL))
			return true;
		if (!value->known) {
			if (unknown)
				return true;
			continue;
		}
		if (wanted != NULL ? any_glob(wanted, value->value +
		    opt->opt.value_skip) : !is_approved(fine,
		    value->value + opt->opt.value_skip,
		    value->len - opt->opt.value_skip))
			return true;
	}
	return false;
}

/*
 * A shape is one of
 *	-o|--option	an option, perhaps with " !a,b": values that are
 *			fine, or " =glob|glob": values that are not
 *	^list|show *	all operands, one glob each, a last "*" for the rest;
 *			"^" alone: none
 *	=glob		all words behind the name, joined by blanks
 *	!shape		not so
 *	glob|glob	any operand
 */
static bool
has_shape(struct view *v, struct view_cmd *cmd, const char *shape,
	bool unknown)
{
	const char *values;
	char group[POL_SHAPE_MAX];
	size_t n, len;

	switch (shape[0]) {
	case '!':
		return !has_shape(v, cmd, shape + 1, !unknown);
	case '=':
		return view_glob(shape + 1, view_args(v, cmd, &len));
	case '^':
		return shape[1] == '\0' ? cmd->n_operands == 0 :
		    any_row(cmd, shape + 1);
	case '-':
		break;
	default:
		return any_operand(cmd, shape);
	}
	n = strcspn(shape, " ");
	if (n >= sizeof group)
		return true;	/* the compiler lets none of these through */
	memcpy(group, shape, n);
	group[n] = '\0';
	values = shape[n] == ' ' ? shape + n + 1 : "";
	return any_option(cmd, group, values[0] == '!' ? values + 1 : NULL,
	    values[0] == '=' ? values + 1 : NULL, unknown);
}

/* "prog --help", "prog verb --help": programs of every kind print it and
 * do nothing. */
static bool
asks_for_help(const struct view_cmd *cmd)
{
	const struct syn_word *last;

	if (cmd->argc < 2 || cmd->argc > 3 ||
	    (cmd->argc == 3 && cmd->argv[1].value[0] == '-'))
		return false;
	last = &cmd->argv[cmd->argc - 1];
	return last->known && (strcmp(last->value, "--help") == 0 ||
	    strcmp(last->value, "--version") == 0);
}

static uint64_t
turns_of(struct view *v, struct view_cmd *cmd)
{
	const int looks = pol_arg_bit(POL_ARG_TURNS, "looks");
	const struct pol_program *g = cmd->program;
	const struct policy *p = v->policy;
	const uint32_t *turns;
	uint64_t bits = 0;
	uint32_t i;
	int bit;

	if (asks_for_help(cmd))
		bits |= (uint64_t)1 << looks;
	if (g == NULL)
		return bits;
	turns = pol_list(p, g->turns);
	for (i = 0; i < g->n_turns; i += 2) {
		bit = pol_arg_bit(POL_ARG_TURNS, pol_string(p, turns[i + 1]));
		/* Who may only look must be known to. */
		if (bit >= 0 && has_shape(v, cmd, pol_string(p, turns[i]),
		    bit != looks))
			bits |= (uint64_t)1 << bit;
	}
	return bits;
}

uint64_t
view_turns(struct view *v, struct view_cmd *cmd)
{
	if (!cmd->turns_known)
		cmd->turns = turns_of(v, cmd);
	cmd->turns_known = true;
	return cmd->turns;
}
