/* SPDX-License-Identifier: ISC */
/* The flow: what a verdict carries, the conditions that are not about
 * words, the explanation, and rules that run into their limits. */
#include "judge.h"
#include "tap.h"

#include "aegsh/base/mem.h"

static struct judge judge;

static void
site(const char *text)
{
	struct err err = ERR_INIT;

	scratch_rules("etc/policy.d/10-x.conf", text);
	policy_free(judge.policy);
	judge.policy = NULL;
	if (policy_load("admin", NULL, &judge.policy, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
}

static void
is(const char *line, enum policy_action want, const char *rule)
{
	struct judged got = judge_line(&judge, line, NULL);

	OKF(got.action == want && (rule == NULL ||
	    strcmp(got.rule, rule) == 0), "%s: %s", line,
	    policy_action_name(want));
	if (got.action != want || (rule != NULL && strcmp(got.rule, rule) != 0))
		printf("#  got: %s %s\n", policy_action_name(got.action),
		    got.rule);
}

static void
test_verdict(void)
{
	struct judged got = judge_line(&judge, "ls; sudo rm -rf /etc", NULL);
	struct buf explain = BUF_INIT;

	IS_INT(got.action, POLICY_BLOCK);
	IS_STR(got.rule, "floor.delete-root");
	IS_STR(got.command, "rm -rf /etc");
	OK(strncmp(got.where, "(built in):", 11) == 0);
	OK(got.reason[0] != '\0');
	got = judge_line(&judge, "ls -l", NULL);
	IS_STR(got.rule, "allow.look");
	IS_INT(got.evidence, 0);
	got = judge_line(&judge, "", NULL);
	IS_INTN(got.action, POLICY_ALLOW, "an empty line does nothing");
	IS_STR(got.rule, "empty");
	got = judge_line(&judge, "$tool x", NULL);
	IS_INT(got.action, POLICY_UNKNOWN);
	OK(got.evidence > 0 && got.evidence < 10);
	IS_STR(got.rule, "evidence.name-variable");
	judge_line(&judge, "cat /etc/shadow\x1b[2J > x", &explain);
	OK(strstr(explain.data, "command: cat") != NULL);
	OK(strstr(explain.data, "@secrets") != NULL ||
	    strstr(explain.data, "shadow") != NULL);
	OK(strstr(explain.data, "verdict: ") != NULL);
	OKF(strchr(explain.data, '\x1b') == NULL, "explanations are inert");
	buf_reset(&explain);
	judge_line(&judge, "rm -rf /", &explain);
	OK(strstr(explain.data, "blocklist: block floor.delete-root") != NULL);
	buf_reset(&explain);
	judge_line(&judge, "cat \"$f\"", &explain);
	OK(strstr(explain.data, "allowlist: not enough: a word of it") != NULL);
	buf_done(&explain);
}

static void
test_places(void)
{
	struct err err = ERR_INIT;

	judge.store = "/srv/store";
	is("echo x > /srv/store/db", POLICY_BLOCK, "floor.store");
	is("rm -rf /srv/store", POLICY_BLOCK, "floor.store");
	is("frob /srv/store/db", POLICY_BLOCK, "floor.store");
	is("cat /srv/store/db", POLICY_ALLOW, NULL);
	is("rm -rf /srv/stores", POLICY_WARN, NULL);
	judge.store = NULL;
	policy_free(judge.policy);
	judge.policy = NULL;
	if (policy_load("dev", NULL, &judge.policy, &err) < 0)
		scratch_die(err.text);
	judge.project = "/srv/project";
	is("cat /srv/project/f", POLICY_ALLOW, NULL);
	is("cat /srv/project/../other/f", POLICY_BLOCK, "jail");
	is("cat /srv/projects/f", POLICY_BLOCK, "jail");
	is("cat f", POLICY_BLOCK, "jail");
	is("cat < /dev/null", POLICY_ALLOW, NULL);
	judge.project = NULL;
	is("cat f", POLICY_ALLOW, NULL);
	policy_free(judge.policy);
	judge.policy = NULL;
	if (policy_load("safe", NULL, &judge.policy, &err) < 0)
		scratch_die(err.text);
	is("ls", POLICY_BLOCK, "profile.disabled");
	is("", POLICY_BLOCK, "profile.disabled");
}

static void
test_conditions(void)
{
	site("rule \"t.uid\" {\n decision = block\n reason = r\n"
	    " command = { u }\n uid = { 0 }\n}\n"
	    "rule \"t.origin\" {\n decision = block\n reason = r\n"
	    " command = { o }\n origin = { forced, script }\n}\n"
	    "rule \"t.first\" {\n decision = block\n reason = r\n"
	    " command = { f }\n first = { 'a*' }\n second = { b }\n}\n"
	    "rule \"t.option\" {\n decision = block\n reason = r\n"
	    " command = { p }\n option = { '-r|--recursive', '-f' }\n}\n"
	    "rule \"t.wrap\" {\n decision = block\n reason = r\n"
	    " command = { wr }\n wrapper = { nice }\n}\n"
	    "rule \"t.not\" {\n decision = block\n reason = r\n"
	    " command = { n }\n not_operand = { ok }\n}\n"
	    "rule \"t.fed\" {\n decision = block\n reason = r\n"
	    " command = { d }\n fed_by = { c }\n}\n"
	    "rule \"t.inside\" {\n decision = block\n reason = r\n"
	    " command = { i }\n inside = { h }\n}\n"
	    "rule \"t.kind\" {\n decision = block\n reason = r\n"
	    " command = { nosuch }\n kind = { not-found }\n}\n"
	    "rule \"t.input\" {\n decision = block\n reason = r\n"
	    " command = { inp }\n input = { 'bad' }\n}\n"
	    "rule \"t.glob\" {\n decision = block\n reason = r\n"
	    " command = { 'pre*', '*post' }\n}\n");
	is("u", POLICY_UNKNOWN, NULL);
	judge.uid = 0;
	is("u", POLICY_BLOCK, "t.uid");
	judge.uid = 1000;
	is("o", POLICY_UNKNOWN, NULL);
	judge.origin = POLICY_ORIGIN_FORCED;
	is("o", POLICY_BLOCK, "t.origin");
	judge.origin = POLICY_ORIGIN_PROMPT;
	is("f ax b", POLICY_BLOCK, "t.first");
	is("f x b", POLICY_UNKNOWN, NULL);
	is("f ax c b", POLICY_UNKNOWN, NULL);
	is("p -rf", POLICY_BLOCK, "t.option");
	is("p -r -f", POLICY_BLOCK, "t.option");
	is("p --recursive x -f", POLICY_BLOCK, "t.option");
	is("p -r", POLICY_UNKNOWN, NULL);
	is("p -r -- -f", POLICY_UNKNOWN, NULL);
	is("nice wr", POLICY_BLOCK, "t.wrap");
	is("wr", POLICY_UNKNOWN, NULL);
	is("n bad", POLICY_BLOCK, "t.not");
	is("n ok", POLICY_UNKNOWN, NULL);
	is("c | x | d", POLICY_BLOCK, "t.fed");
	is("d | c", POLICY_UNKNOWN, NULL);
	is("c; d", POLICY_UNKNOWN, NULL);
	is("h $(i)", POLICY_BLOCK, "t.inside");
	is("h; i", POLICY_UNKNOWN, NULL);
	is("nosuch", POLICY_BLOCK, "t.kind");
	is("inp <<< bad", POLICY_BLOCK, "t.input");
	is("inp <<E\nxbadx\nE", POLICY_BLOCK, "t.input");
	is("inp <<< good", POLICY_UNKNOWN, NULL);
	is("prefix", POLICY_BLOCK, "t.glob");
	is("lamppost", POLICY_BLOCK, "t.glob");
	is("impre", POLICY_UNKNOWN, NULL);
}

static void
test_limit(void)
{
	struct buf line = BUF_INIT;
	int i;

	site("rule \"t.slow\" {\n decision = evidence\n score = 1\n"
	    " reason = r\n command = { x }\n args = { '^(a+)+$' }\n}\n"
	    "rule \"t.slow-allow\" {\n decision = allow\n set = admin\n"
	    " reason = r\n command = { y }\n args = { '^(a+)+$' }\n}\n");
	is("x aaa", POLICY_UNKNOWN, "t.slow");
	is("y aaa", POLICY_ALLOW, "t.slow-allow");
	for (i = 0; i < 60; i++)
		buf_putc(&line, 'a');
	buf_puts(&line, "b");
	{
		char *slow AEG_AUTOFREE = xasprintf("x %s", line.data);
		char *allow AEG_AUTOFREE = xasprintf("y %s", line.data);

		is(slow, POLICY_BLOCK, "t.slow");
		is(allow, POLICY_BLOCK, "t.slow-allow");
	}
	buf_done(&line);
}

/* The rules that are shipped get through honest lines of any length. */
static void
test_long(void)
{
	static const char *const around[][2] = {
		{ "python3 -c 'print(\"", "\")'" },
		{ "psql -c 'insert into t values (\"", "\")'" },
		{ "curl -sd '", "' http://h.example.org/x" },
		{ "git commit -m '", "'" },
	};
	size_t i, j;

	site("");
	for (i = 0; i < AEG_NELEM(around); i++) {
		struct buf line = BUF_INIT;

		buf_puts(&line, around[i][0]);
		for (j = 0; j < 4000; j++)
			buf_puts(&line, "ab ");
		buf_puts(&line, around[i][1]);
		is(line.data, POLICY_UNKNOWN, NULL);
		buf_done(&line);
	}
}

static void
test_hidden(void)
{
	site("");
	is("ls # \xe2\x80\xae" "x", POLICY_WARN, "ask.hidden-text");
	is("ls # \xc3\xa9", POLICY_ALLOW, NULL);
	is("\xd1\x81" "at f", POLICY_WARN, "ask.spelled");
	is("echo \xc3\xa9", POLICY_ALLOW, NULL);
}

/* Thousands of commands, words and paths end in a verdict, too. */
static void
test_large(void)
{
	struct buf line = BUF_INIT;
	int i;

	for (i = 0; i < 4000; i++)
		buf_puts(&line, "ls /a /b; ");
	is(line.data, POLICY_ALLOW, NULL);
	buf_puts(&line, "rm -rf /");
	is(line.data, POLICY_BLOCK, "floor.delete-root");
	buf_reset(&line);
	buf_puts(&line, "rm");
	for (i = 0; i < 4000; i++)
		buf_puts(&line, " /tmp/x");
	buf_puts(&line, " /");
	{
		struct judged got = judge_line(&judge, line.data, NULL);

		OKF(got.action != POLICY_ALLOW,
		    "words beyond the cap are not known");
	}
	buf_done(&line);
}

int
main(void)
{
	struct err err = ERR_INIT;

	judge_places();
	scratch_mkdir("etc", 0755);
	scratch_mkdir("etc/policy.d", 0755);
	judge.state = judge_state();
	judge.origin = POLICY_ORIGIN_PROMPT;
	judge.uid = 1000;
	if (policy_load("admin", NULL, &judge.policy, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		return 99;
	}
	test_verdict();
	test_places();
	test_conditions();
	test_limit();
	test_long();
	test_hidden();
	test_large();
	policy_free(judge.policy);
	state_free(judge.state);
	return tap_done();
}
