/* SPDX-License-Identifier: ISC */
/*
 * A person said yes to a line in which "sudo apt update" stands: when the line
 * comes to it nobody needs to be asked again.  Once for each time that it
 * stands there, by those words, where the line stood, with the descriptors
 * that it had there, and for the file that it meant; whatever differs is
 * judged as if it stood nowhere.
 *
 * It lies in memory that all the processes share which serve requests of that
 * line, and nobody else.
 */
#include "turn/turn_elevate.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define APPROVED_MAX 32
#define WORDS_MAX ((size_t)16 * 1024)	/* of one, each with its NUL */
#define NS 1000000000

struct approved {
	unsigned n;
	char cwd[4096];
	struct { uint64_t dev, ino; } own[3];
	struct {
		unsigned used;
		size_t offset;		/* in the line */
		struct elevate_file file;
		size_t len;
		char words[WORDS_MAX];
	} one[APPROVED_MAX];
};

void
elevate_file_of(const char *path, struct elevate_file *ret)
{
	struct stat st;

	*ret = (struct elevate_file){ .dev = 0 };
	if (path != NULL && stat(path, &st) == 0)
		*ret = (struct elevate_file){ .dev = st.st_dev,
			.ino = st.st_ino, .size = (uint64_t)st.st_size,
			.mtime = st.st_mtim.tv_sec * NS + st.st_mtim.tv_nsec,
			.ctime = st.st_ctim.tv_sec * NS + st.st_ctim.tv_nsec };
}

bool
elevate_file_same(const struct elevate_file *a, const struct elevate_file *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	    a->mtime == b->mtime && a->ctime == b->ctime;
}

/* Its words with their NULs; false: they are too many. */
static bool
flatten(const struct strv *argv, char *to, size_t *ret_len)
{
	size_t i, at = 0;

	for (i = 0; i < argv->n; i++) {
		size_t n = strlen(argv->v[i]) + 1;

		if (n > WORDS_MAX - at)
			return false;
		memcpy(to + at, argv->v[i], n);
		at += n;
	}
	*ret_len = at;
	return true;
}

static void
add(struct turn *t, struct approved *a, const struct syn_command *c)
{
	AEG_AUTO(strv_done) struct strv argv = STRV_INIT;
	AEG_AUTO(elevate_call_done) struct elevate_call call = {
		.command = 0 };
	size_t i;

	/* What else could come by a pipe or a file it is asked about there. */
	if (c->n_redirs > 0 || c->pipe_count > 1 || c->n_assigns > 0 ||
	    c->depth > 0 || c->in_function != NULL || c->evals > 0 ||
	    c->n_words == 0 || a->n == APPROVED_MAX)
		return;
	/* A loop's command is known for each round, and stands there once. */
	for (i = 0; i < a->n; i++)
		if (a->one[i].offset == c->offset)
			return;
	for (i = 0; i < c->n_words; i++) {
		if (!c->words[i].known)
			return;
		strv_add(&argv, c->words[i].value);
	}
	if (!elevate_is_program(argv.v[0]))
		return;
	elevate_parse(t->policy, t->opts.uid, &argv, &call);
	if (call.refusal[0] != '\0' ||
	    !flatten(&argv, a->one[a->n].words, &a->one[a->n].len))
		return;
	elevate_file_of(call.command > 0 ? argv.v[call.command] : NULL,
	    &a->one[a->n].file);
	a->one[a->n++].offset = c->offset;
}

void *
turn_approve(struct turn *t, const struct turn_judged *j)
{
	struct approved *a;
	struct stat st;
	size_t i;

	if (j->answer == NULL || strcmp(j->answer, "yes") != 0 ||
	    strlen(j->cwd) >= sizeof a->cwd)
		return NULL;
	a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED |
	    MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED)
		return NULL;
	memcpy(a->cwd, j->cwd, strlen(j->cwd) + 1);
	for (i = 0; i < AEG_NELEM(a->own); i++)
		if (fstat((int)i, &st) == 0) {
			a->own[i].dev = st.st_dev;
			a->own[i].ino = st.st_ino;
		}
	for (i = 0; i < j->own->n_commands; i++)
		add(t, a, &j->own->commands[i]);
	if (a->n > 0)
		return a;
	turn_approve_done(a);
	return NULL;
}

void
turn_approve_done(void *approved)
{
	if (approved != NULL)
		munmap(approved, sizeof(struct approved));
}

static bool
same_fds(const struct approved *a, const int *std)
{
	struct stat st;
	int i;

	for (i = 0; i < 3; i++) {
		if (fstat(std[i], &st) < 0 || st.st_dev != a->own[i].dev ||
		    st.st_ino != a->own[i].ino)
			return false;
	}
	return true;
}

/* By whatever name it is called. */
static bool
is_there(const struct approved *a, const char *cwd)
{
	struct stat x, y;

	return strcmp(a->cwd, cwd) == 0 || (stat(a->cwd, &x) == 0 &&
	    stat(cwd, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino);
}

bool
turn_approved(void *approved, const struct strv *argv, const char *cwd,
    const int *std, const struct elevate_file *file)
{
	AEG_AUTOFREE char *words = xmalloc(WORDS_MAX);
	struct approved *a = approved;
	size_t len;
	unsigned i;

	if (a == NULL || !is_there(a, cwd) || !flatten(argv, words, &len))
		return false;
	for (i = 0; i < a->n; i++)
		if (a->one[i].len == len &&
		    memcmp(a->one[i].words, words, len) == 0 &&
		    same_fds(a, std) &&
		    elevate_file_same(&a->one[i].file, file) &&
		    __atomic_exchange_n(&a->one[i].used, 1,
		    __ATOMIC_SEQ_CST) == 0)
			return true;
	return false;
}
