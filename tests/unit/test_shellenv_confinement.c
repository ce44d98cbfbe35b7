/* SPDX-License-Identifier: ISC */
/* What confines a process, from systems made of a few files; and Landlock,
 * found by a child that puts itself under it. */
#include <stdlib.h>
#include <sys/wait.h>

#include "scratch.h"
#include "shellenv/shellenv_int.h"
#include "tap.h"

#include "aegsh/base/mem.h"

static const struct {
	const char *name;
	const char *files[8];	/* path, text, path, text, … */
	const char *env[3];
	const char *id, *mode;
	int present;
	enum shellenv_can package, user, profile;
} table[] = {
#define NOT SHELLENV_CAN_NOT
#define SOME SHELLENV_CAN_PARTLY
#define CAN SHELLENV_CAN
#define APPARMOR "/sys/module/apparmor/parameters/enabled", "Y\n"
	{ "a snap, strict, by its label", { APPARMOR,
	    "/proc/self/attr/current", "snap.code.code (enforce)\n" }, { "" },
	    "snap", "strict", 1, NOT, SOME, NOT },
	{ "a snap in devmode", { APPARMOR,
	    "/proc/self/attr/current", "snap.x.x (complain)\n" }, { "" },
	    "snap", "devmode", 1, NOT, SOME, NOT },
	{ "a classic snap, by its own word", { "/snap/code/1/meta/snap.yaml",
	    "name: code\nconfinement: classic\n" },
	    { "SNAP=/snap/code/1" }, "snap", "classic", 1, CAN, CAN, CAN },
	{ "a snap that says strict", { "/snap/x/1/meta/snap.yaml",
	    "confinement: strict\n" }, { "SNAP=/snap/x/1" }, "snap", "strict",
	    1, NOT, SOME, NOT },
	{ "a snap that says nothing", { "/snap/x/1/meta/snap.yaml",
	    "name: x\n" }, { "SNAP=/snap/x/1" }, "snap", "strict", 1, NOT,
	    SOME, NOT },
	{ "SNAP alone", { NULL }, { "SNAP=/snap/gone" }, "snap", "strict", 1,
	    NOT, SOME, NOT },
	{ "no snap", { NULL }, { NULL }, "snap", NULL, 0, NOT, SOME, NOT },
	{ "Flatpak by its variable", { NULL }, { "FLATPAK_ID=org.x" },
	    "flatpak", NULL, 1, NOT, SOME, NOT },
	{ "Flatpak by its file", { "/.flatpak-info", "[Application]\n" },
	    { NULL }, "flatpak", NULL, 1, NOT, SOME, NOT },
	{ "SELinux, enforcing", { "/sys/fs/selinux/enforce", "1",
	    "/proc/self/attr/current", "unconfined_u:unconfined_r\n" },
	    { NULL }, "selinux", "enforcing", 1, CAN, CAN, CAN },
	{ "SELinux, permissive", { "/sys/fs/selinux/enforce", "0" },
	    { NULL }, "selinux", "permissive", 1, CAN, CAN, CAN },
	{ "no SELinux", { NULL }, { NULL }, "selinux", NULL, 0, CAN, CAN,
	    CAN },
	{ "an AppArmor profile", { APPARMOR,
	    "/proc/self/attr/apparmor/current", "/usr/bin/x (enforce)\n" },
	    { NULL }, "apparmor", "enforce", 1, CAN, CAN, CAN },
	{ "an AppArmor profile that complains", { APPARMOR,
	    "/proc/self/attr/current", "x (complain)\n" }, { NULL },
	    "apparmor", "complain", 1, CAN, CAN, CAN },
	{ "AppArmor, unconfined", { APPARMOR, "/proc/self/attr/current",
	    "unconfined\n" }, { NULL }, "apparmor", NULL, 0, CAN, CAN, CAN },
	{ "a label that is SELinux's", { APPARMOR,
	    "/sys/fs/selinux/enforce", "1",
	    "/proc/self/attr/current", "system_u:system_r:x (enforce)\n" },
	    { NULL }, "apparmor", NULL, 0, CAN, CAN, CAN },
	{ "chroot: / is no mount", { "/proc/self/mountinfo",
	    "30 1 8:1 / /proc rw - proc proc rw\n" }, { NULL }, "chroot",
	    NULL, 1, SOME, CAN, CAN },
	{ "no chroot: the mount of process 1", { "/proc/self/mountinfo",
	    "25 1 8:1 / / rw - ext4 x rw\n", "/proc/1/mountinfo",
	    "25 1 8:1 / / rw - ext4 x rw\n" }, { NULL }, "chroot", NULL, 0,
	    SOME, CAN, CAN },
	{ "perhaps a chroot: another mount", { "/proc/self/mountinfo",
	    "99 1 8:1 / / rw - ext4 x rw\n", "/proc/1/mountinfo",
	    "25 1 8:1 / / rw - ext4 x rw\n" }, { NULL }, "chroot", NULL, -1,
	    SOME, CAN, CAN },
	{ "docker", { "/.dockerenv", "" }, { NULL }, "docker", NULL, 1, SOME,
	    CAN, CAN },
	{ "docker by its cgroup", { "/proc/self/cgroup",
	    "0::/docker/0123\n" }, { NULL }, "docker", NULL, 1, SOME, CAN,
	    CAN },
	{ "podman", { "/run/.containerenv", "" }, { NULL }, "podman", NULL, 1,
	    SOME, CAN, CAN },
	{ "podman by its variable", { NULL }, { "container=podman" },
	    "podman", NULL, 1, SOME, CAN, CAN },
	{ "LXC by the first process", { "/proc/1/environ",
	    "container=lxc" }, { NULL }, "lxc", NULL, 1, CAN, CAN, CAN },
	{ "nspawn", { "/run/systemd/container", "systemd-nspawn\n" },
	    { NULL }, "nspawn", NULL, 1, CAN, CAN, CAN },
	{ "another container", { "/run/systemd/container", "rkt\n" },
	    { NULL }, "container", "rkt", 1, SOME, CAN, CAN },
	{ "kubernetes", { "/proc/self/cgroup", "0::/kubepods/x\n" },
	    { NULL }, "container", "kubernetes", 1, SOME, CAN, CAN },
	{ "WSL 2", { "/proc/sys/kernel/osrelease",
	    "5.15.90.1-microsoft-standard-WSL2\n" }, { NULL }, "wsl", "2", 1,
	    CAN, CAN, CAN },
	{ "WSL 1", { "/proc/sys/kernel/osrelease",
	    "4.4.0-19041-Microsoft\n" }, { NULL }, "wsl", "1", 1, CAN, CAN,
	    CAN },
	{ "seccomp", { "/proc/self/status", "Name:\tx\nSeccomp:\t2\n" },
	    { NULL }, "seccomp", "filter", 1, SOME, CAN, CAN },
	{ "no seccomp", { "/proc/self/status", "Name:\tx\nSeccomp:\t0\n" },
	    { NULL }, "seccomp", NULL, 0, SOME, CAN, CAN },
	{ "no_new_privs", { "/proc/self/status",
	    "Name:\tx\nNoNewPrivs:\t1\n" }, { NULL }, "no_new_privs", NULL, 1,
	    NOT, CAN, CAN },
	{ "a user namespace", { "/proc/self/uid_map",
	    "         0       1000          1\n" }, { NULL },
	    "user_namespace", NULL, 1, SOME, CAN, CAN },
	{ "no user namespace", { "/proc/self/uid_map",
	    "         0          0 4294967295\n" }, { NULL },
	    "user_namespace", NULL, 0, SOME, CAN, CAN },
	{ "nothing to look at", { NULL }, { NULL }, "seccomp", NULL, -1, SOME,
	    CAN, CAN },
};

static void
make_file(const char *path, const char *text)
{
	AEG_AUTOFREE char *full = xasprintf("%s/root%s", scratch_dir, path);
	char *p;
	FILE *f;

	for (p = strchr(full + strlen(scratch_dir) + 1, '/'); p != NULL;
	    p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
		scratch_die(full);
}

static const struct shellenv_confinement *
find(struct shellenv *se, const char *id)
{
	const struct shellenv_confinement *list;
	size_t i, n;

	if (shellenv_confinements(se, &list, &n, NULL) < 0)
		return NULL;
	for (i = 0; i < n; i++)
		if (strcmp(list[i].id, id) == 0)
			return &list[i];
	return NULL;
}

static void
one(size_t k)
{
	AEG_AUTOFREE char *root = scratch_path("root");
	const struct shellenv_confinement *c;
	struct shellenv_opts opts = { .root = root, .home = "/nonexistent",
		.env = (char *const *)(uintptr_t)table[k].env };
	struct shellenv *se;
	size_t i;

	scratch_remove_in(AT_FDCWD, root);
	mkdir(root, 0755);
	for (i = 0; table[k].files[i] != NULL; i += 2)
		make_file(table[k].files[i], table[k].files[i + 1]);
	if (shellenv_open(&opts, &se, NULL) < 0)
		scratch_die("shellenv_open");
	c = find(se, table[k].id);
	OKF(c != NULL && c->present == table[k].present, "%s: present %d",
	    table[k].name, c != NULL ? c->present : -2);
	IS_STRN(c->mode, table[k].mode, "its mode");
	OKF(c->package_install == table[k].package &&
	    c->user_install == table[k].user &&
	    c->profile_write == table[k].profile, "%s: what is left",
	    table[k].name);
	OKF(c->present != 1 || c->evidence != NULL, "%s: there is evidence",
	    table[k].name);
	shellenv_free(se);
}

/* 1, 0 or -1, as this process sees itself. */
static int
landlock_here(void)
{
	struct shellenv *se;
	int present;

	if (shellenv_open(NULL, &se, NULL) < 0)
		return -2;
	present = find(se, "landlock")->present;
	shellenv_free(se);
	return present;
}

static void
check_landlock(void)
{
	int outside = landlock_here(), status;
	pid_t pid;

	if (outside != 0) {
		SKIP(2, outside > 0 ? "already under Landlock" :
		    "Landlock cannot be told here");
		return;
	}
	OKF(outside == 0, "not under Landlock");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (se_confine_self() < 0)
			_exit(77);
		_exit(landlock_here() == 1 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP(1, "this kernel has no Landlock");
	else
		IS_INTN(status, 0, "under Landlock it is found");
}

int
main(void)
{
	size_t k;

	scratch_new();
	for (k = 0; k < AEG_NELEM(table); k++)
		one(k);
	check_landlock();
	return tap_done();
}
