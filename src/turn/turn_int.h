/* SPDX-License-Identifier: ISC */
/* What the files of the room share: the turn, and one judged unit. */
#ifndef TURN_INT_H
#define TURN_INT_H

#include "aegsh/redact.h"
#include "aegsh/resolve.h"
#include "aegsh/syntax.h"
#include "aegsh/turn.h"

#define TURN_RECENT 6			/* lines that are remembered … */
#define TURN_RECENT_LEN ((size_t)500)	/* … and bytes of each */
#define TURN_SCRIPTS_MAX 16		/* of one line, that are read */
#define TURN_SCRIPTS_SHOWN 4		/* of them, to the model */
#define TURN_SCRIPT_SHOWN ((size_t)16 * 1024)	/* bytes of one */

#define CARRY_MAX ((size_t)262144)	/* bytes of functions */

struct turn {
	struct turn_opts opts;
	const struct turn_ops *ops;
	/* Inside of a line of another aegsh there is no policy, validator,
	 * store nor sandbox (turn_inner.c), but this. */
	int outer;			/* to the host; -1: none, or lost */
	char *outer_profile;
	int64_t last_inner;		/* number of its last line that ran */
	/* We are the host of such ones (turn_host.c). */
	bool hosts, guest_terminal;
	struct policy *policy;
	struct policy *policy_before;	/* what it replaced, or NULL: what was
					 * judged by it speaks its strings */
	struct policy_home home;	/* the account's own */
	struct policy_user *user_rules;	/* as at the start, or NULL */
	struct strv notes;		/* what was not followed, and why */
	char *news;			/* to be told once, or NULL */
	bool told_not_held;
	struct validator *validator;
	struct redact *redact;
	char *recent[TURN_RECENT];	/* a ring: n_recent % TURN_RECENT is
					 * the next place */
	size_t n_recent;
	struct audit *audit;
	char *store;			/* its directory, or NULL */
	char *silent;			/* that directory, where its disk
					 * did not answer, or NULL */
	char *project;			/* where it began: the jail */
	char tty[64];			/* path of the terminal, or empty */
	bool unsettled;			/* an intent is on its way */
	int64_t settled_ns;		/* of a stream: when one last was not */
	char *unrecorded;		/* why audit is NULL, or NULL */
	struct sandbox_profile *sandbox;
	struct exec_session *exec;
	struct cgroup *cgroup;		/* or NULL: none, or not asked yet */
	bool cgroup_tried;
	enum capture_keep keep;		/* option persist */
	char *functions;		/* that are carried, or NULL */
	struct turn_login *login;	/* while a login lasts, or NULL */
	struct val_verdict *login_failed;	/* what asking about one of
					 * its files came to, or NULL */
	char *output_trouble;		/* why output was not kept, or NULL */
	uint64_t secrets;		/* of what the terminal's relay was
					 * told of variables */
	pid_t last_pid;			/* $! as people mean it, or 0 */
	struct job *stream;		/* the bash of a stream */
	bool stream_began, stream_over, stream_killed;
	size_t stream_images;		/* its programs that are recorded … */
	size_t stream_addresses;	/* … and addresses */
	bool stream_limited;		/* that it met a limit was told */
	int64_t stream_id;		/* of its last unit */
	bool cwd_lost;			/* where its bash is, is not known */
	struct strv told;		/* notes that are not told again */
	size_t stream_skipped;		/* lines of it with nothing to run */
	char open[128];			/* what turn_complete() said */
	void *sudo_answers;		/* elevate_recall(), or NULL */
};

/* A script as it was when the line was judged. */
struct turn_script {
	char *path, *text;
	size_t len, size;		/* shown, whole */
	unsigned char hash[32];		/* SHA-256 of the whole */
	mode_t mode;
	uid_t owner;
	int copy;			/* sealed memory file with all of it,
					 * where others could change the
					 * file, or -1 */
};

struct turn_judged {
	bool inside;			/* of a line that runs already: all
					 * but line, cwd and decision is not
					 * known here */
	struct line line;		/* bytes owned */
	size_t prefix;			/* of them stand for bash's options, or
					 * define what is carried */
	unsigned prefix_lines;		/* newlines in those */
	char *cwd;			/* where it was judged */
	struct syn_tree *tree;		/* NULL: cannot be read */
	struct syn_facts *facts;
	struct syn_tree *own_tree;	/* of the line without its prefix, … */
	struct syn_facts *own_facts;	/* … or NULL: it has none */
	const struct syn_facts *own;	/* either own_facts or facts */
	struct resolve_set *resolved;
	struct policy_verdict verdict;
	struct val_verdict asked;
	bool was_asked;
	struct turn_script scripts[TURN_SCRIPTS_MAX];
	size_t n_scripts;
	bool more_scripts;		/* not all could be read */
	int not_held;			/* no copy of one: why, -errno; or 0 */
	bool reads_files;		/* some command runs what files say */
	const char *answer;		/* "yes", "no", "edit", "try" of the
					 * person, or NULL */
	bool tried;			/* and that was all that ran; it
					 * ended so */
	int tried_status, tried_signal;
	struct decision *decision;
	char *syntax_error;
	/* For the record, without secrets; made by turn_event(). */
	char *recorded, *reason;
	size_t recorded_len, redacted;
	char votes[80];			/* what each judge said, or empty */
	struct buf args;		/* $0, $1 …, each with its NUL */
	int64_t came_ns, judged_ns;	/* when, monotonic */
	enum turn_reads reads;
	struct strv reader;		/* name and arguments of that shell */
};

/* turn_policy.c: the rules of the session. */
int turn_load_policy(struct turn *t, struct err *err);
void turn_free_policy(struct turn *t);
/* The operator's rules again, where they changed. */
void turn_refresh_policy(struct turn *t);
/* Where its lines run, as the profile has it: the directory once (sets
 * project), PATH before each line. */
int turn_enter_project(struct turn *t, struct err *err);
void turn_fix_path(struct turn *t);
enum policy_origin turn_policy_origin(enum line_origin o);

/* Values of secret variables may stand in a line, or in what came of it. */
void turn_learn_secrets(struct turn *t);
/* Fill an event from what was judged. */
void turn_event(struct turn *t, struct turn_judged *j, bool runs,
	struct audit_event *ret);
/* Into that event, what the line is given as $0, $1 and so on. */
void turn_event_args(const struct turn *t, struct turn_judged *j,
	const char *argv0, char *const *args, struct audit_event *ev);
/* For the lines that come after. */
void turn_remember(struct turn *t, const struct turn_judged *j);
/* Read the scripts that the line is about to run; ERR_REFUSED later when one
 * is no longer what it was. */
void turn_find_scripts(const struct turn *t, struct turn_judged *j);
/* Whether there is something to check. */
bool turn_has_scripts(const struct turn_judged *j);
int turn_check_scripts(const struct turn *t, const struct turn_judged *j,
	struct err *err);
/* Once, that they could not be copied; true: news of it is there. */
bool turn_tell_not_held(struct turn *t, const struct turn_judged *j);
void turn_scripts_done(struct turn_judged *j);
/* turn_supervise.c.  The profile has lines watched, and the machine lets it. */
bool turn_can_watch(const struct turn *t);
/* The machine lets a supervisor look into what it watches. */
bool turn_can_look(const struct turn *t);
/* Whether anybody but root could change it. */
bool turn_script_may_change(const struct turn *t, const char *path);
/* By its name: a person is left to a shell by a key or a word of it. */
bool turn_gives_shells(const char *path);
/* The profile that lines run in now. */
const struct sandbox_profile *turn_sandbox(const struct turn *t);
/* The places of the profile of lines, which a short run looks up as late as
 * it can: before they are asked for, and before anything is started. */
int turn_know_places(const struct turn *t, struct err *err);
/* For supervise_opts; the second in turn_started.c. */
enum supervise_reach turn_may_connect(void *ctx,
	const struct supervise_wish *w);
bool turn_may_start(void *ctx, const struct supervise_image *m,
	char *ret_said, size_t size);
/* In the supervisor, too: the rules as they are now. */
void turn_renew(void *ctx);
/* For supervise_opts, of a line of the session's: where its limits are held,
 * which begins with the first that has some; the places of the profile are
 * known.  NULL: they are counted alone. */
struct cgroup *turn_cgroup(struct turn *t, const struct supervise_opts *watch);
/* No line follows. */
void turn_cgroup_end(struct turn *t);
/* What the line's supervisor is told, where the line runs in that sandbox. */
const struct supervise_opts *turn_supervise(struct turn *t,
	const struct sandbox_profile *where, const struct turn_judged *j,
	struct supervise_opts *ret);
/* turn_parse.c: its tree, or its syntax_error. */
void turn_parse(struct turn_judged *j);
/* turn_judge.c, the steps of judging.  The line, with what bash's options and
 * kept variables put in front; what its tree would do, by the rules and
 * perhaps by a model (rules_alone: nobody is asked and no script is looked
 * at); the decision of both. */
void turn_copy_line(const struct turn *t, struct turn_judged *j,
	const struct line *line);
void turn_judge_tree(struct turn *t, struct turn_judged *j, bool rules_alone);
void turn_decide(struct turn *t, struct turn_judged *j);
/* Where the operator wants the model to see what policy allows, too. */
bool turn_asks_allowed(const struct turn *t);
/* turn_inner.c, turn_host.c: aegsh inside of aegsh. */
extern const struct turn_ops turn_inner;
int turn_inner_begin(struct turn *t, struct err *err);
/* The decision, and only that. */
void turn_inner_judge(struct turn *t, struct turn_judged *j);
void turn_inner_builtin(struct turn *t, int status);
void turn_serve(void *ctx, const struct supervise_host *door);
/* turn_broker.c: sudo and its like.  Serves one request; puts its question to
 * the person, for struct exec_session_opts. */
void turn_broker(void *ctx, const struct supervise_broker *door);
bool turn_question(void *ctx, const char *text, size_t len);
/* turn_elevate.c: where the profile has them brokered, the directory of what
 * stands for them is the first of PATH, for the line alone: in front of it
 * in envp, and off it in what came back. */
bool turn_elevates(const struct turn *t);
/* Where it does not, a line that is nothing but such a call: j->verdict says
 * why it would come to nothing, before the program says it in its words. */
void turn_refuse_elevation(const struct turn *t, struct turn_judged *j);
void turn_put_shims(const struct turn *t, struct strv *envp);
void turn_drop_shims(struct turn *t);
/* As turn_judge(), of bytes that begin with a prefix already. */
struct turn_judged *turn_judge_said(struct turn *t, const struct line *line,
	size_t prefix, unsigned prefix_lines);
/* The program that it started, from that image on, and that was killed, in
 * ret and on record; NULL: none. */
const char *turn_refused(const struct turn *t, const struct job *job,
	size_t from, char *ret, size_t size);
/* The limit that the line met, in ret and on record; NULL: none. */
const char *turn_limited(const struct turn *t, const struct job *job, char *ret,
	size_t size);
/* turn_output.c: what is kept of what lines write, and how it is seen; NULL:
 * it is not.  The relay begins with the line of that number; a stream goes on
 * with the next. */
enum cast_keep turn_keeps_output(const struct turn *t);
const struct relay_opts *turn_output(const struct turn *t, const char *uuid,
	struct relay_opts *ret);
void turn_output_next(const struct job *job, const char *uuid);
/* The same of a session's terminal: what is kept; a line begins (uuid NULL:
 * it is not told apart). */
void turn_output_keep(struct turn *t);
void turn_output_line(struct turn *t, const char *uuid);
/* The line is over: all that it wrote is where it goes, and on record.  job
 * NULL: there is only the terminal.  What of it is not kept stands in
 * ret->note, where that is free; or NULL. */
void turn_output_end(struct turn *t, const struct job *job, int64_t id,
	struct turn_result *ret);
/* That it wrote more than it may, once, or NULL. */
const char *turn_output_limited(const struct turn *t, const struct job *job);
/* Why it cannot be any more, or NULL. */
const char *turn_output_lost(const struct turn *t, const struct job *job);
/* Why the line was killed, in ret and on record; NULL: it was not. */
const char *turn_killed(const struct turn *t, const struct job *job,
	char *ret, size_t size);
/* The programs that ran under it, for the record; returns the first of the
 * line's next part. */
#define TURN_IMAGES_FIRST 1	/* 0 is the line's own bash */
size_t turn_record_images(struct turn *t, const struct job *job, size_t first,
	int64_t id);
/* Variables that held keys are no business of lines. */
void turn_forget_keys(struct turn *t);
/* turn_try.c: the person wants it tried.  False: it could not be, and is asked
 * about again. */
bool turn_try_asked(struct turn *t, struct turn_judged *j);
/* turn_words.c: what the facts say of the line, a line of text each. */
struct turn_words {
	struct buf commands;		/* "NAME -> which program", … */
	struct buf values;		/* "WORD is what it stands for" */
	struct buf unknown;		/* "WORD: why that is not known" */
	struct buf redirections;
	bool all_known;			/* nothing is left open by these */
};
void turn_words_of(const struct turn_judged *j, struct turn_words *ret);
void turn_words_done(struct turn_words *w);
/* Put the line to the validator; j->asked has the answer. */
void turn_ask(struct turn *t, struct turn_judged *j);
/* What the settings leave out of a record that was just opened. */
int turn_leave_out(const struct turn *t, struct audit *a, struct err *err);
/* And for how long it is kept. */
void turn_retain(const struct turn *t, struct audit *a);
/* Which children are no line's, anew: one of them may have been replaced. */
void turn_spare(struct turn *t);
/* How long a record that does not answer is waited for, and whether lines run
 * without it. */
int64_t turn_record_wait(const struct turn *t);
bool turn_runs_on(const struct turn *t);
/* The intent, by the rules for a store that fails: 0 when the line may go
 * on. */
int turn_record_intent(struct turn *t, struct audit_event *ev,
	struct err *err);
/* What was noted so far, before what it is about happens; as an intent. */
int turn_record_notes(struct turn *t, struct err *err);
/* The same in two steps; the second has the form of exec_spec.ready, with
 * the turn as ctx. */
int turn_begin_intent(struct turn *t, struct audit_event *ev,
	struct err *err);
int turn_settle_intent(void *ctx, struct err *err);
/* Of a stream's unit: in one step or, where the operator lets the disk wait a
 * while (option stream-sync), with others that follow. */
int turn_record_unit(struct turn *t, struct audit_event *ev,
	struct err *err);
/* The last step before anything starts: refused units are recorded and
 * explained in ret; true when it may go on. */
void turn_record_refusal(struct turn *t, struct turn_judged *j);
bool turn_permits(struct turn *t, struct turn_judged *j,
	struct turn_result *ret);
/* A unit of blanks and comments. */
bool turn_says_nothing(const struct turn_judged *j);
/* turn_reads.c: whether it is a shell that reads its commands; and what
 * turn_act() does with one: put it on record, and start nothing. */
void turn_find_reads(const struct turn *t, struct turn_judged *j);
void turn_act_reader(struct turn *t, struct turn_judged *j,
	struct turn_result *ret);
/* turn_back.c: bash has become the CMD of "exec CMD". */
bool turn_replaced_bash(const struct turn_judged *j, const struct job *job);
/* turn_carry.c: see there. */
enum capture_keep turn_keep_of(const char *word);
void turn_put_carried(const struct turn *t, struct buf *out);
void turn_take_functions(struct turn *t, struct turn_result *ret);
void turn_find_own(struct turn *t, struct turn_judged *j);
/* The state that a job which is done sent back, or in ret->note why not. */
void turn_bring_back(struct turn *t, struct job *job,
	struct turn_result *ret);
/* turn_lost.c: a better word for what ret->note says, from what the line is;
 * or that it asked for jobs where none are known. */
void turn_note_why(const struct turn *t, const struct turn_judged *j,
	const struct job *job, struct turn_result *ret);
/* After a line that went well: what of it will not be there for the next,
 * where that was all that it was for; else note stays. */
void turn_note_lost(const struct turn *t, const struct syn_facts *f,
	char *note, size_t size);

#endif
