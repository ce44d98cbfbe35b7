/* SPDX-License-Identifier: ISC */
/* The pieces a word is made of: literal runs, escapes and quotes. */
#include "syntax_int.h"

#define B SYN_CH_BREAK
#define P (SYN_CH_PLAIN | SYN_CH_INSIDE)
#define N (P | SYN_CH_NAME)
#define D (N | SYN_CH_DIGIT)
#define L (B | SYN_CH_BLANK | SYN_CH_INSIDE)
#define I SYN_CH_INSIDE
#define HIGH P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P

const unsigned char syn_ch[256] = {
	/* 00 */ P, P, P, P, P, P, P, P, P, L, B | I, P, P, P, P, P,
	/* 10 */ P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
	/*  sp ! " # $ % & ' ( ) * + , - . / */
	L, I, 0, P, 0, P, B | I, 0, B, B, I, I, P, P, P, P,
	/* 0-9 : ; < = > ? */
	D, D, D, D, D, D, D, D, D, D, P, B | I, B, I, B, I,
	/* @ A-O */
	I, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	/* P-Z [ \ ] ^ _ */
	N, N, N, N, N, N, N, N, N, N, N, 0, 0, P & ~I, P, N,
	/* ` a-o */
	0, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	/* p-z { | } ~ DEL */
	N, N, N, N, N, N, N, N, N, N, N, P & ~I, B | I, P & ~I, P, P,
	HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH
};

void
syn_run_add(struct syn_parser *p, struct syn_run *run, size_t pos, size_t len)
{
	const char *from = p->s + pos;

	if (len == 0)
		return;
	if (run->len == 0) {
		run->at = from;
		run->start = pos;
		run->len = len;
		return;
	}
	if (run->copy == NULL && run->at + run->len == from) {
		run->len += len;
		return;
	}
	if (run->copy == NULL || run->cap - run->len < len) {
		size_t cap = (run->len + len) * 2;
		char *copy = arena_alloc(p->arena, cap);

		memcpy(copy, run->at, run->len);
		run->copy = copy;
		run->at = copy;
		run->cap = cap;
	}
	memcpy(run->copy + run->len, from, len);
	run->len += len;
}

void
syn_run_flush(struct syn_parser *p, struct syn_run *run,
    struct syn_pieces *out)
{
	struct syn_piece *piece;

	if (run->len == 0)
		return;
	piece = syn_piece_new(p, out, SYN_PIECE_LITERAL, run->start);
	piece->src = p->s + run->start;
	piece->src_len = p->pos - run->start;
	piece->text = run->at;
	piece->len = run->len;
	memset(run, 0, sizeof *run);
}

struct syn_piece *
syn_piece_new(struct syn_parser *p, struct syn_pieces *out,
    enum syn_piece_kind kind, size_t from)
{
	struct syn_piece *piece = arena_alloc(p->arena, sizeof *piece);

	piece->kind = kind;
	piece->offset = syn_offset(p, from);
	if (out->tail == NULL)
		out->tail = &out->first;
	*out->tail = piece;
	out->tail = &piece->next;
	return piece;
}

void
syn_piece_end(struct syn_parser *p, struct syn_piece *piece, size_t from)
{
	piece->src = p->s + from;
	piece->src_len = p->pos - from;
}

/* At a backslash that quotes what follows it (joined lines are gone); the
 * last byte of a text quotes itself. */
void
syn_read_escape(struct syn_parser *p, struct syn_pieces *out)
{
	size_t from = p->pos;
	struct syn_piece *piece;

	piece = syn_piece_new(p, out, SYN_PIECE_ESCAPE, from);
	p->pos += p->pos + 1 < p->end ? 2 : 1;
	piece->text = p->s + p->pos - 1;
	piece->len = 1;
	syn_piece_end(p, piece, from);
}

/* The next quotation mark from there on, or NULL. */
static const char *
find_quote(struct syn_parser *p, size_t from)
{
	const char *close;

	for (;;) {
		close = memchr(p->s + from, '\'', p->end - from);
		from = p->end;
		if (close != NULL || !syn_refill(p))
			return close;
	}
}

void
syn_read_single(struct syn_parser *p, struct syn_pieces *out)
{
	size_t from = p->pos;
	const char *close = find_quote(p, from + 1);
	struct syn_piece *piece;

	if (close == NULL) {
		syn_open(p, "quote '");
		return;
	}
	piece = syn_piece_new(p, out, SYN_PIECE_SINGLE, from);
	piece->text = p->s + from + 1;
	p->pos = (size_t)(close - p->s) + 1;
	piece->len = p->pos - from - 2;
	syn_piece_end(p, piece, from);
}

/* At the quotation mark. */
void
syn_read_double(struct syn_parser *p, struct syn_pieces *out, char mark)
{
	size_t from = p->pos;
	struct syn_pieces kids = { NULL, NULL };
	struct syn_piece *piece;

	if (!syn_deeper(p))
		return;
	p->pos++;
	syn_read_pieces(p, SYN_PLACE_DOUBLE, "\"", &kids);
	p->depth--;
	if (!syn_ok(p))
		return;
	if (syn_at(p, p->pos) != '"') {
		syn_open(p, "quote \"");
		return;
	}
	p->pos++;
	piece = syn_piece_new(p, out, SYN_PIECE_DOUBLE, from);
	piece->kids = kids.first;
	piece->mark = mark;
	syn_piece_end(p, piece, from);
}

/* "${x:-'…'}": bash pairs the quotes when it looks for the brace, but what
 * stands between them is expanded, and they stay. */
static void
read_idle_quotes(struct syn_parser *p, enum syn_place place,
    struct syn_run *run, struct syn_pieces *out)
{
	const char *close = find_quote(p, p->pos + 1);
	size_t at;

	if (close == NULL) {
		syn_open(p, "quote '");
		return;
	}
	at = (size_t)(close - p->s);
	syn_run_add(p, run, p->pos++, 1);
	syn_run_flush(p, run, out);
	if (syn_deeper(p)) {
		struct syn_piece *piece;
		size_t from = p->pos;

		piece = syn_piece_new(p, out, SYN_PIECE_DOUBLE, from);
		piece->mark = '\'';
		p->pos = at;
		syn_piece_end(p, piece, from);
		piece->kids = syn_slice(p, place, from, at);
		p->depth--;
	}
	p->pos = at;
	syn_run_add(p, run, p->pos++, 1);
}

/* A backslash inside something: does it quote, or is it a byte? */
static bool
escapes(enum syn_place place, int next)
{
	switch (place) {
	case SYN_PLACE_DOUBLE:
	case SYN_PLACE_ARITH:
		return next == '$' || next == '`' || next == '"' ||
		    next == '\\';
	case SYN_PLACE_BRACE_DOUBLE:
	case SYN_PLACE_BRACE_PATTERN:
		return next == '$' || next == '`' || next == '"' ||
		    next == '\\' || next == '}';
	case SYN_PLACE_HEREDOC:
		return next == '$' || next == '`' || next == '\\';
	case SYN_PLACE_WORD:
	case SYN_PLACE_BRACE:
	case SYN_PLACE_GROUP:
	case SYN_PLACE_SUBSCRIPT:
		break;
	}
	return true;
}

static void
read_backslash(struct syn_parser *p, enum syn_place place,
    struct syn_run *run, struct syn_pieces *out)
{
	int next = syn_at(p, p->pos + 1);

	if (next == '\n') {
		syn_skip_joins(p);
	} else if (next < 0) {
		syn_run_add(p, run, p->pos++, 1);
	} else if (escapes(place, next)) {
		syn_run_flush(p, run, out);
		syn_read_escape(p, out);
	} else {
		syn_run_add(p, run, p->pos, 2);
		p->pos += 2;
	}
}

static bool
quotes_here(enum syn_place place, int c)
{
	switch (place) {
	case SYN_PLACE_WORD:
	case SYN_PLACE_BRACE:
	case SYN_PLACE_GROUP:
	case SYN_PLACE_SUBSCRIPT:
	case SYN_PLACE_BRACE_PATTERN:
		return true;
	case SYN_PLACE_BRACE_DOUBLE:
		return c == '"';
	case SYN_PLACE_DOUBLE:
	case SYN_PLACE_HEREDOC:
	case SYN_PLACE_ARITH:
		break;
	}
	return false;
}

/* One special character; true when it was dealt with. */
static bool
read_special(struct syn_parser *p, enum syn_place place, int c,
    struct syn_run *run, struct syn_pieces *out)
{
	switch (c) {
	case '\\':
		read_backslash(p, place, run, out);
		return true;
	case '\'':
		if (quotes_here(place, c)) {
			syn_run_flush(p, run, out);
			syn_read_single(p, out);
			return true;
		}
		if (place != SYN_PLACE_BRACE_DOUBLE || p->posix)
			return false;
		read_idle_quotes(p, place, run, out);
		return true;
	case '"':
		if (place == SYN_PLACE_ARITH) {
			syn_run_flush(p, run, out);
			p->pos++;
			return true;
		}
		if (!quotes_here(place, c))
			return false;
		syn_run_flush(p, run, out);
		syn_read_double(p, out, 0);
		return true;
	case '`':
		syn_run_flush(p, run, out);
		syn_read_backquote(p, place, out);
		return true;
	case '$':
		syn_run_flush(p, run, out);
		return syn_read_dollar(p, place, out);
	case '<':
	case '>':
		if ((place == SYN_PLACE_BRACE ||
		    place == SYN_PLACE_BRACE_DOUBLE ||
		    place == SYN_PLACE_BRACE_PATTERN ||
		    place == SYN_PLACE_SUBSCRIPT) &&
		    syn_at(p, p->pos + 1) == '(') {
			syn_run_flush(p, run, out);
			syn_read_process(p, out);
			return true;
		}
		return false;
	default:
		return false;
	}
}

void
syn_read_pieces(struct syn_parser *p, enum syn_place place,
    const char *stops, struct syn_pieces *out)
{
	struct syn_run run = { 0 };
	unsigned nest = 0;

	while (syn_ok(p)) {
		size_t from = p->pos;
		int c;

		while (p->pos < p->end &&
		    (syn_ch[(unsigned char)p->s[p->pos]] & SYN_CH_INSIDE))
			p->pos++;
		syn_run_add(p, &run, from, p->pos - from);
		c = syn_at(p, p->pos);
		if (c < 0 || ((nest == 0 || c == '}') &&
		    strchr(stops, c) != NULL))
			break;
		if (read_special(p, place, c, &run, out))
			continue;
		if (!syn_ok(p))
			return;
		if (place == SYN_PLACE_SUBSCRIPT && c == '[')
			nest++;
		else if (place == SYN_PLACE_SUBSCRIPT && c == ']' && nest > 0)
			nest--;
		syn_run_add(p, &run, p->pos++, 1);
	}
	if (syn_ok(p))
		syn_run_flush(p, &run, out);
}

struct syn_piece *
syn_slice(struct syn_parser *p, enum syn_place place, size_t from, size_t to)
{
	struct syn_parser q = *p;
	struct syn_pieces out = { NULL, NULL };

	q.more = NULL;
	q.pos = from;
	q.end = to;
	q.at_end = true;
	syn_read_pieces(&q, place, "", &out);
	if (q.status != SYN_TREE) {
		struct syn_piece *piece;

		if (q.code == ERR_RANGE) {
			syn_fail(p, q.fail_at, ERR_RANGE, "%s", q.expected);
			return NULL;
		}
		if (q.pos < from || q.pos > to)
			q.pos = to;
		piece = syn_piece_new(&q, &out, SYN_PIECE_BROKEN, q.pos);
		piece->src = p->s + q.pos;
		piece->src_len = to - q.pos;
	}
	return out.first;
}
