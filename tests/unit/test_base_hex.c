/* SPDX-License-Identifier: ISC */
#include "aegsh/base/hex.h"
#include "tap.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const unsigned char fixed[UUID_LEN] = { 0x01, 0x23, 0x45, 0x67, 0x89,
	0xab, 0x4d, 0xef, 0x80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0xff };

static const struct {
	const char *text, *what;
	bool is;
} cases[] = {
	{ "01234567-89ab-4def-8011-2233445566ff", "a UUID", true },
	{ "01234567-89AB-4DEF-8011-2233445566FF", "in capitals", true },
	{ "", "nothing", false },
	{ "01234567-89ab-4def-8011-2233445566f", "one digit less", false },
	{ "01234567-89ab-4def-8011-2233445566ff0", "one more", false },
	{ "0123456789ab4def80112233445566ff", "no dashes", false },
	{ "0123456-789ab-4def-8011-2233445566ff", "a dash too early", false },
	{ "01234567-89ab-4def-80112-233445566ff", "one too late", false },
	{ "01234567-89ab-4def-8011-2233445566fg", "no digit", false },
	{ "01234567089ab04def08011022334455660f", "digits for dashes", false },
	{ "01234567-89ab-4def-8011-22334455 6ff", "a blank", false },
	{ "-1234567-89ab-4def-8011-2233445566ff", "a dash for a digit",
	    false },
};

static void
test_uuid(void)
{
	unsigned char uuid[UUID_LEN];
	char text[UUID_TEXT];
	size_t i;

	uuid_text(fixed, text);
	IS_STR(text, cases[0].text);
	for (i = 0; i < AEG_NELEM(cases); i++) {
		bool is;

		memset(uuid, 7, sizeof uuid);
		is = uuid_parse(cases[i].text, strlen(cases[i].text), uuid);
		OKF(is == cases[i].is && (is ? memcmp(uuid, fixed,
		    sizeof fixed) == 0 : uuid[0] == 7 && uuid[15] == 7),
		    "%s", cases[i].what);
	}
}

int
main(void)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	unsigned char bytes[4] = { 0 };
	char text[9] = "";

	hex_text("\x00\x7f\x80\xff", 4, text);
	IS_STR(text, "007f80ff");
	hex_text("", 0, text);
	IS_STR(text, "");
	hex_put(&b, "\x0a\xb0", 2);
	hex_put(&b, "", 0);
	hex_put(&b, "\xc1", 1);
	IS_STR(b.data, "0ab0c1");
	OK(hex_bytes("007F80fF", 4, bytes));
	OK(memcmp(bytes, "\x00\x7f\x80\xff", 4) == 0);
	OK(hex_bytes("", 0, bytes));
	OK(!hex_bytes("0", 1, bytes));
	OK(!hex_bytes("g0", 1, bytes));
	OK(!hex_bytes("0\xff", 1, bytes));
	test_uuid();
	return tap_done();
}
