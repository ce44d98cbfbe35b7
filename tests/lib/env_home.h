/* SPDX-License-Identifier: ISC */
/* A throw-away home whose start-up files are edited, for the tests of the
 * writer. */
#ifndef TESTS_ENV_HOME_H
#define TESTS_ENV_HOME_H

#include "scratch.h"
#include "tap.h"

#include "aegsh/base/mem.h"
#include "aegsh/shellenv_mend.h"

#define OLD "alias ll='ls -l'\n"
#define DIR_WANTED "$HOME/.cargo/bin"

static char home[300];

static inline char *
in_home(const char *name)
{
	return xasprintf("%s/%s", home, name);
}

static inline void
put(const char *name, const char *text)
{
	AEG_AUTOFREE char *path = in_home(name);
	FILE *f = fopen(path, "w");

	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		scratch_die(path);
}

/* NULL: not there, or nothing to read. */
static inline char *
get(const char *name)
{
	AEG_AUTOFREE char *path = in_home(name);
	char *text = xcalloc(1, 65536);
	FILE *f = fopen(path, "r");

	if (f == NULL) {
		free(text);
		return NULL;
	}
	if (fread(text, 1, 65535, f) == 0 && ferror(f)) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

static inline void
fresh_home(void)
{
	scratch_remove_in(AT_FDCWD, home);
	if (mkdir(home, 0755) < 0)
		scratch_die(home);
	put(".bashrc", OLD);
	put(".profile", ":\n");
}

static inline struct shellenv *
open_it(void)
{
	AEG_AUTOFREE char *h = xasprintf("HOME=%s", home);
	char *env[] = { h, (char *)(uintptr_t)"PATH=/usr/bin:/bin", NULL };
	struct shellenv_opts opts = { .home = home, .shell = "bash",
		.env = env };
	struct shellenv *se;

	if (shellenv_open(&opts, &se, NULL) < 0)
		scratch_die("shellenv_open");
	return se;
}

/* Plan and write; the error's text is kept. */
static struct err last;

static inline int
add(const char *dir)
{
	struct shellenv *se = open_it();
	struct shellenv_want w = { SHELLENV_PATH_ADD, dir };
	const struct shellenv_plan *plan;
	int r;

	last = (struct err)ERR_INIT;
	r = shellenv_plan(se, &w, 1, NULL, &plan, &last);
	if (r == 0)
		r = shellenv_apply(se, plan, NULL, &last);
	shellenv_free(se);
	return r;
}

static inline bool
has(const char *name, const char *part)
{
	AEG_AUTOFREE char *text = get(name);

	return text != NULL && strstr(text, part) != NULL;
}

/* Files of the home that no plan asked for. */
static inline int
leftovers(void)
{
	DIR *d = opendir(home);
	struct dirent *e;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		n += strncmp(e->d_name, ".aegshctl-", 10) == 0;
	if (d != NULL)
		closedir(d);
	return n;
}

static inline void
home_new(void)
{
	scratch_new();
	snprintf(home, sizeof home, "%s/home", scratch_dir);
}

#endif
