/* SPDX-License-Identifier: ISC */
/*
 * A verb that only looks gives up everything else before it meets what
 * others wrote: capabilities but the one to read, and, by Landlock, writing
 * to any file, starting any program and talking to anybody.  What this
 * kernel does not have is done without: nothing here is run anyway.
 */
#include "admin_int.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/supervise.h"

/* landlock(7), with what kernel headers of older systems lack. */
#define LL_READ ((uint64_t)1 << 2 | (uint64_t)1 << 3)	/* file, directory */
/* write a file, remove and make one, truncate */
#define LL_STORE ((uint64_t)1 << 1 | (uint64_t)1 << 5 | (uint64_t)1 << 8 | \
	(uint64_t)1 << 14)
#define LL_TCP_BOTH ((uint64_t)3)	/* bind, connect */
#define LL_SCOPE_BOTH ((uint64_t)3)	/* abstract sockets, signals */

struct ll_ruleset {
	uint64_t fs;
	uint64_t net;		/* since ABI 4 */
	uint64_t scoped;	/* since ABI 6 */
};

/* Looking needs CAP_DAC_READ_SEARCH where root looks at somebody's files,
 * and no other. */
static void
drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };
	uint32_t keep = (uint32_t)1 << CAP_DAC_READ_SEARCH;

	if (syscall(SYS_capget, &head, caps) < 0)
		return;
	caps[0].effective &= keep;
	caps[0].permitted &= keep;
	caps[0].inheritable = 0;
	caps[1] = (struct __user_cap_data_struct){ 0 };
	syscall(SYS_capset, &head, caps);
}

/* Writing below dir stays possible: sqlite makes and removes files beside
 * a database that is only read, too. */
static void
leave_open(int ruleset, const char *dir, uint64_t rights)
{
	struct {
		uint64_t allowed;
		int32_t parent;
	} __attribute__((packed)) beneath = { rights, -1 };
	AEG_AUTOFD int fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);

	beneath.parent = fd;
	if (fd >= 0)
		syscall(SYS_landlock_add_rule, ruleset, 1, &beneath, 0);
}

void
admin_confine_but(struct admin *a, const char *dir)
{
	static const unsigned bits[] = { 13, 14, 15, 15, 16 };
	struct ll_ruleset attr = { 0 };
	AEG_AUTOFD int ruleset = -1;
	long abi;

	fflush(a->out);
	drop_capabilities();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	if (abi < 1)
		return;
	attr.fs = (((uint64_t)1 << (abi > 5 ? 16 : bits[abi - 1])) - 1) &
	    ~LL_READ;
	attr.net = LL_TCP_BOTH;
	attr.scoped = LL_SCOPE_BOTH;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr,
	    abi >= 6 ? sizeof attr : abi >= 4 ? 2 * sizeof attr.fs :
	    sizeof attr.fs, 0);
	if (ruleset >= 0 && dir != NULL)
		leave_open(ruleset, dir, attr.fs & LL_STORE);
	if (ruleset >= 0)
		syscall(SYS_landlock_restrict_self, ruleset, 0);
}

void
admin_confine(struct admin *a)
{
	admin_confine_but(a, NULL);
}

bool
admin_is_inside(struct admin *a, const char *means)
{
	int outer = -1, rc = supervise_knock(&outer);

	io_close(&outer);
	if (rc != 0)
		admin_complain(a, "this runs in a line of aegsh: %s; look from "
		    "outside", means);
	return rc != 0;
}
