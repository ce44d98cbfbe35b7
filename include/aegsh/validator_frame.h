/* SPDX-License-Identifier: ISC */
/*
 * What aegsh and aegsh-judge say to each other, over wire: after the hello
 * one SETUP, then any number of ASKs, each answered by one ANSWER with its
 * id or taken back by CANCEL.  Only aegsh-judge and the validator room use
 * this.
 *
 * Fields of fixed size, or texts that end in a NUL; every unpacking checks
 * size, ends, ranges and alphabet, and returns ERR_PROTOCOL.
 */
#ifndef AEGSH_VALIDATOR_FRAME_H
#define AEGSH_VALIDATOR_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/validator.h"

#define VAL_ROLE "judge"	/* for wire_hello() */
#define VAL_ENDPOINT_MAX 2048	/* bytes of an endpoint */
#define VAL_NONCE_LEN 32	/* hexadecimal digits */
#define VAL_DATA_MAX ((size_t)128 * 1024)	/* bytes of a question's JSON */
#define VAL_KEY_MAX 8192	/* bytes of a key */
#define VAL_PROFILE_MAX 64	/* bytes of a profile's name */
#define VAL_DIGEST_LEN 32	/* SHA-256 */

enum val_frame {
	VAL_FRAME_SETUP = 1,	/* shell to helper, once */
	VAL_FRAME_ASK,		/* shell to helper */
	VAL_FRAME_CANCEL,	/* shell to helper, empty: the id's ASK */
	VAL_FRAME_ANSWER,	/* helper to shell */
	VAL_FRAME_ASKING,	/* helper to shell: the label of who is asked */
	VAL_FRAME_WARM,		/* shell to helper, empty: open a connection */
	VAL_FRAME_LOOKUP,	/* shell to helper: as ASK, with "{}" as data:
				 * an ANSWER out of the cache, or … */
	VAL_FRAME_MISS,		/* helper to shell, empty: it is not there */
};

/* One endpoint.  Texts are never NULL; "" is none, or the usual. */
struct val_endpoint {
	const char *name;		/* in messages and records */
	const char *format;		/* wire format */
	const char *url, *model;
	const char *key_file;
	const char *key;		/* out of the environment */
	const char *ca_file, *proxy;
	uint32_t timeout_ms;		/* 0: what the question has left */
	uint32_t attempts;		/* 1 and more */
	uint64_t price_in, price_out;	/* millionths of the currency for a
					 * million tokens */
};

struct val_setup {
	bool managed;			/* trust the operator's files alone */
	uint32_t quorum;		/* how many must answer; 1 and more */
	uint32_t cache_ttl_s, cache_rows;	/* 0: no cache */
	uint32_t rate, host_rate;	/* questions a minute, at most */
	uint64_t day_cost, host_day_cost;	/* millionths, at most */
	const char *store;		/* directory, or "" */
	const char *profile;		/* of the policy, or "": what the
					 * operator adds to the prompt for it */
	size_t n;
	struct val_endpoint endpoints[VAL_CHAIN_MAX];
};

struct val_ask {
	uint32_t timeout_ms;		/* what is left of it */
	bool cacheable;
	unsigned char digest[VAL_DIGEST_LEN];	/* of the whole question as
						 * it was before redaction */
	char nonce[VAL_NONCE_LEN + 1];
	const char *data;		/* one JSON object on one line */
	size_t len;
};

/* Unpacked texts are borrowed from the body. */
int val_setup_pack(const struct val_setup *s, struct buf *ret,
	struct err *err);
int val_setup_unpack(const void *body, size_t len, struct val_setup *ret,
	struct err *err);
int val_ask_pack(const struct val_ask *a, struct buf *ret, struct err *err);
int val_ask_unpack(const void *body, size_t len, struct val_ask *ret,
	struct err *err);
/* Status, action, confidence and texts; VAL_ANSWERED or VAL_FAILED.
 * leaving: what failed may have changed on disk (key, names of hosts), and
 * a fresh helper should take over. */
void val_answer_pack(const struct val_verdict *v, const char *nonce,
	bool leaving, struct buf *ret);
int val_answer_unpack(const void *body, size_t len, const char *nonce,
	struct val_verdict *ret, bool *ret_leaving, struct err *err);

/* Make text inert and cut it to fit, ending in "…" when it was cut. */
void val_text_keep(char *ret, size_t size, const char *text, size_t len);
/* The words [a-z0-9_-]+ that a category may be, shorter than size. */
bool val_category_good(const char *text, size_t size);

#endif
