/* SPDX-License-Identifier: ISC */
/* The session's state: where it starts, what it is asked, what a child
 * gets of it. */
#include "state/state_int.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

/* bash adds one to SHLVL when it starts, shows 0 for less than that and
 * starts over at 1 from a thousand on (with a warning) or for what is not a
 * number.  The value that it would show, "change" levels up. */
static int
shlvl_of(const char *value, int change)
{
	int64_t n;

	if (value == NULL || text_to_i64(value, INT32_MIN, INT32_MAX, &n) < 0)
		n = 0;
	n += change;
	if (n < 0)
		return 0;
	return n >= 1000 ? 1 : (int)n;
}

/* PWD if it names the directory we are in, else what the kernel says. */
static char *
start_cwd(const char *pwd)
{
	struct stat here, there;
	char *cwd;

	if (pwd != NULL && *pwd == '/' && stat(pwd, &there) == 0 &&
	    stat(".", &here) == 0 && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino) {
		cwd = canon_logical(pwd);
		if (cwd != NULL)
			return cwd;
	}
	cwd = getcwd(NULL, 0);
	if (cwd != NULL && *cwd == '/')
		return cwd;
	free(cwd);
	/* The directory was deleted, or lies outside of what we can see:
	 * keep its name; without one there is only the root. */
	if (pwd != NULL && *pwd == '/')
		return xstrdup(pwd);
	if (chdir("/") < 0)
		log_debug("state: cannot enter /");
	return xstrdup("/");
}

/* One "NAME=value" of somebody's environment. */
static void
take_entry(struct state *s, const char *entry, struct strv *too_large)
{
	const char *eq = strchr(entry, '=');
	AEG_AUTOFREE char *name = NULL;
	const char *why;

	if (eq == NULL || !text_is_name(entry, (size_t)(eq - entry)))
		return;
	/* _ is bash's note to the program it starts. */
	if (text_starts(entry, "_="))
		return;
	name = xmemdup0(entry, (size_t)(eq - entry));
	if (strlen(entry) >= STATE_VAR_MAX) {
		strv_add(too_large, name);
		return;
	}
	why = state_refuses(name, eq + 1);
	if (why != NULL)
		log_debug("state: %s is not carried: %s", name, why);
	else if (vars_get(&s->vars, name) == NULL)
		vars_set(&s->vars, name, eq + 1);
}

static struct state *
start(char *const *envp, const char *cwd)
{
	struct state *s = xcalloc(1, sizeof(*s));
	const char *old;
	char shlvl[16];
	struct stat st;
	size_t i;

	for (i = 0; envp[i] != NULL && s->vars.n < STATE_VARS_MAX; i++)
		take_entry(s, envp[i], &s->left_out);
	state_fit(&s->vars, &s->left_out);

	s->cwd = cwd != NULL ? canon_logical(cwd) : NULL;
	if (s->cwd == NULL)
		s->cwd = start_cwd(vars_get(&s->vars, "PWD"));
	vars_set(&s->vars, "PWD", s->cwd);
	old = vars_get(&s->vars, "OLDPWD");
	if (old != NULL && (stat(old, &st) < 0 || !S_ISDIR(st.st_mode)))
		vars_unset(&s->vars, "OLDPWD");
	snprintf(shlvl, sizeof(shlvl), "%d",
	    shlvl_of(vars_get(&s->vars, "SHLVL"), 1));
	vars_set(&s->vars, "SHLVL", shlvl);
	s->child_cwd = -1;
	s->umask = umask(077);
	umask(s->umask);
	s->last_arg = xstrdup("");
	return s;
}

struct state *
state_new(char *const *envp)
{
	return start(envp, NULL);
}

struct state *
state_new_at(char *const *envp, const char *cwd)
{
	return start(envp, cwd);
}

void
state_free(struct state *s)
{
	if (s == NULL)
		return;
	vars_done(&s->vars);
	strv_done(&s->dirs);
	strv_done(&s->left_out);
	strv_done(&s->plain);
	free(s->functions);
	free(s->cwd);
	free(s->last_arg);
	free(s);
}

const struct strv *
state_left_out(const struct state *s)
{
	return &s->left_out;
}

void
state_set_keeps(struct state *s, bool keeps)
{
	s->keeps = keeps;
}

/* "NAME=…" or "declare -a NAME=(…": of this name? */
static bool
defines(const char *command, const char *name)
{
	size_t len = strlen(name);

	if (text_starts(command, "declare -") && strlen(command) > 11)
		command += 11;
	return strncmp(command, name, len) == 0 && command[len] == '=';
}

int
state_set_plain(struct state *s, const char *name, const char *value)
{
	size_t i, n = 0;

	if (!s->keeps || !state_keeps_name(name))
		return -EPERM;
	for (i = 0; i < s->plain.n; i++)
		if (defines(s->plain.v[i], name))
			free(s->plain.v[i]);
		else
			s->plain.v[n++] = s->plain.v[i];
	if (n < s->plain.n)
		s->plain.v[n] = NULL;
	s->plain.n = n;
	state_keep_value(&s->plain, name, value);
	return 0;
}

const struct strv *
state_plain(const struct state *s)
{
	return &s->plain;
}

const char *
state_functions(const struct state *s)
{
	return s->functions != NULL ? s->functions : "";
}

const char *
state_get(const struct state *s, const char *name)
{
	return vars_get(&s->vars, name);
}

int
state_set(struct state *s, const char *name, const char *value,
    struct err *err)
{
	const char *why;

	if (!text_is_name(name, strlen(name)))
		return err_set(err, -EINVAL, "%s: not a valid identifier",
		    name);
	why = state_refuses(name, value);
	if (why != NULL)
		return err_set(err, ERR_REFUSED, "%s: %s", name, why);
	if (strlen(name) + strlen(value) + 2 > STATE_VAR_MAX)
		return err_set(err, ERR_TOO_LONG, "%s: value is too large",
		    name);
	vars_set(&s->vars, name, value);
	return 0;
}

void
state_unset(struct state *s, const char *name)
{
	vars_unset(&s->vars, name);
}

/* bash takes PWD for the name of its directory. */
static void
put_environment(const struct state *s, int shlvl_change, struct strv *ret)
{
	size_t i;

	for (i = 0; i < s->vars.n; i++) {
		const char *entry = s->vars.v[i];

		if (text_starts(entry, "PWD="))
			strv_addf(ret, "PWD=%s", s->cwd);
		else if (text_starts(entry, "SHLVL="))
			strv_addf(ret, "SHLVL=%d",
			    shlvl_of(entry + 6, 0) + shlvl_change);
		else
			strv_add(ret, entry);
	}
	if (vars_get(&s->vars, "PWD") == NULL)
		strv_addf(ret, "PWD=%s", s->cwd);
}

void
state_envp(const struct state *s, struct strv *ret)
{
	put_environment(s, -1, ret);
}

void
state_envp_raw(const struct state *s, struct strv *ret)
{
	put_environment(s, 0, ret);
}

int
state_each(const struct state *s,
    int (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
	size_t i;

	for (i = 0; i < s->vars.n; i++) {
		const char *entry = s->vars.v[i], *eq = strchr(entry, '=');
		AEG_AUTOFREE char *name = xmemdup0(entry,
		    (size_t)(eq - entry));
		int r = fn(ctx, name, eq + 1);

		if (r != 0)
			return r;
	}
	return 0;
}

const char *
state_cwd(const struct state *s)
{
	return s->cwd;
}

int
state_status(const struct state *s)
{
	return s->status;
}

void
state_set_status(struct state *s, int status)
{
	s->status = status;
}

const char *
state_last_arg(const struct state *s)
{
	return s->last_arg;
}

void
state_set_last_arg(struct state *s, const char *word)
{
	char *copy = xstrdup(word);

	free(s->last_arg);
	s->last_arg = copy;
}

void
state_set_umask(struct state *s, mode_t mask)
{
	s->umask = mask;
}

mode_t
state_umask(const struct state *s)
{
	return s->umask;
}

const struct rlimit *
state_limits(const struct state *s)
{
	return s->has_limits ? s->limits : NULL;
}

void
state_set_limits(struct state *s, const struct rlimit *limits)
{
	if (limits == NULL)
		return;
	s->has_limits = true;
	memcpy(s->limits, limits, sizeof s->limits);
}

char *const *
state_dirstack(struct state *s)
{
	return strv_peek(&s->dirs);
}
