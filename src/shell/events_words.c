/* SPDX-License-Identifier: ISC */
/* History expansion: the words of a line, and what modifies them. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "shell/events.h"

/* ---- words -------------------------------------------------------------- */

/* Bytes of an operator, which is a word by itself; a redirection's begins
 * with a descriptor and may name another: "2>&1". */
static size_t
operator_len(const char *p)
{
	static const char *const two[] = { "<<<", "<<-", ">>", "<<", "&&", "||",
		";;", "|&", "<&", ">&", "<>", ">|", "&>", NULL };
	size_t n = strspn(p, "0123456789"), i;

	if (n > 0 && p[n] != '<' && p[n] != '>')
		return 0;
	for (i = 0; two[i] != NULL; i++)
		if (strncmp(p + n, two[i], strlen(two[i])) == 0) {
			n += strlen(two[i]);
			if (p[n - 1] == '&' && strchr("<>", two[i][0]) != NULL)
				n += strspn(p + n, "0123456789-");
			return n;
		}
	return p[n] != '\0' && strchr("<>;&()|", p[n]) != NULL ? n + 1 : 0;
}

static const char *
end_of_quotes(const char *p)
{
	char quote = *p++;

	while (*p != '\0' && *p != quote)
		p += *p == '\\' && quote != '\'' && p[1] != '\0' ? 2 : 1;
	return *p != '\0' ? p + 1 : p;
}

static const char *
end_of_word(const char *p)
{
	while (*p != '\0' && strchr(" \t\n<>;&()|", *p) == NULL) {
		if (*p == '\\' && p[1] != '\0')
			p += 2;
		else if (strchr("'\"`", *p) != NULL)
			p = end_of_quotes(p);
		else if (*p == '$' && (p[1] == '(' || p[1] == '{')) {
			const char *close = strchr(p, p[1] == '(' ? ')' : '}');

			p = close != NULL ? close + 1 : p + 2;
		} else {
			p++;
		}
	}
	return p;
}

void
events_words(const char *line, struct strv *ret)
{
	const char *end;

	for (;;) {
		line += strspn(line, " \t\n");
		if (*line == '\0')
			return;
		end = line + operator_len(line);
		if (end == line)
			end = end_of_word(line);
		strv_take(ret, xmemdup0(line, (size_t)(end - line)));
		line = end;
	}
}

/* ---- modifiers ---------------------------------------------------------- */

static char *
until(const char **p, char end)
{
	struct buf out = BUF_INIT;

	while (**p != '\0' && **p != end && **p != '\n') {
		if (**p == '\\' && (*p)[1] == end)
			++*p;
		buf_putc(&out, *(*p)++);
	}
	if (**p == end)
		++*p;
	return buf_take(&out);
}

/* & in the new text is the old one. */
static char *
with_old(const char *to, const char *from)
{
	struct buf out = BUF_INIT;

	for (; *to != '\0'; to++)
		if (*to == '\\' && to[1] == '&')
			buf_putc(&out, *++to);
		else if (*to == '&')
			buf_puts(&out, from);
		else
			buf_putc(&out, *to);
	return buf_take(&out);
}

static void
read_substitution(const char **p, struct events_memory *m)
{
	char end = *(*p)++;
	AEG_AUTOFREE char *from = until(p, end), *to = until(p, end);

	if (*from != '\0' || m->from == NULL) {
		free(m->from);
		m->from = xstrdup(from);
	}
	free(m->to);
	m->to = with_old(to, m->from);
}

static bool
replace(char **text, const struct events_memory *m, bool all)
{
	struct buf out = BUF_INIT_MAX(EVENTS_MOST);
	const char *p = *text, *hit;

	if (m->from == NULL || *m->from == '\0' ||
	    strstr(p, m->from) == NULL)
		return false;
	while ((hit = strstr(p, m->from)) != NULL) {
		buf_put(&out, p, (size_t)(hit - p));
		buf_puts(&out, m->to);
		p = hit + strlen(m->from);
		if (!all)
			break;
	}
	buf_puts(&out, p);
	free(*text);
	*text = buf_take(&out);
	return true;
}

/* Cut before or behind the last of that character. */
static void
cut(char **text, char at, bool head)
{
	char *last = strrchr(*text, at), *rest;

	if (last == NULL)
		return;
	if (head) {
		*last = '\0';
		return;
	}
	rest = xstrdup(last + (at == '/'));
	free(*text);
	*text = rest;
}

static void
quote(char **text, bool by_word)
{
	struct buf out = BUF_INIT;
	const char *p;

	buf_putc(&out, '\'');
	for (p = *text; *p != '\0'; p++) {
		if (*p == '\'')
			buf_puts(&out, "'\\''");
		else if (by_word && strchr(" \t\n", *p) != NULL)
			buf_putf(&out, "'%c'", *p);
		else
			buf_putc(&out, *p);
	}
	buf_putc(&out, '\'');
	free(*text);
	*text = buf_take(&out);
}

/* The one behind a colon; 1 done, 0 there is none of that name, -1 it does
 * not fit the text. */
static int
modify_one(const char **p, char **text, bool all, bool *shown,
    struct events_memory *m)
{
	char name = *(*p)++;

	switch (name) {
	case 'p':
		*shown = true;
		return 1;
	case 'h':
		cut(text, '/', true);
		return 1;
	case 't':
		cut(text, '/', false);
		return 1;
	case 'r':
		cut(text, '.', true);
		return 1;
	case 'e':
		cut(text, '.', false);
		return 1;
	case 'q':
	case 'x':
		quote(text, name == 'x');
		return 1;
	case 's':
		if (**p == '\0')
			return 0;
		read_substitution(p, m);
		return replace(text, m, all) ? 1 : -1;
	case '&':
		return replace(text, m, all) ? 1 : -1;
	default:
		return 0;
	}
}

bool
events_modify(const char **p, char **text, bool *shown,
    struct events_memory *m, struct buf *complaint)
{
	while (**p == ':' && (*p)[1] != '\0' && (*p)[1] != ' ') {
		const char *from = *p;
		bool all;
		int done;

		++*p;
		all = (**p == 'g' || **p == 'a') && (*p)[1] != '\0';
		*p += all;
		done = modify_one(p, text, all, shown, m);
		if (done == 1)
			continue;
		text_inert(complaint, from, (size_t)(*p - from), 0);
		buf_puts(complaint, done == 0 ?
		    ": unrecognized history modifier" :
		    ": substitution failed");
		return false;
	}
	return true;
}
