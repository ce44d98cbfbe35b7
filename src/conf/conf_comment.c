/* SPDX-License-Identifier: ISC */
/* Comments taken out of a text that libconfuse is about to read. */
#include "conf_int.h"

#include <string.h>

/* Where a word ends, so that a slash begins one or a comment. */
static bool
ends_word(char c)
{
	return strchr(" \t\r\n={}()+,\"'", c) != NULL;
}

/* Behind the quote that closes the one at p. */
static char *
skip_quoted(char *p, const char *end)
{
	char quote = *p++;

	for (; p < end && *p != quote; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p + 1 : p;
}

static char *
blank(char *p, const char *end, bool block)
{
	for (; p < end; p++) {
		if (*p == '\n' && !block)
			return p;
		if (block && end - p >= 2 && p[0] == '*' && p[1] == '/') {
			p[0] = p[1] = ' ';
			return p + 2;
		}
		if (*p != '\n')
			*p = ' ';
	}
	return p;
}

void
conf_blank_comments(char *text, size_t len)
{
	char *p = text, *end = text + len;
	bool starts;

	while (p < end) {
		starts = p == text || ends_word(p[-1]);
		if (*p == '"' || *p == '\'')
			p = skip_quoted(p, end);
		else if (*p == '#')
			p = blank(p, end, false);
		else if (starts && end - p >= 2 && p[0] == '/' &&
		    (p[1] == '/' || p[1] == '*')) {
			bool block = p[1] == '*';

			p[0] = p[1] = ' ';
			p = blank(p + 2, end, block);
		} else {
			p++;
		}
	}
}
