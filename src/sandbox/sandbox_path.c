/* SPDX-License-Identifier: ISC */
/* The places that a profile names: variables, and what links lead to. */
#include "sandbox_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

/* TMPDIR comes from the environment, which must not open trees that the
 * profile does not name: only a directory of the user's own, or a sticky
 * one that is open to all, will do. */
static bool
tmpdir_ok(const char *path, uid_t uid)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    (st.st_uid == uid || (st.st_mode & (S_ISVTX | S_IWOTH)) ==
	    (S_ISVTX | S_IWOTH));
}

/* SSH_AUTH_SOCK comes from there, too. */
static bool
agent_ok(const char *path, uid_t uid)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    st.st_uid == uid;
}

/* *ret stays NULL when the variable has no value here. */
static int
look_up(const char *name, size_t len, const struct sandbox_vars *vars,
    char **ret)
{
	const struct {
		const char *name, *value;
	} known[] = {
		{ "HOME", vars->home },
		{ "PROJECT", vars->project },
		{ "TMPDIR", vars->tmpdir != NULL &&
		    tmpdir_ok(vars->tmpdir, vars->uid) ? vars->tmpdir : NULL },
		{ "SSH_AUTH_SOCK", vars->agent != NULL &&
		    agent_ok(vars->agent, vars->uid) ? vars->agent : NULL },
		{ "STORE", vars->store },
		{ "STATE", sysdirs()->state },
		{ "CONF_USER", vars->conf_user },
		{ "CONF", sysdirs()->conf },
		{ "DATA", sysdirs()->data },
		{ "LIBEXEC", sysdirs()->libexec },
		{ "TTY", vars->tty },
		{ "UID", "" },
	};
	size_t i;

	for (i = 0; i < AEG_NELEM(known); i++) {
		if (strlen(known[i].name) != len ||
		    memcmp(known[i].name, name, len) != 0)
			continue;
		if (strcmp(known[i].name, "UID") == 0)
			*ret = xasprintf("%lu", (unsigned long)vars->uid);
		else if (known[i].value != NULL && known[i].value[0] != '\0')
			*ret = xstrdup(known[i].value);
		return 0;
	}
	return ERR_SYNTAX;
}

int
sandbox_path_expand(const char *text, const struct sandbox_vars *vars,
    char **ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(PATH_MAX - 1);
	const char *p = text;

	while (*p != '\0') {
		AEG_AUTOFREE char *value = NULL;
		size_t n;

		if (*p != '$') {
			buf_putc(&out, *p++);
			continue;
		}
		p++;
		n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
		if (look_up(p, n, vars, &value) < 0)
			return err_set(err, ERR_SYNTAX,
			    "'%s': no variable of that name", text);
		if (value == NULL)
			return 0;
		buf_puts(&out, value);
		p += n;
	}
	if (buf_overflow(&out) || out.len == 0 || out.data[0] != '/')
		return err_set(err, ERR_SYNTAX, "'%s': not an absolute path",
		    text);
	*ret = path_canon("/", out.data);
	return 1;
}

static void
hand_over(int *fd, int *ret_fd)
{
	if (ret_fd == NULL)
		return;
	*ret_fd = *fd;
	*fd = -1;
}

/* Nothing but what the letters of the path say: no link on the way. */
static int
open_plain(const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS,
	};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* Where the C library finds no way that holds: the kernel's own word. */
static char *
find_by_fd(const char *path, int *ret_fd)
{
	AEG_AUTOFD int fd = open(path, O_PATH | O_CLOEXEC);
	char link[64], real[PATH_MAX];
	ssize_t n;

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof real);
	if (n > 0 && (size_t)n < sizeof real && real[0] == '/') {
		hand_over(&fd, ret_fd);
		return xmemdup0(real, (size_t)n);
	}
	return realpath(path, NULL);
}

/* Where the path itself is the only link, as /bin is; the caller sees by
 * opening it whether that is all. */
static char *
follow_last(const char *path)
{
	AEG_AUTOFREE char *dir = NULL;
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	dir = xmemdup0(path, (size_t)(path_base(path) - path));
	/* What leads upwards from a link is not told by letters. */
	return strstr(target, "..") == NULL ? path_canon(dir, target) : NULL;
}

char *
sandbox_path_find(const char *path, int *ret_fd)
{
	AEG_AUTOFD int fd = open_plain(path);
	AEG_AUTOFREE char *real = NULL;

	/* Mostly there is no link on the way, and the name is the place. */
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0) {
		real = follow_last(path);
		fd = real != NULL ? open_plain(real) : -1;
	}
	if (fd < 0) {
		free(real);
		real = realpath(path, NULL);
		fd = real != NULL ? open_plain(real) : -1;
	}
	if (fd < 0)
		return find_by_fd(path, ret_fd);
	hand_over(&fd, ret_fd);
	return real != NULL ? AEG_STEAL(real) : xstrdup(path);
}

char *
sandbox_path_real(const char *path)
{
	AEG_AUTOFREE char *up = xstrdup(path);
	char *real = sandbox_path_find(path, NULL), *slash;

	if (real != NULL || strcmp(path, "/") == 0)
		return real != NULL ? real : xstrdup("/");
	slash = strrchr(up, '/');
	if (slash == NULL)
		return xstrdup(path);
	{
		AEG_AUTOFREE char *above = NULL;

		slash[0] = '\0';
		above = sandbox_path_real(slash == up ? "/" : up);
		real = path_canon(above, slash + 1);
	}
	return real;
}
