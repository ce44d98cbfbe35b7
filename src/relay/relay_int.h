/* SPDX-License-Identifier: ISC */
/* What the files of the relay share. */
#ifndef RELAY_INT_H
#define RELAY_INT_H

#include "aegsh/relay.h"

#define RELAY_STREAMS 2
#define RELAY_TROUBLE_MAX ((size_t)256)
/* A packed line: heads and tails of two streams, and what is told of it. */
#define RELAY_PACKET_MAX ((size_t)64 * 1024)

/* What aegsh says: a byte, and of a line that begins its number.  The answer
 * to an end is a text (the trouble, or none) and a packed line. */
enum relay_word { RELAY_LINE = 'l', RELAY_END = 'e' };

struct relay_stream {
	int in;			/* the line's end of it, for reading; or -1 */
	int out;		/* where it goes, or -1 */
	enum cast_stream as;
};

/* The process, with its descriptors; it never returns. */
void relay_main(const struct relay_opts *o, int control,
	struct relay_stream stream[RELAY_STREAMS]) __attribute__((noreturn));

#endif
