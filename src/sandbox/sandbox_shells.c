/* SPDX-License-Identifier: ISC */
/*
 * Which files are shells.  Those of /etc/shells, and those of names that
 * shells have, in the directories where programs lie: the kernel is told of
 * these.  Others, and copies, are known when somebody starts them.
 */
#include "sandbox_int.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define LIST_MAX ((size_t)65536)	/* bytes of /etc/shells */

static const char *const names[] = { "ash", "bash", "bash-static", "busybox",
	"csh", "dash", "elvish", "es", "fish", "hush", "ion", "ksh", "ksh2020",
	"ksh93", "lksh", "loksh", "mksh", "mksh-static", "murex", "nu", "oil",
	"oksh", "osh", "pdksh", "posh", "pwsh", "rbash", "rc", "rksh", "rksh93",
	"rzsh", "sash", "sh", "static-sh", "tcsh", "toybox", "xonsh", "yash",
	"ysh", "zsh", "zsh-static", "zsh5" };
static const char *const places[] = { "/usr/bin", "/bin", "/usr/sbin", "/sbin",
	"/usr/local/bin", "/usr/local/sbin", "/usr/lib/klibc/bin",
	"/usr/libexec", "/usr/games", "/opt/bin" };

bool
sandbox_shells_has(const struct sandbox_profile *p, dev_t dev, ino_t ino)
{
	size_t i;

	for (i = 0; i < p->n_shells; i++)
		if (p->shells[i].dev == dev && p->shells[i].ino == ino)
			return true;
	return false;
}

static bool
has_path(const struct sandbox_profile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->n_shells; i++)
		if (strcmp(p->shells[i].path, path) == 0)
			return true;
	return false;
}

static void
add(struct sandbox_profile *p, const char *path)
{
	char *real = sandbox_path_find(path, NULL);
	struct stat st;

	if (real == NULL || stat(real, &st) < 0 || !S_ISREG(st.st_mode) ||
	    has_path(p, real)) {
		free(real);
		return;
	}
	p->shells = xreallocarray(p->shells, p->n_shells + 1,
	    sizeof *p->shells);
	p->shells[p->n_shells++] = (struct sandbox_shell){ st.st_dev,
		st.st_ino, st.st_size, real };
}

static void
add_listed(struct sandbox_profile *p)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(LIST_MAX);
	AEG_AUTOFD int fd = open("/etc/shells", O_RDONLY | O_CLOEXEC);
	char *line, *save = NULL;

	if (fd < 0 || io_read_all(fd, &text) < 0)
		return;
	buf_putc(&text, '\0');
	for (line = strtok_r(text.data, " \t\n", &save); line != NULL;
	    line = strtok_r(NULL, " \t\n", &save))
		if (line[0] == '/')
			add(p, line);
}

void
sandbox_shells_find(struct sandbox_profile *p)
{
	size_t i, k;

	for (i = 0; i < AEG_NELEM(places); i++)
		for (k = 0; k < AEG_NELEM(names); k++) {
			AEG_AUTOFREE char *path = xasprintf("%s/%s",
			    places[i], names[k]);

			if (access(path, F_OK) == 0)
				add(p, path);
		}
	add_listed(p);
}

bool
sandbox_denies_shells(const struct sandbox_profile *p)
{
	return p->no_shells;
}

static bool
same_bytes(int fd, const char *path)
{
	AEG_AUTOFD int other = open(path, O_RDONLY | O_CLOEXEC);
	char a[16384], b[16384];
	off_t at = 0;
	ssize_t n;

	while (other >= 0) {
		n = pread(fd, a, sizeof a, at);
		if (n < 0 || pread(other, b, sizeof b, at) != n ||
		    memcmp(a, b, (size_t)n) != 0)
			return false;
		if (n == 0)
			return true;
		at += n;
	}
	return false;
}

/* What runs another program by mapping it, whatever that may be started for:
 * every program needs it, so that nothing can be withheld of it, and nobody
 * needs it as a program. */
static bool
is_loader(int fd, const struct stat *st)
{
	static const char *const patterns[] = { "/lib*/ld-*.so*",
		"/lib/*/ld-*.so*", "/usr/lib*/ld-*.so*" };
	glob_t found = { .gl_pathc = 0 };
	bool is = false;
	size_t i;

	for (i = 0; i < AEG_NELEM(patterns); i++)
		(void)glob(patterns[i], GLOB_NOSORT | (i > 0 ? GLOB_APPEND :
		    0), NULL, &found);
	for (i = 0; i < found.gl_pathc && !is; i++) {
		struct stat other;

		is = stat(found.gl_pathv[i], &other) == 0 &&
		    ((other.st_dev == st->st_dev && other.st_ino ==
		    st->st_ino) || (other.st_size == st->st_size &&
		    same_bytes(fd, found.gl_pathv[i])));
	}
	globfree(&found);
	return is;
}

bool
sandbox_is_shell(const struct sandbox_profile *p, int fd)
{
	struct stat st;
	size_t i;

	if (fstat(fd, &st) < 0)
		return true;
	if (sandbox_shells_has(p, st.st_dev, st.st_ino))
		return true;
	for (i = 0; i < p->n_shells; i++)
		if (p->shells[i].size == st.st_size &&
		    same_bytes(fd, p->shells[i].path))
			return true;
	return is_loader(fd, &st);
}
