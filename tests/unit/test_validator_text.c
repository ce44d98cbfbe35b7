/* SPDX-License-Identifier: ISC */
#include "aegsh/validator_frame.h"
#include "tap.h"

#include "aegsh/base/text.h"

static const char *
keep(const char *text)
{
	static char out[16];

	memset(out, '#', sizeof out);
	val_text_keep(out, sizeof out, text, strlen(text));
	return out;
}

int
main(void)
{
	IS_STR(val_action_name(VAL_BLOCK), "block");
	IS_STR(val_action_name(VAL_WARN), "warn");
	IS_STR(val_action_name(VAL_ALLOW), "allow");
	IS_STR(val_action_name((enum val_action)77), "block");
	IS_STR(val_status_name(VAL_FAILED), "failed");
	IS_STR(val_status_name(VAL_NOT_CONFIGURED), "not-configured");
	IS_STR(val_status_name(VAL_CANCELLED), "cancelled");
	IS_STR(val_status_name(VAL_ANSWERED), "answered");

	IS_STR(keep(""), "");
	IS_STR(keep("123456789012345"), "123456789012345");
	IS_STR(keep("1234567890123456"), "123456789012\xe2\x80\xa6");
	IS_STR(keep("a\x1b[2J\n"), "a^[[2J^J");
	IS_STRN(keep("12345678901\xc3\xbc\xc3\xbc\xc3\xbc"),
	    "12345678901\xe2\x80\xa6", "no character is cut in two");
	IS_STRN(keep("1234567\xe2\x80\xae" "1234567"), "1234567\xe2\x80\xa6",
	    "no inert form is cut in two");
	IS_STR(keep("\xff"), "\\xff");
	OK(!text_needs_inert(keep("\x01\x02\x03\x04\x05\x06\x07\x08\x0b"), 15,
	    0));

	OK(val_category_good("files_2-x", 64));
	OK(!val_category_good("", 64));
	OK(!val_category_good("Files", 64));
	OK(!val_category_good("a b", 64));
	OK(!val_category_good("abcd", 4));
	return tap_done();
}
