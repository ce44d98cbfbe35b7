/* SPDX-License-Identifier: ISC */
/*
 * Shipping: a process for each store, which reads it with its user's rights;
 * a process for each sink, which opens nothing; and this one between them,
 * which keeps how far each sink is with each store.
 */
#ifndef AEGSH_ADMIN_SHIP_H
#define AEGSH_ADMIN_SHIP_H

#include "admin_int.h"
#include "aegsh/audit_links.h"
#include "aegsh/ship.h"

/* ---- admin_ship_marks.c: how far each sink is --------------------------- */

struct admin_mark {		/* of one sink */
	char *sink;
	struct audit_links_from at;
	int64_t sent, rejected;
	int64_t lost;		/* links that were deleted before they went */
	int64_t changed;	/* times that the chain was another one */
	int64_t sent_ns;	/* wall: when it took something; 0: never */
	int64_t since_ns;	/* … since when it does not; 0: it does */
	char *why;		/* … and why */
};
struct admin_marks {
	int dir;		/* of the file; -1: not open */
	char file[32];
	struct admin_mark *at;
	size_t n;
};
#define ADMIN_MARKS_INIT { .dir = -1 }

/* Of the store of uid: the operator's, which its user can read and not
 * write; or the user's own, beside the store. */
int admin_marks_load(uid_t uid, bool operators, bool make,
	struct admin_marks *ret, struct err *err);
void admin_marks_done(struct admin_marks *m);
/* Made where there is none. */
struct admin_mark *admin_marks_of(struct admin_marks *m, const char *sink);
/* For good. */
int admin_marks_save(struct admin_marks *m, struct err *err);
/* One who ships at a time; *ret_fd holds the lock.  ERR_CALLER: another
 * does. */
int admin_marks_lock(uid_t uid, bool operators, int *ret_fd, struct err *err);

/* ---- admin_ship_read.c: a store ----------------------------------------- */

/* What comes after from, as much as one batch takes; -ENOENT: nothing is
 * recorded yet.  user, uid and the order of links are ours to say and were
 * looked at.  Texts are in *ret_text. */
int admin_ship_read(struct admin *a, uid_t uid, const char *user,
	const struct audit_links_from *from, struct ship_batch *ret,
	struct buf *ret_text, struct err *err);

/* ---- admin_ship_sender.c: a sink ---------------------------------------- */

struct admin_sender {
	pid_t pid;
	int fd;			/* -1: not started */
};
#define ADMIN_SENDER_INIT { -1, -1 }
struct admin_ship_means {	/* from the settings; owned */
	struct ship_sinks sinks;
	char *ca, *headers;
	int64_t timeout_ms;
};

/* ERR_SYNTAX and so on, with file and line. */
int admin_ship_means(struct admin *a, struct admin_ship_means *ret,
	struct err *err);
void admin_ship_means_done(struct admin_ship_means *m);
int admin_sender_start(struct admin *a, struct admin_sender *s,
	const struct admin_ship_means *m, const struct ship_sink *sink,
	struct err *err);
/* 0: ret says what became of the batch, with why in err where not all of it
 * was kept there. */
int admin_sender_send(struct admin_sender *s, const struct ship_batch *b,
	int64_t timeout_ms, struct ship_taken *ret, struct err *err);
void admin_sender_end(struct admin_sender *s);

/* ---- admin_ship_status.c ------------------------------------------------ */

struct audit;
/* For `status': what is sent where and how far that is; store may be NULL.
 * True: something that should hold does not, and o says what. */
bool admin_ship_status(struct admin *a, struct audit *store, json_t *o);

#endif
