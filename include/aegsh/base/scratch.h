/* SPDX-License-Identifier: ISC */
/*
 * Directories PREFIXxxxxxx of this user alone, for files that must have a name
 * and that nobody should find later.  Each is locked for as long as who made
 * it lives, by which those are known that were left behind.
 */
#ifndef AEGSH_BASE_SCRATCH_H
#define AEGSH_BASE_SCRATCH_H

#include <dirent.h>

/* A new one in dir: its descriptor, close-on-exec, which has the lock; or
 * -errno.  ret_path: owned. */
int scratch_make(const char *dir, const char *prefix, char **ret_path);
/* All files in it go, an editor's backups and the like, too; a directory,
 * which is none of ours, stays. */
void scratch_empty(int fd);

/* It goes, with the files in it; path: as it was made with, or its name in
 * parent. */
void scratch_remove(int fd, int parent, const char *path);
/* So do those in dir that were left behind. */
void scratch_sweep(const char *dir, const char *prefix);

/* fn is given each in dir that was left behind, locked: its name there, and
 * its descriptor until fn returns. */
void scratch_each_left(const char *dir, const char *prefix,
	void (*fn)(void *ctx, int parent, const char *name, int fd),
	void *ctx);

/* What is in a directory, or NULL; closedir(3). */
DIR *scratch_list(int dir);
/* The next of its names but "." and "..", or NULL. */
const char *scratch_next(DIR *d);

#endif
