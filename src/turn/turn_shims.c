/* SPDX-License-Identifier: ISC */
/*
 * What a line finds first where it calls sudo, mount and their like: small
 * directories in front of its PATH, of names that are all aegsh-elevate; and
 * what it is told where there are none.
 */
#include "turn/turn_elevate.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

bool
turn_elevates(const struct turn *t)
{
	return t->policy != NULL && policy_elevates(t->policy);
}

static bool
only_tells(const struct syn_command *c)
{
	static const char *const words[] = { "--help", "--version", "-V",
	    "-h" };
	size_t i;

	for (i = 0; i < AEG_NELEM(words) && c->n_words == 2; i++)
		if (c->words[1].known &&
		    strcmp(c->words[1].value, words[i]) == 0)
			return true;
	return false;
}

void
turn_refuse_elevation(const struct turn *t, struct turn_judged *j)
{
	if (t->policy != NULL)
		turn_refuse_lone_elevation(t->policy, t->opts.uid, j->own,
		    j->resolved, &j->verdict);
}

void
turn_refuse_lone_elevation(const struct policy *policy, uid_t uid,
    const struct syn_facts *own, const struct resolve_set *resolved,
    struct policy_verdict *verdict)
{
	const struct resolved *r = resolved->items;

	if (policy_elevates(policy) || uid == 0 ||
	    verdict->action == POLICY_BLOCK || !own->only_simple ||
	    own->n_commands != 1 || resolved->n == 0 ||
	    r->kind != RESOLVE_FILE || r->name == NULL ||
	    !elevate_becomes_other(r->name) || only_tells(&own->commands[0]))
		return;
	*verdict = (struct policy_verdict){
		.action = POLICY_BLOCK,
		.rule = "elevate",
		.reason = "no program gains rights inside a line, and the "
		    "profile has none of them brokered (elevate = no)",
		.instead = "a session of that user's own; who runs this "
		    "machine can set elevate, aegsh-policy(5)",
	};
}

/* Programs that are not on every machine have a directory each, so that none
 * is found where it is not. */
static const char *const apart[] = { "crontab", "ping", "fusermount",
	"fusermount3", "at", "atq", "atrm" };

/* In front of PATH, each with a colon behind it; owned. */
static char *
shims(const struct turn *t)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	size_t i;

	if (t->opts.uid == 0) {
		buf_putf(&out, "%s/elevate-root:", sysdirs()->libexec);
		return buf_take(&out);
	}
	buf_putf(&out, "%s/elevate:", sysdirs()->libexec);
	for (i = 0; i < AEG_NELEM(apart); i++) {
		AEG_AUTOFREE char *path = elevate_real(apart[i],
		    t->opts.uid);

		if (path != NULL)
			buf_putf(&out, "%s/elevate-%s:", sysdirs()->libexec,
			    apart[i]);
	}
	return buf_take(&out);
}

void
turn_put_shims(const struct turn *t, struct strv *envp)
{
	AEG_AUTOFREE char *front = NULL;
	size_t i;

	if (!turn_elevates(t))
		return;
	front = shims(t);
	for (i = 0; i < envp->n; i++)
		if (text_starts(envp->v[i], "PATH=")) {
			char *with = xasprintf("PATH=%s%s", front, envp->v[i] +
			    strlen("PATH="));

			free(envp->v[i]);
			envp->v[i] = with;
		}
}

void
turn_drop_shims(struct turn *t)
{
	const char *path = state_get(t->opts.state, "PATH"), *rest = path;
	AEG_AUTOFREE char *own = xasprintf("%s/elevate", sysdirs()->libexec);
	AEG_AUTOFREE char *copy = NULL;
	size_t n;

	if (!turn_elevates(t) || path == NULL)
		return;
	/* Those that were there when the line began. */
	while (text_starts(rest, own) &&
	    (rest[strlen(own)] == ':' || rest[strlen(own)] == '-')) {
		n = strcspn(rest, ":");
		if (rest[n] == '\0')
			break;
		rest += n + 1;
	}
	if (rest == path)
		return;
	copy = xstrdup(rest);
	(void)state_set(t->opts.state, "PATH", copy, NULL);
}
