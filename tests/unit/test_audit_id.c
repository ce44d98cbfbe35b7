/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "tap.h"

#include "aegsh/base/hex.h"

int
main(void)
{
	unsigned char one[UUID_LEN], two[UUID_LEN];
	unsigned char sum[AUDIT_SHA256_LEN];
	char text[80];
	int i, good = 0;

	for (i = 0; i < 100; i++) {
		audit_uuid(one);
		audit_uuid(two);
		good += (one[6] & 0xf0) == 0x40 && (one[8] & 0xc0) == 0x80 &&
		    memcmp(one, two, sizeof one) != 0;
	}
	IS_INTN(good, 100, "version 4, variant 10, never the same");
	/* FIPS 180-4, its example of three letters, and no bytes at all. */
	audit_sha256("abc", 3, sum);
	hex_text(sum, sizeof sum, text);
	IS_STR(text, "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad");
	audit_sha256("", 0, sum);
	hex_text(sum, sizeof sum, text);
	IS_STR(text, "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855");
	audit_boot_id(text);
	OK(text[0] == '\0' || (strlen(text) == 36 && text[8] == '-'));
	return tap_done();
}
