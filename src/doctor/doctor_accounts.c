/* SPDX-License-Identifier: ISC */
/* Accounts, their login shells, stores and keys. */
#include "doctor_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define ACCOUNTS_MAX 100000
#define PASSWD "/etc/passwd"

/* A shell that is there to turn people away. */
static bool
turns_away(const char *shell)
{
	const char *base = path_base(shell);

	return strcmp(base, "nologin") == 0 || strcmp(base, "false") == 0 ||
	    strcmp(base, "sync") == 0 || strcmp(base, "true") == 0;
}

static void
add(struct doctor *d, size_t *cap, char *line, unsigned number)
{
	char *field[7] = { NULL };
	struct doctor_account *a;
	int64_t uid;
	size_t i;

	for (i = 0; i < 7 && line != NULL; i++)
		field[i] = strsep(&line, ":");
	if (i < 7 || field[0][0] == '+' || field[0][0] == '-' ||
	    text_to_i64(field[2], 0, UINT32_MAX, &uid) != 0)
		return;
	if (d->n_accounts == *cap) {
		*cap = *cap > 0 ? *cap * 2 : 64;
		d->account = arena_grow(d->mem, d->account, d->n_accounts,
		    *cap, sizeof *d->account);
	}
	a = &d->account[d->n_accounts++];
	a->name = field[0];
	a->uid = (uid_t)uid;
	a->home = field[5];
	a->shell = field[6][0] != '\0' ? field[6] : "/bin/sh";
	a->ours = doctor_is_aegsh(a->shell);
	/* Accounts of services have one of those by the distribution. */
	a->other = !a->ours && !turns_away(a->shell) &&
	    (uid == 0 || uid >= 1000);
	a->line = number;
}

void
doctor_read_accounts(struct doctor *d)
{
	char *text = doctor_read(d, PASSWD, NULL), *line;
	unsigned number = 0;
	size_t cap = 0;

	while (text != NULL && (line = strsep(&text, "\n")) != NULL &&
	    d->n_accounts < ACCOUNTS_MAX)
		add(d, &cap, line, ++number);
}

static bool
is_in_shells(struct doctor *d, const char *shell)
{
	char *text = doctor_read(d, "/etc/shells", NULL), *line;
	size_t len = strlen(shell);

	while (text != NULL && (line = strsep(&text, "\n")) != NULL)
		if (strncmp(line, shell, len) == 0 &&
		    (line[len] == '\0' || strchr(" \t#", line[len]) != NULL))
			return true;
	return false;
}

static void
check_program(struct doctor *d, const struct doctor_account *a)
{
	AEG_AUTOFREE char *path = xasprintf("%s", a->shell);
	struct stat st;
	char *slash;

	if (doctor_stat(d, a->shell, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (st.st_mode & 0111) == 0) {
		doctor_find(d, CHECK_SHELL_MISSING, PASSWD, a->line,
		    doctor_printf(d, "%s has %s", a->name, a->shell));
		return;
	}
	while (path[0] == '/') {
		if (doctor_stat(d, path[1] != '\0' ? path : "/", &st) == 0 &&
		    (st.st_uid != 0 || (st.st_mode & 022) != 0)) {
			doctor_find(d, CHECK_SHELL_LOOSE, PASSWD, a->line,
			    doctor_printf(d, "%s has %s; %s is uid %lu's, "
			    "mode %04o", a->name, a->shell, path,
			    (unsigned long)st.st_uid,
			    (unsigned)st.st_mode & 07777));
			return;
		}
		slash = strrchr(path, '/');
		if (slash == path && path[1] == '\0')
			break;
		slash[slash == path] = '\0';
	}
}

static void
check_store(struct doctor *d, const struct doctor_account *a)
{
	const char *place = doctor_printf(d, "%s/%lu", sysdirs()->state,
	    (unsigned long)a->uid);
	struct stat st;
	int rc;

	if (a->uid == 0)
		return;		/* makes its own */
	rc = doctor_stat(d, place, &st);
	if (rc == -ENOENT || (rc == 0 && (!S_ISDIR(st.st_mode) ||
	    st.st_uid != a->uid || (st.st_mode & 077) != 0)))
		doctor_find(d, CHECK_STORE_MISSING, place, 0,
		    doctor_printf(d, rc != 0 ? "%s: not there" :
		    "%s: not a directory of this account alone", a->name));
}

void
doctor_check_accounts(struct doctor *d)
{
	const struct doctor_account *a;
	size_t i;

	for (i = 0; i < d->n_accounts; i++) {
		a = &d->account[i];
		if (!a->ours)
			continue;
		check_program(d, a);
		check_store(d, a);
		if (a->uid == 0)
			doctor_find(d, CHECK_ROOT_SHELL, PASSWD, a->line,
			    doctor_printf(d, "%s has %s", a->name, a->shell));
		if (!is_in_shells(d, a->shell))
			doctor_find(d, CHECK_SHELLS_ENTRY, "/etc/shells", 0,
			    doctor_printf(d, "%s of %s", a->shell, a->name));
	}
}

/* ---- keys --------------------------------------------------------------- */

/* The value of command="…" among a key's options, unquoted; or NULL.  What
 * else is among them is in *ret_rest, one word. */
static const char *
key_command(struct doctor *d, const char *line, const char **ret_rest)
{
	const char *p = line + strspn(line, " \t"), *start;
	struct buf value = BUF_INIT, rest = BUF_INIT;
	bool in_command = false, any = false;
	const char *command = NULL;

	for (start = p; *p != '\0' && *p != ' ' && *p != '\t'; p++) {
		if (p == start || p[-1] == ',')
			in_command = strncasecmp(p, "command=\"", 9) == 0;
		if (in_command && p[0] == '=' && p[1] == '"')
			any = true;
		if (*p != '"') {
			if (!in_command)
				buf_putc(&rest, *p);
			continue;
		}
		for (p++; *p != '\0' && *p != '"'; p++) {
			if (p[0] == '\\' && p[1] == '"')
				p++;
			if (in_command)
				buf_putc(&value, *p);
		}
		if (*p == '\0')
			break;
	}
	if (any)
		command = arena_memdup0(d->mem, value.data != NULL ?
		    value.data : "", value.len);
	*ret_rest = arena_memdup0(d->mem, rest.data != NULL ? rest.data : "",
	    rest.len);
	buf_done(&value);
	buf_done(&rest);
	return command;
}

static void
check_key(struct doctor *d, const struct doctor_account *a, const char *file,
    uid_t owner, unsigned number, const char *line)
{
	const char *rest, *command = key_command(d, line, &rest);

	if (command == NULL || !doctor_is_aegsh(command))
		return;
	if (owner != 0 && a->uid != 0 &&
	    strstr(command, "transfer-fetch") == NULL)
		doctor_find(d, CHECK_KEY_COMMAND, file, number,
		    doctor_printf(d, "%s: command=\"%s\"", a->name, command));
	if (strstr(rest, "restrict") == NULL &&
	    (strstr(rest, "no-user-rc") == NULL ||
	    strstr(rest, "no-port-forwarding") == NULL))
		doctor_find(d, CHECK_KEY_LOOSE, file, number,
		    doctor_printf(d, "%s: command=\"%s\"", a->name, command));
}

void
doctor_check_keys(struct doctor *d)
{
	static const char *const names[] = { "authorized_keys",
		"authorized_keys2" };
	const struct doctor_account *a;
	char *file, *text, *line;
	unsigned number;
	uid_t owner;
	size_t i, k;

	for (i = 0; i < d->n_accounts; i++) {
		a = &d->account[i];
		if ((!a->ours && !a->other) || a->home[0] != '/')
			continue;
		for (k = 0; k < AEG_NELEM(names); k++) {
			file = doctor_printf(d, "%s/.ssh/%s", a->home,
			    names[k]);
			text = doctor_read(d, file, &owner);
			number = 0;
			while (text != NULL &&
			    (line = strsep(&text, "\n")) != NULL)
				check_key(d, a, file, owner, ++number, line);
		}
	}
}
