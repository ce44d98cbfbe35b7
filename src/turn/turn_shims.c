/* SPDX-License-Identifier: ISC */
/*
 * What a line finds first where it calls sudo, mount and their like: small
 * directories in front of its PATH, of names that are all aegsh-elevate; and
 * what it is told where there are none.
 */
#include "turn/turn_elevate.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "aegsh/base/io.h"
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

/* Has that file rights by being run that this user has not? */
static bool
gains(const char *path, uid_t uid)
{
	struct stat st;

	return path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    (((st.st_mode & S_ISUID) != 0 && st.st_uid != uid) ||
	    ((st.st_mode & S_ISGID) != 0 && (st.st_mode & S_IXGRP) != 0 &&
	    group_member(st.st_gid) == 0) ||
	    getxattr(path, "security.capability", NULL, 0) > 0);
}

/* net.ipv4.ping_group_range, icmp(7) */
static bool
may_ping(void)
{
	AEG_AUTOFD int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC,
	    IPPROTO_ICMP);

	return fd >= 0 || (errno != EACCES && errno != EPERM);
}

/* Called like that, does it nothing without the rights of its file? */
static bool
needs_rights(const struct elevate_program *g, const struct resolved *r)
{
	struct resolve_opts o;
	struct resolve_opt opt;
	enum resolve_opt_kind kind;
	size_t i;

	if (g->lone == NULL || r->more_args_unknown ||
	    (g->pings && may_ping()))
		return false;
	for (i = 1; i < r->argc; i++)
		if (!r->argv[i].known)
			return false;
	resolve_opts_init(&o, g->grammar, r->argv, r->argc);
	while ((kind = resolve_opts_next(&o, &opt)) != RESOLVE_OPT_END)
		if (kind != RESOLVE_OPT_OPERAND &&
		    resolve_opt_is(&opt, g->lone))
			return false;
	return true;
}

static void
refuse_lone(const struct elevate_program *g, struct policy_verdict *verdict)
{
	*verdict = (struct policy_verdict){
		.action = POLICY_BLOCK,
		.rule = "elevate",
		.reason = "no program gains rights inside a line, and the "
		    "profile has none of them brokered (elevate = no)",
		.instead = "a session of that user's own; who runs this "
		    "machine can set elevate, aegsh-policy(5)",
	};
	if (g->regroups) {
		verdict->reason = "no program takes another group inside a "
		    "line, as it would by being set-uid";
		verdict->instead = "log in anew: who is a member of the group "
		    "has it from then on";
	} else if (g->self) {
		verdict->reason = "it works by rights of its file (set-uid, "
		    "set-gid, capabilities), and no program gains any inside "
		    "a line: the profile has none of them brokered "
		    "(elevate = no)";
		verdict->instead = "ask who runs this machine to do it, or for "
		    "a profile with elevate = broker, as operator has it: "
		    "aegsh-policy(5)";
	}
	if (g->pings)
		verdict->instead = "who runs this machine can let all users "
		    "ping without: sysctl net.ipv4.ping_group_range=\"0 "
		    "2147483647\"";
}

void
turn_refuse_lone_elevation(const struct policy *policy, uid_t uid,
    const struct syn_facts *own, const struct resolve_set *resolved,
    struct policy_verdict *verdict)
{
	const struct resolved *r = resolved->items;
	const struct elevate_program *g;

	if (policy_elevates(policy) || uid == 0 ||
	    verdict->action == POLICY_BLOCK || !own->only_simple ||
	    own->n_commands != 1 || resolved->n == 0 ||
	    r->kind != RESOLVE_FILE || r->name == NULL)
		return;
	g = elevate_program_of(r->name);
	if (g == NULL || only_tells(&own->commands[0]) ||
	    (g->self && (!needs_rights(g, r) || !gains(r->path, uid))))
		return;
	refuse_lone(g, verdict);
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
