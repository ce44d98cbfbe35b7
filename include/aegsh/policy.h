/* SPDX-License-Identifier: ISC */
/*
 * Policy: rule files judged over facts.  Parse & normalise → blocklist →
 * allowlist → path rules → the profile's own rules → block, warn, allow or
 * unknown, always with the rule that said so.  The strictest command
 * decides the line; a block is final.
 */
#ifndef AEGSH_POLICY_H
#define AEGSH_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/resolve.h"
#include "aegsh/state.h"
#include "aegsh/syntax.h"

enum policy_action {		/* strictest first: the least one wins */
	POLICY_BLOCK = 0,
	POLICY_WARN,		/* ask the person */
	POLICY_UNKNOWN,		/* no rule settles it: the validator's turn */
	POLICY_ALLOW,
};

enum policy_origin { POLICY_ORIGIN_UNKNOWN = 0, POLICY_ORIGIN_PROMPT,
	POLICY_ORIGIN_COMMAND, POLICY_ORIGIN_FORCED, POLICY_ORIGIN_SCRIPT,
	POLICY_ORIGIN_STDIN, POLICY_ORIGIN_LOGIN };

struct policy_verdict {
	enum policy_action action;
	const char *rule;		/* id, never NULL */
	const char *reason;		/* for a person, never NULL */
	const char *instead;		/* what to do instead, or NULL */
	const char *where;		/* "file:line" of the rule, or NULL */
	const char *command;		/* source text of what decided */
	unsigned evidence;		/* score of what speaks against it */
};

struct policy;

/*
 * Rules come in layers that only tighten: the built-in floor, the vendor's
 * (sysdirs()->data/policy), the site's (sysdirs()->conf/policy.d), and a
 * user's, who can forbid more and never less.  Files are *.conf, in order
 * of their names.
 */

/* A user's layer as it was when it was read: a session keeps it, so that no
 * command can change the rules of the lines behind it.  *ret is NULL where
 * dir is not there or holds no rule file. */
struct policy_user;
int policy_user_read(const char *dir, uid_t uid, struct policy_user **ret,
	struct err *err);
void policy_user_free(struct policy_user *u);

/* Where compiled rules may be kept: a directory that no command can write,
 * or NULL.  The compiled form is keyed by the hash of its sources.  profile
 * NULL: some, until policy_choose(). */
int policy_load(const char *profile, const char *cache_dir,
	struct policy **ret, struct err *err);
/* The same with a user's layer; user NULL: without. */
int policy_load_layers(const char *profile, const char *cache_dir,
	const struct policy_user *user, struct policy **ret, struct err *err);
/*
 * The operator's files again, where they are not as they were when p was
 * loaded; a few stat(2) where they are.  *ret is the new policy with p's
 * profile and user, or NULL: nothing changed that matters.  After an error
 * p holds, and the error comes once: until the files change again.
 */
int policy_refresh(struct policy *p, const char *cache_dir,
	const struct policy_user *user, struct policy **ret, struct err *err);
/* Where rules cannot be loaded, for a prompt: the floor and nothing else.
 * The operator is asked about each line and may change aegsh's own files;
 * other users can look around and leave. */
int policy_load_rescue(bool operator, struct policy **ret, struct err *err);
void policy_free(struct policy *p);

/* Judge by another of the profiles that the sources define. */
int policy_select(struct policy *p, const char *profile, struct err *err);

/*
 * The rules of a session, with the layer of uid's own in user_dir (NULL:
 * none).  What of that layer is left out is added to notes, and so is why
 * all of it is, where it cannot be used: it could only have forbidden more,
 * and nobody shall be locked out by it.  *ret_user is for policy_refresh(),
 * perhaps NULL; without watch that finds nothing new.  policy_choose() comes
 * next.
 */
int policy_load_session(const char *cache_dir, const char *user_dir,
	uid_t uid, bool watch, struct policy **ret,
	struct policy_user **ret_user, struct strv *notes, struct err *err);
/* Why none of the user's layer is in it, as the notes have it; NULL: it is,
 * or there was none.  Of what policy_refresh() gives this is not known. */
const char *policy_own_left_out(const struct policy *p);

/* Who a session is of: what match blocks ask about. */
struct policy_who {
	const char *user, *host;
	const gid_t *groups;
	size_t n_groups;
	enum policy_origin origin;
	bool login;			/* a login shell */
};
struct policy_wish {
	const char *configured;		/* profile of the settings … */
	const char *file;		/* … set there, or NULL: the preset */
	unsigned line;
	bool own;			/* … by the user */
	const char *wanted;		/* asked for at the start, or NULL */
	bool only_tighter;		/* … which may be stricter only */
};
struct policy_choice {
	const char *block;		/* match block that held, or NULL */
	const char *file;		/* … where it stands */
	unsigned line;
	char note[256];			/* what was not followed, or "" */
};
/*
 * Select the profile of a session: that of the first match block that holds
 * (a site's before the vendor's), else the configured one.  What the user
 * puts in its place must be as strict where a block held, and so must what
 * is asked for at the start (ERR_RANGE), there or if only_tighter.
 */
int policy_choose(struct policy *p, const struct policy_who *who,
	const struct policy_wish *wish, struct policy_choice *ret,
	struct err *err);

const char *policy_profile(const struct policy *p);
/* Name of the sandbox profile that this policy profile runs lines in. */
const char *policy_sandbox(const struct policy *p);
/* sudo and its like go through aegsh; else they gain nothing in a line. */
bool policy_elevates(const struct policy *p);
/* The sandbox profile of what sudo runs so by that path, or NULL: none.
 * Without a path: of what no program's name exempts. */
const char *policy_elevated_in(const struct policy *p, const char *path);
/* A shell that sudo would start is a root aegsh; else none is. */
bool policy_elevates_shell(const struct policy *p);
/* They may be given that variable. */
bool policy_elevate_keeps(const struct policy *p, const char *name);
/* PATH of every line, or NULL: whatever it was set to. */
const char *policy_search_path(const struct policy *p);
/* What a session of the profile takes over of where it was started: sets
 * PATH and drops what a clean environment does not have. */
void policy_clean_state(const struct policy *p, struct state *s);
bool policy_clean(const struct policy *p);	/* … whether it drops any */
/* What marks the root of a project; until fn returns non-zero. */
int policy_each_project_mark(const struct policy *p,
	int (*fn)(void *ctx, const char *name), void *ctx);
/* Where a session that is started in cwd begins, and the root of its jail:
 * the nearest directory above with a mark of a project, below home and of
 * the user's own, where the profile asks for one; else cwd.  Owned. */
char *policy_project(const struct policy *p, const char *cwd,
	const char *home, uid_t uid);
/* Higher is stricter; --profile may only go up when managed. */
int policy_rank(const struct policy *p);
/* What an unknown line means where no validator answers, asked by whether
 * a person can be asked: WARN or BLOCK … */
enum policy_action policy_unknown(const struct policy *p, unsigned evidence);
/* Hex SHA-256 over all sources. */
const char *policy_hash(const struct policy *p);
/* What a user's layer tried to loosen, in vain; until fn returns non-zero. */
int policy_each_note(const struct policy *p,
	int (*fn)(void *ctx, const char *text), void *ctx);
/* Each profile that sources define, the loaded one among them. */
int policy_each_profile(const struct policy *p,
	int (*fn)(void *ctx, const char *name, const char *extends, int rank),
	void *ctx);
const char *policy_action_name(enum policy_action action);

/* Where an account does as it likes: its home, as the user database has it,
 * and where that really is.  Both "": it has none that is its own. */
struct policy_home {
	char *path, *real;		/* owned */
};
#define POLICY_HOME_INIT { NULL, NULL }
/* home: what the user database says, or NULL.  A directory that is not there,
 * is shared (/opt, /srv) or the system's (/usr/sbin) is no account's own. */
void policy_home_find(const char *home, struct policy_home *ret);
void policy_home_done(struct policy_home *h);

struct policy_input {
	const struct syn_facts *facts;
	const struct resolve_set *resolved;
	const struct state *state;
	enum policy_origin origin;
	uid_t uid;
	const char *store;		/* aegsh's own places: never written */
	const char *project;		/* root of the jail, or NULL: cwd */
	const struct policy_home *home;	/* the account's, or NULL: $HOME */
	const char *line;		/* the bytes, or NULL: only needed to */
	size_t len;			/* see odd characters in comments */
	bool input_judged;		/* the line is one shell, and what it
					 * reads will be judged as well */
	bool started;			/* a program that a judged line has
					 * started: which paths it uses is for
					 * the sandbox, and what the profile
					 * says of the unknown was said of the
					 * line */
	const char *helper;		/* of the program that has started it,
					 * by that file: what it is called says
					 * nothing; or NULL */
};

/* One file under many names. */
bool policy_is_multicall(const char *name);
/* The verdict's strings live as long as the policy and the facts.  explain
 * may be NULL; else each stage says there what it found. */
void policy_eval(const struct policy *p, const struct policy_input *in,
	struct policy_verdict *ret, struct buf *explain);

/* A rule file as it is now. */
struct policy_file {
	const char *layer;		/* "floor", "vendor", "site", "user" */
	const char *path;		/* "(built in)" of the floor */
	bool built_in;			/* … which has no owner and no mode */
	uid_t uid;
	unsigned mode;			/* permission bits */
	size_t len;			/* bytes */
	char hash[65];			/* hex SHA-256 of them */
};
/* Each file of all layers in the order in which they are read, the user's
 * from user_dir (NULL: none), until fn returns non-zero, which is returned.
 * Each is read and checked again: one that is not its owner's alone is an
 * error. */
int policy_each_file(const char *user_dir, uid_t uid,
	int (*fn)(void *ctx, const struct policy_file *file), void *ctx,
	struct err *err);

/* 0: a sandbox profile of that name can be used.  NULL: nobody is asked. */
typedef int policy_sandbox_check(const char *name, struct err *err);
/* Check one rule file, with its examples and the sandbox profiles that it
 * names, among all others: in the place of the site's file of that name,
 * where there is one. */
int policy_check_file(const char *path, policy_sandbox_check *sandbox,
	struct err *err);
/* The same, and put it there, whole or not at all, for the operator.  *ret
 * is the hash of all sources then. */
int policy_install(const char *path, policy_sandbox_check *sandbox,
	char ret_hash[65], struct err *err);
/* Each profile with its sandbox profile, and where that is named, until fn
 * returns non-zero. */
int policy_each_sandbox(const struct policy *p, int (*fn)(void *ctx,
	const char *profile, const char *sandbox, const char *file,
	unsigned line), void *ctx);
/* Any of the profiles has sudo and its like brokered; and what they run
 * confined.  Of the vendor's that one counts which the settings name, and
 * those that a match block gives. */
bool policy_any_elevates(const struct policy *p, const char *configured,
	bool *ret_confined);
/* The rules as they would be with a site's layer from elsewhere: a directory
 * of rule files, or one file in the place of the site's of that name.
 * Whose files they are is not looked at: for trying, not for running. */
int policy_load_trial(const char *profile, const char *path,
	struct policy **ret, struct err *err);
/* Each rule: decision, id, reason; for the allowlist and blocklist verbs. */
int policy_each(const struct policy *p, enum policy_action action,
	int (*fn)(void *ctx, const char *id, const char *what,
	const char *reason, const char *where), void *ctx);

#endif
