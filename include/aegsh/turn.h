/* SPDX-License-Identifier: ISC */
/*
 * One turn: the only place that knows the order
 *
 *	line → syntax → policy → validator → decision ║ exec → capture → audit
 *
 * The prompt, -c, scripts, streams and builtins all go through
 * turn_judge() and turn_act(); there is no other way to start anything.
 */
#ifndef AEGSH_TURN_H
#define AEGSH_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/audit.h"
#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/conf.h"
#include "aegsh/decision.h"
#include "aegsh/exec.h"
#include "aegsh/line.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"
#include "aegsh/state.h"
#include "aegsh/supervise.h"

#define TURN_STATUS_BLOCKED 126		/* $? of a line that was refused */
#define TURN_STATUS_SYNTAX 2		/* … that cannot be read */
#define TURN_STATUS_UNKNOWN 127		/* … whose end is not known */

struct turn;
struct turn_judged;
struct turn_trial;

/* What a person says to a question.  Only yes runs the line. */
enum turn_says { TURN_SAYS_NO = 0, TURN_SAYS_YES,
	TURN_SAYS_EDIT,		/* no, and it is wanted back, to be changed */
	TURN_SAYS_TRY };	/* not yet: it is to be tried */

/* The stages that may live elsewhere; turn_local keeps them in this
 * process. */
struct turn_ops {
	void (*judge)(struct turn *t, const struct policy_input *in,
		struct policy_verdict *ret);
	void (*ask)(struct turn *t, const struct val_question *q,
		struct val_verdict *ret);
	/* On its way when it returns 0; durable, when settle does (NULL: it
	 * is already). */
	int (*intent)(struct turn *t, struct audit_event *ev, struct err *err);
	void (*outcome)(struct turn *t, int64_t id,
		const struct audit_outcome *o);
	int (*settle)(struct turn *t, struct err *err);
};
extern const struct turn_ops turn_local;

/* Builtins that change the shell itself.  out goes to standard output,
 * complaint to standard error; the return value is $?. */
struct turn_builtin {
	const char *name;
	const char *usage, *help;
	int (*run)(void *ctx, int argc, char *const *argv, struct buf *out,
		struct buf *complaint);
	/* Which calls are this row's (kill: of jobs); NULL: all. */
	bool (*wants)(void *ctx, int argc, char *const *argv);
	/* True where it starts or continues a process: then the intent is
	 * durable before it runs, as for any line. */
	bool starts;
};

struct turn_opts {
	const struct conf *conf;
	struct state *state;
	const char *profile;		/* NULL: the configured one */
	bool bound;			/* profile may only be stricter than
					 * it, as in a managed install */
	bool rescue;			/* no files: what is built in judges */
	bool operator;			/* in a rescue: may mend things; has no
					 * rules of his own */
	bool login;			/* a login shell */
	uid_t uid, loginuid;
	const char *home, *user, *version;
	const char *conf_user;		/* the user's settings directory */
	enum line_origin origin;
	bool session;			/* more than one line: launcher, state
					 * comes back */
	int tty;			/* for job control; -1: none */
	struct relay_term *term;	/* that stands around it, or NULL */
	const char *argv0;		/* $0 of lines */
	char *const *bash_options;	/* for the bash of each unit, as in
					 * struct exec_spec: judged with it */
	uint64_t ignored;		/* signals that the caller ignored, as
					 * in struct exec_session_opts */
	const struct turn_ops *ops;	/* NULL: turn_local */
	const struct turn_builtin *const *builtins;	/* NULL-terminated */
	/* The person, where there is one, is asked about what turn_decision()
	 * has of it. */
	enum turn_says (*confirm)(void *ctx, struct turn *t,
		const struct turn_judged *j);
	/* It was tried: show that, ask, and commit; what is not committed is
	 * discarded.  r NULL: it could not be, as err says, and is asked about
	 * again.  NULL where confirm never says so. */
	void (*tried)(void *ctx, struct turn *t, const struct turn_judged *j,
		struct turn_trial *r, const struct err *err);
	void (*progress)(void *ctx, int64_t waited_ns, const char *who);
	int cancel_fd;			/* readable on Ctrl-C; -1 */
	void *ctx;
	/* We are inside of a line of another aegsh, and this is the socket of
	 * supervise_knock(): that one judges and records, by its rules. */
	bool guest;
	int outer;
};

/* ERR_LAYER: terminal or processes cannot be had; any other error is of a
 * file that cannot be used. */
int turn_new(const struct turn_opts *opts, struct turn **ret, struct err *err);
void turn_free(struct turn *t);
/* For who exits next and ran no session: what others wait for is done, the
 * end of the record and of the helper; the rest is left to the kernel, which
 * is quicker at it. */
void turn_end(struct turn *t);

/* Parse and judge.  Always gives a result, whose decision may be to
 * block. */
struct turn_judged *turn_judge(struct turn *t, const struct line *line);
void turn_judged_free(struct turn_judged *j);
/* Between two lines: look again at the rules of the operator. */
void turn_follow_rules(struct turn *t);
/*
 * What the rules alone say of text that nobody has sent yet: nobody is asked,
 * nothing is recorded or remembered, and nothing comes of it that could be
 * run.  Strictest first, but for what is not known.
 */
enum turn_outlook { TURN_OUTLOOK_NONE = 0,	/* a guest: others judge it */
	TURN_OUTLOOK_OPEN,		/* more must be typed */
	TURN_OUTLOOK_UNREADABLE,
	TURN_OUTLOOK_BLOCK,		/* a rule refuses it */
	TURN_OUTLOOK_NO_COMMAND,	/* a command of it is not there */
	TURN_OUTLOOK_NOT_LET,		/* no rule lets it run */
	TURN_OUTLOOK_ASK,
	TURN_OUTLOOK_MODEL,		/* a language model would be asked */
	TURN_OUTLOOK_RUN };
/* tell, where it is not NULL, is given what was judged; not where the outlook
 * is NONE or OPEN. */
enum turn_outlook turn_foresee(struct turn *t, const char *text, size_t len,
	void (*tell)(void *ctx, const struct turn_judged *j), void *ctx);
const struct decision *turn_decision(const struct turn_judged *j);
/* Bytes of the decision that were put in front of the line. */
size_t turn_prefix(const struct turn_judged *j);
/* The command that the decision is about, as it was written; or NULL. */
const char *turn_part(const struct turn_judged *j);
/* A program of a line that runs wants that, and not the person. */
bool turn_is_inside(const struct turn_judged *j);
/* "line 2, column 5: …" of a line that cannot be read, else NULL. */
const char *turn_syntax_error(const struct turn_judged *j);

/* Ask the person where the decision says so; then it allows or blocks. */
void turn_confirm(struct turn *t, struct turn_judged *j);
/* What the person said: "yes", "no", "edit", "try", or NULL: nobody was
 * asked. */
const char *turn_answer(const struct turn_judged *j);
/* What else is known of the line and of why it is asked about: headings, and
 * lines of text, not inert, below each. */
void turn_tell(const struct turn *t, const struct turn_judged *j,
	void (*fn)(void *ctx, const char *heading, const char *text,
	size_t len), void *ctx);

/*
 * A command line that is nothing but a shell reading its commands from
 * standard input (bash -s).  turn_act() puts it on record and starts
 * nothing; the commands are the caller's to read and to have judged: unit by
 * unit as a stream, or (another shell than the one that runs lines) as one
 * text that the shell gets in a here-document.
 */
enum turn_reads { TURN_READS_NOTHING = 0, TURN_READS_UNITS, TURN_READS_TEXT };
/* argv: the shell's name and its arguments, as long as j lives; untouched
 * where nothing is read. */
enum turn_reads turn_reads(struct turn_judged *j, char *const **ret_argv);

struct turn_result {
	bool ran;
	int status;		/* $? */
	int signal;		/* that ended it, or 0 */
	bool killed;		/* it ran, and its supervisor ended it: note
				 * has why */
	bool kept_back;		/* it met a limit of its profile, or started
				 * what policy blocks: note has which, and is
				 * said wherever the line came from */
	bool stopped;		/* the job stopped; it is in the table */
	bool replaced;		/* the line was "exec CMD", and CMD has ended:
				 * so does the session */
	unsigned job;		/* number of the job that goes on beside the
				 * prompt, or 0 … */
	pid_t job_pid;		/* … and a process of it */
	char note[256];		/* what the person should hear once: the state
				 * that was not brought back, … or "" */
	struct err err;		/* why it could not be run */
};

/* Run what was judged, bring its state back, record both sides.  args: $1
 * and on, or NULL; argv0 NULL: the turn's. */
void turn_act(struct turn *t, struct turn_judged *j, const char *argv0,
	char *const *args, struct turn_result *ret);

/*
 * A dry run (try.h) of what was judged, in its sandbox, without network: also
 * of what asks, since nothing of it stays.  On record like any line.
 * ERR_REFUSED: it is blocked, or no line for that; ERR_LAYER: no try can be
 * made here.
 */
struct turn_trial_opts {
	int out, err;		/* as in struct try_opts */
	uint64_t size;
};
int turn_try(struct turn *t, struct turn_judged *j,
	const struct turn_trial_opts *o, struct turn_trial **ret,
	struct err *err);
/* What it did; the trial's. */
const struct try *turn_trial_try(const struct turn_trial *r);
const struct turn_result *turn_trial_result(const struct turn_trial *r);
/* The programs that started, and the addresses that were wanted; inert.
 * Empty where the machine lets nobody look (sandbox_yama()). */
const struct strv *turn_trial_programs(const struct turn_trial *r);
const struct strv *turn_trial_network(const struct turn_trial *r);
/* As try_commit().  said_yes: a person saw what it did, and wants it; what
 * asks is not committed without. */
int turn_try_commit(struct turn *t, const struct turn_judged *j,
	struct turn_trial *r, bool said_yes, size_t *ret_done,
	struct err *err);
/* What was not committed is discarded, on record. */
void turn_trial_free(struct turn *t, struct turn_trial *r);

/* A stream of units that share one bash.  act() as turn_act(); ret->ran
 * false ends the stream. */
void turn_stream_act(struct turn *t, struct turn_judged *j,
	const char *argv0, char *const *args, struct turn_result *ret);
/*
 * A start-up file that was judged as a line of origin LINE_LOGIN, run as
 * `bash -l -c` would: in the sandbox profile "login" whatever the policy
 * profile names, in a session of its own without a terminal, with nothing
 * on standard input and at most limit_ms.  What it writes, up to
 * TURN_LOGIN_OUT_MAX bytes, is added to out.  ret->note tells why its state
 * was not taken over, and is empty when it was.
 */
#define TURN_LOGIN_OUT_MAX ((size_t)65536)
void turn_login_act(struct turn *t, struct turn_judged *j, unsigned limit_ms,
	struct buf *out, struct turn_result *ret);
/* There are no more of them. */
void turn_login_end(struct turn *t);
/* No more input; waits for bash.  ret->status is that of the stream. */
void turn_stream_end(struct turn *t, struct turn_result *ret);
bool turn_stream_over(const struct turn *t);

/* Why the text cannot be read, owned; NULL where it can. */
char *turn_unreadable(const char *text, size_t len);
/* Lines of a stream until they make a unit (line_cut_fn);
 * ctx is the turn. */
void turn_cut(void *ctx, const char *text, size_t len,
	bool (*next)(void *ctx, const char **ret, size_t *ret_len),
	void *next_ctx);
/* Is the text a whole unit?  For readers; ctx is the turn. */
int turn_complete(void *ctx, const char *text, size_t len,
	const char **ret_open);

/* While the prompt waits: flush the record, look after jobs, get the
 * validator's helper going. */
void turn_idle(struct turn *t);

/* A job of the table has ended: its outcome is recorded, and it is freed. */
void turn_job_end(struct turn *t, struct job *job);
/* Nobody waits for it any more. */
void turn_job_disown(struct turn *t, struct job *job);
/* The session is over: what is left of jobs is recorded so and, where it
 * was hung up, told. */
void turn_leave(struct turn *t, bool hung_up);

/* The other one's, inside of it. */
const char *turn_profile(const struct turn *t);
bool turn_is_guest(const struct turn *t);
struct exec_session *turn_exec(struct turn *t);
pid_t turn_last_pid(const struct turn *t);	/* $! of the session, or 0 */
struct audit *turn_audit(struct turn *t);	/* NULL: not recorded */
const struct policy *turn_policy(const struct turn *t);	/* NULL: a guest */
/* The places of this session, for a profile's text; borrowed from the turn. */
void turn_sandbox_vars(const struct turn *t, struct sandbox_vars *ret);
/* What of the user's rules and wishes was not followed, and why. */
const struct strv *turn_notes(const struct turn *t);
/* What happened to the policy while the session lasts; owned, or NULL: the
 * person knows it all. */
char *turn_take_news(struct turn *t);
/* Why no line will run (a required layer of the sandbox that the kernel does
 * not have, a store in a place that commands could change): told at the
 * start of a session.  0, or what each line would be refused with. */
int turn_check_sandbox(const struct turn *t, struct err *err);
/* How the model did last: VAL_NOT_CONFIGURED, VAL_ANSWERED, VAL_FAILED. */
enum val_status turn_validator_health(const struct turn *t);
/* Why lines are not recorded, or NULL. */
const char *turn_unrecorded(const struct turn *t);
/* How much is kept of what lines write (sample, full), or NULL: nothing; and
 * why some of it was not, or NULL. */
const char *turn_output_kept(const struct turn *t);
const char *turn_output_trouble(const struct turn *t);
/* Why the setting's witness was not told how far the record has come, or
 * NULL. */
const char *turn_unheard(const struct turn *t);
/* Where the record is that does not answer, how many of its rows wait for
 * that, and whether they are on disk meanwhile; NULL: it does. */
const char *turn_stalled(struct turn *t, size_t *ret_waiting, bool *ret_kept);
/* Whether what runs in that sandbox may connect there. */
enum supervise_reach turn_reach(const struct sandbox_profile *p,
	const struct supervise_wish *w);

/* What the shell does beside the rules, for who tells what it would do: a
 * line that is nothing but a call of sudo or its like, or of a set-uid program
 * that does nothing without its rights, is refused, in *verdict, where the
 * policy has none brokered. */
void turn_refuse_lone_elevation(const struct policy *policy, uid_t uid,
	const struct syn_facts *own, const struct resolve_set *resolved,
	struct policy_verdict *verdict);

#endif
