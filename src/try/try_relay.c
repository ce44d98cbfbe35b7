/* SPDX-License-Identifier: ISC */
/*
 * What a tried line writes, on its way out: the keeper carries it, and counts
 * it.  Aegsh, whose child the keeper is, reads in a shared page whether it
 * was too much.
 */
#include "try/try_int.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "aegsh/base/io.h"

int
try_share(struct try *t, struct err *err)
{
	t->over = mmap(NULL, sizeof *t->over, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->over != MAP_FAILED)
		return 0;
	t->over = NULL;
	return err_sys(err, errno, "a try: memory");
}

void
try_unshare(struct try *t)
{
	if (t->over != NULL)
		munmap(t->over, sizeof *t->over);
}

bool
try_over(const struct try *t)
{
	return *t->over;
}

/* How many of them go on.  The rest is read all the same: it is not the line
 * that fails. */
static size_t
admit(struct try *t, uint64_t *seen, size_t n, pid_t first)
{
	uint64_t most = t->opts.most, left = most > *seen ? most - *seen : 0;

	*seen += n;
	if (most == 0 || n <= left)
		return n;
	*t->over = true;
	if (t->opts.kills)
		kill(first, SIGKILL);
	return (size_t)left;
}

/* What is read goes on; where nobody takes it, the line hears of it. */
static void
pass_on(struct try *t, int *from, int to, uint64_t *seen, pid_t first)
{
	char bytes[8192];
	ssize_t n = read(*from, bytes, sizeof bytes);
	size_t len;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	len = n > 0 ? admit(t, seen, (size_t)n, first) : 0;
	if (n <= 0 || io_write_full(to, bytes, len) < 0)
		io_close(from);
}

void
try_relay(struct try *t, int *out, int *err, pid_t first)
{
	uint64_t seen = 0;

	while (*out >= 0 || *err >= 0) {
		struct pollfd p[2] = {
			{ .fd = *out, .events = POLLIN },
			{ .fd = *err, .events = POLLIN },
		};

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents != 0)
			pass_on(t, out, t->opts.out, &seen, first);
		if (p[1].revents != 0)
			pass_on(t, err, t->opts.err, &seen, first);
	}
}
