/* SPDX-License-Identifier: ISC */
/* What of the past is wanted: a beginning, a part, or words and filters; and
 * what is told of a line beside it. */
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "shell/recall.h"

#define CWD_SHOWN ((size_t)24)

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* q borrows it for as long as the wish lives: kept never moves. */
static const char *
keep(struct recall_wish *w, const char *text)
{
	const char *at = w->kept.data + w->kept.len;

	buf_put(&w->kept, text, strlen(text) + 1);
	return at;
}

static void
set_exit(struct recall_wish *w, const char *value)
{
	int64_t n;

	if (strcmp(value, "fail") == 0) {
		w->q.ended = AUDIT_ENDED_FAILED;
	} else if (strcmp(value, "refused") == 0) {
		w->q.ended = AUDIT_ENDED_REFUSED;
	} else if (text_to_i64(value, 0, 255, &n) == 0) {
		w->q.ended = AUDIT_ENDED_STATUS;
		w->q.number = (int)n;
	}
}

static void
set_dir(struct recall_wish *w, const char *value, const char *cwd,
    const char *home)
{
	AEG_AUTOFREE char *path = NULL;
	size_t len;

	if (strcmp(value, ".") == 0)
		path = xstrdup(cwd);
	else if (value[0] == '~' && home != NULL)
		path = xasprintf("%s%s", home, value + 1);
	else if (value[0] == '/')
		path = xstrdup(value);
	else
		path = xasprintf("%s/%s", cwd, value);
	for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	w->q.cwd = keep(w, path);
}

static void
set_session(struct recall_wish *w, const char *value)
{
	int64_t n;

	if (strcmp(value, ".") == 0) {
		w->here = true;
	} else if (text_to_i64(value, 1, INT64_MAX, &n) == 0) {
		w->q.session = n;
		w->elsewhere = true;
	}
}

static void
set_host(struct recall_wish *w, const char *value, const char *host)
{
	if (strcmp(value, ".") == 0)
		value = host;
	w->q.host = keep(w, value);
	w->elsewhere |= strcmp(value, host) != 0;
}

/* A filter?  An empty one is one that is still being typed. */
static bool
take_filter(struct recall_wish *w, const char *word, const char *cwd,
    const char *home, const char *host)
{
	const char *colon = strchr(word, ':'), *value;
	size_t n = colon != NULL ? (size_t)(colon - word) : 0;

	if (n == 0)
		return false;
	value = colon + 1;
	if (strncmp(word, "dir:", n + 1) == 0) {
		if (*value != '\0')
			set_dir(w, value, cwd, home);
	} else if (strncmp(word, "exit:", n + 1) == 0) {
		set_exit(w, value);
	} else if (strncmp(word, "session:", n + 1) == 0) {
		set_session(w, value);
	} else if (strncmp(word, "host:", n + 1) == 0) {
		if (*value != '\0')
			set_host(w, value, host);
	} else if (strncmp(word, "decision:", n + 1) == 0) {
		if (*value != '\0')
			w->q.decision = keep(w, value);
	} else {
		return false;
	}
	return true;
}

static void
take_words(struct recall_wish *w, const char *text, const char *cwd,
    const char *home, const char *host)
{
	AEG_AUTOFREE char *copy = xstrdup(text);
	char *save = NULL, *word, *p;

	w->fold = true;
	for (p = copy; *p != '\0'; p++)
		w->fold &= lower(*p) == *p;
	for (word = strtok_r(copy, " ", &save); word != NULL;
	    word = strtok_r(NULL, " ", &save))
		if (!take_filter(w, word, cwd, home, host))
			strv_add(&w->words, word);
}

void
recall_wish_init(struct recall_wish *w, const struct line_wish *wish,
    const char *cwd, const char *home, const char *host)
{
	*w = (struct recall_wish){ .q = { .recalled = true } };
	/* All that can be kept of it, at one place. */
	buf_reserve(&w->kept, 2 * (strlen(wish->text) + strlen(cwd) +
	    strlen(host) + (home != NULL ? strlen(home) : 0) + 16) *
	    (strlen(wish->text) / 6 + 1));
	switch (wish->how) {
	case LINE_STARTS:
		if (wish->text[0] != '\0')
			w->q.starts = keep(w, wish->text);
		break;
	case LINE_HOLDS:
		w->q.text = keep(w, wish->text);
		break;
	case LINE_FUZZY:
		take_words(w, wish->text, cwd, home, host);
		break;
	}
}

void
recall_wish_done(struct recall_wish *w)
{
	strv_done(&w->words);
	buf_done(&w->kept);
}

static bool
holds(const char *text, size_t len, const char *word, bool fold)
{
	size_t i, k, n = strlen(word);

	for (i = 0; i + n <= len; i++) {
		for (k = 0; k < n; k++)
			if ((fold ? lower(text[i + k]) : text[i + k]) !=
			    word[k])
				break;
		if (k == n)
			return true;
	}
	return false;
}

static bool
holds_letters(const char *text, size_t len, const char *word, bool fold)
{
	size_t i;

	for (i = 0; i < len && *word != '\0'; i++)
		if ((fold ? lower(text[i]) : text[i]) == *word)
			word++;
	return *word == '\0';
}

int
recall_wish_has(const struct recall_wish *w, const char *text, size_t len)
{
	int how = 2;
	size_t i;

	for (i = 0; i < w->words.n; i++) {
		if (holds(text, len, w->words.v[i], w->fold))
			continue;
		if (!holds_letters(text, len, w->words.v[i], w->fold))
			return 0;
		how = 1;
	}
	return how;
}

static bool
ended_so(const struct audit_query *q, const struct recall_row *row)
{
	switch (q->ended) {
	case AUDIT_ENDED_ANY:
		return true;
	case AUDIT_ENDED_REFUSED:
		return !row->ran;
	case AUDIT_ENDED_OPEN:
		return row->ran && row->status < 0;
	case AUDIT_ENDED_FAILED:
		return row->ran && row->status > 0;
	case AUDIT_ENDED_STATUS:
		return row->ran && row->status == q->number;
	case AUDIT_ENDED_SIGNAL:
		return row->ran && row->status == 128 + q->number;
	}
	return false;
}

static bool
is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return path != NULL && (strcmp(dir, "/") == 0 ||
	    (strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/')));
}

bool
recall_wish_passes(const struct recall_wish *w, const struct recall_row *row)
{
	const struct audit_query *q = &w->q;

	if (w->elsewhere || !ended_so(q, row) ||
	    (q->cwd != NULL && !is_below(row->cwd, q->cwd)) ||
	    (q->decision != NULL && (row->decision == NULL ||
	    strcmp(row->decision, q->decision) != 0)))
		return false;
	if (q->starts != NULL && (row->len < strlen(q->starts) ||
	    memcmp(row->text, q->starts, strlen(q->starts)) != 0))
		return false;
	return q->text == NULL || holds(row->text, row->len, q->text, false);
}

/* ---- beside a line ------------------------------------------------------ */

static void
put_age(struct buf *out, int64_t ns)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 365 * 86400, "y" }, { 30 * 86400, "mo" },
		{ 86400, "d" }, { 3600, "h" }, { 60, "min" } };
	int64_t s = ns / 1000000000;
	size_t i;

	for (i = 0; i < AEG_NELEM(units); i++)
		if (s >= units[i].seconds) {
			buf_putf(out, "%lld %s",
			    (long long)(s / units[i].seconds), units[i].name);
			return;
		}
	buf_puts(out, "now");
}

void
recall_about(struct buf *out, const struct recall_row *row, int64_t now_ns,
    const char *home)
{
	const char *cwd = row->cwd;
	size_t n = home != NULL ? strlen(home) : 0;

	put_age(out, now_ns - row->wall_ns);
	if (!row->ran && row->decision != NULL)
		buf_puts(out, ", refused");
	else if (row->status > 0)
		buf_putf(out, ", exit %d", row->status);
	if (cwd == NULL)
		return;
	buf_puts(out, ", ");
	if (n > 1 && is_below(cwd, home)) {
		buf_putc(out, '~');
		cwd += n;
	}
	if (strlen(cwd) > CWD_SHOWN) {
		buf_puts(out, "...");
		cwd += strlen(cwd) - CWD_SHOWN;
	}
	text_inert(out, cwd, strlen(cwd), 0);
}
