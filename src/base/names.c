/* SPDX-License-Identifier: ISC */
/* Users and groups: the files here, the rest from getent(1). */
#include "aegsh/base/names.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define PASSWD "/etc/passwd"
#define GROUP "/etc/group"
#define FIELDS 7
#define LINES_MAX 1000000	/* of one file */
#define ANSWER_MAX ((size_t)4 * 1024 * 1024)	/* of getent */
#define NOT_FOUND 2		/* getent(1) */
/* A service that takes longer is not waited for: a shell must start. */
#define ANSWER_SECONDS 10

/* Where lines come from: a file, or what getent said. */
struct source {
	FILE *file;
	struct buf text;	/* what file reads, if that is in memory */
	char *line;
	size_t cap;
	unsigned lines;
};

static void
source_done(struct source *s)
{
	free(s->line);
	if (s->file != NULL)
		fclose(s->file);
	buf_done(&s->text);
}

/* The fields of the next line, as many as asked for; 0 at the end.  A line
 * with fewer, a comment and what is for NIS ("+…", "-…") is passed over. */
static size_t
next_fields(struct source *s, char *ret[FIELDS], size_t want)
{
	while (s->lines++ < LINES_MAX && getline(&s->line, &s->cap,
	    s->file) > 0) {
		char *p = s->line;
		size_t n = 0;

		p[strcspn(p, "\n")] = '\0';
		if (strchr("#+-", *p) != NULL)
			continue;
		while (n < FIELDS && p != NULL)
			ret[n++] = strsep(&p, ":");
		if (n >= want)
			return n;
	}
	return 0;
}

static bool
next_user(struct source *s, struct names_user *ret)
{
	char *f[FIELDS];
	int64_t uid, gid;

	while (next_fields(s, f, FIELDS) > 0) {
		if (text_to_i64(f[2], 0, UINT32_MAX, &uid) != 0 ||
		    text_to_i64(f[3], 0, UINT32_MAX, &gid) != 0)
			continue;
		*ret = (struct names_user){ (uid_t)uid, (gid_t)gid, f[0],
		    f[4], f[5], f[6] };
		return true;
	}
	return false;
}

static void
copy(const struct names_user *u, struct names_user *ret)
{
	*ret = (struct names_user){ u->uid, u->gid, xstrdup(u->name),
	    xstrdup(u->note), xstrdup(u->home), xstrdup(u->shell) };
}

void
names_user_done(struct names_user *u)
{
	free(u->name);
	free(u->note);
	free(u->home);
	free(u->shell);
	*u = (struct names_user){ 0 };
}

/* ---- getent ------------------------------------------------------------- */

/* Where nss-systemd(8) looks: with none of these it knows nobody. */
static bool
systemd_may_know(void)
{
	static const char *const places[] = { "/run/systemd/userdb",
	    "/etc/userdb", "/run/userdb", "/run/host/userdb",
	    "/usr/local/lib/userdb", "/usr/lib/userdb", "/lib/userdb" };
	size_t i;

	for (i = 0; i < AEG_NELEM(places); i++)
		if (access(places[i], F_OK) == 0)
			return true;
	return false;
}

/* The service has more than the files for this; a service that can fail
 * without being told from one that knows nothing is no file. */
static bool
has_more(const char *database, bool *ret_fails)
{
	AEG_AUTO(source_done) struct source s = { .file = fopen(
	    sysdirs()->nsswitch, "re") };
	char *f[FIELDS], *word, *rest;
	bool more = false;

	*ret_fails = false;
	while (s.file != NULL && next_fields(&s, f, 2) > 0) {
		if (strcmp(f[0], database) != 0)
			continue;
		for (rest = f[1]; (word = strsep(&rest, " \t")) != NULL;) {
			if (*word == '\0' || *word == '[' ||
			    strcmp(word, "files") == 0)
				continue;
			if (strcmp(word, "systemd") == 0)
				more |= systemd_may_know();
			else
				more = *ret_fails = true;
		}
	}
	return more;
}

static int
start_getent(char *const argv[], int to, pid_t *ret)
{
	char *const envp[] = { (char *)(uintptr_t)"PATH=/usr/bin:/bin",
	    NULL };
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t all, none;
	int e;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&at);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGDEF |
	    POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&at, &all);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	if (to >= 0)
		posix_spawn_file_actions_adddup2(&fa, to, 1);
	else
		posix_spawn_file_actions_addopen(&fa, 1, "/dev/null",
		    O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
	e = posix_spawn(ret, sysdirs()->getent, &fa, &at, argv, envp);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	/* That it is not there says nothing of whom it was to be asked. */
	return e == ENOENT ? -ENOEXEC : -e;
}

/* 0: it can be read, or has ended. */
static int
await(int fd, int64_t until_ns)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left_ms;
	int n;

	do {
		left_ms = (until_ns - clock_mono_ns()) / 1000000;
		n = poll(&p, 1, left_ms > 0 ? (int)left_ms : 0);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return -ETIMEDOUT;
	return n < 0 ? -errno : 0;
}

/* Waits for its end, and brings that about where there is no time left or
 * rc is an error already.  0, -ENOENT for what it does not know, or another
 * error. */
static int
finish(pid_t pid, int64_t until_ns, int rc)
{
	AEG_AUTOFD int end = (int)syscall(SYS_pidfd_open, pid, 0);
	int status = 0;
	pid_t got;

	if (rc == 0)
		rc = end < 0 ? -errno : await(end, until_ns);
	if (rc < 0)
		kill(pid, SIGKILL);
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (rc < 0)
		return rc;
	if (got < 0 || !WIFEXITED(status))
		return -EIO;
	return WEXITSTATUS(status) == 0 ? 0 :
	    WEXITSTATUS(status) == NOT_FOUND ? -ENOENT : -EIO;
}

/* Runs it for that long; said NULL: what it says does not matter. */
static int
run_getent(char *const argv[], struct buf *said)
{
	int64_t until_ns = clock_mono_ns() + ANSWER_SECONDS *
	    (int64_t)1000000000;
	int pipe_fd[2] = { -1, -1 }, rc;
	pid_t pid;

	if (said != NULL && (pipe2(pipe_fd, O_CLOEXEC) < 0 ||
	    fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK) < 0)) {
		rc = -errno;
		io_close(&pipe_fd[1]);
		io_close(&pipe_fd[0]);
		return rc;
	}
	rc = start_getent(argv, pipe_fd[1], &pid);
	io_close(&pipe_fd[1]);
	if (rc == 0) {
		while (said != NULL && (rc = io_read_all(pipe_fd[0],
		    said)) == -EAGAIN && (rc = await(pipe_fd[0],
		    until_ns)) == 0)
			;
		rc = finish(pid, until_ns, rc);
	}
	io_close(&pipe_fd[0]);
	return rc;
}

/* What getent says of key, or of everything (NULL), for reading; 0, -ENOENT
 * for what it does not know, or another error. */
static int
ask(const char *database, const char *key, struct source *ret)
{
	char *argv[] = { (char *)(uintptr_t)"getent",
	    (char *)(uintptr_t)database, (char *)(uintptr_t)"--",
	    (char *)(uintptr_t)key, NULL };
	AEG_AUTO(buf_done) struct buf said = BUF_INIT_MAX(ANSWER_MAX);
	int rc;

	if (key == NULL)
		argv[2] = NULL;
	rc = run_getent(argv, &said);
	if (rc < 0)
		return rc;
	if (said.len == 0)
		return -ENOENT;
	ret->file = fmemopen(said.data, said.len, "r");
	if (ret->file == NULL)
		return -errno;
	ret->text = said;
	said = (struct buf)BUF_INIT;
	return 0;
}

/* ---- users -------------------------------------------------------------- */

static bool
find_user(struct source *s, const char *name, uid_t uid,
    struct names_user *ret)
{
	struct names_user u;

	while (next_user(s, &u)) {
		if (name != NULL ? strcmp(u.name, name) != 0 : u.uid != uid)
			continue;
		copy(&u, ret);
		return true;
	}
	return false;
}

static int
by_key(const char *name, uid_t uid, struct names_user *ret)
{
	AEG_AUTO(source_done) struct source file = { .file = fopen(PASSWD,
	    "re") }, said = { 0 };
	char number[16];
	bool fails;

	if (file.file != NULL && find_user(&file, name, uid, ret))
		return 0;
	/* To getent a name of digits is a number. */
	if (!has_more("passwd", &fails) || (name != NULL &&
	    name[strspn(name, "0123456789")] == '\0'))
		return -ENOENT;
	snprintf(number, sizeof number, "%lu", (unsigned long)uid);
	if (ask("passwd", name != NULL ? name : number, &said) < 0 ||
	    !find_user(&said, name, uid, ret))
		return -ENOENT;
	return 0;
}

int
names_user_by_uid(uid_t uid, struct names_user *ret)
{
	return by_key(NULL, uid, ret);
}

int
names_user_by_name(const char *name, struct names_user *ret)
{
	return by_key(name, 0, ret);
}

void
names_users(size_t most, int (*each)(void *ctx, const struct names_user *u),
    void *ctx)
{
	AEG_AUTO(source_done) struct source s = { 0 };
	struct names_user u;
	bool fails;

	if (!has_more("passwd", &fails) || ask("passwd", NULL, &s) < 0)
		s.file = fopen(PASSWD, "re");
	while (s.file != NULL && most-- > 0 && next_user(&s, &u) &&
	    each(ctx, &u) == 0)
		;
}

/* ---- groups ------------------------------------------------------------- */

static bool
is_among(const char *text, const gid_t *groups, size_t n)
{
	int64_t gid;
	size_t i;

	if (text_to_i64(text, 0, UINT32_MAX, &gid) != 0)
		return false;
	for (i = 0; i < n; i++)
		if (groups[i] == (gid_t)gid)
			return true;
	return false;
}

/* 1 or 0 where the group is found; -ENOENT. */
static int
look_for_group(struct source *s, const char *name, const gid_t *groups,
    size_t n)
{
	char *f[FIELDS];

	while (next_fields(s, f, 3) > 0)
		if (strcmp(f[0], name) == 0)
			return is_among(f[2], groups, n);
	return -ENOENT;
}

static int
cannot_ask(const char *name, int rc, struct err *err)
{
	if (rc == -ETIMEDOUT)
		return err_set(err, rc, "group %s: the name service did not "
		    "answer within %d seconds", name, ANSWER_SECONDS);
	return err_sys(err, -rc, "group %s: getent", name);
}

int
names_in_group(const char *name, struct names_groups *g, struct err *err)
{
	AEG_AUTO(source_done) struct source file = { .file = fopen(GROUP,
	    "re") }, said = { 0 };
	bool fails;
	int rc = -ENOENT;

	if (file.file != NULL)
		rc = look_for_group(&file, name, g->gids, g->n);
	else if (errno != ENOENT)
		return err_sys(err, errno, GROUP);
	if (rc != -ENOENT || !has_more("group", &fails))
		return rc == -ENOENT ? 0 : rc;
	/* To getent a name of digits is a number. */
	rc = name[strspn(name, "0123456789")] == '\0' ? -EINVAL :
	    ask("group", name, &said);
	if (rc == 0)
		rc = look_for_group(&said, name, g->gids, g->n);
	if (rc == -ENOENT) {
		if (fails)
			g->unsure = name;
		return 0;
	}
	return rc < 0 ? cannot_ask(name, rc, err) : rc;
}

/*
 * getent says the same of a group that is not there and of a service that
 * is not.  But a service that knows the names of all the numbers that
 * somebody has is there, and was asked.  All at once, and after the last
 * question, for it may have gone meanwhile.
 */
int
names_groups_sure(const struct names_groups *g, struct err *err)
{
	AEG_AUTO(strv_done) struct strv argv = STRV_INIT;
	size_t i;
	int rc;

	if (g->unsure == NULL || g->n == 0)
		return 0;
	strv_add(&argv, "getent");
	strv_add(&argv, "group");
	strv_add(&argv, "--");
	for (i = 0; i < g->n; i++)
		strv_addf(&argv, "%lu", (unsigned long)g->gids[i]);
	rc = run_getent(strv_peek(&argv), NULL);
	return rc < 0 ? cannot_ask(g->unsure, rc, err) : 0;
}
