/* SPDX-License-Identifier: ISC */
#include "aegsh/base/listing.h"
#include "scratch.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

/* Long names: more than one look of the kernel takes. */
#define FILES 200

struct seen {
	unsigned count[FILES], others, links, calls;
	unsigned stop_at;		/* the call that ends it; 0: none */
};

static int
see(void *ctx, const char *name, unsigned char type)
{
	struct seen *s = ctx;
	unsigned i;

	if (++s->calls == s->stop_at)
		return -ECANCELED;
	if (type == DT_LNK)
		s->links++;
	else if (sscanf(name, "a-name-that-takes-its-place-%u", &i) == 1 &&
	    i < FILES)
		s->count[i]++;
	else
		s->others++;
	return 0;
}

static int
list(const char *dir, struct seen *s, unsigned stop_at)
{
	AEG_AUTOFD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*s = (struct seen){ .stop_at = stop_at };
	return listing_each(fd, see, s);
}

int
main(void)
{
	const char *dir = scratch_new();
	struct seen s;
	unsigned i, once = 0;
	char name[64];

	IS_INTN(list(dir, &s, 0), 0, "an empty directory");
	IS_INT(s.calls, 0);
	for (i = 0; i < FILES; i++) {
		AEG_AUTOFREE char *path = NULL;

		snprintf(name, sizeof name, "a-name-that-takes-its-place-%u",
		    i);
		path = scratch_path(name);
		if (mkdir(path, 0700) < 0)
			return 1;
	}
	{
		AEG_AUTOFREE char *path = scratch_path("link");

		OK(symlink("nowhere", path) == 0);
	}
	IS_INTN(list(dir, &s, 0), 0, "one with many");
	for (i = 0; i < FILES; i++)
		once += s.count[i] == 1;
	IS_INTN(once, FILES, "each once");
	IS_INTN(s.links, 1, "a link as one");
	IS_INTN(s.others, 0, "nothing else");
	IS_INTN(list(dir, &s, 7), -ECANCELED, "what each() says ends it");
	IS_INT(s.calls, 7);
	IS_INTN(listing_each(-1, see, &s), -EBADF, "no descriptor");
	return tap_done();
}
