/* SPDX-License-Identifier: ISC */
/* Facts: a value is known only where it is the same on every way there. */
#include "aegsh/syntax.h"

#include "aegsh/base/mem.h"
#include "syn_show.h"
#include "tap.h"

static enum syn_var
get(void *ctx, const char *name, const char **ret_value)
{
	if (strcmp(name, "n") == 0) {
		*ret_value = "3";
		return SYN_VAR_SET;
	}
	return strcmp(name, "secret") == 0 ? SYN_VAR_UNKNOWN : SYN_VAR_UNSET;
}

static const struct syn_vars vars = { .get = get };

static const struct {
	const char *unit, *facts;
} cases[] = {
	/* what may have been skipped */
	{ "a=ls; x || a=rm && $a", ": a=ls / condition: x / "
	    "condition: a=rm / : *<variable $a>" },
	{ "a=ls; x && y || a=rm && b=$a && $a", ": a=ls / condition: x / "
	    "condition: y / condition: a=rm / "
	    "condition: b=<variable $a> / : *<variable $a>" },
	{ "a=ls; { a=rm; } <no; $a", ": a=ls / compound: 0<no / : a=rm / "
	    ": *<variable $a>" },
	{ "a=ls; export a=rm >no; $a", ": a=ls / : export a=rm 1>no / "
	    ": *<variable $a>" },
	{ "a=ls; a=rm <no; $a", ": a=ls / : a=rm 0<no / : *<variable $a>" },
	{ "a=ls; cd /x >/dev/null; $a", ": a=ls / : cd /x 1>/dev/null / : ls" },
	{ "f() { a; } ; unset -f f >no; set -- x <&$secret; f $1",
	    "function,compound=f: / function=f: a / : unset -f f 1>no / "
	    ": set -- x 0<&*<variable $secret> / : f *<variable $1>" },
	{ "a=ls\nb=$((08)); a=rm\n$a", ": a=ls / : b=<arithmetic $((08))> / "
	    ": a=rm / : *<variable $a>" },
	{ "a=ls; eval 'b=${secret:$n}; a=rm'; $a", ": a=ls / "
	    ": eval b=${secret:$n}; a=rm / eval: b=<variable ${secret:$n}> / "
	    "eval: a=rm / : *<variable $a>" },
	{ "readonly b; a=ls\nb=x; a=rm\n$a", ": readonly b / : a=ls / : b=x / "
	    ": a=rm / : *<variable $a>" },
	{ "f() { echo $((08)); }; a=ls\nf; a=rm\n$a",
	    "function,compound=f: / function=f: echo *<arithmetic $((08))> / "
	    ": a=ls / : f / : a=rm / : *<variable $a>" },
	/* which of the two it is */
	{ "a=ls; export a=rm; export() { :; }; $a", ": a=ls / "
	    ": export a=rm / function,compound=export: / function=export: : / "
	    ": rm" },
	{ "a=ls; if x; then export() { :; }; fi; export a=rm; $a",
	    ": a=ls / compound: / condition: x / function,compound=export: / "
	    "function=export: : / : export a=rm / : *<variable $a>" },
	{ "f() { a=rm; }; command() { f; }; a=ls; command g; $a",
	    "function,compound=f: / function=f: a=rm / "
	    "function,compound=command: / function=command: f / : a=ls / "
	    ": command g / : *<variable $a>" },
	{ "a=ls; eval() { :; }; builtin eval a=rm; $a", ": a=ls / "
	    "function,compound=eval: / function=eval: : / "
	    ": builtin eval a=rm / eval: a=rm / : rm" },
	{ "a=ls; command -pv export a=rm; $a", ": a=ls / "
	    ": command -pv export a=rm / : ls" },
	/* what bash makes of them */
	{ "y='a b'; export x=$y; $x; \\export z=$y; $z", ": y=a b / "
	    ": export x=a b / : a b / : export z=a b / : a" },
	{ "declare -i a; declare -u a; a=b; $a", ": declare -i a / "
	    ": declare -u a / : a=b / : *<variable $a>" },
	{ "declare -xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxu a=b; $a",
	    ": declare -xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxu a=b / : B" },
	{ "set a; set - b; $1; set -Z c; $1; set -oo pipefail d; $1",
	    ": set a / : set - b / : b / : set -Z c / : *<variable $1> / "
	    ": set -oo pipefail d / : *<variable $1>" },
	{ "y='#a'; x='aab#a'; $x ${x#$y} ${x%$y} ${x%%\\#a}", ": y=#a / "
	    ": x=aab#a / : aab#a aab#a aab aab" },
	{ "y=/a; x=aa/a; $x ${x/$y} ${x//a}; y=%a; b=baa; ${b/$y/c}",
	    ": y=/a / : x=aa/a / : aa/a aa / / : y=%a / : b=baa / : bac" },
	{ "x=\\'; a ${x@Q}; x=08; b $((x))", ": x=' / : a \\' / : x=08 / "
	    ": b <arithmetic $((x))>" },
	{ "shopt -s nocasematch; x=Ab; ${x/a}",
	    ": shopt -s nocasematch / : x=Ab / : *<variable ${x/a}>" },
	{ "LC_ALL=tr_TR.UTF-8; x=i; y=a; a ${x^} ${y^}", ": LC_ALL=tr_TR.UTF-8"
	    " / : x=i / : y=a / : a *<variable ${x^}> A" },
	{ "LC_ALL=C; LC_CTYPE=C; LANG=tr; x=i; declare -u z=i; a ${x^^} $z",
	    ": LC_ALL=C / : LC_CTYPE=C / : LANG=tr / : x=i / : declare -u z=i"
	    " / : a *<variable ${x^^}> *<variable $z>" },
	{ "LC_ALL=C; LC_CTYPE=C; LANG=de; x=i; a ${x^^}",
	    ": LC_ALL=C / : LC_CTYPE=C / : LANG=de / : x=i / : a I" },
	{ "$TERM $OSTYPE $PS4 $HOSTNAME", ": *<variable $TERM> "
	    "*<variable $OSTYPE> *<variable $PS4> *<variable $HOSTNAME>" },
	{ "a=ls; printf -v b -v a rm; $a", ": a=ls / : printf -v b -v a rm / "
	    ": rm" },
	{ "coproc a { :; }; a=ls; $a", "compound: / "
	    "background,coproc,compound: / background,coproc: : / : a=ls / "
	    ": *<variable $a>" },
	/* what may be evaluated */
	{ "x=ls; y=$(a); ((y)); $x", ": x=ls / : y=<substitution $(a)> / "
	    "subst: a / compound: / arith: *<arithmetic y> / "
	    ": *<variable $x>" },
	{ "x=ls; while a; do $x; ((secret)); done; $x", ": x=ls / "
	    "compound: / loop,condition: a / loop: *<variable $x> / "
	    "loop,compound: / loop,arith: *<arithmetic secret> / "
	    ": *<variable $x>" },
	{ "x=ls; for ((i = 0; i < n; i++)); do $x $((i)); done; $x",
	    ": x=ls / compound: / loop: ls <arithmetic $((i))> / : ls" },
	{ "x=ls; i=0; while a; do ((i++)); done; $x", ": x=ls / : i=0 / "
	    "compound: / loop,condition: a / loop,compound: / : ls" },
	{ "x=ls; b=(1 2); ((b[1]++, b[RANDOM])); $x", ": x=ls / "
	    ": b=<unspecified (1 2)> / compound: / : ls" },
	{ "x=ls; b=(1 'y[x=1]'); ((b[1])); $x", ": x=ls / "
	    ": b=<unspecified (1 'y[x=1]')> / compound: / : *<variable $x>" },
	{ "x=ls; (( \"x = 5\" )); $x", ": x=ls / compound: / "
	    ": *<variable $x>" },
};

int
main(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct syn_tree *tree = NULL;
		struct syn_facts *f = NULL;
		struct buf b = BUF_INIT;
		struct syn_diag diag;

		if (syn_parse(cases[i].unit, strlen(cases[i].unit), NULL,
		    &tree, &diag) == SYN_TREE) {
			f = syn_facts_new(tree, &vars);
			syn_show(&b, f);
		}
		IS_STRN(b.data, cases[i].facts, cases[i].unit);
		buf_done(&b);
		syn_facts_free(f);
		syn_free(tree);
	}
	return tap_done();
}
