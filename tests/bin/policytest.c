/* SPDX-License-Identifier: ISC */
/*
 * Judge lines and say what came out.  Standard input holds one JSON object
 * a line with "command" (and, where present, "id", "class", "expect");
 * each is answered with "id", decision, rule, evidence.  With -s only a
 * table of decisions by class is printed, with -x the explanation.
 *
 *	policytest [-p PROFILE] [-c CACHEDIR] [-d CWD] [-sxtuv] < lines.jsonl
 *	policytest [-p PROFILE] … -- 'LINE'
 *	policytest -k RULEFILE
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/policy.h"

#define CLASSES_MAX 256

struct tally {
	char name[96];
	unsigned n[4];		/* stopped, asked, allowed, unreadable */
};

struct run {
	struct policy *policy;
	struct state *state;
	bool explain, summary, times, script;
	struct tally classes[CLASSES_MAX];
	size_t n_classes;
	int64_t *spent;
	size_t n_spent, cap_spent;
};

enum answer { STOPPED, ASKED, ALLOWED, UNREADABLE };
static const char *const answers[] = { "block", "warn", "allow", "syntax" };

static enum answer
answer_of(const struct policy *p, const struct policy_verdict *v)
{
	enum policy_action a = v->action;

	if (a == POLICY_UNKNOWN)
		a = policy_unknown(p, v->evidence);
	return a == POLICY_ALLOW ? ALLOWED : a == POLICY_WARN ? ASKED :
	    STOPPED;
}

/* As a fresh bash would find them: exported or unset; -u: what is not
 * exported is not known, as in the middle of a script. */
static enum syn_var
known_variable(void *ctx, const char *name, const char **ret_value)
{
	const struct run *r = ctx;

	*ret_value = state_get(r->state, name);
	if (*ret_value != NULL)
		return SYN_VAR_SET;
	/* Exported functions are named BASH_FUNC_name%%. */
	if (text_starts(name, "BASH_FUNC_"))
		return SYN_VAR_UNSET;
	return r->script || !text_is_name(name, strlen(name)) ?
	    SYN_VAR_UNKNOWN : SYN_VAR_UNSET;
}

static enum answer
judge(struct run *r, const char *line, size_t len, char *rule, size_t rule_len,
	unsigned *evidence)
{
	const struct syn_options whole = { .at_end = true };
	const struct syn_vars vars = { .get = known_variable, .ctx = r,
		.tilde = resolve_home, .homes = r->state };
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *facts;
	struct resolve_set *set = NULL;
	struct policy_input in = { .state = r->state, .uid = 1000,
		.origin = POLICY_ORIGIN_PROMPT, .line = line, .len = len };
	struct policy_verdict verdict;
	struct buf text = BUF_INIT;
	enum answer answer;

	snprintf(rule, rule_len, "syntax");
	*evidence = 0;
	if (syn_parse(line, len, &whole, &tree, &diag) != SYN_TREE)
		return UNREADABLE;
	facts = syn_facts_new(tree, &vars);
	resolve_facts(facts, r->state, &set);
	in.facts = facts;
	in.resolved = set;
	policy_eval(r->policy, &in, &verdict, r->explain ? &text : NULL);
	snprintf(rule, rule_len, "%s", verdict.rule);
	*evidence = verdict.evidence;
	answer = answer_of(r->policy, &verdict);
	if (r->explain)
		printf("%s%s: %s\n  reason: %s\n  where: %s\n  command: %s\n",
		    text.data != NULL ? text.data : "", answers[answer],
		    verdict.rule, verdict.reason, verdict.where != NULL ?
		    verdict.where : "-", verdict.command);
	buf_done(&text);
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
	return answer;
}

static void
count(struct run *r, const char *name, enum answer answer)
{
	size_t i;

	for (i = 0; i < r->n_classes; i++)
		if (strcmp(r->classes[i].name, name) == 0)
			break;
	if (i == CLASSES_MAX)
		return;
	if (i == r->n_classes) {
		snprintf(r->classes[i].name, sizeof r->classes[i].name, "%s",
		    name);
		r->n_classes++;
	}
	r->classes[i].n[answer]++;
}

static void
one(struct run *r, const char *id, const char *class, const char *line,
	size_t len)
{
	char rule[128];
	unsigned evidence;
	int64_t start = clock_mono_ns();
	enum answer answer = judge(r, line, len, rule, sizeof rule, &evidence);

	if (r->n_spent == r->cap_spent) {
		r->cap_spent = r->cap_spent == 0 ? 1024 : r->cap_spent * 2;
		r->spent = xreallocarray(r->spent, r->cap_spent,
		    sizeof *r->spent);
	}
	r->spent[r->n_spent++] = clock_mono_ns() - start;
	if (r->summary)
		count(r, class, answer);
	else if (!r->explain)
		printf("%s\t%s\t%s\t%u\n", id, answers[answer], rule, evidence);
}

static int
by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void
report(struct run *r)
{
	size_t i;

	for (i = 0; r->summary && i < r->n_classes; i++) {
		const struct tally *t = &r->classes[i];
		unsigned all = t->n[0] + t->n[1] + t->n[2] + t->n[3];

		printf("%-40s %6u lines: stopped %6.2f%%  asked %6.2f%%  "
		    "allowed %6.2f%%  unreadable %u\n", t->name, all,
		    100.0 * t->n[0] / all, 100.0 * t->n[1] / all,
		    100.0 * t->n[2] / all, t->n[3]);
	}
	if (!r->times || r->n_spent == 0)
		return;
	qsort(r->spent, r->n_spent, sizeof *r->spent, by_time);
	printf("%zu lines: median %.1f us, p99 %.1f us, most %.1f us\n",
	    r->n_spent, (double)r->spent[r->n_spent / 2] / 1000,
	    (double)r->spent[r->n_spent * 99 / 100] / 1000,
	    (double)r->spent[r->n_spent - 1] / 1000);
}

static const char *
text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "-";
}

static int
read_lines(struct run *r)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	json_t *object, *command;
	char class[96];

	while ((n = getline(&line, &cap, stdin)) > 0) {
		object = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, NULL);
		command = json_object_get(object, "command");
		if (!json_is_string(command)) {
			fprintf(stderr, "policytest: not a line: %s", line);
			json_decref(object);
			free(line);
			return 100;
		}
		snprintf(class, sizeof class, "%s/%s",
		    text_of(object, "expect"), text_of(object, "class"));
		one(r, text_of(object, "id"), class,
		    json_string_value(command), json_string_length(command));
		json_decref(object);
	}
	free(line);
	return 0;
}

static void
say(void *ctx, const char *text)
{
	fprintf(stderr, "%s\n", text);
}

int
main(int argc, char **argv)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
	    "/usr/bin:/sbin:/bin", home[] = "HOME=/home/user";
	char *envp[] = { path, home, NULL };
	const char *profile = "admin", *cache = NULL, *cwd = NULL;
	struct run *r = xcalloc(1, sizeof *r);
	struct err err = ERR_INIT;
	int c, rc = 0;

	while ((c = getopt(argc, argv, "p:c:d:k:sxtuv")) != -1)
		switch (c) {
		case 'p':
			profile = optarg;
			break;
		case 'c':
			cache = optarg;
			break;
		case 'd':
			cwd = optarg;
			break;
		case 'k':
			rc = policy_check_file(optarg, NULL, &err);
			if (rc < 0)
				fprintf(stderr, "policytest: %s\n", err.text);
			free(r);
			return rc < 0;
		case 's':
			r->summary = true;
			break;
		case 'x':
			r->explain = true;
			break;
		case 'v':
			log_set_sink(say, NULL);
			break;
		case 'u':
			r->script = true;
			break;
		case 't':
			r->times = true;
			break;
		default:
			return 100;
		}
	if (cwd != NULL && chdir(cwd) < 0) {
		fprintf(stderr, "policytest: %s: %s\n", cwd, strerror(errno));
		return 111;
	}
	r->state = state_new(envp);
	if (policy_load(profile, cache, &r->policy, &err) < 0) {
		fprintf(stderr, "policytest: %s\n", err.text);
		return 111;
	}
	if (optind < argc)
		one(r, "-", "-", argv[optind], strlen(argv[optind]));
	else
		rc = read_lines(r);
	report(r);
	policy_free(r->policy);
	state_free(r->state);
	free(r->spent);
	free(r);
	return rc;
}
