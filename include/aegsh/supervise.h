/* SPDX-License-Identifier: ISC */
/*
 * What happens inside a running line: a process that watches which files
 * its programs open and which programs start (seccomp user notification,
 * seccomp_unotify(2)).
 *
 * A program that opens a judged script gets the judged bytes, from a memory
 * file that nobody can change; where the script on the disk is no longer
 * what was judged, the line is killed.  So there is no moment at which
 * somebody else could put other bytes in their place.  A script that the
 * kernel starts by its first line is known by the words that the kernel
 * made of it, before the interpreter has run an instruction of its own.
 *
 * The supervisor is a child of aegsh, outside of every domain that a command
 * can signal, trace or look into.  When it ends before the line does, aegsh
 * kills the line; when aegsh ends without a word, it kills the line.  While
 * neither has done so yet, every call that it is asked about fails: the
 * kernel answers ENOSYS when nobody listens.
 *
 * It also counts what a line may use in all its processes together, where the
 * limits of setrlimit(2) mean one process or all of a user.
 */
#ifndef AEGSH_SUPERVISE_H
#define AEGSH_SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/cgroup.h"

#define SUPERVISE_SCRIPTS_MAX 16
#define SUPERVISE_LABEL 64		/* bytes, with the NUL */
#define SUPERVISE_IMAGES_MAX 10000	/* that are kept of one line */
#define SUPERVISE_REFUSED_MAX 100	/* … and killed ones after them */

struct supervise_script {
	const char *path;	/* absolute, as the line names it */
	int copy;		/* readable memory file with what was judged,
				 * sealed */
	bool hidden;		/* commands may not read it */
};

/* What the processes of one line may use together; 0: as much as they like.
 * Past children, fork(2) fails with EAGAIN as for RLIMIT_NPROC; past any of
 * the others the line is killed. */
struct supervise_limits {
	unsigned children;	/* at one time, its bash not counted */
	uint64_t cpu_ms;	/* user and system time of all of them */
	uint64_t wall_ms;	/* since its bash began; of units, since the
				 * first of which something is still there */
	uint64_t memory;	/* resident bytes that are no file's */
};

bool supervise_has_limits(const struct supervise_limits *l);

struct supervise_image;
#define SUPERVISE_SAID_MAX 512
/* A program is about to run: may it?  Asked in the supervisor, which has all
 * of this process as it was when the line began.  What is said of it goes on
 * record, and why it may not to the person; inert text.  A process that may
 * not is killed before main(). */
typedef bool supervise_may_fn(void *ctx, const struct supervise_image *m,
	char *ret_said, size_t size);

/* A program wants to connect: to the unix socket that lies at path, canonical
 * and the kernel's word, or, path being NULL, to a TCP port.  Asked in a
 * process of its own, with the memory of when the line began.  OWN: only where
 * the session's own lines listen. */
struct supervise_wish {
	const char *path;
	dev_t dev;
	ino_t ino;
	uint16_t port;
};
enum supervise_reach { SUPERVISE_REACH_NO = 0, SUPERVISE_REACH_OWN,
	SUPERVISE_REACH_YES };
typedef enum supervise_reach supervise_may_connect_fn(void *ctx,
	const struct supervise_wish *w);

/*
 * The process that serves aegshs inside of the line ("guests"); see
 * supervise_inner.c.
 */
struct supervise_host {
	int guests;		/* readable: supervise_guest() */
	int holds;
};

/*
 * One process of the line wants to run a program as another user; see
 * supervise_broker.c.
 */
struct supervise_broker {
	int sock;		/* to it */
	int questions;		/* for supervise_ask() */
	pid_t pid;		/* the kernel's word; it may have ended */
	bool runs;		/* the line's bash did not end yet */
	const char *label;	/* as in struct supervise_opts */
	void *approved;
	struct rlimit files;	/* RLIMIT_NOFILE as the line began with */
	/* What is left to the line of its own limits; 0: it has none.  When it
	 * meets one this process gets SIGTERM. */
	uint64_t cpu_ms, wall_ms;
};

/* What is said by that socket, in frames of wire (aegsh/wire.h).  The call:
 * the version with its NUL, the bytes of all that MORE will bring, how many of
 * its strings are words (uint32_t both); and 0, 1, 2 and the directory.  MORE:
 * the words and the environment, each with its NUL.  TEXT is for standard
 * error; STOPPED: by that signal; ENDED: the status of wait(2). */
enum supervise_frame { SUPERVISE_NOTHING = 0, SUPERVISE_CALL, SUPERVISE_MORE,
	SUPERVISE_TEXT, SUPERVISE_STOPPED, SUPERVISE_ENDED };
#define SUPERVISE_CALL_MAX ((size_t)4 * 1024 * 1024)
#define SUPERVISE_MORE_MAX ((size_t)64 * 1024)

enum supervise_says { SUPERVISE_SAYS_NO = 0, SUPERVISE_SAYS_YES,
	SUPERVISE_SAYS_BEHIND };	/* nobody was asked: the line is in the
					 * background */

struct supervise_opts {
	struct supervise_script script[SUPERVISE_SCRIPTS_MAX];
	size_t n;
	bool own_group;		/* the line's bash leads a process group */
	bool images;		/* which programs start is told */
	bool reads;		/* … and what they read is watched for scripts
				 * that come later, as it is for those */
	/* Which addresses its programs connect or send to is told, whether
	 * they are reached or not. */
	bool network;
	/* NULL: the kernel answers connect(2).  Else no program of the line
	 * connects itself: what this allows is done for it, to the very file
	 * that was judged.  Unix sockets for datagrams, which need no such
	 * call, are refused then. */
	supervise_may_connect_fn *may_connect;
	struct supervise_limits limits;
	/* Where these are held by the kernel as well, in a group of the
	 * line's own: borrowed for its life.  NULL, or where none can be had:
	 * they are counted alone. */
	struct cgroup *cgroup;
	supervise_may_fn *may_start;	/* NULL: all may */
	/* Asked where that is, before another unit runs: what it judges by may
	 * have changed.  NULL: it has not. */
	void (*renew)(void *ctx);
	/* Aegshs inside of the line are served by this, in a process of its
	 * own: a copy of this one that holds no other descriptor, has no
	 * terminal, and outlives it as long as there may be guests.  It ends
	 * when this returns.  NULL: refuses them.  Without images and limits
	 * no process at all is there before one comes. */
	void (*serve)(void *ctx, const struct supervise_host *host);
	/* Requests to be another user are served by this, each in a process of
	 * its own, which stays in the session of the terminal.  NULL: refuses
	 * them.  approved goes to it: shared memory of the caller's, which it
	 * may unmap when the line has begun, or NULL. */
	void (*broker)(void *ctx, const struct supervise_broker *b);
	void *approved;
	void *ctx;
	char label[SUPERVISE_LABEL];	/* which line it is, for these; or
					 * which unit */
	/* We are a guest ourselves, and this is the socket of
	 * supervise_knock(): nothing of the above; the line is lost when that
	 * ends. */
	bool guest;
	int outer;
};

struct supervisor;

/* Begin one; borrows nothing, but ctx. */
int supervise_start(const struct supervise_opts *opts,
	struct supervisor **ret, struct err *err);
/* What the line's bash needs for supervise_child(); -1: nothing. */
int supervise_child_fd(const struct supervisor *s);
/* That process is on its way, or will never be: the descriptor is closed
 * here. */
void supervise_handed_over(struct supervisor *s);
/* The same wait for a guest whose line was lost with the aegsh around it. */
void supervise_end_with_outer(const struct supervisor *s);
/* Its process, or 0: there is none yet. */
pid_t supervise_pid(const struct supervisor *s);

/* Between clone(2) and execve(2): system calls only.  0; -errno. */
int supervise_child(int fd);

/* Are we inside of a line of aegsh?  1: and this is the socket to the aegsh
 * around it; 0: no; -errno: yes, and it does not answer (-ENOSYS: it is
 * gone). */
int supervise_knock(int *ret_sock);
/* The same of who starts programs as another user; -EPERM: nobody does. */
int supervise_knock_broker(int *ret_sock);
/* It was there, and has ended: it takes the line along in which we stand.
 * Whatever of the line saw us end before that would go on with less, so wait
 * for that, two seconds at most.  Returns at once where sock tells of no
 * end. */
void supervise_await_end(int sock);

struct supervise_guest {
	int sock;		/* to it, owned */
	unsigned number;	/* never 0 */
	pid_t pid;		/* the kernel's word */
	char label[SUPERVISE_LABEL];	/* of the line, or the unit that ran
					 * when it knocked */
};
/* For serve().  The next guest: 1; 0: none is there; -ENODATA: no other will
 * come. */
int supervise_guest(const struct supervise_host *h,
	struct supervise_guest *ret);
/* For broker(): put it to the person, through the aegsh that runs the line;
 * enum supervise_says, or -errno: it is gone.  At most
 * SUPERVISE_QUESTION_MAX bytes. */
#define SUPERVISE_QUESTION_MAX ((size_t)128 * 1024)
int supervise_ask(const struct supervise_broker *b, const char *text,
	size_t len);
/* That aegsh's side: 1, a question, owned, and where its answer goes; 0. */
int supervise_question(struct supervisor *s, char **ret, size_t *ret_len,
	int *ret_sock);
void supervise_reply(int *sock, enum supervise_says says);
/* All that is confined below this process, by whatever line, stands still,
 * and goes on; those that stood before do not. */
struct supervise_stopped;
struct supervise_stopped *supervise_stop(void);
void supervise_go_on(struct supervise_stopped *s);
/* From now on who opens the script gets these bytes, until all that this
 * guest has are released.  0; SUPERVISE_NOT_HELD: this line is not watched;
 * -EBADMSG: the line around was judged with others; -ENOSPC; -errno. */
#define SUPERVISE_NOT_HELD 1
int supervise_hold(const struct supervise_host *h, unsigned guest,
	const struct supervise_script *s);
void supervise_release(const struct supervise_host *h, unsigned guest);
/* The line is killed, and its aegsh, where it is still there, told why. */
void supervise_give_up(const struct supervise_host *h, const char *why);
/* A bash that is there already, unwatched, a child of ours, is watched from its
 * next system call on, as these options say.  ERR_LAYER: it is not, and may be
 * gone. */
int supervise_watch(struct supervisor *s, pid_t pid,
	const struct supervise_opts *opts, struct err *err);
/* All that began so far is taken after it.  waits: the line's bash has nothing
 * to run before the next unit; no time of its own is counted before that, or
 * before this says otherwise. */
void supervise_catch_up(struct supervisor *s, bool waits);
bool supervise_watches(const struct supervisor *s);
/* What its units use is counted: each is to be told, supervise_unit(). */
bool supervise_counts(const struct supervisor *s);
/* The line goes on with a unit of that label; one that is watched, with one
 * that runs these scripts.  0: they are held; ERR_TOO_LONG, -errno: they are
 * not. */
int supervise_unit(struct supervisor *s, const struct supervise_opts *opts,
	struct err *err);

/* A program that started. */
struct supervise_image {
	pid_t pid, ppid;
	int64_t wall_ns, mono_ns;
	uint64_t start;		/* of the process: with pid, its identity */
	const char *path;	/* of the file that runs, the kernel's word */
	const char *argv;	/* its words, each with its NUL; on record cut
				 * after SUPERVISE_ARGV_MAX bytes */
	size_t argv_len;
	const char *said;	/* of it, by may_start(), or "" */
	bool refused;
	/* Only while may_start() is asked: */
	const char *called;	/* the name that execve(2) was given */
	const char *cwd;	/* or "" */
	bool cut;		/* there are more words than argv has */
};
#define SUPERVISE_ARGV_MAX ((size_t)4096)
/* While may_start() is asked: its standard input is a terminal; the file that
 * its parent runs, or "". */
bool supervise_at_terminal(const struct supervise_image *m);
void supervise_parent(const struct supervise_image *m, char *ret,
	size_t size);

/* That child of ours is no part of this line, but another's bash. */
void supervise_other(struct supervisor *s, pid_t pid);

/* Readable when there is something to take; the same descriptor for its
 * life. */
int supervise_poll_fd(const struct supervisor *s);
/* Take what was reported; never blocks.  -ESRCH: it has ended, and the line
 * has not. */
int supervise_take(struct supervisor *s);
/* The line's bash has ended: take the rest.  0: what the line left behind is
 * supervised on; -ESRCH: by nobody, and it is to be killed. */
int supervise_end(struct supervisor *s);
/* Why the line was killed, or NULL. */
const char *supervise_broken(const struct supervisor *s);
/* The limit that it met, in words, or NULL. */
const char *supervise_limited(const struct supervisor *s);
const struct supervise_image *supervise_images(const struct supervisor *s,
	size_t *ret_n, size_t *ret_lost);
/* The line, as in struct supervise_opts, and the addresses that were wanted in
 * it, each once: "tcp 192.0.2.1:80", "unix /run/x"; inert.  Those that
 * may_connect() let nobody reach, "unix /run/x: refused", whether addresses are
 * told or not.  After the most that are told comes one that says so. */
#define SUPERVISE_ADDRESSES_MAX 1000
#define SUPERVISE_ADDRESSES_MORE "others, which are left out"
const struct strv *supervise_network(const struct supervisor *s,
	const char **ret_label);
/* NULL is no supervisor. */
void supervise_free(struct supervisor *s);

/* SIGKILL for a process and all below it. */
void supervise_kill_tree(pid_t pid);
/* The same for all that were told of, or are in its group, whoever is their
 * parent now. */
void supervise_kill_images(const struct supervisor *s);
/* The same for our own children that a line has left us with, again until none
 * is left; line, its bash, is not waited for yet.  Is a child known as
 * something else? */
typedef bool supervise_other_fn(void *ctx, pid_t pid);
void supervise_kill_adopted(pid_t line, supervise_other_fn *is_other,
	void *ctx);

#endif
