/* SPDX-License-Identifier: ISC */
#include "shell/alias.h"
#include "tap.h"

#include "aegsh/base/mem.h"

static struct aliases all;

static void
becomes(const char *line, const char *want)
{
	struct buf text = BUF_INIT;

	buf_puts(&text, line);
	IS_INT(aliases_expand(&all, &text), 0);
	IS_STRN(text.len > 0 ? text.data : "", want, line);
	buf_done(&text);
}

static void
test_table(void)
{
	IS_INT(alias_set(&all, "ll", "ls -l"), 0);
	IS_INT(alias_set(&all, "ll", "ls -la"), 0);
	IS_INT(all.n, 1);
	IS_STR(alias_get(&all, "ll"), "ls -la");
	OK(alias_get(&all, "l") == NULL);
	OK(alias_set(&all, "a b", "x") < 0 && alias_set(&all, "", "x") < 0);
	OK(alias_set(&all, "a/b", "x") < 0 && alias_set(&all, "$a", "x") < 0);
	OK(alias_set(&all, "-a", "x") < 0 && alias_set(&all, "a=", "x") < 0);
	OK(alias_unset(&all, "ll") && !alias_unset(&all, "ll"));
	IS_INT(all.n, 0);
	IS_INTN(aliases_read(&all, "ll='ls -l' la=\"ls -A\" e=echo"), 0,
	    "the words of a setting");
	IS_STR(alias_get(&all, "la"), "ls -A");
	IS_INT(aliases_read(&all, "  "), 0);
	OK(aliases_read(&all, "x=$(id)") < 0);
	OK(aliases_read(&all, "x=1; id") < 0);
	OK(aliases_read(&all, "x") < 0);
	OK(aliases_read(&all, "'open") < 0);
	OK(alias_get(&all, "x") == NULL);
}

static void
test_expansion(void)
{
	struct buf text = BUF_INIT;

	IS_INT(aliases_read(&all, "ls='ls --color' s='sudo ' g=git "
	    "loop=pool pool=loop two='cd /; ll' p='e |' rm='rm -i' "
	    "open='if true; then' self='self x' e='echo '"), 0);
	becomes("ll", "ls --color -l");
	becomes("  ll  -a # ll", "  ls --color -l  -a # ll");
	becomes("echo ll; ll", "echo ll; ls --color -l");
	becomes("\\ll; 'll'; \"ll\"; l\\l; l''l; ./ll",
	    "\\ll; 'll'; \"ll\"; l\\l; l''l; ./ll");
	becomes("x=1 ll >f && ll || ll | ll & ll",
	    "x=1 ls --color -l >f && ls --color -l || ls --color -l | "
	    "ls --color -l & ls --color -l");
	becomes("if ll; then g st; fi; (ll); { ll; }; f() { ll; }",
	    "if ls --color -l; then git st; fi; (ls --color -l); "
	    "{ ls --color -l; }; f() { ls --color -l; }");
	becomes("echo $(ll) \"$(g x)\"", "echo $(ls --color -l) \"$(git x)\"");
	becomes("s ll; sudo ll", "sudo  ls --color -l; sudo ll");
	becomes("s s ll", "sudo  sudo  ls --color -l");
	becomes("e ll g", "echo  ls --color -l g");
	becomes("loop; pool", "loop; pool");
	becomes("self", "self x");
	becomes("two", "cd /; ls --color -l");
	becomes("for g in g; do g; done", "for g in g; do git; done");
	becomes("case g in g) g;; esac", "case g in g) git;; esac");
	becomes("cat <<E\ng\nE\ng", "cat <<E\ng\nE\ngit");
	becomes("echo 'a\ng' g\ng", "echo 'a\ng' g\ngit");
	becomes("g $g ${g} $((g))", "git $g ${g} $((g))");
	becomes("if then", "if then");
	becomes("ll 'open", "ll 'open");
	becomes("", "");
	becomes("no-alias", "no-alias");
	buf_done(&text);
}

/* What grows without end is refused, not cut. */
static void
test_bounds(void)
{
	AEG_AUTOFREE char *big = xcalloc(1, 60001);
	struct buf text = BUF_INIT;
	int i;

	memset(big, 'x', 60000);
	IS_INT(alias_set(&all, "big", big), 0);
	for (i = 0; i < 40; i++)
		buf_puts(&text, "big;");
	OK(aliases_expand(&all, &text) < 0);
	IS_INTN(text.len, 160, "and the line is as it was");
	buf_done(&text);
}

int
main(void)
{
	test_table();
	test_expansion();
	test_bounds();
	aliases_done(&all);
	OK(all.n == 0 && all.v == NULL);
	return tap_done();
}
