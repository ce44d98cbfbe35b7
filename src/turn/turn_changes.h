/* SPDX-License-Identifier: ISC */
/* Which files a line changed, on record (turn_changes.c). */
#ifndef TURN_CHANGES_H
#define TURN_CHANGES_H

#include "turn/turn_elevate.h"
#include "turn/turn_int.h"

#define TURN_HASH_LEN 32
#define TURN_EDITED_MAX 16	/* files of one edit, … */
#define TURN_EDITED_BYTES ((uint64_t)4 * 1024 * 1024)	/* … that are hashed */

/* What a commit is about to change, with the hashes of what is there; then,
 * once it is over, what of it was done: rows of the line with that number and
 * uuid. */
struct turn_changes;
struct turn_changes *turn_changes_new(const struct turn *t,
	const struct try *try);
void turn_changes_record(struct turn *t, struct turn_changes *c,
	const struct try *try, int64_t id, const char *uuid);
void turn_changes_free(struct turn_changes *c);

/* The files that a call of sudoedit or its like names, as far as the user may
 * look at them; then, once it is over, those that are others.  NULL: it edits
 * nothing; the others take that, too. */
struct turn_edited;
struct turn_edited *turn_edited_new(const struct turn *t,
	const struct elevate_call *c, const struct strv *argv,
	const char *cwd);
void turn_edited_record(struct turn *t, struct turn_edited *e, int64_t id,
	const char *uuid);
void turn_edited_free(struct turn_edited *e);

#endif
