/* SPDX-License-Identifier: ISC */
/*
 * A pager for what a person reads.  $PAGER is words, never a command for a
 * shell: a pager that is known, and letters of options.  It runs with
 * LESSSECURE, so that less(1) starts no editor and no shell, and what it
 * gets was made inert.
 */
#include "admin_read.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/state.h"

#define WORDS_MAX 32

static pid_t pager;
static FILE *terminal;

/* "-SX": what takes a file or a command has a long name or needs one. */
static bool
is_letters(const char *word)
{
	return word[0] == '-' && word[1] != '\0' && word[1 + strspn(word + 1,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")]
	    == '\0';
}

/* The words of a pager that may run; false: page nothing. */
static bool
choose(struct strv *ret)
{
	const char *value = getenv("PAGER");
	AEG_AUTOFREE char *copy = xstrdup(value != NULL ? value : "less");
	char *word, *next;

	for (word = strtok_r(copy, " \t", &next); word != NULL;
	    word = strtok_r(NULL, " \t", &next)) {
		if (ret->n >= WORDS_MAX || (ret->n > 0 ? !is_letters(word) :
		    state_refuses("PAGER", word) != NULL))
			return false;
		strv_add(ret, word);
	}
	return ret->n > 0 && strcmp(ret->v[0], "cat") != 0;
}

static void
run_pager(int from, struct strv *words)
{
	signal(SIGPIPE, SIG_DFL);
	setenv("LESSSECURE", "1", 1);
	/* As git(1) has it: a short text needs no key. */
	setenv("LESS", "FX", 0);
	setenv("LV", "-c", 0);
	/* less(1) would start what these name. */
	unsetenv("LESSOPEN");
	unsetenv("LESSCLOSE");
	unsetenv("LESSEDIT");
	if (dup2(from, STDIN_FILENO) >= 0)
		execvp(words->v[0], strv_peek(words));
	/* There is none: what comes is copied. */
	for (;;) {
		char bytes[4096];
		ssize_t n = read(from, bytes, sizeof bytes);

		if (n <= 0 || io_write_full(STDOUT_FILENO, bytes,
		    (size_t)n) < 0)
			_exit(0);
	}
}

void
admin_page_start(struct admin *a)
{
	AEG_AUTO(strv_done) struct strv words = STRV_INIT;
	int ends[2];
	FILE *out;

	if (pager > 0 || !isatty(STDOUT_FILENO) || !choose(&words) ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return;
	out = fdopen(ends[1], "w");
	pager = out == NULL ? -1 : fork();
	if (pager == 0) {
		io_close(&ends[1]);
		run_pager(ends[0], &words);
	}
	io_close(&ends[0]);
	if (pager < 0) {
		pager = 0;
		if (out != NULL)
			fclose(out);
		return;
	}
	/* Ctrl-C is the pager's to understand, and q is no error. */
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	terminal = a->out;
	a->out = out;
	a->paged = true;
}

void
admin_page_end(struct admin *a)
{
	if (pager <= 0)
		return;
	fclose(a->out);
	a->out = terminal;
	a->paged = false;
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}
