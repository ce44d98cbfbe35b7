/* SPDX-License-Identifier: ISC */
/* The verbs, in the order of `help`. */
#include "admin_int.h"

extern const struct admin_verb cmd_complete, cmd_config_show, cmd_history,
	cmd_status;

const struct admin_verb *const admin_verbs[] = {
	&cmd_status,
	&cmd_history,
	&cmd_config_show,
	&cmd_complete,
	NULL
};
