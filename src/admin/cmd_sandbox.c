/* SPDX-License-Identifier: ISC */
/* `aegshctl sandbox show`, `sandbox explain` and `sandbox probe`. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/base/mem.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

enum { O_JSON };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	{ NULL }
};

static const enum sandbox_layer layers[] = {
	SANDBOX_NNP, SANDBOX_LANDLOCK_FS, SANDBOX_LANDLOCK_SCOPE,
	SANDBOX_LANDLOCK_NET, SANDBOX_SECCOMP, SANDBOX_RLIMITS, SANDBOX_COVER,
};

json_t *
admin_layers_json(unsigned bits)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < AEG_NELEM(layers); i++) {
		if ((bits & (unsigned)layers[i]) != 0)
			json_array_append_new(list,
			    json_string(sandbox_layer_name(layers[i])));
	}
	return list;
}

/* ---- probe ------------------------------------------------------------- */

static int
probe(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTOFREE char *limits = admin_limits_text(NULL);
	struct sandbox_caps caps;
	bool json = false;
	json_t *o;
	size_t i;

	if (admin_json_operands(a, &args, 0, 0, &json) < 0)
		return ADMIN_USAGE;
	(void)admin_is_inside(a, "these are the layers that a sandbox inside "
	    "of its own could add, and no file system is mounted there");
	sandbox_probe(&caps);
	if (json) {
		o = json_object();
		json_object_set_new(o, "landlock_abi",
		    json_integer(caps.landlock_abi > 0 ? caps.landlock_abi :
		    0));
		admin_json_text(o, "landlock_missing", caps.landlock_abi < 0 ?
		    strerror(-caps.landlock_abi) : NULL);
		json_object_set_new(o, "layers",
		    admin_layers_json(caps.layers));
		admin_json_text(o, "line_limits", limits);
		admin_json_print(a, o);
	} else {
		admin_say(a, "%-16s %s%d\n", "landlock", "ABI ",
		    caps.landlock_abi > 0 ? caps.landlock_abi : 0);
		for (i = 0; i < AEG_NELEM(layers); i++)
			admin_say(a, "%-16s %s\n",
			    sandbox_layer_name(layers[i]),
			    (caps.layers & (unsigned)layers[i]) != 0 ?
			    "yes" : "no");
		admin_say_folded(a, 17, "%-16s %s", "line-limits", limits);
	}
	return caps.landlock_abi > 0 ? ADMIN_OK : ADMIN_NO;
}

/* ---- show -------------------------------------------------------------- */

enum { O_SHOW_JSON, O_SHOW_USER };

static const struct admin_option show_options[] = {
	[O_SHOW_JSON] = ADMIN_OPTION_JSON,
	[O_SHOW_USER] = { "user", 0, "NAME", "as for that user",
	    ADMIN_WORDS_USER },
	{ NULL }
};

/* What is shown, and why that. */
struct shown {
	const struct sandbox_profile *p;
	char *policy;		/* that names it, or NULL: the caller did */
	char *named;		/* the name that was said */
};

/* Whose it is, where, and what made it this one: what follows depends on
 * all three. */
static void
print_for(struct admin *a, const char *cwd, const struct shown *s, json_t *o)
{
	const char *policy = s->policy, *name = sandbox_profile_name(s->p);

	if (o != NULL) {
		admin_json_text(o, "user", a->user);
		admin_json_text(o, "directory", cwd);
		admin_json_text(o, "policy", policy);
		admin_json_text(o, "named", s->named);
		return;
	}
	admin_say(a, "%-16s%s (uid %lu)\n", "user", a->user,
	    (unsigned long)a->uid);
	admin_say(a, "%-16s%s\n", "directory", cwd);
	admin_say(a, "%-16s%s%s\n", "by", policy != NULL ?
	    "the policy profile " : "its name, as asked for",
	    policy != NULL ? policy : "");
	if (strcmp(name, s->named) != 0)
		admin_say_folded(a, 16, "%-16s%s has %s in its place; --user "
		    "NAME shows another user's", "for root", s->named, name);
}

static void
print_profile(struct admin *a, const struct shown *s, bool json)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	AEG_AUTOFREE char *cwd = getcwd(NULL, 0);
	json_t *o, *rules;
	char *line, *next;

	sandbox_show(s->p, &text);
	if (cwd == NULL)
		cwd = xstrdup("");
	if (!json) {
		print_for(a, cwd, s, NULL);
		for (line = text.data != NULL ? strtok_r(text.data, "\n",
		    &next) : NULL; line != NULL;
		    line = strtok_r(NULL, "\n", &next))
			admin_say_folded(a, 16, "%s", line);
		return;
	}
	o = json_object();
	rules = json_array();
	print_for(a, cwd, s, o);
	admin_json_text(o, "profile", sandbox_profile_name(s->p));
	json_object_set_new(o, "required",
	    admin_layers_json(sandbox_required(s->p)));
	for (line = text.data != NULL ? strtok_r(text.data, "\n", &next) :
	    NULL; line != NULL; line = strtok_r(NULL, "\n", &next))
		json_array_append_new(rules, admin_json_string(line));
	json_object_set_new(o, "rules", rules);
	admin_json_print(a, o);
}

static int
configured_policy(struct admin *a, struct shown *ret, struct err *err)
{
	struct policy *p = NULL;
	int rc = admin_policy(a, NULL, &p, err);

	if (rc == 0) {
		ret->policy = xstrdup(policy_profile(p));
		ret->named = xstrdup(policy_sandbox(p));
	}
	policy_free(p);
	return rc;
}

static int
show(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct sandbox_profile *p = NULL;
	struct shown shown = { NULL, NULL, NULL };
	const char *user = NULL;
	struct err err = ERR_INIT;
	bool json = false;
	int o, rc = 0;

	while ((o = admin_option_next(a, &args)) >= 0)
		if (o == O_SHOW_JSON)
			json = true;
		else
			user = args.value;
	if (admin_operands(a, &args, 0, 1) < 0)
		return ADMIN_USAGE;
	if (user != NULL && admin_pose(a, user, &err) < 0)
		return admin_fail(a, &err);
	admin_confine(a);
	if (args.at < argc)
		shown.named = xstrdup(argv[args.at]);
	else
		rc = configured_policy(a, &shown, &err);
	if (rc == 0)
		rc = admin_sandbox(a, args.at < argc ? argv[args.at] : NULL,
		    &p, &err);
	shown.p = p;
	if (rc == 0)
		print_profile(a, &shown, json);
	sandbox_profile_free(p);
	free(shown.policy);
	free(shown.named);
	return rc < 0 ? admin_fail(a, &err) : ADMIN_OK;
}

/* ---- explain ----------------------------------------------------------- */

enum { O_EXPLAIN_JSON, O_SANDBOX, O_RIGHTS };

/* Those of rights from O_RIGHTS on stand in the order of the reasons. */
static const struct admin_option explain_options[] = {
	[O_EXPLAIN_JSON] = ADMIN_OPTION_JSON,
	[O_SANDBOX] = { "sandbox", 0, "SANDBOX", "of this sandbox profile",
	    ADMIN_WORDS_NONE },
	[O_RIGHTS] = { "read", 0, NULL, "exit 1 where it may not be read",
	    ADMIN_WORDS_NONE },
	{ "write", 0, NULL, "exit 1 where it may not be written to",
	    ADMIN_WORDS_NONE },
	{ "make", 0, NULL, "exit 1 where it may not be made or removed",
	    ADMIN_WORDS_NONE },
	{ "execute", 0, NULL, "exit 1 where it may not be run",
	    ADMIN_WORDS_NONE },
	{ NULL }
};

static void
print_reason(struct admin *a, const struct sandbox_reason *r)
{
	admin_say(a, "%-8s %-3s  ", r->right, r->granted ? "yes" : "no");
	if (r->why != NULL)
		admin_say(a, "%s", r->why);
	if (r->key != NULL)
		admin_say(a, "%s", r->key);
	if (r->tree != NULL)
		admin_say(a, " %s", r->tree);
	if (r->where != NULL)
		admin_say(a, "  (%s)", r->where);
	admin_say(a, "\n");
}

static json_t *
reason_json(const struct sandbox_reason *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "granted", json_boolean(r->granted));
	admin_json_text(o, "key", r->key);
	admin_json_text(o, "tree", r->tree);
	admin_json_text(o, "where", r->where);
	admin_json_text(o, "why", r->why);
	return o;
}

static void
print_reasons(struct admin *a, const char *path,
    const struct sandbox_reason *r, bool json)
{
	json_t *o, *all;
	size_t i;

	if (!json) {
		admin_say(a, "%s\n", path);
		for (i = 0; i < SANDBOX_REASONS; i++)
			print_reason(a, &r[i]);
		return;
	}
	o = json_object();
	all = json_object();
	admin_json_text(o, "path", path);
	for (i = 0; i < SANDBOX_REASONS; i++)
		json_object_set_new(all, r[i].right, reason_json(&r[i]));
	json_object_set_new(o, "rights", all);
	admin_json_print(a, o);
}

static int
explain(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct sandbox_reason reasons[SANDBOX_REASONS];
	AEG_AUTOFREE char *path = NULL;
	struct sandbox_profile *p = NULL;
	struct err err = ERR_INIT;
	const char *name = NULL;
	unsigned asked = 0;
	bool json = false;
	int o, status = ADMIN_OK;
	size_t i;

	while ((o = admin_option_next(a, &args)) >= 0) {
		if (o == O_EXPLAIN_JSON)
			json = true;
		else if (o == O_SANDBOX)
			name = args.value;
		else
			asked |= 1U << (o - O_RIGHTS);
	}
	if (admin_operands(a, &args, 1, 1) < 0)
		return ADMIN_USAGE;
	if (admin_sandbox(a, name, &p, &err) < 0)
		return admin_fail(a, &err);
	path = sandbox_place(argv[args.at]);
	sandbox_explain(p, path, reasons);
	print_reasons(a, path, reasons, json);
	for (i = 0; i < SANDBOX_REASONS; i++)
		if ((asked & 1U << i) != 0 && !reasons[i].granted)
			status = ADMIN_NO;
	sandbox_profile_free(p);
	return status;
}

const struct admin_verb cmd_sandbox_explain = {
	.name = "sandbox explain",
	.usage = "PATH",
	.summary = "show what a command may do to a path, and by which line",
	.run = explain,
	.options = explain_options,
	.words = ADMIN_WORDS_FILE,
};

const struct admin_verb cmd_sandbox_show = {
	.name = "sandbox show",
	.usage = "[SANDBOX]",
	.summary = "show what a sandbox profile grants here",
	.run = show,
	.options = show_options,
};

const struct admin_verb cmd_sandbox_probe = {
	.name = "sandbox probe",
	.usage = "",
	.summary = "show which layers of confinement this kernel has",
	.run = probe,
	.options = options,
};
