/* SPDX-License-Identifier: ISC */
/*
 * From settings to what each level of the walk looks for: the probe-dirs
 * with `~` and variables put in, and the candidate names.
 *
 * Substitution is text only.  `$NAME` and `${NAME}` are known; any other
 * use of `$`, and a backquote, is refused, so that an entry can never mean
 * a command.  What a variable brings is not looked at again: a `$`, a
 * colon or a star in it is a byte of a file name.
 */
#include "shebang/shebang_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

void
shebang_plan_done(struct shebang_plan *plan)
{
	strv_done(&plan->dirs);
	strv_done(&plan->names);
}

static size_t
name_len(const char *p)
{
	size_t n = 0;

	while (text_is_name(p + n, 1) || (n > 0 && p[n] >= '0' && p[n] <= '9'))
		n++;
	return n;
}

/* The variable at p, which stands on a '$'.  *ret_next is past it. */
static int
put_variable(struct buf *out, const char *p, char *const *envp,
    const char **ret_next, const char **ret_why, struct err *err)
{
	bool braces = p[1] == '{';
	const char *name = p + (braces ? 2 : 1), *value;
	size_t len = name_len(name);

	if (len == 0 || (braces && name[len] != '}'))
		return err_set(err, ERR_SYNTAX, "only $NAME and ${NAME} are "
		    "put in, not '%.40s'", p);
	value = shebang_env(envp, name, len);
	if (value == NULL) {
		*ret_why = "names a variable that is not set";
		return -ENOENT;
	}
	buf_puts(out, value);
	*ret_next = name + len + (braces ? 1 : 0);
	return 0;
}

static int
put_variables(struct buf *out, const char *p, char *const *envp,
    const char **ret_why, struct err *err)
{
	int rc, unset = 0;

	while (*p != '\0') {
		if (*p == '`')
			return err_set(err, ERR_SYNTAX,
			    "commands are not run: '%.40s'", p);
		if (*p != '$') {
			buf_putc(out, *p++);
			continue;
		}
		rc = put_variable(out, p, envp, &p, ret_why, err);
		if (rc == ERR_SYNTAX)
			return rc;
		if (rc < 0) {
			/* Go on: what is wrong further on must be said
			 * whatever this environment happens to hold. */
			unset = rc;
			p += strcspn(p + 1, "$`") + 1;
		}
	}
	return unset;
}

int
shebang_expand(const char *entry, bool vars, char *const *envp,
    struct buf *out, const char **ret_why, struct err *err)
{
	const char *home;
	int rc = 0;

	if (entry[0] == '~' && (entry[1] == '/' || entry[1] == '\0')) {
		home = shebang_env(envp, "HOME", strlen("HOME"));
		if (home == NULL || home[0] != '/') {
			*ret_why = "HOME is not an absolute path";
			rc = -ENOENT;
		} else {
			buf_puts(out, home);
		}
		entry++;
	}
	if (vars) {
		int vrc = put_variables(out, entry, envp, ret_why, err);

		rc = vrc < 0 ? vrc : rc;
	} else {
		buf_puts(out, entry);
	}
	if (rc == 0 && buf_overflow(out))
		return err_set(err, ERR_TOO_LONG, "longer than %zu bytes",
		    out->max);
	if (rc == 0 && out->len == 0) {
		*ret_why = "empty";
		return -ENOENT;
	}
	return rc;
}

/* "./bin//" and "bin" are one entry: what is printed should be readable. */
static char *
entry_tidy(const char *text)
{
	struct buf out = BUF_INIT;

	while (text[0] == '.' && text[1] == '/') {
		text += 2;
		text += strspn(text, "/");
	}
	for (; *text != '\0'; text++)
		if (*text != '/' || text[1] != '/')
			buf_putc(&out, *text);
	if (out.len > 1 && out.data[out.len - 1] == '/')
		out.data[--out.len] = '\0';
	if (out.len == 0)
		buf_putc(&out, '.');
	return buf_take(&out);
}

static int
add_dir(const struct shebang_query *q, const char *entry, bool vars,
    struct shebang_plan *plan, struct err *err)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(SHEBANG_PATH_MAX - 1);
	struct shebang_step step = { .kind = SHEBANG_STEP_SKIPPED };
	int rc;

	rc = shebang_expand(entry, vars, q->envp, &out, &step.text, err);
	if (rc == -ENOENT) {
		step.name = entry;
		shebang_trace(q, &step);
		return 0;
	}
	if (rc < 0) {
		err_context(err, "probe-dirs entry '%.80s'", entry);
		return rc;
	}
	strv_take(&plan->dirs, entry_tidy(out.data));
	return 0;
}

int
shebang_plan_build(const struct shebang_query *q,
    const struct shebang_settings *s, struct shebang_plan *plan,
    struct err *err)
{
	bool vars = shebang_setting_is(s, SHEBANG_EXPAND, "yes");
	const char *p = s->value[SHEBANG_PROBE_DIRS];
	size_t n;
	int rc;

	for (;; p += n + 1) {
		AEG_AUTOFREE char *entry = NULL;

		n = strcspn(p, ":");
		entry = xmemdup0(p, n);
		rc = add_dir(q, entry, vars, plan, err);
		if (rc < 0)
			return rc;
		if (p[n] == '\0')
			break;
	}
	/* Each suffix ends at a colon or at the end; an empty one is the
	 * bare name, and past a last colon there is none. */
	for (p = s->value[SHEBANG_SUFFIXES]; *p != '\0';) {
		n = strcspn(p, ":");
		if (n == 0)
			strv_add(&plan->names, q->name);
		else
			strv_addf(&plan->names, "%s-%.*s", q->name, (int)n, p);
		p += n + (p[n] == ':' ? 1 : 0);
	}
	return 0;
}
