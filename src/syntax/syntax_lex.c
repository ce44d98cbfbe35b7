/* SPDX-License-Identifier: ISC */
/*
 * Tokens.  Whether a word is reserved, an assignment or plain depends on
 * the tokens in front of it, as in bash; the parser asks for a token only
 * when it needs one, because newlines may start here-documents and ")" may
 * end a substitution.
 */
#include "syntax_int.h"

static const char *const token_names[] = {
	[TOK_START] = "start",
	[TOK_EOF] = "end of input", [TOK_NEWLINE] = "newline",
	[TOK_WORD] = "word", [TOK_ASSIGN] = "assignment",
	[TOK_NUMBER] = "number", [TOK_FD_NAME] = "{name}",
	[TOK_SEMI] = ";", [TOK_AMP] = "&", [TOK_PIPE] = "|",
	[TOK_PIPE_AMP] = "|&", [TOK_AND] = "&&", [TOK_OR] = "||",
	[TOK_LPAREN] = "(", [TOK_RPAREN] = ")", [TOK_DSEMI] = ";;",
	[TOK_SEMI_AMP] = ";&", [TOK_DSEMI_AMP] = ";;&", [TOK_DASH] = "-",
	[TOK_LESS] = "<", [TOK_GREAT] = ">", [TOK_DLESS] = "<<",
	[TOK_DLESS_DASH] = "<<-", [TOK_TLESS] = "<<<", [TOK_DGREAT] = ">>",
	[TOK_LESS_AMP] = "<&", [TOK_GREAT_AMP] = ">&",
	[TOK_LESS_GREAT] = "<>", [TOK_CLOBBER] = ">|",
	[TOK_AMP_GREAT] = "&>", [TOK_AMP_DGREAT] = "&>>",
	[TOK_ARITH] = "((", [TOK_ARITH_FOR] = "((",
	[TOK_IF] = "if", [TOK_THEN] = "then", [TOK_ELSE] = "else",
	[TOK_ELIF] = "elif", [TOK_FI] = "fi", [TOK_CASE] = "case",
	[TOK_ESAC] = "esac", [TOK_FOR] = "for", [TOK_SELECT] = "select",
	[TOK_WHILE] = "while", [TOK_UNTIL] = "until", [TOK_DO] = "do",
	[TOK_DONE] = "done", [TOK_FUNCTION] = "function",
	[TOK_COPROC] = "coproc", [TOK_IN] = "in", [TOK_BANG] = "!",
	[TOK_TIME] = "time", [TOK_TIME_P] = "-p", [TOK_TIME_END] = "--",
	[TOK_LBRACE] = "{", [TOK_RBRACE] = "}",
	[TOK_COND_START] = "[[", [TOK_COND_END] = "]]",
};

const char *
syn_token_name(enum syn_token tok)
{
	return token_names[tok];
}

/* Skip backslash-newline pairs. */
void
syn_skip_joins(struct syn_parser *p)
{
	while (p->pos + 1 < p->end && p->s[p->pos] == '\\' &&
	    p->s[p->pos + 1] == '\n') {
		p->pos += 2;
		if (p->pos >= p->end && !p->at_end && !syn_refill(p))
			syn_open(p, "line continuation");
	}
}

static int
look(struct syn_parser *p)
{
	int c;

	/* The line that is asked for may begin with a join. */
	do {
		syn_skip_joins(p);
		c = syn_at(p, p->pos);
	} while (c == '\\' && p->pos + 1 < p->end &&
	    p->s[p->pos + 1] == '\n' && syn_ok(p));
	return c;
}

static bool
accept(struct syn_parser *p, int c)
{
	if (look(p) != c)
		return false;
	p->pos++;
	return true;
}

/*
 * At "((" where a command may start: arithmetic when the pair closes with
 * "))", else two subshells.
 */
static enum syn_token
read_dparen(struct syn_parser *p, size_t from)
{
	struct syn_lex *lex = &p->lex;
	size_t open;

	open = p->pos++;
	if (!syn_deeper(p))
		return TOK_EOF;
	if (!syn_scan_pair(p, '(', ')', SYN_SCAN_ARITH)) {
		p->depth--;
		syn_reopen(p, "(", "((");
		return TOK_EOF;
	}
	p->depth--;
	if (syn_at(p, p->pos) == ')') {
		lex->arith_pos = open + 1;
		lex->arith_end = p->pos - 1;
		p->pos++;
		return lex->last == TOK_FOR ? TOK_ARITH_FOR : TOK_ARITH;
	}
	/* Two subshells, but not with a newline just here, says bash. */
	if (lex->last == TOK_FOR || syn_at(p, p->pos) == '\n') {
		syn_fail(p, p->pos, ERR_SYNTAX, "))");
		return TOK_EOF;
	}
	if (p->pos >= lex->pushed_end)
		lex->pushed_end = p->pos + 1;
	p->pos = from + 1;
	return TOK_LPAREN;
}

static enum syn_token
read_paren(struct syn_parser *p)
{
	struct syn_lex *lex = &p->lex;
	size_t from = p->pos++;

	if (look(p) == '(' &&
	    (lex->last == TOK_FOR || syn_reserved_ok(lex, lex->last)))
		return read_dparen(p, from);
	return TOK_LPAREN;
}

static enum syn_token
read_semi(struct syn_parser *p)
{
	p->pos++;
	if (accept(p, ';')) {
		p->lex.state |= LEX_CASE_PATTERN;
		return accept(p, '&') ? TOK_DSEMI_AMP : TOK_DSEMI;
	}
	if (accept(p, '&')) {
		p->lex.state |= LEX_CASE_PATTERN;
		return TOK_SEMI_AMP;
	}
	return TOK_SEMI;
}

static enum syn_token
read_less(struct syn_parser *p)
{
	p->pos++;
	if (accept(p, '<')) {
		if (accept(p, '-'))
			return TOK_DLESS_DASH;
		return accept(p, '<') ? TOK_TLESS : TOK_DLESS;
	}
	if (accept(p, '&'))
		return TOK_LESS_AMP;
	return accept(p, '>') ? TOK_LESS_GREAT : TOK_LESS;
}

static enum syn_token
read_great(struct syn_parser *p)
{
	p->pos++;
	if (accept(p, '>'))
		return TOK_DGREAT;
	if (accept(p, '&'))
		return TOK_GREAT_AMP;
	return accept(p, '|') ? TOK_CLOBBER : TOK_GREAT;
}

static enum syn_token
read_close(struct syn_parser *p)
{
	struct syn_lex *lex = &p->lex;

	p->pos++;
	if (lex->last == TOK_LPAREN && lex->before == TOK_WORD)
		lex->state |= LEX_OPEN_BRACE;
	lex->state &= ~(unsigned)LEX_CASE_PATTERN;
	return TOK_RPAREN;
}

static enum syn_token
read_operator(struct syn_parser *p, int c)
{
	switch (c) {
	case ';':
		return read_semi(p);
	case '&':
		p->pos++;
		if (accept(p, '&'))
			return TOK_AND;
		if (accept(p, '>'))
			return accept(p, '>') ? TOK_AMP_DGREAT : TOK_AMP_GREAT;
		return TOK_AMP;
	case '|':
		p->pos++;
		if (accept(p, '|'))
			return TOK_OR;
		return accept(p, '&') ? TOK_PIPE_AMP : TOK_PIPE;
	case '(':
		return read_paren(p);
	case ')':
		return read_close(p);
	case '<':
		return read_less(p);
	default:
		return read_great(p);
	}
}

static bool
starts_process(struct syn_parser *p, int c)
{
	size_t pos = p->pos;
	bool yes;

	if (c != '<' && c != '>')
		return false;
	p->pos++;
	yes = look(p) == '(';
	p->pos = pos;
	return yes;
}

static enum syn_token
read_newline(struct syn_parser *p)
{
	if (p->pos < p->end)
		p->pos++;
	p->lex.state &= ~(unsigned)LEX_ASSIGN_OK;
	if (p->lex.docs != NULL)
		syn_docs_read(p);
	return TOK_NEWLINE;
}

/* ---- what kind of word -------------------------------------------------- */

static const struct reserved {
	const char *name;
	enum syn_token tok;
} reserved[] = {
	{ "!", TOK_BANG }, { "[[", TOK_COND_START }, { "case", TOK_CASE },
	{ "coproc", TOK_COPROC }, { "do", TOK_DO }, { "done", TOK_DONE },
	{ "elif", TOK_ELIF }, { "else", TOK_ELSE }, { "esac", TOK_ESAC },
	{ "fi", TOK_FI }, { "for", TOK_FOR }, { "function", TOK_FUNCTION },
	{ "if", TOK_IF }, { "in", TOK_IN }, { "select", TOK_SELECT },
	{ "then", TOK_THEN }, { "time", TOK_TIME }, { "until", TOK_UNTIL },
	{ "while", TOK_WHILE }, { "{", TOK_LBRACE }, { "}", TOK_RBRACE },
	{ "]]", TOK_COND_END },
};

static bool
same(const char *s, size_t len, const char *name)
{
	return strncmp(s, name, len) == 0 && name[len] == '\0';
}

/* Words that are special in few places only; TOK_WORD when not. */
static enum syn_token
special_word(struct syn_lex *lex, const char *s, size_t len)
{
	bool after_name = lex->last == TOK_WORD && (lex->before == TOK_FOR ||
	    lex->before == TOK_CASE || lex->before == TOK_SELECT);
	bool body = (lex->state & LEX_OPEN_BRACE) != 0;

	if (same(s, len, "in") && (after_name || (lex->ins > 0 &&
	    (lex->last == TOK_WORD || lex->last == TOK_NEWLINE)))) {
		if (after_name ? lex->before == TOK_CASE :
		    (lex->state & LEX_CASE) != 0) {
			lex->state |= LEX_CASE_PATTERN;
			lex->esacs++;
		}
		if (lex->ins > 0)
			lex->ins--;
		return TOK_IN;
	}
	if (same(s, len, "do") && ((lex->ins > 0 &&
	    (lex->last == TOK_NEWLINE || lex->last == TOK_SEMI)) ||
	    (after_name && lex->before != TOK_CASE))) {
		if (lex->ins > 0)
			lex->ins--;
		return TOK_DO;
	}
	if (lex->esacs > 0 && lex->last == TOK_IN && same(s, len, "esac")) {
		lex->esacs--;
		lex->state &= ~(unsigned)LEX_CASE_PATTERN;
		return TOK_ESAC;
	}
	lex->state &= ~(unsigned)LEX_OPEN_BRACE;
	if (same(s, len, "{") && (body || lex->last == TOK_ARITH_FOR))
		return TOK_LBRACE;
	if (same(s, len, "do") && lex->last == TOK_ARITH_FOR)
		return TOK_DO;
	if (same(s, len, "-p") && lex->last == TOK_TIME)
		return TOK_TIME_P;
	if (same(s, len, "--") &&
	    (lex->last == TOK_TIME || lex->last == TOK_TIME_P))
		return TOK_TIME_END;
	if ((lex->state & LEX_COND) != 0 && same(s, len, "]]"))
		return TOK_COND_END;
	return TOK_WORD;
}

static bool
time_ok(struct syn_parser *p)
{
	const struct syn_lex *lex = &p->lex;
	size_t pos = p->pos;

	while (p->posix && syn_is(syn_at(p, pos), SYN_CH_BLANK))
		pos++;
	if (p->posix && syn_at(p, pos) == '-')
		return false;
	switch ((int)lex->last) {
	case TOK_START:
		return !lex->in_subst;
	case TOK_SEMI:
	case TOK_NEWLINE:
		return lex->before != TOK_PIPE;
	case TOK_AND:
	case TOK_OR:
	case TOK_AMP:
	case TOK_WHILE:
	case TOK_DO:
	case TOK_UNTIL:
	case TOK_IF:
	case TOK_THEN:
	case TOK_ELIF:
	case TOK_ELSE:
	case TOK_LBRACE:
	case TOK_LPAREN:
	case TOK_RPAREN:
	case TOK_BANG:
	case TOK_TIME:
	case TOK_TIME_P:
	case TOK_TIME_END:
		return true;
	default:
		return false;
	}
}

static enum syn_token
reserved_word(struct syn_parser *p, const char *s, size_t len)
{
	struct syn_lex *lex = &p->lex;
	bool pattern = (lex->state & LEX_CASE_PATTERN) != 0;
	size_t i;

	if (len > 8 || !syn_reserved_ok(lex, lex->last))
		return TOK_WORD;
	for (i = 0; i < AEG_NELEM(reserved); i++)
		if (reserved[i].name[0] == s[0] &&
		    same(s, len, reserved[i].name))
			break;
	if (i == AEG_NELEM(reserved) ||
	    (pattern && (reserved[i].tok != TOK_ESAC ||
	    lex->last == TOK_PIPE || lex->last == TOK_LPAREN)) ||
	    (reserved[i].tok == TOK_TIME && !time_ok(p)))
		return TOK_WORD;
	if (reserved[i].tok == TOK_ESAC) {
		lex->state &= ~(unsigned)(LEX_CASE_PATTERN | LEX_CASE);
		lex->esacs--;
	} else if (reserved[i].tok == TOK_CASE) {
		lex->state |= LEX_CASE;
	}
	return reserved[i].tok;
}

/* Digits in front of "<" or ">", or behind "<&" or ">&". */
static bool
is_number(struct syn_parser *p, const char *s, size_t len)
{
	struct syn_lex *lex = &p->lex;
	int c = syn_at(p, p->pos);
	long v = 0;
	size_t i;

	if (!syn_is((unsigned char)s[0], SYN_CH_DIGIT) ||
	    (c != '<' && c != '>' && lex->last != TOK_LESS_AMP &&
	    lex->last != TOK_GREAT_AMP))
		return false;
	for (i = 0; i < len; i++) {
		if (!syn_is((unsigned char)s[i], SYN_CH_DIGIT))
			return false;
		v = v * 10 + (s[i] - '0');
		if (v > INT32_MAX)
			return false;
	}
	lex->number = (int)v;
	return true;
}

static enum syn_token
read_tok_word(struct syn_parser *p)
{
	struct syn_lex *lex = &p->lex;
	struct syn_text *t = syn_read_word(p);
	enum syn_token tok = TOK_WORD;
	const char *plain;
	size_t len;

	if (!syn_ok(p))
		return TOK_EOF;
	lex->word = t;
	plain = syn_text_plain(t, &len);
	if (plain != NULL && is_number(p, plain, len))
		return TOK_NUMBER;
	if (plain != NULL)
		tok = special_word(lex, plain, len);
	else
		lex->state &= ~(unsigned)LEX_OPEN_BRACE;
	if (tok == TOK_WORD && plain != NULL)
		tok = reserved_word(p, plain, len);
	if (tok != TOK_WORD)
		return tok;
	return syn_word_token(p, t, plain, len);
}

enum syn_token
syn_read_token(struct syn_parser *p)
{
	struct syn_lex *lex = &p->lex;
	int c;

	while (syn_is(c = look(p), SYN_CH_BLANK))
		p->pos++;
	if (c == '#') {
		const char *nl = memchr(p->s + p->pos, '\n', p->end - p->pos);

		p->pos = nl != NULL ? (size_t)(nl - p->s) : p->end;
		c = nl != NULL ? '\n' : -1;
	}
	lex->tok_pos = p->pos;
	if (c < 0) {
		/* Bash ends a last line without newline by one. */
		if (p->newline_given || p->end == 0 ||
		    p->s[p->end - 1] == '\n') {
			if (lex->docs != NULL)
				syn_docs_read(p);
			return TOK_EOF;
		}
		p->newline_given = true;
		c = '\n';
	}
	if (c == '\n')
		return read_newline(p);
	if ((lex->state & LEX_REGEXP) == 0 && syn_is(c, SYN_CH_BREAK)) {
		lex->state &= ~(unsigned)LEX_ASSIGN_OK;
		if (!starts_process(p, c))
			return read_operator(p, c);
	}
	if (c == '-' &&
	    (lex->last == TOK_LESS_AMP || lex->last == TOK_GREAT_AMP)) {
		p->pos++;
		return TOK_DASH;
	}
	return read_tok_word(p);
}

enum syn_token
syn_peek(struct syn_parser *p)
{
	struct syn_lex *lex = &p->lex;

	if (lex->have)
		return lex->tok;
	lex->before = lex->last;
	lex->last = lex->tok;
	lex->have = true;
	lex->tok = syn_read_token(p);
	if (!syn_ok(p))
		lex->tok = TOK_EOF;
	lex->tok_end = p->pos;
	return lex->tok;
}

void
syn_take(struct syn_parser *p)
{
	p->lex.have = false;
	p->lex.taken_end = p->lex.tok_end;
}

void
syn_skip_newlines(struct syn_parser *p)
{
	while (syn_peek(p) == TOK_NEWLINE)
		syn_take(p);
}
