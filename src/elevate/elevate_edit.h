/* SPDX-License-Identifier: ISC */
/*
 * What aegsh-elevate, in a line's sandbox, and aegsh-edit, which sudoedit,
 * crontab and visudo start as their editor outside of it, say to each other
 * over the latter's standard input and output:
 *
 *	aegsh-edit	EDIT_MAGIC; how many files; of each its name's length,
 *			its name without directories, its length, its bytes
 *	aegsh-elevate	EDIT_LEAVE; or EDIT_WRITE and of each file its length
 *			and its bytes
 *
 * Numbers are uint32_t of this machine.
 */
#ifndef ELEVATE_EDIT_H
#define ELEVATE_EDIT_H

#include <stddef.h>
#include <stdint.h>

#define EDIT_MAGIC "\naegsh-edit 1\n"	/* without its NUL */
#define EDIT_FILES_MAX 16U
#define EDIT_NAME_MAX 255U
#define EDIT_BYTES_MAX ((uint32_t)4 * 1024 * 1024)	/* of one file */

enum edit_verb { EDIT_LEAVE = 0, EDIT_WRITE };

#endif
