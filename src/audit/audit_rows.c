/* SPDX-License-Identifier: ISC */
/* The rows of the store, each from its struct, inside a transaction. */
#include "audit_chain_int.h"

#include <stdio.h>
#include <string.h>

#include "aegsh/base/text.h"

/* "ADDRESS PORT PORT-HERE", as sshd puts it. */
static void
bind_remote(sqlite3_stmt *st, const char *remote)
{
	const char *port = remote != NULL ? strchr(remote, ' ') : NULL;
	char digits[8];
	int64_t n;

	if (port == NULL) {
		audit_bind_text(st, 10, remote);
		return;
	}
	sqlite3_bind_text(st, 10, remote, (int)(port - remote),
	    SQLITE_STATIC);
	snprintf(digits, sizeof digits, "%.*s", (int)strcspn(port + 1, " "),
	    port + 1);
	if (text_to_i64(digits, 1, 65535, &n) == 0)
		sqlite3_bind_int64(st, 16, n);
}

static void
bind_positive(sqlite3_stmt *st, int place, int64_t n)
{
	if (n > 0)
		sqlite3_bind_int64(st, place, n);
}

/* rc is that of the insert. */
static int
added(struct audit_db *d, int rc, enum audit_kind kind, int64_t *ret_row,
    struct err *err)
{
	int64_t row = sqlite3_last_insert_rowid(d->db);

	if (rc == 0)
		rc = audit_chain_add(d, kind, row, err);
	if (rc == 0)
		*ret_row = row;
	return rc;
}

int
audit_row_session(struct audit_db *d, const struct audit_begun *b,
    int64_t *ret_row, struct err *err)
{
	const struct audit_session *s = &b->session;
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_ADD_SESSION, err);

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_blob(st, 1, b->uuid, sizeof b->uuid, SQLITE_STATIC);
	audit_bind_text(st, 2, b->boot_id);
	sqlite3_bind_int64(st, 3, b->wall_ns);
	sqlite3_bind_int64(st, 4, b->mono_ns);
	sqlite3_bind_int64(st, 5, s->pid);
	sqlite3_bind_int64(st, 6, s->uid);
	if (s->loginuid != (uid_t)-1)
		sqlite3_bind_int64(st, 7, s->loginuid);
	audit_bind_text(st, 8, s->user != NULL ? s->user : "");
	audit_bind_text(st, 9, s->tty);
	bind_remote(st, s->remote);
	audit_bind_text(st, 11, s->origin);
	audit_bind_text(st, 12, s->host);
	audit_bind_text(st, 13, s->version);
	audit_bind_text(st, 14, s->profile);
	audit_bind_text(st, 15, s->policy_hash);
	return added(d, audit_db_step(d, st, err), AUDIT_KIND_SESSION,
	    ret_row, err);
}

int
audit_row_command(struct audit_db *d, int64_t session,
    const struct audit_command *c, int64_t *ret_row, struct err *err)
{
	const struct audit_event *ev = &c->event;
	unsigned char sha256[AUDIT_SHA256_LEN];
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_ADD_COMMAND, err);

	if (st == NULL)
		return ERR_STORE;
	audit_sha256(ev->line, ev->len, sha256);
	sqlite3_bind_int64(st, 1, session);
	sqlite3_bind_blob(st, 2, c->uuid, sizeof c->uuid, SQLITE_STATIC);
	sqlite3_bind_int64(st, 3, c->wall_ns);
	sqlite3_bind_int64(st, 4, c->mono_ns);
	sqlite3_bind_blob(st, 5, ev->len > 0 ? ev->line : "", (int)ev->len,
	    SQLITE_STATIC);
	sqlite3_bind_blob(st, 6, sha256, sizeof sha256, SQLITE_STATIC);
	if (ev->cwd != NULL)
		sqlite3_bind_blob(st, 7, ev->cwd, (int)strlen(ev->cwd),
		    SQLITE_STATIC);
	audit_bind_text(st, 8, ev->origin);
	audit_bind_text(st, 9, ev->decision != NULL ? ev->decision : "");
	audit_bind_text(st, 10, ev->source);
	audit_bind_text(st, 11, ev->rule);
	audit_bind_text(st, 12, ev->reason);
	audit_bind_text(st, 13, ev->model);
	audit_bind_text(st, 14, ev->answer);
	if (ev->confidence >= 0)
		sqlite3_bind_int(st, 15, ev->confidence);
	bind_positive(st, 16, ev->latency_ns);
	sqlite3_bind_int(st, 17, ev->ran);
	if (c->finished)
		sqlite3_bind_int(st, 18, c->status);
	audit_bind_text(st, 19, ev->interpreter);
	sqlite3_bind_int64(st, 20, (int64_t)ev->redacted);
	if (ev->argv != NULL)
		sqlite3_bind_blob(st, 21, ev->argv, (int)ev->argv_len,
		    SQLITE_STATIC);
	audit_bind_text(st, 22, ev->votes);
	audit_bind_text(st, 23, ev->answered_by);
	bind_positive(st, 24, ev->tokens_in);
	bind_positive(st, 25, ev->tokens_out);
	bind_positive(st, 26, ev->cost);
	bind_positive(st, 27, ev->judge_ns);
	return added(d, audit_db_step(d, st, err), c->finished ?
	    AUDIT_KIND_LINE_ENDED : AUDIT_KIND_LINE, ret_row, err);
}

int
audit_row_outcome(struct audit_db *d, int64_t row,
    const struct audit_outcome *o, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_END_COMMAND, err);
	int rc;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int(st, 1, o->status);
	if (o->signal != 0)
		sqlite3_bind_int(st, 2, o->signal);
	sqlite3_bind_int64(st, 3, o->duration_ns);
	sqlite3_bind_int64(st, 4, o->cpu_ns);
	sqlite3_bind_int64(st, 5, o->maxrss_kib);
	audit_bind_text(st, 6, o->note);
	bind_positive(st, 7, o->start_ns);
	sqlite3_bind_int64(st, 8, row);
	rc = audit_db_step(d, st, err);
	if (rc < 0 || sqlite3_changes(d->db) == 0)
		return rc;
	rc = audit_chain_add(d, AUDIT_KIND_OUTCOME, row, err);
	return rc < 0 ? rc : 1;
}

int
audit_row_event(struct audit_db *d, int64_t session, const char *kind,
    const char *text, int64_t wall_ns, int64_t mono_ns, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_ADD_EVENT, err);
	int64_t row;

	if (st == NULL)
		return ERR_STORE;
	if (session != 0)
		sqlite3_bind_int64(st, 1, session);
	sqlite3_bind_int64(st, 2, wall_ns);
	sqlite3_bind_int64(st, 3, mono_ns);
	audit_bind_text(st, 4, kind);
	audit_bind_text(st, 5, text);
	return added(d, audit_db_step(d, st, err), AUDIT_KIND_EVENT, &row,
	    err);
}

int
audit_row_exec(struct audit_db *d, int64_t command,
    const struct audit_exec *x, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_ADD_EXEC, err);
	int64_t row;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, command);
	sqlite3_bind_int64(st, 2, x->wall_ns);
	sqlite3_bind_int64(st, 3, x->mono_ns);
	sqlite3_bind_int64(st, 4, x->pid);
	sqlite3_bind_int64(st, 5, x->ppid);
	sqlite3_bind_blob(st, 6, x->path, (int)strlen(x->path),
	    SQLITE_STATIC);
	sqlite3_bind_blob(st, 7, x->argv_len > 0 ? x->argv : "",
	    (int)x->argv_len, SQLITE_STATIC);
	if (x->decision != NULL)
		sqlite3_bind_text(st, 8, x->decision, -1, SQLITE_STATIC);
	return added(d, audit_db_step(d, st, err), AUDIT_KIND_EXEC, &row, err);
}

static const char *
change_name(enum audit_change change)
{
	switch (change) {
	case AUDIT_CHANGE_NONE:
		break;
	case AUDIT_CHANGE_MADE:
		return "made";
	case AUDIT_CHANGE_CHANGED:
		return "changed";
	case AUDIT_CHANGE_REMOVED:
		return "removed";
	}
	return NULL;
}

int
audit_row_file(struct audit_db *d, int64_t command,
    const struct audit_file *f, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_ADD_FILE, err);
	int64_t row;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, command);
	sqlite3_bind_int64(st, 2, f->wall_ns);
	sqlite3_bind_int64(st, 3, f->mono_ns);
	sqlite3_bind_blob(st, 4, f->path, (int)strlen(f->path),
	    SQLITE_STATIC);
	audit_bind_text(st, 5, change_name(f->change));
	if (f->has_old)
		sqlite3_bind_blob(st, 6, f->old_sha256, AUDIT_SHA256_LEN,
		    SQLITE_STATIC);
	if (f->has_new)
		sqlite3_bind_blob(st, 7, f->new_sha256, AUDIT_SHA256_LEN,
		    SQLITE_STATIC);
	return added(d, audit_db_step(d, st, err), AUDIT_KIND_FILE, &row, err);
}

int
audit_row_output(struct audit_db *d, int64_t command,
    const struct audit_output *o, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_ADD_OUTPUT, err);
	int64_t row;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, command);
	sqlite3_bind_int(st, 2, (int)o->stream);
	sqlite3_bind_blob(st, 3, o->head_len > 0 ? o->head : "",
	    (int)o->head_len, SQLITE_STATIC);
	if (o->tail_len > 0)
		sqlite3_bind_blob(st, 4, o->tail, (int)o->tail_len,
		    SQLITE_STATIC);
	sqlite3_bind_int64(st, 5, o->bytes);
	sqlite3_bind_int(st, 6, o->cut);
	sqlite3_bind_int64(st, 7, o->kept);
	sqlite3_bind_int64(st, 8, o->redacted);
	if (o->length > 0) {
		sqlite3_bind_int64(st, 9, o->offset);
		sqlite3_bind_int64(st, 10, o->length);
		sqlite3_bind_blob(st, 11, o->sha256, AUDIT_SHA256_LEN,
		    SQLITE_STATIC);
	}
	return added(d, audit_db_step(d, st, err), AUDIT_KIND_OUTPUT, &row,
	    err);
}

int
audit_row_end(struct audit_db *d, int64_t session, int64_t wall_ns,
    int64_t mono_ns, struct err *err)
{
	sqlite3_stmt *st = audit_db_stmt(d, AUDIT_END_SESSION, err);
	int rc;

	if (st == NULL)
		return ERR_STORE;
	sqlite3_bind_int64(st, 1, wall_ns);
	sqlite3_bind_int64(st, 2, mono_ns);
	sqlite3_bind_int64(st, 3, session);
	rc = audit_db_step(d, st, err);
	return rc < 0 || sqlite3_changes(d->db) == 0 ? rc :
	    audit_chain_add(d, AUDIT_KIND_SESSION_END, session, err);
}
