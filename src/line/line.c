/* SPDX-License-Identifier: ISC */
/* Where a unit of input comes from, by name. */
#include "aegsh/line.h"

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
	}
	return "unknown";
}
