/* SPDX-License-Identifier: ISC */
/*
 * The rule as a whole, in its order: directives, settings, override, walk
 * from one or two origins, fallback.
 */
#include "aegsh/shebang.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "shebang/shebang_int.h"

void
shebang_trace(const struct shebang_query *q, const struct shebang_step *step)
{
	if (q->trace != NULL)
		q->trace(q->trace_ctx, step);
}

int
shebang_fail_path(struct err *err, int errnum, const char *what,
    const char *path)
{
	/* A component that is no directory is a name that leads nowhere. */
	return err_sys(err, errnum == ENOTDIR ? ENOENT : errnum, "%s %s",
	    what, path);
}

void
shebang_result_done(struct shebang_result *result)
{
	free(result->path);
	result->path = NULL;
	io_close(&result->fd);
}

int
shebang_exit_status(int rc)
{
	switch (rc) {
	case 0:
		return 0;
	case ERR_SYNTAX:
	case ERR_TOO_LONG:
		return 2;
	case -ESRCH:
	case -ENOENT:
		return 127;
	default:
		return 126;
	}
}

const char *
shebang_verdict_str(enum shebang_verdict verdict)
{
	switch (verdict) {
	case SHEBANG_MISSING:
		return "missing";
	case SHEBANG_DANGLING:
		return "a link that leads nowhere";
	case SHEBANG_UNREACHABLE:
		return "cannot be reached";
	case SHEBANG_NOT_REGULAR:
		return "not a regular file";
	case SHEBANG_NOT_EXECUTABLE:
		return "not executable";
	case SHEBANG_SELF:
		return "auto-shebang itself";
	case SHEBANG_RESOLVER:
		return "another auto-shebang";
	case SHEBANG_OWN_SCRIPT:
		return "the script itself";
	case SHEBANG_TAKEN:
		return "taken";
	}
	return "missing";
}

const char *
shebang_source_str(enum shebang_source source)
{
	switch (source) {
	case SHEBANG_DEFAULT:
		return "default";
	case SHEBANG_DIRECTIVE:
		return "directive";
	case SHEBANG_ENV:
		return "env";
	}
	return "default";
}

static int
name_check(const char *name, struct err *err)
{
	if (strlen(name) > SHEBANG_NAME_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "the name is longer than %zu bytes", SHEBANG_NAME_MAX);
	if (name[0] == '\0' || strchr(name, '/') != NULL ||
	    strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return err_set(err, ERR_SYNTAX,
		    "'%s' can't be the name of an interpreter", name);
	return 0;
}

static int
read_settings(const struct shebang_query *q, const struct shebang_script *sc,
    struct shebang_settings *s, struct err *err)
{
	AEG_AUTO(buf_done) struct buf head = BUF_INIT_MAX(SHEBANG_HEAD_MAX);
	struct shebang_step step = { .kind = SHEBANG_STEP_SETTING };
	bool cut = false;
	int i, rc;

	rc = shebang_script_head(sc, &head, &cut, err);
	if (rc == 0 && head.len > 0)
		rc = shebang_directives(q, head.data, head.len, cut, s, err);
	if (rc < 0) {
		err_context(err, "script %s", q->script);
		return rc;
	}
	rc = shebang_settings_layer(s, q->envp, err);
	if (rc < 0)
		return rc;
	for (i = 0; i < SHEBANG_KEYS; i++) {
		step.name = shebang_rows[i].key;
		step.text = s->value[i];
		step.source = s->source[i];
		shebang_trace(q, &step);
	}
	return 0;
}

/* A path given by the environment, made absolute: a name without a slash
 * would be searched in $PATH by whoever gets the answer. */
static int
given_path(const struct shebang_query *q, const char *value, char **ret)
{
	AEG_AUTOFREE char *cwd = NULL;
	AEG_AUTOFD int fd = -1;
	struct shebang_query here = *q;
	int rc;

	if (value[0] == '/') {
		*ret = xstrdup(value);
		return 0;
	}
	fd = openat(q->cwd_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	here.script = "";
	rc = shebang_dir_path(&here, fd, false, &cwd);
	if (rc == 0)
		*ret = xasprintf("%s/%s", strcmp(cwd, "/") == 0 ? "" : cwd,
		    value);
	return rc;
}

/* AUTO_SHEBANG_OVERRIDE_EXE or _FALLBACK_EXE: 1 when it is set and good, 0
 * when it is not set. */
static int
use_given(const struct shebang_query *q, const struct stat *script,
    const char *variable, enum shebang_from from,
    struct shebang_result *found, struct err *err)
{
	struct shebang_candidate c = SHEBANG_CANDIDATE_INIT;
	const char *value = shebang_env(q->envp, variable, strlen(variable));
	AEG_AUTOFREE char *path = NULL;
	int rc;

	if (value == NULL || value[0] == '\0')
		return 0;
	if (strlen(value) >= SHEBANG_PATH_MAX)
		return err_set(err, ERR_TOO_LONG, "%s is longer than %zu bytes",
		    variable, SHEBANG_PATH_MAX - 1);
	rc = given_path(q, value, &path);
	if (rc == 0)
		rc = shebang_candidate(q, script, path, &c);
	if (rc < 0)
		return err_sys(err, -rc, "%s=%s", variable, value);
	shebang_trace_candidate(q, path, &c);
	if (c.verdict == SHEBANG_UNREACHABLE)
		return err_sys(err, c.errnum, "%s=%s", variable, value);
	if (c.verdict != SHEBANG_TAKEN)
		return err_set(err, c.verdict == SHEBANG_MISSING ||
		    c.verdict == SHEBANG_DANGLING ? -ENOENT : -EACCES,
		    "%s=%s: %s", variable, value,
		    shebang_verdict_str(c.verdict));
	found->path = AEG_STEAL(path);
	found->fd = c.fd;
	found->format = c.format;
	found->from = from;
	return 1;
}

static int
trace_origin(const struct shebang_query *q, const char *name, int fd,
    bool real, char **ret_path, struct err *err)
{
	struct shebang_step step = { .kind = SHEBANG_STEP_ORIGIN };
	int rc = shebang_dir_path(q, fd, real, ret_path);

	if (rc < 0)
		return err_sys(err, -rc,
		    "the directory of script %s has no path", q->script);
	step.name = name;
	step.text = *ret_path;
	shebang_trace(q, &step);
	return 0;
}

static int
walk_both(struct shebang_walk *w, const struct shebang_settings *s,
    struct shebang_script *sc, struct err *err)
{
	bool real_first = shebang_setting_is(s, SHEBANG_PRIORITY,
	    "real-first");
	AEG_AUTOFREE char *path = NULL, *real_path = NULL;
	AEG_AUTOFD int real = -1;
	int rc = 0;

	if (shebang_setting_is(s, SHEBANG_FOLLOW, "yes"))
		rc = shebang_script_real(sc, &real, err);
	if (rc < 0)
		return rc;
	if (real < 0) {
		rc = trace_origin(w->q, "script", sc->dir_fd, false, &path,
		    err);
		return rc < 0 ? rc : shebang_walk(w, &sc->dir_fd, path, err);
	}
	rc = trace_origin(w->q, "real", real, true, &real_path, err);
	if (rc == 0)
		rc = trace_origin(w->q, "symlink", sc->dir_fd, false, &path,
		    err);
	if (rc < 0)
		return rc;
	rc = shebang_walk(w, real_first ? &real : &sc->dir_fd,
	    real_first ? real_path : path, err);
	if (rc < 0 || w->found->path != NULL)
		return rc;
	w->walked = real_first ? real_path : path;
	return shebang_walk(w, real_first ? &sc->dir_fd : &real,
	    real_first ? path : real_path, err);
}

/* Everything after the settings; *found stays empty without an error only
 * when neither walk nor fallback has anything. */
static int
search(const struct shebang_query *q, const struct shebang_settings *s,
    struct shebang_script *sc, struct shebang_result *found, struct err *err)
{
	AEG_AUTO(shebang_plan_done) struct shebang_plan plan = {
		STRV_INIT, STRV_INIT
	};
	struct shebang_walk w = { .q = q, .plan = &plan, .found = found,
	    .script = &sc->st };
	bool trusted = shebang_setting_is(s, SHEBANG_TRUST_ENV, "yes");
	int rc = 0;

	if (trusted)
		rc = use_given(q, &sc->st, "AUTO_SHEBANG_OVERRIDE_EXE",
		    SHEBANG_OVERRIDE, found, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = shebang_plan_build(q, s, &plan, err);
	if (rc == 0)
		rc = walk_both(&w, s, sc, err);
	if (rc == 0 && found->path == NULL && trusted)
		rc = use_given(q, &sc->st, "AUTO_SHEBANG_FALLBACK_EXE",
		    SHEBANG_FALLBACK, found, err);
	return rc < 0 ? rc : 0;
}

int
shebang_resolve(const struct shebang_query *query,
    struct shebang_result *ret_result, struct err *err)
{
	AEG_AUTO(shebang_settings_done) struct shebang_settings s = { 0 };
	AEG_AUTO(shebang_script_done) struct shebang_script sc =
	    SHEBANG_SCRIPT_INIT;
	AEG_AUTO(shebang_result_done) struct shebang_result found =
	    SHEBANG_RESULT_INIT;
	int rc;

	rc = name_check(query->name, err);
	if (rc == 0)
		rc = shebang_script_open(query->cwd_fd, query->script, &sc,
		    err);
	if (rc == 0)
		rc = read_settings(query, &sc, &s, err);
	if (rc == 0)
		rc = search(query, &s, &sc, &found, err);
	if (rc < 0)
		return rc;
	if (found.path == NULL)
		return err_set(err, -ESRCH,
		    "no interpreter '%s' for script %s", query->name,
		    query->script);
	*ret_result = found;
	found = (struct shebang_result)SHEBANG_RESULT_INIT;
	return 0;
}

int
shebang_first_line(int cwd_fd, const char *script, char **ret_line,
    size_t *ret_len, struct err *err)
{
	AEG_AUTO(buf_done) struct buf head = BUF_INIT_MAX(SHEBANG_HEAD_MAX);
	AEG_AUTO(shebang_script_done) struct shebang_script sc =
	    SHEBANG_SCRIPT_INIT;
	const char *nl;
	bool cut;
	int rc;

	rc = shebang_script_open(cwd_fd, script, &sc, err);
	if (rc == 0)
		rc = shebang_script_head(&sc, &head, &cut, err);
	if (rc < 0)
		return rc;
	nl = head.len > 0 ? memchr(head.data, '\n', head.len) : NULL;
	*ret_len = nl != NULL ? (size_t)(nl - head.data) : head.len;
	*ret_line = xmemdup0(head.len > 0 ? head.data : "", *ret_len);
	return 0;
}
