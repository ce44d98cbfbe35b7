/* SPDX-License-Identifier: ISC */
/*
 * Running what was decided: a fresh bash per line, cloned with CLONE_VM |
 * CLONE_VFORK, confined, with only the descriptors that are meant; process
 * groups, the terminal, waiting.
 *
 * A session either confines each child itself (one-shot), or starts a
 * launcher: a small process that enters the session's domain once and
 * clones each line's bash with CLONE_PARENT, so that it is aegsh's own
 * child, may signal the jobs of earlier lines, and cannot touch aegsh.
 * Commands can kill the launcher: nothing that guards lives in it; the
 * next line starts another.
 */
#ifndef AEGSH_EXEC_H
#define AEGSH_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/capture.h"
#include "aegsh/decision.h"
#include "aegsh/sandbox.h"

struct exec_session_opts {
	const struct sandbox_profile *profile;	/* outlives the session */
	bool launcher;
	int tty;		/* to hand over, or -1: no job control */
	uint64_t ignored;	/* bit n-1: signal n was ignored when aegsh was
				 * started (nohup) and stays so in children */
	size_t state_max;	/* bytes of a state frame */
};
struct exec_session;

/* Returns at once; a launcher gets ready beside us, and what it cannot set
 * up refuses the first line. */
int exec_session_new(const struct exec_session_opts *opts,
	struct exec_session **ret, struct err *err);
void exec_session_free(struct exec_session *s);

enum exec_kind {
	EXEC_LINE = 0,		/* bash -c BYTES argv0 args… */
	EXEC_STREAM,		/* bash -s args…, fed by exec_feed() */
};

struct exec_spec {
	enum exec_kind kind;
	const char *argv0;	/* $0 */
	char *const *args;	/* $1 …, NULL-terminated, or NULL */
	char *const *envp;
	bool bring_back;	/* wants the state frame */
	bool foreground;	/* with a tty: gets it; else runs beside */
	int status;		/* $? before it */
	const char *last_arg;	/* $_ before it, or NULL */
	char *const *dirs;	/* for capture_dirs(), or NULL */
	bool set_umask;		/* else aegsh's own */
	mode_t umask;
	const int *std;		/* to be its 0, 1 and 2; NULL: our own */
	bool own_session;	/* setsid(2): no terminal, no signal of it */
	unsigned limit_ms;	/* then its group is killed; 0: no limit */
};

struct job;

/* ERR_REFUSED unless the decision is DECISION_ALLOW; ERR_LAYER when the
 * sandbox cannot be had; -errno.  Runs the decision's own bytes. */
int exec_start(struct exec_session *s, const struct decision *d,
	const struct exec_spec *spec, struct job **ret, struct err *err);

enum job_state { JOB_RUNNING = 0, JOB_STOPPED, JOB_DONE };
pid_t job_pid(const struct job *j);
enum job_state job_state(const struct job *j);
const struct capture *job_capture(const struct job *j);
int job_status(const struct job *j);	/* as $?: 128 + n by signal */
int job_signal(const struct job *j);		/* that ended it, or 0 */
bool job_timed_out(const struct job *j);	/* limit_ms */
unsigned job_number(const struct job *j);	/* %N, 0: not in the table */
const char *job_text(const struct job *j);

/* Until it ends, stops, or (a stream) wants more input.  The terminal is
 * handed over and taken back, its modes restored. */
int exec_wait(struct exec_session *s, struct job *j, struct err *err);
/* Stream: one judged unit.  Returns when bash has taken it and asks for
 * more (1) or has ended (0); -errno.  d must allow. */
int exec_feed(struct exec_session *s, struct job *j, const struct decision *d,
	struct err *err);
/* Stream: lines of the input with nothing to run in them, which were not
 * fed; the next unit stands that much further down ($LINENO). */
void exec_feed_skip(struct job *j, size_t lines);
/* Stream: no more input; then exec_wait(). */
void exec_feed_end(struct exec_session *s, struct job *j);
void job_free(struct exec_session *s, struct job *j);

/* The job table: stopped and background jobs. */
/* spec: %…, a number, or NULL for the current one. */
struct job *exec_job(struct exec_session *s, const char *spec);
int exec_each_job(struct exec_session *s,
	int (*fn)(void *ctx, struct job *j, char mark), void *ctx);
int job_continue(struct exec_session *s, struct job *j, bool foreground,
	struct err *err);
/* Reap and move what ended or stopped on its own; never blocks. */
void exec_poll_jobs(struct exec_session *s);
/* End of session: SIGHUP and SIGCONT to what is left. */
void exec_hangup(struct exec_session *s);

#endif
