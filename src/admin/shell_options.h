/* SPDX-License-Identifier: ISC */
/*
 * The options of aegsh(1), one row each: letter (0: none), long name ("":
 * none), argument (NULL: takes none), help, what completes the argument.
 * The includer defines SHELL_OPTION.
 */
SHELL_OPTION('c', "", "COMMAND", "run COMMAND", NONE)
SHELL_OPTION('i', "", NULL, "be interactive: prompt, jobs, questions", NONE)
SHELL_OPTION('l', "login", NULL, "be a login shell", NONE)
SHELL_OPTION('s', "", NULL, "read commands from standard input", NONE)
SHELL_OPTION('o', "", "NAME=VALUE", "set a setting, tighter only", SETTING)
SHELL_OPTION(0, "profile", "NAME", "judge by this policy profile", PROFILE)
SHELL_OPTION(0, "help", NULL, "say how it is called", NONE)
SHELL_OPTION(0, "version", NULL, "say the version", NONE)
