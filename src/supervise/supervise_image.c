/* SPDX-License-Identifier: ISC */
/*
 * A program has started: libc asks for set_tid_address(2) in the new image,
 * before main() and before any constructor of it.  What the kernel says of
 * the process now is fact, whatever path execve(2) was called with.
 */
#include "supervise_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

/* Its words begin with those that the kernel takes from the judged script's
 * first line, and the script follows. */
static bool
is_as_judged(const struct sup_script *script, const struct sup_image *m)
{
	const char *p = m->argv, *end = p + m->argv_len;
	size_t i;

	for (i = 0; i <= script->n_words; i++) {
		const char *want = i < script->n_words ? script->word[i] :
		    m->said;
		size_t len = strlen(want) + 1;

		if ((size_t)(end - p) < len || memcmp(p, want, len) != 0)
			return false;
		p += len;
	}
	return script->n_words > 0;
}

/* The judged script that this name means, or NULL. */
static const struct sup_script *
script_of(const struct sup *s, const char *name)
{
	AEG_AUTOFREE char *path = NULL;

	if (name[0] == '\0' || !sup_script_may_be(s->script, s->n,
	    path_base(name)))
		return NULL;
	path = sup_proc_absolute((pid_t)s->ask->pid, AT_FDCWD, name);
	return path == NULL ? NULL : sup_unit_find(s, path,
	    (pid_t)s->ask->pid);
}

/* Bash itself, which was started for a line that was judged. */
static bool
is_first(const struct sup *s)
{
	return (pid_t)s->ask->pid == s->line && !s->began;
}

/* May it run?  What is said of it is put into ret. */
static bool
may_start(struct sup *s, const struct sup_image *m, pid_t ppid, char *ret,
    size_t size)
{
	pid_t pid = (pid_t)s->ask->pid;
	struct supervise_image image = {
		.pid = pid, .ppid = ppid, .path = m->exe,
		.argv = m->argv, .argv_len = m->argv_len, .called = m->said,
		.cwd = s->cwd, .cut = m->cut,
	};

	ret[0] = '\0';
	if (s->may_start == NULL || is_first(s))
		return true;
	if (sup_proc_link(pid, "cwd", s->cwd, sizeof s->cwd) < 0)
		s->cwd[0] = '\0';
	return s->may_start(s->ctx, &image, ret, size);
}

/* Tell of it; false: it may not run. */
static bool
report(struct sup *s, const struct sup_image *m)
{
	char said[SUPERVISE_SAID_MAX];
	const struct sup_stat *stat = sup_asker(s);
	struct sup_report head = {
		.kind = SUP_IMAGE,
		.pid = (int32_t)s->ask->pid,
		.ppid = (int32_t)stat->parent,
		.path_len = (uint32_t)strlen(m->exe),
		.argv_len = (uint32_t)(m->argv_len < SUPERVISE_ARGV_MAX ?
		    m->argv_len : SUPERVISE_ARGV_MAX),
		.wall_ns = clock_wall_ns(),
		.mono_ns = clock_mono_ns(),
		.start = stat->start,
	};
	bool may = may_start(s, m, head.ppid, said, sizeof said);

	if (!may)
		head.kind = SUP_REFUSED;
	head.said_len = (uint32_t)strlen(said);
	sup_report(s, &head, m->exe, m->argv, said);
	return may;
}

/* ---- for who judges it --------------------------------------------------- */

bool
supervise_at_terminal(const struct supervise_image *m)
{
	char input[SUP_PATH_MAX];

	return sup_proc_link(m->pid, "fd/0", input, sizeof input) > 0 &&
	    (strncmp(input, "/dev/pts/", 9) == 0 ||
	    strncmp(input, "/dev/tty", 8) == 0 ||
	    strcmp(input, "/dev/console") == 0);
}

void
supervise_parent(const struct supervise_image *m, char *ret, size_t size)
{
	if (sup_proc_link(m->ppid, "exe", ret, size) < 0)
		ret[0] = '\0';
}

/* ---- the start ----------------------------------------------------------- */

enum sup_answer
sup_image(struct sup *s, int rc, struct sup_image *m)
{
	const struct sup_script *script, *other;

	s->answer->error = -EACCES;
	if (!sup_is_valid(s))
		return SUP_REFUSE;
	/* libc does not care for this call's error. */
	if (rc < 0) {
		sup_break(s, "a program was started that cannot be looked "
		    "into: %s; see Supervision in aegsh(7)", strerror(-rc));
		return SUP_REFUSE;
	}
	sup_know(s, (pid_t)s->ask->pid);
	if (!report(s, m)) {
		sup_kill_asker(s);
		return SUP_REFUSE;
	}
	s->began = s->began || (pid_t)s->ask->pid == s->line;
	script = script_of(s, m->exe);
	if (script == NULL) {
		script = script_of(s, m->said);
		if (script == NULL || is_as_judged(script, m))
			return SUP_CONTINUE;
		other = sup_script_other(s->script, s->n, script);
		if (other != NULL && is_as_judged(other, m))
			return SUP_CONTINUE;
	}
	sup_break(s, "%s was changed after it was judged", script->name[0]);
	return SUP_REFUSE;
}
