/* SPDX-License-Identifier: ISC */
/* A store in a scratch directory, and plain records to put into it. */
#ifndef TESTS_STORE_H
#define TESTS_STORE_H

#include <errno.h>

#include "aegsh/audit.h"
#include "aegsh/audit_chain.h"
#include "scratch.h"
#include "tap.h"

/* For a disk that is known to answer. */
#define STORE_WAIT_NS (INT64_C(480) * 1000000000)

static const struct audit_session store_session = {
	.user = "somebody", .tty = "pts/7", .remote = "192.0.2.1 4000",
	.origin = "prompt", .host = "box", .version = "0.1",
	.profile = "admin", .policy_hash = "abc", .uid = 1000,
	.loginuid = (uid_t)-1, .pid = 77,
};

static inline struct audit_event
store_event(const char *line)
{
	return (struct audit_event){ .line = line, .len = strlen(line),
		.cwd = "/home/somebody", .origin = "prompt",
		.decision = "allow", .source = "policy",
		.rule = "admin.read", .reason = "it only reads",
		.confidence = -1, .ran = true };
}

/* Open DIR of the scratch directory for writing, with a session. */
static inline struct audit *
store_open(const char *dir)
{
	char *path = scratch_path(dir);
	struct audit *a = NULL;
	struct err err = ERR_INIT;

	if (audit_open(path, false, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(99);
	}
	free(path);
	return a;
}

/* One intent; its id, or the negative code with err set. */
static inline int64_t
store_put(struct audit *a, const char *line, struct err *err)
{
	struct audit_event ev = store_event(line);
	int rc = audit_intent(a, &ev, err);

	return rc < 0 ? rc : ev.id;
}

struct store_count {
	int rows, unfinished;
	int64_t last_id;
};

static inline int
store_count_row(void *ctx, const struct audit_row *row)
{
	struct store_count *c = ctx;

	c->rows++;
	c->unfinished += row->ran && !row->finished;
	c->last_id = row->id;
	return 0;
}

/* All rows of DIR, by a reader of its own. */
static inline struct store_count
store_count(const char *dir)
{
	static const struct audit_query all = { 0 };
	struct store_count c = { 0, 0, 0 };
	char *path = scratch_path(dir);
	struct audit *a = NULL;
	struct err err = ERR_INIT;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_query(a, &all, store_count_row, &c, &err) < 0) {
		printf("# %s\n", err.text);
		c.rows = -1;
	}
	audit_close(a);
	free(path);
	return c;
}

/* Whether the store at path reads and verifies, or is not there yet; each of
 * its rows goes to fn. */
static inline bool
store_is_sound(const char *path, int (*fn)(void *ctx,
    const struct audit_row *row), void *ctx, struct err *err)
{
	static const struct audit_query all = { 0 };
	const struct audit_against against = { .n = 0 };
	struct audit_verdict v = { .findings = 0 };
	struct audit *a = NULL;
	int rc = audit_open(path, true, &a, err);

	if (rc == 0)
		rc = audit_verify(a, &against, NULL, NULL, &v, err);
	if (rc == 0)
		rc = audit_query(a, &all, fn, ctx, err);
	audit_close(a);
	return (rc == 0 || rc == -ENOENT) && v.findings == 0;
}

#endif
