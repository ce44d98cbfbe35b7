/* SPDX-License-Identifier: ISC */
/* Sets of names: what a line assigns, what it writes. */
#include "policy_view_int.h"

#include <string.h>

static struct view_name *
slot(const struct view_names *set, const char *text, size_t len)
{
	size_t i, at = 5381;

	for (i = 0; i < len; i++)
		at = at * 33 + (unsigned char)text[i];
	for (at &= set->cap - 1; set->slots[at].text != NULL;
	    at = (at + 1) & (set->cap - 1))
		if (set->slots[at].len == len &&
		    memcmp(set->slots[at].text, text, len) == 0)
			break;
	return &set->slots[at];
}

bool
view_names_have(const struct view_names *set, const char *text, size_t len)
{
	return set->n > 0 && slot(set, text, len)->text != NULL;
}

/* The text is kept, not copied. */
void
view_names_add(struct arena *arena, struct view_names *set, const char *text,
	size_t len)
{
	struct view_names old = *set;
	struct view_name *at;
	size_t i;

	if (set->n * 2 >= set->cap) {
		set->cap = set->cap == 0 ? 16 : set->cap * 2;
		set->slots = arena_alloc(arena, set->cap * sizeof *set->slots);
		for (i = 0; i < old.cap; i++)
			if (old.slots[i].text != NULL)
				*slot(set, old.slots[i].text,
				    old.slots[i].len) = old.slots[i];
	}
	at = slot(set, text, len);
	if (at->text == NULL)
		set->n++;
	*at = (struct view_name){ text, len };
}
