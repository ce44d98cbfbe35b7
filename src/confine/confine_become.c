/* SPDX-License-Identifier: ISC */
/*
 * Whom a command runs as, and what environment it gets.  Groups are looked up
 * before the sandbox is entered, which may not let the name service be
 * reached.
 */
#include "confine_int.h"

#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/rootenv.h"
#include "aegsh/base/text.h"

/* "#12", as sudo takes it. */
static int
number_of(const char *word, int64_t *ret)
{
	if (word[0] != '#' ||
	    text_to_i64(word + 1, 0, UINT32_MAX - 1, ret) < 0)
		return -EINVAL;
	return 0;
}

static int
find_user(const char *word, struct names_user *ret, struct err *err)
{
	int64_t uid;

	if (number_of(word, &uid) < 0)
		return names_user_by_name(word, ret) == 0 ? 0 :
		    err_set(err, ERR_CALLER, "there is no user %s", word);
	if (names_user_by_uid((uid_t)uid, ret) == 0)
		return 0;
	/* Without a name there are no groups and no home to be had. */
	return err_set(err, ERR_CALLER, "there is no user %s", word);
}

static int
find_group(const char *word, gid_t *ret, struct err *err)
{
	const struct group *g;
	int64_t gid;

	if (number_of(word, &gid) == 0) {
		*ret = (gid_t)gid;
		return 0;
	}
	g = getgrnam(word);
	if (g == NULL)
		return err_set(err, ERR_CALLER, "there is no group %s", word);
	*ret = g->gr_gid;
	return 0;
}

/* With a group and no user sudo makes it one of the caller's. */
int
confine_find_target(struct confine *c, struct err *err)
{
	const char *user = c->user != NULL ? c->user : c->group != NULL ?
	    c->caller.name : "root";
	int rc = find_user(user, &c->target, err), n = NGROUPS_MAX;

	if (rc < 0)
		return rc;
	c->gid = c->target.gid;
	if (c->group != NULL && (rc = find_group(c->group, &c->gid, err)) < 0)
		return rc;
	c->groups = xcalloc((size_t)n, sizeof *c->groups);
	if (getgrouplist(c->target.name, c->gid, c->groups, &n) < 0)
		return err_set(err, ERR_RANGE, "%s is in more than %d groups",
		    c->target.name, NGROUPS_MAX);
	c->n_groups = n;
	return 0;
}

int
confine_become_target(const struct confine *c, struct err *err)
{
	uid_t uid = c->target.uid;

	/* As sudo has made us; with its own idea of groups (-P). */
	if (c->user == NULL && c->group == NULL)
		return getgid() == c->target.gid ? 0 : err_set(err,
		    ERR_REFUSED, "sudo gave it another group than root's, "
		    "which sudoers was not asked of");
	if (setgroups((size_t)c->n_groups, c->groups) < 0 ||
	    setresgid(c->gid, c->gid, c->gid) < 0 ||
	    setresuid(uid, uid, uid) < 0)
		return err_sys(err, errno, "becoming %s", c->target.name);
	if (getuid() != uid || geteuid() != uid || getegid() != c->gid)
		return err_set(err, ERR_REFUSED, "this is not %s",
		    c->target.name);
	return 0;
}

/* ---- the environment ---------------------------------------------------- */

static bool
is_kept(const struct confine *c, const char *name)
{
	if (strv_has(&c->keep, name))
		return true;
	return strcmp(name, "SUDO_UID") == 0 ||
	    strcmp(name, "SUDO_GID") == 0 || strcmp(name, "SUDO_USER") == 0;
}

/* What sudo would have named. */
static void
put_command(const struct confine *c, struct strv *ret)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(4096);
	size_t i;

	for (i = 0; c->argv[i] != NULL; i++) {
		if (i > 0)
			buf_putc(&text, ' ');
		buf_puts(&text, c->argv[i]);
	}
	strv_addf(ret, "SUDO_COMMAND=%s", text.data != NULL ? text.data : "");
}

void
confine_envp(const struct confine *c, char *const *env, struct strv *ret)
{
	const struct names_user *u = &c->target;
	size_t i;

	strv_add(ret, "PATH=" ROOTENV_PATH);
	strv_addf(ret, "HOME=%s", u->home);
	strv_addf(ret, "USER=%s", u->name);
	strv_addf(ret, "LOGNAME=%s", u->name);
	strv_addf(ret, "SHELL=%s", u->shell[0] != '\0' ? u->shell : "/bin/sh");
	put_command(c, ret);
	if (c->edits)
		rootenv_put_editor(ret);
	for (i = 0; env[i] != NULL; i++) {
		const char *eq = strchr(env[i], '=');
		AEG_AUTOFREE char *name = NULL;

		if (eq == NULL)
			continue;
		name = xmemdup0(env[i], (size_t)(eq - env[i]));
		if (rootenv_is_of_terminal(name) ?
		    rootenv_is_harmless(eq + 1) : is_kept(c, name))
			strv_add(ret, env[i]);
	}
}
