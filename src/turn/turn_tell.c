/* SPDX-License-Identifier: ISC */
/* What a person who is asked about a line may want to know of it. */
#include <stdio.h>
#include <string.h>

#include "aegsh/base/tr.h"
#include "turn/turn_int.h"

typedef void tell_fn(void *ctx, const char *heading, const char *text,
    size_t len);

static void
tell(tell_fn *fn, void *ctx, const char *heading, const struct buf *text)
{
	if (text->len > 0)
		fn(ctx, heading, text->data, text->len);
}

static void
tell_rule(const struct turn *t, const struct turn_judged *j, tell_fn *fn,
    void *ctx)
{
	const struct policy_verdict *v = &j->verdict;
	struct buf out = BUF_INIT;

	buf_putf(&out, "%s: %s\n", v->rule, v->reason);
	if (v->where != NULL)
		buf_putf(&out, tr("it stands in %s\n"), v->where);
	buf_putf(&out, tr("profile %s; evidence against the line: %u"),
	    policy_profile(t->policy), v->evidence);
	tell(fn, ctx, tr("rule"), &out);
	buf_done(&out);
	if (v->command != NULL)
		fn(ctx, tr("command that it is about"), v->command,
		    strlen(v->command));
}

static void
tell_model(const struct turn_judged *j, tell_fn *fn, void *ctx)
{
	struct buf out = BUF_INIT;

	if (!j->was_asked)
		return;
	if (j->asked.status == VAL_ANSWERED)
		buf_putf(&out, tr("%s: %s, %u %% sure: %s"), j->asked.model,
		    val_action_name(j->asked.action), j->asked.confidence,
		    j->asked.reason);
	else
		buf_puts(&out, j->asked.reason);
	tell(fn, ctx, tr("language model"), &out);
	buf_done(&out);
}

static void
tell_scripts(const struct turn_judged *j, tell_fn *fn, void *ctx)
{
	struct buf out = BUF_INIT;
	size_t i;

	for (i = 0; i < j->n_scripts; i++)
		buf_putf(&out, tr("%s, %zu bytes, owner %u, mode %04o\n"),
		    j->scripts[i].path, j->scripts[i].size,
		    (unsigned)j->scripts[i].owner,
		    (unsigned)(j->scripts[i].mode & 07777));
	if (j->more_scripts)
		buf_puts(&out, tr("and more, which could not be read"));
	tell(fn, ctx, tr("scripts that it runs"), &out);
	buf_done(&out);
}

void
turn_tell(const struct turn *t, const struct turn_judged *j, tell_fn *fn,
    void *ctx)
{
	struct turn_words w;

	if (j->tree == NULL)
		return;
	tell_rule(t, j, fn, ctx);
	tell_model(j, fn, ctx);
	turn_words_of(j, &w);
	tell(fn, ctx, tr("programs"), &w.commands);
	tell(fn, ctx, tr("known values"), &w.values);
	tell(fn, ctx, tr("not known before it runs"), &w.unknown);
	tell(fn, ctx, tr("redirections"), &w.redirections);
	turn_words_done(&w);
	tell_scripts(j, fn, ctx);
}
