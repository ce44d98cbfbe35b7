/* SPDX-License-Identifier: ISC */
/* The judged scripts: their names, their bytes, and the words that the
 * kernel makes of their first line. */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define FIRST_LINE 256		/* BINPRM_BUF_SIZE of the kernel */
#define HOPS 5			/* interpreters that are scripts, bprm */

/* ---- the first line ----------------------------------------------------- */

/* What the kernel makes of a file's beginning: the interpreter, and the rest
 * of the line as one word or NULL.  False: it is no such script. */
static bool
read_line(char *text, ssize_t n, char **ret_program, char **ret_rest)
{
	char *p, *end;

	if (n < 3 || text[0] != '#' || text[1] != '!')
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	p = text + 2 + strspn(text + 2, " \t");
	for (end = p + strlen(p); end > p && strchr(" \t", end[-1]) != NULL;)
		*--end = '\0';
	*ret_program = p;
	end = p + strcspn(p, " \t");
	*ret_rest = NULL;
	if (*end != '\0') {
		*end++ = '\0';
		*ret_rest = end + strspn(end, " \t");
	}
	return *p != '\0';
}

static void
put_front(struct sup_script *s, const char *word)
{
	if (word == NULL || s->n_words == SUP_WORDS)
		return;
	memmove(&s->word[1], &s->word[0], s->n_words * sizeof s->word[0]);
	s->word[0] = xstrdup(word);
	s->n_words++;
}

/* An interpreter may be a script itself. */
static void
set_words(struct sup_script *s)
{
	AEG_AUTOFD int next = -1;
	char text[FIRST_LINE], *program, *rest;
	int fd = s->copy, hop;

	for (hop = 0; hop < HOPS; hop++) {
		ssize_t n = pread(fd, text, sizeof text - 1, 0);

		if (!read_line(text, n, &program, &rest))
			return;
		/* The kernel sets this one's own name in the place of what
		 * the caller called the script. */
		put_front(s, rest);
		put_front(s, program);
		io_close(&next);
		next = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
		    O_NOCTTY);
		if (next < 0)
			return;
		fd = next;
	}
}

/* ---- names -------------------------------------------------------------- */

/* The directory's links resolved, the last part as it is. */
static char *
beneath_real(const char *path)
{
	const char *base = path_base(path);
	AEG_AUTOFREE char *dir = xmemdup0(path, (size_t)(base - path));
	AEG_AUTOFREE char *real = realpath(dir, NULL);

	return real == NULL ? NULL : path_canon(real, base);
}

void
sup_script_set(struct sup_script *to, const struct supervise_script *s)
{
	*to = (struct sup_script){ .copy = s->copy, .hidden = s->hidden };
	to->name[0] = xstrdup(s->path);
	to->name[1] = beneath_real(s->path);
	to->name[2] = realpath(s->path, NULL);
	set_words(to);
}

static bool
is_named(const struct sup_script *s, const char *name)
{
	size_t i;

	for (i = 0; i < SUP_NAMES; i++)
		if (s->name[i] != NULL && strcmp(s->name[i], name) == 0)
			return true;
	return false;
}

bool
sup_script_may_be(const struct sup_script *s, size_t n, const char *base)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < SUP_NAMES; k++)
			if (s[i].name[k] != NULL &&
			    strcmp(path_base(s[i].name[k]), base) == 0)
				return true;
	return false;
}

const struct sup_script *
sup_script_find(const struct sup_script *s, size_t n, const char *name)
{
	AEG_AUTOFREE char *real = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (is_named(&s[i], name))
			return &s[i];
	/* By way of a link to its directory; the link may be new, which
	 * makes one more name and takes none away. */
	real = beneath_real(name);
	for (i = 0; real != NULL && i < n; i++)
		if (is_named(&s[i], real))
			return &s[i];
	return NULL;
}

/* ---- bytes -------------------------------------------------------------- */

/* 0; -EBADMSG; -EIO. */
static int
compare(int one, int other)
{
	char a[16384], b[sizeof a];
	ssize_t n, m;
	off_t at = 0;

	do {
		n = pread(one, a, sizeof a, at);
		m = pread(other, b, sizeof b, at);
		if (n < 0 || m < 0)
			return -EIO;
		if (n != m || memcmp(a, b, (size_t)n) != 0)
			return -EBADMSG;
		at += n;
	} while (n > 0);
	return 0;
}

int
sup_script_compare(const struct sup_script *s)
{
	AEG_AUTOFD int fd = open(s->name[0], O_RDONLY | O_CLOEXEC |
	    O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -EBADMSG;
	return compare(fd, s->copy);
}

const struct sup_script *
sup_script_other(const struct sup_script *s, size_t n,
    const struct sup_script *not_this)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; &s[i] != not_this && k < SUP_NAMES; k++)
			if (not_this->name[k] != NULL &&
			    is_named(&s[i], not_this->name[k]) &&
			    sup_script_compare(&s[i]) == 0)
				return &s[i];
	return NULL;
}

bool
sup_script_same(const struct sup_script *s, int copy)
{
	return compare(s->copy, copy) == 0;
}

void
sup_script_done(struct sup_script *s)
{
	size_t i;

	for (i = 0; i < SUP_NAMES; i++)
		free(s->name[i]);
	for (i = 0; i < s->n_words; i++)
		free(s->word[i]);
	io_close(&s->copy);
}

int
sup_script_reopen(const struct sup_script *s)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "/proc/self/fd/%d", s->copy);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
