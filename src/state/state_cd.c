/* SPDX-License-Identifier: ISC */
/*
 * cd, as the one of bash 5.2 that is not in posix mode, without CDPATH,
 * cdspell and cdable_vars: the first is never carried, the others are shell
 * options, which do not outlive a line.
 */
#include "state/state_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define CD_USAGE "cd: usage: cd [-L|[-P [-e]] [-@]] [dir]"

struct cd_options {
	bool physical;		/* -P */
	bool strict;		/* -e */
};

/* A sequence that a terminal shows; its length in *ret_len. */
static bool
is_printable(const char *p, size_t len, size_t *ret_len)
{
	uint32_t cp = 0;

	*ret_len = text_utf8(p, len, &cp);
	if (*ret_len == 0)
		*ret_len = 1;
	return cp >= 0x20 && cp != 0x7f && !(cp >= 0x80 && cp < 0xa0);
}

/* As bash names a file in a message: in $'…' when it has to. */
static void
put_printable(struct buf *out, const char *name)
{
	static const char from[] = "\a\b\033\f\n\r\t\v'\\";
	static const char to[] = "abEfnrtv'\\";
	const size_t len = strlen(name);
	size_t i, n, k;
	bool plain = true;

	for (i = 0; i < len; i += n)
		plain &= is_printable(name + i, len - i, &n);
	if (plain) {
		buf_puts(out, name);
		return;
	}
	buf_puts(out, "$'");
	for (i = 0; i < len; i += n) {
		const char *special = strchr(from, name[i]);
		const bool good = is_printable(name + i, len - i, &n);

		if (special != NULL)
			buf_putf(out, "\\%c", to[special - from]);
		else if (good)
			buf_put(out, name + i, n);
		else
			for (k = 0; k < n; k++)
				buf_putf(out, "\\%03o",
				    (unsigned char)name[i + k]);
	}
	buf_putc(out, '\'');
}

/* The name of where we are from the kernel, or a complaint and NULL. */
static char *
kernel_cwd(const char *who, struct buf *complaint)
{
	char *cwd = getcwd(NULL, 0);

	/* "(unreachable)…" is no name, getcwd(3). */
	if (cwd != NULL && *cwd == '/')
		return cwd;
	free(cwd);
	buf_putf(complaint, "%s: error retrieving current directory: "
	    "getcwd: cannot access parent directories: %s\n", who,
	    strerror(ENOENT));
	return NULL;
}

static void
set_cwd(struct state *s, char *taken)
{
	free(s->cwd);
	s->cwd = taken;
}

/*
 * Go there and give the place a name.  The name is the one that the letters
 * make, if it leads somewhere; else the user's words are tried as they are,
 * and the kernel is asked for the name.  0, or -errno and nothing changed.
 */
static int
change(struct state *s, const char *to, bool physical, struct buf *complaint)
{
	AEG_AUTOFREE char *whole = *to == '/' ? xstrdup(to) :
	    xasprintf("%s%s%s", s->cwd, text_ends(s->cwd, "/") ? "" : "/",
	    to);
	AEG_AUTOFREE char *name = physical ? canon_physical(whole) :
	    canon_logical(whole);
	const bool named = name != NULL;
	char *told;
	int r;

	if (!named)
		name = xstrdup(whole);
	if (chdir(physical ? to : name) == 0) {
		if (named) {
			set_cwd(s, AEG_STEAL(name));
			return 0;
		}
	} else {
		r = -errno;
		if (physical || chdir(to) < 0)
			return r;
	}
	told = kernel_cwd("cd", complaint);
	set_cwd(s, told != NULL ? told : AEG_STEAL(name));
	return 0;
}

/* Give PWD and OLDPWD their new values; the return value is $?. */
static int
bind(struct state *s, const struct cd_options *opt)
{
	const char *pwd = vars_get(&s->vars, "PWD");
	AEG_AUTOFREE char *old = xstrdup(pwd != NULL ? pwd : "");
	AEG_AUTOFREE char *name = opt->physical ? canon_physical(s->cwd) :
	    xstrdup(s->cwd);

	vars_set(&s->vars, "OLDPWD", old);
	vars_set(&s->vars, "PWD", name != NULL ? name : s->cwd);
	return name == NULL && opt->strict ? 1 : 0;
}

/* word NULL stands for HOME. */
static int
go(struct state *s, const char *who, const char *word,
    const struct cd_options *opt, struct buf *out, struct buf *complaint)
{
	AEG_AUTOFREE char *to = NULL;
	const char *value;
	bool print = false;
	int r;

	value = word;
	if (word == NULL) {
		value = vars_get(&s->vars, "HOME");
		if (value == NULL) {
			buf_putf(complaint, "%s: HOME not set\n", who);
			return 1;
		}
	} else if (strcmp(word, "-") == 0) {
		value = vars_get(&s->vars, "OLDPWD");
		if (value == NULL) {
			buf_putf(complaint, "%s: OLDPWD not set\n", who);
			return 1;
		}
		print = true;
	}
	to = xstrdup(value);
	r = change(s, to, opt->physical, complaint);
	if (r < 0) {
		buf_putf(complaint, "%s: ", who);
		put_printable(complaint, to);
		buf_putf(complaint, ": %s\n", strerror(-r));
		return 1;
	}
	if (print)
		buf_putf(out, "%s\n", to);
	return bind(s, opt);
}

int
state_go(struct state *s, const char *who, const char *word,
    struct buf *out, struct buf *complaint)
{
	const struct cd_options none = { false, false };

	return go(s, who, word, &none, out, complaint);
}

void
state_cd_gone(struct state *s, const char *name)
{
	set_cwd(s, xstrdup(name));
	vars_set(&s->vars, "PWD", name);
}

/* Options; *argv moves to the first operand.  0, or $? of wrong usage. */
static int
take_options(char *const **argv, struct cd_options *opt,
    struct buf *complaint)
{
	char *const *arg;

	for (arg = *argv; *arg != NULL; arg++) {
		const char *p = *arg;

		if (p[0] != '-' || p[1] == '\0')
			break;
		if (strcmp(p, "--") == 0) {
			arg++;
			break;
		}
		while (*++p != '\0') {
			if (*p == 'L' || *p == 'P') {
				opt->physical = *p == 'P';
			} else if (*p == 'e') {
				opt->strict = true;
			} else {
				/* -@ too: Linux has no attributes that
				 * look like directories. */
				buf_putf(complaint, "cd: -%c: invalid "
				    "option\n" CD_USAGE "\n", *p);
				return 2;
			}
		}
	}
	opt->strict = opt->strict && opt->physical;
	*argv = arg;
	return 0;
}

int
state_cd(struct state *s, char *const *argv, struct buf *out,
    struct buf *complaint)
{
	struct cd_options opt = { false, false };
	int r = take_options(&argv, &opt, complaint);

	if (r != 0)
		return r;
	if (argv[0] != NULL && argv[1] != NULL) {
		buf_puts(complaint, "cd: too many arguments\n");
		return 1;
	}
	return go(s, "cd", argv[0], &opt, out, complaint);
}
