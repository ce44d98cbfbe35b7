/* SPDX-License-Identifier: ISC */
/*
 * Two threads race for a name: one changes what it leads to, the other
 * opens it, thousands of times.  Says "escaped" when the second ever got
 * what it must not, else the errno that it got on the way there.
 *
 *	escape_race symlink LINK SECRET INNOCENT    reads by a symlink
 *	escape_race write LINK SECRET INNOCENT      writes by one
 *	escape_race exchange DIR SECRET             by an exchanged name
 *	escape_race rename DIR SECRETDIR NAME       by ".." of what moves,
 *	    SECRETDIR as seen from two above DIR
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 4000

static atomic_bool over;
static char name[2][4096];	/* what the mover moves between */
static char aim[2][4096];	/* where its links lead */
static bool exchanges, moves;

static void *
mover(void *arg)
{
	(void)arg;
	for (unsigned n = 0; !over; n++) {
		if (exchanges)
			renameat2(AT_FDCWD, name[0], AT_FDCWD, name[1],
			    RENAME_EXCHANGE);
		else if (moves)
			rename(name[n & 1], name[!(n & 1)]);
		else {
			unlink(name[1]);
			if (symlink(aim[n & 1], name[1]) == 0)
				rename(name[1], name[0]);
		}
	}
	return NULL;
}

/* Returns 0 when the secret was got, else an errno. */
static int
take(const char *path, bool writes)
{
	char got[16] = "";
	int fd = open(path, writes ? O_WRONLY : O_RDONLY), e = errno;

	if (fd < 0)
		return e;
	if (writes)
		e = write(fd, "escaped\n", 8) == 8 ? EAGAIN : errno;
	else
		e = read(fd, got, 6) == 6 && strcmp(got, "secret") == 0 ? 0 :
		    EAGAIN;
	close(fd);
	return e;
}

static int
fail(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
	_exit(0);
}

static void
prepare(char **a, char *path, size_t size)
{
	snprintf(path, size, "%s", a[2]);
	snprintf(name[0], sizeof name[0], "%s", a[2]);
	snprintf(name[1], sizeof name[1], "%s.next", a[2]);
	snprintf(aim[0], sizeof aim[0], "%s", a[4]);
	snprintf(aim[1], sizeof aim[1], "%s", a[3]);
	if (strcmp(a[1], "exchange") == 0) {
		exchanges = true;
		snprintf(path, size, "%s/f", a[2]);
		snprintf(name[0], sizeof name[0], "%s/f", a[2]);
		snprintf(name[1], sizeof name[1], "%s/other", a[2]);
		if (symlink(a[3], name[1]) < 0)
			fail(strerrorname_np(errno));
	} else if (strcmp(a[1], "rename") == 0) {
		moves = true;
		/* Both names of it lie so that ".." leads to other places. */
		snprintf(name[0], sizeof name[0], "%s/d/sub", a[2]);
		snprintf(name[1], sizeof name[1], "%s/sub", a[2]);
		snprintf(path, size, "%s/d/sub/../../../../%s/%s", a[2],
		    a[3], a[4]);
		if (rename(name[0], name[1]) < 0)
			fail(strerrorname_np(errno));
	} else if (symlink(aim[0], name[0]) < 0)
		fail(strerrorname_np(errno));
}

int
main(int argc, char **argv)
{
	static char path[8192];
	char *a[5] = { 0 };
	int seen = 0;
	pthread_t other;

	for (int i = 0; i < 5; i++)
		a[i] = i < argc ? argv[i] : name[0];
	prepare(a, path, sizeof path);
	if (pthread_create(&other, NULL, mover, NULL) != 0)
		return 1;
	for (int n = 0; n < ROUNDS && !over; n++) {
		int e = take(path, strcmp(a[1], "write") == 0);

		if (e == 0)
			fail("escaped");
		if (e != EAGAIN && e != ENOENT && e != ELOOP)
			seen = e;
		else if (seen == 0)
			seen = e;
	}
	over = true;
	pthread_join(other, NULL);
	fail(strerrorname_np(seen));
}
