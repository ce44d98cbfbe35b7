/* SPDX-License-Identifier: ISC */
/* What a command gets that runs as another user. */
#include "aegsh/base/rootenv.h"

#include <string.h>
#include <sys/xattr.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

char *
rootenv_find(const char *name, bool (*fits)(const char *path,
    const struct stat *st))
{
	const char *dir = ROOTENV_PATH;
	struct stat st;
	size_t n;

	for (;; dir += n + 1) {
		AEG_AUTOFREE char *path = NULL;

		n = strcspn(dir, ":");
		path = xasprintf("%.*s/%s", (int)n, dir, name);
		if (stat(path, &st) == 0 && fits(path, &st))
			return AEG_STEAL(path);
		if (dir[n] == '\0')
			return NULL;
	}
}

bool
rootenv_runs(const char *path, const struct stat *st)
{
	(void)path;
	return S_ISREG(st->st_mode) && (st->st_mode & 0111) != 0;
}

bool
rootenv_gains(const char *path, const struct stat *st)
{
	return (st->st_mode & (S_ISUID | S_ISGID)) != 0 ||
	    getxattr(path, "security.capability", NULL, 0) > 0;
}

bool
rootenv_is_of_terminal(const char *name)
{
	static const char *const names[] = { "TERM", "COLORTERM", "LANG",
		"LANGUAGE", "COLUMNS", "LINES" };

	return TEXT_AMONG(name, names) || text_starts(name, "LC_");
}

bool
rootenv_is_harmless(const char *value)
{
	return value[0] != '\0' && strlen(value) < 64 &&
	    value[strspn(value, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@+-")] == '\0';
}

void
rootenv_put_editor(struct strv *to)
{
	static const char *const names[] = { "SUDO_EDITOR", "VISUAL",
		"EDITOR" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		strv_addf(to, "%s=%s/aegsh-edit", names[i],
		    sysdirs()->libexec);
}
