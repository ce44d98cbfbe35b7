/* SPDX-License-Identifier: ISC */
/* Options of a verb, by its rows, and how many operands it takes. */
#include "admin_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

int
admin_usage(struct admin *a)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	const struct admin_option *o;

	buf_putf(&text, "usage: aegshctl %s", a->verb->name);
	for (o = a->verb->options; o != NULL && o->name != NULL; o++)
		buf_putf(&text, " [--%s%s%s]", o->name,
		    o->argument != NULL ? " " : "",
		    o->argument != NULL ? o->argument : "");
	buf_putf(&text, "%s%s", a->verb->usage[0] != '\0' ? " " : "",
	    a->verb->usage);
	admin_fold(stderr, ADMIN_HELP_WIDTH, 7, text.data);
	return ADMIN_USAGE;
}

static bool
has_option(const struct admin *a, const char *name)
{
	const struct admin_option *o;

	for (o = a->verb->options; o != NULL && o->name != NULL; o++)
		if (strcmp(o->name, name) == 0)
			return true;
	return false;
}

int
admin_operands(struct admin *a, const struct admin_args *args, int least,
    int most)
{
	int n = args->argc - args->at;

	if (args->bad)
		return ADMIN_ARGS_BAD;
	if (n >= least && n <= most)
		return 0;
	if (n < least)
		admin_complain(a, "%s is missing%s", n > 0 ?
		    "one more operand" : "an operand",
		    strncmp(a->verb->usage, "ID", 2) == 0 ?
		    "; aegshctl audit log has the IDs" : "");
	else if (most == 0)
		admin_complain(a, "%s: takes no operand%s",
		    args->argv[args->at], has_option(a, "search") ?
		    "; --search TEXT has the lines with a text in them" : "");
	else
		admin_complain(a, "%s: one operand too many%s",
		    args->argv[args->at + most], strstr(a->verb->usage,
		    "LINE") != NULL ? "; a line is one word: quote it" : "");
	admin_usage(a);
	return ADMIN_ARGS_BAD;
}

static int
bad(struct admin *a, struct admin_args *args, const char *what,
    const char *word)
{
	admin_complain(a, "%s: %s%s", word, what, args->passed > 0 ?
	    " (words behind `--' are operands)" : "");
	admin_usage(a);
	args->bad = true;
	return ADMIN_ARGS_BAD;
}

static int
take_value(struct admin *a, struct admin_args *args, const char *word)
{
	if (args->at >= args->argc)
		return bad(a, args, "needs an argument", word);
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
			return bad(a, args, "takes no argument", word);
		if (o->argument != NULL && eq != NULL)
			args->value = eq + 1;
		else if (o->argument != NULL && take_value(a, args, word) < 0)
			return ADMIN_ARGS_BAD;
		return (int)(o - a->verb->options);
	}
	return bad(a, args, "no such option", word);
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
	return bad(a, args, "no such option", word);
}

/* The options that were taken since move in front of the operands that
 * were passed before them. */
static void
settle(struct admin_args *args)
{
	char **operands = args->argv + args->first;
	size_t n = (size_t)args->passed;
	size_t taken = (size_t)(args->at - args->first) - n;

	if (n > 0 && taken > 0) {
		AEG_AUTOFREE char **kept = xcalloc(n, sizeof *kept);

		memcpy(kept, operands, n * sizeof *kept);
		memmove(operands, operands + n, taken * sizeof *kept);
		memcpy(operands + taken, kept, n * sizeof *kept);
	}
	args->first += (int)taken;
}

static int
end(struct admin_args *args)
{
	settle(args);
	args->at = args->first;
	args->passed = 0;
	return ADMIN_ARGS_END;
}

int
admin_option_next(struct admin *a, struct admin_args *args)
{
	const char *word;

	args->value = NULL;
	if (args->letters != NULL)
		return letter_option(a, args);
	settle(args);
	for (;;) {
		if (args->at >= args->argc)
			return end(args);
		word = args->argv[args->at];
		if (word[0] == '-' && word[1] != '\0')
			break;
		if (a->verb->command)
			return end(args);
		args->at++;
		args->passed++;
	}
	args->at++;
	if (strcmp(word, "--") == 0)
		return end(args);
	if (word[1] == '-')
		return long_option(a, args, word);
	args->letters = word + 1;
	return letter_option(a, args);
}

int
admin_json_operands(struct admin *a, struct admin_args *args, int least,
    int most, bool *ret_json)
{
	while (admin_option_next(a, args) >= 0)
		*ret_json = true;
	return admin_operands(a, args, least, most);
}
