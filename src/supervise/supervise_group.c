/* SPDX-License-Identifier: ISC */
/*
 * The kernel holds a line's limits as well, where it has a group of its own:
 * what it needs in memory, and how many processes and threads.
 *
 * Counting goes on beside it, and is not the less strict for it: a service may
 * move a process to another group for whoever asks, as systemd's user manager
 * does, and threads are no children.  So the kernel's number of tasks is many
 * times that of children, and meant for what makes threads without end.
 */
#include "supervise_int.h"

#include <stdio.h>

#define TASKS_OF_CHILD 128

struct cgroup_line *
sup_group_make(struct cgroup *c, const struct supervise_limits *most)
{
	const struct cgroup_limits limits = {
		.memory = most->memory,
		.tasks = most->children > 0 ? ((uint64_t)most->children + 1) *
		    TASKS_OF_CHILD : 0,
	};
	struct cgroup_line *group = NULL;

	return cgroup_line_new(c, &limits, &group, NULL) == 0 ? group : NULL;
}

static void
drop(struct sup *s)
{
	cgroup_line_remove(s->group);
	cgroup_line_free(s->group);
	s->group = NULL;
}

void
sup_group_begin(struct sup *s)
{
	if (s->group != NULL && !cgroup_line_has(s->group, s->line))
		drop(s);
}

uint64_t
sup_group_cpu_ms(const struct sup *s)
{
	struct cgroup_used used;

	if (s->group == NULL)
		return 0;
	cgroup_line_used(s->group, &used);
	return used.cpu_ms;
}

void
sup_group_look(struct sup *s)
{
	const struct supervise_limits *most = &s->meter.most;
	struct cgroup_used used;
	char text[96];

	if (s->group == NULL || s->broken)
		return;
	cgroup_line_used(s->group, &used);
	/* Groups around it have limits, too, which are not the line's. */
	if (used.killed > 0 && most->memory > 0) {
		sup_meter_break(s, "limit-memory", most->memory >> 20, "MiB");
	} else if (used.refused > 0 && most->children > 0) {
		snprintf(text, sizeof text, "limit-children: %u processes "
		    "with %u threads each; starting more failed",
		    most->children + 1, TASKS_OF_CHILD);
		sup_meter_say(s, text);
	}
}

void
sup_group_end(struct sup *s)
{
	if (s->group == NULL)
		return;
	/* Its bash may be gone, and its number another's. */
	s->kept = true;
	sup_group_look(s);
	drop(s);
}
