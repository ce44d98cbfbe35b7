/* SPDX-License-Identifier: ISC */
/*
 * What a line at the prompt was typed for and its bash takes away with it:
 * each line has a bash of its own, so a variable that is not exported, an
 * alias, an option end with the line that set them.  Said only of a line
 * that does nothing else.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

static const struct {
	const char *name;
	size_t words;		/* with fewer it only shows things */
	const char *what;
} setters[] = {
	{ "alias", 2, "aliases that are not set by a line of their own, word "
	    "by word, end" },
	{ "bind", 2, "key bindings of bash end" },
	{ "complete", 2, "completions of bash end" },
	{ "enable", 2, "builtins switched on or off end" },
	{ "set", 2, "options and parameters end" },
	{ "shopt", 3, "options end" },
	{ "trap", 3, "traps end" },
};

/* Words that name variables: read x, declare x=1. */
static const char *const namers[] = { "declare", "getopts", "mapfile", "read",
	"readarray", "readonly", "typeset" };

static bool
kept(const struct turn *t, const char *name, size_t len)
{
	char *copy AEG_AUTOFREE = xmemdup0(name, len);

	return t->keep != CAPTURE_KEEP_EXPORTS ||
	    state_get(t->opts.state, copy) != NULL;
}

static void
say_variable(char *note, size_t size, const char *name, size_t len)
{
	if (len == 3 && memcmp(name, "PS1", 3) == 0)
		snprintf(note, size, "the prompt is the setting 'prompt' of "
		    "aegsh.conf(5); PS1 changes nothing");
	else
		snprintf(note, size, "%.*s is not exported and ends with its "
		    "line; 'export %.*s=…' keeps it", (int)len, name,
		    (int)len, name);
}

static void
assigned(const struct turn *t, const struct syn_command *c, char *note,
    size_t size)
{
	const char *name;
	size_t i, len;

	for (i = 0; i < c->n_assigns; i++) {
		name = c->assigns[i].name;
		len = strlen(name);
		if (len > 64 || kept(t, name, len))
			continue;
		say_variable(note, size, name, len);
		return;
	}
}

static void
named(const struct turn *t, const struct syn_command *c, char *note,
    size_t size)
{
	const char *last = c->words[c->n_words - 1].known ?
	    c->words[c->n_words - 1].value : "";
	size_t len = 0;

	if (isalpha((unsigned char)last[0]) || last[0] == '_')
		while (isalnum((unsigned char)last[len]) || last[len] == '_')
			len++;
	if (len > 0 && len <= 64 && c->n_words > 1 && !kept(t, last, len))
		say_variable(note, size, last, len);
}

/* The one command of the line, substitutions in its words aside; or NULL. */
static const struct syn_command *
only_command(const struct syn_facts *f)
{
	const struct syn_command *found = NULL;
	size_t i;

	for (i = 0; i < f->n_commands; i++) {
		if (f->commands[i].depth > 0 || f->commands[i].evals > 0)
			continue;
		if (found != NULL || f->commands[i].context != 0)
			return NULL;
		found = &f->commands[i];
	}
	return found;
}

void
turn_note_lost(const struct turn *t, const struct syn_facts *f, char *note,
    size_t size)
{
	const struct syn_command *c = only_command(f);
	size_t i;

	if (c == NULL)
		return;
	if (c->n_words == 0) {
		assigned(t, c, note, size);
		return;
	}
	if (!c->words[0].known)
		return;
	for (i = 0; i < AEG_NELEM(setters); i++)
		if (strcmp(c->words[0].value, setters[i].name) == 0 &&
		    c->n_words >= setters[i].words)
			snprintf(note, size, "%s with their line",
			    setters[i].what);
	for (i = 0; i < AEG_NELEM(namers); i++)
		if (strcmp(c->words[0].value, namers[i]) == 0)
			named(t, c, note, size);
	if (strcmp(c->words[0].value, "exec") == 0 && c->n_words == 1 &&
	    c->n_redirs > 0)
		snprintf(note, size, "what exec opens or closes ends with its "
		    "line");
}

/* ---- after any line ----------------------------------------------------- */

/* trap … EXIT, in the shell of the line itself. */
static bool
traps_exit(const struct syn_command *c)
{
	size_t i;

	if (c->n_words < 3 || !c->words[0].known || (c->context &
	    (SYN_IN_SUBST | SYN_IN_PROCESS | SYN_IN_SUBSHELL)) != 0 ||
	    strcmp(c->words[0].value, "trap") != 0)
		return false;
	for (i = 2; i < c->n_words; i++)
		if (c->words[i].known &&
		    (strcmp(c->words[i].value, "EXIT") == 0 ||
		    strcmp(c->words[i].value, "0") == 0))
			return true;
	return false;
}

static bool
asks_for_jobs(const struct syn_command *c)
{
	static const char *const names[] = { "bg", "disown", "fg", "jobs",
		"wait" };

	if (c->n_words == 0 || !c->words[0].known || c->in_function != NULL)
		return false;
	if (TEXT_AMONG(c->words[0].value, names))
		return true;
	return strcmp(c->words[0].value, "kill") == 0 && c->n_words > 1 &&
	    c->words[c->n_words - 1].value[0] == '%';
}

/* A list of earlier lines, which the line's bash has not. */
static bool
asks_for_lines(const struct syn_command *c)
{
	if (c->n_words == 0 || !c->words[0].known || c->in_function != NULL)
		return false;
	return strcmp(c->words[0].value, "fc") == 0 ||
	    (strcmp(c->words[0].value, "history") == 0 && (c->n_words == 1 ||
	    (c->words[1].known && c->words[1].value[strspn(
	    c->words[1].value, "0123456789")] == '\0')));
}

static int
is_any(void *ctx, struct job *j, char mark)
{
	(void)ctx;
	(void)mark;
	return job_state(j) != JOB_DONE;
}

void
turn_note_why(const struct turn *t, const struct turn_judged *j,
    const struct job *job, struct turn_result *ret)
{
	const char *unused;
	bool jobs = false, own = false, lines = false;
	size_t i, len;

	if (!t->opts.session || job_state(job) != JOB_DONE)
		return;
	for (i = 0; i < j->own->n_commands; i++) {
		const struct syn_command *c = &j->own->commands[i];

		if (ret->note[0] != '\0' && traps_exit(c) &&
		    capture_frame(job_capture(job), &unused, &len) ==
		    CAPTURE_MISSING)
			snprintf(ret->note, sizeof ret->note, "the trap on "
			    "EXIT ended with its line, and took the place of "
			    "what brings directory and variables back");
		jobs |= asks_for_jobs(c);
		lines |= asks_for_lines(c);
		own |= (c->context & SYN_IN_BACKGROUND) != 0;
	}
	if (jobs && !own && ret->note[0] == '\0' &&
	    exec_each_job(t->exec, is_any, NULL) != 0)
		snprintf(ret->note, sizeof ret->note, "jobs of earlier lines "
		    "are known to jobs, fg, bg, wait, disown and kill only "
		    "where the line begins with them");
	if (lines && ret->note[0] == '\0')
		snprintf(ret->note, sizeof ret->note, "fc, and history as a "
		    "part of a line, know no earlier lines; 'history WORD' "
		    "lists those with a word, and M-r finds one");
}
