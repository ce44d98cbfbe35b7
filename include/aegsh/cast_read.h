/* SPDX-License-Identifier: ISC */
/* Reading the files that cast.h is about, and showing what stands in them on a
 * terminal. */
#ifndef AEGSH_CAST_READ_H
#define AEGSH_CAST_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/base/hex.h"
#include "aegsh/cast.h"

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

#endif
