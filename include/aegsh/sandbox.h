/* SPDX-License-Identifier: ISC */
/*
 * Confinement: a profile in plain text becomes a Landlock ruleset, a
 * seccomp program, resource limits and no_new_privs.
 *
 * sandbox_load() reads share/sandbox/NAME.conf (and the operator's
 * sandbox.d/NAME.conf over it); sandbox_prepare() builds descriptors and
 * BPF in a process that may allocate; sandbox_apply() is only system
 * calls, for use between clone(2) and execve(2).
 */
#ifndef AEGSH_SANDBOX_H
#define AEGSH_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

#define SANDBOX_RULES_MAX 6000		/* path rules of one ruleset */

enum sandbox_layer {			/* bits */
	SANDBOX_NNP = 1 << 0,		/* no_new_privs, prctl(2) */
	SANDBOX_LANDLOCK_FS = 1 << 1,	/* read, write, execute by path */
	SANDBOX_LANDLOCK_SCOPE = 1 << 2,/* signals, abstract sockets (ABI 6) */
	SANDBOX_LANDLOCK_NET = 1 << 3,	/* TCP ports (ABI 4) */
	SANDBOX_SECCOMP = 1 << 4,
	SANDBOX_RLIMITS = 1 << 5,
	SANDBOX_COVER = 1 << 6,		/* private mounts over secrets: uid 0
					 * with CAP_SYS_ADMIN */
};

/* What this kernel, this process can do. */
struct sandbox_caps {
	int landlock_abi;		/* 0: none; -errno why */
	unsigned layers;		/* enum sandbox_layer that can be had */
};
void sandbox_probe(struct sandbox_caps *ret);
const char *sandbox_layer_name(enum sandbox_layer layer);

/* Values for $HOME, $PROJECT, $TMPDIR, $STORE in a profile. */
struct sandbox_vars {
	uid_t uid;
	/* NULL: rules with it are left out */
	const char *home, *project, *tmpdir;
	const char *tty;	/* path of the terminal */
	const char *agent;	/* the socket of the user's ssh-agent */
	const char *store;	/* aegsh's own store directory */
	const char *silent;	/* or that of one which does not answer: it is
				 * kept from commands, and not looked at */
	const char *conf_user;	/* the user's settings directory */
	/* A directory that no command can write, for copies of what was
	 * read; or NULL. */
	const char *cache;
	bool once;		/* for one line, at once: places stay open
				 * from looking them up to granting them */
	bool later;		/* what the places are is not asked yet, but
				 * by sandbox_complete() */
	bool rescue;		/* built-in profiles, "rescue" (commands may
				 * change aegsh's places) and "rescue-user" */
};

struct sandbox_profile;

/* ERR_CALLER: there is no profile of that name. */
int sandbox_load(const char *name, const struct sandbox_vars *vars,
	struct sandbox_profile **ret, struct err *err);
/* 0: there is one of that name, and it is whole.  Else as sandbox_load(). */
int sandbox_there(const char *name, struct err *err);
/* Once more does nothing.  Before, a profile that was loaded with `later' has
 * no rights anywhere and prepares no sandbox.  ERR_RANGE where what it names
 * is too much, or hides what it lets commands change. */
int sandbox_complete(struct sandbox_profile *p, struct err *err);
void sandbox_profile_free(struct sandbox_profile *p);
const char *sandbox_profile_name(const struct sandbox_profile *p);
unsigned sandbox_required(const struct sandbox_profile *p);
/* Which lines run under a supervisor (supervise.h). */
enum sandbox_supervise {
	SANDBOX_SUPERVISE_ALL = 0,
	SANDBOX_SUPERVISE_SCRIPTS,	/* that run a script which may change */
	SANDBOX_SUPERVISE_NONE,
};
enum sandbox_supervise sandbox_supervise(const struct sandbox_profile *p);
/* What policy says of a program that a supervised line starts is recorded;
 * and is it killed where policy blocks it, or would ask about it, too? */
enum sandbox_started {
	SANDBOX_STARTED_WARN = 0,	/* both */
	SANDBOX_STARTED_BLOCK,
	SANDBOX_STARTED_RECORD,
};
enum sandbox_started sandbox_started(const struct sandbox_profile *p);
/* May a line leave a umask that clears bits of the one before? */
bool sandbox_loosens_umask(const struct sandbox_profile *p);
/* What lines leave behind ends with their session. */
bool sandbox_ends_survivors(const struct sandbox_profile *p);
/* A shell at the terminal inside a pager, an editor or an interpreter. */
enum sandbox_escape { SANDBOX_ESCAPE_KILL = 0, SANDBOX_ESCAPE_RECORD };
enum sandbox_escape sandbox_escape(const struct sandbox_profile *p);
/* Which addresses programs of a line connect or send to goes on record. */
bool sandbox_records_addresses(const struct sandbox_profile *p);
/* Its lines reach the unix sockets that it names, and no other but those of
 * the session's own lines: each connect(2) has to be asked about and made by
 * somebody else (supervise.h), or no line may run. */
bool sandbox_lists_sockets(const struct sandbox_profile *p);
/* May a line connect to the socket that lies there?  OWN: where it is one of
 * the session's lines that listens.  path: canonical. */
enum sandbox_reach { SANDBOX_REACH_NO = 0, SANDBOX_REACH_OWN,
	SANDBOX_REACH_YES };
enum sandbox_reach sandbox_may_connect(const struct sandbox_profile *p,
	const char *path, dev_t dev, ino_t ino);
bool sandbox_may_connect_tcp(const struct sandbox_profile *p, uint16_t port);
/* No shell may run below a line's own bash, which is then started from a
 * memory file, since the file that it lies in can be neither started nor
 * read.  What is withheld is each shell that was found when the profile was
 * loaded; what else a program is, its supervisor asks. */
bool sandbox_denies_shells(const struct sandbox_profile *p);
/* Of such a profile: is the open file that of a shell or of the dynamic
 * loader, or a copy of one? */
bool sandbox_is_shell(const struct sandbox_profile *p, int fd);
/* What becomes of a line that prints more than it may. */
enum sandbox_output { SANDBOX_OUTPUT_KILL = 0, SANDBOX_OUTPUT_TRUNCATE };

/* What the processes of one line may use together; 0: no limit. */
struct sandbox_line_limits {
	unsigned children;	/* beside the line's bash, at one time */
	uint64_t cpu_s, time_s, memory;	/* memory: bytes */
	uint64_t output;		/* bytes that it may print */
	enum sandbox_output output_then;
};
void sandbox_line_limits(const struct sandbox_profile *p,
	struct sandbox_line_limits *ret);
/* Yama's kernel.yama.ptrace_scope, from SANDBOX_YAMA or a file like it; 0
 * where there is none.  Above 0 no process of an ordinary user may look into
 * one that is not below it, as a supervisor must: a setting of the machine,
 * which no command can change. */
#define SANDBOX_YAMA "/proc/sys/kernel/yama/ptrace_scope"
int sandbox_yama(const char *path);

enum sandbox_right { SANDBOX_READ = 1, SANDBOX_WRITE = 2, SANDBOX_EXECUTE = 4,
	SANDBOX_MAKE = 8 };	/* MAKE: create, remove, rename */
/* One more place, for who confines programs of its own choice: SANDBOX_READ,
 * SANDBOX_EXECUTE (bits).  path: canonical; it must be there.  ERR_RANGE. */
int sandbox_add(struct sandbox_profile *p, const char *path, unsigned rights,
	struct err *err);
/* The rights (bits) that the profile grants at a canonical path, rights
 * inherited from above included; what sandbox show and the store's own
 * safety check ask. */
unsigned sandbox_rights_at(const struct sandbox_profile *p, const char *path);
/* The places that are granted with any of these rights, canonical. */
void sandbox_trees(const struct sandbox_profile *p, unsigned rights,
	struct strv *ret);
/* For who is to have no way out, or has no supervisor: no unix sockets. */
void sandbox_isolate(struct sandbox_profile *p);
/* Why, right by right: read write make execute device connect. */
#define SANDBOX_REASONS 6
struct sandbox_reason {
	const char *right;
	bool granted;
	const char *key;	/* that grants it, or NULL */
	const char *where;	/* "file:line" of that, or of what hides it */
	const char *tree;	/* the place that entry means, or NULL */
	const char *why;	/* it is not granted, or NULL */
};
/* The canonical place that a path means from here, links resolved, what of
 * it does not exist kept by its letters; owned. */
char *sandbox_place(const char *path);
/* path: canonical.  What ret holds is the profile's. */
void sandbox_explain(const struct sandbox_profile *p, const char *path,
	struct sandbox_reason ret[SANDBOX_REASONS]);
/* One rule a line, for people. */
void sandbox_show(const struct sandbox_profile *p, struct buf *out);

/* What sandbox_prepare() would refuse, as far as asking the kernel tells:
 * cheap, for the start of a session. */
int sandbox_check(const struct sandbox_profile *p, struct err *err);

struct sandbox;		/* prepared: descriptors and programs */

/* ERR_LAYER, naming layer and errno, when a required layer cannot be had;
 * ERR_TRUST when store or settings would lie in a tree that is granted for
 * writing. */
int sandbox_prepare(const struct sandbox_profile *p, struct sandbox **ret,
	struct err *err);
/* The same in two steps, for one process: begun, it can be entered but for
 * its rules; finished, with them. */
int sandbox_begin(const struct sandbox_profile *p, struct sandbox **ret,
	struct err *err);
int sandbox_finish(const struct sandbox_profile *p, struct sandbox *s,
	struct err *err);
void sandbox_free(struct sandbox *s);

/*
 * Enter it, for good: rlimits, cover, no_new_privs, seccomp, Landlock, in
 * that order, and prove that they hold.  Async-signal-safe, allocates
 * nothing, touches no memory but its own stack.  0 or -errno with the layer
 * that failed in *ret_layer.
 */
int sandbox_apply(const struct sandbox *s, enum sandbox_layer *ret_layer);
/* The same in two steps: all but Landlock; then that and the proof, which
 * fails where the sandbox is not finished. */
int sandbox_apply_first(const struct sandbox *s,
	enum sandbox_layer *ret_layer);
int sandbox_apply_rules(const struct sandbox *s,
	enum sandbox_layer *ret_layer);
/*
 * Is the profile held?  Each act that it might forbid is tried for real, in
 * a child that is not confined and in one that is, on files, a terminal,
 * listeners and a process made for it.
 */
enum sandbox_trial_outcome {
	SANDBOX_TRIAL_ABSENT = 0,	/* forbidden, and it went through */
	SANDBOX_TRIAL_ENFORCED,		/* works unconfined, and only there */
	SANDBOX_TRIAL_NOTHING,		/* refused in any case: shows nothing */
	SANDBOX_TRIAL_NOT_REQUIRED,	/* the profile lets it */
};
struct sandbox_trial {
	const char *name, *what;
	enum sandbox_layer layer;
	bool required;		/* the profile forbids it */
	enum sandbox_trial_outcome outcome;
	/* 0: it went through; an errno; minus a signal's number. */
	int unconfined, confined;
};
/* Where trials make their files, in /var/tmp: scratch_make(). */
#define SANDBOX_TRIAL_PREFIX "aegsh-trial."
/* *ret is owned (free()).  ERR_LAYER from inside of a sandbox.  What was left
 * of trials that were killed is removed. */
int sandbox_try(const struct sandbox_profile *p, struct sandbox_trial **ret,
	size_t *ret_n, struct err *err);

/* The same divided between a session's process, which starts lines, and
 * each line.  The session's: all but the limits, which a line's descriptors
 * must not be placed under and whose time is the line's. */
int sandbox_apply_session(const struct sandbox *s,
	enum sandbox_layer *ret_layer);
/* The line's: the limits, and a further, nearly empty Landlock domain, so
 * that a command can neither trace the launcher nor read its /proc entries.
 * Of what sandbox_prepare() made; -EINVAL of what only began, unless the
 * profile has nothing of Landlock.  *ret_layer is written in any case. */
int sandbox_apply_line(const struct sandbox *s, enum sandbox_layer *ret_layer);

#endif
