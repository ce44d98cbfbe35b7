/* SPDX-License-Identifier: ISC */
#include "aegsh/base/text.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	const char *in, *inert;
} inert_cases[] = {
	{ "plain", "plain" },
	{ "na\xc3\xafve", "na\xc3\xafve" },
	{ "\033[31mred", "^[[31mred" },
	{ "a\nb\tc", "a^Jb^Ic" },
	{ "\x9b", "\\x9b" },
	{ "\xc2\x9b", "<U+009B>" },
	{ "a\xe2\x80\xae""b", "a<U+202E>b" },
	{ "zero\xe2\x80\x8bwidth", "zero<U+200B>width" },
	{ "\xc0\xaf", "\\xc0\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "\x7f", "^?" },
	{ "\xf3\xa0\x81\x81", "<U+E0041>" },
};

static const struct {
	const char *in, *quoted;
} quote_cases[] = {
	{ "", "''" },
	{ "plain-1.txt", "plain-1.txt" },
	{ "a b", "'a b'" },
	{ "it's", "'it'\\''s'" },
	{ "~", "'~'" },
	{ "a\nb", "$'a\\nb'" },
	{ "\t'\\", "$'\\011\\'\\\\'" },
	{ "$(x)", "'$(x)'" },
};

int
main(void)
{
	static const char *const list[] = { "first", "second" };
	char ls[] = "ls", none[] = "", two[] = "a b";
	char *const words[] = { ls, none, two, NULL };
	struct buf b = BUF_INIT;
	int64_t v = 7;
	size_t i;

	for (i = 0; i < sizeof inert_cases / sizeof inert_cases[0]; i++) {
		buf_reset(&b);
		text_inert(&b, inert_cases[i].in, strlen(inert_cases[i].in), 0);
		IS_STRN(b.data, inert_cases[i].inert, inert_cases[i].inert);
		OKF(text_needs_inert(inert_cases[i].in,
		    strlen(inert_cases[i].in), 0) ==
		    (strcmp(inert_cases[i].in, inert_cases[i].inert) != 0),
		    "needs_inert agrees on %s", inert_cases[i].inert);
	}
	buf_reset(&b);
	text_inert(&b, "a\nb\x1b", 4, TEXT_INERT_NEWLINE);
	IS_STRN(b.data, "a\nb^[", "newlines pass where asked for");
	for (i = 0; i < sizeof quote_cases / sizeof quote_cases[0]; i++) {
		buf_reset(&b);
		text_quote(&b, quote_cases[i].in, strlen(quote_cases[i].in));
		IS_STRN(b.data, quote_cases[i].quoted, quote_cases[i].quoted);
	}
	buf_reset(&b);
	text_quote_words(&b, words);
	IS_STRN(b.data, "ls '' 'a b'", "words of a command");
	buf_done(&b);
	IS_INT(text_hex('0'), 0);
	IS_INT(text_hex('9'), 9);
	IS_INT(text_hex('a'), 10);
	IS_INT(text_hex('F'), 15);
	IS_INT(text_hex('g'), -1);
	IS_INT(text_hex('/'), -1);
	IS_INT(text_hex(0xff), -1);
	IS_INT(text_to_i64("12", 0, 20, &v), 0);
	IS_INT(v, 12);
	IS_INT(text_to_i64("21", 0, 20, &v), -ERANGE);
	IS_INT(text_to_i64("99999999999999999999", 0, INT64_MAX, &v), -ERANGE);
	IS_INT(text_to_i64(" 1", 0, 20, &v), -EINVAL);
	IS_INT(text_to_i64("1x", 0, 20, &v), -EINVAL);
	IS_INT(text_to_i64("", 0, 20, &v), -EINVAL);
	IS_INTN(v, 12, "a failure leaves the result alone");
	OK(TEXT_AMONG("second", list));
	OK(!TEXT_AMONG("sec", list));
	OK(!TEXT_AMONG("", list));
	OK(!text_among("second", list, 1));
	OK(text_is_name("_a1", 3));
	OK(!text_is_name("1a", 2));
	OK(!text_is_name("", 0));
	OK(!text_is_name("a-b", 3));
	return tap_done();
}
