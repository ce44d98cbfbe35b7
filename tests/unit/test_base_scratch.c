/* SPDX-License-Identifier: ISC */
/* Directories that are known to be left behind by nobody's having their
 * lock. */
#include "aegsh/base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "tap.h"

#define PREFIX "scratch-test."

struct seen {
	int n;
	char name[64];
	bool open;
};

static void
see(void *ctx, int parent, const char *name, int fd)
{
	struct seen *s = ctx;

	s->n++;
	snprintf(s->name, sizeof s->name, "%s", name);
	s->open = fcntl(fd, F_GETFD) == FD_CLOEXEC;
	scratch_empty(fd);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static int
count(int dir)
{
	DIR *d = scratch_list(dir);
	int n = 0;

	while (d != NULL && scratch_next(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return d == NULL ? -1 : n;
}

static void
put(int dir, const char *name)
{
	AEG_AUTOFD int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL |
	    O_CLOEXEC, 0600);

	OKF(fd >= 0, "%s", name);
}

static void
test_one(const char *in)
{
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFD int fd = scratch_make(in, PREFIX, &path);
	struct seen s = { 0 };
	struct stat st;

	OKF(fd >= 0 && path != NULL, "one is made");
	OKF(stat(path, &st) == 0 && (st.st_mode & 07777) == 0700,
	    "of this user alone");
	IS_INTN(fcntl(fd, F_GETFD), FD_CLOEXEC, "no program has its lock");
	put(fd, "line");
	put(fd, "line~");
	scratch_each_left(in, PREFIX, see, &s);
	IS_INTN(s.n, 0, "while its maker lives, it is not left behind");
	io_close(&fd);
	scratch_each_left(in, "another.", see, &s);
	IS_INTN(s.n, 0, "by another prefix it is not found");
	scratch_each_left(in, PREFIX, see, &s);
	IS_INTN(s.n, 1, "then it is found");
	IS_STR(s.name, path + strlen(in) + 1);
	OKF(s.open, "and open, for nobody's program");
	OKF(stat(path, &st) < 0 && errno == ENOENT, "it went, with its files");
}

static void
test_others(const char *in, int dir)
{
	static const char *const names[] = { PREFIX "short", PREFIX "toolong",
		PREFIX "b@d...", "x" PREFIX "Aaaaaa" };
	struct seen s = { 0 };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++)
		OKF(mkdirat(dir, names[i], 0700) == 0, "%s", names[i]);
	OKF(mkdirat(dir, PREFIX "Aopen1", 0755) == 0 &&
	    fchmodat(dir, PREFIX "Aopen1", 0755, 0) == 0 &&
	    symlinkat(names[0], dir, PREFIX "Alink1") == 0 &&
	    mkfifoat(dir, PREFIX "Afifo1", 0700) == 0,
	    "open to others, a link, a pipe");
	put(dir, PREFIX "Afile1");
	scratch_each_left(in, PREFIX, see, &s);
	IS_INTN(s.n, 0, "none of these is one");
	IS_INTN(count(dir), (int)AEG_NELEM(names) + 4, "all are there");
	for (i = 0; i < AEG_NELEM(names); i++)
		unlinkat(dir, names[i], AT_REMOVEDIR);
	unlinkat(dir, PREFIX "Aopen1", AT_REMOVEDIR);
	scratch_empty(dir);
	IS_INTN(count(dir), 0, "files, links and pipes are emptied out");
}

static void
test_sweep(const char *in, int dir)
{
	AEG_AUTOFREE char *left = NULL;
	AEG_AUTOFREE char *held = NULL;
	int fd = scratch_make(in, PREFIX, &left);
	AEG_AUTOFD int mine = scratch_make(in, PREFIX, &held);

	put(fd, "copy");
	close(fd);
	put(mine, "copy");
	scratch_sweep(in, PREFIX);
	IS_INTN(count(dir), 1, "what was left behind is swept away");
	IS_INTN(count(mine), 1, "what somebody holds is not");
	scratch_remove(mine, AT_FDCWD, held);
	IS_INTN(count(dir), 0, "until that removes it");
}

static void
test_errors(const char *in)
{
	AEG_AUTOFREE char *none = xasprintf("%s/none", in);
	AEG_AUTOFREE char *path = NULL;
	struct seen s = { 0 };

	IS_INTN(scratch_make(none, PREFIX, &path), -ENOENT,
	    "nowhere none is made");
	OKF(path == NULL, "and has no name");
	scratch_each_left(none, PREFIX, see, &s);
	IS_INTN(s.n, 0, "nor found");
}

int
main(void)
{
	char in[] = "/tmp/test_base_scratch.XXXXXX";
	AEG_AUTOFD int dir = -1;

	if (mkdtemp(in) == NULL)
		return 99;
	dir = open(in, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_one(in);
	test_others(in, dir);
	test_sweep(in, dir);
	test_errors(in);
	IS_INTN(rmdir(in), 0, "nothing is left");
	return tap_done();
}
