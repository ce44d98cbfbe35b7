/* SPDX-License-Identifier: ISC */
/* What who is asked about a system call reads of who asks. */
#include "aegsh/base/notify.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define PAGE 4096		/* no page of any kernel is smaller */

/* Page by page, since the next one may not be there. */
int
notify_string(pid_t pid, uint64_t at, char *ret, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t len = PAGE - (size_t)((at + done) % PAGE);
		struct iovec to, from;
		ssize_t n;

		if (len > size - done)
			len = size - done;
		to = (struct iovec){ ret + done, len };
		from = (struct iovec){ (void *)(uintptr_t)(at + done), len };
		n = process_vm_readv(pid, &to, 1, &from, 1, 0);
		if (n <= 0)
			return n < 0 ? -errno : -EFAULT;
		if (memchr(ret + done, '\0', (size_t)n) != NULL)
			return 0;
		done += (size_t)n;
	}
	return -ENAMETOOLONG;
}
