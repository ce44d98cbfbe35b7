/* SPDX-License-Identifier: ISC */
/* What mapfile reads where the line shows the text. */
#include "facts_int.h"

#define LINES_MAX 256		/* of a text that is read into an array */

/* mapfile [-t] name with a known text; false: something else. */
bool
syn_mapfile_lines(const struct syn_call *c)
{
	const struct syn_word *text = syn_stdin_text(c->command), *name;
	struct syn_word lines[LINES_MAX];
	const struct syn_items *items;
	const char *p, *end;
	size_t n = 0;
	bool trims = c->n == 3 && syn_word_is(&c->words[1], "-t");

	name = &c->words[c->n - 1];
	if (text == NULL || !text->known || c->command->n_assigns > 0 ||
	    (c->n != 2 && !trims) || !syn_is_plain(name) || name->may_split ||
	    memchr(text->value, '\0', text->len) != NULL)
		return false;
	memset(lines, 0, sizeof lines);
	for (p = text->value; *p != '\0'; p = end + (*end == '\n'), n++) {
		end = strchrnul(p, '\n');
		if (n == LINES_MAX)
			return false;
		lines[n].known = true;
		lines[n].len = (size_t)(end - p) + (trims || *end == '\0' ?
		    0 : 1);
		lines[n].value = arena_memdup0(c->w->arena, p, lines[n].len);
	}
	items = syn_array_of(c->w, lines, n);
	if (items == NULL || n == 0)
		return false;
	syn_env_slot(c->w, name->value, name->len)->array = true;
	syn_env_set_items(c->w, name->value, name->len, items);
	return true;
}
