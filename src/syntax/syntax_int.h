/* SPDX-License-Identifier: ISC */
/*
 * The tree, and what the files of this room share.  Every node lives in
 * the tree's arena.  Lists are singly linked in order of appearance.
 *
 * Bytes of nodes (src, text, name) point into the unit or, where quoting
 * had to be undone first, into the arena; they are not NUL-terminated.
 */
#ifndef SYNTAX_SYNTAX_INT_H
#define SYNTAX_SYNTAX_INT_H

#include <stdint.h>
#include <string.h>

#include "aegsh/base/err.h"
#include "aegsh/base/mem.h"
#include "aegsh/syntax.h"

/* ---- tree --------------------------------------------------------------- */

struct syn_text;
struct syn_list;

/* Commands read from a text of their own: the unit, $( ), ` `, <( ). */
struct syn_script {
	struct syn_list *list;
	bool broken;
	const char *rest;	/* broken: from where it cannot be read */
	size_t rest_len;
};
/* broken: bash reads this text only when it runs it (backquotes), runs
 * what stands in front of the mistake, and then complains. */

enum syn_param_op {
	SYN_PARAM_BAD = 0,	/* bash will say "bad substitution" */
	SYN_PARAM_PLAIN,	/* $x ${x} */
	SYN_PARAM_LENGTH,	/* ${#x} */
	SYN_PARAM_DEFAULT,	/* ${x-w} */
	SYN_PARAM_ASSIGN,	/* ${x=w} */
	SYN_PARAM_ERROR,	/* ${x?w} */
	SYN_PARAM_ALTERNATE,	/* ${x+w} */
	SYN_PARAM_PATTERN,	/* # ## % %% ^ ^^ , ,, ~ ~~ */
	SYN_PARAM_REPLACE,	/* / // /# /% */
	SYN_PARAM_SUBSTRING,	/* ${x:o:l} */
	SYN_PARAM_TRANSFORM,	/* ${x@Q} */
	SYN_PARAM_NAMES,	/* ${!x*} ${!x@} */
	SYN_PARAM_KEYS,		/* ${!x[@]} */
};

struct syn_param {
	enum syn_param_op op;
	const char *name;
	size_t name_len;
	bool braces, colon, indirect;
	bool has_subscript;
	char letter;	/* of a transformation; else the operator's first */
	struct syn_piece *subscript, *word;
};
/* name: identifier, digits or one special character; colon: of :- := :?
 * :+ ; word: all that follows the operator. */

enum syn_piece_kind {
	SYN_PIECE_LITERAL = 0,	/* unquoted bytes */
	SYN_PIECE_ESCAPE,	/* \x */
	SYN_PIECE_SINGLE,	/* '…' */
	SYN_PIECE_ANSI,		/* $'…', decoded in text */
	SYN_PIECE_DOUBLE,	/* "…" and $"…" */
	SYN_PIECE_PARAM,
	SYN_PIECE_SUBST,	/* $(…) and `…` */
	SYN_PIECE_PROCESS,	/* <(…) >(…) */
	SYN_PIECE_ARITH,	/* $((…)) and $[…] */
	SYN_PIECE_GROUP,	/* @(…) and the like; (…) of a regexp */
	SYN_PIECE_SUBSCRIPT,	/* […] of an assignment */
	SYN_PIECE_ARRAY,	/* (…) of a compound assignment */
	SYN_PIECE_BROKEN,	/* bash will complain when it expands this */
};

struct syn_piece {
	enum syn_piece_kind kind;
	char mark;
	bool doubt;
	const char *src;
	size_t src_len;
	const char *text;
	size_t len;
	size_t offset;
	struct syn_piece *kids;
	struct syn_script *script;
	struct syn_param *param;
	struct syn_text *words;
	struct syn_piece *next;
};
/* mark: '`' of a substitution, '<' or '>' of a process, '[' of $[ ], the
 * character in front of a group (0: none), '$' of $"…"; src: as written,
 * all of it; text: literal, escape, single, ansi: the bytes meant; doubt:
 * they depend on the locale; offset: in the unit; kids: double, arith,
 * group, subscript; script: subst, process; words: of an array. */

struct syn_assignment {
	const char *name;
	size_t name_len;
	const char *subscript;
	size_t subscript_len;
	struct syn_piece *key;
	bool append;
	struct syn_piece *value;
	bool array, odd;
};
/* subscript NULL: none; key: its pieces, when read as a subscript; value:
 * the pieces behind "="; array: value is one SYN_PIECE_ARRAY; odd: bytes
 * follow the array. */

struct syn_text {
	struct syn_piece *pieces;
	const char *src;
	size_t src_len, offset;
	bool quoted, leading;
	struct syn_assignment *assignment;
	struct syn_text *next;
};
/* One word.  quoted: bash's own idea of it (quotes and backslashes, not
 * backquotes); leading: stands where an assignment may stand; assignment:
 * it has the form of one. */

struct syn_target {
	enum syn_redir_op op;
	int fd;
	bool fd_given, out;
	const char *src;
	struct syn_text *fd_word;
	const char *fd_name;
	size_t fd_name_len;
	struct syn_text *word;
	bool strip, raw, unended;
	const char *delimiter;
	size_t delimiter_len;
	const char *body;
	size_t body_len, body_offset;
	struct syn_piece *pieces;
	struct syn_target *next;
};
/* A redirection.  fd -1: not given, or fd_name is there (what stands in the
 * braces of fd_word); out: of closing,
 * written ">&-"; word:
 * target (here-document: delimiter as written), NULL when closing;
 * here-document: strip <<-, raw: nothing is expanded, unended: by the end
 * of the input, delimiter without
 * quotes, body after stripping, pieces of a body that is expanded. */

enum syn_command_kind {
	SYN_CMD_SIMPLE = 0,
	SYN_CMD_SUBSHELL,
	SYN_CMD_GROUP,
	SYN_CMD_IF,
	SYN_CMD_WHILE,
	SYN_CMD_UNTIL,
	SYN_CMD_FOR,
	SYN_CMD_SELECT,
	SYN_CMD_ARITH_FOR,
	SYN_CMD_CASE,
	SYN_CMD_COND,
	SYN_CMD_ARITH,
	SYN_CMD_FUNCTION,
	SYN_CMD_COPROC,
};

/* if … then …, one for each elif, and one without test for else; patterns
 * and commands of case (end: ";;" ";&" ";;&", NULL for a last one without).
 */
struct syn_arm {
	struct syn_list *test, *body;
	struct syn_text *patterns;
	const char *end;
	struct syn_arm *next;
};

enum syn_cond_kind {
	SYN_COND_WORD = 0,	/* [[ x ]] */
	SYN_COND_UNARY,
	SYN_COND_BINARY,
	SYN_COND_AND,
	SYN_COND_OR,
	SYN_COND_PAREN,
};

struct syn_cond {
	enum syn_cond_kind kind;
	bool negated;
	const char *op;
	size_t op_len;
	struct syn_text *left, *right;
	struct syn_cond *a, *b;
};
/* left: the operand of word and unary, too; a, b: and, or; a: paren. */

struct syn_expression {		/* arithmetic */
	const char *src;
	size_t src_len;
	struct syn_piece *pieces;
};

struct syn_node {
	enum syn_command_kind kind;
	bool pipe_both, has_in, brace_body, keyword;
	const char *src;
	size_t offset, len;
	struct syn_text *words;
	struct syn_text *name;
	struct syn_target *targets;
	struct syn_list *test, *body;
	struct syn_arm *arms;
	struct syn_cond *cond;
	struct syn_expression *arith;
	struct syn_node *inner;
	struct syn_node *next;
};
/* A command.  next: the following one of the pipeline, pipe_both when
 * joined to it by |&.  words: of a simple command with its assignments,
 * the list of for and select (has_in), the subject of case; name: of for,
 * select, a function, a coprocess (NULL: none); test and body: while,
 * until; body: subshell, group, loops; brace_body: loop written with { };
 * keyword: function written so; arms: if, case; arith: one for (( )), three
 * for for (( )), else NULL; inner: body of a function, command of a
 * coprocess. */

struct syn_pipe {
	struct syn_node *first;
	unsigned bangs;
	bool timed, time_p;
	bool or_else;
	struct syn_pipe *next;
};
/* first NULL: nothing but "!" or "time".  next: joined by && or, when the
 * next one has or_else, by ||. */

struct syn_andor {
	struct syn_pipe *first;
	bool background, line_end;
	size_t amp;
	struct syn_andor *next;
};
/* amp: offset of the & of one in the background.  line_end: a newline
 * follows, so that bash runs it before it reads on (meaningful at the top of
 * a script only). */

struct syn_list {
	struct syn_andor *first;
};

struct syn_tree {
	struct arena *arena;
	struct syn_script script;
	const char *src;
	size_t len;
};

/* ---- reading ------------------------------------------------------------ */

enum syn_token {
	TOK_START = 0,		/* nothing was read yet */
	TOK_EOF, TOK_NEWLINE, TOK_WORD, TOK_ASSIGN, TOK_NUMBER, TOK_FD_NAME,
	TOK_SEMI, TOK_AMP, TOK_PIPE, TOK_PIPE_AMP, TOK_AND, TOK_OR,
	TOK_LPAREN, TOK_RPAREN, TOK_DSEMI, TOK_SEMI_AMP, TOK_DSEMI_AMP,
	TOK_DASH,
	/* from here to TOK_AMP_DGREAT: redirections */
	TOK_LESS, TOK_GREAT, TOK_DLESS, TOK_DLESS_DASH, TOK_TLESS, TOK_DGREAT,
	TOK_LESS_AMP, TOK_GREAT_AMP, TOK_LESS_GREAT, TOK_CLOBBER,
	TOK_AMP_GREAT, TOK_AMP_DGREAT,
	TOK_ARITH, TOK_ARITH_FOR,
	/* from here on: reserved words */
	TOK_IF, TOK_THEN, TOK_ELSE, TOK_ELIF, TOK_FI, TOK_CASE, TOK_ESAC,
	TOK_FOR, TOK_SELECT, TOK_WHILE, TOK_UNTIL, TOK_DO, TOK_DONE,
	TOK_FUNCTION, TOK_COPROC, TOK_IN, TOK_BANG, TOK_TIME, TOK_TIME_P,
	TOK_TIME_END, TOK_LBRACE, TOK_RBRACE, TOK_COND_START, TOK_COND_END,
};

enum syn_lex_state {
	LEX_CASE_PATTERN = 1 << 0,	/* patterns of case follow */
	LEX_CASE = 1 << 1,		/* inside case, before "in" */
	LEX_ASSIGN_OK = 1 << 2,		/* arguments of declare and friends */
	LEX_REDIR_LIST = 1 << 3,	/* only redirections so far */
	LEX_OPEN_BRACE = 1 << 4,	/* "{" may start a function's body */
	LEX_COND = 1 << 5,
	LEX_REGEXP = 1 << 6,
	LEX_ARRAY = 1 << 7,
};

/* What a substitution starts anew and gives back at its end. */
struct syn_lex {
	enum syn_token tok, last, before;
	bool have;			/* tok is read but not yet taken */
	unsigned state;
	int esacs, ins;
	struct syn_text *word;		/* of the token */
	int number;
	const char *fd_name;		/* of TOK_FD_NAME */
	size_t fd_name_len;
	size_t tok_pos, tok_end;
	size_t arith_pos, arith_end;	/* of TOK_ARITH: what it encloses */
	size_t taken_end;		/* of the last token taken */
	struct syn_doc *docs, **docs_tail;	/* here-documents to read */
	size_t pushed_end;		/* up to here: re-read after "((" */
	bool in_subst;			/* a ")" ends it */
};

struct syn_memo;

struct syn_doc {
	struct syn_target *target;
	struct syn_doc *next;
};

struct syn_parser {
	const char *s;
	size_t pos, end;
	struct arena *arena;
	struct syn_memo *memo;
	unsigned depth;
	bool extglob, posix, at_end;
	struct syn_more *more;		/* lines may follow the end, or NULL */
	bool newline_given;
	size_t origin;			/* of s in the unit */
	bool fixed;			/* s is a copy, all of it at origin */
	struct syn_lex lex;
	enum syn_answer status;		/* SYN_TREE: no complaint */
	int code;
	size_t fail_at;
	char expected[128];
};

/* A run of literal bytes, copied only where it is not contiguous. */
struct syn_run {
	const char *at;
	size_t len;
	char *copy;
	size_t cap, start;
};

struct syn_pieces {
	struct syn_piece *first, **tail;
};

enum syn_place {		/* where pieces are read */
	SYN_PLACE_WORD = 0,
	SYN_PLACE_DOUBLE,	/* "…" */
	SYN_PLACE_BRACE,	/* ${…} */
	SYN_PLACE_BRACE_DOUBLE,	/* "${…}", words after - = ? + */
	SYN_PLACE_BRACE_PATTERN,/* "${…}", patterns: '…' quotes */
	SYN_PLACE_HEREDOC,
	SYN_PLACE_ARITH,
	SYN_PLACE_GROUP,	/* @(…) */
	SYN_PLACE_SUBSCRIPT,
};

#define SYN_CH_BREAK 1		/* ends a word */
#define SYN_CH_PLAIN 2		/* only itself, anywhere */
#define SYN_CH_NAME 4		/* of an identifier */
#define SYN_CH_DIGIT 8
#define SYN_CH_BLANK 16
#define SYN_CH_INSIDE 32	/* only itself in quotes and braces */
extern const unsigned char syn_ch[256];

static inline bool
syn_is(int c, unsigned bits)
{
	return c >= 0 && (syn_ch[c] & bits) != 0;
}

/* syntax_cut.c: the next line stands behind the end now; false: none. */
bool syn_refill(struct syn_parser *p);

static inline int
syn_at(struct syn_parser *p, size_t pos)
{
	while (pos >= p->end)
		if (p->more == NULL || !syn_refill(p))
			return -1;
	return (unsigned char)p->s[pos];
}

static inline bool
syn_ok(const struct syn_parser *p)
{
	return p->status == SYN_TREE;
}

static inline size_t
syn_offset(const struct syn_parser *p, size_t pos)
{
	return p->fixed ? p->origin : p->origin + pos;
}

/* syntax_parse.c: complaints and the start of everything */
void syn_fail(struct syn_parser *p, size_t pos, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void syn_open(struct syn_parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void syn_reopen(struct syn_parser *p, const char *was, const char *is);
bool syn_deeper(struct syn_parser *p);
/* One unit of a text whose end may be moved: false: it is incomplete. */
bool syn_read_unit(const char *text, size_t len,
	const struct syn_options *opts, struct syn_more *more);
/* Commands of a text that bash reads when it runs it. */
struct syn_script *syn_read_later(struct syn_parser *p, const char *s,
	size_t len, size_t origin, bool fixed);

/* syntax_lex.c */
enum syn_token syn_peek(struct syn_parser *p);
void syn_take(struct syn_parser *p);
enum syn_token syn_read_token(struct syn_parser *p);
void syn_skip_newlines(struct syn_parser *p);
const char *syn_token_name(enum syn_token tok);
void syn_skip_joins(struct syn_parser *p);

/* syntax_word.c */
struct syn_reader {		/* of one word */
	struct syn_parser *p;
	struct syn_text *t;
	struct syn_pieces out;
	struct syn_run run;
	size_t from;
	unsigned tries;		/* "=" that may end the name, so far */
	bool decided;		/* it is an assignment, or is none */
	bool fresh;		/* nothing but this run was read */
	struct syn_piece *key;	/* […] read as a subscript, … */
	size_t key_from, key_to;	/* … there */
	struct syn_piece **value;
};

struct syn_text *syn_read_word(struct syn_parser *p);
bool syn_text_is(const struct syn_text *t, const char *s);
/* The bytes when the word is nothing but unquoted literal, else NULL. */
const char *syn_text_plain(const struct syn_text *t, size_t *ret_len);
bool syn_assign_acceptable(const struct syn_lex *lex);
bool syn_command_position(const struct syn_lex *lex, enum syn_token tok);
bool syn_reserved_ok(const struct syn_lex *lex, enum syn_token tok);
enum syn_token syn_word_token(struct syn_parser *p, struct syn_text *t,
	const char *plain, size_t len);

/* syntax_assign.c */
void syn_read_equals(struct syn_reader *r);
bool syn_read_key(struct syn_reader *r);
/* Does "[" at s close at its end?  -1: it is open there. */
int syn_brackets_close(const char *s, size_t len);
const char *syn_without_joins(struct syn_parser *p, const char *s,
	size_t *len);

/* syntax_piece.c */
void syn_run_add(struct syn_parser *p, struct syn_run *run, size_t pos,
	size_t len);
void syn_run_flush(struct syn_parser *p, struct syn_run *run,
	struct syn_pieces *out);
struct syn_piece *syn_piece_new(struct syn_parser *p, struct syn_pieces *out,
	enum syn_piece_kind kind, size_t from);
void syn_piece_end(struct syn_parser *p, struct syn_piece *piece, size_t from);
void syn_read_escape(struct syn_parser *p, struct syn_pieces *out);
void syn_read_single(struct syn_parser *p, struct syn_pieces *out);
void syn_read_double(struct syn_parser *p, struct syn_pieces *out, char mark);
void syn_read_pieces(struct syn_parser *p, enum syn_place place,
	const char *stops, struct syn_pieces *out);
/* Pieces of a text whose end is known; a mistake in it becomes one broken
 * piece. */
struct syn_piece *syn_slice(struct syn_parser *p, enum syn_place place,
	size_t from, size_t to);

/* syntax_subst.c */
/* At "$"; false: it means itself. */
bool syn_read_dollar(struct syn_parser *p, enum syn_place place,
	struct syn_pieces *out);
void syn_read_backquote(struct syn_parser *p, enum syn_place place,
	struct syn_pieces *out);
/* At "<" or ">" with "(" behind. */
void syn_read_process(struct syn_parser *p, struct syn_pieces *out);
/* Move behind the closing one, as bash looks for it. */
enum syn_scan { SYN_SCAN_PLAIN, SYN_SCAN_ARITH, SYN_SCAN_SUBSCRIPT };
bool syn_scan_pair(struct syn_parser *p, char open, char close,
	enum syn_scan how);

/* Move to stop outside quotes and substitutions, or to the end. */
void syn_scan_until(struct syn_parser *p, char stop);

/* syntax_memo.c: what was read at a place already (bash looks for the end
 * of (( )) first and reads it afterwards; without this, reading nested
 * ones would take exponential time). */
struct syn_memo *syn_memo_new(struct arena *arena);
struct syn_piece *syn_memo_get(struct syn_memo *memo, const char *at);
void syn_memo_put(struct syn_memo *memo, const char *at,
	struct syn_piece *piece);

/* syntax_param.c */
void syn_read_param(struct syn_parser *p, enum syn_place place,
	struct syn_pieces *out);

/* syntax_ansi.c */
/* Decode the inside of $'…'.  *ret_doubt: depends on the locale. */
const char *syn_ansi(struct arena *arena, const char *s, size_t len,
	size_t *ret_len, bool *ret_doubt);

/* syntax_heredoc.c */
void syn_doc_expect(struct syn_parser *p, struct syn_target *t);
void syn_docs_read(struct syn_parser *p);

/* syntax_command.c, syntax_compound.c, syntax_cond.c */
struct syn_list *syn_read_list(struct syn_parser *p, bool top);
struct syn_node *syn_read_command(struct syn_parser *p);
bool syn_starts_command(enum syn_token tok);
struct syn_node *syn_read_compound(struct syn_parser *p);
bool syn_starts_compound(enum syn_token tok);
void syn_read_redirections(struct syn_parser *p, struct syn_node *node);
struct syn_node *syn_node_new(struct syn_parser *p,
	enum syn_command_kind kind);
void syn_node_end(struct syn_parser *p, struct syn_node *node);
void syn_read_function(struct syn_parser *p, struct syn_node *node);
bool syn_expect(struct syn_parser *p, enum syn_token tok);
void syn_unexpected(struct syn_parser *p, const char *expected);
void syn_read_simple(struct syn_parser *p, struct syn_node *node,
	struct syn_text *first);
struct syn_cond *syn_read_cond(struct syn_parser *p);

#endif
