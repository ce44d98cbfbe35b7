/* SPDX-License-Identifier: ISC */
/* Where lines with limits get groups of their own (aegsh/cgroup.h). */
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/cgroup.h"
#include "aegsh/sandbox.h"
#include "turn/turn_int.h"

/* Who may write there leaves its group. */
static bool
is_withheld(const struct turn *t, const char *dir)
{
	return (sandbox_rights_at(t->sandbox, dir) &
	    (SANDBOX_WRITE | SANDBOX_MAKE)) == 0;
}

static struct cgroup *
begin(const struct turn *t)
{
	const struct cgroup_host host = { "", geteuid(), getpid() };
	AEG_AUTO(cgroup_found_done) struct cgroup_found f = { .dir = NULL };
	struct cgroup *c = NULL;

	cgroup_find(&host, &f);
	if (f.state != CGROUP_OURS || !is_withheld(t, f.dir) ||
	    cgroup_begin(&host, &c, NULL) < 0)
		return NULL;
	return c;
}

struct cgroup *
turn_cgroup(struct turn *t, const struct supervise_opts *watch)
{
	if (watch->guest || !supervise_has_limits(&watch->limits))
		return NULL;
	/* Once: where it fails, limits are counted alone. */
	if (!t->cgroup_tried)
		t->cgroup = begin(t);
	t->cgroup_tried = true;
	return t->cgroup;
}

void
turn_cgroup_end(struct turn *t)
{
	cgroup_free(t->cgroup);
	t->cgroup = NULL;
}
