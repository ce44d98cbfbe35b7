/* SPDX-License-Identifier: ISC */
/*
 * What this kernel lets this process do, found out by doing it: for each
 * layer a child sets it up and then tries what it should forbid.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

int
sandbox_yama(const char *path)
{
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[8] = "";
	int64_t scope;

	if (fd < 0)
		return 0;
	/* One that cannot be read forbids. */
	if (read(fd, text, sizeof text - 1) <= 0)
		return 1;
	text[strcspn(text, "\n")] = '\0';
	return text_to_i64(text, 0, 3, &scope) == 0 ? (int)scope : 1;
}

static bool
no_new_privs(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/* A domain with these layers and no rule at all. */
static bool
landlock(unsigned layers)
{
	struct sandbox_profile nothing;
	struct sandbox_handled handled;
	int fd, abi = sandbox_landlock_abi();

	memset(&nothing, 0, sizeof nothing);
	if (abi < 0 || !no_new_privs() || sandbox_landlock_create(&nothing,
	    abi, layers, &fd, &handled, NULL) < 0)
		return false;
	return syscall(SYS_landlock_restrict_self, fd, 0) == 0;
}

static bool
try_fs(void)
{
	return landlock(SANDBOX_LANDLOCK_FS) &&
	    open("/", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES;
}

static bool
try_scope(void)
{
	pid_t parent = getppid();

	return kill(parent, 0) == 0 && landlock(SANDBOX_LANDLOCK_SCOPE) &&
	    kill(parent, 0) < 0 && errno == EPERM;
}

static bool
try_net(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && landlock(SANDBOX_LANDLOCK_NET) &&
	    bind(fd, (struct sockaddr *)&any, sizeof any) < 0 &&
	    errno == EACCES;
}

static bool
try_seccomp(void)
{
	struct sock_filter refuse_getppid[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTNAM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = {
		.len = AEG_NELEM(refuse_getppid), .filter = refuse_getppid,
	};

	return sandbox_seccomp_arch() != NULL && no_new_privs() &&
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 &&
	    syscall(SYS_getppid) == -1 && errno == ENOTNAM;
}

static bool
try_limits(void)
{
	struct rlimit few = { 3, 3 };

	return setrlimit(RLIMIT_NOFILE, &few) == 0 &&
	    fcntl(0, F_DUPFD, 3) < 0;
}

static bool
try_cover(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 &&
	    mount("aegsh", "/", "tmpfs", MS_RDONLY, "size=4k") == 0;
}

/* In a child, whose whole life this is. */
static bool
in_child(bool (*try)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(try() ? 0 : 1);
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void
sandbox_probe(struct sandbox_caps *ret)
{
	static const struct {
		unsigned layer;
		bool (*try)(void);
	} rows[] = {
		{ SANDBOX_NNP, no_new_privs },
		{ SANDBOX_LANDLOCK_FS, try_fs },
		{ SANDBOX_LANDLOCK_SCOPE, try_scope },
		{ SANDBOX_LANDLOCK_NET, try_net },
		{ SANDBOX_SECCOMP, try_seccomp },
		{ SANDBOX_RLIMITS, try_limits },
		{ SANDBOX_COVER, try_cover },
	};
	struct sandbox_caps caps = { sandbox_landlock_abi(), 0 };
	unsigned asked = sandbox_layers_asked(caps.landlock_abi);
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		if ((asked & rows[i].layer) != 0 && in_child(rows[i].try))
			caps.layers |= rows[i].layer;
	}
	*ret = caps;
}
