/* SPDX-License-Identifier: ISC */
/*
 * The one error type.  A fallible function returns 0, or a negative code
 * and, when its last parameter is not NULL, leaves there a sentence that
 * callers on the way up may put their own context in front of:
 *
 *	policy /etc/aegsh/policy.d/10-site.conf:14: unknown decision 'alow'
 *
 * Codes share one int space: -1..-4095 is -errno (errno(3)); below that
 * are aegsh's own codes.  Foreign codes (curl, sqlite, pcre2, jansson) are
 * translated where they arise and never travel.
 */
#ifndef AEGSH_BASE_ERR_H
#define AEGSH_BASE_ERR_H

#include <errno.h>
#include <stdarg.h>

#define ERR_TEXT_MAX 1024	/* bytes, with the NUL; longer text is cut */

enum err_code {
	ERR_SYNTAX = -5000,	/* text does not follow its grammar */
	ERR_TOO_LONG,		/* over a named cap */
	ERR_TRUST,		/* owner, mode or kind of a file is wrong */
	ERR_RANGE,		/* a value outside what is allowed */
	ERR_UNKNOWN_NAME,	/* no such option, rule, profile … */
	ERR_PROTOCOL,		/* the peer does not follow the protocol */
	ERR_STORE,		/* the audit store cannot do it */
	ERR_LAYER,		/* a required sandbox layer cannot be had */
	ERR_REFUSED,		/* the decision does not let this run */
	ERR_CANCELLED,		/* the user pressed Ctrl-C */
	ERR_CALLER,		/* who asks names what there is not, or asks
				 * for what only others may */
};

struct err {
	int code;
	char text[ERR_TEXT_MAX];
};

#define ERR_INIT { 0, "" }

/* Set code and text, replacing both; returns code, so that a caller can
 * write  return err_set(err, -EINVAL, "…");  err may be NULL. */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a failed system call: appends ": " and strerror(errnum). */
int err_sys(struct err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "fmt: " in front of the text that is there; returns the old code. */
int err_context(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* -errno of the call that has just failed, and never 0: beside a process that
 * shares our memory, between clone(2) and execve(2), errno is what either of
 * the two wrote last. */
static inline int
err_failed(void)
{
	int error = errno;

	return error > 0 ? -error : -EIO;
}

/* A short fixed phrase for any code of the common space. */
const char *err_str(int code);

#endif
