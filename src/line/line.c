/* SPDX-License-Identifier: ISC */
/* Where a unit of input comes from, by name; and whether more of it could
 * make it whole. */
#include "aegsh/line.h"

#include <string.h>

#include "aegsh/base/text.h"

const char *
line_origin_name(enum line_origin o)
{
	switch (o) {
	case LINE_ORIGIN_UNKNOWN:
		return "unknown";
	case LINE_PROMPT:
		return "prompt";
	case LINE_COMMAND:
		return "command";
	case LINE_FORCED:
		return "forced";
	case LINE_SCRIPT:
		return "script";
	case LINE_STDIN:
		return "stdin";
	case LINE_LOGIN:
		return "login";
	}
	return "unknown";
}

bool
line_may_close(const char *open, const char *text, size_t from, size_t len)
{
	static const char document[] = "here-document ", quote[] = "quote ";
	const char *end;

	if (open == NULL)
		return true;
	if (text_starts(open, document))
		end = open + sizeof document - 1;
	else if (text_starts(open, quote))
		end = open + sizeof quote - 1;
	else
		return true;
	/* A backslash there joins two lines: the end may stand across. */
	if (*end == '\0' || (from >= 2 && text[from - 2] == '\\'))
		return true;
	return memmem(text + from, len - from, end, strlen(end)) != NULL;
}
