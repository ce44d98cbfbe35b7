/* SPDX-License-Identifier: ISC */
/* The way in: caps, complaints, and the script as a whole. */
#include "syntax_int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* The first complaint counts. */
static void __attribute__((format(printf, 5, 0)))
complain(struct syn_parser *p, enum syn_answer status, size_t pos, int code,
    const char *fmt, va_list ap)
{
	if (p->status != SYN_TREE)
		return;
	p->status = status;
	p->fail_at = pos;
	p->code = code;
	vsnprintf(p->expected, sizeof p->expected, fmt, ap);
}

void
syn_fail(struct syn_parser *p, size_t pos, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(p, SYN_ERROR, pos, code, fmt, ap);
	va_end(ap);
}

void
syn_open(struct syn_parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(p, SYN_INCOMPLETE, p->end, ERR_SYNTAX, fmt, ap);
	va_end(ap);
}

/* What is open has a longer name than its last character. */
void
syn_reopen(struct syn_parser *p, const char *was, const char *is)
{
	if (p->status == SYN_INCOMPLETE && strcmp(p->expected, was) == 0)
		snprintf(p->expected, sizeof p->expected, "%s", is);
}

bool
syn_deeper(struct syn_parser *p)
{
	if (p->depth >= SYN_DEPTH_MAX) {
		syn_fail(p, p->pos, ERR_RANGE, "at most %d levels of nesting",
		    SYN_DEPTH_MAX);
		return false;
	}
	p->depth++;
	return true;
}

/* Units up to the end; what was read stays when one of them fails. */
static void
read_units(struct syn_parser *p, struct syn_script *script)
{
	struct syn_list *list = arena_alloc(p->arena, sizeof *list);
	struct syn_andor **tail = &list->first;
	size_t from = 0;

	script->list = list;
	for (;;) {
		struct syn_list *unit;

		syn_skip_newlines(p);
		if (!syn_ok(p) || syn_peek(p) == TOK_EOF)
			break;
		from = p->lex.tok_pos;
		unit = syn_read_list(p, true);
		if (syn_ok(p) && syn_peek(p) != TOK_NEWLINE &&
		    p->lex.tok != TOK_EOF)
			syn_unexpected(p, "an operator or the end of the line");
		if (!syn_ok(p))
			break;
		*tail = unit->first;
		while (*tail != NULL) {
			if ((*tail)->next == NULL)
				(*tail)->line_end = true;
			tail = &(*tail)->next;
		}
	}
	if (!syn_ok(p)) {
		script->broken = true;
		script->rest = p->s + from;
		script->rest_len = p->end - from;
	}
}

struct syn_script *
syn_read_later(struct syn_parser *p, const char *s, size_t len, size_t origin,
    bool fixed)
{
	struct syn_script *script = arena_alloc(p->arena, sizeof *script);
	struct syn_parser q = { .s = s, .end = len, .arena = p->arena,
	    .memo = p->memo, .depth = p->depth, .extglob = p->extglob,
	    .posix = p->posix, .at_end = true, .origin = origin,
	    .fixed = fixed, .status = SYN_TREE };

	read_units(&q, script);
	if (q.status == SYN_ERROR && q.code == ERR_RANGE)
		syn_fail(p, p->pos, ERR_RANGE, "%s", q.expected);
	return script;
}

static void
locate(const char *bytes, size_t offset, struct syn_diag *diag)
{
	size_t i, line_start = 0;

	diag->offset = offset;
	diag->line = 1;
	for (i = 0; i < offset; i++)
		if (bytes[i] == '\n') {
			diag->line++;
			line_start = i + 1;
		}
	diag->column = (unsigned)(offset - line_start) + 1;
}

static enum syn_answer
refuse(struct syn_diag *ret_diag, const char *bytes, size_t offset, int code,
    const char *expected)
{
	if (ret_diag != NULL) {
		memset(ret_diag, 0, sizeof *ret_diag);
		ret_diag->code = code;
		locate(bytes, offset, ret_diag);
		snprintf(ret_diag->expected, sizeof ret_diag->expected, "%s",
		    expected);
	}
	return SYN_ERROR;
}

enum syn_answer
syn_parse(const char *bytes, size_t len, const struct syn_options *opts,
    struct syn_tree **ret_tree, struct syn_diag *ret_diag)
{
	static const struct syn_options none;
	struct syn_parser p = { .end = len, .status = SYN_TREE };
	struct syn_tree *tree;
	const char *nul;

	if (opts == NULL)
		opts = &none;
	if (len > SYN_LEN_MAX)
		return refuse(ret_diag, "", 0, ERR_TOO_LONG,
		    "at most 1 MiB of text");
	nul = len > 0 ? memchr(bytes, '\0', len) : NULL;
	if (nul != NULL)
		return refuse(ret_diag, bytes, (size_t)(nul - bytes), -EILSEQ,
		    "text without NUL bytes");
	p.arena = arena_new();
	p.memo = syn_memo_new(p.arena);
	p.extglob = opts->extglob;
	p.posix = opts->posix;
	p.at_end = opts->at_end;
	tree = arena_alloc(p.arena, sizeof *tree);
	tree->arena = p.arena;
	tree->src = arena_memdup0(p.arena, bytes, len);
	tree->len = len;
	p.s = tree->src;
	read_units(&p, &tree->script);
	if (p.status == SYN_TREE) {
		*ret_tree = tree;
		return SYN_TREE;
	}
	refuse(ret_diag, tree->src, p.fail_at, p.code, p.expected);
	arena_free(p.arena);
	return p.status;
}

bool
syn_read_unit(const char *text, size_t len, const struct syn_options *opts,
    struct syn_more *more)
{
	static const struct syn_options none;
	struct syn_parser p = { .s = text, .end = len, .status = SYN_TREE,
	    .more = more };

	if (opts == NULL)
		opts = &none;
	p.arena = arena_new();
	p.memo = syn_memo_new(p.arena);
	p.extglob = opts->extglob;
	p.posix = opts->posix;
	p.at_end = opts->at_end;
	if (syn_peek(&p) != TOK_NEWLINE && syn_ok(&p)) {
		syn_read_list(&p, true);
		/* What stands behind a list is its newline, with the
		 * here-documents below it, or a mistake. */
		if (syn_ok(&p))
			syn_peek(&p);
	}
	arena_free(p.arena);
	return p.status != SYN_INCOMPLETE;
}

void
syn_free(struct syn_tree *tree)
{
	if (tree != NULL)
		arena_free(tree->arena);
}
