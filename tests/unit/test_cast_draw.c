/* SPDX-License-Identifier: ISC */
/* What of a line's output may reach a terminal again. */
#include "aegsh/cast_read.h"
#include "tap.h"

static const struct {
	const char *in, *want;
} cases[] = {
	/* Drawing. */
	{ "plain text\r\n\ttab\b", "plain text\r\n\ttab\b" },
	{ "caf\xc3\xa9 \xe2\x9c\x93", "caf\xc3\xa9 \xe2\x9c\x93" },
	{ "\033[1;38;5;12mx\033[0m\033[38:2::1:2:3m",
	    "\033[1;38;5;12mx\033[0m\033[38:2::1:2:3m" },
	{ "\033[2J\033[H\033[12;40Hx\033[K\033[3A\033[5L\033[2P",
	    "\033[2J\033[H\033[12;40Hx\033[K\033[3A\033[5L\033[2P" },
	{ "\033[?1049h\033[?25l\033[?7;25h\033[4h\033[4l",
	    "\033[?1049h\033[?25l\033[?7;25h\033[4h\033[4l" },
	{ "\0337\0338\033M\033(0qq\033(B\016\017", "\0337\0338\033M\033(0qq"
	    "\033(B\016\017" },
	{ "\033[1;24r\033[10b", "\033[1;24r\033[10b" },
	/* Questions, which a terminal would type the answer to. */
	{ "a\033[6nb\033[cc\033[>cd\033[=ce\033[?6nf\033[5n", "abcdef" },
	{ "a\033[21tb\033[x\033[?u\033[>q\033[?2026$p\033[0y", "ab" },
	{ "a\033Zb", "ab" },
	{ "a\005b", "ab" },
	{ "a\033P$qm\033\\b\033P+q544e\033\\c\033]10;?\ad\033]4;1;?\033\\e",
	    "abcde" },
	/* Titles, clipboards, links, notifications, files. */
	{ "a\033]0;title\ab\033]52;c;ZXZpbA==\033\\c\033]8;;http://x\ad"
	    "\033]9;hi\ae\033]1337;File=x:y\af\033]777;notify;a;b\ag",
	    "abcdefg" },
	{ "a\033_Gf=24;AAAA\033\\b\033^pm\033\\c\033Xsos\033\\d", "abcd" },
	/* Keys, mouse, paste, printing, resets, sizes. */
	{ "a\033[?1000hb\033[?1;25hc\033[?2004hd\033[?1hd\033=e\033>f\033[5i"
	    "g\033ch\033[8;24;80ti\033[!pj\033[20hk\033[2hl",
	    "abcddefghijkl" },
	{ "a\033#8b\033(Ac\033%Gd\033 Fe\033nf\033og", "abcdefg" },
	/* Of eight bits, in either form. */
	{ "a\xc2\x9b" "6nb\x9b" "5nc", "a<U+009B>6nb\\x9b5nc" },
	{ "a\xe2\x80\xae" "b\a\v\f\177", "a<U+202E>b" },
	/* What is not over, is too long, or breaks off. */
	{ "a\033[12", "a" },
	{ "a\033]0;never ended", "a" },
	{ "a\033[1\033[2Jb", "a\033[2Jb" },
	{ "a\033\033[2Jb\033(\033[2Kc", "a\033[2Jb\033[2Kc" },
	{ "a\033]0;t\033[31mb\033P1\030c\033_\032d\033X\033\033\\e\033^\033",
	    "a\033[31mbcde" },
	{ "a\033]0;t\033]52;c;\033P\033[6nb", "ab" },
	{ "a\033[?6hb\033[?6;25hc", "abc" },
	{ "a\033[99999Cb\033[1;99999999mc", "abc" },
	{ "a\033[1 qb\033[1\"qc\033[?J\033[>1md", "abcd" },
};

int
main(void)
{
	size_t i, k;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct buf whole = BUF_INIT, split = BUF_INIT;
		struct cast_draw d = CAST_DRAW_INIT, s = CAST_DRAW_INIT;
		size_t len = strlen(cases[i].in);

		cast_draw(&d, &whole, cases[i].in, len);
		IS_STRN(whole.data, cases[i].want, cases[i].want);
		/* A byte at a time, where all are characters. */
		for (k = 0; k < len; k++)
			cast_draw(&s, &split, cases[i].in + k, 1);
		for (k = 0; k < len && (cases[i].in[k] & 0x80) == 0; k++)
			continue;
		OK(k < len || strcmp(split.data, whole.data) == 0);
		cast_draw_done(&d);
		cast_draw_done(&s);
		buf_done(&whole);
		buf_done(&split);
	}
	return tap_done();
}
