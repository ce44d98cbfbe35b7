/* SPDX-License-Identifier: ISC */
/* What happened, as lines of the session's file, which is made for the
 * first. */
#include "cast_int.h"

#include <inttypes.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

void
cast_events_init(struct cast_events *e, const struct cast_setup *setup)
{
	*e = (struct cast_events){
		.width = setup->width != 0 ? setup->width : 80,
		.height = setup->height != 0 ? setup->height : 24,
		.wall_ns = setup->wall_ns,
		.start_ns = setup->mono_ns,
	};
	if (setup->term != NULL && strlen(setup->term) < sizeof e->term)
		strcpy(e->term, setup->term);
	cast_file_init(&e->file, setup->dir, setup->session);
}

void
cast_events_done(struct cast_events *e)
{
	cast_file_done(&e->file);
	buf_done(&e->text);
}

static bool
begin(struct cast_events *e)
{
	if (cast_file_takes(&e->file))
		return true;
	e->file.start = e->wall_ns / SECOND;
	buf_reset(&e->text);
	buf_putf(&e->text, "{\"version\": 2, \"width\": %u, \"height\": %u, "
	    "\"timestamp\": %" PRId64, e->width, e->height, e->file.start);
	if (e->term[0] != '\0') {
		buf_puts(&e->text, ", \"env\": {\"TERM\": \"");
		cast_text_put(&e->text, e->term, strlen(e->term));
		buf_puts(&e->text, "\"}");
	}
	buf_puts(&e->text, "}\n");
	return cast_file_begin(&e->file, e->text.data, e->text.len);
}

/* Times count from the second that the file's first line names, and never go
 * back: what was held back counts as then. */
bool
cast_events_put(struct cast_events *e, int64_t ns, char code, const char *p,
    size_t len)
{
	int64_t us;

	if (!begin(e))
		return false;
	ns += e->wall_ns - e->start_ns - e->file.start * SECOND;
	if (ns > e->last_ns)
		e->last_ns = ns;
	us = e->last_ns / 1000;
	buf_reset(&e->text);
	buf_putf(&e->text, "[%" PRId64 ".%06" PRId64 ", \"%c\", \"",
	    us / 1000000, us % 1000000, code);
	cast_text_put(&e->text, p, len);
	buf_puts(&e->text, "\"]\n");
	return cast_file_put(&e->file, e->text.data, e->text.len);
}
