/* SPDX-License-Identifier: ISC */
/* Here-documents: bodies are read at the newline behind their operator. */
#include "syntax_int.h"

/* The delimiter is the word after quote removal, nothing expanded. */
static void
find_delimiter(struct syn_parser *p, struct syn_target *t)
{
	struct buf out = BUF_INIT_MAX(SYN_LEN_MAX);
	const struct syn_piece *piece, *kid;

	for (piece = t->word->pieces; piece != NULL; piece = piece->next)
		switch (piece->kind) {
		case SYN_PIECE_LITERAL:
		case SYN_PIECE_ESCAPE:
		case SYN_PIECE_SINGLE:
		case SYN_PIECE_ANSI:
			buf_put(&out, piece->text, piece->len);
			break;
		case SYN_PIECE_DOUBLE:
			for (kid = piece->kids; kid != NULL; kid = kid->next)
				if (kid->kind == SYN_PIECE_LITERAL ||
				    kid->kind == SYN_PIECE_ESCAPE)
					buf_put(&out, kid->text, kid->len);
				else
					buf_put(&out, kid->src, kid->src_len);
			break;
		case SYN_PIECE_PARAM:
		case SYN_PIECE_ARITH:
		case SYN_PIECE_GROUP:
		case SYN_PIECE_SUBSCRIPT:
		case SYN_PIECE_SUBST:
		case SYN_PIECE_PROCESS:
		case SYN_PIECE_ARRAY:
		case SYN_PIECE_BROKEN:
			buf_put(&out, piece->src, piece->src_len);
			break;
		}
	t->delimiter = arena_memdup0(p->arena, out.data, out.len);
	t->delimiter_len = out.len;
	buf_done(&out);
}

/* Bash prints a command substitution anew before it compares, and looks
 * for quotes in expansions in ways of its own: such delimiters are not
 * worth a guess. */
static bool
plain_delimiter(const struct syn_piece *piece)
{
	for (; piece != NULL; piece = piece->next)
		switch (piece->kind) {
		case SYN_PIECE_LITERAL:
		case SYN_PIECE_ESCAPE:
		case SYN_PIECE_SINGLE:
			break;
		case SYN_PIECE_ANSI:
			if (piece->doubt)
				return false;
			break;
		case SYN_PIECE_DOUBLE:
			if (piece->mark == '$' || !plain_delimiter(piece->kids))
				return false;
			break;
		case SYN_PIECE_PARAM:
			if (piece->param->braces ||
			    memchr(piece->src, '\n', piece->src_len) != NULL)
				return false;
			break;
		case SYN_PIECE_ARITH:
		case SYN_PIECE_GROUP:
		case SYN_PIECE_SUBSCRIPT:
		case SYN_PIECE_SUBST:
		case SYN_PIECE_PROCESS:
		case SYN_PIECE_ARRAY:
		case SYN_PIECE_BROKEN:
			return false;
		}
	return true;
}

void
syn_doc_expect(struct syn_parser *p, struct syn_target *t)
{
	struct syn_lex *lex = &p->lex;
	struct syn_doc *doc;

	if (!plain_delimiter(t->word->pieces)) {
		syn_fail(p, lex->tok_pos, ERR_SYNTAX,
		    "a here-document delimiter without expansions");
		return;
	}
	t->raw = t->word->quoted;
	find_delimiter(p, t);
	doc = arena_alloc(p->arena, sizeof *doc);
	doc->target = t;
	if (lex->docs == NULL)
		lex->docs_tail = &lex->docs;
	*lex->docs_tail = doc;
	lex->docs_tail = &doc->next;
}

/* One line: its bytes without the newline; joined lines make it a copy. */
struct doc_line {
	const char *at;
	size_t len, from, next;
	bool joined, ended;
	bool cut;		/* joined to what is not there yet */
};

static void
read_line(struct syn_parser *p, bool join, struct doc_line *line)
{
	struct syn_run run = { 0 };
	size_t pos = p->pos, from = pos;

	line->from = pos;
	line->joined = false;
	while ((pos < p->end || syn_refill(p)) && p->s[pos] != '\n') {
		if (!join || p->s[pos] != '\\' || pos + 1 >= p->end) {
			pos++;
		} else if (p->s[pos + 1] == '\n') {
			syn_run_add(p, &run, from, pos - from);
			pos += 2;
			from = pos;
			line->joined = true;
		} else {
			pos += 2;
		}
	}
	syn_run_add(p, &run, from, pos - from);
	line->at = run.len > 0 ? run.at : "";
	line->len = run.len;
	line->ended = pos < p->end;
	line->cut = line->joined && !line->ended && from == pos && !p->at_end;
	line->next = line->ended ? pos + 1 : pos;
}

static bool
is_delimiter(const struct syn_target *t, const char *s, size_t len)
{
	return len == t->delimiter_len &&
	    memcmp(s, t->delimiter, t->delimiter_len) == 0;
}

/* "E)" ends a body inside $( ), as it always did. */
static bool
is_closed(const struct syn_parser *p, const struct syn_target *t,
    const char *s, size_t len)
{
	return p->lex.in_subst && len > t->delimiter_len &&
	    memcmp(s, t->delimiter, t->delimiter_len) == 0 &&
	    memchr(s + t->delimiter_len, ')', len - t->delimiter_len) != NULL;
}

/* The body is the unit's own bytes, or copy where it cannot be: tabs were
 * stripped, or the newline is missing that bash puts at the end of its
 * input (where it does not follow a backslash). */
static void
finish_body(struct syn_parser *p, struct syn_target *t, struct buf *copy,
    size_t from, size_t to)
{
	bool own = !t->strip;
	struct syn_parser q = *p;

	if (t->unended && copy->len > 0 &&
	    copy->data[copy->len - 1] != '\n' &&
	    (t->raw || copy->data[copy->len - 1] != '\\')) {
		buf_putc(copy, '\n');
		own = false;
	}
	t->body_offset = syn_offset(p, from);
	t->body_len = own ? to - from : copy->len;
	t->body = own ? p->s + from :
	    arena_memdup0(p->arena, copy->data, copy->len);
	if (t->raw || !syn_deeper(p))
		return;
	if (own) {
		t->pieces = syn_slice(p, SYN_PLACE_HEREDOC, from, to);
	} else {
		q.depth++;
		q.s = t->body;
		q.fixed = true;
		q.origin = t->body_offset;
		t->pieces = syn_slice(&q, SYN_PLACE_HEREDOC, 0, t->body_len);
		if (!syn_ok(&q))
			syn_fail(p, from, q.code, "%s", q.expected);
	}
	p->depth--;
}

static void
read_body(struct syn_parser *p, struct syn_target *t, bool more)
{
	struct buf copy = BUF_INIT_MAX(SYN_LEN_MAX + 1);
	size_t from = p->pos, to = from;
	bool found = false;

	while (!found && (p->pos < p->end || syn_refill(p))) {
		struct doc_line line;
		const char *s;
		size_t len;

		read_line(p, !t->raw, &line);
		s = line.at;
		len = line.len;
		if (line.cut)
			break;
		found = is_delimiter(t, s, len);
		while (!found && t->strip && len > 0 && *s == '\t') {
			s++;
			len--;
		}
		to = p->pos;
		p->pos = line.next;
		found = found || is_delimiter(t, s, len);
		if (!found && is_closed(p, t, s, len)) {
			/* Bash reads the next one from the line below. */
			if (line.joined || more) {
				syn_fail(p, line.from, ERR_SYNTAX,
				    "the here-document before )");
				break;
			}
			p->pos = (size_t)(s - p->s) + t->delimiter_len;
			found = true;
		}
		if (!found) {
			buf_put(&copy, s, len);
			if (line.ended)
				buf_putc(&copy, '\n');
			to = p->pos;
		}
	}
	if (!found && syn_ok(p) && !p->at_end)
		syn_open(p, "here-document %s", t->delimiter);
	t->unended = !found;
	if (syn_ok(p))
		finish_body(p, t, &copy, from, to);
	buf_done(&copy);
}

void
syn_docs_read(struct syn_parser *p)
{
	struct syn_doc *doc = p->lex.docs;

	if (doc != NULL && p->pos <= p->lex.pushed_end) {
		/* Bash has read these lines already when it looked for "))":
		 * it would take the body from further below. */
		syn_fail(p, p->pos, ERR_SYNTAX,
		    "a space between (( around a here-document");
		return;
	}
	if (doc != NULL && (p->lex.state & LEX_ARRAY) != 0) {
		/* Bash reads it now, and once more behind the array, with
		 * the body as delimiter. */
		syn_fail(p, p->pos, ERR_SYNTAX,
		    "the here-document outside of an array");
		return;
	}
	p->lex.docs = NULL;
	for (; doc != NULL && syn_ok(p); doc = doc->next)
		read_body(p, doc->target, doc->next != NULL);
}
