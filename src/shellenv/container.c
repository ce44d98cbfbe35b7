/* SPDX-License-Identifier: ISC */
/* Containers, chroot, WSL, and Landlock on this very process. */
#include "confinement_int.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/text.h"

/* What the container's manager says of itself: systemd's file, then the
 * variable that it gave to the first process (root alone may read it). */
static const char *
manager(struct shellenv *se)
{
	const char *v = se_conf_first_line(se, "/run/systemd/container");
	const char *text, *p;
	size_t len;

	if (v != NULL && v[0] != '\0')
		return v;
	v = se_getenv(se, "container");
	if (v != NULL && v[0] != '\0')
		return v;
	if (se_read(se, "/proc/1/environ", &text, &len) < 0)
		return NULL;
	for (p = text; p < text + len; p += strlen(p) + 1)
		if (text_starts(p, "container=") && p[10] != '\0')
			return p + 10;
	return NULL;
}

static bool
cgroup_has(struct shellenv *se, const char *word)
{
	const char *text;
	size_t len;

	return se_read(se, "/proc/self/cgroup", &text, &len) == 0 &&
	    strstr(text, word) != NULL;
}

static void
managed_by(struct shellenv *se, struct conf_found *f, const char *name)
{
	const char *m = manager(se);

	f->present = m != NULL && strcmp(m, name) == 0;
	if (f->present)
		f->evidence = se_printf(se, "container=%s", m);
}

void
se_conf_find_docker(struct shellenv *se, struct conf_found *f)
{
	managed_by(se, f, "docker");
	if (f->present == 1)
		return;
	if (se_exists(se, "/.dockerenv")) {
		f->present = 1;
		f->evidence = "/.dockerenv";
	} else if (cgroup_has(se, "/docker/")) {
		f->present = 1;
		f->evidence = "/proc/self/cgroup";
	}
}

void
se_conf_find_podman(struct shellenv *se, struct conf_found *f)
{
	managed_by(se, f, "podman");
	if (f->present == 1)
		return;
	if (se_exists(se, "/run/.containerenv")) {
		f->present = 1;
		f->evidence = "/run/.containerenv";
	} else if (cgroup_has(se, "/libpod-")) {
		f->present = 1;
		f->evidence = "/proc/self/cgroup";
	}
}

void
se_conf_find_lxc(struct shellenv *se, struct conf_found *f)
{
	managed_by(se, f, "lxc");
	if (f->present != 1 && cgroup_has(se, "/lxc/")) {
		f->present = 1;
		f->evidence = "/proc/self/cgroup";
	}
}

void
se_conf_find_nspawn(struct shellenv *se, struct conf_found *f)
{
	managed_by(se, f, "systemd-nspawn");
}

/* Any other manager. */
void
se_conf_find_container(struct shellenv *se, struct conf_found *f)
{
	static const char *const own[] = { "docker", "podman", "lxc",
	    "systemd-nspawn", "wsl" };
	const char *m = manager(se);
	size_t i;

	f->present = m != NULL;
	for (i = 0; m != NULL && i < AEG_NELEM(own); i++)
		if (strcmp(m, own[i]) == 0)
			f->present = 0;
	if (f->present == 1) {
		f->mode = m;
		f->evidence = se_printf(se, "container=%s", m);
	} else if (cgroup_has(se, "/kubepods")) {
		f->present = 1;
		f->mode = "kubernetes";
		f->evidence = "/proc/self/cgroup";
	}
}

void
se_conf_find_wsl(struct shellenv *se, struct conf_found *f)
{
	const char *v = se_conf_first_line(se, "/proc/sys/kernel/osrelease");

	f->present = v != NULL && strcasestr(v, "microsoft") != NULL;
	if (f->present != 1)
		return;
	f->mode = strstr(v, "WSL2") != NULL ? "2" : "1";
	f->evidence = se_printf(se, "kernel %s", v);
}

/* The mount whose place is "/": its number. */
static const char *
root_mount(struct shellenv *se, const char *path)
{
	const char *text, *p;
	size_t len;

	if (se_read(se, path, &text, &len) < 0)
		return NULL;
	for (p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
		const char *q = p;
		int field;

		for (field = 0; field < 4; field++) {
			q += strcspn(q, " \n");
			q += *q == ' ';
		}
		if (q[0] == '/' && q[1] == ' ')
			return arena_memdup0(se->arena, p, strcspn(p, " "));
	}
	return "";
}

void
se_conf_find_chroot(struct shellenv *se, struct conf_found *f)
{
	struct stat mine, init;
	const char *self, *first;

	if (se_stat(se, "/proc/1/root/", &init) == 0 &&
	    se_stat(se, "/", &mine) == 0) {
		f->present = mine.st_ino != init.st_ino ||
		    mine.st_dev != init.st_dev;
		f->evidence = f->present ?
		    "/ is not the / of process 1" : NULL;
		return;
	}
	/* Without the right to look at process 1: a root that is no mount is
	 * a directory somebody changed to; the same mount as that of process
	 * 1 is none. */
	self = root_mount(se, "/proc/self/mountinfo");
	first = root_mount(se, "/proc/1/mountinfo");
	if (self != NULL && self[0] == '\0') {
		f->present = 1;
		f->evidence = "/ is no mount of this process";
	} else if (self != NULL && first != NULL && strcmp(self, first) == 0) {
		f->present = 0;
	}
}

/*
 * Landlock shows nowhere.  But a process under a ruleset for files may not
 * mount, and the kernel says so before it looks at what is to be mounted:
 * with the right to mount, a file system of no known name is ENODEV, under
 * Landlock EPERM.  Where the right is lacking, a child takes it in a user
 * namespace of its own.  Nothing can ever be mounted this way.
 */
static int
try_mount(void)
{
	if (mount("none", "/", "aegshctl-no-such-fs", 0, NULL) == 0)
		return -1;
	return errno == ENODEV ? 0 : errno == EPERM ? 1 : -1;
}

void
se_conf_find_landlock(struct shellenv *se, struct conf_found *f)
{
	int status, r;
	pid_t pid;
	char host[HOST_NAME_MAX + 1];

	if (se->root[0] != '\0')
		return;
	pid = fork();
	if (pid == 0) {
		r = geteuid() == 0 ? try_mount() : 1;
		/* EPERM without a namespace may only mean: not allowed.  The
		 * name of the host shows that the namespace gives rights. */
		if (r == 1)
			r = unshare(CLONE_NEWUSER | CLONE_NEWNS |
			    CLONE_NEWUTS) < 0 ||
			    gethostname(host, sizeof host) < 0 ||
			    sethostname(host, strnlen(host, sizeof host)) < 0 ?
			    -1 : try_mount();
		_exit(r < 0 ? 2 : r);
	}
	if (pid < 0)
		return;
	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && errno == EINTR);
	if (r != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
		return;
	f->present = WEXITSTATUS(status);
	if (f->present == 1)
		f->evidence = "mount(2) is refused even with the right to it";
}
