/* SPDX-License-Identifier: ISC */
/*
 * What bash is given to say: the BASH_ENV text, on a descriptor that
 * nobody can write, and the variables it needs.
 *
 * The text runs before the line and leaves one thing behind, an EXIT trap.
 * The line itself stays untouched in -c, so that comments, here-documents,
 * syntax errors, $LINENO and $0 are exactly native.  Each odd spelling has
 * its reason:
 *
 * - A function that unsets itself and returns N is the only way to set $?
 *   without a fork; its last argument becomes $_.
 * - fd 199 goes first; hello ("\n") is answered only after aegsh has noted
 *   whose bytes these are, while nothing of the line can have run.
 * - The directory stack comes with the answer, one entry a line, bottom
 *   first, in the escapes of printf %b; an empty line ends it.
 * - Assigning POSIXLY_CORRECT is something no function or alias of the
 *   line can stand in for.  From then on special builtins (set, trap,
 *   unset, export, :) win over functions, and backslashes defeat aliases.
 *   It takes along the line's last $_.
 * - No file is opened (noclobber, restricted shells), stderr is closed
 *   first (set -x, -u), and "set +x" keeps BASH_XTRACEFD out of the frame.
 * - ${DIRSTACK[@]} is where the shell really is, even if the line assigned
 *   PWD.  The letters before _ and the entries keep them from looking like
 *   a mark of the frame.
 * - The last read waits for aegsh to look at this process while it still
 *   exists.  The answer is the end of the stream: it cannot be stolen by
 *   another reader of the socket, and it also comes when aegsh is gone.
 *   The limit is for lines that broke printf: they have no frame, and
 *   aegsh does not know that anybody waits.
 */
#include "aegsh/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"

#ifndef MFD_NOEXEC_SEAL			/* linux/memfd.h, since Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define LAST_ARG_MAX 65536	/* half of what execve(2) takes in a string */

static const char script[] =
	"__aegsh(){\n"
	"exec 199<&-\n"
	"echo >&198\n"
	"while read -ru198 BASH_ENV&&[[ $BASH_ENV ]];do "
	"printf -v BASH_ENV %b \"$BASH_ENV\";"
	"pushd -n -- \"$BASH_ENV\" >&198 2>&1;done\n"
	"trap '{ POSIXLY_CORRECT=$_;\\set +x;\\trap - DEBUG ERR;"
	"\\unset -f printf umask declare read;"
	"\\printf \"\\0%s\" AEGSH1 \"_$POSIXLY_CORRECT\""
	" \"${DIRSTACK[@]/#/D}\" \"\";"
	"\\umask;\\export -p;\\declare -F;\\printf \"\\0END\\n\";"
	"\\read -t3 -u198||\\:;} 2>&- >&198' EXIT\n"
	"unset -f __aegsh\n"
	"unset BASH_ENV AEGSH_ST AEGSH_LA\n"
	"return $1\n"
	"}\n"
	"__aegsh \"$AEGSH_ST\" \"$AEGSH_LA\"\n";

/* Written and sealed, or -errno. */
static int
make_script_fd(void)
{
	AEG_AUTOFD int fd = -1;
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int r;

	/* Kernels before 6.3 know no MFD_NOEXEC_SEAL; there, a text that
	 * nobody can change is still nothing but our text. */
	fd = memfd_create("aegsh-env", flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("aegsh-env", flags);
	if (fd < 0)
		return -errno;
	r = io_write_full(fd, script, sizeof(script) - 1);
	if (r < 0)
		return r;
	if (fchmod(fd, 0444) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW |
	    F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	r = io_move_up(fd, 10);
	if (r >= 0)
		fd = -1;
	return r;
}

int
capture_script_fd(void)
{
	static int session_fd = -1;

	if (session_fd < 0) {
		int fd = make_script_fd();

		if (fd < 0)
			return fd;
		session_fd = fd;
	}
	return session_fd;
}

void
capture_env(struct strv *envp, int status, const char *last_arg)
{
	if (last_arg == NULL || strlen(last_arg) > LAST_ARG_MAX)
		last_arg = "";
	strv_addf(envp, "BASH_ENV=/proc/self/fd/%d", CAPTURE_SCRIPT_FD);
	strv_addf(envp, "AEGSH_ST=%d", status & 0xff);
	strv_addf(envp, "AEGSH_LA=%s", last_arg);
}
