/* SPDX-License-Identifier: ISC */
/*
 * Stands in for libFuzzer in `make check`: gives a fuzz target each file of
 * its corpus, tests/fuzz/corpus/NAME, once.  A crash ends the run before
 * its plan, which the harness reports.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "tap.h"

#define INPUT_MAX ((size_t)1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
is_input(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void
replay(const char *dir, const char *name)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	size_t n;

	if (f == NULL) {
		OKF(false, "%s can be read", path);
		return;
	}
	data = xmalloc(INPUT_MAX);
	n = fread(data, 1, INPUT_MAX, f);
	fclose(f);
	/* Exactly sized, so that a sanitizer sees one byte too many. */
	data = xreallocarray(data, n > 0 ? n : 1, 1);
	OKF(LLVMFuzzerTestOneInput(data, n) == 0, "%s", name);
	free(data);
}

int
main(int argc, char **argv)
{
	const char *top = getenv("abs_top_srcdir");
	AEG_AUTOFREE char *dir = argc > 1 ? xstrdup(argv[1]) :
	    xasprintf("%s/tests/fuzz/corpus/%s", top != NULL ? top : ".",
	    path_base(argv[0]));
	struct dirent **list = NULL;
	int i, n;

	n = scandir(dir, &list, is_input, alphasort);
	OKF(n > 0, "%s has a corpus", path_base(argv[0]));
	for (i = 0; i < n; i++) {
		replay(dir, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return tap_done();
}
