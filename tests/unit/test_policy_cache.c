/* SPDX-License-Identifier: ISC */
/* What of the sources is remembered, and what makes it forgotten. */
#include "policy/policy_int.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "judge.h"

static const char path_in_root[] = "etc/policy.d/10-site.conf";

static void
find(struct pol_sources *s)
{
	struct err err = ERR_INIT;

	IS_INTN(pol_sources_find(NULL, s, &err), 0, err.text);
}

/* The same bytes in number, the same time of modification. */
static void
change_behind(const char *text)
{
	char *path AEG_AUTOFREE = scratch_path(path_in_root);
	struct stat st;
	struct timespec times[2];
	int fd;

	if (stat(path, &st) < 0)
		scratch_die(path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		scratch_die(path);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	if (futimens(fd, times) < 0)
		scratch_die(path);
	close(fd);
}

/* Between the look at a file and its reading it changes, or is replaced by
 * what is not to be believed. */
static void
test_between(const char *dir, int fd)
{
	char *path AEG_AUTOFREE = scratch_path(path_in_root);
	struct err err = ERR_INIT;
	struct pol_sources s;
	struct pol_known known;

	find(&s);
	s.newest = 0;
	change_behind("# six\n");
	IS_INT(pol_sources_fill(&s, &err), 0);
	pol_cache_remember(dir, &s);
	OKF(pol_cache_known(fd, s.identity, &known) == -ENOENT,
	    "another text is not remembered as that of what was found");
	pol_sources_done(&s);
	find(&s);
	if (chmod(path, 0666) < 0)
		scratch_die(path);
	OKF(pol_sources_fill(&s, &err) == ERR_TRUST,
	    "owner and mode are checked again where the file is read");
	pol_sources_done(&s);
	if (chmod(path, 0644) < 0)
		scratch_die(path);
	find(&s);
	scratch_unlink(path_in_root);
	if (symlink("/dev/null", path) < 0)
		scratch_die(path);
	OKF(pol_sources_fill(&s, &err) == -ELOOP,
	    "a link that took its place is not followed");
	pol_sources_done(&s);
}

static void
identify(const char *path, struct pol_known *ret)
{
	struct stat st;

	if (stat(path, &st) < 0)
		scratch_die(path);
	pol_file_identity(&st, ret->checked);
}

static int
read_again(int fd, const struct pol_known *known, bool map)
{
	struct pol_bytes bytes = { .p = NULL };
	int rc = pol_cache_read(fd, known, map, &bytes);

	pol_bytes_done(&bytes);
	return rc;
}

/* The compiled form is looked at as a whole once for each file. */
static void
test_checked(const char *dir, int fd)
{
	struct pol_known known = { .checked = { 0 } }, kept;
	struct pol_bytes bytes = { .p = NULL };
	struct err err = ERR_INIT;
	char *path AEG_AUTOFREE = NULL;
	struct pol_header head;
	struct pol_sources s;
	char hex[65];
	int blob;

	scratch_unlink(path_in_root);
	scratch_puts(path_in_root, "# seven\n");
	find(&s);
	IS_INT(pol_sources_fill(&s, &err), 0);
	s.newest = 0;
	IS_INT(pol_compile(&s, &bytes.p, &bytes.size, &err), 0);
	memcpy(&head, bytes.p, sizeof head);
	pol_cache_write(dir, s.hash, bytes.p, bytes.size);
	pol_bytes_done(&bytes);
	pol_cache_remember(dir, &s);
	IS_INT(pol_cache_known(fd, s.identity, &known), 0);
	IS_INT(pol_cache_read(fd, &known, true, &bytes), 0);
	OK(memcmp(known.checked, bytes.file, sizeof bytes.file) != 0);
	pol_cache_vouch(dir, &s, &bytes);
	IS_INT(pol_cache_known(fd, s.identity, &kept), 0);
	OKF(memcmp(&kept, &known, sizeof kept) == 0,
	    "one that was made just now may still change");
	pol_bytes_done(&bytes);
	hex_text(s.hash, sizeof s.hash, hex);
	path = xasprintf("%s/policy-%s", dir, hex);
	identify(path, &known);
	IS_INT(read_again(fd, &known, true), 0);
	blob = open(path, O_WRONLY | O_CLOEXEC);
	if (blob < 0 || pwrite(blob, "\xff\xff\xff\xff", 4, (off_t)
	    head.sections[POL_SEC_RULES].offset) != 4)
		scratch_die(path);
	close(blob);
	OKF(read_again(fd, &known, true) == ERR_SYNTAX,
	    "one that was changed is looked at again");
	identify(path, &known);
	IS_INTN(read_again(fd, &known, true), 0,
	    "one that was looked at is not");
	OKF(read_again(fd, &known, false) == ERR_SYNTAX,
	    "but for a session, which is long");
	known.hash[0] ^= 1;
	OKF(read_again(fd, &known, true) == -ENOENT,
	    "and it must be of these sources");
	pol_sources_done(&s);
}

int
main(void)
{
	struct pol_sources s, again;
	struct pol_known known;
	char *dir AEG_AUTOFREE = NULL;
	int fd AEG_AUTOFD = -1;
	struct err err = ERR_INIT;

	judge_places();
	dir = scratch_path("cache");
	scratch_mkdir("cache", 0700);
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	scratch_mkdir("etc", 0755);
	scratch_mkdir("etc/policy.d", 0755);
	scratch_puts(path_in_root, "# one\n");
	find(&s);
	OK(pol_cache_known(fd, s.identity, &known) == -ENOENT);
	IS_INT(pol_sources_fill(&s, &err), 0);
	pol_cache_remember(dir, &s);
	OKF(pol_cache_known(fd, s.identity, &known) == -ENOENT,
	    "a file that changed just now is not remembered");
	s.newest = 0;
	pol_cache_remember(dir, &s);
	IS_INT(pol_cache_known(fd, s.identity, &known), 0);
	OK(memcmp(known.hash, s.hash, sizeof s.hash) == 0);
	find(&again);
	OKF(memcmp(again.identity, s.identity, sizeof s.identity) == 0,
	    "the same files are known again");
	pol_sources_done(&again);
	change_behind("# two\n");
	find(&again);
	OKF(pol_cache_known(fd, again.identity, &known) == -ENOENT,
	    "size and time put back do not hide a change");
	IS_INT(pol_sources_fill(&again, &err), 0);
	OK(memcmp(again.hash, s.hash, sizeof s.hash) != 0);
	pol_sources_done(&again);
	test_between(dir, fd);
	test_checked(dir, fd);
	pol_sources_done(&s);
	return tap_done();
}
