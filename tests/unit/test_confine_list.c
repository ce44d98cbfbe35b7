/* SPDX-License-Identifier: ISC */
/* What sudo -ll writes of users, by sudo 1.9.13, and what of it a command
 * that is started by us would be without. */
#include "confine/confine_int.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

#define OWN "/usr/libexec/aegsh/aegsh-confine"
#define HEAD "Matching Defaults entries for u on h:\n" \
	"    env_reset, mail_badpass, noexec_file=/x, use_pty\n\n"
#define GENERAL(...) "Matching Defaults entries for u on h:\n" \
	"    env_reset, " #__VA_ARGS__ ", use_pty\n\n"
#define SPECIAL(what) "Runas and Command-specific defaults for u:\n" \
	"    Defaults" what "\n\n"
#define MAY "User u may run the following commands on h:\n"
#define ENTRY "\nSudoers entry:\n"
#define ALL_USERS "    RunAsUsers: ALL\n"
#define ALL_GROUPS "    RunAsGroups: ALL\n"
#define ROOT "    RunAsUsers: root\n"
#define FREE "    Options: !authenticate\n"
#define ALL "    Commands:\n\tALL\n"
#define US "    Commands:\n\t" OWN "\n"
#define APT "    Commands:\n\t/usr/bin/apt update\n\t/usr/bin/nproc\n"

static const struct {
	const char *name, *text;
	bool group;
	int code;
	const char *why;
	bool others;	/* its name is not root's alone */
} rows[] = {
	{ "all, with a password", HEAD MAY ENTRY ALL_USERS ALL_GROUPS ALL,
	    false, 0, "" },
	{ "all, without", MAY ENTRY ALL_USERS ALL_GROUPS FREE ALL, false, 0,
	    "" },
	{ "some without, we with", MAY ENTRY ALL_USERS ALL ENTRY ROOT FREE APT,
	    false, 0, "" },
	{ "we without, some with", MAY ENTRY ROOT FREE US ENTRY ROOT APT,
	    false, ERR_REFUSED, "take that tag off its line" },
	{ "the same in the other order", MAY ENTRY ROOT APT ENTRY ROOT FREE US,
	    false, ERR_REFUSED, "take that tag off its line" },
	{ "we and all others without", MAY ENTRY ROOT FREE US ENTRY ROOT FREE
	    APT, false, 0, "" },
	{ "first all with, then without", MAY ENTRY ALL_USERS ALL_GROUPS ALL
	    ENTRY ALL_USERS FREE ALL, false, 0, "" },
	{ "which is not said of groups", MAY ENTRY ALL_USERS ALL_GROUPS ALL
	    ENTRY ALL_USERS FREE ALL, true, ERR_REFUSED, "does not tell" },
	{ "and was", MAY ENTRY ALL_USERS ALL_GROUPS ALL ENTRY ALL_USERS
	    ALL_GROUPS FREE ALL, true, 0, "" },
	{ "all without as root alone", MAY ENTRY ALL_USERS ALL ENTRY ROOT FREE
	    ALL, false, ERR_REFUSED, "does not tell" },
	{ "all without, then one with", MAY ENTRY ALL_USERS FREE ALL ENTRY
	    ALL_USERS "    Options: authenticate\n" APT, false, ERR_REFUSED,
	    "does not tell" },
	{ "a pattern that may mean us", MAY ENTRY ROOT FREE
	    "    Commands:\n\t/usr/libexec/*/aegsh*\n" ENTRY ROOT APT, false,
	    ERR_REFUSED, "take that tag" },
	{ "a directory that may", MAY ENTRY ROOT FREE
	    "    Commands:\n\t/usr/libexec/aegsh/\n" ENTRY ROOT APT, false,
	    ERR_REFUSED, "take that tag" },
	{ "an expression that may", MAY ENTRY ROOT FREE
	    "    Commands:\n\t^/.*$\n" ENTRY ROOT APT, false, ERR_REFUSED,
	    "take that tag" },
	{ "with words behind us", MAY ENTRY ROOT FREE "    Commands:\n\t" OWN
	    " elevated -- /usr/bin/id\n" ENTRY ROOT APT, false, ERR_REFUSED,
	    "take that tag" },
	{ "by another path", MAY ENTRY ROOT FREE
	    "    Commands:\n\t/usr/sbin/aegsh-confine\n" ENTRY ROOT APT, false,
	    ERR_REFUSED, "take that tag" },
	{ "a file by its hash", MAY ENTRY ROOT
	    "    Commands:\n\tsha224:abc= /home/u/x\n", false, ERR_REFUSED,
	    "\"sha224:abc=\"" },
	{ "another of a name like ours", MAY ENTRY ROOT FREE "    Commands:\n\t"
	    OWN "-not\n" ENTRY ROOT APT, false, 0, "" },
	{ "NOEXEC", MAY ENTRY ALL_USERS ALL ENTRY ALL_USERS
	    "    Options: noexec\n" APT, false, ERR_REFUSED, "\"noexec\"" },
	{ "NOEXEC among others", MAY ENTRY ALL_USERS
	    "    Options: setenv, noexec, !authenticate\n" ALL, false,
	    ERR_REFUSED, "\"noexec\"" },
	{ "INTERCEPT", MAY ENTRY ALL_USERS "    Options: intercept\n" ALL,
	    false, ERR_REFUSED, "\"intercept\"" },
	{ "NOSETENV", MAY ENTRY ALL_USERS "    Options: !setenv\n" ALL, false,
	    ERR_REFUSED, "\"!setenv\"" },
	{ "what sudo did not know yet", MAY ENTRY ALL_USERS
	    "    Options: gentle\n" ALL, false, ERR_REFUSED, "\"gentle\"" },
	{ "inert", MAY ENTRY ALL_USERS "    Options: \033[2J\n" ALL, false,
	    ERR_REFUSED, "\"^[[2J\"" },
	{ "SETENV for us", MAY ENTRY ROOT "    Options: setenv\n" US, false,
	    ERR_REFUSED, "SETENV" },
	{ "SETENV for all", MAY ENTRY ALL_USERS "    Options: setenv\n" ALL,
	    false, 0, "" },
	{ "noexec of one command", HEAD
	    "Runas and Command-specific defaults for u:\n"
	    "    Defaults!/usr/bin/vi noexec\n\n" MAY ENTRY ALL_USERS ALL,
	    false, ERR_REFUSED, "Defaults!/usr/bin/vi noexec" },
	{ "and what matters less", HEAD
	    "Runas and Command-specific defaults for u:\n"
	    "    Defaults!/usr/bin/vi !requiretty\n\n" MAY ENTRY ALL_USERS ALL,
	    false, 0, "" },
	{ "a directory to run in", MAY ENTRY ALL_USERS ALL_GROUPS
	    "    Cwd: /tmp\n" ALL, false, ERR_REFUSED, "\"Cwd: /tmp\"" },
	{ "a root to run in", MAY ENTRY ALL_USERS "    Chroot: /c\n" ALL,
	    false, ERR_REFUSED, "\"Chroot: /c\"" },
	{ "a time to run", MAY ENTRY ALL_USERS "    Timeout: 300\n" ALL, false,
	    ERR_REFUSED, "\"Timeout: 300\"" },
	{ "a role", MAY ENTRY ALL_USERS "    Role: sysadm_r\n" ALL, false,
	    ERR_REFUSED, "\"Role: sysadm_r\"" },
	{ "no password for all, but for one", GENERAL(!authenticate) MAY ENTRY
	    ROOT "    Options: authenticate\n" APT ENTRY ROOT US, false,
	    ERR_REFUSED, "take that tag" },
	{ "no password for all", GENERAL(!authenticate) MAY ENTRY ROOT APT
	    ENTRY ROOT US, false, 0, "" },
	{ "no password, and then one, for all",
	    GENERAL(!authenticate, authenticate) MAY ENTRY ROOT APT ENTRY ROOT
	    US, false, 0, "" },
	{ "NOEXEC of all, but for us", GENERAL(noexec) MAY ENTRY ROOT APT ENTRY
	    ROOT "    Options: !noexec\n" US, false, ERR_REFUSED,
	    "\"noexec\"" },
	{ "we without, by another directory", MAY ENTRY ROOT FREE
	    "    Commands:\n\t/lib/aegsh-confine\n" ENTRY ROOT APT, false,
	    ERR_REFUSED, "take that tag" },
	{ "or spelled otherwise", MAY ENTRY ROOT FREE
	    "    Commands:\n\t/lib/aegsh\\-confine\n" ENTRY ROOT APT, false,
	    ERR_REFUSED, "take that tag" },
	{ "or by a digest", MAY ENTRY ROOT FREE
	    "    Commands:\n\tsha256:0a " OWN "\n" ENTRY ROOT APT, false,
	    ERR_REFUSED, "\"sha256:0a\"" },
	{ "one that is logged, and we are not", MAY ENTRY ROOT
	    "    Options: log_output\n" APT ENTRY ROOT US, false, ERR_REFUSED,
	    "\"log_output\"" },
	{ "we less than others", MAY ENTRY ROOT APT ENTRY ROOT
	    "    Options: !log_input\n" US, false, ERR_REFUSED,
	    "\"log_input\"" },
	{ "all logged", MAY ENTRY ROOT "    Options: log_output\n" APT ENTRY
	    ROOT "    Options: log_output\n" US, false, 0, "" },
	{ "one not logged", MAY ENTRY ROOT "    Options: !log_output\n" APT
	    ENTRY ROOT US, false, 0, "" },
	{ "root's password for one command", SPECIAL("!/usr/bin/apt rootpw")
	    MAY ENTRY ALL_USERS ALL, false, ERR_REFUSED, "rootpw" },
	{ "a password each time for one command",
	    SPECIAL("!/usr/bin/apt timestamp_timeout=0") MAY ENTRY ALL_USERS
	    ALL, false, ERR_REFUSED, "timestamp_timeout=0" },
	{ "a variable for one command", SPECIAL("!/usr/bin/apt env_keep+=FOO")
	    MAY ENTRY ALL_USERS ALL, false, 0, "" },
	{ "a variable for us", SPECIAL("!" OWN " env_keep+=FOO") MAY ENTRY
	    ALL_USERS ALL, false, ERR_REFUSED, "env_keep" },
	{ "what others could change", MAY ENTRY ROOT APT ENTRY ROOT US, false,
	    ERR_REFUSED, "others than root could change", true },
	{ "which is nothing where all may run", MAY ENTRY ALL_USERS ALL, false,
	    0, "", true },
	{ "but not all with a digest", MAY ENTRY ALL_USERS
	    "    Commands:\n\tsha256:0a ALL\n", false, ERR_REFUSED,
	    "\"sha256:0a\"", true },
	{ "from when on, and until when", MAY ENTRY ALL_USERS
	    "    NotBefore: 20200101000000Z\n    NotAfter: 20300101000000Z\n"
	    ALL, false, 0, "" },
	{ "from a directory service", MAY "\nLDAP Role: x\n" ALL_USERS ALL,
	    false, 0, "" },
	{ "nothing", "User u is not allowed to run sudo on h.\n", false,
	    ERR_SYNTAX, "no entry" },
	{ "no text", "", false, ERR_SYNTAX, "no entry" },
};

int
main(void)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct err err = ERR_INIT;
		int rc = confine_check_list(rows[i].text, OWN, rows[i].group,
		    !rows[i].others, &err);

		OKF(rc == rows[i].code && strstr(err.text, rows[i].why) != NULL,
		    "%s (%d: %s)", rows[i].name, rc, err.text);
	}
	return tap_done();
}
