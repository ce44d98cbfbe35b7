/* SPDX-License-Identifier: ISC */
#include "audit/audit_int.h"
#include "tap.h"

static void
hex(const unsigned char *p, size_t len, char *ret)
{
	size_t i;

	for (i = 0; i < len; i++)
		sprintf(ret + i * 2, "%02x", p[i]);
}

int
main(void)
{
	static const unsigned char fixed[AUDIT_UUID_LEN] = { 0x01, 0x23, 0x45,
		0x67, 0x89, 0xab, 0x4d, 0xef, 0x80, 0x11, 0x22, 0x33, 0x44,
		0x55, 0x66, 0xff };
	unsigned char one[AUDIT_UUID_LEN], two[AUDIT_UUID_LEN];
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
	audit_uuid_text(fixed, text);
	IS_STR(text, "01234567-89ab-4def-8011-2233445566ff");
	/* FIPS 180-4, its example of three letters, and no bytes at all. */
	audit_sha256("abc", 3, sum);
	hex(sum, sizeof sum, text);
	IS_STR(text, "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad");
	audit_sha256("", 0, sum);
	hex(sum, sizeof sum, text);
	IS_STR(text, "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855");
	audit_boot_id(text);
	OK(text[0] == '\0' || (strlen(text) == 36 && text[8] == '-'));
	return tap_done();
}
