/* SPDX-License-Identifier: ISC */
/*
 * Reading the record beyond its lines: what happened beside them, and how
 * much there is.
 */
#ifndef AEGSH_AUDIT_READ_H
#define AEGSH_AUDIT_READ_H

#include "aegsh/audit.h"

struct audit_happened {		/* a row of events; strings borrowed */
	int64_t id, session;	/* session 0: of none */
	int64_t wall_ns;
	const char *kind, *text, *user, *writer;
};
/* The newest limit (0: all) of those from since_ns on and before until_ns
 * (0: open), of one kind (NULL: any), oldest first, until fn returns
 * non-zero. */
struct audit_events_query {
	int64_t limit, since_ns, until_ns, after_id;
	const char *kind;
};
int audit_events(struct audit *a, const struct audit_events_query *q,
	int (*fn)(void *ctx, const struct audit_happened *e), void *ctx,
	struct err *err);

/* Programs that ran under a line which was supervised, at most that many,
 * the first first, until fn returns non-zero. */
#define AUDIT_EXECS_SHOWN 1000
struct audit_ran {		/* a row of execs; borrowed */
	int64_t id, wall_ns, pid, ppid;
	const char *path, *argv;	/* words, each with its NUL */
	size_t path_len, argv_len;
};
int audit_execs(struct audit *a, int64_t line,
	int (*fn)(void *ctx, const struct audit_ran *x), void *ctx,
	struct err *err);

/* Files that a line changed, likewise, the first first. */
struct audit_touched {		/* a row of files; borrowed */
	int64_t id, wall_ns;
	const char *path, *change;	/* made, changed, removed */
	size_t path_len;
	const unsigned char *old_sha256, *new_sha256;	/* or NULL */
};
int audit_files(struct audit *a, int64_t line,
	int (*fn)(void *ctx, const struct audit_touched *f), void *ctx,
	struct err *err);

/* What a line wrote: a row for each stream, the first one first. */
int audit_outputs(struct audit *a, int64_t line,
	int (*fn)(void *ctx, const struct audit_output *o), void *ctx,
	struct err *err);
/* The session of a line, as its output's file is called; -ENOENT. */
int audit_line_session(struct audit *a, int64_t line, unsigned char ret[16],
	struct err *err);

struct audit_stats {
	int64_t lines, sessions, events;
	int64_t refused, unfinished, failed;	/* of the lines */
	int64_t allowed, confirmed, blocked;	/* as they were decided */
	int64_t redacted;	/* lines that had secrets */
	int64_t first_ns, last_ns;	/* 0: there is no line */
	int64_t bytes;		/* of the database */
	/* Of what lines wrote: lines that have any of it, bytes that were
	 * written and those in files, streams of which some is nowhere. */
	int64_t output_lines, output_bytes, output_kept, output_cut;
};
int audit_stats(struct audit *a, struct audit_stats *ret, struct err *err);

/* The newest sessions, at most so many, the oldest of them first, until fn
 * returns non-zero; strings borrowed. */
struct audit_session_stats {
	int64_t id, start_ns, end_ns;	/* end 0: killed, or not over */
	const char *user, *host;
	const unsigned char *uuid;	/* UUID_LEN, as its recording is
					 * called; NULL: somebody altered it */
	int64_t lines, refused, failed;
	int64_t output_lines, output_bytes, output_kept, output_cut;
};
int audit_sessions(struct audit *a, int64_t limit,
	int (*fn)(void *ctx, const struct audit_session_stats *s), void *ctx,
	struct err *err);

#endif
