/* SPDX-License-Identifier: ISC */
/*
 * Secrets stay home: what looks like one is replaced before text is sent,
 * recorded or shown, by "<redacted:KIND:TAG>".  The tag is keyed, so that
 * equal secrets stay recognisable and none can be guessed from it.
 *
 * Whoever writes a line could try to hide a command in what passes for a
 * secret.  Therefore a replaced run never holds white space, a quote, an
 * expansion or a separator: it is at most one piece of one word, and the
 * rest stays to be judged.  Work grows with the length of the text.
 */
#ifndef AEGSH_REDACT_H
#define AEGSH_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

#define REDACT_KEY_LEN 32
#define REDACT_RULES_MAX 256		/* rules of the operator */
#define REDACT_FILE_MAX ((size_t)64 * 1024)
#define REDACT_KNOWN_MAX 128		/* values that were learned */
#define REDACT_VALUE_LEAST 8		/* bytes; shorter ones are words */
#define REDACT_VALUE_MAX 4096

struct redact;

/* The rules that are built in, no key: tags are left out. */
struct redact *redact_new(void);
void redact_free(struct redact *r);

/* What a session uses: the built-in rules, the operator's, which stand in
 * sysdirs()->conf/redact.conf (and may be missing), and the key of the
 * store.  store NULL, or a key there that cannot be used: the tags are of a
 * key that ends with the process.  An error is of the operator's rules. */
int redact_open(const char *store, struct redact **ret, struct err *err);

/* DIR/redact.key, made where it is missing: mode 0600, owned by the caller.
 * The directory is the store's, which no profile grants to commands. */
int redact_key_load(struct redact *r, const char *dir, struct err *err);
void redact_key_set(struct redact *r, const unsigned char key[REDACT_KEY_LEN]);

/*
 * Rules of the operator, one a line; "#" begins a comment.  name is for
 * messages ("FILE:3: …").  All or none of a text are taken.
 *
 *	name WORD		a name that holds WORD announces a secret
 *	not-name WORD		a name that is exactly WORD does not
 *	token PREFIX LEAST	words that start so, LEAST more bytes
 *	header NAME		a header field that carries credentials
 *	option COMMAND OPTION attached|next|both [after C]
 */
int redact_rules_add(struct redact *r, const char *name, const char *text,
	size_t len, struct err *err);

/* A variable of the session: where its name or its shape says secret, its
 * value is replaced wherever it stands from now on.  r NULL: nothing. */
void redact_learn(struct redact *r, const char *name, const char *value);
void redact_forget(struct redact *r);	/* all that were learned */

/* Append text with its secrets replaced; returns how many were.  r NULL:
 * as redact_new(). */
size_t redact_text(const struct redact *r, struct buf *ret, const char *text,
	size_t len);
/*
 * The same told apart, for text that is not at hand as a whole: where the
 * secrets stand, the first one first, and what replaces each.  Which were
 * tags before are none.
 */
struct redact_span {
	size_t from, len;	/* in the text */
	size_t tag, tag_len;	/* in tags */
};
struct redact_spans {
	struct redact_span *v;	/* owned */
	size_t n, cap;
	struct buf tags;
};
#define REDACT_SPANS_INIT { NULL, 0, 0, BUF_INIT }
/* Forgets what ret held, and keeps its memory. */
void redact_find(const struct redact *r, const char *text, size_t len,
	struct redact_spans *ret);
void redact_spans_done(struct redact_spans *s);
/* A name that announces a secret ("DB_PASSWORD"), and not where one is
 * kept ("TOKEN_FILE"). */
bool redact_name_is_secret(const struct redact *r, const char *name,
	size_t len);

#endif
