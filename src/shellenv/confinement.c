/* SPDX-License-Identifier: ISC */
/*
 * What confines this process, and what that means for installing programs
 * and for editing start-up files.
 */
#include "confinement_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "aegsh/base/text.h"

/* A row without mode serves every mode that has no row of its own. */
static const struct {
	const char *id, *mode;
	enum shellenv_can package, user, profile;
	const char *condition;
} effects[] = {
#define NOT SHELLENV_CAN_NOT
#define SOME SHELLENV_CAN_PARTLY
#define CAN SHELLENV_CAN
	{ "snap", "classic", CAN, CAN, CAN, "packages: with sudo" },
	{ "snap", NULL, NOT, SOME, NOT, "only within the snap's own home" },
	{ "flatpak", NULL, NOT, SOME, NOT, "only within the sandbox" },
	{ "selinux", "permissive", CAN, CAN, CAN, NULL },
	{ "selinux", NULL, CAN, CAN, CAN, "where the policy allows it" },
	{ "apparmor", "complain", CAN, CAN, CAN, NULL },
	{ "apparmor", NULL, CAN, CAN, CAN, "where the profile allows it" },
	{ "chroot", NULL, SOME, CAN, CAN,
	    "packages: where a package manager is in it" },
	{ "docker", NULL, SOME, CAN, CAN,
	    "gone with the container unless on a volume" },
	{ "podman", NULL, SOME, CAN, CAN,
	    "gone with the container unless on a volume" },
	{ "container", NULL, SOME, CAN, CAN,
	    "gone with the container unless on a volume" },
	{ "lxc", NULL, CAN, CAN, CAN, "packages: as root of the container" },
	{ "nspawn", NULL, CAN, CAN, CAN,
	    "packages: as root of the container" },
	{ "wsl", NULL, CAN, CAN, CAN, "packages: with sudo" },
	{ "landlock", NULL, SOME, SOME, SOME, "what its rules grant" },
	{ "seccomp", NULL, SOME, CAN, CAN,
	    "with the system calls that the filter lets through" },
	{ "no_new_privs", NULL, NOT, CAN, CAN,
	    "sudo and other set-uid programs do not raise rights" },
	{ "user_namespace", NULL, SOME, CAN, CAN,
	    "root is root only of the namespace" },
#undef NOT
#undef SOME
#undef CAN
};

/* The first line of a small file; NULL: none. */
const char *
se_conf_first_line(struct shellenv *se, const char *path)
{
	const char *text;
	size_t len;

	if (se_read(se, path, &text, &len) < 0)
		return NULL;
	return arena_memdup0(se->arena, text, strcspn(text, "\n"));
}

/* The value of "Name:\tvalue" in a status file. */
static const char *
status_of(struct shellenv *se, const char *path, const char *name)
{
	const char *text, *p;
	size_t len;

	if (se_read(se, path, &text, &len) < 0)
		return NULL;
	p = strstr(text, se_printf(se, "\n%s:\t", name));
	if (p == NULL)
		return NULL;
	p += strlen(name) + 3;
	return arena_memdup0(se->arena, p, strcspn(p, "\n"));
}

static void
find_seccomp(struct shellenv *se, struct conf_found *f)
{
	const char *v = status_of(se, "/proc/self/status", "Seccomp");

	if (v == NULL)
		return;
	f->present = v[0] != '0';
	f->mode = v[0] == '1' ? "strict" : v[0] == '2' ? "filter" : NULL;
	f->evidence = se_printf(se, "/proc/self/status: Seccomp %s", v);
}

/* aegshctl sets it on itself, so the one who called is looked at: what that
 * has is inherited. */
static void
find_nnp(struct shellenv *se, struct conf_found *f)
{
	const char *path = "/proc/self/status", *v;

	if (se->root[0] == '\0' && getppid() > 0)
		path = se_printf(se, "/proc/%d/status", (int)getppid());
	v = status_of(se, path, "NoNewPrivs");
	if (v == NULL)
		return;
	f->present = v[0] != '0';
	f->evidence = se_printf(se, "%s: NoNewPrivs %s", path, v);
}

static void
find_userns(struct shellenv *se, struct conf_found *f)
{
	const char *v = se_conf_first_line(se, "/proc/self/uid_map");
	unsigned long a, b, n;
	char *end;

	if (v == NULL)
		return;
	a = strtoul(v, &end, 10);
	b = strtoul(end, &end, 10);
	n = strtoul(end, &end, 10);
	f->present = !(a == 0 && b == 0 && n == 4294967295UL);
	f->evidence = se_printf(se, "/proc/self/uid_map: %lu %lu %lu", a, b,
	    n);
}

static const char *
selinux_enforce(struct shellenv *se)
{
	return se_conf_first_line(se, "/sys/fs/selinux/enforce");
}

static void
find_selinux(struct shellenv *se, struct conf_found *f)
{
	const char *v = selinux_enforce(se);
	const char *context = se_conf_first_line(se, "/proc/self/attr/current");

	f->present = v != NULL;
	if (v == NULL)
		return;
	f->mode = v[0] == '1' ? "enforcing" : "permissive";
	f->evidence = se_printf(se, "/sys/fs/selinux/enforce: %s, context %s",
	    v, context != NULL ? context : "not readable");
}

/* "snap.code.code (enforce)": the profile and, in brackets, its mode. */
static const char *
apparmor_label(struct shellenv *se, const char **ret_mode)
{
	const char *on, *label, *open;

	*ret_mode = NULL;
	on = se_conf_first_line(se, "/sys/module/apparmor/parameters/enabled");
	if (!se_exists(se, "/sys/kernel/security/apparmor") &&
	    (on == NULL || on[0] != 'Y'))
		return NULL;
	label = se_conf_first_line(se, "/proc/self/attr/apparmor/current");
	if (label == NULL && selinux_enforce(se) == NULL)
		label = se_conf_first_line(se, "/proc/self/attr/current");
	if (label == NULL)
		return NULL;
	open = strrchr(label, '(');
	if (open != NULL) {
		*ret_mode = arena_memdup0(se->arena, open + 1,
		    strcspn(open + 1, ")"));
		label = arena_memdup0(se->arena, label, open > label ?
		    (size_t)(open - label - 1) : 0);
	}
	return label;
}

static void
find_apparmor(struct shellenv *se, struct conf_found *f)
{
	const char *label = apparmor_label(se, &f->mode);

	f->present = label != NULL && strcmp(label, "unconfined") != 0;
	if (label != NULL)
		f->evidence = se_printf(se, "profile of this process: %s",
		    label);
}

/* SNAP is inherited by what a snap starts outside (a terminal of an
 * editor): the label, or the package's own word, decides. */
static void
find_snap(struct shellenv *se, struct conf_found *f)
{
	const char *snap = se_getenv(se, "SNAP"), *mode, *text, *p;
	const char *label = apparmor_label(se, &mode);
	size_t len;

	f->present = 0;
	if (label != NULL && text_starts(label, "snap.")) {
		f->present = 1;
		f->mode = mode != NULL && strcmp(mode, "complain") == 0 ?
		    "devmode" : "strict";
		f->evidence = se_printf(se, "AppArmor profile %s", label);
	} else if (snap == NULL) {
		return;
	}
	if (snap == NULL || se_read(se, se_printf(se, "%s/meta/snap.yaml",
	    snap), &text, &len) < 0) {
		if (snap != NULL && f->present == 0) {
			f->present = 1;
			f->mode = "strict";
			f->evidence = se_printf(se, "SNAP=%s", snap);
		}
		return;
	}
	f->present = 1;
	p = strstr(text, "confinement:");
	if (p == NULL || (p > text && p[-1] != '\n'))
		p = " strict";		/* snapcraft's default */
	else
		p += strlen("confinement:");
	p += strspn(p, " \t");
	f->mode = arena_memdup0(se->arena, p, strcspn(p, " \t\r\n"));
	f->evidence = se_printf(se, "SNAP=%s, snap.yaml says %s", snap,
	    f->mode);
}

static void
find_flatpak(struct shellenv *se, struct conf_found *f)
{
	const char *id = se_getenv(se, "FLATPAK_ID");

	f->present = id != NULL || se_exists(se, "/.flatpak-info");
	if (id != NULL)
		f->evidence = se_printf(se, "FLATPAK_ID=%s", id);
	else if (f->present)
		f->evidence = "/.flatpak-info";
}

static const struct {
	const char *id;
	void (*find)(struct shellenv *se, struct conf_found *f);
} table[] = {
	{ "snap", find_snap }, { "flatpak", find_flatpak },
	{ "selinux", find_selinux }, { "apparmor", find_apparmor },
	{ "chroot", se_conf_find_chroot }, { "docker", se_conf_find_docker },
	{ "podman", se_conf_find_podman }, { "lxc", se_conf_find_lxc },
	{ "nspawn", se_conf_find_nspawn },
	{ "container", se_conf_find_container },
	{ "wsl", se_conf_find_wsl }, { "landlock", se_conf_find_landlock },
	{ "seccomp", find_seccomp }, { "no_new_privs", find_nnp },
	{ "user_namespace", find_userns },
};

static void
add_effect(struct shellenv_confinement *c)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(effects); i++) {
		if (strcmp(effects[i].id, c->id) != 0 ||
		    (effects[i].mode != NULL && (c->mode == NULL ||
		    strcmp(effects[i].mode, c->mode) != 0)))
			continue;
		c->package_install = effects[i].package;
		c->user_install = effects[i].user;
		c->profile_write = effects[i].profile;
		c->condition = effects[i].condition;
		return;
	}
}

int
shellenv_confinements(struct shellenv *se,
    const struct shellenv_confinement **ret, size_t *ret_n, struct err *err)
{
	struct shellenv_confinement *list;
	size_t i;

	list = arena_alloc(se->arena, AEG_NELEM(table) * sizeof *list);
	for (i = 0; i < AEG_NELEM(table); i++) {
		struct conf_found f = { .present = -1 };

		table[i].find(se, &f);
		list[i].id = table[i].id;
		list[i].present = f.present;
		list[i].mode = f.mode;
		list[i].evidence = f.evidence;
		add_effect(&list[i]);
	}
	*ret = list;
	*ret_n = AEG_NELEM(table);
	return 0;
}
