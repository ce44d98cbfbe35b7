/* SPDX-License-Identifier: ISC */
/* The error type: a code and a sentence that grows context on its way up. */
#include "aegsh/base/err.h"

#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
put(struct err *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	vsnprintf(err->text, sizeof err->text, fmt, ap);
}

int
err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err != NULL) {
		va_start(ap, fmt);
		put(err, code, fmt, ap);
		va_end(ap);
	}
	return code;
}

int
err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (err != NULL) {
		va_start(ap, fmt);
		put(err, -errnum, fmt, ap);
		va_end(ap);
		len = strlen(err->text);
		snprintf(err->text + len, sizeof err->text - len, ": %s",
		    strerror(errnum));
	}
	return -errnum;
}

int
err_context(struct err *err, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	size_t len;
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(old, err->text, sizeof old);
	va_start(ap, fmt);
	put(err, err->code, fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof err->text - len, ": %s", old);
	return err->code;
}

const char *
err_str(int code)
{
	switch (code) {
	case 0:
		return "no error";
	case ERR_SYNTAX:
		return "syntax error";
	case ERR_TOO_LONG:
		return "too long";
	case ERR_TRUST:
		return "not trusted";
	case ERR_RANGE:
		return "value out of range";
	case ERR_UNKNOWN_NAME:
		return "unknown name";
	case ERR_PROTOCOL:
		return "protocol violation";
	case ERR_STORE:
		return "audit store failed";
	case ERR_LAYER:
		return "required sandbox layer missing";
	case ERR_REFUSED:
		return "refused";
	case ERR_CANCELLED:
		return "cancelled";
	case ERR_CALLER:
		return "wrongly asked";
	}
	if (code < 0 && code > -4096)
		return strerror(-code);
	return "unknown error";
}
