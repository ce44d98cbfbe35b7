/* SPDX-License-Identifier: ISC */
/*
 * What the files of this room share: the subject, the table of shells,
 * reading files below a root, and growing lists in the arena.
 */
#ifndef SHELLENV_INT_H
#define SHELLENV_INT_H

#include "aegsh/shellenv.h"

#include <sys/stat.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

/* ---- shells.c: the shells that are known ------------------------------ */

enum shell_kind { SHELL_NONE = 0, SHELL_SH, SHELL_BASH, SHELL_ZSH, SHELL_FISH,
	SHELL_DASH, SHELL_ASH, SHELL_KSH93, SHELL_MKSH, SHELL_YASH, SHELL_TCSH,
	SHELL_NU, SHELL_AEGSH, SHELL_OTHER, SHELL_KINDS };

enum dialect { DIALECT_NONE = 0, DIALECT_POSIX, DIALECT_BASH, DIALECT_ZSH,
	DIALECT_KSH, DIALECT_FISH };

enum version_from { VERSION_NONE = 0, VERSION_OPTION, VERSION_VARIABLE,
	VERSION_APPLET, VERSION_PACKAGE };

struct shell_row {
	enum shell_kind kind;
	const char *name;
	enum dialect dialect;
	const char *rc_file, *login_profile;	/* where edits belong */
	enum version_from version_from;
	const char *version_arg;	/* option, or script that prints it */
	bool login_option;		/* takes -l together with -c */
	bool mendable;
};

const struct shell_row *se_shell_row(enum shell_kind kind);
/* By the last component of a path: "rbash", "zsh-5.9", "-ksh".  Never
 * NULL: SHELL_OTHER and SHELL_NONE are rows.  *ret_restricted may be NULL. */
const struct shell_row *se_shell_by_name(const char *path,
	bool *ret_restricted);

/* ---- builtin.c --------------------------------------------------------- */

struct shellenv;
/* "builtin" or "keyword" for a word that the shell knows by itself; NULL. */
const char *se_builtin(struct shellenv *se, const char *name);

/* ---- subject.c -------------------------------------------------------- */

struct prof;
struct shellenv {
	struct arena *arena;
	const char *root;
	const char *user, *home, *pw_home, *pw_shell;
	uid_t uid;
	gid_t gid;
	bool own;		/* who runs: the environment is theirs */
	bool known;		/* NSS knows the user */
	bool home_env;		/* home came from $HOME */
	struct strv env;
	const struct shell_row *row;
	const char *type;	/* NULL: none */
	const char *type_source, *shell_path, *shell_real;
	bool restricted_name;
	/* start-up files that were parsed, by path and dialect */
	const struct prof **profs;
	size_t n_profs, cap_profs;
	struct program { const char *path, *text; size_t len; } *programs;
	size_t n_programs, cap_programs;
};

/* A variable of the user's own environment; NULL for somebody else's. */
const char *se_getenv(const struct shellenv *se, const char *name);
/* The path on disk: as it is below the home, else root in front. */
const char *se_disk(struct shellenv *se, const char *path);
/* "~/x" for what lies in the home, else the path. */
const char *se_shown(struct shellenv *se, const char *path);
const char *se_printf(struct shellenv *se, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
const char *se_strdup(struct shellenv *se, const char *s)
	__attribute__((returns_nonnull));
/* The first %s of a sentence replaced. */
const char *se_subst(struct shellenv *se, const char *sentence,
	const char *text);
/* One word of a shell that means exactly the text. */
const char *se_quote(struct shellenv *se, const char *text);
/* " --shell zsh" where the shell was named, for a command to say again. */
const char *se_shell_option(struct shellenv *se);
/* "~/x" and "$HOME/x" to the absolute path. */
const char *se_tilde(struct shellenv *se, const char *path);
int se_stat(struct shellenv *se, const char *path, struct stat *ret);
bool se_exists(struct shellenv *se, const char *path);
/* A regular file, whole, into the arena.  -errno; ERR_TOO_LONG; -EISDIR
 * and -EINVAL for what is no regular file. */
int se_read(struct shellenv *se, const char *path, const char **ret,
	size_t *ret_len);
int se_read_big(struct shellenv *se, const char *path, size_t max,
	const char **ret, size_t *ret_len);
/* An executable regular file: found in the usual directories by name, or
 * the path itself.  NULL: none. */
const char *se_program(struct shellenv *se, const char *name);
/* What the symlinks of a path lead to, without the root. */
const char *se_real(struct shellenv *se, const char *path);

/* Append one element to a list in the arena. */
#define SE_PUSH(se, list, n, cap) \
	((n) < (cap) ? (void)0 : \
	 (void)((list) = arena_grow((se)->arena, (list), (n), \
	  (cap) = (cap) > 0 ? (cap) * 2 : 8, sizeof *(list))), \
	 memset(&(list)[(n)], 0, sizeof *(list)), &(list)[(n)++])

/* ---- platform.c ------------------------------------------------------- */

/* The shell that this distribution gives its users; NULL: not known. */
const char *se_platform_shell(struct shellenv *se);

/* ---- running.c, version.c, restricted.c ------------------------------- */

struct running {
	const char *type, *path;
	pid_t pid;
	bool login, restricted;
};
/* The nearest ancestor process that is a shell; pid 0: none. */
void se_running_find(struct shellenv *se, struct running *ret);
/* False where others could have put the program there. */
bool se_worth_running(struct shellenv *se);
const char *se_version_find(struct shellenv *se, const char **ret_source);
/* Why the shell is restricted, by name and environment; NULL: it is not. */
const char *se_restricted_why(struct shellenv *se, const struct running *run);

/* ---- probe.c ---------------------------------------------------------- */

struct probe {
	const char *path;	/* program on disk */
	const char *const *argv, *const *env;
	int limit_ms;
	size_t out_max;
	bool with_stderr;
};
struct probe_result {
	struct buf out;
	int status;		/* as waitpid gives it */
	bool timed_out, too_much;
};
int se_probe_run(const struct probe *p, struct probe_result *ret,
	struct err *err);
void se_probe_result_done(struct probe_result *r);
/* How a probe is held on this kernel: "landlock-v6" or "none". */
const char *se_probe_confinement(void);
int se_confine_self(void);		/* confine.c: in the probe's child */

/* ---- probe_path.c ----------------------------------------------------- */

enum probe_session { PROBE_LOGIN, PROBE_PLAIN, PROBE_INTERACTIVE };
struct probe_path {
	const char *path;	/* NULL: why says why */
	const char *why;
	bool timed_out;
	bool cannot_cd;		/* behaves as a restricted shell */
};
void se_probe_path(struct shellenv *se, enum probe_session s,
	struct probe_path *ret);

/* ---- login_env.c: what a login gives before any shell file is read ---- */

/* PATH from login.defs and /etc/environment, HOME, USER, SHELL, … */
void se_login_env(struct shellenv *se, struct strv *ret);
/* Whether a PAM service reads /etc/environment (1) and ~/.pam_environment
 * (2 as well). */
unsigned se_pam_env_of(struct shellenv *se, const char *service);

#endif
