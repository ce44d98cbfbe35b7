/* SPDX-License-Identifier: ISC */
/* Fields that a setting keeps out of the record. */
#include "audit_int.h"

#include <errno.h>
#include <string.h>

#include "aegsh/base/mem.h"

static const struct {
	const char *word;
	unsigned bit;
} fields[] = {
	{ "argv", AUDIT_WITHOUT_ARGV },
	{ "cwd", AUDIT_WITHOUT_CWD },
	{ "execs", AUDIT_WITHOUT_EXECS },
	{ "files", AUDIT_WITHOUT_FILES },
	{ "host", AUDIT_WITHOUT_HOST },
	{ "output", AUDIT_WITHOUT_OUTPUT },
	{ "reason", AUDIT_WITHOUT_REASON },
	{ "remote", AUDIT_WITHOUT_REMOTE },
	{ "tty", AUDIT_WITHOUT_TTY },
};

static int
take_word(const char *p, size_t len, unsigned *ret, struct err *err)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(fields); i++) {
		if (strlen(fields[i].word) == len &&
		    memcmp(fields[i].word, p, len) == 0) {
			*ret |= fields[i].bit;
			return 0;
		}
	}
	return err_set(err, ERR_UNKNOWN_NAME, "setting record-without: "
	    "'%.*s' is none of argv, cwd, execs, files, host, output, "
	    "reason, remote, tty",
	    (int)(len < 60 ? len : 60), p);
}

int
audit_without_parse(const char *words, unsigned *ret, struct err *err)
{
	unsigned bits = 0;
	int rc = 0;

	while (rc == 0 && *(words += strspn(words, " \t,")) != '\0') {
		size_t len = strcspn(words, " \t,");

		rc = take_word(words, len, &bits, err);
		words += len;
	}
	if (rc == 0)
		*ret = bits;
	return rc;
}

void
audit_without(struct audit *a, unsigned fields_left)
{
	a->without = fields_left;
}

void
audit_without_session(unsigned without, struct audit_session *s)
{
	if ((without & AUDIT_WITHOUT_HOST) != 0)
		s->host = NULL;
	if ((without & AUDIT_WITHOUT_REMOTE) != 0)
		s->remote = NULL;
	if ((without & AUDIT_WITHOUT_TTY) != 0)
		s->tty = NULL;
}

void
audit_without_event(unsigned without, struct audit_event *ev)
{
	if ((without & AUDIT_WITHOUT_CWD) != 0)
		ev->cwd = NULL;
	if ((without & AUDIT_WITHOUT_REASON) != 0)
		ev->reason = NULL;
	if ((without & AUDIT_WITHOUT_ARGV) != 0) {
		ev->argv = NULL;
		ev->argv_len = 0;
	}
}
