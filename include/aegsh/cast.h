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

/* ---- reading ------------------------------------------------------------ */

#define CAST_EVENT_MAX ((size_t)1024 * 1024)	/* bytes of an event's text */

enum cast_code {
	CAST_CODE_NONE = 0,
	CAST_CODE_OUT, CAST_CODE_ERR, CAST_CODE_RESIZE,
	CAST_CODE_LINE,		/* a line begins: its uuid */
	CAST_CODE_CUT,		/* more came, and is not here */
	CAST_CODE_MISSED,	/* something is missing before it */
};
struct cast_event {
	enum cast_code code;
	int64_t at_ns;		/* since the file began */
	const char *bytes;	/* as the line wrote them; borrowed until the
				 * next event */
	size_t len;
	unsigned char uuid[UUID_LEN];
	unsigned width, height;
};
struct cast_header {
	unsigned width, height;
	int64_t timestamp;	/* seconds since 1970 */
	char term[CAST_TERM_MAX];
};
struct cast_reader;

/* The file of a session, which is looked at as it stands: -ENOENT. */
int cast_reader_open(const char *dir,
	const unsigned char session[UUID_LEN], struct cast_reader **ret,
	struct err *err);
/* Any such file; the descriptor is taken.  name is for messages. */
int cast_reader_new(int fd, const char *name, struct cast_reader **ret,
	struct err *err);
void cast_reader_free(struct cast_reader *r);
const struct cast_header *cast_reader_header(const struct cast_reader *r);
/* From that byte of the file on, up to so many (length < 0: to its end).
 * What a deletion has left empty is passed over. */
int cast_reader_seek(struct cast_reader *r, int64_t offset, int64_t length,
	struct err *err);
/* 1: *ret is the next one; 0: there is no more; ERR_SYNTAX. */
int cast_reader_next(struct cast_reader *r, struct cast_event *ret,
	struct err *err);

/* ---- for a terminal ------------------------------------------------------ */

#define CAST_DRAW_MAX ((size_t)256)	/* bytes of a sequence that passes */
enum cast_draw_state { CAST_DRAW_TEXT = 0, CAST_DRAW_ESCAPE, CAST_DRAW_CSI,
	CAST_DRAW_CHARSET, CAST_DRAW_OTHER, CAST_DRAW_STRING };
struct cast_draw {
	enum cast_draw_state state;
	bool escaped;		/* the last byte of a string was ESC */
	struct buf held;	/* of a sequence */
};
#define CAST_DRAW_INIT { CAST_DRAW_TEXT, false, BUF_INIT }
/* Append what may be shown of these bytes: text, and sequences that draw.
 * Nothing of it makes a terminal answer, or changes what it does with keys.
 * Sequences go on from call to call; characters are whole in each. */
void cast_draw(struct cast_draw *d, struct buf *out, const char *p,
	size_t len);
void cast_draw_done(struct cast_draw *d);

/* ---- all of a store ------------------------------------------------------ */

/* Each session that has a file, until fn returns other than 0, which is
 * returned then. */
int cast_each(const char *dir, int (*fn)(void *ctx,
	const unsigned char session[UUID_LEN]), void *ctx,
	struct err *err);
/* Empty what stands before that byte, but the header; before < 0: the file
 * goes.  What stays keeps its place. */
int cast_forget(const char *dir, const unsigned char session[UUID_LEN],
	int64_t before, struct err *err);
/* All of them, into the directory `to', which is made, where there are any. */
int cast_copy(const char *dir, const char *to, struct err *err);

/* The SHA-256 of a part of a session's file; -ENOENT, -ENODATA: it is
 * shorter. */
int cast_hash(const char *dir, const unsigned char session[UUID_LEN],
	int64_t offset, int64_t length, unsigned char ret[CAST_HASH_LEN],
	struct err *err);

#endif
