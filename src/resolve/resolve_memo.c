/* SPDX-License-Identifier: ISC */
/*
 * What was found behind the name of a program that only root can change: its
 * real path, that this process may run it and that it is no script.  The
 * search itself and the look at the file are made for every command; what is
 * saved is asking for its permissions, walking its links and reading its
 * first line again.
 *
 * A remembered answer holds while the name leads to the same file (device,
 * inode, time of change, one name only).  Where others than root can write
 * the file, or a directory of its real path, nothing is remembered: they
 * could put something else there without any of these telling.
 */
#include "resolve_path_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define ROWS 64			/* a power of two */
#define WAYS 4			/* programs of one row */
#define SETTLED_NS 2000000000	/* coarser than any clock of a file system */

struct slot {
	char *name, *real;	/* owned; NULL: nothing is there */
	dev_t dev;
	ino_t ino;
	struct timespec changed;
};

static struct row {
	struct slot slots[WAYS];
	unsigned next;		/* that gives way to another program */
} rows[ROWS];

static struct row *
row_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return &rows[(h ^ h >> 16) % ROWS];
}

static struct slot *
slot_of(struct row *row, const char *name)
{
	size_t i;

	for (i = 0; i < WAYS; i++)
		if (row->slots[i].name != NULL &&
		    strcmp(row->slots[i].name, name) == 0)
			return &row->slots[i];
	return NULL;
}

static bool
is_roots(const struct stat *st)
{
	return st->st_uid == 0 && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* A change in the same tick of the clock would leave the time as it is. */
static bool
has_settled(const struct stat *st)
{
	int64_t at = (int64_t)st->st_ctim.tv_sec * 1000000000 +
	    st->st_ctim.tv_nsec;

	return at < clock_wall_ns() - SETTLED_NS;
}

static bool
lies_in_roots(const char *real)
{
	char dir[PATH_MAX];
	struct stat st;
	size_t i, len = strlen(real);

	if (real[0] != '/' || len >= sizeof dir)
		return false;
	memcpy(dir, real, len + 1);
	for (i = len; i-- > 0;) {
		if (dir[i] != '/')
			continue;
		dir[i == 0 ? 1 : i] = '\0';
		if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode) ||
		    !is_roots(&st))
			return false;
	}
	return true;
}

const char *
resolve_memo_get(const char *name, const struct stat *st)
{
	const struct slot *s = slot_of(row_of(name), name);

	if (s == NULL || s->ino != st->st_ino || s->dev != st->st_dev ||
	    s->changed.tv_sec != st->st_ctim.tv_sec ||
	    s->changed.tv_nsec != st->st_ctim.tv_nsec ||
	    !is_roots(st) || st->st_nlink != 1)
		return NULL;
	return s->real;
}

void
resolve_memo_put(const char *name, const struct stat *st, const char *real)
{
	struct row *row = row_of(name);
	struct slot *s = slot_of(row, name);

	if (!is_roots(st) || st->st_nlink != 1 || !has_settled(st) ||
	    !lies_in_roots(real))
		return;
	if (s == NULL)
		s = &row->slots[row->next++ % WAYS];
	free(s->name);
	free(s->real);
	*s = (struct slot){ .name = xstrdup(name), .real = xstrdup(real),
		.dev = st->st_dev, .ino = st->st_ino,
		.changed = st->st_ctim };
}
