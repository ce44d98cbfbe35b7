/* SPDX-License-Identifier: ISC */
/* The store that a verb reads. */
#include <errno.h>

#include "admin_int.h"
#include "aegsh/audit.h"
#include "aegsh/base/mem.h"

int
admin_store(struct admin *a, struct audit **ret, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	int rc = audit_place(a->uid, false, &place, err);

	return rc < 0 ? rc : audit_open(place, true, ret, err);
}
