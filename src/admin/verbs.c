/* SPDX-License-Identifier: ISC */
/* The verbs, in the order of `help`. */
#include "admin_int.h"

extern const struct admin_verb cmd_allowlist, cmd_blocklist, cmd_complete,
	cmd_config_show, cmd_history, cmd_parse, cmd_policy_check,
	cmd_profile_list, cmd_profile_show, cmd_sandbox_probe,
	cmd_sandbox_show, cmd_status, cmd_test;

const struct admin_verb *const admin_verbs[] = {
	&cmd_status,
	&cmd_history,
	&cmd_test,
	&cmd_parse,
	&cmd_allowlist,
	&cmd_blocklist,
	&cmd_policy_check,
	&cmd_profile_list,
	&cmd_profile_show,
	&cmd_sandbox_show,
	&cmd_sandbox_probe,
	&cmd_config_show,
	&cmd_complete,
	NULL
};
