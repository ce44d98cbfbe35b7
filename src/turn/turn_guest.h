/* SPDX-License-Identifier: ISC */
/*
 * Aegsh inside of aegsh: what the inner one, the guest (turn_inner.c), and
 * the process of the outer one that serves it, the host (turn_host.c), say
 * to each other.  Frames of wire over the socket of supervise_knock(); a long
 * body lies in a sealed memory file instead.
 *
 * The guest stands in the line's domain, with all who could pretend to be
 * one; so nothing that it says is believed further than that it would like
 * this text to be judged: it is judged by the rules of the outer aegsh, and
 * whatever is wrong with a frame ends the conversation.  The host stands
 * outside of every domain.  What it says is believed: only the kernel's
 * listener leads there.
 *
 *	host                      guest
 *	WELCOME                             may it speak at all?
 *	                          JUDGE     a line, and where it would run
 *	ANSWER                              runs or does not, and of which bytes
 *	                          RUN       it starts now
 *	SETTLED                             that is on record: go
 *	                          END       how it ended
 *	                          BUILTIN   instead of RUN and END
 */
#ifndef TURN_GUEST_H
#define TURN_GUEST_H

#include "aegsh/base/pack.h"
#include "aegsh/wire.h"
#include "turn/turn_int.h"

#define GUEST_VERSION "1 " AEGSH_VERSION	/* alike, or no word is said */
#define GUEST_DEPTH_MAX 8	/* aegsh inside aegsh inside … */
#define GUEST_MAX 256		/* of one line, at the same time */
#define GUEST_LINES_MAX 256	/* lines of one guest that run */
#define GUEST_REFUSED_MAX 1000	/* of one line, or judged for nothing */
#define GUEST_REFUSED_NS ((int64_t)60 * 1000000000)	/* … one forgiven */
#define GUEST_JUDGED_MAX 20000	/* of one line, whatever came of them */
#define GUEST_JUDGED_NS ((int64_t)5 * 1000000)
#define GUEST_INLINE ((size_t)64 * 1024)
#define GUEST_BODY_MAX ((size_t)16 * 1024 * 1024)

enum guest_type { GUEST_NOTHING = 0, GUEST_WELCOME, GUEST_JUDGE, GUEST_ANSWER,
	GUEST_RUN, GUEST_SETTLED, GUEST_END, GUEST_BUILTIN };

#define GUEST_SESSION 1U	/* a prompt: the line stands for no -c */
#define GUEST_STREAM 2U		/* a unit, and not the first */
#define GUEST_TERMINAL 4U	/* standard input is one */
#define GUEST_UNASKED 8U	/* blocked as nobody could be asked */
#define GUEST_UNREADABLE 16U

/* A body that is put together, or taken apart: numbers, and texts, which
 * carry their length.  Once something is missing all else is 0 and "". */
struct guest_body {
	struct buf out;
	struct pack_reader in;
};

void guest_put(struct guest_body *b, uint32_t n);
void guest_put_text(struct guest_body *b, const char *text, size_t len);
/* NULL is "". */
void guest_put_string(struct guest_body *b, const char *text);
/* Whether something was missing, or wrong. */
bool guest_broken(const struct guest_body *b);
uint32_t guest_get(struct guest_body *b);
/* Borrowed from the frame; text[len] need not be a NUL. */
const char *guest_get_text(struct guest_body *b, size_t *ret_len);
/* Owned; broken where there is a NUL inside. */
char *guest_get_string(struct guest_body *b);

/* A line, and where it would run.  False where something is wrong with it, or
 * it is more than a guest sends. */
struct guest_question {
	struct line line;
	uint32_t flags, prefix, prefix_lines;
	char *tty, *cwd;
	struct strv envp;
};

void guest_question_done(struct guest_question *q);
bool guest_get_question(struct guest_body *b, struct guest_question *q);
/* The words of RUN, NULL behind the last; they lie in *ret_text, both to be
 * freed.  NULL: there are none, or more than is ever recorded, then broken. */
char **guest_get_args(struct guest_body *b, char **ret_text);

/* 0; -EAGAIN: the other end does not read; -errno.  Ends the body. */
int guest_send(int fd, enum guest_type type, struct guest_body *b,
	struct err *err);
/* The next frame; its body as b, which lives as long as *ret and *map, to be
 * freed by guest_frame_done(). */
struct guest_frame {
	struct wire_msg m;
	void *map;
	size_t map_len;
};
int guest_recv(int fd, int cancel_fd, struct guest_frame *ret,
	struct guest_body *b, struct err *err);
void guest_frame_done(struct guest_frame *f);

/* A record of its own, in the same store. */
struct guest_who {
	uid_t uid;
	pid_t pid;
	const char *tty, *remote;	/* "", or NULL: none */
	enum line_origin origin;
	const char *label;		/* of the line that it is in */
};
void guest_record(const struct turn *t, const struct guest_who *w,
	struct audit **ret, char **ret_unrecorded);

/* What a line may have so many of, of which one is forgiven in each such time,
 * as a multiplexer stands for months.  False: that was one too many. */
struct guest_tally {
	size_t n;
	int64_t forgiven_ns;	/* when the last one was, or 0 */
};
bool guest_tally_add(struct guest_tally *c, int64_t now_ns, size_t most,
	int64_t each_ns);

void guest_sha256(const char *bytes, size_t len, unsigned char ret[32]);

#endif
