/* SPDX-License-Identifier: ISC */
/*
 * The prompt string: bash's escapes that people know (bash(1), PROMPTING) and
 * words in braces of our own.  Nothing in it is executed, what it shows is
 * inert, and of what it sends to the terminal only colours get through.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "shell/prompt.h"

static const struct {
	const char *name, *string;
} themes[] = {
	{ "plain", "\\u@\\h:\\w\\$ " },
	{ "short", "\\W\\$ " },
	{ "bash", "\\s-\\v\\$ " },
	{ "colour", "\\{bold}\\{green}\\u@\\h\\{off}:\\{bold}\\{blue}\\w"
	    "\\{off}\\$ " },
	{ "status", "\\{red}\\{failed}\\{off}\\u@\\h:\\{cyan}\\w\\{off}"
	    "\\{yellow}\\{git}\\{off}\\$ " },
	{ "operator", "\\{dim}\\t \\P\\{off} \\{magenta}\\{decision}\\{off} "
	    "\\u@\\h:\\w \\{took}\\n\\$ " },
};

const char *
prompt_theme(size_t i)
{
	return i < AEG_NELEM(themes) ? themes[i].name : NULL;
}

const char *
prompt_of(const char *setting)
{
	size_t i;

	if (strncmp(setting, "theme:", 6) != 0)
		return setting;
	for (i = 0; i < AEG_NELEM(themes); i++)
		if (strcmp(setting + 6, themes[i].name) == 0)
			return themes[i].string;
	return setting;
}

enum prompt_colours
prompt_colours_of(const char *term, const char *colorterm,
    const char *no_color)
{
	if (term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0 ||
	    strcmp(term, "unknown") == 0 ||
	    (no_color != NULL && no_color[0] != '\0'))
		return PROMPT_PLAIN;
	if (colorterm != NULL && (strcmp(colorterm, "truecolor") == 0 ||
	    strcmp(colorterm, "24bit") == 0))
		return PROMPT_TRUE;
	return strstr(term, "256color") != NULL ? PROMPT_256 : PROMPT_16;
}

/* ---- colours ------------------------------------------------------------- */

static const struct {
	const char *name, *sgr;
} colours[] = {
	{ "off", "0" }, { "bold", "1" }, { "dim", "2" },
	{ "underline", "4" }, { "reverse", "7" },
	{ "black", "30" }, { "red", "31" }, { "green", "32" },
	{ "yellow", "33" }, { "blue", "34" }, { "magenta", "35" },
	{ "cyan", "36" }, { "white", "37" }, { "grey", "90" },
};

static void
put_sgr(struct buf *out, const char *sgr, size_t len)
{
	buf_putc(out, LINE_HIDDEN);
	buf_puts(out, "\033[");
	buf_put(out, sgr, len);
	buf_putc(out, 'm');
	buf_putc(out, LINE_HIDDEN);
}

/* "208" of 256, or "#ff8800". */
static bool
put_numbered(struct buf *out, const struct prompt_facts *f, const char *word,
    size_t len)
{
	char text[32];
	unsigned long n;
	char *end;
	int k;

	if (word[0] == '#' && len == 7 && strspn(word + 1,
	    "0123456789abcdefABCDEF") >= 6) {
		n = strtoul(word + 1, &end, 16);
		k = snprintf(text, sizeof text, "38;2;%lu;%lu;%lu", n >> 16,
		    (n >> 8) & 255, n & 255);
		if (f->colours >= PROMPT_TRUE)
			put_sgr(out, text, (size_t)k);
		return true;
	}
	if (len == 0 || len > 3 || strspn(word, "0123456789") < len)
		return false;
	n = strtoul(word, &end, 10);
	if (n > 255)
		return false;
	k = snprintf(text, sizeof text, "38;5;%lu", n);
	if (f->colours >= PROMPT_256)
		put_sgr(out, text, (size_t)k);
	return true;
}

static bool
put_colour(struct buf *out, const struct prompt_facts *f, const char *word,
    size_t len)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(colours); i++)
		if (strlen(colours[i].name) == len &&
		    memcmp(colours[i].name, word, len) == 0) {
			if (f->colours > PROMPT_PLAIN)
				put_sgr(out, colours[i].sgr,
				    strlen(colours[i].sgr));
			return true;
		}
	return put_numbered(out, f, word, len);
}

/* Behind an escape character: how long the sequence is; put where it is of
 * colours, dropped where it is another. */
static size_t
take_sequence(struct buf *out, const struct prompt_facts *f, const char *p)
{
	size_t n;

	if (p[0] != '[')
		return 0;
	n = strspn(p + 1, "0123456789;:?<=>");
	if (p[1 + n] == '\0')
		return 1 + n;
	if (p[1 + n] == 'm' && strspn(p + 1, "0123456789;:") == n &&
	    f->colours > PROMPT_PLAIN)
		put_sgr(out, p + 1, n);
	return 2 + n;
}

/* ---- words --------------------------------------------------------------- */

static void
put_inert(struct buf *out, const char *text)
{
	text_inert(out, text, strlen(text), 0);
}

/* As bash counts them: the last ones, behind "…/". */
static const char *
trimmed(const char *path, unsigned keep)
{
	const char *p = path + strlen(path);
	unsigned n = 0;

	while (p > path && n < keep) {
		p--;
		n += *p == '/' && p > path;
		if (n == keep)
			return p + 1;
	}
	return path;
}

static void
put_cwd(struct buf *out, const struct prompt_facts *f, bool base)
{
	const char *cwd = f->cwd, *kept;
	bool below = f->home != NULL && f->home[0] == '/' &&
	    f->home[1] != '\0' && path_under(cwd, f->home);

	if (below && (!base || strcmp(cwd, f->home) == 0)) {
		buf_putc(out, '~');
		cwd += strlen(f->home);
	} else if (base && strcmp(cwd, "/") != 0) {
		cwd = path_base(cwd);
	}
	kept = base || f->trim == 0 ? cwd : trimmed(cwd, f->trim);
	/* Dots for what is no longer than they are would save nothing. */
	if (kept > cwd && kept - 1 - (below ? cwd + 1 : cwd) > 3)
		buf_puts(out, below ? "/.../" : ".../");
	else
		kept = cwd;
	put_inert(out, kept);
}

/* letter: \t and its like.  False where it is none. */
static bool
put_time(struct buf *out, const struct prompt_facts *f, char letter)
{
	char text[128];
	struct tm tm;
	size_t n;

	if (localtime_r(&f->now, &tm) == NULL)
		return false;
	switch (letter) {
	case 't':
		n = strftime(text, sizeof text, "%H:%M:%S", &tm);
		break;
	case 'T':
		n = strftime(text, sizeof text, "%I:%M:%S", &tm);
		break;
	case '@':
		n = strftime(text, sizeof text, "%I:%M %p", &tm);
		break;
	case 'A':
		n = strftime(text, sizeof text, "%H:%M", &tm);
		break;
	case 'd':
		n = strftime(text, sizeof text, "%a %b %d", &tm);
		break;
	default:
		return false;
	}
	text_inert(out, text, n, 0);
	return true;
}

static void
put_took(struct buf *out, int64_t ns)
{
	int64_t ms = ns / 1000000;

	if (ms < 1000)
		buf_putf(out, "%dms", (int)ms);
	else if (ms < 60000)
		buf_putf(out, "%d.%ds", (int)(ms / 1000),
		    (int)(ms % 1000 / 100));
	else
		buf_putf(out, "%dm%02ds", (int)(ms / 60000),
		    (int)(ms / 1000 % 60));
}

static void
put_git(struct buf *out, const struct prompt_facts *f)
{
	struct buf name = BUF_INIT;

	if (prompt_git(f->cwd, &name) && name.len > 0)
		buf_putf(out, " (%s)", name.data);
	buf_done(&name);
}

/* \{WORD}: false where there is no such word. */
static bool
put_word(struct buf *out, const struct prompt_facts *f, const char *word,
    size_t len)
{
	const char *text = NULL;

	if (len == 7 && memcmp(word, "profile", 7) == 0)
		text = f->profile;
	else if (len == 8 && memcmp(word, "decision", 8) == 0)
		text = f->decision;
	else if (len == 5 && memcmp(word, "model", 5) == 0)
		text = f->model;
	if (text != NULL)
		put_inert(out, text);
	else if (len == 4 && memcmp(word, "took", 4) == 0)
		put_took(out, f->took_ns);
	else if (len == 3 && memcmp(word, "git", 3) == 0)
		put_git(out, f);
	else if (len == 6 && memcmp(word, "failed", 6) == 0 && f->status != 0)
		buf_putf(out, "%d ", f->status);
	else if (len != 6 || memcmp(word, "failed", 6) != 0)
		return put_colour(out, f, word, len);
	return true;
}

/* ---- escapes ------------------------------------------------------------- */

/* \{WORD}: what stands in braces, or NULL. */
static const char *
in_braces(const char *p, size_t *ret_len)
{
	const char *end = p[0] == '{' ? strchr(p, '}') : NULL;

	*ret_len = end != NULL ? (size_t)(end - p - 1) : 0;
	return end != NULL ? p + 1 : NULL;
}

static void
put_plain_escape(struct buf *out, const struct prompt_facts *f, char c)
{
	if (put_time(out, f, c))
		return;
	if (c == 'u')
		put_inert(out, f->user);
	else if (c == 'h')
		text_inert(out, f->host, strcspn(f->host, "."), 0);
	else if (c == 'H')
		put_inert(out, f->host);
	else if (c == 'w' || c == 'W')
		put_cwd(out, f, c == 'W');
	else if (c == '$')
		buf_putc(out, f->uid == 0 ? '#' : '$');
	else if (c == '?')
		buf_putf(out, "%d", f->status);
	else if (c == 'j')
		buf_putf(out, "%u", f->jobs);
	else if (c == 's')
		buf_puts(out, "aegsh");
	else if (c == 'v' || c == 'V')
		put_inert(out, f->version);
	else if (c == 'n')
		buf_putc(out, '\n');
	else if (c == '\\')
		buf_putc(out, '\\');
	else if (c == 'P')
		put_inert(out, f->profile);
	else if (c == 'J')
		put_inert(out, f->model);
	else if (c != '[' && c != ']')
		buf_putf(out, "\\%c", c);
}

/* Behind a backslash: how many bytes the escape has. */
static size_t
take_escape(struct buf *out, const struct prompt_facts *f, const char *p)
{
	const char *word;
	size_t len;

	if (p[0] == 'e')
		return 1 + take_sequence(out, f, p + 1);
	if (strncmp(p, "033", 3) == 0)
		return 3 + take_sequence(out, f, p + 3);
	if ((word = in_braces(p, &len)) != NULL &&
	    put_word(out, f, word, len))
		return len + 2;
	put_plain_escape(out, f, p[0]);
	return 1;
}

void
prompt_expand(const char *string, const struct prompt_facts *f,
    struct buf *out)
{
	const char *p;

	for (p = string; *p != '\0'; p++) {
		if (*p == '\\' && p[1] != '\0')
			p += take_escape(out, f, p + 1);
		else if ((unsigned char)*p >= 0x20 && *p != 0x7f)
			buf_putc(out, *p);
	}
}
