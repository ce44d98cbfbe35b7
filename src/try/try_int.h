/* SPDX-License-Identifier: ISC */
/* What the files of the room share. */
#ifndef TRY_INT_H
#define TRY_INT_H

#include "aegsh/try.h"

#include <sys/stat.h>

#define TRY_POINTS_MAX 400	/* layers of one try */
#define TRY_PLACES_MAX 8000	/* places that are looked at for them */
#define TRY_DEPTH_MAX 200	/* directories below each other */

enum try_place {
	TRY_LAYER = 0,		/* a directory with a layer over it */
	TRY_HOLLOW,		/* one that only leads to others */
	TRY_POINTER,		/* a symbolic link */
	TRY_VIEW,		/* a file, to be read only */
	TRY_ABSENT,		/* an empty directory in its place */
};

/* A place in the tree that the line sees, parents before what they hold. */
struct try_point {
	enum try_place what;
	char *path;		/* canonical */
	char *target;		/* of a link */
	mode_t mode;
	bool lost;		/* no layer could be put there */
};

/* What a file was when it was looked at; all zeros: nothing is there. */
struct try_stamp {
	dev_t dev;
	ino_t ino;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	int64_t size;
	struct timespec mtime, ctime;
	nlink_t links;
};

struct try_entry {		/* beside the change of the same number */
	size_t point;
	char *rel;		/* below the point */
	struct try_stamp was;	/* below the layer */
	struct try_stamp is;	/* in it */
	bool in_new;		/* its directory is one of the try's own */
	char *same_as;		/* absolute name of the file that this is
				 * another name of, or NULL */
};

struct try {
	struct try_opts opts;
	struct timespec began;
	struct try_point *points;
	size_t n_points, n_layers;
	struct strv unseen;
	bool *over;		/* it wrote too much; the keeper's, too */
	int upper;		/* the directory of what was changed, or -1 */
	struct try_change *changes;
	struct try_entry *entries;
	size_t n, room;
};

/* ---- try_plan.c --------------------------------------------------------- */

int try_plan(struct try *t, struct err *err);
/* "u12", "w12": what a layer writes to, and its workshop. */
void try_layer_name(char ret[24], char kind, size_t point);

/* ---- try_mount.c: in the new namespaces --------------------------------- */

/* From the view of outside to the one that was planned.  *ret_upper: the
 * directory of the layers. */
int try_mount(struct try *t, int *ret_upper, struct err *err);

/* ---- try_scan.c --------------------------------------------------------- */

/* dir may be AT_FDCWD.  0; -errno, but nothing there is all zeros. */
int try_stamp_at(int dir, const char *name, struct try_stamp *ret);
enum try_type try_stamp_type(const struct try_stamp *s);
bool try_stamp_equal(const struct try_stamp *a, const struct try_stamp *b);
/* Open what the change is of, in the layer; -errno. */
int try_open_upper(const struct try *t, size_t i, int flags);

/* ---- try_attr.c: extended attributes ------------------------------------ */

/* But for those of the layers, and for labels that a file has by its place. */
bool try_same_attrs(int a, int b);
/* to gets all that from has, and keeps no other.  0; -errno. */
int try_copy_attrs(int from, int to);

/* ---- try_commit.c ------------------------------------------------------- */

/* The directory that holds the change, outside, by no link; -errno.
 * *ret_name: the last part of its path. */
int try_open_parent(const struct try *t, size_t i, const char **ret_name);
void try_refuse(struct try *t, size_t i, const char *why);

/* ---- try_relay.c --------------------------------------------------------- */

int try_share(struct try *t, struct err *err);
void try_unshare(struct try *t);
/* To the end of both; first: process 1, which ends all with it. */
void try_relay(struct try *t, int *out, int *err, pid_t first);

#endif
