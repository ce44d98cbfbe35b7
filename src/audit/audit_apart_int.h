/* SPDX-License-Identifier: ISC */
/*
 * A store kept by a process of its own, so that whoever records waits for a
 * disk no longer than it wants to: what the two say to each other, over a
 * socket that nobody else has.
 */
#ifndef AEGSH_AUDIT_APART_INT_H
#define AEGSH_AUDIT_APART_INT_H

#include "audit_int.h"

/* ---- what is said ------------------------------------------------------- */

#define AUDIT_FRAME_SYNC 1U	/* durable before it is answered */
#define AUDIT_FRAME_READY 2U	/* no record: open, take in what waits */
#define AUDIT_FRAME_AGAIN 4U	/* may be in the store already */

struct audit_frame {		/* and len bytes of a record */
	uint32_t len, flags;
	int64_t mono_ns;	/* when it was said */
	int64_t after;		/* its lines have larger numbers */
};
struct audit_answer {		/* one to each, in order */
	int64_t session, line;	/* the session's row; the newest line */
	int32_t rc;
	int32_t unheard;	/* of its head no witness heard */
	char text[ERR_TEXT_MAX];	/* why, of either */
};

/* ---- audit_writer.c: the process that keeps the store ------------------- */

/* In a child that was just forked: never returns.  late_ns: what is older
 * than that, somebody else may have written meanwhile. */
void audit_writer_main(const char *dir, int fd, unsigned to,
	const struct audit_retain *retain, int64_t late_ns)
	__attribute__((noreturn));

/* What the two processes have in common: what they become, the next record
 * (false: there is nobody any more), and an answer to it (the same). */
#define AUDIT_WRITER_FD 3	/* where that is from then on */
void audit_writer_become(int fd, const char *name);
/* Of who made it, of one that has said all, or closed that descriptor: it is
 * killed, for somebody may have stopped it just there, and reaped. */
void audit_writer_end(pid_t pid);
bool audit_writer_hear(struct audit_frame *f, struct buf *record);
bool audit_writer_answer(struct audit *a, int rc, const struct err *err,
	struct audit_answer *to);

/* ---- audit_late.c: the process that keeps copies ------------------------ */

void audit_late_main(const char *dir, int fd) __attribute__((noreturn));
/* One record, of len bytes with its frame, to it; true: it has it. */
bool audit_late_say(int fd, const struct audit_frame *f, size_t len,
	int64_t until);

/* ---- audit_apart.c: who records ----------------------------------------- */

struct audit_apart;

struct audit_apart *audit_apart_new(const char *dir, int64_t wait_ns,
	bool runs_on);
/* Closes the socket; waits for the process, unless it is held up: then what it
 * has is on disk beside the store, if that can be had in time. */
void audit_apart_free(struct audit *a);
/* Start it and have it open the store, without waiting. */
int audit_apart_warm(struct audit *a, struct err *err);
/* A transaction in two steps, as audit_write_store(); settled, it is answered,
 * or was not in time and is kept (runs_on), or an error. */
int audit_apart_begin(struct audit *a, struct audit_event *ev, bool end,
	struct err *err);
int audit_apart_settle(struct audit *a, struct err *err);
/* That this line did not run is on record. */
bool audit_apart_knows(const struct audit_apart *p, int64_t id);
/* A short run's spool did not answer to that record: it is said to a writer as
 * well, and what follows is.  The writer takes in the spool first, and the
 * record where it is not there by then.  ran_not: a line that does not run
 * because of that, and the error, or 0. */
int audit_apart_stalled(struct audit *a, const struct buf *record,
	int64_t ran_not, struct err *err);
/* The record does not answer, and no line may run without: the error.
 * settled: that is so of the last one that was said. */
int audit_apart_refuses(struct audit *a, bool settled, struct err *err);
/* All that was said is answered; ERR_STORE: not in time. */
int audit_apart_settled(struct audit *a, struct err *err);

#endif
