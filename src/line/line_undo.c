/* SPDX-License-Identifier: ISC */
/* Undo: how the line looked before each key that changed it. */
#include "line_int.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "aegsh/base/mem.h"

#define UNDO_MOST 256			/* states … */
#define UNDO_BYTES ((size_t)1024 * 1024)	/* … and bytes of them */

static void
drop_oldest(struct line_undo *u)
{
	u->bytes -= strlen(u->v[0].text);
	free(u->v[0].text);
	memmove(u->v, u->v + 1, --u->n * sizeof *u->v);
}

void
line_undo_done(struct line_undo *u)
{
	while (u->n > 0)
		drop_oldest(u);
	free(u->v);
	*u = (struct line_undo){ .n = 0 };
}

/* Is it old with at most so many bytes put in?  Where: *at. */
static bool
is_insertion(const char *old, const char *text, size_t most, size_t *at)
{
	size_t had = strlen(old), len = strlen(text), tail = 0;

	*at = 0;
	if (len <= had || len - had > most)
		return false;
	while (old[*at] != '\0' && old[*at] == text[*at])
		++*at;
	while (tail < had - *at && old[had - 1 - tail] ==
	    text[len - 1 - tail])
		tail++;
	return *at + tail == had;
}

/* Typing goes on, which is one step up to a blank. */
static bool
goes_on(const struct line_undo *u, const char *text)
{
	const char *old, *older;
	size_t at, before;

	if (u->n < 2)
		return false;
	old = u->v[u->n - 1].text;
	older = u->v[u->n - 2].text;
	/* Where the last one ended? */
	return is_insertion(old, text, MB_LEN_MAX, &at) && text[at] != ' ' &&
	    is_insertion(older, old, SIZE_MAX, &before) &&
	    before + strlen(old) - strlen(older) == at;
}

void
line_undo_look(struct line_editor *e)
{
	struct line_undo *u = &e->undo;
	const LineInfoW *li = el_wline(e->el);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	/* Never for each key of something long. */
	if ((size_t)(li->lastchar - li->buffer) > UNDO_BYTES / 64)
		return;
	line_text(e, &text);
	if (u->n > 0 && strcmp(u->v[u->n - 1].text, text.data) == 0) {
		u->v[u->n - 1].cursor = li->cursor - li->buffer;
		return;
	}
	if (goes_on(u, text.data)) {
		u->bytes -= strlen(u->v[u->n - 1].text);
		free(u->v[--u->n].text);
	}
	while (u->n == UNDO_MOST || (u->n > 0 && u->bytes + text.len >
	    UNDO_BYTES))
		drop_oldest(u);
	if (u->v == NULL)
		u->v = xcalloc(UNDO_MOST, sizeof *u->v);
	u->bytes += text.len;
	u->v[u->n].cursor = li->cursor - li->buffer;
	u->v[u->n++].text = buf_take(&text);
}

static void
show(struct line_editor *e)
{
	struct line_undo *u = &e->undo;
	const LineInfoW *li;

	line_replace(e, u->v[u->n - 1].text, strlen(u->v[u->n - 1].text));
	li = el_wline(e->el);
	el_cursor(e->el, (int)(u->v[u->n - 1].cursor -
	    (li->cursor - li->buffer)));
}

unsigned char
line_undo(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_undo *u = &e->undo;

	(void)key;
	if (u->n < 2)
		return CC_ERROR;
	u->bytes -= strlen(u->v[u->n - 1].text);
	free(u->v[--u->n].text);
	show(e);
	return line_drawn(e);
}

/* All of it: as the line was at first. */
unsigned char
line_revert(EditLine *el, wint_t key)
{
	struct line_editor *e = line_editor_of(el);
	struct line_undo *u = &e->undo;

	(void)key;
	if (u->n < 2)
		return CC_ERROR;
	while (u->n > 1) {
		u->bytes -= strlen(u->v[u->n - 1].text);
		free(u->v[--u->n].text);
	}
	show(e);
	return line_drawn(e);
}
