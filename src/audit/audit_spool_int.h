/* SPDX-License-Identifier: ISC */
/*
 * How the spool lies in its file, and what its writing (audit_spool.c) and its
 * reading (audit_spool_read.c) both do to it.
 */
#ifndef AEGSH_AUDIT_SPOOL_INT_H
#define AEGSH_AUDIT_SPOOL_INT_H

#include "audit_int.h"

#define AUDIT_SLOT_BODY (AUDIT_SLOT - sizeof(struct audit_slot_head))

struct audit_spool_header {
	char magic[8];
	uint64_t id, check;
};
struct audit_slot_head {
	uint64_t id;
	uint32_t index, count;	/* of the record's slots */
};

#define AUDIT_RECORD_TWICE 1U	/* it may be elsewhere, too */
struct audit_record_head {	/* at the front of a record's bytes */
	uint64_t check[2];	/* of what follows */
	uint32_t len, flags;
};

/* ERR_STORE, with what could not be done in err. */
int audit_spool_fail(const struct audit_spool *s, const char *what, int number,
	struct err *err);
/* The first n numbers of a SHA-256, n at most 4. */
void audit_spool_check(const void *p, size_t len, uint64_t *ret, size_t n);
/* flock(2), for busy_ns at most.  0; -EBUSY, ERR_STORE: s->why says why. */
int audit_spool_lock(struct audit_spool *s);
void audit_spool_unlock(struct audit_spool *s);
/* Under the lock: bring s->seen up to date, and tell the slots that the file
 * has. */
int audit_spool_look(struct audit_spool *s, uint32_t *ret_slots);
/* 0: there is no such slot. */
uint64_t audit_spool_id_at(const struct audit_spool *s, uint32_t slot);
/* Under the lock: empty it, for what has another id is not in use. */
int audit_spool_begin(struct audit_spool *s);

#endif
