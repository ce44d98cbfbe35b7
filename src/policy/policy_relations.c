/* SPDX-License-Identifier: ISC */
/*
 * How the commands of a line stand to each other: what feeds whom through a
 * pipe, what stands inside of whom.  Each question is answered once for all
 * commands, in time that grows with the line and no faster.
 */
#include "policy_view_int.h"

#include <string.h>

#define NOBODY UINT32_MAX

/* A command of the line's text; sudo and what it starts are one. */
struct node {
	const struct syn_command *command;
	uint32_t parent;	/* whose word or body holds it, or NOBODY */
	uint32_t group;		/* its pipeline */
};

/* What one condition found; bits by node. */
enum { MATCHED = 1, IN_BODY = 2, BELOW = 4, DEEPER = 8, YES = 16 };

struct answer {
	unsigned char *bits;
	size_t n_matched;	/* commands, not nodes */
	size_t matched;		/* the last of them */
};

struct relations {
	struct node *nodes;
	uint32_t *node_of;	/* by command */
	size_t n_nodes, n_groups;
	uint32_t *answer_of;	/* by condition: number of the answer, or 0 */
	struct answer *answers;
	size_t n_answers;
	uint64_t *before, *after;	/* sets read, up to each command and
					 * from it on */
};

struct program {		/* a program of the line, as far as seen */
	const struct syn_command *first;
	uint32_t last;		/* node */
};

/* The command of the same program that stands last before this one on the
 * same level, and what holds both. */
static void
place(struct relations *r, struct program *program, uint32_t n)
{
	struct node *node = &r->nodes[n];
	uint32_t at = program->last, before = NOBODY;
	size_t parent = node->command->parent;

	while (at != NOBODY && (parent == 0 ||
	    r->nodes[at].command != program->first + parent - 1)) {
		before = at;
		at = r->nodes[at].parent;
	}
	node->parent = at;
	if (before != NOBODY && r->nodes[before].command->pipeline ==
	    node->command->pipeline)
		node->group = r->nodes[before].group;
	else
		node->group = (uint32_t)r->n_groups++;
}

static struct relations *
relations(struct view *v)
{
	struct relations *r = v->relations;
	struct program *programs, *program;
	const struct resolved *item;
	unsigned n_programs = 0;
	size_t i;

	if (r != NULL)
		return r;
	for (i = 0; i < v->n_cmds; i++)
		if (v->cmds[i].item->program >= n_programs)
			n_programs = v->cmds[i].item->program + 1;
	programs = arena_alloc(v->arena, n_programs * sizeof *programs);
	r = arena_alloc(v->arena, sizeof *r);
	r->nodes = arena_alloc(v->arena, v->n_cmds * sizeof *r->nodes);
	r->node_of = arena_alloc(v->arena, v->n_cmds * sizeof *r->node_of);
	r->answer_of = arena_alloc(v->arena, pol_count(v->policy,
	    POL_SEC_CONDS) * sizeof *r->answer_of);
	for (i = 0; i < v->n_cmds; i++) {
		item = v->cmds[i].item;
		program = &programs[item->program];
		if (program->first == NULL) {
			program->first = item->command;
			program->last = NOBODY;
		}
		if (program->last == NOBODY ||
		    r->nodes[program->last].command != item->command) {
			r->nodes[r->n_nodes].command = item->command;
			place(r, program, (uint32_t)r->n_nodes);
			program->last = (uint32_t)r->n_nodes++;
		}
		r->node_of[i] = program->last;
	}
	v->relations = r;
	return r;
}

/* It stands in the body of its parent, not in one of its words. */
static bool
in_body(const struct relations *r, size_t n)
{
	const struct node *node = &r->nodes[n];

	return node->parent != NOBODY && r->nodes[node->parent].command->depth
	    == node->command->depth;
}

/* ---- who is matched below whom ------------------------------------------ */

static void
gather_below(const struct relations *r, unsigned char *bits)
{
	uint32_t parent;
	size_t n;

	for (n = r->n_nodes; n-- > 0;) {
		parent = r->nodes[n].parent;
		if (bits[n] & MATCHED)
			bits[n] |= IN_BODY | BELOW;
		if (parent == NOBODY)
			continue;
		bits[parent] |= bits[n] & BELOW;
		if (in_body(r, n))
			bits[parent] |= bits[n] & (IN_BODY | DEEPER);
		else if (bits[n] & BELOW)
			bits[parent] |= DEEPER;
	}
}

static void
answer_inside(const struct relations *r, unsigned char *bits)
{
	uint32_t parent;
	size_t n;

	for (n = 0; n < r->n_nodes; n++) {
		parent = r->nodes[n].parent;
		if (parent != NOBODY && ((bits[parent] & YES) ||
		    ((bits[parent] & MATCHED) && !in_body(r, n))))
			bits[n] |= YES;
	}
}

/* ---- pipes: a compound command passes on what it is given ---------------- */

static void
answer_fed_by(const struct relations *r, unsigned char *bits, bool *seen)
{
	const struct node *node;
	size_t n;

	for (n = 0; n < r->n_nodes; n++) {
		node = &r->nodes[n];
		if (seen[node->group] || (node->command->pipe_index == 0 &&
		    in_body(r, n) && (bits[node->parent] & YES)))
			bits[n] |= YES;
		if (bits[n] & IN_BODY)
			seen[node->group] = true;
	}
}

static void
answer_feeds(const struct relations *r, unsigned char *bits, bool *seen)
{
	const struct node *node;
	size_t n;

	for (n = r->n_nodes; n-- > 0;) {
		if (seen[r->nodes[n].group])
			bits[n] |= YES;
		if (bits[n] & IN_BODY)
			seen[r->nodes[n].group] = true;
	}
	for (n = 0; n < r->n_nodes; n++) {
		node = &r->nodes[n];
		if (node->command->pipe_index + 1 == node->command->pipe_count
		    && in_body(r, n) && (bits[node->parent] & YES))
			bits[n] |= YES;
	}
}

/* ---- the answers --------------------------------------------------------- */

static void
work_out(struct view *v, const struct relations *r, struct answer *a,
	enum view_relation how)
{
	bool *seen;
	size_t n;

	if (how == VIEW_BESIDE)
		return;
	gather_below(r, a->bits);
	if (how == VIEW_HOLDS) {
		for (n = 0; n < r->n_nodes; n++)
			a->bits[n] |= a->bits[n] & DEEPER ? YES : 0;
		return;
	}
	if (how == VIEW_INSIDE) {
		answer_inside(r, a->bits);
		return;
	}
	seen = arena_alloc(v->arena, r->n_groups * sizeof *seen);
	if (how == VIEW_FED_BY)
		answer_fed_by(r, a->bits, seen);
	else
		answer_feeds(r, a->bits, seen);
}

static const struct answer *
answer(struct view *v, struct relations *r, const struct pol_cond *c,
	enum view_relation how)
{
	uint32_t *number = &r->answer_of[c - (const struct pol_cond *)
	    pol_section(v->policy, POL_SEC_CONDS)];
	struct answer a = { NULL, 0, 0 };
	size_t i;

	if (*number > 0)
		return &r->answers[*number - 1];
	a.bits = arena_alloc(v->arena, r->n_nodes);
	for (i = 0; i < v->n_cmds; i++)
		if (view_any_name(v->policy, c, &v->cmds[i])) {
			a.bits[r->node_of[i]] |= MATCHED;
			a.n_matched++;
			a.matched = i;
		}
	if (a.n_matched > 0)
		work_out(v, r, &a, how);
	VIEW_PUSH(v->arena, r->answers, r->n_answers, a);
	*number = (uint32_t)r->n_answers;
	return &r->answers[*number - 1];
}

bool
view_related(struct view *v, const struct view_cmd *cmd,
	const struct pol_cond *c, enum view_relation how)
{
	size_t i = (size_t)(cmd - v->cmds);
	const struct answer *a;
	struct relations *r;

	if (v->n_cmds < 2)
		return false;
	r = relations(v);
	a = answer(v, r, c, how);
	if (how == VIEW_BESIDE)
		return a->n_matched > 1 ||
		    (a->n_matched == 1 && a->matched != i);
	return (a->bits[r->node_of[i]] & YES) != 0;
}

static uint64_t
sets_read(const struct view_cmd *cmd)
{
	uint64_t sets = 0;
	size_t i;

	for (i = 0; i < cmd->n_paths; i++)
		if (cmd->paths[i].how & (POL_HOW_READ | POL_HOW_MAYBE))
			sets |= cmd->paths[i].sets;
	return sets;
}

uint64_t
view_read_beside(struct view *v, const struct view_cmd *cmd)
{
	size_t i = (size_t)(cmd - v->cmds), next, n = v->n_cmds;
	struct relations *r;

	if (n < 2)
		return 0;
	r = relations(v);
	if (r->before == NULL) {
		r->before = arena_alloc(v->arena, (n + 1) * sizeof *r->before);
		r->after = arena_alloc(v->arena, (n + 1) * sizeof *r->after);
		for (next = 0; next < n; next++)
			r->before[next + 1] = r->before[next] |
			    sets_read(&v->cmds[next]);
		for (next = n; next-- > 0;)
			r->after[next] = r->after[next + 1] |
			    sets_read(&v->cmds[next]);
	}
	/* What it starts itself, perhaps on another machine, stands inside,
	 * not beside. */
	for (next = i + 1; next < n && v->cmds[next].item->level >
	    cmd->item->level; next++)
		continue;
	return r->before[i] | r->after[next];
}

/* Its input comes from a file or a pipe, its own or that of a compound
 * command around it. */
bool
view_stdin_given(struct view *v, const struct view_cmd *cmd)
{
	const struct relations *r = relations(v);
	uint32_t n = r->node_of[cmd - v->cmds];
	const struct syn_command *c;
	size_t i;

	for (;; n = r->nodes[n].parent) {
		c = r->nodes[n].command;
		for (i = 0; i < c->n_redirs; i++)
			if (c->redirs[i].fd == 0 &&
			    c->redirs[i].op != SYN_REDIR_CLOSE)
				return true;
		if (c->pipe_index > 0)
			return true;
		if (!in_body(r, n))
			return false;
	}
}
