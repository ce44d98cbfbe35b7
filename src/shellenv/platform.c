/* SPDX-License-Identifier: ISC */
/* Which login shell a distribution gives a new user, by os-release(5). */
#include "shellenv_int.h"

#include <string.h>

#include "aegsh/base/text.h"

static const struct { const char *id, *shell; } table[] = {
	{ "debian", "bash" }, { "ubuntu", "bash" }, { "fedora", "bash" },
	{ "rhel", "bash" }, { "centos", "bash" }, { "arch", "bash" },
	{ "suse", "bash" }, { "opensuse", "bash" }, { "alpine", "ash" },
	{ "gentoo", "bash" }, { "nixos", "bash" }, { "void", "bash" },
};

/* The value of a field, without its quotes; NULL: not there. */
static char *
field(struct shellenv *se, const char *text, const char *name)
{
	size_t n = strlen(name), len;
	const char *p = text;

	while (strncmp(p, name, n) != 0 || p[n] != '=') {
		p = strchr(p, '\n');
		if (p == NULL)
			return NULL;
		p++;
	}
	p += n + 1;
	p += *p == '"' || *p == '\'';
	len = strcspn(p, "\"'\n");
	return arena_memdup0(se->arena, p, len);
}

static const char *
by_ids(char *ids)
{
	char *save, *id;
	size_t i;

	for (id = strtok_r(ids, " ", &save); id != NULL;
	    id = strtok_r(NULL, " ", &save))
		for (i = 0; i < AEG_NELEM(table); i++)
			if (strcmp(id, table[i].id) == 0 ||
			    (text_starts(id, table[i].id) &&
			    id[strlen(table[i].id)] == '-'))
				return table[i].shell;
	return NULL;
}

const char *
se_platform_shell(struct shellenv *se)
{
	static const char *const fields[] = { "ID", "ID_LIKE" };
	const char *text, *shell = NULL;
	size_t i, len;

	if (se_read(se, "/etc/os-release", &text, &len) < 0 &&
	    se_read(se, "/usr/lib/os-release", &text, &len) < 0)
		return NULL;
	for (i = 0; i < AEG_NELEM(fields) && shell == NULL; i++) {
		char *ids = field(se, text, fields[i]);

		if (ids != NULL)
			shell = by_ids(ids);
	}
	return shell;
}
