/* SPDX-License-Identifier: ISC */
/*
 * What nobody knows was run, or evaluated: from there on no variable is what
 * it was, nor is a function where code was run.
 *
 * A loop comes back to what stands in front of it.  The body of a function,
 * a trap and a prompt run at another time than where they stand: they see
 * what comes anywhere in the unit.
 */
#include "facts_int.h"

/* What is walked runs later than it is read. */
bool
syn_env_in_body(const struct syn_walk *w)
{
	return w->env.later || w->env.function_stamp > 0;
}

bool
syn_env_is_hostile(const struct syn_walk *w)
{
	const struct syn_env *env = &w->env;

	return env->hostile || (env->loops > 0 && env->hostile_somewhere) ||
	    (env->hostile_anywhere && syn_env_in_body(w));
}

bool
syn_env_ran_code(const struct syn_walk *w)
{
	const struct syn_env *env = &w->env;

	return env->ran_code || (env->loops > 0 && env->ran_code_somewhere) ||
	    (env->ran_code_anywhere && syn_env_in_body(w));
}

/* Any variable may have been given a number; code: or anything was done. */
static void
doubt_all(struct syn_walk *w, bool code)
{
	struct syn_env *env = &w->env;

	if (w->first)
		return;
	env->hostile = true;
	env->ran_code |= code;
	if (w->idle)
		return;
	w->again |= w->bodies && (!env->hostile_anywhere ||
	    (code && !env->ran_code_anywhere));
	env->hostile_anywhere = true;
	env->ran_code_anywhere |= code;
	if (env->loops == 0)
		return;
	w->again |= !env->hostile_somewhere ||
	    (code && !env->ran_code_somewhere);
	env->hostile_somewhere = true;
	env->ran_code_somewhere |= code;
}

void
syn_env_hostile(struct syn_walk *w)
{
	doubt_all(w, true);
}

void
syn_env_evaluated(struct syn_walk *w)
{
	doubt_all(w, false);
}
