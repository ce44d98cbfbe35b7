/* SPDX-License-Identifier: ISC */
/* Looking ahead in a text, and putting a tag in the place of a secret. */
#include "redact_int.h"

#include <ctype.h>
#include <nettle/hmac.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"

#define TAG_BYTES 4	/* of a tag, written in hexadecimal */

bool
redact_at_start(const struct redact_scan *s)
{
	return s->i == 0 || (!redact_is_name(s, s->i - 1) &&
	    s->p[s->i - 1] != '.');
}

size_t
redact_run(const struct redact_scan *s, size_t i, size_t most)
{
	size_t start = i;

	for (; i < s->len && i - start < most; i++) {
		/* Between the words of a program, or its variables, are
		 * NULs. */
		if (isspace((unsigned char)s->p[i]) || s->p[i] == '\0' ||
		    redact_at(s, i, "'\"`$;|&<>()"))
			break;
		if (s->p[i] == '\\' &&
		    !(i + 1 < s->len && isalnum((unsigned char)s->p[i + 1])))
			break;
	}
	return i - start;
}

size_t
redact_spaces(const struct redact_scan *s, size_t i)
{
	size_t n = 0;

	while (redact_at(s, i + n, " \t"))
		n++;
	return n;
}

size_t
redact_quote(const struct redact_scan *s, size_t i)
{
	if (redact_at(s, i, "'\""))
		return 1;
	return redact_at(s, i, "\\") && redact_at(s, i + 1, "'\"") ? 2 : 0;
}

bool
redact_word_here(const struct redact_scan *s, size_t i, const char *word,
    bool nocase)
{
	size_t n = strlen(word);

	return i <= s->len && s->len - i >= n && (nocase ?
	    strncasecmp(s->p + i, word, n) : memcmp(s->p + i, word, n)) == 0;
}

static void
put_tag(const struct redact_scan *s, struct buf *out, const char *p, size_t n,
    const char *kind)
{
	struct hmac_sha256_ctx ctx;
	unsigned char tag[TAG_BYTES];

	buf_putf(out, "<redacted:%s", kind);
	if (!s->r->keyed) {
		buf_putc(out, '>');
		return;
	}
	hmac_sha256_set_key(&ctx, sizeof s->r->key, s->r->key);
	hmac_sha256_update(&ctx, n, (const unsigned char *)p);
	hmac_sha256_digest(&ctx, sizeof tag, tag);
	buf_putc(out, ':');
	hex_put(out, tag, sizeof tag);
	buf_putc(out, '>');
}

static void
add_span(struct redact_scan *s, size_t from, size_t n, const char *kind)
{
	struct redact_spans *to = s->spans;
	struct redact_span span = { .from = from, .len = n,
		.tag = to->tags.len };

	if (to->n == to->cap) {
		to->cap = to->cap > 0 ? 2 * to->cap : 16;
		to->v = xreallocarray(to->v, to->cap, sizeof to->v[0]);
	}
	put_tag(s, &to->tags, s->p + from, n, kind);
	span.tag_len = to->tags.len - span.tag;
	to->v[to->n++] = span;
}

bool
redact_replace(struct redact_scan *s, size_t from, size_t n, const char *kind)
{
	if (n == 0)
		return false;
	if (s->spans != NULL) {
		add_span(s, from, n, kind);
	} else {
		buf_put(s->out, s->p + s->i, from - s->i);
		put_tag(s, s->out, s->p + from, n, kind);
	}
	s->i = from + n;
	s->hits++;
	return true;
}

/* How unlike each other the bytes are: one in that many pairs is equal.  The
 * same question as entropy, without a logarithm. */
static size_t
variety(const unsigned char *p, size_t len)
{
	size_t count[256] = { 0 }, equal = 0, i;

	for (i = 0; i < len; i++)
		count[p[i]]++;
	for (i = 0; i < 256; i++)
		equal += count[i] * count[i];
	return len * len / equal;
}

bool
redact_random_looking(const char *p, size_t len, size_t least)
{
	size_t i, letters = 0, digits = 0;

	if (len < least || len > REDACT_VALUE_MAX)
		return false;
	for (i = 0; i < len; i++) {
		if (isdigit((unsigned char)p[i]))
			digits++;
		else if (isalpha((unsigned char)p[i]))
			letters++;
		else if (strchr("+/=_-.~:", p[i]) == NULL)
			return false;
	}
	/* A word with a year, a version or a path has few digits among its
	 * letters, or falls into short pieces. */
	return digits >= 2 && letters >= 2 && (letters + digits) * 10 >=
	    len * 9 && variety((const unsigned char *)p, len) >=
	    (len < 24 ? 6 : 8);
}
