/* SPDX-License-Identifier: ISC */
/*
 * What sudoers(5) says of aegsh-confine: how sudo is asked whether it lets the
 * user run that, and what of its answers is remembered.
 *
 * Each request is a process of its own, so what they remember lies in memory
 * that all of a session's share.  It decides nothing but whether a hint is
 * given: sudo and aegsh-confine look at sudoers themselves, each time.
 */
#include "turn/turn_elevate.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/names.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define ANSWERS 16		/* that are remembered; a ring */

/* Each is made of what was asked, of what sudoers is, and of the answer. */
struct answers {
	_Atomic uint64_t is[ANSWERS];
	_Atomic unsigned n;
};

/* ---- the question ------------------------------------------------------- */

static char *
confine_path(void)
{
	return xasprintf("%s/aegsh-confine", sysdirs()->libexec);
}

/* Options and variables come before it, and values of options are in one word
 * with them. */
static size_t
confine_at(const struct strv *confined)
{
	AEG_AUTOFREE char *path = confine_path();
	size_t i = 1;

	while (i < confined->n && strcmp(confined->v[i], path) != 0)
		i++;
	return i;
}

bool
elevate_can_ask(const struct strv *confined)
{
	static const char *const never[] = { "-n", "--non-interactive" };
	static const char *const stdin_too[] = { "-S", "--stdin" };
	size_t n = confine_at(confined), i;
	AEG_AUTOFD int tty = -1;
	bool can = false;

	for (i = 1; i < n; i++) {
		if (TEXT_AMONG(confined->v[i], never))
			return false;
		if (TEXT_AMONG(confined->v[i], stdin_too))
			can = true;
	}
	tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	return can || tty >= 0;
}

void
elevate_question(const struct strv *confined, uid_t uid, bool itself,
    bool any, struct strv *ret)
{
	size_t i;

	strv_add(ret, confined->v[0]);
	strv_add(ret, "-n");
	strv_add(ret, "-l");
	if (itself) {
		strv_add(ret, "-u");
		strv_addf(ret, "#%lu", (unsigned long)uid);
	}
	strv_add(ret, "--");
	for (i = confine_at(confined); i < confined->n; i++) {
		strv_add(ret, confined->v[i]);
		if (any && strcmp(confined->v[i], "--") == 0)
			break;
	}
	/* No line of sudoers names it, but one that lets all be run. */
	if (any)
		strv_add(ret, "/");
}

void
elevate_with_hint(const struct strv *confined, struct strv *ret)
{
	AEG_AUTO(buf_done) struct buf prompt = BUF_INIT;
	AEG_AUTOFREE char *path = confine_path();
	const char *p;
	size_t i;

	buf_puts(&prompt, "aegsh: where sudoers lets you run single commands, "
	    "it must let you run ");
	for (p = path; *p != '\0'; p++) {
		/* It stands for something in a prompt of sudo's. */
		if (*p == '%')
			buf_putc(&prompt, '%');
		buf_putc(&prompt, *p);
	}
	buf_puts(&prompt, " as well, see aegsh-confine(8)\n"
	    "[sudo] password for %p: ");
	strv_add(ret, confined->v[0]);
	strv_add(ret, "-p");
	strv_add(ret, prompt.data);
	for (i = 1; i < confined->n; i++)
		strv_add(ret, confined->v[i]);
}

int
elevate_lacks(uid_t uid, struct err *err)
{
	AEG_AUTO(names_user_done) struct names_user user = { .name = NULL };
	AEG_AUTOFREE char *path = confine_path();

	return err_set(err, ERR_REFUSED, "sudoers does not let this user run "
	    "%s, which starts in a sandbox what sudo is to run: who runs this "
	    "machine can add \"%s ALL = (root) %s\" to the lines of the "
	    "commands, see aegsh-confine(8)", path,
	    names_user_by_uid(uid, &user) == 0 ? user.name : "%GROUP", path);
}

/* ---- what is remembered ------------------------------------------------- */

void *
elevate_answers_new(void)
{
	void *a = mmap(NULL, sizeof(struct answers), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return a != MAP_FAILED ? a : NULL;
}

void
elevate_answers_free(void *answers)
{
	if (answers != NULL)
		munmap(answers, sizeof(struct answers));
}

/* FNV-1a. */
static void
mix(uint64_t *h, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < len; i++)
		*h = (*h ^ p[i]) * 0x100000001b3;
}

/* Never 0.  A file of the directory that is written in place is not seen in
 * its stamp: who is refused has everything forgotten. */
static uint64_t
mark_of(const struct strv *words, bool yes)
{
	static const char *const files[] = { "/etc/sudoers",
	    "/etc/sudoers.d" };
	uint64_t h = 0xcbf29ce484222325;
	struct elevate_file f;
	size_t i;

	for (i = 0; i < words->n; i++)
		mix(&h, words->v[i], strlen(words->v[i]) + 1);
	for (i = 0; i < AEG_NELEM(files); i++) {
		elevate_file_of(files[i], &f);
		mix(&h, &f, sizeof f);
	}
	mix(&h, &yes, sizeof yes);
	return h | 1;
}

bool
elevate_recall(void *answers, const struct strv *words, bool yes)
{
	const uint64_t mark = mark_of(words, yes);
	struct answers *a = answers;
	size_t i;

	for (i = 0; a != NULL && i < ANSWERS; i++)
		if (atomic_load(&a->is[i]) == mark)
			return true;
	return false;
}

void
elevate_remember(void *answers, const struct strv *words, bool yes)
{
	struct answers *a = answers;

	if (a != NULL && !elevate_recall(a, words, yes))
		atomic_store(&a->is[atomic_fetch_add(&a->n, 1) % ANSWERS],
		    mark_of(words, yes));
}

void
elevate_forget(void *answers)
{
	struct answers *a = answers;
	size_t i;

	for (i = 0; a != NULL && i < ANSWERS; i++)
		atomic_store(&a->is[i], 0);
}
