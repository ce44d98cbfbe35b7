/* SPDX-License-Identifier: ISC */
/*
 * The `#!` chain of a script, as execve(2) would walk it, through env(1) and
 * through auto-shebang(1), which is known by its file whatever its name is
 * and asked what it would start.  Files are looked at, never run.
 */
#include "resolve_int.h"
#include "resolve_path_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/shebang.h"

#define SHEBANG_LINE_MAX 256	/* BINPRM_BUF_SIZE of the kernel */

struct first_line {
	char text[SHEBANG_LINE_MAX];
	char *program;		/* that execve(2), or env, starts */
	char *rest;		/* that it gets before the script, or NULL */
	bool by_env;
	bool split;		/* by env -S: rest is any number of words */
	bool env_acts;		/* options or NAME=VALUE stand there */
};

/* The interpreter and its one argument.  Returns 1, or 0 where the file does
 * not begin with a `#!` line, -1 where it can't be read. */
static int
read_line(const char *path, struct first_line *ret)
{
	int fd AEG_AUTOFD = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
	    O_NONBLOCK);
	char *line = ret->text, *p, *end;
	ssize_t n;

	if (fd < 0 || (n = read(fd, line, SHEBANG_LINE_MAX - 1)) < 0)
		return -1;
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return 0;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	p = line + 2 + strspn(line + 2, " \t");
	end = p + strcspn(p, " \t");
	ret->program = p;
	ret->rest = NULL;
	ret->by_env = ret->split = ret->env_acts = false;
	if (*end != '\0') {
		*end++ = '\0';
		p = end + strspn(end, " \t");
		end = p + strlen(p);
		while (end > p && strchr(" \t", end[-1]) != NULL)
			*--end = '\0';
		if (*p != '\0')
			ret->rest = p;
	}
	return *ret->program != '\0' ? 1 : 0;
}

/* `#!/usr/bin/env [-S] [-opts] [N=V…] PROG …`: PROG becomes the program. */
static bool
pass_env(struct first_line *l)
{
	char *word = l->rest, *end;

	l->by_env = true;
	while (word != NULL && *word != '\0') {
		word += strspn(word, " \t");
		end = word + strcspn(word, " \t");
		if (strncmp(word, "-S", 2) == 0) {
			l->split = true;
			word += 2;
			continue;
		}
		if (strncmp(word, "--split-string=", 15) == 0) {
			l->split = true;
			word += 15;
			continue;
		}
		if (*word != '-' && memchr(word, '=',
		    (size_t)(end - word)) == NULL) {
			l->program = word;
			l->rest = end + strspn(end, " \t");
			*end = '\0';
			if (*l->rest == '\0')
				l->rest = NULL;
			return *word != '\0';
		}
		l->env_acts |= end > word;
		word = end;
	}
	return false;
}

static bool
is_resolver(const char *path, struct stat *ret)
{
	int fd AEG_AUTOFD = open(path, O_PATH | O_CLOEXEC);

	return fd >= 0 && fstat(fd, ret) == 0 && shebang_is_resolver(fd);
}

/* What the line makes auto-shebang look for; NULL where it does something
 * else, or takes another word than the script for the script. */
static const char *
search_name(const struct first_line *l)
{
	const char *name = path_base(l->program), *rest = l->rest;

	if (l->env_acts)
		return NULL;
	if (strcmp(name, "auto-shebang") != 0)
		return rest == NULL ? name : NULL;
	/* Its options and verbs; env without -S does not part words, and
	 * with it knows quotes, which no name needs. */
	if (rest == NULL || rest[0] == '-' || strcmp(rest, "link") == 0 ||
	    strcmp(rest, "unlink") == 0 || strcmp(rest, "doctor") == 0 ||
	    (l->by_env && !l->split) ||
	    (l->split && strpbrk(rest, " \t\"'\\$#") != NULL))
		return NULL;
	return rest;
}

/* Owned path under which auto-shebang would start the interpreter. */
static char *
ask_resolver(const struct first_line *l, const char *script,
	const struct stat *resolver, const struct state *state)
{
	AEG_AUTO(shebang_result_done) struct shebang_result found =
	    SHEBANG_RESULT_INIT;
	AEG_AUTO(strv_done) struct strv env = STRV_INIT;
	/* The working directory of this process is the shell's. */
	struct shebang_query q = { .name = search_name(l), .script = script,
		.cwd_fd = AT_FDCWD, .self_dev = resolver->st_dev,
		.self_ino = resolver->st_ino };

	if (q.name == NULL)
		return NULL;
	state_envp(state, &env);
	q.envp = strv_peek(&env);
	if (shebang_resolve(&q, &found, NULL) < 0)
		return NULL;
	return AEG_STEAL(found.path);
}

/* The program of the line as it would be started; NULL: not to be known. */
static char *
next_program(struct first_line *l, const struct state *state)
{
	struct stat st;
	char *next = NULL;

	/* A file named env may be anything, auto-shebang too. */
	if (strcmp(path_base(l->program), "env") == 0 && l->rest != NULL &&
	    !is_resolver(l->program, &st) && !pass_env(l))
		return NULL;
	if (resolve_find(l->program, state, &next) < 0)
		next = l->program[0] == '/' ? xstrdup(l->program) : NULL;
	return next;
}

char *
resolve_interpreter(const char *script, const struct state *state,
	struct resolve_chain *ret_chain)
{
	/* As it is started, and the file behind: circles are of files. */
	char *named AEG_AUTOFREE = xstrdup(script);
	char *file AEG_AUTOFREE = NULL;
	struct first_line line;
	struct stat st;
	char *next, *real;
	bool any = false;
	int hops, rc;

	for (hops = 0; (rc = read_line(named, &line)) > 0; hops++) {
		if (file == NULL)
			file = resolve_real(script);
		next = hops < RESOLVE_SHEBANG_MAX ?
		    next_program(&line, state) : NULL;
		if (next != NULL && is_resolver(next, &st)) {
			ret_chain->asked = true;
			free(next);
			next = ask_resolver(&line, named, &st, state);
		}
		real = next != NULL ? resolve_real(next) : NULL;
		if (real == NULL || strcmp(real, file) == 0) {
			ret_chain->incomplete = true;
			free(next);
			free(real);
			break;
		}
		free(named);
		named = next;
		free(file);
		file = real;
		any = true;
	}
	ret_chain->unread |= rc < 0;
	return any ? AEG_STEAL(file) : NULL;
}
