/* SPDX-License-Identifier: ISC */
/* What would become of a line as it is typed. */
#ifndef SHELL_OUTLOOK_H
#define SHELL_OUTLOOK_H

#include "shell/shell_int.h"

struct outlook;

struct outlook *outlook_new(struct shell *sh);
void outlook_free(struct outlook *o);
/* As foresee, foreseen and explain of struct line_editor_opts. */
int outlook_ask(struct outlook *o, const char *text, size_t len);
const char *outlook_hear(struct outlook *o);
void outlook_explain(struct outlook *o, const char *text, size_t len,
	struct buf *out);
/* The line was read: what is known of it is of no use for the next. */
void outlook_end(struct outlook *o);

#endif
