/* SPDX-License-Identifier: ISC */
/*
 * Who called sudo, and whether sudoers(5) lets them run the command itself.
 *
 * A sudoers line that allows aegsh-confine allows nothing yet: sudo is asked
 * once more, by root, of that user and the real command.
 */
#include "confine_int.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/rootenv.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"

#define LIST_MAX ((size_t)4 * 1024 * 1024)	/* bytes of sudo -ll */
#define ANCESTORS_MAX 64
#define STATUS_TEXT 4096	/* of /proc/PID/status that are read */

/* ---- who ---------------------------------------------------------------- */

/* Its parent and real user, by proc_pid_status(5). */
static int
look_at(pid_t pid, pid_t *ret_parent, uid_t *ret_uid)
{
	char path[64], text[STATUS_TEXT];
	AEG_AUTOFD int fd = -1;
	const char *parent, *uid;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	parent = strstr(text, "\nPPid:\t");
	uid = strstr(text, "\nUid:\t");
	if (parent == NULL || uid == NULL)
		return -ESRCH;
	*ret_parent = (pid_t)strtol(parent + strlen("\nPPid:\t"), NULL, 10);
	*ret_uid = (uid_t)strtoul(uid + strlen("\nUid:\t"), NULL, 10);
	return 0;
}

/* The nearest process above us that is not root's; 0: there is none. */
static uid_t
uid_above(void)
{
	pid_t pid = getppid();
	uid_t uid = 0;
	int i;

	for (i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (look_at(pid, &pid, &uid) < 0)
			return 0;
		if (uid != 0)
			return uid;
	}
	return 0;
}

int
confine_find_caller(struct names_user *ret, struct err *err)
{
	const char *name = getenv("SUDO_USER"), *number = getenv("SUDO_UID");
	int64_t uid;

	if (name == NULL || number == NULL ||
	    text_to_i64(number, 0, UINT32_MAX - 1, &uid) < 0)
		return err_set(err, ERR_REFUSED, "it was not started by sudo, "
		    "and only sudo can be asked who may run what");
	if (uid == 0)
		return err_set(err, ERR_REFUSED, "root called sudo, and needs "
		    "no leave of anybody's: run the command in a line of a "
		    "root aegsh");
	/* Who may set variables for us could have said anything. */
	if (uid_above() != (uid_t)uid)
		return err_set(err, ERR_REFUSED, "sudo names uid %ld as the "
		    "one who called it, and no process of that user did",
		    (long)uid);
	if (names_user_by_uid((uid_t)uid, ret) < 0)
		return err_set(err, ERR_REFUSED, "nobody knows the user of uid "
		    "%ld", (long)uid);
	if (strcmp(ret->name, name) == 0)
		return 0;
	names_user_done(ret);
	return err_set(err, ERR_REFUSED, "uid %ld is not the user that sudo "
	    "names", (long)uid);
}

/* ---- sudo --------------------------------------------------------------- */

/* Root's own, and it gains root's rights. */
static bool
is_sudo(const char *path, const struct stat *st)
{
	(void)path;
	return S_ISREG(st->st_mode) && st->st_uid == 0 &&
	    (st->st_mode & 022) == 0 && (st->st_mode & S_ISUID) != 0;
}

/* Asks nothing of the terminal; what it writes can be read from *ret_out. */
static int
start_sudo(const char *sudo, struct strv *argv, pid_t *ret_pid, int *ret_out)
{
	static const char path[] = "PATH=" ROOTENV_PATH;
	static const char lang[] = "LC_ALL=C";
	char *envp[] = { (char *)(uintptr_t)path, (char *)(uintptr_t)lang,
	    NULL };
	posix_spawn_file_actions_t fa;
	int p[2], rc;

	if (pipe2(p, O_CLOEXEC) < 0)
		return -errno;
	rc = posix_spawn_file_actions_init(&fa);
	if (rc == 0) {
		rc = posix_spawn_file_actions_addopen(&fa, 0, "/dev/null",
		    O_RDONLY, 0);
		if (rc == 0)
			rc = posix_spawn_file_actions_adddup2(&fa, p[1], 1);
		if (rc == 0)
			rc = posix_spawn(ret_pid, sudo, &fa, NULL,
			    strv_peek(argv), envp);
		posix_spawn_file_actions_destroy(&fa);
	}
	io_close(&p[1]);
	if (rc == 0)
		*ret_out = p[0];
	else
		io_close(&p[0]);
	return -rc;
}

/* All that it says, and how it ended: a status of wait(2), or -1. */
static int
end_sudo(pid_t pid, int out, struct buf *ret_text)
{
	int status, rc = io_read_all(out, ret_text);

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return rc < 0 ? -1 : status;
}

static void
may_argv(const struct confine *c, const char *sudo, struct strv *ret)
{
	size_t i;

	strv_add(ret, sudo);
	strv_add(ret, "-n");
	strv_add(ret, "-l");
	strv_add(ret, "-U");
	strv_add(ret, c->caller.name);
	/* In so many words: it may take another for its default. */
	if (c->user != NULL || c->group == NULL) {
		strv_add(ret, "-u");
		strv_add(ret, c->user != NULL ? c->user : "root");
	}
	if (c->group != NULL) {
		strv_add(ret, "-g");
		strv_add(ret, c->group);
	}
	strv_add(ret, "--");
	for (i = 0; c->argv[i] != NULL; i++)
		strv_add(ret, c->argv[i]);
}

/* The two questions at a time: each starts all of sudo. */
static int
ask_both(const struct confine *c, const char *sudo, struct buf *ret_may,
    struct buf *ret_list, struct err *err)
{
	AEG_AUTO(strv_done) struct strv may = STRV_INIT;
	AEG_AUTO(strv_done) struct strv list = STRV_INIT;
	AEG_AUTOFD int may_out = -1;
	AEG_AUTOFD int list_out = -1;
	pid_t may_pid, list_pid;
	int may_status, list_status, rc;

	may_argv(c, sudo, &may);
	strv_add(&list, sudo);
	strv_add(&list, "-n");
	strv_add(&list, "-ll");
	strv_add(&list, "-U");
	strv_add(&list, c->caller.name);
	rc = start_sudo(sudo, &may, &may_pid, &may_out);
	if (rc < 0)
		return err_sys(err, -rc, "%s", sudo);
	rc = start_sudo(sudo, &list, &list_pid, &list_out);
	may_status = end_sudo(may_pid, may_out, ret_may);
	if (rc < 0)
		return err_sys(err, -rc, "%s", sudo);
	list_status = end_sudo(list_pid, list_out, ret_list);
	if (may_status != 0)
		return err_set(err, ERR_REFUSED, "sudoers does not let %s run "
		    "it%s%s (sudo -l tells what it does)", c->caller.name,
		    c->user != NULL ? " as " : "",
		    c->user != NULL ? c->user : "");
	return list_status == 0 ? 0 : err_set(err, ERR_REFUSED,
	    "%s -ll does not tell what sudoers asks of %s", sudo,
	    c->caller.name);
}

int
confine_ask_sudo(const struct confine *c, struct err *err)
{
	AEG_AUTO(buf_done) struct buf may = BUF_INIT_MAX(LIST_MAX);
	AEG_AUTO(buf_done) struct buf list = BUF_INIT_MAX(LIST_MAX);
	AEG_AUTOFREE char *sudo = rootenv_find("sudo", is_sudo);
	AEG_AUTOFREE char *own = NULL;
	int rc;

	if (sudo == NULL)
		return err_set(err, ERR_REFUSED, "there is no sudo of root's "
		    "that could be asked who may run it");
	own = xasprintf("%s/aegsh-confine", sysdirs()->libexec);
	rc = ask_both(c, sudo, &may, &list, err);
	if (rc == 0)
		rc = confine_check_list(list.data != NULL ? list.data : "",
		    own, c->group != NULL, conf_trust_is_roots(c->argv[0]),
		    err);
	return rc;
}
