/* SPDX-License-Identifier: ISC */
/*
 * Which profile a session has: match blocks in order, the settings, and
 * wishes that can only be stricter; spans of time; and noticing that the
 * operator's files have changed.
 */

#include "judge.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "policy/policy_int.h"

static struct policy *
load(void)
{
	struct policy *p = NULL;
	struct err err = ERR_INIT;

	IS_INTN(policy_load(NULL, NULL, &p, &err), 0, err.text);
	return p;
}

/* ---- who gets what ------------------------------------------------------- */

static const char blocks[] =
"match \"ann\" {\n\tuser = { ann, 'bot-*' }\n\torigin = { command, forced }\n"
"\tprofile = transfer\n}\n"
"match \"night\" {\n\thost = { 'build*' }\n\tnot_user = { root }\n"
"\tprofile = build\n}\n"
"match \"root-group\" {\n\tgroup = { root }\n\tnot_origin = { script }\n"
"\tprofile = safe\n}\n"
"match \"login\" {\n\torigin = { login }\n\tprofile = dev\n}\n";

static const struct {
	const char *user, *host;
	gid_t gid;
	enum policy_origin origin;
	bool login;
	const char *profile, *block;
} sessions[] = {
	{ "ann", "x", 7, POLICY_ORIGIN_COMMAND, false, "transfer", "ann" },
	{ "bot-1", "x", 7, POLICY_ORIGIN_FORCED, false, "transfer", "ann" },
	{ "bot-1", "x", 7, POLICY_ORIGIN_PROMPT, false, "admin", NULL },
	{ "annx", "x", 7, POLICY_ORIGIN_COMMAND, false, "admin", NULL },
	{ "ann", "build7", 7, POLICY_ORIGIN_FORCED, false, "transfer", "ann" },
	{ "ann", "build7", 7, POLICY_ORIGIN_STDIN, false, "build", "night" },
	{ "root", "build7", 7, POLICY_ORIGIN_STDIN, false, "admin", NULL },
	{ "root", "build7", 0, POLICY_ORIGIN_STDIN, false, "safe",
	    "root-group" },
	{ "root", "build7", 0, POLICY_ORIGIN_SCRIPT, false, "admin", NULL },
	{ "bob", "x", 7, POLICY_ORIGIN_PROMPT, true, "dev", "login" },
	{ "bob", "x", 0, POLICY_ORIGIN_PROMPT, true, "safe", "root-group" },
	{ "bob", "", 7, POLICY_ORIGIN_UNKNOWN, false, "admin", NULL },
};

static void
test_sessions(void)
{
	const struct policy_wish wish = { .configured = "admin" };
	struct policy_choice choice;
	struct policy *p;
	struct err err;
	size_t i;

	scratch_rules("etc/policy.d/10-m.conf", blocks);
	p = load();
	for (i = 0; i < AEG_NELEM(sessions); i++) {
		gid_t groups[] = { 77, sessions[i].gid };
		const struct policy_who who = { .user = sessions[i].user,
			.host = sessions[i].host, .groups = groups,
			.n_groups = 2, .origin = sessions[i].origin,
			.login = sessions[i].login };

		err = (struct err)ERR_INIT;
		IS_INTN(policy_choose(p, &who, &wish, &choice, &err), 0,
		    err.text);
		IS_STRN(policy_profile(p), sessions[i].profile, who.user);
		OKF(choice.block == NULL ? sessions[i].block == NULL :
		    sessions[i].block != NULL &&
		    strcmp(choice.block, sessions[i].block) == 0,
		    "by %s", sessions[i].block != NULL ? sessions[i].block :
		    "none");
	}
	policy_free(p);
	scratch_unlink("etc/policy.d/10-m.conf");
}

/* ---- wishes -------------------------------------------------------------- */

static const struct {
	bool matched;		/* a block gives dev; configured is admin */
	bool own, only_tighter;
	const char *configured, *wanted, *profile;	/* NULL: refused */
	bool note;
} wishes[] = {
	{ false, false, false, "admin", NULL, "admin", false },
	{ false, false, false, "dev", "admin", "admin", false },
	{ false, false, true, "dev", "admin", NULL, false },
	{ false, false, true, "dev", "safe", "safe", false },
	{ false, false, true, "dev", "dev", "dev", false },
	{ false, true, false, "full-auto", NULL, "full-auto", false },
	{ true, false, false, "admin", NULL, "dev", false },
	{ true, false, false, "safe", NULL, "dev", false },
	{ true, true, false, "admin", NULL, "dev", true },
	{ true, true, false, "nonsense", NULL, "dev", true },
	{ true, true, false, "safe", NULL, "safe", false },
	{ true, false, false, "admin", "admin", NULL, false },
	{ true, false, false, "admin", "safe", "safe", false },
	{ true, false, false, "admin", "nonsense", NULL, false },
	{ false, false, false, "nonsense", NULL, NULL, false },
};

static void
test_wishes(void)
{
	struct policy_who who = { .user = "ann", .host = "x",
		.origin = POLICY_ORIGIN_PROMPT };
	struct policy_choice choice;
	struct policy *p;
	struct err err;
	size_t i;

	scratch_rules("etc/policy.d/10-m.conf",
	    "match \"m\" {\n\tuser = { ann }\n\tprofile = dev\n}\n");
	p = load();
	for (i = 0; i < AEG_NELEM(wishes); i++) {
		const struct policy_wish wish = {
			.configured = wishes[i].configured,
			.own = wishes[i].own, .wanted = wishes[i].wanted,
			.only_tighter = wishes[i].only_tighter };
		int rc;

		who.user = wishes[i].matched ? "ann" : "bob";
		err = (struct err)ERR_INIT;
		choice = (struct policy_choice){ .line = 99 };
		rc = policy_choose(p, &who, &wish, &choice, &err);
		if (wishes[i].profile == NULL) {
			OKF(rc < 0 && err.text[0] != '\0' && choice.line == 99,
			    "refused: %s", err.text);
			continue;
		}
		IS_INTN(rc, 0, err.text);
		IS_STR(policy_profile(p), wishes[i].profile);
		OK((choice.note[0] != '\0') == wishes[i].note);
	}
	policy_free(p);
	scratch_unlink("etc/policy.d/10-m.conf");
}

static void
test_bad_blocks(void)
{
	static const struct {
		const char *text, *complaint;
	} bad[] = {
		{ "match \"m\" {\n\tuser = { a }\n}\n",
		    "10-m.conf:1: no profile in match 'm'" },
		{ "match \"m\" {\n\tprofile = dev\n}\n",
		    "10-m.conf:1: no condition in match 'm'" },
		{ "\nmatch \"m\" {\n\tuser = { a }\n\tprofile = nonsense\n}\n",
		    "10-m.conf:2: match 'm': no such profile 'nonsense'" },
		{ "match \"m\" {\n\torigin = { moon }\n\tprofile = dev\n}\n",
		    "10-m.conf:1: match 'm': unknown origin 'moon'" },
		{ "match \"m\" {\n\tusr = { a }\n\tprofile = dev\n}\n",
		    "no such option 'usr'" },
		{ "match \"m\" {\n\tuser = { '' }\n\tprofile = dev\n}\n",
		    "match 'm': an empty word" },
	};
	struct policy *p = NULL;
	struct err err;
	size_t i;

	for (i = 0; i < AEG_NELEM(bad); i++) {
		err = (struct err)ERR_INIT;
		scratch_rules("etc/policy.d/10-m.conf", bad[i].text);
		OKF(policy_load(NULL, NULL, &p, &err) < 0 &&
		    strstr(err.text, bad[i].complaint) != NULL, "%s",
		    bad[i].complaint);
		if (strstr(err.text, bad[i].complaint) == NULL)
			printf("#  got: %s\n", err.text);
	}
	scratch_rules("etc/policy.d/10-m.conf",
	    "match \"m\" {\n\tuser = { a }\n"
	    "\tprofile = dev\n}\nmatch \"m\" {\n\tuser = { b }\n"
	    "\tprofile = dev\n}\n");
	OKF(policy_load(NULL, NULL, &p, &err) < 0, "two of one name");
	scratch_unlink("etc/policy.d/10-m.conf");
}

/* ---- times --------------------------------------------------------------- */

static const struct {
	const char *span;
	unsigned weekday, minute;	/* 0: Sunday */
	bool holds;
} times[] = {
	{ "09:00-17:00", 3, 540, true }, { "09:00-17:00", 3, 1020, false },
	{ "09:00-17:00", 3, 1019, true }, { "09:00-17:00", 3, 539, false },
	{ "22:00-06:00", 1, 1380, true }, { "22:00-06:00", 1, 0, true },
	{ "22:00-06:00", 1, 359, true }, { "22:00-06:00", 1, 360, false },
	{ "sat sun", 6, 0, true }, { "sat sun", 0, 1439, true },
	{ "sat sun", 1, 0, false }, { "mon-fri", 5, 700, true },
	{ "mon-fri", 6, 700, false }, { "fri-mon", 0, 1, true },
	{ "fri-mon", 2, 1, false }, { "fri 22:00-06:00", 5, 1400, true },
	{ "fri 22:00-06:00", 6, 100, true },
	{ "fri 22:00-06:00", 5, 100, false },
	{ "mon-fri 09:00-17:30", 2, 1049, true },
	{ "mon-fri 09:00-17:30", 0, 1000, false },
	{ "00:00-24:00", 4, 1439, true },
};

static void
test_times(void)
{
	static const char *const bad[] = { "", "9:00-17:00", "09:00", "monday",
		"09:00-25:00", "09:60-10:00", "09:00-09:00", "24:00-01:00",
		"mon-", "mon 09:00-10:00 tue", "mon  x", "-", " ", "mon-fry" };
	size_t i;

	for (i = 0; i < AEG_NELEM(times); i++) {
		int64_t span = pol_time_parse(times[i].span);

		OKF(span >= 0 && pol_time_holds((uint32_t)span,
		    times[i].weekday, times[i].minute) == times[i].holds,
		    "%s: day %u, minute %u", times[i].span, times[i].weekday,
		    times[i].minute);
	}
	for (i = 0; i < AEG_NELEM(bad); i++)
		OKF(pol_time_parse(bad[i]) == -1, "no time: '%s'", bad[i]);
}

/* Rules that hold always, and never: whatever the clock says. */
static void
test_time_rules(struct state *s)
{
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	struct judge j = { .state = s, .uid = 1000,
		.origin = POLICY_ORIGIN_PROMPT };

	scratch_rules("etc/policy.d/10-m.conf",
	    "rule \"always\" {\n\tdecision = block\n\treason = r\n"
	    "\tcommand = { frob }\n\ttime = { '00:00-12:00', "
	    "'12:00-24:00' }\n\texample = { 'frob' }\n}\n"
	    "rule \"never\" {\n\tdecision = block\n\treason = r\n"
	    "\tcommand = { ls }\n\tnot_time = { '00:00-24:00' }\n"
	    "\texample = { ls }\n}\n");
	IS_INTN(policy_load("admin", NULL, &p, &err), 0, err.text);
	j.policy = p;
	IS_STR(judge_line(&j, "frob", NULL).rule, "always");
	IS_INT(judge_line(&j, "ls", NULL).action, POLICY_ALLOW);
	policy_free(p);
	scratch_rules("etc/policy.d/10-m.conf",
	    "rule \"x\" {\n\tdecision = block\n\treason = r\n"
	    "\ttime = { noon }\n}\n");
	OKF(policy_load("admin", NULL, &p, &err) < 0 &&
	    strstr(err.text, "10-m.conf:1: rule 'x': not a time") != NULL,
	    "%s", err.text);
	scratch_unlink("etc/policy.d/10-m.conf");
}

/* ---- files that change --------------------------------------------------- */

static const char rule_a[] = "rule \"a\" {\n\tdecision = block\n"
    "\treason = r\n\tcommand = { frob }\n}\n";

static void
test_refresh(void)
{
	struct policy *p = NULL, *fresh = NULL;
	struct err err = ERR_INIT;
	char *path = scratch_path("etc/policy.d/10-m.conf");

	IS_INT(policy_load("admin", NULL, &p, &err), 0);
	IS_INT(policy_refresh(p, NULL, NULL, &fresh, &err), 0);
	OKF(fresh == NULL, "nothing has changed");
	scratch_rules("etc/policy.d/10-m.conf", rule_a);
	IS_INTN(policy_refresh(p, NULL, NULL, &fresh, &err), 0, err.text);
	OKF(fresh != NULL, "a file that comes is noticed");
	IS_STR(policy_profile(fresh), "admin");
	OK(strcmp(policy_hash(p), policy_hash(fresh)) != 0);
	policy_free(p);
	p = AEG_STEAL(fresh);
	scratch_rules("etc/policy.d/10-m.conf", "rule \"a\" {\n");
	OK(policy_refresh(p, NULL, NULL, &fresh, &err) < 0);
	OKF(fresh == NULL && strstr(err.text, "10-m.conf") != NULL, "%s",
	    err.text);
	IS_INTN(policy_refresh(p, NULL, NULL, &fresh, &err), 0,
	    "what is wrong is told once");
	OKF(fresh == NULL, "and the old rules hold");
	scratch_rules("etc/policy.d/10-m.conf", rule_a);
	IS_INT(policy_refresh(p, NULL, NULL, &fresh, &err), 0);
	OKF(fresh == NULL, "the same again: nothing is new");
	chmod(path, 0666);
	IS_INTN(policy_refresh(p, NULL, NULL, &fresh, &err), ERR_TRUST,
	    "a file that anybody can write is not taken");
	chmod(path, 0644);
	IS_INT(policy_refresh(p, NULL, NULL, &fresh, &err), 0);
	unlink(path);
	IS_INT(policy_refresh(p, NULL, NULL, &fresh, &err), 0);
	OKF(fresh != NULL, "a file that goes is noticed");
	policy_free(fresh);
	policy_free(p);
	free(path);
}

int
main(void)
{
	struct state *s;

	judge_places();
	scratch_mkdir("etc", 0755);
	scratch_mkdir("etc/policy.d", 0755);
	s = judge_state();
	test_sessions();
	test_wishes();
	test_bad_blocks();
	test_times();
	test_time_rules(s);
	test_refresh();
	state_free(s);
	return tap_done();
}
