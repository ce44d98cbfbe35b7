/* SPDX-License-Identifier: ISC */
/* `aegshctl doctor`: ways past aegsh, and ways to be locked out. */
#include "admin_int.h"

#include "aegsh/base/mem.h"
#include "aegsh/doctor.h"

enum { O_JSON, O_PROFILE, O_ROOT, O_SANDBOX };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_PROFILE] = { "profile", 0, "NAME",
	    "as for a session that aegsh --profile gives that policy profile",
	    ADMIN_WORDS_PROFILE },
	[O_ROOT] = { "root", 0, "DIR", "look at the system below DIR, an image",
	    ADMIN_WORDS_DIR },
	[O_SANDBOX] = { "sandbox", 0, NULL,
	    "try each act that the sandbox forbids", ADMIN_WORDS_NONE },
	{ NULL }
};

static void
print_json(struct admin *a, const struct doctor_finding *f)
{
	json_t *o = json_object(), *list = json_array();
	const struct doctor_evidence *e;
	size_t i;

	for (i = 0; i < f->n_evidence; i++) {
		e = &f->evidence[i];
		json_array_append_new(list, admin_evidence_json(e->file,
		    e->line, e->text));
	}
	admin_json_text(o, "id", f->id);
	admin_json_text(o, "severity", doctor_severity_name(f->severity));
	admin_json_text(o, "what", f->what);
	json_object_set_new(o, "evidence", list);
	admin_json_text(o, "remedy", f->remedy);
	admin_json_print(a, o);
}

static void
print_text(struct admin *a, const struct doctor_finding *f)
{
	const struct doctor_evidence *e;
	size_t i;

	admin_say_finding(a, doctor_severity_name(f->severity), f->id,
	    f->what);
	for (i = 0; i < f->n_evidence; i++) {
		e = &f->evidence[i];
		admin_say_evidence(a, e->file, e->line, e->text);
	}
	admin_say_remedy(a, f->remedy);
}

/* What cannot be looked at together; NULL: nothing. */
static const char *
conflict(const struct doctor_opts *opts, bool sandbox)
{
	if (sandbox && opts->root != NULL)
		return "--sandbox is tried on the system that runs, not below "
		    "--root";
	if (opts->profile != NULL && opts->root != NULL)
		return "--profile is of the rules of the system that runs, "
		    "not below --root";
	if (opts->profile != NULL && sandbox)
		return "--sandbox has a sandbox profile's name behind it, and "
		    "no --profile";
	return NULL;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct doctor_opts opts = { .root = NULL };
	const struct doctor_finding *f;
	struct doctor *d = NULL;
	struct err err = ERR_INIT;
	bool json = false, sandbox = false, inside;
	int o, status = ADMIN_OK;
	size_t i, n;

	while ((o = admin_option_next(a, &args)) >= 0)
		if (o == O_JSON)
			json = true;
		else if (o == O_SANDBOX)
			sandbox = true;
		else if (o == O_PROFILE)
			opts.profile = args.value;
		else
			opts.root = args.value;
	if (o == ADMIN_ARGS_BAD)
		return ADMIN_USAGE;
	if (conflict(&opts, sandbox) != NULL) {
		admin_complain(a, "%s", conflict(&opts, sandbox));
		return admin_usage(a);
	}
	if (admin_operands(a, &args, 0, sandbox) < 0)
		return ADMIN_USAGE;
	if (sandbox)
		return admin_trial(a, argv[args.at], json);
	inside = admin_is_inside(a, "what its sandbox keeps from it reads as "
	    "if it were not there, or could not be executed");
	/* Settings that cannot be used are the matter of `status`. */
	opts.managed = admin_conf(a, &err) < 0 || conf_managed(a->conf);
	if (doctor_run(&opts, &d, &err) < 0)
		return admin_fail(a, &err);
	f = doctor_findings(d, &n);
	for (i = 0; i < n; i++) {
		if (f[i].severity != DOCTOR_NOTE)
			status = ADMIN_NO;
		if (json)
			print_json(a, &f[i]);
		else
			print_text(a, &f[i]);
	}
	if (n == 0 && !json)
		admin_say(a, "nothing is wrong%s\n", inside ?
		    " that can be seen from here" : "");
	doctor_free(d);
	return status;
}

const struct admin_verb cmd_doctor = {
	.name = "doctor",
	.usage = "[SANDBOX]",
	.summary = "find ways past aegsh, and ways to be locked out by it",
	.run = run,
	.options = options,
};
