/* SPDX-License-Identifier: ISC */
/*
 * The doctor: ways by which an installed aegsh is passed by, or locks out.
 * It looks at files and changes nothing: sshd_config(5), passwd(5),
 * shells(5), authorized_keys (sshd(8)), the stores of accounts.  Each check
 * is one row of a table; what it finds comes with its evidence and a remedy.
 */
#ifndef AEGSH_DOCTOR_H
#define AEGSH_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/err.h"

enum doctor_severity {		/* the gravest first */
	DOCTOR_PROBLEM = 0,	/* somebody is locked out, or lines are not
				 * judged */
	DOCTOR_WARNING,		/* a way past aegsh that the set-up leaves */
	DOCTOR_NOTE,		/* good to know */
};

struct doctor_evidence {
	const char *file;	/* or NULL */
	unsigned line;		/* 0: none */
	const char *text;	/* or NULL */
};

struct doctor_finding {
	const char *id;
	enum doctor_severity severity;
	const char *what, *remedy;		/* sentences */
	const struct doctor_evidence *evidence;
	size_t n_evidence;
};

struct doctor_opts {
	const char *root;	/* the system below this directory: an image,
				 * or NULL for the one that runs */
	const char *profile;	/* the policy profile of a session's, or NULL:
				 * the one of the settings */
	bool managed;		/* accounts are meant to have no other way */
};

#define DOCTOR_FINDINGS_MAX 256		/* of one run; more are left out */
#define DOCTOR_EVIDENCE_MAX 16		/* of one finding, likewise */
#define DOCTOR_FILE_MAX ((size_t)1024 * 1024)	/* bytes of one file */

struct doctor;

/* All checks.  What cannot be read is a finding; an error is ENOENT and the
 * like of the root itself. */
int doctor_run(const struct doctor_opts *opts, struct doctor **ret,
	struct err *err);
/* Sorted by severity, then by id; they live as long as the doctor. */
const struct doctor_finding *doctor_findings(const struct doctor *d,
	size_t *ret_n);
void doctor_free(struct doctor *d);

/* Each check that there is, for documents and tests of them. */
int doctor_each_check(int (*fn)(void *ctx, const char *id,
	enum doctor_severity severity), void *ctx);
const char *doctor_severity_name(enum doctor_severity severity);

#endif
