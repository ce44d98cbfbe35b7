/* SPDX-License-Identifier: ISC */
/* Numbers at random that are the same in each run (xorshift). */
#ifndef TESTS_PICK_H
#define TESTS_PICK_H

#include <stddef.h>
#include <stdint.h>

static uint64_t pick_seed = 88172645463325252;

static inline unsigned
pick(unsigned n)
{
	pick_seed ^= pick_seed << 13;
	pick_seed ^= pick_seed >> 7;
	pick_seed ^= pick_seed << 17;
	return (unsigned)(pick_seed % n);
}

/* n letters and digits, and a NUL. */
static inline void
pick_text(char *ret, size_t n)
{
	static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR"
	    "STUVWXYZ0123456789";

	for (ret[n] = '\0'; n > 0; n--)
		ret[n - 1] = all[pick(sizeof all - 1)];
}

#endif
