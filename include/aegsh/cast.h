/* SPDX-License-Identifier: ISC */
/*
 * What lines wrote, kept: one asciicast v2 file for each session that keeps
 * all of it (docs.asciinema.org/manual/asciicast/v2), DIR/output/UUID.cast,
 * mode 0600, and of each line the beginning, the end and where in the file
 * it stands, for the row of its output in the record (audit_output()).
 *
 * Bytes are without secrets before they reach a disk, or cast_line, also
 * where a secret came in pieces: a word is held back until it is over, a
 * private key until its end.  aegsh-audit(5) has the format.
 *
 * A file that cannot be written holds no line: cast_trouble() says why, the
 * lines' beginnings and ends are kept all the same, and each cast_begin()
 * tries again.
 */
#ifndef AEGSH_CAST_H
#define AEGSH_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/pack.h"
#include "aegsh/redact.h"

#define CAST_DIR "output"		/* in the store */
#define CAST_HEAD ((size_t)4096)	/* bytes of a stream's beginning … */
#define CAST_TAIL ((size_t)4096)	/* … and end, in a line's row */
#define CAST_LINE_DEFAULT ((size_t)1024 * 1024)
#define CAST_LINE_MOST ((size_t)10 * 1024 * 1024)
#define CAST_HASH_LEN 32
#define CAST_TERM_MAX 64		/* bytes of TERM that are kept */
/* A disk with less room than that is left to the record and the operator. */
#define CAST_SPARE ((uint64_t)32 * 1024 * 1024)

enum cast_keep {
	CAST_KEEP_NONE = 0,
	CAST_KEEP_SAMPLE,	/* beginnings and ends; no file */
	CAST_KEEP_FULL,		/* and a file */
};
/* The words none, sample, full; -EINVAL. */
int cast_keep_parse(const char *word, enum cast_keep *ret);
const char *cast_keep_word(enum cast_keep keep);

enum cast_stream {
	CAST_OUT = 1,		/* of the line that was begun: standard */
	CAST_ERR,		/* output (or a terminal), standard error */
	CAST_LATE_OUT,		/* of lines that have ended: in the file, */
	CAST_LATE_ERR,		/* and in nobody's row */
	CAST_STREAMS
};

struct cast;

struct cast_setup {
	const char *dir;	/* the store; copied */
	unsigned char session[UUID_LEN];
	const struct redact *redact;	/* borrowed, outlives the cast; what
					 * it learns holds from then on */
	enum cast_keep keep;
	size_t line_max;	/* bytes of each stream of a line that the
				 * file takes; 0: CAST_LINE_DEFAULT; at most
				 * CAST_LINE_MOST */
	unsigned width, height;	/* of the terminal; 0: 80 by 24 */
	const char *term;	/* TERM, or NULL */
	int64_t wall_ns, mono_ns;	/* now */
	/* A process of its own writes the file, and syncs it every other
	 * second and at the end: who calls waits for it only where a line or
	 * all ends, and so long.  0: the caller does it, and waits for the
	 * disk. */
	int64_t wait_ns;
};
/* Touches no disk: the file is made for the first byte that it gets, and the
 * process, which is outside of every sandbox that the caller is not in. */
struct cast *cast_new(const struct cast_setup *setup);
/* Writes what is held back; NULL: nothing. */
void cast_free(struct cast *c);

/* A line begins, after the one before was ended. */
void cast_begin(struct cast *c, const unsigned char uuid[UUID_LEN],
	int64_t mono_ns);
/* Bytes of a stream, as they came, in the order in which they did.  Those of
 * CAST_OUT and CAST_ERR outside a line count as late. */
void cast_put(struct cast *c, enum cast_stream stream, const void *p,
	size_t len, int64_t mono_ns);
void cast_resize(struct cast *c, unsigned width, unsigned height,
	int64_t mono_ns);

struct cast_output {		/* a stream of a line; without secrets */
	const char *head, *tail;	/* its first and last bytes */
	size_t head_len, tail_len;
	int64_t bytes;		/* that came */
	int64_t kept;		/* of them, in the file */
	int64_t redacted;	/* secrets that were replaced in it */
	bool cut;		/* more came than head and tail have */
};
struct cast_line {
	unsigned char uuid[UUID_LEN];
	struct cast_output out, err;
	bool filed;		/* there is a file, and in it, of so many
				 * bytes, the line, with that SHA-256: */
	int64_t offset, length;
	unsigned char sha256[CAST_HASH_LEN];
	bool cut;		/* more came than line_max: say so once */
};
/* It is over.  Borrowed until the next cast_begin().  Nothing was begun:
 * a line of nothing. */
const struct cast_line *cast_end(struct cast *c);

/* While that (unless -1, or c is NULL) can be written to, more of what waits
 * for the process goes by cast_pump(). */
int cast_poll_fd(const struct cast *c);
void cast_pump(struct cast *c);

/* Why nothing is written to the file since it was last asked, or NULL. */
const char *cast_trouble(struct cast *c);

/* A line for another process of this machine, and from it: borrowed from the
 * reader's bytes; r->p is NULL once something was wrong. */
void cast_line_pack(struct buf *b, const struct cast_line *line);
void cast_line_unpack(struct pack_reader *r, struct cast_line *ret);

#endif
