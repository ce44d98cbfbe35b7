/* SPDX-License-Identifier: ISC */
/*
 * The shell environment of one user: which shell it is, which files it
 * reads, what is wrong with its PATH, and mending that.
 *
 * Who: the user who runs; for root under sudo, doas or pkexec the invoking
 * user.  A root process calls shellenv_become() before anything else here,
 * so that files are read and written, and shells started, with that user's
 * rights.  Facts come from passwd (NSS), /proc, the files themselves and
 * the shells' own binaries.  Start-up files are read and understood here;
 * they are executed only by what is marked PROBE, confined as far as the
 * kernel allows and under a time limit.
 *
 * Edits of the files are planned and made by aegsh/shellenv_mend.h.
 *
 * Results belong to the struct shellenv and live until shellenv_free().
 * Paths in results are as written on disk; text from files may hold any
 * byte and goes through text_inert() before a terminal.
 */
#ifndef AEGSH_SHELLENV_H
#define AEGSH_SHELLENV_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "aegsh/base/err.h"

#define SHELLENV_FILE_MAX ((size_t)1024 * 1024)	/* bytes of one file */
#define SHELLENV_VALUE_MAX ((size_t)32 * 1024)	/* bytes of one value */
#define SHELLENV_PROBE_MS 5000			/* limit of one probe */

struct shellenv;

struct shellenv_opts {
	const char *user;	/* NULL: see above */
	const char *home;	/* NULL: $HOME of the own user, else passwd */
	const char *shell;	/* NULL: the login shell; a name or a path */
	const char *root;	/* NULL: ""; put before system files' paths */
	char *const *env;	/* NULL: environ */
};

/* ERR_CALLER: no such user.  opts may be NULL. */
int shellenv_open(const struct shellenv_opts *opts, struct shellenv **ret,
	struct err *err) __attribute__((nonnull(2)));
void shellenv_free(struct shellenv *se);
/* Take on the user's ids for good; nothing to do when they are the own. */
int shellenv_become(const struct shellenv *se, struct err *err);

/* The flags of shellenv_detect() and shellenv_check(). */
enum { SHELLENV_PROBE = 1 };	/* start the shells to see their PATH */

struct shellenv_record {
	/* the eight fields; NULL or -1: not known */
	const char *type, *version, *login_profile, *rc_file;
	int path_healthy;
	const char *path_login, *path_nonlogin;
	bool restricted;
	/* beside them */
	const char *user, *home, *shell_path, *shell_env, *shell_real;
	const char *type_source;	/* passwd, $SHELL, option, fallback */
	const char *version_source;	/* program, package */
	const char *restricted_why;	/* NULL when it is not */
	const char *platform_shell;	/* what this system gives; NULL */
	const char *running_type, *running_path;	/* NULL: none found */
	pid_t running_pid;
	bool running_login;
	bool mendable;		/* its files can be edited here */
	const char *confined;	/* how probes are held: "landlock-v6", "none" */
	const char *probe_note;	/* why a PATH is not known */
	uid_t uid;
};
int shellenv_detect(struct shellenv *se, int flags,
	const struct shellenv_record **ret, struct err *err);

enum shellenv_session {
	SHELLENV_LOGIN,		/* login, interactive: ssh, console */
	SHELLENV_LOGIN_CMD,	/* login, not interactive: -l -c CMD */
	SHELLENV_INTERACTIVE,	/* a new terminal tab */
	SHELLENV_COMMAND,	/* -c CMD, scripts */
	SHELLENV_SSH_CMD,	/* ssh host CMD */
	SHELLENV_SU,		/* su - */
	SHELLENV_CRON,
	SHELLENV_DESKTOP,	/* the display manager's session */
	SHELLENV_SESSIONS
};
const char *shellenv_session_name(enum shellenv_session s);

struct shellenv_file {
	const char *path, *shown;	/* shown: with ~ for the home */
	const char *when;		/* what reads it, in a few words */
	bool exists, readable, read;	/* read: this session reads it */
	bool maybe;			/* under a condition not decided here */
	const char *shadowed_by;	/* NULL: not */
	const char *sourced_from;	/* NULL: the shell itself reads it */
	int line;			/* of sourced_from */
	/* Where the top-level command begins in which the session surely
	 * stops reading it ("not interactive? then return"); SIZE_MAX: it is
	 * read to its end. */
	size_t ends_at;
};
/* In the order of reading.  shell NULL: the user's.  -EINVAL: unknown. */
int shellenv_files(struct shellenv *se, const char *shell,
	enum shellenv_session session, const struct shellenv_file **ret,
	size_t *ret_n, struct err *err);
/* What a login session of aegsh imports, in order: absolute paths, only
 * files that are there.  NULL-terminated. */
int shellenv_login_files(struct shellenv *se, const char *const **ret,
	struct err *err);
/* The assignments in the text of a file like /etc/environment, as pam_env(8)
 * takes them; until fn returns non-zero. */
int shellenv_assignments(const char *text,
	int (*fn)(void *ctx, const char *name, const char *value), void *ctx);

enum shellenv_severity { SHELLENV_ERROR = 0, SHELLENV_WARNING, SHELLENV_INFO };

struct shellenv_evidence { const char *file; int line; const char *text; };
struct shellenv_finding {
	const char *id;			/* KIND or KIND:SUBJECT */
	enum shellenv_severity severity;
	const char *what;		/* one sentence */
	const char *remedy;		/* one sentence */
	const char *command;		/* NULL: nothing to run */
	bool fixable;			/* by SHELLENV_FIX of shellenv_mend.h */
	const struct shellenv_evidence *evidence;
	size_t n_evidence;
};
int shellenv_check(struct shellenv *se, int flags,
	const struct shellenv_finding **ret, size_t *ret_n, struct err *err);

enum shellenv_reach { SHELLENV_ABSENT, SHELLENV_UNREACHABLE, SHELLENV_FOUND };
struct shellenv_tool {
	enum shellenv_reach reach;
	const char *path;		/* of the program; NULL: absent */
	const char *entry, *file;	/* PATH entry, and what set it */
	int line;
	const char *method;		/* NULL, or how it was installed */
	const char *fix;		/* NULL, or the command */
	const char *note;		/* NULL, or one more sentence */
	bool in_shell;			/* absent, but a word of the shell */
};
int shellenv_which(struct shellenv *se, const char *tool,
	const struct shellenv_tool **ret, struct err *err);

enum shellenv_can { SHELLENV_CAN_NOT = 0, SHELLENV_CAN_PARTLY, SHELLENV_CAN };
struct shellenv_confinement {
	const char *id, *mode, *evidence;	/* mode: "strict", … */
	int present;				/* 1, 0, -1: cannot be told */
	enum shellenv_can package_install, user_install, profile_write;
	const char *condition;			/* "with sudo", NULL */
};
int shellenv_confinements(struct shellenv *se,
	const struct shellenv_confinement **ret, size_t *ret_n,
	struct err *err);

#endif
