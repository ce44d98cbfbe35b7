/* SPDX-License-Identifier: ISC */
/* Options of a verb, by its rows. */
#include "admin_int.h"

#include <string.h>

int
admin_usage(struct admin *a)
{
	const struct admin_option *o;

	fprintf(stderr, "usage: aegshctl %s", a->verb->name);
	for (o = a->verb->options; o != NULL && o->name != NULL; o++)
		fprintf(stderr, " [--%s%s%s]", o->name,
		    o->argument != NULL ? " " : "",
		    o->argument != NULL ? o->argument : "");
	fprintf(stderr, "%s%s\n", a->verb->usage[0] != '\0' ? " " : "",
	    a->verb->usage);
	return ADMIN_USAGE;
}

static int
bad(struct admin *a, const char *what, const char *word)
{
	admin_complain(a, "%s: %s", word, what);
	admin_usage(a);
	return ADMIN_ARGS_BAD;
}

static int
take_value(struct admin *a, struct admin_args *args, const char *word)
{
	if (args->at >= args->argc)
		return bad(a, "needs an argument", word);
	args->value = args->argv[args->at++];
	return 0;
}

static int
long_option(struct admin *a, struct admin_args *args, const char *word)
{
	const char *name = word + 2, *eq = strchr(name, '=');
	size_t len = eq != NULL ? (size_t)(eq - name) : strlen(name);
	const struct admin_option *o;

	for (o = a->verb->options; o != NULL && o->name != NULL; o++) {
		if (strlen(o->name) != len || memcmp(o->name, name, len) != 0)
			continue;
		if (o->argument == NULL && eq != NULL)
			return bad(a, "takes no argument", word);
		if (o->argument != NULL && eq != NULL)
			args->value = eq + 1;
		else if (o->argument != NULL && take_value(a, args, word) < 0)
			return ADMIN_ARGS_BAD;
		return (int)(o - a->verb->options);
	}
	return bad(a, "no such option", word);
}

static int
letter_option(struct admin *a, struct admin_args *args)
{
	const char word[] = { '-', *args->letters, '\0' };
	const struct admin_option *o;

	for (o = a->verb->options; o != NULL && o->name != NULL; o++) {
		if (o->letter != *args->letters)
			continue;
		args->letters++;
		if (o->argument != NULL && *args->letters != '\0') {
			args->value = args->letters;
			args->letters = NULL;
		} else if (o->argument != NULL &&
		    take_value(a, args, word) < 0) {
			return ADMIN_ARGS_BAD;
		}
		if (args->letters != NULL && *args->letters == '\0')
			args->letters = NULL;
		return (int)(o - a->verb->options);
	}
	return bad(a, "no such option", word);
}

int
admin_option_next(struct admin *a, struct admin_args *args)
{
	const char *word;

	args->value = NULL;
	if (args->letters != NULL)
		return letter_option(a, args);
	if (args->at >= args->argc)
		return ADMIN_ARGS_END;
	word = args->argv[args->at];
	if (word[0] != '-' || word[1] == '\0')
		return ADMIN_ARGS_END;
	args->at++;
	if (strcmp(word, "--") == 0)
		return ADMIN_ARGS_END;
	if (word[1] == '-')
		return long_option(a, args, word);
	args->letters = word + 1;
	return letter_option(a, args);
}
