/* SPDX-License-Identifier: ISC */
/* What a session has to say of its record. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/tr.h"
#include "shell/shell_int.h"

/* Once when it begins, and once when it is over. */
void
shell_say_stalled(const struct shell *sh, struct shell_told *told)
{
	size_t waiting = 0;
	bool kept = false;
	const char *place = turn_stalled(sh->turn, &waiting, &kept);

	if ((place != NULL) == told->stalled)
		return;
	told->stalled = place != NULL;
	if (place == NULL)
		shell_say(tr("the record answers again"));
	else
		shell_say(tr("the record in %s does not answer (its disk is "
		    "stalled, or it is held): %s"), place,
		    conf_managed(sh->conf) && sh->uid != 0 ?
		    tr("no line runs") : kept ?
		    tr("lines run, are kept in audit.late, and are recorded "
		    "later") :
		    tr("lines run, are kept in memory, and are recorded "
		    "later"));
}

void
shell_say_record(const struct shell *sh, struct shell_told *told)
{
	if (turn_unrecorded(sh->turn) != NULL && !told->unrecorded) {
		told->unrecorded = true;
		shell_say(tr("lines are not recorded: %s"),
		    turn_unrecorded(sh->turn));
	}
	if (turn_unheard(sh->turn) != NULL && !told->unheard) {
		told->unheard = true;
		shell_say(tr("the record has no witness: %s"),
		    turn_unheard(sh->turn));
	}
	if (turn_output_trouble(sh->turn) != NULL && !told->not_kept) {
		told->not_kept = true;
		shell_say(tr("what lines write is not all kept: %s"),
		    turn_output_trouble(sh->turn));
	}
	shell_say_stalled(sh, told);
}

void
shell_say_left(const struct shell *sh)
{
	size_t waiting = 0;
	bool kept = false;

	if (turn_stalled(sh->turn, &waiting, &kept) != NULL)
		shell_say(tr("the record does not answer: %zu of its rows wait "
		    "in a process of its own"), waiting);
}

/* Whose own wish it is knows it. */
static void
say_output(const struct shell *sh)
{
	const char *kept = turn_output_kept(sh->turn);

	if (kept != NULL && conf_origin(sh->conf, CONF_OUTPUT) != CONF_USER &&
	    conf_origin(sh->conf, CONF_OUTPUT) != CONF_CMDLINE)
		shell_say(tr("what lines write is recorded, too (output = "
		    "%s)"), kept);
}

/* One line, to somebody who has no record yet; and that output is kept, each
 * time. */
void
shell_greet(const struct shell *sh)
{
	AEG_AUTOFREE char *dir = NULL, *store = NULL, *kept = NULL;
	bool sent = conf_str(sh->conf, CONF_SHIP)[0] != '\0';
	int64_t days = conf_int(sh->conf, CONF_RETAIN_DAYS);
	struct err err = ERR_INIT;

	/* From inside of a line the record cannot be seen. */
	if (sh->outer >= 0)
		return;
	say_output(sh);
	/* That, and why, is said instead; its place may not answer. */
	if (turn_unrecorded(sh->turn) != NULL)
		return;
	if (audit_place(sh->uid, false, &dir, &err) == 0)
		store = xasprintf("%s/audit.db", dir);
	if (store != NULL ? access(store, F_OK) == 0 : err.code != -ENOENT)
		return;
	if (days > 0)
		kept = xasprintf(tr("%lld days"), (long long)days);
	shell_say(tr("each line is judged, confined and recorded (text without "
	    "secrets, place, decision, outcome; kept %s%s); \"aegshctl "
	    "status\" shows what, \"help\" tells more"), kept != NULL ? kept :
	    tr("until removed"), sent ? tr(", and sent to other places") : "");
}
