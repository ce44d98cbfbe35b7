/* SPDX-License-Identifier: ISC */
/*
 * The record on its way to other machines: where to, as the setting ship has
 * it, and the frames between aegshctl, which reads stores and keeps how far
 * each sink is, and aegsh-ship, which talks to one sink and opens nothing.
 *
 * What stands in a record was written by its user; what stands in a batch
 * beside the records is said by whoever ships.
 */
#ifndef AEGSH_SHIP_H
#define AEGSH_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

#define SHIP_SINKS_MAX 8
#define SHIP_ROLE "ship-1"
/* Bytes of one record, and records of one batch and their bytes: with what
 * stands around them it is less than a frame. */
#define SHIP_RECORD_MAX ((size_t)48 * 1024)
#define SHIP_BATCH_MAX 256
#define SHIP_BATCH_BYTES ((size_t)96 * 1024)
#define SHIP_HASH_LEN 32
#define SHIP_STORE_LEN 16

/* ---- ship_sink.c: the setting ------------------------------------------- */

enum ship_kind {
	SHIP_NONE = 0,
	SHIP_UNIX,		/* syslog, a datagram socket of this host */
	SHIP_UDP, SHIP_TCP, SHIP_TLS,	/* syslog: RFC 5426, 6587, 5425 */
	SHIP_JOURNAL,		/* systemd's, its native protocol */
	SHIP_OTLP,		/* OTLP/HTTP, logs, as JSON */
	SHIP_FILE,		/* JSON lines */
};

struct ship_sink {
	enum ship_kind kind;
	char *name;		/* as it is written: an URL */
	char *host;		/* or NULL; an IPv6 address without brackets */
	unsigned port;
	const char *path;	/* unix, file: a part of name; or NULL */
	bool encrypted;		/* TLS */
};
struct ship_sinks {
	struct ship_sink at[SHIP_SINKS_MAX];
	size_t n;
};

/* URLs with blanks between them; ERR_SYNTAX says which is wrong and why. */
int ship_sinks_parse(const char *text, struct ship_sinks *ret,
	struct err *err);
void ship_sinks_done(struct ship_sinks *s);

/* ---- ship_frame.c -------------------------------------------------------- */

enum ship_frame { SHIP_FRAME_SETUP = 1, SHIP_FRAME_BATCH, SHIP_FRAME_TAKEN };

struct ship_setup {
	const char *sink;	/* its name */
	const char *host;	/* this one */
	const char *ca;		/* PEM, or NULL: the system's */
	const char *headers;	/* of HTTP, one a line, or NULL */
	int64_t timeout_ms;	/* for one batch */
};

enum ship_what {		/* as sinks are told: never reused */
	SHIP_WHAT_NONE = 0, SHIP_WHAT_SESSION, SHIP_WHAT_SESSION_END,
	SHIP_WHAT_LINE, SHIP_WHAT_OUTCOME, SHIP_WHAT_EVENT,
	SHIP_WHAT_DELETION, SHIP_WHAT_PROGRAM, SHIP_WHAT_FILE,
	SHIP_WHAT_OUTPUT,
	SHIP_WHAT_GAP,		/* said by whoever ships: links are gone */
	SHIP_WHAT_HEAD,		/* likewise: how far the chain had come */
	SHIP_WHAT_COUNT
};
const char *ship_what_name(enum ship_what w);

struct ship_record {		/* a link of the chain; json is borrowed */
	int64_t seq, wall_ns;
	unsigned char link[SHIP_HASH_LEN];
	enum ship_what what;
	const char *json;	/* its columns, one object */
	size_t len;
};
enum ship_follows {		/* what is read, to what was shipped last */
	SHIP_FOLLOWS = 0,
	SHIP_FOLLOWS_DELETED,	/* links between them were deleted, … */
	SHIP_FOLLOWS_CHANGED,	/* … the chain is not the same any more, … */
	SHIP_FOLLOWS_OTHER,	/* … or it is another store */
	SHIP_FOLLOWS_COUNT
};
struct ship_batch {
	unsigned char store[SHIP_STORE_LEN];
	int64_t uid;
	const char *user;	/* never NULL */
	enum ship_follows follows;
	int64_t missing;	/* links, where they were deleted */
	int64_t last;		/* link of the store; 0: none */
	size_t n;
	struct ship_record records[SHIP_BATCH_MAX];
};
struct ship_taken {
	int64_t taken;		/* of the batch, from its begin: not to be
				 * sent again */
	int64_t rejected;	/* of these the sink said it keeps not */
	int64_t retry_s;	/* it asked for that pause; 0: it did not */
	const char *why;	/* not all, or rejected; or NULL */
};

/* Texts and records are borrowed from what is unpacked; ERR_PROTOCOL where
 * it is not whole or over a cap. */
int ship_setup_pack(const struct ship_setup *s, struct buf *b,
	struct err *err);
int ship_setup_unpack(const void *p, size_t len, struct ship_setup *ret,
	struct err *err);
int ship_batch_pack(const struct ship_batch *s, struct buf *b,
	struct err *err);
int ship_batch_unpack(const void *p, size_t len, struct ship_batch *ret,
	struct err *err);
void ship_taken_pack(const struct ship_taken *t, struct buf *b);
int ship_taken_unpack(const void *p, size_t len, struct ship_taken *ret,
	struct err *err);

#endif
