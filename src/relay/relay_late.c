/* SPDX-License-Identifier: ISC */
/*
 * What was shown and is not recorded yet: looking for secrets takes longer
 * than a screen does, and is done when there is nothing else to do.
 */
#include "relay/relay_int.h"

#include <string.h>

struct head {
	int64_t at_ns;
	size_t len;
};

static void
take_one(struct relay_late *l, struct cast *c)
{
	struct head h;

	memcpy(&h, l->bytes.data + l->at, sizeof h);
	l->at += sizeof h;
	cast_put(c, CAST_OUT, l->bytes.data + l->at, h.len, h.at_ns);
	l->at += h.len;
	if (l->at < l->bytes.len)
		return;
	l->at = 0;
	/* A large one is not held on to. */
	if (l->bytes.len > RELAY_LATE_HELD)
		buf_done(&l->bytes);
	else
		buf_reset(&l->bytes);
}

void
relay_late_put(struct relay_late *l, struct cast *c, const char *p,
    size_t len, int64_t at_ns)
{
	const struct head h = { at_ns, len };

	/* Then whoever writes waits for us. */
	if (l->bytes.len > RELAY_LATE_MAX)
		relay_late_all(l, c);
	buf_put(&l->bytes, &h, sizeof h);
	buf_put(&l->bytes, p, len);
}

bool
relay_late_is_empty(const struct relay_late *l)
{
	return l->bytes.len == 0;
}

void
relay_late_some(struct relay_late *l, struct cast *c)
{
	if (l->bytes.len > 0)
		take_one(l, c);
}

void
relay_late_all(struct relay_late *l, struct cast *c)
{
	while (l->bytes.len > 0)
		take_one(l, c);
}
