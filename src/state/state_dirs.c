/* SPDX-License-Identifier: ISC */
/*
 * pushd, popd and dirs, as those of bash 5.2.
 *
 * The list that they show is the working directory and, below it, the
 * stack.  Index 0 from the left is the working directory; counting from the
 * right, the last entry of the stack is 0.
 */
#include "state/state_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define PUSHD_USAGE "pushd: usage: pushd [-n] [+N | -N | dir]\n"
#define POPD_USAGE "popd: usage: popd [-n] [+N | -N]\n"
#define DIRS_USAGE "dirs: usage: dirs [-clpv] [+N] [-N]\n"

enum dirs_form {
	DIRS_LONG = 1,		/* -l: no ~ */
	DIRS_LINES = 2,		/* -p */
	DIRS_NUMBERS = 4,	/* -v */
};

static bool
is_option(const char *word, char letter)
{
	return word[0] == '-' && word[1] == letter && word[2] == '\0';
}

/* The number behind the sign of "+N" or "-N", by bash's idea of a number:
 * strtoimax(3) with blanks around. */
static bool
number_of(const char *word, intmax_t *ret)
{
	char *end;
	intmax_t n;

	errno = 0;
	n = strtoimax(word + 1, &end, 10);
	if (errno != 0 || end == word + 1)
		return false;
	end += strspn(end, " \t");
	if (*end != '\0')
		return false;
	*ret = n;
	return true;
}

/* Where "+N" or "-N" lies in the list of n + 1, or -1. */
static intmax_t
index_of(const struct strv *dirs, char sign, intmax_t n)
{
	const intmax_t last = (intmax_t)dirs->n;

	if (n < 0 || n > last)
		return -1;
	return sign == '+' ? n : last - n;
}

static int
bad_index(const struct strv *dirs, const char *who, const char *word,
    struct buf *complaint)
{
	if (dirs->n == 0)
		buf_putf(complaint, "%s: directory stack empty\n", who);
	else
		buf_putf(complaint, "%s: %s: directory stack index out of "
		    "range\n", who, word);
	return 1;
}

static int
bad_usage(const char *who, const char *word, const char *what,
    const char *usage, struct buf *complaint)
{
	buf_putf(complaint, "%s: %s: %s\n%s", who, word, what, usage);
	return 2;
}

/* Drop one string of a vector. */
static void
cut(struct strv *dirs, size_t i)
{
	free(dirs->v[i]);
	memmove(dirs->v + i, dirs->v + i + 1,
	    (dirs->n - i) * sizeof(*dirs->v));
	dirs->n--;
}

/* Put a string on top; it was looked at by has_room(). */
static void
push(struct strv *dirs, const char *word)
{
	char *top;

	strv_add(dirs, word);
	top = dirs->v[dirs->n - 1];
	memmove(dirs->v + 1, dirs->v, (dirs->n - 1) * sizeof(*dirs->v));
	dirs->v[0] = top;
}

/* The stack has to fit in what is handed to each bash. */
static bool
has_room(const struct strv *dirs, const char *word, struct buf *complaint)
{
	size_t i, bytes = strlen(word) + 1;

	for (i = 0; i < dirs->n; i++)
		bytes += strlen(dirs->v[i]) + 1;
	if (dirs->n < STATE_DIRS_MAX && bytes <= STATE_DIRS_BYTES_MAX)
		return true;
	buf_puts(complaint, "pushd: directory stack full\n");
	return false;
}

static void
put_dir(const struct state *s, int form, const char *dir, struct buf *out)
{
	const char *home = vars_get(&s->vars, "HOME");
	const size_t len = home != NULL ? strlen(home) : 0;

	if ((form & DIRS_LONG) == 0 && len > 1 &&
	    strncmp(home, dir, len) == 0 &&
	    (dir[len] == '/' || dir[len] == '\0')) {
		buf_putc(out, '~');
		dir += len;
	}
	buf_puts(out, dir);
}

/* Entry i of the list that is shown. */
static const char *
entry(const struct state *s, size_t i)
{
	return i == 0 ? s->cwd : s->dirs.v[i - 1];
}

static void
put_entry(const struct state *s, int form, size_t i, struct buf *out)
{
	if (form & DIRS_NUMBERS)
		buf_putf(out, "%2zu  ", i);
	put_dir(s, form, entry(s, i), out);
}

static void
put_all(const struct state *s, int form, struct buf *out)
{
	size_t i;

	for (i = 0; i <= s->dirs.n; i++) {
		if (i > 0)
			buf_putc(out, form & (DIRS_LINES | DIRS_NUMBERS) ?
			    '\n' : ' ');
		put_entry(s, form, i, out);
	}
	buf_putc(out, '\n');
}

/* Go to what was taken off the list, and show it. */
static int
go_and_show(struct state *s, const char *to, struct buf *out,
    struct buf *complaint)
{
	int r = state_go(s, "pushd", to, out, complaint);

	if (r == 0)
		put_all(s, 0, out);
	return r;
}

/* pushd without operands. */
static int
swap_top(struct state *s, struct buf *out, struct buf *complaint)
{
	AEG_AUTOFREE char *top = NULL;

	if (s->dirs.n == 0) {
		buf_puts(complaint, "pushd: no other directory\n");
		return 1;
	}
	/* bash exchanges first; when it cannot go there, the entry is
	 * lost. */
	top = s->dirs.v[0];
	s->dirs.v[0] = xstrdup(s->cwd);
	return go_and_show(s, top, out, complaint);
}

/* pushd +N: the list turns until entry i is the first.  With -n everything
 * turns but we stay, and the first entry is not kept. */
static int
rotate(struct state *s, intmax_t i, bool stay, struct buf *out,
    struct buf *complaint)
{
	AEG_AUTOFREE char *first = xstrdup(s->cwd);

	for (; i > 0; i--) {
		char *top = s->dirs.v[0];

		memmove(s->dirs.v, s->dirs.v + 1,
		    (s->dirs.n - 1) * sizeof(*s->dirs.v));
		s->dirs.v[s->dirs.n - 1] = first;
		first = top;
	}
	return stay ? 0 : go_and_show(s, first, out, complaint);
}

int
state_pushd(struct state *s, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	bool stay = false, turn = false, literal = false;
	AEG_AUTOFREE char *here = NULL;
	intmax_t n, i = 0;
	char *const *arg = argv;
	int r;

	if (*arg != NULL && strcmp(*arg, "--") == 0) {
		literal = true;
		arg++;
	}
	if (*arg == NULL)
		return swap_top(s, out, complaint);
	for (; *arg != NULL && !literal; arg++) {
		if (is_option(*arg, 'n')) {
			stay = true;
		} else if (is_option(*arg, '-')) {
			literal = true;
		} else if (strcmp(*arg, "-") == 0) {
			break;
		} else if (**arg == '+' || **arg == '-') {
			if (!number_of(*arg, &n))
				return bad_usage("pushd", *arg,
				    "invalid number", PUSHD_USAGE, complaint);
			i = index_of(&s->dirs, **arg, n);
			if (i < 0)
				return bad_index(&s->dirs, "pushd", *arg,
				    complaint);
			turn = true;
		} else {
			break;
		}
	}
	if (turn)
		return rotate(s, i, stay, out, complaint);
	if (*arg == NULL)
		return 0;
	if (!stay && arg[1] != NULL) {
		buf_puts(complaint, "pushd: too many arguments\n");
		return 1;
	}
	if (!has_room(&s->dirs, stay ? *arg : s->cwd, complaint))
		return 1;
	here = xstrdup(s->cwd);
	r = stay ? 0 : state_go(s, "pushd", *arg, out, complaint);
	if (r != 0)
		return r;
	push(&s->dirs, stay ? *arg : here);
	put_all(s, 0, out);
	return 0;
}

/* popd of the first entry: go to the next one. */
static int
pop_first(struct state *s, bool stay, struct buf *out, struct buf *complaint)
{
	int r = stay ? 0 : state_go(s, "popd", s->dirs.v[0], out, complaint);

	if (r == 0)
		cut(&s->dirs, 0);
	return r;
}

int
state_popd(struct state *s, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	const char *word = "";
	bool stay = false;
	char sign = '+';
	intmax_t n = 0, i;
	int r = 0;

	for (; *argv != NULL; argv++) {
		if (is_option(*argv, 'n')) {
			stay = true;
		} else if (is_option(*argv, '-')) {
			break;
		} else if (**argv == '+' || **argv == '-') {
			sign = **argv;
			if (!number_of(*argv, &n))
				return bad_usage("popd", *argv,
				    "invalid number", POPD_USAGE, complaint);
			word = *argv;
		} else if (**argv != '\0') {
			return bad_usage("popd", *argv, "invalid argument",
			    POPD_USAGE, complaint);
		} else {
			/* bash takes "" for neither sign, and drops what
			 * -0 would. */
			sign = '-';
			break;
		}
	}
	i = index_of(&s->dirs, sign, n);
	if (i < 0 || s->dirs.n == 0)
		return bad_index(&s->dirs, "popd", word, complaint);
	if (i == 0)
		r = pop_first(s, stay, out, complaint);
	else
		cut(&s->dirs, (size_t)i - 1);
	if (r == 0)
		put_all(s, 0, out);
	return r;
}

int
state_dirs(struct state *s, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	const char *word = NULL;
	bool clear = false;
	intmax_t n, i = 0;
	int form = 0;

	for (; *argv != NULL; argv++) {
		if (is_option(*argv, 'l')) {
			form |= DIRS_LONG;
		} else if (is_option(*argv, 'c')) {
			clear = true;
		} else if (is_option(*argv, 'v')) {
			form |= DIRS_NUMBERS;
		} else if (is_option(*argv, 'p')) {
			form |= DIRS_LINES;
		} else if (is_option(*argv, '-')) {
			break;
		} else if (**argv == '+' || **argv == '-') {
			if (!number_of(*argv, &n))
				return bad_usage("dirs", *argv,
				    "invalid number", DIRS_USAGE, complaint);
			word = *argv + 1;
			i = index_of(&s->dirs, **argv, n);
		} else {
			return bad_usage("dirs", *argv, "invalid option",
			    DIRS_USAGE, complaint);
		}
	}
	if (clear) {
		strv_done(&s->dirs);
	} else if (word == NULL) {
		put_all(s, form, out);
	} else if (i < 0) {
		return bad_index(&s->dirs, "dirs", word, complaint);
	} else {
		put_entry(s, form, (size_t)i, out);
		buf_putc(out, '\n');
	}
	return 0;
}
