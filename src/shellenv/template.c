/* SPDX-License-Identifier: ISC */
/*
 * Text with references to variables, as a person or a recipe gives it:
 * "$HOME/.cargo/bin".  Only references are kept as such; every other
 * character means itself, whatever shell the text is written for, so that
 * nothing given here can run a command.
 */
#include "block_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define PARTS_MAX 64

static void
add_part(struct shellenv *se, struct tmpl *t, bool var, const char *p,
    size_t len)
{
	struct tmpl_part *part;

	if (len == 0)
		return;
	part = SE_PUSH(se, t->parts, t->n, t->cap);
	part->var = var;
	part->text = arena_memdup0(se->arena, p, len);
}

/* The length of a reference at p, and its name; 0: it is none. */
static size_t
reference(const char *p, const char **ret, size_t *ret_len)
{
	bool brace = p[1] == '{';
	size_t from = brace ? 2 : 1, n = from;

	if (p[0] != '$')
		return 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	if (n == from || isdigit((unsigned char)p[from]))
		return 0;
	if (brace && p[n] != '}')
		return 0;
	*ret = p + from;
	*ret_len = n - from;
	return n + brace;
}

/* An absolute path in the home is written with $HOME, so that the line
 * stays right when the home moves. */
static const char *
homely(struct shellenv *se, struct tmpl *t, const char *p)
{
	AEG_AUTOFREE char *canon = NULL;
	size_t n = strlen(se->home);

	if (p[0] == '~' && (p[1] == '/' || p[1] == '\0')) {
		add_part(se, t, true, "HOME", 4);
		return p + 1;
	}
	if (p[0] != '/')
		return p;
	canon = path_canon("/", p);
	if (n > 1 && path_under(canon, se->home)) {
		add_part(se, t, true, "HOME", 4);
		return se_strdup(se, canon + n);
	}
	return se_strdup(se, canon);
}

static int
check_arg(const char *arg, bool dir, struct err *err)
{
	const char *p;

	if (strlen(arg) > SHELLENV_VALUE_MAX)
		return err_set(err, ERR_TOO_LONG, "a value is longer than "
		    "%zu bytes", SHELLENV_VALUE_MAX);
	for (p = arg; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return err_set(err, ERR_RANGE, "a control character "
			    "cannot be written into a start-up file");
	if (!dir)
		return 0;
	if (strchr(arg, ':') != NULL)
		return err_set(err, ERR_RANGE, "a directory with a colon in "
		    "its name cannot be in PATH");
	if (arg[0] != '/' && arg[0] != '$' &&
	    !(arg[0] == '~' && (arg[1] == '/' || arg[1] == '\0')))
		return err_set(err, ERR_RANGE, "'%s' is no absolute path",
		    arg);
	return 0;
}

int
se_tmpl_parse(struct shellenv *se, const char *arg, bool dir, struct tmpl *ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf literal = BUF_INIT;
	struct tmpl t = { NULL, 0, 0 };
	const char *p, *name;
	size_t len, n;
	int r = check_arg(arg, dir, err);

	if (r < 0)
		return r;
	for (p = dir ? homely(se, &t, arg) : arg[0] == '~' ?
	    homely(se, &t, arg) : arg; *p != '\0';) {
		n = reference(p, &name, &len);
		if (n > 0) {
			if (literal.len > 0)
				add_part(se, &t, false, literal.data,
				    literal.len);
			buf_reset(&literal);
			add_part(se, &t, true, name, len);
			p += n;
			continue;
		}
		if (p[0] == '\\' && p[1] == '$')
			p++;
		buf_putc(&literal, *p++);
	}
	if (literal.len > 0)
		add_part(se, &t, false, literal.data, literal.len);
	if (t.n > PARTS_MAX)
		return err_set(err, ERR_TOO_LONG, "a value refers to more "
		    "than %d variables", PARTS_MAX / 2);
	if (dir && t.n > 0 && !t.parts[0].var && t.parts[0].text[0] != '/')
		return err_set(err, ERR_RANGE, "'%s' is no absolute path",
		    arg);
	*ret = t;
	return 0;
}

const char *
se_tmpl_expand(struct shellenv *se, const struct tmpl *t,
    const char *(*get)(void *ctx, const char *name), void *ctx)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(SHELLENV_VALUE_MAX);
	size_t i;

	for (i = 0; i < t->n; i++) {
		const char *v = t->parts[i].text;

		if (t->parts[i].var)
			v = strcmp(v, "HOME") == 0 ? (strcmp(se->home, "/")
			    == 0 ? "" : se->home) : get(ctx, v);
		buf_puts(&out, v != NULL ? v : "");
	}
	return se_strdup(se, out.data != NULL ? out.data : "");
}

/* $NAME, in braces where a letter of a name follows. */
static void
put_reference(struct buf *out, const struct tmpl *t, size_t i, bool fish)
{
	const char *next = i + 1 < t->n && !t->parts[i + 1].var ?
	    t->parts[i + 1].text : "";
	bool brace = isalnum((unsigned char)next[0]) || next[0] == '_' ||
	    next[0] == '[';

	if (!brace)
		buf_putf(out, "$%s", t->parts[i].text);
	else if (fish)
		buf_putf(out, "{$%s}", t->parts[i].text);
	else
		buf_putf(out, "${%s}", t->parts[i].text);
}

const char *
se_tmpl_posix(struct shellenv *se, const struct tmpl *t)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const char *p;
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (t->parts[i].var) {
			put_reference(&out, t, i, false);
			continue;
		}
		for (p = t->parts[i].text; *p != '\0'; p++) {
			if (strchr("\\\"$`", *p) != NULL)
				buf_putc(&out, '\\');
			buf_putc(&out, *p);
		}
	}
	return se_strdup(se, out.data != NULL ? out.data : "");
}

/* Bare where every character is harmless; "…" else, where fish knows only
 * \\ \" and \$, and where {$X} must stand outside of the quotes. */
const char *
se_tmpl_fish(struct shellenv *se, const struct tmpl *t)
{
	static const char plain[] = "/._-+,@";
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	const char *p;
	size_t i;

	for (i = 0; i < t->n; i++) {
		bool bare = true;

		if (t->parts[i].var) {
			put_reference(&out, t, i, true);
			continue;
		}
		for (p = t->parts[i].text; *p != '\0'; p++)
			bare &= isalnum((unsigned char)*p) ||
			    strchr(plain, *p) != NULL;
		if (!bare)
			buf_putc(&out, '"');
		for (p = t->parts[i].text; *p != '\0'; p++) {
			if (strchr("\\\"$", *p) != NULL)
				buf_putc(&out, '\\');
			buf_putc(&out, *p);
		}
		if (!bare)
			buf_putc(&out, '"');
	}
	if (out.len == 0)
		buf_puts(&out, "\"\"");
	return se_strdup(se, out.data);
}
