/* SPDX-License-Identifier: ISC */
/* What the files of this room share. */
#ifndef VALIDATOR_INT_H
#define VALIDATOR_INT_H

#include <stdbool.h>
#include <sys/types.h>

#include "aegsh/validator.h"
#include "aegsh/validator_frame.h"

/*
 * The helper: at most one process, on the other end of fd.
 */
struct val_helper {
	int fd;			/* -1: not running */
	int pidfd;		/* -1: not running, or no pidfd_open(2) */
	pid_t pid;
	bool greeted;		/* its hello was heard */
};

#define VAL_HELPER_INIT { .fd = -1, .pidfd = -1, .pid = -1 }

/* Start it and send hello and SETUP; waits for nothing. */
int val_helper_start(struct val_helper *h, const struct val_setup *setup,
	struct err *err);
/* Running and its socket open, as far as can be seen without waiting. */
bool val_helper_alive(const struct val_helper *h);
/* Kill, reap, close; fine when it is not running. */
void val_helper_end(struct val_helper *h);
/* wire_recv() that hears the hello first. */
struct wire_msg;
int val_helper_recv(struct val_helper *h, int timeout_ms, int cancel_fd,
	struct wire_msg *ret, struct err *err);

/* The pid of the helper, -1 when none runs (for tests). */

/* ---- val_state.c: small shared files ------------------------------------- */
/* DIR/NAME, a regular file that others have no right on. */
int val_file_open(const char *dir, const char *name, bool write, int *ret_fd,
	struct err *err);
/* Waits a blink, no longer: -EBUSY. */
int val_file_lock(int fd);

/* SHA-256 of the question as it is: what the answer may depend on. */
void val_question_digest(const struct val_question *q,
	unsigned char ret[VAL_DIGEST_LEN]);
/* The data message: one JSON object on one line, secrets replaced.
 * ERR_TOO_LONG for a line, a number of facts or a sum over its cap. */
int val_question_data(const struct val_question *q, const char *nonce,
	struct buf *ret, struct err *err);

#endif
