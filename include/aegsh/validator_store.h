/* SPDX-License-Identifier: ISC */
/*
 * What is kept about asking, across sessions: budgets and health in one
 * small file, verdicts in another.  aegsh-judge opens both before it is
 * confined and writes them; aegshctl reads them.  Files of fixed size, so
 * that nothing in them has a length to lie about; each change happens under
 * flock(2).  The user's own uid could change them outside aegsh: they are
 * advisory, but for verdicts, which carry a MAC.
 */
#ifndef AEGSH_VALIDATOR_STORE_H
#define AEGSH_VALIDATOR_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/err.h"
#include "aegsh/validator_frame.h"

#define VAL_STATE_NAME "judge.state"
#define VAL_CACHE_NAME "judge.cache"
#define VAL_SECRET_NAME "judge.secret"
#define VAL_SECRET_LEN 32

/* ---- budgets and health ------------------------------------------------- */

struct val_health {
	char name[VAL_NAME_MAX];	/* "": an unused row */
	uint64_t place;			/* val_endpoint_place() */
	uint64_t print;			/* of that and its key: another one
					 * starts anew */
	uint32_t failures;		/* in a row */
	uint32_t open;			/* not asked until then */
	int64_t open_until_ns;		/* wall */
	int64_t last_ok_ns, last_fail_ns;	/* wall; 0: never */
	uint64_t asked, answered;
};

struct val_state {
	char magic[8];
	int64_t bucket_ns;		/* wall; when the level was right */
	uint64_t bucket;		/* millionths of a question */
	int64_t day;			/* since 1970, UTC */
	uint64_t day_questions, day_tokens_in, day_tokens_out, day_cost;
	struct val_health endpoints[VAL_CHAIN_MAX];
};

/* What makes it that endpoint: wire format, address, model. */
uint64_t val_endpoint_place(const struct val_endpoint *e);

/* DIR/NAME, a file that others have no right on; write: made where it is
 * missing. */
int val_state_open(const char *dir, const char *name, bool write,
	int *ret_fd, struct err *err);
/* What is no state is an empty one. */
void val_state_read(int fd, struct val_state *ret);
/* One more question: ERR_REFUSED says which limit is reached. */
int val_state_take(int fd, int64_t now_ns, uint32_t rate, uint64_t day_cost,
	struct err *err);
/* What it cost, when it is known. */
void val_state_spent(int fd, int64_t now_ns, const struct val_verdict *v);
void val_state_health(int fd, const struct val_health *h);

/* ---- verdicts ------------------------------------------------------------ */

struct val_cache_stats {
	uint32_t rows, used;
	uint64_t hits, misses, stored, forged;
	int64_t oldest_ns;		/* wall; 0: empty */
};

/* rows 0: as the file has it (for reading). */
int val_cache_open(const char *dir, uint32_t rows, bool write, int *ret_fd,
	struct err *err);
/* 1: an allow for this key, not older than ttl_s; 0: none.  A row whose MAC
 * is wrong is removed, and *ret_forged true. */
int val_cache_get(int fd, const unsigned char secret[VAL_SECRET_LEN],
	const unsigned char digest[VAL_DIGEST_LEN], int64_t now_ns,
	uint32_t ttl_s, struct val_verdict *ret, bool *ret_forged);
void val_cache_put(int fd, const unsigned char secret[VAL_SECRET_LEN],
	const unsigned char digest[VAL_DIGEST_LEN], int64_t now_ns,
	const struct val_verdict *v);
int val_cache_stats(int fd, struct val_cache_stats *ret, struct err *err);
int val_cache_clear(int fd, struct err *err);

#endif
