/* SPDX-License-Identifier: ISC */
/* What the files of this room share: the rules, and one walk over a text. */
#ifndef REDACT_INT_H
#define REDACT_INT_H

#include "aegsh/redact.h"

/* How far is looked around a place; more would make the work quadratic. */
#define REDACT_NEAR ((size_t)512)

enum redact_where { REDACT_ATTACHED = 1, REDACT_NEXT = 2, REDACT_BOTH = 3 };

/* An option of a well-known program that takes a password. */
struct redact_option {
	const char *command;	/* starts the name of the program */
	const char *option;
	enum redact_where where;
	char after;		/* the secret starts behind this byte, or 0 */
	const char *needs;	/* a word that must stand between, or NULL */
};

/* Words that start so, when at least so many bytes follow. */
struct redact_token {
	const char *prefix;
	size_t least;
};

/* The operator's additions to each table; strings are owned. */
struct redact_rules {
	struct redact_option options[REDACT_RULES_MAX];
	struct redact_token tokens[REDACT_RULES_MAX];
	const char *headers[REDACT_RULES_MAX];
	const char *names[REDACT_RULES_MAX], *not_names[REDACT_RULES_MAX];
	size_t n_options, n_tokens, n_headers, n_names, n_not_names;
};
void redact_rules_done(struct redact_rules *rules);

struct redact_known {
	char *value;
	size_t len;
};

struct redact {
	bool keyed;
	unsigned char key[REDACT_KEY_LEN];
	struct redact_rules *rules;	/* NULL: there are none */
	struct redact_known *known;	/* REDACT_KNOWN_MAX; NULL: none yet */
	size_t n_known, next_known;
	bool known_first[256];	/* some value starts with this byte */
};

struct redact_scan {
	const struct redact *r;		/* never NULL */
	const char *p;
	size_t len, i;			/* i: the next byte to look at */
	size_t segment;			/* where the command around it starts */
	struct buf *out;		/* NULL: only the spans */
	struct redact_spans *spans;	/* or NULL */
	size_t hits;
};

/* ---- redact_scan.c: looking ahead, never past the end ------------------- */
static inline bool
redact_at(const struct redact_scan *s, size_t i, const char *set)
{
	if (i >= s->len || s->p[i] == '\0')
		return false;
	for (; *set != '\0'; set++)	/* few, and known when it is built */
		if (*set == s->p[i])
			return true;
	return false;
}
static inline bool
redact_is_name(const struct redact_scan *s, size_t i)
{
	unsigned char c = i < s->len ? (unsigned char)s->p[i] : '\0';

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-';
}
/* A name or an option can start here. */
bool redact_at_start(const struct redact_scan *s);
/* The literal that starts at i: up to what the shell reads as more, or up
 * to most bytes. */
size_t redact_run(const struct redact_scan *s, size_t i, size_t most);
size_t redact_spaces(const struct redact_scan *s, size_t i);
/* An opening or closing quote, with a backslash where it is nested. */
size_t redact_quote(const struct redact_scan *s, size_t i);
bool redact_word_here(const struct redact_scan *s, size_t i,
	const char *word, bool nocase);
static inline bool
redact_word_is(const struct redact_scan *s, size_t i, const char *word,
    bool nocase)
{
	/* Most are another by their first byte. */
	return (nocase || (i < s->len && s->p[i] == word[0])) &&
	    redact_word_here(s, i, word, nocase);
}
/* Copy up to `from`, and put a tag in the place of n bytes there. */
bool redact_replace(struct redact_scan *s, size_t from, size_t n,
	const char *kind);
/* Letters and digits mixed as in no word: of at least `least` bytes. */
bool redact_random_looking(const char *p, size_t len, size_t least);

/* What words begin with: their first two bytes, or one that is all of it. */
struct redact_begins {
	bool made;
	unsigned char pairs[65536 / 8];
};
static inline void
redact_begins_add(struct redact_begins *b, const char *word)
{
	unsigned first = (unsigned char)word[0] << 8, k;

	for (k = 0; k < 256; k++)
		if (word[1] == '\0' || (unsigned char)word[1] == k)
			b->pairs[(first | k) / 8] |=
			    (unsigned char)(1U << k % 8);
}
static inline bool
redact_begins_here(const struct redact_begins *b, const struct redact_scan *s)
{
	unsigned next = s->i + 1 < s->len ? (unsigned char)s->p[s->i + 1] : 0;
	unsigned pair = (unsigned)(unsigned char)s->p[s->i] << 8 | next;

	return (b->pairs[pair / 8] >> pair % 8 & 1) != 0;
}

/* ---- rules: true when they took something at s->i ----------------------- */
bool redact_rule_pem(struct redact_scan *s);
bool redact_rule_url(struct redact_scan *s);
bool redact_rule_hook(struct redact_scan *s);
bool redact_rule_header(struct redact_scan *s);
bool redact_rule_cookie(struct redact_scan *s);
bool redact_rule_token(struct redact_scan *s);
bool redact_rule_hash(struct redact_scan *s);
bool redact_rule_named(struct redact_scan *s);
bool redact_rule_setenv(struct redact_scan *s);
bool redact_rule_option(struct redact_scan *s);
bool redact_rule_typed(struct redact_scan *s);
bool redact_rule_known(struct redact_scan *s);

#endif
