/* SPDX-License-Identifier: ISC */
/* Names of verdicts, and foreign text made fit to be kept and shown. */
#include "aegsh/validator_frame.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

const char *
val_action_name(enum val_action action)
{
	switch (action) {
	case VAL_BLOCK:
		return "block";
	case VAL_WARN:
		return "warn";
	case VAL_ALLOW:
		return "allow";
	}
	return "block";
}

const char *
val_status_name(enum val_status status)
{
	switch (status) {
	case VAL_FAILED:
		return "failed";
	case VAL_NOT_CONFIGURED:
		return "not-configured";
	case VAL_CANCELLED:
		return "cancelled";
	case VAL_ANSWERED:
		return "answered";
	}
	return "failed";
}

void
val_text_keep(char *ret, size_t size, const char *text, size_t len)
{
	static const char more[] = "\xe2\x80\xa6";	/* … */
	AEG_AUTO(buf_done) struct buf all = BUF_INIT;
	size_t i, n, fits = 0;
	uint32_t cp;

	/* One character at a time, so that the cut falls between two of
	 * them and never inside the inert form of one. */
	for (i = 0; i < len && all.len < size; i += n) {
		n = text_utf8(text + i, len - i, &cp);
		if (n == 0)
			n = 1;
		text_inert(&all, text + i, n, 0);
		if (all.len + sizeof more <= size)
			fits = all.len;
	}
	if (all.len < size)
		fits = all.len;
	if (fits > 0)
		memcpy(ret, all.data, fits);
	ret[fits] = '\0';
	if (all.len >= size)
		memcpy(ret + fits, more, sizeof more);
}
