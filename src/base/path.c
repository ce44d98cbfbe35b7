/* SPDX-License-Identifier: ISC */
/* Paths as text. */
#include "aegsh/base/path.h"

#include <string.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/mem.h"

static void
fold(struct buf *out, const char *p)
{
	while (*p != '\0') {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (out->len > 0 && out->data[--out->len] != '/')
				;
		} else if (n > 0 && !(n == 1 && p[0] == '.')) {
			buf_putc(out, '/');
			buf_put(out, p, n);
		}
		p += n;
		p += strspn(p, "/");
	}
}

char *
path_canon(const char *dir, const char *tail)
{
	struct buf out = BUF_INIT;

	if (tail[0] != '/')
		fold(&out, dir);
	fold(&out, tail);
	if (out.len == 0)
		buf_putc(&out, '/');
	out.data[out.len] = '\0';
	return buf_take(&out);
}

bool
path_under(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1)
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/');
}

const char *
path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}
