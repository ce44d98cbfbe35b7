/* SPDX-License-Identifier: ISC */
/*
 * What a login hands to the shell before any start-up file: the PATH of
 * login.defs(5), what pam_env(8) reads from /etc/environment where the
 * service asks for it, and HOME, USER, LOGNAME, SHELL.
 */
#include "shellenv_int.h"

#include <string.h>

#include "aegsh/base/text.h"

#define PAM_DEPTH 8		/* of @include */
#define ENV_LINES 1024		/* of /etc/environment */

/* When login.defs says nothing (shadow's own defaults). */
#define PATH_USER "/bin:/usr/bin"
#define PATH_ROOT "/sbin:/bin:/usr/sbin:/usr/bin"

/* The next line of a text; false at the end. */
static bool
next_line(const char **p, const char **ret, size_t *ret_len)
{
	if (**p == '\0')
		return false;
	*ret = *p;
	*ret_len = strcspn(*p, "\n");
	*p += *ret_len;
	if (**p == '\n')
		(*p)++;
	return true;
}

static unsigned
pam_scan(struct shellenv *se, const char *service, int depth)
{
	const char *text, *p, *line;
	unsigned found = 0;
	size_t len;

	if (depth > PAM_DEPTH || strchr(service, '/') != NULL)
		return 0;
	if (se_read(se, se_printf(se, "/etc/pam.d/%s", service), &text,
	    &len) < 0 &&
	    se_read(se, se_printf(se, "/usr/lib/pam.d/%s", service), &text,
	    &len) < 0)
		return 0;
	for (p = text; next_line(&p, &line, &len);) {
		char *copy = arena_memdup0(se->arena, line, len), *save, *w[4];
		int n = 0;
		bool user = strstr(copy, "user_readenv=1") != NULL;

		if (copy[0] == '#')
			continue;
		if (strstr(copy, "pam_env.so") != NULL) {
			found |= 1U | (user ? 2U : 0U);
			continue;
		}
		for (w[0] = strtok_r(copy, " \t", &save); w[n] != NULL &&
		    n < 2; w[n] = strtok_r(NULL, " \t", &save))
			n++;
		if (n >= 1 && strcmp(w[0], "@include") == 0 && w[1] != NULL)
			found |= pam_scan(se, w[1], depth + 1);
		else if (n == 2 && w[2] != NULL &&
		    (strcmp(w[1], "include") == 0 ||
		    strcmp(w[1], "substack") == 0))
			found |= pam_scan(se, w[2], depth + 1);
	}
	return found;
}

unsigned
se_pam_env_of(struct shellenv *se, const char *service)
{
	return pam_scan(se, service, 0);
}

/* The value of ENV_PATH or ENV_SUPATH, "PATH=" or not in front. */
static const char *
login_defs_path(struct shellenv *se)
{
	const char *key = se->uid == 0 ? "ENV_SUPATH" : "ENV_PATH";
	const char *text, *p, *line, *v;
	size_t len, n = strlen(key);

	if (se_read(se, "/etc/login.defs", &text, &len) == 0)
		for (p = text; next_line(&p, &line, &len);) {
			if (len <= n || strncmp(line, key, n) != 0 ||
			    (line[n] != ' ' && line[n] != '\t'))
				continue;
			v = arena_memdup0(se->arena, line, len);
			v += n + strspn(v + n, " \t");
			if (text_starts(v, "PATH="))
				v += 5;
			return arena_memdup0(se->arena, v,
			    strcspn(v, " \t\r"));
		}
	return se->uid == 0 ? PATH_ROOT : PATH_USER;
}

/* Set or replace NAME=VALUE. */
static void
put_env(struct strv *env, const char *name, const char *value)
{
	size_t i, n = strlen(name);

	for (i = 0; i < env->n; i++)
		if (strncmp(env->v[i], name, n) == 0 && env->v[i][n] == '=') {
			free(env->v[i]);
			env->v[i] = xasprintf("%s=%s", name, value);
			return;
		}
	strv_addf(env, "%s=%s", name, value);
}

int
shellenv_assignments(const char *text,
    int (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
	const char *p, *line;
	int lines = 0, r = 0;
	size_t len;

	for (p = text; r == 0 && lines < ENV_LINES &&
	    next_line(&p, &line, &len); lines++) {
		AEG_AUTOFREE char *copy = xmemdup0(line, len);
		char *name = copy + strspn(copy, " \t"), *eq, *v;

		if (text_starts(name, "export "))
			name += 7;
		eq = strchr(name, '=');
		if (eq == NULL || !text_is_name(name, (size_t)(eq - name)))
			continue;
		*eq = '\0';
		v = eq + 1;
		if (*v == '"' || *v == '\'') {
			char quote = *v++;

			v[strcspn(v, quote == '"' ? "\"" : "'")] = '\0';
		} else {
			v[strcspn(v, "#\r")] = '\0';
		}
		r = fn(ctx, name, v);
	}
	return r;
}

static int
put_assignment(void *ctx, const char *name, const char *value)
{
	put_env(ctx, name, value);
	return 0;
}

static void
read_environment(struct shellenv *se, struct strv *env)
{
	const char *text;
	size_t len;

	if (se_read(se, "/etc/environment", &text, &len) == 0)
		shellenv_assignments(text, put_assignment, env);
}

void
se_login_env(struct shellenv *se, struct strv *ret)
{
	static const char *const kept[] = { "LANG", "TZ" };
	size_t i;

	put_env(ret, "PATH", login_defs_path(se));
	for (i = 0; i < AEG_NELEM(kept); i++)
		if (se_getenv(se, kept[i]) != NULL)
			put_env(ret, kept[i], se_getenv(se, kept[i]));
	if (se_pam_env_of(se, "login") != 0 || se_pam_env_of(se, "sshd") != 0)
		read_environment(se, ret);
	put_env(ret, "HOME", se->home);
	put_env(ret, "USER", se->user);
	put_env(ret, "LOGNAME", se->user);
	put_env(ret, "SHELL", se->shell_path != NULL ? se->shell_path :
	    "/bin/sh");
	put_env(ret, "TERM", "dumb");
}
