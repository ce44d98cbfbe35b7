/* SPDX-License-Identifier: ISC */
/* What the files of exec share. */
#ifndef AEGSH_EXEC_INT_H
#define AEGSH_EXEC_INT_H

#include "aegsh/exec.h"

#include "aegsh/supervise.h"

#include <signal.h>
#include <termios.h>

/* Descriptors that a child finds besides 0, 1, 2 and capture's two.  Like
 * those they lie where bash puts nothing: above 63 downward, below 255. */
#define EXEC_LINE_FD 195	/* a line too long for an argument */
#define EXEC_STDIN_FD 196	/* the real standard input of a stream */
#define EXEC_HIGH_FD 200	/* ours while they are being placed */

#define EXEC_ARG_MAX ((size_t)131072)	/* MAX_ARG_STRLEN, execve(2) */
#define EXEC_FDS_MAX 8
#define EXEC_PAST_MAX 64	/* ended jobs whose status is still known */
#define EXEC_TEXT_MAX 256	/* bytes of a job's text that are kept */

/* ---- exec_child.c: between clone(2) and execve(2) ---------------------- */

enum exec_step {
	EXEC_STEP_NONE = 0,
	EXEC_STEP_PARENT,	/* ends when aegsh does */
	EXEC_STEP_SUPERVISOR,
	EXEC_STEP_GROUP,
	EXEC_STEP_CWD,
	EXEC_STEP_FDS,
	EXEC_STEP_SANDBOX,	/* layer tells which */
	EXEC_STEP_LIMITS,
	EXEC_STEP_GO,		/* waits for the word to become bash */
	EXEC_STEP_TERMINAL,
	EXEC_STEP_EXEC,
};

struct exec_fd {
	int from, to;
};

/* Everything the child needs; it writes only the failure. */
struct exec_child {
	const char *path;
	int shell;		/* the same, as a memory file to be started; 0:
				 * by its path */
	char *const *argv, *const *envp;
	struct exec_fd fd[EXEC_FDS_MAX];
	size_t n_fds;
	int cwd;		/* -1: stays where it is */
	const char *cwd_path;	/* its name, to be entered instead, or NULL */
	int tty;		/* -1: stays in the group it was born in */
	bool foreground;	/* gets the terminal */
	bool own_session;
	bool set_umask;
	mode_t umask;
	const struct rlimit *limits;	/* EXEC_LIMITS, or NULL */
	uint64_t ignored;	/* signals that stay so */
	pid_t parent;		/* aegsh, with whom it ends … */
	int parent_signal;	/* … by this signal, or 0 */
	const struct sandbox *sandbox;
	/* The same, where only sandbox_begin() was called: it is finished
	 * while the child enters the rest. */
	struct sandbox *unfinished;
	const struct sandbox_profile *profile;
	bool inside;		/* only a line's layer: we are confined */
	bool guest;		/* nothing: so is all of this session */
	int supervisor;		/* as supervise_child() wants it, or -1 */
	int notify;		/* write the own pid there before exec, or -1 */
	int word;		/* by this pipe it gets the answer, where
				 * another process asks; or -1 */
	/* As in struct exec_spec; the child waits for the answer before it
	 * becomes bash. */
	int (*settle)(void *ctx, struct err *err);
	int (*ready)(void *ctx, struct err *err);
	void *ctx;
	struct err *err;

	enum exec_step failed;
	enum sandbox_layer layer;
	int error;		/* errno of the failure */
	int refused;		/* what those two said, or the rules did, if
				 * negative */

	/* By this pipe it gets a byte when its rules are made and one more
	 * with the answer; or -1. */
	int go[2];
	int32_t stage;		/* EXEC_CHILD_… */
	bool told;		/* the answer is in the pipe */
};

/* The kernel sets the 0, when the child shares our memory no more. */
enum { EXEC_CHILD_GONE = 0, EXEC_CHILD_ON_ITS_WAY, EXEC_CHILD_WAITING };

/* The answer, which is one byte; that nobody gives one is a no, too. */
enum { EXEC_CHILD_NO = 0, EXEC_CHILD_YES = 1 };
int exec_child_answer(int to, bool yes);

/* Clone with CLONE_VM and flags, and run it.  Returns the pid when bash runs,
 * or -errno with failed set (0: clone itself): then the child, if any, is
 * dead; *ret_dead is its pid, to be waited for, or 0. */
pid_t exec_child_clone(struct exec_child *c, int flags, pid_t *ret_dead);
/* What tells a child that aegsh is gone. */
int exec_parent_signal(bool tty, bool foreground);
/* The failure in words; returns the code for the caller. */
int exec_child_error(const struct exec_child *c, int error, struct err *err);

/* ---- exec_command.c: what bash is called with -------------------------- */

struct exec_command {
	struct strv argv;
	struct strv added;	/* strings of ours in the environment */
	const char **envp;	/* those and the caller's */
	struct exec_fd fd[EXEC_FDS_MAX];
	size_t n_fds;
	int line_fd;		/* a long line's memfd, or -1 */
	int stream_fd;		/* our end of a stream's pipe, or -1 */
	int script_fd;		/* bash's end, or -1 */
	int text_fd;		/* what it starts with, or -1 */
};

int exec_command_make(const struct decision *d, const struct exec_spec *spec,
	const struct capture *capture, struct exec_command *ret,
	struct err *err);
void exec_command_done(struct exec_command *c);
/* What was to be the child's fd is another one. */
void exec_command_redirect(struct exec_command *c, int fd, int from);

/* ---- exec_options.c ---------------------------------------------------- */

/* Leave out what the options stand for.  ERR_REFUSED where the bytes do not
 * begin with it. */
int exec_options_skip(char *const *options, const char **bytes, size_t *len,
	struct err *err);

/* ---- exec_session.c ---------------------------------------------------- */

struct exec_launcher;

struct exec_session {
	struct exec_session_opts opts;
	struct sandbox *sandbox;	/* direct: prepared when first needed */
	int shell;		/* as in struct exec_child */
	struct exec_launcher *launcher;	/* or NULL */
	int child_fd;		/* signalfd of SIGCHLD */
	int end_fd;		/* signalfd of SIGHUP and SIGTERM */
	int poll_fd;		/* epoll: child_fd, captures of jobs; or -1 */
	bool blocked_child;	/* SIGCHLD: so that child_fd tells of it */
	pid_t pgrp;		/* our own group */
	pid_t old_pgrp;		/* that had the terminal before us */
	bool has_modes;
	struct termios modes;	/* of the terminal, for us */
	struct job **jobs;	/* the table, oldest first */
	size_t n_jobs;
	struct job *current, *previous;
	struct {
		pid_t pid;
		int status;
	} past[EXEC_PAST_MAX];		/* jobs that ended, a ring */
	size_t n_past;
	pid_t *watchers;	/* supervisors of lines that are over */
	size_t n_watchers;
	pid_t spared[EXEC_SPARED_MAX];	/* children that are not ours to
					 * reap */
	unsigned quiet;		/* SIGINT and SIGQUIT are ignored */
	bool holds;		/* what ends us waits: it is passed on */
	sigset_t old_mask;
	struct sigaction old_int, old_quit, old_child, old_tty[3];
};

/* While a child shares our process group, the keyboard's signals are its
 * to answer: as sh does, we wait and see what it dies of. */
void exec_session_quiet(struct exec_session *s);
void exec_session_loud(struct exec_session *s);
/* So are those that end us, from before it starts; but while a stream waits
 * for input there is nobody to answer. */
void exec_session_hold(struct exec_session *s);
void exec_session_release(struct exec_session *s);

/* ---- exec_shell.c: bash where shells are withheld ------------------------ */

/* Where the profile denies shells, a sealed memory file with bash in it, above
 * all numbers that children are given, else 0; ERR_LAYER. */
int exec_shell_open(const struct sandbox_profile *p, struct err *err);

/* ---- exec_try.c --------------------------------------------------------- */

/* A process of ours that ends as the line does, which runs in that place; a
 * negative code. */
pid_t exec_try(struct exec_session *s, struct try *t, struct exec_child *c,
	struct err *err);

/* ---- exec_job.c -------------------------------------------------------- */

struct job {
	pid_t pid;
	bool own_group;		/* whose leader it is */
	int64_t end_ns;		/* when it is killed, or 0 */
	bool timed_out;
	int cancel_fd;		/* 0: none, or no more */
	bool cancelled;
	bool foreground;
	bool quiet;		/* holds exec_session_quiet() */
	bool orphans;		/* bash is gone; its group is the job */
	pid_t survivor;		/* one of that group */
	bool keep;		/* not to be hung up */
	bool bound;		/* started so that it ends with us */
	unsigned number;
	int64_t tag;
	enum job_state told;
	enum job_state state;
	int wait_status;
	char *text;
	struct capture *capture;
	bool capture_open;	/* more may come */
	bool watched;		/* it wakes poll_fd */
	bool minded;		/* so does its supervisor */
	bool has_modes;
	struct termios modes;	/* of the terminal, for it */
	struct exec_stream *stream;
	struct supervisor *supervisor;	/* or NULL */
	struct relay *relay;	/* or NULL */
};

/* Put into the table, and mark it as bash would. */
void exec_job_enter(struct exec_session *s, struct job *j);
void exec_job_signal(const struct job *j, int sig);
/* Feed its capture while there is something, never blocking. */
void exec_job_feed(struct exec_session *s, struct job *j);

/* Its capture, if it waits for one, no longer or from now on wakes
 * exec_poll_fd(). */
void exec_job_watch(struct exec_session *s, struct job *j, bool on);
/* The same for its supervisor, as long as the job is in the table. */
void exec_job_mind(struct exec_session *s, struct job *j, bool on);

/* ---- exec_end.c -------------------------------------------------------- */

/* Look once whether it has stopped, goes on or has ended.  0; -errno. */
int exec_job_reap(struct exec_session *s, struct job *j);
/* Kill it with all that it started, as far as that can be known. */
void exec_job_kill(struct exec_session *s, struct job *j);
/* Hear its supervisor; without one that lives, the line is killed. */
void exec_job_hear(struct exec_session *s, struct job *j);
/* The same for who carries its output, or that of the session's terminal. */
void exec_job_mind_output(struct exec_session *s, struct job *j);

/* ---- exec_marks.c ------------------------------------------------------ */

/* It stopped, or came to the front: it is the current job. */
void exec_marks_set(struct exec_session *s, struct job *j);
/* Another began or ended, or goes on: the rules say which one it is. */
void exec_marks_reset(struct exec_session *s);
/* It has left the table. */
void exec_marks_forget(struct exec_session *s, const struct job *j);

/* ---- exec_reap.c ------------------------------------------------------- */

int exec_reap_init(struct err *err);
/* The same as exec_job_reap() for a job whose bash is gone. */
int exec_reap_orphans(struct job *j);
/* The supervisor of a line that is over, which ends with what is left of
 * it; and those that have ended. */
void exec_reap_later(struct exec_session *s, pid_t watcher);
void exec_reap_watchers(struct exec_session *s);
/* A child that somebody else asks for: a line, its supervisor, the launcher, a
 * helper.  s: the session. */
bool exec_reap_is_known(void *s, pid_t pid);
/* Children that nobody knows and that are dead; j: a line that is waited for,
 * or NULL. */
void exec_reap_strays(struct exec_session *s, const struct job *j);

/* ---- exec_tty.c -------------------------------------------------------- */

/* Own group, in the foreground, stop signals ignored. */
int exec_tty_init(struct exec_session *s, struct err *err);
void exec_tty_done(struct exec_session *s);
void exec_tty_give(struct exec_session *s, struct job *j);
void exec_tty_take(struct exec_session *s, struct job *j);
/* Every process of the leader's group that could go on has stopped, though
 * the leader has not: a program that stopped itself alone. */
bool exec_tty_stuck(pid_t leader);

/* ---- exec_stream.c ----------------------------------------------------- */

struct exec_stream {
	int fd;			/* write end of bash's script */
	unsigned long line;	/* lines that bash was given */
	struct strv options;	/* that each unit was judged with */
	size_t skipped;		/* lines that it shall count before the next */
	bool fed;		/* a unit, at least */
};

void exec_stream_free(struct exec_stream *st);
/* A unit as bash gets it. */
void exec_stream_wrap(struct exec_stream *st, const char *unit, size_t len,
	struct buf *out);

/* ---- exec_wait.c ------------------------------------------------------- */

#define EXEC_NO_READER 2

/* Signals that end us, where nobody told us to ignore them. */
void exec_ending_signals(sigset_t *ret);

/* Until the job ends or stops (0), or fd (-1: none) can be written (1) or
 * has lost its reader (EXEC_NO_READER); -errno. */
int exec_wait_for(struct exec_session *s, struct job *j, int fd,
	struct err *err);

/* ---- exec_launch.c, exec_launcher.c ------------------------------------ */

#define EXEC_LAUNCH_MAX ((size_t)8 * 1024 * 1024) /* argv and environ */
#define EXEC_LAUNCH_INLINE ((size_t)48 * 1024)	/* more goes in a memfd */
#define EXEC_LAUNCH_STRINGS 262144	/* strings of both */

/* Descriptors of the launcher. */
enum { EXEC_LAUNCHER_SOCK = 3, EXEC_LAUNCHER_NOTE, EXEC_LAUNCHER_TTY,
	EXEC_LAUNCHER_FREE };

/* A request: this, then pathc + argc + envc strings with their NULs, in the
 * packet or, when it is long, in a memory file.  Descriptors: cwd, those to
 * be placed, the one to the supervisor, the one by which the child is told
 * whether to become bash, the memory file. */
#define EXEC_REQUEST_FDS (EXEC_FDS_MAX + 4)
struct exec_request {
	uint32_t pathc;		/* 1 when the name of cwd is there, else 0 */
	uint32_t argc, envc, bytes, n_fds;
	int32_t to[EXEC_FDS_MAX];
	uint64_t ignored;
	uint32_t umask;
	uint8_t tty, foreground, set_umask, in_file, set_limits, supervised,
	    held;
	struct rlimit limits[EXEC_LIMITS];
};

struct exec_reply {
	int32_t error;		/* 0: bash runs as pid */
	int32_t pid;		/* else the dead child's, or 0 */
	int32_t failed, layer;
};

/* The launcher's first word. */
struct exec_ready {
	int32_t code;		/* 0: it stands in the sandbox */
	char text[ERR_TEXT_MAX];
};

/* Begin, and forget, a launcher; what it can't set up shows at the first
 * line. */
int exec_launch_start(struct exec_session *s, struct err *err);
void exec_launch_stop(struct exec_session *s);
/* Its pid, or 0. */
pid_t exec_launch_pid(const struct exec_session *s);
/* The same as exec_child_clone(), done by the launcher; what is to be asked is
 * asked here, while the child is on its way.  The pid or a negative code. */
pid_t exec_launch(struct exec_session *s, struct exec_child *c,
	struct err *err);
/* In the forked process, with its descriptors in place; never returns. */
void exec_launcher_main(const struct sandbox_profile *profile,
	const char *bash) __attribute__((noreturn));

#endif
