/* SPDX-License-Identifier: ISC */
/* The terminal that a session stands in while its output is kept. */
#include "aegsh/relay_term.h"

#include <string.h>

#include "aegsh/base/io.h"
#include "shell/shell_int.h"

/* Which profile it will be is not known yet. */
static bool
may_keep_output(const struct conf *c)
{
	const char *list = conf_str(c, CONF_OUTPUT_PROFILES);

	return strcmp(conf_str(c, CONF_OUTPUT), "none") != 0 ||
	    strstr(list, "=sample") != NULL || strstr(list, "=full") != NULL;
}

int
shell_enter_terminal(struct shell *sh)
{
	struct err err = ERR_INIT;
	int tty, rc;

	if (sh->tty < 0 || sh->outer >= 0 || sh->rescue ||
	    !may_keep_output(sh->conf))
		return 0;
	/* Its open directories are not for the other process. */
	conf_trust_keep(false);
	rc = relay_term_start(sh->tty, &tty, &sh->term, &err);
	conf_trust_keep(true);
	if (rc < 0) {
		shell_say("what lines write cannot be kept: %s", err.text);
		return conf_managed(sh->conf) && !sh->operator ?
		    SHELL_FAILED : 0;
	}
	io_close(&sh->tty);
	sh->tty = tty;
	return 0;
}
