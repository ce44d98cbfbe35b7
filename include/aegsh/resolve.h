/* SPDX-License-Identifier: ISC */
/*
 * What would really run: a command word becomes a builtin, a function of
 * the line, a file with its `#!` chain, or nothing; a wrapper (env, sudo,
 * xargs, …) becomes the command it will start; a string that is a program
 * again (bash -c '…') becomes facts of its own.  Looks at the disk, never
 * executes.
 */
#ifndef AEGSH_RESOLVE_H
#define AEGSH_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "aegsh/state.h"
#include "aegsh/syntax.h"

#define RESOLVE_SHEBANG_MAX 5	/* interpreters of interpreters, execve(2) */
#define RESOLVE_DEPTH_MAX 16	/* wrappers and programs inside programs */

enum resolve_kind {
	RESOLVE_UNKNOWN = 0,	/* the command word is not known (name NULL),
				 * or not where it would be found: the line
				 * moved PATH, names or the directory, or it
				 * runs on another host or below another root */
	RESOLVE_BUILTIN,	/* of bash */
	RESOLVE_FUNCTION,	/* defined earlier in the same unit */
	RESOLVE_FILE,
	RESOLVE_NOT_FOUND,
	RESOLVE_NONE,		/* no command word: assignments, redirections */
};

struct resolved {
	const struct syn_command *command;	/* whose words these are */
	enum resolve_kind kind;
	const char *name;	/* last component of the command word, as it
				 * runs: "rm" of `\rm`, `/bin/rm`; or NULL */
	const char *path;	/* FILE: absolute, links resolved; or NULL */
	const char *interpreter;/* FILE: last of its `#!` chain, env(1) and
				 * auto-shebang(1) passed; or NULL */
	const struct syn_word *argv;	/* from the command word on */
	size_t argc;
	const char *wrapper;	/* name of the one that starts it, or NULL */
	unsigned level;		/* 0: stands in the line itself */
	unsigned program;	/* commands of one program share the number;
				 * 0: the line itself */
	bool more_args_unknown;	/* xargs, find {}: words are added that only
				 * running would tell */
	bool moved;		/* its wrapper starts it in another directory
				 * than the line's: env -C, sudo -D */
};

struct resolve_code {		/* inline program of another language */
	const char *language;	/* "python", "perl", "awk", …; "package": the
				 * text is the address that code is fetched
				 * from, and then run */
	struct syn_word text;
	const struct resolved *by;
};

struct resolve_set {
	const struct resolved *items;	/* every command of the line, wrappers
					 * and what they start alike */
	size_t n;
	const struct resolve_code *code;
	size_t n_code;
	bool incomplete;	/* something could not be followed */
	bool over_cap;		/* … because there is too much of it */
	bool only_mild;		/* … and for nothing else than that a known
				 * name may lead to one file or another, or
				 * that evaluating a value may run something */
};

/* state gives PATH, cwd, HOME.  Borrows facts. */
int resolve_facts(const struct syn_facts *facts, const struct state *state,
	struct resolve_set **ret);
void resolve_free(struct resolve_set *set);

/* One command word by PATH; *ret_path is owned.  -ENOENT, -EACCES. */
int resolve_path(const char *word, const struct state *state, char **ret_path);
bool resolve_is_builtin(const char *name);
/* Each of them in order, NULL behind the last. */
const char *resolve_builtin(size_t i);

/* Where a command's words name a file that it reads its program from. */
#define RESOLVE_FILES_MAX 8
struct resolve_file {
	size_t word;		/* index in argv; 0: none */
	size_t skip;		/* bytes of it in front of the name */
};
struct resolve_files {
	struct resolve_file at[RESOLVE_FILES_MAX];
	size_t n;
	bool more;		/* some are not known, or too many */
	bool input;		/* it reads its program, or more of it, from
				 * standard input: no word of it that is known
				 * says otherwise */
	bool idle;		/* a shell that runs nothing of it (-n) */
	bool make;		/* n 0: a makefile of … */
	struct resolve_file directory;	/* … this, or where it runs */
};
/* false: such a command reads no program from files that may change.  A
 * shell, ".", an interpreter of any language, a tool that runs what files of
 * its directory say: true, also where no word names one. */
bool resolve_files(const struct resolved *item, struct resolve_files *ret);
/* The program, by its name, runs such a file though no word names it: make a
 * Makefile, git what stands in .git/hooks; and: any such file. */
bool resolve_runs_by_default(const char *program, const char *path);
bool resolve_has_defaults(const char *program);
/* A program that reads the variable runs its value, or takes it for options
 * or code. */
bool resolve_is_program_variable(const char *name);
/* resolve_code.language can be that. */
bool resolve_is_language(const char *name);
/* By its name: a program that runs what its words or its input say, in a
 * shell's language.  Version and variant of the name do not matter. */
bool resolve_is_shell(const char *name);

/*
 * Option words as getopt_long(3) reads them.  A grammar names the options
 * that take a value, letters first, then long names:
 *
 *	"+u:C: user: chdir: color::"
 *
 * "::" is a value only when attached.  "+" in front: the first operand ends
 * the options.  "~": one dash starts a long name (find, java).  What is
 * not named is a flag, or carries its value after "=".
 */
struct resolve_opts {
	const char *grammar;
	const struct syn_word *argv;	/* [0] is the command word */
	size_t argc;
	size_t next, letter;		/* where the reading stands */
	bool ended;			/* after "--" */
};
enum resolve_opt_kind { RESOLVE_OPT_END = 0, RESOLVE_OPT_OPERAND,
	RESOLVE_OPT_FLAG, RESOLVE_OPT_VALUE };
struct resolve_opt {
	const char *name;	/* not terminated; of an operand: its word */
	size_t name_len;
	bool long_form;
	size_t word;		/* index in argv */
	size_t value_word;	/* VALUE: index, and … */
	size_t value_skip;	/* … bytes of it that are not value */
};
void resolve_opts_init(struct resolve_opts *o, const char *grammar,
	const struct syn_word *argv, size_t argc);
enum resolve_opt_kind resolve_opts_next(struct resolve_opts *o,
	struct resolve_opt *ret);
/* The option is one of names ("c command": a letter, a long name). */
bool resolve_opt_is(const struct resolve_opt *opt, const char *names);

/* For syn_vars: what bash makes of ~user; state: struct state. */
char *resolve_home(const void *state, const char *prefix);

/* The grammar of a wrapper's options; NULL: it is none that has any. */
const char *resolve_wrapper_grammar(const char *name);

#endif
