/* SPDX-License-Identifier: ISC */
/* The directories of an installed aegsh: constants of the build. */
#include "aegsh/base/path.h"

const struct sysdirs *
sysdirs(void)
{
	static const struct sysdirs dirs = {
		.conf = AEGSH_CONFDIR,
		.data = AEGSH_DATADIR,
		.locale = AEGSH_LOCALEDIR,
		.libexec = AEGSH_LIBEXECDIR,
		.state = AEGSH_STATEDIR,
		.state_own = "/var/tmp",
		.bash = AEGSH_BASH,
		.getent = AEGSH_GETENT,
		.nsswitch = "/etc/nsswitch.conf",
		.system = "",
		.kernel_audit = NULL,
		.operator_uid = 0,
	};

	return &dirs;
}
