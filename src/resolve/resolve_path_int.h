/* SPDX-License-Identifier: ISC */
/* The `#!` chain, for resolve.c and its test. */
#ifndef RESOLVE_PATH_INT_H
#define RESOLVE_PATH_INT_H

#include <stdbool.h>

#include "aegsh/state.h"

/* Owned path of the last interpreter in the chain, or NULL when the file
 * is no script.  *ret_incomplete becomes true where the chain is too long,
 * goes round in a circle, or can't be followed. */
char *resolve_interpreter(const char *path, const struct state *state,
	bool *ret_incomplete);

#endif
