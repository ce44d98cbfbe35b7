/* SPDX-License-Identifier: ISC */
/*
 * What lives on from one line to the next: working directory, exported
 * variables, directory stack, umask, $? and $_.  All of it is data: a
 * finished child's frame is parsed as bytes and never evaluated.
 *
 * The process's own working directory is the tracked one: state_cd()
 * really changes it, and children inherit it.
 */
#ifndef AEGSH_STATE_H
#define AEGSH_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

/* execve(2): one string of argv or envp is at most 32 pages. */
#define STATE_VAR_MAX ((size_t)131072)
#define STATE_VARS_MAX 16384	/* exported; as many live on unexported */
#define STATE_OWN_VARS 8	/* of its own at most, in state_envp() */
/* The stack must fit in what capture_dirs() hands to each bash. */
#define STATE_DIRS_MAX 4096
#define STATE_DIRS_BYTES_MAX ((size_t)16384)

struct state;

/* Takes what of envp is a valid exported variable, sanitised; works out
 * cwd (PWD where it names it, else getcwd(3)), SHLVL. */
struct state *state_new(char *const *envp);
/* The same in a directory that need not be there, and that the process does
 * not enter: for judging what somebody would do in it, never for running.
 * cwd is absolute. */
struct state *state_new_at(char *const *envp, const char *cwd);
void state_free(struct state *s);
/* Variables that state_new() left out since one of them, or all together,
 * are more than execve(2) takes. */
const struct strv *state_left_out(const struct state *s);

/* NULL when unset. */
const char *state_get(const struct state *s, const char *name);
int state_set(struct state *s, const char *name, const char *value,
	struct err *err);
void state_unset(struct state *s, const char *name);
/* The environment of a child: exported variables in name order, PWD,
 * OLDPWD, SHLVL as bash would leave them. */
void state_envp(const struct state *s, struct strv *ret);
/* The same for a bash that will replace itself by its only command (a line
 * run without capture): it takes its level of SHLVL back. */
void state_envp_raw(const struct state *s, struct strv *ret);
/* Names are given to fn in order until it returns non-zero. */
int state_each(const struct state *s,
	int (*fn)(void *ctx, const char *name, const char *value), void *ctx);

const char *state_cwd(const struct state *s);	/* logical, as $PWD */
int state_status(const struct state *s);	/* $? */
void state_set_status(struct state *s, int status);
const char *state_last_arg(const struct state *s);	/* $_ */
void state_set_last_arg(struct state *s, const char *word);
/* For umask(2) in the child; aegsh's own does not change. */
mode_t state_umask(const struct state *s);
void state_set_umask(struct state *s, mode_t mask);
/* Resource limits (setrlimit(2), by number) for a child, as the last line
 * left them; NULL: aegsh's own.  They can only be what that line was able to
 * set under the limits of its profile. */
#define STATE_LIMITS 16
const struct rlimit *state_limits(const struct state *s);
/* NULL changes nothing. */
void state_set_limits(struct state *s, const struct rlimit *limits);
/* The directory stack below the working directory, top first; borrowed
 * until the next change.  It goes to capture_dirs(). */
char *const *state_dirstack(struct state *s);

/* A word whose leading ~ is not quoted, with it expanded; owned. */
char *state_tilde(const struct state *s, const char *word);
/*
 * cd, pushd, popd, dirs of bash 5.2: argv without the name, words expanded.
 * Output goes to out; to complaint, as lines, what bash says after "bash:
 * line N: " ("cd: x: No such file or directory\n", for wrong usage a second
 * line).  The return value is $?, which is not set here.
 */
int state_cd(struct state *s, char *const *argv, struct buf *out,
	struct buf *complaint);
int state_pushd(struct state *s, char *const *argv, struct buf *out,
	struct buf *complaint);
int state_popd(struct state *s, char *const *argv, struct buf *out,
	struct buf *complaint);
int state_dirs(struct state *s, char *const *argv, struct buf *out,
	struct buf *complaint);
/* Commands are in a directory that was removed and had this name: relative
 * names are below it, though nobody can go there. */
void state_cd_gone(struct state *s, const char *name);

/* Whether frames are of bash that was asked for more than exports. */
void state_set_keeps(struct state *s, bool keeps);
#define STATE_PLAIN_MAX ((size_t)262144)	/* bytes of all of them */
/* Commands that set the variables which live on unexported: one each,
 * quoted by us. */
const struct strv *state_plain(const struct state *s);
/* -EPERM where such a variable does not live on. */
int state_set_plain(struct state *s, const char *name, const char *value);
/* The functions as bash printed them: to be parsed, never to be run as it
 * stands.  "" when there are none. */
const char *state_functions(const struct state *s);

/* What an import did besides taking variables over. */
struct state_report {
	struct strv stripped;	/* names that sanitising took out */
	struct strv too_large;	/* names over STATE_VAR_MAX, dropped */
	bool lost_functions;	/* the child defined functions … */
	bool cwd_failed;	/* PWD could not be followed */
};
void state_report_done(struct state_report *r);

/* For the next import: where the child really was (an O_PATH descriptor as
 * of capture_cwd_fd(), borrowed until then), so that a directory that was
 * removed or renamed can be followed.  Without, its name is. */
void state_child_cwd(struct state *s, int fd);
/* Import the frame that the trap of capture_script() wrote.  ERR_SYNTAX
 * when it is malformed: then nothing changed. */
int state_import(struct state *s, const char *frame, size_t len,
	struct state_report *ret, struct err *err);

/* The sanitising table (one for start, import and children): why a name
 * may not be carried, or NULL. */
const char *state_refuses(const char *name, const char *value);
/* Of the same table: why a clean environment has the name, or NULL. */
const char *state_keeps(const char *name);

#endif
