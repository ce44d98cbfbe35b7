/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl status`: what holds now, and what does not.
 *
 * The document is built once, as JSON; the text for people is the same
 * document, printed another way.
 */
#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin_ship.h"
#include "aegsh/audit.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/cast.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	{ NULL }
};

struct report {
	struct admin *a;
	json_t *root;
	char *place;		/* of the store, or NULL: why */
	int place_rc;
	struct err place_err;
	struct audit *store;	/* in it, open, or NULL: why */
	int store_rc;
	struct err store_err;
	struct sandbox_caps caps;
	bool json;		/* … is what is asked for */
	bool bad;		/* something that should hold does not */
};

static json_t *
section(struct report *r, const char *name)
{
	json_t *o = json_object();

	json_object_set_new(r->root, name, o);
	return o;
}

static void
problem(struct report *r, json_t *o, const char *text)
{
	admin_json_text(o, "problem", text);
	r->bad = true;
}

static const char *
user_name(uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw != NULL ? pw->pw_name : "?";
}

static void
report_file(struct report *r, json_t *list, const char *path, uid_t uid)
{
	AEG_AUTOFD int fd = -1;
	struct err err = ERR_INIT;
	json_t *o = json_object();
	char mode[8];
	struct stat st;
	int rc;

	json_array_append_new(list, o);
	admin_json_text(o, "path", path);
	rc = conf_trust_open(path, uid, &fd, &err);
	json_object_set_new(o, "exists", json_boolean(rc != -ENOENT));
	if (lstat(path, &st) == 0) {
		snprintf(mode, sizeof mode, "%04o",
		    (unsigned)st.st_mode & 07777);
		admin_json_text(o, "owner", user_name(st.st_uid));
		json_object_set_new(o, "uid", json_integer(st.st_uid));
		admin_json_text(o, "mode", mode);
	}
	if (rc < 0 && rc != -ENOENT)
		problem(r, o, err.text);
}

static void
report_settings(struct report *r)
{
	json_t *o = section(r, "settings"), *files = json_array(), *notes;
	struct admin *a = r->a;
	struct err err = ERR_INIT;
	size_t i;

	json_object_set_new(o, "files", files);
	if (admin_conf(a, &err) < 0) {
		AEG_AUTOFREE char *path = xasprintf("%s/aegsh.conf",
		    sysdirs()->conf);

		report_file(r, files, path, (uid_t)-1);
		problem(r, o, err.text);
		return;
	}
	admin_json_text(o, "mode", conf_str(a->conf, CONF_MODE));
	report_file(r, files, conf_layer_file(a->conf, CONF_OPERATOR),
	    (uid_t)-1);
	if (conf_layer_file(a->conf, CONF_USER) != NULL)
		report_file(r, files, conf_layer_file(a->conf, CONF_USER),
		    a->uid);
	if (conf_left_out(a->conf) != NULL)
		problem(r, o, conf_left_out(a->conf));
	notes = json_array();
	/* Of a file that is left out there is nothing else to tell. */
	for (i = 0; conf_left_out(a->conf) == NULL &&
	    i < conf_notes(a->conf)->n; i++)
		json_array_append_new(notes,
		    admin_json_string(conf_notes(a->conf)->v[i]));
	json_object_set_new(o, "notes", notes);
}

/* What keeps a script from being another than the one that was judged. */
static const char *
script_safety(const struct sandbox_profile *p)
{
	switch (sandbox_supervise(p)) {
	case SANDBOX_SUPERVISE_ALL:
	case SANDBOX_SUPERVISE_SCRIPTS:
		break;
	case SANDBOX_SUPERVISE_NONE:
		return "compared right before a line starts: the profile says "
		    "supervise = none";
	}
	if (geteuid() == 0 || sandbox_yama(SANDBOX_YAMA) == 0)
		return "held by a supervisor while a line, a unit of a stream "
		    "or a start-up file runs";
	if (sandbox_supervise(p) == SANDBOX_SUPERVISE_ALL)
		return "no line of an ordinary user runs: supervise = all, and "
		    "kernel.yama.ptrace_scope forbids it";
	return "compared right before a line starts: "
	    "kernel.yama.ptrace_scope forbids a supervisor";
}

/* Confinement: what the profile requires, and what this kernel has. */
static void
report_sandbox(struct report *r, const char *name)
{
	json_t *o = section(r, "sandbox");
	const struct sandbox_caps caps = r->caps;
	const bool inside = r->store_rc == AUDIT_KEPT;
	struct sandbox_profile *p = NULL;
	AEG_AUTOFREE char *limits = NULL;
	struct err err = ERR_INIT;
	unsigned missing;

	admin_json_text(o, "profile", name);
	json_object_set_new(o, "landlock_abi",
	    json_integer(caps.landlock_abi > 0 ? caps.landlock_abi : 0));
	/* What a line may not set up says nothing of what lines are in. */
	if (inside)
		admin_json_text(o, "state", "not looked at: this stands in a "
		    "line of aegsh, which has it around itself, so ask outside "
		    "of it");
	else
		json_object_set_new(o, "had_here",
		    admin_layers_json(caps.layers));
	if (admin_sandbox(r->a, name, &p, &err) < 0) {
		problem(r, o, err.text);
		return;
	}
	/* For root another one may stand in its place. */
	admin_json_text(o, "enforced", sandbox_profile_name(p));
	admin_json_text(o, "scripts", script_safety(p));
	missing = sandbox_required(p) & ~caps.layers;
	limits = admin_limits_text(p);
	admin_json_text(o, "line_limits", limits);
	json_object_set_new(o, "required",
	    admin_layers_json(sandbox_required(p)));
	sandbox_profile_free(p);
	if (inside)
		return;
	json_object_set_new(o, "missing", admin_layers_json(missing));
	if (missing != 0)
		problem(r, o, "no line runs: a required layer is missing");
}

struct file_list {
	const struct report *r;
	json_t *list;
};

/* A rule file: for people, in one line, with the beginning of its hash. */
static int
add_rule_file(void *ctx, const struct policy_file *f)
{
	struct file_list *l = ctx;
	AEG_AUTOFREE char *mode = NULL, *text = NULL;
	json_t *o;

	if (!f->built_in)
		mode = xasprintf("%04o", f->mode);
	if (!l->r->json) {
		text = xasprintf("%-6s %.12s  %-4s %s  %s", f->layer, f->hash,
		    mode != NULL ? mode : "-", f->built_in ? "-" :
		    user_name(f->uid), f->path);
		json_array_append_new(l->list, admin_json_string(text));
		return 0;
	}
	o = json_object();
	json_array_append_new(l->list, o);
	admin_json_text(o, "layer", f->layer);
	admin_json_text(o, "path", f->path);
	admin_json_text(o, "owner", f->built_in ? NULL : user_name(f->uid));
	json_object_set_new(o, "uid", f->built_in ? json_null() :
	    json_integer(f->uid));
	admin_json_text(o, "mode", mode);
	json_object_set_new(o, "bytes", json_integer((json_int_t)f->len));
	admin_json_text(o, "hash", f->hash);
	return 0;
}

static void
report_rule_files(struct report *r, json_t *o)
{
	AEG_AUTOFREE char *own = admin_policy_own(r->a);
	struct file_list l = { r, json_array() };
	struct err err = ERR_INIT;

	json_object_set_new(o, "files", l.list);
	if (policy_each_file(own, r->a->uid, add_rule_file, &l, &err) < 0)
		problem(r, o, err.text);
}

static void
report_policy(struct report *r)
{
	json_t *o = section(r, "policy"), *notes;
	const struct admin_session session = { NULL, POLICY_ORIGIN_PROMPT };
	struct policy_choice choice = { .block = NULL };
	struct strv told = STRV_INIT;
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	size_t i;

	if (r->a->conf == NULL)
		return;
	if (admin_policy_session(r->a, &session, &p, &choice, &told,
	    &err) < 0) {
		admin_json_text(o, "profile", conf_str(r->a->conf,
		    CONF_PROFILE));
		problem(r, o, err.text);
		strv_done(&told);
		return;
	}
	admin_json_text(o, "profile", policy_profile(p));
	if (choice.block != NULL) {
		AEG_AUTOFREE char *match = xasprintf("%s (%s:%u)",
		    choice.block, choice.file, choice.line);

		admin_json_text(o, "match", match);
	}
	admin_json_text(o, "hash", policy_hash(p));
	report_rule_files(r, o);
	if (policy_own_left_out(p) != NULL)
		problem(r, o, policy_own_left_out(p));
	json_object_set_new(o, "rank", json_integer(policy_rank(p)));
	admin_json_text(o, "unknown_line",
	    policy_action_name(policy_unknown(p, 0)));
	notes = json_array();
	for (i = 0; i < told.n; i++)
		if (policy_own_left_out(p) == NULL ||
		    strcmp(told.v[i], policy_own_left_out(p)) != 0)
			json_array_append_new(notes,
			    admin_json_string(told.v[i]));
	json_object_set_new(o, "notes", notes);
	strv_done(&told);
	report_sandbox(r, policy_sandbox(p));
	policy_free(p);
}

static void
report_validator(struct report *r)
{
	json_t *o = section(r, "validator");
	struct err err = ERR_INIT;

	if (r->a->conf != NULL && admin_validator_status(r->a, o, &err) < 0)
		problem(r, o, err.text);
}

/* Who is recorded is told what, for how long, and for whose eyes. */
static void
report_told(struct report *r, json_t *o)
{
	static const char *const kept[] = {
		"each line, with its secrets replaced by tags",
		"its directory, what was decided and why, who was asked",
		("the words it was given, and the programs that ran under it, "
		"where it was supervised"),
		"its exit status, and the time and memory it took",
		"the session: user, terminal, remote address, host",
		"who read this record with aegshctl, and what was asked",
	};
	static const char *const output[] = {
		[CAST_KEEP_NONE] = "nothing of what lines write (output)",
		[CAST_KEEP_SAMPLE] = "the beginning and the end of what lines "
		    "write, with secrets replaced (output)",
		[CAST_KEEP_FULL] = "all that lines write, up to output-max, "
		    "with secrets replaced (output)",
	};
	json_t *list = json_array();
	AEG_AUTOFREE char *kept_for = NULL;
	struct err err = ERR_INIT;
	enum cast_keep keep = CAST_KEEP_NONE;
	const char *without;
	unsigned fields;
	int64_t days;
	size_t i;

	for (i = 0; i < AEG_NELEM(kept); i++)
		json_array_append_new(list, json_string(kept[i]));
	json_object_set_new(o, "kept", list);
	if (r->a->conf != NULL) {
		if (cast_keep_parse(conf_str(r->a->conf, CONF_OUTPUT),
		    &keep) == 0)
			admin_json_text(o, "output", output[keep]);
		without = conf_str(r->a->conf, CONF_RECORD_WITHOUT);
		admin_json_text(o, "without", without[0] != '\0' ? without :
		    "nothing is left out; see record-without");
		if (audit_without_parse(without, &fields, &err) < 0)
			problem(r, o, err.text);
	}
	admin_json_text(o, "read_by", "this user and root; no line that runs "
	    "under aegsh");
	days = r->a->conf != NULL ? conf_int(r->a->conf, CONF_RETAIN_DAYS) : 0;
	kept_for = xasprintf("%lld days (retain-days): what is older goes "
	    "as sessions at a prompt end, and by aegshctl audit prune",
	    (long long)days);
	if (days > 0)
		admin_json_text(o, "kept_for", kept_for);
	else
		admin_json_text(o, "kept_for", "until somebody removes it: "
		    "retain-days is not set, and aegsh deletes nothing by "
		    "itself");
}

static void
report_store(struct report *r)
{
	json_t *o = section(r, "record");
	int rc = r->store_rc;

	if (r->place_rc == 0) {
		admin_json_text(o, "place", r->place);
		admin_json_text(o, "why_there",
		    path_under(r->place, sysdirs()->state) ?
		    "the install made it for this user" :
		    "no installed place for this user, and a home can be "
		    "granted to commands");
	}
	admin_json_text(o, "state", rc == 0 ? "readable" :
	    rc == -ENOENT ? "nothing is recorded yet" :
	    rc == AUDIT_KEPT ? "not looked at: kept from each line of aegsh, "
	    "so ask outside of it" : "unusable");
	if (rc < 0 && rc != -ENOENT && rc != AUDIT_KEPT)
		problem(r, o, r->store_err.text);
	report_told(r, o);
	if (r->a->conf != NULL && admin_ship_status(r->a, r->store, o))
		r->bad = true;
	admin_json_text(o, "writer", "stand-alone");
	json_object_set_new(o, "advisory", json_true());
	admin_json_text(o, "meaning", "advisory: this user's own uid can "
	    "write to the store outside aegsh");
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct report r = { .a = a, .root = json_object() };
	int o;

	while ((o = admin_option_next(a, &args)) >= 0)
		r.json = true;
	if (admin_operands(a, &args, 0, 0) < 0) {
		json_decref(r.root);
		return ADMIN_USAGE;
	}
	/* What it is about to read was written by others. */
	sandbox_probe(&r.caps);
	r.place_rc = audit_place(a->uid, false, &r.place, &r.place_err);
	admin_confine_but(a, r.place);
	r.store_rc = r.place_rc;
	r.store_err = r.place_err;
	if (r.place_rc == 0)
		r.store_rc = audit_open(r.place, true, &r.store, &r.store_err);
	report_settings(&r);
	report_policy(&r);
	report_validator(&r);
	report_store(&r);
	audit_close(r.store);
	if (r.json) {
		json_object_set_new(r.root, "sound", json_boolean(!r.bad));
		admin_json_print(a, r.root);
	} else {
		admin_json_show(a, r.root, ADMIN_SHOW_FOLDED);
	}
	free(r.place);
	return r.bad ? ADMIN_NO : ADMIN_OK;
}

const struct admin_verb cmd_status = {
	.name = "status",
	.usage = "",
	.summary = "show what is enforced, recorded and asked now",
	.run = run,
	.options = options,
};
