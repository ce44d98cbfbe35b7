/* SPDX-License-Identifier: ISC */
/* Replacing a file safely, and keeping what it held. */
#ifndef WRITE_INT_H
#define WRITE_INT_H

#include "aegsh/shellenv_mend.h"

#include "shellenv_int.h"

/*
 * Tests may fail any system call of the writer: called before each with its
 * name; what it returns, if not 0, is the errno the call "fails" with.  A
 * test may also end the process there.  NULL outside of tests.
 */
extern int (*se_write_fault)(const char *call);
#define WRITE_CALL(name, call) \
	({ int fault_ = se_write_fault != NULL ? se_write_fault(name) : 0; \
	   fault_ != 0 ? (errno = fault_, -1) : (call); })

#define WRITE_NAMES_MAX 40	/* symlinks followed */

/* Owner, mode, ACL, label and other attributes of one descriptor's file
 * onto another's. */
int se_attrs_copy(int from, int to, const struct stat *st, struct err *err);

/* backup.c: the directory, and a lock that lasts until it is closed. */
int se_backup_open(struct shellenv *se, int *ret_dir, int *ret_lock,
	struct err *err);
int se_backup_keep(struct shellenv *se, int dir, const char *path,
	const char *text, size_t len, const char **ret_name, struct err *err);

/* Whether the file may be replaced, and its bytes; a missing one is fine
 * when it can be made.  Follows symlinks: ret_real is the file itself. */
int se_write_check(struct shellenv *se, const char *path, const char **ret_real,
	const char **ret_text, size_t *ret_len, struct err *err);

int se_write_all(int fd, const char *p, size_t len);

#endif
