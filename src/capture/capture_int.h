/* SPDX-License-Identifier: ISC */
/*
 * Inside of capture: the conversation with one bash, in the order in which
 * it happens.
 *
 *	bash → "\n"				hello, from BASH_ENV
 *	aegsh → directory stack, "\n"		after it noted who that is
 *	bash → "\0AEGSH1\0" … "\0END\n"		the frame, from the EXIT trap
 *	aegsh → end of stream			after it looked again
 */
#ifndef AEGSH_CAPTURE_INT_H
#define AEGSH_CAPTURE_INT_H

#include "aegsh/capture.h"

#define CAPTURE_START "\0AEGSH1"	/* with the NUL that ends the literal */
#define CAPTURE_START_LEN 8
#define CAPTURE_END "\0END\n"
#define CAPTURE_END_LEN 5

#define CAPTURE_AUXV_MAX 2048		/* the kernel's is under 400 bytes */
#define CAPTURE_CHUNK 65536		/* one recvmsg(2) */
/* Chunks one capture_feed() takes at most, so that a process that floods
 * the channel cannot keep aegsh from its other descriptors. */
#define CAPTURE_FEED_CHUNKS 16

/* How long a begun frame is waited for without sleeping, in all. */
#define CAPTURE_PATIENCE_NS 500000

enum capture_stage {
	CAPTURE_AT_HELLO = 0,	/* nothing came from the leader yet */
	CAPTURE_AT_FRAME,	/* hello answered, line runs */
	CAPTURE_AT_EXIT,	/* one whole frame came and was answered */
	CAPTURE_BROKEN,		/* no frame can count any more */
};

/* Who the leader was when it said hello. */
struct capture_peer {
	pid_t pid;
	int mm_fd;		/* -1, or /proc/PID/environ of that image */
	size_t auxv_len;
	char auxv[CAPTURE_AUXV_MAX];
};

struct capture {
	size_t max;
	int fd, child_fd;
	enum capture_stage stage;
	struct capture_peer leader;
	int64_t patience_ns;
	int cwd_fd;
	bool has_limits;
	struct rlimit limits[CAPTURE_LIMITS];
	struct buf answer;	/* to hello */
	struct buf frame;	/* from its start mark, or what may be one */
	bool in_frame, too_long;
	bool stray;		/* somebody else wrote */
	bool ended;		/* capture_end() was called */
	enum capture_frame verdict;
	const char *why;
	int wait_status;
	int64_t start_ns, duration_ns, cpu_ns, maxrss_kib;
	char chunk[CAPTURE_CHUNK];
};

/* capture_peer.c: 0, or -errno when the kernel does not let us look. */
void capture_peer_init(struct capture_peer *p);
int capture_peer_note(struct capture_peer *p);
enum capture_peer_is {
	CAPTURE_PEER_OTHER = 0,	/* it runs something else, or who knows */
	CAPTURE_PEER_GONE,	/* dead */
	CAPTURE_PEER_SAME,	/* it lives, and never called execve */
};

enum capture_peer_is capture_peer_look(const struct capture_peer *p);
/* All CAPTURE_LIMITS of them, or -errno. */
int capture_peer_limits(const struct capture_peer *p, struct rlimit *ret);
/* Its working directory with O_PATH, or -errno. */
int capture_peer_cwd(const struct capture_peer *p);
void capture_peer_done(struct capture_peer *p);

#endif
