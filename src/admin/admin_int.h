/* SPDX-License-Identifier: ISC */
/*
 * aegshctl: what its verbs share.
 *
 * One cmd_*.c a verb; it exports one const row, which verbs.c lists.  From
 * the rows come the usage, `help`, the completions and a test that
 * aegshctl(8) names each verb and option.
 *
 * Text that came from elsewhere (the store, files, the environment) goes
 * out through the functions below, which make it inert.
 */
#ifndef AEGSH_ADMIN_INT_H
#define AEGSH_ADMIN_INT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/conf.h"
#include "aegsh/policy.h"
#include "aegsh/sandbox.h"

enum admin_exit {
	ADMIN_OK = 0,
	ADMIN_NO = 1,		/* the answer is no; nothing was found */
	ADMIN_BLOCK = 2,	/* `test` alone: the line would be blocked */
	ADMIN_USAGE = 100,	/* called wrongly, or for others to call */
	ADMIN_SYSTEM = 111,	/* the system or the settings failed */
};

/* What words complete an option's argument or an operand. */
enum admin_words {
	ADMIN_WORDS_NONE = 0,
	ADMIN_WORDS_FILE,
	ADMIN_WORDS_DIR,
	ADMIN_WORDS_USER,
	ADMIN_WORDS_PROFILE,
	ADMIN_WORDS_DECISION,
	ADMIN_WORDS_ORIGIN,
	ADMIN_WORDS_SETTING,	/* name=value of a settings row */
	ADMIN_WORDS_SETTING_NAME,	/* … and its name alone */
	ADMIN_WORDS_EXPORT,	/* formats of `audit export` … */
	ADMIN_WORDS_REPORT,	/* … and of `audit report` */
};

struct admin_option {
	const char *name;	/* "json": given as --json */
	char letter;		/* 'n': also as -n; 0: only the long name */
	const char *argument;	/* what usage calls it; NULL: takes none */
	const char *help;
	enum admin_words words;
};

struct admin;

struct admin_verb {
	const char *name;	/* one word or two: "history", "config show" */
	const char *usage;	/* operands: "[--] COMMAND"; "" for none */
	const char *summary;	/* one line */
	/* argv: what stands behind the verb's words, NULL-terminated. */
	int (*run)(struct admin *a, int argc, char **argv);
	const struct admin_option *options;	/* ends with a zero row */
	enum admin_words words;	/* of its operands */
	bool command;		/* the first operand begins a command, whose
				 * options are its own */
	bool hidden;		/* not in help: __complete */
};

struct admin {
	const struct admin_verb *verb;
	uid_t uid;		/* whose settings and store are read */
	char *user, *home;	/* of that uid; home may be NULL */
	gid_t gid;		/* … his own group, … */
	bool posed;		/* … who is not the caller */
	FILE *out;		/* standard output, or the way to a pager */
	bool paged;		/* … which shows it on standard output */
	uid_t caller;		/* who started it */
	char **words;		/* and with which words */
	struct conf *conf;	/* NULL until admin_conf() */
};

/* Of every --json, so that it is the same one everywhere. */
#define ADMIN_OPTION_JSON \
	{ "json", 0, NULL, "print JSON, one document a line", ADMIN_WORDS_NONE }

/* NULL-terminated, in the order of `help`. */
extern const struct admin_verb *const admin_verbs[];

/* ---- admin_args.c: options of a verb ----------------------------------- */

struct admin_args {
	int argc;
	char **argv;
	int at;			/* the next word; at the end: first operand */
	int first, passed;	/* operands on the way: where, how many */
	const char *letters;	/* rest of a "-abc", or NULL */
	const char *value;	/* argument of the option just returned */
	bool bad;		/* an option was, and that was said */
};
#define ADMIN_ARGS_INIT(n, words) { .argc = (n), .argv = (words) }
#define ADMIN_OPERANDS_ANY INT_MAX

enum { ADMIN_ARGS_END = -1, ADMIN_ARGS_BAD = -2 };
/* The place of the next option in a->verb->options, which may stand behind
 * operands: argv is put in order, options first.  ADMIN_ARGS_END when there
 * is none, at "--", or at the first word of a command; ADMIN_ARGS_BAD when it
 * said on standard error what is wrong (the verb returns ADMIN_USAGE). */
int admin_option_next(struct admin *a, struct admin_args *args);
/* At the end: whether so many operands are left and all options were good.
 * 0, or ADMIN_ARGS_BAD when it was said what is wrong. */
int admin_operands(struct admin *a, const struct admin_args *args, int least,
	int most);
/* All of it for a verb whose one option is --json (*ret_json set), or that
 * has none (NULL). */
int admin_json_operands(struct admin *a, struct admin_args *args, int least,
	int most, bool *ret_json);
/* Says how the verb is called; ADMIN_USAGE. */
int admin_usage(struct admin *a);

/* ---- admin_user.c: whose, and with which rights ------------------------ */

/* uid 0 only: be that user from here on, for good.  Reading somebody's
 * store takes their rights and no more. */
int admin_become(struct admin *a, const char *user, struct err *err);
/* For judging alone: root becomes that user; anybody else only speaks of
 * them, and sees what he may see. */
int admin_pose(struct admin *a, const char *user, struct err *err);
/* a->conf, loaded for a->uid when it is not yet. */
int admin_conf(struct admin *a, struct err *err);

/* ---- admin_confine.c: a process that can only look --------------------- */

/* No way back.  Open descriptors stay as they are. */
void admin_confine(struct admin *a);
/* The same, but files below dir can be written. */
void admin_confine_but(struct admin *a, const char *dir);
/* A line of aegsh is around us; told, with what that means for what is shown
 * now, an ending of "this runs in a line of aegsh: …". */
bool admin_is_inside(struct admin *a, const char *means);

/* ---- admin_print.c: text for people ------------------------------------ */

/* "aegshctl VERB: text" on standard error, inert. */
void admin_complain(struct admin *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same with err's text, and the exit status for it: ADMIN_USAGE for
 * ERR_CALLER, else ADMIN_SYSTEM. */
int admin_fail(struct admin *a, const struct err *err);
/* Whether a file could be read, and what stands in it is what is wrong. */
bool admin_content_is_wrong(int code);
/* printf to a->out, the result made inert except for newlines and tabs. */
void admin_say(struct admin *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A line of words: the same without its newline, broken at blanks where it is
 * wider than the terminal; what goes on begins in column hang, from 0.  Not
 * for what is to be copied: a command's lines are commands. */
void admin_say_folded(struct admin *a, unsigned hang, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with inert text, to f, in lines of so many columns (0: one). */
void admin_fold(FILE *f, unsigned width, unsigned hang, const char *text);
#define ADMIN_HELP_WIDTH 80
/* Bytes made inert, on one line. */
void admin_put(struct admin *a, const char *p, size_t len);

struct admin_column {
	const char *title;
	unsigned least;		/* columns it keeps on a narrow terminal */
	bool right;		/* numbers */
	bool grows;		/* gets what is left; at most one */
};
struct admin_table;
/* The rows are kept until the end, because widths depend on them. */
struct admin_table *admin_table_new(const struct admin_column *columns,
	size_t n);
/* One string a column, copied and made inert; NULL is empty. */
void admin_table_add(struct admin_table *t, const char *const *cells);
/* Fitted to the terminal: too long cells are cut visibly, and only there. */
void admin_table_print(struct admin_table *t, struct admin *a);
void admin_table_free(struct admin_table *t);

/* ---- admin_finding.c: what a check found ------------------------------- */

/* A place of it; file and text may be NULL, line is 0 where there is none.
 * Owned. */
json_t *admin_evidence_json(const char *file, unsigned line,
	const char *text);
/* Its lines of text, in this order: what it is, each place, what to do. */
void admin_say_finding(struct admin *a, const char *severity, const char *id,
	const char *what);
void admin_say_evidence(struct admin *a, const char *file, unsigned line,
	const char *text);
void admin_say_remedy(struct admin *a, const char *remedy);

/* ---- admin_time.c ------------------------------------------------------ */

#define ADMIN_TIME_MAX 40

/* "@SECONDS", "90m" (ago; s m h d w), "today", "yesterday", "2026-08-01",
 * "2026-08-01 12:30[:05]" (also with T), local time.  0 or -EINVAL. */
int admin_time_parse(const char *text, int64_t now_ns, int64_t *ret_ns);
void admin_time_show(int64_t ns, char ret[ADMIN_TIME_MAX]);	/* local */
void admin_time_json(int64_t ns, char ret[ADMIN_TIME_MAX]);	/* UTC */
void admin_span_show(int64_t ns, char ret[ADMIN_TIME_MAX]);	/* "1.5s" */

/* ---- admin_store.c ----------------------------------------------------- */

struct audit;
/* The store of a->uid, for reading.  -ENOENT: nothing is recorded yet. */
int admin_store(struct admin *a, struct audit **ret, struct err *err);

/* ---- admin_policy.c ---------------------------------------------------- */

struct sandbox_profile;
struct admin_session {		/* of a->uid */
	const char *profile;	/* NULL: the one that it would have */
	enum policy_origin origin;
};
/* Directory of the rules that the user may add, or NULL; owned. */
char *admin_policy_own(const struct admin *a);
/* The rules of a session, as the shell would have them; notes: what of the
 * user's is not followed. */
int admin_policy_session(struct admin *a, const struct admin_session *s,
	struct policy **ret, struct policy_choice *ret_choice,
	struct strv *notes, struct err *err);
/* The policy of that profile; NULL: the one of a session at a prompt. */
int admin_policy(struct admin *a, const char *profile, struct policy **ret,
	struct err *err);
/* A sandbox profile as it is here; NULL: the configured policy's. */
int admin_sandbox(struct admin *a, const char *name,
	struct sandbox_profile **ret, struct err *err);
/* Try what a sandbox profile forbids; an exit status. */
int admin_trial(struct admin *a, const char *name, bool json);
/* The acts of it that a supervisor keeps from lines whose profile lists unix
 * sockets; of no layer.  ERR_LAYER: there is no supervisor. */
#define ADMIN_SOCKET_TRIALS 2
int admin_try_sockets(const struct sandbox_profile *p,
	struct sandbox_trial ret[ADMIN_SOCKET_TRIALS], struct err *err);

/* ---- admin_validator.c --------------------------------------------------- */

/* Endpoints, their health, what was spent; an error is of the chain's
 * file. */
int admin_validator_status(struct admin *a, json_t *o, struct err *err);

/* ---- admin_json.c: text for programs ----------------------------------- */

/* Set a member from bytes.  What is not UTF-8 has each wrong byte as
 * U+FFFD, and the exact bytes beside it in hexadecimal as KEY_hex.  p NULL:
 * null. */
void admin_json_bytes(json_t *object, const char *key, const char *p,
	size_t len);
/* As hexadecimal digits. */
void admin_json_hex(json_t *object, const char *key, const void *p,
	size_t len);
void admin_json_text(json_t *object, const char *key, const char *text);
/* A string by itself; wrong bytes are U+FFFD. */
json_t *admin_json_string(const char *text);
/* One line a document, ASCII only; frees it. */
void admin_json_print(struct admin *a, json_t *document);
enum admin_show { ADMIN_SHOW_AS_IS = 0, ADMIN_SHOW_FOLDED };
/* The same document as lines of names and values, for people; frees it.
 * Folded: broken to fit the terminal, which what lines were is not. */
void admin_json_show(struct admin *a, json_t *document, enum admin_show how);
/* Names of enum sandbox_layer bits. */
json_t *admin_layers_json(unsigned bits);
/* Who holds what a line may use, as this profile (NULL: any) lets it be; owned.
 * admin_cgroup.c. */
char *admin_limits_text(const struct sandbox_profile *p);

#endif
