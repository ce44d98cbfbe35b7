/* SPDX-License-Identifier: ISC */
/* Who holds the limits of a line: as a line would find it from here. */
#include <unistd.h>

#include "admin_int.h"
#include "aegsh/base/mem.h"
#include "aegsh/cgroup.h"
#include "aegsh/sandbox.h"

static const char *
names_of(unsigned controllers)
{
	return controllers == (CGROUP_MEMORY | CGROUP_PIDS) ? "memory, pids" :
	    controllers == CGROUP_MEMORY ? "memory" : "pids";
}

/* Whoever starts an aegsh is in a group that it then shares. */
char *
admin_limits_text(const struct sandbox_profile *p)
{
	const struct cgroup_host host = { "", geteuid(), getpid() };
	AEG_AUTO(cgroup_found_done) struct cgroup_found f = { .dir = NULL };
	const char *why;

	cgroup_find(&host, &f);
	why = f.why;
	if (f.state == CGROUP_OURS && p != NULL && (sandbox_rights_at(p,
	    f.dir) & (SANDBOX_WRITE | SANDBOX_MAKE)) != 0)
		why = "the profile lets commands write there";
	else if (f.state == CGROUP_OURS)
		return xasprintf("counted, and held by the kernel (%s) in %s",
		    names_of(f.controllers), f.dir);
	return f.dir == NULL ? xasprintf("counted; control groups: %s", why) :
	    xasprintf("counted; control group %s: %s", f.dir, why);
}
