/* SPDX-License-Identifier: ISC */
/*
 * One unit of input and where it came from, and the reader that gets it
 * from a person (libedit) or from a stream that commands share.
 */
#ifndef AEGSH_LINE_H
#define AEGSH_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/err.h"
#include "aegsh/conf.h"

#define LINE_MAX_BYTES ((size_t)1024 * 1024)	/* longer input is refused */

enum line_origin { LINE_ORIGIN_UNKNOWN = 0, LINE_PROMPT, LINE_COMMAND,
	LINE_FORCED, LINE_SCRIPT, LINE_STDIN, LINE_LOGIN };

struct line {
	const char *bytes;
	size_t len;
	enum line_origin origin;
};

const char *line_origin_name(enum line_origin o);

/* Asks whether the text is a complete unit: 1 complete (or hopeless),
 * 0 more is needed; *ret_open says what is open. */
typedef int line_complete_fn(void *ctx, const char *text, size_t len,
	const char **ret_open);

/*
 * Could what came from byte `from` on (whole lines) end what is open?  False
 * only where it certainly cannot: in a here-document or a quotation, until
 * its end is written.  Then nobody needs to be asked, which would be anew
 * about the whole text after each line.
 */
bool line_may_close(const char *open, const char *text, size_t from,
	size_t len);

enum line_result { LINE_END = 0,	/* end of input */
	LINE_OK, LINE_INTERRUPTED,	/* Ctrl-C: dropped */
	LINE_FAILED,
	LINE_TIMED_OUT,			/* line_editor_patience() is over */
	LINE_EDIT };			/* it is wanted in $EDITOR */

/* ---- the word before the cursor ----------------------------------------- */

enum line_quote { LINE_UNQUOTED = 0, LINE_DOUBLE, LINE_SINGLE, LINE_ANSI };

struct line_word {
	/* Bytes of the text: where the word begins, where its last component
	 * (behind a /, or behind the = of an assignment or option) does. */
	size_t from, base;
	enum line_quote quote;		/* open at the end */
	enum line_quote base_quote;	/* open at base */
	bool command;		/* names a command, or is before that */
	bool target;		/* of a redirection */
	bool comment;
	bool tilde;		/* begins with an unquoted ~ */
	bool unknown;		/* holds what only running it would tell */
	size_t name;		/* where the name of a variable that reaches
				 * to the end begins, or SIZE_MAX … */
	bool braces;		/* … behind ${ */
	struct buf typed;	/* its text, quotes and known $NAMEs resolved */
	size_t typed_base;	/* base, in typed */
	size_t value_from;	/* in typed, behind that =; or 0 */
	struct strv before;	/* the words of its command before it … */
	size_t command_from;	/* … whose name begins here in the text */
};
/* What $NAME stands for, or NULL: not known. */
typedef const char *line_value_fn(void *ctx, const char *name);
/* Always gives a word, perhaps an empty one. */
void line_word_at(const char *text, size_t len, line_value_fn *value,
	void *ctx, struct line_word *ret);
void line_word_done(struct line_word *w);
/* Append text so that it means itself inside of this quotation; first: at
 * the beginning of a word. */
void line_word_quote(struct buf *out, enum line_quote quote, const char *text,
	bool first);
/* What ends the quotation. */
const char *line_word_close(enum line_quote quote);

/* ---- completion --------------------------------------------------------- */

struct line_choice {
	char *text;		/* in place of the word, as it is to be typed */
	char *shown;		/* in a list; any bytes */
	char *note;		/* what it is, or NULL */
	bool blocked;		/* the rules would refuse the line with it */
};
struct line_choices {
	size_t from;		/* the bytes from here on are replaced */
	struct line_choice *v;
	size_t n;
	bool partial;		/* time was over before all were found */
	bool finished;		/* the only one is whole: a blank follows */
};
/* text: the unit up to the cursor.  ret: empty when called. */
typedef void line_choices_fn(void *ctx, const char *text, size_t len,
	struct line_choices *ret);
#define LINE_CHOICES_MAX 20000
void line_choices_add(struct line_choices *c, const char *text,
	const char *shown, const char *note);
/* Say of the choice with this text that it is blocked. */
void line_choices_block(struct line_choices *c, const char *text);
/* In order, each once. */
void line_choices_sort(struct line_choices *c);
/* The longest beginning that all share; owned. */
char *line_choices_common(const struct line_choices *c);
/* As a table for a screen of this size, the page'th screenful of it (the
 * first is 0; behind the last comes the first), at most rows - 2 lines. */
void line_choices_list(const struct line_choices *c, unsigned columns,
	unsigned rows, unsigned page, struct buf *out);
/* As a list with a number, and with what each is, however long; pages as
 * above. */
void line_choices_number(const struct line_choices *c, unsigned rows,
	unsigned page, struct buf *out);
void line_choices_done(struct line_choices *c);

/* ---- lines of the past -------------------------------------------------- */

struct line_place {		/* how far back; zeroed: the newest */
	size_t typed;
	int64_t stored;
};
enum line_how { LINE_STARTS = 0, LINE_HOLDS,
	LINE_FUZZY };	/* words that it holds, if need be letter by letter,
			 * and filters as dir:. */
struct line_wish {
	enum line_how how;
	const char *text;
};
struct line_past {
	const char *text;	/* without NUL bytes */
	size_t len;
	const char *about;	/* when, how it ended, where: inert */
	bool loose;		/* LINE_FUZZY: letter by letter */
};
/* Lines from *place back that are wanted, until fn returns non-zero (*place is
 * then behind that line) or some hundredths of a second are over: true, there
 * may be more; false: there are not. */
typedef bool line_past_fn(void *ctx, const struct line_wish *wish,
	struct line_place *place,
	int (*fn)(void *fn_ctx, const struct line_past *past), void *fn_ctx);

/* ---- a person: libedit, prompt, search --------------------------------- */
struct line_editor;

struct line_editor_opts {
	const struct conf *conf;
	const char *program;		/* for ~/.editrc */
	int tty_in, tty_out;
	line_complete_fn *complete;
	line_choices_fn *choices;	/* for Tab, or NULL */
	line_past_fn *past;		/* for recalling, or NULL */
	line_past_fn *hint;		/* likewise, within a thousandth of a
					 * second: hints are shown; or NULL */
	/*
	 * What would become of the unit as it is typed: foresee asks, and
	 * gives a descriptor that is readable once foreseen has the answer,
	 * or -1: there will be none.  foreseen: what is to be shown, perhaps
	 * "", in which LINE_HIDDEN may stand; NULL: it is still to come.  Or
	 * both are NULL.
	 */
	int (*foresee)(void *ctx, const char *text, size_t len);
	const char *(*foreseen)(void *ctx);
	/* The same in full, whole lines, when a key asks for it; or NULL. */
	void (*explain)(void *ctx, const char *text, size_t len,
		struct buf *out);
	void (*idle)(void *ctx);	/* once a prompt, when it is drawn */
	/* Or NULL.  No key waits, and the last was none of a letter or digit:
	 * a word may be over.  The next key waits until it returns.  text:
	 * the unit up to the cursor. */
	void (*pause)(void *ctx, const char *text, size_t len);
	int watch_fd;			/* readable while keys are awaited: … */
	void (*watch)(void *ctx);	/* … then this; -1: none */
	void *ctx;
};
/* Blocks SIGINT, SIGWINCH and SIGHUP: they arrive at a signalfd(2). */
int line_editor_new(const struct line_editor_opts *opts,
	struct line_editor **ret, struct err *err);
void line_editor_free(struct line_editor *e);
/* SIGHUP that made the last read an end of input, or 0. */
int line_editor_ended_by(const struct line_editor *e);
/* Why the person's keys in ~/.editrc are not used, or NULL. */
const char *line_editor_note(const struct line_editor *e);
/* Seconds in which the next lines must each be typed; 0: no limit. */
void line_editor_patience(struct line_editor *e, unsigned seconds);
/* What the next line begins with, as if it had been pasted: text to be
 * changed, of which nothing runs before Enter is pressed. */
void line_editor_give(struct line_editor *e, const char *text, size_t len);
/* In a prompt: around what the terminal takes for itself and shows nothing
 * of (EL_PROMPT_ESC of editline(3)). */
#define LINE_HIDDEN '\001'
/* Shows the prompt (text to draw, already expanded) and reads one complete
 * unit into ret.  A unit over LINE_MAX_BYTES is LINE_FAILED with err. */
enum line_result line_editor_read(struct line_editor *e, const char *prompt,
	struct buf *ret, struct err *err);

/* ---- keys ---------------------------------------------------------------- */
enum { LINE_KEY_EMACS = 1, LINE_KEY_INSERT = 2, LINE_KEY_COMMAND = 4 };

/* Arrays: each start of a shell would have to write addresses. */
struct line_key {
	unsigned where;		/* LINE_KEY_…: emacs, or which mode of vi */
	char shown[12];		/* "C-x C-e"; "": not for people */
	char bound[12];		/* as bind of editrc(5) takes it */
	char function[28];	/* "": none is bound to it */
	char help[80];
};
const struct line_key *line_keys(size_t *ret_n);

/* ---- a stream: byte by byte, so that commands find the rest ------------- */
struct line_stream;

/* The next line of the stream, as syn_line_fn. */
typedef bool line_next_fn(void *ctx, const char **ret, size_t *ret_len);
/* Asks for lines until text and they are a complete unit (or hopeless). */
typedef void line_cut_fn(void *ctx, const char *text, size_t len,
	line_next_fn *next, void *next_ctx);

int line_stream_new(int fd, line_cut_fn *cut, void *ctx,
	struct line_stream **ret);
void line_stream_free(struct line_stream *s);
/* One complete unit.  At the end of input an incomplete rest is LINE_OK
 * once, as bash would get it. */
enum line_result line_stream_read(struct line_stream *s, struct buf *ret,
	struct err *err);

#endif
