/* SPDX-License-Identifier: ISC */
/*
 * A word's tilde prefix, for builtins that run without a bash: ~, ~user,
 * ~+, ~-, ~N, ~+N and ~-N (Tilde Expansion in bash(1)).
 */
#include "state/state_int.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"
#include "aegsh/base/text.h"

/* Entry N of the directory stack for "N", "+N" or "-N"; NULL for others. */
static const char *
stack_entry(const struct state *s, const char *p)
{
	const bool from_right = *p == '-';
	int64_t n;

	p += *p == '+' || *p == '-';
	if (!isdigit((unsigned char)*p) ||
	    text_to_i64(p, 0, (int64_t)s->dirs.n, &n) < 0)
		return NULL;
	if (from_right)
		n = (int64_t)s->dirs.n - n;
	return n == 0 ? s->cwd : s->dirs.v[n - 1];
}

/* Owned, or NULL. */
static char *
home_of(const char *user)
{
	AEG_AUTO(names_user_done) struct names_user u = { 0 };
	int rc = *user == '\0' ? names_user_by_uid(getuid(), &u) :
	    names_user_by_name(user, &u);

	/* Bash gives a user whom nobody knows the root directory. */
	if (rc != 0)
		return *user == '\0' ? xstrdup("/") : NULL;
	return xstrdup(u.home);
}

/* Owned, or NULL. */
static char *
prefix_value(const struct state *s, const char *prefix)
{
	const char *value;
	bool user = false;

	if (*prefix == '\0') {
		value = vars_get(&s->vars, "HOME");
		user = value == NULL;
	} else if (strcmp(prefix, "+") == 0) {
		value = vars_get(&s->vars, "PWD");
	} else if (strcmp(prefix, "-") == 0) {
		value = vars_get(&s->vars, "OLDPWD");
	} else {
		value = stack_entry(s, prefix);
		user = value == NULL;
	}
	if (user)
		return home_of(prefix);
	return value != NULL ? xstrdup(value) : NULL;
}

char *
state_tilde(const struct state *s, const char *word)
{
	AEG_AUTOFREE char *prefix = NULL, *value = NULL;
	const char *rest;
	size_t len;

	if (*word != '~')
		return xstrdup(word);
	len = strcspn(word, "/");
	rest = word + len;
	prefix = xmemdup0(word + 1, len - 1);
	value = prefix_value(s, prefix);
	if (value == NULL)
		return xstrdup(word);
	return xasprintf("%s%s", value, rest);
}
