/* SPDX-License-Identifier: ISC */
/*
 * A start-up file as one text that can be judged whole and run as it was
 * judged: where it sources a file, the file's own text stands.
 *
 *	. "$f"		case "$f" in
 *			'/etc/profile.d/a.sh')
 *			…the text of that file…
 *			;;
 *			*) false ;;
 *			esac
 *
 * Which files a place may mean was found out by following the files without
 * running them (aegsh/shellenv.h); which one it means is seen when it runs,
 * and one that was not read here is not read then.  What cannot be replaced
 * (in substitutions, with arguments) stays, and is judged as a script that
 * nobody has seen.
 *
 * `return' ends a sourced file; the text of a file that has one stands in a
 * loop, which `break' ends.  Where the session surely returns, as from what
 * is for interactive shells alone, the rest is left away; so is what only a
 * prompt would notice (login_edits.c).
 */
#include "login_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

int
shell_login_read(const char *path, uid_t trust, struct buf *out,
    struct err *err)
{
	AEG_AUTOFREE char *real = realpath(path, NULL);
	int rc;

	if (real == NULL)
		return err_sys(err, errno, "%s", path);
	rc = conf_trust_read(real, trust, LINE_MAX_BYTES, out, err);
	if (rc < 0)
		return rc;
	if (out->data == NULL)
		buf_puts(out, "");
	if (out->data != NULL && memchr(out->data, '\0', out->len) != NULL)
		return err_set(err, -EILSEQ, "%s: a NUL byte", path);
	return 0;
}

/* A tree of what stands there, complete as it is; NULL: it is not. */
static struct syn_tree *
parsed(const char *text, size_t len)
{
	struct syn_tree *tree = NULL;
	struct syn_diag diag;

	return syn_parse(text, len, NULL, &tree, &diag) == SYN_TREE ? tree :
	    NULL;
}

/* What is read of it: to the end of the command at which it is left. */
static size_t
read_until(const char *text, size_t len, size_t ends_at)
{
	size_t end = ends_at;

	while (end < len) {
		const char *nl = memchr(text + end, '\n', len - end);
		struct syn_tree *tree;

		end = nl != NULL ? (size_t)(nl - text) + 1 : len;
		tree = parsed(text + ends_at, end - ends_at);
		if (tree != NULL) {
			syn_free(tree);
			return end;
		}
	}
	return len;
}

static size_t
ends_at(const struct login_text *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->n_files; i++)
		if (strcmp(t->files[i].path, name) == 0)
			return t->files[i].ends_at;
	return SIZE_MAX;
}

static void
put_quoted(struct buf *out, const char *text)
{
	buf_putc(out, '\'');
	for (; *text != '\0'; text++)
		if (*text == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *text);
	buf_putc(out, '\'');
}

static int put_file(struct login_text *t, const char *path, const char *name,
	bool sourced, struct buf *out, struct err *err);

static void
leave_out(struct login_text *t, const char *path, const struct err *err)
{
	const char *why = err->text[0] != '\0' ? err->text : path;

	if (!strv_has(&t->left_out, why))
		strv_add(&t->left_out, why);
}

/* One arm; false where the file cannot stand here. */
static void
put_arm(struct login_text *t, const char *path, struct buf *out)
{
	AEG_AUTO(buf_done) struct buf body = BUF_INIT_MAX(LINE_MAX_BYTES);
	struct err err = ERR_INIT;

	if (strv_has(&t->skip, path))
		return;
	if (put_file(t, path, path, true, &body, &err) < 0) {
		leave_out(t, path, &err);
		return;
	}
	if (!strv_has(&t->put, path))
		strv_add(&t->put, path);
	put_quoted(out, path);
	buf_puts(out, ")\n");
	buf_put(out, body.data, body.len);
	buf_puts(out, ";;\n");
}

/* The file is sourced from this place, as far as lines tell: a function's
 * are told by the line that calls it. */
static bool
comes_here(const struct shellenv_file *f, const struct login_edits *all,
    const struct login_edit *e)
{
	size_t i;

	if (f->line == (int)e->line)
		return true;
	if (!e->in_function)
		return false;
	for (i = 0; i < all->n; i++)
		if (all->v[i].kind == LOGIN_SOURCES &&
		    !all->v[i].in_function &&
		    f->line == (int)all->v[i].line)
			return false;
	return true;
}

static void
put_source(struct login_text *t, const char *text,
    const struct login_edits *all, const struct login_edit *e,
    const char *name, struct buf *out)
{
	AEG_AUTO(strv_done) struct strv put = STRV_INIT;
	size_t i;

	buf_puts(out, "case ");
	buf_put(out, text + e->word, e->word_len);
	buf_puts(out, " in\n");
	for (i = 0; i < t->n_files; i++) {
		const struct shellenv_file *f = &t->files[i];

		if (f->sourced_from == NULL ||
		    strcmp(f->sourced_from, name) != 0 ||
		    !comes_here(f, all, e) || strv_has(&put, f->path))
			continue;
		strv_add(&put, f->path);
		put_arm(t, f->path, out);
	}
	buf_puts(out, "*) false ;;\nesac");
}

static void
put_edited(struct login_text *t, const char *text, size_t len,
    const struct login_edits *e, const char *name, struct buf *out)
{
	size_t i, at = 0;

	if (e->leaves)
		buf_puts(out, "while :; do\n");
	for (i = 0; i < e->n; i++) {
		buf_put(out, text + at, e->v[i].from - at);
		switch (e->v[i].kind) {
		case LOGIN_IDLE:
			buf_puts(out, ":");
			break;
		case LOGIN_LEAVES:
			buf_puts(out, "break");
			break;
		case LOGIN_SOURCES:
			put_source(t, text, e, &e->v[i], name, out);
			break;
		}
		at = e->v[i].to;
	}
	buf_put(out, text + at, len - at);
	if (e->leaves)
		buf_puts(out, "break\ndone\n");
}

static int
put_parsed(struct login_text *t, const char *path, const char *name,
    bool sourced, struct buf *text, struct buf *out, struct err *err)
{
	size_t at = ends_at(t, name);
	struct login_edits e = { .v = NULL };
	struct syn_tree *tree;
	int rc = 0;

	if (text->len > 0 && text->data[text->len - 1] != '\n')
		buf_putc(text, '\n');
	if (at < text->len)
		text->len = read_until(text->data, text->len, at);
	tree = parsed(text->data, text->len);
	if (tree == NULL && sourced)
		return err_set(err, ERR_SYNTAX, "%s: syntax error", path);
	if (tree == NULL) {
		buf_put(out, text->data, text->len);
		return 0;
	}
	shell_login_edits(text->data, text->len, tree, &e);
	syn_free(tree);
	if (e.trapped)
		rc = err_set(err, ERR_SYNTAX, "%s: it returns from within a "
		    "loop, which cannot be followed here", path);
	else
		put_edited(t, text->data, text->len, &e, name, out);
	free(e.v);
	if (rc == 0 && buf_overflow(out))
		return err_set(err, ERR_TOO_LONG, "%s: with what it sources "
		    "it is longer than %zu bytes", path, LINE_MAX_BYTES);
	return rc;
}

static int
put_file(struct login_text *t, const char *path, const char *name,
    bool sourced, struct buf *out, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(LINE_MAX_BYTES);
	size_t i;
	int rc;

	for (i = 0; i < t->depth; i++)
		if (strcmp(t->open[i], name) == 0)
			return err_set(err, ERR_RANGE, "%s: it sources itself",
			    path);
	if (t->depth == LOGIN_DEPTH_MAX || t->n == LOGIN_FILES_MAX)
		return err_set(err, ERR_RANGE, "%s: more than %d files, or "
		    "%d deep", path, LOGIN_FILES_MAX, LOGIN_DEPTH_MAX);
	rc = shell_login_read(path, t->trust, &text, err);
	if (rc < 0)
		return rc;
	t->n++;
	t->bytes += text.len;
	if (t->bytes > LINE_MAX_BYTES)
		return err_set(err, ERR_TOO_LONG, "%s: with what it sources "
		    "it is longer than %zu bytes", path, LINE_MAX_BYTES);
	t->open[t->depth++] = name;
	rc = put_parsed(t, path, name, sourced, &text, out, err);
	t->depth--;
	return rc;
}

int
shell_login_text(struct login_text *t, const char *path, const char *name,
    struct buf *out, struct err *err)
{
	t->n = t->bytes = t->depth = 0;
	return put_file(t, path, name, false, out, err);
}

int
shell_login_piece(struct login_text *t, const char *path, struct buf *out,
    struct err *err)
{
	t->n = t->bytes = t->depth = 0;
	return put_file(t, path, path, true, out, err);
}
