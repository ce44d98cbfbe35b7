/* SPDX-License-Identifier: ISC */
/* What the files of the shell share. */
#ifndef SHELL_INT_H
#define SHELL_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "aegsh/turn.h"

#define SHELL_COMPLETERS 8
#define SHELL_USAGE 2		/* exit status: used wrong, as bash */
#define SHELL_FAILED 111	/* exit status: aegsh itself cannot work */

struct shell_args {
	const char *argv0;
	bool login, interactive, from_stdin;
	bool noprofile;
	bool version, help;
	const char *command;		/* -c */
	const char *name;		/* $0 after -c CMD, or NULL */
	const char *script;
	char **args;			/* $1 and on, NULL-terminated */
	const char *profile;
	struct strv options;		/* -o name=value */
	struct strv bash_options;	/* those of bash, for its bash */
	bool check_only;		/* -n: read, and run nothing */
	bool bound;			/* profile: none less strict than the
					 * configured one, managed or not */
};

struct shell {
	struct shell_args args;
	struct conf *conf;
	struct state *state;
	struct turn *turn;
	struct arena *words;		/* of calls of ours inside of -c */
	const char *wish;		/* SSH_ORIGINAL_COMMAND, where it is
					 * what is to be run, or NULL */
	struct line_editor *editor;	/* at a prompt only */
	struct aliases *aliases;	/* likewise, else NULL */
	struct recall *recall;		/* likewise */
	char *user, *home, *conf_user;
	uid_t uid, loginuid;
	uint64_t ignored;		/* signals that came ignored */
	int tty;			/* /dev/tty, or -1 */
	struct relay_term *term;	/* that stands around us, or NULL */
	int outer;			/* to the aegsh around us, or -1 */
	int interrupts;			/* signalfd for SIGINT, or -1 */
	int hangup;			/* of SIGHUP, never read here, or -1 */
	int cancel;			/* epoll: either of them, or -1 */
	/* Children that were killed while they looked for names, and hang in
	 * a file system yet; or 0. */
	pid_t completer[SHELL_COMPLETERS];
	bool probed_try, can_try;
	bool rescue;			/* settings or policy are broken */
	bool hopeless;			/* more than files is amiss */
	bool operator;
	bool exiting;			/* exit, logout */
	bool replaced;			/* … or "exec CMD" */
	bool warned_jobs;		/* "There are stopped jobs" was said */
	bool minds_jobs;		/* this line is `exit' or `jobs' */
	bool edits;			/* the line is wanted back, to be
					 * changed */
	const char *last_decision;	/* about the line before, or NULL … */
	int64_t last_took_ns;		/* … from Enter to its end */
	bool progress_shown;
	struct outlook *outlook;	/* at a prompt only */
	struct complete_ready *ready;	/* likewise */
	int exit_status;
	int exit_signal;		/* die by it, or 0 */
};

/* args.c: 0, or a status to exit with; says what is wrong. */
int shell_args_parse(int argc, char **argv, struct shell_args *ret);
void shell_usage(struct buf *out);

/* forced.c.  A -c that only calls this program again becomes that call: 0, or
 * a status to exit with.  Then, with the state there: the client's wish. */
int shell_args_unwrap(struct shell *sh);
void shell_take_wish(struct shell *sh);

/* say.c: one line on standard error, "aegsh: …", inert. */
void shell_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The reason of a decision, that a language model gave it or failed, and the
 * rule; not the rule "unknown" beside a model. */
void shell_put_reason(struct buf *out, const struct decision *d);
/* One heading of turn_tell() and its lines, inert, of which the first few; ctx
 * is a struct buf. */
void shell_put_fact(void *ctx, const char *heading, const char *text,
	size_t len);
#define LINE_SHOWN ((size_t)1000)	/* bytes of a line that is shown */
void shell_complain(const struct shell *sh, const struct turn_judged *j,
	const struct turn_result *r);

/* say_record.c: what is amiss with the record, once each; at the end, how much
 * of it is not written yet; and at the very first, that there is one. */
struct shell_told {
	bool unrecorded, unheard, stalled, not_kept;
};
void shell_say_record(const struct shell *sh, struct shell_told *told);
void shell_say_stalled(const struct shell *sh, struct shell_told *told);
void shell_say_left(const struct shell *sh);
void shell_greet(const struct shell *sh);

/* start.c: each step of start-up; 0 or a status to exit with. */
void shell_harden(struct shell *sh);
void shell_find_person(struct shell *sh);
int shell_load_settings(struct shell *sh);
/* Settings or policy cannot be used: true when a prompt shall come up with
 * what is built in; says so. */
bool shell_rescue(struct shell *sh);
/* Is another aegsh around us?  Then this is a guest of it, or nothing. */
int shell_knock(struct shell *sh);
/* The operator's prompt came up, and no line would run there: a required
 * layer of the sandbox cannot be had.  True when the turn was given up for a
 * rescue. */
bool shell_is_lost(struct shell *sh);
void shell_become_interactive(struct shell *sh);
/* terminal.c: where what lines write is kept, from here on in a terminal of
 * our own, and a child of who was started; 0, or a status to exit with. */
int shell_enter_terminal(struct shell *sh);
int shell_start_turn(struct shell *sh, enum line_origin origin, bool session);

/* batch.c, repl.c: the entrances; each gives the exit status. */
int shell_run_command(struct shell *sh, const char *text,
	enum line_origin origin);
int shell_run_script(struct shell *sh, const char *path);
int shell_run_stream(struct shell *sh);
int shell_run_prompt(struct shell *sh);
/* repl.c: one line of the prompt, or one part of it, with all that is to be
 * said.  False where nothing more shall be run. */
bool shell_run_unit(struct shell *sh, const struct buf *text);
/* edit.c: in $EDITOR, and back to the prompt. */
void shell_edit(struct shell *sh, struct buf *text);

/* login.c: take in what start-up files export, and run the one of the end.
 * Nothing of it is fatal. */
void shell_login(struct shell *sh, bool prompt);
void shell_logout(struct shell *sh);

/* confirm.c: ask the person on the terminal. */
int shell_open_tty(bool prompt);
enum turn_says shell_confirm(void *ctx, struct turn *t,
	const struct turn_judged *j);
/* It shows what was tried, and commits it where the person says so. */
void shell_tried(void *ctx, struct turn *t, const struct turn_judged *j,
	struct turn_trial *r, const struct err *err);
void shell_progress(void *ctx, int64_t waited_ns, const char *who);
void shell_progress_end(struct shell *sh);
/* batch.c: judge one unit, and tell what has become of the policy. */
struct turn_judged *shell_judge(struct shell *sh, const struct line *line);
/* Forget Ctrl-C that was answered already. */
void shell_drain_interrupts(struct shell *sh);

/* complete.c: what the word before the cursor may become (line_choices_fn);
 * ctx is the shell. */
void shell_choices(void *ctx, const char *text, size_t len,
	struct line_choices *ret);
/* They may be wanted soon: what takes time is begun. */
void shell_choices_soon(struct shell *sh, const char *text, size_t len);
/* A place for a child that may hang in a dead file system when it is killed
 * and waited for; NULL: too many do. */
pid_t *shell_child_place(struct shell *sh);
/* language.c: from now on, in the person's language. */
void shell_speak(void);
/* prompt.c: expand a prompt string; owned. */
char *shell_prompt(const struct shell *sh);

/* builtins.c: NULL-terminated. */
extern const struct turn_builtin *const shell_builtins[];

#endif
