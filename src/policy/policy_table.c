/* SPDX-License-Identifier: ISC */
/* Growing tables of the compiler: strings kept once, lists, records. */
#include "policy_compile_int.h"

#include <string.h>

static uint32_t
hash_string(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static void
rehash(struct pol_strings *t)
{
	size_t old = t->cap, i, slot;
	uint32_t *slots = t->slots;

	t->cap = old == 0 ? 1024 : old * 2;
	t->slots = xcalloc(t->cap, sizeof *t->slots);
	for (i = 0; i < old; i++) {
		if (slots[i] == 0)
			continue;
		slot = hash_string(t->bytes.data + slots[i] - 1) % t->cap;
		while (t->slots[slot] != 0)
			slot = (slot + 1) % t->cap;
		t->slots[slot] = slots[i];
	}
	free(slots);
}

uint32_t
pol_strings_add(struct pol_strings *t, const char *s)
{
	size_t slot;

	if (s == NULL)
		return POL_NONE;
	if (t->n * 2 >= t->cap)
		rehash(t);
	slot = hash_string(s) % t->cap;
	while (t->slots[slot] != 0) {
		if (strcmp(t->bytes.data + t->slots[slot] - 1, s) == 0)
			return t->slots[slot] - 1;
		slot = (slot + 1) % t->cap;
	}
	t->slots[slot] = (uint32_t)t->bytes.len + 1;
	t->n++;
	buf_put(&t->bytes, s, strlen(s) + 1);
	return t->slots[slot] - 1;
}

void
pol_strings_done(struct pol_strings *t)
{
	buf_done(&t->bytes);
	free(t->slots);
}

uint32_t
pol_lists_add(struct buf *lists, const uint32_t *v, size_t n)
{
	uint32_t start = (uint32_t)(lists->len / sizeof *v);

	if (n > 0)
		buf_put(lists, v, n * sizeof *v);
	return start;
}
