/* SPDX-License-Identifier: ISC */
/* Parameter expansion: $x and ${…} with all its operators. */
#include "syntax_int.h"

static bool
is_special(int c)
{
	return c > 0 && strchr("@*#?-$!", c) != NULL;
}

/* The next character once joined lines are skipped. */
static int
look(struct syn_parser *p)
{
	syn_skip_joins(p);
	return syn_at(p, p->pos);
}

static int
look_behind(struct syn_parser *p)
{
	size_t pos = p->pos;
	int c;

	p->pos++;
	c = look(p);
	p->pos = pos;
	return c;
}

/* An identifier, digits (all of them only in braces), or one special
 * character. */
static void
read_name(struct syn_parser *p, struct syn_param *param)
{
	struct syn_run run = { 0 };
	int c = look(p);

	if (is_special(c)) {
		syn_run_add(p, &run, p->pos++, 1);
	} else if (syn_is(c, SYN_CH_DIGIT)) {
		do {
			syn_run_add(p, &run, p->pos++, 1);
		} while (param->braces && syn_is(look(p), SYN_CH_DIGIT));
	} else {
		while (syn_is(look(p), SYN_CH_NAME))
			syn_run_add(p, &run, p->pos++, 1);
	}
	param->name = run.at;
	param->name_len = run.len;
}

static enum syn_place
place_inside(enum syn_place outer)
{
	switch (outer) {
	case SYN_PLACE_DOUBLE:
	case SYN_PLACE_BRACE_DOUBLE:
	case SYN_PLACE_BRACE_PATTERN:
	case SYN_PLACE_HEREDOC:
	case SYN_PLACE_ARITH:
		return SYN_PLACE_BRACE_DOUBLE;
	case SYN_PLACE_WORD:
	case SYN_PLACE_BRACE:
	case SYN_PLACE_GROUP:
	case SYN_PLACE_SUBSCRIPT:
		break;
	}
	return SYN_PLACE_BRACE;
}

static void
read_subscript(struct syn_parser *p, struct syn_param *param)
{
	struct syn_pieces out = { NULL, NULL };

	param->has_subscript = true;
	p->pos++;
	syn_read_pieces(p, SYN_PLACE_SUBSCRIPT, "]}", &out);
	param->subscript = out.first;
	if (syn_ok(p) && syn_at(p, p->pos) == ']')
		p->pos++;
}

/* "!" or "#" in front of the name; false: it is the name. */
static void
read_prefix(struct syn_parser *p, struct syn_param *param, bool *ret_length)
{
	int c = look(p), next;

	*ret_length = false;
	if (c != '!' && c != '#')
		return;
	next = look_behind(p);
	if (c == '!') {
		if (!syn_is(next, SYN_CH_NAME) && !is_special(next))
			return;
		if (next == '-' || next == '?' || next == '#') {
			size_t pos = p->pos;
			bool alone;

			p->pos++;
			alone = look_behind(p) == '}';
			p->pos = pos;
			if (!alone && next != '#')
				return;
		}
		param->indirect = true;
		p->pos++;
		return;
	}
	if (syn_is(next, SYN_CH_NAME) || next == '@' || next == '*') {
		*ret_length = true;
	} else if (is_special(next)) {
		size_t pos = p->pos;

		p->pos++;
		*ret_length = look_behind(p) == '}';
		p->pos = pos;
	}
	if (*ret_length)
		p->pos++;
}

/* The operator behind the name; leaves pos behind it. */
static enum syn_param_op
read_operator(struct syn_parser *p, struct syn_param *param)
{
	int c = look(p);

	if (c == '}')
		return SYN_PARAM_PLAIN;
	if (c == ':') {
		int next = look_behind(p);

		param->colon = next > 0 && strchr("-=?+", next) != NULL;
		p->pos++;
		if (!param->colon)
			return SYN_PARAM_SUBSTRING;
		c = look(p);
	}
	p->pos++;
	param->letter = (char)(c > 0 ? c : 0);
	switch (c) {
	case '-':
		return SYN_PARAM_DEFAULT;
	case '=':
		return SYN_PARAM_ASSIGN;
	case '?':
		return SYN_PARAM_ERROR;
	case '+':
		return SYN_PARAM_ALTERNATE;
	case '#':
	case '%':
	case '^':
	case ',':
	case '~':
		return SYN_PARAM_PATTERN;
	case '/':
		return SYN_PARAM_REPLACE;
	case '@':
		param->letter = (char)(look(p) > 0 ? look(p) : 0);
		if (param->letter != 0 && look_behind(p) == '}' &&
		    strchr("UuLQEPAKak", param->letter) != NULL) {
			p->pos++;
			return SYN_PARAM_TRANSFORM;
		}
		if (param->indirect && param->letter == '}')
			return SYN_PARAM_NAMES;
		return SYN_PARAM_BAD;
	case '*':
		if (param->indirect && look(p) == '}')
			return SYN_PARAM_NAMES;
		return SYN_PARAM_BAD;
	default:
		p->pos--;
		return SYN_PARAM_BAD;
	}
}

/* "${$$(": the second "$" starts nothing; "${$(" "${$'": it is no name. */
static void
settle_dollar(struct syn_parser *p, struct syn_param *param, size_t name_at)
{
	int c = look(p);

	if (c == '$') {
		param->op = SYN_PARAM_BAD;
		p->pos++;
	} else if (c > 0 && strchr("({['\"", c) != NULL) {
		param->op = SYN_PARAM_BAD;
		param->name_len = 0;
		p->pos = name_at;
	} else {
		param->op = read_operator(p, param);
	}
}

static bool
is_all(const struct syn_piece *key)
{
	return key != NULL && key->next == NULL && key->len == 1 &&
	    key->kind == SYN_PIECE_LITERAL &&
	    (key->text[0] == '@' || key->text[0] == '*');
}

static void
read_braces(struct syn_parser *p, enum syn_place outer,
    struct syn_param *param)
{
	enum syn_place place = place_inside(outer);
	struct syn_pieces out = { NULL, NULL };
	size_t name_at;
	bool length;

	read_prefix(p, param, &length);
	look(p);
	name_at = p->pos;
	read_name(p, param);
	if (syn_at(p, p->pos) == '[' && param->name_len > 0 &&
	    syn_is((unsigned char)param->name[0], SYN_CH_NAME) &&
	    !syn_is((unsigned char)param->name[0], SYN_CH_DIGIT))
		read_subscript(p, param);
	if (!syn_ok(p))
		return;
	if (param->name_len == 1 && param->name[0] == '$')
		settle_dollar(p, param, name_at);
	else if (param->name_len == 0)
		param->op = SYN_PARAM_BAD;
	else
		param->op = read_operator(p, param);
	if (length)
		param->op = param->op == SYN_PARAM_PLAIN ?
		    SYN_PARAM_LENGTH : SYN_PARAM_BAD;
	if (param->op == SYN_PARAM_PLAIN && param->indirect &&
	    is_all(param->subscript))
		param->op = SYN_PARAM_KEYS;
	if (place == SYN_PLACE_BRACE_DOUBLE &&
	    (param->op == SYN_PARAM_PATTERN || param->op == SYN_PARAM_REPLACE))
		place = SYN_PLACE_BRACE_PATTERN;
	syn_read_pieces(p, place, "}", &out);
	param->word = out.first;
	if (param->word != NULL && param->op == SYN_PARAM_PLAIN)
		param->op = SYN_PARAM_BAD;
	if (!syn_ok(p))
		return;
	if (syn_at(p, p->pos) == '}')
		p->pos++;
	else
		syn_open(p, "${");
}

/* At "$", a name, a special character or "{" behind it. */
void
syn_read_param(struct syn_parser *p, enum syn_place place,
    struct syn_pieces *out)
{
	size_t from = p->pos;
	struct syn_piece *piece;
	struct syn_param *param;

	if (!syn_deeper(p))
		return;
	param = arena_alloc(p->arena, sizeof *param);
	p->pos++;
	if (look(p) == '{') {
		p->pos++;
		param->braces = true;
		read_braces(p, place, param);
	} else {
		read_name(p, param);
		param->op = SYN_PARAM_PLAIN;
	}
	p->depth--;
	if (!syn_ok(p))
		return;
	piece = syn_piece_new(p, out, SYN_PIECE_PARAM, from);
	piece->param = param;
	syn_piece_end(p, piece, from);
}
