/* SPDX-License-Identifier: ISC */
/* The verbs, in the order of `help`. */
#include "admin_int.h"

extern const struct admin_verb cmd_allowlist, cmd_blocklist, cmd_complete,
	cmd_config_show, cmd_doctor, cmd_history, cmd_parse, cmd_policy_check,
	cmd_policy_diff, cmd_policy_edit, cmd_policy_install,
	cmd_profile_list, cmd_profile_show, cmd_sandbox_explain,
	cmd_sandbox_probe,
	cmd_sandbox_show, cmd_status, cmd_test;
extern const struct admin_verb cmd_cache_clear, cmd_cache_stats,
	cmd_validator_replay, cmd_validator_test;
extern const struct admin_verb cmd_env_apply, cmd_env_backups, cmd_env_check,
	cmd_env_detect, cmd_env_files, cmd_env_fix, cmd_env_path,
	cmd_env_restore, cmd_env_run, cmd_env_sandbox, cmd_env_var,
	cmd_env_which, cmd_env_wrap;

const struct admin_verb *const admin_verbs[] = {
	&cmd_status,
	&cmd_doctor,
	&cmd_history,
	&cmd_test,
	&cmd_parse,
	&cmd_allowlist,
	&cmd_blocklist,
	&cmd_policy_check,
	&cmd_policy_diff,
	&cmd_policy_install,
	&cmd_policy_edit,
	&cmd_profile_list,
	&cmd_profile_show,
	&cmd_sandbox_show,
	&cmd_sandbox_explain,
	&cmd_sandbox_probe,
	&cmd_config_show,
	&cmd_validator_test,
	&cmd_validator_replay,
	&cmd_cache_stats,
	&cmd_cache_clear,
	&cmd_env_detect,
	&cmd_env_files,
	&cmd_env_check,
	&cmd_env_which,
	&cmd_env_path,
	&cmd_env_var,
	&cmd_env_fix,
	&cmd_env_apply,
	&cmd_env_backups,
	&cmd_env_restore,
	&cmd_env_wrap,
	&cmd_env_run,
	&cmd_env_sandbox,
	&cmd_complete,
	NULL
};
