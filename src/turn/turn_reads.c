/* SPDX-License-Identifier: ISC */
/*
 * A line that is one shell reading its commands from standard input, as in
 * "ssh host 'bash -s' <script".  Started as it stands, that shell would run
 * what nobody has judged; so it is not started: whoever called reads the
 * commands and brings them here, each to be judged.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "turn/turn_int.h"

static bool
is_our_bash(const char *path)
{
	struct stat ours, named;

	return stat(path, &named) == 0 && stat(sysdirs()->bash, &ours) == 0 &&
	    named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

/* Index of the first word that is no option; 0: an option that would make
 * it another kind of shell, or a script. */
static size_t
operands(const struct resolved *r)
{
	bool reads = false;
	size_t i;

	for (i = 1; i < r->argc; i++) {
		const char *word = r->argv[i].value;

		if (!r->argv[i].known)
			return 0;
		if (word[0] != '-')
			break;
		if (strcmp(word, "--") == 0 || strcmp(word, "-") == 0) {
			i++;
			break;
		}
		if (strcmp(word, "-s") == 0)
			reads = true;
		else if (strcmp(word, "--norc") != 0 &&
		    strcmp(word, "--noprofile") != 0)
			return 0;
	}
	if (i < r->argc && !reads)
		return 0;
	return i;
}

void
turn_find_reads(const struct turn *t, struct turn_judged *j)
{
	const struct resolved *r;
	size_t first, i;

	if (t->opts.session || t->stream_began ||
	    (j->line.origin != LINE_COMMAND && j->line.origin != LINE_FORCED) ||
	    !j->facts->only_simple || j->facts->n_commands != 1 ||
	    j->resolved->n != 1 || (t->hosts ? t->guest_terminal :
	    isatty(STDIN_FILENO)))
		return;
	r = &j->resolved->items[0];
	if (r->kind != RESOLVE_FILE || r->name == NULL || r->path == NULL)
		return;
	first = operands(r);
	if (first == 0)
		return;
	for (i = first; i < r->argc; i++)
		if (!r->argv[i].known)
			return;
	if (strcmp(r->name, "bash") == 0 && is_our_bash(r->path))
		j->reads = TURN_READS_UNITS;
	else if (strcmp(r->name, "sh") == 0 || strcmp(r->name, "dash") == 0)
		j->reads = TURN_READS_TEXT;
	else
		return;
	strv_add(&j->reader, r->argv[0].value);
	for (i = first; i < r->argc; i++)
		strv_add(&j->reader, r->argv[i].value);
}

enum turn_reads
turn_reads(struct turn_judged *j, char *const **ret_argv)
{
	if (j->reads != TURN_READS_NOTHING)
		*ret_argv = strv_peek(&j->reader);
	return j->reads;
}

void
turn_act_reader(struct turn *t, struct turn_judged *j,
    struct turn_result *ret)
{
	struct audit_outcome o = { .note = "its commands came on standard "
	    "input and were judged each" };
	struct audit_event ev;

	turn_event(t, j, true, &ev);
	if (turn_record_intent(t, &ev, &ret->err) != 0) {
		ret->status = TURN_STATUS_BLOCKED;
		return;
	}
	ret->ran = true;
	t->ops->outcome(t, ev.id, &o);
}
