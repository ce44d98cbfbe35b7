/* SPDX-License-Identifier: ISC */
/*
 * Which group is ours, and what is written where, over a made-up machine: in
 * its tree are plain files, which take what is written and do nothing about
 * it.
 */
#include "cgroup/cgroup_int.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define PID 4242

static char root[] = "/tmp/aegsh-cgroup-XXXXXX";

static char *
at(const char *name)
{
	return xasprintf("%s/%s", root, name);
}

static void
put(const char *name, const char *text)
{
	AEG_AUTOFREE char *path = at(name);
	char *p;
	FILE *f;

	for (p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) {
		printf("Bail out! %s\n", path);
		exit(1);
	}
}

static void
expect(const char *name, const char *want)
{
	AEG_AUTOFREE char *path = at(name);
	AEG_AUTOFREE char *text = cgroup_read(AT_FDCWD, path);

	OKF(text != NULL && strcmp(text, want) == 0,
	    "%s has what it is to have", name);
}

static int
remove_one(const char *path, const struct stat *st, int what, struct FTW *ftw)
{
	(void)st, (void)what, (void)ftw;
	return remove(path);
}

static void
clean(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	mkdir(root, 0755);
}

/* A machine with its tree at /c, and us in that group of it. */
static void
machine(const char *mounts, const char *path, const char *controllers)
{
	AEG_AUTOFREE char *own = xasprintf("10:memory:/x\n0::%s\n", path);
	AEG_AUTOFREE char *dir = xasprintf("c%s/cgroup.type", path);
	AEG_AUTOFREE char *procs = xasprintf("c%s/cgroup.procs", path);
	AEG_AUTOFREE char *pass = xasprintf("c%s/cgroup.subtree_control",
	    path);
	AEG_AUTOFREE char *can = xasprintf("c%s/cgroup.controllers", path);

	clean();
	put("proc/4242/cgroup", own);
	put("proc/self/mountinfo", mounts);
	put("proc/4242/stat", "4242 (aegsh) S 1 4242");
	put(dir, "domain\n");
	put(procs, "");
	put(pass, "");
	put(can, controllers);
}

#define MOUNTS "20 1 0:20 / / rw - ext4 /dev/x rw\n" \
	"31 20 0:27 / /c rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define BOTH "cpuset cpu io memory pids\n"

static struct cgroup_host
host(void)
{
	return (struct cgroup_host){ root, geteuid(), PID };
}

static void
found(const char *what, enum cgroup_state state, const char *why)
{
	const struct cgroup_host h = host();
	struct cgroup_found f;

	cgroup_find(&h, &f);
	OKF(f.state == state && strstr(f.why, why) != NULL,
	    "%s: %d (%s)", what, (int)f.state, f.why);
	cgroup_found_done(&f);
}

static void
mark(const char *dir)
{
	AEG_AUTOFREE char *path = at(dir);

	if (setxattr(path, "user.delegate", "1", 1, 0) == 0)
		found("a unit that it delegated", CGROUP_OURS, "");
	else
		printf("ok %d - a unit that systemd delegated # SKIP no "
		    "extended attributes here\n", ++tap_count);
}

static void
test_find(void)
{
	AEG_AUTOFREE char *procs = NULL;

	machine(MOUNTS, "/a/b", BOTH);
	found("a directory that is ours", CGROUP_OURS, "");
	put("run/systemd/system/x", "");
	found("the same under systemd", CGROUP_OTHERS, "did not delegate");
	mark("c/a/b");
	machine(MOUNTS, "/a/aegsh-1.scope", BOTH);
	put("run/systemd/system/x", "");
	found("a unit that is named for aegsh", CGROUP_OURS, "");
	machine(MOUNTS, "/a/run-aegsh-1.scope", BOTH);
	put("run/systemd/system/x", "");
	found("a unit that is not", CGROUP_OTHERS, "did not delegate");

	machine(MOUNTS, "/a/b", BOTH);
	put("c/a/b/cgroup.type", "threaded\n");
	found("one for threads", CGROUP_OTHERS, "threads");
	machine(MOUNTS, "/a/b", "cpu io hugetlb\n");
	found("without controllers", CGROUP_NONE, "neither");
	machine("20 1 0:20 / / rw - ext4 /dev/x rw\n", "/a", BOTH);
	found("without a mount", CGROUP_NONE, "not mounted");
	machine("31 20 0:27 /other /c rw - cgroup2 x rw\n", "/a", BOTH);
	found("a mount of another part", CGROUP_NONE, "not mounted");
	machine("31 20 0:27 / /c\\040d rw - cgroup2 x rw\n", "/a", BOTH);
	found("a mount with a blank", CGROUP_NONE, "not mounted");
	machine(MOUNTS, "/../a", BOTH);
	found("a group outside of what is seen", CGROUP_NONE, "");
	machine(MOUNTS, "/a", BOTH);
	put("proc/4242/cgroup", "3:memory:/a\n");
	found("the first version only", CGROUP_NONE, "version 2");

	machine(MOUNTS, "/a/line-12-1", BOTH);
	found("a line's", CGROUP_OTHERS, "of a line of aegsh");
	machine(MOUNTS, "/a", BOTH);
	procs = at("c/a/cgroup.type");
	unlink(procs);
	found("the root of all", CGROUP_OTHERS, "nobody divides");
	put("c/a/cgroup.subtree_control", "memory pids\n");
	found("… that is divided", CGROUP_OURS, "");
}

/* Who cannot write cannot arrange it; root can. */
static void
test_rights(void)
{
	AEG_AUTOFREE char *procs = at("c/a/cgroup.procs");
	AEG_AUTOFREE char *dir = at("c/a");
	struct cgroup_host h = host();
	struct cgroup_found f;

	machine(MOUNTS, "/a", BOTH);
	h.uid++;
	cgroup_find(&h, &f);
	OKF(f.state == CGROUP_OTHERS, "another user's is not ours (%s)",
	    f.why);
	cgroup_found_done(&f);
	chmod(procs, 0444);
	if (geteuid() == 0)
		printf("ok %d - a file that is not writable # SKIP root "
		    "writes any\n", ++tap_count);
	else
		found("a file that is not writable", CGROUP_OTHERS,
		    "not writable");
	chmod(dir, 0755);
}

/* ---- beginning ----------------------------------------------------------- */

static void
test_begin(void)
{
	const struct cgroup_host h = host();
	struct err err = ERR_INIT;
	struct cgroup *c = NULL;
	AEG_AUTOFREE char *own = at("c/a/aegsh-4242");
	struct stat st;

	machine(MOUNTS, "/a", BOTH);
	OKF(cgroup_begin(&h, &c, &err) == 0, "begins where nobody is (%s)",
	    err.text);
	OKF(stat(own, &st) == 0 && S_ISDIR(st.st_mode), "it has its own");
	expect("c/a/cgroup.subtree_control", "+pidsry");
	OKF(c != NULL && cgroup_controllers(c) ==
	    (CGROUP_MEMORY | CGROUP_PIDS), "both controllers");
	cgroup_free(c);
	OKF(stat(own, &st) < 0, "what nobody is in is removed at the end");

	machine(MOUNTS, "/a", "pids\n");
	c = NULL;
	OKF(cgroup_begin(&h, &c, &err) == 0 &&
	    cgroup_controllers(c) == CGROUP_PIDS, "one controller is enough");
	expect("c/a/cgroup.subtree_control", "+pids");
	cgroup_free(c);

	/* One of another's: nothing is moved, nothing is written. */
	machine(MOUNTS, "/a", BOTH);
	put("c/a/cgroup.procs", "4242\n77\n");
	put("proc/77/stat", "77 (a) b) S 1 77");
	OKF(cgroup_begin(&h, &c, &err) == -EBUSY,
	    "not with a process that we did not start (%s)", err.text);
	expect("c/a/cgroup.procs", "4242\n77\n");
	expect("c/a/cgroup.subtree_control", "");
	OKF(stat(own, &st) < 0, "nothing is left of it");
	put("c/a/cgroup.procs", "4242\n0\n");
	OKF(cgroup_begin(&h, &c, &err) == -EBUSY, "nor of a namespace's");

	machine(MOUNTS, "/a/aegsh-99", BOTH);
	put("c/a/cgroup.type", "domain\n");
	put("c/a/cgroup.controllers", BOTH);
	put("c/a/cgroup.procs", "");
	put("c/a/cgroup.subtree_control", "");
	c = NULL;
	OKF(cgroup_begin(&h, &c, &err) == 0, "one of ours is inside already "
	    "(%s)", err.text);
	OKF(c != NULL && strcmp(cgroup_dir(c) + strlen(root), "/c/a") == 0,
	    "lines are beside it");
	cgroup_free(c);
}

/* ---- asking -------------------------------------------------------------- */

/* It does what systemd does, as far as we see it, and notes what it was
 * told. */
static char *
put_manager(const char *does)
{
	AEG_AUTOFREE char *text = xasprintf("#!/bin/sh\nR=%s\n"
	    "printf '%%s ' \"$@\" >$R/told\nenv | grep -E '^(XDG|DBUS)' | "
	    "sort >>$R/told\n%s\n", root, does);
	char *path = at("busctl");

	put("busctl", text);
	chmod(path, 0755);
	return path;
}

static void
put_bus(const struct cgroup_host *h)
{
	AEG_AUTOFREE char *name = xasprintf("run/user/%lu/x",
	    (unsigned long)h->uid);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	put(name, "");
	snprintf(to.sun_path, sizeof to.sun_path, "%s/run/user/%lu/bus", root,
	    (unsigned long)h->uid);
	OKF(bind(fd, (struct sockaddr *)&to, sizeof to) == 0, "a bus");
	close(fd);
}

static void
test_ask(void)
{
	const struct cgroup_host h = host();
	AEG_AUTOFREE char *program = NULL, *slow = NULL, *no = NULL;
	AEG_AUTOFREE char *want = xasprintf("--user --quiet --timeout=2 call "
	    "org.freedesktop.systemd1 /org/freedesktop/systemd1 "
	    "org.freedesktop.systemd1.Manager StartTransientUnit "
	    "ssa(sv)a(sa(sv)) aegsh-4242.scope fail 4 Description s aegsh and "
	    "its lines PIDs au 2 4242 51 Delegate b true CollectMode s "
	    "inactive-or-failed 0 DBUS_SESSION_BUS_ADDRESS=unix:path="
	    "/run/user/%lu/bus\nXDG_RUNTIME_DIR=/run/user/%lu\n",
	    (unsigned long)h.uid, (unsigned long)h.uid);
	struct err err = ERR_INIT;

	machine(MOUNTS, "/a", BOTH);
	program = put_manager("echo 0::/a/scope >$R/proc/4242/cgroup");
	OKF(cgroup_ask(&h, program, &err) == ERR_REFUSED,
	    "nobody is asked without a bus (%s)", err.text);
	put_bus(&h);
	put("c/a/cgroup.procs", "4242\n50\n51\n");
	put("proc/50/stat", "50 (login) S 1 50");
	put("proc/51/stat", "51 (aegsh-watch) S 4242 51");
	OKF(cgroup_ask(&h, program, &err) == 0, "it made one (%s)", err.text);
	expect("told", want);
	no = put_manager("exit 1");
	OKF(cgroup_ask(&h, no, &err) == -ECANCELED, "it says no (%s)",
	    err.text);
	slow = put_manager("exec sleep 1000");
	OKF(cgroup_ask(&h, slow, &err) == -ETIMEDOUT,
	    "it says nothing (%s)", err.text);
}

/* ---- lines --------------------------------------------------------------- */

/* Groups begin empty in a made-up tree: a new one cannot be set up, and is
 * gone again. */
static void
test_midway(void)
{
	const struct cgroup_host h = host();
	const struct cgroup_limits most = { 1 << 20, 7 };
	struct cgroup *c = NULL;
	struct cgroup_line *l = NULL;
	struct err err = ERR_INIT;
	AEG_AUTOFREE char *line = at("c/a/line-4242-1");
	AEG_AUTOFREE char *there = at("c/a/line-4242-2");
	struct stat st;

	machine(MOUNTS, "/a", BOTH);
	OKF(cgroup_begin(&h, &c, NULL) == 0, "another one begins");
	OKF(cgroup_line_new(c, &most, &l, &err) == -ENOENT && l == NULL,
	    "a group without its files is none (%s)", err.text);
	OKF(stat(line, &st) < 0, "nothing is left of that either");
	OKF(mkdir(there, 0755) == 0 && cgroup_line_new(c,
	    &most, &l, &err) == -EEXIST, "nor one that is there already");
	cgroup_free(c);
}

static void
test_values(void)
{
	AEG_AUTOFREE char *dir = at("c/a");
	AEG_AUTOFD int fd = -1;

	machine(MOUNTS, "/a", BOTH);
	put("c/a/cpu.stat", "usage_usec 2500\nuser_usec 7\n");
	put("c/a/memory.events", "low 0\noom 1\noom_kill 3\n");
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	OKF(cgroup_value(fd, "cpu.stat", "usage_usec") == 2500, "a number");
	OKF(cgroup_value(fd, "memory.events", "oom") == 1 &&
	    cgroup_value(fd, "memory.events", "oom_kill") == 3,
	    "by its whole name");
	OKF(cgroup_killed(fd) == 3, "killed at its own limit");
	put("c/a/memory.events", "low 0\nmax 9\noom 0\noom_kill 3\n");
	OKF(cgroup_killed(fd) == 0, "or because others took all memory");
	OKF(cgroup_value(fd, "memory.events", "none") == 0 &&
	    cgroup_value(fd, "none", "x") == 0, "none is 0");
	OKF(cgroup_name_pid("aegsh-12", "aegsh-") == 12 &&
	    cgroup_name_pid("line-12-3", "line-") == 12 &&
	    cgroup_name_pid("line-x", "line-") == 0 &&
	    cgroup_name_pid("line--1", "line-") == 0 &&
	    cgroup_name_pid("line-99999999999999999999", "line-") == 0 &&
	    cgroup_name_pid("aegsh-1", "line-") == 0, "names");
}

int
main(void)
{
	if (mkdtemp(root) == NULL) {
		printf("Bail out! %s\n", root);
		return 1;
	}
	test_find();
	test_rights();
	test_begin();
	test_ask();
	test_midway();
	test_values();
	clean();
	rmdir(root);
	return tap_done();
}
