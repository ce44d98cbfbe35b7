/* SPDX-License-Identifier: ISC */
/*
 * History expansion.  What stands for earlier lines is put in before a line
 * is judged, and shown; the expanded line is the one that is judged, recorded
 * and run.
 */
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "shell/events.h"

struct expansion {
	const char *line, *p;
	struct buf out;
	event_fn *event;
	void *ctx;
	struct buf *complaint;
	struct events_memory memory;
	char *looked_for;		/* by the last !?TEXT? */
	bool shown;
};

static bool
wrong(struct expansion *x, const char *from, const char *why)
{
	text_inert(x->complaint, from, (size_t)(x->p - from), 0);
	buf_putf(x->complaint, ": %s", why);
	return false;
}

/* ---- which line --------------------------------------------------------- */

static char *
by_number(struct expansion *x)
{
	bool back = *x->p == '-';
	char *end;
	int64_t n;

	x->p += back;
	n = strtoll(x->p, &end, 10);
	x->p = end;
	return n < 1 ? NULL :
	    x->event(x->ctx, back ? EVENT_BACK : EVENT_NUMBER, n, NULL);
}

static char *
by_part(struct expansion *x)
{
	const char *from = ++x->p;
	size_t n = strcspn(from, "?\n");

	x->p += n;
	if (*x->p == '?')
		x->p++;
	if (n > 0) {
		free(x->looked_for);
		x->looked_for = xmemdup0(from, n);
	}
	return x->looked_for == NULL ? NULL :
	    x->event(x->ctx, EVENT_HOLDS, 0, x->looked_for);
}

static char *
by_beginning(struct expansion *x, bool in_double)
{
	const char *from = x->p;
	AEG_AUTOFREE char *text = NULL;

	while (*x->p != '\0' && strchr(" \t\n:;&()|<>^$*%", *x->p) == NULL &&
	    !(in_double && *x->p == '"') &&
	    !(*x->p == '-' && x->p == from))
		x->p++;
	text = xmemdup0(from, (size_t)(x->p - from));
	return *text == '\0' ? NULL :
	    x->event(x->ctx, EVENT_STARTS, 0, text);
}

static char *
find(struct expansion *x, bool in_double)
{
	char next = x->p[1];

	if (*x->p == '!') {
		x->p++;
		return x->event(x->ctx, EVENT_BACK, 1, NULL);
	}
	if (*x->p == '#') {
		x->p++;
		return xmemdup0(x->out.data != NULL ? x->out.data : "",
		    x->out.len);
	}
	if (*x->p == '?')
		return by_part(x);
	if ((*x->p >= '0' && *x->p <= '9') ||
	    (*x->p == '-' && next >= '0' && next <= '9'))
		return by_number(x);
	if (strchr(":^$*%", *x->p) != NULL || *x->p == '-')
		return x->event(x->ctx, EVENT_BACK, 1, NULL);
	return by_beginning(x, in_double);
}

/* ---- which words -------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* No line has as many words as the largest that it can give: SIZE_MAX is for
 * read_range() to use. */
static size_t
number(const char **p)
{
	char *end;
	size_t n = (size_t)strtoull(*p, &end, 10);

	*p = end;
	return n < EVENTS_MOST ? n : EVENTS_MOST;
}

static void
join(struct buf *out, const struct strv *words, size_t first, size_t last)
{
	size_t i;

	for (i = first; i <= last && i < words->n; i++) {
		if (i > first)
			buf_putc(out, ' ');
		buf_puts(out, words->v[i]);
	}
	buf_put(out, "", 0);
}

/* The word that the last !?TEXT? was found in. */
static size_t
matched(const struct expansion *x, const struct strv *words)
{
	size_t i;

	for (i = 0; x->looked_for != NULL && i < words->n; i++)
		if (strstr(words->v[i], x->looked_for) != NULL)
			return i;
	return words->n;
}

/* first and last of a designator at *p, which is behind the colon; false:
 * it is none. */
static bool
read_range(struct expansion *x, const struct strv *words, size_t *first,
    size_t *last)
{
	size_t most = words->n > 0 ? words->n - 1 : 0;

	if (*x->p == '*') {
		x->p++;
		*first = 1;
		*last = most;
		/* Nothing, where there is but the command. */
		if (most == 0)
			*first = *last = SIZE_MAX;
		return true;
	}
	if (*x->p == '$') {
		x->p++;
		*first = *last = most;
		return true;
	}
	if (*x->p == '%') {
		x->p++;
		*first = *last = matched(x, words);
		return true;
	}
	if (*x->p == '^') {
		x->p++;
		*first = 1;
	} else if (is_digit(*x->p)) {
		*first = number(&x->p);
	} else if (*x->p == '-') {
		*first = 0;
	} else {
		return false;
	}
	*last = *first;
	if (*x->p == '*') {
		x->p++;
		*last = most;
		if (*first == most + 1)
			*first = *last = SIZE_MAX;
	} else if (*x->p == '-') {
		x->p++;
		if (*x->p == '$') {
			x->p++;
			*last = most;
		} else if (*x->p == '^') {
			x->p++;
			*last = 1;
		} else {
			*last = is_digit(*x->p) ? number(&x->p) :
			    most > 0 ? most - 1 : 0;
		}
	}
	return true;
}

static bool
take_words(struct expansion *x, const char *from, char **text)
{
	AEG_AUTO(strv_done) struct strv words = STRV_INIT;
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const char *begun = x->p;
	size_t first, last;

	if (*x->p == ':')
		x->p++;
	else if (strchr("^$*-%", *x->p) == NULL || *x->p == '\0')
		return true;
	events_words(*text, &words);
	if (!read_range(x, &words, &first, &last)) {
		x->p = begun;
		return true;
	}
	if (first == SIZE_MAX) {
		;
	} else if (first > last || last >= words.n) {
		return wrong(x, from, "bad word specifier");
	} else {
		join(&out, &words, first, last);
	}
	free(*text);
	*text = buf_take(&out);
	return true;
}

/* ---- the line ----------------------------------------------------------- */

static bool
expand_one(struct expansion *x, bool in_double)
{
	const char *from = x->p++;
	AEG_AUTOFREE char *text = find(x, in_double);
	bool shown = false;

	if (text == NULL)
		return wrong(x, from, "event not found");
	if (!take_words(x, from, &text) ||
	    !events_modify(&x->p, &text, &shown, &x->memory, x->complaint))
		return false;
	x->shown |= shown;
	buf_puts(&x->out, text);
	if (!buf_overflow(&x->out))
		return true;
	buf_puts(x->complaint, "the expanded line is too long");
	return false;
}

/* Where "!" means itself. */
static bool
is_plain(const char *line, const char *p, bool in_double)
{
	if (p[1] == '\0' || strchr(" \t\n\r=(", p[1]) != NULL ||
	    (in_double && p[1] == '"'))
		return true;
	if (p == line)
		return false;
	if (p[-1] == '$')
		return true;
	if (p[-1] == '[' && strchr(p + 1, ']') != NULL)
		return true;
	return p - line > 1 && p[-1] == '{' && p[-2] == '$' &&
	    strchr(p + 1, '}') != NULL;
}

/* ^old^new^: of the line before. */
static bool
substitute(struct expansion *x)
{
	AEG_AUTOFREE char *text = x->event(x->ctx, EVENT_BACK, 1, NULL);
	AEG_AUTO(buf_done) struct buf modifier = BUF_INIT;
	const char *p;
	size_t n = strcspn(x->line, "\n");
	bool shown = false;

	x->p = x->line + n;
	if (text == NULL)
		return wrong(x, x->line, "event not found");
	buf_puts(&modifier, ":s");
	buf_put(&modifier, x->line, n);
	p = modifier.data;
	if (!events_modify(&p, &text, &shown, &x->memory, x->complaint))
		return false;
	x->shown |= shown;
	buf_puts(&x->out, text);
	buf_puts(&x->out, p);
	buf_puts(&x->out, x->p);
	x->p += strlen(x->p);
	return true;
}

/* One step along the line; expanded: something was put in. */
static bool
step(struct expansion *x, char *quote, bool *expanded)
{
	const char *p = x->p;
	bool in_double = *quote == '"';

	if (*p == '\\' && *quote != '\'' && p[1] != '\0') {
		buf_put(&x->out, p, 2);
		x->p += 2;
		return true;
	}
	if (*p == '!' && *quote != '\'' && !is_plain(x->line, p, in_double)) {
		*expanded = true;
		return expand_one(x, in_double);
	}
	if (*quote == *p)
		*quote = '\0';
	else if (*quote == '\0' && (*p == '\'' || *p == '"'))
		*quote = *p;
	buf_putc(&x->out, *p);
	x->p++;
	return true;
}

enum events_result
events_expand(struct buf *line, event_fn *event, void *ctx,
    struct buf *complaint)
{
	struct expansion x = { .line = line->data, .p = line->data,
		.out = BUF_INIT_MAX(EVENTS_MOST), .event = event,
		.ctx = ctx, .complaint = complaint };
	bool expanded = false, fine = true, inside = false;
	char quote = '\0';

	if (line->len == 0 || strlen(line->data) != line->len)
		return EVENTS_NONE;
	if (line->data[0] == '^' && strchr(line->data + 1, '^') != NULL) {
		expanded = true;
		fine = substitute(&x);
	}
	while (fine && *x.p != '\0') {
		/* The text of a here-document is no command. */
		inside |= quote == '\0' && strncmp(x.p, "<<", 2) == 0;
		if (inside && *x.p == '\n') {
			buf_puts(&x.out, x.p);
			break;
		}
		fine = step(&x, &quote, &expanded);
	}
	free(x.looked_for);
	free(x.memory.from);
	free(x.memory.to);
	if (!fine || !expanded) {
		buf_done(&x.out);
		return fine ? EVENTS_NONE : EVENTS_WRONG;
	}
	buf_done(line);
	*line = x.out;
	return x.shown ? EVENTS_SHOWN : EVENTS_EXPANDED;
}
