/* SPDX-License-Identifier: ISC */
/*
 * In which directories the rest of a line may stand, as the commands of it
 * that are judged change them.
 */
#include "policy_view_int.h"

#include <limits.h>
#include <string.h>

static void
go_to(struct view *v, const char *to, size_t to_len)
{
	bool bent = false;
	size_t len, i;
	const char *dir;

	dir = view_fold(v, v->cwds[0], to, to_len, &len, &bent);
	if (len >= PATH_MAX) {
		v->cwd_open = true;	/* such a cd fails */
		return;
	}
	if (v->n_cwds < VIEW_CWDS_MAX)
		v->n_cwds++;
	for (i = v->n_cwds - 1; i > 0; i--)
		v->cwds[i] = v->cwds[i - 1];
	v->cwds[0] = dir;
}

/* From here on relative paths may mean another directory; the old ones
 * stay possible, as a cd may fail or stand in a subshell. */
void
view_follow_cd(struct view *v, const struct view_cmd *cmd)
{
	const struct syn_word *word;

	if (strcmp(cmd->name, "cd") != 0 && strcmp(cmd->name, "pushd") != 0)
		return;
	if (cmd->n_operands == 0 && strcmp(cmd->name, "cd") == 0) {
		if (view_names_have(&v->assigned, "HOME", 4))
			v->cwd_open = true;
		else
			go_to(v, v->env_home, v->env_home_len);
		return;
	}
	if (cmd->n_operands != 1)
		return;
	word = &cmd->argv[cmd->operands[0]];
	if (!word->known || word->len == 0 || word->value[0] == '-' ||
	    (word->value[0] != '/' && (
	    view_names_have(&v->assigned, "CDPATH", 6) ||
	    state_get(v->in->state, "CDPATH") != NULL))) {
		/* CDPATH may lead a relative cd anywhere. */
		v->cwd_open = true;
		return;
	}
	go_to(v, word->value, word->len);
}
