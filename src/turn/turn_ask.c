/* SPDX-License-Identifier: ISC */
/* What the language model is told about a line, and asking it. */
#include <string.h>

#include "turn/turn_int.h"

/* Values of secret variables may stand in the line, or what came of it. */
static int
learn(void *ctx, const char *name, const char *value)
{
	redact_learn(ctx, name, value);
	return 0;
}

/* The facts that the model is told besides the line. */
void
turn_forget_keys(struct turn *t)
{
	const struct strv *taken = validator_taken(t->validator);
	size_t i;

	for (i = 0; i < taken->n; i++)
		state_unset(t->opts.state, taken->v[i]);
}

void
turn_ask(struct turn *t, struct turn_judged *j)
{
	struct buf canonical = BUF_INIT, commands = BUF_INIT;
	struct val_fact facts[5];
	struct val_question q = {
		.line = j->line.bytes,
		.len = j->line.len,
		.cwd = state_cwd(t->opts.state),
		.origin = line_origin_name(j->line.origin),
		.facts = facts,
		.redact = t->redact,
	};
	size_t i;

	redact_forget(t->redact);
	state_each(t->opts.state, learn, t->redact);
	syn_print(j->tree, &canonical);
	for (i = 0; i < j->resolved->n; i++) {
		const struct resolved *r = &j->resolved->items[i];

		buf_putf(&commands, "%s -> %s\n",
		    r->name != NULL ? r->name : "(unknown)",
		    r->path != NULL ? r->path :
		    r->kind == RESOLVE_BUILTIN ? "shell builtin" :
		    r->kind == RESOLVE_FUNCTION ? "function of the line" :
		    "(not a known file)");
	}
	facts[q.n_facts++] = (struct val_fact){ "canonical", canonical.data,
	    canonical.len };
	facts[q.n_facts++] = (struct val_fact){ "commands", commands.data,
	    commands.len };
	facts[q.n_facts++] = (struct val_fact){ "policy", j->verdict.reason,
	    strlen(j->verdict.reason) };
	t->ops->ask(t, &q, &j->asked);
	j->was_asked = true;
	buf_done(&canonical);
	buf_done(&commands);
}
