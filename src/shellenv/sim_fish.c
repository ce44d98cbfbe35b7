/* SPDX-License-Identifier: ISC */
/* fish's commands that change variables, PATH or the way through a file. */
#include "sim_int.h"

#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

struct cmd {
	struct sim *s;
	const char **v;
	size_t argc;
};

/* The elements from first on, as a value: PATH's with colons. */
static const char *
joined(struct cmd *c, size_t first, const char *with)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	size_t i;

	for (i = first; i < c->argc; i++)
		buf_putf(&out, "%s%s", i > first ? with : "", c->v[i]);
	return se_strdup(c->s->se, out.data != NULL ? out.data : "");
}

struct set_flags {
	bool exported, query, erase, prepend, append;
};

static size_t
read_flags(struct cmd *c, struct set_flags *f)
{
	static const struct { const char *name; char letter; } longs[] = {
		{ "--export", 'x' }, { "--query", 'q' }, { "--erase", 'e' },
		{ "--prepend", 'p' }, { "--append", 'a' },
	};
	size_t i, k;

	for (i = 1; i < c->argc && c->v[i][0] == '-' &&
	    c->v[i][1] != '\0'; i++) {
		const char *p = c->v[i] + 1;
		char letter[2] = "";

		for (k = 0; *p == '-' && k < AEG_NELEM(longs); k++)
			if (strcmp(c->v[i], longs[k].name) == 0)
				letter[0] = longs[k].letter;
		if (*p == '-')
			p = letter;
		for (; *p != '\0'; p++) {
			f->exported |= *p == 'x';
			f->query |= *p == 'q';
			f->erase |= *p == 'e';
			f->prepend |= *p == 'p';
			f->append |= *p == 'a';
		}
	}
	return i;
}

static void
do_set(struct cmd *c)
{
	static const char old[2] = { SIM_OLD, '\0' };
	struct set_flags f = { .exported = false };
	size_t at = read_flags(c, &f);
	const char *name, *value;
	bool path;

	c->s->status = TRI_YES;
	if (at >= c->argc)
		return;
	name = c->v[at];
	if (f.query) {
		c->s->status = se_sim_get(c->s, name) != NULL ? TRI_YES :
		    TRI_NO;
		return;
	}
	if (f.erase)
		return;
	path = strcmp(name, "PATH") == 0 ||
	    strcmp(name, "fish_user_paths") == 0;
	value = joined(c, at + 1, path ? ":" : " ");
	if (strcmp(name, "fish_user_paths") == 0) {
		/* fish keeps these in front of PATH. */
		c->v[at] = "PATH";
		if (strchr(value, SIM_OLD) == NULL)
			value = se_printf(c->s->se, "%s:%s", value, old);
		name = "PATH";
	} else if (path && f.prepend) {
		value = se_printf(c->s->se, "%s:%s", value, old);
	} else if (path && f.append) {
		value = se_printf(c->s->se, "%s:%s", old, value);
	}
	se_sim_set(c->s, name, value, f.exported || path);
}

/* Directories that are there and not yet in PATH, in front (or behind). */
static void
do_add_path(struct cmd *c)
{
	static const char old[2] = { SIM_OLD, '\0' };
	struct set_flags f = { .exported = false };
	size_t at = read_flags(c, &f);
	struct stat st;

	for (; at < c->argc; at++) {
		const char *dir = c->v[at];

		if (!se_sim_known(dir) || dir[0] != '/' ||
		    se_stat(c->s->se, dir, &st) < 0 ||
		    se_sim_find(c->s, dir, false) != NULL)
			continue;
		se_sim_set_path(c->s, f.append ?
		    se_printf(c->s->se, "%s:%s", old, dir) :
		    se_printf(c->s->se, "%s:%s", dir, old));
	}
	c->s->status = TRI_YES;
}

static void
do_status(struct cmd *c)
{
	const char *what = c->argc > 1 ? c->v[1] : "";

	what += strspn(what, "-");
	c->s->status = strcmp(what, "is-interactive") == 0 ?
	    (c->s->interactive ? TRI_YES : TRI_NO) :
	    strcmp(what, "is-login") == 0 ?
	    (c->s->login ? TRI_YES : TRI_NO) : TRI_MAYBE;
}

static void
do_contains(struct cmd *c)
{
	size_t i = 1, k;

	while (i < c->argc && c->v[i][0] == '-')
		if (strcmp(c->v[i++], "--") == 0)
			break;
	c->s->status = TRI_NO;
	for (k = i + 1; k < c->argc; k++) {
		if (c->v[k][0] == SIM_OLD && c->v[k][1] == '\0') {
			if (c->v[i][0] == '/' &&
			    se_sim_find(c->s, c->v[i], false) != NULL)
				c->s->status = TRI_YES;
		} else if (!se_sim_known(c->v[k]) || !se_sim_known(c->v[i])) {
			c->s->status = TRI_MAYBE;
		} else if (strcmp(c->v[k], c->v[i]) == 0) {
			c->s->status = TRI_YES;
			return;
		}
	}
}

static void
do_source(struct cmd *c)
{
	c->s->status = TRI_MAYBE;
	if (c->argc < 2 || !se_sim_known(c->v[1])) {
		se_sim_event(c->s, SIM_OPAQUE, "source", NULL);
		return;
	}
	se_sim_source(c->s, c->v[1][0] == '/' ? c->v[1] :
	    se_printf(c->s->se, "%s/%s", c->s->se->home, c->v[1]),
	    c->v + 2, c->argc - 2);
}

static void
do_end(struct cmd *c)
{
	bool in = c->s->in_func > 0 && strcmp(c->v[0], "return") == 0;

	if (strcmp(c->v[0], "exec") == 0 && c->argc < 2)
		return;
	if (!in)
		se_sim_event(c->s, SIM_END, strcmp(c->v[0], "exec") == 0 ?
		    c->v[1] : c->v[0], NULL);
	if (c->s->maybe == 0)
		c->s->flow = strcmp(c->v[0], "return") == 0 ? FLOW_RETURN :
		    FLOW_EXIT;
}

static void
do_test(struct cmd *c)
{
	c->s->status = se_sim_test(c->s, c->v, c->argc);
}

static void
do_type(struct cmd *c)
{
	c->s->status = c->argc > 1 ?
	    se_sim_has_command(c->s, c->v[c->argc - 1]) : TRI_MAYBE;
}

static void
do_opaque(struct cmd *c)
{
	se_sim_event(c->s, SIM_OPAQUE, c->v[0], joined(c, 1, " "));
	c->s->status = TRI_MAYBE;
}

static void
do_true(struct cmd *c)
{
	c->s->status = TRI_YES;
}

static void
do_false(struct cmd *c)
{
	c->s->status = TRI_NO;
}

static const struct {
	const char *name;
	void (*run)(struct cmd *c);
} table[] = {
	{ "set", do_set }, { "fish_add_path", do_add_path },
	{ "status", do_status }, { "contains", do_contains },
	{ "source", do_source }, { ".", do_source }, { "return", do_end },
	{ "exit", do_end }, { "exec", do_end }, { "test", do_test },
	{ "[", do_test }, { "type", do_type }, { "eval", do_opaque },
	{ "bass", do_opaque }, { "fenv", do_opaque }, { "true", do_true },
	{ "false", do_false }, { "alias", do_true }, { "abbr", do_true },
	{ "export", do_opaque },
};

/* export NAME=VALUE: fish takes it as set -gx. */
static bool
export_word(struct cmd *c)
{
	const char *eq;
	char *name;

	if (strcmp(c->v[0], "export") != 0 || c->argc != 2)
		return false;
	eq = strchr(c->v[1], '=');
	if (eq == NULL || eq == c->v[1])
		return false;
	name = arena_memdup0(c->s->se->arena, c->v[1],
	    (size_t)(eq - c->v[1]));
	se_sim_set(c->s, name, eq + 1, true);
	c->s->status = TRI_YES;
	return true;
}

void
se_sim_command_fish(struct sim *s, struct prof_node *n)
{
	struct cmd c = { .s = s };
	struct prof_node *body;
	size_t i, skip = 0;

	while (skip + 1 < n->n_words &&
	    (se_word_is(&n->words[skip], "command") ||
	    se_word_is(&n->words[skip], "builtin"))) {
		const struct prof_word *next = &n->words[skip + 1];

		skip++;
		if (next->raw[0] == '-')	/* command -q NAME */
			break;
	}
	if (skip >= n->n_words)
		return;
	c.argc = n->n_words - skip;
	c.v = arena_alloc(s->se->arena, (c.argc + 1) * sizeof *c.v);
	s->bytes += (c.argc + 1) * sizeof *c.v;
	for (i = 0; i < c.argc; i++)
		c.v[i] = se_sim_expand(s, n->words[skip + i].raw,
		    n->words[skip + i].len, 0);
	if (skip > 0 && c.v[0][0] == '-') {
		do_type(&c);
		return;
	}
	body = se_sim_func(s, c.v[0]);
	if (body != NULL) {
		se_sim_call(s, body, c.v + 1, c.argc - 1);
		return;
	}
	if (export_word(&c))
		return;
	for (i = 0; i < AEG_NELEM(table); i++)
		if (strcmp(table[i].name, c.v[0]) == 0) {
			table[i].run(&c);
			return;
		}
	s->status = TRI_MAYBE;
}
