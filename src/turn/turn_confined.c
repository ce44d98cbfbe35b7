/* SPDX-License-Identifier: ISC */
/*
 * The words by which sudo starts a command in a sandbox: aegsh-confine, as
 * root, and behind it who and what was asked for (aegsh-confine(8)).
 *
 *	sudo -n -u www-data X=1 /usr/bin/id -u
 *	sudo -n X=1 …/aegsh-confine -u www-data -e X elevated -- /usr/bin/id -u
 */
#include "turn/turn_elevate.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/rootenv.h"
#include "aegsh/base/text.h"

struct sorting {
	struct strv *sudo, *confine;
	const char *shell;	/* options that we carry out */
};

void
elevate_put_option(struct strv *to, const struct strv *argv,
    const struct resolve_opt *o)
{
	const char *value = o->value_word > 0 ? argv->v[o->value_word] +
	    o->value_skip : NULL;

	if (!o->long_form) {
		strv_addf(to, "-%.*s", (int)o->name_len, o->name);
		if (value != NULL)
			strv_add(to, value);
	} else if (value != NULL) {
		strv_addf(to, "--%.*s=%s", (int)o->name_len, o->name, value);
	} else {
		strv_addf(to, "--%.*s", (int)o->name_len, o->name);
	}
}

static void
sort_option(void *ctx, const struct strv *argv, const struct resolve_opt *o)
{
	struct sorting *s = ctx;
	bool user = resolve_opt_is(o, "u user");

	if (s->shell != NULL && resolve_opt_is(o, s->shell))
		return;
	if (!user && !resolve_opt_is(o, "g group")) {
		elevate_put_option(s->sudo, argv, o);
		return;
	}
	strv_add(s->confine, user ? "-u" : "-g");
	strv_add(s->confine, o->value_word > 0 ? argv->v[o->value_word] +
	    o->value_skip : "");
}

static void
sort_nothing(void *ctx, const struct strv *argv, const struct resolve_opt *o)
{
	elevate_put_option(ctx, argv, o);
}

static bool
is_keepable(const struct turn *t, const char *variable, char **ret_name)
{
	const char *eq = strchr(variable, '=');

	if (eq == NULL)
		return false;
	*ret_name = xmemdup0(variable, (size_t)(eq - variable));
	return policy_elevate_keeps(t->policy, *ret_name);
}

static void
put_kept(const struct turn *t, const char *variable, struct strv *to)
{
	AEG_AUTOFREE char *name = NULL;

	if (!is_keepable(t, variable, &name))
		return;
	strv_add(to, "-e");
	strv_add(to, name);
}

/* In no sandbox, and with our editor: who asks must be let set variables. */
static void
put_as_is(const struct elevate_call *c, const struct strv *argv,
    struct strv *ret)
{
	size_t i;

	elevate_options(c->program, argv, c->command, sort_nothing, ret);
	for (i = c->variables; i < c->command; i++)
		strv_add(ret, argv->v[i]);
	rootenv_put_editor(ret);
	for (; i < argv->n; i++)
		strv_add(ret, argv->v[i]);
}

bool
elevate_confined(const struct turn *t, const struct elevate_call *c,
    const struct strv *argv, const struct strv *envp, struct strv *ret)
{
	AEG_AUTO(strv_done) struct strv confine = STRV_INIT;
	struct sorting s = { ret, &confine, c->own_shell != NULL ?
	    c->program->shell : NULL };
	size_t i;

	if (c->own_shell != NULL) {
		strv_add(ret, argv->v[0]);
		elevate_options(c->program, argv, 0, sort_option, &s);
		strv_add(ret, c->own_shell);
		if (c->login)
			strv_add(ret, "--login");
		return true;
	}
	if (c->command == 0 || (c->in == NULL && !c->edits))
		return false;
	strv_add(ret, argv->v[0]);
	if (c->in == NULL) {
		put_as_is(c, argv, ret);
		return true;
	}
	elevate_options(c->program, argv, c->command, sort_option, &s);
	for (i = c->variables; i < c->command; i++) {
		strv_add(ret, argv->v[i]);
		put_kept(t, argv->v[i], &confine);
	}
	for (i = 0; i < envp->n; i++)
		put_kept(t, envp->v[i], &confine);
	strv_addf(ret, "%s/aegsh-confine", sysdirs()->libexec);
	if (c->edits)
		strv_add(ret, "--edit");
	for (i = 0; i < confine.n; i++)
		strv_add(ret, confine.v[i]);
	strv_add(ret, c->in);
	strv_add(ret, "--");
	for (i = c->command; i < argv->n; i++)
		strv_add(ret, argv->v[i]);
	return true;
}
