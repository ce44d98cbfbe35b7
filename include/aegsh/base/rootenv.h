/* SPDX-License-Identifier: ISC */
/*
 * What a command gets that runs as another user, above all as root: programs
 * of fixed places, and of the caller's environment only what names a terminal
 * or a locale and no file.
 */
#ifndef AEGSH_BASE_ROOTENV_H
#define AEGSH_BASE_ROOTENV_H

#include <stdbool.h>
#include <sys/stat.h>

#include "aegsh/base/buf.h"

/* Where sudo and its like, and what they start, are looked for. */
#define ROOTENV_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:" \
	"/sbin:/bin"

/* The first file of that name there that fits; owned, or NULL. */
char *rootenv_find(const char *name, bool (*fits)(const char *path,
	const struct stat *st));
/* A file that may be run; one that gives rights by being run (set-user-id,
 * set-group-id, capabilities). */
bool rootenv_runs(const char *path, const struct stat *st);
bool rootenv_gains(const char *path, const struct stat *st);

/* TERM, LANG, LC_* and their like … */
bool rootenv_is_of_terminal(const char *name);
/* … and a value of theirs that leads to no file. */
bool rootenv_is_harmless(const char *value);
/* The variables by which crontab -e, visudo, sudo -e and their like start
 * aegsh-edit on a copy: NAME=PATH each. */
void rootenv_put_editor(struct strv *to);

#endif
