/* SPDX-License-Identifier: ISC */
/* Simple commands of the Bourne family: what changes variables, PATH or
 * the way through the file; everything else only has an unknown status. */
#include "sim_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

struct cmd {
	struct sim *s;
	struct prof_node *n;
	size_t first;		/* word that is the command */
	const char **v;		/* expanded words from first on */
	size_t argc;
};

/* NAME= or NAME+= at the start of a word; its length with the operator. */
static size_t
assignment(const struct prof_word *w, size_t *ret_name)
{
	size_t i = 0;

	while (i < w->len && (w->raw[i] == '_' ||
	    isalnum((unsigned char)w->raw[i])))
		i++;
	if (i == 0 || isdigit((unsigned char)w->raw[0]))
		return 0;
	*ret_name = i;
	if (i < w->len && w->raw[i] == '=')
		return i + 1;
	if (i + 1 < w->len && w->raw[i] == '+' && w->raw[i + 1] == '=')
		return i + 2;
	return 0;
}

/* path=( … ) of zsh, as the text between colons that it means; other
 * arrays are their first word. */
static const char *
array_value(struct sim *s, const char *raw, size_t len, bool whole)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	const struct prof_word *made;
	struct lex l;
	size_t n = 0, n_made, k;

	se_lex_init(&l, s->se->arena, raw, len, s->dialect);
	for (se_lex_next(&l); l.tok == TOK_WORD || l.tok == TOK_NL;
	    se_lex_next(&l)) {
		if (l.tok == TOK_NL)
			continue;
		made = se_sim_braces(s, &l.word, &n_made);
		for (k = 0; k < n_made && (whole || n == 0); k++)
			buf_putf(&out, "%s%s", n++ > 0 ? ":" : "",
			    se_sim_expand(s, made[k].raw, made[k].len,
			    EXPAND_ASSIGN));
		if (!whole)
			break;
	}
	return se_strdup(s->se, out.data != NULL ? out.data : "");
}

static void
assign(struct sim *s, const struct prof_word *w, bool exported, int flags)
{
	static const char old[2] = { SIM_OLD, '\0' };
	size_t n, op = assignment(w, &n);
	const char *name = arena_memdup0(s->se->arena, w->raw, n);
	const char *rest = w->raw + op, *value, *have;
	size_t len = w->len - op;
	bool append = w->raw[n] == '+';
	bool path = strcmp(name, "path") == 0 && s->dialect == DIALECT_ZSH;

	if (len >= 2 && rest[0] == '(' && rest[len - 1] == ')')
		value = array_value(s, rest + 1, len - 2, path);
	else
		value = se_sim_expand(s, rest, len, flags);
	if (path) {
		name = "PATH";
		if (append)
			value = se_printf(s->se, "%s:%s", old, value);
	} else if (append) {
		have = se_sim_get(s, name);
		value = se_printf(s->se, "%s%s", have != NULL ? have : "",
		    value);
	}
	se_sim_set(s, name, value, exported);
}

/* export, declare, typeset, readonly, local: NAME=VALUE or NAME. */
static void
do_declare(struct cmd *c)
{
	bool exported = strcmp(c->v[0], "export") == 0;
	const struct prof_node *n = c->n;
	/* To yash an operand of export is no assignment: ~ stays. */
	int flags = strcmp(c->s->shell_name, "yash") == 0 ?
	    EXPAND_NO_TILDE : EXPAND_ASSIGN;
	size_t i, name;

	for (i = c->first + 1; i < n->n_words; i++) {
		const struct prof_word *w = &n->words[i];

		if (w->len > 1 && (w->raw[0] == '-' || w->raw[0] == '+')) {
			bool on = w->raw[0] == '-';

			if (memchr(w->raw, 'x', w->len) != NULL)
				exported = on;
			if (on && memchr(w->raw, 'U', w->len) != NULL)
				c->s->unique = true;
			if (on && exported && memchr(w->raw, 'n', w->len) !=
			    NULL)
				exported = false;
			continue;
		}
		if (assignment(w, &name) > 0)
			assign(c->s, w, exported, flags);
		else if (exported)
			se_sim_export(c->s, c->v[i - c->first]);
	}
	c->s->status = TRI_YES;
}

static void
do_source(struct cmd *c)
{
	struct sim *s = c->s;
	const char *path;

	s->status = TRI_MAYBE;
	if (c->argc < 2)
		return;
	path = c->v[1];
	if (strcmp(path, "--") == 0 && c->argc > 2)
		path = c->v[2];
	if (!se_sim_known(path) || strchr(path, SIM_OLD) != NULL ||
	    path[0] == '<') {
		se_sim_event(s, SIM_OPAQUE, "source", se_sim_flat(s, path));
		return;
	}
	/* Without a slash the shell looks along PATH, and zsh and bash then
	 * where they are: the home. */
	if (path[0] != '/')
		path = se_printf(s->se, "%s/%s", s->se->home, path);
	se_sim_source(s, path, c->v + 2, c->argc - 2);
}

static void
do_eval(struct cmd *c)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	size_t i;

	for (i = 1; i < c->argc; i++)
		buf_putf(&text, "%s%s", i > 1 ? " " : "", c->v[i]);
	c->s->status = TRI_MAYBE;
	if (text.len == 0)
		return;
	if (buf_overflow(&text) || !se_sim_known(text.data) ||
	    strchr(text.data, SIM_OLD) != NULL) {
		const struct prof_word *w = &c->n->words[c->first + 1];

		/* Say what is evaluated as it stands in the file. */
		se_sim_event(c->s, SIM_OPAQUE, "eval",
		    arena_memdup0(c->s->se->arena, w->raw, w->len));
		return;
	}
	se_sim_eval(c->s, se_strdup(c->s->se, text.data));
}

static void
leave(struct cmd *c, const char *how, enum sim_flow flow)
{
	se_sim_event(c->s, SIM_END, how, NULL);
	if (c->s->maybe == 0)
		c->s->flow = flow;
}

static void
do_return(struct cmd *c)
{
	if (c->s->in_func > 0) {
		if (c->s->maybe == 0)
			c->s->flow = FLOW_RETURN;
		return;
	}
	leave(c, "return", FLOW_RETURN);
}

static void
do_exit(struct cmd *c)
{
	leave(c, c->v[0], FLOW_EXIT);
}

static void
do_exec(struct cmd *c)
{
	size_t i = 1;

	while (i < c->argc && c->v[i][0] == '-') {
		if (strcmp(c->v[i], "-a") == 0)
			i++;
		i++;
	}
	if (i < c->argc)
		leave(c, c->v[i], FLOW_EXIT);
	c->s->status = TRI_YES;
}

static void
do_test(struct cmd *c)
{
	c->s->status = se_sim_test(c->s, c->v, c->argc);
}

static void
do_cond(struct cmd *c)
{
	c->s->status = se_sim_cond(c->s, c->n->words + c->first + 1,
	    c->n->n_words - c->first - 1);
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

static void
do_break(struct cmd *c)
{
	if (c->s->maybe == 0)
		c->s->flow = FLOW_BREAK;
}

static void
do_unset(struct cmd *c)
{
	size_t i, k;

	for (i = 1; i < c->argc; i++)
		for (k = 0; k < c->s->n_vars && c->s->maybe == 0; k++)
			if (strcmp(c->s->vars[k].name, c->v[i]) == 0)
				c->s->vars[k].value = NULL;
	c->s->status = TRI_YES;
}

static void
do_set(struct cmd *c)
{
	size_t i;

	for (i = 1; i < c->argc; i++) {
		bool all = strcmp(c->v[i] + (c->v[i][0] != '\0'), "a") == 0 ||
		    strcmp(c->v[i], "allexport") == 0;

		if (all && i == 1)
			c->s->allexport = c->v[i][0] == '-';
		else if (all)
			c->s->allexport = c->v[i - 1][0] == '-';
	}
	c->s->status = TRI_YES;
}

static void
do_shopt(struct cmd *c)
{
	if (c->argc == 3 && strcmp(c->v[1], "-q") == 0)
		c->s->status = strcmp(c->v[2], "login_shell") == 0 ?
		    (c->s->login ? TRI_YES : TRI_NO) : TRI_MAYBE;
	else
		c->s->status = TRI_YES;
}

static void
do_has(struct cmd *c)
{
	size_t i;

	for (i = 1; i < c->argc; i++)
		if (c->v[i][0] != '-')
			break;
	c->s->status = i < c->argc ? se_sim_has_command(c->s, c->v[i]) :
	    TRI_MAYBE;
}

/* emulate sh -c '…': zsh's way to read a file of sh. */
static void
do_emulate(struct cmd *c)
{
	size_t i;

	c->s->status = TRI_YES;
	for (i = 1; i + 1 < c->argc; i++)
		if (strcmp(c->v[i], "-c") == 0 && se_sim_known(c->v[i + 1]))
			se_sim_eval(c->s, c->v[i + 1]);
}

static const struct {
	const char *name;
	void (*run)(struct cmd *c);
} table[] = {
	{ "export", do_declare }, { "declare", do_declare },
	{ "typeset", do_declare }, { "readonly", do_declare },
	{ "local", do_declare }, { ".", do_source }, { "source", do_source },
	{ "eval", do_eval }, { "return", do_return }, { "exit", do_exit },
	{ "logout", do_exit }, { "exec", do_exec }, { "test", do_test },
	{ "[", do_test }, { "[[", do_cond }, { ":", do_true },
	{ "true", do_true }, { "false", do_false }, { "unset", do_unset },
	{ "set", do_set }, { "shopt", do_shopt }, { "type", do_has },
	{ "which", do_has }, { "hash", do_has }, { "emulate", do_emulate },
	{ "whence", do_has }, { "break", do_break }, { "continue", do_break },
	{ "alias", do_true }, { "umask", do_true }, { "bindkey", do_true },
	{ "setopt", do_true }, { "unsetopt", do_true }, { "stty", do_true },
	{ "autoload", do_true }, { "zstyle", do_true },
	{ "complete", do_true }, { "trap", do_true }, { "ulimit", do_true },
};

enum tri
se_sim_has_command(struct sim *s, const char *name)
{
	enum tri t = TRI_NO;
	size_t i;

	if (!se_sim_known(name) || name[0] == '\0')
		return TRI_MAYBE;
	for (i = 0; i < AEG_NELEM(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return TRI_YES;
	if (se_sim_func(s, name) != NULL)
		return TRI_YES;
	if (strchr(name, '/') != NULL)
		return name[0] == '/' && se_program(s->se, name) != NULL ?
		    TRI_YES : TRI_NO;
	for (i = 0; i < s->n_path; i++) {
		const struct sim_entry *e = &s->path[i];

		if (e->unknown)
			t = TRI_MAYBE;
		else if (e->text[0] == '/' && se_program(s->se,
		    se_printf(s->se, "%s/%s", e->text, name)) != NULL)
			return e->maybe ? TRI_MAYBE : TRI_YES;
	}
	return t;
}

/* command and builtin only say how a name is looked up; command -v asks
 * for it. */
static bool
strip_prefix(struct cmd *c)
{
	while (c->argc > 1 && (strcmp(c->v[0], "command") == 0 ||
	    strcmp(c->v[0], "builtin") == 0 ||
	    strcmp(c->v[0], "noglob") == 0)) {
		if (c->v[1][0] == '-' && strchr(c->v[1], 'v') != NULL) {
			do_has(c);
			return false;
		}
		if (c->v[1][0] == '-')
			return true;
		c->v++;
		c->argc--;
		c->first++;
	}
	return true;
}

void
se_sim_command(struct sim *s, struct prof_node *n)
{
	struct cmd c = { .s = s, .n = n };
	struct prof_node *body;
	size_t i, name;

	while (c.first < n->n_words &&
	    assignment(&n->words[c.first], &name) > 0)
		c.first++;
	if (c.first == n->n_words) {
		for (i = 0; i < n->n_words; i++)
			assign(s, &n->words[i], false, EXPAND_ASSIGN);
		s->status = TRI_YES;
		return;
	}
	c.argc = n->n_words - c.first;
	c.v = arena_alloc(s->se->arena, (c.argc + 1) * sizeof *c.v);
	s->bytes += (c.argc + 1) * sizeof *c.v;
	for (i = 0; i < c.argc; i++)
		c.v[i] = se_sim_expand(s, n->words[c.first + i].raw,
		    n->words[c.first + i].len, 0);
	body = se_sim_func(s, c.v[0]);
	if (body != NULL) {
		se_sim_call(s, body, c.v + 1, c.argc - 1);
		return;
	}
	if (!strip_prefix(&c))
		return;
	for (i = 0; i < AEG_NELEM(table); i++)
		if (strcmp(table[i].name, c.v[0]) == 0) {
			table[i].run(&c);
			return;
		}
	s->status = TRI_MAYBE;
}
