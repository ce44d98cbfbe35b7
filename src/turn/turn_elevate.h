/* SPDX-License-Identifier: ISC */
/*
 * Sudo and its like inside of a line: what they are called with
 * (turn_elevate.c, by the rows of turn_elevate_rows.c), what stands for them
 * (turn_shims.c), how what they say is taken (turn_called.c), who judges,
 * records and starts them (turn_broker.c), and ends them with their line
 * (turn_elevate_wait.c), in which sandbox (turn_confined.c), whether sudoers
 * allows that (turn_sudoers.c), and what of a line that a person said yes to
 * need not be asked about again (turn_approve.c).
 */
#ifndef TURN_ELEVATE_H
#define TURN_ELEVATE_H

#include "turn/turn_int.h"

/* ---- turn_elevate_rows.c ------------------------------------------------ */

/* One that aegsh knows.  Lists of options are "n non-interactive S": letters
 * and long names, of which those that are in no list are refused. */
struct elevate_program {
	const char *name;
	const char *plain;	/* options that it may have, … */
	const char *alone;	/* … those among them that need no command, … */
	const char *tells;	/* … and those with which it runs none */
	const char *edit;	/* options that start an editor, or NULL */
	const char *real;	/* the program that it is another name of, and
				 * edits files by; or NULL */
	const char *shell;	/* options that start a shell, … */
	const char *login;	/* … those among them that do so as a login */
	/* Why what it runs cannot be confined; NULL: it can. */
	const char *bare;
	/* The rest is about programs that run no command, but gain rights of
	 * their own by being set-uid: called as they are, in no sandbox. */
	bool self;
	bool roots;		/* … which root's own lines need as well */
	const char *grammar;	/* of its options, resolve.h */
	const char *never;	/* why it is never run, or NULL */
	/* Options with which it does without those rights; NULL: it has a use
	 * without them, or says itself well what it lacks. */
	const char *lone;
	bool regroups;		/* it is for another group */
	bool pings;		/* it does without where the kernel lets the
				 * user's groups send echo requests */
	const char *asks;	/* why a person is asked, or NULL, … */
	const char *asks_of;	/* … where a word has one of these in it; NULL:
				 * however it is called */
	bool no_files;		/* no operand but "-" */
	bool assigns;		/* VAR=value before the command */
	bool by_shell;		/* the command is a text for a shell */
	bool absolute;		/* its command may be given by its path */
};

/* By the last component of that word; NULL: it is none. */
const struct elevate_program *elevate_program_of(const char *word);

/* ---- turn_called.c ------------------------------------------------------ */

/* Take what a line's program asks for: its descriptors 0, 1, 2 and its
 * directory, its words and its environment, all the caller's from then on.
 * 0; a negative code, and *ret_why says what is wrong with it, or is NULL:
 * it never asked. */
int elevate_take(int sock, int ret_fd[4], struct strv *ret_argv,
	struct strv *ret_env, const char **ret_why);

/* ---- turn_elevate.c ----------------------------------------------------- */

struct elevate_call {
	const struct elevate_program *program;
	char *path;		/* of it; owned; NULL: there is none */
	size_t command;		/* index of the command's word, or 0: none */
	size_t variables;	/* … of the first VAR=value before it, or the
				 * same */
	bool shell;		/* it is started by a shell of the user's */
	/* The shell that it would start is this aegsh of root's, owned, which
	 * confines its lines itself; or NULL. */
	char *own_shell;
	bool login;		/* … as at a login */
	bool edits;		/* the editor that it starts is aegsh-edit */
	const char *asks;	/* why a person is to be asked, or NULL */
	const char *in;		/* the sandbox profile of what it runs, the
				 * policy's; NULL: none */
	char refusal[320];	/* why it cannot be, or "" */
};

/* argv[0] tells which; the command's word becomes an absolute name where it is
 * found.  Fills ret->refusal, or all else. */
void elevate_parse(const struct policy *p, uid_t uid, struct strv *argv,
	struct elevate_call *ret);
void elevate_call_done(struct elevate_call *c);
/* One of those names. */
bool elevate_is_program(const char *name);
/* The real one in the fixed places, for that user: root's alone, or the
 * service's that it becomes, and it gains rights, which root does without.
 * Owned; NULL: there is none. */
char *elevate_real(const char *name, uid_t uid);
/* What it is given of that environment, and of who the user is. */
void elevate_envp(const struct turn *t, const struct elevate_call *c,
	const struct strv *env, struct strv *ret);
/* Why that needs a person, whatever the rules allow; NULL: it does not. */
const char *elevate_unsure(const struct elevate_call *c,
	const struct strv *argv, const struct resolve_set *resolved);

/* Each option of those words, in their order; what resolve.h has of it lies in
 * memory of the words. */
typedef void elevate_option_fn(void *ctx, const struct strv *argv,
	const struct resolve_opt *o);
void elevate_options(const struct elevate_program *g, const struct strv *argv,
	size_t command, elevate_option_fn *fn, void *ctx);

/* ---- turn_confined.c ---------------------------------------------------- */

/* An option of sudo and its value, spelt in one way. */
void elevate_put_option(struct strv *to, const struct strv *argv,
	const struct resolve_opt *o);

/* The words by which the call's own are run, in its sandbox: the options that
 * say who is asked for become aegsh-confine's; and a shell becomes an aegsh.
 * false: it is neither, and they are run as they are. */
bool elevate_confined(const struct turn *t, const struct elevate_call *c,
	const struct strv *argv, const struct strv *envp, struct strv *ret);

/* ---- turn_sudoers.c ------------------------------------------------------ */

/* Of those words, of a call that is run in a sandbox: does sudo ask for a
 * password where it needs one, at the terminal or elsewhere? */
bool elevate_can_ask(const struct strv *confined);
/* The words that ask sudo whether sudoers(5) lets uid run aegsh-confine like
 * that.  itself: as that same user, which sudo answers whoever asks without a
 * password, and logs nothing of.  any: whatever is to be run then. */
void elevate_question(const struct strv *confined, uid_t uid, bool itself,
	bool any, struct strv *ret);
/* The same words, by which a password is asked for with a hint at what may be
 * missing. */
void elevate_with_hint(const struct strv *confined, struct strv *ret);
/* Fills err with the line that sudoers lacks; its code. */
int elevate_lacks(uid_t uid, struct err *err);

/* Memory for answers to such questions, which processes share; NULL: nothing
 * is remembered, as by all of these. */
void *elevate_answers_new(void);
void elevate_answers_free(void *answers);
/* Was that the answer, and has sudoers not changed since? */
bool elevate_recall(void *answers, const struct strv *words, bool yes);
void elevate_remember(void *answers, const struct strv *words, bool yes);
void elevate_forget(void *answers);

/* ---- turn_elevate_wait.c ------------------------------------------------ */

/* From now on SIGTERM says that the line has met a limit. */
void elevate_hear_end(void);
bool elevate_is_over(void);
/* Until that child of ours ends, and end it where the line does; its status of
 * wait(2).  stopped: it has stopped, with that status. */
typedef void elevate_stopped_fn(void *ctx, pid_t pid, int status);
int elevate_wait(pid_t pid, elevate_stopped_fn *stopped, void *ctx);

/* ---- turn_approve.c ----------------------------------------------------- */

/* What a file is, when it is judged and when it runs. */
struct elevate_file {
	uint64_t dev, ino, size;
	int64_t mtime, ctime;		/* ns */
};
/* Zeros: it is not there. */
void elevate_file_of(const char *path, struct elevate_file *ret);
bool elevate_file_same(const struct elevate_file *a,
	const struct elevate_file *b);

/* Shared memory for struct supervise_opts, or NULL: nothing of the line was. */
void *turn_approve(struct turn *t, const struct turn_judged *j);
void turn_approve_done(void *approved);
/* Use up what was approved with these words, in that directory, with such
 * descriptors, for that file; false: there is none, or it is used up. */
bool turn_approved(void *approved, const struct strv *argv, const char *cwd,
	const int *std, const struct elevate_file *file);

#endif
