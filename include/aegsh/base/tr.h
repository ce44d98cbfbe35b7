/* SPDX-License-Identifier: ISC */
/*
 * Messages in the person's language: catalogues of gettext (msgfmt(1)), read
 * here and not by libc, whose own way follows LANGUAGE, LOCPATH and GCONV_PATH
 * to files of anybody and would load code into a static program.
 */
#ifndef AEGSH_BASE_TR_H
#define AEGSH_BASE_TR_H

#include <stddef.h>

#include "aegsh/base/err.h"

#define TR_MAX ((size_t)1024 * 1024)	/* bytes of a catalogue */

/* For a message where it stands in a table, and tr() sees it later. */
#define TR_LATER(text) text

/* The text in the language of the catalogue, or as it is: also where a
 * translation asks for other arguments than the text does.  Lives as long as
 * the catalogue. */
const char *tr(const char *text)
	__attribute__((format_arg(1), nonnull, returns_nonnull));

/*
 * From now on translate by this catalogue, of which a copy is kept.  What is
 * not whole, not sorted, or not in UTF-8 is an error, and nothing changes.
 * NULL: by none.
 */
int tr_use(const void *bytes, size_t len, struct err *err);

/*
 * What LC_ALL, LC_MESSAGES or LANG asks for, as the names of directories of
 * catalogues, best first: "de_DE" and "de".  0 where it is the language of the
 * program, not in UTF-8, or no such name.
 */
#define TR_NAME_SIZE 16
size_t tr_names(const char *locale, char names[2][TR_NAME_SIZE]);

#endif
