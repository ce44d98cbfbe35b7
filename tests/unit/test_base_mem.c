/* SPDX-License-Identifier: ISC */
#include "aegsh/base/mem.h"
#include "tap.h"

#include <stdint.h>

int
main(void)
{
	struct arena *a = arena_new();
	char *big, *s;
	int *v, *w;
	bool aligned = true, zero = true;
	size_t i;

	for (i = 1; i < 2000; i++) {
		unsigned char *p = arena_alloc(a, i % 37 + 1);

		aligned &= (uintptr_t)p % _Alignof(max_align_t) == 0;
		zero &= p[0] == 0 && p[i % 37] == 0;
		memset(p, 0xff, i % 37 + 1);
	}
	OK(aligned);
	OK(zero);
	big = arena_alloc(a, 1000000);
	big[999999] = 1;
	s = arena_memdup0(a, "x\0y", 3);
	OK(memcmp(s, "x\0y", 4) == 0);
	v = arena_grow(a, NULL, 0, 2, sizeof *v);
	v[0] = 1;
	v[1] = 2;
	w = arena_grow(a, v, 2, 4, sizeof *v);
	OK(w[1] == 2 && w[3] == 0);
	OK(arena_used(a) > 1000000);
	arena_free(a);
	arena_free(NULL);
	{
		char *p AEG_AUTOFREE = xasprintf("%d", 5);
		char *q = AEG_STEAL(p);

		OK(p == NULL);
		IS_STR(q, "5");
		free(q);
	}
	return tap_done();
}
