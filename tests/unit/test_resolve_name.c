/* SPDX-License-Identifier: ISC */
/* What is open about a line: which file a known name leads to, or more. */
#include "aegsh/resolve.h"
#include "tap.h"

#include <string.h>

#include "aegsh/base/mem.h"

/* "+" where nothing is open but by which PATH a name is found, "-" where
 * more is, or nothing. */
static const char *const rows[] = {
	"+if a; then PATH=/x; fi; ls",
	"+PATH=$RANDOM; f() { :; }; f; ls",
	"+PATH=$RANDOM ls",
	"+PATH=$RANDOM; if [ x ]; then ls; fi",
	"-ls",
	"+PATH=/x; ls",
	"-PATH=$RANDOM; [ x ]",
	"-PATH=$RANDOM; ls; $RANDOM",
	"-PATH=$RANDOM; hash -p /x ls; ls",
	"-PATH=$RANDOM; enable -n test; test x",
	"-PATH=$RANDOM; eval \"$RANDOM\"; ls",
	"-env \"PATH=$RANDOM\" ls",
	"-cd $RANDOM; ./ls",
};

int
main(void)
{
	static char path[] = "PATH=/usr/bin:/bin";
	char *envp[] = { path, NULL };
	struct state *state = state_new(envp);
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		const char *line = rows[i] + 1;
		struct resolve_set *set = NULL;
		struct syn_tree *tree = NULL;
		struct syn_facts *facts;
		struct syn_diag diag;

		syn_parse(line, strlen(line), NULL, &tree, &diag);
		facts = syn_facts_new(tree, NULL);
		resolve_facts(facts, state, &set);
		OKF(set->only_mild == (rows[i][0] == '+') &&
		    set->incomplete >= set->only_mild, "%s", rows[i]);
		resolve_free(set);
		syn_facts_free(facts);
		syn_free(tree);
	}
	state_free(state);
	return tap_done();
}
