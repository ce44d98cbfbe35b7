/* SPDX-License-Identifier: ISC */
/* Marks in a terminal's stream, and what it echoes: cut anywhere. */
#include "relay/relay_int.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

struct seen {
	struct buf text;	/* a mark is a "|" */
};

static void
on_text(void *ctx, const char *p, size_t len)
{
	struct seen *s = ctx;

	buf_put(&s->text, p, len);
}

static void
on_mark(void *ctx)
{
	struct seen *s = ctx;

	buf_putc(&s->text, '|');
}

static const unsigned char nonce[RELAY_NONCE] = { 1, 0xab };

/* "|" stands for a mark with its carriage return, "!" for one without, "?" for
 * one of another session. */
static void
spell(const char *text, const struct relay_marks *m, struct buf *out)
{
	struct relay_marks other;

	relay_marks_init(&other, (const unsigned char *)"0123456789abcdef");
	for (; *text != '\0'; text++) {
		if (*text == '|' || *text == '!')
			buf_put(out, m->text, m->len);
		if (*text == '|')
			buf_putc(out, '\r');
		else if (*text == '?')
			buf_put(out, other.text, other.len);
		else if (*text != '!')
			buf_putc(out, *text);
	}
	buf_putc(out, '\0');
	out->len--;
}

/* In two pieces, cut at every place, and byte by byte. */
static void
test_marks(const char *text, unsigned due, const char *want)
{
	const struct relay_marks_to to = { on_text, on_mark, NULL };
	struct buf whole = BUF_INIT, wanted = BUF_INIT;
	struct relay_marks m;
	size_t cut, bad = 0, i;

	relay_marks_init(&m, nonce);
	spell(text, &m, &whole);
	/* What was not looked for is still there: "@" is the first "|". */
	for (i = 0; want[i] != '\0'; i++)
		if (want[i] == '@') {
			buf_put(&wanted, m.text, m.len);
			buf_putc(&wanted, '\r');
		} else if (want[i] == '?') {
			spell("?", &m, &wanted);
		} else {
			buf_putc(&wanted, want[i]);
		}
	for (cut = 0; cut <= whole.len; cut++) {
		struct seen s = { BUF_INIT };
		struct relay_marks_to at = to;

		at.ctx = &s;
		relay_marks_init(&m, nonce);
		m.due = due;
		relay_marks_feed(&m, whole.data, cut, &at);
		relay_marks_feed(&m, whole.data + cut, whole.len - cut, &at);
		bad += s.text.len != wanted.len || memcmp(s.text.data,
		    wanted.data, wanted.len) != 0;
		buf_done(&s.text);
	}
	OKF(bad == 0, "marks of \"%s\", %u to come: %zu cuts differ", text,
	    due, bad);
	buf_done(&whole);
	buf_done(&wanted);
}

static void
test_held(void)
{
	struct seen s = { BUF_INIT };
	const struct relay_marks_to to = { on_text, on_mark, &s };
	struct relay_marks m;

	relay_marks_init(&m, nonce);
	relay_marks_feed(&m, "a\033", 2, &to);
	OKF(s.text.len == 2, "an escape is not held back where none is due");
	m.due = 1;
	relay_marks_feed(&m, "b\033]77", 5, &to);
	OKF(s.text.len == 3, "a beginning is held back where one is due");
	relay_marks_feed(&m, "x", 1, &to);
	OKF(s.text.len == 8, "and given back when it was none");
	buf_done(&s.text);
}

/* What is typed, and how many times it begins the count again; cut at every
 * place. */
static void
test_typed(const char *name, const char *typed, bool want)
{
	size_t len = strlen(typed), cut, bad = 0;

	for (cut = 0; cut <= len; cut++) {
		struct relay_most m = { .most = 10 };
		bool first;

		relay_most_begin(&m, 10);
		(void)relay_most_admit(&m, 11, &first);
		relay_most_typed(&m, typed, cut);
		relay_most_typed(&m, typed + cut, len - cut);
		bad += (relay_most_admit(&m, 5, &first) == 5) != want;
	}
	OKF(bad == 0, "%s %s", name, want ? "is a key" : "is no key");
}

static void
test_most(void)
{
	struct relay_most m = { .most = 0 };
	bool first;

	OKF(relay_most_admit(&m, 1 << 20, &first) == 1 << 20 && !first,
	    "without a limit all goes on");
	relay_most_begin(&m, 10);
	OKF(relay_most_admit(&m, 10, &first) == 10 && !first,
	    "what is just enough does");
	OKF(relay_most_admit(&m, 1, &first) == 0 && first &&
	    relay_most_admit(&m, 1, &first) == 0 && !first,
	    "more does not, and is told once");
	relay_most_begin(&m, 10);
	OKF(relay_most_admit(&m, 12, &first) == 10 && first,
	    "a piece is cut where it is too much");
	test_typed("a letter", "a", true);
	test_typed("Ctrl-C", "\003", true);
	test_typed("an arrow", "\033[A", true);
	test_typed("an arrow with a modifier", "\033[1;5C", true);
	test_typed("an arrow of an application", "\033OB", true);
	test_typed("page up", "\033[5~", true);
	test_typed("Alt with a letter", "\033x", true);
	test_typed("an umlaut", "\303\244", true);
	test_typed("nothing", "", false);
	test_typed("where the cursor is", "\033[24;80R", false);
	test_typed("what terminal it is", "\033[?62;1;6c", false);
	test_typed("that it is well", "\033[0n", false);
	test_typed("how large it is", "\033[8;24;80t", false);
	test_typed("a mode", "\033[?2004;1$y", false);
	test_typed("a title", "\033]lrm -rf\033\\", false);
	test_typed("a colour", "\033]11;rgb:00/00/00\a", false);
	test_typed("a setting", "\033P1$r0m\033\\", false);
	test_typed("an answer and a letter", "\033[0nq", true);
	test_typed("what terminal a VT52 is", "\033/Z", false);
	test_typed("an answer in bytes of 8 bits", "\23324;80R", false);
	test_typed("one of these in UTF-8", "\302\23324;80R", false);
	test_typed("a setting in these", "\2201$r0m\234", false);
	test_typed("an arrow in these", "\233A", true);
	test_typed("a character with such a byte", "\347\233\233", true);
	test_typed("Alt with a bracket, and Enter", "\033]\r", true);
	test_typed("Alt with a letter that begins strings", "\033Px\003", true);
}

static void
test_echo(const char *name, tcflag_t lflag, const char *typed,
    const char *seen, const char *want)
{
	struct relay_echo e = { .at = 0 };
	struct termios t = { .c_lflag = lflag, .c_iflag = ICRNL | IXON };
	struct buf out = BUF_INIT;
	size_t i;

	t.c_cc[VERASE] = 0x7f;
	t.c_cc[VEOF] = 4;
	t.c_cc[VINTR] = 3;
	t.c_cc[VSTOP] = 0x13;
	relay_echo_typed(&e, &t, typed, strlen(typed));
	for (i = 0; seen[i] != '\0'; i++)
		relay_echo_strip(&e, seen + i, 1, &out);
	buf_putc(&out, '\0');
	IS_STRN(out.data, want, name);
	buf_done(&out);
}

static void
test_forgotten(void)
{
	struct relay_echo e = { .at = 0 };
	struct termios t = { .c_lflag = ECHO };
	struct buf out = BUF_INIT;
	char other[5000];

	memset(other, '.', sizeof other);
	relay_echo_typed(&e, &t, "abc", 3);
	relay_echo_strip(&e, other, sizeof other, &out);
	relay_echo_strip(&e, "abc", 3, &out);
	OKF(out.len == sizeof other + 3, "what does not come is forgotten");
	buf_done(&out);
}

/* In two pieces; how much of it is text. */
static void
test_transfer(const char *text, size_t len, size_t want)
{
	size_t cut, bad = 0, got;

	for (cut = 0; cut <= len; cut++) {
		struct relay_transfer t = { 0 };

		got = relay_transfer_begins(&t, text, cut);
		if (got == 0) {
			got = relay_transfer_begins(&t, text + cut, len - cut);
			got += got > 0 ? cut : 0;
		}
		bad += got != want;
	}
	OKF(bad == 0, "a transfer begins at %zu: %zu cuts differ", want, bad);
}

int
main(void)
{
	const tcflag_t line = ICANON | ECHO | ECHOE | ECHOCTL | ISIG;

	test_marks("abc", 1, "abc");
	test_marks("a|b", 1, "a|b");
	test_marks("|", 1, "|");
	test_marks("||x", 2, "||x");
	test_marks("a!b", 1, "a|b");
	test_marks("|\rb", 1, "|\rb");
	test_marks("|a|b", 1, "|a@b");
	test_marks("a|b", 0, "a@b");
	test_marks("a?b|c", 1, "a?b|c");
	test_most();
	test_held();
	test_echo("a word", line, "ls\r", "ls\r\nfile\r\n", "\r\nfile\r\n");
	test_echo("between other text", line, "me\r", "1m2e3\r\n", "123\r\n");
	test_echo("no echo, nothing is left out", ICANON, "pw\r",
	    "pw is what was said", "pw is what was said");
	test_echo("a control character", line, "\001x", "^Ax.", ".");
	test_echo("keys that are not shown", line, "a\177\003\023b",
	    "a\b \b^Cb.", "\b \b^C.");
	test_forgotten();
	test_transfer("abc**\030B00000", 13, 8);
	test_transfer("a***\030B0x", 9, 7);
	test_transfer("a*\030B0 ** B0", 10, 0);
	return tap_done();
}
