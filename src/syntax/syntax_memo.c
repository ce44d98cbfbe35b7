/* SPDX-License-Identifier: ISC */
/* What was read at a place already: an open hash table in the arena. */
#include "syntax_int.h"

#define FIRST_SIZE 16

struct memo_slot {
	const char *at;
	struct syn_piece *piece;
};

struct syn_memo {
	struct arena *arena;
	struct memo_slot *slots;
	size_t size, used;
};

struct syn_memo *
syn_memo_new(struct arena *arena)
{
	struct syn_memo *memo = arena_alloc(arena, sizeof *memo);

	memo->arena = arena;
	return memo;
}

static struct memo_slot *
find(struct memo_slot *slots, size_t size, const char *at)
{
	size_t i = ((uintptr_t)at * 0x9e3779b97f4a7c15u) >> 20;

	for (i &= size - 1; slots[i].at != NULL; i = (i + 1) & (size - 1))
		if (slots[i].at == at)
			break;
	return &slots[i];
}

struct syn_piece *
syn_memo_get(struct syn_memo *memo, const char *at)
{
	if (memo->size == 0)
		return NULL;
	return find(memo->slots, memo->size, at)->piece;
}

void
syn_memo_put(struct syn_memo *memo, const char *at, struct syn_piece *piece)
{
	struct memo_slot *slot;
	size_t i;

	if (memo->used * 2 >= memo->size) {
		size_t size = memo->size > 0 ? memo->size * 2 : FIRST_SIZE;
		struct memo_slot *slots =
		    arena_alloc(memo->arena, size * sizeof *slots);

		for (i = 0; i < memo->size; i++)
			if (memo->slots[i].at != NULL)
				*find(slots, size, memo->slots[i].at) =
				    memo->slots[i];
		memo->slots = slots;
		memo->size = size;
	}
	slot = find(memo->slots, memo->size, at);
	if (slot->at == NULL)
		memo->used++;
	slot->at = at;
	slot->piece = piece;
}
