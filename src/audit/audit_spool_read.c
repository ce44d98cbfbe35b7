/* SPDX-License-Identifier: ISC */
/*
 * What waits in the spool: found, read in the order in which it was written,
 * and given up once the store has it.
 */
#include "audit_spool_int.h"

#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define WINDOW 128		/* slots read at once */

int
audit_spool_end(struct audit_spool *s, struct audit_mark *ret,
    struct err *err)
{
	uint32_t slots;
	int rc = audit_spool_lock(s);

	if (rc == 0) {
		rc = audit_spool_look(s, &slots);
		audit_spool_unlock(s);
	}
	s->held = 0;		/* what was read ahead may have changed */
	if (rc < 0)
		return audit_spool_fail(s, s->why, s->number, err);
	*ret = s->seen;
	return 0;
}

bool
audit_spool_waits(const struct audit_spool *s, const struct audit_mark *from)
{
	struct audit_spool_header h;

	if (pread(s->fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.id == 0)
		return false;
	return h.id != from->id ? audit_spool_id_at(s, 1) == h.id :
	    audit_spool_id_at(s, from->slot) == h.id;
}

static const char *
slot_of(struct audit_spool *s, uint32_t slot)
{
	ssize_t n;

	if (s->window == NULL)
		s->window = xmalloc((size_t)WINDOW * AUDIT_SLOT);
	if (slot < s->first || slot >= s->first + s->held) {
		n = pread(s->fd, s->window, (size_t)WINDOW * AUDIT_SLOT,
		    (off_t)slot * AUDIT_SLOT);
		s->first = slot;
		s->held = n > 0 ? (uint32_t)n / AUDIT_SLOT : 0;
		if (s->held == 0)
			return NULL;
	}
	return s->window + (size_t)(slot - s->first) * AUDIT_SLOT;
}

/* The record that begins in this slot; false: there is none, or a part. */
static bool
gather(struct audit_spool *s, uint64_t id, uint32_t slot, uint32_t end,
    struct buf *ret, uint32_t *ret_count)
{
	struct audit_slot_head head;
	struct audit_record_head record;
	uint64_t check[AEG_NELEM(record.check)];
	uint32_t i, count = 1;

	buf_reset(ret);
	for (i = 0; i < count; i++) {
		const char *p = slot_of(s, slot + i);

		if (p == NULL)
			return false;
		memcpy(&head, p, sizeof head);
		if (i == 0)
			count = head.count;
		if (head.id != id || head.index != i || head.count != count ||
		    count > end - slot)
			return false;
		buf_put(ret, p + sizeof head, AUDIT_SLOT_BODY);
	}
	if (ret->len < sizeof record)
		return false;
	memcpy(&record, ret->data, sizeof record);
	if (record.len > ret->len - sizeof record)
		return false;
	audit_spool_check(ret->data + sizeof record, record.len, check,
	    AEG_NELEM(check));
	if (memcmp(check, record.check, sizeof check) != 0)
		return false;
	s->twice = (record.flags & AUDIT_RECORD_TWICE) != 0;
	memmove(ret->data, ret->data + sizeof record, record.len);
	ret->len = record.len;
	*ret_count = count;
	return true;
}

bool
audit_spool_next(struct audit_spool *s, const struct audit_mark *end,
    uint32_t *slot, struct buf *ret, uint32_t *gaps)
{
	uint32_t count = 0;

	while (*slot < end->slot) {
		if (gather(s, end->id, *slot, end->slot, ret, &count)) {
			*slot += count;
			return true;
		}
		++*slot;
		++*gaps;
	}
	return false;
}

void
audit_spool_empty(struct audit_spool *s, const struct audit_mark *folded)
{
	uint32_t slots;

	if (audit_spool_lock(s) < 0)
		return;
	if (audit_spool_look(s, &slots) == 0 && s->seen.id == folded->id &&
	    s->seen.slot == folded->slot)
		audit_spool_begin(s);
	audit_spool_unlock(s);
}
