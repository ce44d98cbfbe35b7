/* SPDX-License-Identifier: ISC */
/* A word as an absolute path without detours. */
#include "policy_view_int.h"

#include <string.h>

/* "/proc/self/root/etc" is "/etc": how many bytes of the path to drop. */
static size_t
detour(const char *path)
{
	const char *p, *pid = path + 6;
	size_t n;

	if (strncmp(path, "/proc/", 6) != 0)
		return 0;
	n = strspn(pid, "0123456789*");
	if (n == 0)
		n = strncmp(pid, "self/", 5) == 0 ? 4 :
		    strncmp(pid, "thread-self/", 12) == 0 ? 11 : 0;
	if (n == 0)
		return 0;
	p = pid + n;
	if (strncmp(p, "/task/", 6) == 0) {
		p += 6;
		p += strspn(p, "0123456789*");
	}
	if (strncmp(p, "/root", 5) != 0 || (p[5] != '/' && p[5] != '\0'))
		return 0;
	return (size_t)(p + 5 - path);
}

const char *
view_fold(struct view *v, const char *dir, const char *text, size_t len,
	size_t *ret_len, bool *ret_bent)
{
	size_t dir_len = text[0] == '/' || text[0] == '~' ? 0 : strlen(dir);
	char *out = arena_alloc(v->arena, dir_len + len + 2);
	size_t n = 0, i, part, drop;
	const char *from[2] = { dir, text }, *p, *end;
	size_t lens[2] = { dir_len, len };

	if (len >= 2 && text[0] == '~' && text[1] == '+' &&
	    (len == 2 || text[2] == '/')) {		/* $PWD */
		text += 2;
		len -= 2;
		from[1] = text;
		lens[1] = len;
		lens[0] = strlen(dir);
		out = arena_alloc(v->arena, lens[0] + len + 2);
	} else if (text[0] == '~' || dir[0] != '/') {
		/* Somebody's home: not known where, folded no further. */
		memcpy(out, text, len);
		*ret_len = len;
		return out;
	}
	for (i = 0; i < 2; i++)
		for (p = from[i], end = p + lens[i]; p < end; p += part) {
			while (p < end && *p == '/')
				p++;
			for (part = 0; p + part < end && p[part] != '/';)
				part++;
			if (part == 0 || (part == 1 && p[0] == '.'))
				continue;
			if (part == 2 && p[0] == '.' && p[1] == '.') {
				while (n > 0 && out[--n] != '/')
					continue;
				continue;
			}
			out[n++] = '/';
			memcpy(out + n, p, part);
			n += part;
		}
	out[n] = '\0';
	while ((drop = detour(out)) > 0) {
		*ret_bent = true;
		memmove(out, out + drop, n - drop + 1);
		n -= drop;
	}
	if (n == 0)
		out[n++] = '/';
	out[n] = '\0';
	*ret_len = n;
	return out;
}
