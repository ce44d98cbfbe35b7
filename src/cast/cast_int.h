/* SPDX-License-Identifier: ISC */
/* What the files of this room share. */
#ifndef CAST_INT_H
#define CAST_INT_H

#include <nettle/sha2.h>

#include "aegsh/cast.h"
#include "aegsh/cast_read.h"

/* ---- cast_window.c: what is held back, and told without secrets ------ */

#define CAST_HOLD ((size_t)32 * 1024)	/* of a word, or a key */
#define CAST_RAW (2 * CAST_HOLD)	/* and of what stood before it */
#define CAST_CONTEXT ((size_t)4096)	/* of what was told */
#define CAST_AHEAD ((size_t)8192)	/* a secret is known by so much */
#define CAST_TIMES 256

/* What is dropped that comes next: the rest of a secret longer than all
 * this. */
enum cast_swallow { CAST_SWALLOW_NOTHING = 0, CAST_SWALLOW_WORD,
	CAST_SWALLOW_KEY };

struct cast_window {
	struct buf raw;		/* what was told last, and what was not */
	size_t done;		/* of raw: told */
	struct {
		size_t at;	/* bytes of raw from there on … */
		int64_t ns;	/* … came then */
	} times[CAST_TIMES];
	size_t n_times;
	enum cast_swallow swallow;
	bool gap;		/* what was not told is not here any more */
	int64_t hits;		/* secrets that were replaced */
};

/* Bytes without secrets, which came at ns. */
typedef void cast_tell(void *ctx, const char *p, size_t len, int64_t ns);

void cast_window_done(struct cast_window *w);
/* At most CAST_HOLD / 2 at a time, each followed by one of the other two. */
void cast_window_add(struct cast_window *w, const char *p, size_t len,
	int64_t ns);
/* Tell what can be told; all: whatever comes next does not belong to it.
 * Returns how many of the bytes that came that was. */
size_t cast_window_tell(struct cast_window *w, const struct redact *redact,
	bool all, cast_tell *tell, void *ctx);
/* Keep only what the end may need. */
void cast_window_drop(struct cast_window *w);
/* Where something is missing: tell of the end so many bytes, or few more. */
void cast_window_end(struct cast_window *w, const struct redact *redact,
	size_t most, cast_tell *tell, void *ctx);

/* ---- cast_clean.c: the text that is searched ------------------------- */

struct cast_clean {		/* raw without escape sequences */
	const char *p;
	size_t len;
	uint32_t *at;		/* where each byte stands in raw, or NULL:
				 * there */
	size_t raw_len;
	bool shown;		/* as a terminal shows it: then … */
	uint32_t *low;		/* nothing from there on stands before that */
	size_t open;		/* what comes may stand from there on */
};

/* raw must outlive it.  False: shown would not differ. */
bool cast_clean_init(struct cast_clean *c, const struct buf *raw, bool shown);
void cast_clean_done(struct cast_clean *c);
/* Where in raw the byte i stands, or ends what is before it; where all
 * begins that is from there on, with what stands under it. */
size_t cast_clean_raw(const struct cast_clean *c, size_t i);
size_t cast_clean_from(const struct cast_clean *c, size_t i);
/* The part of raw that has len bytes, and what stands under them. */
void cast_clean_part(const struct cast_clean *c, size_t i, size_t len,
	size_t *ret_from, size_t *ret_to);
/* The first byte from which on all stand there in raw or behind it. */
size_t cast_clean_at(const struct cast_clean *c, size_t raw);
/* The escape sequence at p: its length, *ret_gap: it moves what follows away
 * from what was before.  len: it is not over. */
size_t cast_clean_sequence(const char *p, size_t len, bool *ret_gap);

/* ---- cast_shown.c: as a terminal shows it ------------------------------ */

bool cast_shown_differs(const struct buf *raw);
void cast_shown(struct cast_clean *c, const struct buf *raw);

/* ---- cast_text.c: bytes as a JSON string, and back ------------------- */

void cast_text_put(struct buf *b, const char *p, size_t len);
/* From behind the quote that begins it; *ret_len: with the quote that ends
 * it.  False: it is none. */
bool cast_text_get(struct buf *ret, const char *p, size_t len,
	size_t *ret_len);

/* ---- cast_file.c ----------------------------------------------------- */

struct cast_file {
	char *dir, name[48];
	int fd;			/* -1: not made yet */
	int64_t start;		/* seconds since 1970, events count from it */
	struct buf waiting;	/* whole events, to be written */
	int64_t settled;	/* bytes, up to the end of the last region */
	int64_t end;		/* of what we know of the file */
	int64_t looked;		/* when room was looked for */
	int64_t synced;		/* bytes that are on the disk */
	bool made;		/* its name is not on the disk yet */
	struct sha256_ctx hash;	/* of the open region, up to end */
	bool broken;		/* until it is tried again */
	bool dead;		/* for good */
	struct err err;		/* why */
	bool told;
};

void cast_file_init(struct cast_file *f, const char *dir,
	const unsigned char session[UUID_LEN]);
void cast_file_done(struct cast_file *f);
void cast_file_again(struct cast_file *f);
/* False: it takes nothing now. */
bool cast_file_put(struct cast_file *f, const char *p, size_t len);
/* Up to here it is the line's; false: it is not in the file.  It goes on all
 * the same until it is closed. */
void cast_file_close(struct cast_file *f);
/* What was put is on the disk, or the file is broken. */
void cast_file_sync(struct cast_file *f);
bool cast_file_settle(struct cast_file *f, int64_t *ret_offset,
	int64_t *ret_length, unsigned char ret[CAST_HASH_LEN]);
bool cast_file_takes(const struct cast_file *f);
/* Make it, with that first line, or go on where it ends. */
bool cast_file_begin(struct cast_file *f, const char *header, size_t len);

/* ---- cast_events.c --------------------------------------------------- */

struct cast_events {
	struct cast_file file;
	unsigned width, height;
	char term[CAST_TERM_MAX];
	int64_t wall_ns, start_ns;	/* mono */
	int64_t last_ns;	/* of the last event, in the file's time */
	struct buf text;
};

void cast_events_init(struct cast_events *e, const struct cast_setup *setup);
void cast_events_done(struct cast_events *e);
/* One event; the file is made for the first.  False: it takes nothing. */
bool cast_events_put(struct cast_events *e, int64_t ns, char code,
	const char *p, size_t len);

/* ---- cast_apart.c: somebody else writes them ------------------------- */

#define CAST_QUEUE_MAX ((size_t)8 * 1024 * 1024)	/* bytes that wait */

struct cast_apart;

/* No process is started before there is an event. */
struct cast_apart *cast_apart_new(int64_t wait_ns);
/* What waits is written, by somebody, whether it is waited for or not. */
void cast_apart_free(struct cast_apart *a, const struct cast_events *e);
bool cast_apart_has_begun(const struct cast_apart *a);
/* Never waits; false: it is not kept. */
bool cast_apart_put(struct cast_apart *a, struct cast_events *e, int64_t ns,
	char code, const char *p, size_t len);
/* So many bytes were not, for what settles to tell. */
void cast_apart_miss(struct cast_apart *a, size_t len);
/* When that can be written to, more of what waits can go. */
int cast_apart_fd(const struct cast_apart *a);
void cast_apart_pump(struct cast_apart *a, const struct cast_events *e);
void cast_apart_again(struct cast_apart *a);
/* The line's part of the file; false: there is none, or not in time. */
bool cast_apart_settle(struct cast_apart *a, const struct cast_events *e,
	struct cast_line *l);
const char *cast_apart_trouble(struct cast_apart *a);

/* The directory of such files below the store's, which is its user's alone;
 * -ENOENT: there is none, and make is false. */
int cast_place_open(const char *store, bool make, int *ret_fd,
	struct err *err);
/* A session's file, for reading. */
int cast_file_open(const char *dir,
	const unsigned char session[UUID_LEN], char **ret_path,
	struct err *err);

#endif
