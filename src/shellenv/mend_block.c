/* SPDX-License-Identifier: ISC */
/* Items put into and taken out of the block of a file being worked on. */
#include "mend_int.h"

#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

static void
replace(struct mend *m, struct mend_file *f, const struct block *b)
{
	size_t len;
	char *text = se_block_put(f->text, f->len, b, m->fish, m->se, &len);

	f->text = text != NULL ? arena_memdup0(m->se->arena, text, len) :
	    NULL;
	f->len = len;
	free(text);
}

/* Where a new block goes: at the end, or before the command at which the
 * file stops being read.  That is a top-level command; the block must stand
 * before the first one on its line. */
static size_t
place(struct mend *m, const struct mend_file *f)
{
	struct sim *s = se_mend_follow(m, SHELLENV_INTERACTIVE, NULL, NULL);
	const struct prof *p;
	const struct prof_node *n;
	size_t i, at = f->len, good = f->len;

	for (i = 0; i < s->n_events; i++) {
		const struct sim_event *e = &s->events[i];

		if (e->what == SIM_END && !e->maybe && e->top &&
		    strcmp(e->file, f->path) == 0) {
			at = e->at;
			break;
		}
	}
	if (at >= f->len)
		return f->len;
	p = se_prof_parse(m->se->arena, f->path, f->text, f->len,
	    m->se->row->dialect);
	for (n = p->body; n != NULL && n->at <= at; n = n->next) {
		size_t line = n->at;

		while (line > 0 && (f->text[line - 1] == ' ' ||
		    f->text[line - 1] == '\t'))
			line--;
		if (line == 0 || f->text[line - 1] == '\n')
			good = line;
	}
	return good;
}

static bool
same_item(const struct item *a, const struct item *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == ITEM_VAR)
		return strcmp(a->name, b->name) == 0;
	return strcmp(a->text, b->text) == 0;
}

int
se_mend_put(struct mend *m, const char *path, const struct item *it,
    struct err *err)
{
	struct mend_file *f;
	struct block b;
	size_t i;
	int r = se_mend_open(m, path, &f, err);

	if (r < 0)
		return r;
	if (f->text == NULL || se_block_find(m->se, f->text, f->len, 0, m->fish,
	    &b) < 0) {
		const struct prof *p = f->text == NULL ? NULL :
		    se_prof_parse(m->se->arena, path, f->text, f->len,
		    m->se->row->dialect);

		/* Behind an open quote the lines would be text. */
		if (p != NULL && p->open_end)
			return err_set(err, ERR_REFUSED, "%s:%d: %s; a line "
			    "put at its end would not be read",
			    se_shown(m->se, path), p->bad_line, p->bad);
		b = se_block_new(f->text, f->len, f->text != NULL ?
		    place(m, f) : 0);
	}
	for (i = 0; i < b.n; i++)
		if (same_item(&b.items[i], it))
			break;
	if (i < b.n && it->kind == ITEM_VAR)
		b.items[i] = *it;
	else if (i == b.n)
		*SE_PUSH(m->se, b.items, b.n, b.cap) = *it;
	replace(m, f, &b);
	return 0;
}

bool
se_mend_take(struct mend *m, struct mend_file *f,
    bool (*match)(struct mend *m, const struct item *it, const void *arg),
    const void *arg)
{
	size_t from = 0, i, kept;
	struct block b;
	bool any = false;

	while (f->text != NULL &&
	    se_block_find(m->se, f->text, f->len, from, m->fish, &b) == 0) {
		for (i = kept = 0; i < b.n; i++)
			if (!match(m, &b.items[i], arg))
				b.items[kept++] = b.items[i];
		from = b.end;
		if (kept == b.n)
			continue;
		any = true;
		b.n = kept;
		/* The rest of the text moves by what the block loses. */
		from = b.begin;
		replace(m, f, &b);
	}
	return any;
}

bool
se_mend_has_lines(struct mend *m, const char *path)
{
	const char *text = NULL, *real = se_real(m->se, path);
	size_t from, i, len = 0;
	struct block b;
	bool open = false;

	for (i = 0; i < m->n_files && !open; i++)
		if (strcmp(m->files[i].path, path) == 0 || (real != NULL &&
		    strcmp(m->files[i].real, real) == 0)) {
			text = m->files[i].text;
			len = m->files[i].len;
			open = true;
		}
	if (!open && se_read(m->se, path, &text, &len) < 0)
		return false;
	for (from = 0; text != NULL && se_block_find(m->se, text, len, from,
	    m->fish, &b) == 0; from = b.end)
		for (i = 0; i < b.n; i++)
			if (!(b.items[i].kind == ITEM_SOURCE &&
			    b.items[i].helper))
				return true;
	return false;
}
