/* SPDX-License-Identifier: ISC */
/* The trial of a profile finds what holds, and what does not. */
#include "sandbox/sandbox_trial.h"
#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <sys/prctl.h>

#include "aegsh/base/mem.h"

static struct sandbox_vars vars;
static struct sandbox_profile *p;
static struct sandbox *whole;
static struct sandbox_trial *list;
static size_t n;

static const struct sandbox_trial *
act(const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	scratch_die(name);
	return NULL;
}

/* In this sandbox. */
static void
try(const struct sandbox *confined)
{
	AEG_AUTOFREE char *dir = NULL;
	struct sandbox_site site;
	struct err err = ERR_INIT;

	free(list);
	list = NULL;
	if (sandbox_site_make(p, &site, &err) < 0 ||
	    sandbox_try_in(p, &site, confined, &list, &n, &err) < 0) {
		OKF(false, "%s", err.text);
		exit(tap_done());
	}
	dir = xasprintf("%s", site.dir);
	sandbox_site_remove(&site);
	OKF(access(dir, F_OK) < 0, "%s is gone", dir);
}

static bool
is(const char *name, enum sandbox_trial_outcome outcome)
{
	const struct sandbox_trial *t = act(name);

	if (t->outcome != outcome)
		printf("# %s: outcome %d, confined %d, unconfined %d\n", name,
		    (int)t->outcome, t->confined, t->unconfined);
	return t->outcome == outcome;
}

static void
test_held(void)
{
	/* Whatever a profile forbids of these is tried. */
	static const char *const tried[] = { "read", "write", "truncate",
		"create", "directory", "rename", "move", "link", "execute",
		"store-read", "store-write", "store-rename", "store-create",
		"store-enter", "settings",
		"terminal", "terminal-high", "signal", "trace", "memory",
		"environment", "descriptor", "limits-of-others", "priority",
		"processors", "disk-priority", "abstract-socket",
		"named-socket", "unix", "tcp-connect", "tcp-bind", "udp",
		"fast-open", "mptcp", "vsock", "packet", "raw",
		"memory-program", "io_uring", "user-namespace",
		"mount-namespace", "mount", "bpf", "perf", "userfault", "keys",
		"privileges", "raise-limits",
#ifdef __x86_64__
		"x32", "i386",
#endif
	};
	size_t i, enforced = 0;

	try(whole);
	OKF(n == AEG_NELEM(tried), "%zu acts", n);
	for (i = 0; i < AEG_NELEM(tried); i++)
		OKF(act(tried[i])->what[0] != '\0', "%s is among them",
		    tried[i]);
	for (i = 0; i < n; i++) {
		OKF(list[i].outcome != SANDBOX_TRIAL_ABSENT,
		    "%s is not absent", list[i].name);
		enforced += list[i].outcome == SANDBOX_TRIAL_ENFORCED;
		OKF((list[i].outcome == SANDBOX_TRIAL_NOT_REQUIRED) ==
		    !list[i].required || list[i].outcome ==
		    SANDBOX_TRIAL_NOTHING, "%s: required %d", list[i].name,
		    list[i].required);
	}
	OKF(enforced >= 15, "%zu enforced", enforced);
	OK(is("write", SANDBOX_TRIAL_ENFORCED));
	OK(is("read", SANDBOX_TRIAL_NOT_REQUIRED));
	OK(is("execute", SANDBOX_TRIAL_ENFORCED));
	OK(is("memory", SANDBOX_TRIAL_ENFORCED));
	OK(is("mptcp", SANDBOX_TRIAL_ENFORCED) ||
	    is("mptcp", SANDBOX_TRIAL_NOTHING));
	OK(is("tcp-connect", SANDBOX_TRIAL_ENFORCED));
	OK(is("mount", SANDBOX_TRIAL_ENFORCED) ||
	    (geteuid() != 0 && is("mount", SANDBOX_TRIAL_NOTHING)));
	OK(act("mount")->confined != 0);
	OK(is("raise-limits", SANDBOX_TRIAL_ENFORCED));
}

static void
test_lacking(void)
{
	struct sandbox part = *whole;

	/* No filter: what it kept away goes through, the rest does not. */
	part.layers &= ~(unsigned)SANDBOX_SECCOMP;
	try(&part);
	OK(is("write", SANDBOX_TRIAL_ENFORCED));
	OK(is("limits-of-others", SANDBOX_TRIAL_ABSENT));
	OK(is("udp", SANDBOX_TRIAL_ABSENT));
	/* No Landlock. */
	part = *whole;
	part.layers &= ~(unsigned)(SANDBOX_LANDLOCK_FS |
	    SANDBOX_LANDLOCK_SCOPE | SANDBOX_LANDLOCK_NET);
	part.ruleset = -1;
	try(&part);
	OK(is("write", SANDBOX_TRIAL_ABSENT));
	OK(is("signal", SANDBOX_TRIAL_ABSENT));
	OK(is("execute", SANDBOX_TRIAL_ABSENT));
	OK(is("limits-of-others", SANDBOX_TRIAL_ENFORCED));
	/* Landlock alone forbids mounts too, so without both. */
	OK(act("mount")->confined != 0);
	part.layers &= ~(unsigned)SANDBOX_SECCOMP;
	try(&part);
	OK(is("mount", SANDBOX_TRIAL_ABSENT) ||
	    (geteuid() != 0 && is("mount", SANDBOX_TRIAL_NOTHING)));
	/* No limits. */
	part = *whole;
	part.n_limits = 0;
	try(&part);
	OK(is("raise-limits", SANDBOX_TRIAL_ABSENT));
}

/* Of a profile that lets files go from where the trial is. */
static void
test_store(void)
{
	struct sandbox part;
	struct err err = ERR_INIT;
	const struct sandbox_trial *t;

	scratch_mkdir("store", 0700);
	vars.store = scratch_path("store");
	scratch_puts("share/sandbox/s.conf",
	    "read = {\"/\"}\nmake = {\"/var/tmp\"}\nexecute = {\"/usr\"}\n");
	if (sandbox_load("s", &vars, &p, &err) < 0 ||
	    sandbox_prepare(p, &whole, &err) < 0) {
		OKF(false, "%s", err.text);
		return;
	}
	try(whole);
	OK(is("rename", SANDBOX_TRIAL_NOT_REQUIRED));
	IS_INT(act("rename")->confined, 0);
	t = act("store-enter");
	OKF(t->required, "a file may not be renamed into the store");
	if (t->unconfined == EXDEV) {
		SKIP(3, "the store is on another file system than /var/tmp");
	} else {
		OK(is("store-enter", SANDBOX_TRIAL_ENFORCED));
		OKF(t->confined == EACCES || t->confined == EXDEV ||
		    t->confined == EROFS, "the kernel says %d", t->confined);
		/* And where nothing forbids it, it is told. */
		part = *whole;
		part.layers &= ~(unsigned)(SANDBOX_LANDLOCK_FS |
		    SANDBOX_LANDLOCK_SCOPE | SANDBOX_LANDLOCK_NET |
		    SANDBOX_COVER);
		part.ruleset = -1;
		try(&part);
		OK(is("store-enter", SANDBOX_TRIAL_ABSENT));
	}
	OKF(rmdir(vars.store) == 0, "nothing is left in the store");
	sandbox_free(whole);
	sandbox_profile_free(p);
}

int
main(void)
{
	struct err err = ERR_INIT;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("share", 0755);
	scratch_mkdir("share/sandbox", 0755);
	vars.uid = getuid();
	if (sandbox_landlock_abi() < 6) {
		SKIP(1, "Landlock before ABI 6: no scopes");
		return tap_done();
	}
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0) {
		SKIP(1, "runs confined");
		return tap_done();
	}
	scratch_puts("share/sandbox/t.conf",
	    "read = {\"/\"}\nexecute = {\"/usr\"}\nlimit-cpu = 1000\n"
	    "connect = {\"/\"}\nseccomp = default\ntcp-connect = {1}\n"
	    "tcp-bind = {}\n");
	if (sandbox_load("t", &vars, &p, &err) < 0 ||
	    sandbox_prepare(p, &whole, &err) < 0) {
		OKF(false, "%s", err.text);
		return tap_done();
	}
	test_held();
	test_lacking();
	sandbox_free(whole);
	sandbox_profile_free(p);
	test_store();
	free(list);
	return tap_done();
}
