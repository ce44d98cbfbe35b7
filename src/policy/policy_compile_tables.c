/* SPDX-License-Identifier: ISC */
/* From what the sources say to the compiled form: paths, programs, the
 * index of command names, profiles. */
#include "policy_compile_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/text.h"

static int
add_pattern(struct compiler *c, const struct ir_paths *set, uint32_t bit,
	const char *text, uint32_t flags)
{
	AEG_AUTO(buf_done) struct buf own = BUF_INIT;
	struct pol_pattern p = { .set = bit, .flags = flags };

	if (text_starts(text, "~/")) {
		p.flags |= POL_PAT_HOME;
		text += 2;
	} else if (text_starts(text, "**/")) {
		p.flags |= POL_PAT_NAME;
		text += 3;
	} else if (text[0] != '/') {
		return err_set(c->err, ERR_SYNTAX, "%s:%u: path '%s' starts "
		    "with none of /, ~/ and **/", set->file, set->line, text);
	}
	buf_puts(&own, text);
	if (text_ends(text, "/**")) {
		p.flags |= POL_PAT_BELOW;
		own.len -= 3;
		own.data[own.len] = '\0';
	}
	text = own.data != NULL ? own.data : "";
	p.prefix = (uint32_t)strcspn(text, "*?[\\");
	if (text[p.prefix] != '\0')
		p.flags |= POL_PAT_GLOB;
	p.text = pol_strings_add(&c->strings, text);
	buf_put(&c->sections[POL_SEC_PATTERNS], &p, sizeof p);
	return 0;
}

/* A set's bit; a new one for a new name, or -1 when there are too many. */
static int
take_bit(struct compiler *c, const struct ir_paths *set)
{
	struct pol_set out;
	size_t i;

	for (i = 0; i < c->n_sets; i++)
		if (strcmp(c->sets[i], set->name) == 0)
			return (int)i;
	if (c->n_sets == POL_SETS_MAX)
		return -1;
	IR_PUSH(c->ir, c->sets, c->n_sets, set->name);
	out = (struct pol_set){ .name = pol_strings_add(&c->strings, set->name),
		.why = pol_strings_add(&c->strings, set->why),
		.not_home = set->not_home };
	buf_put(&c->sections[POL_SEC_SETS], &out, sizeof out);
	return (int)c->n_sets - 1;
}

int
pol_compile_paths(struct compiler *c)
{
	const struct ir_paths *set;
	size_t i, j;
	int bit, rc;

	for (i = 0; i < c->ir->n_paths; i++) {
		set = c->ir->paths[i];
		bit = take_bit(c, set);
		if (bit < 0)
			return err_set(c->err, ERR_TOO_LONG, "%s:%u: more than "
			    "%d path sets", set->file, set->line, POL_SETS_MAX);
		for (j = 0; j < set->paths.n; j++)
			if ((rc = add_pattern(c, set, (uint32_t)bit,
			    set->paths.v[j], 0)) < 0)
				return rc;
		for (j = 0; j < set->except.n; j++)
			if ((rc = add_pattern(c, set, (uint32_t)bit,
			    set->except.v[j], POL_PAT_EXCEPT)) < 0)
				return rc;
	}
	return 0;
}

/* ---- programs ----------------------------------------------------------- */

/* "-t|--target: write" → two strings. */
static int
add_pairs(struct compiler *c, const struct ir_program *g,
	const struct ir_list *list, uint32_t *ret, uint32_t *ret_n)
{
	uint32_t *v = arena_alloc(c->ir->arena,
	    (2 * list->n + 2) * sizeof *v);
	const char *colon;
	char *left;
	size_t i, n = 0;

	for (i = 0; i < list->n; i++) {
		colon = strstr(list->v[i], ": ");
		if (colon == NULL || colon == list->v[i] || colon[2] == '\0')
			return err_set(c->err, ERR_SYNTAX, "%s:%u: program "
			    "'%s': '%s' is not \"what: how\"", g->file,
			    g->line, g->names, list->v[i]);
		left = arena_memdup0(c->ir->arena, list->v[i],
		    (size_t)(colon - list->v[i]));
		v[n++] = pol_strings_add(&c->strings, left);
		v[n++] = pol_strings_add(&c->strings, colon + 2);
	}
	*ret = pol_lists_add(&c->lists, v, n);
	*ret_n = (uint32_t)n;
	return 0;
}

static int
check_roles(struct compiler *c, const struct ir_program *g, const char *roles)
{
	const char *p = roles;
	size_t n;

	for (; p != NULL && *p != '\0'; p += n) {
		p += strspn(p, " ");
		n = strcspn(p, " ");
		if (n > 0 && pol_role(p, n) < 0)
			return err_set(c->err, ERR_SYNTAX, "%s:%u: program "
			    "'%s': unknown role in '%s'", g->file, g->line,
			    g->names, roles);
	}
	return 0;
}

static const char *strings_for_sort;

static int
by_string(const void *a, const void *b)
{
	return strcmp(strings_for_sort + ((const struct pol_name *)a)->name,
	    strings_for_sort + ((const struct pol_name *)b)->name);
}

static void
sort_names(struct compiler *c, enum pol_section_id id)
{
	struct buf *b = &c->sections[id];

	strings_for_sort = c->strings.bytes.data;
	if (b->len > 0)
		qsort(b->data, b->len / sizeof(struct pol_name),
		    sizeof(struct pol_name), by_string);
}

static const char *
twice(struct compiler *c, enum pol_section_id id)
{
	const struct pol_name *n = (const void *)c->sections[id].data;
	size_t i, all = c->sections[id].len / sizeof *n;

	for (i = 1; i < all; i++)
		if (n[i - 1].name == n[i].name)
			return c->strings.bytes.data + n[i].name;
	return NULL;
}

static int
compile_program(struct compiler *c, const struct ir_program *g, uint32_t row)
{
	struct pol_program out = {
		.options = pol_strings_add(&c->strings, g->options),
		.operands = pol_strings_add(&c->strings, g->operands),
	};
	struct pol_name name = { .first = row };
	const char *p;
	size_t i, n;
	int rc;

	if ((rc = add_pairs(c, g, &g->when, &out.when, &out.n_when)) < 0 ||
	    (rc = add_pairs(c, g, &g->values, &out.values,
	    &out.n_values)) < 0 ||
	    (rc = add_pairs(c, g, &g->turns, &out.turns, &out.n_turns)) < 0 ||
	    (rc = check_roles(c, g, g->operands)) < 0)
		return rc;
	for (i = 0; i < g->when.n; i++)
		if ((rc = check_roles(c, g,
		    strstr(g->when.v[i], ": ") + 2)) < 0)
			return rc;
	for (i = 0; i < g->values.n; i++)
		if ((rc = check_roles(c, g,
		    strstr(g->values.v[i], ": ") + 2)) < 0)
			return rc;
	for (i = 0; i < g->turns.n; i++) {
		if (strlen(g->turns.v[i]) >= POL_SHAPE_MAX)
			return err_set(c->err, ERR_TOO_LONG, "%s:%u: program "
			    "'%s': a shape of \"turns\" is too long", g->file,
			    g->line, g->names);
		p = strstr(g->turns.v[i], ": ") + 2;
		if (pol_arg_bit(POL_ARG_TURNS, p) < 0)
			return err_set(c->err, ERR_SYNTAX, "%s:%u: program "
			    "'%s': nothing is turned into '%s'", g->file,
			    g->line, g->names, p);
	}
	buf_put(&c->sections[POL_SEC_PROGRAMS], &out, sizeof out);
	for (p = g->names; *p != '\0'; p += n) {
		p += strspn(p, " \t\n");
		n = strcspn(p, " \t\n");
		if (n == 0)
			break;
		name.name = pol_strings_add(&c->strings,
		    arena_memdup0(c->ir->arena, p, n));
		buf_put(&c->sections[POL_SEC_PROGNAMES], &name, sizeof name);
	}
	return 0;
}

int
pol_compile_programs(struct compiler *c)
{
	const char *name;
	size_t i;
	int rc;

	for (i = 0; i < c->ir->n_programs; i++)
		if ((rc = compile_program(c, c->ir->programs[i],
		    (uint32_t)i)) < 0)
			return rc;
	sort_names(c, POL_SEC_PROGNAMES);
	name = twice(c, POL_SEC_PROGNAMES);
	if (name != NULL)
		return err_set(c->err, ERR_SYNTAX, "program '%s' stands twice",
		    name);
	return 0;
}

/* ---- which rules concern a command ------------------------------------- */

struct link {
	uint32_t name, rule;
};

static int
by_link(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	int order = strcmp(strings_for_sort + x->name,
	    strings_for_sort + y->name);

	return order != 0 ? order : x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* A rule goes under each of its exact names; false: that is not enough. */
static bool
add_links(struct compiler *c, const struct ir_rule *r, uint32_t rule,
	struct buf *links)
{
	struct ir_list names = { NULL, 0 };
	struct link link = { .rule = rule };
	bool all = true;
	size_t i, j;

	for (i = 0; i < r->n_conds; i++)
		if (r->conds[i].id == POL_COND_COMMAND)
			break;
	if (i == r->n_conds || pol_expand_names(c, &r->conds[i].args, &names,
	    r->file, r->line) < 0)
		return false;
	for (j = 0; j < names.n; j++) {
		if (strchr(names.v[j], '*') != NULL) {
			all = false;
			continue;
		}
		link.name = pol_strings_add(&c->strings, names.v[j]);
		buf_put(links, &link, sizeof link);
	}
	return all;
}

int
pol_compile_index(struct compiler *c)
{
	AEG_AUTO(buf_done) struct buf links = BUF_INIT;
	AEG_AUTO(buf_done) struct buf general = BUF_INIT;
	const struct link *l;
	struct pol_name name;
	uint32_t i, n, j, rule;

	for (i = 0; i < c->ir->n_rules; i++)
		if (!add_links(c, c->ir->rules[i], i, &links))
			buf_put(&general, &i, sizeof i);
	c->n_general = (uint32_t)(general.len / sizeof i);
	c->general = pol_lists_add(&c->lists, (const void *)general.data,
	    c->n_general);
	n = (uint32_t)(links.len / sizeof *l);
	strings_for_sort = c->strings.bytes.data;
	if (n > 0)
		qsort(links.data, n, sizeof *l, by_link);
	l = (const void *)links.data;
	for (i = 0; i < n; i = j) {
		name = (struct pol_name){ .name = l[i].name,
			.first = (uint32_t)(c->lists.len / sizeof rule) };
		for (j = i; j < n && l[j].name == l[i].name; j++) {
			if (j > i && l[j].rule == l[j - 1].rule)
				continue;
			rule = l[j].rule;
			pol_lists_add(&c->lists, &rule, 1);
			name.n++;
		}
		buf_put(&c->sections[POL_SEC_INDEX], &name, sizeof name);
	}
	return 0;
}
