/* SPDX-License-Identifier: ISC */
/*
 * A start-up file from its decision to its record: what is left of it, what
 * it cannot do, and what a model that fails costs a login.
 */
#include "aegsh/turn.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define LIMIT_MS 60000		/* of a file that ends by itself */

static enum policy_action policy_says;
static enum val_status model_says;
static int intents, outcomes, asked, store_fails;
static char last_decision[32], last_note[256];

static void
fake_judge(struct turn *t, const struct policy_input *in,
    struct policy_verdict *ret)
{
	(void)t;
	(void)in;
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
	*ret = (struct val_verdict){ .status = model_says,
		.action = VAL_ALLOW, .confidence = 99, .latency_ns = 7,
		.reason = "the model says so" };
}

static int
fake_intent(struct turn *t, struct audit_event *ev, struct err *err)
{
	(void)t;
	if (store_fails)
		return err_set(err, ERR_STORE, "the store is full");
	ev->id = ++intents;
	snprintf(last_decision, sizeof last_decision, "%s", ev->decision);
	return 0;
}

static void
fake_outcome(struct turn *t, int64_t id, const struct audit_outcome *o)
{
	(void)t;
	outcomes += id == intents;
	snprintf(last_note, sizeof last_note, "%s", o->note != NULL ?
	    o->note : "");
}

static const struct turn_ops fake = { fake_judge, fake_ask, fake_intent,
	fake_outcome };
static char root[] = "/var/tmp/t-aegsh-turn-XXXXXX";
static struct conf *conf;
static struct state *state;

static struct turn *
open_turn(const char *settings)
{
	static char path[] = "PATH=/usr/bin:/bin", home[160];
	AEG_AUTOFREE char *name = xasprintf("%s/etc/aegsh.conf", root);
	char *env[] = { path, NULL };
	struct turn_opts o = { .uid = getuid(), .home = home, .user = "test",
		.version = "test", .origin = LINE_COMMAND, .tty = -1,
		.argv0 = "aegsh", .ops = &fake, .cancel_fd = -1 };
	struct err err = ERR_INIT;
	struct turn *t = NULL;
	FILE *f = fopen(name, "w");

	snprintf(home, sizeof home, "%s/home", root);
	if (f == NULL || fputs(settings, f) < 0 || fclose(f) != 0 ||
	    chmod(name, 0644) < 0)
		exit(99);
	conf_free(conf);
	state_free(state);
	conf = NULL;
	state = state_new(env);
	if (conf_load(getuid(), root, NULL, &conf, &err) != 0)
		printf("# %s\n", err.text);
	o.conf = conf;
	o.state = state;
	if (turn_new(&o, &t, &err) != 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	intents = outcomes = asked = store_fails = 0;
	policy_says = POLICY_ALLOW;
	return t;
}

static struct turn_result
take(struct turn *t, const char *text, unsigned limit_ms, struct buf *out)
{
	AEG_AUTO(buf_done) struct buf own = BUF_INIT;
	struct line line = { text, strlen(text), LINE_LOGIN };
	struct turn_judged *j = turn_judge(t, &line);
	struct turn_result r;

	turn_login_act(t, j, limit_ms, out != NULL ? out : &own, &r);
	turn_judged_free(j);
	return r;
}

static void
test_left(void)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	struct turn *t = open_turn("");
	struct turn_result r;
	struct stat st;

	r = take(t, "export A=1 B=2\nC=3\numask 027\necho said\n"
	    "echo told >&2\n", LIMIT_MS, &out);
	OKF(r.ran && r.status == 0, "it runs: %s", r.err.text);
	IS_STR(state_get(state, "A"), "1");
	IS_STR(state_get(state, "B"), "2");
	OKF(state_get(state, "C") == NULL, "what is not exported is not left");
	IS_INT(state_umask(state), 027);
	IS_STRN(out.len > 0 ? out.data : "", "said\ntold\n",
	    "what it prints is handed back");
	IS_INT(intents, 1);
	IS_INT(outcomes, 1);
	r = take(t, "unset A; export B=3; exit 5\n", LIMIT_MS, NULL);
	OKF(r.ran && r.status == 5 && state_get(state, "A") == NULL,
	    "exit ends it alone");
	IS_STR(state_get(state, "B"), "3");
	r = take(t, "# nothing\n", LIMIT_MS, NULL);
	OKF(r.ran && intents == 2, "nothing to run is no event");
	r = take(t, "echo x >~/made || export W=no\n", LIMIT_MS, NULL);
	IS_STRN(state_get(state, "W"), "no", "it writes nothing");
	OK(stat("made", &st) < 0);
	r = take(t, "read -r x || export R=none\n", LIMIT_MS, NULL);
	IS_STRN(state_get(state, "R"), "none", "it reads nothing of ours");
	turn_login_end(t);
	turn_login_end(t);
	turn_free(t);
}

static void
test_lost(void)
{
	struct turn *t = open_turn("");
	struct turn_result r;

	r = take(t, "export A=1; kill -9 $$\n", LIMIT_MS, NULL);
	OK(r.ran && r.signal == 9 && state_get(state, "A") == NULL);
	OKF(strstr(r.note, "ended by signal 9") != NULL, "%s", r.note);
	IS_STRN(last_note, r.note, "and that is on record");
	r = take(t, "export A=1; sleep 1000\n", 100, NULL);
	OK(r.ran && state_get(state, "A") == NULL);
	OKF(strstr(r.note, "longer than 100 ms") != NULL, "%s", r.note);
	IS_STRN(last_note, r.note, "and that is on record");
	r = take(t, "export A=2\n", LIMIT_MS, NULL);
	OK(r.ran && r.note[0] == '\0');
	IS_STRN(state_get(state, "A"), "2", "the next one is taken in");
	turn_free(t);
}

static void
test_refused(void)
{
	struct turn *t = open_turn("");
	struct turn_result r;

	policy_says = POLICY_BLOCK;
	r = take(t, "export A=1\n", LIMIT_MS, NULL);
	OK(!r.ran && state_get(state, "A") == NULL);
	IS_STR(last_decision, "block");
	policy_says = POLICY_WARN;
	r = take(t, "export A=1\n", LIMIT_MS, NULL);
	OKF(!r.ran && state_get(state, "A") == NULL,
	    "nobody is asked about a start-up file");
	policy_says = POLICY_ALLOW;
	r = take(t, "if\n", LIMIT_MS, NULL);
	OKF(!r.ran, "what cannot be read");
	store_fails = 1;
	r = take(t, "export A=1\n", LIMIT_MS, NULL);
	OKF(r.ran, "personal: taken in though not recorded");
	turn_free(t);
	t = open_turn("mode = managed\n");
	store_fails = 1;
	r = take(t, "export A=1\n", LIMIT_MS, NULL);
	OKF(r.ran == (getuid() == 0), "managed: no record, no run, but for "
	    "the operator");
	turn_free(t);
}

/* A model that fails is waited for once a login. */
static void
test_model(void)
{
	static const char settings[] = "endpoint = \"http://127.0.0.1:1/v1\"\n"
	    "model = \"x\"\n";
	struct turn *t = open_turn(settings);
	struct line line = { "a", 1, LINE_COMMAND };
	struct turn_judged *j;
	struct turn_result r;

	policy_says = POLICY_UNKNOWN;
	model_says = VAL_ANSWERED;
	r = take(t, "export A=1\n", LIMIT_MS, NULL);
	OK(r.ran && asked == 1);
	r = take(t, "export A=2\n", LIMIT_MS, NULL);
	OKF(r.ran && asked == 2, "one that answers is asked about each");
	model_says = VAL_FAILED;
	r = take(t, "export A=3\n", LIMIT_MS, NULL);
	OK(!r.ran && asked == 3);
	model_says = VAL_ANSWERED;
	r = take(t, "export A=4\n", LIMIT_MS, NULL);
	OKF(!r.ran && asked == 3, "one that failed is not");
	IS_STR(last_decision, "block");
	IS_STR(state_get(state, "A"), "2");
	j = turn_judge(t, &line);
	OKF(asked == 4, "but about the lines of the session");
	turn_judged_free(j);
	turn_login_end(t);
	r = take(t, "export A=5\n", LIMIT_MS, NULL);
	OKF(r.ran && asked == 5, "and at the next login");
	model_says = VAL_FAILED;
	take(t, "export A=6\n", LIMIT_MS, NULL);
	turn_free(t);		/* frees what it remembers, login_end or not */
}

int
main(void)
{
	AEG_AUTOFREE char *data = NULL, *make = NULL, *clear = NULL;

	if (mkdtemp(root) == NULL || chmod(root, 0755) < 0)
		return 99;
	setenv("AEGSH_TEST_ROOT", root, 1);
	data = xasprintf("%s/share", getenv("abs_top_srcdir"));
	setenv("AEGSH_TEST_DATA", data, 1);
	make = xasprintf("mkdir %s/etc %s/own %s/home", root, root, root);
	clear = xasprintf("rm -rf %s", root);
	if (system(make) != 0)
		return 99;
	test_left();
	test_lost();
	test_refused();
	test_model();
	conf_free(conf);
	state_free(state);
	if (system(clear) != 0)
		return 99;
	return tap_done();
}
