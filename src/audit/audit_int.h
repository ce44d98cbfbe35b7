/* SPDX-License-Identifier: ISC */
/* What the files of audit share. */
#ifndef AEGSH_AUDIT_INT_H
#define AEGSH_AUDIT_INT_H

#include <errno.h>
#include <sqlite3.h>

#include "aegsh/audit.h"
#include "aegsh/audit_chain.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/pack.h"

#define AUDIT_FILE "audit.db"
#define AUDIT_APPLICATION 0x61656773	/* "aegs", in the file's header */
#define AUDIT_WRITER "stand-alone"
/* How long a writer waits for the others before it gives up. */
#define AUDIT_BUSY_NS (INT64_C(10) * 1000 * 1000 * 1000)
/* What to do instead, where a line of aegsh looks for its record. */
#define AUDIT_LOOK "look from outside, or at the prompt itself, where " \
	"\"history\" and M-r find lines"
/* Records held back, when the store cannot take them. */
#define AUDIT_KEPT_MAX 4096
#define AUDIT_KEPT_BYTES ((size_t)4 * 1024 * 1024)
/*
 * Pages in the write-ahead log: the last to close leaves that many for the
 * next start to read, which is cheaper than the four syncs of a fresh log;
 * a flush moves more than so many into the database; an intent does it
 * only when nobody else came round to it.
 */
#define AUDIT_LOG_LEAVE 64
#define AUDIT_LOG_FLUSH 250
#define AUDIT_LOG_MAX 4000
/* Bytes of a store that a reader may copy where it cannot write. */
#define AUDIT_COPY_MAX (INT64_C(512) * 1024 * 1024)
#define AUDIT_SHA256_LEN 32

/* The numbers next to one of a store, which may be anything. */
static inline int64_t
audit_after(int64_t n)
{
	return (int64_t)((uint64_t)n + 1);
}

static inline int64_t
audit_before(int64_t n)
{
	return (int64_t)((uint64_t)n - 1);
}

enum audit_journal { AUDIT_JOURNAL_DELETE = 0, AUDIT_JOURNAL_WAL };

/* ---- audit_place.c ----------------------------------------------------- */

/* A store directory of uid alone; an O_PATH descriptor. */
int audit_open_dir(const char *path, uid_t uid, int *ret_fd, struct err *err);

/* ---- audit_db.c: one connection ---------------------------------------- */

enum audit_stmt {
	AUDIT_BEGIN, AUDIT_COMMIT, AUDIT_ROLLBACK,
	AUDIT_ADD_SESSION, AUDIT_END_SESSION, AUDIT_ADD_COMMAND,
	AUDIT_END_COMMAND, AUDIT_ADD_EVENT, AUDIT_ADD_EXEC,
	AUDIT_ADD_OUTPUT, AUDIT_ADD_FILE,
	AUDIT_FIND_SESSION, AUDIT_FIND_COMMAND, AUDIT_FIND_RECENT,
	AUDIT_SPOOL_AT, AUDIT_SPOOL_FORGET, AUDIT_SPOOL_REACHED,
	AUDIT_READ_SESSION, AUDIT_READ_COMMAND, AUDIT_READ_EVENT,
	AUDIT_READ_TOMBSTONE, AUDIT_READ_EXEC, AUDIT_READ_FILE,
	AUDIT_READ_OUTPUT,
	AUDIT_CHAIN_ORIGIN, AUDIT_CHAIN_LAST, AUDIT_CHAIN_STONE,
	AUDIT_CHAIN_ADD, AUDIT_CHAIN_LINKS, AUDIT_HEAD_LAST, AUDIT_HEAD_ADD,
	AUDIT_NEWEST_LINE,
	AUDIT_STMT_COUNT
};

struct audit_link {
	int64_t seq;		/* 0: none */
	unsigned char link[AUDIT_SHA256_LEN];
	bool known;
	bool ended;		/* a session: time for a head */
};

struct audit_db {
	char *path;		/* no symbolic link in it */
	int dir;		/* O_PATH */
	bool readonly, ready;
	enum audit_journal journal;
	int sync;		/* as last set: 1 NORMAL, 2 FULL, 3 EXTRA, 0 not
				 * yet */
	int64_t busy_ns, busy_since;	/* how long to wait; since when */
	int log_pages;		/* after the last commit */
	struct audit_link tail;	/* of the chain, inside a transaction */
	struct audit_link head;	/* known: made here, and not handed out */
	sqlite3 *db;
	sqlite3_stmt *stmts[AUDIT_STMT_COUNT];
};

/* Checks directory and file and remembers the place; the file is opened by
 * audit_db_ready().  -ENOENT: readonly and there is none. */
int audit_db_init(struct audit_db *d, const char *dir, bool readonly,
	struct err *err);
void audit_db_done(struct audit_db *d);
char *audit_db_place(const struct audit_db *d);	/* its directory; owned */
int audit_db_ready(struct audit_db *d, struct err *err);
void audit_db_close(struct audit_db *d);	/* until it is needed again */
/* Start a transaction that others wait for; full: durable once committed. */
int audit_db_begin(struct audit_db *d, bool full, struct err *err);
int audit_db_commit(struct audit_db *d, struct err *err);
void audit_db_rollback(struct audit_db *d);
/* Between transactions: keep the write-ahead log short. */
void audit_db_tidy(struct audit_db *d, int most_pages);
/* A reset statement, prepared when it is first asked for; NULL: err. */
sqlite3_stmt *audit_db_stmt(struct audit_db *d, enum audit_stmt which,
	struct err *err);
/* Run a bound statement that gives no rows. */
int audit_db_step(struct audit_db *d, sqlite3_stmt *st, struct err *err);
/* ERR_STORE with the store's path, what was done and sqlite's reason;
 * AUDIT_OLD where a writer has to see to it first. */
#define AUDIT_OLD (-ESTALE)
int audit_db_error(struct audit_db *d, const char *what, struct err *err);
void audit_bind_text(sqlite3_stmt *st, int place, const char *text);
/* Which journal a file system of this statfs(2) type can be trusted with. */
enum audit_journal audit_journal_for(uint64_t f_type);

/* Statements without parameters and rows, as text. */
int audit_db_exec(struct audit_db *d, const char *sql, struct err *err);
int audit_db_pragma(struct audit_db *d, const char *sql, int64_t *ret,
	struct err *err);
/* The numbers in the first n columns of the one row that sql has for ?1; as
 * they were, and *ret_there (or NULL) is false: it has none. */
int audit_db_look_up(struct audit_db *d, const char *sql, int64_t value,
	int64_t *ret, int n, bool *ret_there, struct err *err);
/* Go on with a copy in memory, of at most AUDIT_COPY_MAX bytes. */
int audit_db_copy(struct audit_db *d, struct err *err);
/* Go on with an empty store in memory, for what waits in the spool. */
int audit_db_model(struct audit_db *d, struct err *err);

/* ---- audit_math.c ------------------------------------------------------ */

/* SQL of this connection knows no sin() and the like. */
int audit_math_refuse(sqlite3 *db);

/* ---- audit_rows.c: one row each, inside a transaction ------------------ */

struct audit_begun {			/* a session that began */
	struct audit_session session;
	unsigned char uuid[UUID_LEN];
	char boot_id[40];
	int64_t wall_ns, mono_ns;
};
struct audit_command {
	unsigned char uuid[UUID_LEN];
	struct audit_event event;
	int64_t wall_ns, mono_ns;
	bool finished;			/* a builtin: status is known */
	int status;
};

int audit_row_session(struct audit_db *d, const struct audit_begun *b,
	int64_t *ret_row, struct err *err);
int audit_row_command(struct audit_db *d, int64_t session,
	const struct audit_command *c, int64_t *ret_row, struct err *err);
/* session 0: of none. */
int audit_row_event(struct audit_db *d, int64_t session, const char *kind,
	const char *text, int64_t wall_ns, int64_t mono_ns, struct err *err);
/* 1: written; 0: there is no such row without an outcome. */
int audit_row_outcome(struct audit_db *d, int64_t row,
	const struct audit_outcome *o, struct err *err);
int audit_row_exec(struct audit_db *d, int64_t command,
	const struct audit_exec *x, struct err *err);
int audit_row_file(struct audit_db *d, int64_t command,
	const struct audit_file *f, struct err *err);
int audit_row_output(struct audit_db *d, int64_t command,
	const struct audit_output *o, struct err *err);
int audit_row_end(struct audit_db *d, int64_t session, int64_t wall_ns,
	int64_t mono_ns, struct err *err);

/* ---- audit_spool.c, audit_spool_read.c ---------------------------------- */

#define AUDIT_SPOOL "audit.spool"
#define AUDIT_LATE "audit.late"
#define AUDIT_SLOT 512
/* In slots: how much is written with zeros at a time, what is kept free
 * for outcomes, what a short run folds in as it ends, and the most. */
#define AUDIT_SPOOL_STEP 512
#define AUDIT_SPOOL_SPARE 16
#define AUDIT_SPOOL_FOLD 4096
#define AUDIT_SPOOL_MAX (128 * 1024)
/* What AUDIT_KEPT_BYTES and AUDIT_LINE_MAX add up to, and texts. */
#define AUDIT_RECORD_MAX ((size_t)8 * 1024 * 1024)

struct audit_mark {		/* a place in the spool */
	uint64_t id;		/* of the spool, 0: not known */
	uint32_t slot;
};

struct audit_spool {
	const char *name;	/* in the store's directory */
	int fd;
	char *path;
	int64_t busy_ns;	/* how long to wait for others */
	struct audit_mark seen;	/* its end, when last looked at */
	struct audit_mark folded;	/* what of it is in the store */
	char *window;		/* slots read ahead: */
	uint32_t first, held;
	int made_in;		/* its directory, not synced yet, or -1 */
	/* How long to wait for the disk, by a process beside us; 0: as long as
	 * it takes. */
	int64_t wait_ns;
	struct audit_aside *aside;
	int64_t late_ns;	/* mono: what is written from then on, others
				 * may have written elsewhere; 0: never */
	bool twice;		/* so was the record that was read last */
	int64_t answered_ns;	/* mono: when the disk last did, or 0 */
	const char *why;	/* what failed last */
	int number;		/* and its errno, or 0 */
};
#define AUDIT_SPOOL_INIT { .name = AUDIT_SPOOL, .fd = -1, \
	.busy_ns = AUDIT_BUSY_NS, .made_in = -1 }

/* -ENOENT: there is none, and make is false. */
int audit_spool_open(struct audit_spool *s, const struct audit_db *d,
	bool make, struct err *err);
void audit_spool_done(struct audit_spool *s);
/* Whether the store directory has a spool, or what came late. */
bool audit_spool_is_in(const char *dir);
/* One record, whole or not at all; durable after audit_spool_settle(), which
 * is quicker when the append was told to sync: then it may be on its way, and
 * audit_spool_written() tells before anything else is appended whether it got
 * there.  Each may be AUDIT_TOO_LATE, which tells nothing in err: the process
 * beside us goes on with it, and the spool is of no more use to us. */
#define AUDIT_TOO_LATE (-ETIMEDOUT)
#define AUDIT_ON_ITS_WAY 1
int audit_spool_append(struct audit_spool *s, const void *bytes, size_t len,
	bool sync, struct err *err);
int audit_spool_written(struct audit_spool *s, struct err *err);
int audit_spool_settle(struct audit_spool *s, struct err *err);
struct audit_slots {		/* a record, and room for its slots */
	struct buf record;
	uint32_t count;
	char *room;
};
void audit_slots_done(struct audit_slots *what);
/* It may be in the store, or in the spool, already. */
void audit_slots_twice(const struct audit_slots *what);
/* System calls, and nothing that another process in our memory could not do:
 * s->why and s->number say why it failed. */
int audit_spool_write(struct audit_spool *s, const struct audit_slots *what);
/* Where the next record would go: all before it are written. */
int audit_spool_end(struct audit_spool *s, struct audit_mark *ret,
	struct err *err);
/* Whether there is a record after that place, as far as a look tells. */
bool audit_spool_waits(const struct audit_spool *s,
	const struct audit_mark *from);
/* The next record from *slot on and before end, *slot moved behind it;
 * false: no more.  Slots that belong to no whole record are counted.
 * s->twice: it is to be taken in only where it is not there. */
bool audit_spool_next(struct audit_spool *s, const struct audit_mark *end,
	uint32_t *slot, struct buf *ret, uint32_t *gaps);
/* Empty it, unless more has come after that place, which is in the store
 * for good. */
void audit_spool_empty(struct audit_spool *s,
	const struct audit_mark *folded);

/* ---- audit_aside.c: a process that waits for the disk ------------------- */

struct audit_aside;

/* audit_spool_write() there, and where sync fdatasync(2), for which nobody
 * waits before audit_aside_settle().  what is taken.  As
 * audit_spool_write(), or AUDIT_TOO_LATE; or AUDIT_ON_ITS_WAY, and
 * audit_aside_written() tells.  Where that process is killed, another one does
 * it. */
int audit_aside(struct audit_spool *s, struct audit_slots *what, bool sync);
int audit_aside_written(struct audit_spool *s);
int audit_aside_settle(struct audit_spool *s);
/* 0: there is none. */
pid_t audit_aside_pid(const struct audit_spool *s);
void audit_aside_free(struct audit_aside *j);

/* ---- audit_item.c: what a record of the spool holds -------------------- */

enum audit_item_kind {
	AUDIT_ITEM_END = 0,	/* of the record */
	AUDIT_ITEM_BEGUN, AUDIT_ITEM_COMMAND, AUDIT_ITEM_OUTCOME,
	AUDIT_ITEM_NOTE, AUDIT_ITEM_ENDED,
	AUDIT_ITEM_MORE,	/* of the command or outcome that follows */
	AUDIT_ITEM_EXEC, AUDIT_ITEM_OUTPUT, AUDIT_ITEM_FILE,
	AUDIT_ITEM_BAD,		/* what follows cannot be read */
};
struct audit_item {		/* strings borrowed from the record */
	enum audit_item_kind kind;
	struct audit_begun begun;
	struct audit_command command;
	struct audit_outcome outcome;
	struct audit_exec exec;
	struct audit_output output;
	struct audit_file file;
	unsigned char uuid[UUID_LEN];	/* outcome, exec, output, file: its
						 * command */
	const char *name, *text;		/* note */
	int64_t wall_ns, mono_ns;		/* outcome, note, ended */
};

/* A record begins with the uuid of its session, or zeros. */
void audit_item_start(struct buf *b, const unsigned char *session);
void audit_item_put(struct buf *b, const struct audit_item *item);
bool audit_items_start(struct pack_reader *r, const struct buf *record,
	unsigned char ret_session[UUID_LEN]);
void audit_items_next(struct pack_reader *r, struct audit_item *ret);

/* ---- audit_fold.c ------------------------------------------------------ */

/* How far the store got. */
int audit_fold_mark(struct audit_db *d, struct audit_mark *ret,
	struct err *err);
/* Inside a transaction: take in one record, *ret_session is the row of its
 * session; and whether that was done already, its lines having numbers above
 * after (0: which is not known, but lately). */
int audit_fold_record(struct audit_db *d, const struct buf *record,
	int64_t *ret_session, struct err *err);
int audit_fold_has(struct audit_db *d, const struct buf *record,
	int64_t after, bool *ret, struct err *err);
/* Inside a transaction: take in what waits, and what is just being written.
 * 1: s->folded moved; 0. */
int audit_fold(struct audit_db *d, struct audit_spool *s, struct err *err);

/* ---- audit_late.c: copies of what is late ------------------------------- */

/* Whether there are any. */
bool audit_late_waits(const struct audit_db *d);
/* Inside a transaction: take in those that are not there; once it is synced
 * they can go. */
int audit_late_fold(struct audit_db *d, struct audit_mark *ret_end,
	struct err *err);
void audit_late_empty(struct audit_db *d, const struct audit_mark *folded);

/* ---- audit_query.c ----------------------------------------------------- */

/* Conditions on the columns of commands, each with " AND " before it, and
 * their parameters; ?1 is the limit. */
void audit_query_where(struct buf *sql, const struct audit_query *q);
void audit_query_bind(sqlite3_stmt *st, const struct audit_query *q);

/* ---- audit_wrote.c: texts in what lines wrote --------------------------- */

/* Have this connection know the function that q->wrote needs. */
int audit_wrote_function(struct audit_db *d, struct err *err);

/* ---- audit_events.c ---------------------------------------------------- */

/* A row of outputs, read from these columns. */
#define AUDIT_OUTPUT_COLUMNS \
	"stream, head, tail, bytes, cut, kept, redacted, file_offset," \
	" file_length, file_sha256"
void audit_output_read(sqlite3_stmt *st, struct audit_output *ret);

/* ---- audit_schema.c ---------------------------------------------------- */

#define AUDIT_SCHEMA 6		/* the newest */

/* Bring the open database to AUDIT_SCHEMA; refuse what is not a store.
 * Readonly: AUDIT_OLD when it would have to be brought forward. */
int audit_schema_check(struct audit_db *d, struct err *err);
/* An empty store in memory; to be closed in any case. */
int audit_schema_model(sqlite3 **ret);

/* ---- audit_prune.c, audit_expire.c -------------------------------------- */

/* The first second of 2020: a time before that is of a clock that nobody had
 * set yet, and says nothing.  What it stands at goes only with what was
 * recorded after it. */
#define AUDIT_UNSET_NS "1577836800000000000"

/* ---- audit_expire.c ----------------------------------------------------- */

/* Inside a transaction: delete what is kept for a shorter time than lines
 * are; *ret_rows grows. */
int audit_expire(struct audit_db *d, const struct audit_keep *keep,
	int64_t *ret_rows, struct err *err);
/* Only a deletion writes such events: in a record they are somebody else's. */
bool audit_expire_is_kind(const char *kind);

/* ---- audit_retain.c ----------------------------------------------------- */

/* Delete what is due, unless that was done today. */
void audit_retain_now(struct audit *a, const struct audit_retain *r);

/* ---- audit_drop.c ----------------------------------------------------- */

/* After a deletion: what of the files of output has no row any more. */
int audit_output_drop(struct audit_db *d, struct err *err);

/* ---- audit_kept.c: records held back ----------------------------------- */

enum audit_kept_kind { AUDIT_KEPT_OUTCOME, AUDIT_KEPT_BUILTIN,
	AUDIT_KEPT_NOTE, AUDIT_KEPT_EXEC, AUDIT_KEPT_OUTPUT,
	AUDIT_KEPT_FILE };

struct audit_kept {
	struct audit_kept *next;
	enum audit_kept_kind kind;
	int64_t wall_ns, mono_ns;
	int64_t id;			/* outcome, exec, output, file: the
					 * line's row */
	unsigned char uuid[UUID_LEN];	/* file: the line's */
	struct audit_outcome outcome;	/* outcome, builtin */
	struct audit_event event;	/* builtin */
	struct audit_exec exec;
	struct audit_output output;
	struct audit_file file;
	const char *name, *text;	/* note */
	size_t bytes;
};

struct audit_queue {
	struct audit_kept *first, **last;
	size_t n, bytes;
	uint64_t lost;		/* that did not fit */
};

void audit_queue_init(struct audit_queue *q);
void audit_queue_clear(struct audit_queue *q);
/* Move what from holds in front of what q holds. */
void audit_queue_back(struct audit_queue *q, struct audit_queue *from);
void audit_queue_outcome(struct audit_queue *q, int64_t id,
	const struct audit_outcome *o);
void audit_queue_exec(struct audit_queue *q, int64_t id,
	const struct audit_exec *x);
void audit_queue_output(struct audit_queue *q, int64_t id,
	const struct audit_output *o);
void audit_queue_file(struct audit_queue *q, int64_t id,
	const unsigned char uuid[UUID_LEN], const struct audit_file *f);
void audit_queue_builtin(struct audit_queue *q, const struct audit_event *ev,
	int status);
void audit_queue_note(struct audit_queue *q, const char *kind,
	const char *text);

/* ---- audit.c ------------------------------------------------------------ */

struct audit_handle {		/* a command of the spool without outcome */
	int64_t id;
	unsigned char uuid[UUID_LEN];
};

struct audit_hand {
	unsigned to;		/* AUDIT_WITNESS_… */
	int64_t since_ns;	/* mono: when one went out */
	unsigned failed;	/* who did not hear the last one: err */
	bool quiet;		/* … which goes without saying */
	struct err err;
};

struct audit_way {		/* an intent that is being written */
	bool open;
	bool begins;		/* its session, too */
	int64_t line;
	struct audit_queue held;	/* what it has of the queue */
	int64_t unwritten;	/* a line that could not be: has no outcome */
	int rc;			/* why, for who settles it */
	struct err err;
};
struct audit {
	struct audit_hand hand;
	struct audit_retain retain;
	struct audit_db db;
	struct audit_queue queue;
	struct audit_spool spool;
	bool brief;			/* writes to the spool */
	bool refuses;			/* brief: no line without a record */
	int64_t brief_wait_ns;
	int64_t unsettled;		/* brief: the line that was said last,
					 * 0: no line; and its record */
	struct buf said;
	struct audit_way way;		/* brief: what is on its way */
	unsigned without;		/* fields */
	struct audit_begun begun;	/* the session, its strings owned */
	bool in_session;
	bool begun_sent;		/* apart */
	int64_t session_row;		/* 0: not written yet; brief: 1 */
	int64_t last_id;		/* brief, apart: given out */
	struct audit_apart *apart;	/* or NULL: who writes to the store */
	struct audit_handle *open;	/* brief, apart */
	size_t n_open;
};

struct audit_db *audit_db_of(struct audit *a);	/* borrowed */
/* What was recorded can be read from that. */
int audit_ready(struct audit *a, struct err *err);
struct audit_apart;		/* audit_apart_int.h */
/* readonly, brief: see audit.h.  Does not look at the spool. */
int audit_open_any(const char *dir, bool readonly, bool brief,
	struct audit **ret, struct err *err);
int audit_open_reader(const char *dir, struct audit **ret, struct err *err);

/* One transaction: what is kept, then ev (may be NULL), then the session's
 * end; the queue is empty afterwards. */
int audit_write_store(struct audit *a, struct audit_event *ev, bool end,
	struct err *err);
int audit_write_brief(struct audit *a, struct audit_event *ev, bool end,
	struct err *err);
/* An intent of that is durable; the error why it was not even written, and then
 * what went with it is in the queue again. */
int audit_settle_brief(struct audit *a, struct err *err);
/* The spool did not answer in time to that record: from now on it is as for a
 * session, with a process for the store.  The error where no line may run
 * so. */
int audit_brief_late(struct audit *a, const struct buf *record,
	struct err *err);
/* A record of that transaction, which by itself changes nothing; then that
 * it is on its way: the event gets its number; and that its outcomes are with
 * their lines, which are forgotten. */
int audit_compose(struct audit *a, const struct audit_event *ev, bool end,
	struct buf *b, unsigned char ret_uuid[UUID_LEN],
	struct err *err);
void audit_composed(struct audit *a, struct audit_event *ev,
	const unsigned char uuid[UUID_LEN]);
void audit_forget(struct audit *a, const struct audit_queue *q);
/* Such a record into the store.  full: durable; again, or begun after late_ns
 * (mono): unless it is there, lines with numbers above after.  *ret_session is
 * its session's row, 0 where it is not known. */
struct audit_taking {
	bool full, again;
	int64_t late_ns, after;
};
int audit_take_record(struct audit *a, const struct buf *record,
	const struct audit_taking *how, int64_t *ret_session,
	struct err *err);
/* Take in what waits in the spool, durably. */
int audit_take_in(struct audit *a, struct err *err);

/* ---- audit_without.c --------------------------------------------------- */

void audit_without_session(unsigned without, struct audit_session *s);
void audit_without_event(unsigned without, struct audit_event *ev);

/* ---- audit_hand.c ------------------------------------------------------ */

/* Time for a head, whether or not there are many links. */
bool audit_hand_due(const struct audit *a);
/* After a synced commit: the newest head that was made, to the witness. */
void audit_hand_out(struct audit *a);

/* ---- audit_kernel.c ----------------------------------------------------- */

/* A text without NUL or quotes into the kernel's audit. */
int audit_kernel_tell(const char *line, struct err *err);
/* Whether it is on, and we may ask. */
int audit_kernel_probe(struct err *err);

/* ---- audit_id.c -------------------------------------------------------- */

void audit_uuid(unsigned char ret[UUID_LEN]);	/* version 4 */
/* The kernel's boot id, "" when it cannot be read. */
void audit_boot_id(char ret[40]);
void audit_sha256(const void *p, size_t len,
	unsigned char ret[AUDIT_SHA256_LEN]);

#endif
