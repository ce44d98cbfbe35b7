/* SPDX-License-Identifier: ISC */
/*
 * The index beside the record as its user could have altered it: a byte for
 * the length of a text that is looked for (its highest bit: the file ends at
 * the first place below), the text, then bytes that are put into the file:
 * four of place, one of length, the bytes.
 *
 * A search with it ends, finds no line that one without it does not find, and
 * misses none unless the verifier has fault with the index.
 */
#include "audit/audit_index_int.h"
#include "must.h"
#include "store.h"

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES (AUDIT_INDEX_LINES + 10)

static struct buf model = BUF_INIT;
static char *place;

struct found {
	size_t n;
	int64_t sum;
};

static int
on_row(void *ctx, const struct audit_row *row)
{
	struct found *f = ctx;

	f->n++;
	f->sum += row->id;
	return 0;
}

static struct found
search(const char *text, bool unindexed)
{
	struct audit_query q = { .text = text, .unindexed = unindexed };
	struct found f = { 0, 0 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	must(audit_open(place, true, &a, &err) == 0 &&
	    audit_query(a, &q, on_row, &f, &err) == 0, err.text);
	audit_close(a);
	return f;
}

static void
on_fault(void *ctx, int64_t line)
{
	must(line > 0, "the fault is of a line");
	++*(size_t *)ctx;
}

static void
set_up(void)
{
	AEG_AUTOFREE char *file = NULL;
	AEG_AUTOFD int fd = -1;
	struct err err = ERR_INIT;
	struct audit *a;
	int i;

	if (place != NULL)
		return;
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("store", 0700);
	a = store_open("store");
	for (i = 1; i <= LINES; i++) {
		AEG_AUTOFREE char *line = xasprintf("%s n%dx",
		    i % 3 == 0 ? "ls -l" : i % 7 == 0 ? "git status" :
		    "make", i);
		struct audit_event ev = store_event(line);

		audit_builtin(a, &ev, 0);
		if (i % 2000 == 0)
			must(audit_flush(a, &err) == 0, err.text);
	}
	audit_session_end(a, NULL);
	audit_close(a);
	place = scratch_path("store");
	must(search("n77x", false).n == 1, "the model has its lines");
	file = scratch_path("store/" AUDIT_INDEX);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	must(fd >= 0 && io_read_all(fd, &model) == 0 && model.len > 0, file);
}

static size_t
put_in(struct buf *b, const uint8_t *data, size_t size)
{
	size_t first = b->len, at, n;
	bool any = false;

	while (size >= 6) {
		at = ((size_t)data[0] << 24 | (size_t)data[1] << 16 |
		    (size_t)data[2] << 8 | data[3]) % b->len;
		n = data[4];
		data += 5;
		size -= 5;
		n = n < size ? n : size;
		n = n < b->len - at ? n : b->len - at;
		memcpy(b->data + at, data, n);
		data += n;
		size -= n;
		if (!any)
			first = at;
		any = true;
	}
	return first;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AEG_AUTOFREE char *text = NULL;
	struct buf file = BUF_INIT;
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	struct found with, without;
	size_t len, end, faults = 0;

	if (size < 2 || size > 65536)
		return 0;
	set_up();
	len = (data[0] & 0x7f) < size - 1 ? data[0] & 0x7f : size - 1;
	text = xmemdup0(data + 1, len);
	buf_put(&file, model.data, model.len);
	end = put_in(&file, data + 1 + len, size - 1 - len);
	scratch_write("store/" AUDIT_INDEX, file.data,
	    (data[0] & 0x80) != 0 ? end : file.len, 0600);
	buf_done(&file);
	/* Before a search, which may make it anew. */
	must(audit_open(place, true, &a, &err) == 0 &&
	    audit_ready(a, &err) == 0 && audit_index_check(audit_db_of(a),
	    on_fault, &faults, &err) == 0, err.text);
	audit_close(a);
	with = search(text, false);
	without = search(text, true);
	must(with.n <= without.n, "it finds no more");
	must(faults > 0 || (with.n == without.n && with.sum == without.sum),
	    "it misses lines, and the verifier has no fault with it");
	return 0;
}
