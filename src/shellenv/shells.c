/* SPDX-License-Identifier: ISC */
/*
 * The shells that are known, one row each: how each is asked for its
 * version without reading a start-up file, and where its users' lines
 * belong.
 */
#include "shellenv_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define POSIX_PROFILE "~/.profile", "~/.profile"

static const struct shell_row rows[SHELL_KINDS] = {
	[SHELL_NONE] = { SHELL_NONE, "none", DIALECT_NONE },
	[SHELL_SH] = { SHELL_SH, "sh", DIALECT_POSIX, POSIX_PROFILE,
	    VERSION_NONE, NULL, true, true },
	[SHELL_BASH] = { SHELL_BASH, "bash", DIALECT_BASH, "~/.bashrc",
	    "~/.bash_profile", VERSION_OPTION, "--version", true, true },
	[SHELL_ZSH] = { SHELL_ZSH, "zsh", DIALECT_ZSH, "~/.zshrc",
	    "~/.zprofile", VERSION_OPTION, "--version", true, true },
	[SHELL_FISH] = { SHELL_FISH, "fish", DIALECT_FISH,
	    "~/.config/fish/config.fish", "~/.config/fish/config.fish",
	    VERSION_OPTION, "--version", true, true },
	/* dash knows no version of its own. */
	[SHELL_DASH] = { SHELL_DASH, "dash", DIALECT_POSIX, POSIX_PROFILE,
	    VERSION_PACKAGE, "dash", true, true },
	[SHELL_ASH] = { SHELL_ASH, "ash", DIALECT_POSIX, POSIX_PROFILE,
	    VERSION_APPLET, "busybox", true, true },
	[SHELL_KSH93] = { SHELL_KSH93, "ksh93", DIALECT_KSH, "~/.kshrc",
	    "~/.profile", VERSION_VARIABLE,
	    "printf '%s\\n' \"${.sh.version}\"", true, true },
	[SHELL_MKSH] = { SHELL_MKSH, "mksh", DIALECT_KSH, "~/.mkshrc",
	    "~/.profile", VERSION_VARIABLE,
	    "print -r -- \"$KSH_VERSION\"", true, true },
	[SHELL_YASH] = { SHELL_YASH, "yash", DIALECT_POSIX, "~/.yashrc",
	    "~/.yash_profile", VERSION_OPTION, "--version", true, true },
	[SHELL_TCSH] = { SHELL_TCSH, "tcsh", DIALECT_NONE, "~/.tcshrc",
	    "~/.login", VERSION_OPTION, "--version", false, false },
	[SHELL_NU] = { SHELL_NU, "nu", DIALECT_NONE,
	    "~/.config/nushell/config.nu", "~/.config/nushell/login.nu",
	    VERSION_OPTION, "--version", true, false },
	[SHELL_AEGSH] = { SHELL_AEGSH, "aegsh", DIALECT_BASH, "~/.profile",
	    "~/.profile", VERSION_OPTION, "--version", true, true },
	[SHELL_OTHER] = { SHELL_OTHER, "other", DIALECT_NONE },
};

static const struct {
	const char *name;
	enum shell_kind kind;
	bool restricted;
} names[] = {
	{ "bash", SHELL_BASH, false }, { "rbash", SHELL_BASH, true },
	{ "zsh", SHELL_ZSH, false }, { "rzsh", SHELL_ZSH, true },
	{ "fish", SHELL_FISH, false }, { "sh", SHELL_SH, false },
	{ "dash", SHELL_DASH, false }, { "ash", SHELL_ASH, false },
	{ "busybox", SHELL_ASH, false }, { "ksh", SHELL_KSH93, false },
	{ "ksh93", SHELL_KSH93, false }, { "rksh", SHELL_KSH93, true },
	{ "rksh93", SHELL_KSH93, true }, { "mksh", SHELL_MKSH, false },
	{ "rmksh", SHELL_MKSH, true }, { "lksh", SHELL_MKSH, false },
	{ "mksh-static", SHELL_MKSH, false }, { "yash", SHELL_YASH, false },
	{ "tcsh", SHELL_TCSH, false }, { "csh", SHELL_TCSH, false },
	{ "nu", SHELL_NU, false }, { "aegsh", SHELL_AEGSH, false },
	{ "nologin", SHELL_NONE, false }, { "false", SHELL_NONE, false },
	{ "true", SHELL_NONE, false }, { "sync", SHELL_NONE, false },
};

const struct shell_row *
se_shell_row(enum shell_kind kind)
{
	return &rows[kind];
}

/* "zsh-5.9" and "bash5" are zsh and bash; "bashful" is not. */
static bool
name_matches(const char *base, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(base, name, n) != 0)
		return false;
	base += n;
	if (*base == '-')
		base++;
	return *base == '\0' || isdigit((unsigned char)*base);
}

const struct shell_row *
se_shell_by_name(const char *path, bool *ret_restricted)
{
	const char *base = path_base(path);
	size_t i;

	if (ret_restricted != NULL)
		*ret_restricted = false;
	if (*base == '-')
		base++;
	for (i = 0; i < AEG_NELEM(names); i++) {
		if (strcmp(base, names[i].name) != 0 &&
		    !name_matches(base, names[i].name))
			continue;
		if (ret_restricted != NULL)
			*ret_restricted = names[i].restricted;
		return &rows[names[i].kind];
	}
	return &rows[SHELL_OTHER];
}
