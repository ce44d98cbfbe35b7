/* SPDX-License-Identifier: ISC */
/* The verbs, in the order of `help`. */
#include "admin_int.h"

extern const struct admin_verb cmd_config_show;

const struct admin_verb *const admin_verbs[] = {
	&cmd_config_show,
	NULL
};
