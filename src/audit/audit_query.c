/* SPDX-License-Identifier: ISC */
/* Reading the record. */
#include "audit_index_int.h"
#include "audit_wrote_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"

#define COLUMNS \
	"c.id, c.session, c.wall_ns, c.uuid, c.line, c.cwd, s.user, s.host," \
	" s.tty, c.origin, c.decision, c.source, c.rule, c.reason, c.model," \
	" c.answer, c.writer, c.note, c.ran, c.status, c.signal," \
	" c.confidence, c.duration_ns, c.cpu_ns, c.maxrss_kib, c.latency_ns," \
	" c.interpreter, c.redacted, c.answered_by, c.votes, c.argv," \
	" s.remote, c.judge_ns, c.start_ns, c.tokens_in, c.tokens_out," \
	" c.cost, c.mono_ns"

#define FROM " FROM commands AS c LEFT JOIN sessions AS s ON" \
	" s.id = c.session"

enum column {
	C_ID, C_SESSION, C_WALL_NS, C_UUID, C_LINE, C_CWD, C_USER, C_HOST,
	C_TTY, C_ORIGIN, C_DECISION, C_SOURCE, C_RULE, C_REASON, C_MODEL,
	C_ANSWER, C_WRITER, C_NOTE, C_RAN, C_STATUS, C_SIGNAL,
	C_CONFIDENCE, C_DURATION_NS, C_CPU_NS, C_MAXRSS_KIB, C_LATENCY_NS,
	C_INTERPRETER, C_REDACTED, C_ANSWERED_BY, C_VOTES, C_ARGV, C_REMOTE,
	C_JUDGE_NS, C_START_NS, C_TOKENS_IN, C_TOKENS_OUT, C_COST, C_MONO_NS,
};

/* What a query asks for, each with the place of its parameter. */
void
audit_query_where(struct buf *sql, const struct audit_query *q)
{
	static const char *const ended[] = {
		[AUDIT_ENDED_ANY] = "",
		[AUDIT_ENDED_REFUSED] = " AND ran = 0",
		[AUDIT_ENDED_OPEN] = " AND ran = 1 AND status IS NULL",
		[AUDIT_ENDED_FAILED] = " AND status <> 0",
		[AUDIT_ENDED_STATUS] = " AND status = ?13",
		[AUDIT_ENDED_SIGNAL] = " AND signal = ?13",
	};

	if (q->since_ns != 0)
		buf_puts(sql, " AND wall_ns >= ?2");
	if (q->until_ns != 0)
		buf_puts(sql, " AND wall_ns < ?3");
	if (q->text != NULL)
		buf_puts(sql, " AND instr(line, ?4) > 0");
	if (q->decision != NULL)
		buf_puts(sql, " AND decision = ?5");
	if (q->cwd != NULL)
		buf_puts(sql, " AND cwd IS NOT NULL AND"
		    " (cwd = ?6 OR ?6 = X'2f' OR"
		    " substr(cwd, 1, length(?6)) = ?6 AND"
		    " substr(cwd, length(?6) + 1, 1) = X'2f')");
	if (q->session != 0)
		buf_puts(sql, " AND session = ?7");
	if (q->host != NULL)
		buf_puts(sql, " AND session IN"
		    " (SELECT id FROM sessions WHERE host = ?8)");
	if (q->rule != NULL)
		buf_puts(sql, " AND (rule = ?9 OR"
		    " substr(rule, 1, length(?9) + 1) = ?9 || '.')");
	if (q->program != NULL)
		buf_puts(sql, " AND (interpreter = ?10 OR"
		    " substr(interpreter, -length(?10) - 1) = '/' || ?10 OR"
		    " id IN (SELECT command FROM execs WHERE path = ?15 OR"
		    " substr(path, -length(?15) - 1) = ?16))");
	if (q->file != NULL)
		buf_puts(sql, " AND id IN (SELECT command FROM files WHERE"
		    " ?22 = X'2f' OR path = ?22 OR"
		    " substr(path, -length(?22) - 1) = ?23 OR"
		    " (substr(path, 1, length(?22)) = ?22 AND"
		    " substr(path, length(?22) + 1, 1) = X'2f'))");
	if (q->id != 0)
		buf_puts(sql, " AND id = ?11");
	if (q->uuid != NULL)
		buf_puts(sql, " AND uuid = ?14");
	if (q->after_id != 0)
		buf_puts(sql, " AND id > ?12");
	if (q->recalled)
		buf_puts(sql, " AND origin = 'prompt' AND"
		    " substr(line, 1, 1) <> X'20'");
	if (q->starts != NULL)
		buf_puts(sql, " AND substr(line, 1, length(?17)) = ?17");
	if (q->not_session != 0)
		buf_puts(sql, " AND session <> ?18");
	/* What costs most comes last, and what only a file needs is asked for
	 * where there is one. */
	if (q->wrote != NULL)
		buf_puts(sql, " AND EXISTS (SELECT 1 FROM outputs AS o"
		    " WHERE o.command = commands.id AND"
		    " aegsh_wrote(?21, o.head, o.tail, o.cut,"
		    " CASE WHEN o.file_length > 0 THEN (SELECT max(cut) FROM"
		    " outputs WHERE command = commands.id) END,"
		    " CASE WHEN o.file_length > 0 THEN (SELECT uuid FROM"
		    " sessions WHERE sessions.id = commands.session) END,"
		    " o.file_offset, o.file_length))");
	buf_puts(sql, ended[q->ended]);
}

/* The newest ?1 of what is selected, oldest of them first.  All of it is read
 * as it comes: a list of millions of numbers would have to lie somewhere. */
static void
put_sql(struct buf *sql, const struct audit_query *q)
{
	bool all = q->limit <= 0 && q->after_id == 0 && q->id == 0 &&
	    q->uuid == NULL;

	buf_puts(sql, "SELECT " COLUMNS FROM " WHERE ");
	buf_puts(sql, all ? "EXISTS (SELECT 1 FROM commands WHERE"
	    " commands.id = c.id" : "c.id IN (SELECT id FROM commands"
	    " WHERE 1");
	audit_query_where(sql, q);
	buf_puts(sql, all ? ") ORDER BY c.id" :
	    " ORDER BY id DESC LIMIT ?1) ORDER BY c.id");
}

static void
bind_blob(sqlite3_stmt *st, int place, const char *text)
{
	if (text != NULL)
		sqlite3_bind_blob(st, place, text, (int)strlen(text),
		    SQLITE_STATIC);
}

/* "/NAME": how a path of it ends. */
static void
bind_ending(sqlite3_stmt *st, int place, const char *name)
{
	AEG_AUTOFREE char *ending = NULL;

	if (name == NULL)
		return;
	ending = xasprintf("/%s", name);
	sqlite3_bind_blob(st, place, ending, (int)strlen(ending),
	    SQLITE_TRANSIENT);
}

/* Parameters that the text has no place for are SQLITE_RANGE: fine. */
void
audit_query_bind(sqlite3_stmt *st, const struct audit_query *q)
{
	unsigned char uuid[UUID_LEN];

	sqlite3_bind_int64(st, 1, q->limit > 0 ? q->limit : -1);
	sqlite3_bind_int64(st, 2, q->since_ns);
	sqlite3_bind_int64(st, 3, q->until_ns);
	bind_blob(st, 4, q->text);
	audit_bind_text(st, 5, q->decision);
	bind_blob(st, 6, q->cwd);
	sqlite3_bind_int64(st, 7, q->session);
	audit_bind_text(st, 8, q->host);
	audit_bind_text(st, 9, q->rule);
	audit_bind_text(st, 10, q->program);
	bind_blob(st, 15, q->program);
	bind_ending(st, 16, q->program);
	bind_blob(st, 22, q->file);
	bind_ending(st, 23, q->file);
	sqlite3_bind_int64(st, 11, q->id);
	sqlite3_bind_int64(st, 12, q->after_id);
	sqlite3_bind_int(st, 13, q->number);
	bind_blob(st, 17, q->starts);
	sqlite3_bind_int64(st, 18, q->not_session);
	bind_blob(st, 21, q->wrote);
	/* What is no uuid is in no row. */
	if (q->uuid != NULL && uuid_parse(q->uuid, strlen(q->uuid), uuid))
		sqlite3_bind_blob(st, 14, uuid, sizeof uuid,
		    SQLITE_TRANSIENT);
}

/* NULL stays NULL; BLOB columns come as text, too: sqlite adds the NUL. */
static const char *
text(sqlite3_stmt *st, enum column c)
{
	return (const char *)sqlite3_column_text(st, c);
}

static void
take_row(sqlite3_stmt *st, char uuid[UUID_TEXT], struct audit_row *r)
{
	*r = (struct audit_row){
		.id = sqlite3_column_int64(st, C_ID),
		.session = sqlite3_column_int64(st, C_SESSION),
		.wall_ns = sqlite3_column_int64(st, C_WALL_NS),
		.uuid = uuid,
		.line = text(st, C_LINE),
		.user = text(st, C_USER), .host = text(st, C_HOST),
		.tty = text(st, C_TTY), .origin = text(st, C_ORIGIN),
		.cwd = text(st, C_CWD), .decision = text(st, C_DECISION),
		.source = text(st, C_SOURCE), .rule = text(st, C_RULE),
		.reason = text(st, C_REASON), .model = text(st, C_MODEL),
		.answer = text(st, C_ANSWER), .writer = text(st, C_WRITER),
		.note = text(st, C_NOTE),
		.interpreter = text(st, C_INTERPRETER),
		.redacted = sqlite3_column_int64(st, C_REDACTED),
		.ran = sqlite3_column_int(st, C_RAN) != 0,
		.finished = sqlite3_column_type(st, C_STATUS) != SQLITE_NULL,
		.status = sqlite3_column_int(st, C_STATUS),
		.signal = sqlite3_column_int(st, C_SIGNAL),
		.confidence = sqlite3_column_type(st, C_CONFIDENCE) ==
		    SQLITE_NULL ? -1 : sqlite3_column_int(st, C_CONFIDENCE),
		.duration_ns = sqlite3_column_int64(st, C_DURATION_NS),
		.cpu_ns = sqlite3_column_int64(st, C_CPU_NS),
		.maxrss_kib = sqlite3_column_int64(st, C_MAXRSS_KIB),
		.latency_ns = sqlite3_column_int64(st, C_LATENCY_NS),
		.judge_ns = sqlite3_column_int64(st, C_JUDGE_NS),
		.start_ns = sqlite3_column_int64(st, C_START_NS),
		.tokens_in = sqlite3_column_int64(st, C_TOKENS_IN),
		.tokens_out = sqlite3_column_int64(st, C_TOKENS_OUT),
		.cost = sqlite3_column_int64(st, C_COST),
		.mono_ns = sqlite3_column_int64(st, C_MONO_NS),
		.answered_by = text(st, C_ANSWERED_BY),
		.votes = text(st, C_VOTES), .argv = text(st, C_ARGV),
		.remote = text(st, C_REMOTE),
	};
	r->argv_len = (size_t)sqlite3_column_bytes(st, C_ARGV);
	r->len = (size_t)sqlite3_column_bytes(st, C_LINE);
	if (r->line == NULL)
		r->line = "";	/* a blob of no bytes reads as NULL */
	uuid[0] = '\0';
	if (sqlite3_column_bytes(st, C_UUID) == UUID_LEN)
		uuid_text(sqlite3_column_blob(st, C_UUID), uuid);
}

struct giving {
	struct audit_db *d;
	/* The rows, and the streams of each, if they are asked for. */
	sqlite3_stmt *st, *out, *err_out, *changed;
	struct buf files;
	int (*fn)(void *ctx, const struct audit_row *row);
	void *ctx;
	struct err *err;
	int rc;
};

static void
giving_done(struct giving *g)
{
	sqlite3_finalize(g->st);
	sqlite3_finalize(g->out);
	sqlite3_finalize(g->err_out);
	sqlite3_finalize(g->changed);
	g->st = g->out = g->err_out = g->changed = NULL;
	buf_done(&g->files);
}

static int
prepare(struct giving *g, const struct audit_query *q, const char *sql)
{
	static const char stream[] = "SELECT " AUDIT_OUTPUT_COLUMNS " FROM"
	    " outputs WHERE command = ? AND stream = ? ORDER BY id LIMIT 1";
	static const char changed[] = "SELECT change, path,"
	    " lower(hex(old_sha256)), lower(hex(new_sha256)) FROM files WHERE"
	    " command = ? ORDER BY id LIMIT ?";
	sqlite3 *db = g->d->db;
	int rc = q->wrote != NULL ? audit_wrote_function(g->d, g->err) : 0;

	if (rc < 0)
		return rc;
	return sqlite3_prepare_v2(db, sql, -1, &g->st, NULL) == SQLITE_OK &&
	    (!q->outputs || (sqlite3_prepare_v2(db, stream, -1, &g->out,
	    NULL) == SQLITE_OK && sqlite3_prepare_v2(db, stream, -1,
	    &g->err_out, NULL) == SQLITE_OK && sqlite3_prepare_v2(db, changed,
	    -1, &g->changed, NULL) == SQLITE_OK)) ? 0 :
	    audit_db_error(g->d, "read", g->err);
}

/* It lives until the statement is reset. */
static int
take_output(struct giving *g, sqlite3_stmt *st, int64_t line, int stream,
    struct audit_output *ret)
{
	int rc;

	sqlite3_reset(st);
	sqlite3_bind_int64(st, 1, line);
	sqlite3_bind_int(st, 2, stream);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		audit_output_read(st, ret);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 :
	    audit_db_error(g->d, "read", g->err);
}

static int
take_files(struct giving *g, int64_t line, struct audit_row *ret)
{
	int rc, i;

	buf_reset(&g->files);
	sqlite3_reset(g->changed);
	sqlite3_bind_int64(g->changed, 1, line);
	sqlite3_bind_int(g->changed, 2, AUDIT_FILES_MAX);
	while ((rc = sqlite3_step(g->changed)) == SQLITE_ROW) {
		/* Up to a NUL, of which aegsh writes none. */
		for (i = 0; i < 4; i++) {
			const char *p = (const char *)sqlite3_column_text(
			    g->changed, i);

			buf_puts(&g->files, p != NULL ? p : "");
			buf_putc(&g->files, '\0');
		}
	}
	ret->files = g->files.len > 0 ? g->files.data : NULL;
	ret->files_len = g->files.len;
	return rc == SQLITE_DONE ? 0 : audit_db_error(g->d, "read", g->err);
}

/* 1: fn has enough, 0, or an error. */
static int
give_rows(struct giving *g)
{
	int rc;

	while ((rc = sqlite3_step(g->st)) == SQLITE_ROW) {
		struct audit_row row;
		char uuid[UUID_TEXT];

		take_row(g->st, uuid, &row);
		rc = g->out == NULL ? 0 : take_output(g, g->out, row.id,
		    AUDIT_STREAM_OUT, &row.out);
		if (rc == 0 && g->err_out != NULL)
			rc = take_output(g, g->err_out, row.id,
			    AUDIT_STREAM_ERR, &row.err);
		if (rc == 0 && g->changed != NULL)
			rc = take_files(g, row.id, &row);
		if (rc < 0)
			return rc;
		if (g->fn(g->ctx, &row) != 0)
			return 1;
	}
	return rc == SQLITE_DONE ? 0 : audit_db_error(g->d, "read", g->err);
}

static int
give_number(void *ctx, int64_t id)
{
	struct giving *g = ctx;

	sqlite3_reset(g->st);
	sqlite3_bind_int64(g->st, 1, id);
	g->rc = give_rows(g);
	return g->rc;
}

/* By an index; *ret_read false: there is none for it. */
static int
query_index(struct giving *g, const struct audit_query *q, bool *ret_read)
{
	/* One row, or the newest, are found without. */
	bool text = q->text != NULL && q->text[0] != '\0' && q->id == 0 &&
	    q->uuid == NULL && q->after_id == 0;
	int rc = 0;

	*ret_read = false;
	if (!text && !audit_find_is_wrote(q))
		return 0;
	rc = prepare(g, q, "SELECT " COLUMNS FROM " WHERE c.id = ?");
	if (rc == 0 && audit_find_is_wrote(q))
		rc = audit_find_wrote(g->d, q, give_number, g, ret_read,
		    g->err);
	if (rc == 0 && text && !*ret_read) {
		*ret_read = true;
		rc = audit_find_text(g->d, q, give_number, g, g->err);
	}
	if (!*ret_read)
		giving_done(g);
	return rc < 0 || g->rc >= 0 ? rc : g->rc;
}

int
audit_query(struct audit *a, const struct audit_query *q,
    int (*fn)(void *ctx, const struct audit_row *row), void *ctx,
    struct err *err)
{
	struct giving g = { .d = audit_db_of(a), .fn = fn, .ctx = ctx,
		.err = err, .files = BUF_INIT };
	AEG_AUTO(buf_done) struct buf sql = BUF_INIT;
	bool read = false;
	int rc = audit_ready(a, err);

	if (rc < 0)
		return rc;
	rc = query_index(&g, q, &read);
	if (rc == 0 && !read) {
		put_sql(&sql, q);
		rc = prepare(&g, q, sql.data);
		if (rc == 0) {
			audit_query_bind(g.st, q);
			rc = give_rows(&g);
		}
	}
	giving_done(&g);
	return rc < 0 ? rc : 0;
}
