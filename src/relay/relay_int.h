/* SPDX-License-Identifier: ISC */
/* What the files of the relay share. */
#ifndef RELAY_INT_H
#define RELAY_INT_H

#include "aegsh/relay.h"
#include "aegsh/relay_term.h"

#include <termios.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

#define RELAY_STREAMS 2
#define RELAY_MET "it met its limit, "	/* before which it is */
#define RELAY_TROUBLE_MAX ((size_t)256)
/* A packed line: heads and tails of two streams, and what is told of it. */
#define RELAY_PACKET_MAX ((size_t)64 * 1024)

/* What aegsh says: a byte, and of a line that begins its number.  The answer
 * to an end is a text (the trouble, or none) and a packed line.  Of a terminal
 * the number is followed by how many bytes may be written, and whether more
 * ends the line (pack_int()). */
enum relay_word {
	RELAY_LINE = 'l', RELAY_END = 'e',
	/* Of a terminal: what is kept; a name and a value, each with its NUL;
	 * and the other way: it was hung up, and nothing is answered. */
	RELAY_KEEP = 'k', RELAY_FORGET = 'f', RELAY_LEARN = 'v',
	RELAY_HUNG_UP = 'h',
	/* Unasked, once for each line: it wrote more than it may. */
	RELAY_OVER = 'o'
};

struct relay_stream {
	int in;			/* the line's end of it, for reading; or -1 */
	int out;		/* where it goes, or -1 */
	enum cast_stream as;
};

/* ---- relay_main.c -------------------------------------------------------- */

/* The process, with its descriptors; it never returns. */
void relay_main(const struct relay_opts *o, int control,
	struct relay_stream stream[RELAY_STREAMS]) __attribute__((noreturn));
/* What the line came to; c NULL: nothing was kept, for that reason, where it
 * is not NULL.  False: nobody listens. */
bool relay_answer(int control, struct cast *c, const char *why_not);
/* All descriptors but those, which may be -1. */
void relay_close_others(const int *keep, size_t n);

/* ---- relay_wait.c: aegsh's side of that ---------------------------------- */

struct relay_said {
	struct cast_line line;
	char *packet;		/* that it borrows from, owned */
	char trouble[RELAY_TROUBLE_MAX];
	bool over;		/* RELAY_OVER came, and not another line */
	bool kills, told;	/* more than may be: ends the line; was said */
	char limit[192];	/* what that is, behind RELAY_MET */
};
/* What the line is to be killed for, or NULL; what is to be said of it, once,
 * or NULL. */
const char *relay_said_killed(const struct relay_said *s);
const char *relay_said_limited(struct relay_said *s);
/* The line wrote more, as was said by now. */
void relay_take_over(int control, struct relay_said *s);
/* Waits for the answer; pid: of who gives it, who may be stopped or die
 * (-EPIPE).  0: it is none (RELAY_HUNG_UP). */
int relay_await(int control, pid_t pid, struct relay_said *ret);

/* ---- relay_most.c -------------------------------------------------------- */

struct relay_most {
	uint64_t most, seen;	/* bytes of the line; 0: any */
	enum {
		RELAY_TYPED_ANY = 0, RELAY_TYPED_ESC, RELAY_TYPED_CSI,
		RELAY_TYPED_STRING, RELAY_TYPED_STRING_ESC
	} at;			/* in what is typed */
	unsigned char lead;	/* the first byte of a character … */
	unsigned char more;	/* … of which so many are to come */
};
void relay_most_begin(struct relay_most *m, uint64_t most);
/* How many of these n go on; *ret_first: they are the first too many. */
size_t relay_most_admit(struct relay_most *m, size_t n, bool *ret_first);
/* Of a terminal: these came from it.  A key begins the count again. */
void relay_most_typed(struct relay_most *m, const char *p, size_t len);

/* ---- relay_marks.c ------------------------------------------------------- */

#define RELAY_NONCE 16
#define RELAY_MARK_MAX ((size_t)64)
#define RELAY_TERM_CHUNK ((size_t)4096)	/* what one read of a terminal gives */

struct relay_marks {
	char text[RELAY_MARK_MAX], held[RELAY_MARK_MAX];
	size_t len, n_held;
	unsigned due;		/* so many are to come */
	bool returns;		/* the last one's carriage return is */
};
struct relay_marks_to {
	void (*text)(void *ctx, const char *p, size_t len);
	void (*mark)(void *ctx);
	void *ctx;
};
void relay_marks_init(struct relay_marks *m,
	const unsigned char nonce[RELAY_NONCE]);
/* At most RELAY_TERM_CHUNK bytes. */
void relay_marks_feed(struct relay_marks *m, const char *p, size_t len,
	const struct relay_marks_to *to);

/* ---- relay_echo.c -------------------------------------------------------- */

struct relay_echo {
	unsigned char due[4096];
	size_t at, n;
	size_t missed;		/* bytes of others since the last */
};
/* These were typed, while the terminal had these modes. */
void relay_echo_typed(struct relay_echo *e, const struct termios *t,
	const char *p, size_t len);
/* What of those bytes is no echo, added to out. */
void relay_echo_strip(struct relay_echo *e, const char *p, size_t len,
	struct buf *out);
void relay_echo_forget(struct relay_echo *e);

struct relay_transfer {
	unsigned seen;		/* bytes of what begins one */
};
/* Up to where the text is one, at the beginning of a transfer of files through
 * the terminal; 0: none begins here. */
size_t relay_transfer_begins(struct relay_transfer *t, const char *p,
	size_t len);

/* ---- relay_late.c -------------------------------------------------------- */

#define RELAY_LATE_MAX ((size_t)8 * 1024 * 1024)	/* bytes that wait */
#define RELAY_LATE_HELD ((size_t)64 * 1024)

struct relay_late {
	struct buf bytes;
	size_t at;		/* of them, up to here recorded */
};
/* Bytes of a line (CAST_OUT), when they came. */
void relay_late_put(struct relay_late *l, struct cast *c, const char *p,
	size_t len, int64_t at_ns);
bool relay_late_is_empty(const struct relay_late *l);
/* Record a piece; all. */
void relay_late_some(struct relay_late *l, struct cast *c);
void relay_late_all(struct relay_late *l, struct cast *c);

/* ---- relay_tty.c --------------------------------------------------------- */

struct relay_outside {
	int tty, master, control;
	pid_t child;
	struct termios modes;	/* of the outer terminal, before */
	unsigned char nonce[RELAY_NONCE];
};
/* The process outside, to its end. */
void relay_tty_main(const struct relay_outside *o) __attribute__((noreturn));
/* The outer terminal is as it was. */
void relay_tty_restore(int tty, const struct termios *modes);

#endif
