/* SPDX-License-Identifier: ISC */
#include "aegsh/base/listing.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES ((size_t)4096)

struct entry {			/* as getdents64(2) has it */
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

int
listing_each(int fd, int (*each)(void *ctx, const char *name,
    unsigned char type), void *ctx)
{
	_Alignas(struct entry) char bytes[BYTES];
	size_t at;
	long n;
	int rc;

	while ((n = syscall(SYS_getdents64, fd, bytes, sizeof bytes)) > 0) {
		for (at = 0; at < (size_t)n;) {
			const struct entry *e = (const void *)(bytes + at);

			at += e->reclen;
			if (strcmp(e->name, ".") == 0 ||
			    strcmp(e->name, "..") == 0)
				continue;
			rc = each(ctx, e->name, e->type);
			if (rc != 0)
				return rc;
		}
	}
	return n < 0 ? -errno : 0;
}
