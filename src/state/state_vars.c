/* SPDX-License-Identifier: ISC */
/*
 * The variables: one sorted array of "NAME=value" strings, which is what
 * execve(2) and the eye want to have.  A session has some dozens; inserting
 * by memmove is cheaper than any cleverer table at that size.
 */
#include "state/state_int.h"

#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

void
vars_done(struct vars *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	memset(t, 0, sizeof(*t));
}

/* As strcmp() of the names alone; entry is "NAME=value". */
static int
name_cmp(const char *name, size_t len, const char *entry)
{
	const size_t entry_len = (size_t)(strchr(entry, '=') - entry);
	int r = memcmp(name, entry, len < entry_len ? len : entry_len);

	if (r != 0 || len == entry_len)
		return r;
	return len < entry_len ? -1 : 1;
}

/* Where name is (*ret_found), or would stand. */
static size_t
place_of(const struct vars *t, const char *name, size_t len, bool *ret_found)
{
	size_t low = 0, high = t->n;

	/* An import comes in order: most often the place is the end. */
	if (t->n > 0 && name_cmp(name, len, t->v[t->n - 1]) > 0)
		low = high;
	*ret_found = false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int r = name_cmp(name, len, t->v[mid]);

		if (r == 0) {
			*ret_found = true;
			return mid;
		}
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const char *
vars_get(const struct vars *t, const char *name)
{
	const size_t len = strlen(name);
	bool found;
	size_t i = place_of(t, name, len, &found);

	return found ? t->v[i] + len + 1 : NULL;
}

void
vars_set(struct vars *t, const char *name, const char *value)
{
	const size_t len = strlen(name);
	char *entry = xasprintf("%s=%s", name, value);
	bool found;
	size_t i = place_of(t, name, len, &found);

	if (found) {
		t->bytes -= strlen(t->v[i]) + 1;
		free(t->v[i]);
	} else {
		if (t->n == t->cap) {
			t->cap = t->cap > 0 ? 2 * t->cap : 64;
			t->v = xreallocarray(t->v, t->cap, sizeof(*t->v));
		}
		memmove(t->v + i + 1, t->v + i, (t->n - i) * sizeof(*t->v));
		t->n++;
	}
	t->v[i] = entry;
	t->bytes += strlen(entry) + 1;
}

void
vars_unset(struct vars *t, const char *name)
{
	bool found;
	size_t i = place_of(t, name, strlen(name), &found);

	if (!found)
		return;
	t->bytes -= strlen(t->v[i]) + 1;
	free(t->v[i]);
	t->n--;
	memmove(t->v + i, t->v + i + 1, (t->n - i) * sizeof(*t->v));
}
