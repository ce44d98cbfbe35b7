/* SPDX-License-Identifier: ISC */
/* The places of a start-up file that do not stay as they are. */
#include "shell/login_int.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/buf.h"

static const char kinds[] = { [LOGIN_SOURCES] = 'S', [LOGIN_LEAVES] = 'L',
	[LOGIN_IDLE] = 'I' };

/* Each place as <KIND text>; false: it cannot be parsed. */
static bool
edits(const char *text, struct login_edits *e, struct buf *shown)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	size_t i, at = 0, len = strlen(text);

	*e = (struct login_edits){ .v = NULL };
	if (syn_parse(text, len, NULL, &tree, &diag) != SYN_TREE)
		return false;
	shell_login_edits(text, len, tree, e);
	syn_free(tree);
	for (i = 0; i < e->n; i++) {
		buf_put(shown, text + at, e->v[i].from - at);
		buf_putf(shown, "<%c %.*s>", kinds[e->v[i].kind],
		    (int)(e->v[i].to - e->v[i].from), text + e->v[i].from);
		at = e->v[i].to;
	}
	buf_put(shown, text + at, len - at);
	return true;
}

static void
becomes(const char *text, const char *want)
{
	struct buf shown = BUF_INIT;
	struct login_edits e;

	OK(edits(text, &e, &shown));
	IS_STRN(shown.len > 0 ? shown.data : "", want, text);
	free(e.v);
	buf_done(&shown);
}

static void
stays(const char *text)
{
	becomes(text, text);
}

static void
test_sources(void)
{
	becomes(". ~/.bashrc\n", "<S . ~/.bashrc>\n");
	becomes("source \"$f\" # x\n", "<S source \"$f\"> # x\n");
	becomes("[ -r a ] && \\. a || x\n", "[ -r a ] && <S \\. a> || x\n");
	becomes("for i in a b; do . $i >/dev/null; done\n",
	    "for i in a b; do <S . $i> >/dev/null; done\n");
	becomes("f() { . ~/.x; }\nf\n", "f() { <S . ~/.x>; }\nf\n");
	becomes("(. a; . b)\n", "(<S . a>; <S . b>)\n");
	stays(". a b\n");
	stays(".\n");
	stays("x=1 . a\n");
	stays(". >out a\n");
	stays("x=$(. a)\n");
	stays("cat <<E\n$(. a)\nE\n");
	stays("echo . a\n");
	stays("'.x' a\n");
}

static void
test_leaves(void)
{
	struct buf shown = BUF_INIT;
	struct login_edits e;

	becomes("[ -n \"$PS1\" ] || return\n",
	    "[ -n \"$PS1\" ] || <L return>\n");
	becomes("case $- in *i*) ;; *) return 0;; esac\n",
	    "case $- in *i*) ;; *) <L return 0>;; esac\n");
	stays("f() { return 1; }\nf\n");
	stays("(return)\n");
	stays("return | cat\n");
	stays("return &\nwait\n");
	stays("return 1 2\n");
	OK(edits("while x; do return; done\n", &e, &shown));
	OK(e.leaves && e.trapped);
	free(e.v);
	OK(edits("return\n", &e, &shown));
	OK(e.leaves && !e.trapped);
	free(e.v);
	OK(edits("f() { while x; do return; done; }\n", &e, &shown));
	OK(!e.leaves && !e.trapped);
	free(e.v);
	buf_done(&shown);
}

static void
test_idle(void)
{
	becomes("alias ll='ls -l'\nunalias x\n",
	    "<I alias ll='ls -l'>\n<I unalias x>\n");
	becomes("shopt -s histappend checkwinsize\n",
	    "<I shopt -s histappend checkwinsize>\n");
	stays("shopt -s histappend expand_aliases\n");
	stays("shopt -s extglob\n");
	stays("shopt histappend\n");
	stays("shopt -q login_shell\n");
	stays("alias | cat\n");
	becomes("PROMPT_COMMAND='a b'\n", "<I PROMPT_COMMAND='a b'>\n");
	becomes("if a; then\n  PROMPT_COMMAND=b\nfi\n",
	    "if a; then\n  <I PROMPT_COMMAND=b>\nfi\n");
	becomes("[ -e x ] && PROMPT_COMMAND=/x; y\n",
	    "[ -e x ] && <I PROMPT_COMMAND=/x>; y\n");
	becomes("case $T in\nx*)\n\tPROMPT_COMMAND=\"${P:+$P; }y\"\n\t;;\n"
	    "esac\n", "case $T in\nx*)\n\t<I PROMPT_COMMAND=\"${P:+$P; }y\">"
	    "\n\t;;\nesac\n");
	becomes("SHELL=/bin/bash\nexport SHELL\n",
	    "<I SHELL=/bin/bash>\nexport SHELL\n");
	stays("SHELL=/bin/sh lesspipe\n");
	stays("PROMPT_COMMAND=x cmd\n");
	stays("PROMPT_COMMAND=x A=1\n");
	stays("export PROMPT_COMMAND=x\n");
	stays("PROMPT_COMMAND=x >f\n");
	stays("x=$(PROMPT_COMMAND=y)\n");
}

/* Lines are told as the sourcing ones are found: from 1. */
static void
test_places(void)
{
	static const char text[] = "a\n\nf() {\n. x\n}\n. 'a b'\n";
	struct buf shown = BUF_INIT;
	struct login_edits e;

	OK(edits(text, &e, &shown));
	IS_INT(e.n, 2);
	OK(e.n == 2 && e.v[0].line == 4 && e.v[0].in_function);
	OK(e.n == 2 && e.v[1].line == 6 && !e.v[1].in_function);
	OK(e.n == 2 && e.v[1].word_len == 5 &&
	    memcmp(text + e.v[1].word, "'a b'", 5) == 0);
	free(e.v);
	buf_done(&shown);
}

int
main(void)
{
	test_sources();
	test_leaves();
	test_idle();
	test_places();
	return tap_done();
}
