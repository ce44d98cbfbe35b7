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
#include "aegsh/base/text.h"

void
audit_uuid(unsigned char ret[AUDIT_UUID_LEN])
{
	ssize_t n;

	do
		n = getrandom(ret, AUDIT_UUID_LEN, 0);
	while (n < 0 && errno == EINTR);
	if (n != AUDIT_UUID_LEN)
		abort();	/* no Linux that has Landlock lacks it */
	ret[6] = (unsigned char)(0x40 | (ret[6] & 0x0f));
	ret[8] = (unsigned char)(0x80 | (ret[8] & 0x3f));
}

void
audit_uuid_text(const unsigned char *uuid, char ret[37])
{
	size_t i, at = 0;

	for (i = 0; i < AUDIT_UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			ret[at++] = '-';
		snprintf(ret + at, 3, "%02x", uuid[i]);
		at += 2;
	}
}

bool
audit_uuid_parse(const char *text, unsigned char ret[AUDIT_UUID_LEN])
{
	unsigned char uuid[AUDIT_UUID_LEN];
	char again[37];
	size_t i, at = 0;

	if (strlen(text) != sizeof again - 1)
		return false;
	for (i = 0; i < AUDIT_UUID_LEN; i++) {
		int high, low;

		at += text[at] == '-';
		high = text_hex(text[at]);
		low = high < 0 ? -1 : text_hex(text[at + 1]);
		if (low < 0)
			return false;
		uuid[i] = (unsigned char)(high << 4 | low);
		at += 2;
	}
	audit_uuid_text(uuid, again);
	if (strcasecmp(text, again) != 0)
		return false;	/* its dashes stand elsewhere */
	memcpy(ret, uuid, sizeof uuid);
	return true;
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
