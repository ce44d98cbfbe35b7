/* SPDX-License-Identifier: ISC */
/*
 * What lines would run, for tests that compare it with what bash runs.
 * Units come on standard input, each ended by a NUL byte; variables, PATH
 * and working directory are this process's.  Every field of the answer is
 * ended by a NUL byte, too:
 *
 *	"unit" ANSWER INCOMPLETE
 *	"item" KIND PATH MORE           one for each command, with its words:
 *	"word" MAY_SPLIT
 *	"part" KNOWN TEXT               one for each part of a word
 *	"end"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/text.h"
#include "aegsh/resolve.h"

static struct state *state;

static void
put(const char *s)
{
	fwrite(s, 1, strlen(s) + 1, stdout);
}

static void
put_flag(bool flag)
{
	put(flag ? "1" : "0");
}

static enum syn_var
variable(void *ctx, const char *name, const char **ret_value)
{
	*ret_value = state_get(ctx, name);
	return *ret_value != NULL ? SYN_VAR_SET : SYN_VAR_UNSET;
}

static void
put_item(const struct resolved *r)
{
	static const char *const kinds[] = {
		[RESOLVE_UNKNOWN] = "unknown",
		[RESOLVE_BUILTIN] = "builtin",
		[RESOLVE_FUNCTION] = "function",
		[RESOLVE_FILE] = "file",
		[RESOLVE_NOT_FOUND] = "not-found",
		[RESOLVE_NONE] = "none",
	};
	size_t i, j;

	put("item");
	put(kinds[r->kind]);
	put(r->path != NULL ? r->path : "");
	put_flag(r->more_args_unknown);
	for (i = 0; i < r->argc; i++) {
		put("word");
		put_flag(r->argv[i].may_split);
		for (j = 0; j < r->argv[i].n_parts; j++) {
			put("part");
			put_flag(r->argv[i].parts[j].known);
			put(r->argv[i].parts[j].text);
		}
	}
}

static void
answer(const char *unit)
{
	static const struct syn_options whole = { .at_end = true };
	struct syn_vars vars = { .get = variable, .ctx = state,
		.tilde = resolve_home, .homes = state };
	struct syn_tree *tree = NULL;
	struct syn_facts *facts;
	struct resolve_set *set = NULL;
	struct syn_diag diag;
	size_t i;

	put("unit");
	if (syn_parse(unit, strlen(unit), &whole, &tree, &diag) != SYN_TREE) {
		put("none");
		put_flag(true);
		put("end");
		return;
	}
	facts = syn_facts_new(tree, &vars);
	if (resolve_facts(facts, state, &set) < 0)
		exit(2);
	put("tree");
	put_flag(set->incomplete);
	for (i = 0; i < set->n; i++)
		put_item(&set->items[i]);
	put("end");
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
}

int
main(void)
{
	struct buf in = BUF_INIT_MAX((size_t)64 * 1024 * 1024);
	const char *unit, *end;

	if (io_read_all(STDIN_FILENO, &in) != 0)
		return 2;
	state = state_new(environ);
	for (unit = in.data; unit != NULL && unit < in.data + in.len;
	    unit = end + 1) {
		end = memchr(unit, '\0', (size_t)(in.data + in.len - unit));
		if (end == NULL)
			break;
		answer(unit);
	}
	state_free(state);
	buf_done(&in);
	return fflush(stdout) == 0 ? 0 : 2;
}
