/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl test`: what would be decided about a line, and why.  The same
 * stages as in the shell, up to where a language model or a person would
 * be asked; nothing is run and nobody is asked.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "admin_judge.h"
#include "aegsh/base/mem.h"

enum { O_JSON, O_JSONL, O_PROFILE, O_USER, O_CWD, O_ORIGIN, O_EXPLAIN };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_JSONL] = { "jsonl", 0, NULL,
	    "answer each {\"id\", \"command\"} line of standard input",
	    ADMIN_WORDS_NONE },
	[O_PROFILE] = { "profile", 0, "NAME",
	    "judge by that policy profile", ADMIN_WORDS_PROFILE },
	[O_USER] = { "user", 0, "NAME",
	    "judge as for that user, who has just logged in",
	    ADMIN_WORDS_USER },
	[O_CWD] = { "cwd", 0, "DIR", "judge as in that directory",
	    ADMIN_WORDS_DIR },
	[O_ORIGIN] = { "origin", 0, "WORD", "judge as coming from prompt, "
	    "command, forced, script, stdin, login", ADMIN_WORDS_ORIGIN },
	[O_EXPLAIN] = { "explain", 0, NULL,
	    "tell the facts and what each stage found", ADMIN_WORDS_NONE },
	{ NULL }
};

static void
print_text(struct admin *a, const struct admin_judge *j,
    const struct admin_judged *t, bool explain)
{
	const struct decision *d = t->decision;

	admin_say(a, "%s: %s\n", t->model ? "model" :
	    admin_judged_word(t), t->model ?
	    "no rule settles it; the language model would be asked" :
	    decision_reason(d));
	admin_say(a, "rule:    %s%s%s%s\n", decision_rule(d),
	    t->verdict.where != NULL ? " (" : "",
	    t->verdict.where != NULL ? t->verdict.where : "",
	    t->verdict.where != NULL ? ")" : "");
	if (t->verdict.command != NULL)
		admin_say(a, "command: %s\n", t->verdict.command);
	if (decision_instead(d) != NULL)
		admin_say(a, "instead: %s\n", decision_instead(d));
	admin_say(a, "profile: %s%s%s\n", policy_profile(
	    admin_judge_policy(j)), admin_judge_match(j) != NULL ?
	    ", by match " : "", admin_judge_match(j) != NULL ?
	    admin_judge_match(j) : "");
	if (!explain || t->facts.answer != SYN_TREE)
		return;
	admin_say(a, "\n");
	admin_facts_print(a, &t->facts);
	admin_say(a, "\n%s", t->explain.data != NULL ? t->explain.data : "");
}

static int
test(struct admin *a, struct admin_judge *j, const char *line, bool json,
    bool explain)
{
	struct admin_judged t;
	struct err err = ERR_INIT;
	int status;

	if (admin_judge_line(j, xstrdup(line), strlen(line), explain, &t,
	    &err) < 0)
		return admin_fail(a, &err);
	if (json)
		admin_json_print(a, admin_judged_json(j, &t, explain));
	else
		print_text(a, j, &t, explain);
	status = admin_judged_status(&t);
	admin_judged_done(&t);
	return status;
}

struct wanted {
	struct admin_judge_opts opts;
	bool json, jsonl, explain;
};

static int
take_options(struct admin *a, struct admin_args *args, struct wanted *w)
{
	int o;

	while ((o = admin_option_next(a, args)) >= 0) {
		if (o == O_JSON)
			w->json = true;
		else if (o == O_JSONL)
			w->jsonl = w->opts.rules_alone = true;
		else if (o == O_EXPLAIN)
			w->explain = true;
		else if (o == O_PROFILE)
			w->opts.profile = args->value;
		else if (o == O_USER)
			w->opts.user = args->value;
		else if (o == O_CWD)
			w->opts.cwd = args->value;
		else
			w->opts.origin = admin_origin(args->value);
		if (w->opts.origin == POLICY_ORIGIN_UNKNOWN) {
			admin_complain(a, "%s: not an origin: prompt, "
			    "command, forced, script, stdin, login",
			    args->value);
			return -EINVAL;
		}
	}
	return admin_operands(a, args, !w->jsonl, !w->jsonl);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct wanted w = { .opts = { .origin = POLICY_ORIGIN_PROMPT } };
	struct admin_judge *j = NULL;
	struct err err = ERR_INIT;
	int status;
	size_t i;

	if (take_options(a, &args, &w) < 0)
		return ADMIN_USAGE;
	if (admin_judge_new(a, &w.opts, &j, &err) < 0)
		return admin_fail(a, &err);
	if (conf_left_out(a->conf) != NULL)
		admin_complain(a, "%s", conf_left_out(a->conf));
	for (i = 0; i < admin_judge_notes(j)->n; i++)
		admin_complain(a, "%s", admin_judge_notes(j)->v[i]);
	status = w.jsonl ? admin_judge_lines(a, j, STDIN_FILENO, w.explain) :
	    test(a, j, argv[args.at], w.json, w.explain);
	admin_judge_free(j);
	return status;
}

const struct admin_verb cmd_test = {
	.name = "test",
	.usage = "[--] LINE | --jsonl",
	.summary = "show what would be decided about a line, and why",
	.run = run,
	.options = options,
};
