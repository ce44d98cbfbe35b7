/* SPDX-License-Identifier: ISC */
/*
 * Start-up files understood without running them: a parser that makes a
 * small tree (prof_lex.c, prof_parse.c for the Bourne family, prof_fish.c
 * for fish) and an interpreter with three truth values (sim*.c) that keeps
 * for every entry of PATH the file and line that put it there.
 */
#ifndef PROF_INT_H
#define PROF_INT_H

#include "shellenv_int.h"

#define PROF_DEPTH 48		/* of nested commands and quotes */
#define PROF_NODES 20000	/* of one file */

struct prof_word {
	const char *raw;	/* as written, with its quotes */
	size_t len;
	int line;
};

enum prof_kind { PROF_CMD, PROF_ANDOR, PROF_NOT, PROF_PIPE, PROF_IF,
	PROF_WHILE, PROF_FOR, PROF_CASE, PROF_ITEM, PROF_FUNC, PROF_GROUP,
	PROF_SUBSHELL };

/*
 * words: CMD all of them; FOR the variable, then the list; CASE the
 * subject; ITEM its patterns; FUNC the name.
 * a, b, c: ANDOR left and right (fish's "and X": a NULL, the status so far);
 * NOT, GROUP, SUBSHELL, FUNC, FOR, ITEM their body in a; PIPE the commands
 * as a list in a; IF condition, then, else; WHILE condition, body; CASE its
 * ITEMs as a list in a.
 */
struct prof_node {
	enum prof_kind kind;
	int line;
	size_t at;		/* byte where it begins */
	bool is_or;
	bool background;
	struct prof_word *words;
	size_t n_words, cap_words;
	struct prof_node *a, *b, *c;
	struct prof_node *next;
};

struct prof {
	const char *path;
	const char *text;
	size_t len;
	enum dialect dialect;
	struct prof_node *body;
	/* Where it stopped being understood; 0: nowhere. */
	int bad_line;
	const char *bad;
	bool open_end;		/* inside a quote, here-document or command */
	bool crlf;
	int crlf_line;
};

/* Never fails: what is not understood is in bad_line. */
struct prof *se_prof_parse(struct arena *a, const char *path, const char *text,
	size_t len, enum dialect d);

/* ---- prof_lex.c ------------------------------------------------------- */

enum tok { TOK_EOF, TOK_NL, TOK_WORD, TOK_SEMI, TOK_DSEMI, TOK_AMP, TOK_AND,
	TOK_OR, TOK_PIPE, TOK_LPAR, TOK_RPAR };

struct heredoc { const char *delim; size_t len; bool tabs; };
#define HEREDOCS_MAX 16

struct lex {
	struct arena *arena;
	enum dialect dialect;
	const char *text;
	size_t len, pos;
	int line;
	enum tok tok;		/* the current token */
	struct prof_word word;	/* of TOK_WORD */
	size_t at;		/* where the current token begins */
	struct heredoc docs[HEREDOCS_MAX];
	size_t n_docs;
	const char *bad;	/* NULL, or why it stopped */
	bool open_end;
	size_t comment_end, doc_end;	/* behind the last of each */
	size_t nodes;
	int depth;
};

void se_lex_init(struct lex *l, struct arena *a, const char *text, size_t len,
	enum dialect d);
void se_lex_next(struct lex *l);
void se_lex_fail(struct lex *l, const char *why);
/* Skip one balanced construct; pos is behind its opening. */
void se_lex_skip_to(struct lex *l, char close, int depth);
/* One word of [[ … ]], where operators need no quotes. */
void se_lex_cond_word(struct lex *l);
bool se_word_is(const struct prof_word *w, const char *text);

/* ---- prof_fish.c ------------------------------------------------------ */

void se_lex_next_fish(struct lex *l);
struct prof_node *se_fish_list(struct lex *l);

/* ---- prof_parse.c ----------------------------------------------------- */

struct prof_node *se_prof_node(struct lex *l, enum prof_kind kind);
void se_prof_add_word(struct lex *l, struct prof_node *n,
	const struct prof_word *w);

#endif
