/* SPDX-License-Identifier: ISC */
/*
 * The record: an intent row that is durable before anything runs, an
 * outcome row after, sessions around them, in SQLite (WAL, STRICT tables,
 * mode 0600, directory 0700).
 *
 * Until a process of another uid keeps the store, every row is marked
 * stand-alone: the user's own uid can write it outside aegsh, and every
 * text calls such a record advisory.
 */
#ifndef AEGSH_AUDIT_H
#define AEGSH_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/base/hex.h"

#define AUDIT_LINE_MAX ((size_t)1024 * 1024)

/*
 * The store directory of uid: sysdirs()->state/UID where it exists and is
 * that user's alone (an install makes it), else sysdirs()->state_own/
 * aegsh-UID, which is made here: a place that no profile grants, outside
 * the home, because rights on a tree cannot be taken back for a part of
 * it.  Owner and modes of it are checked; *ret is owned.
 */
int audit_place(uid_t uid, bool create, char **ret, struct err *err);

/*
 * Before that: whether what a start looks at there answers.  ERR_STORE: its
 * disk did not for wait_ns, and whoever looks is held; *ret_silent is the
 * place then, owned.  0 also where whoever looks is killed or stopped each
 * time.  Other errors: nobody could be had who looks.
 */
int audit_reach(uid_t uid, int64_t wait_ns, char **ret_silent,
	struct err *err);

/* Of audit_place() and audit_open(): a sandbox keeps the store from this
 * process, as from each line of aegsh.  That is as it should be in a line. */
#define AUDIT_KEPT (-ESHUTDOWN)

struct audit;

/* Opens or makes DIR/audit.db.  readonly: for aegshctl; what waits in the
 * spool is seen as well. */
int audit_open(const char *dir, bool readonly, struct audit **ret,
	struct err *err);
/* For a run that ends soon: what it records is as durable, in DIR/audit.spool,
 * and readers and sessions take it into the store.  The ids of its events
 * are its own and not those of the rows.  A disk that stalls it is waited for
 * no longer than wait_ns, all in all; from then on it is as below. */
int audit_open_brief(const char *dir, int64_t wait_ns, bool runs_on,
	struct audit **ret, struct err *err);
/*
 * For a session at a prompt: what it records is written by a process of its
 * own, so that no disk and nobody who holds the store keeps it waiting for
 * longer than wait_ns.  What is not written by then is refused (ERR_STORE) or,
 * where runs_on, kept until it is.  The ids of its events are its own.
 */
int audit_open_apart(const char *dir, int64_t wait_ns, bool runs_on,
	struct audit **ret, struct err *err);
/* NULL, or where the store is that did not answer in time, how many records
 * wait for it, and whether all of them are on disk beside it meanwhile. */
const char *audit_stalled(struct audit *a, size_t *ret_waiting,
	bool *ret_kept);
/* Its processes, 0: none. */
pid_t audit_writer_pid(const struct audit *a);
pid_t audit_late_pid(const struct audit *a);
pid_t audit_sync_pid(const struct audit *a);	/* a short run's */
void audit_close(struct audit *a);
/* Open and check the file now, where it would wait for the first intent:
 * for a moment when nobody waits. */
int audit_warm(struct audit *a, struct err *err);

/* Who is told how far the record has come, at intervals and when a session
 * ends, so that a tail that is cut off is missed: any of them. */
#define AUDIT_WITNESS_SYSLOG 1U
#define AUDIT_WITNESS_JOURNAL 2U
#define AUDIT_WITNESS_KERNEL 4U	/* its audit, which only root may tell */
/* Words of the setting witness with blanks between them; -EINVAL. */
int audit_witness_parse(const char *words, unsigned *ret);
void audit_witness_to(struct audit *a, unsigned to);
/* One line to each of them, whatever becomes of the others; nobody is waited
 * for but the kernel, for a moment.  0, or the first that failed. */
int audit_witness_send(unsigned to, const char *line, struct err *err);
/* Whether that one of them is there, and would hear us; it is told nothing. */
int audit_witness_probe(unsigned bit, struct err *err);
/* Why the last head did not reach somebody, or NULL. */
const char *audit_unheard(const struct audit *a);

/* What is left out of all that follows; before a session begins. */
#define AUDIT_WITHOUT_ARGV 1U
#define AUDIT_WITHOUT_CWD 2U
#define AUDIT_WITHOUT_EXECS 4U
#define AUDIT_WITHOUT_HOST 8U
#define AUDIT_WITHOUT_REASON 16U
#define AUDIT_WITHOUT_REMOTE 32U
#define AUDIT_WITHOUT_TTY 64U
#define AUDIT_WITHOUT_OUTPUT 128U
#define AUDIT_WITHOUT_FILES 256U
void audit_without(struct audit *a, unsigned fields);
/* Words of the setting record-without; ERR_UNKNOWN_NAME. */
int audit_without_parse(const char *words, unsigned *ret, struct err *err);

struct audit_session {
	const char *user, *tty;
	const char *remote;	/* as SSH_CLIENT has it: address and port */
	const char *origin, *host, *version, *profile, *policy_hash;
	uid_t uid, loginuid;
	pid_t pid;
};
/* Starts at the first intent: nothing is written before. */
int audit_session_begin(struct audit *a, const struct audit_session *s,
	struct err *err);
int audit_session_end(struct audit *a, struct err *err);

struct audit_event {		/* one line */
	int64_t id;		/* of its row, once it has one … */
	char uuid[UUID_TEXT];	/* … and the same for all times, as text */
	const char *line;	/* without secrets: what is stored */
	size_t len;
	size_t redacted;	/* how many were replaced in it */
	const char *cwd, *origin;
	const char *interpreter;/* path of what runs its script, or NULL */
	const char *decision, *source, *rule, *reason, *model;
	const char *answer;	/* "yes", "no", "edit", "try", or NULL: nobody
				 * was asked */
	const char *answered_by;	/* login name of who said so, or NULL */
	const char *votes;	/* what each judge said, where more than one
				 * did: "policy=ask validator=allow", or NULL */
	const char *argv;	/* $0, $1 …, each with its NUL; without
				 * secrets.  NULL: the line was given none */
	size_t argv_len;
	int confidence;		/* percent, -1: none */
	int64_t latency_ns;	/* of the validator */
	int64_t judge_ns;	/* from its arrival to the decision, the
				 * validator's time included */
	int64_t tokens_in, tokens_out, cost;	/* cost: in millionths */
	bool ran;		/* false: refused, there will be no outcome */
	bool later;		/* nobody is about to settle it */
};
struct audit_outcome {
	int status, signal;
	int64_t duration_ns, cpu_ns, maxrss_kib;
	int64_t start_ns;	/* from the intent until bash was let go */
	const char *note;	/* "state not brought back: …", or NULL */
};

struct audit_exec {		/* a program that ran under a line */
	pid_t pid, ppid;
	int64_t wall_ns, mono_ns;	/* when it started */
	const char *path;
	const char *argv;	/* its words, each with its NUL; without
				 * secrets */
	size_t argv_len;
	const char *decision;	/* what policy said of it, or NULL */
};

#define AUDIT_FILES_MAX 1000	/* rows of one line */
enum audit_change { AUDIT_CHANGE_NONE = 0, AUDIT_CHANGE_MADE,
	AUDIT_CHANGE_CHANGED, AUDIT_CHANGE_REMOVED };
struct audit_file {		/* what a line changed, as somebody saw who
				 * looked before and after */
	enum audit_change change;
	int64_t wall_ns, mono_ns;	/* when it was seen */
	const char *path;	/* absolute, without secrets */
	bool has_old, has_new;	/* the hash of what it held is known */
	unsigned char old_sha256[32], new_sha256[32];
};

#define AUDIT_OUTPUT_MAX 4096	/* bytes of a head, and of a tail */
enum audit_stream { AUDIT_STREAM_NONE = 0, AUDIT_STREAM_OUT,
	AUDIT_STREAM_ERR };
struct audit_output {		/* what a line wrote to a stream */
	enum audit_stream stream;
	const char *head, *tail;	/* its first and last bytes, without
					 * secrets */
	size_t head_len, tail_len;
	int64_t bytes;		/* that it wrote */
	int64_t kept;		/* of them, in the file */
	int64_t redacted;	/* secrets that were replaced */
	bool cut;		/* more than head and tail have */
	/* Where the line, both streams of it, stands in the file of the
	 * session's output: in the row of its first stream.  0: nowhere. */
	int64_t offset, length;
	unsigned char sha256[32];
};

/* Durable (synchronous FULL) when it returns 0.  Outcomes held back by
 * audit_outcome() go into the same transaction. */
int audit_intent(struct audit *a, struct audit_event *ev, struct err *err);
/* The same in two steps, between which there is other work to do: begun, it
 * is on its way; settled, it is durable. */
int audit_intent_begin(struct audit *a, struct audit_event *ev,
	struct err *err);
int audit_intent_settle(struct audit *a, struct err *err);
/* Kept in memory until the next intent, audit_flush() or audit_close(). */
void audit_outcome(struct audit *a, int64_t id, const struct audit_outcome *o);
/* Kept likewise; before the line's outcome. */
void audit_exec(struct audit *a, int64_t id, const struct audit_exec *x);
/* Likewise, and before the outcome. */
void audit_output(struct audit *a, int64_t id, const struct audit_output *o);
/* Likewise, also after the outcome: of the line with that number and uuid. */
void audit_file(struct audit *a, int64_t id, const char *uuid,
	const struct audit_file *f);
/* A line that starts no process: intent and outcome, kept likewise. */
void audit_builtin(struct audit *a, const struct audit_event *ev, int status);
/* A thing that happened: "policy-reload", "state-stripped", … */
void audit_note(struct audit *a, const char *kind, const char *text);
bool audit_pending(const struct audit *a);
int audit_flush(struct audit *a, struct err *err);

struct audit_row {
	int64_t id, session, wall_ns, redacted;
	const char *uuid;	/* of the command, as text */
	const char *line; size_t len;
	const char *user, *host, *tty, *origin, *cwd, *interpreter;
	const char *decision, *source, *rule, *reason, *model, *answer, *writer;
	const char *answered_by, *votes, *argv, *remote;
	size_t argv_len;
	bool ran, finished;	/* ran and not finished: unfinished */
	int status, signal, confidence;
	int64_t duration_ns, cpu_ns, maxrss_kib, latency_ns, judge_ns;
	int64_t start_ns, tokens_in, tokens_out, cost, mono_ns;
	const char *note;
	struct audit_output out, err;	/* where q->outputs; stream 0: none */
	/* Likewise the files that it changed: of each its change, its path,
	 * and the hashes of before and after in hexadecimal, or "", each with
	 * its NUL; without any, NULL. */
	const char *files; size_t files_len;
};
enum audit_ended {		/* how a line ended */
	AUDIT_ENDED_ANY = 0,
	AUDIT_ENDED_REFUSED,	/* it did not run */
	AUDIT_ENDED_OPEN,	/* ran, and no outcome */
	AUDIT_ENDED_FAILED,	/* any status but 0 */
	AUDIT_ENDED_STATUS,	/* with that status */
	AUDIT_ENDED_SIGNAL,	/* by that signal */
};
struct audit_query {
	int64_t limit;		/* newest N; 0: all */
	int64_t since_ns, until_ns;	/* wall; 0: open */
	const char *text;	/* substring of the line, or NULL */
	const char *decision;
	const char *cwd;	/* that directory, or one below it */
	const char *host;	/* of the session */
	const char *rule;	/* that rule, or one of that group */
	const char *program;	/* one that ran: path or name */
	const char *file;	/* one that it changed: path, or the path of a
				 * directory above it, or name */
	int64_t session;	/* 0: any */
	int64_t id;		/* that row alone; 0: any */
	const char *uuid;	/* likewise, as text */
	int64_t after_id;	/* rows with a larger number */
	bool recalled;		/* typed at a prompt, without a blank in
				 * front */
	const char *starts;	/* how the line begins, or NULL */
	int64_t not_session;	/* rows of others than that; 0: any */
	enum audit_ended ended;
	int number;		/* status or signal */
	bool unindexed;		/* read each line for the text */
	const char *wrote;	/* bytes of what it wrote, colours aside, or
				 * NULL; not with audit_recall() */
	bool outputs;		/* give what it wrote and changed, too */
};
/* Oldest of the selected first, until fn returns non-zero (audit_query()
 * then returns 0).  The row lives as long as the call of fn.  Absent numbers
 * are 0, an absent confidence -1. */
int audit_query(struct audit *a, const struct audit_query *q,
	int (*fn)(void *ctx, const struct audit_row *row), void *ctx,
	struct err *err);
/*
 * The same from the newest row back, at most for about budget_ns, whatever
 * there is: for somebody who waits at a key.  *at is 0 at first, then where
 * the next call goes on, and -1 once all rows were looked at.  q->limit: so
 * many of the newest rows are looked at.  Of a row are given: id, session,
 * wall_ns, line, cwd, decision, ran, finished, status, signal, redacted.
 */
int audit_recall(struct audit *a, const struct audit_query *q, int64_t *at,
	int64_t budget_ns, int (*fn)(void *ctx, const struct audit_row *row),
	void *ctx, struct err *err);
/* The session that was begun, by which its output's file is called. */
void audit_session_uuid(const struct audit *a, unsigned char ret[16]);
/* The row of this session, 0 while there is none. */
int64_t audit_session_id(const struct audit *a);

#endif
