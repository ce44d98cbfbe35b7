/* SPDX-License-Identifier: ISC */
/*
 * The order of the stages, with stages that say what the test wants: what
 * is asked, what runs, what is recorded, and what a failing stage means.
 */
#include "aegsh/turn.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "turn/turn_guest.h"

static enum policy_action policy_says;
static struct val_verdict model_says;
static int intents, outcomes, asked, confirmed, store_fails;
static enum turn_says person_says;
static char last_decision[32], last_line[256];
static char judged_line[256], judged_project[4096];
static bool last_ran;

static void
fake_judge(struct turn *t, const struct policy_input *in,
    struct policy_verdict *ret)
{
	(void)t;
	snprintf(judged_line, sizeof judged_line, "%.*s", (int)in->len,
	    in->line != NULL ? in->line : "");
	snprintf(judged_project, sizeof judged_project, "%s",
	    in->project != NULL ? in->project : "");
	*ret = (struct policy_verdict){ .action = policy_says,
		.rule = "test-rule", .reason = "the test says so" };
}

static void
fake_ask(struct turn *t, const struct val_question *q,
    struct val_verdict *ret)
{
	(void)t;
	(void)q;
	asked++;
	*ret = model_says;
}

static int
fake_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	(void)t;
	if (store_fails)
		return err_set(err, ERR_STORE, "the store is full");
	intents++;
	ev->id = intents;
	last_ran = ev->ran;
	snprintf(last_decision, sizeof last_decision, "%s", ev->decision);
	snprintf(last_line, sizeof last_line, "%.*s", (int)ev->len, ev->line);
	return 0;
}

static void
fake_outcome(struct turn *t, int64_t id, const struct audit_outcome *o)
{
	(void)t;
	(void)o;
	if (id == intents)
		outcomes++;
}

static const struct turn_ops fake = { fake_judge, fake_ask, fake_intent,
	fake_outcome };

static int settled;

static int
fake_settle(struct turn *t, struct err *err)
{
	(void)t;
	(void)err;
	settled++;
	return 0;
}

static const struct turn_ops settling = { fake_judge, fake_ask, fake_intent,
	fake_outcome, fake_settle };
static const struct turn_ops *ops = &fake;

static enum turn_says
fake_confirm(void *ctx, struct turn *t, const struct turn_judged *j)
{
	(void)ctx;
	(void)t;
	(void)j;
	confirmed++;
	return person_says;
}

static char root[] = "/var/tmp/t-aegsh-turn-XXXXXX";

static void
write_conf(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/etc/aegsh.conf", root);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	chmod(path, 0644);
}

static struct conf *conf;
static struct state *state;

static struct turn *
open_with(const char *settings, bool person, bool session)
{
	extern char **environ;
	static char home[128];
	struct turn_opts o = { .uid = getuid(), .home = home, .user = "test",
		.version = "test", .origin = LINE_COMMAND, .tty = -1,
		.argv0 = "aegsh", .ops = ops, .cancel_fd = -1,
		.session = session };
	struct err err = ERR_INIT;
	struct turn *t = NULL;

	/* The store lies beside the home, not in it. */
	snprintf(home, sizeof home, "%s/home", root);
	write_conf(settings);
	conf_free(conf);
	state_free(state);
	conf = NULL;
	if (conf_load(getuid(), root, NULL, &conf, &err) != 0)
		printf("# %s\n", err.text);
	state = state_new(environ);
	o.conf = conf;
	o.state = state;
	o.confirm = person ? fake_confirm : NULL;
	if (turn_new(&o, &t, &err) != 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	intents = outcomes = asked = confirmed = store_fails = 0;
	return t;
}

static struct turn *
open_turn(const char *settings, bool person)
{
	return open_with(settings, person, false);
}

static struct turn_result
run(struct turn *t, const char *text)
{
	struct line line = { text, strlen(text), LINE_COMMAND };
	struct turn_judged *j = turn_judge(t, &line);
	struct turn_result r;

	turn_confirm(t, j);
	turn_act(t, j, NULL, NULL, &r);
	turn_judged_free(j);
	return r;
}

static void
policy_decides(void)
{
	struct turn *t = open_turn("", false);
	struct turn_result r;

	policy_says = POLICY_ALLOW;
	r = run(t, "exit 7");
	OK(r.ran && r.status == 7);
	IS_INT(intents, 1);
	IS_INT(outcomes, 1);
	OK(last_ran);
	IS_STR(last_line, "exit 7");
	policy_says = POLICY_BLOCK;
	r = run(t, "exit 7");
	OKF(!r.ran && r.status == TURN_STATUS_BLOCKED, "a block is not run");
	IS_INTN(intents, 2, "but it is recorded");
	OK(!last_ran);
	IS_STR(last_decision, "block");
	policy_says = POLICY_WARN;
	r = run(t, "exit 7");
	OKF(!r.ran, "a question without a person is a no");
	policy_says = POLICY_ALLOW;
	r = run(t, "if");
	OKF(!r.ran && r.status == TURN_STATUS_SYNTAX, "unreadable: status 2");
	r = run(t, "# nothing");
	OKF(r.ran && r.status == 2, "a comment keeps $?");
	IS_INTN(asked, 0, "no endpoint: nobody is asked");
	turn_free(t);
}

static void
policy_is_told(void)
{
	struct turn *t = open_turn("", false);
	char up[] = "/", *argv[] = { up, NULL };
	struct buf out = BUF_INIT, complaint = BUF_INIT;
	char *began = xstrdup(state_cwd(state));

	policy_says = POLICY_ALLOW;
	run(t, "true # a comment");
	IS_STRN(judged_line, "true # a comment", "the very bytes");
	IS_STRN(judged_project, began, "the jail is where it began");
	IS_INT(state_cd(state, argv, &out, &complaint), 0);
	run(t, "true");
	IS_STRN(judged_project, began, "and does not move with cd");
	free(began);
	buf_done(&out);
	buf_done(&complaint);
	turn_free(t);
}

static void
person_decides(void)
{
	struct turn *t = open_turn("", true);
	struct turn_result r;

	policy_says = POLICY_WARN;
	person_says = TURN_SAYS_YES;
	r = run(t, "exit 3");
	OKF(r.ran && r.status == 3, "yes runs it");
	IS_INT(confirmed, 1);
	person_says = TURN_SAYS_NO;
	r = run(t, "exit 3");
	OKF(!r.ran && r.status == TURN_STATUS_BLOCKED, "no does not");
	person_says = TURN_SAYS_EDIT;
	r = run(t, "exit 3");
	OKF(!r.ran && r.status == TURN_STATUS_BLOCKED, "edit does not either");
	policy_says = POLICY_BLOCK;
	person_says = TURN_SAYS_YES;
	r = run(t, "exit 3");
	OKF(!r.ran, "a block is final");
	IS_INTN(confirmed, 3, "and nobody is asked about it");
	turn_free(t);
}

static void
model_decides(void)
{
	struct turn *t = open_turn("endpoint = \"http://127.0.0.1:9/v1\"\n"
	    "model = \"m\"\nfail = block\n", false);
	struct turn_result r;

	policy_says = POLICY_UNKNOWN;
	model_says = (struct val_verdict){ .status = VAL_ANSWERED,
		.action = VAL_ALLOW, .confidence = 99 };
	r = run(t, "exit 4");
	OKF(r.ran && r.status == 4, "a sure allow runs");
	IS_INT(asked, 1);
	model_says.confidence = 10;
	r = run(t, "exit 4");
	OKF(!r.ran, "an unsure allow asks, and there is nobody");
	model_says.confidence = 99;
	model_says.action = VAL_BLOCK;
	r = run(t, "exit 4");
	OKF(!r.ran, "a block of the model blocks");
	model_says = (struct val_verdict){ .status = VAL_FAILED };
	r = run(t, "exit 4");
	OKF(!r.ran, "no answer: fail = block");
	model_says = (struct val_verdict){ .status = VAL_CANCELLED };
	r = run(t, "exit 4");
	OKF(!r.ran, "cancelled: not run");
	asked = 0;
	policy_says = POLICY_ALLOW;
	run(t, "exit 4");
	policy_says = POLICY_BLOCK;
	run(t, "exit 4");
	IS_INTN(asked, 0, "what policy settles is not sent");
	turn_free(t);
}

static void
store_decides(void)
{
	struct turn *t = open_turn("", false);
	struct turn_result r;

	policy_says = POLICY_ALLOW;
	store_fails = 1;
	r = run(t, "exit 5");
	OKF(r.ran && r.status == 5, "personal: runs though not recorded");
	IS_STR(turn_unrecorded(t), "the store is full");
	turn_free(t);
	t = open_turn("mode = managed\n", false);
	policy_says = POLICY_ALLOW;
	store_fails = 1;
	r = run(t, "exit 5");
	if (getuid() == 0) {
		OKF(r.ran, "managed: the operator's line runs");
	} else {
		OKF(!r.ran && r.status == TURN_STATUS_BLOCKED,
		    "managed: what cannot be recorded does not run");
	}
	turn_free(t);
}

static void
state_comes_back(void)
{
	struct turn *t = open_with("", false, true);
	struct turn_result r;

	policy_says = POLICY_ALLOW;
	r = run(t, "cd /usr");
	OK(r.ran && r.status == 0);
	IS_STR(state_cwd(state), "/usr");
	IS_STRN(r.note, "", "nothing to say about it");
	r = run(t, "d=$(mktemp -d) && cd \"$d\" && rmdir \"$d\"");
	OK(r.ran && r.status == 0);
	OKF((strcmp(state_cwd(state), "/usr") == 0) ==
	    (strstr(r.note, "still in /usr") != NULL),
	    "a directory that is gone is followed, or that is said");
	turn_free(t);
}

static enum turn_reads
reads(struct turn *t, const char *text, enum line_origin origin,
    char *ret_argv, size_t size)
{
	struct line line = { text, strlen(text), origin };
	struct turn_judged *j = turn_judge(t, &line);
	char *const *argv = NULL;
	enum turn_reads how = turn_reads(j, &argv);
	size_t n = 0;

	ret_argv[0] = '\0';
	for (; argv != NULL && *argv != NULL && n < size; argv++)
		n += (size_t)snprintf(ret_argv + n, size - n, "%s|", *argv);
	turn_judged_free(j);
	return how;
}

/* A shell that reads its commands is not started, whatever is allowed. */
static void
readers(void)
{
	static const struct {
		const char *line, *argv;
		enum turn_reads how;
	} cases[] = {
		{ "bash", "bash|", TURN_READS_UNITS },
		{ "/bin/bash -s", "/bin/bash|", TURN_READS_UNITS },
		{ "bash -s -- a 'b c' -x", "bash|a|b c|-x|", TURN_READS_UNITS },
		{ "bash --norc -s a", "bash|a|", TURN_READS_UNITS },
		{ "sh -s", "sh|", TURN_READS_TEXT },
		{ "sh -", "sh|", TURN_READS_TEXT },
		{ "bash -x", "", TURN_READS_NOTHING },
		{ "bash -l", "", TURN_READS_NOTHING },
		{ "bash x", "", TURN_READS_NOTHING },
		{ "bash -- x", "", TURN_READS_NOTHING },
		{ "bash -s $(id)", "", TURN_READS_NOTHING },
		{ "bash -c true", "", TURN_READS_NOTHING },
		{ "bash </dev/null", "", TURN_READS_NOTHING },
		{ "true; bash", "", TURN_READS_NOTHING },
		{ "X=1 bash", "", TURN_READS_NOTHING },
		{ "env bash", "", TURN_READS_NOTHING },
		{ "./bash", "", TURN_READS_NOTHING },
	};
	struct turn *t = open_turn("", false);
	struct turn_result r;
	char argv[256];
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		OKF(reads(t, cases[i].line, LINE_COMMAND, argv,
		    sizeof argv) == cases[i].how, "%s", cases[i].line);
		IS_STRN(argv, cases[i].argv, cases[i].line);
	}
	OK(reads(t, "bash", LINE_PROMPT, argv, sizeof argv) ==
	    TURN_READS_NOTHING);
	OK(reads(t, "bash", LINE_SCRIPT, argv, sizeof argv) ==
	    TURN_READS_NOTHING);
	policy_says = POLICY_ALLOW;
	intents = outcomes = 0;
	r = run(t, "bash -s");
	OK(r.ran && r.status == 0 && intents == 1 && outcomes == 1);
	policy_says = POLICY_BLOCK;
	r = run(t, "bash -s");
	OK(!r.ran && r.status == TURN_STATUS_BLOCKED);
	turn_free(t);
}

/* Twenty units of a stream; how often the disk was waited for. */
static int
settles_of(const char *settings)
{
	struct turn *t = open_turn(settings, false);
	struct line line = { "x=1\n", 4, LINE_STDIN };
	struct turn_result r;
	int i;

	policy_says = POLICY_ALLOW;
	settled = 0;
	for (i = 0; i < 20; i++) {
		struct turn_judged *j = turn_judge(t, &line);

		turn_stream_act(t, j, NULL, NULL, &r);
		if (!OK(r.ran))
			printf("# %s\n", r.err.text);
		turn_judged_free(j);
	}
	turn_stream_end(t, &r);
	IS_INTN(r.status, 0, "the stream went well");
	IS_INTN(intents, 20, "each has its intent");
	turn_free(t);
	return settled;
}

static void
streams_wait(void)
{
	int64_t start = clock_mono_ns();
	int n;

	ops = &settling;
	IS_INTN(settles_of(""), 20, "each unit is on the disk first");
	n = settles_of("stream-sync = 1000\n");
	/* One at the start and one at the end, or more where it took long. */
	OKF(n >= 2 && n <= 2 + (clock_mono_ns() - start) / 1000000000,
	    "units share a wait: %d", n);
	ops = &fake;
}

/* Those of an aegsh inside. */
static void
guests_count(void)
{
	const int64_t second = 1000000000, begin = 7 * second;
	struct guest_tally c = { 0, 0 };
	int64_t now = begin;
	int i, n = 0;

	for (i = 0; i < 20; i++)
		n += guest_tally_add(&c, now, 10, second);
	IS_INTN(n, 10, "as many as there may be");
	now += second - 1;
	OKF(!guest_tally_add(&c, now, 10, second), "and no more at a time");
	now += 12 * second;
	OKF(guest_tally_add(&c, now, 10, second) &&
	    !guest_tally_add(&c, now, 10, second), "one for each that is "
	    "forgiven, parts of a second included");
	now += 1000 * second;
	for (i = n = 0; i < 20; i++)
		n += guest_tally_add(&c, now, 10, second);
	IS_INTN(n, 10, "what was not used is not saved up");
	c = (struct guest_tally){ 0, 0 };
	for (i = n = 0; i < 100; i++, now += second)
		n += guest_tally_add(&c, now, 2, second);
	IS_INTN(n, 100, "at that pace, for ever");
}

int
main(void)
{
	char cmd[256];

	if (mkdtemp(root) == NULL)
		return 1;
	chmod(root, 0755);
	setenv("AEGSH_TEST_ROOT", root, 1);
	snprintf(cmd, sizeof cmd, "%s/share", getenv("abs_top_srcdir"));
	setenv("AEGSH_TEST_DATA", cmd, 1);
	snprintf(cmd, sizeof cmd, "mkdir %s/etc %s/own %s/home", root, root,
	    root);
	if (system(cmd) != 0)
		return 1;
	policy_decides();
	policy_is_told();
	person_decides();
	model_decides();
	store_decides();
	state_comes_back();
	if (freopen("/dev/null", "r", stdin) == NULL)
		return 1;
	readers();
	streams_wait();
	guests_count();
	conf_free(conf);
	state_free(state);
	snprintf(cmd, sizeof cmd, "rm -rf %s", root);
	if (system(cmd) != 0)
		return 1;
	return tap_done();
}
