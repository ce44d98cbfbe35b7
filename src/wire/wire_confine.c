/* SPDX-License-Identifier: ISC */
/*
 * The helper's own confinement, entered once everything is opened.  What
 * comes from the network meets a process that can read certificates and
 * resolver settings, write nothing, start nothing, and connect to one port.
 */
#include "aegsh/wire_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

/* landlock(7), with what kernel headers of older systems lack. */
#define LL_READ_FILE (1ULL << 2)
#define LL_READ_DIR (1ULL << 3)
#define LL_BIND_TCP (1ULL << 0)
#define LL_CONNECT_TCP (1ULL << 1)
#define LL_SCOPE_BOTH 3ULL	/* abstract sockets, signals */
#define LL_RULE_PATH 1
#define LL_RULE_PORT 2
#define DNS_PORT 53

struct ll_ruleset {
	uint64_t fs;
	uint64_t net;		/* since ABI 4 */
	uint64_t scoped;	/* since ABI 6 */
};

struct ll_port {
	uint64_t allowed;
	uint64_t port;
};

/* Certificates of the system. */
static const char *const ca_paths[] = {
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates", "/etc/pki/tls/certs",
	"/etc/pki/tls/cert.pem", "/etc/pki/ca-trust/extracted",
};

/* Names, and the libraries that look them up. */
static const char *const net_paths[] = {
	"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf",
	"/etc/host.conf", "/etc/gai.conf", "/etc/services",
	"/etc/protocols", "/run/systemd/resolve", "/etc/ssl/openssl.cnf",
	"/etc/pki/tls/openssl.cnf", "/etc/crypto-policies",
	"/etc/ld.so.cache", "/lib", "/lib64", "/usr/lib", "/usr/lib64",
	"/dev/null", "/dev/urandom",
#ifdef AEGSH_SANITIZE
	"/proc/self",
#endif
};

/* Every right of the file system that this kernel can withhold. */
static uint64_t
all_fs(long abi)
{
	static const unsigned bits[] = { 13, 14, 15, 15, 16 };

	return (1ULL << (abi > 5 ? 16 : bits[abi - 1])) - 1;
}

static int
allow_read(int ruleset, const char *path)
{
	struct landlock_path_beneath_attr rule = { 0 };
	AEG_AUTOFD int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ||
		    errno == EACCES ? 0 : -errno;
	rule.parent_fd = fd;
	rule.allowed_access = S_ISDIR(st.st_mode) ?
	    LL_READ_FILE | LL_READ_DIR : LL_READ_FILE;
	return syscall(SYS_landlock_add_rule, ruleset, LL_RULE_PATH, &rule,
	    0) < 0 ? -errno : 0;
}

static int
allow_port(int ruleset, unsigned port)
{
	struct ll_port rule = { LL_CONNECT_TCP, port };

	return syscall(SYS_landlock_add_rule, ruleset, LL_RULE_PORT, &rule,
	    0) < 0 ? -errno : 0;
}

static int
add_rules(int ruleset, long abi, const struct wire_needs *needs)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < AEG_NELEM(net_paths); i++)
		rc = allow_read(ruleset, net_paths[i]);
	for (i = 0; rc == 0 && needs->system_ca && i < AEG_NELEM(ca_paths); i++)
		rc = allow_read(ruleset, ca_paths[i]);
	if (abi < 4)
		return rc;
	for (i = 0; rc == 0 && i < needs->n_ports; i++)
		rc = allow_port(ruleset, needs->ports[i]);
	/* An answer that does not fit a datagram comes over TCP. */
	if (rc == 0 && needs->names)
		rc = allow_port(ruleset, DNS_PORT);
	return rc;
}

static int
enter_landlock(const struct wire_needs *needs, struct err *err)
{
	struct ll_ruleset attr = { 0 };
	AEG_AUTOFD int ruleset = -1;
	size_t size;
	long abi;
	int rc;

	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	if (abi < 1)
		return err_set(err, ERR_LAYER,
		    "%s cannot be confined: Landlock: %s",
		    needs->program, err_str(-errno));
	attr.fs = all_fs(abi);
	attr.net = LL_BIND_TCP | LL_CONNECT_TCP;
	attr.scoped = LL_SCOPE_BOTH;
	size = abi >= 6 ? sizeof attr : abi >= 4 ? 2 * sizeof attr.fs :
	    sizeof attr.fs;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	rc = ruleset < 0 ? -errno : add_rules(ruleset, abi, needs);
	if (rc == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		rc = -errno;
	if (rc < 0)
		return err_set(err, ERR_LAYER,
		    "%s cannot be confined: Landlock: %s",
		    needs->program, err_str(rc));
	return 0;
}

/* Never needed here: starting programs, looking into or at processes,
 * waiting for connections, changing the system. */
static const int denied[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat),
#ifndef AEGSH_SANITIZE	/* whose leak checker does both */
	SCMP_SYS(ptrace), SCMP_SYS(fork),
#endif
	SCMP_SYS(vfork), SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd),
	SCMP_SYS(kcmp), SCMP_SYS(listen), SCMP_SYS(accept),
	SCMP_SYS(accept4), SCMP_SYS(memfd_create), SCMP_SYS(mount),
	SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
	SCMP_SYS(setns), SCMP_SYS(unshare), SCMP_SYS(open_tree),
	SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount), SCMP_SYS(open_by_handle_at), SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(keyctl),
	SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	SCMP_SYS(init_module), SCMP_SYS(finit_module),
	SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon),
	SCMP_SYS(swapoff), SCMP_SYS(acct), SCMP_SYS(quotactl),
	SCMP_SYS(personality), SCMP_SYS(chmod), SCMP_SYS(fchmodat),
	SCMP_SYS(chown), SCMP_SYS(lchown), SCMP_SYS(fchownat),
};

static int
fill_filter(scmp_filter_ctx ctx)
{
	const uint32_t eperm = SCMP_ACT_ERRNO(EPERM);
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < AEG_NELEM(denied); i++)
		rc = seccomp_rule_add(ctx, eperm, denied[i], 0);
#ifndef AEGSH_SANITIZE
	/* Threads look names up; a process has no business here.  What
	 * cannot be looked into (clone3) is answered as unknown, and libc
	 * falls back to what can. */
	if (rc == 0)
		rc = seccomp_rule_add(ctx, eperm, SCMP_SYS(clone), 1,
		    SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS),
		    SCMP_SYS(clone3), 0);
#endif
	if (rc == 0)
		rc = seccomp_rule_add(ctx, eperm, SCMP_SYS(ioctl), 1,
		    SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, TIOCSTI));
	return rc;
}

static int
enter_seccomp(const struct wire_needs *needs, struct err *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int rc = -ENOMEM;

	if (ctx != NULL) {
		rc = fill_filter(ctx);
		if (rc == 0)
			rc = seccomp_load(ctx);
		seccomp_release(ctx);
	}
	if (rc < 0)
		return err_set(err, ERR_LAYER,
		    "%s cannot be confined: seccomp: %s",
		    needs->program, err_str(rc));
	return 0;
}

static int
enter_limits(const struct wire_needs *needs, struct err *err)
{
	const struct rlimit size = { needs->file_most, needs->file_most };
	const struct rlimit files = { 128, 128 };

	if (setrlimit(RLIMIT_FSIZE, &size) < 0 ||
	    setrlimit(RLIMIT_NOFILE, &files) < 0)
		return err_sys(err, errno,
		    "%s cannot be confined: limits", needs->program);
	return 0;
}

/* Of root there is left what root is as a user. */
static int
drop_capabilities(const struct wire_needs *needs, struct err *err)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	const uint32_t kept = needs->sockets_of_others ?
	    UINT32_C(1) << CAP_DAC_OVERRIDE : 0;
	struct __user_cap_data_struct had[2], caps[2] = { { 0 } };

	if (syscall(SYS_capget, &head, had) == 0) {
		caps[0].permitted = had[0].permitted & kept;
		caps[0].effective = had[0].effective & kept;
		if (syscall(SYS_capset, &head, caps) == 0)
			return 0;
	}
	return err_sys(err, errno, "%s cannot be confined: capabilities",
	    needs->program);
}

int
wire_confine(const struct wire_needs *needs, struct err *err)
{
	int rc;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, errno,
		    "%s cannot be confined: no_new_privs", needs->program);
	rc = drop_capabilities(needs, err);
	if (rc == 0)
		rc = enter_landlock(needs, err);
	if (rc == 0)
		rc = enter_limits(needs, err);
	if (rc == 0)
		rc = enter_seccomp(needs, err);
	return rc;
}
