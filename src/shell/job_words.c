/* SPDX-License-Identifier: ISC */
/*
 * Jobs in a line that a bash of its own runs, which knows none of them: what
 * stands for processes of the session is written out before the line is
 * judged, as aliases are.  And where such a line begins with a builtin for
 * jobs, that one is a line of its own.
 */
#include "shell/job_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/syntax.h"

/* ---- $! and $(jobs -p) -------------------------------------------------- */

struct listed {
	struct buf *out;
	bool running, stopped;
	bool any, lines;
};

static int
put_pid(void *ctx, struct job *j, char mark)
{
	struct listed *l = ctx;

	(void)mark;
	if ((l->running && job_state(j) != JOB_RUNNING) ||
	    (l->stopped && job_state(j) != JOB_STOPPED))
		return 0;
	buf_putf(l->out, "%s%d", !l->any ? "" : l->lines ? "\n" : " ",
	    (int)job_process(j));
	l->any = true;
	return 0;
}

static const struct pattern {
	const char *text;
	bool last, running, stopped;
} patterns[] = {
	{ "$!", true, false, false },
	{ "${!}", true, false, false },
	{ "$(jobs -p)", false, false, false },
	{ "`jobs -p`", false, false, false },
	{ "$(jobs -pr)", false, true, false },
	{ "$(jobs -rp)", false, true, false },
	{ "$(jobs -ps)", false, false, true },
	{ "$(jobs -sp)", false, false, true },
};

static const struct pattern *
pattern_at(const char *p, size_t len)
{
	size_t i, n;

	for (i = 0; i < AEG_NELEM(patterns); i++) {
		n = strlen(patterns[i].text);
		if (n <= len && memcmp(p, patterns[i].text, n) == 0)
			return &patterns[i];
	}
	return NULL;
}

static void
put_pattern(const struct job_words *w, const struct pattern *pattern,
    bool quoted, struct buf *out)
{
	struct listed l = { .out = out, .running = pattern->running,
		.stopped = pattern->stopped, .lines = quoted };

	if (!pattern->last)
		exec_each_job(w->exec, put_pid, &l);
	else if (w->last > 0)
		buf_putf(out, "%d", (int)w->last);
	else
		buf_puts(out, pattern->text);
}

/* The end of '…' or $'…' that p stands in. */
static size_t
end_of_single(const char *p, size_t at, size_t len, bool escapes)
{
	for (; at < len && p[at] != '\''; at++)
		if (escapes && p[at] == '\\' && at + 1 < len)
			at++;
	return at < len ? at + 1 : len;
}

/* What of the text is taken as it stands from here: a quoted character or
 * string, a comment; else one byte. */
static size_t
as_it_stands(const char *p, size_t at, size_t len, bool quoted)
{
	if (p[at] == '\\')
		return at + 2 < len ? at + 2 : len;
	if (!quoted && p[at] == '\'')
		return end_of_single(p, at + 1, len, false);
	if (!quoted && p[at] == '$' && at + 1 < len && p[at + 1] == '\'')
		return end_of_single(p, at + 2, len, true);
	if (!quoted && p[at] == '#' && (at == 0 ||
	    strchr(" \t\n;&|()", p[at - 1]) != NULL)) {
		const char *end = memchr(p + at, '\n', len - at);

		return end != NULL ? (size_t)(end - p) : len;
	}
	return at + 1;
}

static bool
is_job(const struct job_words *w, const char *word)
{
	int64_t pid;

	return word[0] == '%' || strcmp(word, "$!") == 0 ||
	    (text_to_i64(word, 1, INT32_MAX, &pid) == 0 &&
	    exec_job_of(w->exec, (pid_t)pid) != NULL);
}

static bool
is_for_jobs(const struct job_words *w, const struct syn_command *c)
{
	static const char *const names[] = { "bg", "disown", "fg", "jobs",
		"wait" };
	const char *name = c->words[0].value;
	size_t i;

	if (name[0] == '%')
		return true;
	if (TEXT_AMONG(name, names))
		return true;
	for (i = 1; strcmp(name, "kill") == 0 && i < c->n_words; i++)
		if (is_job(w, c->words[i].value))
			return true;
	return false;
}

/* Not to be touched: a line that starts something in the background itself
 * has a $! of its own, a builtin for jobs knows ours, and here-documents are
 * too intricate. */
static bool
has_its_own(const struct job_words *w, const char *text, size_t len)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	bool own = false;
	size_t i;

	if (memmem(text, len, "<<", 2) != NULL ||
	    syn_parse(text, len, NULL, &tree, &diag) != SYN_TREE)
		return true;
	facts = syn_facts_new(tree, NULL);
	for (i = 0; i < facts->n_commands; i++)
		own |= (facts->commands[i].context & SYN_IN_BACKGROUND) != 0;
	own = own && facts->background_at == 0;
	own |= facts->only_simple && facts->n_commands == 1 &&
	    facts->commands[0].n_words > 0 &&
	    is_for_jobs(w, &facts->commands[0]);
	syn_facts_free(facts);
	syn_free(tree);
	return own;
}

/* A substitution inside of double quotes has quotes of its own. */
static bool
is_too_deep(const char *p, size_t len, bool quoted)
{
	return quoted && (p[0] == '`' || (len > 1 && p[0] == '$' &&
	    p[1] == '('));
}

void
job_words_put(const struct job_words *w, struct buf *text)
{
	struct buf out = BUF_INIT_MAX(LINE_MAX_BYTES);
	bool quoted = false, changed = false;
	size_t at = 0, next;

	if (memmem(text->data, text->len, "$!", 2) == NULL &&
	    memmem(text->data, text->len, "${!}", 4) == NULL &&
	    memmem(text->data, text->len, "jobs -", 6) == NULL)
		return;
	if (has_its_own(w, text->data, text->len))
		return;
	while (at < text->len) {
		const struct pattern *p = pattern_at(text->data + at,
		    text->len - at);

		if (p != NULL) {
			put_pattern(w, p, quoted, &out);
			at += strlen(p->text);
			changed = true;
			continue;
		}
		if (is_too_deep(text->data + at, text->len - at, quoted)) {
			changed = false;
			break;
		}
		if (text->data[at] == '"')
			quoted = !quoted;
		next = as_it_stands(text->data, at, text->len, quoted);
		buf_put(&out, text->data + at, next - at);
		at = next;
	}
	if (changed && !buf_overflow(&out)) {
		buf_reset(text);
		buf_put(text, out.data, out.len);
	}
	buf_done(&out);
}

/* ---- jobs -x ------------------------------------------------------------ */

static void
put_word(const struct job_words *w, const char *from, size_t len,
    struct buf *out)
{
	AEG_AUTOFREE char *word = xmemdup0(from, len);
	bool ambiguous;
	struct job *j = word[0] == '%' ?
	    exec_job(w->exec, word, &ambiguous) : NULL;

	if (j != NULL)
		buf_putf(out, "%d", (int)job_process(j));
	else
		buf_puts(out, word);
}

void
job_words_run_with(const struct job_words *w, struct buf *text)
{
	static const char call[] = "jobs -x ", blanks[] = " \t\n";
	struct buf out = BUF_INIT_MAX(LINE_MAX_BYTES);
	size_t at = strspn(text->data, blanks), len;

	if (strncmp(text->data + at, call, strlen(call)) != 0)
		return;
	for (at += strlen(call); at < text->len; at += len) {
		len = strspn(text->data + at, blanks);
		buf_put(&out, text->data + at, len);
		at += len;
		len = strcspn(text->data + at, blanks);
		put_word(w, text->data + at, len, &out);
	}
	if (!buf_overflow(&out) && out.len > 0) {
		buf_reset(text);
		buf_put(text, out.data, out.len);
	}
	buf_done(&out);
}

/* ---- a builtin in front of the rest -------------------------------------- */

static bool
is_whole(const char *text, size_t len)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	bool whole = len > strspn(text, " \t\n") &&
	    syn_parse(text, len, NULL, &tree, &diag) == SYN_TREE;

	syn_free(tree);
	return whole;
}

/* The operator at p, and what it is. */
static size_t
operator_at(const char *p, enum job_then *ret)
{
	if (p[0] == '&' && p[1] == '&') {
		*ret = JOB_THEN_AND;
		return 2;
	}
	if (p[0] == '|' && p[1] == '|') {
		*ret = JOB_THEN_OR;
		return 2;
	}
	*ret = JOB_THEN_ALWAYS;
	return (p[0] == ';' && p[1] != ';') || p[0] == '\n';
}

size_t
job_words_first(const struct job_words *w, const char *text, size_t len,
    size_t *ret_rest, enum job_then *ret_then)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	const struct syn_command *c;
	struct syn_diag diag;
	size_t end = 0, at, n;

	if (syn_parse(text, len, NULL, &tree, &diag) != SYN_TREE)
		return 0;
	facts = syn_facts_new(tree, NULL);
	c = facts->commands;
	if (facts->n_commands > 1 && c->n_words > 0 && c->n_assigns == 0 &&
	    c->n_redirs == 0 && c->pipe_count == 1 && c->depth == 0 &&
	    (c->context & ~(unsigned)SYN_IN_CONDITION) == 0 &&
	    c->offset == strspn(text, " \t") && is_for_jobs(w, c)) {
		at = c->offset + c->len;
		at += strspn(text + at, " \t");
		n = operator_at(text + at, ret_then);
		if (n > 0 && at + n < len &&
		    is_whole(text + at + n, len - at - n)) {
			*ret_rest = at + n;
			end = at;
		}
	}
	syn_facts_free(facts);
	syn_free(tree);
	return end;
}
