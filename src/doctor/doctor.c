/* SPDX-License-Identifier: ISC */
/* The table of checks, and the findings of one run. */
#include "doctor_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/io.h"

static const struct row {
	const char *id;
	enum doctor_severity severity;
	const char *what, *remedy;
} rows[] = {
#define ROW(name, id, severity, what, remedy) \
	{ id, DOCTOR_##severity, what, remedy },
	DOCTOR_CHECKS(ROW)
#undef ROW
};

const char *
doctor_severity_name(enum doctor_severity severity)
{
	switch (severity) {
	case DOCTOR_PROBLEM:
		return "problem";
	case DOCTOR_WARNING:
		return "warning";
	case DOCTOR_NOTE:
		return "note";
	}
	return "problem";
}

int
doctor_each_check(int (*fn)(void *ctx, const char *id,
    enum doctor_severity severity), void *ctx)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < AEG_NELEM(rows) && rc == 0; i++)
		rc = fn(ctx, rows[i].id, rows[i].severity);
	return rc;
}

char *
doctor_printf(struct doctor *d, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(d->mem, fmt, ap);
	va_end(ap);
	return text;
}

static struct doctor_finding *
finding_of(struct doctor *d, const struct row *row)
{
	struct doctor_finding *f;
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->list[i].id == row->id)
			return &d->list[i];
	if (d->n == DOCTOR_FINDINGS_MAX)
		return NULL;
	d->list = arena_grow(d->mem, d->list, d->n, d->n + 1,
	    sizeof *d->list);
	f = &d->list[d->n++];
	*f = (struct doctor_finding){ .id = row->id,
		.severity = row->severity, .what = row->what,
		.remedy = row->remedy };
	return f;
}

void
doctor_find(struct doctor *d, enum doctor_check check, const char *file,
    unsigned line, const char *text)
{
	struct doctor_finding *f = finding_of(d, &rows[check]);
	struct doctor_evidence *list;

	if (f == NULL || f->n_evidence == DOCTOR_EVIDENCE_MAX)
		return;
	list = arena_grow(d->mem, f->evidence, f->n_evidence,
	    f->n_evidence + 1, sizeof *list);
	list[f->n_evidence++] = (struct doctor_evidence){ file, line, text };
	f->evidence = list;
}

static int
by_severity(const void *a, const void *b)
{
	const struct doctor_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	return strcmp(x->id, y->id);
}

int
doctor_run(const struct doctor_opts *opts, struct doctor **ret,
    struct err *err)
{
	struct doctor *d;
	const char *root = opts->root != NULL ? opts->root : "/";
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, errno, "%s", root);
	d = xcalloc(1, sizeof *d);
	d->mem = arena_new();
	d->opts = *opts;
	d->root = fd;
	if (opts->root == NULL)
		doctor_check_rules(d);
	doctor_read_accounts(d);
	doctor_read_sshd(d);
	doctor_check_accounts(d);
	doctor_check_sshd(d);
	doctor_check_keys(d);
	doctor_check_env(d);
	if (d->n > 1)
		qsort(d->list, d->n, sizeof *d->list, by_severity);
	*ret = d;
	return 0;
}

const struct doctor_finding *
doctor_findings(const struct doctor *d, size_t *ret_n)
{
	*ret_n = d->n;
	return d->list;
}

void
doctor_free(struct doctor *d)
{
	if (d == NULL)
		return;
	io_close(&d->root);
	arena_free(d->mem);
	free(d);
}
