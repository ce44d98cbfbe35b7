/* SPDX-License-Identifier: ISC */
/*
 * Judging lines as a session of somebody would.  The same stages as in the
 * shell, up to where a language model or a person would be asked.
 */
#include "admin_judge.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/audit.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/turn.h"

struct admin_judge {
	struct admin *admin;
	struct policy *policy;
	struct state *state;
	char *store;
	struct strv environment, notes;
	char *match;			/* block that chose the profile, or
					 * NULL */
	char *profile, *cwd;		/* of opts, cwd perhaps NULL */
	char *at, *project;		/* the state's directory, as given */
	struct policy_home home;	/* of the one who is judged */
	const char *fitted;		/* profile that the state is fit for */
	enum policy_origin origin, origin_now;
	struct decision_input in;	/* what is the same for all lines */
	bool endpoint, rules_alone;
};

static const struct {
	const char *word;
	enum policy_origin origin;
} origins[] = {
	{ "prompt", POLICY_ORIGIN_PROMPT },
	{ "command", POLICY_ORIGIN_COMMAND },
	{ "forced", POLICY_ORIGIN_FORCED },
	{ "script", POLICY_ORIGIN_SCRIPT },
	{ "stdin", POLICY_ORIGIN_STDIN },
	{ "login", POLICY_ORIGIN_LOGIN },
};

enum policy_origin
admin_origin(const char *word)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(origins); i++)
		if (strcmp(origins[i].word, word) == 0)
			return origins[i].origin;
	return POLICY_ORIGIN_UNKNOWN;
}

/* ---- who, and where ----------------------------------------------------- */

/* What login(1) would give to that user: nothing of the caller's. */
static void
login_environment(const struct admin *a, struct strv *ret)
{
	strv_addf(ret, "HOME=%s", a->home != NULL ? a->home : "/");
	strv_addf(ret, "USER=%s", a->user);
	strv_addf(ret, "LOGNAME=%s", a->user);
	strv_add(ret, a->uid == 0 ? "PATH=/usr/local/sbin:/usr/local/bin:"
	    "/usr/sbin:/usr/bin:/sbin:/bin" : "PATH=/usr/local/bin:/usr/bin:"
	    "/bin:/usr/local/games:/usr/games");
}

static void
caller_environment(struct strv *ret)
{
	size_t i;

	for (i = 0; environ[i] != NULL; i++)
		strv_add(ret, environ[i]);
}

/* The state is made anew only where directory or profile are others. */
static int
go_to(struct admin_judge *j, const char *cwd, struct err *err)
{
	struct state *state;

	if (cwd == NULL)
		cwd = j->cwd;
	if (j->state != NULL && j->fitted == policy_profile(j->policy) &&
	    strcmp(cwd != NULL ? cwd : "", j->at != NULL ? j->at : "") == 0)
		return 0;
	j->fitted = policy_profile(j->policy);
	if (cwd != NULL && cwd[0] != '/')
		return err_set(err, ERR_RANGE, "not an absolute directory: %s",
		    cwd);
	if (cwd != NULL && strlen(cwd) >= PATH_MAX)
		return err_set(err, ERR_TOO_LONG, "too long a directory");
	/* Relative paths are looked up from where the process is. */
	if (cwd != NULL && chdir(cwd) < 0 && chdir("/") < 0)
		return err_sys(err, errno, "%s", cwd);
	state = cwd != NULL ? state_new_at(strv_peek(&j->environment), cwd) :
	    state_new(strv_peek(&j->environment));
	policy_clean_state(j->policy, state);
	state_free(j->state);
	j->state = state;
	free(j->project);
	j->project = policy_project(j->policy, state_cwd(state),
	    j->admin->home, j->admin->uid);
	free(j->at);
	j->at = cwd != NULL ? xstrdup(cwd) : NULL;
	return 0;
}

int
admin_judge_place(struct admin_judge *j, const char *profile,
    const char *cwd, enum policy_origin origin, struct err *err)
{
	int rc;

	rc = policy_select(j->policy, profile != NULL ? profile : j->profile,
	    err);
	j->origin_now = origin != POLICY_ORIGIN_UNKNOWN ? origin : j->origin;
	return rc < 0 ? rc : go_to(j, cwd, err);
}

static char *
absolute(const char *dir, struct err *err)
{
	char *real = realpath(dir, NULL);

	/* The name as it is given, links and all, is what $PWD would hold. */
	if (dir[0] == '/') {
		free(real);
		return xstrdup(dir);
	}
	if (real == NULL)
		err_sys(err, errno, "%s", dir);
	return real;
}

/* ---- a judge ------------------------------------------------------------ */

/* The same profile under the rules of another place. */
static int
try_site(struct admin_judge *j, const char *site, struct err *err)
{
	struct policy *trial = NULL;
	int rc = policy_load_trial(policy_profile(j->policy), site, &trial,
	    err);

	/* It is the caller's file. */
	if (admin_content_is_wrong(rc)) {
		rc = ERR_CALLER;
		if (err != NULL)
			err->code = rc;
	}
	if (rc < 0)
		return rc;
	policy_free(j->policy);
	j->policy = trial;
	return 0;
}

static int
prepare(struct admin *a, struct admin_judge *j,
    const struct admin_judge_opts *opts, struct err *err)
{
	struct policy_choice choice = { .block = NULL };
	int rc;

	if (opts->cwd != NULL && (j->cwd = absolute(opts->cwd, err)) == NULL)
		return err != NULL ? err->code : -ENOENT;
	if (opts->user != NULL && (rc = admin_pose(a, opts->user, err)) < 0)
		return rc;
	rc = admin_policy_session(a, &(struct admin_session){ opts->profile,
	    opts->origin }, &j->policy, &choice, &j->notes, err);
	if (rc < 0)
		return rc;
	if (choice.block != NULL)
		j->match = xasprintf("%s (%s:%u)", choice.block, choice.file,
		    choice.line);
	if (opts->site != NULL && (rc = try_site(j, opts->site, err)) < 0)
		return rc;
	j->profile = xstrdup(policy_profile(j->policy));
	/* The shell's own places are judged also where they are not yet. */
	if (audit_place(a->uid, false, &j->store, NULL) < 0)
		j->store = NULL;
	j->in = (struct decision_input){
		.fail = decision_fail_for(conf_str(a->conf,
		    CONF_FAIL_PROFILES), policy_profile(j->policy),
		    conf_str(a->conf, CONF_FAIL), conf_managed(a->conf)),
		.min_confidence = (unsigned)conf_int(a->conf,
		    CONF_ASK_CONFIDENCE),
		.can_ask = true,
	};
	j->endpoint = conf_str(a->conf, CONF_ENDPOINT)[0] != '\0' ||
	    conf_str(a->conf, CONF_CHAIN)[0] != '\0';
	if (opts->user != NULL)
		login_environment(a, &j->environment);
	else
		caller_environment(&j->environment);
	if (!opts->keeps_rights)
		admin_confine(a);
	return admin_judge_place(j, NULL, NULL, POLICY_ORIGIN_UNKNOWN, err);
}

int
admin_judge_new(struct admin *a, const struct admin_judge_opts *opts,
    struct admin_judge **ret, struct err *err)
{
	struct admin_judge *j = xcalloc(1, sizeof *j);
	int rc;

	j->admin = a;
	j->origin = opts->origin;
	j->rules_alone = opts->rules_alone;
	policy_home_find(a->posed || sysdirs()->home == NULL ? a->home :
	    sysdirs()->home, &j->home);
	rc = prepare(a, j, opts, err);
	if (rc < 0)
		admin_judge_free(j);
	else
		*ret = j;
	return rc;
}

void
admin_judge_free(struct admin_judge *j)
{
	if (j == NULL)
		return;
	policy_free(j->policy);
	state_free(j->state);
	strv_done(&j->environment);
	strv_done(&j->notes);
	free(j->match);
	free(j->store);
	free(j->profile);
	free(j->cwd);
	free(j->at);
	free(j->project);
	policy_home_done(&j->home);
	free(j);
}

const struct policy *
admin_judge_policy(const struct admin_judge *j)
{
	return j->policy;
}

const struct decision_input *
admin_judge_input(const struct admin_judge *j)
{
	return &j->in;
}

const struct strv *
admin_judge_notes(const struct admin_judge *j)
{
	return &j->notes;
}

const char *
admin_judge_match(const struct admin_judge *j)
{
	return strcmp(policy_profile(j->policy), j->profile) == 0 ? j->match :
	    NULL;
}

int
admin_judge_line(struct admin_judge *j, char *bytes, size_t len, bool explain,
    struct admin_judged *ret, struct err *err)
{
	AEG_AUTOFREE char *diag = NULL;
	struct decision_input in = j->in;
	struct policy_input pin = {
		.state = j->state,
		.origin = j->origin_now,
		.uid = j->admin->uid,
		.store = j->store,
		.project = j->project,
		.home = &j->home,
		.line = bytes,
		.len = len,
	};
	int rc;

	*ret = (struct admin_judged){ .explain = BUF_INIT };
	rc = admin_facts_new(bytes, len, j->state, &ret->facts, err);
	if (rc < 0)
		return rc;
	in.line = bytes;
	in.len = len;
	if (ret->facts.answer == SYN_TREE) {
		pin.facts = ret->facts.facts;
		pin.resolved = ret->facts.resolved;
		policy_eval(j->policy, &pin, &ret->verdict,
		    explain ? &ret->explain : NULL);
		if (!j->rules_alone)
			turn_refuse_lone_elevation(j->policy, j->admin->uid,
			    ret->facts.facts, ret->facts.resolved,
			    &ret->verdict);
		in.policy = &ret->verdict;
		in.unknown = policy_unknown(j->policy, ret->verdict.evidence);
		ret->model = ret->verdict.action == POLICY_UNKNOWN &&
		    j->endpoint;
	} else {
		diag = admin_facts_diag(&ret->facts);
		in.syntax_error = diag;
	}
	ret->decision = decision_make(&in);
	return 0;
}

void
admin_judged_done(struct admin_judged *t)
{
	decision_free(t->decision);
	admin_facts_done(&t->facts);
	buf_done(&t->explain);
}

/* ---- what comes out ----------------------------------------------------- */

int
admin_judged_status(const struct admin_judged *t)
{
	if (t->model)
		return ADMIN_NO;
	switch (decision_action(t->decision)) {
	case DECISION_BLOCK:
		return ADMIN_BLOCK;
	case DECISION_CONFIRM:
		return ADMIN_NO;
	case DECISION_ALLOW:
		return ADMIN_OK;
	}
	return ADMIN_BLOCK;
}

const char *
admin_judged_word(const struct admin_judged *t)
{
	static const char *const words[] = { [ADMIN_OK] = "allow",
		[ADMIN_NO] = "warn", [ADMIN_BLOCK] = "block" };

	return words[admin_judged_status(t)];
}

json_t *
admin_judged_json(const struct admin_judge *j, const struct admin_judged *t,
    bool explain)
{
	const struct decision *d = t->decision;
	json_t *o = json_object();

	admin_json_bytes(o, "line", t->facts.bytes, t->facts.len);
	admin_json_text(o, "profile", policy_profile(j->policy));
	admin_json_text(o, "match", admin_judge_match(j));
	admin_json_text(o, "decision", admin_judged_word(t));
	admin_json_text(o, "source", decision_source_name(
	    decision_source(d)));
	json_object_set_new(o, "model_would_be_asked",
	    json_boolean(t->model));
	admin_json_text(o, "rule", decision_rule(d));
	admin_json_text(o, "reason", decision_reason(d));
	admin_json_text(o, "instead", decision_instead(d));
	if (t->facts.answer != SYN_TREE)
		return o;
	admin_json_text(o, "policy", policy_action_name(t->verdict.action));
	admin_json_text(o, "where", t->verdict.where);
	admin_json_text(o, "command", t->verdict.command);
	json_object_set_new(o, "evidence", json_integer(t->verdict.evidence));
	if (explain) {
		json_object_set_new(o, "facts", admin_facts_json(&t->facts));
		admin_json_bytes(o, "explanation", t->explain.data != NULL ?
		    t->explain.data : "", t->explain.len);
	}
	return o;
}
