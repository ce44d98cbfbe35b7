/* SPDX-License-Identifier: ISC */
/*
 * What a line says: bash 5.2's language as `bash --norc --noprofile -c`
 * reads it (bash(1); POSIX XCU 2).  Pure: no I/O, no environment, nothing
 * is ever expanded by running it.  Bytes, not characters.
 *
 * Everything returned lives in the tree's or the facts' own arena and is
 * freed with it; strings are NUL-terminated and carry their length.
 */
#ifndef AEGSH_SYNTAX_H
#define AEGSH_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"

#define SYN_LEN_MAX ((size_t)1024 * 1024)	/* bytes of one unit */
#define SYN_DEPTH_MAX 200			/* nesting of any kind */
#define SYN_BRACE_MAX 256			/* words from one brace word */

enum syn_answer {
	SYN_ERROR = 0,		/* bash would not accept it */
	SYN_INCOMPLETE,		/* another line could complete it */
	SYN_TREE,
};

struct syn_diag {
	int code;		/* ERR_SYNTAX, ERR_TOO_LONG, ERR_RANGE (depth),
				 * -EILSEQ (NUL byte) */
	size_t offset;		/* of the byte where it was found */
	unsigned line, column;	/* from 1; column in bytes */
	char expected[128];	/* error: what would have been right;
				 * incomplete: what is open ("quote '",
				 * "here-document EOF", "then", …) */
};

struct syn_options {
	/* as bash will start: all false */
	bool extglob, posix, expand_aliases;
	bool at_end;		/* no more input will come: what bash ends at
				 * the end of its input (a here-document, a
				 * last backslash) is complete */
};

struct syn_tree;

/* opts NULL: all false.  *ret_tree is set only with SYN_TREE; ret_diag
 * with the other two. */
enum syn_answer syn_parse(const char *bytes, size_t len,
	const struct syn_options *opts, struct syn_tree **ret_tree,
	struct syn_diag *ret_diag);
void syn_free(struct syn_tree *tree);

/* The next line with its newline (a last one may lack it), borrowed until
 * the next call; false: there is none. */
typedef bool syn_line_fn(void *ctx, const char **ret, size_t *ret_len);
/*
 * Asks for lines as long as text and they are incomplete, and not for one
 * more, unless a mistake stands in a line that is joined to the next.  What
 * it costs grows with what is read, however many lines it is.
 */
void syn_cut(const char *text, size_t len, const struct syn_options *opts,
	syn_line_fn *line, void *ctx);
/* A canonical line that bash reads as the same tree. */
void syn_print(const struct syn_tree *tree, struct buf *out);
/* The tree for people (aegshctl parse), one node a line, indented. */
void syn_dump(const struct syn_tree *tree, struct buf *out);

/* ---- facts for the judges ---------------------------------------------- */

enum syn_why {			/* why a part of a word is not known */
	SYN_WHY_UNSPECIFIED = 0,
	SYN_WHY_VARIABLE,	/* value not known, or special parameter */
	SYN_WHY_INDIRECT,	/* ${!x}, ${x@P}, nameref */
	SYN_WHY_SUBST,		/* $( ) or backquotes */
	SYN_WHY_PROCESS,	/* <( ) >( ) */
	SYN_WHY_ARITH,		/* $(( )) that is no constant; as a name: text
				 * that is evaluated, and may run anything */
	SYN_WHY_GLOB,		/* unquoted * ? [ ] or extglob */
	SYN_WHY_BRACE,		/* more than SYN_BRACE_MAX words, or doubt */
	SYN_WHY_TILDE,		/* ~user, ~+ … (~ alone is $HOME) */
	SYN_WHY_CAP,		/* too much to work out */
	SYN_WHY_READ_CHANGED,	/* an earlier command may change reading */
};

struct syn_part {
	bool known;
	bool quoted;
	bool number;		/* not known, but a whole number or nothing */
	enum syn_why why;	/* when not known */
	const char *text;	/* known: value after quote removal; else the
				 * source text of the part */
	size_t len;
};

struct syn_word {
	bool known;		/* every part is: value is the word */
	bool quoted;		/* some part was quoted */
	bool may_split;		/* may become none or several words */
	const char *value;	/* known: the literal value; else each unknown
				 * part stands in it as its source text */
	size_t len;
	const struct syn_part *parts;
	size_t n_parts;
	size_t offset, source_len;	/* in the unit */
};

enum syn_redir_op {
	SYN_REDIR_UNKNOWN = 0,
	SYN_REDIR_IN, SYN_REDIR_OUT, SYN_REDIR_APPEND, SYN_REDIR_CLOBBER,
	SYN_REDIR_RDWR, SYN_REDIR_BOTH, SYN_REDIR_BOTH_APPEND,
	SYN_REDIR_DUP_IN, SYN_REDIR_DUP_OUT, SYN_REDIR_CLOSE,
	SYN_REDIR_HEREDOC, SYN_REDIR_HERESTRING,
};

/* How it is written; "?": not known. */
const char *syn_redir_text(enum syn_redir_op op);

struct syn_redir {
	enum syn_redir_op op;
	int fd;			/* -1 with fd_name */
	const char *fd_name;	/* of {name}>…, or NULL */
	struct syn_word target;	/* here-document: its body */
};

struct syn_assign {
	const char *name;
	const char *subscript;	/* source text, or NULL */
	bool append, array;	/* +=, ( … ) */
	struct syn_word value;	/* of an array: its source text, unknown */
};

enum syn_context {		/* bits: where a command stands */
	SYN_IN_SUBST = 1 << 0,		/* $( ), backquotes */
	SYN_IN_PROCESS = 1 << 1,	/* <( ) >( ) */
	SYN_IN_SUBSHELL = 1 << 2,
	SYN_IN_FUNCTION = 1 << 3,
	SYN_IN_LOOP = 1 << 4,
	SYN_IN_CONDITION = 1 << 5,	/* tested by if, while, && or || */
	SYN_IN_BACKGROUND = 1 << 6,
	SYN_IN_COPROC = 1 << 7,
	SYN_NEGATED = 1 << 8,
	SYN_IN_ARITH = 1 << 9,		/* substitution inside arithmetic */
	SYN_IS_COMPOUND = 1 << 10,	/* no words: a compound command with its
					 * redirections; its inside follows */
	SYN_IN_HEREDOC = 1 << 11,
	SYN_IN_EVAL = 1 << 12,		/* in the known text of an eval; its
					 * offset is that of the eval */
};

enum syn_lookup {		/* how bash finds a command by its name */
	SYN_LOOKUP_UNKNOWN = 0,	/* something in front of it (hash, enable,
				 * an unknown PATH) may have moved names */
	SYN_LOOKUP_START,	/* as before the unit */
	SYN_LOOKUP_PATH,	/* in the directories of its `path` */
	SYN_LOOKUP_SOME_PATH,	/* by a PATH that is not known; what is a
				 * builtin is one */
};

enum syn_is_function {		/* the known name of a command */
	SYN_FUNCTION_MAYBE = 0,
	SYN_FUNCTION_NO,
	SYN_FUNCTION_YES,
};

enum syn_dir {			/* where relative paths of it begin */
	SYN_DIR_UNKNOWN = 0,
	SYN_DIR_START,		/* where the unit begins */
	SYN_DIR_AT,		/* in `cwd`, if the cd to it succeeds */
};

struct syn_given {		/* a variable that programs are given */
	const char *name, *value;
};
struct syn_command {
	const struct syn_word *words;		/* after brace expansion */
	size_t n_words;
	const struct syn_assign *assigns;
	size_t n_assigns;
	const struct syn_redir *redirs;
	size_t n_redirs;
	unsigned context;			/* enum syn_context */
	const char *in_function;	/* innermost name, or NULL */
	const char *variable;	/* of a for or select loop, or NULL */
	unsigned pipeline;		/* commands of one pipeline share the
					 * number, from 1 */
	unsigned pipe_index, pipe_count;	/* position, from 0 */
	size_t parent;			/* index + 1 of the command whose body
					 * or word holds this one; 0: none */
	unsigned depth;			/* of substitutions */
	unsigned evals;			/* around it, whose text was known */
	bool evaluated;			/* an eval whose text was known: the
					 * commands in it follow */
	size_t offset, len;		/* in the unit */
	enum syn_is_function function;	/* of the unit, when it runs */
	enum syn_lookup lookup;
	const char *path;
	enum syn_dir dir;
	const char *cwd;	/* not absolute: below the starting directory */
	/* What the line surely has exported by then, where the value is
	 * known; what it was started with is not among them. */
	const struct syn_given *exports;
	size_t n_exports;
};

struct syn_function {
	const char *name;
	size_t offset;
};

/* Found values.  Unknown must be the answer where there is doubt. */
enum syn_var { SYN_VAR_UNKNOWN = 0, SYN_VAR_UNSET, SYN_VAR_SET };
struct syn_vars {
	enum syn_var (*get)(void *ctx, const char *name,
		const char **ret_value);
	void *ctx;
	/* What bash makes of ~user, owned by the caller; NULL, or what is not
	 * absolute: not known.  tilde NULL: none is. */
	char *(*tilde)(const void *homes, const char *prefix);
	const void *homes;
	/* What the program is started with: its $0, and $1 and so on where
	 * has_args; NULL and false: not known. */
	const struct syn_word *zero;
	const struct syn_word *args;
	size_t n_args;
	bool has_args;
	bool odd;		/* its options may change how it reads words:
				 * -k, +B and their like */
	/* The word that the unit is the value of, or NULL: where a part of it
	 * is not known, its source text stands for what bash will read. */
	const struct syn_word *text;
};

struct syn_facts {
	const struct syn_command *commands;	/* in order of appearance */
	size_t n_commands;
	const struct syn_function *functions;
	size_t n_functions;
	const char *const *reads;		/* variables read, each once */
	size_t n_reads;
	const char *rest_unknown;	/* name of the command after which the
					 * reading is not known, or NULL */
	bool steers_start;	/* BASH_ENV or ENV is assigned: a shell that is
				 * started runs that file first */
	bool only_simple;	/* the unit is one simple command (what a known
				 * eval runs follows it): no list, no
				 * pipeline, no substitution, no assignment,
				 * no redirection, not in the background */
	size_t background_at;	/* the unit is one list in the background, and
				 * its & stands one byte before; else 0 */
};

/* vars NULL: nothing is known, no function is inherited.  get is asked for
 * functions, too, by the names that bash exports them under
 * (BASH_FUNC_f%%).  What it returns must last as long as the facts, which
 * also borrow the tree. */
struct syn_facts *syn_facts_new(const struct syn_tree *tree,
	const struct syn_vars *vars);
void syn_facts_free(struct syn_facts *facts);

/* command -v and its like look a name up and start nothing, as do letters
 * that command does not have; words: from "command" on.  *ret_at, if asked
 * for: the first word behind options. */
bool syn_command_asks(const struct syn_word *words, size_t n,
	size_t *ret_at);

/* The here-document or here-string of its own that a command has at a
 * descriptor; else NULL.  Bash ends a here-string with a newline, which is not
 * in the target. */
const struct syn_redir *syn_text_redir(const struct syn_command *c, int fd);
/* The text of the one at its standard input; else NULL. */
const struct syn_word *syn_stdin_text(const struct syn_command *c);

/* What bash's echo or printf writes with these words, appended to out; false:
 * another command, a word that is not known, or more than this looks into. */
bool syn_output(const struct syn_word *words, size_t n, struct buf *out);

#endif
