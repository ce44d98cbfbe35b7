/* SPDX-License-Identifier: ISC */
/*
 * A session, followed through its start-up files without running them.
 * Values are text in which two bytes that no file brings in stand for what
 * is not text: SIM_OLD for the PATH so far, SIM_UNKNOWN for what only
 * running would tell.
 */
#ifndef SIM_INT_H
#define SIM_INT_H

#include "prof_int.h"

#define SIM_OLD '\002'
#define SIM_UNKNOWN '\003'

#define SIM_STEPS 10000			/* commands of one session */
#define SIM_BYTES ((size_t)8 * 1024 * 1024)	/* all values together */
#define SIM_FILES 128
#define SIM_DEPTH 16			/* of files, functions and evals */
#define SIM_EVENTS 4096
#define SIM_VARS 1024
#define SIM_ENTRIES 1024

enum tri { TRI_NO, TRI_YES, TRI_MAYBE };

struct sim_entry {
	const char *text;
	const char *file;	/* NULL: inherited */
	int line;
	bool maybe, unknown;
};

enum sim_what { SIM_EXPORT, SIM_SOURCE, SIM_END, SIM_OPAQUE, SIM_RESET };
struct sim_event {
	enum sim_what what;
	const char *file;
	int line;
	/* EXPORT: name and value.  SOURCE: the path in value, resolved.
	 * END: return, exit or the program exec'd in name.  OPAQUE: the
	 * command.  RESET: PATH set without what it held. */
	const char *name, *value;
	bool maybe;
	bool known;		/* value has nothing unknown in it */
	bool top;		/* a command of the file itself */
	size_t at;		/* END: where the top-level command begins */
};

struct sim_var {
	const char *name, *value;	/* value NULL: unset */
	bool exported;
};
struct sim_func { const char *name; struct prof_node *body; };
/* A file as it would be; real is the file behind symlinks. */
struct sim_overlay { const char *path, *real, *text; size_t len; };

enum sim_flow { FLOW_RUN, FLOW_RETURN, FLOW_EXIT, FLOW_BREAK };

struct sim {
	struct shellenv *se;
	enum dialect dialect;
	bool interactive, login, ssh;
	const char *shell_name, *arg0, *uid_text;

	struct sim_entry *path;
	size_t n_path, cap_path;
	struct sim_event *events;
	size_t n_events, cap_events;
	bool exhausted;		/* a cap was reached: the end is not known */
	const char *loop_file;	/* files source each other without end */
	int loop_line;		/* NULL, or where */

	/* while it runs */
	struct sim_var *vars;
	size_t n_vars, cap_vars;
	struct sim_func *funcs;
	size_t n_funcs, cap_funcs;
	const struct sim_overlay *overlays;
	size_t n_overlays;
	const char *file;
	const struct prof *prof;
	struct prof_node *top;	/* the top-level command of file */
	const char *const *args;	/* of the function or sourced file */
	size_t n_args;
	const char *stack[SIM_DEPTH];
	int depth, maybe, in_func, steps, files;
	size_t bytes;
	enum sim_flow flow;
	enum tri status;
	bool allexport, unique;
	int line;
};

/* ---- sim.c ------------------------------------------------------------ */

/* Ready to follow a session of a shell; env is where it begins. */
struct sim *se_sim_new(struct shellenv *se, const struct shell_row *row,
	enum shellenv_session session, const struct sim_overlay *overlays,
	size_t n_overlays);
/* One start-up file, read by the shell itself. */
void se_sim_file(struct sim *s, const char *path);
const char *se_sim_get(struct sim *s, const char *name);
void se_sim_set(struct sim *s, const char *name, const char *value,
	bool exported);
void se_sim_export(struct sim *s, const char *name);
void se_sim_set_path(struct sim *s, const char *value);
/* SIM_OLD replaced by the entries it stands for. */
const char *se_sim_flat(struct sim *s, const char *text);
void se_sim_event(struct sim *s, enum sim_what what, const char *name,
	const char *value);
void se_sim_source(struct sim *s, const char *path, const char *const *args,
	size_t n_args);
/* The command, at which line, whose effect only running it would tell and
 * that names a word; NULL word: any.  NULL: none. */
const struct sim_event *se_sim_opaque(const struct sim *s, const char *word);
/* The last entry that is this directory and not maybe; NULL: none. */
const struct sim_entry *se_sim_find(struct sim *s, const char *dir, bool maybe);
bool se_same_dir(struct shellenv *se, const char *a, const char *b);
bool se_sim_known(const char *text);
/* The overlay of a path, also by another name of the file; NULL: none. */
const struct sim_overlay *se_sim_overlay(const struct sim *s, const char *path);

/* ---- sim_run.c -------------------------------------------------------- */

void se_sim_list(struct sim *s, struct prof_node *n);
void se_sim_eval(struct sim *s, const char *text);
void se_sim_call(struct sim *s, struct prof_node *body, const char *const *args,
	size_t n_args);
struct prof_node *se_sim_func(struct sim *s, const char *name);

/* ---- sim_expand.c ----------------------------------------------------- */

enum { EXPAND_PATTERN = 1, EXPAND_ASSIGN = 2, EXPAND_NO_TILDE = 4 };
const char *se_sim_expand(struct sim *s, const char *raw, size_t len,
	int flags);
/* Whether a word has an unquoted * ? or [. */
bool se_sim_has_glob(const char *raw, size_t len);

/* ---- sim_brace.c ------------------------------------------------------ */

/* The words that braces make of one, as written; the word itself where they
 * make none. */
const struct prof_word *se_sim_braces(struct sim *s, const struct prof_word *w,
	size_t *ret_n);

/* ---- sim_cmd.c, sim_fish.c, sim_test.c -------------------------------- */

void se_sim_command(struct sim *s, struct prof_node *n);
void se_sim_command_fish(struct sim *s, struct prof_node *n);
/* test, or [ with its ]. */
enum tri se_sim_test(struct sim *s, const char *const *argv, size_t argc);
/* [[ … ]]: the words as written. */
enum tri se_sim_cond(struct sim *s, const struct prof_word *w, size_t n);
enum tri se_sim_match(struct sim *s, const char *text, const char *pattern);
/* Whether a program, builtin or function of this name can be had. */
enum tri se_sim_has_command(struct sim *s, const char *name);

/* ---- startup.c, session.c: which files a session reads ---------------- */

enum startup_rule {
	RULE_ALWAYS,
	RULE_FIRST,	/* of the rows of this rule: the first that is there */
	RULE_VARIABLE,	/* $NAME, with a default behind a bar */
	RULE_GLOB,	/* a directory's files, by name */
	RULE_UVARS,	/* fish's universal variables */
};
/* No addresses: each start of aegsh would have to write them. */
struct startup_row {
	unsigned shells;	/* bits 1 << SHELL_… */
	unsigned sessions;	/* bits 1 << SHELLENV_… */
	enum startup_rule rule;
	char path[48];
	char mark[32];		/* "", or text in the program that reads it */
	char when[48];
};
extern const struct startup_row se_startup_rows[];
extern const size_t se_startup_n_rows;

struct session_file {
	const char *path, *when, *shadowed_by;
	bool read;
	size_t first_event, end_event;	/* what happened in it */
};
/* Follow a session to its end.  ret may be NULL. */
struct sim *se_session_follow(struct shellenv *se, const struct shell_row *row,
	enum shellenv_session session, const struct sim_overlay *overlays,
	size_t n_overlays, const struct session_file **ret, size_t *ret_n);
/* Whether a session that was followed came to read a file, by itself or by
 * another file's sourcing it. */
bool se_session_reads(const struct sim *s, const struct session_file *files,
	size_t n, const char *path);
/* The program of a shell on this machine; NULL: not installed. */
const char *se_session_program(struct shellenv *se,
	const struct shell_row *row);
/* bash's login file: the first that is there, else the default. */
const char *se_session_login_file(struct shellenv *se,
	const struct shell_row *row, bool *ret_exists);
/* Where zsh keeps its files, fish its configuration, ksh its rc. */
const char *se_session_rc_file(struct shellenv *se,
	const struct shell_row *row);

#endif
