/* SPDX-License-Identifier: ISC */
/*
 * The person's keys: ~/.editrc, or what EDITRC names.  Read here and not by
 * libedit, because two of the things that a key can be bound to there would
 * pass the judges: one starts an editor on its own account, the other takes
 * commands that can bind the first.  Whoever names the first gets ours.
 */
#include "line_int.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define RC_MAX ((size_t)64 * 1024)

/* What only sets keys and what the terminal can do.  The rest prints, ends
 * editing, or is of libedit's own history. */
static bool
is_taken(int argc, const char *const *argv)
{
	const char *name = strrchr(argv[0], ':');

	name = name != NULL ? name + 1 : argv[0];
	if (strcmp(name, "settc") == 0 || strcmp(name, "setty") == 0)
		return true;
	return strcmp(name, "bind") == 0 && argc > 1 &&
	    strcmp(argv[1], "-l") != 0;
}

static bool
changes_all(int argc, const char *const *argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "-e") == 0)
			return true;
	return false;
}

/* What keys send that are not letters, however ESC is written. */
static bool
is_sequence(const char *key)
{
	static const char *const escapes[] = { "^[", "\\e", "\\E", "\\033",
		"\033" };
	size_t i, n;

	for (i = 0; i < AEG_NELEM(escapes); i++) {
		n = strlen(escapes[i]);
		if (strncmp(key, escapes[i], n) == 0 &&
		    (key[n] == '[' || key[n] == 'O'))
			return true;
	}
	return false;
}

/* May be "PROGRAM:bind …", which libedit looks at. */
static void
run(struct line_editor *e, int argc, const char **argv)
{
	const char *name;

	if (argc == 0 || !is_taken(argc, argv))
		return;
	name = argc > 2 ? line_keys_name(argv[argc - 1]) : argv[argc - 1];
	if (name == NULL)
		return;
	argv[argc - 1] = name;
	e->own_letters |= argc > 2 && strlen(argv[argc - 2]) == 1 &&
	    argv[argc - 2][0] >= ' ';
	e->own_sequences |= argc > 2 && is_sequence(argv[argc - 2]);
	if (el_parse(e->el, argc, argv) == 0 && changes_all(argc, argv))
		line_keys_bind(e);
}

static void
run_line(struct line_editor *e, Tokenizer *tok, const char *text)
{
	const char **words = NULL;
	int argc = 0;

	text += strspn(text, " \t");
	if (*text == '\0' || *text == '#')
		return;
	tok_reset(tok);
	if (tok_str(tok, text, &argc, &words) == 0)
		run(e, argc, words);
}

static char *
path_of_rc(void)
{
	const char *named = getenv("EDITRC"), *home = getenv("HOME");

	if (named != NULL && named[0] == '/')
		return realpath(named, NULL);
	if (home == NULL || home[0] != '/')
		return NULL;
	{
		AEG_AUTOFREE char *path = xasprintf("%s/.editrc", home);

		return realpath(path, NULL);
	}
}

void
line_rc_load(struct line_editor *e)
{
	AEG_AUTOFREE char *path = path_of_rc();
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(RC_MAX);
	struct err err = ERR_INIT;
	Tokenizer *tok;
	char *line, *next;

	if (path == NULL)
		return;
	if (conf_trust_read(path, getuid(), RC_MAX, &text, &err) < 0) {
		e->note = xstrdup(err.text);
		return;
	}
	tok = tok_init(NULL);
	for (line = text.data; tok != NULL && line != NULL; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		run_line(e, tok, line);
	}
	if (tok != NULL)
		tok_end(tok);
}
