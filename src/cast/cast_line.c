/* SPDX-License-Identifier: ISC */
/* A line's output on its way to the process that records it. */
#include "cast_int.h"

#include <string.h>

static void
put_output(struct buf *b, const struct cast_output *o)
{
	pack_bytes(b, o->head, o->head_len);
	pack_bytes(b, o->tail, o->tail_len);
	pack_int(b, o->bytes);
	pack_int(b, o->kept);
	pack_int(b, o->redacted);
	pack_int(b, o->cut);
}

void
cast_line_pack(struct buf *b, const struct cast_line *l)
{
	buf_put(b, l->uuid, sizeof l->uuid);
	put_output(b, &l->out);
	put_output(b, &l->err);
	pack_int(b, l->filed);
	pack_int(b, l->offset);
	pack_int(b, l->length);
	buf_put(b, l->sha256, sizeof l->sha256);
	pack_int(b, l->cut);
}

static const char *
get_bytes(struct pack_reader *r, size_t most, size_t *ret_len)
{
	uint32_t len = pack_get_len(r);

	*ret_len = 0;
	if (len > most) {
		r->p = NULL;
		return NULL;
	}
	*ret_len = len;
	return pack_get(r, len);
}

static void
get_output(struct pack_reader *r, struct cast_output *o)
{
	o->head = get_bytes(r, CAST_HEAD, &o->head_len);
	o->tail = get_bytes(r, CAST_TAIL, &o->tail_len);
	o->bytes = pack_get_int(r);
	o->kept = pack_get_int(r);
	o->redacted = pack_get_int(r);
	o->cut = pack_get_int(r) != 0;
}

static void
get_fixed(struct pack_reader *r, unsigned char *to, size_t len)
{
	const char *p = pack_get(r, len);

	if (p != NULL)
		memcpy(to, p, len);
}

void
cast_line_unpack(struct pack_reader *r, struct cast_line *ret)
{
	*ret = (struct cast_line){ .filed = false };
	get_fixed(r, ret->uuid, sizeof ret->uuid);
	get_output(r, &ret->out);
	get_output(r, &ret->err);
	ret->filed = pack_get_int(r) != 0;
	ret->offset = pack_get_int(r);
	ret->length = pack_get_int(r);
	get_fixed(r, ret->sha256, sizeof ret->sha256);
	ret->cut = pack_get_int(r) != 0;
}
