/* SPDX-License-Identifier: ISC */
/*
 * The lines that this room writes into a start-up file, as values: what a
 * directory or value means (template.c), the lines for it in a shell's
 * syntax, and the marked block that holds them (block.c).  Bytes in, bytes
 * out; nothing here touches a file.
 */
#ifndef BLOCK_INT_H
#define BLOCK_INT_H

#include "shellenv_int.h"

/* ---- template.c: text with references to variables -------------------- */

struct tmpl_part {
	bool var;		/* text is a variable's name */
	const char *text;
};
struct tmpl {
	struct tmpl_part *parts;
	size_t n, cap;
};

/* "$HOME/x", "~/x", "${GOPATH}/bin"; \$ is a dollar.  ERR_RANGE: control
 * characters, or for a directory a colon or a relative path. */
int se_tmpl_parse(struct shellenv *se, const char *arg, bool dir,
	struct tmpl *ret, struct err *err);
/* What it stands for, by the home and the environment given as lookups. */
const char *se_tmpl_expand(struct shellenv *se, const struct tmpl *t,
	const char *(*get)(void *ctx, const char *name), void *ctx);
/* In double quotes for the Bourne family, as one word for fish. */
const char *se_tmpl_posix(struct shellenv *se, const struct tmpl *t);
const char *se_tmpl_fish(struct shellenv *se, const struct tmpl *t);

/* ---- block.c ---------------------------------------------------------- */

enum item_kind { ITEM_RAW, ITEM_PATH, ITEM_VAR, ITEM_SOURCE };
struct item {
	enum item_kind kind;
	const char *name;	/* VAR */
	const char *text;	/* PATH, VAR: the word as written, without
				 * its quotes; SOURCE: the file; RAW: lines */
	bool helper;		/* SOURCE: only there for another block */
};
struct block {
	size_t begin, end;	/* bytes of the text, markers and all */
	bool joined;		/* the line before it had no end */
	bool created;		/* the file is there because of it */
	struct item *items;
	size_t n, cap;
};

/* The block of a text from a byte on; -ENOENT: none. */
int se_block_find(struct shellenv *se, const char *text, size_t len,
	size_t from, bool fish, struct block *ret);
/* The line of a marker without its other half; 0: none. */
int se_block_damaged(const char *text, size_t len);
/* The seed's line of an item: export PATH="…:$PATH". */
const char *se_item_line(struct shellenv *se, const struct item *it, bool fish);
/* The text with the block put in place of what is between begin and end;
 * an empty block leaves no trace, and NULL means the file goes too. */
char *se_block_put(const char *text, size_t len, const struct block *b,
	bool fish, struct shellenv *se, size_t *ret_len);
/* A new, empty block for a text (NULL: no file), to stand at a byte. */
struct block se_block_new(const char *text, size_t len, size_t at);

#endif
