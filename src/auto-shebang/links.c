/* SPDX-License-Identifier: ISC */
/*
 * link and unlink: the aliases under which auto-shebang is called.  Nothing
 * that exists is ever replaced, and nothing is removed but a symbolic link
 * that leads to an auto-shebang.  All work is done on one descriptor of
 * the directory.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

/* Where a name must not exist yet: the walk ends there, and would find it
 * for each script that has nothing nearer. */
static const char *const common_dirs[] = { "/", "/bin/", "/usr/bin/" };

static bool
same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * The path that the alias shall lead to: the one by which this program was
 * started, so that a link kept up by an installation (…/bin/auto-shebang to
 * a version's own directory) stays the way; or the file's own path where
 * that can't be told.
 */
static int
program_path(char **ret_path)
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	AEG_AUTOFREE char *own = realpath("/proc/self/exe", NULL);
	AEG_AUTOFREE char *dir = NULL, *full = NULL;
	struct stat a, b;

	if (started != NULL && !text_starts(started, "/proc/") &&
	    !text_starts(started, "/dev/fd/") && strchr(started, '/') != NULL) {
		full = xmemdup0(started,
		    (size_t)(path_base(started) - started));
		dir = realpath(full, NULL);
	}
	if (dir != NULL) {
		free(full);
		full = path_canon(dir, path_base(started));
		if (own == NULL || (stat(own, &a) == 0 &&
		    stat(full, &b) == 0 && same_file(&a, &b))) {
			*ret_path = AEG_STEAL(full);
			return 0;
		}
	}
	if (own == NULL)
		return -ENOENT;
	*ret_path = AEG_STEAL(own);
	return 0;
}

static bool
name_good(const char *name)
{
	if (name[0] == '\0' || strchr(name, '/') != NULL ||
	    strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    strlen(name) > SHEBANG_NAME_MAX) {
		say("'%s' can't be the name of an alias", name);
		return false;
	}
	if (strcmp(name, "auto-shebang") == 0) {
		say("auto-shebang is the program's own name, no alias");
		return false;
	}
	return true;
}

/* The entry is a symbolic link, and leads to an auto-shebang; also when
 * that is gone by now and only the link's text tells. */
static bool
is_alias(int dir_fd, const char *name)
{
	AEG_AUTOFREE char *target = xmalloc(SHEBANG_PATH_MAX);
	AEG_AUTOFD int fd = -1;
	ssize_t n = readlinkat(dir_fd, name, target, SHEBANG_PATH_MAX);

	if (n < 0 || (size_t)n >= SHEBANG_PATH_MAX)
		return false;
	target[n] = '\0';
	fd = openat(dir_fd, name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT &&
		    strcmp(path_base(target), "auto-shebang") == 0;
	return shebang_is_resolver(fd);
}

static bool
is_taken_name(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(common_dirs); i++) {
		AEG_AUTOFREE char *path = xasprintf("%s%s", common_dirs[i],
		    name);
		AEG_AUTOFD int fd = open(path, O_PATH | O_CLOEXEC);

		if (fd < 0 || shebang_is_resolver(fd))
			continue;
		say("%s exists, and each search that finds nothing nearer "
		    "would end there: choose a name like auto-%s", path, name);
		return true;
	}
	return false;
}

static int
make_one(int dir_fd, const char *dir, const char *name, const char *target)
{
	int errnum;

	if (is_taken_name(name))
		return EXIT_NO;
	if (symlinkat(target, dir_fd, name) == 0)
		return 0;
	errnum = errno;
	if (errnum == EEXIST && is_alias(dir_fd, name))
		return 0;
	say("%s/%s: %s", dir, name, errnum == EEXIST ?
	    "exists and is no alias of auto-shebang" : err_str(-errnum));
	return EXIT_NO;
}

static int
remove_one(int dir_fd, const char *dir, const char *name)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		say("%s/%s: %s", dir, name, err_str(-errno));
		return EXIT_NO;
	}
	if (!is_alias(dir_fd, name)) {
		say("%s/%s: is no alias of auto-shebang; left alone", dir,
		    name);
		return EXIT_NO;
	}
	if (unlinkat(dir_fd, name, 0) == 0)
		return 0;
	say("%s/%s: %s", dir, name, err_str(-errno));
	return EXIT_NO;
}

/* Beside the program its bare name is enough, and survives a move. */
static int
target_for(int dir_fd, char **ret_target)
{
	AEG_AUTOFREE char *path = NULL, *dir = NULL;
	struct stat here, there;
	int rc = program_path(&path);

	if (rc < 0) {
		say("cannot tell where this program stands");
		return EXIT_CANNOT_RUN;
	}
	dir = xmemdup0(path, (size_t)(path_base(path) - path));
	if (fstat(dir_fd, &here) == 0 && stat(dir, &there) == 0 &&
	    same_file(&here, &there))
		*ret_target = xstrdup(path_base(path));
	else
		*ret_target = AEG_STEAL(path);
	return 0;
}

static int
each(int argc, char **argv, bool make)
{
	AEG_AUTOFREE char *target = NULL;
	AEG_AUTOFD int dir_fd = -1;
	int i, status = 0, one;

	if (argc > 0 && strcmp(argv[0], "--") == 0) {
		argc--;
		argv++;
	}
	if (argc < 2) {
		say("usage: auto-shebang %s DIR NAME...",
		    make ? "link" : "unlink");
		return EXIT_USAGE;
	}
	for (i = 1; i < argc; i++)
		if (!name_good(argv[i]))
			return EXIT_USAGE;
	dir_fd = open(argv[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0) {
		say("%s: %s", argv[0], err_str(-errno));
		return EXIT_NO;
	}
	if (make) {
		status = target_for(dir_fd, &target);
		if (status != 0)
			return status;
	}
	for (i = 1; i < argc; i++) {
		one = make ? make_one(dir_fd, argv[0], argv[i], target) :
		    remove_one(dir_fd, argv[0], argv[i]);
		status = one != 0 ? one : status;
	}
	return status;
}

int
links_make(int argc, char **argv)
{
	return each(argc, argv, true);
}

int
links_remove(int argc, char **argv)
{
	return each(argc, argv, false);
}
