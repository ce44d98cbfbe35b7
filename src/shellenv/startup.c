/* SPDX-License-Identifier: ISC */
/*
 * Which start-up files each shell reads in which session, in order.
 *
 * From the shells' manuals, held against what the shells of Debian 12 were
 * seen to open (tests/script/shellenv_real.sh does it again).  Where a
 * distribution's build decides, mark is the text that such a build has in
 * its program, so that the answer is about the shell that is installed.
 */
#include "sim_int.h"

#define S(kind) (1U << SHELL_##kind)
#define LOGINS (1U << SHELLENV_LOGIN | 1U << SHELLENV_LOGIN_CMD | \
	1U << SHELLENV_SU)
#define TALKS (1U << SHELLENV_LOGIN | 1U << SHELLENV_SU | \
	1U << SHELLENV_INTERACTIVE)
#define TAB (1U << SHELLENV_INTERACTIVE)
#define CMD (1U << SHELLENV_COMMAND | 1U << SHELLENV_CRON)
#define SSH (1U << SHELLENV_SSH_CMD)
#define ALL (LOGINS | TALKS | CMD | SSH)
#define PROFILE_SHELLS (S(SH) | S(DASH) | S(ASH) | S(KSH93) | S(MKSH))

const struct startup_row se_startup_rows[] = {
	/* sh, dash, ash, ksh93, mksh */
	{ PROFILE_SHELLS | S(BASH) | S(AEGSH), LOGINS, RULE_ALWAYS,
	    "/etc/profile", "", "login" },
	{ PROFILE_SHELLS, LOGINS, RULE_ALWAYS, "~/.profile", "", "login" },
	{ S(SH) | S(DASH) | S(ASH), TALKS, RULE_VARIABLE, "$ENV", "",
	    "interactive, where ENV names a file" },
	{ S(KSH93), TALKS, RULE_ALWAYS, "/etc/ksh.kshrc", "/etc/ksh.kshrc",
	    "interactive" },
	{ S(KSH93), TALKS, RULE_VARIABLE, "$ENV|~/.kshrc", "",
	    "interactive" },
	{ S(MKSH), TALKS, RULE_VARIABLE, "$ENV|~/.mkshrc", "",
	    "interactive" },

	/* The first that is there hides the others, also when it cannot be
	 * read (bash) or imported (aegsh does as bash does). */
	{ S(BASH) | S(AEGSH), LOGINS, RULE_FIRST, "~/.bash_profile", "",
	    "login" },
	{ S(BASH) | S(AEGSH), LOGINS, RULE_FIRST, "~/.bash_login", "",
	    "login, without .bash_profile" },
	{ S(BASH) | S(AEGSH), LOGINS, RULE_FIRST, "~/.profile", "",
	    "login, without .bash_profile and .bash_login" },
	{ S(BASH), TAB, RULE_ALWAYS, "/etc/bash.bashrc", "/etc/bash.bashrc",
	    "interactive, not login" },
	{ S(BASH), TAB, RULE_ALWAYS, "~/.bashrc", "",
	    "interactive, not login" },
	/* sshd hands over a socket as stdin, and bash takes that for rshd. */
	{ S(BASH), SSH, RULE_ALWAYS, "/etc/bash.bashrc", "/etc/bash.bashrc",
	    "started by sshd" },
	{ S(BASH), SSH, RULE_ALWAYS, "~/.bashrc", "", "started by sshd" },
	{ S(BASH), CMD, RULE_VARIABLE, "$BASH_ENV", "",
	    "not interactive, where BASH_ENV names a file" },

	{ S(ZSH), ALL, RULE_ALWAYS, "/etc/zsh/zshenv", "/etc/zsh/zshenv",
	    "always" },
	{ S(ZSH), ALL, RULE_ALWAYS, "/etc/zshenv", "/etc/zshenv", "always" },
	{ S(ZSH), ALL, RULE_ALWAYS, "$ZDOTDIR/.zshenv", "", "always" },
	{ S(ZSH), LOGINS, RULE_ALWAYS, "/etc/zsh/zprofile",
	    "/etc/zsh/zprofile", "login" },
	{ S(ZSH), LOGINS, RULE_ALWAYS, "/etc/zprofile", "/etc/zprofile",
	    "login" },
	{ S(ZSH), LOGINS, RULE_ALWAYS, "$ZDOTDIR/.zprofile", "", "login" },
	{ S(ZSH), TALKS, RULE_ALWAYS, "/etc/zsh/zshrc", "/etc/zsh/zshrc",
	    "interactive" },
	{ S(ZSH), TALKS, RULE_ALWAYS, "/etc/zshrc", "/etc/zshrc",
	    "interactive" },
	{ S(ZSH), TALKS, RULE_ALWAYS, "$ZDOTDIR/.zshrc", "",
	    "interactive" },
	{ S(ZSH), LOGINS, RULE_ALWAYS, "/etc/zsh/zlogin", "/etc/zsh/zlogin",
	    "login, last" },
	{ S(ZSH), LOGINS, RULE_ALWAYS, "/etc/zlogin", "/etc/zlogin",
	    "login, last" },
	{ S(ZSH), LOGINS, RULE_ALWAYS, "$ZDOTDIR/.zlogin", "",
	    "login, last" },

	{ S(FISH), ALL, RULE_UVARS, "$CONFIG/fish/fish_variables", "",
	    "always" },
	{ S(FISH), ALL, RULE_GLOB, "$CONFIG/fish/conf.d", "", "always" },
	{ S(FISH), ALL, RULE_GLOB, "/etc/fish/conf.d", "", "always" },
	{ S(FISH), ALL, RULE_GLOB, "$DATA/fish/vendor_conf.d", "",
	    "always" },
	{ S(FISH), ALL, RULE_GLOB, "/usr/local/share/fish/vendor_conf.d",
	    "", "always" },
	{ S(FISH), ALL, RULE_GLOB, "/usr/share/fish/vendor_conf.d", "",
	    "always" },
	{ S(FISH), ALL, RULE_ALWAYS, "/etc/fish/config.fish", "",
	    "always" },
	{ S(FISH), ALL, RULE_ALWAYS, "$CONFIG/fish/config.fish", "",
	    "always" },

	/* yash reads no file of the system. */
	{ S(YASH), LOGINS, RULE_ALWAYS, "~/.yash_profile", "", "login" },
	{ S(YASH), TALKS, RULE_ALWAYS, "~/.yashrc", "", "interactive" },

	{ S(TCSH), ALL, RULE_ALWAYS, "/etc/csh.cshrc", "", "always" },
	{ S(TCSH), LOGINS, RULE_ALWAYS, "/etc/csh.login", "", "login" },
	{ S(TCSH), ALL, RULE_FIRST, "~/.tcshrc", "", "always" },
	{ S(TCSH), ALL, RULE_FIRST, "~/.cshrc", "",
	    "always, without .tcshrc" },
	{ S(TCSH), LOGINS, RULE_ALWAYS, "~/.login", "", "login" },

	{ S(NU), TALKS, RULE_ALWAYS, "$CONFIG/nushell/env.nu", "",
	    "interactive" },
	{ S(NU), TALKS, RULE_ALWAYS, "$CONFIG/nushell/config.nu", "",
	    "interactive" },
	{ S(NU), LOGINS, RULE_ALWAYS, "$CONFIG/nushell/login.nu", "",
	    "login" },
};
const size_t se_startup_n_rows = AEG_NELEM(se_startup_rows);
