/* SPDX-License-Identifier: ISC */
/*
 * The chain, as rows come: each is read back as it stands in the store,
 * hashed with the link before, and gets its link in the same transaction.
 * What is known of a line later is a link of its own, so that completing a
 * row breaks nothing.
 */
#include "audit_chain_int.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define SESSION_FIRST \
	"uuid, writer, boot_id, start_wall_ns, start_mono_ns, pid, uid," \
	" loginuid, user, tty, remote, remote_port, origin, host, version," \
	" profile, policy_hash"
#define SESSION_REST "end_wall_ns, end_mono_ns"
#define COMMAND_FIRST \
	"session, uuid, writer, wall_ns, mono_ns, line, sha256, redacted," \
	" cwd, origin, interpreter, argv, decision, source, rule, reason," \
	" votes, model, confidence, latency_ns, tokens_in, tokens_out, cost," \
	" judge_ns, answer, answered_by, ran"
#define COMMAND_REST \
	"status, signal, duration_ns, cpu_ns, maxrss_kib, start_ns, note"

const struct audit_table_spec audit_tables[AUDIT_TABLE_COUNT] = {
	[AUDIT_TABLE_SESSIONS] = { "sessions",
	    SESSION_FIRST ", " SESSION_REST, 17, 19 },
	[AUDIT_TABLE_COMMANDS] = { "commands",
	    COMMAND_FIRST ", " COMMAND_REST, 27, 34 },
	[AUDIT_TABLE_EVENTS] = { "events",
	    "session, writer, wall_ns, mono_ns, kind, text", 6, 6 },
	[AUDIT_TABLE_TOMBSTONES] = { "tombstones",
	    "wall_ns, seq, link, root, removed", 5, 5 },
	[AUDIT_TABLE_EXECS] = { "execs",
	    "command, writer, wall_ns, mono_ns, pid, ppid, path, argv,"
	    " decision", 9, 9 },
	[AUDIT_TABLE_FILES] = { "files",
	    "command, writer, wall_ns, mono_ns, path, change, old_sha256,"
	    " new_sha256", 8, 8 },
	[AUDIT_TABLE_OUTPUTS] = { "outputs",
	    "command, writer, stream, head, tail, bytes, cut, kept, redacted,"
	    " file_offset, file_length, file_sha256", 12, 12 },
};

const struct audit_kind_spec audit_kinds[AUDIT_KIND_COUNT] = {
	[AUDIT_KIND_SESSION] = { AUDIT_TABLE_SESSIONS, true, false, true,
	    "session" },
	[AUDIT_KIND_SESSION_END] = { AUDIT_TABLE_SESSIONS, false, true, false,
	    "end of session" },
	[AUDIT_KIND_LINE] = { AUDIT_TABLE_COMMANDS, true, false, true,
	    "line" },
	[AUDIT_KIND_OUTCOME] = { AUDIT_TABLE_COMMANDS, false, true, false,
	    "outcome of line" },
	[AUDIT_KIND_LINE_ENDED] = { AUDIT_TABLE_COMMANDS, true, true, true,
	    "line" },
	[AUDIT_KIND_EVENT] = { AUDIT_TABLE_EVENTS, true, true, true,
	    "event" },
	[AUDIT_KIND_TOMBSTONE] = { AUDIT_TABLE_TOMBSTONES, true, true, true,
	    "deletion" },
	[AUDIT_KIND_SESSION_KEPT] = { AUDIT_TABLE_SESSIONS, true, false, false,
	    "session" },
	[AUDIT_KIND_LINE_KEPT] = { AUDIT_TABLE_COMMANDS, true, false, false,
	    "line" },
	[AUDIT_KIND_EXEC] = { AUDIT_TABLE_EXECS, true, true, true,
	    "program" },
	[AUDIT_KIND_FILE] = { AUDIT_TABLE_FILES, true, true, true, "file" },
	[AUDIT_KIND_OUTPUT] = { AUDIT_TABLE_OUTPUTS, true, true, true,
	    "output" },
};

/* ---- bytes -------------------------------------------------------------- */

static char *
put_big(char *to, int64_t n)
{
	uint64_t big = htobe64((uint64_t)n);

	memcpy(to, &big, sizeof big);
	return to + sizeof big;
}

void
audit_chain_start(struct buf *b,
    const unsigned char before[AUDIT_SHA256_LEN], enum audit_kind kind,
    int64_t row)
{
	char head[2 + 8], *to = head;

	buf_reset(b);
	buf_putc(b, 2);
	buf_put(b, before, AUDIT_SHA256_LEN);
	*to++ = (char)kind;
	to = put_big(to, row);
	buf_put(b, head, (size_t)(to - head));
}

/* A tag and a number, which most columns are: straight to their place. */
static void
put_number(struct buf *b, char tag, int64_t n)
{
	char *to = buf_reserve(b, 1 + 8);

	if (to == NULL)
		return;
	*to = tag;
	*put_big(to + 1, n) = '\0';
	b->len += 1 + 8;
}

static void
put_run(struct buf *b, char tag, const void *p, int len)
{
	put_number(b, tag, len);
	buf_put(b, len > 0 ? p : "", (size_t)len);
}

/* Each column is looked up once: sqlite3_column_*() would do it for its type,
 * its bytes and their number.  A value may be read like this where one thread
 * has the connection, as it is here. */
void
audit_chain_columns(struct buf *b, sqlite3_stmt *st, int at, int from,
    int to)
{
	sqlite3_value *v;
	const void *p;
	int i;

	for (i = at + from; i < at + to; i++) {
		v = sqlite3_column_value(st, i);
		switch (sqlite3_value_type(v)) {
		case SQLITE_INTEGER:
			put_number(b, 'I', sqlite3_value_int64(v));
			break;
		case SQLITE_TEXT:
			p = sqlite3_value_text(v);
			put_run(b, 'T', p, sqlite3_value_bytes(v));
			break;
		case SQLITE_BLOB:
			p = sqlite3_value_blob(v);
			put_run(b, 'B', p, sqlite3_value_bytes(v));
			break;
		case SQLITE_NULL:
			buf_putc(b, 'N');
			break;
		default:
			/* Aegsh writes none: it stands for no value that a
			 * link could be of. */
			p = sqlite3_value_text(v);
			put_run(b, 'F', p, sqlite3_value_bytes(v));
		}
	}
}

/* ---- where it stands ---------------------------------------------------- */

int
audit_chain_origin(struct audit_db *d, struct audit_origin *ret,
    struct err *err)
{
	struct audit_origin o = { .sessions = 0 };
	char bytes[1 + sizeof o.store + 3 * 8] = { 3 };
	char *to = bytes + 1 + sizeof o.store;
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_CHAIN_ORIGIN, err);

	if (st == NULL)
		return ERR_STORE;
	if (sqlite3_step(st) != SQLITE_ROW ||
	    sqlite3_column_bytes(st, 0) != sizeof o.store) {
		sqlite3_reset(st);
		return err_set(err, ERR_STORE, "audit store %s: the origin of "
		    "its chain is gone", d->path);
	}
	memcpy(o.store, sqlite3_column_blob(st, 0), sizeof o.store);
	o.sessions = sqlite3_column_int64(st, 1);
	o.commands = sqlite3_column_int64(st, 2);
	o.events = sqlite3_column_int64(st, 3);
	sqlite3_reset(st);
	memcpy(bytes + 1, o.store, sizeof o.store);
	to = put_big(to, o.sessions);
	to = put_big(to, o.commands);
	put_big(to, o.events);
	audit_sha256(bytes, sizeof bytes, o.link);
	*ret = o;
	return 0;
}

bool
audit_chain_take(sqlite3_stmt *st, int column, unsigned char *ret, int len)
{
	if (sqlite3_column_type(st, column) != SQLITE_BLOB ||
	    sqlite3_column_bytes(st, column) != len)
		return false;
	memcpy(ret, sqlite3_column_blob(st, column), (size_t)len);
	return true;
}

bool
audit_chain_link(sqlite3_stmt *st, int column,
    unsigned char ret[AUDIT_SHA256_LEN])
{
	return audit_chain_take(st, column, ret, AUDIT_SHA256_LEN);
}

int
audit_chain_last(struct audit_db *d, enum audit_stmt which,
    struct audit_link *ret, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, which, err);
	int rc = st != NULL ? sqlite3_step(st) : SQLITE_ERROR;

	if (rc == SQLITE_ROW && audit_chain_link(st, 1, ret->link)) {
		ret->seq = sqlite3_column_int64(st, 0);
	} else if (rc == SQLITE_ROW) {
		rc = err_set(err, ERR_STORE, "audit store %s: its chain is "
		    "damaged at number %" PRId64, d->path,
		    (int64_t)sqlite3_column_int64(st, 0));
	} else if (rc == SQLITE_DONE) {
		ret->seq = 0;
	} else if (st != NULL) {
		audit_db_error(d, "read", err);
	}
	if (st != NULL)
		sqlite3_reset(st);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : ERR_STORE;
}

int
audit_chain_tail(struct audit_db *d, struct err *err)
{
	struct audit_origin origin;
	int rc;

	if (d->tail.known)
		return 0;
	rc = audit_chain_last(d, AUDIT_CHAIN_LAST, &d->tail, err);
	if (rc == 0 && d->tail.seq == 0)
		rc = audit_chain_last(d, AUDIT_CHAIN_STONE, &d->tail, err);
	if (rc == 0 && d->tail.seq == 0) {
		rc = audit_chain_origin(d, &origin, err);
		if (rc == 0)
			memcpy(d->tail.link, origin.link,
			    sizeof d->tail.link);
	}
	d->tail.known = rc == 0;
	return rc;
}

/* ---- adding ------------------------------------------------------------- */

static int
add_link(struct audit_db *d, enum audit_kind kind, int64_t row,
    struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_CHAIN_ADD, err);

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, d->tail.seq);
	sqlite3_bind_int(st, 2, (int)kind);
	sqlite3_bind_int64(st, 3, row);
	sqlite3_bind_blob(st, 4, d->tail.link, sizeof d->tail.link,
	    SQLITE_STATIC);
	return audit_db_step(d, st, err);
}

int
audit_chain_add(struct audit_db *d, enum audit_kind kind, int64_t row,
    struct err *err)
{
	const struct audit_kind_spec *k = &audit_kinds[kind];
	const struct audit_table_spec *t = &audit_tables[k->table];
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	sqlite3_stmt *st;
	int rc = audit_chain_tail(d, err);

	st = rc == 0 ? audit_db_stmt(d, AUDIT_READ_SESSION + k->table,
	    err) : NULL;
	if (st == NULL)
		return ERR_STORE;
	if (d->tail.seq == INT64_MAX)
		return err_set(err, ERR_STORE, "audit store %s: its chain "
		    "has no number left, so somebody altered it; audit verify "
		    "says more", d->path);
	sqlite3_bind_int64(st, 1, row);
	if (sqlite3_step(st) != SQLITE_ROW) {
		sqlite3_reset(st);
		return err_set(err, ERR_STORE, "audit store %s: the row just "
		    "written is not there", d->path);
	}
	audit_chain_start(&b, d->tail.link, kind, row);
	audit_chain_columns(&b, st, 0, k->first ? 0 : t->begin,
	    k->rest ? t->all : t->begin);
	sqlite3_reset(st);
	audit_sha256(b.data, b.len, d->tail.link);
	d->tail.seq++;
	if (kind == AUDIT_KIND_SESSION_END)
		d->tail.ended = true;
	rc = add_link(d, kind, row, err);
	d->tail.known = rc == 0;
	return rc;
}

/* ---- heads -------------------------------------------------------------- */

static int
grow_tree(struct audit_db *d, int64_t after, struct audit_tree *t,
    struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_CHAIN_LINKS, err);
	unsigned char link[AUDIT_SHA256_LEN];
	int rc;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, after);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW &&
	    audit_chain_link(st, 0, link))
		audit_tree_add(t, link);
	/* A tree of fewer leaves would be of another record. */
	if (rc == SQLITE_ROW)
		rc = err_set(err, ERR_STORE, "audit store %s: its chain is "
		    "damaged after link %" PRId64, d->path, after);
	else
		rc = rc == SQLITE_DONE ? 0 : audit_db_error(d, "read", err);
	sqlite3_reset(st);
	return rc;
}

int
audit_chain_seal(struct audit_db *d, bool now, struct err *err)
{
	struct audit_link head = { .seq = 0 }, stone = { .seq = 0 };
	unsigned char root[AUDIT_SHA256_LEN];
	struct audit_tree tree = { .n = 0 };
	sqlite3_stmt *st;
	int rc;

	/* Nothing was added, or it was never looked for. */
	if (!d->tail.known)
		return 0;
	rc = audit_chain_last(d, AUDIT_HEAD_LAST, &head, err);
	if (rc == 0)
		rc = audit_chain_last(d, AUDIT_CHAIN_STONE, &stone, err);
	if (rc < 0 || d->tail.seq <= head.seq || (!now && !d->tail.ended &&
	    (uint64_t)d->tail.seq - (uint64_t)head.seq < AUDIT_HEAD_EVERY))
		return rc;
	rc = grow_tree(d, head.seq > stone.seq ? head.seq : stone.seq, &tree,
	    err);
	st = rc == 0 ? audit_db_stmt(d, AUDIT_HEAD_ADD, err) : NULL;
	if (st == NULL)
		return ERR_STORE;
	audit_tree_root(&tree, root);
	sqlite3_bind_int64(st, 1, clock_wall_ns());
	sqlite3_bind_int64(st, 2, d->tail.seq);
	sqlite3_bind_blob(st, 3, d->tail.link, sizeof d->tail.link,
	    SQLITE_STATIC);
	sqlite3_bind_blob(st, 4, root, sizeof root, SQLITE_STATIC);
	rc = audit_db_step(d, st, err);
	if (rc == 0)
		d->head = d->tail;	/* known */
	return rc;
}

int
audit_head(struct audit *a, struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	int rc = audit_ready(a, err);

	if (rc == 0)
		rc = audit_db_begin(d, true, err);
	if (rc < 0)
		return rc;
	rc = audit_chain_tail(d, err);
	if (rc == 0)
		rc = audit_chain_seal(d, true, err);
	if (rc == 0)
		rc = audit_db_commit(d, err);
	if (rc < 0)
		audit_db_rollback(d);
	return rc;
}

int
audit_stand(struct audit *a, struct audit_origin *ret,
    struct audit_witnessed *ret_last, struct err *err)
{
	struct audit_db *d = audit_db_of(a);
	struct audit_origin origin;
	int rc = audit_ready(a, err);

	d->tail.known = false;
	if (rc == 0)
		rc = audit_chain_tail(d, err);
	if (rc == 0)
		rc = audit_chain_origin(d, &origin, err);
	if (rc < 0)
		return rc;
	*ret = origin;
	ret_last->seq = d->tail.seq;
	memcpy(ret_last->link, d->tail.link, sizeof ret_last->link);
	return 0;
}
