/* SPDX-License-Identifier: ISC */
/*
 * The case tables of tests/cases/policy: a line of a table is
 *
 *	DECISION RULE LINE
 *
 * with block, warn, allow, or open (no rule settles it) as the decision,
 * and the rule that must be named, "*" for any.  "profile NAME" switches;
 * "#" begins a comment.  With -p the tables are printed as they come out.
 */
#include <glob.h>

#include "judge.h"
#include "tap.h"

static struct judge judge;

static void
use_profile(const char *name)
{
	struct err err = ERR_INIT;

	policy_free(judge.policy);
	judge.policy = NULL;
	if (policy_load(name, scratch_dir, &judge.policy, &err) < 0) {
		printf("Bail out! profile %s: %s\n", name, err.text);
		exit(99);
	}
}

static const char *
word(enum policy_action action)
{
	return action == POLICY_UNKNOWN ? "open" : policy_action_name(action);
}

static void
one_case(char *text, const char *file, int line, bool print)
{
	char *decision = strsep(&text, " "), *rule = strsep(&text, " ");
	struct judged got;

	if (rule == NULL || text == NULL) {
		OKF(false, "%s:%d: not a case", file, line);
		return;
	}
	got = judge_line(&judge, text, NULL);
	if (print) {
		printf("%s %s %s\n", got.unreadable ? "unreadable" :
		    word(got.action), got.unreadable ? "*" : got.rule, text);
		return;
	}
	OKF(!got.unreadable && strcmp(word(got.action), decision) == 0 &&
	    (strcmp(rule, "*") == 0 || strcmp(got.rule, rule) == 0),
	    "%s:%d: %s", file, line, text);
	if (got.unreadable || strcmp(word(got.action), decision) != 0 ||
	    (strcmp(rule, "*") != 0 && strcmp(got.rule, rule) != 0))
		printf("#  got: %s %s\n# want: %s %s\n", got.unreadable ?
		    "unreadable" : word(got.action), got.rule, decision, rule);
}

static void
one_file(const char *path, bool print)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;
	ssize_t n;
	int line = 0;

	if (f == NULL)
		scratch_die(path);
	use_profile("admin");
	while ((n = getline(&text, &cap, f)) > 0) {
		line++;
		text[strcspn(text, "\n")] = '\0';
		if (text[0] == '\0' || text[0] == '#') {
			if (print)
				puts(text);
		} else if (strncmp(text, "profile ", 8) == 0) {
			if (print)
				puts(text);
			use_profile(text + 8);
		} else {
			one_case(text, strrchr(path, '/') + 1, line, print);
		}
	}
	free(text);
	fclose(f);
}

int
main(int argc, char **argv)
{
	const char *top = getenv("abs_top_srcdir");
	char *pattern;
	glob_t files;
	size_t i;

	judge_places();
	judge.state = judge_state();
	judge.origin = POLICY_ORIGIN_PROMPT;
	judge.uid = 1000;
	if (argc == 3 && strcmp(argv[1], "-p") == 0) {
		one_file(argv[2], true);
		return 0;
	}
	if (asprintf(&pattern, "%s/tests/cases/policy/*.case",
	    top != NULL ? top : ".") < 0)
		scratch_die("asprintf");
	OKF(glob(pattern, 0, NULL, &files) == 0 && files.gl_pathc > 0,
	    "there are tables");
	for (i = 0; i < files.gl_pathc; i++)
		one_file(files.gl_pathv[i], false);
	globfree(&files);
	free(pattern);
	policy_free(judge.policy);
	state_free(judge.state);
	return tap_done();
}
