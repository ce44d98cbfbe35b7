/* SPDX-License-Identifier: ISC */
/*
 * The record as its user could have altered it.  The first byte says how:
 *
 *	q  SQL, run on a store without any guard
 *	p  bytes put into its file: four of place, one of length, the bytes
 *	s  likewise into a spool, which is then taken in
 *	l  likewise into copies of what was late
 *	r  one whole record of the spool
 *	w  a text with heads of a witness
 *
 * Everything that reads it ends; and what the verifier has no fault with is
 * what was written.
 */
#include "hostile.h"
#include "must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct buf model = BUF_INIT, spool = BUF_INIT,
	late = BUF_INIT;
static struct hostile_seen was;
static char *place;

static void
make_spool(void)
{
	AEG_AUTOFREE char *path = scratch_path("spool");
	AEG_AUTOFREE char *file = scratch_path("spool/audit.spool");
	struct audit_event ev = store_event("echo in a spool");
	struct audit_outcome o = { .status = 0 };
	AEG_AUTOFD int fd = -1;
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int i;

	scratch_mkdir("spool", 0700);
	for (i = 0; i < 3; i++) {
		must(audit_open_brief(path, STORE_WAIT_NS, true, &a,
		    &err) == 0 &&
		    audit_session_begin(a, &store_session, &err) == 0 &&
		    audit_intent(a, &ev, &err) == 0, err.text);
		audit_outcome(a, ev.id, &o);
		audit_file(a, ev.id, ev.uuid, &(struct audit_file){
		    .change = AUDIT_CHANGE_CHANGED, .path = "/etc/x",
		    .has_new = true });
		audit_session_end(a, &err);
		audit_close(a);
	}
	fd = open(file, O_RDONLY | O_CLOEXEC);
	must(fd >= 0 && io_read_all(fd, &spool) == 0, file);
	if (spool.len > 64 * AUDIT_SLOT)
		spool.len = 64 * AUDIT_SLOT;
}

/* The same records, as copies. */
static void
make_late(void)
{
	static const struct audit_spool none = AUDIT_SPOOL_INIT;
	AEG_AUTOFREE char *path = scratch_path("spool");
	AEG_AUTOFREE char *file = scratch_path("spool/audit.late");
	struct audit_spool from = none, to = none;
	struct buf record = BUF_INIT, copy = BUF_INIT;
	struct audit_mark end;
	struct err err = ERR_INIT;
	struct audit_db d;
	uint32_t slot = 1, gaps = 0;
	AEG_AUTOFD int fd = -1;
	int64_t after = 0;

	to.name = AUDIT_LATE;
	must(audit_db_init(&d, path, false, &err) == 0 &&
	    audit_spool_open(&from, &d, false, &err) == 0 &&
	    audit_spool_open(&to, &d, true, &err) == 0 &&
	    audit_spool_end(&from, &end, &err) == 0, err.text);
	while (audit_spool_next(&from, &end, &slot, &record, &gaps)) {
		buf_reset(&copy);
		buf_put(&copy, &after, sizeof after);
		buf_put(&copy, record.data, record.len);
		must(audit_spool_append(&to, copy.data, copy.len, false,
		    &err) == 0, err.text);
	}
	audit_spool_done(&from);
	audit_spool_done(&to);
	audit_db_done(&d);
	buf_done(&record);
	buf_done(&copy);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	must(fd >= 0 && io_read_all(fd, &late) == 0, file);
	if (late.len > 64 * AUDIT_SLOT)
		late.len = 64 * AUDIT_SLOT;
}

static void
set_up(void)
{
	if (place != NULL)
		return;
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	hostile_make("store", 40, &model);
	place = scratch_path("store");
	was = hostile_read(place);
	must(was.rc == 0 && was.v.findings == 0, was.first);
	make_spool();
	make_late();
}

static int
on_steps(void *ctx)
{
	return ++*(int *)ctx > 2000;
}

static void
by_sql(const char *text, size_t len)
{
	AEG_AUTOFREE char *sql = xmemdup0(text, len);
	AEG_AUTOFREE char *path = xasprintf("%s/audit.db", place);
	sqlite3 *db = NULL;
	int steps = 0;

	hostile_put("store", model.data, model.len);
	must(sqlite3_open(path, &db) == SQLITE_OK, "the model opens");
	sqlite3_progress_handler(db, 1000, on_steps, &steps);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
}

static void
patch(struct buf *b, const uint8_t *data, size_t size)
{
	while (size >= 6) {
		size_t at = ((size_t)data[0] << 24 | (size_t)data[1] << 16 |
		    (size_t)data[2] << 8 | data[3]) % b->len;
		size_t n = data[4];

		data += 5;
		size -= 5;
		n = n < size ? n : size;
		n = n < b->len - at ? n : b->len - at;
		memcpy(b->data + at, data, n);
		data += n;
		size -= n;
	}
}

static void
by_bytes(const uint8_t *data, size_t size)
{
	struct buf file = BUF_INIT;

	buf_put(&file, model.data, model.len);
	patch(&file, data, size);
	hostile_put("store", file.data, file.len);
	buf_done(&file);
}

static void
by_spool(const char *name, const struct buf *kept, const uint8_t *data,
    size_t size)
{
	struct buf file = BUF_INIT;
	struct hostile_seen seen;

	hostile_put("store", model.data, model.len);
	buf_put(&file, kept->data, kept->len);
	patch(&file, data, size);
	scratch_write(name, file.data, file.len, 0600);
	buf_done(&file);
	seen = hostile_read(place);
	/* Whatever it holds, what is made of it is chained. */
	must(seen.rc < 0 || seen.v.findings == 0, seen.first);
}

/* One that the spool has no fault with: it is for the items to be wrong. */
static void
by_record(const char *bytes, size_t len)
{
	struct audit_spool s = AUDIT_SPOOL_INIT;
	struct hostile_seen seen;
	struct err err = ERR_INIT;
	struct audit_db d;

	hostile_put("store", model.data, model.len);
	scratch_write("store/audit.late", "", 0, 0600);
	scratch_write("store/audit.spool", "", 0, 0600);
	must(audit_db_init(&d, place, false, &err) == 0 &&
	    audit_spool_open(&s, &d, true, &err) == 0 &&
	    audit_spool_append(&s, bytes, len, false, &err) == 0, err.text);
	audit_spool_done(&s);
	audit_db_done(&d);
	seen = hostile_read(place);
	must(seen.rc < 0 || seen.v.findings == 0, seen.first);
}

static void
by_witness(const char *text, size_t len)
{
	struct audit_witnessed *all = NULL, last = { .seq = 0 };
	unsigned char store[16] = { 0 };
	struct err err = ERR_INIT;
	size_t n = 0, i;
	bool any = audit_witness_last(text, len, store, &last);

	must(audit_witness_read(text, len, store, &all, &n, &err) == 0,
	    "a short text has few heads");
	must(!any || n > 0, "the last one is one of them");
	for (i = 0; i < n; i++)
		must(all[i].seq >= 1 && (i == 0 ||
		    all[i].seq >= all[i - 1].seq), "they are in order");
	free(all);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hostile_seen seen;

	if (size < 1 || size > 65536)
		return 0;
	set_up();
	if (data[0] == 'w') {
		by_witness((const char *)data + 1, size - 1);
		return 0;
	}
	if (data[0] == 'r') {
		by_record((const char *)data + 1, size - 1);
		return 0;
	}
	if (data[0] == 's' || data[0] == 'l') {
		by_spool(data[0] == 's' ? "store/audit.spool" :
		    "store/audit.late", data[0] == 's' ? &spool : &late,
		    data + 1, size - 1);
		return 0;
	}
	if (data[0] == 'q')
		by_sql((const char *)data + 1, size - 1);
	else
		by_bytes(data + 1, size - 1);
	seen = hostile_read(place);
	must(hostile_is_fair(&seen, &was), "no fault, and other rows");
	return 0;
}
