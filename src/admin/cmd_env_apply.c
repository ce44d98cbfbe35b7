/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl env apply PLAN.json`: a recipe's shell_config,
 * { "path_append": [DIR…], "env_vars": { NAME: VALUE… } }, made into steps
 * and carried out.
 */
#include "env_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define PLAN_MAX ((size_t)1024 * 1024)

static const struct admin_option options[] = {
	ENV_OPTIONS_MEND,
	{ NULL }
};

struct recipe {
	struct shellenv_want *wants;
	size_t n;
	struct strv texts;	/* what the wants point to */
};

static void
recipe_done(struct recipe *r)
{
	free(r->wants);
	strv_done(&r->texts);
}

static void
add(struct recipe *r, enum shellenv_op op, char *text)
{
	strv_take(&r->texts, text);
	r->wants = xreallocarray(r->wants, r->n + 1, sizeof *r->wants);
	r->wants[r->n++] = (struct shellenv_want){ op, text };
}

static int
load(const char *file, json_t **ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(PLAN_MAX);
	AEG_AUTOFD int fd = strcmp(file, "-") == 0 ?
	    fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
	    open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	json_error_t e;
	int r;

	if (fd < 0)
		return err_sys(err, errno, "%s", file);
	r = io_read_all(fd, &text);
	if (r < 0)
		return err_set(err, r, "%s: %s", file, err_str(r));
	*ret = json_loadb(text.data != NULL ? text.data : "", text.len,
	    JSON_REJECT_DUPLICATES, &e);
	if (*ret == NULL)
		return err_set(err, ERR_SYNTAX, "%s:%d: %s", file, e.line,
		    e.text);
	return 0;
}

/* Variables first: a directory may refer to one. */
static int
read_config(const json_t *config, struct recipe *r, struct err *err)
{
	const json_t *vars = json_object_get(config, "env_vars");
	const json_t *dirs = json_object_get(config, "path_append");
	const json_t *value;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)config, key, value)
		if (strcmp(key, "env_vars") != 0 &&
		    strcmp(key, "path_append") != 0)
			return err_set(err, ERR_SYNTAX, "shell_config has no "
			    "member '%s'", key);
	if ((vars != NULL && !json_is_object(vars)) ||
	    (dirs != NULL && !json_is_array(dirs)))
		return err_set(err, ERR_SYNTAX, "path_append is an array, "
		    "env_vars an object");
	json_object_foreach((json_t *)(uintptr_t)vars, key, value) {
		if (!json_is_string(value))
			return err_set(err, ERR_SYNTAX, "env_vars: '%s' is no "
			    "string", key);
		add(r, SHELLENV_VAR_SET, xasprintf("%s=%s", key,
		    json_string_value(value)));
	}
	json_array_foreach(dirs, i, value) {
		if (!json_is_string(value))
			return err_set(err, ERR_SYNTAX, "path_append: an "
			    "element is no string");
		add(r, SHELLENV_PATH_ADD, xstrdup(json_string_value(value)));
	}
	return 0;
}

static int
read_recipe(const char *file, struct recipe *r, struct err *err)
{
	json_t *doc = NULL;
	const json_t *config;
	int rc = load(file, &doc, err);

	if (rc < 0)
		return rc;
	/* A whole recipe, or its shell_config alone. */
	config = json_object_get(doc, "shell_config");
	if (config == NULL)
		config = doc;
	if (!json_is_object(config))
		rc = err_set(err, ERR_SYNTAX, "a plan is an object");
	else
		rc = read_config(config, r, err);
	json_decref(doc);
	return rc < 0 ? err_context(err, "%s", file) : 0;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct env_args args = { .json = false };
	AEG_AUTO(recipe_done) struct recipe r = { .texts = STRV_INIT };
	struct err err = ERR_INIT;
	int status = env_args_read(a, argc, argv, 1, 1, &args);

	if (status != ADMIN_OK)
		return status;
	/* Whoever calls names the file, so it is read with their rights. */
	if (read_recipe(args.operands[0], &r, &err) < 0)
		return env_fail(a, &err);
	return env_mend(a, &args, r.wants, r.n);
}

const struct admin_verb cmd_env_apply = {
	.name = "env apply",
	.usage = "PLAN.json",
	.summary = "carry out the shell_config of an install recipe",
	.run = run,
	.options = options,
	.words = ADMIN_WORDS_FILE,
};
