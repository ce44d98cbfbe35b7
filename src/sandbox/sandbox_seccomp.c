/* SPDX-License-Identifier: ISC */
/*
 * The rows become a BPF program, by libseccomp as a binary tree: the kernel
 * walks the program once for each system call number when it is installed,
 * so that its shape decides what a child's start costs.
 */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

const char *
sandbox_seccomp_arch(void)
{
	/* The rows' argument places are known for those two.  Not asked of
	 * libseccomp, which a start touches for nothing else. */
#if defined(__x86_64__) && !defined(__ILP32__)
	return "x86_64";
#elif defined(__aarch64__)
	return "aarch64";
#else
	return NULL;
#endif
}

/* libseccomp only writes to a descriptor; a pipe holds any program. */
static int
export(scmp_filter_ctx ctx, struct sock_filter **ret,
    unsigned short *ret_len)
{
	AEG_AUTOFD int in = -1;
	AEG_AUTOFD int out = -1;
	AEG_AUTO(buf_done) struct buf bytes =
	    BUF_INIT_MAX(SANDBOX_BPF_MAX * sizeof(struct sock_filter));
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	in = ends[0];
	out = ends[1];
	rc = seccomp_export_bpf(ctx, out);
	io_close(&out);
	if (rc == 0)
		rc = io_read_all(in, &bytes);
	if (rc < 0)
		return rc;
	*ret_len = (unsigned short)(bytes.len / sizeof(struct sock_filter));
	*ret = (struct sock_filter *)(void *)buf_take(&bytes);
	return 0;
}

static int
fill(scmp_filter_ctx ctx, const struct sandbox_profile *p, int abi,
    struct err *err)
{
	size_t i;
	int rc;

	/* What comes by another calling convention (i386, x32) is killed. */
	rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS);
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc < 0)
		return err_sys(err, -rc, "seccomp attributes");
	for (i = 0; i < sandbox_n_rows; i++) {
		const struct sandbox_row *row = &sandbox_rows[i];

		if (!sandbox_row_holds(row, p, abi))
			continue;
		rc = seccomp_rule_add_array(ctx,
		    SCMP_ACT_ERRNO((unsigned)row->error), row->nr,
		    row->n_args, row->args);
		if (rc < 0)
			return err_sys(err, -rc, "seccomp row %s", row->name);
	}
	return 0;
}

int
sandbox_seccomp_build(const struct sandbox_profile *p, int abi,
    struct sock_filter **ret, unsigned short *ret_len, struct err *err)
{
	scmp_filter_ctx ctx;
	int rc;

	ctx = seccomp_init(SCMP_ACT_ALLOW);
	if (ctx == NULL)
		return err_set(err, -ENOMEM, "seccomp filter");
	rc = fill(ctx, p, abi, err);
	if (rc == 0) {
		rc = export(ctx, ret, ret_len);
		if (rc < 0)
			err_sys(err, -rc, "seccomp program");
	}
	seccomp_release(ctx);
	return rc;
}
