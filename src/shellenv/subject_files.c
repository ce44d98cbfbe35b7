/* SPDX-License-Identifier: ISC */
/* Files and text of the subject: paths below a root, reading, the arena. */
#include "shellenv_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

const char *
se_getenv(const struct shellenv *se, const char *name)
{
	size_t i, n = strlen(name);

	for (i = 0; se->own && i < se->env.n; i++) {
		const char *v = se->env.v[i];

		if (strncmp(v, name, n) == 0 && v[n] == '=')
			return v + n + 1;
	}
	return NULL;
}

const char *
se_strdup(struct shellenv *se, const char *s)
{
	return arena_memdup0(se->arena, s, strlen(s));
}

const char *
se_printf(struct shellenv *se, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(se->arena, fmt, ap);
	va_end(ap);
	return text;
}

const char *
se_shell_option(struct shellenv *se)
{
	return strcmp(se->type_source, "option") == 0 ?
	    se_printf(se, " --shell %s", se_quote(se, se->type)) : "";
}

const char *
se_subst(struct shellenv *se, const char *sentence, const char *text)
{
	const char *at = strstr(sentence, "%s");

	return at == NULL ? sentence : se_printf(se, "%.*s%s%s",
	    (int)(at - sentence), sentence, text, at + 2);
}

const char *
se_quote(struct shellenv *se, const char *text)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	text_quote(&out, text, strlen(text));
	return se_strdup(se, out.data);
}

const char *
se_disk(struct shellenv *se, const char *path)
{
	if (se->root[0] == '\0' || path[0] != '/' ||
	    (strcmp(se->home, "/") != 0 && path_under(path, se->home)) ||
	    path_under(path, se->root))
		return path;
	return se_printf(se, "%s%s", se->root, path);
}

const char *
se_shown(struct shellenv *se, const char *path)
{
	size_t n = strlen(se->home);

	if (n > 1 && path_under(path, se->home))
		return se_printf(se, "~%s", path + n);
	return path;
}

const char *
se_tilde(struct shellenv *se, const char *path)
{
	const char *rest = NULL;
	const char *home = strcmp(se->home, "/") == 0 ? "" : se->home;

	if (path[0] == '~')
		rest = path + 1;
	else if (text_starts(path, "$HOME"))
		rest = path + 5;
	else if (text_starts(path, "${HOME}"))
		rest = path + 7;
	if (rest == NULL || (*rest != '/' && *rest != '\0'))
		return path;
	if (home[0] == '\0' && *rest == '\0')
		return "/";
	return se_printf(se, "%s%s", home, rest);
}

int
se_stat(struct shellenv *se, const char *path, struct stat *ret)
{
	return stat(se_disk(se, path), ret) < 0 ? -errno : 0;
}

bool
se_exists(struct shellenv *se, const char *path)
{
	struct stat st;

	return se_stat(se, path, &st) == 0;
}

int
se_read(struct shellenv *se, const char *path, const char **ret,
    size_t *ret_len)
{
	return se_read_big(se, path, SHELLENV_FILE_MAX, ret, ret_len);
}

int
se_read_big(struct shellenv *se, const char *path, size_t max,
    const char **ret, size_t *ret_len)
{
	/* A FIFO or a device must not make the reader wait. */
	AEG_AUTOFD int fd = open(se_disk(se, path),
	    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	AEG_AUTO(buf_done) struct buf b = BUF_INIT_MAX(max);
	struct stat st;
	int r;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > (off_t)max)
		return ERR_TOO_LONG;
	r = io_read_all(fd, &b);
	if (r < 0)
		return r;
	*ret = arena_memdup0(se->arena, b.len > 0 ? b.data : "", b.len);
	*ret_len = b.len;
	return 0;
}

static bool
is_program(struct shellenv *se, const char *path)
{
	struct stat st;

	return se_stat(se, path, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & 0111) != 0;
}

const char *
se_program(struct shellenv *se, const char *name)
{
	static const char *const dirs[] = { "/bin", "/usr/bin",
	    "/usr/local/bin", "/opt/homebrew/bin",
	    "/run/current-system/sw/bin" };
	size_t i;

	if (name[0] == '/')
		return is_program(se, name) ? se_strdup(se, name) : NULL;
	for (i = 0; strchr(name, '/') == NULL && i < AEG_NELEM(dirs); i++) {
		const char *path = se_printf(se, "%s/%s", dirs[i], name);

		if (is_program(se, path))
			return path;
	}
	return NULL;
}

const char *
se_real(struct shellenv *se, const char *path)
{
	AEG_AUTOFREE char *real = realpath(se_disk(se, path), NULL);
	size_t n = strlen(se->root);

	if (real == NULL)
		return NULL;
	if (n > 0 && path_under(real, se->root))
		return se_strdup(se, real[n] != '\0' ? real + n : "/");
	return se_strdup(se, real);
}
