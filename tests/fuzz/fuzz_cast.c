/* SPDX-License-Identifier: ISC */
/*
 * A recording of any bytes is read to its end or refused, with what is wrong.
 * The same bytes, written by a line in pieces, come back from a string of
 * JSON as they were, and from the window as the whole text's secrets would
 * have it; and what is drawn of them has no sequence in it that asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "must.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "cast/cast_int.h"

#define SIZE_MOST 4000		/* what is told as if it were one text */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
same(const struct buf *b, const void *p, size_t len)
{
	return b->len == len && (len == 0 || memcmp(b->data, p, len) == 0);
}

static void
read_it(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), rc;
	struct cast_reader *r = NULL;
	struct err err = ERR_INIT;
	struct cast_event ev;
	size_t n = 0;

	must(fd >= 0 && io_write_full(fd, data, size) == 0, "a file");
	rc = cast_reader_new(fd, "f", &r, &err);
	if (rc < 0) {
		must(strncmp(err.text, "f: ", 3) == 0, "an error says where");
		return;
	}
	while ((rc = cast_reader_next(r, &ev, &err)) == 1) {
		must(ev.len <= CAST_EVENT_MAX && ev.code != CAST_CODE_NONE &&
		    ev.at_ns >= 0, "an event is one");
		n++;
	}
	must(n <= size && (rc == 0 || rc == ERR_SYNTAX), "it ends");
	cast_reader_free(r);
}

static void
as_json(const char *p, size_t size)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, back = BUF_INIT;
	size_t used = 0;

	cast_text_put(&text, p, size);
	buf_putc(&text, '"');
	must(cast_text_get(&back, text.data, text.len, &used) &&
	    used == text.len && same(&back, p, size), "bytes come back");
	cast_text_get(&back, p, size, &used);
}

static void
add(void *ctx, const char *p, size_t len, int64_t ns)
{
	must(ns >= 0 && len > 0, "a piece is one");
	buf_put(ctx, p, len);
}

/* The first bytes say how it is split. */
static void
in_pieces(const char *p, size_t size, unsigned step)
{
	struct redact *r = redact_new();
	AEG_AUTO(buf_done) struct buf got = BUF_INIT, want = BUF_INIT;
	struct cast_window w = { .done = 0 };
	size_t i, n;

	for (i = 0; i < size; i += n) {
		n = 1 + (i * 7 + step) % (1 + step % 40);
		n = n < size - i ? n : size - i;
		cast_window_add(&w, p + i, n, (int64_t)i);
		cast_window_tell(&w, r, false, add, &got);
		must(w.raw.len <= 2 * CAST_RAW, "what is held is bounded");
	}
	cast_window_tell(&w, r, true, add, &got);
	cast_window_done(&w);
	redact_text(r, &want, p, size);
	/* The text alone has no other looks. */
	if (size <= SIZE_MOST && (size == 0 ||
	    (memchr(p, '\033', size) == NULL && memchr(p, '\0', size) ==
	    NULL && memchr(p, '\b', size) == NULL)))
		must(same(&got, want.data, want.len),
		    "pieces are told as the whole");
	redact_free(r);
}

static void
drawn(const char *p, size_t size)
{
	static const char finals[] = "cntiqpyxuglhs";
	struct cast_draw d = CAST_DRAW_INIT;
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	size_t i, k;

	cast_draw(&d, &b, p, size / 2);
	cast_draw(&d, &b, p + size / 2, size - size / 2);
	cast_draw_done(&d);
	for (i = 0; i < b.len; i++) {
		must((unsigned char)b.data[i] >= 0x20 ||
		    strchr("\n\r\t\b\016\017\033", b.data[i]) != NULL,
		    "no other control character");
		if (b.data[i] != '\033' || i + 1 == b.len)
			continue;
		must(strchr("[()78DME", b.data[i + 1]) != NULL,
		    "no string, no mode of keys");
		for (k = i + 2; b.data[i + 1] == '[' && k < b.len &&
		    (unsigned char)b.data[k] < 0x40; k++)
			continue;
		if (b.data[i + 1] == '[' && k < b.len && strchr(finals,
		    b.data[k]) != NULL)
			must(strchr("hl", b.data[k]) != NULL,
			    "nothing that asks");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AEG_AUTOFREE char *text = xmemdup0(data, size);

	read_it(data, size);
	as_json(text, size);
	in_pieces(text, size, size > 0 ? data[0] : 0);
	drawn(text, size);
	return 0;
}
