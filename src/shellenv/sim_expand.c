/* SPDX-License-Identifier: ISC */
/*
 * The text a word stands for, as far as it can be told without running
 * anything; SIM_UNKNOWN where it cannot.
 */
#include "sim_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/text.h"

#define EXPAND_DEPTH 16
#define STRIP_MAX 256		/* bytes of a value whose parts are matched */

struct exp {
	struct sim *s;
	const char *p, *end;
	struct buf *out;
	int flags, depth;
};

static void expand(struct exp *x, char stop, bool quoted);

static void
unknown(struct exp *x)
{
	buf_putc(x->out, SIM_UNKNOWN);
}

/* One literal byte; what a pattern would read as special is escaped when
 * it was quoted. */
static void
literal(struct exp *x, char c, bool quoted)
{
	if (c == SIM_OLD || c == SIM_UNKNOWN)
		c = '?';
	if (quoted && (x->flags & EXPAND_PATTERN) != 0 &&
	    strchr("*?[]\\", c) != NULL && c != '\0')
		buf_putc(x->out, '\\');
	if (c != '\0')
		buf_putc(x->out, c);
}

static void
value(struct exp *x, const char *text, bool quoted)
{
	for (; text != NULL && *text != '\0'; text++) {
		if (*text == SIM_OLD || *text == SIM_UNKNOWN)
			buf_putc(x->out, *text);
		else
			literal(x, *text, quoted);
	}
}

/* p is behind the opening; returns the construct's inside and moves p
 * behind its end. */
static const char *
inside(struct exp *x, char close, size_t *ret_len)
{
	const char *from = x->p;
	struct lex l;

	se_lex_init(&l, x->s->se->arena, x->p, (size_t)(x->end - x->p),
	    x->s->dialect);
	if (close == '\'')
		while (l.pos < l.len && l.text[l.pos] != '\'')
			l.pos++;
	else
		se_lex_skip_to(&l, close, 0);
	if (l.bad != NULL || (close == '\'' && l.pos >= l.len)) {
		x->p = x->end;
		*ret_len = (size_t)(x->end - from);
		return from;
	}
	*ret_len = l.pos - (close == '\'' ? 0 : 1);
	x->p += l.pos + (close == '\'' ? 1 : 0);
	return from;
}

static bool
is_text(const char *p, size_t len, const char *want)
{
	while (len > 0 && (*p == ' ' || *p == '\t'))
		p++, len--;
	while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '\t'))
		len--;
	return len == strlen(want) && memcmp(p, want, len) == 0;
}

/* The few commands whose output is known. */
static void
substitution(struct exp *x, const char *p, size_t len)
{
	struct sim *s = x->s;

	if (is_text(p, len, "id -u"))
		buf_puts(x->out, s->uid_text);
	else if (is_text(p, len, "id -un") || is_text(p, len, "whoami") ||
	    is_text(p, len, "logname"))
		value(x, s->se->user, false);
	else if (is_text(p, len, "uname") || is_text(p, len, "uname -s"))
		buf_puts(x->out, "Linux");
	else if (memmem(p, len, "$PATH", 5) != NULL ||
	    memmem(p, len, "${PATH", 6) != NULL)
		buf_putc(x->out, SIM_OLD);	/* filtered, most likely */
	else
		unknown(x);
}

static void
sub_word(struct exp *x, const char *p, size_t len, bool quoted)
{
	struct exp in = { x->s, p, p + len, x->out, x->flags, x->depth + 1 };

	expand(&in, '\0', quoted);
}

/* ${NAME#pattern} and its kin: what is left of a known value. */
static void
strip(struct exp *x, const char *v, const char *op, size_t len, bool quoted)
{
	bool front = *op == '#', longest = len > 1 && op[1] == *op;
	size_t skip = longest ? 2 : 1, n = strlen(v), i;
	const char *pattern;

	pattern = se_sim_expand(x->s, op + skip, len - skip, EXPAND_PATTERN);
	if (n > STRIP_MAX || !se_sim_known(v) || !se_sim_known(pattern)) {
		unknown(x);
		return;
	}
	for (i = 0; i <= n; i++) {
		size_t k = longest ? n - i : i;
		const char *part = front ?
		    arena_memdup0(x->s->se->arena, v, k) : v + n - k;

		if (se_sim_match(x->s, part, pattern) != TRI_YES)
			continue;
		v = front ? v + k :
		    arena_memdup0(x->s->se->arena, v, n - k);
		break;
	}
	value(x, v, quoted);
}

/* NAME:-word and its kin, behind the name. */
static void
with_default(struct exp *x, const char *v, const char *op, size_t len,
    bool quoted)
{
	bool colon = *op == ':', set;

	if (colon)
		op++, len--;
	set = v != NULL && (!colon || v[0] != '\0');
	if (len > 0 && (*op == '-' || *op == '=')) {
		if (set)
			value(x, v, quoted);
		else
			sub_word(x, op + 1, len - 1, quoted);
	} else if (len > 0 && *op == '+') {
		if (set)
			sub_word(x, op + 1, len - 1, quoted);
	} else if (len > 0 && *op == '?') {
		value(x, v, quoted);
	} else if (v != NULL && v[0] == SIM_OLD) {
		buf_putc(x->out, SIM_OLD);
	} else if (v != NULL && v[0] != '\0') {
		unknown(x);
	}
}

/* ${…}; what is not understood is unknown unless the variable is empty. */
static void
braces(struct exp *x, const char *p, size_t len, bool quoted)
{
	size_t n = 0;
	const char *name, *v, *op;

	while (n < len && (isalnum((unsigned char)p[n]) || p[n] == '_'))
		n++;
	if (n == 0 && len > 0 && strchr("@*#?-$!", p[0]) != NULL)
		n = len == 1 || p[0] != '#';	/* ${#X} is a length */
	if (n == 0) {
		unknown(x);
		return;
	}
	name = arena_memdup0(x->s->se->arena, p, n);
	v = se_sim_get(x->s, name);
	op = p + n;
	len -= n;
	if (len == 0 || is_text(op, len, "[@]") || is_text(op, len, "[*]"))
		value(x, v, quoted);
	else if ((*op == '#' || *op == '%') && v != NULL && v[0] != SIM_OLD)
		strip(x, v, op, len, quoted);
	else
		with_default(x, v, op, len, quoted);
}

static void
dollar(struct exp *x, bool quoted)
{
	const char *in, *from;
	size_t len;
	char c;

	if (x->p >= x->end) {
		literal(x, '$', quoted);
		return;
	}
	c = *x->p;
	if (c == '(') {
		x->p++;
		in = inside(x, ')', &len);
		if (len > 0 && in[0] == '(')
			unknown(x);
		else
			substitution(x, in, len);
		return;
	}
	if (c == '{') {
		x->p++;
		in = inside(x, '}', &len);
		braces(x, in, len, quoted);
		return;
	}
	from = x->p;
	if (isalpha((unsigned char)c) || c == '_')
		while (x->p < x->end && (isalnum((unsigned char)*x->p) ||
		    *x->p == '_'))
			x->p++;
	else if (strchr("0123456789@*#?-$!", c) != NULL && c != '\0')
		x->p++;
	if (x->p == from) {
		literal(x, '$', quoted);
		return;
	}
	value(x, se_sim_get(x->s, arena_memdup0(x->s->se->arena, from,
	    (size_t)(x->p - from))), quoted);
}

static void
ansi_quote(struct exp *x)
{
	while (x->p < x->end && *x->p != '\'') {
		char c = *x->p++;

		if (c != '\\' || x->p >= x->end) {
			literal(x, c, true);
			continue;
		}
		c = *x->p++;
		if (c == 'n')
			literal(x, '\n', true);
		else if (c == 't')
			literal(x, '\t', true);
		else if (strchr("\\'\"?", c) != NULL)
			literal(x, c, true);
		else
			unknown(x);
	}
	if (x->p < x->end)
		x->p++;
}

static void
backslash(struct exp *x, bool quoted)
{
	if (x->p >= x->end) {
		literal(x, '\\', true);
		return;
	}
	if (*x->p == '\n') {
		x->p++;
		return;
	}
	if (quoted && strchr("$`\"\\", *x->p) == NULL)
		literal(x, '\\', true);
	literal(x, *x->p++, true);
}

/* ~ and ~/…, where a tilde counts. */
static bool
tilde(struct exp *x, const char *start)
{
	const char *next = x->p;
	char before = next - 1 > start ? next[-2] : '\0';

	if ((x->flags & EXPAND_NO_TILDE) != 0)
		return false;
	if (next - 1 != start && !((x->flags & EXPAND_ASSIGN) != 0 &&
	    (before == ':' || before == '=')))
		return false;
	if (next < x->end && *next != '/' && *next != ':')
		return false;
	value(x, se_sim_get(x->s, "HOME"), true);
	return true;
}

static void
expand(struct exp *x, char stop, bool quoted)
{
	const char *start = x->p, *in;
	size_t len;

	if (x->depth > EXPAND_DEPTH) {
		unknown(x);
		x->p = x->end;
		return;
	}
	while (x->p < x->end) {
		char c = *x->p++;

		if (stop != '\0' && c == stop)
			return;
		if (c == '\\') {
			backslash(x, quoted);
		} else if (c == '$' && !quoted && x->p < x->end &&
		    *x->p == '\'') {
			x->p++;
			ansi_quote(x);
		} else if (c == '$') {
			dollar(x, quoted);
		} else if (c == '`') {
			in = inside(x, '`', &len);
			substitution(x, in, len);
		} else if (c == '\'' && !quoted) {
			in = inside(x, '\'', &len);
			while (len-- > 0)
				literal(x, *in++, true);
		} else if (c == '"' && !quoted) {
			x->depth++;
			expand(x, '"', true);
			x->depth--;
		} else if (c == '~' && !quoted && tilde(x, start)) {
			continue;
		} else {
			literal(x, c, quoted);
		}
	}
}

/* fish: no ${…}, escapes in single quotes, (…) substitutes. */
static void
expand_fish(struct exp *x)
{
	const char *start = x->p;
	char quote = '\0';

	while (x->p < x->end) {
		char c = *x->p++;

		if (c == quote && quote != '\0') {
			quote = '\0';
		} else if (quote == '\0' && (c == '\'' || c == '"')) {
			quote = c;
		} else if (c == '\\' && x->p < x->end) {
			if (quote != '\0' && strchr("\\'\"$", *x->p) == NULL)
				literal(x, '\\', true);
			literal(x, *x->p++, true);
		} else if (c == '$' && quote != '\'') {
			if (x->p < x->end && (*x->p == '(' || *x->p == '{')) {
				unknown(x);
				return;
			}
			dollar(x, quote != '\0');
		} else if (c == '(' && quote == '\0') {
			unknown(x);
			return;
		} else if (c == '{' && quote == '\0' && x->p < x->end &&
		    *x->p == '$') {
			/* {$NAME}text: our own way to end a name. */
			x->p++;
			dollar(x, false);
			x->p += x->p < x->end && *x->p == '}';
		} else if (c == '~' && quote == '\0' && tilde(x, start)) {
			continue;
		} else {
			literal(x, c, quote != '\0');
		}
	}
}

const char *
se_sim_expand(struct sim *s, const char *raw, size_t len, int flags)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	struct exp x = { s, raw, raw + len, &out, flags, 0 };

	if (s->exhausted)
		return "";
	if (s->dialect == DIALECT_FISH)
		expand_fish(&x);
	else
		expand(&x, '\0', false);
	s->bytes += out.len + len + 1;
	if (s->bytes > SIM_BYTES)
		s->exhausted = true;
	if (buf_overflow(&out))
		return "\003";
	return arena_memdup0(s->se->arena, out.len > 0 ? out.data : "",
	    out.len);
}

bool
se_sim_has_glob(const char *raw, size_t len)
{
	char quote = '\0';
	size_t i;

	for (i = 0; i < len; i++) {
		char c = raw[i];

		if (c == '\\' && quote != '\'')
			i++;
		else if (quote != '\0' && c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '\'' || c == '"'))
			quote = c;
		else if (quote == '\0' && strchr("*?[", c) != NULL &&
		    c != '\0' && !(c == '?' && i > 0 && raw[i - 1] == '$'))
			return true;
	}
	return false;
}
