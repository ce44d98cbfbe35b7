/* SPDX-License-Identifier: ISC */
/* `aegshctl env detect`: the shell, its version, its files, its PATH. */
#include "env_int.h"

#include "aegsh/base/mem.h"

static const struct admin_option options[] = {
	ADMIN_OPTION_JSON,
	ENV_OPTION_USER,
	ENV_OPTION_SHELL,
	ENV_OPTION_NO_PROBE,
	{ NULL }
};

static json_t *
tristate(int v)
{
	return v < 0 ? json_null() : json_boolean(v);
}

static void
print_json(struct admin *a, const struct shellenv_record *r)
{
	json_t *o = json_object(), *run = json_object();

	admin_json_text(o, "type", r->type);
	admin_json_text(o, "version", r->version);
	admin_json_text(o, "login_profile", r->login_profile);
	admin_json_text(o, "rc_file", r->rc_file);
	json_object_set_new(o, "path_healthy", tristate(r->path_healthy));
	admin_json_text(o, "path_login", r->path_login);
	admin_json_text(o, "path_nonlogin", r->path_nonlogin);
	json_object_set_new(o, "restricted", json_boolean(r->restricted));
	admin_json_text(o, "restricted_why", r->restricted_why);
	admin_json_text(o, "user", r->user);
	json_object_set_new(o, "uid", json_integer(r->uid));
	admin_json_text(o, "home", r->home);
	admin_json_text(o, "shell_path", r->shell_path);
	admin_json_text(o, "shell_real", r->shell_real);
	admin_json_text(o, "shell_env", r->shell_env);
	admin_json_text(o, "platform_shell", r->platform_shell);
	admin_json_text(o, "type_source", r->type_source);
	admin_json_text(o, "version_source", r->version_source);
	json_object_set_new(o, "mendable", json_boolean(r->mendable));
	if (r->running_pid > 0) {
		admin_json_text(run, "type", r->running_type);
		admin_json_text(run, "path", r->running_path);
		json_object_set_new(run, "pid", json_integer(r->running_pid));
		json_object_set_new(run, "login",
		    json_boolean(r->running_login));
		json_object_set_new(o, "running", run);
	} else {
		json_decref(run);
		json_object_set_new(o, "running", json_null());
	}
	admin_json_text(o, "probe_confinement", r->confined);
	admin_json_text(o, "probe_note", r->probe_note);
	admin_json_print(a, o);
}

static void
line(struct admin *a, const char *name, const char *value)
{
	admin_say(a, "%-14s %s\n", name, value != NULL ? value : "-");
}

static void
print_text(struct admin *a, const struct shellenv_record *r)
{
	AEG_AUTOFREE char *type = xasprintf("%s (%s, from %s)", r->type,
	    r->shell_path != NULL ? r->shell_path : "not installed",
	    r->type_source);
	AEG_AUTOFREE char *run = r->running_pid > 0 ?
	    xasprintf("%s, process %d%s", r->running_type,
	    (int)r->running_pid, r->running_login ? ", login" : "") : NULL;

	line(a, "type", type);
	line(a, "version", r->version);
	line(a, "running", run);
	line(a, "login_profile", r->login_profile);
	line(a, "rc_file", r->rc_file);
	line(a, "path_healthy", r->path_healthy < 0 ? NULL :
	    r->path_healthy ? "yes" : "no");
	line(a, "path_login", r->path_login);
	line(a, "path_nonlogin", r->path_nonlogin);
	line(a, "restricted", r->restricted ? r->restricted_why : "no");
	line(a, "home", r->home);
	if (r->probe_note != NULL)
		line(a, "probe", r->probe_note);
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(env_close) struct shellenv *se = NULL;
	const struct shellenv_record *r;
	struct err err = ERR_INIT;
	int status = env_begin(a, argc, argv, 0, 0, &args, &se);

	if (status != ADMIN_OK)
		return status;
	if (shellenv_detect(se, args.no_probe ? 0 : SHELLENV_PROBE, &r,
	    &err) < 0)
		return env_fail(a, &err);
	if (args.json)
		print_json(a, r);
	else
		print_text(a, r);
	return ADMIN_OK;
}

const struct admin_verb cmd_env_detect = {
	.name = "env detect",
	.usage = "",
	.summary = "show which shell a user has, its files and its PATH",
	.run = run,
	.options = options,
};
