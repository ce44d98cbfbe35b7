/* SPDX-License-Identifier: ISC */
/* The builtins, one row each; the files bi_*.c hold them. */
#include "shell/bi.h"

const struct turn_builtin *const shell_builtins[] = {
	&bi_alias, &bi_bg, &bi_cd, &bi_dirs, &bi_disown, &bi_exit, &bi_fg,
	&bi_help, &bi_history, &bi_jobs, &bi_kill, &bi_logout,
	&bi_policy, &bi_popd, &bi_pushd, &bi_unalias, &bi_wait, NULL,
};
