/* SPDX-License-Identifier: ISC */
/* Reading a line, whole or to see whether it is; what is wrong with it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/text.h"
#include "turn/turn_int.h"

/* What is wrong, owned. */
static char *
diagnosis(const struct syn_diag *diag, unsigned lines_before)
{
	struct buf text = BUF_INIT;

	buf_putf(&text, "line %u, column %u: ", diag->line - lines_before,
	    diag->column);
	switch (diag->code) {
	case ERR_TOO_LONG:
		buf_putf(&text, "more than %zu bytes", SYN_LEN_MAX);
		break;
	case ERR_RANGE:
		buf_putf(&text, "nested more than %d deep", SYN_DEPTH_MAX);
		break;
	case -EILSEQ:
		buf_puts(&text, "a NUL byte");
		break;
	default:
		buf_puts(&text, "syntax error");
		if (diag->expected[0] != '\0') {
			buf_puts(&text, ": expected ");
			text_inert(&text, diag->expected,
			    strlen(diag->expected), 0);
		}
	}
	return buf_take(&text);
}

void
turn_parse(struct turn_judged *j)
{
	const struct syn_options whole = { .at_end = true };
	struct syn_diag diag;

	if (syn_parse(j->line.bytes, j->line.len, &whole, &j->tree,
	    &diag) != SYN_TREE)
		j->syntax_error = diagnosis(&diag, j->prefix_lines);
}

char *
turn_unreadable(const char *text, size_t len)
{
	const struct syn_options whole = { .at_end = true };
	struct syn_tree *tree = NULL;
	struct syn_diag diag;

	if (syn_parse(text, len, &whole, &tree, &diag) != SYN_TREE)
		return diagnosis(&diag, 0);
	syn_free(tree);
	return NULL;
}

void
turn_cut(void *ctx, const char *text, size_t len,
    bool (*next)(void *ctx, const char **ret, size_t *ret_len),
    void *next_ctx)
{
	(void)ctx;
	syn_cut(text, len, NULL, next, next_ctx);
}

int
turn_complete(void *ctx, const char *text, size_t len, const char **ret_open)
{
	struct turn *t = ctx;
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	enum syn_answer a = syn_parse(text, len, NULL, &tree, &diag);

	syn_free(tree);
	if (a != SYN_INCOMPLETE)
		return 1;
	snprintf(t->open, sizeof t->open, "%s", diag.expected);
	*ret_open = t->open;
	return 0;
}
