/* SPDX-License-Identifier: ISC */
/*
 * A line that is judged in parts, as its text comes: the units of a stream.
 * The scripts of each are handed over before it is fed to the bash that runs
 * them all.
 *
 * What an earlier unit ran may have been changed by one since, which is its
 * good right: so the scripts of earlier units are looked at only where one
 * of their own processes opens them, which are those that were below the
 * bash when the next unit came.
 */
#include "supervise_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/rights.h"

#define ANCESTORS_MAX 65536	/* that are followed */

/* ---- aegsh's side ------------------------------------------------------- */

static int
send_fd(int control, const struct sup_report *r, const char *path, int fd)
{
	const struct iovec iov[2] = { { (void *)(uintptr_t)r, sizeof *r },
		{ (void *)(uintptr_t)path, r->path_len } };
	ssize_t n = rights_send(control, iov, 2, 0, &fd, fd >= 0);

	return n < 0 ? (int)n : 0;
}

int
sup_send_unit(int control, const struct supervise_opts *o)
{
	struct sup_report r = { .kind = SUP_UNIT, .pid = (int32_t)o->n,
		.path_len = (uint32_t)strlen(o->label) };
	int rc = send_fd(control, &r, o->label, -1);
	size_t i;

	for (i = 0; rc == 0 && i < o->n; i++) {
		const struct supervise_script *s = &o->script[i];

		r = (struct sup_report){ .kind = SUP_SCRIPT,
			.pid = s->hidden,
			.path_len = (uint32_t)strlen(s->path) };
		rc = send_fd(control, &r, s->path, s->copy);
	}
	return rc;
}

int
sup_send_listener(int control, int listener, pid_t pid)
{
	const struct sup_report r = { .pid = (int32_t)pid,
		.kind = listener < 0 ? SUP_LET_GO : SUP_LISTEN };

	return send_fd(control, &r, "", listener);
}

/* ---- the supervisor's side ---------------------------------------------- */

bool
sup_unit_is_old(const struct sup *s, const struct sup_script *script)
{
	return script->guest == 0 && script->unit != s->unit;
}

/* All that earlier units have left, as far as it can be known. */
static int
note_children(struct sup *s)
{
	char path[64];
	int child, rc;
	FILE *f;

	s->before.n = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children",
	    (int)s->line, (int)s->line);
	f = fopen(path, "re");
	if (f == NULL)
		return -errno;
	while (fscanf(f, "%d", &child) == 1)
		sup_members_add(&s->before, (struct sup_known){ child,
		    sup_proc_stat(child).start });
	rc = ferror(f) ? -EIO : 0;
	fclose(f);
	return rc;
}

/* Bash itself, or a process that it has started since the unit came.  Those
 * whose parents are gone may be of any. */
static bool
is_of_this_unit(const struct sup *s, pid_t pid)
{
	size_t i;
	int hop;

	for (hop = 0; hop < ANCESTORS_MAX && pid != s->line; hop++) {
		const struct sup_stat stat = sup_proc_stat(pid);

		if (stat.parent <= 1)
			return false;
		for (i = 0; stat.parent == s->line && i < s->before.n; i++)
			if (s->before.v[i].pid == pid &&
			    s->before.v[i].start == stat.start)
				return false;
		pid = stat.parent;
	}
	return pid == s->line;
}

static bool
left_nothing(const struct sup *s)
{
	size_t i;

	for (i = 0; i < s->known.n; i++)
		if (s->known.v[i].pid != s->line &&
		    sup_is_same(&s->known.v[i]))
			return false;
	return s->before.n == 0;
}

static void
drop_old(struct sup *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		if (sup_unit_is_old(s, &s->script[i]))
			sup_script_done(&s->script[i]);
		else
			s->script[n++] = s->script[i];
	s->n = n;
}

static int
hold(struct sup *s, const struct supervise_script *script)
{
	struct sup_script *there = NULL;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->script[i].guest == 0 &&
		    strcmp(s->script[i].name[0], script->path) == 0)
			there = &s->script[i];
	if (there == NULL && s->n == SUP_SCRIPTS_MAX && left_nothing(s))
		drop_old(s);
	if (there == NULL && s->n == SUP_SCRIPTS_MAX)
		return -ENOSPC;
	if (there != NULL)
		sup_script_done(there);
	else
		there = &s->script[s->n++];
	sup_script_set(there, script);
	there->unit = s->unit;
	return 0;
}

static void
say_held(struct sup *s)
{
	const struct sup_report r = { .kind = SUP_HELD, .pid = s->held };

	if (s->awaited == 0)
		sup_report(s, &r, NULL, NULL, NULL);
}

void
sup_unit_let_go(struct sup *s)
{
	s->between = true;
	io_close(&s->listener);
	s->awaited = s->held = 0;
	say_held(s);
}

void
sup_unit_listen(struct sup *s, const struct sup_report *r, int *listener)
{
	s->between = false;
	s->listener = *listener;
	*listener = -1;
	s->line = r->pid;
	s->head = (struct sup_known){ r->pid, sup_proc_stat(r->pid).start };
	sup_adopted_begin(s);
	s->images = s->reads = s->began = true;
	sup_attempt_first(s);
	s->awaited = 0;
	s->held = s->listener < 0 ? -EPROTO : 0;
	say_held(s);
}

void
sup_unit_begin(struct sup *s, const struct sup_report *r, const char *label)
{
	if (label[0] != '\0')
		snprintf(s->label, sizeof s->label, "%s", label);
	s->unit++;
	s->awaited = r->pid;
	s->held = note_children(s);
	say_held(s);
}

void
sup_unit_script(struct sup *s, const struct sup_report *r, const char *path,
    int *copy)
{
	const struct supervise_script script = { .path = path, .copy = *copy,
		.hidden = r->pid != 0 };
	int rc = *copy < 0 || path[0] != '/' ? -EPROTO : hold(s, &script);

	if (rc == 0)
		*copy = -1;	/* it is the script's */
	if (s->held == 0)
		s->held = rc;
	s->awaited--;
	say_held(s);
}

const struct sup_script *
sup_unit_find(const struct sup *s, const char *name, pid_t pid)
{
	const struct sup_script *found = NULL;
	size_t i;

	/* Two of them may be one file by two names. */
	for (i = 0; i < s->n && found == NULL; i++)
		if (!sup_unit_is_old(s, &s->script[i]))
			found = sup_script_find(&s->script[i], 1, name);
	if (found != NULL)
		return found;
	for (i = 0; i < s->n && found == NULL; i++)
		if (sup_unit_is_old(s, &s->script[i]))
			found = sup_script_find(&s->script[i], 1, name);
	return found != NULL && !is_of_this_unit(s, pid) ? found : NULL;
}
