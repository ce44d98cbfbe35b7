/* SPDX-License-Identifier: ISC */
#include "shebang/shebang_int.h"
#include "tap.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"

static const struct {
	enum shebang_key key;
	const char *value;
	int want;
} checks[] = {
	{ SHEBANG_PROBE_DIRS, ".:bin", 0 },
	{ SHEBANG_PROBE_DIRS, ":x:", 0 },
	{ SHEBANG_PROBE_DIRS, "/a/b:~/c:../d", 0 },
	{ SHEBANG_PROBE_DIRS, "", ERR_SYNTAX },
	{ SHEBANG_PROBE_DIRS, ":", ERR_SYNTAX },
	{ SHEBANG_PROBE_DIRS, ":::", ERR_SYNTAX },
	{ SHEBANG_SUFFIXES, ":a:b", 0 },
	{ SHEBANG_SUFFIXES, ":", 0 },
	{ SHEBANG_SUFFIXES, "", ERR_SYNTAX },
	{ SHEBANG_SUFFIXES, "a/b", ERR_SYNTAX },
	{ SHEBANG_FOLLOW, "yes", 0 },
	{ SHEBANG_FOLLOW, "no", 0 },
	{ SHEBANG_FOLLOW, "", ERR_SYNTAX },
	{ SHEBANG_FOLLOW, "1", ERR_SYNTAX },
	{ SHEBANG_FOLLOW, "Yes", ERR_SYNTAX },
	{ SHEBANG_FOLLOW, "yes ", ERR_SYNTAX },
	{ SHEBANG_FOLLOW, "real-first", ERR_SYNTAX },
	{ SHEBANG_PRIORITY, "real-first", 0 },
	{ SHEBANG_PRIORITY, "symlink-first", 0 },
	{ SHEBANG_PRIORITY, "yes", ERR_SYNTAX },
	{ SHEBANG_TRUST_ENV, "no", 0 },
	{ SHEBANG_TRUST_ENV, "never", ERR_SYNTAX },
	{ SHEBANG_EXPAND, "yes", 0 },
	{ SHEBANG_EXPAND, "true", ERR_SYNTAX },
};

static void
test_checks(void)
{
	char *many = xmalloc(2 * SHEBANG_LIST_MAX + 3);
	char *longest = xmalloc(SHEBANG_VALUE_MAX + 2);
	struct err err;
	size_t i;

	for (i = 0; i < AEG_NELEM(checks); i++)
		IS_INTN(shebang_value_check(checks[i].key, checks[i].value,
		    &err), checks[i].want, checks[i].value);
	for (i = 0; i < SHEBANG_LIST_MAX + 1; i++)
		memcpy(many + 2 * i, "a:", 2);
	many[2 * SHEBANG_LIST_MAX - 1] = '\0';
	IS_INTN(shebang_value_check(SHEBANG_PROBE_DIRS, many, &err), 0,
	    "as many entries as the cap");
	many[2 * SHEBANG_LIST_MAX - 1] = ':';
	many[2 * SHEBANG_LIST_MAX + 1] = '\0';
	IS_INTN(shebang_value_check(SHEBANG_PROBE_DIRS, many, &err),
	    ERR_TOO_LONG, "one entry more");
	memset(longest, 'a', SHEBANG_VALUE_MAX + 1);
	longest[SHEBANG_VALUE_MAX] = '\0';
	IS_INTN(shebang_value_check(SHEBANG_PROBE_DIRS, longest, &err), 0,
	    "as long as the cap");
	longest[SHEBANG_VALUE_MAX] = 'a';
	longest[SHEBANG_VALUE_MAX + 1] = '\0';
	IS_INTN(shebang_value_check(SHEBANG_PROBE_DIRS, longest, &err),
	    ERR_TOO_LONG, "one byte longer");
	free(longest);
	free(many);
}

/* Each row by directive and variable: what comes out, and from where. */
static const struct {
	const char *name;
	enum shebang_key key;
	const char *directive, *trust, *variable, *want;
	enum shebang_source source;
	int rc;
} layers[] = {
	{ "default", SHEBANG_PROBE_DIRS, NULL, NULL, NULL, ".:bin",
	    SHEBANG_DEFAULT, 0 },
	{ "directive", SHEBANG_PROBE_DIRS, "a", NULL, NULL, "a",
	    SHEBANG_DIRECTIVE, 0 },
	{ "variable", SHEBANG_PROBE_DIRS, NULL, NULL,
	    "AUTO_SHEBANG_PROBE_DIRS=b", "b", SHEBANG_ENV, 0 },
	{ "variable over directive", SHEBANG_PROBE_DIRS, "a", "yes",
	    "AUTO_SHEBANG_PROBE_DIRS=b", "b", SHEBANG_ENV, 0 },
	{ "distrusted variable", SHEBANG_PROBE_DIRS, "a", "no",
	    "AUTO_SHEBANG_PROBE_DIRS=b", "a", SHEBANG_DIRECTIVE, 0 },
	{ "distrusted variable, no directive", SHEBANG_SUFFIXES, NULL, "no",
	    "AUTO_SHEBANG_SUFFIXES=b", ":primary:secondary:tertiary",
	    SHEBANG_DEFAULT, 0 },
	{ "empty variable", SHEBANG_SUFFIXES, "x", NULL,
	    "AUTO_SHEBANG_SUFFIXES=", "x", SHEBANG_DIRECTIVE, 0 },
	{ "variable with = in it", SHEBANG_PROBE_DIRS, NULL, NULL,
	    "AUTO_SHEBANG_PROBE_DIRS=a=b", "a=b", SHEBANG_ENV, 0 },
	{ "longer name", SHEBANG_PROBE_DIRS, NULL, NULL,
	    "AUTO_SHEBANG_PROBE_DIRS_X=b", ".:bin", SHEBANG_DEFAULT, 0 },
	{ "1 is yes", SHEBANG_FOLLOW, "no", NULL,
	    "AUTO_SHEBANG_FOLLOW_SYMLINKS=1", "yes", SHEBANG_ENV, 0 },
	{ "0 is no", SHEBANG_EXPAND, "yes", NULL,
	    "AUTO_SHEBANG_UNSAFE_EXPAND_PROBE_DIRS=0", "no", SHEBANG_ENV, 0 },
	{ "yes is nothing", SHEBANG_FOLLOW, NULL, NULL,
	    "AUTO_SHEBANG_FOLLOW_SYMLINKS=yes", NULL, SHEBANG_DEFAULT,
	    ERR_SYNTAX },
	{ "yes is nothing, but distrusted", SHEBANG_FOLLOW, NULL, "no",
	    "AUTO_SHEBANG_FOLLOW_SYMLINKS=yes", "no", SHEBANG_DEFAULT, 0 },
	{ "priority", SHEBANG_PRIORITY, NULL, NULL,
	    "AUTO_SHEBANG_SYMLINK_PRIORITY=symlink-first", "symlink-first",
	    SHEBANG_ENV, 0 },
	{ "bad priority", SHEBANG_PRIORITY, NULL, NULL,
	    "AUTO_SHEBANG_SYMLINK_PRIORITY=1", NULL, SHEBANG_DEFAULT,
	    ERR_SYNTAX },
	{ "no variable for trust", SHEBANG_TRUST_ENV, NULL, "no",
	    "AUTO_SHEBANG_TRUST_ENV=1", "no", SHEBANG_DIRECTIVE, 0 },
	{ "no variable against trust", SHEBANG_TRUST_ENV, NULL, NULL,
	    "AUTO_SHEBANG_TRUST_ENV=0", "yes", SHEBANG_DEFAULT, 0 },
};

static void
directive(struct shebang_settings *s, enum shebang_key key,
    const char *value)
{
	if (value == NULL)
		return;
	s->value[key] = xstrdup(value);
	s->source[key] = SHEBANG_DIRECTIVE;
}

static void
test_layers(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(layers); i++) {
		struct shebang_settings s = { 0 };
		char first[] = "PATH=/bin";
		char *variable = layers[i].variable != NULL ?
		    xstrdup(layers[i].variable) : NULL;
		char *envp[] = { first, variable, NULL };
		int rc;

		directive(&s, layers[i].key, layers[i].directive);
		directive(&s, SHEBANG_TRUST_ENV, layers[i].trust);
		rc = shebang_settings_layer(&s, envp, NULL);
		IS_INTN(rc, layers[i].rc, layers[i].name);
		if (rc == 0) {
			IS_STRN(s.value[layers[i].key], layers[i].want,
			    layers[i].name);
			IS_INTN(s.source[layers[i].key], layers[i].source,
			    layers[i].name);
		}
		shebang_settings_done(&s);
		free(variable);
	}
}

static void
test_env(void)
{
	char a[] = "A=1", ab[] = "AB=2", again[] = "A=3", bare[] = "C";
	char *envp[] = { bare, ab, a, again, NULL };

	IS_STR(shebang_env(envp, "A", 1), "1");
	IS_STR(shebang_env(envp, "AB", 2), "2");
	IS_STR(shebang_env(envp, "C", 1), NULL);
	IS_STR(shebang_env(envp, "B", 1), NULL);
	IS_STR(shebang_env(NULL, "A", 1), NULL);
	/* The name is len bytes, not a string. */
	IS_STR(shebang_env(envp, "AB}", 2), "2");
}

int
main(void)
{
	test_checks();
	test_layers();
	test_env();
	IS_INT(shebang_key_find("trust-env", 9), SHEBANG_TRUST_ENV);
	IS_INT(shebang_key_find("trust-env", 8), -1);
	IS_INT(shebang_key_find("", 0), -1);
	IS_INT(shebang_key_find("Trust-env", 9), -1);
	return tap_done();
}
