/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl __complete PROGRAM WORD...`: what could stand where the last
 * WORD stands, one candidate a line, a tab and a short help behind it.  A
 * line that begins with a colon asks the caller for its own words: ":file",
 * ":directory", ":user".  The completions of every shell call this, so they
 * cannot differ from the rows.
 */
#include "admin_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/conf_shell.h"
#include "aegsh/policy.h"

static const struct admin_option shell_options[] = {
#define ROW(letter, name, argument, help, words) \
	{ name, letter, argument, help, ADMIN_WORDS_##words },
	CONF_SHELL_OPTIONS(ROW)
#undef ROW
	{ NULL }
};

static void
offer(struct admin *a, const char *begun, const char *word, const char *help)
{
	if (text_starts(word, begun))
		admin_say(a, "%s\t%s\n", word, help);
}

static void
offer_settings(struct admin *a, const char *begun)
{
	int i;

	for (i = 0; i < CONF_COUNT; i++) {
		const struct conf_row *row = conf_row((enum conf_id)i);
		AEG_AUTOFREE char *name = xasprintf("%s=", row->name);
		AEG_AUTOFREE char *words = NULL;
		char *word, *next;

		if (row->scope != CONF_SCOPE_USER)
			continue;
		if (!text_starts(begun, name)) {
			offer(a, begun, name, row->help);
			continue;
		}
		words = xstrdup(row->type == CONF_BOOL ? "yes no" :
		    row->words != NULL ? row->words : "");
		for (word = strtok_r(words, " ", &next); word != NULL;
		    word = strtok_r(NULL, " ", &next)) {
			AEG_AUTOFREE char *whole = xasprintf("%s%s", name,
			    word);

			offer(a, begun, whole, row->help);
		}
	}
}

struct profiles {
	struct admin *a;
	const char *begun;
};

static int
offer_profile(void *ctx, const char *name, const char *extends, int rank)
{
	struct profiles *p = ctx;

	offer(p->a, p->begun, name, "policy profile");
	return 0;
}

static void
offer_profiles(struct admin *a, const char *begun)
{
	struct profiles p = { a, begun };
	struct policy *policy = NULL;

	/* Where there is no policy there are no words: nobody reads errors
	 * while a line is typed. */
	if (admin_policy(a, NULL, &policy, NULL) == 0)
		policy_each_profile(policy, offer_profile, &p);
	policy_free(policy);
}

static void
offer_words(struct admin *a, enum admin_words words, const char *begun)
{
	int i;

	switch (words) {
	case ADMIN_WORDS_NONE:
		break;
	case ADMIN_WORDS_FILE:
		admin_say(a, ":file\n");
		break;
	case ADMIN_WORDS_DIR:
		admin_say(a, ":directory\n");
		break;
	case ADMIN_WORDS_USER:
		admin_say(a, ":user\n");
		break;
	case ADMIN_WORDS_PROFILE:
		offer_profiles(a, begun);
		break;
	case ADMIN_WORDS_DECISION:
		offer(a, begun, "allow", "ran without a question");
		offer(a, begun, "confirm", "a person was asked");
		offer(a, begun, "block", "did not run");
		break;
	case ADMIN_WORDS_ORIGIN:
		offer(a, begun, "prompt", "typed by a person");
		offer(a, begun, "command", "aegsh -c");
		offer(a, begun, "forced", "sshd's ForceCommand");
		offer(a, begun, "script", "a script that aegsh runs");
		offer(a, begun, "stdin", "standard input");
		offer(a, begun, "login", "a start-up file of a login shell");
		break;
	case ADMIN_WORDS_SETTING:
		offer_settings(a, begun);
		break;
	case ADMIN_WORDS_SETTING_NAME:
		for (i = 0; i < CONF_COUNT; i++)
			offer(a, begun, conf_row((enum conf_id)i)->name,
			    conf_row((enum conf_id)i)->help);
		break;
	case ADMIN_WORDS_EXPORT:
		offer(a, begun, "jsonl", "a JSON object a line, all columns");
		offer(a, begun, "csv", "RFC 4180, for spreadsheets");
		offer(a, begun, "ecs", "Elastic Common Schema");
		offer(a, begun, "ocsf", "Open Cybersecurity Schema Framework");
		break;
	case ADMIN_WORDS_REPORT:
		offer(a, begun, "text", "for a terminal");
		offer(a, begun, "json", "one document");
		offer(a, begun, "html", "one page with plots");
		break;
	}
}

static void
offer_options(struct admin *a, const struct admin_option *o,
    const char *begun)
{
	for (; o != NULL && o->name != NULL; o++) {
		const char letter[] = { '-', o->letter, '\0' };
		AEG_AUTOFREE char *name = xasprintf("--%s", o->name);

		if (o->name[0] != '\0')
			offer(a, begun, name, o->help);
		if (o->letter != 0)
			offer(a, begun, letter, o->help);
	}
}

/* The row that word, an option, names; NULL: none, or the argument is in
 * the word already. */
static const struct admin_option *
find_option(const struct admin_option *o, const char *word)
{
	for (; o != NULL && o->name != NULL; o++) {
		if (word[0] == '-' && word[1] == '-' && word[2] != '\0' &&
		    strcmp(word + 2, o->name) == 0)
			return o;
		if (word[0] == '-' && word[1] == o->letter &&
		    o->letter != 0 && word[2] == '\0')
			return o;
	}
	return NULL;
}

/* Words behind the verb (or behind aegsh). */
static void
offer_behind(struct admin *a, const struct admin_option *rows,
    enum admin_words operands, int argc, char **argv)
{
	const char *begun = argv[argc - 1];
	const struct admin_option *o;
	int i;

	for (i = 0; i < argc - 1; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		o = find_option(rows, argv[i]);
		if (o == NULL || o->argument == NULL)
			continue;
		if (i + 1 == argc - 1) {
			offer_words(a, o->words, begun);
			return;
		}
		i++;
	}
	if (i == argc - 1 && begun[0] == '-')
		offer_options(a, rows, begun);
	else
		offer_words(a, operands, begun);
}

/* The first word of each verb, each once: groups stand together. */
static void
offer_verbs(struct admin *a, const char *begun)
{
	const struct admin_verb *const *v;
	const char *last = "";

	for (v = admin_verbs; *v != NULL; v++) {
		size_t len = strcspn((*v)->name, " ");
		AEG_AUTOFREE char *word = xmemdup0((*v)->name, len);

		if (!(*v)->hidden && (strncmp(last, word, len) != 0 ||
		    strcspn(last, " ") != len))
			offer(a, begun, word, (*v)->name[len] == '\0' ?
			    (*v)->summary : "");
		last = (*v)->name;
	}
}

static void
offer_second(struct admin *a, const char *first, const char *begun)
{
	const struct admin_verb *const *v;
	size_t len = strlen(first);

	for (v = admin_verbs; *v != NULL; v++) {
		if (strncmp((*v)->name, first, len) == 0 &&
		    (*v)->name[len] == ' ')
			offer(a, begun, (*v)->name + len + 1, (*v)->summary);
	}
}

static void
for_aegshctl(struct admin *a, int argc, char **argv)
{
	const struct admin_verb *const *v;
	int skip;

	if (argc > 1 && strcmp(argv[0], "help") == 0) {
		argc--;
		argv++;
	} else if (argc == 1) {
		offer(a, argv[0], "help", "tell more about a verb");
		offer(a, argv[0], "--help", "list the verbs");
		offer(a, argv[0], "--version", "print the version");
	}
	if (argc == 1) {
		offer_verbs(a, argv[0]);
		return;
	}
	for (v = admin_verbs; *v != NULL; v++) {
		size_t len = strcspn((*v)->name, " ");

		if (strlen(argv[0]) != len ||
		    strncmp((*v)->name, argv[0], len) != 0)
			continue;
		skip = (*v)->name[len] == ' ' ? 2 : 1;
		if (skip == 2 && strcmp((*v)->name + len + 1, argv[1]) != 0)
			continue;
		if (argc > skip)
			offer_behind(a, (*v)->options, (*v)->words,
			    argc - skip, argv + skip);
		if (argc > skip)
			return;
	}
	if (argc == 2)
		offer_second(a, argv[0], argv[1]);
}

static int
run(struct admin *a, int argc, char **argv)
{
	if (argc < 2)
		return admin_usage(a);
	if (strcmp(argv[0], "aegsh") == 0)
		offer_behind(a, shell_options, ADMIN_WORDS_FILE, argc - 1,
		    argv + 1);
	else if (strcmp(argv[0], "aegshctl") == 0)
		for_aegshctl(a, argc - 1, argv + 1);
	else
		return ADMIN_NO;
	return ADMIN_OK;
}

const struct admin_verb cmd_complete = {
	.name = "__complete",
	.usage = "PROGRAM WORD...",
	.summary = "print what could complete the last word",
	.run = run,
	.hidden = true,
};
