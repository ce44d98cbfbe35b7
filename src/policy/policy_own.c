/* SPDX-License-Identifier: ISC */
/*
 * What is a person's own: what lies below the working directory, a home or
 * the places for temporary files.  Deleting there is everyday work.
 */
#include "policy_view_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static bool
strictly_below(const char *path, const char *dir, size_t dir_len)
{
	return dir_len > 1 && strncmp(path, dir, dir_len) == 0 &&
	    path[dir_len] == '/' && path[dir_len + 1] != '\0';
}

/* A directory directly below "/" is shared, whoever stands in it. */
static bool
is_deep(const char *dir)
{
	return dir[0] == '/' && strchr(dir + 1, '/') != NULL;
}

bool
view_in_home(const struct view *v, const char *path)
{
	return strictly_below(path, v->home, v->home_len) ||
	    strictly_below(path, v->real_home, v->real_home_len);
}

/* "~/…" that was left as it is: of the line's own HOME, whatever that is. */
static bool
is_tilde(const struct view *v, const char *path)
{
	return strncmp(path, "~/", 2) == 0 && path[2] != '\0' &&
	    (strcmp(v->env_home, v->home) == 0 ||
	    strcmp(v->env_home, v->real_home) == 0);
}

void
view_whose(const struct view *v, struct view_path *p)
{
	static const char *const temp[] = { "/tmp", "/var/tmp" };
	const char *cwd = v->cwds[0], *path = p->path;
	size_t i;

	p->own = view_in_home(v, path) || is_tilde(v, path) ||
	    (is_deep(cwd) && strictly_below(path, cwd, strlen(cwd)));
	for (i = 0; i < AEG_NELEM(temp); i++)
		p->own |= strictly_below(path, temp[i], strlen(temp[i]));
	/* Where one stands, and what that lies in, is more than one meant. */
	if (strcmp(path, cwd) == 0 || strictly_below(cwd, path, p->len))
		p->own = false;
	p->own_start = p->own || (is_deep(cwd) && strcmp(path, cwd) == 0 &&
	    strcmp(path, v->home) != 0 && strcmp(path, v->real_home) != 0 &&
	    strcmp(path, v->env_home) != 0);
}

bool
view_only_globs(const struct syn_word *word)
{
	size_t i;

	for (i = 0; i < word->n_parts; i++)
		if (!word->parts[i].known &&
		    word->parts[i].why != SYN_WHY_GLOB)
			return false;
	return true;
}

/* Each path that is deleted or changed is the person's own; words that are
 * not known, or that only running would tell, are nobody's. */
void
view_own(struct view_cmd *cmd)
{
	const unsigned changed = POL_HOW_DELETE | POL_HOW_CHANGE;
	size_t i, n_changed = 0, n_listed = 0;
	bool own = true, start = true;

	for (i = 0; i < cmd->n_paths; i++) {
		if (cmd->paths[i].how & changed) {
			n_changed++;
			own &= cmd->paths[i].own;
		}
		if (cmd->paths[i].how & POL_HOW_LIST) {
			n_listed++;
			start &= cmd->paths[i].own_start;
		}
	}
	if (cmd->item->more_args_unknown)
		return;
	for (i = 0; i < cmd->n_operands; i++)
		if (!cmd->argv[cmd->operands[i]].known &&
		    !view_only_globs(&cmd->argv[cmd->operands[i]]))
			return;
	if (own && n_changed > 0)
		cmd->features |= (uint64_t)1 << POL_FEATURE_OWN_TREE;
	if (start && (n_listed > 0 || cmd->n_operands == 0))
		cmd->features |= (uint64_t)1 << POL_FEATURE_OWN_START;
}

