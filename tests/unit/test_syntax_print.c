/* SPDX-License-Identifier: ISC */
/* The canonical line, and the tree for people. */
#include "aegsh/syntax.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"
#include "tap.h"

static const struct {
	const char *unit, *line;
} lines[] = {
	{ "", "" }, { "# nothing\n", "" }, { "a  b   c", "a b c\n" },
	{ "a;b;c", "a; b; c\n" }, { "a;\n\nb", "a\nb\n" },
	{ "a&b &", "a & b &\n" }, { "a&&b||c|d|&e", "a && b || c | d |& e\n" },
	{ "!  a", "! a\n" }, { "! ! a", "! ! a\n" },
	{ "time -p a", "time -p a\n" }, { "time", "time\n" },
	{ "time -- -p", "time -p -- -p\n" },
	{ "a \\\n b", "a b\n" }, { "a\\\nb", "ab\n" },
	{ "a 'b c' \"d $e\" \\f $'g' $\"h\"",
	    "a 'b c' \"d $e\" \\f $'g' $\"h\"\n" },
	{ "{ a;}", "{ a; }\n" }, { "(a)", "( a )\n" }, { "( (a))",
	    "( ( a ) )\n" },
	{ "if a\nthen b;elif c;then d\nelse e;fi >x",
	    "if a; then b; elif c; then d; else e; fi >x\n" },
	{ "while a;do b&done", "while a; do b & done\n" },
	{ "for a\ndo b;done", "for a; do b; done\n" },
	{ "for a in b  c;{ d;}", "for a in b c; { d; }\n" },
	{ "for((a;b;c));do d;done", "for ((a; b; c)); do d; done\n" },
	{ "select a in;do b;done", "select a in; do b; done\n" },
	{ "case a in b|c)d;;(e);&esac",
	    "case a in (b | c) d ;; (e) ;& esac\n" },
	{ "case a in b) c\nesac", "case a in (b) c ;; esac\n" },
	{ "[[ a==b&&!(c||-f d) ]]", "[[ a==b && ! ( c || -f d ) ]]\n" },
	{ "echo (", NULL },
	{ "[[ a == b&&! ( c||-f d ) ]]", "[[ a == b && ! ( c || -f d ) ]]\n" },
	{ "((1+1))", "((1+1))\n" },
	{ "a(){ b;}", "a () { b; }\n" },
	{ "function a\n( b )", "function a ( b )\n" },
	{ "coproc a b", "coproc a b\n" },
	{ "coproc X { a;}", "coproc X { a; }\n" },
	{ "a  >b 2>&1 <<<c {d}>&-", "a >b 2>&1 <<<c {d}>&-\n" },
	{ "<b a", "<b a\n" }, { "a<<-E;b\n\tc\n\tE\nd",
	    "a <<- E; b\nc\nE\nd\n" },
	{ "a <<E<<F\nb\nE\nc\nF\n", "a << E << F\nb\nE\nc\nF\n" },
	{ "a < <(b)", "a < <(b)\n" },
	{ "a $( b;c ) `d  e` <( f )", "a $(b; c) `d  e` <(f)\n" },
	{ "$( (a) ) $(\n((1))\n)", "$( ( a )) $( ((1)))\n" },
	{ "$(\ntime a)", "$(\ntime a)\n" }, { "$(time a)", "$(time a)\n" },
	{ "$(a\nb)", "$(a\nb)\n" },
	{ "$(cat <<E\na\nE\n) b", "$(cat << E\na\nE\n) b\n" },
	{ "a=( b  c # d\n e )", "a=(b c e)\n" },
};

static char *
print(const char *unit, size_t len, bool dump)
{
	static const struct syn_options opts = { .at_end = true };
	struct buf out = BUF_INIT;
	struct syn_tree *tree = NULL;
	struct syn_diag diag;

	if (syn_parse(unit, len, &opts, &tree, &diag) != SYN_TREE)
		return NULL;
	if (dump)
		syn_dump(tree, &out);
	else
		syn_print(tree, &out);
	syn_free(tree);
	return buf_take(&out);
}

static void
check_lines(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(lines); i++) {
		AEG_AUTOFREE char *one = print(lines[i].unit,
		    strlen(lines[i].unit), false);
		AEG_AUTOFREE char *two = NULL;

		IS_STRN(one, lines[i].line, lines[i].unit);
		if (one == NULL)
			continue;
		two = print(one, strlen(one), false);
		IS_STRN(two, one, "and prints the same again");
	}
}

static void
check_dump(void)
{
	static const char unit[] = "a=1 b \"c $d\" >e | f <<E\n\x1b[1m\nE\n";
	AEG_AUTOFREE char *out = print(unit, sizeof unit - 1, true);

	IS_STRN(out,
	    "  command\n"
	    "    assign \"a\"\n"
	    "      literal \"a=\"\n"
	    "      literal \"1\"\n"
	    "    word \"b\"\n"
	    "    word\n"
	    "      double\n"
	    "        literal \"c \"\n"
	    "        parameter \"d\"\n"
	    "    >\n"
	    "      word \"e\"\n"
	    "  |\n"
	    "  command\n"
	    "    word \"f\"\n"
	    "    here-document\n"
	    "      until \"E\"\n"
	    "      body \"^[[1m\"\n", "the tree, and control bytes inert");
}

int
main(void)
{
	check_lines();
	check_dump();
	return tap_done();
}
