/* SPDX-License-Identifier: ISC */
/* What comes back from a line: its state, or why it was not taken over. */
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

static void
note_report(struct turn *t, const struct state_report *r,
    struct turn_result *ret)
{
	struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; i < r->stripped.n; i++)
		if (t->audit != NULL)
			audit_note(t->audit, "state-stripped",
			    r->stripped.v[i]);
	for (i = 0; i < r->too_large.n; i++)
		buf_putf(&text, "%s%s", i > 0 ? ", " : "",
		    r->too_large.v[i]);
	if (r->cwd_failed)
		snprintf(ret->note, sizeof ret->note, "the directory that the "
		    "line ended in cannot be entered; still in %.180s",
		    state_cwd(t->opts.state));
	else if (r->too_large.n > 0)
		snprintf(ret->note, sizeof ret->note, "too large to be "
		    "exported to the next line: %.200s", text.data);
	else if (r->lost_functions)
		snprintf(ret->note, sizeof ret->note, "functions end with "
		    "their line; put them into a script to keep them");
	buf_done(&text);
}

/* A mask that lets others do more than before is kept only where the profile
 * lets it. */
static void
keep_umask(struct turn *t, mode_t before, struct turn_result *ret)
{
	mode_t after = state_umask(t->opts.state);

	if ((before & ~after) == 0 || sandbox_loosens_umask(t->sandbox))
		return;
	state_set_umask(t->opts.state, before | after);
	snprintf(ret->note, sizeof ret->note, "umask is %04o for the next "
	    "line, not %04o: under the profile %s a line can only tighten it",
	    (unsigned)(before | after), (unsigned)after,
	    sandbox_profile_name(t->sandbox));
}

/* A line may end bash itself (exec, kill, exit in a trap): the old state
 * stays, and that is said. */
void
turn_bring_back(struct turn *t, struct job *job, struct turn_result *ret)
{
	const struct capture *c = job_capture(job);
	struct state_report report = { .lost_functions = false };
	struct err err = ERR_INIT;
	mode_t umask = state_umask(t->opts.state);
	const char *bytes;
	size_t len;
	int max_kib;

	if (c == NULL)
		return;
	switch (capture_frame(c, &bytes, &len)) {
	case CAPTURE_NOT_ASKED:
		return;
	case CAPTURE_VALID:
		state_child_cwd(t->opts.state, capture_cwd_fd(c));
		if (state_import(t->opts.state, bytes, len, &report,
		    &err) == 0) {
			state_set_limits(t->opts.state, capture_limits(c));
			turn_drop_shims(t);
			note_report(t, &report, ret);
			turn_take_functions(t, ret);
			keep_umask(t, umask, ret);
		} else {
			snprintf(ret->note, sizeof ret->note, "changes of "
			    "directory and variables were not taken over: "
			    "%.150s", err.text);
		}
		state_report_done(&report);
		return;
	case CAPTURE_FORGED:
		snprintf(ret->note, sizeof ret->note, "changes of directory "
		    "and variables were not taken over: %.150s",
		    capture_why(c));
		if (t->audit != NULL)
			audit_note(t->audit, "state-forged", capture_why(c));
		return;
	case CAPTURE_TOO_LONG:
		max_kib = (int)(conf_int(t->opts.conf, CONF_STATE_MAX) / 1024);
		snprintf(ret->note, sizeof ret->note, "changes of directory "
		    "and variables were not taken over: more than %d KiB "
		    "(option state-max)", max_kib);
		return;
	case CAPTURE_MISSING:
		/* Death by signal needs no explanation. */
		if (job_signal(job) == 0)
			snprintf(ret->note, sizeof ret->note, "changes of "
			    "directory and variables were not taken over: "
			    "%.150s", capture_why(c));
		return;
	}
}

/* Or has tried to, with 126 or 127. */
bool
turn_replaced_bash(const struct turn_judged *j, const struct job *job)
{
	const struct syn_command *c = j->own->commands;
	const char *bytes;
	size_t len;

	return j->own->n_commands == 1 && c->context == 0 &&
	    c->n_words > 1 && c->words[0].known &&
	    strcmp(c->words[0].value, "exec") == 0 &&
	    job_state(job) == JOB_DONE && capture_frame(job_capture(job),
	    &bytes, &len) == CAPTURE_MISSING;
}
