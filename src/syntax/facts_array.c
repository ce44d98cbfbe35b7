/* SPDX-License-Identifier: ISC */
/*
 * Indexed arrays whose elements are known, without gaps from index 0, and
 * the positional parameters, which are kept as the elements of "@".
 */
#include "facts_int.h"

#include <stdio.h>

#define ITEMS_MAX 1024

static struct syn_items *
new_items(struct syn_walk *w, size_t n)
{
	struct syn_items *items = NULL;

	if (n > ITEMS_MAX || !syn_spend(w, n * sizeof items->v[0]))
		return NULL;
	items = arena_alloc(w->arena, sizeof *items + n * sizeof items->v[0]);
	items->n = n;
	return items;
}

const struct syn_items *
syn_array_get(struct syn_walk *w, const char *name, size_t len)
{
	struct syn_slot *slot = syn_env_slot(w, name, len);

	return syn_env_certain(w, slot) && slot->set ? slot->items : NULL;
}

const struct syn_items *
syn_array_of(struct syn_walk *w, const struct syn_word *words, size_t n)
{
	struct syn_items *items;
	size_t i;

	for (i = 0; i < n; i++)
		if (!words[i].known || words[i].may_split)
			return NULL;
	items = new_items(w, n);
	for (i = 0; items != NULL && i < n; i++) {
		items->v[i].s = words[i].value;
		items->v[i].len = words[i].len;
	}
	return items;
}

/* ---- assigning ---------------------------------------------------------- */

/* Items of old and, behind them, of more. */
static const struct syn_items *
join(struct syn_walk *w, const struct syn_items *old,
    const struct syn_items *more)
{
	struct syn_items *all;

	if (old == NULL || more == NULL)
		return NULL;
	all = new_items(w, old->n + more->n);
	if (all == NULL)
		return NULL;
	memcpy(all->v, old->v, old->n * sizeof old->v[0]);
	memcpy(all->v + old->n, more->v, more->n * sizeof more->v[0]);
	return all;
}

static bool
read_index(struct syn_walk *w, const struct syn_piece *key, size_t n,
    size_t *ret)
{
	const char *text;
	size_t len;
	int64_t v;

	if (key == NULL || !syn_arith_text(w, key, &text, &len) || len == 0 ||
	    !syn_arith_value(w, text, len, &v))
		return false;
	if (v < 0)
		v += (int64_t)n;
	*ret = (size_t)v;
	return v >= 0;
}

/* [i]=value of a compound assignment, where no gap comes to be; *at: the
 * index of the next element. */
static bool
read_element(struct syn_walk *w, const struct syn_text *t,
    struct syn_vec *words, size_t *at)
{
	const struct syn_assignment *a = t->assignment;
	struct syn_word *to;

	if (a == NULL || a->append || a->array ||
	    !read_index(w, t->pieces->kids, words->n, at) || *at > words->n)
		return false;
	to = *at < words->n ? &((struct syn_word *)words->v)[*at] :
	    syn_vec_add(w, words, sizeof *to);
	syn_expand_one(w, a->value, t->src, t->src_len, t->offset,
	    SYN_MODE_VALUE, to);
	(*at)++;
	return to->known;
}

static const struct syn_items *
read_items(struct syn_walk *w, const struct syn_assignment *a)
{
	struct syn_vec words = { NULL, 0, 0 };
	const struct syn_text *t;
	size_t at = 0;

	if (a->odd || a->value == NULL || a->value->kind != SYN_PIECE_ARRAY)
		return NULL;
	for (t = a->value->words; t != NULL; t = t->next) {
		if (t->pieces != NULL &&
		    t->pieces->kind == SYN_PIECE_SUBSCRIPT) {
			if (!read_element(w, t, &words, &at))
				return NULL;
			continue;
		}
		if (t->assignment != NULL || t->pieces == NULL)
			return NULL;
		/* Behind [0]= a word would take the place of another. */
		if (at != words.n)
			return NULL;
		syn_expand(w, t->pieces, t, SYN_MODE_ARGUMENT, &words);
		at = words.n;
	}
	return syn_array_of(w, words.v, words.n);
}

static bool
has_subscripts(const struct syn_assignment *a)
{
	const struct syn_text *t;

	for (t = a->value != NULL ? a->value->words : NULL; t != NULL;
	    t = t->next)
		if (t->pieces != NULL &&
		    t->pieces->kind == SYN_PIECE_SUBSCRIPT)
			return true;
	return false;
}

static const struct syn_items *
put_item(struct syn_walk *w, const struct syn_items *old, size_t at,
    const struct syn_assign *told)
{
	struct syn_items *all;

	if (old == NULL || at > old->n || !told->value.known || told->append)
		return NULL;
	all = new_items(w, at == old->n ? at + 1 : old->n);
	if (all == NULL)
		return NULL;
	memcpy(all->v, old->v, old->n * sizeof old->v[0]);
	all->v[at].s = told->value.value;
	all->v[at].len = told->value.len;
	return all;
}

/* Some element of it is not known, or which it is. */
static void
lose_array(struct syn_walk *w, const struct syn_assign *told)
{
	size_t len = strlen(told->name);
	const struct syn_slot *slot = syn_env_slot(w, told->name, len);

	syn_walk_assigned(w, slot, &told->value);
	if (!told->array && syn_is_number(&told->value))
		syn_env_number(w, told->name, len);
	else
		syn_env_lose(w, told->name, len);
}

/* a=(…), a+=(…), a[i]=…, and a=… where a is an array. */
void
syn_array_assign(struct syn_walk *w, const struct syn_assignment *a,
    const struct syn_assign *told)
{
	const struct syn_items *old, *now = NULL;
	size_t at = 0;

	syn_env_slot(w, a->name, a->name_len)->array = true;
	old = syn_array_get(w, a->name, a->name_len);
	if (told->array && a->subscript == NULL)
		now = !told->append ? read_items(w, a) :
		    has_subscripts(a) ? NULL : join(w, old, read_items(w, a));
	else if (!told->array && (a->subscript == NULL || (old != NULL &&
	    read_index(w, a->key, old->n, &at))))
		now = put_item(w, old, at, told);
	if (now != NULL)
		syn_env_set_items(w, a->name, a->name_len, now);
	else
		lose_array(w, told);
}

/* ---- expanding ---------------------------------------------------------- */

/* The items that a parameter speaks of: NULL: none that are known.  *ret_all
 * '@' or '*': of all of them; else of the one with that key. */
static const struct syn_items *
find(struct syn_walk *w, const struct syn_param *param, char *ret_all)
{
	const struct syn_piece *key = param->subscript;
	char c = param->name_len > 0 ? param->name[0] : '\0';

	*ret_all = '\0';
	if (!param->has_subscript && (c == '@' || c == '*')) {
		*ret_all = c;
		return syn_array_get(w, "@", 1);
	}
	if (!param->has_subscript)
		return syn_is(c, SYN_CH_DIGIT) && c != '0' ?
		    syn_array_get(w, "@", 1) : NULL;
	if (key != NULL && key->next == NULL && key->len == 1 &&
	    key->kind == SYN_PIECE_LITERAL &&
	    strchr("@*", key->text[0]) != NULL)
		*ret_all = key->text[0];
	return syn_array_get(w, param->name, param->name_len);
}

/* $0, unless an assignment to BASH_ARGV0 stands anywhere. */
static bool
is_zero_known(struct syn_walk *w)
{
	return !w->first && w->vars != NULL &&
	    w->vars->zero != NULL && w->vars->zero->known &&
	    !w->vars->zero->may_split && !syn_env_is_hostile(w) &&
	    !syn_env_slot(w, "BASH_ARGV0", 10)->anywhere;
}

static bool
is_zero(struct syn_walk *w, const struct syn_param *param)
{
	return param->name_len == 1 && param->name[0] == '0' &&
	    !param->has_subscript && is_zero_known(w);
}

bool
syn_array_element(struct syn_walk *w, const struct syn_param *param,
    enum syn_var *ret_state, const char **ret, size_t *ret_len)
{
	const struct syn_items *items;
	size_t at = 0, i;
	char all;

	if (is_zero(w, param)) {
		*ret_state = SYN_VAR_SET;
		*ret = w->vars->zero->value;
		*ret_len = w->vars->zero->len;
		return true;
	}
	items = find(w, param, &all);
	if (items == NULL || all != '\0')
		return false;
	if (param->has_subscript) {
		if (!read_index(w, param->subscript, items->n, &at))
			return false;
	} else {
		for (i = 0; i < param->name_len && at <= ITEMS_MAX; i++)
			at = at * 10 + (size_t)(param->name[i] - '0');
		at--;
	}
	*ret_state = at < items->n ? SYN_VAR_SET : SYN_VAR_UNSET;
	if (at < items->n) {
		*ret = items->v[at].s;
		*ret_len = items->v[at].len;
	}
	return true;
}

static void
add_number(struct syn_maker *m, const struct syn_piece *piece, size_t n,
    bool quoted)
{
	char number[32];

	snprintf(number, sizeof number, "%zu", n);
	syn_add_value(m, piece, number, strlen(number), quoted);
}

/* join: the bytes between them, or NULL: each is a word of its own. */
static void
add_items(struct syn_maker *m, const struct syn_piece *piece,
    const struct syn_item *v, size_t n, bool quoted, const char *join)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0 && join != NULL)
			syn_add(m, true, quoted, 0, join, strlen(join));
		else if (i > 0 && m->has)
			syn_finish(m);
		syn_add_value(m, piece, v[i].s, v[i].len, quoted);
	}
}

/* $0 and what the items are: ${@:0} and ${@: -9} count from there on. */
static const struct syn_items *
behind_zero(struct syn_walk *w, const struct syn_items *items)
{
	struct syn_items *all = new_items(w, items->n + 1);

	if (all == NULL)
		return NULL;
	all->v[0] = (struct syn_item){ NULL, 0 };
	if (is_zero_known(w))
		all->v[0] = (struct syn_item){ w->vars->zero->value,
		    w->vars->zero->len };
	memcpy(all->v + 1, items->v, items->n * sizeof items->v[0]);
	return all;
}

/* ${a[@]:1:2} ${@:2}: *ret the items of it. */
static bool
cut_range(struct syn_maker *m, const struct syn_param *param,
    const struct syn_items *items, const struct syn_item **ret, size_t *ret_n)
{
	size_t from;

	if (!param->has_subscript)
		items = behind_zero(m->w, items);
	if (items == NULL || !syn_param_range(m, param, items->n, true, &from,
	    ret_n))
		return false;
	*ret = items->v + from;
	return *ret_n == 0 || items->v[from].s != NULL;
}

/* ${a[@]#x} ${@^} ${a[@]/x/y} ${@@Q}: what the operator makes of each. */
static bool
change_each(struct syn_maker *m, const struct syn_param *param,
    const struct syn_items *items, const struct syn_item **ret)
{
	struct syn_items *all = new_items(m->w, items->n);
	size_t i;

	/* Attributes may be there without a value. */
	if (all == NULL || (param->op == SYN_PARAM_TRANSFORM &&
	    strchr("aAkK", param->letter) != NULL))
		return false;
	for (i = 0; i < items->n; i++) {
		all->v[i] = items->v[i];
		if (!syn_param_apply(m, param, &all->v[i].s, &all->v[i].len))
			return false;
	}
	*ret = all->v;
	return true;
}

static bool
apply(struct syn_maker *m, const struct syn_param *param,
    const struct syn_items *items, const struct syn_item **ret, size_t *ret_n)
{
	*ret = items->v;
	*ret_n = items->n;
	switch (param->op) {
	case SYN_PARAM_PLAIN:
		return true;
	case SYN_PARAM_SUBSTRING:
		return cut_range(m, param, items, ret, ret_n);
	case SYN_PARAM_PATTERN:
	case SYN_PARAM_REPLACE:
	case SYN_PARAM_TRANSFORM:
		return change_each(m, param, items, ret);
	case SYN_PARAM_BAD:
	case SYN_PARAM_LENGTH:
	case SYN_PARAM_DEFAULT:
	case SYN_PARAM_ASSIGN:
	case SYN_PARAM_ERROR:
	case SYN_PARAM_ALTERNATE:
	case SYN_PARAM_NAMES:
	case SYN_PARAM_KEYS:
		break;
	}
	return false;
}

/* What joins them; *ret NULL: nothing, they are words.  false: not known. */
static bool
find_join(struct syn_maker *m, char all, bool quoted, const char **ret)
{
	const char *ifs = syn_env_ifs(m->w);
	char *first;

	*ret = NULL;
	if (syn_globs(m->mode) && quoted && all == '@')
		return true;
	if (ifs == NULL)
		return false;
	/* Elsewhere than in quotes other characters do other things. */
	if (strcmp(ifs, " \t\n") != 0 && (!quoted || all != '*' ||
	    (unsigned char)ifs[0] >= 0x80))
		return false;
	if (syn_globs(m->mode) && !(quoted && all == '*'))
		return true;
	first = arena_memdup0(m->w->arena, ifs, 1);
	*ret = first;
	return true;
}

bool
syn_array_expand(struct syn_maker *m, const struct syn_piece *piece,
    bool quoted)
{
	const struct syn_param *param = piece->param;
	const struct syn_items *items;
	const struct syn_item *v;
	const char *join;
	size_t n;
	char all;

	if (param->name_len == 1 && param->name[0] == '#' &&
	    param->op == SYN_PARAM_PLAIN) {
		items = syn_array_get(m->w, "@", 1);
		if (items != NULL)
			add_number(m, piece, items->n, quoted);
		return items != NULL;
	}
	items = find(m->w, param, &all);
	if (items == NULL || all == '\0')
		return false;
	if (param->op == SYN_PARAM_LENGTH) {
		add_number(m, piece, items->n, quoted);
		return true;
	}
	if (m->nested > 0 || !find_join(m, all, quoted, &join) ||
	    !apply(m, param, items, &v, &n) || !syn_spend(m->w, n *
	    (sizeof(struct syn_word) + sizeof(struct syn_part))))
		return false;
	/* "$@" of nothing is no word, unless something stands beside it. */
	if (n == 0 && quoted && all == '@' && syn_globs(m->mode)) {
		m->vanishes = m->alone;
		return m->alone;
	}
	add_items(m, piece, v, n, quoted, join);
	return true;
}
