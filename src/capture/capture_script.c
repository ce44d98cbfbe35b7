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
#include "aegsh/base/mem.h"

#ifndef MFD_NOEXEC_SEAL			/* linux/memfd.h, since Linux 6.3 */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define LAST_ARG_MAX 65536	/* half of what execve(2) takes in a string */

/* Up to what the trap writes of the shell's own things. */
static const char head[] =
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
	"\\umask;";

/* Which those are, by enum capture_keep; functions stand behind a mark, for
 * their text may look like anything. */
static const char *const dump[] = {
	[CAPTURE_KEEP_EXPORTS] = "\\export -p;\\declare -F;",
	[CAPTURE_KEEP_VARIABLES] = "\\declare -p;\\printf \"\\0F\";",
	[CAPTURE_KEEP_FUNCTIONS] =
	    "\\declare -p;\\printf \"\\0F\";\\declare -f;",
};

static const char trap_end[] =
	"\\printf \"\\0END\\n\";"
	"\\read -t3 -u198||\\:;} 2>&- >&198' EXIT\n";

/* The last thing before the line: $? and $_. */
static const char tail[] =
	"unset -f __aegsh\n"
	"unset BASH_ENV AEGSH_ST AEGSH_LA\n"
	"return $1\n"
	"}\n"
	"__aegsh \"$AEGSH_ST\" \"$AEGSH_LA\"\n";

/* Written and sealed, or -errno. */
static int
seal(const struct buf *text)
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
	r = io_write_full(fd, text->data, text->len);
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
		struct buf text = BUF_INIT;
		int fd;

		buf_puts(&text, head);
		buf_puts(&text, dump[CAPTURE_KEEP_EXPORTS]);
		buf_puts(&text, trap_end);
		buf_puts(&text, tail);
		fd = seal(&text);
		buf_done(&text);
		if (fd < 0)
			return fd;
		session_fd = fd;
	}
	return session_fd;
}

int
capture_script_with(bool captured, enum capture_keep keep,
    const char *preamble, size_t len)
{
	struct buf text = BUF_INIT;
	int fd;

	if (captured) {
		buf_puts(&text, head);
		buf_puts(&text, dump[keep]);
		buf_puts(&text, trap_end);
		buf_puts(&text, "}\n__aegsh\n");
		buf_put(&text, preamble, len);
		buf_puts(&text, "\n__aegsh(){\n");
		buf_puts(&text, tail);
	} else {
		buf_puts(&text, "exec 199<&-\nunset BASH_ENV\n");
		buf_put(&text, preamble, len);
		buf_putc(&text, '\n');
	}
	fd = seal(&text);
	buf_done(&text);
	return fd;
}

void
capture_env_plain(struct strv *envp)
{
	strv_addf(envp, "BASH_ENV=/proc/self/fd/%d", CAPTURE_SCRIPT_FD);
}

void
capture_env(struct strv *envp, int status, const char *last_arg)
{
	if (last_arg == NULL || strlen(last_arg) > LAST_ARG_MAX)
		last_arg = "";
	capture_env_plain(envp);
	strv_addf(envp, "AEGSH_ST=%d", status & 0xff);
	strv_addf(envp, "AEGSH_LA=%s", last_arg);
}
