/* SPDX-License-Identifier: ISC */
/*
 * Cutting a stream into units: lines are asked for one by one until what is
 * there is complete, and not one more, since commands read the stream, too.
 *
 * Reading everything anew after each line would cost the square of a long
 * function.  Here the parser itself asks for the next line where the text
 * ends, in the middle of whatever it reads; the text stands in a buffer that
 * does not move.  Where a part of it cannot go on so, it says "incomplete",
 * and the text is read again with one more line.
 */
#include "syntax_int.h"

struct syn_more {
	syn_line_fn *line;
	void *ctx;
	char *text;
	size_t len;
	bool over;		/* no more comes, or must not */
};

static bool
add_line(struct syn_more *more)
{
	const char *line = NULL;
	size_t len = 0;

	if (more->over || !more->line(more->ctx, &line, &len) ||
	    len > SYN_LEN_MAX - more->len) {
		more->over = true;
		return false;
	}
	memcpy(more->text + more->len, line, len);
	more->len += len;
	/* Nothing makes that good. */
	more->over = memchr(line, '\0', len) != NULL;
	return !more->over;
}

bool
syn_refill(struct syn_parser *p)
{
	if (p->more == NULL || !syn_ok(p) || !add_line(p->more))
		return false;
	p->end = p->more->len;
	return true;
}

static bool
is_complete(const char *text, size_t len, const struct syn_options *opts)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	enum syn_answer answer = syn_parse(text, len, opts, &tree, &diag);

	syn_free(tree);
	return answer != SYN_INCOMPLETE;
}

void
syn_cut(const char *text, size_t len, const struct syn_options *opts,
    syn_line_fn *line, void *ctx)
{
	struct syn_more more = { .line = line, .ctx = ctx, .len = len };

	/* Most lines are. */
	if (len > SYN_LEN_MAX || is_complete(text, len, opts))
		return;
	more.text = xmalloc(SYN_LEN_MAX + 1);
	memcpy(more.text, text, len);
	while (!syn_read_unit(more.text, more.len, opts, &more) &&
	    add_line(&more))
		continue;
	free(more.text);
}
