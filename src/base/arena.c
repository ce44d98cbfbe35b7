/* SPDX-License-Identifier: ISC */
/* The arena: a list of blocks that grow geometrically, freed together. */
#include "aegsh/base/mem.h"

#include <stdint.h>
#include <string.h>

#define ARENA_FIRST 4096
#define ARENA_BLOCK_MAX (256 * 1024)
#define ARENA_ALIGN _Alignof(max_align_t)

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	_Alignas(max_align_t) unsigned char bytes[];
};

struct arena {
	struct arena_block *head;
	size_t used, next_size;
};

struct arena *
arena_new(void)
{
	struct arena *a = xcalloc(1, sizeof *a);

	a->next_size = ARENA_FIRST;
	return a;
}

void
arena_free(struct arena *a)
{
	struct arena_block *b, *next;

	if (a == NULL)
		return;
	for (b = a->head; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

static void
arena_add_block(struct arena *a, size_t need)
{
	size_t size = a->next_size > need ? a->next_size : need;
	struct arena_block *b = xmalloc(sizeof *b + size);

	b->next = a->head;
	b->size = size;
	b->used = 0;
	a->head = b;
	if (a->next_size < ARENA_BLOCK_MAX)
		a->next_size *= 2;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->head;
	void *p;

	size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (b == NULL || b->size - b->used < size) {
		arena_add_block(a, size);
		b = a->head;
	}
	p = b->bytes + b->used;
	b->used += size;
	a->used += size;
	return memset(p, 0, size);
}

char *
arena_memdup0(struct arena *a, const void *p, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (len > 0)
		memcpy(copy, p, len);
	return copy;
}

char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	AEG_AUTOFREE char *text = xvasprintf(fmt, ap);

	return arena_memdup0(a, text, strlen(text));
}

void *
arena_grow(struct arena *a, const void *old, size_t old_n, size_t new_n,
    size_t size)
{
	void *p = arena_alloc(a, new_n * size);

	if (old_n > 0)
		memcpy(p, old, old_n * size);
	return p;
}

size_t
arena_used(const struct arena *a)
{
	return a->used;
}
