/* SPDX-License-Identifier: ISC */
/* How a path of a command is shown to a person. */
#include "policy_view_int.h"

void
pol_explain_path(const struct policy *p, const struct view_path *path,
	struct buf *out)
{
	static const char *const words[] = { "read", "write", "delete",
		"change", "list", "run", "maybe" };
	const struct pol_set *sets = pol_section(p, POL_SEC_SETS);
	size_t i;

	buf_put(out, path->path, path->len);
	for (i = 0; i < AEG_NELEM(words); i++)
		if (path->how >> i & 1)
			buf_putf(out, " %s", words[i]);
	if (!path->known)
		buf_puts(out, " (not all known)");
	for (i = 0; i < pol_count(p, POL_SEC_SETS); i++)
		if (path->sets >> i & 1)
			buf_putf(out, " @%s", pol_string(p, sets[i].name));
}
