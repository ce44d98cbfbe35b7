/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"

int
main(void)
{
	struct audit_event ev = { .line = "cd", .len = 2, .cwd = "/",
		.decision = "allow", .answer = "yes" };
	struct audit_queue q;
	char *big = xcalloc(1, AUDIT_LINE_MAX + 1);
	int i;

	audit_queue_init(&q);
	audit_queue_builtin(&q, &ev, 7);
	audit_queue_outcome(&q, 3, &(struct audit_outcome){ .status = 1,
	    .note = "note" });
	audit_queue_outcome(&q, 4, &(struct audit_outcome){ .status = 2 });
	audit_queue_note(&q, "kind", NULL);
	IS_INT((intmax_t)q.n, 4);
	OK(q.first->event.line != ev.line);
	IS_STR(q.first->event.line, "cd");
	IS_STR(q.first->event.cwd, "/");
	OK(q.first->event.rule == NULL);
	IS_STR(q.first->event.answer, "yes");
	IS_INT(q.first->outcome.status, 7);
	IS_STR(q.first->next->outcome.note, "note");
	OK(q.first->next->next->outcome.note == NULL);
	IS_STR(q.first->next->next->next->name, "kind");
	OK(q.first->next->next->next->text == NULL);
	OK(q.first->wall_ns > 0 && q.first->mono_ns > 0);
	audit_queue_clear(&q);
	OK(q.n == 0 && q.bytes == 0 && q.first == NULL);

	/* Bounded by number … */
	for (i = 0; i < AUDIT_KEPT_MAX + 5; i++)
		audit_queue_note(&q, "k", "t");
	IS_INT((intmax_t)q.n, AUDIT_KEPT_MAX);
	IS_INT((intmax_t)q.lost, 5);
	audit_queue_clear(&q);
	/* … by bytes, and by the line. */
	ev.line = big;
	ev.len = AUDIT_LINE_MAX;
	for (i = 0; i < 10; i++)
		audit_queue_builtin(&q, &ev, 0);
	OK(q.n == 3 && q.lost == 7 && q.bytes <= AUDIT_KEPT_BYTES);
	audit_queue_clear(&q);
	ev.len = AUDIT_LINE_MAX + 1;
	audit_queue_builtin(&q, &ev, 0);
	OK(q.n == 0 && q.lost == 1);
	audit_queue_clear(&q);
	free(big);
	return tap_done();
}
