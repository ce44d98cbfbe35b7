/* SPDX-License-Identifier: ISC */
/* What test, [ and [[ answer, as far as it can be told. */
#include "sim_int.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define PATTERN_MAX 4096	/* bytes: fnmatch() may take its time */
#define EXT_MAX 64		/* the same, with (a|b) in it */
#define WORDS_MAX 64		/* of one test */
#define STARS_MAX 8		/* in one pattern, for the same reason */

static enum tri
tri_not(enum tri t)
{
	return t == TRI_MAYBE ? t : t == TRI_YES ? TRI_NO : TRI_YES;
}

static enum tri
tri_bool(bool b)
{
	return b ? TRI_YES : TRI_NO;
}

enum tri
se_sim_match(struct sim *s, const char *text, const char *pattern)
{
	size_t i, stars = 0;
	bool ext;
	int r;

	text = se_sim_flat(s, text);
	pattern = se_sim_flat(s, pattern);
	for (i = 0; pattern[i] != '\0'; i++)
		stars += pattern[i] == '*';
	if (strcmp(pattern, "*") == 0)
		return TRI_YES;
	/* @(a|b) and its kin, which glibc knows too. */
	ext = strchr(pattern, '(') != NULL;
	if (i > (ext ? EXT_MAX : PATTERN_MAX) || stars > STARS_MAX ||
	    !se_sim_known(pattern))
		return TRI_MAYBE;
	r = fnmatch(pattern, text, ext ? FNM_EXTMATCH : 0);
	if (r == 0)
		return TRI_YES;
	return se_sim_known(text) ? TRI_NO : TRI_MAYBE;
}

static enum tri
file_test(struct sim *s, char op, const char *path)
{
	struct stat st;
	AEG_AUTOFREE char *canon = NULL;
	const struct sim_overlay *o;

	if (!se_sim_known(path) || strchr(path, SIM_OLD) != NULL)
		return TRI_MAYBE;
	if (path[0] == '\0')
		return TRI_NO;
	if (path[0] != '/')	/* the directory it starts in: the home */
		canon = path_canon(s->se->home, path);
	else
		canon = path_canon("/", path);
	o = se_sim_overlay(s, canon);
	if (o != NULL && strchr("efrswa", op) != NULL)
		return tri_bool(o->text != NULL);
	if (op == 'h' || op == 'L')
		return tri_bool(lstat(se_disk(s->se, canon), &st) == 0 &&
		    S_ISLNK(st.st_mode));
	if (se_stat(s->se, canon, &st) < 0)
		return TRI_NO;
	switch (op) {
	case 'd':
		return tri_bool(S_ISDIR(st.st_mode));
	case 'f':
		return tri_bool(S_ISREG(st.st_mode));
	case 's':
		return tri_bool(st.st_size > 0);
	case 'x':
		return tri_bool((st.st_mode & 0111) != 0);
	case 'e':
	case 'a':
	case 'r':
	case 'w':
		return TRI_YES;
	default:
		return TRI_MAYBE;
	}
}

static enum tri
unary(struct sim *s, const char *op, const char *arg)
{
	if (op[0] != '-' || op[1] == '\0' || op[2] != '\0')
		return TRI_MAYBE;
	if (strchr("defhLsrwxa", op[1]) != NULL)
		return file_test(s, op[1], arg);
	if (op[1] == 't')
		return tri_bool(s->interactive);
	if (op[1] == 'v')
		return tri_bool(se_sim_get(s, arg) != NULL);
	if (op[1] == 'n' || op[1] == 'z') {
		if (arg[0] == SIM_UNKNOWN)
			return TRI_MAYBE;
		return tri_bool((arg[0] != '\0') == (op[1] == 'n'));
	}
	if (op[1] == 'o' && s->dialect == DIALECT_ZSH) {
		if (strcmp(arg, "login") == 0)
			return tri_bool(s->login);
		if (strcmp(arg, "interactive") == 0)
			return tri_bool(s->interactive);
	}
	return TRI_MAYBE;
}

static enum tri
numbers(const char *a, const char *op, const char *b)
{
	int64_t x, y;

	if (text_to_i64(a, INT64_MIN, INT64_MAX, &x) < 0 ||
	    text_to_i64(b, INT64_MIN, INT64_MAX, &y) < 0)
		return TRI_MAYBE;
	if (strcmp(op, "-eq") == 0)
		return tri_bool(x == y);
	if (strcmp(op, "-ne") == 0)
		return tri_bool(x != y);
	if (strcmp(op, "-lt") == 0)
		return tri_bool(x < y);
	if (strcmp(op, "-le") == 0)
		return tri_bool(x <= y);
	if (strcmp(op, "-gt") == 0)
		return tri_bool(x > y);
	if (strcmp(op, "-ge") == 0)
		return tri_bool(x >= y);
	return TRI_MAYBE;
}

static enum tri
binary(struct sim *s, const char *a, const char *op, const char *b,
    bool pattern)
{
	enum tri t;

	if (op[0] == '-')
		return numbers(se_sim_flat(s, a), op, se_sim_flat(s, b));
	if (strcmp(op, "=") != 0 && strcmp(op, "==") != 0 &&
	    strcmp(op, "!=") != 0)
		return TRI_MAYBE;
	if (pattern) {
		t = se_sim_match(s, a, b);
	} else {
		a = se_sim_flat(s, a);
		b = se_sim_flat(s, b);
		t = !se_sim_known(a) || !se_sim_known(b) ? TRI_MAYBE :
		    tri_bool(strcmp(a, b) == 0);
	}
	return op[0] == '!' ? tri_not(t) : t;
}

static enum tri
test_words(struct sim *s, const char *const *v, size_t n)
{
	size_t i;

	if (n == 0)
		return TRI_NO;
	if (n > WORDS_MAX)
		return TRI_MAYBE;
	if (n > 1 && strcmp(v[0], "!") == 0)
		return tri_not(test_words(s, v + 1, n - 1));
	/* -o binds less than -a; POSIX calls both obsolescent, profiles
	 * use them all the same. */
	for (i = 1; n > 3 && i + 1 < n; i++)
		if (strcmp(v[i], "-o") == 0) {
			enum tri a = test_words(s, v, i);
			enum tri b = test_words(s, v + i + 1, n - i - 1);

			return a == TRI_YES || b == TRI_YES ? TRI_YES :
			    a == TRI_NO ? b : b == TRI_NO ? a : TRI_MAYBE;
		}
	for (i = 1; n > 3 && i + 1 < n; i++)
		if (strcmp(v[i], "-a") == 0) {
			enum tri a = test_words(s, v, i);
			enum tri b = test_words(s, v + i + 1, n - i - 1);

			return a == TRI_NO || b == TRI_NO ? TRI_NO :
			    a == TRI_YES ? b : b == TRI_YES ? a : TRI_MAYBE;
		}
	if (n == 1)
		return unary(s, "-n", v[0]);
	if (n == 2)
		return unary(s, v[0], v[1]);
	return n == 3 ? binary(s, v[0], v[1], v[2], false) : TRI_MAYBE;
}

enum tri
se_sim_test(struct sim *s, const char *const *argv, size_t argc)
{
	size_t n = argc - 1;

	if (strcmp(argv[0], "[") == 0 && n > 0 && strcmp(argv[n], "]") == 0)
		n--;
	return test_words(s, argv + 1, n);
}

static enum tri
cond_part(struct sim *s, const struct prof_word *w, size_t n)
{
	const char *a, *op, *b;

	if (n > 0 && se_word_is(&w[0], "!"))
		return tri_not(cond_part(s, w + 1, n - 1));
	if (n == 1)
		return unary(s, "-n", se_sim_expand(s, w[0].raw, w[0].len, 0));
	if (n != 2 && n != 3)
		return TRI_MAYBE;
	a = se_sim_expand(s, w[0].raw, w[0].len, 0);
	op = se_sim_expand(s, w[1].raw, w[1].len, 0);
	if (n == 2)
		return unary(s, a, op);
	b = se_sim_expand(s, w[2].raw, w[2].len, EXPAND_PATTERN);
	return binary(s, a, op, b, true);
}

/* && binds tighter than ||. */
enum tri
se_sim_cond(struct sim *s, const struct prof_word *w, size_t n)
{
	enum tri any = TRI_NO, all = TRI_YES, t;
	size_t i, from = 0;

	if (n > 0 && se_word_is(&w[n - 1], "]]"))
		n--;
	if (n > WORDS_MAX)
		return TRI_MAYBE;
	for (i = 0; i <= n; i++) {
		bool and = i < n && se_word_is(&w[i], "&&");
		bool or = i < n && se_word_is(&w[i], "||");

		if (i < n && !and && !or)
			continue;
		t = cond_part(s, w + from, i - from);
		from = i + 1;
		all = all == TRI_NO || t == TRI_NO ? TRI_NO :
		    all == TRI_YES && t == TRI_YES ? TRI_YES : TRI_MAYBE;
		if (and)
			continue;
		any = any == TRI_YES || all == TRI_YES ? TRI_YES :
		    any == TRI_NO && all == TRI_NO ? TRI_NO : TRI_MAYBE;
		all = TRI_YES;
	}
	return any;
}
