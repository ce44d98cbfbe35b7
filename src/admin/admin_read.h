/* SPDX-License-Identifier: ISC */
/*
 * What the verbs share that read the record: which rows, of whose store,
 * how they look.
 *
 * Each of them is confined before it meets a store: what it can still write
 * to is that store alone, because a reader takes the spool in and records
 * that it was there.
 */
#ifndef AEGSH_ADMIN_READ_H
#define AEGSH_ADMIN_READ_H

#include "admin_int.h"
#include "aegsh/audit.h"

/* ---- admin_filter.c: options that select rows -------------------------- */

enum {
	ADMIN_F_JSON, ADMIN_F_LIMIT, ADMIN_F_SINCE, ADMIN_F_UNTIL,
	ADMIN_F_SEARCH, ADMIN_F_OUTPUT, ADMIN_F_DECISION, ADMIN_F_STATUS,
	ADMIN_F_RULE,
	ADMIN_F_CWD, ADMIN_F_HOST, ADMIN_F_SESSION, ADMIN_F_PROGRAM,
	ADMIN_F_FILE,
	ADMIN_F_UNFINISHED, ADMIN_F_UNINDEXED, ADMIN_F_USER, ADMIN_F_ALL,
	ADMIN_F_COUNT		/* a verb's own options begin here */
};

/* The rows of those, for a verb's table; how many lines there are without
 * --limit, in words. */
#define ADMIN_FILTER_OPTIONS(default_limit) \
	[ADMIN_F_JSON] = ADMIN_OPTION_JSON, \
	[ADMIN_F_LIMIT] = { "limit", 'n', "N", \
	    "the newest N lines (0: all; default " default_limit ")", \
	    ADMIN_WORDS_NONE }, \
	[ADMIN_F_SINCE] = { "since", 0, "TIME", "only lines from TIME on", \
	    ADMIN_WORDS_NONE }, \
	[ADMIN_F_UNTIL] = { "until", 0, "TIME", "only lines before TIME", \
	    ADMIN_WORDS_NONE }, \
	[ADMIN_F_SEARCH] = { "search", 0, "TEXT", \
	    "only lines with TEXT in them", ADMIN_WORDS_NONE }, \
	[ADMIN_F_OUTPUT] = { "output", 0, "TEXT", \
	    "only lines that wrote TEXT, where that is kept", \
	    ADMIN_WORDS_NONE }, \
	[ADMIN_F_DECISION] = { "decision", 0, "WORD", \
	    "only lines so decided: allow, confirm, block", \
	    ADMIN_WORDS_DECISION }, \
	[ADMIN_F_STATUS] = { "status", 0, "STATUS", \
	    "only lines that ended so: 0..255, failed, SIGNAL, refused, " \
	    "unfinished", ADMIN_WORDS_NONE }, \
	[ADMIN_F_RULE] = { "rule", 0, "RULE", \
	    "only lines that this rule, or one of this group, decided", \
	    ADMIN_WORDS_NONE }, \
	[ADMIN_F_CWD] = { "cwd", 0, "DIR", \
	    "only lines from DIR or below it", ADMIN_WORDS_DIR }, \
	[ADMIN_F_HOST] = { "host", 0, "NAME", "only lines of that host", \
	    ADMIN_WORDS_NONE }, \
	[ADMIN_F_SESSION] = { "session", 0, "N", \
	    "only lines of that session", ADMIN_WORDS_NONE }, \
	[ADMIN_F_PROGRAM] = { "program", 0, "NAME", \
	    "only lines whose record names that program", ADMIN_WORDS_NONE }, \
	[ADMIN_F_FILE] = { "file", 0, "FILE", \
	    "only lines on record as having changed FILE, or one below it", \
	    ADMIN_WORDS_FILE }, \
	[ADMIN_F_UNFINISHED] = { "unfinished", 0, NULL, \
	    "only lines without an outcome", ADMIN_WORDS_NONE }, \
	[ADMIN_F_UNINDEXED] = { "no-index", 0, NULL, \
	    "read each line, whatever the index says", ADMIN_WORDS_NONE }, \
	[ADMIN_F_USER] = { "user", 0, "NAME", \
	    "that user's store (root only)", ADMIN_WORDS_USER }, \
	[ADMIN_F_ALL] = { "all", 0, NULL, \
	    "the stores of all users (root only)", ADMIN_WORDS_NONE }

struct admin_filter {
	struct audit_query q;
	const char *user;
	bool json, all;
	char *cwd, *file;	/* what q.cwd and q.file point to */
};
#define ADMIN_FILTER_INIT(n) { .q = { .limit = (n) } }

void admin_filter_done(struct admin_filter *f);
/* Take option o of the above; -EINVAL: not one, or said what is wrong. */
int admin_filter_take(struct admin *a, struct admin_filter *f, int o,
	const char *value);
/* All options of a verb that has no others; ADMIN_OK or ADMIN_USAGE. */
int admin_filter_parse(struct admin *a, struct admin_args *args,
	struct admin_filter *f);

/* ---- admin_rows.c: rows of one store or of all ------------------------- */

typedef int admin_row_fn(void *ctx, const struct audit_row *row);

/* -ENOENT: nothing is recorded yet.  With f->all the rows of all stores in
 * the order of time, as long as there is a limit, else store by store; what
 * is wrong with one of them is said, and *ret_bad set. */
int admin_rows(struct admin *a, const struct admin_filter *f,
	admin_row_fn *fn, void *ctx, bool *ret_bad, struct err *err);
/* There was none of them: say so where what lines wrote was looked for, and
 * that record has nothing of the kind. */
void admin_rows_none(struct admin *a, const struct admin_filter *f);

/* Users that have a place for a store, in order; *ret is owned. */
void admin_stores(uid_t **ret, size_t *ret_n);

/* ---- admin_each.c ------------------------------------------------------ */

/* Wait for a process that became a user: whoever is that user can stop it, and
 * must not hold up root with that.  It is woken, and killed in the end. */
void admin_reap(pid_t pid, int *ret_status);

/* Such a process, and what it sends. */
struct admin_reader {
	pid_t pid;
	int fd;			/* of a pipe from it */
	int silent_ms;		/* how long it may take for one answer */
	unsigned stops;		/* 0, to begin with */
};
/* Exactly len bytes.  0; -ENODATA: it says nothing more; -ECANCELED: it was
 * stopped again and again; -ETIMEDOUT: they did not come in time; -errno.  But
 * for the first two it is of no use any more, and for the caller to kill. */
int admin_hear(struct admin_reader *r, void *p, size_t len);

typedef int admin_user_fn(struct admin *a, const char *user, void *ctx);
/* fn for each of them, in a process of its own that has root's rights and
 * ends with what it returns.  The highest exit status; only for root. */
int admin_each_store(struct admin *a, admin_user_fn *fn, void *ctx);

/* ---- admin_store.c ----------------------------------------------------- */

/* Become that user (NULL: the caller), give up what looking does not need,
 * record that a reader was there, and open.  live: what comes into the spool
 * later is seen, too; *ret_place (may be NULL) is owned.  -ENOENT: nothing is
 * recorded yet. */
int admin_read_open(struct admin *a, const char *user, bool live,
	struct audit **ret, char **ret_place, struct err *err);
/* For verbs that show nothing of what rows say: the same, and not recorded.
 * write: the store may be written to. */
int admin_read_quietly(struct admin *a, const char *user, bool write,
	struct audit **ret, struct err *err);
/* The caller's own, likewise, for who writes a file of all of it and keeps
 * the rights to. */
int admin_read_copy(struct admin *a, struct audit **ret, struct err *err);
/* What to say, and the exit status, of an error of the above. */
int admin_read_fail(struct admin *a, int rc, const struct err *err);

/* ---- admin_row_show.c -------------------------------------------------- */

/* "0", "SIGINT", "refused", "unfinished" */
void admin_row_end(const struct audit_row *row, char *ret, size_t size);
json_t *admin_row_json(const struct audit_row *row);
/* What it wrote to a stream. */
json_t *admin_output_json(const struct audit_output *x);
/* Of the files that it changed, where those were asked for. */
json_t *admin_files_json(const struct audit_row *row);
/* Words that each end with a NUL, as a list. */
json_t *admin_words_json(const char *p, size_t len);

/* ---- admin_player.c ---------------------------------------------------- */

struct cast_reader;
struct admin_play {
	bool raw;		/* the bytes, standard error apart */
	bool json;		/* an object for each event */
	int64_t speed;		/* times as fast; 0: without waiting, unless
				 * it goes to a terminal */
	int64_t idle_ns;	/* longer pauses are that long */
};
/* Play what the reader stands before.  *ret_n: how many events there were.
 * A negative code: err. */
int admin_player(struct admin *a, struct cast_reader *r,
	const struct admin_play *how, int64_t *ret_n, struct err *err);
/* A terminal that was drawn on is as it was. */
void admin_player_plain(struct admin *a);

/* ---- admin_page.c ------------------------------------------------------ */

/* Where output goes to a terminal and $PAGER names a pager that is known,
 * let it show what comes; before rights are given up. */
void admin_page_start(struct admin *a);
/* Wait until it was read. */
void admin_page_end(struct admin *a);

#endif
