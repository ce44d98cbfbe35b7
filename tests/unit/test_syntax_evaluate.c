/* SPDX-License-Identifier: ISC */
/* Facts of text that bash reads once more: what is known is walked, what is
 * not is told as a command that is not known, numbers are neither. */
#include "aegsh/syntax.h"

#include <stdlib.h>

#include "aegsh/base/mem.h"
#include "syn_show.h"
#include "tap.h"

static enum syn_var
get(void *ctx, const char *name, const char **ret_value)
{
	(void)ctx;
	if (strcmp(name, "secret") == 0)
		return SYN_VAR_UNKNOWN;
	*ret_value = strcmp(name, "code") == 0 ? "b[$(evil)]" :
	    strcmp(name, "n") == 0 ? "3" : NULL;
	return *ret_value != NULL ? SYN_VAR_SET : SYN_VAR_UNSET;
}

static const struct syn_vars vars = { .get = get };

static const struct {
	const char *unit, *facts;
} cases[] = {
	{ "echo $((1+n*2)) $((x))", ": echo 7 0" },
	{ "$((a[$(b)]))", ": *<arithmetic $((a[$(b)]))> / subst,arith: b / "
	    "arith: *<arithmetic a[$(b)]>" },
	{ "((code))", "compound: / subst,arith: evil / "
	    "arith: *<arithmetic b[$(evil)]>" },
	{ "[[ code -eq 1 && -f $(b) ]]", "compound: / subst,arith: evil / "
	    "arith: *<arithmetic b[$(evil)]> / subst: b" },
	{ "test -v 'a[$(b)]'", ": test -v a[$(b)] / subst: b / "
	    ": *<arithmetic $(b)>" },
	{ "for ((i = 0; i < 9; i++)); do ((k += i)); x; done",
	    "compound: / loop,compound: / loop: x" },
	{ "k=$?; ((k++)); ((k)); [ $k -eq 1 ]", ": k=<variable $?> / "
	    "compound: / compound: / : [ *<variable $k> -eq 1 ]" },
	{ "$((secret))", ": *<arithmetic $((secret))> / "
	    "arith: *<arithmetic secret>" },
	{ "x='b[$(evil)]'; ((x))", ": x=b[$(evil)] / compound: / "
	    "subst,arith: evil / arith: *<arithmetic b[$(evil)]>" },
	{ "PS4='\\044(evil)'", ": PS4=\\044(evil) / subst: evil" },
	{ "PS4='\\$(evil)'", ": PS4=\\$(evil)" },
	{ "PS4='$x ${LINENO}: ${FUNCNAME[0]:+$n}'; x",
	    ": PS4=$x ${LINENO}: ${FUNCNAME[0]:+$n} / : x" },
	{ "PS4='$((x))'; x=$secret", ": PS4=$((x)) / "
	    "arith: *<arithmetic x> / : x=<variable $secret>" },
	{ "read -p $((1)) i; x", ": read -p 1 i / : x" },
	{ "read $secret", ": read *<variable $secret> / "
	    ": *<arithmetic $secret>" },
	{ "read -p \"$secret\" x", ": read -p <variable $secret> x" },
	{ "printf \"$secret\\n\" x", ": printf <variable $secret>\\n x" },
	{ "[ \"$secret\" = x ]", ": [ <variable $secret> = x ]" },
	{ "[ -v \"$secret\" ]", ": [ -v <variable $secret> ] / "
	    ": *<arithmetic $secret>" },
	{ "declare -A m; : ${m[$secret]}", ": declare -A m / "
	    ": : *<variable ${m[$secret]}>" },
	{ "declare -a 'a=($(evil))'", ": declare -a a=($(evil)) / "
	    "eval: a=<unspecified ($(evil))> / subst,eval: evil" },
	{ "for i in {1..200}; do ((i)); done", "compound: / "
	    "loop,compound:" },
	{ "x=$((n)); for y in a b; do ((x += n)); done; ((x))",
	    ": x=3 / compound: / loop,compound: / loop,compound: / "
	    "compound:" },
};

/* Words told of n elements that are expanded n times: what a line makes of
 * so little may not grow with its square. */
static size_t
count_words(size_t n)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *f;
	struct buf b = BUF_INIT;
	size_t i, words = 0;

	buf_puts(&b, "a=(");
	for (i = 0; i < n; i++)
		buf_puts(&b, "x ");
	buf_puts(&b, ")");
	for (i = 0; i < n; i++)
		buf_puts(&b, "; y \"${a[@]}\"");
	if (syn_parse(b.data, b.len, NULL, &tree, &diag) == SYN_TREE) {
		f = syn_facts_new(tree, &vars);
		for (i = 0; i < f->n_commands; i++)
			words += f->commands[i].n_words;
		syn_facts_free(f);
		syn_free(tree);
	}
	buf_done(&b);
	return words;
}

int
main(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(cases); i++) {
		struct syn_tree *tree = NULL;
		struct syn_facts *f;
		struct syn_diag diag;
		struct buf b = BUF_INIT;

		if (!OKF(syn_parse(cases[i].unit, strlen(cases[i].unit), NULL,
		    &tree, &diag) == SYN_TREE, "parses: %s", cases[i].unit))
			continue;
		f = syn_facts_new(tree, &vars);
		syn_show(&b, f);
		IS_STRN(b.data, cases[i].facts, cases[i].unit);
		buf_done(&b);
		syn_facts_free(f);
		syn_free(tree);
	}
	OKF(count_words(10) == 110, "each element is a word");
	OKF(count_words(1000) < 20000, "a thousand of them cost no million");
	return tap_done();
}
