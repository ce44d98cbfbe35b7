/* SPDX-License-Identifier: ISC */
/*
 * What comes back from a child: wait status, times, peak memory, and the
 * frame of its state.
 *
 * The frame travels over one end of a stream socket pair, which bash holds
 * as CAPTURE_FD.  Other processes of the line can write there too, so a
 * frame counts only if every byte of it carries the credentials of the
 * bash that was started (SCM_CREDENTIALS, unix(7)), and that process, while
 * it waits in its EXIT trap, still runs in the address space in which it
 * said hello (/proc/PID/environ opened then, proc(5)), so that it has not
 * called execve since.  Bytes of others are dropped.  Anything else leaves
 * the old state in force.
 *
 * bash waits for an answer twice.  So as long as the leader lives, also
 * while it runs in the background, capture_poll_fd() must be polled and
 * capture_feed() called.
 *
 * The frame:
 *	"\0AEGSH1" "\0_" $_  { "\0D" directory-stack entry }  "\0"
 *	umask "\n"  { export NAME="value" "\n" }  { declare -f NAME "\n" }
 *	"\0END\n"
 * or, where more than exports is kept,
 *	…  umask "\n"  { declare -FLAGS NAME="value" "\n" }  "\0F"
 *	{ text of a function }  "\0END\n"
 * in which the first entry is the working directory.  state_import() reads
 * it.
 */
#ifndef AEGSH_CAPTURE_H
#define AEGSH_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"

#define CAPTURE_FD 198		/* outside 0-9, bash's 10+ and 63 downward */
#define CAPTURE_SCRIPT_FD 199	/* the sealed BASH_ENV text */
#define CAPTURE_ENV_MAX 3	/* strings capture_env() adds */
#define CAPTURE_DIRS_MAX ((size_t)98304)	/* capture_dirs(), encoded */

enum capture_frame {
	CAPTURE_MISSING = 0,	/* none came: exec, kill -9, own EXIT trap … */
	CAPTURE_NOT_ASKED,
	CAPTURE_FORGED,		/* written, or rewritten, by somebody else */
	CAPTURE_TOO_LONG,
	CAPTURE_VALID,
};

struct capture;

/* max: bytes of frame that are kept; 0 for a line that is run without
 * capture (no socket then, the descriptors are -1: CAPTURE_NOT_ASKED). */
int capture_new(size_t max, struct capture **ret, struct err *err);
void capture_free(struct capture *c);

/* The child's end, to become CAPTURE_FD there; close it in the parent by
 * capture_begin().  And the end to poll for reading. */
int capture_child_fd(const struct capture *c);
int capture_poll_fd(const struct capture *c);

/* A sealed, non-executable memfd (memfd_create(2)) with the text that bash
 * reads as BASH_ENV; one for the whole session, owned by the room; -errno. */
int capture_script_fd(void);
/* What a line may leave behind for the next. */
enum capture_keep {
	CAPTURE_KEEP_EXPORTS = 0,
	CAPTURE_KEEP_VARIABLES,
	CAPTURE_KEEP_FUNCTIONS,	/* and variables */
};
/* One for a single line, owned by the caller: preamble, commands that only
 * define things, runs in the line's bash before it.  captured false: nothing
 * is brought back, and capture_env() does not apply. */
int capture_script_with(bool captured, enum capture_keep keep,
	const char *preamble, size_t len);
/* Append what bash needs to find it, and $? and $_ of the line before. */
void capture_env(struct strv *envp, int status, const char *last_arg);
/* The same for a line of which nothing is brought back. */
void capture_env_plain(struct strv *envp);

/* Before the leader starts: the entries below the working directory, top
 * first, that its directory stack shall have.  ERR_TOO_LONG past
 * CAPTURE_DIRS_MAX: then it has none. */
int capture_dirs(struct capture *c, char *const *entries);

/* leader runs (or is about to: nothing of it was read yet); time starts. */
void capture_begin(struct capture *c, pid_t leader);
/* Readable: take what is there, answer hello and end.  Never blocks.
 * 1 while more may come, 0 at the end of the stream, -errno. */
int capture_feed(struct capture *c);
/* The leader is dead (its status from wait4(2)); takes what is left. */
void capture_end(struct capture *c, int wait_status,
	const struct rusage *usage);

/* The directory in which the leader was when its frame was checked, opened
 * with O_PATH: what its name cannot tell when the directory was removed or
 * renamed.  -1 when there is none. */
int capture_cwd_fd(const struct capture *c);
/* The resource limits that it had then (getrlimit(2), by number, up to
 * CAPTURE_LIMITS); NULL when they are not known. */
#define CAPTURE_LIMITS 16
const struct rlimit *capture_limits(const struct capture *c);
enum capture_frame capture_frame(const struct capture *c,
	const char **ret_bytes, size_t *ret_len);
/* Why a frame is FORGED or MISSING, in a few words. */
const char *capture_why(const struct capture *c);
int64_t capture_duration_ns(const struct capture *c);
int64_t capture_cpu_ns(const struct capture *c);	/* user + system */
int64_t capture_maxrss_kib(const struct capture *c);

#endif
