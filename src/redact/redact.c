/* SPDX-License-Identifier: ISC */
/* The walk over a text, and the values that the session taught. */
#include "redact_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

struct redact *
redact_new(void)
{
	return xcalloc(1, sizeof(struct redact));
}

void
redact_free(struct redact *r)
{
	if (r == NULL)
		return;
	redact_forget(r);
	free(r->known);
	if (r->rules != NULL)
		redact_rules_done(r->rules);
	free(r->rules);
	explicit_bzero(r->key, sizeof r->key);
	free(r);
}

void
redact_forget(struct redact *r)
{
	size_t i;

	if (r == NULL)
		return;
	for (i = 0; i < r->n_known; i++) {
		explicit_bzero(r->known[i].value, r->known[i].len);
		free(r->known[i].value);
	}
	r->n_known = r->next_known = 0;
	memset(r->known_first, 0, sizeof r->known_first);
}

/* One literal word of a shell, mixed as no command's name is: else naming a
 * variable TOKEN would hide the commands that are called like its value. */
static bool
worth_knowing(const struct redact *r, const char *name, const char *value,
    size_t len)
{
	struct redact_scan s = { .r = r, .p = value, .len = len };
	bool digit = false, letter = false;
	size_t i;

	if (len < REDACT_VALUE_LEAST || len > REDACT_VALUE_MAX ||
	    value[0] == '/' || redact_run(&s, 0, len) != len)
		return false;
	for (i = 0; i < len; i++) {
		digit = digit || strchr("0123456789", value[i]) != NULL;
		letter = letter || (value[i] | 32) >= 'a';
	}
	return digit && letter &&
	    redact_name_is_secret(r, name, strlen(name));
}

void
redact_learn(struct redact *r, const char *name, const char *value)
{
	struct redact_known *k;
	size_t i, len = strlen(value);

	if (r == NULL || !worth_knowing(r, name, value, len))
		return;
	for (i = 0; i < r->n_known; i++)
		if (strcmp(r->known[i].value, value) == 0)
			return;
	if (r->known == NULL)
		r->known = xcalloc(REDACT_KNOWN_MAX, sizeof *r->known);
	k = &r->known[r->next_known];
	if (r->n_known == REDACT_KNOWN_MAX) {
		explicit_bzero(k->value, k->len);
		free(k->value);
	} else {
		r->n_known++;
	}
	k->value = xstrdup(value);
	k->len = len;
	r->next_known = (r->next_known + 1) % REDACT_KNOWN_MAX;
	r->known_first[(unsigned char)value[0]] = true;
}

bool
redact_rule_known(struct redact_scan *s)
{
	const struct redact *r = s->r;
	size_t i;

	if (!r->known_first[(unsigned char)s->p[s->i]])
		return false;
	for (i = 0; i < r->n_known; i++)
		if (redact_word_is(s, s->i, r->known[i].value, false))
			return redact_replace(s, s->i, r->known[i].len,
			    "value");
	return false;
}

/* A tag that is there already: text that was redacted before. */
static bool
rule_tag(struct redact_scan *s)
{
	static const char begin[] = "<redacted:";
	size_t i = s->i + sizeof begin - 1;

	if (!redact_word_is(s, s->i, begin, false))
		return false;
	while (redact_is_name(s, i) || redact_at(s, i, ":"))
		i++;
	if (!redact_at(s, i, ">") || i - s->i > REDACT_NEAR)
		return false;
	if (s->out != NULL)
		buf_put(s->out, s->p + s->i, i + 1 - s->i);
	s->i = i + 1;
	return true;
}

/* Inside a word, and in white space, which no word of a rule starts with. */
static bool
nothing_begins(const struct redact_scan *s)
{
	unsigned char c = (unsigned char)s->p[s->i];

	if (s->r->known_first[c])
		return false;
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' ||
	    (s->i > 0 && redact_is_name(s, s->i) &&
	    redact_is_name(s, s->i - 1));
}

static void
walk(struct redact_scan *s)
{
	static bool (*const rules[])(struct redact_scan *) = { rule_tag,
	    redact_rule_pem, redact_rule_url, redact_rule_hook,
	    redact_rule_known, redact_rule_header, redact_rule_cookie,
	    redact_rule_token, redact_rule_hash, redact_rule_named,
	    redact_rule_setenv,
	    redact_rule_option, redact_rule_typed };
	size_t k;

	while (s->i < s->len && (s->out == NULL || !buf_overflow(s->out))) {
		/* But what is known, which may be anything. */
		k = nothing_begins(s) ? AEG_NELEM(rules) : 0;
		for (; k < AEG_NELEM(rules); k++)
			if (rules[k](s))
				break;
		if (k < AEG_NELEM(rules))
			continue;
		if (redact_at(s, s->i, ";|&\n("))
			s->segment = s->i + 1;
		if (s->out != NULL)
			buf_putc(s->out, s->p[s->i]);
		s->i++;
	}
}

static const struct redact plain;

size_t
redact_text(const struct redact *r, struct buf *ret, const char *text,
    size_t len)
{
	struct redact_scan s = { .r = r != NULL ? r : &plain, .p = text,
		.len = len, .out = ret };

	walk(&s);
	return s.hits;
}

void
redact_find(const struct redact *r, const char *text, size_t len,
    struct redact_spans *ret)
{
	struct redact_scan s = { .r = r != NULL ? r : &plain, .p = text,
		.len = len, .spans = ret };

	ret->n = 0;
	buf_reset(&ret->tags);
	walk(&s);
}

void
redact_spans_done(struct redact_spans *s)
{
	free(s->v);
	buf_done(&s->tags);
	*s = (struct redact_spans)REDACT_SPANS_INIT;
}
