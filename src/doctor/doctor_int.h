/* SPDX-License-Identifier: ISC */
/* What the files of the doctor share. */
#ifndef DOCTOR_INT_H
#define DOCTOR_INT_H

#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"
#include "aegsh/doctor.h"

/*
 * The checks: name, id, severity, what is the matter, what to do.  A row's
 * texts are whole; the evidence says where.
 */
#define DOCTOR_CHECKS(ROW) \
ROW(SETTINGS, "rules.settings", PROBLEM, \
    "the settings cannot be read: no session starts with them, commands and " \
    "forced commands are refused, and a prompt is a rescue", \
    "Mend the file; aegshctl status shows which it is.") \
ROW(RULES, "rules.load", PROBLEM, \
    "the rules cannot be loaded: sessions that run keep the old ones, no " \
    "other starts, commands and forced commands are refused, and a prompt " \
    "is a rescue", \
    "Mend the file; aegshctl policy check FILE tells whether it is good.") \
ROW(PROFILE, "rules.profile", PROBLEM, \
    "the settings name a policy profile that is not there: where no match " \
    "block gives another one, no session starts, commands and forced " \
    "commands are refused, and a prompt is a rescue", \
    "Correct the name; aegshctl profile list shows those that there are.") \
ROW(PROFILE_LIST, "rules.profile-list", WARNING, \
    "a setting for some policy profiles names one that is not there, and " \
    "says nothing for it", \
    "Correct the name; aegshctl profile list shows those that there are.") \
ROW(WITNESS, "record.witness", WARNING, \
    "a witness that the settings name cannot be told how far records have " \
    "come: what is cut off their ends may not be missed", \
    "Start it, or name another (witness).  The kernel's audit is turned on " \
    "by auditctl -e 1, and for ordinary users root's aegshctl audit sign " \
    "--all tells it.") \
ROW(SANDBOX, "rules.sandbox", PROBLEM, \
    "a policy profile names a sandbox profile that is not there or cannot " \
    "be used: no session of that profile starts", \
    "Correct the name, or put the profile in place: /etc/aegsh/sandbox.d/" \
    "NAME.conf; aegshctl sandbox show NAME tells whether it is good.") \
ROW(ELEVATE, "rules.elevate", PROBLEM, \
    "a policy profile has sudo and its like brokered (elevate), and a helper " \
    "of aegsh's for it is not there, or others could change it: such calls " \
    "are refused", \
    "Install aegsh anew; its helpers belong to root, and nobody else writes " \
    "to their directory.") \
ROW(CONFINED, "rules.elevated", NOTE, \
    "what sudo runs for a line is started by a program of aegsh's: whom " \
    "sudoers lets run single commands, and not ALL, it must let run that, " \
    "too, which opens no other command", \
    "A line of sudoers(5): %GROUP ALL = (root) and that path.") \
ROW(SHELL_MISSING, "account.shell-missing", PROBLEM, \
    "the login shell of an account is an aegsh that is not there or cannot " \
    "be executed: nobody gets in by it", \
    "Install aegsh there, or give the account another shell: usermod -s " \
    "/bin/bash NAME.") \
ROW(SHELL_LOOSE, "account.shell-writable", PROBLEM, \
    "others than root can replace the program that is a login shell", \
    "chown root: FILE; chmod go-w FILE, and so for the directories above " \
    "it.") \
ROW(STORE_MISSING, "account.store", WARNING, \
    "an account with aegsh as login shell has no store of its own, so that " \
    "its record lies in a temporary directory", \
    "install -d -m 700 -o NAME -g GROUP DIRECTORY") \
ROW(ROOT_SHELL, "root.shell", WARNING, \
    "aegsh is root's login shell: with its file gone or broken there is no " \
    "way in for root", \
    "Keep a second way in that does not start it (another account of uid 0, " \
    "or a console that asks for no shell), or give root a plain shell.") \
ROW(LOGIN_FILE, "login.file", WARNING, \
    "a start-up file is left out at a login by aegsh, as others than its " \
    "user and root could change it: what it exports is missing then", \
    "chown it to its user; chmod go-w FILE, and so for the directories " \
    "above it.") \
ROW(LOGIN_ENV, "login.environment", WARNING, \
    "something is wrong with your start-up files or PATH", \
    "aegshctl env check says more, and aegshctl env fix mends some.") \
ROW(SHELLS_ENTRY, "shells.entry", WARNING, \
    "aegsh is a login shell and not named in shells(5): chsh(1) refuses it, " \
    "and so do services that ask pam_shells(8)", \
    "echo PATH >>/etc/shells, or add-shell PATH.") \
ROW(INTERNAL_SFTP, "sshd.internal-sftp", WARNING, \
    "internal-sftp serves files inside of sshd: no shell is started, and " \
    "nothing of it is judged, confined or recorded", \
    "Name the program: Subsystem sftp /usr/lib/openssh/sftp-server.  Where " \
    "aegsh is the ForceCommand, internal-sftp is a command that it does not " \
    "find.") \
ROW(SFTP_SERVER, "sshd.sftp-server", PROBLEM, \
    "the sftp subsystem names a program that is not there: sftp and scp fail", \
    "Install it (Debian: openssh-sftp-server), or correct the path.") \
ROW(NO_SFTP, "sshd.no-sftp", NOTE, \
    "there is no sftp subsystem: sftp and today's scp do not work, scp -O, " \
    "rsync and git do", \
    "Subsystem sftp /usr/lib/openssh/sftp-server; it is started by the " \
    "login shell, and aegsh judges it.") \
ROW(ACCEPT_ENV, "sshd.accept-env", WARNING, \
    "clients may set variables that make programs load or run something, " \
    "before any shell is there", \
    "Accept names only that are known to be harmless: AcceptEnv LANG LC_*.") \
ROW(USER_ENV, "sshd.user-environment", WARNING, \
    "sshd sets variables from ~/.ssh/environment and authorized_keys, which " \
    "their users write", \
    "PermitUserEnvironment no") \
ROW(USER_RC, "sshd.user-rc", WARNING, \
    "~/.ssh/rc runs before the session where no ForceCommand stands: by the " \
    "login shell, so outside of aegsh where that is another one", \
    "PermitUserRC no, or no-user-rc (restrict) for the key.") \
ROW(NO_FORCE, "sshd.no-force-command", WARNING, \
    "accounts with another login shell get that one from sshd, and nothing " \
    "of theirs is judged", \
    "Match Group USERS, then ForceCommand PATH of aegsh; or usermod -s.") \
ROW(FORCE_OTHER, "sshd.force-command", NOTE, \
    "a ForceCommand that is not aegsh: the login shell starts it, and where " \
    "that is not aegsh it is not judged", \
    "ForceCommand aegsh -c 'COMMAND', where it shall be.") \
ROW(FORWARDING, "sshd.forwarding", NOTE, \
    "sshd itself forwards ports (-L, -R, -D, -W, ProxyJump): that passes " \
    "no shell", \
    "AllowTcpForwarding no and PermitTunnel no, or restrict for the key, " \
    "where nothing shall pass by aegsh.") \
ROW(KEY_COMMAND, "keys.command", WARNING, \
    "a key is held to aegsh in a file that its user can write: what the " \
    "session can change in the home can take the command away", \
    "Use ForceCommand in sshd_config, or an AuthorizedKeysFile that root " \
    "owns; or a profile that writes nothing (--profile transfer-fetch).") \
ROW(KEY_LOOSE, "keys.restrict", WARNING, \
    "a key is held to aegsh, but may forward ports and run ~/.ssh/rc", \
    "Put restrict in front of command=; add pty where it shall have one.") \
ROW(UNREADABLE, "file.unreadable", NOTE, \
    "a file could not be looked at, so that nothing is known about it", \
    "Root can look at what is not yours, root's authorized_keys among it: " \
    "sudo aegshctl doctor. Where root cannot either, mend owner and mode.")

enum doctor_check {
#define ROW(name, id, severity, what, remedy) CHECK_##name,
	DOCTOR_CHECKS(ROW)
#undef ROW
	CHECK_COUNT
};

/* ---- doctor_rules.c ----------------------------------------------------- */

/* Settings, rules and sandbox profiles of the system that runs. */
void doctor_check_rules(struct doctor *d);

/* ---- doctor.c ---------------------------------------------------------- */

struct doctor {
	struct arena *mem;
	struct doctor_opts opts;
	int root;			/* its directory */
	struct doctor_finding *list;
	size_t n;
	struct sshd_directive *sshd;	/* in order; NULL: no sshd_config */
	size_t n_sshd;
	struct doctor_account *account;
	size_t n_accounts;
};

/* One finding for each check that has any; the next place is put below the
 * first.  text may be NULL. */
void doctor_find(struct doctor *d, enum doctor_check check, const char *file,
	unsigned line, const char *text);
char *doctor_printf(struct doctor *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- doctor_file.c: files below the root ------------------------------- */

/* A regular file of at most DOCTOR_FILE_MAX bytes, links followed as the
 * system below the root would; in the arena, with a NUL.  NULL: it is not
 * there.  One that cannot be read is a finding. */
char *doctor_read(struct doctor *d, const char *path, uid_t *ret_owner);
struct stat;
int doctor_stat(struct doctor *d, const char *path, struct stat *ret);
/* Names that a glob(7) pattern means, in order; at most 256. */
void doctor_glob(struct doctor *d, const char *pattern, struct strv *ret);
/* The words of a line as sshd_config(5) and authorized_keys read them:
 * "double quotes", a # begins a comment.  Changes the line. */
size_t doctor_words(char *line, char **words, size_t max);

/* ---- doctor_sshd.c ----------------------------------------------------- */

#define SSHD_WORDS_MAX 64

struct sshd_directive {
	const char *file;
	unsigned line;
	const char *name;		/* in small letters */
	const char *text;		/* the line as it stands */
	char **word;			/* arguments */
	size_t n_words;
	const char *match;		/* of its Match block, or NULL */
};

/* /etc/ssh/sshd_config and what it includes. */
void doctor_read_sshd(struct doctor *d);
void doctor_check_sshd(struct doctor *d);
bool doctor_is_aegsh(const char *command);

/* ---- doctor_accounts.c ------------------------------------------------- */

struct doctor_account {
	const char *name, *home, *shell;
	uid_t uid;
	bool ours;			/* its shell is an aegsh */
	bool other;			/* it has another one, to log in with */
	unsigned line;			/* of passwd(5) */
};

void doctor_read_accounts(struct doctor *d);
void doctor_check_accounts(struct doctor *d);
void doctor_check_keys(struct doctor *d);

/* ---- doctor_env.c ------------------------------------------------------ */

void doctor_check_env(struct doctor *d);

#endif
