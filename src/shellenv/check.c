/* SPDX-License-Identifier: ISC */
/* All checks of one user's environment, and how a finding is put down. */
#include "check_int.h"

#include <stdlib.h>
#include <string.h>

#define FINDINGS_MAX 1024
#define EVIDENCE_MAX 16		/* of one finding */
#define LINE_SHOWN 160		/* bytes of a line of a file */

struct shellenv_finding *
se_check_has(struct check *c, const char *kind, const char *subject)
{
	const char *id = subject != NULL ?
	    se_printf(c->se, "%s:%s", kind, subject) : kind;
	size_t i;

	for (i = 0; i < c->n; i++)
		if (strcmp(c->list[i].id, id) == 0)
			return &c->list[i];
	return NULL;
}

/* A new finding, its text for the caller to fill in; where there are too
 * many, one that is in no list. */
struct shellenv_finding *
se_check_add(struct check *c, enum shellenv_severity sev, const char *kind,
    const char *subject)
{
	static struct shellenv_finding spare;
	struct shellenv_finding *f;

	if (c->n >= FINDINGS_MAX) {
		spare = (struct shellenv_finding){ .id = "" };
		return &spare;
	}
	f = SE_PUSH(c->se, c->list, c->n, c->cap);
	f->id = subject != NULL ? se_printf(c->se, "%s:%s", kind, subject) :
	    kind;
	f->severity = sev;
	f->what = f->remedy = "";
	return f;
}

void
se_check_evidence(struct check *c, struct shellenv_finding *f, const char *file,
    int line, const char *text)
{
	struct shellenv_evidence *list, *e;
	size_t n = f->n_evidence, i;
	const char *shown = file != NULL ? se_shown(c->se, file) : NULL;

	for (i = 0; i < n; i++)
		if (f->evidence[i].line == line &&
		    f->evidence[i].file != NULL && shown != NULL &&
		    strcmp(f->evidence[i].file, shown) == 0)
			return;
	if (n >= EVIDENCE_MAX)
		return;
	list = arena_grow(c->se->arena, f->evidence, n, n + 1, sizeof *list);
	e = &list[n];
	e->file = shown;
	e->line = line;
	e->text = text != NULL ? text : file != NULL && line > 0 ?
	    se_check_line(c, file, line) : NULL;
	f->evidence = list;
	f->n_evidence = n + 1;
}

void
se_check_fixable(struct check *c, struct shellenv_finding *f)
{
	f->fixable = c->se->row->mendable;
	if (f->fixable)
		f->command = se_printf(c->se, "aegshctl env fix %s%s",
		    se_quote(c->se, f->id), se_shell_option(c->se));
}

const char *
se_check_line(struct check *c, const char *file, int line)
{
	const char *text, *p;
	size_t len, n;

	if (se_read(c->se, file, &text, &len) < 0)
		return NULL;
	for (p = text; line > 1; line--) {
		p = strchr(p, '\n');
		if (p == NULL)
			return NULL;
		p++;
	}
	p += strspn(p, " \t");
	n = strcspn(p, "\n");
	return arena_memdup0(c->se->arena, p, n < LINE_SHOWN ? n :
	    LINE_SHOWN);
}

static int
by_severity(const void *a, const void *b)
{
	const struct shellenv_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	return strcmp(x->id, y->id);
}

int
shellenv_check(struct shellenv *se, int flags,
    const struct shellenv_finding **ret, size_t *ret_n, struct err *err)
{
	struct check c = { .se = se };
	struct probe_path tab = { .path = NULL };
	struct shellenv_finding *f;

	c.login = se_session_follow(se, se->row, SHELLENV_LOGIN, NULL, 0,
	    &c.login_files, &c.n_login_files);
	c.tab = se_session_follow(se, se->row, SHELLENV_INTERACTIVE, NULL, 0,
	    &c.tab_files, &c.n_tab_files);
	if ((flags & SHELLENV_PROBE) != 0 &&
	    se->row->dialect != DIALECT_NONE &&
	    (se->shell_real != NULL || se->row->kind == SHELL_AEGSH)) {
		c.probed = true;
		se_probe_path(se, PROBE_LOGIN, &c.login_probe);
		c.login_path = c.login_probe.path;
		/* What hangs in one most likely hangs in the other. */
		if (!c.login_probe.timed_out)
			se_probe_path(se, PROBE_INTERACTIVE, &tab);
		c.tab_path = tab.path;
	}
	if (c.login->exhausted || c.tab->exhausted) {
		f = se_check_add(&c, SHELLENV_INFO, "files-not-followed", NULL);
		f->what = "the start-up files are too many or too long to be "
		    "followed to their end";
		f->remedy = "What is said about PATH may be incomplete.";
	}
	se_check_subject(&c);
	se_check_files(&c);
	se_check_path(&c);
	se_check_sessions(&c);
	se_check_exports(&c);
	se_check_tools(&c);
	if (c.n > 1)
		qsort(c.list, c.n, sizeof *c.list, by_severity);
	*ret = c.list;
	*ret_n = c.n;
	return 0;
}
