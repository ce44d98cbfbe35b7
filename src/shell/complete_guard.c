/* SPDX-License-Identifier: ISC */
/*
 * Which programs a completion may start.
 *
 * Landlock alone cannot say it: whoever may start a program may start its
 * loader, and that starts any file that can be read (ld.so(8)).  So each
 * execve(2) below the completion's bash asks its parent, who compares the
 * path, to the letter, with those of the operator's list; the rules on
 * files stand behind that.  The path is read from the memory of a process
 * that waits, has one thread and shares nothing.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/notify.h"
#include "aegsh/base/path.h"
#include "aegsh/base/io.h"
#include "shell/complete_prog.h"

#define HELPERS_MAX 64

/* Where helpers are looked for, and where the completion's bash does. */
static const char *const places[] = { "/usr/local/bin", "/usr/bin", "/bin",
	"/usr/sbin", "/sbin" };

/* ---- the list ------------------------------------------------------------ */

/* Only there is asked: elsewhere a file server may not answer, and nothing is
 * allowed that lies there. */
static bool
is_system(const char *path)
{
	static const char *const roots[] = { "/usr", "/bin", "/sbin", "/opt" };
	size_t i;

	for (i = 0; i < AEG_NELEM(roots); i++)
		if (path_under(path, roots[i]))
			return true;
	return false;
}

#define FILES_MAX 256		/* that words may name */

/* What was typed, by name and as the files that it may be. */
struct names {
	const struct strv *typed;
	size_t n;
	struct {
		dev_t dev;
		ino_t ino;
	} file[FILES_MAX];
};

static void
add_named(struct names *n, const char *dir, const char *word)
{
	char *path AEG_AUTOFREE = path_canon(dir, word);
	struct stat st;

	if (n->n == FILES_MAX || !is_system(path) || stat(path, &st) < 0)
		return;
	n->file[n->n].dev = st.st_dev;
	n->file[n->n++].ino = st.st_ino;
}

/* The files that the word may start, as the name of a command. */
static void
add_word(struct names *n, const char *word, const char *cwd, const char *path)
{
	char *rest AEG_AUTOFREE = xstrdup(path), *left = rest, *dir;
	size_t i;

	if (word[0] == '\0')
		return;
	if (strchr(word, '/') != NULL) {
		add_named(n, cwd, word);
		return;
	}
	for (i = 0; i < AEG_NELEM(places); i++)
		add_named(n, places[i], word);
	while ((dir = strsep(&left, ":")) != NULL) {
		char *in AEG_AUTOFREE = path_canon(cwd, dir);

		add_named(n, in, word);
	}
}

/* A program in itself, which starts no interpreter. */
static bool
is_program(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	    memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static bool
is_typed(const struct names *n, const char *name, const struct stat *st)
{
	size_t i;

	/* More than is kept: then it may be any. */
	if (n->n == FILES_MAX)
		return true;
	for (i = 0; i < n->typed->n; i++)
		if (strcmp(path_base(n->typed->v[i]), name) == 0)
			return true;
	for (i = 0; i < n->n; i++)
		if (n->file[i].dev == st->st_dev &&
		    n->file[i].ino == st->st_ino)
			return true;
	return false;
}

static void
add_file(const struct names *n, const char *name, const char *path,
    struct complete_guard *ret)
{
	char *real AEG_AUTOFREE = NULL;
	AEG_AUTOFD int fd = -1;
	struct stat st;

	/* Most are in one place alone. */
	if (access(path, X_OK) < 0)
		return;
	real = realpath(path, NULL);
	if (real == NULL ||
	    conf_trust_open(real, (uid_t)-1, &fd, NULL) != 0 ||
	    fstat(fd, &st) < 0 || !is_program(fd) || is_typed(n, name, &st))
		return;
	strv_add(&ret->allowed, path);
	strv_take(&ret->programs, AEG_STEAL(real));
}

static void
add_helper(const struct names *n, const char *name,
    struct complete_guard *ret)
{
	size_t i;

	if (name[0] == '/') {
		add_file(n, path_base(name), name, ret);
		return;
	}
	for (i = 0; i < AEG_NELEM(places); i++) {
		char *path AEG_AUTOFREE = path_canon(places[i], name);

		add_file(n, name, path, ret);
	}
}

void
complete_guard_init(const char *helpers, const struct strv *typed,
    const char *cwd, const char *path, struct complete_guard *ret)
{
	struct names n = { .typed = typed };
	char *copy AEG_AUTOFREE = xstrdup(helpers), *rest = copy, *name;
	size_t count = 0, i;

	for (i = 0; i < typed->n; i++)
		add_word(&n, typed->v[i], cwd, path);
	*ret = (struct complete_guard){ STRV_INIT, STRV_INIT };
	while ((name = strsep(&rest, " \t")) != NULL && count < HELPERS_MAX) {
		if (name[0] == '\0' ||
		    (name[0] != '/' && strchr(name, '/') != NULL))
			continue;
		add_helper(&n, name, ret);
		count++;
	}
}

void
complete_guard_done(struct complete_guard *g)
{
	strv_done(&g->allowed);
	strv_done(&g->programs);
}

/* ---- the filter ---------------------------------------------------------- */

#define NR_PIDFD_SEND_SIGNAL 424	/* on every architecture */

/* Where it jumps to is said from the next line on.  Kernels whose Landlock
 * has no scopes would let it signal aegsh. */
static const struct sock_filter filter[] = {
	/* 0 */ NOTIFY_LOAD(NOTIFY_FIELD(arch)),
	/* 1 */ NOTIFY_EQUAL(NOTIFY_NATIVE, 0, 13),
	/* 2 */ NOTIFY_LOAD(NOTIFY_FIELD(nr)),
	/* 3 */ NOTIFY_LEAST(0x40000000, 11, 0),	/* x32 */
	/* 4 */ NOTIFY_EQUAL(__NR_execve, 8, 0),
	/* 5 */ NOTIFY_EQUAL(__NR_execveat, 9, 0),
	/* 6 */ NOTIFY_EQUAL(__NR_kill, 8, 0),
	/* 7 */ NOTIFY_EQUAL(__NR_tkill, 7, 0),
	/* 8 */ NOTIFY_EQUAL(__NR_tgkill, 6, 0),
	/* 9 */ NOTIFY_EQUAL(__NR_rt_sigqueueinfo, 5, 0),
	/* 10 */ NOTIFY_EQUAL(__NR_rt_tgsigqueueinfo, 4, 0),
	/* 11 */ NOTIFY_EQUAL(NR_PIDFD_SEND_SIGNAL, 3, 0),
	/* 12 */ NOTIFY_RETURN(SECCOMP_RET_ALLOW),
	/* 13 */ NOTIFY_RETURN(SECCOMP_RET_USER_NOTIF),
	/* 14 */ NOTIFY_RETURN(SECCOMP_RET_ALLOW),
	/* 15 */ NOTIFY_RETURN(SECCOMP_RET_ERRNO | EPERM),
};

int
complete_guard_install(void)
{
	const struct sock_fprog prog = {
		.len = AEG_NELEM(filter),
		.filter = (struct sock_filter *)(uintptr_t)filter,
	};
	long fd;

	if (NOTIFY_NATIVE == 0)
		return -ENOSYS;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	return fd < 0 ? -errno : (int)fd;
}

/* ---- its questions ------------------------------------------------------- */

static bool
may_start(const struct complete_guard *g, const struct seccomp_notif *q)
{
	char path[PATH_MAX];

	if (notify_string((pid_t)q->pid, q->data.args[0], path,
	    sizeof path) < 0)
		return false;
	return strv_has(&g->allowed, path);
}

void
complete_guard_answer(const struct complete_guard *g, int listener,
    bool *began)
{
	struct seccomp_notif q;
	struct seccomp_notif_resp a;

	memset(&q, 0, sizeof q);
	memset(&a, 0, sizeof a);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &q) < 0)
		return;
	a.id = q.id;
	if (!*began || may_start(g, &q))
		a.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		a.error = -EACCES;
	*began = true;
	/* That it is gone meanwhile is all that can fail. */
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &a);
}
