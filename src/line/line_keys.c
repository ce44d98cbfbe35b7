/* SPDX-License-Identifier: ISC */
/*
 * Keys: what is bound beside libedit's own, and instead of those of its own
 * that would run something unjudged.  The table is what `help keys' and
 * aegsh(1) show.
 */
#include "line_int.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/tr.h"

struct function {
	const wchar_t *name, *help;
	const char *narrow;	/* the name again … */
	const char *replaces;	/* … and libedit's, in whose place it stands */
	unsigned char (*run)(EditLine *el, wint_t key);
};

/* The line goes to $EDITOR: the shell sees to that, as to any line. */
static unsigned char
edit(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	const LineInfoW *li = el_wline(el);

	(void)key;
	e->wants_editor = true;
	el_cursor(el, (int)(li->lastchar - li->cursor));
	line_ahead(e, '\n');
	return CC_CURSOR;
}

/* Starts a program that nobody has judged. */
#define UNJUDGED "vi-histedit"

/* libedit's short way of drawing what is typed at the end of a line writes
 * behind its rows where characters of two columns made the line higher than
 * the screen (libedit 3.1-20221030, refresh.c): this one goes the long way, and
 * stands at the letters of a line that has such. */
static unsigned char
insert(EditLine *el, wint_t key)
{
	const wchar_t text[2] = { (wchar_t)key, L'\0' };

	return el_winsertstr(el, text) == 0 ? CC_REFRESH : CC_ERROR;
}

#define FUNCTION(name, help, replaces, run) \
	{ L##name, L##help, name, replaces, run }
static const struct function functions[] = {
	FUNCTION("aegsh-paste", "Put in what was pasted", NULL, line_paste),
	FUNCTION("aegsh-insert", "Put in the character", NULL, insert),
	FUNCTION("aegsh-complete", "Complete the word", NULL,
	    line_complete_word),
	FUNCTION("aegsh-older", "The line before, that starts so",
	    "ed-prev-history", line_older),
	FUNCTION("aegsh-newer", "The line after, that starts so",
	    "ed-next-history", line_newer),
	FUNCTION("aegsh-search", "Search backwards, key by key",
	    "em-inc-search-prev", line_search_begin),
	FUNCTION("aegsh-find", "Find a line by words and filters",
	    "vi-search-prev", line_find_begin),
	FUNCTION("aegsh-search-key", "A key of a search", NULL,
	    line_search_key),
	FUNCTION("aegsh-forward", "A character on", "ed-next-char",
	    line_forward),
	FUNCTION("aegsh-forward-word", "A word on", "em-next-word",
	    line_forward_word),
	FUNCTION("aegsh-end", "To the end", "ed-move-to-end", line_end),
	FUNCTION("aegsh-undo", "Undo", NULL, line_undo),
	FUNCTION("aegsh-revert", "Undo all", NULL, line_revert),
	FUNCTION("aegsh-kill-end", "Cut to the end", "ed-kill-line",
	    line_kill_end),
	FUNCTION("aegsh-kill-begin", "Cut to the beginning",
	    "vi-kill-line-prev", line_kill_begin),
	FUNCTION("aegsh-kill-blank", "Cut back to a blank", NULL,
	    line_kill_blank),
	FUNCTION("aegsh-kill-word", "Cut a word", "em-delete-next-word",
	    line_kill_word),
	FUNCTION("aegsh-kill-word-back", "Cut the word before",
	    "ed-delete-prev-word", line_kill_word_back),
	FUNCTION("aegsh-yank", "Put in what was cut", "em-yank", line_yank),
	FUNCTION("aegsh-yank-other", "Put in what was cut earlier", NULL,
	    line_yank_other),
	FUNCTION("aegsh-last-word", "The last word of a line before",
	    "vi-history-word", line_last_word),
	FUNCTION("aegsh-first-word", "The first operand of the line before",
	    NULL, line_first_word),
	FUNCTION("aegsh-begin", "To the beginning", NULL, line_begin),
	FUNCTION("aegsh-word-back", "A word back", "ed-prev-word",
	    line_word_back),
	FUNCTION("aegsh-shell-word", "A word of the shell on", NULL,
	    line_shell_word),
	FUNCTION("aegsh-shell-word-back", "A word of the shell back", NULL,
	    line_shell_word_back),
	FUNCTION("aegsh-kill-shell-word", "Cut a word of the shell", NULL,
	    line_kill_shell_word),
	FUNCTION("aegsh-kill-kind", "Cut back what is of one kind", NULL,
	    line_kill_kind),
	FUNCTION("aegsh-upper", "A word in capital letters", "em-upper-case",
	    line_upper),
	FUNCTION("aegsh-lower", "A word in small letters", "em-lower-case",
	    line_lower),
	FUNCTION("aegsh-capital", "A word with a capital letter",
	    "em-capitol-case", line_capital),
	FUNCTION("aegsh-swap-words", "Exchange two words", NULL,
	    line_swap_words),
	FUNCTION("aegsh-swap-shell-words", "Exchange two words of the shell",
	    NULL, line_swap_shell_words),
	FUNCTION("aegsh-swap-chars", "Exchange two characters",
	    "ed-transpose-chars", line_swap_chars),
	FUNCTION("aegsh-delete-blanks", "Take away the blanks here", NULL,
	    line_delete_blanks),
	FUNCTION("aegsh-delete", "Take away the character", NULL,
	    line_delete_char),
	FUNCTION("aegsh-older-command", "The line before, in vi's commands",
	    NULL, line_older_command),
	FUNCTION("aegsh-newer-command", "The line after, in vi's commands",
	    NULL, line_newer_command),
	FUNCTION("aegsh-seek", "On to a character", NULL, line_seek),
	FUNCTION("aegsh-seek-back", "Back to a character", NULL,
	    line_seek_back),
	FUNCTION("aegsh-comment", "Send the line as a comment", NULL,
	    line_comment),
	FUNCTION("aegsh-explain", "Say what would become of the line", NULL,
	    line_explain),
	FUNCTION("aegsh-edit", "Edit the line in $EDITOR", UNJUDGED, edit),
};

/* Takes commands that could bind what is not to be bound. */
static const char *const refused[] = { "ed-command" };

const char *
line_keys_name(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(refused); i++)
		if (strcmp(refused[i], name) == 0)
			return NULL;
	for (i = 0; i < AEG_NELEM(functions); i++)
		if (functions[i].replaces != NULL &&
		    strcmp(functions[i].replaces, name) == 0)
			return functions[i].narrow;
	return name;
}

/* A row without a function takes away what is there. */
static void
bind(struct line_editor *e, const struct line_key *k)
{
	unsigned where = e->vi ? LINE_KEY_INSERT | LINE_KEY_COMMAND :
	    LINE_KEY_EMACS;
	const char *args[4] = { NULL };
	size_t n = 0;

	where &= k->where;
	if (k->function[0] == '\0')
		args[n++] = "-r";
	args[n++] = k->bound;
	if (k->function[0] != '\0')
		args[n++] = k->function;
	if ((where & ~LINE_KEY_COMMAND) != 0)
		el_set(e->el, EL_BIND, args[0], args[1], args[2], NULL);
	if ((where & LINE_KEY_COMMAND) != 0)
		el_set(e->el, EL_BIND, "-a", args[0], args[1], args[2], NULL);
}

static bool
has_word(const struct buf *list, const char *word)
{
	return list->len > 0 && strstr(list->data, word) != NULL;
}

/* Should libedit ever come with more keys for them than are known here: none
 * is left that would. */
static bool
is_safe(struct line_editor *e)
{
	AEG_AUTO(buf_done) struct buf list = BUF_INIT;
	size_t i;

	line_keys_list(e, &list);
	for (i = 0; i < AEG_NELEM(refused); i++)
		if (has_word(&list, refused[i]))
			return false;
	return list.len > 0 && !has_word(&list, UNJUDGED);
}

#define E LINE_KEY_EMACS
#define I LINE_KEY_INSERT
#define C LINE_KEY_COMMAND

static const struct line_key keys[] = {
	{ E | I, "Tab", "^I", "aegsh-complete",
	    TR_LATER("complete the word; again: list what it may become") },
	{ E | I, "Up, C-p", "^P", "aegsh-older",
	    TR_LATER("the line before, of those that start with what is "
	    "typed") },
	{ E | I, "Down, C-n", "^N", "aegsh-newer",
	    TR_LATER("the line after it") },
	{ C, "k", "k", "aegsh-older-command",
	    TR_LATER("the line before, likewise") },
	{ C, "j", "j", "aegsh-newer-command",
	    TR_LATER("the line after it") },
	{ E | I, "C-r", "^R", "aegsh-search",
	    TR_LATER("search backwards, key by key; again: further back") },
	{ E, "M-r", "^[r", "aegsh-find",
	    TR_LATER("find a line by words and filters, in a list") },
	{ C, "/", "/", "aegsh-find",
	    TR_LATER("find a line by words and filters") },
	{ E, "M-.", "^[.", "aegsh-last-word",
	    TR_LATER("the last word of the line before; again: of the one "
	    "before") },
	{ E, "M-_", "^[_", "aegsh-last-word", TR_LATER("likewise") },
	{ C, "_", "_", "aegsh-last-word", TR_LATER("likewise") },
	{ E, "M-C-y", "^[^Y", "aegsh-first-word",
	    TR_LATER("the first operand of the line before") },
	{ E | I | C, "C-_", "^_", "aegsh-undo", TR_LATER("undo") },
	{ E | I, "C-x C-u", "^X^U", "aegsh-undo", TR_LATER("undo") },
	{ C, "u", "u", "aegsh-undo", TR_LATER("undo") },
	{ C, "U", "U", "aegsh-revert", TR_LATER("undo all") },
	{ E, "C-k", "^K", "aegsh-kill-end", TR_LATER("cut to the end") },
	{ E | I, "C-u", "^U", "aegsh-kill-begin",
	    TR_LATER("cut to the beginning") },
	{ E, "C-w", "^W", "aegsh-kill-blank",
	    TR_LATER("cut back to a blank") },
	{ I, "C-w", "^W", "aegsh-kill-kind",
	    TR_LATER("cut back what is of one kind, as a word") },
	{ E, "M-d", "^[d", "aegsh-kill-word", TR_LATER("cut a word") },
	{ E, "M-DEL", "^[^?", "aegsh-kill-word-back",
	    TR_LATER("cut the word before") },
	{ E, "M-C-d", "^[^D", "aegsh-kill-shell-word",
	    TR_LATER("cut a word as the shell has it") },
	{ E | I, "C-y", "^Y", "aegsh-yank", TR_LATER("put in what was cut") },
	{ E, "M-y", "^[y", "aegsh-yank-other",
	    TR_LATER("after C-y: what was cut earlier") },
	{ E | I, "C-x C-e", "^X^E", "aegsh-edit",
	    TR_LATER("edit the line in $VISUAL or $EDITOR") },
	{ C, "v", "v", "aegsh-edit",
	    TR_LATER("edit the line in $VISUAL or $EDITOR") },
	{ E | I | C, "C-x ?", "^X?", "aegsh-explain",
	    TR_LATER("say what would become of the line, and why") },
	{ E | I, "C-a", "^A", "aegsh-begin", TR_LATER("to the beginning") },
	{ E | I, "C-e, End", "^E", "aegsh-end",
	    TR_LATER("to the end; there: take the suggestion") },
	{ E | I, "C-b", "^B", "ed-prev-char", TR_LATER("a character back") },
	{ E | I, "C-f, Right", "^F", "aegsh-forward",
	    TR_LATER("a character on; at the end: take the suggestion") },
	{ E, "M-b", "^[b", "aegsh-word-back", TR_LATER("a word back") },
	{ E, "M-f", "^[f", "aegsh-forward-word",
	    TR_LATER("a word on; at the end: take a word of the suggestion") },
	{ E, "M-C-b", "^[^B", "aegsh-shell-word-back",
	    TR_LATER("a word back as the shell has it") },
	{ E, "M-C-f", "^[^F", "aegsh-shell-word",
	    TR_LATER("a word on as the shell has it") },
	{ E, "C-]", "^]", "aegsh-seek",
	    TR_LATER("on to the character that is typed next") },
	{ E, "M-C-]", "^[^]", "aegsh-seek-back",
	    TR_LATER("back to the character that is typed next") },
	{ E | I, "C-t", "^T", "aegsh-swap-chars",
	    TR_LATER("exchange two characters") },
	{ E, "M-t", "^[t", "aegsh-swap-words", TR_LATER("exchange two words") },
	{ E, "M-C-t", "^[^T", "aegsh-swap-shell-words",
	    TR_LATER("exchange two words as the shell has them") },
	{ E, "M-u", "^[u", "aegsh-upper",
	    TR_LATER("the word in capital letters") },
	{ E, "M-l", "^[l", "aegsh-lower",
	    TR_LATER("the word in small letters") },
	{ E, "M-c", "^[c", "aegsh-capital",
	    TR_LATER("the word with a capital letter") },
	{ E, "M-\\", "^[\\\\", "aegsh-delete-blanks",
	    TR_LATER("take away the blanks around the cursor") },
	{ E, "M-#", "^[#", "aegsh-comment",
	    TR_LATER("send the line as a comment, to be recalled") },
	{ E | I, "C-l", "^L", "ed-clear-screen", TR_LATER("clear the screen") },
	{ E | I | C, "", "\\237", "aegsh-paste", "" },
	{ E | I | C, "", "\\236", "aegsh-search-key", "" },
	{ E, "", "^[[A", "aegsh-older", "" },
	{ E, "", "^[[B", "aegsh-newer", "" },
	{ E, "", "^[OA", "aegsh-older", "" },
	{ E, "", "^[[C", "aegsh-forward", "" },
	{ E, "", "^[OC", "aegsh-forward", "" },
	{ E, "", "^[[F", "aegsh-end", "" },
	{ E, "", "^[OF", "aegsh-end", "" },
	{ E, "", "^[OB", "aegsh-newer", "" },
	{ C, "", "[A", "aegsh-older-command", "" },
	{ C, "", "[B", "aegsh-newer-command", "" },
	{ C, "", "OA", "aegsh-older-command", "" },
	{ C, "", "OB", "aegsh-newer-command", "" },
	{ C, "", "^P", "aegsh-older-command", "" },
	{ C, "", "^N", "aegsh-newer-command", "" },
	{ C, "", "\\055", "aegsh-older-command", "" },
	{ C, "", "+", "aegsh-newer-command", "" },
	/* Terminals that libedit knows nothing of send them, too. */
	{ E, "", "^[[3~", "aegsh-delete", "" },
	{ E, "", "^[[H", "aegsh-begin", "" },
	{ E, "", "^[OH", "aegsh-begin", "" },
	{ E, "", "^[[1~", "aegsh-begin", "" },
	{ E, "", "^[[7~", "aegsh-begin", "" },
	{ E, "", "^[[4~", "aegsh-end", "" },
	{ E, "", "^[[8~", "aegsh-end", "" },
	{ E, "", "^[^H", "aegsh-kill-word-back", "" },
	{ E, "", "^[[2~", "em-toggle-overwrite", "" },
	{ E, "", "^[[5~", "aegsh-older", "" },
	{ E, "", "^[[6~", "aegsh-newer", "" },
	{ E, "", "^[[3;5~", "aegsh-kill-word", "" },
	{ E, "", "^[[1;5C", "aegsh-forward-word", "" },
	{ E, "", "^[[1;3C", "aegsh-forward-word", "" },
	{ E, "", "^[[1;5D", "aegsh-word-back", "" },
	{ E, "", "^[[1;3D", "aegsh-word-back", "" },
	{ E, "", "^X^?", "aegsh-kill-begin", "" },
	{ E, "", "^[^R", "aegsh-revert", "" },
	{ E, "", "^[p", "aegsh-older", "" },
	{ E, "", "^[n", "aegsh-newer", "" },
	/* Capital letters behind ESC are small ones. */
	{ E, "", "^[B", "aegsh-word-back", "" },
	{ E, "", "^[C", "aegsh-capital", "" },
	{ E, "", "^[D", "aegsh-kill-word", "" },
	{ E, "", "^[F", "aegsh-forward-word", "" },
	{ E, "", "^[L", "aegsh-lower", "" },
	{ E, "", "^[N", "aegsh-newer", "" },
	{ E, "", "^[P", "aegsh-older", "" },
	{ E, "", "^[R", "aegsh-find", "" },
	{ E, "", "^[T", "aegsh-swap-words", "" },
	{ E, "", "^[U", "aegsh-upper", "" },
	{ E, "", "^[Y", "aegsh-yank-other", "" },
	/* The keys that are sent as several, for vi; see line_read.c. */
	{ I, "", "\\220", "aegsh-older", "" },
	{ I, "", "\\221", "aegsh-newer", "" },
	{ C, "", "\\220", "aegsh-older-command", "" },
	{ C, "", "\\221", "aegsh-newer-command", "" },
	{ I | C, "", "\\222", "aegsh-forward", "" },
	{ I | C, "", "\\223", "ed-prev-char", "" },
	{ I | C, "", "\\224", "aegsh-begin", "" },
	{ I | C, "", "\\225", "aegsh-end", "" },
	{ I | C, "", "\\226", "em-toggle-overwrite", "" },
	{ I | C, "", "\\227", "aegsh-delete", "" },
	{ I | C, "", "\\230", "aegsh-kill-word", "" },
	{ I | C, "", "\\231", "aegsh-forward-word", "" },
	{ I | C, "", "\\232", "aegsh-word-back", "" },
	{ C, "", "^H", "ed-prev-char", "" },
	{ C, "", "^K", "aegsh-kill-end", "" },
	{ C, "", "^R", "aegsh-search", "" },
	{ C, "", "^T", "aegsh-swap-chars", "" },
	{ C, "", "^U", "aegsh-kill-begin", "" },
	{ C, "", "^V", "ed-quoted-insert", "" },
	{ C, "", "^W", "aegsh-kill-kind", "" },
	{ C, "", "^Y", "aegsh-yank", "" },
	{ E, "", "^[x", "", "" },
	{ E, "", "^[X", "", "" },
	{ E, "", "\\370", "", "" },
	{ E, "", "\\330", "", "" },
	{ C, "", ":", "", "" },
};

const struct line_key *
line_keys(size_t *ret_n)
{
	*ret_n = AEG_NELEM(keys);
	return keys;
}

void
line_keys_bind(struct line_editor *e)
{
	const char *name = NULL;
	size_t i;

	el_get(e->el, EL_EDITOR, &name);
	e->vi = name != NULL && strcmp(name, "vi") == 0;
	for (i = 0; i < AEG_NELEM(keys); i++)
		bind(e, &keys[i]);
}

void
line_keys_long(struct line_editor *e, bool on)
{
	char key[8];
	int c;

	if (e->long_way == on || e->own_letters)
		return;
	e->long_way = on;
	for (c = ' '; c < 0177; c++) {
		snprintf(key, sizeof key, "\\%03o", (unsigned)c);
		el_set(e->el, EL_BIND, key, on ? "aegsh-insert" : !e->vi &&
		    c >= '0' && c <= '9' ? "ed-digit" : "ed-insert", NULL);
	}
}

void
line_keys_init(struct line_editor *e, bool vi)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(functions); i++)
		el_wset(e->el, EL_ADDFN, functions[i].name, functions[i].help,
		    functions[i].run);
	el_set(e->el, EL_EDITOR, vi ? "vi" : "emacs");
	line_keys_bind(e);
}

void
line_keys_list(struct line_editor *e, struct buf *ret)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (to == NULL)
		return;
	el_set(e->el, EL_SETFP, 1, to);
	el_set(e->el, EL_BIND, NULL);
	el_set(e->el, EL_SETFP, 1, e->draw);
	fclose(to);
	buf_put(ret, text, len);
	free(text);
}

void
line_keys_check(struct line_editor *e)
{
	if (is_safe(e))
		return;
	el_set(e->el, EL_EDITOR, "emacs");
	line_keys_bind(e);
	if (!is_safe(e))
		el_set(e->el, EL_EDITMODE, 0);
	if (e->note == NULL)
		e->note = xstrdup("its keys are left out: one would run "
		    "what nobody has judged");
}
