/* SPDX-License-Identifier: ISC */
/*
 * Which branch a work tree is on, read from .git without running git, whose
 * settings in a foreign work tree can name programs to run.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "shell/prompt.h"

#define DEPTH_MAX 64			/* directories that are looked at */
#define FILE_BYTES_MAX ((size_t)4096)
#define COMMIT_SHOWN 8			/* digits of one, without a branch */

/* The first line of a small regular file; a FIFO does not hold us up. */
static bool
read_line(int dir, const char *name, struct buf *ret)
{
	AEG_AUTOFD int fd = openat(dir, name, O_RDONLY | O_CLOEXEC |
	    O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	ret->max = FILE_BYTES_MAX;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > (off_t)FILE_BYTES_MAX ||
	    io_read_all(fd, ret) < 0 || ret->data == NULL)
		return false;
	ret->len = strcspn(ret->data, "\n");
	ret->data[ret->len] = '\0';
	return true;
}

/* .git of a work tree: a directory, or (of a linked one, or a submodule) a
 * file that names it. */
static int
open_git(int dir)
{
	struct buf text = BUF_INIT;
	int fd = openat(dir, ".git", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (read_line(dir, ".git", &text) &&
	    strncmp(text.data, "gitdir: ", 8) == 0)
		fd = openat(dir, text.data + 8,
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	buf_done(&text);
	return fd;
}

static bool
put_head(int git, struct buf *out)
{
	struct buf head = BUF_INIT;
	bool found = read_line(git, "HEAD", &head);

	if (found && strncmp(head.data, "ref: ", 5) == 0) {
		const char *name = head.data + 5;

		if (strncmp(name, "refs/heads/", 11) == 0)
			name += 11;
		text_inert(out, name, strlen(name), 0);
	} else if (found) {
		found = head.len >= 40 && strspn(head.data,
		    "0123456789abcdef") == head.len;
		if (found)
			buf_put(out, head.data, COMMIT_SHOWN);
	}
	buf_done(&head);
	return found;
}

bool
prompt_git(const char *dir, struct buf *out)
{
	int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat here, above;
	bool found = false;
	int depth, git;

	for (depth = 0; at >= 0 && depth < DEPTH_MAX; depth++) {
		int up;

		git = open_git(at);
		if (git >= 0) {
			found = put_head(git, out);
			close(git);
			break;
		}
		up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0 || fstat(at, &here) < 0 || fstat(up, &above) < 0 ||
		    (here.st_ino == above.st_ino &&
		    here.st_dev == above.st_dev)) {
			io_close(&up);
			break;
		}
		close(at);
		at = up;
	}
	io_close(&at);
	return found;
}
