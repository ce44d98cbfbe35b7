/* SPDX-License-Identifier: ISC */
/*
 * What a line makes and then uses: other names for files and directories
 * (ln, cp, mv, mount --bind, rsync), and files that a program which comes
 * later runs because of what they are called.
 */
#include "policy_view_int.h"

#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/path.h"

#define MADE_MAX 32		/* names of one line that are followed */

static bool
is_directory(const struct view *v, const char *path)
{
	struct stat st;

	return v->touch_disk && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* "x/", ".", "a/..": surely no new name. */
static bool
looks_like_directory(const struct syn_word *word)
{
	const char *base = path_base(word->value);

	return word->len == 0 || word->value[word->len - 1] == '/' ||
	    strcmp(base, ".") == 0 || strcmp(base, "..") == 0;
}

static void
push(struct view *v, const char *path, const char *to, bool copied)
{
	struct view_made made = { .path = path, .len = strlen(path),
		.to = to, .to_len = strlen(to), .copied = copied };

	if (v->n_made >= MADE_MAX) {
		v->over_cap = true;
		return;
	}
	if (made.len < 2 || strcmp(path, to) == 0)
		return;
	VIEW_PUSH(v->arena, v->made, v->n_made, made);
}

static const char *
joined(struct view *v, const char *dir, const char *name)
{
	AEG_AUTOFREE char *path = path_canon(dir, name);

	return arena_memdup0(v->arena, path, strlen(path));
}

static const char *
absolute(struct view *v, const char *dir, const struct syn_word *word)
{
	bool bent = false;
	size_t len;

	return view_fold(v, dir, word->value, word->len, &len, &bent);
}

/* One source of ln, cp, mv or rsync, and where it goes. */
static void
note_one(struct view *v, const struct view_cmd *cmd,
	const struct syn_word *from, const struct syn_word *to, bool into)
{
	bool link = strcmp(cmd->name, "ln") == 0;
	bool copied = strcmp(cmd->name, "cp") == 0 ||
	    strcmp(cmd->name, "rsync") == 0;
	const char *dest = absolute(v, v->cwds[0], to), *source, *dir, *base;
	char *trimmed;
	size_t n;

	into |= looks_like_directory(to) || is_directory(v, dest);
	dir = into ? dest : joined(v, dest, "..");
	/* A link leads on from where it lies. */
	source = absolute(v, link && view_option(cmd, "-s|--symbolic") != NULL ?
	    dir : v->cwds[0], from);
	for (n = from->len; n > 1 && from->value[n - 1] == '/';)
		n--;
	trimmed = arena_memdup0(v->arena, from->value, n);
	base = path_base(trimmed);
	push(v, joined(v, dest, base), source, copied);
	/* rsync x/ y: what is in x goes into y. */
	if (strcmp(cmd->name, "rsync") == 0)
		into &= n == from->len;
	if (!into)
		push(v, dest, source, copied);
}

static void
note_names(struct view *v, const struct view_cmd *cmd)
{
	const struct view_opt *t = view_option(cmd, "-t|--target-directory");
	const struct syn_word *to, here = { .known = true, .value = ".",
		.len = 1 };
	struct syn_word target;
	size_t n = cmd->n_operands, i;
	bool into = false;

	if (t != NULL && t->has_value) {
		target = cmd->argv[t->opt.value_word];
		target.value += t->opt.value_skip;
		target.len -= t->opt.value_skip;
		to = &target;
		into = true;
	} else if (n == 1 && strcmp(cmd->name, "ln") == 0) {
		to = &here;
	} else if (n >= 2) {
		to = &cmd->argv[cmd->operands[--n]];
	} else {
		return;
	}
	for (i = 0; i < n && to->known; i++)
		if (cmd->argv[cmd->operands[i]].known)
			note_one(v, cmd, &cmd->argv[cmd->operands[i]], to,
			    into);
}

/* mount --bind OLD NEW */
static void
note_mount(struct view *v, struct view_cmd *cmd)
{
	const struct syn_word *from, *to;
	const char *args;
	size_t len;

	if (cmd->n_operands != 2)
		return;
	args = view_args(v, cmd, &len);
	from = &cmd->argv[cmd->operands[0]];
	to = &cmd->argv[cmd->operands[1]];
	if (strstr(args, "bind") != NULL && from->known && to->known)
		push(v, absolute(v, v->cwds[0], to),
		    absolute(v, v->cwds[0], from), false);
}

void
view_note_made(struct view *v, struct view_cmd *cmd)
{
	static const char *const names[] = { "cp", "gcp", "ln", "mv",
		"rsync" };
	size_t i;

	if (strcmp(cmd->name, "mount") == 0)
		note_mount(v, cmd);
	for (i = 0; i < AEG_NELEM(names); i++)
		if (strcmp(cmd->name, names[i]) == 0)
			note_names(v, cmd);
}

/* What the path is by one name that was made; NULL: nothing. */
static const char *
made_of(struct view *v, const struct view_made *m, const char *path,
	unsigned how)
{
	size_t len = strlen(path);

	if (len < m->len || memcmp(path, m->path, m->len) != 0 ||
	    (path[m->len] != '/' && path[m->len] != '\0'))
		return NULL;
	/* A copy may go; a link that goes leaves what it leads to. */
	if (m->copied && (how & (POL_HOW_READ | POL_HOW_MAYBE |
	    POL_HOW_RUN)) == 0)
		return NULL;
	if (path[m->len] == '\0' && (how & POL_HOW_DELETE))
		return NULL;
	return joined(v, m->to, path[m->len] == '\0' ? "." :
	    path + m->len + 1);
}

size_t
view_made_of(struct view *v, const char *path, unsigned how,
	const char *ret[VIEW_MADE_OF_MAX])
{
	const char *from = path, *found;
	size_t n = 0, next = 0, i;

	while (v->n_made > 0) {
		for (i = 0; i < v->n_made && n < VIEW_MADE_OF_MAX; i++) {
			found = made_of(v, &v->made[i], from, how);
			if (found != NULL)
				ret[n++] = found;
		}
		if (next == n)
			break;
		from = ret[next++];
	}
	return n;
}

void
view_runs_written(const struct view *v, struct view_cmd *cmd)
{
	const struct view_names *set = &v->written;
	size_t i;

	if (set->n == 0 || cmd->name_len == 0 ||
	    !resolve_has_defaults(cmd->name))
		return;
	for (i = 0; i < set->cap; i++)
		if (set->slots[i].text != NULL &&
		    resolve_runs_by_default(cmd->name, set->slots[i].text))
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_RUN;
}
