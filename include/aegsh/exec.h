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
#include <sys/resource.h>
#include <sys/types.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/capture.h"
#include "aegsh/decision.h"
#include "aegsh/relay.h"
#include "aegsh/relay_term.h"
#include "aegsh/sandbox.h"
#include "aegsh/supervise.h"
#include "aegsh/try.h"

struct exec_session_opts {
	const struct sandbox_profile *profile;	/* outlives the session */
	/* We are inside of a line of another aegsh (supervise_knock()): what
	 * is started stands in its sandbox, as we do, and gets none besides.
	 * No profile and no launcher; ERR_LAYER where that cannot be true. */
	bool guest;
	bool launcher;
	bool once;		/* hardly more than one process is started: what
				 * its sandbox took is given back beside it */
	int tty;		/* to hand over, or -1: no job control */
	uint64_t ignored;	/* bit n-1: signal n was ignored when aegsh was
				 * started (nohup) and stays so in children */
	size_t state_max;	/* bytes of a state frame */
	bool ends_survivors;	/* what lines have left behind ends with it,
				 * whatever group or session it is in */
	/* What carries all that the terminal gets, or NULL: when it is lost
	 * the line in front is killed. */
	struct relay_term *term;
	/* What broker() of a line's supervisor asks (supervise_ask()) is put to
	 * the person by this, while all of the line stands still and the
	 * terminal is ours; NULL: nobody is there. */
	bool (*question)(void *ctx, const char *text, size_t len);
	void *ctx;
};
struct exec_session;

/* Returns at once; a launcher gets ready beside us, and what it cannot set
 * up refuses the first line. */
int exec_session_new(const struct exec_session_opts *opts,
	struct exec_session **ret, struct err *err);
void exec_session_free(struct exec_session *s);
/* The session is about to end, without that. */
void exec_end_survivors(struct exec_session *s);

#define EXEC_LIMITS 16

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
	char *const *options;	/* of bash before -c or -s: "-e", "-o",
				 * "pipefail", …; NULL: none.  The decision
				 * begins with exec_options_text() of them */
	size_t preamble;	/* bytes at the start of the decision, whole
				 * lines, that only define what earlier lines
				 * left: run before the line, not as a part */
	enum capture_keep keep;	/* what the line leaves, with bring_back */
	size_t amp;		/* 1 + offset of the & behind the whole line
				 * (in the decision, with its preamble),
				 * which we carry out: bash gets a blank in
				 * its place.  0: none */
	int status;		/* $? before it */
	const char *last_arg;	/* $_ before it, or NULL */
	char *const *dirs;	/* for capture_dirs(), or NULL */
	bool set_umask;		/* else aegsh's own */
	mode_t umask;
	const struct rlimit *limits;	/* EXEC_LIMITS by number, as far as
				 * they can be had; NULL: aegsh's own */
	/* Asked one after the other before bash is started, or NULL; a
	 * negative code ends it there.  settle(): what is waited for while
	 * the process may be on its way into its sandbox; by errno it may
	 * learn only why it fails, and wrongly.  ready(): last of all, when
	 * that process stands still or is not made yet; without it nobody
	 * waits until it does. */
	int (*settle)(void *ctx, struct err *err);
	int (*ready)(void *ctx, struct err *err);
	void *ctx;
	const int *std;		/* to be its 0, 1 and 2; NULL: our own */
	bool own_session;	/* setsid(2): no terminal, no signal of it */
	unsigned limit_ms;	/* then its group is killed; 0: no limit */
	int cancel_fd;		/* readable: the same; 0: none */
	const struct supervise_opts *supervise;	/* NULL: nobody watches */
	/* What it writes is seen (relay.h), where that can be; not of a try,
	 * nor with std.  NULL: it goes where it goes. */
	const struct relay_opts *relay;
	/* Run it there (try.h), where nothing that it does stays: also what
	 * has still to be asked about.  Reads nothing, and what it writes goes
	 * where the try says.  With own_session; NULL: for real. */
	struct try *trial;
};

/* The commands that would set these options, one a line. */
void exec_options_text(char *const *options, struct buf *out);

struct job;

/* ERR_REFUSED unless the decision is DECISION_ALLOW, or DECISION_CONFIRM and
 * this is a try; ERR_LAYER when the
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
bool job_cancelled(const struct job *j);	/* cancel_fd */
unsigned job_number(const struct job *j);	/* %N, 0: not in the table */
const char *job_text(const struct job *j);
/* A process of it that lives: bash, or what bash left behind. */
pid_t job_process(const struct job *j);
/* What carries its output, or NULL. */
struct relay *job_relay(const struct job *j);
/* What watches it, or NULL. */
const struct supervisor *job_supervisor(const struct job *j);
/* It began in front and ends with aegsh, whatever is done to the job. */
bool job_bound(const struct job *j);
/* The terminal is its own, or was when it ended. */
bool job_in_front(const struct job *j);
int job_stop_signal(const struct job *j);	/* that stopped it, or 0 */
bool job_dumped(const struct job *j);		/* it left a core file */
/* A number of the caller's own, 0 at first. */
void job_set_tag(struct job *j, int64_t tag);
int64_t job_tag(const struct job *j);
/* The state that the person was last told of; begins as JOB_RUNNING. */
enum job_state job_told(const struct job *j);
void job_set_told(struct job *j, enum job_state told);
/* Not to be hung up with the rest (disown -h). */
void job_keep(struct job *j);

/* Until it ends, stops, or (a stream) wants more input.  The terminal is
 * handed over and taken back, its modes restored. */
int exec_wait(struct exec_session *s, struct job *j, struct err *err);
/* Stream: one judged unit.  Returns when bash has taken it and asks for
 * more (1) or has ended (0); -errno.  d must allow.  supervise: as in struct
 * exec_spec, of this unit; of the first it is that one which counts.  A
 * unit whose supervisor cannot be had is not fed, and its bash may have been
 * killed. */
int exec_feed(struct exec_session *s, struct job *j, const struct decision *d,
	const struct supervise_opts *supervise, struct err *err);
/* Only blanks, comments, and newlines, continued or not: nothing that could
 * be run. */
bool exec_is_blank(const char *text, size_t len);
/* Stream: lines of the input with nothing to run in them, which were not
 * fed; the next unit stands that much further down ($LINENO). */
void exec_feed_skip(struct job *j, size_t lines);
/* Stream: no more input; then exec_wait(). */
void exec_feed_end(struct exec_session *s, struct job *j);
void job_free(struct exec_session *s, struct job *j);

/*
 * For broker() of a line's supervisor: a program that may gain rights.
 * ERR_REFUSED unless the decision allows just these words; -errno where it
 * did not start.
 */
struct exec_elevated {
	const char *path;		/* of a program that nobody but root
					 * can change */
	char *const *argv, *const *envp;	/* argv: that are decided */
	/* Those by which the same is run inside of a sandbox that we cannot
	 * enter for it, or by which it is asked whether it may be; NULL:
	 * argv. */
	char *const *run;
	const int *std;			/* to be its 0, 1 and 2 */
	int cwd;
	pid_t group;			/* of this session */
	mode_t umask;
	struct rlimit files;
	/* Within these the kernel itself ends it, whoever it has become:
	 * by SIGXCPU, and by SIGALRM; 0: never. */
	uint64_t cpu_ms, wall_ms;
};
int exec_elevate(const struct decision *d, const struct exec_elevated *e,
	pid_t *ret_pid, struct err *err);

/* One of the job table, of stopped and background jobs.  spec: %…, a number,
 * the beginning of a text, or NULL for the current one.  Where several match,
 * NULL and *ret_ambiguous. */
struct job *exec_job(struct exec_session *s, const char *spec,
	bool *ret_ambiguous);
/* That the process belongs to, or NULL. */
struct job *exec_job_of(struct exec_session *s, pid_t pid);
/* What became of one that has left the table (of the last few that ended);
 * false when it is not known. */
bool exec_past(const struct exec_session *s, pid_t pid, int *ret_status);
/* Each, with the sign that jobs gives it (+, -, blank), until fn returns other
 * than 0, which is returned then; fn may free the job. */
int exec_each_job(struct exec_session *s,
	int (*fn)(void *ctx, struct job *j, char mark), void *ctx);
int job_continue(struct exec_session *s, struct job *j, bool foreground,
	struct err *err);
/* Every process of the job; a stopped one goes on when it is to end. */
int job_kill(struct exec_session *s, struct job *j, int sig);
/*
 * The bash of this line has ended, but processes of its group live: they are
 * the job from now on, which ends with the last of them.  False when there
 * are none.  (With job control, aegsh is the reaper of what its lines leave
 * behind, PR_SET_CHILD_SUBREAPER, prctl(2).)
 */
bool exec_linger(struct exec_session *s, struct job *j);
/* Out of the table: nobody waits for it any more. */
void job_disown(struct exec_session *s, struct job *j);
/* Reap and move what ended or stopped on its own; never blocks. */
void exec_poll_jobs(struct exec_session *s);
/* Readable when exec_poll_jobs() has something to do. */
int exec_poll_fd(const struct exec_session *s);
/* Children that are somebody else's to reap, in place of those of before; 0:
 * none. */
#define EXEC_SPARED_MAX 4
void exec_spare(struct exec_session *s, const pid_t pids[EXEC_SPARED_MAX]);
/* Sleep until something may have happened to a job (0), or cancel_fd can be
 * read (1); -errno. */
int exec_wait_jobs(struct exec_session *s, int cancel_fd);
/* The terminal or whoever started us is gone: SIGHUP and SIGCONT to what is
 * left. */
void exec_hangup(struct exec_session *s);
/* The person leaves: what is stopped would stay so for ever and is ended. */
void exec_leave(struct exec_session *s);

#endif
