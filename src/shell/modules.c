/* SPDX-License-Identifier: ISC */
/*
 * In a statically linked aegsh: what libraries may call and aegsh never
 * makes them call (SQLite for extensions, libconfuse and libedit for
 * "~user").  libc's own would load modules of the libc that is installed,
 * next to ours, which may be another.  Names are asked for with
 * aegsh/base/names.h.
 *
 * The linker puts these in the place of the originals (--wrap).
 */
#include <errno.h>
#include <pwd.h>
#include <stddef.h>

void *__wrap_dlopen(const char *file, int mode);
struct passwd *__wrap_getpwnam(const char *name);
struct passwd *__wrap_getpwuid(uid_t uid);
int __wrap_getpwnam_r(const char *name, struct passwd *pw, char *text,
	size_t size, struct passwd **ret);

void *
__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

struct passwd *
__wrap_getpwnam(const char *name)
{
	(void)name;
	errno = ENOSYS;
	return NULL;
}

struct passwd *
__wrap_getpwuid(uid_t uid)
{
	(void)uid;
	errno = ENOSYS;
	return NULL;
}

int
__wrap_getpwnam_r(const char *name, struct passwd *pw, char *text,
    size_t size, struct passwd **ret)
{
	(void)name;
	(void)pw;
	(void)text;
	(void)size;
	*ret = NULL;
	return ENOSYS;
}
