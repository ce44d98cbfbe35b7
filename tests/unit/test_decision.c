/* SPDX-License-Identifier: ISC */
/* The whole fold, row by row: every verdict of the policy with every state
 * of the validator, under every fail mode, every answer for unknown lines,
 * with and without somebody to ask. */
#include "aegsh/decision.h"
#include "aegsh/base/mem.h"
#include "tap.h"

/* What must come out: Block, Confirm, Allow, the Unknown setting, or the
 * fail mode; s is who settled it. */
struct row {
	enum policy_action policy;
	const char *validator;	/* -: not asked; else status, see below */
	char want;
	enum decision_source source;
};

static const struct row rows[] = {
	{ POLICY_BLOCK, "-", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "failed", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "none", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "cancelled", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "block", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "warn", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "allow", 'B', DECISION_BY_POLICY },
	{ POLICY_BLOCK, "doubtful", 'B', DECISION_BY_POLICY },
	{ POLICY_WARN, "-", 'C', DECISION_BY_POLICY },
	{ POLICY_WARN, "failed", 'f', DECISION_BY_POLICY },
	{ POLICY_WARN, "none", 'C', DECISION_BY_POLICY },
	{ POLICY_WARN, "cancelled", 'B', DECISION_BY_PERSON },
	{ POLICY_WARN, "block", 'B', DECISION_BY_VALIDATOR },
	{ POLICY_WARN, "warn", 'C', DECISION_BY_POLICY },
	{ POLICY_WARN, "allow", 'C', DECISION_BY_POLICY },
	{ POLICY_WARN, "doubtful", 'C', DECISION_BY_POLICY },
	{ POLICY_UNKNOWN, "-", 'U', DECISION_BY_POLICY },
	{ POLICY_UNKNOWN, "failed", 'F', DECISION_BY_FAIL_MODE },
	{ POLICY_UNKNOWN, "none", 'U', DECISION_BY_POLICY },
	{ POLICY_UNKNOWN, "cancelled", 'B', DECISION_BY_PERSON },
	{ POLICY_UNKNOWN, "block", 'B', DECISION_BY_VALIDATOR },
	{ POLICY_UNKNOWN, "warn", 'C', DECISION_BY_VALIDATOR },
	{ POLICY_UNKNOWN, "allow", 'A', DECISION_BY_VALIDATOR },
	{ POLICY_UNKNOWN, "doubtful", 'C', DECISION_BY_VALIDATOR },
	{ POLICY_UNKNOWN, "toosure", 'C', DECISION_BY_VALIDATOR },
	{ POLICY_ALLOW, "-", 'A', DECISION_BY_POLICY },
	{ POLICY_ALLOW, "failed", 'A', DECISION_BY_POLICY },
	{ POLICY_ALLOW, "none", 'A', DECISION_BY_POLICY },
	{ POLICY_ALLOW, "cancelled", 'B', DECISION_BY_PERSON },
	{ POLICY_ALLOW, "block", 'B', DECISION_BY_VALIDATOR },
	{ POLICY_ALLOW, "warn", 'C', DECISION_BY_VALIDATOR },
	{ POLICY_ALLOW, "allow", 'A', DECISION_BY_POLICY },
	{ POLICY_ALLOW, "doubtful", 'C', DECISION_BY_VALIDATOR },
	/* Values that no enum has. */
	{ (enum policy_action)77, "-", 'B', DECISION_BY_POLICY },
	{ (enum policy_action)77, "allow", 'B', DECISION_BY_POLICY },
	{ POLICY_UNKNOWN, "odd-status", 'B', DECISION_BY_NOBODY },
	{ POLICY_UNKNOWN, "odd-action", 'B', DECISION_BY_VALIDATOR },
};

static const struct {
	const char *name;
	enum val_status status;
	enum val_action action;
	unsigned confidence;
} validators[] = {
	{ "failed", VAL_FAILED, VAL_ALLOW, 100 },
	{ "none", VAL_NOT_CONFIGURED, VAL_ALLOW, 100 },
	{ "cancelled", VAL_CANCELLED, VAL_ALLOW, 100 },
	{ "block", VAL_ANSWERED, VAL_BLOCK, 1 },
	{ "warn", VAL_ANSWERED, VAL_WARN, 100 },
	{ "allow", VAL_ANSWERED, VAL_ALLOW, 80 },
	{ "doubtful", VAL_ANSWERED, VAL_ALLOW, 79 },
	{ "toosure", VAL_ANSWERED, VAL_ALLOW, 101 },
	{ "odd-status", (enum val_status)9, VAL_ALLOW, 100 },
	{ "odd-action", VAL_ANSWERED, (enum val_action)9, 100 },
};

static const struct policy_verdict *
policy_of(enum policy_action action)
{
	static struct policy_verdict p;

	p = (struct policy_verdict){ .action = action, .rule = "r",
		.reason = "because" };
	return &p;
}

static const struct val_verdict *
validator_of(const char *name)
{
	static struct val_verdict v;
	size_t i;

	for (i = 0; i < AEG_NELEM(validators); i++)
		if (strcmp(validators[i].name, name) == 0) {
			v = (struct val_verdict){
			    .status = validators[i].status,
				.action = validators[i].action,
				.confidence = validators[i].confidence,
				.reason = "the model says so", .model = "m" };
			return &v;
		}
	return NULL;
}

/* The fold restated over letters, as the rows are. */
static char
expand(char want, char unknown, char fail, bool can_ask)
{
	char got = want;

	if (want == 'f')	/* policy asks, the validator is down */
		got = fail == 'B' ? 'B' : 'C';
	if (want == 'U')
		got = unknown;
	if (want == 'F')
		got = fail == 'P' ? unknown : fail;
	if (got == '?')		/* unknown is no answer to unknown */
		got = 'B';
	return got == 'C' && !can_ask ? 'B' : got;
}

static char
letter(enum decision_action a)
{
	return a == DECISION_ALLOW ? 'A' : a == DECISION_CONFIRM ? 'C' : 'B';
}

static void
one_row(const struct row *r)
{
	static const char unknowns[] = "BC?A", fails[] = "BCP";
	struct decision_input in = { .line = "ls -l", .len = 5,
		.min_confidence = 80 };
	struct decision *d;
	int u, f, ask, bad = 0;
	char want;

	in.policy = policy_of(r->policy);
	in.validator = validator_of(r->validator);
	for (u = 0; u < 4; u++)
		for (f = 0; f < 3; f++)
			for (ask = 0; ask < 2; ask++) {
				in.unknown = (enum policy_action)u;
				in.fail = (enum decision_fail)f;
				in.can_ask = ask;
				d = decision_make(&in);
				want = expand(r->want, unknowns[u], fails[f],
				    ask);
				if (letter(decision_action(d)) != want ||
				    (decision_source(d) != r->source &&
				    !(r->want == 'f' && fails[f] == 'B')))
					bad++;
				decision_free(d);
			}
	OKF(bad == 0, "policy %d, validator %s: %c by %s in all 24 settings",
	    r->policy, r->validator, r->want, decision_source_name(r->source));
}

static void
test_texts(void)
{
	struct policy_verdict p = { .action = POLICY_UNKNOWN,
		.rule = "id\033[1m", .reason = "why\x1b]0;x\x07",
		.instead = "use\nthis" };
	struct val_verdict v = { .status = VAL_ANSWERED, .action = VAL_WARN,
		.confidence = 60, .reason = "odd\x9b", .model = "m\x07",
		.latency_ns = 1234 };
	struct decision_input in = { .line = "a\tb", .len = 3, .policy = &p,
		.can_ask = true, .unknown = POLICY_WARN };
	struct decision *d, *e;
	size_t len;
	char line[] = "a\tb";

	in.line = line;
	d = decision_make(&in);
	line[0] = 'z';
	IS_STR(decision_bytes(d, &len), "a\tb");
	IS_INT(len, 3);
	IS_STR(decision_rule(d), "id^[[1m");
	IS_STR(decision_reason(d), "why^[]0;x^G");
	IS_STR(decision_instead(d), "use^Jthis");
	OK(decision_model(d) == NULL);
	decision_free(d);
	in.validator = &v;
	d = decision_make(&in);
	IS_STR(decision_reason(d), "odd\\x9b");
	IS_STR(decision_instead(d), "use^Jthis");
	IS_STR(decision_model(d), "m^G");
	IS_INT(decision_confidence(d), 60);
	IS_INT(decision_latency_ns(d), 1234);
	e = decision_confirm(d, true);
	IS_INT(decision_action(d), DECISION_CONFIRM);
	IS_INT(decision_action(e), DECISION_ALLOW);
	IS_INT(decision_source(e), DECISION_BY_PERSON);
	IS_STR(decision_bytes(e, NULL), "z\tb");
	IS_STR(decision_model(e), "m^G");
	IS_STR(decision_instead(e), "use^Jthis");
	decision_free(e);
	e = decision_confirm(d, false);
	IS_INT(decision_action(e), DECISION_BLOCK);
	IS_INT(decision_source(e), DECISION_BY_PERSON);
	decision_free(e);
	decision_free(d);
	p.reason = NULL;
	p.rule = NULL;
	p.instead = NULL;
	in.validator = NULL;
	d = decision_make(&in);
	IS_STR(decision_rule(d), "none");
	IS_STR(decision_reason(d), "no reason was given");
	OK(decision_instead(d) == NULL);
	decision_free(d);
	p.instead = "use this";
	in.unknown = POLICY_ALLOW;
	d = decision_make(&in);
	IS_INT(decision_action(d), DECISION_ALLOW);
	OK(decision_instead(d) == NULL);
	decision_free(d);
}

static void
test_confirm_lifts_nothing(void)
{
	struct decision_input in = { .line = "x", .len = 1,
		.policy = policy_of(POLICY_BLOCK), .can_ask = true };
	struct decision *d = decision_make(&in), *e;

	e = decision_confirm(d, true);
	IS_INT(decision_action(e), DECISION_BLOCK);
	IS_INT(decision_source(e), DECISION_BY_POLICY);
	decision_free(e);
	decision_free(d);
	in.policy = policy_of(POLICY_ALLOW);
	d = decision_make(&in);
	OK(!decision_unasked(d));
	e = decision_confirm(d, false);
	IS_INTN(decision_action(e), DECISION_ALLOW,
	    "what was not asked stays as it was");
	IS_INT(decision_source(e), DECISION_BY_POLICY);
	decision_free(e);
	decision_free(d);
	in.policy = policy_of(POLICY_WARN);
	in.can_ask = false;
	d = decision_make(&in);
	e = decision_confirm(d, true);
	IS_INTN(decision_action(e), DECISION_BLOCK,
	    "nobody to ask: a later yes does not help");
	OK(decision_unasked(d) && decision_unasked(e));
	decision_free(e);
	decision_free(d);
}

static void
test_unreadable(void)
{
	static const char nul[] = "ls\0rm";
	struct decision_input in = { .line = "if", .len = 2, .can_ask = true,
		.syntax_error = "column 3: then\033", .unknown = POLICY_ALLOW };
	char *big = xcalloc(1, SYN_LEN_MAX + 1);
	struct decision *d = decision_make(&in);
	size_t len;

	IS_INT(decision_action(d), DECISION_BLOCK);
	OK(decision_unreadable(d));
	IS_STR(decision_reason(d), "column 3: then^[");
	decision_free(d);
	in.policy = policy_of(POLICY_ALLOW);
	d = decision_make(&in);
	IS_INTN(decision_action(d), DECISION_BLOCK,
	    "a syntax error counts more than an allow");
	decision_free(d);
	in.syntax_error = NULL;
	in.line = nul;
	in.len = sizeof nul - 1;
	d = decision_make(&in);
	IS_INTN(decision_action(d), DECISION_BLOCK, "a NUL byte blocks");
	decision_free(d);
	memset(big, 'x', SYN_LEN_MAX + 1);
	in.line = big;
	in.len = SYN_LEN_MAX + 1;
	d = decision_make(&in);
	IS_INTN(decision_action(d), DECISION_BLOCK, "an over-long line blocks");
	decision_bytes(d, &len);
	IS_INT(len, SYN_LEN_MAX);
	decision_free(d);
	in.len = SYN_LEN_MAX;
	d = decision_make(&in);
	IS_INTN(decision_action(d), DECISION_ALLOW, "the longest line runs");
	decision_free(d);
	free(big);
	in.line = NULL;
	in.len = 0;
	d = decision_make(&in);
	IS_INTN(decision_action(d), DECISION_BLOCK, "no line, no run");
	decision_free(d);
	in.line = "ls";
	in.len = 2;
	in.policy = NULL;
	d = decision_make(&in);
	IS_INTN(decision_action(d), DECISION_BLOCK, "no judge, no run");
	IS_INT(decision_source(d), DECISION_BY_NOBODY);
	decision_free(d);
	decision_free(NULL);
}

static void
test_names(void)
{
	struct decision_input zero = { 0 };
	struct decision *d = decision_make(&zero);

	IS_INTN(decision_action(d), DECISION_BLOCK, "zeroed input blocks");
	decision_free(d);
	IS_STR(decision_action_name(DECISION_BLOCK), "block");
	IS_STR(decision_action_name(DECISION_CONFIRM), "confirm");
	IS_STR(decision_action_name(DECISION_ALLOW), "allow");
	IS_STR(decision_action_name((enum decision_action)9), "block");
	IS_STR(decision_source_name(DECISION_BY_NOBODY), "nobody");
	IS_STR(decision_source_name(DECISION_BY_SYNTAX), "syntax");
	IS_STR(decision_source_name(DECISION_BY_POLICY), "policy");
	IS_STR(decision_source_name(DECISION_BY_VALIDATOR), "validator");
	IS_STR(decision_source_name(DECISION_BY_FAIL_MODE), "fail-mode");
	IS_STR(decision_source_name(DECISION_BY_PERSON), "person");
	IS_STR(decision_source_name((enum decision_source)9), "nobody");
}

static void
test_fail_words(void)
{
	IS_INT(decision_fail_of("block", false), DECISION_FAIL_BLOCK);
	IS_INT(decision_fail_of("ask", true), DECISION_FAIL_ASK);
	IS_INT(decision_fail_of("policy", true), DECISION_FAIL_POLICY);
	IS_INT(decision_fail_of("default", false), DECISION_FAIL_ASK);
	IS_INT(decision_fail_of("default", true), DECISION_FAIL_BLOCK);
	IS_INT(decision_fail_of("", false), DECISION_FAIL_BLOCK);
	IS_INT(decision_fail_for("kiosk=policy a=ask", "a", "block", true),
	    DECISION_FAIL_ASK);
	IS_INT(decision_fail_for("kiosk=policy, a=ask", "kiosk", "block",
	    true), DECISION_FAIL_POLICY);
	IS_INT(decision_fail_for("kiosk=policy", "kios", "ask", true),
	    DECISION_FAIL_ASK);
	IS_INT(decision_fail_for("kiosk=", "kiosk", "ask", true),
	    DECISION_FAIL_BLOCK);
	IS_INT(decision_fail_for("kiosk", "kiosk", "ask", true),
	    DECISION_FAIL_ASK);
	IS_INT(decision_fail_for("", "", "block", false),
	    DECISION_FAIL_BLOCK);
}

/* What the aegsh around has decided counts for the bytes that it was asked
 * about, and allows only where it says just that. */
static void
test_told(void)
{
	static const unsigned char sum[32] = { 1 }, other[32] = { 2 };
	struct decision_said said = { .action = DECISION_ALLOW,
		.source = DECISION_BY_VALIDATOR, .sha256 = sum,
		.rule = "a.rule", .reason = "a \033reason", .model = "m",
		.confidence = 70 };
	struct decision *d = decision_told("true", 4, sum, &said);
	uint32_t action;

	IS_INTN(decision_action(d), DECISION_ALLOW, "told to allow");
	IS_STR(decision_bytes(d, NULL), "true");
	IS_STR(decision_rule(d), "a.rule");
	IS_STR(decision_model(d), "m");
	IS_INT(decision_source(d), DECISION_BY_VALIDATOR);
	IS_INT(decision_confidence(d), 70);
	OK(strchr(decision_reason(d), '\033') == NULL);
	decision_free(d);
	d = decision_told("true", 4, other, &said);
	IS_INTN(decision_action(d), DECISION_BLOCK, "about another line");
	IS_INT(decision_source(d), DECISION_BY_NOBODY);
	decision_free(d);
	for (action = 0; action < 9; action++) {
		said.action = action;
		said.unasked = true;
		d = decision_told("true", 4, sum, &said);
		IS_INTN(decision_action(d), action == DECISION_ALLOW ?
		    DECISION_ALLOW : DECISION_BLOCK, "no other allows");
		IS_INT(decision_unasked(d), action != DECISION_ALLOW);
		decision_free(d);
	}
	said.source = 99;
	d = decision_told("true", 4, sum, &said);
	IS_INTN(decision_source(d), DECISION_BY_NOBODY, "no such source");
	decision_free(d);
}

/* An allow that is not sure enough says by how much. */
static void
unsure(void)
{
	struct val_verdict v = { .status = VAL_ANSWERED, .action = VAL_ALLOW,
		.confidence = 50, .reason = "harmless", .model = "m" };
	struct decision_input in = { .line = "ls", .len = 2,
		.min_confidence = 60, .can_ask = true, .validator = &v,
		.policy = policy_of(POLICY_UNKNOWN) };
	struct decision *d = decision_make(&in);

	IS_STR(decision_reason(d), "only 50 % sure (60 needed): harmless");
	decision_free(d);
	v.action = VAL_WARN;
	d = decision_make(&in);
	IS_STR(decision_reason(d), "harmless");
	decision_free(d);
}

int
main(void)
{
	size_t i;

	unsure();
	for (i = 0; i < AEG_NELEM(rows); i++)
		one_row(&rows[i]);
	test_texts();
	test_confirm_lifts_nothing();
	test_unreadable();
	test_names();
	test_fail_words();
	test_told();
	return tap_done();
}
