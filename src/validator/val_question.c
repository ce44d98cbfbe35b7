/* SPDX-License-Identifier: ISC */
/*
 * The question as data: one JSON object on one line.
 *
 * Every text that aegsh did not write is a JSON string, so that no byte of
 * it can end the string, the object or the line.  What JSON cannot carry
 * (bytes that are not UTF-8) is written as \xNN with backslashes doubled,
 * and the text is flagged as so encoded: nothing is lost and nothing is
 * ambiguous.
 */
#include "validator_int.h"

#include <nettle/sha2.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

static bool
is_utf8(const char *p, size_t len)
{
	uint32_t cp;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = text_utf8(p + i, len - i, &cp);
		if (n == 0)
			return false;
	}
	return true;
}

static void
put_escape(struct buf *out, uint32_t cp)
{
	if (cp > 0xffff) {
		cp -= 0x10000;
		buf_putf(out, "\\u%04x\\u%04x", 0xd800 + (cp >> 10),
		    0xdc00 + (cp & 0x3ff));
	} else {
		buf_putf(out, "\\u%04x", cp);
	}
}

/* A JSON string (RFC 8259, 7).  Also what is legal there but invisible or
 * turns the direction of text is escaped: the model reads what it is. */
static void
put_string(struct buf *out, const char *p, size_t len, bool escaped)
{
	uint32_t cp;
	size_t i, n;

	buf_putc(out, '"');
	for (i = 0; i < len && !buf_overflow(out); i += n) {
		n = text_utf8(p + i, len - i, &cp);
		if (n == 0) {
			buf_putf(out, "\\\\x%02x", (unsigned char)p[i]);
			n = 1;
		} else if (cp == '\\') {
			buf_puts(out, escaped ? "\\\\\\\\" : "\\\\");
		} else if (cp == '"') {
			buf_puts(out, "\\\"");
		} else if (cp == '\n') {
			buf_puts(out, "\\n");
		} else if (cp == '\t') {
			buf_puts(out, "\\t");
		} else if (text_needs_inert(p + i, n, 0)) {
			put_escape(out, cp);
		} else {
			buf_put(out, p + i, n);
		}
	}
	buf_putc(out, '"');
}

static void
put_member(struct buf *out, const char *name, const char *text, size_t len)
{
	buf_putf(out, "%s\"%s\":", out->data[out->len - 1] == '{' ? "" : ",",
	    name);
	put_string(out, text, len, false);
}

/* The members of one untrusted text. */
static void
put_text(struct buf *out, const struct redact *redact, const char *text,
    size_t len)
{
	AEG_AUTO(buf_done) struct buf clean = BUF_INIT;
	size_t hits = redact_text(redact, &clean, text, len);
	bool escaped = !is_utf8(clean.data, clean.len);

	buf_puts(out, out->data[out->len - 1] == '{' ? "\"text\":" :
	    ",\"text\":");
	put_string(out, clean.data, clean.len, escaped);
	put_member(out, "encoding", escaped ? "escaped" : "utf-8",
	    escaped ? 7 : 5);
	buf_putf(out, ",\"redacted\":%zu", hits);
}

static void
put_object(struct buf *out, const struct redact *redact, const char *name,
    const char *text, size_t len)
{
	buf_putf(out, ",\"%s\":{", name);
	put_text(out, redact, text, len);
	buf_putc(out, '}');
}

static int
too_long(struct err *err)
{
	return err_set(err, ERR_TOO_LONG,
	    "the question is longer than the %zu bytes that are sent",
	    VAL_DATA_MAX);
}

int
val_question_data(const struct val_question *q, const char *nonce,
    struct buf *ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(VAL_DATA_MAX);
	size_t i, sum = strlen(q->cwd) + strlen(q->origin);

	if (q->len > VAL_LINE_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "the line has %zu bytes, more than the %zu that are sent",
		    q->len, VAL_LINE_MAX);
	if (q->n_facts > VAL_FACTS_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "%zu facts about the line, more than the %d that are sent",
		    q->n_facts, VAL_FACTS_MAX);
	for (i = 0; i < q->n_facts && sum <= VAL_DATA_MAX; i++)
		sum += q->facts[i].len < VAL_DATA_MAX ? q->facts[i].len :
		    VAL_DATA_MAX + 1;
	if (sum > VAL_DATA_MAX)
		return too_long(err);
	buf_putc(&b, '{');
	put_member(&b, "nonce", nonce, strlen(nonce));
	put_member(&b, "kind", "aegsh-question-1", 16);
	put_object(&b, q->redact, "line", q->line, q->len);
	put_object(&b, q->redact, "cwd", q->cwd, strlen(q->cwd));
	put_object(&b, q->redact, "origin", q->origin, strlen(q->origin));
	buf_puts(&b, ",\"facts\":[");
	for (i = 0; i < q->n_facts && !buf_overflow(&b); i++) {
		buf_puts(&b, i > 0 ? ",{" : "{");
		put_member(&b, "name", q->facts[i].name,
		    strlen(q->facts[i].name));
		put_text(&b, q->redact, q->facts[i].text, q->facts[i].len);
		buf_putc(&b, '}');
	}
	buf_puts(&b, "]}");
	if (buf_overflow(&b))
		return too_long(err);
	buf_put(ret, b.data, b.len);
	return 0;
}

/* Lengths in front, so that no two questions are the same bytes. */
static void
hash_bytes(struct sha256_ctx *ctx, const char *p, size_t len)
{
	uint64_t n = len;

	sha256_update(ctx, sizeof n, (const uint8_t *)&n);
	if (len > 0)
		sha256_update(ctx, len, (const uint8_t *)p);
}

void
val_question_digest(const struct val_question *q,
    unsigned char ret[VAL_DIGEST_LEN])
{
	struct sha256_ctx ctx;
	size_t i;

	sha256_init(&ctx);
	hash_bytes(&ctx, q->line, q->len);
	hash_bytes(&ctx, q->cwd, strlen(q->cwd));
	hash_bytes(&ctx, q->origin, strlen(q->origin));
	for (i = 0; i < q->n_facts; i++) {
		hash_bytes(&ctx, q->facts[i].name,
		    strlen(q->facts[i].name));
		hash_bytes(&ctx, q->facts[i].text, q->facts[i].len);
	}
	hash_bytes(&ctx, q->context, q->context_len);
	sha256_digest(&ctx, VAL_DIGEST_LEN, ret);
}
