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

/* "subvolume list": the first operands, one glob each. */
static bool
begins_with(const struct view_cmd *cmd, const char *globs, size_t len)
{
	const struct syn_word *word;
	const char *p = globs, *end = globs + len;
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
	}
	return true;
}

static bool
any_beginning(const struct view_cmd *cmd, const char *shape)
{
	size_t n;

	for (; *shape != '\0'; shape += n + (shape[n] == '|')) {
		n = strcspn(shape, "|");
		if (begins_with(cmd, shape, n))
			return true;
	}
	return false;
}

static bool
any_operand(const struct view_cmd *cmd, const char *glob)
{
	size_t i;

	for (i = 0; i < cmd->n_operands; i++)
		if (view_glob(glob, operand(cmd, i)->value))
			return true;
	return false;
}

static bool
any_option(const struct view_cmd *cmd, const char *group, const char *fine)
{
	const struct view_opt *opt;
	const struct syn_word *value;
	size_t i;

	for (i = 0; i < cmd->n_opts; i++) {
		opt = &cmd->opts[i];
		if (!view_opt_in(&opt->opt, group))
			continue;
		value = &cmd->argv[opt->opt.value_word];
		if (fine == NULL || !opt->has_value || !value->known ||
		    !is_approved(fine, value->value + opt->opt.value_skip,
		    value->len - opt->opt.value_skip))
			return true;
	}
	return false;
}

/*
 * A shape is one of
 *	-o|--option	an option, perhaps with " !a,b": values that are fine
 *	^list|show *	the first operands, one glob each; "^" alone: none
 *	glob		any operand
 */
static bool
has_shape(const struct view_cmd *cmd, const char *shape)
{
	const char *bang = strstr(shape, " !");
	char group[256];
	size_t n = bang != NULL ? (size_t)(bang - shape) : strlen(shape);

	if (n >= sizeof group)
		return true;
	memcpy(group, shape, n);
	group[n] = '\0';
	if (strcmp(group, "^") == 0)
		return cmd->n_operands == 0;
	if (group[0] == '^')
		return any_beginning(cmd, group + 1);
	if (group[0] != '-')
		return any_operand(cmd, group);
	return any_option(cmd, group, bang != NULL ? bang + 2 : NULL);
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

uint64_t
view_turns(const struct view *v, const struct view_cmd *cmd)
{
	static const char looks[] = "looks";
	const struct pol_program *g = cmd->program;
	const struct policy *p = v->policy;
	const uint32_t *turns;
	uint64_t bits = 0;
	uint32_t i;
	int bit;

	if (asks_for_help(cmd))
		bits |= (uint64_t)1 << pol_arg_bit(POL_ARG_TURNS, looks);
	if (g == NULL)
		return bits;
	turns = pol_list(p, g->turns);
	for (i = 0; i < g->n_turns; i += 2) {
		bit = pol_arg_bit(POL_ARG_TURNS, pol_string(p, turns[i + 1]));
		if (bit >= 0 && has_shape(cmd, pol_string(p, turns[i])))
			bits |= (uint64_t)1 << bit;
	}
	return bits;
}
