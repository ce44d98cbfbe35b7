/* SPDX-License-Identifier: ISC */
/*
 * A terminal between a prompt and its person's, for what lines write there.
 *
 * One for the whole session, and aegsh itself in it: a terminal for each line
 * would be another one than that of the jobs of lines before, which keys,
 * tcsetpgrp(3), fg and a size that changes must all reach.  The process that
 * was started stays outside, between both terminals; aegsh goes on as its
 * child, as under script(1), in a session of its own.
 *
 * Where a line begins and ends is said in the stream itself, where it cannot
 * come too early or too late, by bytes that no line can know; they are looked
 * for only when aegsh has said that they come.  What is seen outside of lines
 * (the prompt, what is typed at it) is never kept; nor are typed keys that
 * the terminal echoes.
 *
 * Nothing else can open the outer terminal meanwhile (TIOCEXCL, where it is
 * not root).  Whichever of both processes is killed, the other one gives that
 * terminal its modes back.
 */
#ifndef AEGSH_RELAY_TERM_H
#define AEGSH_RELAY_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/err.h"
#include "aegsh/cast.h"

struct relay_term;

/*
 * tty: the terminal, open.  Returns in the child, with those of descriptors
 * 0, 1 and 2 that led there replaced; *ret_tty is the new one.  The caller
 * does what it does to its end, and its status is the one of the process
 * that was started, which never comes back from here.  -errno: nothing was
 * changed.
 */
int relay_term_start(int tty, int *ret_tty, struct relay_term **ret,
	struct err *err);
/* From now on this is kept of lines; without it nothing is.  The redaction is
 * the store's, opened there. */
void relay_term_keep(struct relay_term *r, const struct cast_setup *setup);
/* Values of variables, as redact_forget() and redact_learn(). */
void relay_term_forget(struct relay_term *r);
void relay_term_learn(struct relay_term *r, const char *name,
	const char *value);
/*
 * A line is about to write, and has written.  *ret lives until the next call.
 * -ENODATA: nothing is kept or counted; -EPIPE: the terminal is gone.
 * most: bytes that it may write there from one key that is typed to the next
 * (0: any); more is not shown, or, with kills, the line is to be killed.
 */
void relay_term_line(struct relay_term *r,
	const unsigned char uuid[UUID_LEN], uint64_t most, bool kills);
int relay_term_end(struct relay_term *r, const struct cast_line **ret,
	const char **ret_trouble);
/* Readable when there is something to see of relay_term_lost(): the process
 * outside was killed, and not the terminal hung up. */
int relay_term_fd(const struct relay_term *r);
bool relay_term_lost(struct relay_term *r);
/* Of the last line: why it is to be killed, or NULL; and that it wrote more
 * than most, once, or NULL. */
const char *relay_term_killed(const struct relay_term *r);
const char *relay_term_limited(struct relay_term *r);
/* The outer terminal's path; borrowed. */
const char *relay_term_outer(const struct relay_term *r);
void relay_term_free(struct relay_term *r);

#endif
