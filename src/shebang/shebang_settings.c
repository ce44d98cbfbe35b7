/* SPDX-License-Identifier: ISC */
/*
 * The settings: one row each, and their three layers.  A script's
 * directives stand over the defaults, the environment over both, unless
 * the script says trust-env=no; that one has no variable, so that an
 * environment can't vouch for itself.
 */
#include "shebang/shebang_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const char *const yes_no[] = { "yes", "no", NULL };
static const char *const priorities[] = { "real-first", "symlink-first", NULL };

const struct shebang_row shebang_rows[SHEBANG_KEYS] = {
	[SHEBANG_PROBE_DIRS] = { "probe-dirs",
	    "AUTO_SHEBANG_PROBE_DIRS", ".:bin", NULL },
	[SHEBANG_SUFFIXES] = { "suffixes",
	    "AUTO_SHEBANG_SUFFIXES", ":primary:secondary:tertiary", NULL },
	[SHEBANG_FOLLOW] = { "follow-symlinks",
	    "AUTO_SHEBANG_FOLLOW_SYMLINKS", "no", yes_no },
	[SHEBANG_PRIORITY] = { "symlink-priority",
	    "AUTO_SHEBANG_SYMLINK_PRIORITY", "real-first", priorities },
	[SHEBANG_TRUST_ENV] = { "trust-env", NULL, "yes", yes_no },
	[SHEBANG_EXPAND] = { "unsafe-expand-probe-dirs",
	    "AUTO_SHEBANG_UNSAFE_EXPAND_PROBE_DIRS", "no", yes_no },
};

void
shebang_settings_done(struct shebang_settings *s)
{
	size_t i;

	for (i = 0; i < SHEBANG_KEYS; i++) {
		free(s->value[i]);
		s->value[i] = NULL;
	}
}

int
shebang_key_find(const char *key, size_t len)
{
	int i;

	for (i = 0; i < SHEBANG_KEYS; i++)
		if (strlen(shebang_rows[i].key) == len &&
		    memcmp(shebang_rows[i].key, key, len) == 0)
			return i;
	return -1;
}

/* A suffix is glued to a file name: with a slash it would be a path. */
static int
list_check(enum shebang_key key, const char *value, struct err *err)
{
	size_t n = 1, used = 0;
	const char *p;

	for (p = value; *p != '\0'; p++) {
		if (*p == ':')
			n++;
		else
			used++;
		if (*p == '/' && key == SHEBANG_SUFFIXES)
			return err_set(err, ERR_SYNTAX,
			    "a suffix can't hold a slash");
	}
	if (n > SHEBANG_LIST_MAX)
		return err_set(err, ERR_TOO_LONG, "more than %d entries",
		    SHEBANG_LIST_MAX);
	/* A lone colon is the list of one empty suffix, the bare name. */
	if (used == 0 && (key != SHEBANG_SUFFIXES || n < 2))
		return err_set(err, ERR_SYNTAX, "the list is empty");
	return 0;
}

int
shebang_value_check(enum shebang_key key, const char *value, struct err *err)
{
	const char *const *w = shebang_rows[key].words;

	if (strlen(value) > SHEBANG_VALUE_MAX)
		return err_set(err, ERR_TOO_LONG, "longer than %zu bytes",
		    SHEBANG_VALUE_MAX);
	if (w == NULL)
		return list_check(key, value, err);
	for (; *w != NULL; w++)
		if (strcmp(value, *w) == 0)
			return 0;
	return err_set(err, ERR_SYNTAX, "must be '%s' or '%s'",
	    shebang_rows[key].words[0], shebang_rows[key].words[1]);
}

const char *
shebang_env(char *const *envp, const char *name, size_t len)
{
	for (; envp != NULL && *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

/* Variables say 1 and 0 where directives say yes and no. */
static const char *
env_word(enum shebang_key key, const char *value)
{
	if (shebang_rows[key].words != yes_no)
		return value;
	if (strcmp(value, "1") == 0)
		return "yes";
	return strcmp(value, "0") == 0 ? "no" : NULL;
}

/* An empty variable is as good as none. */
static int
env_layer(struct shebang_settings *s, enum shebang_key key,
    char *const *envp, struct err *err)
{
	const char *name = shebang_rows[key].env, *value, *word;
	int rc;

	if (name == NULL)
		return 0;
	value = shebang_env(envp, name, strlen(name));
	if (value == NULL || value[0] == '\0')
		return 0;
	word = env_word(key, value);
	if (word == NULL)
		return err_set(err, ERR_SYNTAX, "%s=%s: must be '1' or '0'",
		    name, value);
	rc = shebang_value_check(key, word, err);
	if (rc < 0) {
		err_context(err, "%s=%.80s", name, value);
		return rc;
	}
	free(s->value[key]);
	s->value[key] = xstrdup(word);
	s->source[key] = SHEBANG_ENV;
	return 0;
}

int
shebang_settings_layer(struct shebang_settings *s, char *const *envp,
    struct err *err)
{
	const char *trust = s->value[SHEBANG_TRUST_ENV];
	bool trusted = trust == NULL || strcmp(trust, "yes") == 0;
	int i, rc;

	for (i = 0; i < SHEBANG_KEYS; i++) {
		rc = trusted ? env_layer(s, i, envp, err) : 0;
		if (rc < 0)
			return rc;
		if (s->value[i] == NULL) {
			s->value[i] = xstrdup(shebang_rows[i].initial);
			s->source[i] = SHEBANG_DEFAULT;
		}
	}
	return 0;
}

bool
shebang_setting_is(const struct shebang_settings *s, enum shebang_key key,
    const char *value)
{
	return strcmp(s->value[key], value) == 0;
}
