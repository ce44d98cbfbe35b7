/* SPDX-License-Identifier: ISC */
/*
 * Which words of a command are paths, and what is done with each: by the
 * table of programs where it knows the program, by the look of the words
 * where it does not.
 */
#include "policy_view_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static void
push_path(struct view *v, struct view_cmd *cmd, const struct view_path *path)
{
	if (cmd->n_paths >= VIEW_PATHS_MAX) {
		v->over_cap = true;
		return;
	}
	cmd->all_sets |= path->sets;
	VIEW_PUSH(v->arena, cmd->paths, cmd->n_paths, *path);
}

static void
note_written(struct view *v, const struct view_path *path)
{
	if ((path->how & (POL_HOW_WRITE | POL_HOW_MADE)) != POL_HOW_WRITE ||
	    !path->known)
		return;
	view_names_add(v->arena, &v->written, path->path, strlen(path->path));
}

/* "http://host/dir/file?query": the line has a file of that name now,
 * wherever the program puts it. */
static void
note_fetched(struct view *v, const char *text, size_t len)
{
	size_t end = 0, start;

	while (end < len && text[end] != '?' && text[end] != '#')
		end++;
	for (start = end; start > 0 && text[start - 1] != '/';)
		start--;
	if (start > 0 && end > start)
		view_names_add(v->arena, &v->fetched, text + start,
		    end - start);
}

static bool
was_fetched(const struct view *v, const struct view_path *path)
{
	const char *base = path_base(path->path);

	return path->known && view_names_have(&v->fetched, base,
	    strlen(base));
}

static bool
was_written(const struct view *v, const struct view_path *path)
{
	return view_names_have(&v->written, path->path, strlen(path->path));
}

/* The set of what a name leads to counts beside the set of the name.  ".."
 * behind a link is the directory above of where the link leads. */
static uint64_t
sets_behind(struct view *v, struct view_path *path, const char *text,
	size_t len)
{
	const char *whole = path->path;

	if (!v->touch_disk || !path->known || path->path[0] != '/')
		return 0;
	if (memmem(text, len, "/..", 3) != NULL && text[0] != '~')
		whole = view_unfolded(v, text, len);
	path->real = view_behind(v, whole);
	return path->real == NULL ? 0 :
	    view_sets(v, path->real, strlen(path->real), true);
}

/* By a name that the line itself gave it: it is what that leads to. */
static void
add_made(struct view *v, struct view_path *path)
{
	const char *made[VIEW_MADE_OF_MAX];
	struct view_path other = *path;
	size_t i, n = view_made_of(v, path->path, path->how, made);

	for (i = 0; i < n; i++) {
		other.path = made[i];
		other.len = strlen(other.path);
		path->sets |= view_sets(v, other.path, other.len, path->known);
		view_whose(v, &other);
		path->own &= other.own;
		path->own_start &= other.own_start;
	}
}

void
view_add_path(struct view *v, struct view_cmd *cmd, const char *text,
	size_t len, unsigned how, bool known, bool must_match)
{
	struct view_path path = { .how = how, .known = known };
	bool bent = false, anywhere = (how & POL_HOW_ANYWHERE) != 0, made;
	size_t i, n;
	const char *other;

	path.how &= ~(unsigned)(POL_HOW_ANYWHERE | POL_HOW_FETCHED |
	    POL_HOW_GLOBBED);

	if (len == 0 || memchr(text, '\0', len) != NULL)
		return;
	/* "*" from an unknown beginning may stand for any directory. */
	path.path = anywhere ? text : view_fold(v, v->cwds[0], text, len,
	    &path.len, &bent);
	path.len = anywhere ? len : path.len;
	path.sets = view_sets(v, path.path, path.len, known);
	if (!anywhere && (known || (how & POL_HOW_GLOBBED)))
		view_whose(v, &path);
	for (i = 1; i < v->n_cwds && text[0] != '/' && !anywhere; i++) {
		other = view_fold(v, v->cwds[i], text, len, &n, &bent);
		path.sets |= view_sets(v, other, n, known);
	}
	if (!anywhere)
		add_made(v, &path);
	made = (how & POL_HOW_RUN) && view_may_be_written(v, &path,
	    (how & POL_HOW_GLOBBED) != 0);
	if (must_match && path.sets == 0 && !made && !was_written(v, &path))
		return;
	path.sets |= sets_behind(v, &path, text, len);
	if (bent)
		cmd->features |= (uint64_t)1 << POL_FEATURE_BENT_PATH;
	if (how & POL_HOW_RUN) {
		if (was_fetched(v, &path))
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_RUN;
		if (view_names_have(&v->marked, path.path,
		    strlen(path.path)))
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_MARKED_THEN_RUN;
	}
	if ((how & POL_HOW_CHANGE) && known)
		view_names_add(v->arena, &v->marked, path.path,
		    strlen(path.path));
	if (made)
		cmd->features |= (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_RUN;
	if (was_written(v, &path)) {
		if (how & POL_HOW_RUN)
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_RUN;
		if (how & POL_HOW_MAYBE)
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_USED;
		if (how & POL_HOW_CHANGE)
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_MARKED;
	}
	push_path(v, cmd, &path);
	note_written(v, &path);
}

static bool
starts_path(const char *p, size_t len)
{
	return len > 1 && (p[0] == '/' || (p[0] == '~' && (p[1] == '/')) ||
	    (p[0] == '.' && (p[1] == '/' || (len > 2 && p[1] == '.' &&
	    p[2] == '/'))));
}

/* Absolute paths inside a word or a piece of code: "f=@/etc/x",
 * "open('/etc/x')", "man:/etc/x"; not the path of a URL. */
void
view_add_embedded(struct view *v, struct view_cmd *cmd, const char *text,
	size_t len, unsigned how)
{
	static const char before[] = "=@:,;\"'`(<>|&[{! \t\n";
	static const char after[] = "\"'`)<>|&;,]}@ \t\n";
	const char *p = text, *end = text + len;
	size_t n;

	for (; p < end; p++) {
		if (*p != '/' && *p != '~')
			continue;
		if (p > text && strchr(before, p[-1]) == NULL)
			continue;
		if (!starts_path(p, (size_t)(end - p)))
			continue;
		if (p > text && p[-1] == ':' && p + 1 < end && p[1] == '/') {
			/* scheme://host/path, but file:///path */
			if (p + 2 >= end || p[2] != '/') {
				while (p + 1 < end &&
				    strchr(after, p[1]) == NULL)
					p++;
				continue;
			}
			p += 2;
		}
		for (n = 0; p + n < end && strchr(after, p[n]) == NULL; n++)
			continue;
		view_add_path(v, cmd, p, n, how, true, true);
		p += n > 0 ? n - 1 : 0;
	}
}

/* The text of a word with "*" for what is not known, or NULL when nothing
 * of it is. */
static const char *
with_stars(struct view *v, const struct syn_word *word, size_t skip,
	size_t *ret_len)
{
	char *out = arena_alloc(v->arena, word->len + word->n_parts + 1);
	const struct syn_part *part;
	size_t i, n = 0, known = 0, left = skip;

	for (i = 0; i < word->n_parts; i++) {
		part = &word->parts[i];
		if (left >= part->len) {
			left -= part->len;
			continue;
		}
		if (part->known || part->why == SYN_WHY_GLOB ||
		    part->why == SYN_WHY_TILDE) {
			memcpy(out + n, part->text + left, part->len - left);
			n += part->len - left;
			known += part->len - left;
		} else if (n == 0 || out[n - 1] != '*') {
			out[n++] = '*';
		}
		left = 0;
	}
	*ret_len = n;
	return known > 0 ? out : NULL;
}

static bool
starts_open(const struct syn_word *word, size_t skip)
{
	const struct syn_part *part = word->parts;

	while (part < word->parts + word->n_parts &&
	    (part->len == 0 || skip >= part->len))
		skip -= part++->len;
	return part < word->parts + word->n_parts && !part->known &&
	    part->why != SYN_WHY_GLOB && part->why != SYN_WHY_TILDE;
}

/* "host:path" and "scheme://host/path". */
static bool
is_remote(const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	const char *slash = memchr(text, '/', len);

	return colon != NULL && (slash == NULL || colon < slash);
}

/* "/etc/" followed by "*" alone means all that is in the directory: what
 * is done to it is done to the directory. */
static void
add_all_of(struct view *v, struct view_cmd *cmd, const char *text, size_t len,
	unsigned how)
{
	size_t n = len;

	while (n > 0 && text[n - 1] != '/')
		n--;
	if (n == len || strspn(text + n, "*.?") != len - n ||
	    memchr(text + n, '*', len - n) == NULL)
		return;
	if (n == 0)
		view_add_path(v, cmd, ".", 1, how, true, false);
	else if (memchr(text, '*', n) == NULL)
		view_add_path(v, cmd, text, n > 1 ? n - 1 : 1, how, true,
		    false);
}

static const char *
in_any_directory(struct view *v, const char *text, size_t len)
{
	char *out = arena_alloc(v->arena, len + 3);

	memcpy(out, "*/", 2);
	memcpy(out + 2, text, len);
	return out;
}

void
view_add_word(struct view *v, struct view_cmd *cmd, const struct syn_word *word,
	size_t skip, unsigned how)
{
	const char *text = word->value + skip;
	size_t len = word->len - skip;
	bool maybe = (how & POL_HOW_MAYBE) != 0;

	if (how == 0 || skip > word->len)
		return;
	if ((v->cwd_open || cmd->item->moved) && len > 0 && text[0] != '/' &&
	    text[0] != '~' && word->known) {
		/* Relative to a directory that is not known. */
		cmd->unknown |= POL_UNKNOWN_OPERAND;
		view_add_path(v, cmd, in_any_directory(v, text, len), len + 2,
		    (how & ~(unsigned)POL_HOW_REMOTE) | POL_HOW_ANYWHERE,
		    false, maybe);
		return;
	}
	if ((how & POL_HOW_FETCHED) && word->known)
		note_fetched(v, text, len);
	if ((how & POL_HOW_REMOTE) && is_remote(text, len))
		return;
	how &= ~(unsigned)POL_HOW_REMOTE;
	if (!word->known) {
		if ((how & POL_HOW_RUN) && view_is_looped(v, word))
			cmd->features |=
			    (uint64_t)1 << POL_FEATURE_WRITTEN_THEN_RUN;
		text = with_stars(v, word, skip, &len);
		if (text == NULL)
			return;
		if (view_only_globs(word))
			how |= POL_HOW_GLOBBED;
		if (starts_open(word, skip))
			how |= POL_HOW_ANYWHERE;
		view_add_path(v, cmd, text, len, how, false, maybe);
		how &= ~(unsigned)POL_HOW_ANYWHERE;
		if (!maybe)
			add_all_of(v, cmd, text, len, how);
		return;
	}
	/* An unknown program's plain word is a path when it looks like one,
	 * or when it would name something that a set guards. */
	view_add_path(v, cmd, text, len, how, true,
	    maybe && !starts_path(text, len));
	if (maybe)
		view_add_embedded(v, cmd, text, len, how);
}

static void
add_redirs(struct view *v, struct view_cmd *cmd)
{
	const struct syn_command *c = cmd->item->command;
	const struct syn_redir *r;
	unsigned how;
	size_t i;

	for (i = 0; i < c->n_redirs; i++) {
		r = &c->redirs[i];
		how = 0;
		switch (r->op) {
		case SYN_REDIR_IN:
			how = POL_HOW_READ;
			break;
		case SYN_REDIR_OUT:
		case SYN_REDIR_APPEND:
		case SYN_REDIR_CLOBBER:
		case SYN_REDIR_BOTH:
		case SYN_REDIR_BOTH_APPEND:
			how = POL_HOW_WRITE;
			break;
		case SYN_REDIR_UNKNOWN:
		case SYN_REDIR_RDWR:
			how = POL_HOW_READ | POL_HOW_WRITE;
			break;
		case SYN_REDIR_DUP_OUT:
			/* >&word with a word that is no number is &>word. */
			if (r->target.len > 0 && strspn(r->target.value,
			    "0123456789-") != r->target.len)
				how = POL_HOW_WRITE;
			break;
		case SYN_REDIR_DUP_IN:
		case SYN_REDIR_CLOSE:
		case SYN_REDIR_HEREDOC:
		case SYN_REDIR_HERESTRING:
			break;
		}
		if (how == 0)
			continue;
		if (!r->target.known)
			cmd->unknown |= POL_UNKNOWN_REDIR;
		if (how & POL_HOW_WRITE)
			how |= POL_HOW_REDIRECTED;
		view_add_word(v, cmd, &r->target, 0, how);
	}
}

/* The operand pattern that holds: of the first option that is there. */
static const char *
operand_pattern(const struct view *v, const struct view_cmd *cmd)
{
	const struct pol_program *g = cmd->program;
	const uint32_t *when = pol_list(v->policy, g->when);
	const char *key;
	uint32_t i;

	for (i = 0; i < g->n_when; i += 2) {
		key = pol_string(v->policy, when[i]);
		if (key[0] == '-' || key[0] == '+' ?
		    view_option(cmd, key) != NULL :
		    cmd->n_operands > 0 && strcmp(key,
		    cmd->argv[cmd->operands[0]].value) == 0)
			return pol_string(v->policy, when[i + 1]);
	}
	return pol_string(v->policy, g->operands);
}

/* What a value of an option is by the table; MAYBE where it says nothing. */
static unsigned
value_role(const struct view *v, const struct view_cmd *cmd,
	const struct resolve_opt *opt)
{
	const struct pol_program *g = cmd->program;
	const uint32_t *values;
	uint32_t i;

	if (g == NULL)
		return POL_HOW_MAYBE;
	values = pol_list(v->policy, g->values);
	for (i = 0; i < g->n_values; i += 2)
		if (view_opt_in(opt, pol_string(v->policy, values[i])))
			return pol_role_at(pol_string(v->policy, values[i + 1]),
			    0, 1);
	return POL_HOW_MAYBE;
}

/* of=/dev/sda and the like: the table names the part before "=". */
static bool
add_assignment_operand(struct view *v, struct view_cmd *cmd,
	const struct syn_word *word)
{
	const uint32_t *values = pol_list(v->policy, cmd->program->values);
	const char *key;
	uint32_t i;
	size_t n;

	for (i = 0; i < cmd->program->n_values; i += 2) {
		key = pol_string(v->policy, values[i]);
		n = strlen(key);
		if (n < 2 || key[n - 1] != '=' || word->len < n ||
		    memcmp(word->value, key, n) != 0)
			continue;
		view_add_word(v, cmd, word, n, pol_role_at(pol_string(v->policy,
		    values[i + 1]), 0, 1));
		return true;
	}
	return false;
}

static bool
holds_value(const struct view_cmd *cmd, size_t word)
{
	size_t i;

	for (i = 0; i < cmd->n_opts; i++)
		if (cmd->opts[i].has_value &&
		    cmd->opts[i].opt.value_word == word)
			return true;
	return false;
}

/* -o/etc/x, -opt=/etc/x: what an option that no row knows may hold. */
static void
add_attached(struct view *v, struct view_cmd *cmd)
{
	const struct syn_word *word;
	const char *p;
	size_t i;

	for (i = 1; i < cmd->argc; i++) {
		word = &cmd->argv[i];
		if (word->len < 3 || word->value[0] != '-' ||
		    word->value[1] == '-' || holds_value(cmd, i))
			continue;
		if (cmd->program != NULL && !starts_path(word->value + 2,
		    word->len - 2))
			continue;
		p = strpbrk(word->value + 2, "/~");
		if (p != NULL)
			view_add_path(v, cmd, p, word->len -
			    (size_t)(p - word->value), POL_HOW_MAYBE,
			    word->known, true);
	}
}

static void
add_operands(struct view *v, struct view_cmd *cmd)
{
	const struct syn_word *word;
	const char *pattern = NULL;
	size_t i;

	if (cmd->program != NULL)
		pattern = operand_pattern(v, cmd);
	for (i = 0; i < cmd->n_operands; i++) {
		word = &cmd->argv[cmd->operands[i]];
		if (cmd->program == NULL)
			view_add_word(v, cmd, word, 0, POL_HOW_MAYBE);
		else if (!add_assignment_operand(v, cmd, word))
			view_add_word(v, cmd, word, 0,
			    pol_role_at(pattern, i, cmd->n_operands));
	}
	add_attached(v, cmd);
	for (i = 0; i < cmd->n_opts; i++)
		if (cmd->opts[i].has_value)
			view_add_word(v, cmd,
			    &cmd->argv[cmd->opts[i].opt.value_word],
			    cmd->opts[i].opt.value_skip,
			    value_role(v, cmd, &cmd->opts[i].opt));
}

void
view_paths(struct view *v, struct view_cmd *cmd)
{
	size_t i;

	if (cmd->item->kind == RESOLVE_FILE || cmd->item->kind ==
	    RESOLVE_NOT_FOUND) {
		if (memchr(cmd->argv[0].value, '/', cmd->argv[0].len) != NULL)
			view_add_word(v, cmd, &cmd->argv[0], 0, POL_HOW_RUN);
	} else if (cmd->item->kind == RESOLVE_UNKNOWN &&
	    !view_is_evaluated(cmd)) {
		view_add_word(v, cmd, &cmd->argv[0], 0, POL_HOW_RUN);
	}
	add_operands(v, cmd);
	for (i = 0; i < cmd->n_code; i++)
		view_add_code(v, cmd, cmd->code[i]->language,
		    &cmd->code[i]->text);
	view_add_variables(v, cmd);
	view_own(cmd);
	add_redirs(v, cmd);
}
