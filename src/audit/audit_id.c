/* SPDX-License-Identifier: ISC */
/* Names for rows: random ids, the boot, the hash of the judged bytes. */
#include "audit_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "aegsh/base/io.h"

void
audit_uuid(unsigned char ret[UUID_LEN])
{
	ssize_t n;

	do
		n = getrandom(ret, UUID_LEN, 0);
	while (n < 0 && errno == EINTR);
	if (n != UUID_LEN)
		abort();	/* no Linux that has Landlock lacks it */
	ret[6] = (unsigned char)(0x40 | (ret[6] & 0x0f));
	ret[8] = (unsigned char)(0x80 | (ret[8] & 0x3f));
}

void
audit_boot_id(char ret[40])
{
	AEG_AUTOFD int fd = open("/proc/sys/kernel/random/boot_id",
	    O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, 36);

	ret[n == 36 ? 36 : 0] = '\0';
}

void
audit_sha256(const void *p, size_t len, unsigned char ret[AUDIT_SHA256_LEN])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, len, p);
	sha256_digest(&ctx, AUDIT_SHA256_LEN, ret);
}
