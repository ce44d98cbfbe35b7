/* SPDX-License-Identifier: ISC */
/*
 * The words by which sudo starts a command in a sandbox: aegsh-confine, as
 * root, and behind it who and what was asked for (aegsh-confine(8)).
 *
 *	sudo -n -u www-data X=1 /usr/bin/id -u
 *	sudo -n X=1 …/aegsh-confine -u www-data -e X elevated -- /usr/bin/id -u
 *
 * And what else has to be said to sudo in other words than it was called by.
 */
#include "turn/turn_elevate.h"

#include <fcntl.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"
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

/* ---- what sudoers says of that ------------------------------------------ */

static char *
confine_path(void)
{
	return xasprintf("%s/aegsh-confine", sysdirs()->libexec);
}

/* Options and variables come before it, and values of options are in one word
 * with them. */
static size_t
confine_at(const struct strv *confined)
{
	AEG_AUTOFREE char *path = confine_path();
	size_t i = 1;

	while (i < confined->n && strcmp(confined->v[i], path) != 0)
		i++;
	return i;
}

bool
elevate_can_ask(const struct strv *confined)
{
	static const char *const never[] = { "-n", "--non-interactive" };
	static const char *const stdin_too[] = { "-S", "--stdin" };
	size_t n = confine_at(confined), i;
	AEG_AUTOFD int tty = -1;
	bool can = false;

	for (i = 1; i < n; i++) {
		if (TEXT_AMONG(confined->v[i], never))
			return false;
		if (TEXT_AMONG(confined->v[i], stdin_too))
			can = true;
	}
	tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	return can || tty >= 0;
}

void
elevate_question(const struct strv *confined, uid_t uid, bool itself,
    struct strv *ret)
{
	size_t i;

	strv_add(ret, confined->v[0]);
	strv_add(ret, "-n");
	strv_add(ret, "-l");
	if (itself) {
		strv_add(ret, "-u");
		strv_addf(ret, "#%lu", (unsigned long)uid);
	}
	strv_add(ret, "--");
	for (i = confine_at(confined); i < confined->n; i++)
		strv_add(ret, confined->v[i]);
}

void
elevate_with_hint(const struct strv *confined, struct strv *ret)
{
	AEG_AUTO(buf_done) struct buf prompt = BUF_INIT;
	AEG_AUTOFREE char *path = confine_path();
	const char *p;
	size_t i;

	buf_puts(&prompt, "aegsh: where sudoers lets you run single commands, "
	    "it must let you run ");
	for (p = path; *p != '\0'; p++) {
		/* It stands for something in a prompt of sudo's. */
		if (*p == '%')
			buf_putc(&prompt, '%');
		buf_putc(&prompt, *p);
	}
	buf_puts(&prompt, " as well, see aegsh-confine(8)\n"
	    "[sudo] password for %p: ");
	strv_add(ret, confined->v[0]);
	strv_add(ret, "-p");
	strv_add(ret, prompt.data);
	for (i = 1; i < confined->n; i++)
		strv_add(ret, confined->v[i]);
}

int
elevate_lacks(uid_t uid, struct err *err)
{
	AEG_AUTO(names_user_done) struct names_user user = { .name = NULL };
	AEG_AUTOFREE char *path = confine_path();

	return err_set(err, ERR_REFUSED, "sudoers does not let this user run "
	    "%s, which starts in a sandbox what sudo is to run: who runs this "
	    "machine can add \"%s ALL = (root) %s\" to the lines of the "
	    "commands, see aegsh-confine(8)", path,
	    names_user_by_uid(uid, &user) == 0 ? user.name : "%GROUP", path);
}
