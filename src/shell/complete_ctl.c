/* SPDX-License-Identifier: ISC */
/*
 * Words of aegshctl and aegsh themselves: verbs, options, arguments.  Their
 * completion for other shells asks aegshctl, which nothing here starts.
 */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/conf_shell.h"
#include "shell/complete_ctl.h"

bool
complete_ctl_knows(const char *command)
{
	return strcmp(command, "aegshctl") == 0 ||
	    strcmp(command, "aegsh") == 0;
}

static void
offer(struct complete *c, const char *word, const char *about)
{
	if (text_starts(word, c->prefix))
		complete_name(c, word, "", about[0] != '\0' ? about : NULL);
}

static int
offer_profile(void *ctx, const char *name, const char *extends, int rank)
{
	struct complete *c = ctx;

	(void)extends;
	(void)rank;
	offer(c, name, "");
	return 0;
}

static void
offer_words(struct complete *c, const char *words)
{
	static const struct {
		const char *name;
		unsigned sources;
	} kinds[] = {
		{ ":file", COMPLETE_FILES },
		{ ":directory", COMPLETE_DIRS },
		{ ":user", COMPLETE_USERS },
		{ ":setting", COMPLETE_SETTINGS },
	};
	char *copy AEG_AUTOFREE = xstrdup(words), *rest = copy, *word;
	const struct policy *policy = turn_policy(c->sh->turn);
	size_t i;

	for (i = 0; i < AEG_NELEM(kinds); i++)
		if (strcmp(words, kinds[i].name) == 0) {
			complete_gather(c, kinds[i].sources);
			return;
		}
	if (strcmp(words, ":profile") == 0 && policy != NULL)
		policy_each_profile(policy, offer_profile, c);
	while (words[0] != ':' && (word = strsep(&rest, " ")) != NULL)
		offer(c, word, "");
}

/* The row of the option, from the verb's own on; NULL: it has none. */
static const struct complete_ctl_row *
find_option(const struct complete_ctl_row *verb, const char *option)
{
	const struct complete_ctl_row *r;

	for (r = verb + 1; r->verb != NULL && strcmp(r->verb, verb->verb) == 0;
	    r++)
		if (strcmp(r->option, option) == 0)
			return r;
	return NULL;
}

/* Behind the verb, of which these words stand there already. */
static void
behind(struct complete *c, const struct complete_ctl_row *verb,
    char *const *words, size_t n)
{
	const struct complete_ctl_row *r;
	size_t i;

	for (i = 0; i < n && strcmp(words[i], "--") != 0; i++) {
		r = find_option(verb, words[i]);
		if (r == NULL || r->words == NULL)
			continue;
		if (++i == n) {
			offer_words(c, r->words);
			return;
		}
	}
	if (i < n || c->word->typed.data[0] != '-') {
		offer_words(c, verb->words);
		return;
	}
	for (r = verb + 1; r->verb != NULL && strcmp(r->verb, verb->verb) == 0;
	    r++)
		offer(c, r->option, r->about);
}

/* A string of the text, and *at behind it. */
static const char *
next_text(const char **at)
{
	const char *text = *at;

	*at += strlen(text) + 1;
	return strcmp(text, "-") != 0 ? text : NULL;
}

/* The rows of aegshctl and one without a verb; the caller frees them. */
static struct complete_ctl_row *
read_rows(void)
{
	const char *at = complete_ctl_text;
	struct complete_ctl_row *rows = xmalloc(sizeof *rows);
	size_t n;

	for (n = 0; at[0] != '\0'; n++) {
		rows[n].verb = next_text(&at);
		rows[n].option = next_text(&at);
		rows[n].words = next_text(&at);
		rows[n].about = next_text(&at);
		rows = xreallocarray(rows, n + 2, sizeof *rows);
	}
	rows[n] = (struct complete_ctl_row){ NULL, NULL, NULL, NULL };
	return rows;
}

/* The n'th word of each verb that begins with those before it. */
static void
offer_verbs(struct complete *c, const struct complete_ctl_row *rows,
    const char *first)
{
	const struct complete_ctl_row *r;
	size_t len, had = first != NULL ? strlen(first) : 0;
	char *last AEG_AUTOFREE = xstrdup("");

	for (r = rows; r->verb != NULL; r++) {
		if (r->option != NULL)
			continue;
		if (first != NULL) {
			if (strncmp(r->verb, first, had) == 0 &&
			    r->verb[had] == ' ')
				offer(c, r->verb + had + 1, r->about);
			continue;
		}
		len = strcspn(r->verb, " ");
		if (strlen(last) == len && strncmp(last, r->verb, len) == 0)
			continue;
		free(last);
		last = xmemdup0(r->verb, len);
		offer(c, last, r->verb[len] == '\0' ? r->about : "");
	}
}

/* The verb that these words begin with; *ret_n: so many of them. */
static const struct complete_ctl_row *
find_verb(const struct complete_ctl_row *rows, char *const *words, size_t n,
    size_t *ret_n)
{
	const struct complete_ctl_row *r;

	for (r = rows; r->verb != NULL; r++) {
		size_t len = strcspn(r->verb, " ");

		if (r->option != NULL || strlen(words[0]) != len ||
		    strncmp(r->verb, words[0], len) != 0)
			continue;
		*ret_n = r->verb[len] == ' ' ? 2 : 1;
		if (*ret_n == 1 || (n > 1 &&
		    strcmp(r->verb + len + 1, words[1]) == 0))
			return r;
	}
	return NULL;
}

static void
of_aegshctl(struct complete *c, char *const *words, size_t n)
{
	struct complete_ctl_row *rows AEG_AUTOFREE = read_rows();
	const struct complete_ctl_row *verb;
	size_t used;

	if (n > 0 && strcmp(words[0], "help") == 0) {
		words++;
		n--;
	} else if (n == 0) {
		offer(c, "help", "");
		offer(c, "--help", "");
		offer(c, "--version", "");
	}
	if (n == 0) {
		offer_verbs(c, rows, NULL);
		return;
	}
	verb = find_verb(rows, words, n, &used);
	if (verb != NULL)
		behind(c, verb, words + used, n - used);
	else if (n == 1)
		offer_verbs(c, rows, words[0]);
}

static void
of_aegsh(struct complete *c, char *const *words, size_t n)
{
#define WORDS_NONE ""
#define WORDS_SETTING ":setting"
#define WORDS_PROFILE ":profile"
#define ROW(letter, name, argument, help, words) \
	{ "aegsh", (name)[0] != '\0' ? "--" name : (const char[]){ '-', \
	    (letter), '\0' }, (argument) != NULL ? WORDS_##words : NULL, \
	    help },
	const struct complete_ctl_row rows[] = {
		{ "aegsh", NULL, ":file", "" },
		CONF_SHELL_OPTIONS(ROW)
		{ NULL, NULL, NULL, NULL },
	};
#undef ROW

	behind(c, rows, words, n);
}

void
complete_ctl(struct complete *c)
{
	const struct strv *before = &c->word->before;
	size_t i;

	for (i = 0; i < before->n; i++) {
		const char *name = path_base(before->v[i]);

		if (!complete_ctl_knows(name))
			continue;
		if (strcmp(name, "aegsh") == 0)
			of_aegsh(c, before->v + i + 1,
			    before->n - i - 1);
		else
			of_aegshctl(c, before->v + i + 1, before->n - i - 1);
		return;
	}
}
