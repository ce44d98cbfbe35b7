/* SPDX-License-Identifier: ISC */
/*
 * What a line writes, on its way to where it goes: pipes of ours stand in the
 * place of those that standard output and standard error lead to, and a
 * process that is nobody's descendant of the line carries every byte on and
 * shows it to a recording (cast.h).
 *
 * Only pipes are replaced.  A regular file, a socket (sshd's, rsync's) and a
 * device stay what they are, and what goes there is not seen; neither is what
 * goes to a terminal, which a program would tell from a pipe.  Where both
 * lead to one pipe, so do those of the line, and nothing changes its order.
 *
 * As with the pipe that was there: who writes more than is read waits; who
 * writes when nobody reads any more gets SIGPIPE; O_NONBLOCK is as it was;
 * what is left behind may go on writing, also when aegsh has ended.  A piece
 * of up to PIPE_BUF bytes that ends a line arrives in one (pipe(7)).
 *
 * The process is outside of every sandbox's domain and has a session of its
 * own.  When it is killed or stopped the line must be: relay_lost().
 */
#ifndef AEGSH_RELAY_H
#define AEGSH_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/err.h"
#include "aegsh/cast.h"

struct relay;

struct relay_opts {
	/* Its times, and what it points to, as they are when the process
	 * starts. */
	struct cast_setup cast;
	unsigned char line[UUID_LEN];	/* the first line's */
	/* Bytes of each line that are carried on; of more, no more, or the
	 * line is to be killed.  0: all are. */
	uint64_t most;
	bool kills;
};

/* Of 1 and 2.  *ret is NULL where neither is a pipe.  -errno. */
int relay_start(const struct relay_opts *o, struct relay **ret,
	struct err *err);
/* The end that takes the place of that descriptor (1 or 2) in the child; -1:
 * none does. */
int relay_child_fd(const struct relay *r, int fd);
/* The child has them: ours are closed. */
void relay_handed_over(struct relay *r);
pid_t relay_pid(const struct relay *r);
/* Readable when relay_lost() may have something to say. */
int relay_poll_fd(const struct relay *r);
/* It was killed or stopped, and what the line writes is not seen any more; an
 * own process that was stopped is killed by this.  Or the line is to be killed
 * for what relay_killed() says. */
bool relay_lost(struct relay *r);
const char *relay_killed(const struct relay *r);
/* That it wrote more than most, once for each line; or NULL. */
const char *relay_limited(struct relay *r);
/* The next line of the same bash; the one before was ended. */
void relay_line(struct relay *r, const unsigned char uuid[UUID_LEN]);
/* The line is over: waits until all that it wrote is where it goes.  *ret
 * lives as long as r, or until the next call, and *ret_trouble, too: why the
 * file was not written, or NULL.  -EPIPE: relay_lost(). */
int relay_end(struct relay *r, const struct cast_line **ret,
	const char **ret_trouble);
/* The process ends when nobody is left who could write; NULL: nothing. */
void relay_free(struct relay *r);

#endif
