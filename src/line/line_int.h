/* SPDX-License-Identifier: ISC */
/* What the files of line share. */
#ifndef AEGSH_LINE_INT_H
#define AEGSH_LINE_INT_H

#include "aegsh/line.h"

#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

/* Up and down: what was typed, and the lines that were shown after it. */
struct line_walk {
	struct strv shown;
	size_t now;
	char *starts;
	struct line_place place;
	bool over;			/* there are no more */
};

/* The line as it was, oldest first; the last is what it is now. */
struct line_undo {
	struct line_state {
		char *text;
		ptrdiff_t cursor;
	} *v;
	size_t n, bytes;
};

#define LINE_KILLS 16
struct line_kill {
	wchar_t *ring[LINE_KILLS];	/* newest first */
	size_t at;			/* of them, that was put in last */
	/* Cursor and line right after a kill, a yank, a last word: what is
	 * still so was followed by the same key. */
	wchar_t *after_kill, *after_yank, *after_word;
	unsigned word_back;
	int word_len;
};

/* What the line may become, at the right edge. */
struct line_hint {
	bool on, grey;
	struct buf of;			/* the line that it is for */
	struct buf rest;		/* what would be put in … */
	struct buf shown;		/* … and how that is drawn */
};

/* What would become of the line, likewise. */
struct line_outlook {
	bool on;
	struct buf of;			/* the unit that it is of */
	struct buf shown;
	int awaited;			/* readable when it has come, or -1 */
	bool heard;			/* it has, and is not shown yet */
	bool passed;			/* a key has come since */
};

/* C-r and M-r: keys go to the pattern, and not to the line. */
struct line_search {
	bool on, fuzzy;
	wchar_t key;			/* the one that has come */
	struct buf pattern, before;	/* before: the line as it was */
	char *last;			/* the pattern of the search before */
	struct strv found, about;	/* one of each */
	bool *loose;			/* and of this */
	size_t chosen;
	struct line_place place;
	bool over;
	struct buf prompt;
};

struct line_editor {
	EditLine *el;
	FILE *in, *out;
	FILE *draw;			/* libedit's: out, or for a screen … */
	struct line_plain *plain;	/* … reader, by way of this */
	int tty_in, signals;
	struct line_editor_opts opts;
	const char *prompt;
	char *continuation;
	bool idled, interrupted;
	bool word_over;			/* perhaps, since the last pause */
	bool timed_out;
	bool resized;			/* the screen, and libedit not yet */
	bool between;			/* keys: it may be told now */
	enum line_sequence {
		LINE_NO_SEQUENCE = 0, LINE_AFTER_ESC, LINE_IN_SEQUENCE,
		LINE_AFTER_LEAD,
	} sequence;
	unsigned regained;		/* the terminal, in this line */
	unsigned patience;		/* seconds for one line, 0: for ever */
	int64_t deadline_ns;
	int ending_signal;
	mbstate_t decode;
	size_t n_begun;			/* bytes of a character … */
	unsigned char begun[8];		/* … that is not whole yet */
	char *paged;			/* the text that choices were shown
					 * for … */
	unsigned page;			/* … and which screenful of them */
	const struct buf *unit;		/* lines of it that were read before */
	struct line_walk walk;
	struct line_undo undo;
	struct line_kill kill;
	struct line_hint hint;
	struct line_outlook outlook;
	struct buf edge;		/* both, as they are drawn */
	struct line_search search;
	bool long_way;			/* of drawing letters */
	bool own_letters;		/* ~/.editrc has bound some */
	bool own_sequences;		/* … and what begins with ESC */
	bool vi;			/* its keys, and not those of emacs */
	bool marks;			/* the terminal may mark pastes */
	struct buf given;		/* text that was never typed */
	bool pasting;			/* it or a paste comes next */
	bool too_long;			/* what was pasted */
	bool wants_editor;		/* $EDITOR, for this line */
	char *note;			/* why ~/.editrc is not used, or NULL */
	size_t n_ahead;			/* keys that were read, to be taken
					 * again */
	unsigned char ahead[16];
};

struct line_editor *line_editor_of(EditLine *el);
/* A key that no keyboard has (U+009F, a control character): text to be put in
 * as it is waits at line_paste(). */
#define LINE_KEY_PASTE L'\237'
/* Likewise (U+009E): a key for the search. */
#define LINE_KEY_SEARCH L'\236'
/* Likewise, from U+0090 on: what a key sends behind ESC, where ESC alone is a
 * key of its own (vi). */
#define LINE_KEY_OF_MANY L'\220'
/* Is there something that reading keys would take at once? */
bool line_key_waits(const struct line_editor *e);
/* The next key, where it is Enter: it was meant for what has not been found. */
void line_drop_enter(struct line_editor *e);
/* line_read.c, for libedit (EL_GETCFN). */
int line_get_key(EditLine *el, wchar_t *ret);
/* 1; 0 at the end, -1 when reading is over. */
int line_read_key(struct line_editor *e, wchar_t *ret);
/* A byte of a sequence that a key sends; false: none follows. */
bool line_key_at_once(struct line_editor *e, unsigned char *ret);
/* That key is the next one. */
void line_ahead(struct line_editor *e, unsigned char byte);
/* The text that waits; false: none does. */
bool line_take_paste(struct line_editor *e, struct buf *text);
unsigned char line_paste(EditLine *el, wint_t key);

/* line_text.c: what is being typed, as bytes. */
wchar_t line_wide_byte(unsigned char byte);
void line_put_wide(struct buf *ret, const wchar_t *text, size_t n);
/* Of the physical line; append. */
void line_text(struct line_editor *e, struct buf *ret);
/* The unit up to the cursor. */
void line_text_before(struct line_editor *e, struct buf *ret);
/* At the cursor, any bytes but NUL; false: it does not fit. */
bool line_insert(struct line_editor *e, const char *text, size_t len);
/* In place of the physical line; the cursor stands at its end. */
bool line_replace(struct line_editor *e, const char *text, size_t len);
/* What a key returns that has put another text in place of some: it is drawn
 * over, or all of it on a line of its own, which a screen reader can tell. */
unsigned char line_drawn(const struct line_editor *e);
/* Characters that these bytes are. */
int line_count_wide(const char *bytes);

/* line_walk.c: up and down. */
unsigned char line_older(EditLine *el, wint_t key);
unsigned char line_newer(EditLine *el, wint_t key);
void line_walk_done(struct line_walk *w);

/* line_undo.c.  look: before each key. */
void line_undo_look(struct line_editor *e);
void line_undo_done(struct line_undo *u);
unsigned char line_undo(EditLine *el, wint_t key);
unsigned char line_revert(EditLine *el, wint_t key);

/* line_kill.c */
void line_kill_done(struct line_kill *k);
/* What follows a key of the line before follows nothing. */
void line_kill_begin_line(struct line_kill *k);
/* Into the ring: n characters from the cursor on (back: before it). */
unsigned char line_cut(EditLine *el, size_t n, bool back);
unsigned char line_kill_end(EditLine *el, wint_t key);
unsigned char line_kill_begin(EditLine *el, wint_t key);
unsigned char line_kill_blank(EditLine *el, wint_t key);
unsigned char line_kill_word(EditLine *el, wint_t key);
unsigned char line_kill_word_back(EditLine *el, wint_t key);
unsigned char line_yank(EditLine *el, wint_t key);
unsigned char line_yank_other(EditLine *el, wint_t key);
unsigned char line_last_word(EditLine *el, wint_t key);
unsigned char line_first_word(EditLine *el, wint_t key);

/* line_motion.c: words, as readline has them. */
unsigned char line_begin(EditLine *el, wint_t key);
unsigned char line_word_back(EditLine *el, wint_t key);
unsigned char line_shell_word(EditLine *el, wint_t key);
unsigned char line_shell_word_back(EditLine *el, wint_t key);
unsigned char line_kill_shell_word(EditLine *el, wint_t key);
unsigned char line_kill_kind(EditLine *el, wint_t key);
unsigned char line_upper(EditLine *el, wint_t key);
unsigned char line_lower(EditLine *el, wint_t key);
unsigned char line_capital(EditLine *el, wint_t key);
unsigned char line_swap_words(EditLine *el, wint_t key);
unsigned char line_swap_shell_words(EditLine *el, wint_t key);
unsigned char line_swap_chars(EditLine *el, wint_t key);
unsigned char line_delete_blanks(EditLine *el, wint_t key);
unsigned char line_delete_char(EditLine *el, wint_t key);
unsigned char line_older_command(EditLine *el, wint_t key);
unsigned char line_newer_command(EditLine *el, wint_t key);
unsigned char line_seek(EditLine *el, wint_t key);
unsigned char line_seek_back(EditLine *el, wint_t key);
unsigned char line_comment(EditLine *el, wint_t key);

/* line_hint.c.  look, clear: true when it is to be drawn anew. */
bool line_hint_look(struct line_editor *e);
bool line_hint_clear(struct line_editor *e);
void line_hint_done(struct line_hint *h);
unsigned char line_forward(EditLine *el, wint_t key);
unsigned char line_forward_word(EditLine *el, wint_t key);
unsigned char line_end(EditLine *el, wint_t key);

/* line_outlook.c.  Likewise; late: after what was awaited became readable. */
char *line_edge_text(EditLine *el);
bool line_outlook_look(struct line_editor *e);
bool line_outlook_late(struct line_editor *e);
bool line_outlook_clear(struct line_editor *e);
void line_outlook_done(struct line_outlook *o);
unsigned char line_explain(EditLine *el, wint_t key);

/* line_plain.c: a stream to draw on, of which the terminal gets what can be
 * read out; NULL: there is none.  begin: with an empty row. */
struct line_plain *line_plain_new(FILE *to, FILE **ret);
void line_plain_begin(struct line_plain *p);
void line_plain_free(struct line_plain *p);

/* line_search.c */
unsigned char line_search_begin(EditLine *el, wint_t key);
unsigned char line_find_begin(EditLine *el, wint_t key);
unsigned char line_search_key(EditLine *el, wint_t key);
/* Between keys: true when there is something new to be drawn. */
bool line_search_step(struct line_editor *e);
void line_search_end(struct line_editor *e);

/* line_complete.c: what Tab does. */
unsigned char line_complete_word(EditLine *el, wint_t key);
void line_forget_page(struct line_editor *e);

/* line_keys.c: names and keys of what the editor can do. */
void line_keys_init(struct line_editor *e, bool vi);
/* The name that is to be bound where a file asks for this one, perhaps the
 * same; NULL: nothing. */
const char *line_keys_name(const char *name);
/* After what changes all keys (bind -v, bind -e). */
void line_keys_bind(struct line_editor *e);
/* At last: nothing is bound that would run anything unjudged. */
void line_keys_check(struct line_editor *e);
/* Letters are drawn the long way (see aegsh-insert), or as libedit does. */
void line_keys_long(struct line_editor *e, bool on);
/* What is bound to what, as editline(3) lists it. */
void line_keys_list(struct line_editor *e, struct buf *ret);

/* line_rc.c: the person's own keys. */
void line_rc_load(struct line_editor *e);

#endif
