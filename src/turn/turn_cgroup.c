/* SPDX-License-Identifier: ISC */
/* Where lines with limits get groups of their own (aegsh/cgroup.h). */
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/cgroup.h"
#include "aegsh/conf.h"
#include "aegsh/sandbox.h"
#include "turn/turn_int.h"

#define BUSCTL "/usr/bin/busctl"

/* Who may write there leaves its group. */
static bool
is_withheld(const struct turn *t, const char *dir)
{
	return (sandbox_rights_at(t->sandbox, dir) &
	    (SANDBOX_WRITE | SANDBOX_MAKE)) == 0;
}

/* Only by a program that nobody but root could have put there. */
static bool
is_asked_for(const struct turn *t)
{
	return strcmp(conf_str(t->opts.conf, CONF_CONTROL_GROUP), "ask") == 0 &&
	    conf_trust_is_roots(BUSCTL);
}

static struct cgroup *
begin(const struct turn *t)
{
	const struct cgroup_host host = { "", geteuid(), getpid() };
	AEG_AUTO(cgroup_found_done) struct cgroup_found f = { .dir = NULL };
	struct cgroup *c = NULL;

	if (strcmp(conf_str(t->opts.conf, CONF_CONTROL_GROUP), "off") == 0)
		return NULL;
	cgroup_find(&host, &f);
	/* What runs one line is over before it was worth it. */
	if (f.state != CGROUP_OURS && f.state != CGROUP_NONE &&
	    t->opts.tty >= 0 && is_asked_for(t) &&
	    cgroup_ask(&host, BUSCTL, NULL) == 0) {
		cgroup_found_done(&f);
		cgroup_find(&host, &f);
	}
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
