/* SPDX-License-Identifier: ISC */
#include "aegsh/base/io.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
	struct buf b = BUF_INIT_MAX(4);
	char two[2];
	int p[2], fd, status;
	pid_t pid;

	OK(pipe(p) == 0);
	IS_INT(io_write_full(p[1], "abcd", 4), 0);
	IS_INT(io_read_full(p[0], two, 2), 0);
	io_close(&p[1]);
	IS_INT(p[1], -1);
	IS_INT(io_read_all(p[0], &b), 0);
	IS_STR(b.data, "cd");
	IS_INT(io_read_full(p[0], two, 2), -ENODATA);
	io_close(&p[0]);

	OK(pipe(p) == 0);
	IS_INT(io_write_full(p[1], "12345", 5), 0);
	io_close(&p[1]);
	buf_reset(&b);
	IS_INTN(io_read_all(p[0], &b), ERR_TOO_LONG, "the cap holds");
	io_close(&p[0]);
	buf_done(&b);

	fd = open("/dev/null", O_RDONLY);
	fd = io_move_up(fd, 100);
	OK(fd >= 100 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	io_close(&fd);

	pid = fork();
	if (pid == 0) {
		close(0);
		close(2);
		_exit(io_fill_std() != 0 || fcntl(0, F_GETFD) < 0 ||
		    fcntl(2, F_GETFD) < 0);
	}
	waitpid(pid, &status, 0);
	IS_INTN(status, 0, "missing standard descriptors are filled");
	return tap_done();
}
