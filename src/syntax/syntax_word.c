/* SPDX-License-Identifier: ISC */
/* Words: where they end, and which of them have the form of assignments. */
#include "syntax_int.h"

#include "aegsh/base/text.h"

bool
syn_reserved_ok(const struct syn_lex *lex, enum syn_token tok)
{
	switch ((int)tok) {
	case TOK_START:
	case TOK_NEWLINE:
	case TOK_SEMI:
	case TOK_LPAREN:
	case TOK_RPAREN:
	case TOK_PIPE:
	case TOK_AMP:
	case TOK_LBRACE:
	case TOK_RBRACE:
	case TOK_AND:
	case TOK_ARITH:
	case TOK_BANG:
	case TOK_PIPE_AMP:
	case TOK_COND_END:
	case TOK_DO:
	case TOK_DONE:
	case TOK_ELIF:
	case TOK_ELSE:
	case TOK_ESAC:
	case TOK_FI:
	case TOK_IF:
	case TOK_OR:
	case TOK_DSEMI:
	case TOK_SEMI_AMP:
	case TOK_DSEMI_AMP:
	case TOK_THEN:
	case TOK_TIME:
	case TOK_TIME_P:
	case TOK_TIME_END:
	case TOK_COPROC:
	case TOK_UNTIL:
	case TOK_WHILE:
		return true;
	default:
		return lex->last == TOK_WORD && (lex->before == TOK_COPROC ||
		    lex->before == TOK_FUNCTION);
	}
}

/* May the name of a command (or an assignment) stand behind tok? */
bool
syn_command_position(const struct syn_lex *lex, enum syn_token tok)
{
	if (tok == TOK_ASSIGN)
		return true;
	/* "&>>" is missing in the list that bash has of these. */
	if ((lex->state & LEX_REDIR_LIST) != 0 &&
	    !(tok >= TOK_LESS && tok <= TOK_AMP_GREAT))
		return true;
	return tok != TOK_DSEMI && tok != TOK_SEMI_AMP &&
	    tok != TOK_DSEMI_AMP && syn_reserved_ok(lex, tok);
}

bool
syn_assign_acceptable(const struct syn_lex *lex)
{
	return syn_command_position(lex, lex->last) &&
	    (lex->state & LEX_CASE_PATTERN) == 0;
}

const char *
syn_text_plain(const struct syn_text *t, size_t *ret_len)
{
	const struct syn_piece *piece = t->pieces;

	if (piece == NULL || piece->next != NULL ||
	    piece->kind != SYN_PIECE_LITERAL)
		return NULL;
	*ret_len = piece->len;
	return piece->text;
}

bool
syn_text_is(const struct syn_text *t, const char *s)
{
	size_t len;
	const char *plain = syn_text_plain(t, &len);

	return plain != NULL && strncmp(plain, s, len) == 0 && s[len] == '\0';
}

/* ---- the word ----------------------------------------------------------- */

/* At "(" of an extended pattern, or of a regular expression. */
static void
read_group(struct syn_reader *r, char mark)
{
	struct syn_parser *p = r->p;
	size_t from = mark != 0 ? p->pos - 1 : p->pos, open;
	struct syn_piece *piece;

	syn_skip_joins(p);
	open = p->pos++;
	if (!syn_deeper(p))
		return;
	if (syn_scan_pair(p, '(', ')', SYN_SCAN_PLAIN)) {
		piece = syn_piece_new(p, &r->out, SYN_PIECE_GROUP, from);
		piece->mark = mark;
		syn_piece_end(p, piece, from);
		piece->kids = syn_slice(p, SYN_PLACE_GROUP, open + 1,
		    p->pos - 1);
	}
	p->depth--;
}

static bool
opens_group(struct syn_parser *p, int c)
{
	size_t pos = p->pos;
	bool yes;

	if (!p->extglob || strchr("+@*?!", c) == NULL)
		return false;
	p->pos++;
	syn_skip_joins(p);
	yes = syn_at(p, p->pos) == '(';
	p->pos = pos;
	return yes;
}

static void
read_quoted(struct syn_reader *r, int c)
{
	struct syn_parser *p = r->p;

	syn_run_flush(p, &r->run, &r->out);
	r->fresh = false;
	if (c != '`')
		r->t->quoted = true;
	if (c == '\'')
		syn_read_single(p, &r->out);
	else if (c == '"')
		syn_read_double(p, &r->out, 0);
	else
		syn_read_backquote(p, SYN_PLACE_WORD, &r->out);
}

/* At "$"; what follows may be "$'…'", or "$?(…)" under extglob. */
static void
read_dollar(struct syn_reader *r)
{
	struct syn_parser *p = r->p;
	size_t from = p->pos++;
	int c;
	bool group;

	syn_skip_joins(p);
	c = syn_at(p, p->pos);
	group = c > 0 && opens_group(p, c);
	p->pos = from;
	syn_run_flush(p, &r->run, &r->out);
	if (group && c != '+') {
		r->fresh = false;
		syn_read_param(p, SYN_PLACE_WORD, &r->out);
		if (syn_ok(p))
			read_group(r, 0);
		return;
	}
	if (syn_read_dollar(p, SYN_PLACE_WORD, &r->out)) {
		struct syn_piece *last;

		r->fresh = false;
		if (!syn_ok(p))
			return;
		last = (struct syn_piece *)((char *)r->out.tail -
		    offsetof(struct syn_piece, next));
		if (last->kind == SYN_PIECE_ANSI ||
		    last->kind == SYN_PIECE_DOUBLE)
			r->t->quoted = true;
	} else if (syn_ok(p)) {
		r->fresh = false;
		syn_run_add(p, &r->run, p->pos++, 1);
	}
}

/* Bash 5.2 reads \; and \" in a compound assignment inside $( ) as if the
 * backslash were not there, and otherwise when it runs the substitution. */
static bool
array_trap(struct syn_parser *p, int next)
{
	int behind = syn_at(p, p->pos + 2);

	if (next == '$')
		return behind > 0 && strchr("({['\"$", behind) != NULL;
	if (next == '\\')
		return behind == '\n';
	if (syn_is(next, SYN_CH_BLANK))
		return behind > 0 && strchr(" \t\n#[", behind) != NULL;
	return next > 0 && strchr(";&|()<>'\"`", next) != NULL;
}

static void
read_backslash(struct syn_reader *r)
{
	struct syn_parser *p = r->p;
	int next = syn_at(p, p->pos + 1);

	if (next == '\n') {
		syn_skip_joins(p);
		return;
	}
	r->t->quoted = true;
	if ((p->lex.state & LEX_ARRAY) != 0 && p->lex.in_subst &&
	    array_trap(p, next)) {
		syn_fail(p, p->pos, ERR_SYNTAX, "quotes instead of a "
		    "backslash, in an array inside a substitution");
		return;
	}
	if (next < 0 && !p->at_end) {
		syn_open(p, "line continuation");
		return;
	}
	syn_run_flush(p, &r->run, &r->out);
	r->fresh = false;
	syn_read_escape(p, &r->out);
}

/* One special character of a word; false: the word ends in front of it. */
static bool
read_special(struct syn_reader *r, int c)
{
	struct syn_parser *p = r->p;
	bool regexp = (p->lex.state & LEX_REGEXP) != 0;

	switch (c) {
	case '\\':
		read_backslash(r);
		return true;
	case '\'':
	case '"':
	case '`':
		read_quoted(r, c);
		return true;
	case '$':
		read_dollar(r);
		return true;
	case '=':
		syn_read_equals(r);
		return true;
	case '[':
		if (!syn_read_key(r))
			syn_run_add(p, &r->run, p->pos++, 1);
		return true;
	case '|':
		if (!regexp)
			return false;
		syn_run_add(p, &r->run, p->pos++, 1);
		return true;
	case '(':
		if (!regexp)
			return false;
		syn_run_flush(p, &r->run, &r->out);
		r->fresh = false;
		read_group(r, 0);
		return true;
	default:
		if (opens_group(p, c)) {
			syn_run_flush(p, &r->run, &r->out);
			r->fresh = false;
			p->pos++;
			read_group(r, (char)c);
			return true;
		}
		if (c == '<' || c == '>') {
			size_t pos = p->pos++;

			syn_skip_joins(p);
			if (syn_at(p, p->pos) == '(') {
				p->pos = pos;
				syn_run_flush(p, &r->run, &r->out);
				r->fresh = false;
				syn_read_process(p, &r->out);
				return true;
			}
			p->pos = pos;
		}
		if (syn_is(c, SYN_CH_BREAK))
			return false;
		syn_run_add(p, &r->run, p->pos++, 1);
		return true;
	}
}

struct syn_text *
syn_read_word(struct syn_parser *p)
{
	struct syn_reader r = { .p = p, .from = p->pos, .fresh = true };

	r.t = arena_alloc(p->arena, sizeof *r.t);
	r.t->offset = syn_offset(p, p->pos);
	while (syn_ok(p)) {
		size_t from = p->pos;
		int c;

		while (p->pos < p->end &&
		    (syn_ch[(unsigned char)p->s[p->pos]] & SYN_CH_PLAIN))
			p->pos++;
		syn_run_add(p, &r.run, from, p->pos - from);
		c = syn_at(p, p->pos);
		if (c < 0 || !read_special(&r, c))
			break;
	}
	if (!syn_ok(p))
		return r.t;
	syn_run_flush(p, &r.run, &r.out);
	r.t->pieces = r.out.first;
	r.t->src = p->s + r.from;
	r.t->src_len = p->pos - r.from;
	if (r.t->assignment != NULL) {
		struct syn_assignment *a = r.t->assignment;

		a->value = *r.value;
		a->odd = a->array && a->value->next != NULL;
	}
	return r.t;
}

/* ---- which token a word that is not reserved becomes --------------------- */

static bool
takes_assignments(const char *s, size_t len)
{
	static const char *const names[] = {
		"alias", "declare", "eval", "export", "let", "local",
		"readonly", "typeset",
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		if (strncmp(s, names[i], len) == 0 && names[i][len] == '\0')
			return true;
	return false;
}

/* "{name}" or "{name[…]}" in front of "<" or ">", by its letters. */
static bool
names_fd(struct syn_parser *p, const struct syn_text *t)
{
	int c = syn_at(p, p->pos);
	size_t len = t->src_len, name;
	const char *s, *open;

	if (len < 3 || t->src[0] != '{' || (c != '<' && c != '>'))
		return false;
	s = syn_without_joins(p, t->src, &len);
	if (len < 3 || s[len - 1] != '}')
		return false;
	s++;
	len -= 2;
	open = memchr(s, '[', len);
	name = open != NULL ? (size_t)(open - s) : len;
	if (!text_is_name(s, name) || (open != NULL && (len <= name + 2 ||
	    syn_brackets_close(open, len - name) <= 0)))
		return false;
	p->lex.fd_name = s;
	p->lex.fd_name_len = len;
	return true;
}

/* plain: the bytes of a word without quotes and expansions, or NULL. */
enum syn_token
syn_word_token(struct syn_parser *p, struct syn_text *t, const char *plain,
    size_t len)
{
	struct syn_lex *lex = &p->lex;
	enum syn_token tok = TOK_WORD;

	t->leading = t->assignment != NULL && (syn_assign_acceptable(lex) ||
	    (lex->state & LEX_ARRAY) != 0);
	if (t->leading)
		tok = TOK_ASSIGN;
	if (plain != NULL && syn_command_position(lex, lex->last) &&
	    takes_assignments(plain, len))
		lex->state |= LEX_ASSIGN_OK;
	if (names_fd(p, t))
		return TOK_FD_NAME;
	if (lex->last == TOK_FUNCTION)
		lex->state |= LEX_OPEN_BRACE;
	else if (lex->last == TOK_CASE || lex->last == TOK_SELECT ||
	    lex->last == TOK_FOR)
		lex->ins++;
	return tok;
}
