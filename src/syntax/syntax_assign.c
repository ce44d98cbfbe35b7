/* SPDX-License-Identifier: ISC */
/* The form name=, name+=, name[…]=, and compound assignments. */
#include "syntax_int.h"

#include "aegsh/base/text.h"

#define NAME_TRIES 16

/* -1: still open at the end; 0: closed before it. */
int
syn_brackets_close(const char *s, size_t len)
{
	size_t i, nest = 0;

	for (i = 0; i < len; i++) {
		if (s[i] == '\\') {
			i++;
		} else if (s[i] == '\'' || s[i] == '"') {
			char q = s[i++];

			while (i < len && s[i] != q)
				i += q == '"' && s[i] == '\\' ? 2 : 1;
		} else if (s[i] == '[') {
			nest++;
		} else if (s[i] == ']' && --nest == 0) {
			return i + 1 == len;
		}
	}
	return -1;
}

const char *
syn_without_joins(struct syn_parser *p, const char *s, size_t *len)
{
	char *copy;
	size_t i, n = 0;

	if (memmem(s, *len, "\\\n", 2) == NULL)
		return s;
	copy = arena_alloc(p->arena, *len);
	for (i = 0; i < *len; i++)
		if (s[i] == '\\' && i + 1 < *len && s[i + 1] == '\n')
			i++;
		else
			copy[n++] = s[i];
	*len = n;
	return copy;
}

/* "name[…]" or "[…]" whose subscript was read as one; s, len: what stands
 * behind it. */
static bool
find_keyed_name(struct syn_reader *r, struct syn_assignment *a)
{
	struct syn_parser *p = r->p;
	const char *tail = p->s + r->key_to;
	size_t len = p->pos - r->key_to;

	tail = syn_without_joins(p, tail, &len);
	a->append = len == 1 && tail[0] == '+';
	a->name_len = r->key_from - r->from;
	a->name = syn_without_joins(p, p->s + r->from, &a->name_len);
	a->subscript = p->s + r->key_from + 1;
	a->subscript_len = r->key_to - r->key_from - 2;
	a->key = r->key;
	return len == 0 || a->append;
}

/* Everything in front of "=", as written.  Subscripts that were not read
 * as such ("export a[1]=x") count by their letters. */
static bool
find_name(struct syn_reader *r, struct syn_assignment *a)
{
	struct syn_parser *p = r->p;
	const char *s = p->s + r->from, *open;
	size_t len = p->pos - r->from;
	int closed = 1;

	r->decided = true;
	if (r->key_to > 0)
		return find_keyed_name(r, a);
	if ((p->lex.state & LEX_ARRAY) != 0)
		return false;
	if (r->fresh) {
		s = r->run.at;
		len = r->run.len;
	} else {
		s = syn_without_joins(p, s, &len);
	}
	if (len > 0 && s[len - 1] == '+') {
		a->append = true;
		len--;
	}
	open = len > 0 ? memchr(s, '[', len) : NULL;
	a->name = s;
	a->name_len = open != NULL ? (size_t)(open - s) : len;
	if (a->name_len == 0 || !text_is_name(a->name, a->name_len))
		return false;
	if (open != NULL) {
		closed = syn_brackets_close(open, len - a->name_len);
		a->subscript = open + 1;
		a->subscript_len = len - a->name_len - 2;
	}
	r->decided = closed >= 0 || ++r->tries == NAME_TRIES;
	return closed > 0;
}

static void read_array(struct syn_reader *r);

/* At "=". */
void
syn_read_equals(struct syn_reader *r)
{
	struct syn_parser *p = r->p;
	struct syn_assignment *a;
	bool named;

	if (r->decided) {
		syn_run_add(p, &r->run, p->pos++, 1);
		return;
	}
	a = arena_alloc(p->arena, sizeof *a);
	named = find_name(r, a);
	syn_run_add(p, &r->run, p->pos++, 1);
	if (!named)
		return;
	syn_run_flush(p, &r->run, &r->out);
	r->t->assignment = a;
	r->value = r->out.tail;
	r->fresh = false;
	r->decided = true;
	syn_skip_joins(p);
	if (syn_at(p, p->pos) == '(' && (syn_assign_acceptable(&p->lex) ||
	    (p->lex.state & LEX_ASSIGN_OK) != 0)) {
		a->array = true;
		read_array(r);
	}
}

/* The words of a compound assignment; at "(". */
static void
read_array(struct syn_reader *r)
{
	struct syn_parser *p = r->p;
	struct syn_lex saved = p->lex;
	struct syn_text *words = NULL, **tail = &words;
	size_t from = p->pos++;
	struct syn_piece *piece;
	enum syn_token tok;

	if (!syn_deeper(p))
		return;
	p->lex.last = TOK_WORD;
	p->lex.state |= LEX_ARRAY;
	p->lex.esacs = p->lex.ins = 0;
	while ((tok = syn_read_token(p)) != TOK_RPAREN && syn_ok(p)) {
		if (tok == TOK_EOF) {
			syn_open(p, "(");
		} else if (tok == TOK_WORD || tok == TOK_ASSIGN) {
			*tail = p->lex.word;
			tail = &(*tail)->next;
		} else if (tok != TOK_NEWLINE) {
			syn_fail(p, p->lex.tok_pos, ERR_SYNTAX,
			    "a word or ) instead of %s", syn_token_name(tok));
		}
	}
	p->depth--;
	saved.docs = p->lex.docs;
	saved.docs_tail = p->lex.docs_tail;
	p->lex = saved;
	if (!syn_ok(p))
		return;
	piece = syn_piece_new(p, &r->out, SYN_PIECE_ARRAY, from);
	piece->words = words;
	syn_piece_end(p, piece, from);
}

/* At "[": true when a subscript of an assignment was read. */
bool
syn_read_key(struct syn_reader *r)
{
	struct syn_parser *p = r->p;
	struct syn_piece *piece;
	size_t from = p->pos;
	bool array = (p->lex.state & LEX_ARRAY) != 0 && from == r->from;

	if (!array && !(r->fresh && syn_assign_acceptable(&p->lex) &&
	    text_is_name(r->run.at, r->run.len)))
		return false;
	p->pos++;
	if (!syn_deeper(p))
		return true;
	if (syn_scan_pair(p, '[', ']', SYN_SCAN_SUBSCRIPT)) {
		size_t end = p->pos;

		p->pos = from;
		syn_run_flush(p, &r->run, &r->out);
		p->pos = end;
		piece = syn_piece_new(p, &r->out, SYN_PIECE_SUBSCRIPT, from);
		syn_piece_end(p, piece, from);
		piece->kids = syn_slice(p, SYN_PLACE_SUBSCRIPT, from + 1,
		    end - 1);
		r->key = piece->kids;
		r->key_from = from;
		r->key_to = end;
	}
	r->fresh = false;
	p->depth--;
	return true;
}
