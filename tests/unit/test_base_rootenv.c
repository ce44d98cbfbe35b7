/* SPDX-License-Identifier: ISC */
#include "aegsh/base/rootenv.h"
#include "tap.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static const struct {
	const char *name, *value;
	bool passes;
} cases[] = {
	{ "TERM", "xterm-256color", true },
	{ "LANG", "de_DE.UTF-8@euro", true },
	{ "LC_ALL", "C", true },
	{ "COLUMNS", "80", true },
	{ "TERM", "", false },
	{ "TERM", "../../tmp/terminfo", false },
	{ "LANG", "a:b", false },
	{ "LANG", "C\n", false },
	{ "TERM", "0123456789012345678901234567890123456789012345678901234567"
	    "89abc", true },
	{ "TERM", "0123456789012345678901234567890123456789012345678901234567"
	    "89abcd", false },
	{ "TERMINFO", "x", false },
	{ "LC", "C", false },
	{ "PATH", "x", false },
	{ "LD_PRELOAD", "x", false },
};

static bool
fits_never(const char *path, const struct stat *st)
{
	(void)path;
	(void)st;
	return false;
}

static bool
fits_below_bin(const char *path, const struct stat *st)
{
	(void)st;
	return text_starts(path, "/bin/");
}

int
main(void)
{
	AEG_AUTOFREE char *sh = rootenv_find("sh", rootenv_runs);
	AEG_AUTOFREE char *in_bin = rootenv_find("sh", fits_below_bin);
	AEG_AUTOFREE char *none = rootenv_find("sh", fits_never);
	AEG_AUTOFREE char *dir = rootenv_find("../bin", rootenv_runs);
	AEG_AUTOFREE char *editor = NULL;
	AEG_AUTO(strv_done) struct strv env = STRV_INIT;
	struct stat st = { .st_mode = S_IFREG | 0755 };
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++)
		OKF((rootenv_is_of_terminal(cases[i].name) &&
		    rootenv_is_harmless(cases[i].value)) == cases[i].passes,
		    "%s=%s", cases[i].name, cases[i].value);
	OK(sh != NULL && text_ends(sh, "bin/sh"));
	IS_STRN(in_bin, "/bin/sh", "the first that fits, not the first");
	OKF(none == NULL, "none that fits");
	OKF(dir == NULL, "no directory");
	OK(rootenv_runs("/x", &st) && !rootenv_gains("/nonexistent", &st));
	st.st_mode = S_IFREG | 0644;
	OK(!rootenv_runs("/x", &st));
	st.st_mode = S_IFREG | S_ISUID | 0755;
	OK(rootenv_gains("/nonexistent", &st));
	st.st_mode = S_IFREG | S_ISGID | 0755;
	OK(rootenv_gains("/nonexistent", &st));
	rootenv_put_editor(&env);
	editor = xasprintf("VISUAL=%s/aegsh-edit", sysdirs()->libexec);
	IS_INT(env.n, 3);
	OK(strv_has(&env, editor));
	return tap_done();
}
