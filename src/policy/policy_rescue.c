/* SPDX-License-Identifier: ISC */
/*
 * The policy for when there is none: rule files that cannot be read, or
 * that contradict themselves, must not lock anybody out.  Built into the
 * program, on top of the floor and of nothing else.
 */
#include "policy_int.h"

#include <string.h>

/* The operator is asked about every line, and may then also mend what the
 * floor keeps from all others.  A user may look around and leave. */
static const char rescue_text[] =
"rule \"rescue.leave\" {\n"
"	decision = allow\n"
"	reason = \"it changes nothing, or leaves the shell\"\n"
"	command = { cd, pwd, pushd, popd, dirs, echo, true, false, ':',\n"
"		exit, logout, help, jobs, fg, bg, history }\n"
"	example = { 'exit', 'cd /etc' }\n"
"	counterexample = { 'ls' }\n"
"}\n"
"profile \"rescue\" {\n"
"	sandbox = \"rescue\"\n"
"	rank = 1000\n"
"	unknown = warn\n"
"	override = { floor.aegsh-files }\n"
"}\n"
"profile \"rescue-user\" {\n"
"	sandbox = \"rescue-user\"\n"
"	rank = 1000\n"
"	unknown = block\n"
"}\n";

int
policy_load_rescue(bool operator, struct policy **ret, struct err *err)
{
	struct pol_sources sources = POL_SOURCES_INIT;
	char *blob = NULL;
	size_t size = 0;
	int rc;

	pol_sources_add_text(&sources, POL_FLOOR, "(built in)",
	    pol_floor_text, strlen(pol_floor_text));
	pol_sources_add_text(&sources, POL_FLOOR, "(built in: rescue)",
	    rescue_text, sizeof rescue_text - 1);
	pol_sources_hash(&sources);
	rc = pol_compile(&sources, &blob, &size, err);
	pol_sources_done(&sources);
	if (rc < 0) {
		free(blob);
		return rc;
	}
	return pol_open(blob, size, operator ? "rescue" : "rescue-user", ret,
	    err);
}
