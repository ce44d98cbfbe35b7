/* SPDX-License-Identifier: ISC */
/* What the files of this room share.  Nobody else includes it. */
#ifndef RESOLVE_INT_H
#define RESOLVE_INT_H

#include <stdint.h>

#include "aegsh/base/mem.h"
#include "aegsh/resolve.h"

#define RESOLVE_ITEMS_MAX 65536	/* commands of one line, all levels */
#define RESOLVE_NESTED_MAX 256		/* programs inside the line */
#define RESOLVE_SPLIT_MAX 256		/* words from one unquoted value */
#define RESOLVE_STEPS_MAX 512	/* directories that a line goes down */
#define RESOLVE_DISK_MAX 64		/* commands looked up on disk */

/* How a wrapper names what it starts. */
enum wrap_kind {
	WRAP_NONE = 0,
	WRAP_WORDS,	/* options, `skip` operands, then the command's words */
	WRAP_ENV,	/* the same after NAME=VALUE operands; -S is split */
	WRAP_STRING,	/* operands from `skip` on, joined: a shell program */
	WRAP_OPTION,	/* an option's value is a shell program */
	WRAP_SHELL,	/* -c is a program, else a script, else stdin */
	WRAP_FIND,	/* -exec … ; and -exec … {} + */
	WRAP_XARGS,	/* words, and more from stdin */
	WRAP_PARALLEL,	/* joined words up to ::: are a shell program */
	WRAP_TRAP,
	WRAP_ALIAS,
	WRAP_SOURCE,	/* operand is a script; /dev/stdin is stdin */
	WRAP_STDIN,	/* at, batch: the program stands on stdin */
	WRAP_AFTER,	/* the words after a fixed operand (ip … exec NAME) */
	WRAP_USER,	/* su: an option's value is a program, else operands
			 * behind the user are a shell's */
	WRAP_DAEMON,	/* an option names the command of the operands */
	WRAP_SCREEN,
	WRAP_TMUX,
	WRAP_REMOTE,	/* an option's value names what carries it: ssh's
			 * ProxyCommand, rsync -e */
	WRAP_EACH,	/* every operand is a shell program of its own */
	WRAP_TAR,	/* OPTION, after letters without a dash, too */
	WRAP_GIT,
};

/* What few rows need: in such a row, MORE(.pairs = "…"). */
struct wrap_more {
	const char *moves;	/* options that change the directory … */
	const char *roots;	/* … and the root, or the namespace */
	const char *pairs;	/* options with two values, a word each */
	const char *pipe;	/* whose value behind "|" or "!" is a program */
	const char *instead;	/* WORDS: one of these takes the place of an
				 * operand that is skipped */
	const char *joined;	/* WORDS: with one of these flags the operands
				 * are a shell program */
	const char *entry;	/* AFTER: options whose value is the command of
				 * which the words are the arguments */
};

/* Small: every start of aegsh pays for the pages of the tables, as it must
 * write the addresses in them. */
struct wrap_row {
	const char *name;	/* fnmatch(3) pattern of the command's name */
	enum wrap_kind kind;
	const char *grammar;	/* of its options: see resolve_opt_init() */
	const char *option;	/* names of the options that hold a program */
	const char *after;	/* AFTER: the operand */
	const struct wrap_more *more;	/* or NULL: see resolve_more() */
	uint8_t skip;		/* operands before the command */
	bool appends:1;		/* OPTION: the program gets more words */
	bool in_shell:1;	/* what it starts may be a builtin */
	bool no_function:1;	/* … but never a function */
	bool elsewhere:1;	/* … and is found elsewhere */
	bool labels:1;		/* an operand with ":" stands before it */
	bool fetches:1;		/* an operand that is an address is no name */
	bool joins:1;		/* AFTER: they always are a shell program */
};

#define MORE(...) .more = &(const struct wrap_more){ __VA_ARGS__ }

static inline const struct wrap_more *
resolve_more(const struct wrap_row *row)
{
	static const struct wrap_more none;

	return row->more != NULL ? row->more : &none;
}

/* Inline programs of other languages. */
struct code_row {
	const char *name;	/* fnmatch(3) pattern */
	const char *language;
	const char *grammar;
	const char *option;	/* names of the options that hold code */
	const char *not_with;	/* first operand is code, unless one of these */
	const char *after;	/* code is the operand after one of these */
	uint8_t operand;	/* code is the operand of this number, too */
	bool reads_stdin;	/* code, whatever its operands are */
};

/* resolve_shell.c reads it: groups of letters behind "-" and "+". */
#define RESOLVE_SHELL_GRAMMAR "+O:o:"
#define RESOLVE_ZSH_GRAMMAR "+o:"

const struct wrap_row *resolve_wrap_row(const char *name);
const struct wrap_row *resolve_tool_row(const char *name);
bool resolve_is_tool(const struct wrap_row *row);
const struct code_row *resolve_code_row(const char *name);
/* A row of a table whose rows begin with their names. */
const void *resolve_find_row(const void *rows, size_t n, size_t size,
	const char *name);
/* For the test: the first name out of order, or NULL. */
const char *resolve_rows_unsorted(const void *rows, size_t n, size_t size);
const char *resolve_table_unsorted(void);
const char *resolve_tools_unsorted(void);
const char *resolve_codes_unsorted(void);

struct nest_function {
	const char *name;
	bool runs_arguments;	/* f(){ "$@"; } */
};

struct nest {			/* a program of its own inside the line */
	struct syn_tree *tree;
	struct syn_facts *facts;
	struct nest_function *functions;	/* sorted by name */
	size_t n_functions;
};

struct walk {
	struct resolve_set pub;	/* first: what the caller sees */
	struct arena *arena;
	const struct state *state;
	struct resolved *items;
	size_t cap_items;
	struct resolve_code *codes;
	size_t cap_codes;
	struct nest *nests;
	size_t n_nests, cap_nests;
	size_t nested_bytes;
	size_t looked_up[RESOLVE_DISK_MAX];	/* items */
	size_t lookups;		/* of them remembered */
	size_t looks;		/* at the disk */
	const char *went, *went_from;	/* the last way that was looked at */
	bool could_go;
	size_t steps;		/* directories that were looked at so */
	bool inherits;		/* the environment brings functions */
	const char *ifs;	/* value that the line gave IFS, or NULL */
	bool ifs_unknown;
	bool starts_shell;	/* some command is one */
	bool mild;		/* by which PATH a name is found is open, or
				 * what a value runs that is evaluated */
	bool asks_resolver;	/* some command's `#!` is auto-shebang(1) */
};

/* How the names of commands are found where a program runs. */
struct found_by {
	bool path_unknown, cwd_unknown, elsewhere;
	bool builtins;		/* path_unknown, but not what is a builtin */
	bool moved;		/* cwd_unknown, by what starts the command */
	bool path_given;	/* path is the line's own */
	const char *path, *cwd;
};
/* elsewhere: on another host, below another root: nothing here tells; path,
 * cwd NULL: those of the state. */

/* What a program's environment holds, the newest first; what is not among it
 * is not known. */
struct resolve_given {
	const struct syn_command *command;	/* its prefix, its exports */
	const struct syn_word *word;	/* NAME=value of env */
	const char *unset;		/* -u of env */
	const struct resolve_given *outer;
};

/* Where a command stands while it is followed. */
struct spot {
	const struct syn_facts *facts;	/* the program it belongs to */
	const struct syn_command *command;
	const char *wrapper;
	unsigned level, program;
	unsigned depth;		/* wrappers and programs passed so far */
	bool more_args;
	bool by_exec;		/* execve(2) starts it: no builtin, function */
	bool no_function;	/* command, builtin: functions do not count */
	bool fed;		/* something around the program says what its
				 * standard input is */
	bool own;		/* the words are the command's */
	bool other;		/* another shell than bash reads the program */
	const struct resolve_given *given;	/* its environment, as far as
						 * the line says, or NULL */
	const struct resolve_given *around;	/* of the program itself, where
						 * nothing in it changes that */
	const struct syn_word *zero, *args;	/* a shell's $0, $1 … */
	size_t n_args;
	bool has_args;
	bool odd;		/* … and options that change how it reads */
	struct found_by by;
};

/* What the name of a recorded item stands for. */
void resolve_name_item(struct walk *w, const struct spot *at,
	struct resolved *item);
/* The function of that name: the program's, or the line's. */
const struct nest_function *resolve_function(const struct walk *w,
	const struct spot *at, const char *name);
struct nest_function *resolve_find_function(const struct nest *nest,
	const char *name);
int resolve_by_name(const void *a, const void *b);	/* of qsort(3) */

void resolve_follow(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
/* Parse text as a shell program and follow its commands. */
void resolve_program(struct walk *w, const struct spot *at,
	const struct syn_word *text);
void resolve_add_code(struct walk *w, const char *language,
	const struct syn_word *text, size_t by);

/* The environment of what row starts for the command at `at`. */
const struct resolve_given *resolve_give(struct walk *w,
	const struct spot *at, const struct wrap_row *row,
	const struct syn_word *name);
void resolve_give_more(struct walk *w, struct spot *spot,
	struct resolve_given more);
enum syn_var resolve_given_get(const struct resolve_given *given,
	const char *name, const char **ret_value);
/* The same of what the command at `at` is given. */
enum syn_var resolve_spot_get(const struct spot *at, const char *name,
	const char **ret_value);
/* What the item's program runs of its environment. */
void resolve_follow_environ(struct walk *w, const struct spot *at, size_t by);
/* Something of it, evaluated, is not surely read as bash does. */
bool resolve_given_differs(const struct spot *at);
/* Facts of a program inside the line, with what is known of its variables;
 * text is what it was read from. */
struct syn_facts *resolve_nested_facts(const struct walk *w,
	const struct spot *at, const struct syn_tree *tree,
	const struct syn_word *text);

/* Something was left out because there is too much of it. */
void resolve_over_cap(struct walk *w);

/* After the wrapper `row` was recorded: find what it starts. */
void resolve_unwrap(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
/* The word at `from` and all after it are a command that the row starts. */
void resolve_follow_words(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc,
	size_t from);
/* An option's value, where the row says that it is a program. */
void resolve_follow_value(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv,
	const struct resolve_opt *opt);
void resolve_unwrap_after(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_each(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_option(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_tar(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_git(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
/* The line, or the environment, gives a shell that it starts such a name. */
bool resolve_names_startup(const struct syn_facts *facts);
bool resolve_inherits_startup(const struct state *state);
/* A shell's words. */
struct shell_call {
	bool command;		/* -c: the operand is a program */
	bool input;		/* -s, or nothing else says what to run */
	bool idle;		/* -n: it is read, not run */
	bool odd;		/* an option changes how it is read */
	bool extglob;		/* … if patterns of that kind stand in it */
	size_t operand;		/* the first one, or 0 */
	size_t startup;		/* a file that it reads first, or 0 */
};
void resolve_shell_call(const struct wrap_row *row,
	const struct syn_word *argv, size_t argc, struct shell_call *ret);
/* The text is not surely read as bash does: shell, the name of what runs it,
 * is no bash.  facts: what bash would make of it. */
bool resolve_reads_otherwise(const char *shell, const struct syn_word *text,
	const struct syn_facts *facts);
/* The same of text that it may come to evaluate. */
bool resolve_text_differs(const struct syn_word *text);
/* No bash: what runs the text is a shell of another kind, or hands it to one;
 * below eval and its like: around says so. */
bool resolve_is_other(const char *shell, bool around);
/* The text as dash reads it, if otherwise than bash. */
bool resolve_other_text(struct walk *w, const struct syn_word *text,
	struct syn_word *ret);
/* What dash's echo prints, if it is otherwise than bash's. */
bool resolve_other_output(struct walk *w, const struct syn_command *c,
	struct syn_word *ret);
void resolve_unwrap_shell(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_xargs(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_find(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
void resolve_unwrap_parallel(struct walk *w, const struct spot *at,
	const struct wrap_row *row, const struct syn_word *argv, size_t argc);
void resolve_unwrap_trap(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
void resolve_unwrap_screen(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
void resolve_unwrap_tmux(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
void resolve_unwrap_alias(struct walk *w, const struct spot *at,
	const struct syn_word *argv, size_t argc);
/* The shell programs that a piece of code starts. */
void resolve_calls(struct walk *w, const struct spot *at, const char *language,
	const struct syn_word *code);
void resolve_calls_of_make(struct walk *w, const struct spot *at,
	const struct syn_word *code);
void resolve_find_code(struct walk *w, const struct spot *at, size_t by);
/* Addresses from which a package manager would fetch what it runs. */
void resolve_find_fetched(struct walk *w, size_t by);
bool resolve_is_fetched(const struct syn_word *word);
/* The word is one of the names in a list with blanks between them. */
bool resolve_in_list(const char *list, const struct syn_word *word);
/* The program on a shell's standard input, where the line shows it. */
void resolve_stdin(struct walk *w, const struct spot *at);
/* Its standard input may be another than the line's. */
bool resolve_is_fed(const struct spot *at);
bool resolve_moves_stdin(const struct syn_facts *facts);
/* A script that a word names: followed where the line shows its text. */
void resolve_script(struct walk *w, const struct spot *at,
	const struct syn_word *word);
/* What a word such as <(echo x), or /dev/fd/3 with its text, can be read as. */
bool resolve_file_text(struct walk *w, const struct spot *at,
	const struct syn_word *word, struct syn_word *ret);
bool resolve_stdin_text(struct walk *w, const struct spot *at,
	struct syn_word *ret);

/* Words made here live in the walk's arena. */
struct syn_word resolve_word_tail(struct walk *w, const struct syn_word *word,
	size_t skip);
struct syn_word resolve_word_join(struct walk *w, const struct syn_word *words,
	size_t n);
struct syn_word resolve_word_new(struct walk *w, const char *text, size_t len,
	bool known);
/* A program's text to which its reader adds words, and puts others in the
 * place of %h and its like. */
struct syn_word resolve_word_more(struct walk *w, const struct syn_word *text);
struct syn_word resolve_word_marks(struct walk *w,
	const struct syn_word *text);
/* Split at blanks, whatever was quoted; *ret_n words. */
struct syn_word *resolve_word_split(struct walk *w, const struct syn_word *word,
	const char *separators, size_t *ret_n);
/* The same as bash splits: what was quoted stays together, and is a word even
 * where it is empty. */
struct syn_word *resolve_word_fields(struct walk *w,
	const struct syn_word *word, const char *separators, size_t *ret_n);
/* Split with quotes and backslashes (env -S, env(1)); NULL when too odd. */
struct syn_word *resolve_word_args(struct walk *w, const struct syn_word *word,
	size_t *ret_n);

#endif
