/* SPDX-License-Identifier: ISC */
/* The same variable set more than once, and PATH set anew. */
#include "check_int.h"

#include <string.h>

#include "aegsh/base/path.h"

/* Files by the system's own hand set PATH from nothing by design. */
static bool
own(struct check *c, const struct sim_event *e)
{
	return e->file != NULL && path_under(e->file, c->se->home);
}

static void
check_reset(struct check *c, const struct sim *s)
{
	struct shellenv_finding *f;
	size_t i, k;

	for (i = 0; i < s->n_events; i++) {
		const struct sim_event *e = &s->events[i];
		const char *subject;

		if (e->what != SIM_RESET || e->maybe || !own(c, e))
			continue;
		subject = se_printf(c->se, "%s:%d", se_shown(c->se, e->file),
		    e->line);
		if (se_check_has(c, "path-reset", subject) != NULL)
			continue;
		f = se_check_add(c, SHELLENV_WARNING, "path-reset", subject);
		f->what = se_printf(c->se, "%s sets PATH without what it held "
		    "before: entries from above and from the system are lost",
		    subject);
		f->remedy = "Write $PATH into the line, or move it above the "
		    "others.";
		se_check_evidence(c, f, e->file, e->line, NULL);
		for (k = 0; k < i; k++)
			if (s->events[k].what == SIM_EXPORT &&
			    own(c, &s->events[k]) &&
			    strcmp(s->events[k].name, "PATH") == 0)
				se_check_evidence(c, f, s->events[k].file,
				    s->events[k].line, NULL);
	}
}

/* Another place than the one that wins, with another value. */
static bool
conflicts(const struct sim_event *a, const struct sim_event *wins)
{
	if (a->what != SIM_EXPORT || strcmp(a->name, wins->name) != 0 ||
	    (a->line == wins->line && strcmp(a->file, wins->file) == 0))
		return false;
	return !a->known || !wins->known || strcmp(a->value, wins->value) != 0;
}

static void
check_repeated(struct check *c, const struct sim *s, const char *session)
{
	struct shellenv_finding *f;
	size_t i, k;

	for (i = s->n_events; i-- > 0;) {
		const struct sim_event *wins = &s->events[i];
		bool any = false;

		if (wins->what != SIM_EXPORT || wins->maybe ||
		    strcmp(wins->name, "PATH") == 0 || !own(c, wins) ||
		    se_check_has(c, "export-repeated", wins->name) != NULL)
			continue;
		for (k = 0; k < i; k++)
			any |= own(c, &s->events[k]) &&
			    conflicts(&s->events[k], wins);
		/* Only the last one of a name can be the one that wins. */
		for (k = i + 1; k < s->n_events; k++)
			if (s->events[k].what == SIM_EXPORT &&
			    strcmp(s->events[k].name, wins->name) == 0)
				any = false;
		if (!any)
			continue;
		f = se_check_add(c, SHELLENV_WARNING, "export-repeated",
		    wins->name);
		f->what = se_printf(c->se, "%s is set several times; in a %s "
		    "session %s:%d wins", wins->name, session,
		    se_shown(c->se, wins->file), wins->line);
		f->remedy = "Keep one of the lines.";
		se_check_evidence(c, f, wins->file, wins->line, NULL);
		for (k = 0; k < i; k++)
			if (own(c, &s->events[k]) &&
			    conflicts(&s->events[k], wins))
				se_check_evidence(c, f, s->events[k].file,
				    s->events[k].line, NULL);
	}
}

void
se_check_exports(struct check *c)
{
	check_reset(c, c->login);
	check_reset(c, c->tab);
	check_repeated(c, c->login, "login");
	check_repeated(c, c->tab, "terminal");
}
