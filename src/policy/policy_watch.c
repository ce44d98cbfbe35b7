/* SPDX-License-Identifier: ISC */
/*
 * Whether the operator's rule files are as they were: a look at the inodes
 * of the two directories and of what lies in them, which is all that a line
 * pays for when nothing has changed.
 */
#include "policy_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

/* A file that was written this short a time ago may be written again with
 * the same times: it is looked at once more when that time is over. */
#define SETTLED_NS ((int64_t)2 * 1000000000)

struct watched {
	char *path;
	bool there;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

struct pol_watch {
	struct watched *v;
	size_t n;
	int64_t made_ns, newest_ns;	/* of the wall clock */
};

static void
look(const char *path, struct watched *ret)
{
	struct stat st;

	ret->there = stat(path, &st) == 0;
	if (!ret->there)
		return;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->size = st.st_size;
	ret->mtime = st.st_mtim;
	ret->ctime = st.st_ctim;
}

static int64_t
nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* Takes path. */
static void
add(struct pol_watch *w, char *path)
{
	struct watched *at;

	w->v = xreallocarray(w->v, w->n + 1, sizeof *w->v);
	at = &w->v[w->n++];
	*at = (struct watched){ .path = path };
	look(path, at);
	if (at->there && nanoseconds(&at->ctime) > w->newest_ns)
		w->newest_ns = nanoseconds(&at->ctime);
}

/* The directory first: whatever comes or goes in it changes it. */
static void
add_place(struct pol_watch *w, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	add(w, xstrdup(dir));
	while (d != NULL && n < POL_SOURCES_MAX && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.' && text_ends(e->d_name, ".conf")) {
			add(w, xasprintf("%s/%s", dir, e->d_name));
			n++;
		}
	if (d != NULL)
		closedir(d);
}

struct pol_watch *
pol_watch_new(void)
{
	struct pol_watch *w = xcalloc(1, sizeof *w);
	AEG_AUTOFREE char *vendor = xasprintf("%s/policy", sysdirs()->data);
	AEG_AUTOFREE char *site = xasprintf("%s/policy.d", sysdirs()->conf);

	w->made_ns = clock_wall_ns();
	add_place(w, vendor);
	add_place(w, site);
	return w;
}

void
pol_watch_free(struct pol_watch *w)
{
	size_t i;

	if (w == NULL)
		return;
	for (i = 0; i < w->n; i++)
		free(w->v[i].path);
	free(w->v);
	free(w);
}

static bool
same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool
pol_watch_changed(const struct pol_watch *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		struct watched now = { .there = false };
		const struct watched *was = &w->v[i];

		look(was->path, &now);
		if (now.there != was->there || now.dev != was->dev ||
		    now.ino != was->ino || now.size != was->size ||
		    !same_time(&now.mtime, &was->mtime) ||
		    !same_time(&now.ctime, &was->ctime))
			return true;
	}
	return w->newest_ns > w->made_ns - SETTLED_NS &&
	    clock_wall_ns() > w->newest_ns + SETTLED_NS;
}
