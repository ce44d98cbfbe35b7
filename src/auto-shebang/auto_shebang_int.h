/* SPDX-License-Identifier: ISC */
/* Between the files of the program. */
#ifndef AUTO_SHEBANG_INT_H
#define AUTO_SHEBANG_INT_H

#include <stdbool.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/shebang.h"

#define EXIT_NO 1		/* --check, doctor: nothing would run */
#define EXIT_USAGE 2
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127

/* ---- say.c: the only way to a terminal --------------------------------- */

/* "auto-shebang: TEXT", made inert, in one write to standard error. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same of several lines, whose parts are inert already. */
void say_block(const struct buf *text);
/* Append made inert. */
void say_text(struct buf *out, const char *text);
/* Write to standard output and give the exit status: status, or
 * EXIT_USAGE with a message when it can't be written. */
int say_out(const struct buf *out, int status);

/* ---- ask.c: one question to the resolver ------------------------------- */

/* Fill the query for this process: its environment, directory and file. */
void ask_query(struct shebang_query *q, const char *name,
	const char *script);
/* Ask; say what is wrong unless silent; trace when debug is on.  0 and
 * *ret_result, or an exit status. */
int ask(const char *name, const char *script, bool silent,
	struct shebang_result *ret_result);
/* --debug, or AUTO_SHEBANG_DEBUG. */
void ask_debug_on(void);
/* A step in words, without prefix. */
void ask_step_text(struct buf *out, const struct shebang_step *step);

/* ---- start.c: become the interpreter ----------------------------------- */

/* Doesn't return unless it fails: an exit status.  script_argv is the
 * script as it was given and its arguments. */
int start(const struct shebang_result *interpreter, char **script_argv);

/* ---- the verbs ---------------------------------------------------------- */

int links_make(int argc, char **argv);		/* link DIR NAME… */
int links_remove(int argc, char **argv);	/* unlink DIR NAME… */
int doctor(int argc, char **argv);		/* doctor [options] SCRIPT */

/* ---- hashbang.c: the script's first line -------------------------------- */

struct hashbang {
	char *name;		/* the search name it leads to, or NULL */
	struct strv problems;	/* in words, for people */
};

#define HASHBANG_INIT { NULL, STRV_INIT }

void hashbang_read(struct hashbang *h, const char *line, size_t len);
void hashbang_done(struct hashbang *h);

/* ---- json.c -------------------------------------------------------------- */

/* A JSON string; bytes that are not UTF-8 become U+FFFD.  ASCII only. */
void json_string(struct buf *out, const char *text);
/* "key":"text", and when text is not UTF-8 also "key_hex":"…". */
void json_member(struct buf *out, const char *key, const char *text);

#endif
