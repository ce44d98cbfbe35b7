/* SPDX-License-Identifier: ISC */
/*
 * The options of aegsh(1), one row each: letter (0: none), long name ("":
 * none), argument (NULL: takes none), help, what completes the argument.
 * `aegsh --help` and the completions are made of them; a unit test has
 * aegsh take each.
 */
#ifndef AEGSH_CONF_SHELL_H
#define AEGSH_CONF_SHELL_H

#define CONF_SHELL_OPTIONS(ROW) \
	ROW('c', "", "COMMAND", "run COMMAND; further words are $0, $1, …", \
	    NONE) \
	ROW('i', "", NULL, "be interactive: prompt, jobs, questions", NONE) \
	ROW('l', "login", NULL, \
	    "be a login shell, as when argv[0] begins with '-'", NONE) \
	ROW(0, "noprofile", NULL, \
	    "read no start-up files, also as a login shell", NONE) \
	ROW('n', "", NULL, "say what cannot be read, and run nothing", NONE) \
	ROW('s', "", NULL, "read commands from standard input", NONE) \
	ROW('o', "", "NAME=VALUE", \
	    "set an option of aegsh.conf(5), tighter only", SETTING) \
	ROW('O', "", "NAME", "shopt -s NAME (+O: -u), for -c and scripts", \
	    NONE) \
	ROW('e', "", NULL, "as set -e; so are a b f h k m p r t u v x B C E " \
	    "H P T and -o NAME", NONE) \
	ROW(0, "profile", "NAME", "judge by this policy profile", PROFILE) \
	ROW(0, "help", NULL, "say this", NONE) \
	ROW(0, "version", NULL, "say the version", NONE)

#endif
