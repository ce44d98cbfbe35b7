/* SPDX-License-Identifier: ISC */
/* The three answers: what is a tree, what is open, what is wrong where. */
#include "aegsh/syntax.h"

#include <errno.h>
#include <stdlib.h>

#include "aegsh/base/err.h"
#include "aegsh/base/mem.h"
#include "tap.h"

static const char *const trees[] = {
	"", "\n", "# only a comment", "# a comment\n", "  \t ", "echo hi",
	"a; b", "a & b", "a && b || c", "a | b |& c", "a;\n\nb\n",
	"a &&\n\nb", "a |\n# between\nb",
	"! a", "! ! a", "time", "!", "time -p -- a", "time ! a",
	"{ a; }", "{ a & }", "(a)", "( a; b )", "( (a) )", "((1+1))",
	"((a) )", "if a; then b; fi", "if (a) then b; fi",
	"if a; then b; elif c; then d; else e; fi",
	"while a; do b; done", "until a; do b; done",
	"for x; do a; done", "for x in; do a; done",
	"for x in a b c; do d; done", "for x in a; { b; }",
	"for x\nin a\ndo b\ndone", "for x do a; done",
	"for ((;;)) do a; done", "for ((i=0;i<3;i++)); do a; done",
	"for ((;;)) { a; }", "select x in a b; do c; done",
	"case a in esac", "case a in b) c ;; esac",
	"case a in (b|c) d ;& e) f ;;& *) ;; esac", "case in in in) a; esac",
	"case a in b) echo esac; esac", "case esac in (a) ;; esac",
	"[[ a ]]", "[[ -f a && ! ( b == c || d -nt e ) ]]",
	"[[ a =~ ^(b|c d)$ ]]", "[[ a == @(b|c) ]]", "[[ a < b ]]",
	"[[ a == b\n]]", "[[ a =~ && b ]]",
	"f() { a; }", "function f { a; }", "function f() (a)",
	"function f (a)", "function f ((1))", "f ( )\n\n[[ a ]]",
	"f() { a; } >b 2>&1",
	"coproc a", "coproc a b", "coproc X { a; }",
	"coproc while a; do b; done",
	"a=1", "a=1 b+=2 c", "a=(1 2 [3]=4)", "a=(\n1 # one\n2\n)",
	"a[1 + 2]=x", "a[$(b)]+=c d", "declare -A a=([x]=y)", "a=(1)b",
	"<a", ">a <b cmd", "a >&2 2>&1 3<&- 4>&5-", "a &>b &>>c <>d >|e <<<f",
	"a {fd}>b {fd[1]}<c", "<x if", "<x a=(1)", "99999999999>a",
	"cat <<E\na\nE", "cat <<E\na\nE\n",
	"cat <<'E' <<-F; b\na\nE\n\tc\n\tF\n",
	"cat <<E | (b\na\nE\nc)", "$(cat <<E\na\nE\n)", "$(cat <<E\na\nE)",
	"echo 'a' \"b\" $'c\\'d' $\"e\" \\f", "echo \"a $(b \"c\" 'd)') e\"",
	"echo `a`", "echo `a \\`b\\``", "echo \"`a \\\"b\\\"`\"", "echo `if`",
	"echo $a ${b} ${c:-d} ${#e} ${!f} ${g@Q} ${h[1]} ${i//j/k} ${l:1:2}",
	"echo ${a:-${b:-${c}}} ${a#'}'} ${a:-\"}\"} ${}",
	"echo $((1+2)) $[3] $((a[$(b)])) $(( (a) )) $((a) )", "echo $(()) $()",
	"diff <(a) >(b)", "a<(b)c", "echo $(a # )\n)",
	"echo $(case a in b) c;; esac)",
	"echo {a,b} {1..3} ~ ~x *.c [ab]? a#b", "ec\\\nho a\\\nb",
	"a \\\n&\\\n& b",
	"if a\nthen b\nfi", "echo if then fi do done { } in esac", "a\\ b",
	"echo \xff\xfe \x01\x7f", "}a", "{a", "{a,b}", "!a", "echo $",
	"echo $ a",
	"echo \"$\" \"a$\"", "a=b=c", "=a", "1=2", "a-b=c", "a()\n{ b; }",
	"echo $$ $! $? $# $* $@ $- $_ $0 $1 ${10}", "$(time a)", "a $(! b)",
};

static const struct {
	const char *unit, *open;
} opens[] = {
	{ "echo 'a", "quote '" }, { "echo \"a", "quote \"" },
	{ "echo $'a", "quote '" }, { "echo `a", "backquote" },
	{ "echo $(a", "$(" }, { "echo $((a", "$((" }, { "((a", "((" },
	{ "echo ${a", "${" }, { "echo \"${a", "${" }, { "echo $[a", "[" },
	{ "diff <(a", "<(" }, { "a=(b", "(" }, { "a[1", "[" },
	{ "cat <<E", "here-document E" }, { "cat <<E\na\n", "here-document E" },
	{ "cat <<-'E F'\na\n", "here-document E F" },
	{ "a \\", "line continuation" }, { "a \\\n", "line continuation" },
	{ "a &&", "a command" }, { "a ||\n", "a command" },
	{ "a |", "a command" },
	{ "if", "a command" }, { "if a", "then" }, { "if a; then b", "fi" },
	{ "if a; then b; else", "a command" }, { "while a", "do" },
	{ "while a; do b", "done" }, { "for x in a", "do" }, { "{ a", "}" },
	{ "(a", ")" }, { "case a", "in" }, { "case a in", "esac" },
	{ "case a in b) c", ";; or esac" }, { "case a in b) c ;;", "esac" },
	{ "f()", "a compound command" }, { "f() {", "a command" },
	{ "[[ a == b", "]]" }, { "[[ a &&", "a condition" },
	{ "[[ ( a == b", ")" }, { "! ! (", "a command" },
	{ "for ((a;b;c))", "do" }, { "select x", "do" },
	{ "echo \"$(if a", "then" }, { "cat <<E; if a\nb\nE\n", "then" },
};

static const struct {
	const char *unit;
	size_t offset;
	const char *expected;
} errors[] = {
	{ ";", 0, "a command instead of ;" }, { "a ;; b", 2,
	    "an operator or the end of the line instead of ;;" },
	{ "a && && b", 5, "a command instead of &&" },
	{ "(a", 0, NULL }, { ")", 0, "a command instead of )" },
	{ "fi", 0, "a command instead of fi" },
	{ "if a; then fi", 11, "a command instead of fi" },
	{ "a\nb |\n)", 6, "a command instead of )" },
	{ "for ((a;b)); do c; done", 9, "three arithmetic expressions" },
	{ "for ((a;b;c;d)); do c; done", 12,
	    "three arithmetic expressions, not more" },
	{ "f() a", 4, "a compound command instead of word" },
	{ "a b()", 3, "an operator or the end of the line instead of (" },
	{ "echo >", 6, "a word instead of newline" },
	{ "a > > b", 4, "a word instead of >" },
	{ "a | ! b", 4, "a command instead of !" },
	{ "{ }", 2, "a command instead of }" }, { "( )", 2, NULL },
	{ "{ a; } b", 7, NULL },
	{ "[[ a b ]]", 5, "an operator or ]] instead of word" },
	{ "[[ -f ]]", 6, "a word instead of ]]" }, { "[[ ]]", 3, NULL },
	{ "[[ a ==\n]]", 7, "a word instead of newline" },
	{ "echo (a)", 6, ") instead of word" },
	{ "a=(b & c)", 5, "a word or ) instead of &" },
	{ "echo $(a b()", 10, ") instead of (" }, { "echo $( ; )", 8, NULL },
	{ "case a in b) c ;; d e) ;; esac", 20, ") instead of word" },
	{ "coproc\n", 6, "a command instead of newline" },
	{ "echo @(a|b)", 6, NULL }, { "cat << $(a)\n", 7, NULL },
	{ "((cat <<E\na\nE\n) )", 10, NULL }, { "a=1 f() { b; }", 5, NULL },
};

static void
check_trees(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(trees); i++) {
		struct syn_options opts = { .at_end = false };
		struct syn_tree *tree = NULL;
		struct syn_diag diag = { .offset = 0 };
		enum syn_answer got = syn_parse(trees[i], strlen(trees[i]),
		    &opts, &tree, &diag);

		OKF(got == SYN_TREE && tree != NULL, "a tree: case %zu (%s)",
		    i, got == SYN_TREE ? "yes" : diag.expected);
		syn_free(tree);
	}
}

static void
check_opens(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(opens); i++) {
		struct syn_tree *tree = NULL;
		struct syn_diag diag = { .offset = 0 };
		enum syn_answer got = syn_parse(opens[i].unit,
		    strlen(opens[i].unit), NULL, &tree, &diag);

		OKF(got == SYN_INCOMPLETE, "incomplete: case %zu", i);
		IS_STRN(diag.expected, opens[i].open, "and says what is open");
		IS_INTN((int)diag.offset, (int)strlen(opens[i].unit),
		    "found at the end");
		OKF(tree == NULL, "no tree");
		syn_free(tree);
	}
}

static void
check_errors(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(errors); i++) {
		struct syn_tree *tree = NULL;
		struct syn_diag diag = { .offset = 0 };
		enum syn_answer got = syn_parse(errors[i].unit,
		    strlen(errors[i].unit), NULL, &tree, &diag);

		if (errors[i].offset == 0 && errors[i].expected == NULL)
			continue;
		OKF(got == SYN_ERROR && tree == NULL && diag.code ==
		    ERR_SYNTAX, "an error: case %zu", i);
		IS_INTN((int)diag.offset, (int)errors[i].offset, "its offset");
		if (errors[i].expected != NULL)
			IS_STRN(diag.expected, errors[i].expected,
			    "what was expected");
		syn_free(tree);
	}
}

static enum syn_answer
ask(const char *s, size_t len, bool at_end, struct syn_diag *diag)
{
	struct syn_options opts = { .at_end = at_end };
	struct syn_tree *tree = NULL;
	enum syn_answer got = syn_parse(s, len, &opts, &tree, diag);

	syn_free(tree);
	return got;
}

static void
check_end(void)
{
	struct syn_diag d;

	OKF(ask("cat <<E\na", 9, true, &d) == SYN_TREE,
	    "the end of all input ends a here-document");
	OKF(ask("a \\", 3, true, &d) == SYN_TREE, "and leaves a backslash");
	OKF(ask("a \\\n", 4, true, &d) == SYN_TREE, "or drops a joined line");
	OKF(ask("echo 'a", 7, true, &d) == SYN_INCOMPLETE,
	    "but ends no quote");
}

static void
check_caps(void)
{
	struct syn_diag d;
	size_t n = SYN_LEN_MAX + 1, i;
	AEG_AUTOFREE char *big = xmalloc(n + 1);

	memset(big, 'a', n);
	OKF(ask(big, n - 1, false, &d) == SYN_TREE, "a unit of the full size");
	OKF(ask(big, n, false, &d) == SYN_ERROR && d.code == ERR_TOO_LONG,
	    "one byte more is too long");
	OKF(ask("a\nb\0c", 5, false, &d) == SYN_ERROR && d.code == -EILSEQ,
	    "NUL is an error of its own");
	IS_INT(d.offset, 3);
	IS_INT(d.line, 2);
	IS_INT(d.column, 2);
	for (i = 0; i < 1000; i += 2)
		memcpy(big + i, "( ", 2);
	OKF(ask(big, 1000, false, &d) == SYN_ERROR && d.code == ERR_RANGE,
	    "too deep: subshells");
	for (i = 0; i < 1000; i += 2)
		memcpy(big + i, "$(", 2);
	OKF(ask(big, 1000, false, &d) == SYN_ERROR && d.code == ERR_RANGE,
	    "too deep: substitutions");
	for (i = 0; i < 1000; i += 5)
		memcpy(big + i, "${a-\"", 5);
	OKF(ask(big, 1000, false, &d) == SYN_ERROR && d.code == ERR_RANGE,
	    "too deep: parameters in quotes");
	for (i = 0; i < 900; i += 3)
		memcpy(big + i, "if ", 3);
	OKF(ask(big, 900, false, &d) == SYN_ERROR && d.code == ERR_RANGE,
	    "too deep: if");
	memcpy(big, "[[ ", 3);
	for (i = 3; i < 900; i++)
		big[i] = i % 2 ? '(' : ' ';
	OKF(ask(big, 900, false, &d) == SYN_ERROR && d.code == ERR_RANGE,
	    "too deep: conditions");
	for (i = 0; i < 1000; i += 2)
		memcpy(big + i, "! ", 2);
	memcpy(big + 1000, "a", 2);
	OKF(ask(big, 1001, false, &d) == SYN_TREE, "! is no nesting");
}

int
main(void)
{
	check_trees();
	check_opens();
	check_errors();
	check_end();
	check_caps();
	return tap_done();
}
