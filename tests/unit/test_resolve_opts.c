/* SPDX-License-Identifier: ISC */
/* Option words by a grammar: letters, clusters, long names, values. */
#include "aegsh/resolve.h"
#include "aegsh/base/mem.h"
#include "tap.h"

#include "aegsh/base/buf.h"

#define WORDS_MAX 12

/* want: -x flag, -x=V value, --name, --name=V, (operand) */
static const struct {
	const char *grammar, *line, *want;
} cases[] = {
	{ "", "c", "" },
	{ "", "c a b", "(a) (b)" },
	{ "", "c -ab c", "-a -b (c)" },
	{ "o:", "c -o f x", "-o=f (x)" },
	{ "o:", "c -of x", "-o=f (x)" },
	{ "o:", "c -vof x", "-v -o=f (x)" },
	{ "o:", "c -vo f x", "-v -o=f (x)" },
	{ "o:", "c -o", "-o" },
	{ "i::", "c -i.bak f", "-i=.bak (f)" },
	{ "i::", "c -i f", "-i (f)" },
	{ "", "c --x=1 --y z", "--x=1 --y (z)" },
	{ " output: other", "c --output f --other g",
	    "--output=f --other (g)" },
	{ " output: other", "c --out f", "--output=f" },
	{ " output: outer:", "c --out f", "--out (f)" },
	{ " color::", "c --color x --color=y", "--color (x) --color=y" },
	{ "", "c -- -a b", "(-a) (b)" },
	{ "", "c x -a", "(x) -a" },
	{ "+", "c x -a", "(x) (-a)" },
	{ "+o:", "c -o f x -a", "-o=f (x) (-a)" },
	{ "~ name:", "c -name x -type f", "--name=x --type (f)" },
	{ "~", "c -a -bc", "--a --bc" },
	{ "", "c - -", "(-) (-)" },
	{ "", "c -a- b", "-a -- (b)" },
};

static size_t
split(char *text, struct syn_word *words)
{
	size_t n = 0;
	char *word;

	for (word = strtok(text, " "); word != NULL && n < WORDS_MAX;
	    word = strtok(NULL, " "))
		words[n++] = (struct syn_word){ .known = true, .value = word,
			.len = strlen(word) };
	return n;
}

static void
show(struct resolve_opts *o, const struct syn_word *words, struct buf *out)
{
	struct resolve_opt opt;
	enum resolve_opt_kind kind;

	while ((kind = resolve_opts_next(o, &opt)) != RESOLVE_OPT_END) {
		if (out->len > 0)
			buf_putc(out, ' ');
		if (kind == RESOLVE_OPT_OPERAND) {
			buf_putf(out, "(%s)", words[opt.word].value);
			continue;
		}
		buf_puts(out, opt.long_form ? "--" : "-");
		buf_put(out, opt.name, opt.name_len);
		if (kind == RESOLVE_OPT_VALUE)
			buf_putf(out, "=%s", words[opt.value_word].value +
			    opt.value_skip);
	}
}

int
main(void)
{
	struct syn_word words[WORDS_MAX];
	struct resolve_opts o;
	struct resolve_opt opt = { .name = "recursive", .name_len = 9,
		.long_form = true };
	struct buf got = BUF_INIT;
	char *line;
	size_t i, n;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		line = xstrdup(cases[i].line);
		n = split(line, words);
		resolve_opts_init(&o, cases[i].grammar, words, n);
		buf_reset(&got);
		show(&o, words, &got);
		IS_STRN(got.data != NULL ? got.data : "", cases[i].want,
		    cases[i].line);
		free(line);
	}
	buf_done(&got);
	OK(resolve_opt_is(&opt, "r recursive"));
	OK(!resolve_opt_is(&opt, "r recur"));
	OK(!resolve_opt_is(&opt, NULL));
	opt = (struct resolve_opt){ .name = "rf", .name_len = 1 };
	OK(resolve_opt_is(&opt, "x r"));
	OK(!resolve_opt_is(&opt, "rf recursive"));
	return tap_done();
}
