/* SPDX-License-Identifier: ISC */
/* The word before the cursor, and what it may become. */
#include "aegsh/line.h"
#include "tap.h"

#include <locale.h>
#include <string.h>

#include "aegsh/base/mem.h"

static const char *
value(void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "HOME") == 0 ? "/home/me" :
	    strcmp(name, "D") == 0 ? "a b" : NULL;
}

/* C: a command's name; >: of a redirection; ?: not to be known; #: a comment;
 * $: a variable's name. */
static const struct {
	const char *text, *flags, *typed, *base, *before;
} rows[] = {
	{ "", "C", "", "", "" },
	{ "ls", "C", "ls", "ls", "" },
	{ "ls ", "", "", "", "ls" },
	{ "ls -l fo", "", "fo", "fo", "ls|-l" },
	{ "ls /usr/lo", "", "/usr/lo", "lo", "ls" },
	{ "ls my\\ fi", "", "my fi", "my\\ fi", "ls" },
	{ "ls 'my fi", "", "my fi", "my fi", "ls" },
	{ "ls \"a/my fi", "", "a/my fi", "my fi", "ls" },
	{ "ls a/\"my fi", "", "a/my fi", "my fi", "ls" },
	{ "ls a'b c'd", "", "ab cd", "a'b c'd", "ls" },
	{ "ls $'a b", "", "a b", "$'a b", "ls" },
	{ "a; b", "C", "b", "b", "" },
	{ "a && b", "C", "b", "b", "" },
	{ "a | b c", "", "c", "c", "b" },
	{ "a & b", "C", "b", "b", "" },
	{ "a\nb", "C", "b", "b", "" },
	{ "(a", "C", "a", "a", "" },
	{ "{ a", "C", "a", "a", "" },
	{ "if a; then b", "C", "b", "b", "" },
	{ "while ! b", "C", "b", "b", "" },
	{ "time ls x", "", "x", "x", "ls" },
	{ "X=1 Y='a b' cmd", "C", "cmd", "cmd", "" },
	{ "X=/us", "C", "X=/us", "us", "" },
	{ "X=us", "C", "X=us", "us", "" },
	{ "cc --out=fi", "", "--out=fi", "fi", "cc" },
	{ "cat <fi", ">", "fi", "fi", "cat" },
	{ "cat < fi", ">", "fi", "fi", "cat" },
	{ "cat 2>&1 >fi", ">", "fi", "fi", "cat" },
	{ "cat >fi x", "", "x", "x", "cat" },
	{ "cat &>fi", ">", "fi", "fi", "cat" },
	{ "echo $(ca", "C", "ca", "ca", "" },
	{ "echo $(cat fo", "", "fo", "fo", "cat" },
	{ "echo \"$(cat fo", "", "fo", "fo", "cat" },
	{ "echo $(cat fo)x", "?", "x", "x", "" },
	{ "echo `ca", "C", "ca", "ca", "" },
	{ "diff <(ca", "C", "ca", "ca", "" },
	{ "echo $HO", "$", "", "", "echo" },
	{ "echo ${HO", "$", "", "", "echo" },
	{ "echo \"a$HO", "$", "a", "", "echo" },
	{ "echo '$HO", "", "$HO", "$HO", "echo" },
	{ "ls $HOME/fo", "", "/home/me/fo", "fo", "ls" },
	{ "ls ${HOME}/fo", "", "/home/me/fo", "fo", "ls" },
	{ "ls \"$D/fo", "", "a b/fo", "fo", "ls" },
	{ "ls $NONE/fo", "?", "/fo", "fo", "ls" },
	{ "ls ${HOME%/}/fo", "?", "/fo", "fo", "ls" },
	{ "ls ~/fo", "", "~/fo", "fo", "ls" },
	{ "ls # fo", "#", "", "", "ls" },
	{ "ls a#fo", "", "a#fo", "a#fo", "ls" },
	{ "ls \\", "", "", "\\", "ls" },
	{ "ls \"a\\", "", "a\\", "a\\", "ls" },
	{ "case x in a) b", "C", "b", "b", "" },
	{ "))))", "C", "", "", "" },
	{ "${${${${", "$", "", "", "" },
};

static void
test_words(void)
{
	size_t i, k;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		const char *text = rows[i].text;
		struct line_word w;
		struct buf flags = BUF_INIT, before = BUF_INIT;

		line_word_at(text, strlen(text), value, NULL, &w);
		if (w.comment)
			buf_putc(&flags, '#');
		else if (w.unknown)
			buf_putc(&flags, '?');
		else if (w.name != SIZE_MAX)
			buf_putc(&flags, '$');
		else if (w.target)
			buf_putc(&flags, '>');
		else if (w.command)
			buf_putc(&flags, 'C');
		buf_put(&flags, "", 0);
		for (k = 0; k < w.before.n; k++)
			buf_putf(&before, "%s%s", k > 0 ? "|" : "",
			    w.before.v[k]);
		buf_put(&before, "", 0);
		IS_STRN(flags.data, rows[i].flags, text);
		if (rows[i].flags[0] != '$' && rows[i].flags[0] != '?') {
			IS_STRN(w.typed.data, rows[i].typed, text);
			IS_STRN(text + w.base, rows[i].base, text);
			IS_STRN(before.data, rows[i].before, text);
		}
		buf_done(&flags);
		buf_done(&before);
		line_word_done(&w);
	}
}

/* Whatever it is, it is taken without a fall over its end. */
static void
test_any(void)
{
	static const char signs[] = "'\"\\$`(){};|&<> \n~#=/a";
	unsigned seed = 1, i, k;
	char text[24];

	for (i = 0; i < 200000; i++) {
		struct line_word w;
		size_t len = i % (sizeof text);
		char *copy;

		for (k = 0; k < len; k++) {
			seed = seed * 1103515245 + 12345;
			text[k] = signs[(seed >> 16) % (sizeof signs - 1)];
		}
		copy = xmemdup0(text, len);
		line_word_at(copy, len, value, NULL, &w);
		if (w.from > len || w.base > len || w.base < w.from ||
		    w.typed_base > w.typed.len || w.value_from > w.typed_base)
			OKF(false, "%s", copy);
		line_word_done(&w);
		free(copy);
	}
	OKF(true, "200,000 texts");
}

static void
test_quote(void)
{
	static const struct {
		enum line_quote quote;
		const char *text, *want;
	} quotes[] = {
		{ LINE_UNQUOTED, "plain", "plain" },
		{ LINE_UNQUOTED, "a b", "a\\ b" },
		{ LINE_UNQUOTED, "it's", "it\\'s" },
		{ LINE_UNQUOTED, "$x`y`", "\\$x\\`y\\`" },
		{ LINE_UNQUOTED, "~x", "\\~x" },
		{ LINE_UNQUOTED, "a;b&c|d", "a\\;b\\&c\\|d" },
		{ LINE_UNQUOTED, "a\nb", "$'a\\nb'" },
		{ LINE_DOUBLE, "a b$x\"", "a b\\$x\\\"" },
		{ LINE_SINGLE, "it's $x", "it'\\''s $x" },
		{ LINE_ANSI, "it's", "it\\'s" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(quotes); i++) {
		struct buf out = BUF_INIT;

		line_word_quote(&out, quotes[i].quote, quotes[i].text, true);
		IS_STR(out.data, quotes[i].want);
		buf_done(&out);
	}
}

static void
test_choices(void)
{
	struct line_choices c = { .from = 0 };
	struct buf out = BUF_INIT;
	char *common, name[32];
	unsigned i, lines;

	line_choices_add(&c, "beta", "beta", "second");
	line_choices_add(&c, "bear", "bear", NULL);
	line_choices_add(&c, "beta", "beta", "again");
	line_choices_sort(&c);
	IS_INT((intmax_t)c.n, 2);
	common = line_choices_common(&c);
	IS_STR(common, "be");
	free(common);
	line_choices_list(&c, 80, 24, 0, &out);
	IS_STR(out.data, "bear          beta  second\n");
	line_choices_done(&c);
	/* Not half of a character. */
	line_choices_add(&c, "x\xc3\xa4", "x", NULL);
	line_choices_add(&c, "x\xc3\xb6", "x", NULL);
	common = line_choices_common(&c);
	IS_STR(common, "x");
	free(common);
	line_choices_done(&c);
	/* More than the screen, and not all. */
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof name, "name%u", i);
		line_choices_add(&c, name, name, NULL);
	}
	c.partial = true;
	out.len = 0;
	line_choices_list(&c, 40, 10, 0, &out);
	OK(strstr(out.data, "500 in all") != NULL);
	OK(strstr(out.data, "took too long") != NULL);
	for (i = 0, lines = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	OKF(lines <= 10, "%u lines on a screen of 10", lines);
	line_choices_done(&c);
	/* A mark stays, whatever is cut. */
	line_choices_add(&c, "abcdefghijklmnopq", "abcdefghijklmnopq", "note");
	line_choices_add(&c, "b", "b", "note");
	line_choices_block(&c, "abcdefghijklmnopq");
	line_choices_block(&c, "none");
	line_choices_sort(&c);
	out.len = 0;
	line_choices_list(&c, 20, 24, 0, &out);
	IS_STR(out.data, "abcdefghi (blocked)\nb  note\n");
	line_choices_done(&c);
	/* Hostile names, on a screen that is too narrow. */
	line_choices_add(&c, "a", "\033[2Jevil\a", NULL);
	line_choices_add(&c, "b", "\xe2\x80\xaegnp.exe", NULL);
	out.len = 0;
	line_choices_list(&c, 5, 24, 0, &out);
	OK(strpbrk(out.data, "\033\a") == NULL);
	line_choices_done(&c);
	buf_done(&out);
}

int
main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	test_words();
	test_any();
	test_quote();
	test_choices();
	return tap_done();
}
