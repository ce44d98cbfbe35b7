/* SPDX-License-Identifier: ISC */
/* What is told of one command: words, assignments, redirections. */
#include "facts_int.h"

static struct syn_command *
command_at(struct syn_walk *w, size_t index)
{
	return &((struct syn_command *)w->commands.v)[index];
}

/* Reserve the place of a command, so that it stands before what it holds;
 * the index. */
size_t
syn_tell(struct syn_walk *w, const struct syn_node *node, unsigned context)
{
	struct syn_command *c = syn_vec_add(w, &w->commands, sizeof *c);

	c->context = w->at.context | context;
	c->in_function = w->at.function;
	c->pipeline = w->at.pipeline;
	c->pipe_index = w->at.pipe_index;
	c->pipe_count = w->at.pipe_count;
	c->parent = w->at.parent;
	c->depth = w->at.depth;
	c->evals = w->at.evals;
	c->offset = node != NULL ? node->offset : w->at.offset;
	if (node != NULL)
		c->len = node->len;
	/* What stands in a value has no place of its own in the unit; what
	 * eval reads has the eval's. */
	if (c->evals > 0) {
		const struct syn_command *around =
		    command_at(w, w->at.parent - 1);

		c->offset = around->offset;
		c->len = around->len;
	}
	if (c->len > w->tree->len - c->offset)
		c->len = w->tree->len - c->offset;
	syn_lookup_tell(w, c);
	return w->commands.n - 1;
}

/* It may be no word, or many. */
static void
put_unknown(struct syn_walk *w, struct syn_word *word, const char *s,
    size_t len, enum syn_why why)
{
	struct syn_part *part = arena_alloc(w->arena, sizeof *part);

	part->text = arena_memdup0(w->arena, s, len);
	part->len = len;
	part->why = why;
	*word = (struct syn_word){ .value = part->text, .len = len,
	    .parts = part, .n_parts = 1, .may_split = true,
	    .offset = w->at.offset, .source_len = len };
}

/* A command of which nothing is known. */
static void
tell_unknown(struct syn_walk *w, const char *s, size_t len,
    enum syn_why why)
{
	size_t index = syn_tell(w, NULL, 0);
	struct syn_word *word = arena_alloc(w->arena, sizeof *word);
	struct syn_command *c = command_at(w, index);

	put_unknown(w, word, s, len, why);
	c->words = word;
	c->n_words = 1;
	c->len = len < w->tree->len - c->offset ? len :
	    w->tree->len - c->offset;
	syn_calls_unknown(w);
}

/* Text that bash cannot read and may run the beginning of, or that is too
 * much to look into. */
void
syn_tell_broken(struct syn_walk *w, const char *s, size_t len,
    enum syn_why why)
{
	tell_unknown(w, s, len, why);
	syn_env_hostile(w);
}

void
syn_tell_evaluated(struct syn_walk *w, const char *s, size_t len,
    enum syn_why why)
{
	tell_unknown(w, s, len, why);
	syn_env_evaluated(w);
}

/* ---- redirections ------------------------------------------------------- */

static bool
all_digits(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!syn_is((unsigned char)s[i], SYN_CH_DIGIT))
			return false;
	return len > 0;
}

static int
default_fd(const struct syn_target *t)
{
	switch (t->op) {
	case SYN_REDIR_IN:
	case SYN_REDIR_RDWR:
	case SYN_REDIR_DUP_IN:
	case SYN_REDIR_HEREDOC:
	case SYN_REDIR_HERESTRING:
		return 0;
	case SYN_REDIR_CLOSE:
		return t->out ? 1 : 0;
	case SYN_REDIR_UNKNOWN:
	case SYN_REDIR_OUT:
	case SYN_REDIR_APPEND:
	case SYN_REDIR_CLOBBER:
	case SYN_REDIR_BOTH:
	case SYN_REDIR_BOTH_APPEND:
	case SYN_REDIR_DUP_OUT:
		break;
	}
	return 1;
}

/* ">&word" is what the word turns out to be. */
static void
settle_dup(struct syn_redir *r)
{
	const struct syn_word *word = &r->target;
	size_t len = word->len;

	if (!word->known)
		return;
	if (len > 1 && word->value[len - 1] == '-')
		len--;
	if (all_digits(word->value, len))
		return;
	if (strcmp(word->value, "-") == 0)
		r->op = SYN_REDIR_CLOSE;
	else if (r->op == SYN_REDIR_DUP_OUT && r->fd == 1)
		r->op = SYN_REDIR_BOTH;
}

static void
tell_target(struct syn_walk *w, const struct syn_target *t,
    struct syn_redir *r)
{
	struct syn_piece raw = { .kind = SYN_PIECE_SINGLE };
	const struct syn_piece *pieces;
	size_t body_len = t->body_len;

	r->op = t->op;
	r->fd = t->fd_given ? t->fd : default_fd(t);
	if (t->fd_name != NULL) {
		r->fd = -1;
		r->fd_name = arena_memdup0(w->arena, t->fd_name,
		    t->fd_name_len);
	}
	if (t->op == SYN_REDIR_HEREDOC) {
		raw.text = raw.src = t->body;
		raw.len = raw.src_len = body_len;
		pieces = t->raw ? &raw : t->pieces;
		syn_expand_one(w, pieces, t->body, body_len, t->body_offset,
		    SYN_MODE_BODY, &r->target);
		return;
	}
	if (t->word == NULL) {
		syn_expand_one(w, NULL, "", 0, 0, SYN_MODE_VALUE, &r->target);
		return;
	}
	syn_expand_one(w, t->word->pieces, t->word->src, t->word->src_len,
	    t->word->offset, t->op == SYN_REDIR_HERESTRING ? SYN_MODE_VALUE :
	    SYN_MODE_TARGET, &r->target);
	if (t->op == SYN_REDIR_DUP_IN || t->op == SYN_REDIR_DUP_OUT)
		settle_dup(r);
}

void
syn_tell_targets(struct syn_walk *w, const struct syn_node *node,
    size_t index)
{
	const struct syn_target *t;
	struct syn_redir *redirs;
	struct syn_command *c;
	size_t n = 0;

	if (node->targets == NULL || w->first)
		return;
	for (t = node->targets; t != NULL; t = t->next)
		n++;
	redirs = arena_alloc(w->arena, n * sizeof *redirs);
	n = 0;
	for (t = node->targets; t != NULL; t = t->next)
		tell_target(w, t, &redirs[n++]);
	c = command_at(w, index);
	c->redirs = redirs;
	c->n_redirs = n;
}

/* ---- assignments -------------------------------------------------------- */

static void
tell_assignment(struct syn_walk *w, const struct syn_text *t,
    struct syn_assign *to)
{
	const struct syn_assignment *a = t->assignment;
	const struct syn_piece *value = a->value;
	const char *src;

	to->name = arena_memdup0(w->arena, a->name, a->name_len);
	if (a->subscript != NULL)
		to->subscript = arena_memdup0(w->arena, a->subscript,
		    a->subscript_len);
	to->append = a->append;
	to->array = a->array;
	src = value != NULL ? value->src : t->src + t->src_len;
	if (src < t->src || src > t->src + t->src_len)
		src = t->src;
	syn_expand_one(w, value, src, (size_t)(t->src + t->src_len - src),
	    t->offset + (size_t)(src - t->src), SYN_MODE_VALUE, &to->value);
}

/* To append to an integer is to add. */
static void
assign_unknown(struct syn_walk *w, const struct syn_assign *a, size_t len)
{
	const struct syn_slot *slot = syn_env_slot(w, a->name, len);

	syn_walk_assigned(w, slot, &a->value);
	if (slot->integer || syn_is_number(&a->value))
		syn_env_number(w, a->name, len);
	else
		syn_env_lose(w, a->name, len);
}

static void
remember(struct syn_walk *w, const struct syn_assignment *from,
    const struct syn_assign *a)
{
	size_t len = strlen(a->name), old_len = 0, n;
	const char *old = NULL;
	enum syn_var state;
	char *joined;

	if (a->subscript != NULL || a->array)
		syn_env_may_fail(w);
	if (a->subscript != NULL || a->array ||
	    syn_array_get(w, a->name, len) != NULL) {
		syn_array_assign(w, from, a);
		return;
	}
	if (!a->value.known || (a->append &&
	    syn_env_slot(w, a->name, len)->attributed)) {
		assign_unknown(w, a, len);
		return;
	}
	if (!w->first && syn_all_exported(w))
		syn_export(w, a->name, len);
	if (!a->append) {
		syn_env_set(w, a->name, len, SYN_VAR_SET, a->value.value,
		    a->value.len);
		return;
	}
	state = syn_env_get(w, a->name, len, &old, &old_len);
	if (state == SYN_VAR_UNKNOWN || old_len + a->value.len > SYN_LEN_MAX) {
		syn_env_forget(w, a->name, len);
		return;
	}
	if (state == SYN_VAR_UNSET)
		old_len = 0;
	n = old_len + a->value.len;
	joined = arena_alloc(w->arena, n + 1);
	if (old_len > 0)
		memcpy(joined, old, old_len);
	memcpy(joined + old_len, a->value.value, a->value.len);
	syn_env_set(w, a->name, len, SYN_VAR_SET, joined, n);
}

/* To a command: an integer is not evaluated so, but where something is added
 * to it, and keeps its value. */
static void
give(struct syn_walk *w, const struct syn_assign *a)
{
	size_t len = strlen(a->name);
	const struct syn_slot *slot = syn_env_slot(w, a->name, len);

	if (slot->reread != SYN_REREAD_NO || (slot->integer && a->append))
		syn_walk_assigned(w, slot, &a->value);
	if (syn_is_number(&a->value))
		syn_env_number(w, a->name, len);
	else
		syn_env_lose(w, a->name, len);
}

/* The assignments in front of stop. */
static void
tell_assignments(struct syn_walk *w, const struct syn_node *node,
    const struct syn_text *stop, bool stay, size_t index)
{
	const struct syn_text *t;
	struct syn_assign *assigns;
	struct syn_command *c;
	size_t n = 0;

	for (t = node->words; t != stop; t = t->next) {
		if (w->first)
			syn_env_lose(w, t->assignment->name,
			    t->assignment->name_len);
		n++;
	}
	if (n == 0 || w->first)
		return;
	assigns = arena_alloc(w->arena, n * sizeof *assigns);
	n = 0;
	for (t = node->words; t != stop; t = t->next) {
		tell_assignment(w, t, &assigns[n]);
		if (stay)
			remember(w, t->assignment, &assigns[n]);
		else
			give(w, &assigns[n]);
		n++;
	}
	c = command_at(w, index);
	c->assigns = assigns;
	c->n_assigns = n;
}

/* ---- simple commands ---------------------------------------------------- */

/* Assignments stay in the shell when no word is left. */
static bool
may_vanish(const struct syn_word *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!words[i].may_split || words[i].quoted)
			return false;
	return true;
}

/* The only ${x:=word} among the words, where x is known not to be there;
 * NULL: none, or more of them. */
static const struct syn_param *
find_default(struct syn_walk *w, const struct syn_piece *piece,
    const struct syn_param *found, bool *bad)
{
	const char *value = NULL;
	size_t len = 0;

	for (; piece != NULL; piece = piece->next) {
		const struct syn_param *param = piece->param;

		if (piece->kind == SYN_PIECE_DOUBLE)
			found = find_default(w, piece->kids, found, bad);
		if (piece->kind != SYN_PIECE_PARAM ||
		    param->op != SYN_PARAM_ASSIGN)
			continue;
		if (found != NULL || param->has_subscript ||
		    param->indirect || param->name_len == 0) {
			*bad = true;
		} else if (syn_env_get(w, param->name, param->name_len,
		    &value, &len) == SYN_VAR_UNSET) {
			found = param;
		}
	}
	return found;
}

static const struct syn_param *
find_defaults(struct syn_walk *w, const struct syn_text *t)
{
	const struct syn_param *found = NULL;
	bool bad = false;

	for (; t != NULL; t = t->next)
		found = find_default(w, t->pieces, found, &bad);
	return bad ? NULL : found;
}

static void
set_default(struct syn_walk *w, const struct syn_param *param)
{
	struct syn_word word;

	/* It is expanded as no value of an assignment is. */
	if (syn_has_inner_tilde(param->word))
		return;
	syn_expand_one(w, param->word, "", 0, w->at.offset, SYN_MODE_VALUE,
	    &word);
	if (word.known)
		syn_env_set(w, param->name, param->name_len, SYN_VAR_SET,
		    word.value, word.len);
}

/* Bash makes the assignments one after the other: what ${x:=word} gives x
 * holds behind it only.  Where the words come first, or nothing else is
 * expanded in front of it, it holds for all of them. */
static bool
comes_first(const struct syn_text *words, const struct syn_text *first)
{
	const struct syn_piece *value;

	if (words == first)
		return true;
	value = words->assignment->value;
	return words->next == first && words->assignment->subscript == NULL &&
	    (value == NULL || value->next == NULL);
}

/* Behind these names a word that has the form of an assignment is read as
 * one: it is not split.  Bash looks at the word as it is written. */
static bool
is_declaration(const struct syn_text *t)
{
	static const char *const names[] = { "alias", "declare", "export",
		"local", "readonly", "typeset" };
	const char *name;
	size_t i, len;

	if (t == NULL || t->pieces == NULL ||
	    t->pieces->kind != SYN_PIECE_LITERAL || t->pieces->next != NULL)
		return false;
	name = t->pieces->text;
	len = t->pieces->len;
	if (len != t->src_len)
		return false;
	for (i = 0; i < AEG_NELEM(names); i++)
		if (strncmp(names[i], name, len) == 0 && names[i][len] == '\0')
			return true;
	return false;
}

static void
tell_words(struct syn_walk *w, const struct syn_text *first,
    struct syn_vec *words)
{
	bool declares = is_declaration(first);
	const struct syn_text *t;

	for (t = first; t != NULL; t = t->next) {
		w->naming = t == first;
		if (w->keywords && t->assignment != NULL)
			put_unknown(w, syn_vec_add(w, words,
			    sizeof(struct syn_word)), t->src, t->src_len,
			    SYN_WHY_READ_CHANGED);
		else
			syn_expand(w, t->pieces, t, declares &&
			    t->assignment != NULL ? SYN_MODE_VALUE :
			    SYN_MODE_ARGUMENT, words);
	}
	w->naming = false;
}

/* declare, local and typeset of one array and nothing else, with options that
 * change no element; NULL: another command. */
static const struct syn_text *
find_declared(const struct syn_walk *w, const struct syn_text *first,
    const struct syn_command *c)
{
	bool function = (w->at.context & SYN_IN_FUNCTION) != 0;
	const struct syn_text *t = first, *found = NULL;
	const struct syn_piece *value;

	if (w->first || w->changed || c->function != SYN_FUNCTION_NO ||
	    c->n_words == 0 || !(syn_word_is(c->words, "declare") ||
	    syn_word_is(c->words, "typeset") ||
	    (function && syn_word_is(c->words, "local"))))
		return NULL;
	for (t = first->next; t != NULL; t = t->next) {
		if (found != NULL)
			return NULL;
		if (t->assignment != NULL)
			found = t;
		else if (t->src_len < 2 || t->src[0] != '-' ||
		    strspn(t->src + 1, "ax") < t->src_len - 1)
			return NULL;
	}
	value = found != NULL ? found->assignment->value : NULL;
	return value != NULL && value->kind == SYN_PIECE_ARRAY &&
	    found->assignment->subscript == NULL &&
	    !found->assignment->append ? found : NULL;
}

static void
assign_declared(struct syn_walk *w, const struct syn_text *t)
{
	struct syn_assign told = { .name = NULL };

	tell_assignment(w, t, &told);
	syn_array_assign(w, t->assignment, &told);
}

void
syn_tell_simple(struct syn_walk *w, const struct syn_node *node)
{
	size_t index = syn_tell(w, node, 0), parent = w->at.parent, mark;
	size_t start = syn_env_mark(w);
	struct syn_vec words = { NULL, 0, 0 };
	const struct syn_text *first = node->words, *t, *declared;
	const struct syn_param *assigned;
	struct syn_command *c;
	bool vanish;

	w->at.parent = index + 1;
	w->at.offset = node->offset;
	while (first != NULL && first->assignment != NULL)
		first = first->next;
	assigned = find_defaults(w, node->words);
	syn_walk_texts(w, node->words);
	syn_walk_targets(w, node->targets);
	tell_words(w, first, &words);
	c = command_at(w, index);
	c->words = words.v;
	c->n_words = words.n;
	if (assigned != NULL && comes_first(node->words, first))
		set_default(w, assigned);
	vanish = words.n > 0 && may_vanish(words.v, words.n);
	/* For the command alone: afterwards they are what they were, unless
	 * it is one of bash's own, which may keep them. */
	mark = syn_env_mark(w);
	tell_assignments(w, node, first, words.n == 0, index);
	syn_tell_targets(w, node, index);
	if (words.n > 0 && !vanish)
		syn_env_undo(w, mark);
	syn_lookup_tell(w, command_at(w, index));
	syn_export_tell(w, command_at(w, index));
	c = command_at(w, index);
	if (words.n > 0)
		c->function = syn_function_now(w, words.v);
	declared = is_declaration(first) ? find_declared(w, first, c) : NULL;
	if (syn_effect(w, c))
		for (t = node->words; t != first; t = t->next)
			syn_env_lose(w, t->assignment->name,
			    t->assignment->name_len);
	if (declared != NULL)
		assign_declared(w, declared);
	if (syn_targets_may_fail(w, node->targets))
		syn_env_doubt(w, start);
	w->at.parent = parent;
}
