/* SPDX-License-Identifier: ISC */
/*
 * Images that were judged: all that somebody still runs, so that none is
 * judged, and told of, twice.  Those of the dead go when there are many, and
 * not in the middle of a question, since all of /proc is read for that.
 */
#include "supervise_int.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define FIRST_SIZE ((size_t)64)		/* places; a power of 2 */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)	/* Knuth: the golden ratio */

/* Where it is, or the free place where it would be. */
static struct sup_mark *
place_of(const struct sup_judged *t, const struct sup_mark *m)
{
	uint64_t half[2];
	size_t at;

	memcpy(half, m->random, sizeof half);
	at = (size_t)(((half[0] ^ m->file) * SPREAD + half[1]) * SPREAD >> 32);
	for (;; at++) {
		struct sup_mark *p = &t->v[at & (t->size - 1)];

		if (p->file == 0 || (p->file == m->file &&
		    memcmp(p->random, m->random, sizeof p->random) == 0))
			return p;
	}
}

static void
grow(struct sup_judged *t)
{
	struct sup_judged more = { .n = t->n,
		.size = t->size > 0 ? 2 * t->size : FIRST_SIZE };
	size_t i;

	more.v = xcalloc(more.size, sizeof *more.v);
	for (i = 0; i < t->size; i++)
		if (t->v[i].file != 0)
			*place_of(&more, &t->v[i]) = t->v[i];
	free(t->v);
	t->v = more.v;
	t->size = more.size;
}

void
sup_judged_add(struct sup_judged *t, const struct sup_mark *m)
{
	struct sup_mark *p;

	if (2 * t->n >= t->size)
		grow(t);
	p = place_of(t, m);
	t->n += p->file == 0;
	*p = *m;
}

bool
sup_judged_has(const struct sup_judged *t, const struct sup_mark *m)
{
	return t->n > 0 && place_of(t, m)->file != 0;
}

/* What that process runs, if it may be of the line. */
static void
keep(struct sup_judged *left, const struct sup_judged *t, pid_t pid,
    uint64_t since, struct sup_image *m)
{
	const struct sup_stat stat = sup_proc_stat(pid);

	if (stat.start < since || stat.stack == 0)
		return;
	if (sup_proc_image(pid, stat, m) == 0 && sup_judged_has(t, &m->mark))
		sup_judged_add(left, &m->mark);
	sup_image_done(m);
}

void
sup_judged_tidy(struct sup_judged *t, uint64_t since)
{
	struct sup_judged left = { .n = 0 };
	AEG_AUTOFREE struct sup_image *m = NULL;
	struct dirent *e;
	int64_t pid;
	DIR *d;

	if (t->n < SUP_JUDGED_MANY || t->n < 2 * t->left)
		return;
	d = opendir("/proc");
	m = xmalloc(sizeof *m);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (text_to_i64(e->d_name, 1, INT32_MAX, &pid) == 0)
			keep(&left, t, (pid_t)pid, since, m);
	if (d != NULL)
		closedir(d);
	left.left = left.n;
	left.lossy = true;
	sup_judged_done(t);
	*t = left;
}

void
sup_judged_done(struct sup_judged *t)
{
	free(t->v);
	*t = (struct sup_judged){ .n = 0 };
}
