/* SPDX-License-Identifier: ISC */
/* The directory in which copies are edited, and what becomes of it. */
#ifndef ELEVATE_PLACE_H
#define ELEVATE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "aegsh/base/buf.h"

struct elevate_place {
	char *path;			/* owned */
	int fd;				/* -1: there is none */
	struct buf list;		/* of what was added */
};
#define ELEVATE_PLACE_INIT { NULL, -1, BUF_INIT }

/* Below $TMPDIR or /tmp, locked.  0 or -errno. */
int elevate_place_make(struct elevate_place *p);
/* A file of that plain name in it.  0 or -errno. */
int elevate_place_add(struct elevate_place *p, const char *name,
	const void *bytes, size_t len);
/* All are added and the editor begins.  0 or -errno. */
int elevate_place_begin(struct elevate_place *p);
/* No file is there but those that were added. */
bool elevate_place_is_bare(const struct elevate_place *p);
/* It goes, with all files in it; with a directory in it, it is kept, and that
 * told by the caller's name. */
void elevate_place_drop(struct elevate_place *p, const char *caller);
/* For the person, at p->path by then, where no edit takes it for its own. */
void elevate_place_keep(struct elevate_place *p);
void elevate_place_done(struct elevate_place *p);

/* What was left behind by others of this user that live no more; caller: the
 * name by which that which is kept is told. */
void elevate_place_sweep(const char *caller);

#endif
