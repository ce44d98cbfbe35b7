/* SPDX-License-Identifier: ISC */
/* What is packed comes back; what is cut off, anywhere, is none, and stays
 * so. */
#include "aegsh/base/pack.h"

#include <stdbool.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "tap.h"

static bool
same(struct pack_reader *r)
{
	const char *text, *none, *empty, *bytes;
	int64_t n = pack_get_int(r);
	uint32_t len;

	text = pack_get_text(r);
	none = pack_get_text(r);
	empty = pack_get_text(r);
	len = pack_get_len(r);
	bytes = pack_get(r, len);
	return n == INT64_MIN && text != NULL && strcmp(text, "a text") == 0 &&
	    none == NULL && empty != NULL && empty[0] == '\0' && len == 3 &&
	    bytes != NULL && memcmp(bytes, "\0b\0", 3) == 0 &&
	    r->p == r->end;
}

int
main(void)
{
	struct buf b = BUF_INIT, bad = BUF_INIT;
	struct pack_reader r;
	size_t cut, wrong = 0;

	pack_int(&b, INT64_MIN);
	pack_text(&b, "a text");
	pack_text(&b, NULL);
	pack_text(&b, "");
	pack_bytes(&b, "\0b\0", 3);
	r = (struct pack_reader){ b.data, b.data + b.len };
	OK(same(&r));
	OK(pack_get(&r, 0) != NULL && pack_get(&r, 1) == NULL);
	OK(pack_get_int(&r) == 0 && pack_get_text(&r) == NULL &&
	    pack_get_len(&r) == PACK_NO_TEXT && pack_get(&r, 0) == NULL);
	/* Exactly so many bytes, so that a sanitizer sees one too many. */
	for (cut = 0; cut < b.len; cut++) {
		AEG_AUTOFREE char *part = xmalloc(cut > 0 ? cut : 1);

		memcpy(part, b.data, cut);
		r = (struct pack_reader){ part, part + cut };
		wrong += same(&r);
	}
	IS_INT(wrong, 0);
	/* A text without its NUL, and one of no bytes. */
	pack_bytes(&bad, "abc", 3);
	r = (struct pack_reader){ bad.data, bad.data + bad.len };
	OK(pack_get_text(&r) == NULL && r.p == NULL);
	buf_reset(&bad);
	pack_bytes(&bad, "", 0);
	r = (struct pack_reader){ bad.data, bad.data + bad.len };
	OK(pack_get_text(&r) == NULL && r.p == NULL);
	buf_done(&b);
	buf_done(&bad);
	return tap_done();
}
