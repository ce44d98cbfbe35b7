/* SPDX-License-Identifier: ISC */
/*
 * A command behind exports that last only for it: "EXPORTS && CMD…", the
 * text of one bash -c.
 */
#include "aegsh/shellenv_mend.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/text.h"

#include "prof_int.h"

#define WRAP_MAX ((size_t)256 * 1024)

/* What makes " && CMD" behind the text no continuation of it. */
static const char *
why_not(const struct lex *l, enum tok last, const char *text, size_t len)
{
	size_t n = 0;

	switch (last) {
	case TOK_EOF:
		return "it is empty";
	case TOK_NL:
		return "it ends in a new line";
	case TOK_SEMI:
	case TOK_DSEMI:
	case TOK_AMP:
	case TOK_AND:
	case TOK_OR:
	case TOK_PIPE:
	case TOK_LPAR:
		return "it ends in an operator";
	case TOK_WORD:
	case TOK_RPAR:
		break;
	}
	while (n < len && text[len - 1 - n] == '\\')
		n++;
	if (n % 2 == 1)
		return "it ends in a backslash";
	if (l->comment_end == len)
		return "it ends in a comment";
	if (l->doc_end == len)
		return "it ends in a here-document";
	return NULL;
}

static int
check_exports(const char *text, struct err *err)
{
	struct arena *arena = arena_new();
	size_t len = strlen(text);
	const char *why = se_prof_parse(arena, "exports", text, len,
	    DIALECT_BASH)->bad;
	enum tok last = TOK_EOF;
	struct lex l;

	se_lex_init(&l, arena, text, len, DIALECT_BASH);
	for (se_lex_next(&l); l.tok != TOK_EOF; se_lex_next(&l))
		last = l.tok;
	if (why == NULL)
		why = why_not(&l, last, text, len);
	arena_free(arena);
	return why == NULL ? 0 : err_set(err, ERR_SYNTAX,
	    "a command cannot follow the exports: %s", why);
}

/* The command word must not be taken for an assignment or a reserved
 * word. */
static void
put_command_word(struct buf *out, const char *word)
{
	static const char *const reserved[] = { "if", "then", "else", "elif",
	    "fi", "case", "esac", "for", "select", "while", "until", "do",
	    "done", "in", "function", "time", "coproc" };
	AEG_AUTO(buf_done) struct buf quoted = BUF_INIT;
	bool guard = strchr(word, '=') != NULL;
	size_t i;

	for (i = 0; i < AEG_NELEM(reserved); i++)
		guard |= strcmp(word, reserved[i]) == 0;
	text_quote(&quoted, word, strlen(word));
	if (guard && strcmp(quoted.data, word) == 0)
		buf_putf(out, "'%s'", word);
	else
		buf_put(out, quoted.data, quoted.len);
}

int
shellenv_wrap(const char *exports, char *const *argv, struct buf *out,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT_MAX(WRAP_MAX);
	int r;

	if (argv[0] == NULL || argv[0][0] == '\0')
		return err_set(err, -EINVAL, "no command");
	if (exports != NULL) {
		r = check_exports(exports, err);
		if (r < 0)
			return r;
		buf_putf(&line, "%s && ", exports);
	}
	put_command_word(&line, argv[0]);
	if (argv[1] != NULL) {
		buf_putc(&line, ' ');
		text_quote_words(&line, argv + 1);
	}
	if (buf_overflow(&line))
		return err_set(err, ERR_TOO_LONG, "the command is longer than "
		    "%zu bytes", WRAP_MAX);
	buf_put(out, line.data, line.len);
	return 0;
}
