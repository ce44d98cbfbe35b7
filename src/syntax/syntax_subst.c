/* SPDX-License-Identifier: ISC */
/*
 * What runs commands inside a word, and arithmetic: $( ) ` ` <( ) $(( )).
 *
 * Bash finds the end of $( ) by parsing, but the end of $(( )) by pairing
 * characters, and decides only then which of the two it is.
 */
#include "syntax_int.h"

static struct syn_piece *read_paren(struct syn_parser *p, size_t from);

static void
append(struct syn_pieces *out, struct syn_piece *piece)
{
	if (out->tail == NULL)
		out->tail = &out->first;
	*out->tail = piece;
	out->tail = &piece->next;
}

/* Something nested while only its end is looked for. */
static void
scan_nested(struct syn_parser *p, int c)
{
	struct syn_pieces none = { NULL, NULL };

	if (c == '\'')
		syn_read_single(p, &none);
	else if (c == '"')
		syn_read_double(p, &none, 0);
	else
		syn_read_backquote(p, SYN_PLACE_WORD, &none);
}

/* Behind a "$", or "<" or ">" in a subscript, at "(" "{" or "[". */
static bool
scan_dollar(struct syn_parser *p, size_t dollar, int c, enum syn_scan how)
{
	struct syn_pieces none = { NULL, NULL };
	bool is_dollar = p->s[dollar] == '$';

	if (c == '(' && (how != SYN_SCAN_PLAIN) &&
	    (is_dollar || how == SYN_SCAN_SUBSCRIPT)) {
		read_paren(p, dollar);
		return true;
	}
	if (!is_dollar || how != SYN_SCAN_SUBSCRIPT)
		return false;
	p->pos = dollar;
	if (c == '{')
		syn_read_param(p, SYN_PLACE_SUBSCRIPT, &none);
	else
		syn_read_dollar(p, SYN_PLACE_SUBSCRIPT, &none);
	return true;
}

static void
scan_ansi(struct syn_parser *p)
{
	int c;

	p->pos++;
	while ((c = syn_at(p, p->pos)) >= 0 && c != '\'')
		p->pos += c == '\\' ? 2 : 1;
	if (c < 0)
		syn_open(p, "quote '");
	else
		p->pos++;
}

bool
syn_scan_pair(struct syn_parser *p, char open, char close, enum syn_scan how)
{
	size_t count = 1, lead = SIZE_MAX;	/* of a "$", "<" or ">" */

	while (syn_ok(p)) {
		size_t before = lead;
		bool dollar = before != SIZE_MAX && p->s[before] == '$';
		int c;

		lead = SIZE_MAX;
		syn_skip_joins(p);
		c = syn_at(p, p->pos);
		if (c < 0) {
			if (syn_ok(p))
				syn_open(p, "%c", open);
			return false;
		}
		if (c == '\\') {
			p->pos += p->pos + 1 < p->end ? 2 : 1;
		} else if (c == '\'' && dollar) {
			scan_ansi(p);
		} else if (c == '\'' || c == '"' || c == '`') {
			scan_nested(p, c);
		} else if ((c == '(' || c == '{' || c == '[') &&
		    before != SIZE_MAX && scan_dollar(p, before, c, how)) {
			continue;
		} else {
			if (c == close && --count == 0) {
				p->pos++;
				return true;
			}
			if (c == open)
				count++;
			if ((c == '$' && !dollar) || c == '<' || c == '>')
				lead = p->pos;
			p->pos++;
		}
	}
	return false;
}

void
syn_scan_until(struct syn_parser *p, char stop)
{
	struct syn_pieces none = { NULL, NULL };

	while (syn_ok(p) && p->pos < p->end && p->s[p->pos] != stop) {
		int c = (unsigned char)p->s[p->pos];

		if (c == '\\')
			p->pos += p->pos + 1 < p->end ? 2 : 1;
		else if (c == '\'' || c == '"' || c == '`')
			scan_nested(p, c);
		else if (c != '$' || syn_at(p, p->pos + 1) == '[' ||
		    !syn_read_dollar(p, SYN_PLACE_ARITH, &none))
			p->pos++;
	}
}

/* Do the parentheses inside $(( )) pair, as bash counts when it expands? */
static bool
arith_pairs(const char *s, size_t len)
{
	size_t i = 0, count = 0;

	while (i < len) {
		char c = s[i++];

		if (c == '(') {
			count++;
		} else if (c == ')') {
			if (count-- == 0)
				return false;
		} else if (c == '\\') {
			i++;
		} else if (c == '\'' || c == '"') {
			while (i < len && s[i] != c)
				i += c == '"' && s[i] == '\\' ? 2 : 1;
			i++;
		}
	}
	return count == 0;
}

/* At the second parenthesis of $(( or <((. */
static void
read_double_paren(struct syn_parser *p, struct syn_piece *piece)
{
	size_t from = p->pos, to;

	if (!syn_scan_pair(p, '(', ')', SYN_SCAN_ARITH)) {
		syn_reopen(p, "(", "$((");
		return;
	}
	to = p->pos - 1;
	if (piece->kind == SYN_PIECE_SUBST && to - from >= 2 &&
	    p->s[to - 1] == ')' && arith_pairs(p->s + from + 1,
	    to - from - 2)) {
		piece->kind = SYN_PIECE_ARITH;
		piece->mark = '(';
		piece->text = p->s + from + 1;
		piece->len = to - from - 2;
		piece->kids = syn_slice(p, SYN_PLACE_ARITH, from + 1, to - 1);
	} else {
		piece->script = syn_read_later(p, p->s + from, to - from,
		    syn_offset(p, from), p->fixed);
	}
}

static void
read_in_place(struct syn_parser *p, struct syn_piece *piece)
{
	struct syn_lex saved = p->lex;
	struct syn_script *script = arena_alloc(p->arena, sizeof *script);

	memset(&p->lex, 0, sizeof p->lex);
	/* Bash forgets to take these back. */
	p->lex.state = saved.state & (LEX_ASSIGN_OK | LEX_CASE |
	    LEX_OPEN_BRACE);
	p->lex.pushed_end = saved.pushed_end;
	p->lex.in_subst = true;
	syn_skip_newlines(p);
	if (syn_ok(p) && syn_peek(p) != TOK_RPAREN)
		script->list = syn_read_list(p, false);
	if (syn_ok(p) && syn_peek(p) != TOK_RPAREN) {
		if (p->lex.tok == TOK_EOF)
			syn_open(p, "%c(",
			    piece->mark != 0 ? piece->mark : '$');
		else
			syn_unexpected(p, ")");
	}
	if (syn_ok(p) && p->lex.docs != NULL)
		syn_fail(p, p->lex.tok_pos, ERR_SYNTAX,
		    "the here-document before )");
	piece->script = script;
	p->lex = saved;
}

/* At from stands "$", "<" or ">", and a parenthesis behind it. */
static struct syn_piece *
read_paren(struct syn_parser *p, size_t from)
{
	struct syn_pieces out = { NULL, NULL };
	struct syn_piece *piece = syn_memo_get(p->memo, p->s + from);

	if (piece != NULL && from + piece->src_len <= p->end) {
		p->pos = from + piece->src_len;
		return piece;
	}
	if (!syn_deeper(p))
		return NULL;
	piece = syn_piece_new(p, &out, SYN_PIECE_SUBST, from);
	if (p->s[from] != '$') {
		piece->kind = SYN_PIECE_PROCESS;
		piece->mark = p->s[from];
	}
	p->pos = from + 1;
	syn_skip_joins(p);
	p->pos++;
	syn_skip_joins(p);
	if (syn_at(p, p->pos) == '(')
		read_double_paren(p, piece);
	else
		read_in_place(p, piece);
	p->depth--;
	if (!syn_ok(p))
		return NULL;
	syn_piece_end(p, piece, from);
	syn_memo_put(p->memo, p->s + from, piece);
	return piece;
}

/* The same piece may stand in a list already: give the list its own. */
static void
append_copy(struct syn_parser *p, struct syn_pieces *out,
    const struct syn_piece *piece)
{
	struct syn_piece *copy;

	if (piece == NULL)
		return;
	copy = arena_alloc(p->arena, sizeof *copy);
	*copy = *piece;
	copy->next = NULL;
	append(out, copy);
}

void
syn_read_process(struct syn_parser *p, struct syn_pieces *out)
{
	append_copy(p, out, read_paren(p, p->pos));
}

/* $'…' in a word of "${…}": what it decodes to is read once more. */
static void
read_ansi(struct syn_parser *p, enum syn_place place, size_t from,
    struct syn_pieces *out)
{
	struct syn_piece *piece;
	size_t open = p->pos;

	scan_ansi(p);
	if (!syn_ok(p))
		return;
	piece = syn_piece_new(p, out, SYN_PIECE_ANSI, from);
	piece->text = syn_ansi(p->arena, p->s + open + 1, p->pos - open - 2,
	    &piece->len, &piece->doubt);
	syn_piece_end(p, piece, from);
	if (place == SYN_PLACE_BRACE_DOUBLE) {
		struct syn_parser q = *p;

		q.more = NULL;
		q.s = piece->text;
		q.fixed = true;
		q.origin = piece->offset;
		if (syn_deeper(p)) {
			q.depth++;
			piece->kids = syn_slice(&q, place, 0, piece->len);
			p->depth--;
			if (!syn_ok(&q))
				syn_fail(p, from, q.code, "%s", q.expected);
		}
	}
}

static void
read_bracket(struct syn_parser *p, size_t from, struct syn_pieces *out)
{
	struct syn_piece *piece;
	size_t open = p->pos;

	if (!syn_deeper(p))
		return;
	p->pos++;
	if (!syn_scan_pair(p, '[', ']', SYN_SCAN_ARITH)) {
		p->depth--;
		return;
	}
	piece = syn_piece_new(p, out, SYN_PIECE_ARITH, from);
	piece->mark = '[';
	piece->text = p->s + open + 1;
	piece->len = p->pos - open - 2;
	syn_piece_end(p, piece, from);
	piece->kids = syn_slice(p, SYN_PLACE_ARITH, open + 1, p->pos - 1);
	p->depth--;
}

static bool
dollar_quotes(enum syn_place place, int c)
{
	switch (place) {
	case SYN_PLACE_WORD:
	case SYN_PLACE_BRACE:
	case SYN_PLACE_BRACE_DOUBLE:
	case SYN_PLACE_BRACE_PATTERN:
	case SYN_PLACE_GROUP:
	case SYN_PLACE_SUBSCRIPT:
		return c == '\'' || c == '"';
	case SYN_PLACE_DOUBLE:
	case SYN_PLACE_HEREDOC:
	case SYN_PLACE_ARITH:
		break;
	}
	return false;
}

bool
syn_read_dollar(struct syn_parser *p, enum syn_place place,
    struct syn_pieces *out)
{
	size_t from = p->pos;
	int c;

	p->pos++;
	syn_skip_joins(p);
	c = syn_at(p, p->pos);
	if (c == '(') {
		append_copy(p, out, read_paren(p, from));
	} else if (c == '[') {
		read_bracket(p, from, out);
	} else if (dollar_quotes(place, c)) {
		if (c == '\'')
			read_ansi(p, place, from, out);
		else
			syn_read_double(p, out, '$');
	} else if (c == '{' || syn_is(c, SYN_CH_NAME) ||
	    (c > 0 && strchr("@*#?-$!", c) != NULL)) {
		p->pos = from;
		syn_read_param(p, place, out);
	} else {
		p->pos = from;
		return false;
	}
	return true;
}

/* Undo the quoting that backquotes need: \` \$ \\ (and \" inside "…"). */
static void
cook_backquote(struct syn_parser *p, size_t from, size_t to, bool dquote,
    struct syn_piece *piece)
{
	char *out = arena_alloc(p->arena, to - from + 1);
	size_t n = 0;

	while (from < to) {
		char c = p->s[from++];

		if (c == '\\' && from < to) {
			char next = p->s[from];

			if (next == '\n') {
				from++;
				continue;
			}
			if (next == '`' || next == '$' || next == '\\' ||
			    (dquote && next == '"')) {
				c = next;
				from++;
			} else {
				out[n++] = c;
				c = next;
				from++;
			}
		}
		out[n++] = c;
	}
	piece->text = out;
	piece->len = n;
	piece->script = syn_read_later(p, out, n, piece->offset, true);
}

void
syn_read_backquote(struct syn_parser *p, enum syn_place place,
    struct syn_pieces *out)
{
	size_t from = p->pos, at = from + 1;
	bool escaped = false, dquote = place == SYN_PLACE_DOUBLE ||
	    place == SYN_PLACE_BRACE_DOUBLE || place == SYN_PLACE_BRACE_PATTERN;
	struct syn_piece *piece = syn_memo_get(p->memo, p->s + from);

	if (piece == NULL) {
		struct syn_pieces own = { NULL, NULL };

		int c;

		while ((c = syn_at(p, at)) >= 0 && c != '`') {
			escaped |= c == '\\';
			at += c == '\\' ? 2 : 1;
		}
		if (c < 0) {
			syn_open(p, "backquote");
			return;
		}
		if (!syn_deeper(p))
			return;
		piece = syn_piece_new(p, &own, SYN_PIECE_SUBST, from);
		piece->mark = '`';
		p->pos = at + 1;
		syn_piece_end(p, piece, from);
		if (escaped) {
			cook_backquote(p, from + 1, at, dquote, piece);
		} else {
			piece->text = p->s + from + 1;
			piece->len = at - from - 1;
			piece->script = syn_read_later(p, piece->text,
			    piece->len, syn_offset(p, from + 1), p->fixed);
		}
		p->depth--;
		syn_memo_put(p->memo, p->s + from, piece);
	}
	p->pos = from + piece->src_len;
	append_copy(p, out, piece);
}
