/* SPDX-License-Identifier: ISC */
/* What a profile says about where its lines run: directory, environment,
 * search path. */
#include "policy_int.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/path.h"
#include "aegsh/resolve.h"

const char *
policy_search_path(const struct policy *p)
{
	return pol_string(p, p->profile->search_path);
}

static bool
keeps(const struct policy *p, const char *name)
{
	const uint32_t *keep = pol_list(p, p->profile->keep);
	uint32_t i;

	if (!p->profile->clean || state_keeps(name) != NULL)
		return true;
	for (i = 0; i < p->profile->n_keep; i++)
		if (fnmatch(pol_string(p, keep[i]), name, 0) == 0)
			return true;
	return false;
}

bool
policy_elevates(const struct policy *p)
{
	return p->profile->elevate == 1;
}

/* What no sandbox of ours can hold: any domain of Landlock refuses to mount. */
static bool
is_bare(const struct policy *p, const char *path)
{
	static const char *const mounts[] = { "mount", "umount" };
	const uint32_t *bare = pol_list(p, p->profile->elevated_bare);
	const char *name = path_base(path);
	size_t i;

	for (i = 0; i < sizeof mounts / sizeof mounts[0]; i++)
		if (strcmp(mounts[i], name) == 0)
			return true;
	for (i = 0; i < p->profile->n_elevated_bare; i++)
		if (strcmp(pol_string(p, bare[i]), name) == 0)
			return true;
	return false;
}

const char *
policy_elevated_in(const struct policy *p, const char *path)
{
	return path != NULL && is_bare(p, path) ? NULL :
	    pol_string(p, p->profile->elevated);
}

bool
policy_elevates_shell(const struct policy *p)
{
	return p->profile->elevated_shell == 1;
}

/* Words that choose what a program runs or loads, whatever a profile has. */
static bool
never_kept(const char *name)
{
	static const char *const never[] = { "*EDITOR", "*PAGER*", "*ASKPASS*",
	    "*BROWSER", "BASH*", "CDPATH", "ENV", "GCONV_PATH", "GIT_*", "HOME",
	    "IFS", "JAVA_*", "JDK_*", "LD_*", "LESS*", "LOCPATH", "LOGNAME",
	    "LUA_*", "MAN*", "NLSPATH", "NODE_*", "PATH", "PERL*", "PS4",
	    "PYTHON*", "RUBY*", "SHELL*", "SUDO_*", "TERMCAP", "TERMINFO*",
	    "USER", "VISUAL", "XDG_*", "ZDOTDIR", "_JAVA_OPTIONS" };
	size_t i;

	for (i = 0; i < sizeof never / sizeof never[0]; i++)
		if (fnmatch(never[i], name, 0) == 0)
			return true;
	return false;
}

bool
policy_elevate_keeps(const struct policy *p, const char *name)
{
	const uint32_t *keep = pol_list(p, p->profile->elevate_keep);
	uint32_t i;

	if (never_kept(name) || resolve_is_program_variable(name))
		return false;
	for (i = 0; i < p->profile->n_elevate_keep; i++)
		if (fnmatch(pol_string(p, keep[i]), name, 0) == 0)
			return true;
	return false;
}

struct names {
	const struct policy *policy;
	struct strv unwanted;
};

static int
sort_out(void *ctx, const char *name, const char *value)
{
	struct names *n = ctx;

	(void)value;
	if (!keeps(n->policy, name))
		strv_add(&n->unwanted, name);
	return 0;
}

void
policy_clean_state(const struct policy *p, struct state *s)
{
	struct names n = { .policy = p };
	size_t i;

	state_each(s, sort_out, &n);
	for (i = 0; i < n.unwanted.n; i++)
		state_unset(s, n.unwanted.v[i]);
	strv_done(&n.unwanted);
	if (policy_search_path(p) != NULL)
		state_set(s, "PATH", policy_search_path(p), NULL);
}

bool
policy_clean(const struct policy *p)
{
	return p->profile->clean;
}

int
policy_each_project_mark(const struct policy *p,
	int (*fn)(void *ctx, const char *name), void *ctx)
{
	const uint32_t *mark = pol_list(p, p->profile->project);
	uint32_t i;
	int rc;

	for (i = 0; i < p->profile->n_project; i++)
		if ((rc = fn(ctx, pol_string(p, mark[i]))) != 0)
			return rc;
	return 0;
}

static bool
is_marked(const struct policy *p, const char *dir)
{
	const uint32_t *mark = pol_list(p, p->profile->project);
	struct stat st;
	uint32_t i;

	for (i = 0; i < p->profile->n_project; i++) {
		AEG_AUTOFREE char *path = xasprintf("%s/%s", dir,
		    pol_string(p, mark[i]));

		if (lstat(path, &st) == 0)
			return true;
	}
	return false;
}

/* A project of the user's own, or of root's: nobody else shall be able to
 * widen a jail by a mark that he leaves somewhere above. */
static bool
may_be_root(const char *dir, const char *home, uid_t uid)
{
	struct stat st;

	if (strcmp(dir, "/") == 0 || (home != NULL && path_under(home, dir)))
		return false;
	return stat(dir, &st) == 0 && (st.st_uid == uid || st.st_uid == 0) &&
	    (st.st_mode & 022) == 0;
}

char *
policy_project(const struct policy *p, const char *cwd, const char *home,
	uid_t uid)
{
	AEG_AUTOFREE char *dir = xstrdup(cwd);
	char *slash;

	while (p->profile->n_project > 0 && may_be_root(dir, home, uid)) {
		if (is_marked(p, dir))
			return AEG_STEAL(dir);
		slash = strrchr(dir, '/');
		if (slash == NULL || slash == dir)
			break;
		*slash = '\0';
	}
	return xstrdup(cwd);
}
