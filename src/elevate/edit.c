/* SPDX-License-Identifier: ISC */
/*
 * aegsh-edit: the editor that sudoedit, crontab, visudo and vipw are given
 * when a line calls them.  It edits nothing: it tells what their copies hold
 * (elevate_edit.h), and puts there what was edited in the line's sandbox.
 *
 * It may be root (visudo, vipw).  It writes to the files that it was started
 * with and to no others, and whoever started it checks and installs them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "elevate/elevate_edit.h"

#define EXIT_USAGE 100
#define EXIT_SYSTEM 111

static int
fail(const char *path, int rc)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_puts(&out, "aegsh-edit: ");
	text_inert(&out, path, strlen(path), 0);
	buf_putf(&out, ": %s\n", err_str(rc));
	(void)io_write_full(STDERR_FILENO, out.data, out.len);
	return EXIT_SYSTEM;
}

static int
open_file(const char *path, int flags, struct stat *ret_st)
{
	int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -errno;
	if (S_ISREG(ret_st->st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static void
put_number(struct buf *b, size_t n)
{
	const uint32_t number = (uint32_t)n;

	buf_put(b, &number, sizeof number);
}

static int
put_file(struct buf *to, const char *path)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(EDIT_BYTES_MAX);
	const char *name = path_base(path);
	struct stat st;
	AEG_AUTOFD int fd = open_file(path, O_RDONLY, &st);
	int rc = fd < 0 ? fd : io_read_all(fd, &text);

	if (rc < 0)
		return rc;
	if (strlen(name) > EDIT_NAME_MAX)
		return -ENAMETOOLONG;
	put_number(to, strlen(name));
	buf_puts(to, name);
	put_number(to, text.len);
	buf_put(to, text.data, text.len);
	return 0;
}

/* Who started us sees by its time that it is another: some to the second. */
static int
mark_changed(int fd, const struct stat *before)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		{ .tv_sec = before->st_mtim.tv_sec + 1 } };
	struct stat now;

	if (fstat(fd, &now) < 0)
		return -errno;
	if (now.st_mtim.tv_sec != before->st_mtim.tv_sec)
		return 0;
	return futimens(fd, times) < 0 ? -errno : 0;
}

static int
write_file(const char *path, const char *bytes, uint32_t len)
{
	struct stat st;
	AEG_AUTOFD int fd = open_file(path, O_WRONLY, &st);
	int rc = fd < 0 ? fd : ftruncate(fd, 0) < 0 ? -errno :
	    io_write_full(fd, bytes, len);

	return rc < 0 ? rc : mark_changed(fd, &st);
}

/* All of them are here before the first is touched. */
static int
take_files(char *const *paths, uint32_t n)
{
	char *bytes[EDIT_FILES_MAX] = { NULL };
	uint32_t len[EDIT_FILES_MAX], i;
	int rc = 0;

	for (i = 0; rc == 0 && i < n; i++) {
		rc = io_read_full(STDIN_FILENO, &len[i], sizeof len[i]);
		if (rc == 0 && len[i] > EDIT_BYTES_MAX)
			rc = -EFBIG;
		if (rc < 0)
			break;
		bytes[i] = xmalloc((size_t)len[i] + 1);
		rc = io_read_full(STDIN_FILENO, bytes[i], len[i]);
	}
	for (i = 0; rc == 0 && i < n; i++)
		rc = write_file(paths[i], bytes[i], len[i]);
	for (i = 0; i < n; i++)
		free(bytes[i]);
	return rc;
}

int
main(int argc, char **argv)
{
	AEG_AUTO(buf_done) struct buf all = BUF_INIT_MAX((size_t)
	    EDIT_FILES_MAX * (EDIT_BYTES_MAX + 1024));
	uint32_t i, verb = EDIT_LEAVE;
	int rc;

	/* A line to begin at, and the end of options. */
	while (argc > 1 && (argv[1][0] == '+' ||
	    strcmp(argv[1], "--") == 0)) {
		argc--;
		argv++;
	}
	if (argc < 2 || (unsigned)argc - 1 > EDIT_FILES_MAX ||
	    argv[1][0] == '-') {
		fputs("aegsh-edit: started by aegsh where sudoedit, crontab "
		    "and visudo have an editor; of no use by hand\n", stderr);
		return EXIT_USAGE;
	}
	buf_puts(&all, EDIT_MAGIC);
	put_number(&all, (size_t)argc - 1);
	for (i = 1; i < (uint32_t)argc; i++)
		if ((rc = put_file(&all, argv[i])) < 0)
			return fail(argv[i], rc);
	rc = io_write_full(STDOUT_FILENO, all.data, all.len);
	if (rc == 0)
		rc = io_read_full(STDIN_FILENO, &verb, sizeof verb);
	if (rc == 0 && verb == EDIT_WRITE)
		rc = take_files(argv + 1, (uint32_t)argc - 1);
	return rc < 0 ? fail(argv[1], rc) : 0;
}
