/* SPDX-License-Identifier: ISC */
/*
 * With whose rights a script is opened.  Root's lines may start programs
 * that are somebody else by then, and what those may not read is not handed
 * to them: a supervisor of root's looks at the file as they would, with
 * their ids, groups and capabilities (credentials(7), capabilities(7)).
 */
#include "supervise_int.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define GROUPS_MAX 65536	/* NGROUPS_MAX of the kernel */
#define READING (1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH)

struct rights {
	uid_t uid[4];		/* real, effective, saved, of files */
	gid_t gid[4];
	gid_t *group;
	int n;
	uint64_t effective;	/* capabilities */
	uint32_t reading;	/* those two of them */
};

static void
rights_done(struct rights *r)
{
	free(r->group);
}

/* What follows the name at the beginning of a line, or NULL. */
static const char *
line_of(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p != NULL ? p + strlen(name) : NULL;
}

static void
four(const char *p, uint32_t ret[4])
{
	char *end = NULL;
	int i;

	for (i = 0; i < 4; i++, p = end)
		ret[i] = (uint32_t)strtoul(p, &end, 10);
}

static int
read_rights(pid_t pid, struct rights *ret)
{
	AEG_AUTOFREE char *text = xmalloc(SUP_STATUS_MAX + 1);
	ssize_t len = sup_proc_file(pid, "status", text, SUP_STATUS_MAX);
	const char *uid, *gid, *groups, *caps, *p;
	char *end;

	if (len <= 0)
		return len < 0 ? (int)len : -ESRCH;
	text[len] = '\0';
	uid = line_of(text, "\nUid:");
	gid = line_of(text, "\nGid:");
	groups = line_of(text, "\nGroups:");
	caps = line_of(text, "\nCapEff:");
	if (uid == NULL || gid == NULL || groups == NULL || caps == NULL)
		return -EPROTO;
	four(uid, ret->uid);
	four(gid, ret->gid);
	ret->effective = strtoull(caps, NULL, 16);
	ret->reading = (uint32_t)ret->effective & READING;
	ret->group = xcalloc(GROUPS_MAX, sizeof *ret->group);
	for (p = groups; ret->n < GROUPS_MAX; p = end) {
		p += strspn(p, " \t");
		if (*p < '0' || *p > '9')
			break;
		ret->group[ret->n++] = (gid_t)strtoul(p, &end, 10);
	}
	return 0;
}

/* Its own are raised and lowered; all others stay. */
static int
set_reading(uint32_t reading)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	data[0].effective = (data[0].effective & ~READING) |
	    (reading & data[0].permitted);
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

static int
become(const struct rights *r)
{
	if (syscall(SYS_setgroups, (size_t)r->n, r->group) < 0)
		return -errno;
	setfsgid(r->gid[3]);
	setfsuid(r->uid[3]);
	/* They answer with what was before, so that it is asked again. */
	if (setfsgid((gid_t)-1) != (int)r->gid[3] ||
	    setfsuid((uid_t)-1) != (int)r->uid[3])
		return -EPERM;
	return set_reading(r->reading);
}

int
sup_rights_compare(pid_t pid, const struct sup_script *s)
{
	AEG_AUTO(rights_done) struct rights own = { .n = 0 };
	AEG_AUTO(rights_done) struct rights its = { .n = 0 };
	int rc;

	/* Nobody else becomes another here: no_new_privs. */
	if (geteuid() != 0)
		return sup_script_compare(s);
	rc = read_rights(getpid(), &own);
	if (rc == 0)
		rc = read_rights(pid, &its);
	if (rc == 0)
		rc = become(&its);
	if (rc == 0)
		rc = sup_script_compare(s);
	/* A supervisor that is another from now on would be no good. */
	if (own.group == NULL || become(&own) < 0)
		_exit(1);
	return rc;
}

/* No more than it has. */
static int
lower(uint64_t effective)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	size_t i;

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	for (i = 0; i < AEG_NELEM(data); i++) {
		data[i].permitted &= (uint32_t)(effective >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

int
sup_rights_become(pid_t pid)
{
	AEG_AUTO(rights_done) struct rights its = { .n = 0 };
	int rc;

	if (geteuid() != 0)
		return 0;
	rc = read_rights(pid, &its);
	if (rc < 0)
		return rc;
	if (syscall(SYS_setgroups, (size_t)its.n, its.group) < 0 ||
	    setresgid(its.gid[0], its.gid[1], its.gid[2]) < 0 ||
	    setresuid(its.uid[0], its.uid[1], its.uid[2]) < 0)
		return -errno;
	setfsgid(its.gid[3]);
	setfsuid(its.uid[3]);
	if (setfsuid((uid_t)-1) != (int)its.uid[3])
		return -EPERM;
	return lower(its.effective);
}
