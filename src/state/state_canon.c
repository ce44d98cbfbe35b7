/* SPDX-License-Identifier: ISC */
/*
 * Names of directories as bash's cd makes them.  Both take an absolute
 * path and return an owned one, or NULL with errno.  Unlike path_canon()
 * they look at the disk, and a leading "//" (but not "///") is kept, as
 * POSIX allows and bash does.
 */
#include "state/state_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

#define LINKS_MAX 32

/* The part that ".." cannot climb over: "/" or "//". */
static const char *
root_of(const char *path)
{
	return path[1] == '/' && path[2] != '/' ? "//" : "/";
}

/* The component at *p: its start, and its length in *ret_len; *p moves
 * behind it.  NULL at the end. */
static const char *
next_part(const char **p, size_t *ret_len)
{
	const char *start = *p + strspn(*p, "/");

	*ret_len = strcspn(start, "/");
	*p = start + *ret_len;
	return *ret_len > 0 ? start : NULL;
}

static bool
is(const char *part, size_t len, const char *name)
{
	return len == strlen(name) && memcmp(part, name, len) == 0;
}

static void
put_part(struct buf *b, size_t root_len, const char *part, size_t len)
{
	if (b->len > root_len)
		buf_putc(b, '/');
	buf_put(b, part, len);
}

/* Cut the last component. */
static void
climb(struct buf *b, size_t root_len)
{
	while (b->len > root_len && b->data[--b->len] != '/')
		;
	b->data[b->len] = '\0';
}

/*
 * "." and ".." folded by their letters, as cd -L wants it; but each
 * directory on the way must exist, else the letters would lie.
 */
char *
canon_logical(const char *path)
{
	struct buf b = BUF_INIT;
	const char *part;
	size_t len, root_len;

	buf_puts(&b, root_of(path));
	root_len = b.len;
	while ((part = next_part(&path, &len)) != NULL) {
		struct stat st;
		bool up = is(part, len, "..");

		if (is(part, len, "."))
			continue;
		if (!up)
			put_part(&b, root_len, part, len);
		if (stat(b.data, &st) < 0 || !S_ISDIR(st.st_mode)) {
			buf_done(&b);
			return NULL;
		}
		if (up)
			climb(&b, root_len);
	}
	return buf_take(&b);
}

/* Put the target of a link before what is left of the path. */
static char *
splice(const char *target, const char *rest)
{
	return xasprintf("%s/%s", target, rest);
}

/* No symbolic link left in it, as cd -P wants it. */
char *
canon_physical(const char *path)
{
	struct buf b = BUF_INIT;
	AEG_AUTOFREE char *work = xstrdup(path);
	const char *rest = work, *part;
	size_t len, root_len;
	int links = 0;

	buf_puts(&b, root_of(path));
	root_len = b.len;
	while ((part = next_part(&rest, &len)) != NULL) {
		const size_t before = b.len;
		char target[PATH_MAX], *next;
		ssize_t n;

		if (is(part, len, "."))
			continue;
		if (is(part, len, "..")) {
			climb(&b, root_len);
			continue;
		}
		put_part(&b, root_len, part, len);
		n = readlink(b.data, target, sizeof(target) - 1);
		if (n < 0 && errno == EINVAL)
			continue;
		if (n < 0 || ++links > LINKS_MAX) {
			int saved = n < 0 ? errno : ELOOP;

			buf_done(&b);
			errno = saved;
			return NULL;
		}
		target[n] = '\0';
		next = splice(target, rest);
		free(work);
		rest = work = next;
		b.len = before;
		b.data[b.len] = '\0';
		if (*target == '/') {
			buf_reset(&b);
			buf_puts(&b, root_of(target));
			root_len = b.len;
		}
	}
	return buf_take(&b);
}
