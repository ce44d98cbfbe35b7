/* SPDX-License-Identifier: ISC */
/*
 * aegsh-ship: one sink.  Batches come in, their records are put into the
 * sink's own format, and how many of them it has is said.
 */
#ifndef SHIPPER_INT_H
#define SHIPPER_INT_H

#include <jansson.h>

#include "aegsh/ship.h"

/* Bytes of a syslog message and of its line; what a receiver takes by RFC
 * 5424 is up to it, rsyslog takes 8 KiB as it is installed. */
#define SHIPPER_SYSLOG_MAX 8000
#define SHIPPER_ANSWER_MAX ((size_t)64 * 1024)

struct shipper {
	int fd;			/* to whom batches come from */
	int file_fd;		/* file: the one to append to; or -1 */
	struct ship_sinks sinks;	/* the one */
	const struct ship_sink *sink;
	char *host, *ca, *headers;
	int64_t timeout_ms;
};

/* What a formatter is given beside the record. */
struct shipper_item {
	const struct shipper *s;
	const struct ship_batch *batch;
	const struct ship_record *record;
	json_t *columns;	/* an object */
};

/* ---- shipper_item.c ----------------------------------------------------- */

/* Of record i; ERR_PROTOCOL. */
int shipper_item(const struct shipper *s, const struct ship_batch *b, size_t i,
	struct shipper_item *ret, struct err *err);
void shipper_item_done(struct shipper_item *t);
/* "2026-11-29T01:02:03.123456Z" */
#define SHIPPER_TIME_MAX 40
void shipper_time(int64_t ns, char ret[SHIPPER_TIME_MAX]);
/* What a person should read of it, inert, at most max bytes. */
void shipper_message(const struct shipper_item *t, size_t max,
	struct buf *ret);
/* 4 warning, 5 notice: of syslog(3). */
int shipper_severity(const struct shipper_item *t);
/* Where the chain stands with the last of the batch, as audit verify reads
 * it back. */
void shipper_head(const struct ship_batch *b, struct buf *ret);

/* ---- one format each ---------------------------------------------------- */

/* RFC 5424; the bytes are appended. */
void shipper_syslog(const struct shipper_item *t, struct buf *ret);
void shipper_syslog_head(const struct shipper *s, const struct ship_batch *b,
	struct buf *ret);
/* systemd.journal-fields(7) */
void shipper_journal(const struct shipper_item *t, struct buf *ret);
/* One line; and an object that OTLP calls a LogRecord. */
void shipper_line(const struct shipper_item *t, struct buf *ret);
json_t *shipper_log_record(const struct shipper_item *t);
/* A request of records [from, to). */
int shipper_request(const struct shipper *s, const struct ship_batch *b,
	size_t from, size_t to, struct buf *ret, struct err *err);

/* ---- ways --------------------------------------------------------------- */

/* Each takes a batch, says what became of it, and never lies about that:
 * what is not known to have come is not taken. */
void shipper_to_datagrams(struct shipper *s, const struct ship_batch *b,
	struct ship_taken *ret, struct err *err);
void shipper_to_stream(struct shipper *s, const struct ship_batch *b,
	struct ship_taken *ret, struct err *err);
void shipper_to_http(struct shipper *s, const struct ship_batch *b,
	struct ship_taken *ret, struct err *err);
void shipper_to_file(struct shipper *s, const struct ship_batch *b,
	struct ship_taken *ret, struct err *err);

#endif
