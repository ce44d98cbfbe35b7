/* SPDX-License-Identifier: ISC */
/*
 * A word's tilde prefix, for builtins that run without a bash: ~, ~user,
 * ~+, ~-, ~N, ~+N and ~-N (Tilde Expansion in bash(1)).
 */
#include "state/state_int.h"

#include <ctype.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
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

static const char *
home_of(const char *user)
{
	const struct passwd *pw = *user == '\0' ? getpwuid(getuid()) :
	    getpwnam(user);

	return pw != NULL ? pw->pw_dir : NULL;
}

static const char *
prefix_value(const struct state *s, const char *prefix)
{
	const char *value;

	if (*prefix == '\0') {
		value = vars_get(&s->vars, "HOME");
		return value != NULL ? value : home_of("");
	}
	if (strcmp(prefix, "+") == 0)
		return vars_get(&s->vars, "PWD");
	if (strcmp(prefix, "-") == 0)
		return vars_get(&s->vars, "OLDPWD");
	value = stack_entry(s, prefix);
	return value != NULL ? value : home_of(prefix);
}

char *
state_tilde(const struct state *s, const char *word)
{
	AEG_AUTOFREE char *prefix = NULL;
	const char *value, *rest;
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
