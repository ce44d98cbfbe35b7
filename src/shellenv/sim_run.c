/* SPDX-License-Identifier: ISC */
/*
 * Following the tree.  A condition that cannot be told has both its
 * branches followed, and what they do is marked as maybe; leaving a file
 * is then not taken.
 */
#include "sim_int.h"

#include <glob.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define LOOP_MAX 128		/* rounds of one for */

struct prof_node *
se_sim_func(struct sim *s, const char *name)
{
	size_t i;

	for (i = s->n_funcs; i-- > 0;)
		if (strcmp(s->funcs[i].name, name) == 0)
			return s->funcs[i].body;
	return NULL;
}

static void
define(struct sim *s, const struct prof_node *n)
{
	struct sim_func *f;

	if (n->n_words == 0 || s->n_funcs >= SIM_VARS)
		return;
	f = SE_PUSH(s->se, s->funcs, s->n_funcs, s->cap_funcs);
	f->name = se_sim_expand(s, n->words[0].raw, n->words[0].len, 0);
	f->body = n->a;
	s->status = TRI_YES;
}

static void
branch(struct sim *s, struct prof_node *n, enum tri taken)
{
	if (taken == TRI_NO || n == NULL)
		return;
	if (taken == TRI_MAYBE)
		s->maybe++;
	se_sim_list(s, n);
	if (taken == TRI_MAYBE) {
		s->maybe--;
		s->flow = FLOW_RUN;
		s->status = TRI_MAYBE;
	}
}

static enum tri
opposite(enum tri t)
{
	return t == TRI_MAYBE ? t : t == TRI_YES ? TRI_NO : TRI_YES;
}

static void
run_if(struct sim *s, struct prof_node *n)
{
	enum tri t;

	se_sim_list(s, n->a);
	if (s->flow != FLOW_RUN)
		return;
	t = s->status;
	s->status = TRI_YES;
	branch(s, n->b, t);
	if (s->flow == FLOW_RUN)
		branch(s, n->c, opposite(t));
}

static void
run_andor(struct sim *s, struct prof_node *n)
{
	enum tri t, left, right;

	if (n->a != NULL)
		se_sim_list(s, n->a);
	if (s->flow != FLOW_RUN)
		return;
	left = s->status;
	t = n->is_or ? opposite(left) : left;
	branch(s, n->b, t);
	right = s->status;
	if (s->flow != FLOW_RUN || t == TRI_NO)
		return;
	/* MAYBE-left leaves MAYBE, but for the part that decides alone. */
	s->status = t == TRI_YES ? right : TRI_MAYBE;
}

static void
loop_body(struct sim *s, const char *name, const char *value,
    struct prof_node *body)
{
	se_sim_set(s, name, value, false);
	se_sim_list(s, body);
	if (s->flow == FLOW_BREAK)
		s->flow = FLOW_RUN;
}

/* Files that a pattern stands for, each a round. */
static int
loop_glob(struct sim *s, const char *name, const char *pattern,
    struct prof_node *body, int rounds)
{
	const char *on_disk = se_disk(s->se, pattern);
	size_t i, skip = strlen(on_disk) - strlen(pattern);
	glob_t g;

	/* Only the last part may vary: more could walk the whole disk. */
	if (strcspn(pattern, "*?[") < (size_t)(path_base(pattern) - pattern)) {
		s->maybe++;
		loop_body(s, name, "\003", body);
		s->maybe--;
		return rounds + 1;
	}
	if (pattern[0] != '/' || glob(on_disk, 0, NULL, &g) != 0) {
		/* Unmatched, the pattern stays as it is. */
		loop_body(s, name, pattern, body);
		return rounds + 1;
	}
	for (i = 0; i < g.gl_pathc && rounds < LOOP_MAX &&
	    s->flow == FLOW_RUN; i++, rounds++)
		loop_body(s, name, g.gl_pathv[i] + skip, body);
	globfree(&g);
	return rounds;
}

/* The rounds of one word. */
static int
loop_word(struct sim *s, const char *name, const struct prof_word *w,
    struct prof_node *body, int rounds)
{
	bool split = w->raw[0] == '$' && memchr(w->raw, '"', w->len) == NULL;
	const char *list = se_sim_expand(s, w->raw, w->len, 0);

	if (se_sim_has_glob(w->raw, w->len) && se_sim_known(list))
		return loop_glob(s, name, list, body, rounds);
	if (!split) {
		loop_body(s, name, list, body);
		return rounds + 1;
	}
	while (*list != '\0' && rounds < LOOP_MAX) {
		size_t len = strcspn(list, " \t\n");

		if (len > 0) {
			loop_body(s, name, arena_memdup0(s->se->arena, list,
			    len), body);
			rounds++;
		}
		list += len + (list[len] != '\0');
	}
	return rounds;
}

static void
run_for(struct sim *s, struct prof_node *n)
{
	const char *name;
	int rounds = 0;
	size_t i, k, n_made;

	if (n->n_words == 0)
		return;
	name = se_sim_expand(s, n->words[0].raw, n->words[0].len, 0);
	for (i = 1; i < n->n_words; i++) {
		const struct prof_word *made = se_sim_braces(s, &n->words[i],
		    &n_made);

		for (k = 0; k < n_made && s->flow == FLOW_RUN &&
		    rounds < LOOP_MAX && !s->exhausted; k++)
			rounds = loop_word(s, name, &made[k], n->a, rounds);
	}
}

static void
run_case(struct sim *s, struct prof_node *n)
{
	const char *subject, *pattern;
	struct prof_node *item;
	enum tri left = TRI_YES;	/* none before has matched */
	size_t i;

	if (n->n_words == 0)
		return;
	subject = se_sim_expand(s, n->words[0].raw, n->words[0].len, 0);
	s->status = TRI_YES;
	for (item = n->a; item != NULL && left != TRI_NO &&
	    s->flow == FLOW_RUN; item = item->next) {
		enum tri t = TRI_NO;

		for (i = 0; i < item->n_words && t != TRI_YES; i++) {
			enum tri m;

			/* In fish quotes do not take a pattern's power. */
			pattern = se_sim_expand(s, item->words[i].raw,
			    item->words[i].len, s->dialect == DIALECT_FISH ?
			    0 : EXPAND_PATTERN);
			m = se_sim_match(s, subject, pattern);
			t = m == TRI_YES ? m : m == TRI_MAYBE ? m : t;
		}
		if (t == TRI_NO)
			continue;
		branch(s, item->a, left == TRI_MAYBE ? TRI_MAYBE : t);
		left = t == TRI_YES ? TRI_NO : TRI_MAYBE;
	}
}

static void
run_pipe(struct sim *s, struct prof_node *n)
{
	/* Each part runs in its own process and changes nothing here. */
	for (n = n->a; n != NULL; n = n->next)
		if (n->kind == PROF_CMD && n->n_words > 0 &&
		    (se_word_is(&n->words[0], "source") ||
		    se_word_is(&n->words[0], "eval")))
			se_sim_event(s, SIM_OPAQUE, "pipeline", NULL);
	s->status = TRI_MAYBE;
}

static void
run_node(struct sim *s, struct prof_node *n)
{
	size_t n_path = s->n_path;
	struct sim_entry *path = s->path;

	switch (n->kind) {
	case PROF_CMD:
		if (s->dialect == DIALECT_FISH)
			se_sim_command_fish(s, n);
		else
			se_sim_command(s, n);
		break;
	case PROF_ANDOR:
		run_andor(s, n);
		break;
	case PROF_NOT:
		if (n->a != NULL)
			se_sim_list(s, n->a);
		s->status = opposite(s->status);
		break;
	case PROF_PIPE:
		run_pipe(s, n);
		break;
	case PROF_IF:
		run_if(s, n);
		break;
	case PROF_WHILE:
		branch(s, n->b, TRI_MAYBE);
		break;
	case PROF_FOR:
		run_for(s, n);
		break;
	case PROF_CASE:
		run_case(s, n);
		break;
	case PROF_ITEM:
		break;
	case PROF_FUNC:
		define(s, n);
		break;
	case PROF_GROUP:
		se_sim_list(s, n->a);
		break;
	case PROF_SUBSHELL:
		/* Its changes to PATH end with it; files it reads count. */
		s->maybe++;
		se_sim_list(s, n->a);
		s->maybe--;
		s->path = path;
		s->n_path = s->cap_path = n_path;
		s->flow = FLOW_RUN;
		s->status = TRI_MAYBE;
		break;
	}
}

void
se_sim_list(struct sim *s, struct prof_node *n)
{
	for (; n != NULL && s->flow == FLOW_RUN && !s->exhausted;
	    n = n->next) {
		if (++s->steps > SIM_STEPS) {
			s->exhausted = true;
			return;
		}
		/* In a function or eval the caller's line is what counts. */
		if (s->in_func == 0)
			s->line = n->line;
		run_node(s, n);
		if (n->background && s->flow == FLOW_EXIT)
			s->flow = FLOW_RUN;
	}
}

void
se_sim_call(struct sim *s, struct prof_node *body, const char *const *args,
    size_t n_args)
{
	const char *const *old = s->args;
	size_t n_old = s->n_args;

	if (s->depth >= SIM_DEPTH) {
		s->exhausted = true;
		return;
	}
	s->stack[s->depth++] = NULL;
	s->args = args;
	s->n_args = n_args;
	s->in_func++;
	se_sim_list(s, body);
	s->in_func--;
	s->args = old;
	s->n_args = n_old;
	s->depth--;
	if (s->flow == FLOW_RETURN)
		s->flow = FLOW_RUN;
}

/* Text run as commands: its lines are the line of the eval. */
void
se_sim_eval(struct sim *s, const char *text)
{
	const struct prof *p;
	int line = s->line;

	if (s->depth >= SIM_DEPTH) {
		s->exhausted = true;
		return;
	}
	p = se_prof_parse(s->se->arena, s->file, text, strlen(text),
	    s->dialect);
	s->stack[s->depth++] = NULL;
	s->in_func++;
	se_sim_list(s, p->body);
	s->in_func--;
	s->depth--;
	s->line = line;
}
