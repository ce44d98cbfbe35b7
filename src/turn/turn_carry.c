/* SPDX-License-Identifier: ISC */
/*
 * What a session carries from line to line besides exports (option persist):
 * variables, and functions.  It stands in front of the line as commands that
 * only define it; there it is judged, with every later line, and from there
 * it is run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "turn/turn_int.h"

/* The start text of bash, and its trap, count on these. */
static const char *const never[] = { ".", ":", "[", "__aegsh", "alias", "bind",
	"break", "builtin", "command", "continue", "declare", "echo", "enable",
	"eval", "exec", "exit", "export", "false", "local", "printf", "pushd",
	"read", "readonly", "return", "set", "shift", "source", "test",
	"times", "trap", "true", "type", "typeset", "umask", "unalias",
	"unset" };

enum capture_keep
turn_keep_of(const char *word)
{
	if (strcmp(word, "variables") == 0)
		return CAPTURE_KEEP_VARIABLES;
	if (strcmp(word, "full") == 0)
		return CAPTURE_KEEP_FUNCTIONS;
	return CAPTURE_KEEP_EXPORTS;
}

static bool
may_carry(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(never); i++)
		if (strcmp(name, never[i]) == 0)
			return false;
	return true;
}

/*
 * One definition, printed anew by us: the text of a command that defines the
 * function and does nothing besides.  False where it is something else.
 */
static bool
put_function(const char *text, size_t len, struct buf *out)
{
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct syn_diag diag;
	size_t i;
	bool good;

	if (syn_parse(text, len, NULL, &tree, &diag) != SYN_TREE)
		return false;
	facts = syn_facts_new(tree, NULL);
	good = facts->n_functions >= 1 && may_carry(facts->functions[0].name);
	for (i = 0; i < facts->n_commands && good; i++)
		good = (facts->commands[i].context & SYN_IN_FUNCTION) != 0;
	if (good) {
		syn_print(tree, out);
		buf_putc(out, '\n');
	}
	syn_facts_free(facts);
	syn_free(tree);
	return good;
}

/* declare -f prints "NAME () \n{ \n … \n}\n" for each. */
static size_t
one_function(const char *text)
{
	const char *end = strstr(text, "\n}\n");

	return end != NULL ? (size_t)(end + 3 - text) : strlen(text);
}

void
turn_take_functions(struct turn *t, struct turn_result *ret)
{
	const char *p = state_functions(t->opts.state);
	struct buf out = BUF_INIT_MAX(CARRY_MAX);
	bool lost = false;
	size_t len, at;

	for (; *p != '\0'; p += len) {
		len = one_function(p);
		at = out.len;
		if (!put_function(p, len, &out) || buf_overflow(&out)) {
			out.len = at;
			lost = true;
		}
		if (buf_overflow(&out))
			break;
	}
	free(t->functions);
	t->functions = out.len > 0 ? xmemdup0(out.data, out.len) : NULL;
	buf_done(&out);
	if (lost && ret->note[0] == '\0')
		snprintf(ret->note, sizeof ret->note, "a function was not "
		    "kept: its name is one that bash needs, or all of them "
		    "are too long");
}

void
turn_put_carried(const struct turn *t, struct buf *out)
{
	const struct strv *plain = state_plain(t->opts.state);
	size_t i;

	if (t->keep == CAPTURE_KEEP_EXPORTS || !t->opts.session)
		return;
	for (i = 0; i < plain->n; i++)
		buf_putf(out, "%s\n", plain->v[i]);
	if (t->functions != NULL)
		buf_puts(out, t->functions);
}

/* ---- the line by itself ------------------------------------------------- */

/* Only what is exported is known without what stands in front. */
static enum syn_var
exported(void *ctx, const char *name, const char **ret_value)
{
	const struct turn *t = ctx;
	const char *value = state_get(t->opts.state, name);

	if (value == NULL)
		return SYN_VAR_UNKNOWN;
	*ret_value = value;
	return SYN_VAR_SET;
}

void
turn_find_own(struct turn *t, struct turn_judged *j)
{
	const struct syn_vars vars = { exported, t };
	const struct syn_options whole = { .at_end = true };
	struct syn_diag diag;

	j->own = j->facts;
	if (j->prefix == 0)
		return;
	if (syn_parse(j->line.bytes + j->prefix, j->line.len - j->prefix,
	    &whole, &j->own_tree, &diag) == SYN_TREE)
		j->own = j->own_facts = syn_facts_new(j->own_tree, &vars);
}
