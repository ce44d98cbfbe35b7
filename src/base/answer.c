/* SPDX-License-Identifier: ISC */
#include "aegsh/base/answer.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "aegsh/base/clock.h"

#define QUIET_MS 100		/* without a key, before a question is put */
#define QUIET_MAX_NS ((int64_t)5 * 1000000000)

bool
answer_prepare(int tty, struct termios *ret_before)
{
	struct termios plain;

	if (tcgetattr(tty, ret_before) < 0)
		return false;
	plain = *ret_before;
	plain.c_lflag |= ICANON | ECHO | ISIG;
	plain.c_iflag |= ICRNL;
	tcsetattr(tty, TCSADRAIN, &plain);
	return true;
}

void
answer_restore(int tty, const struct termios *before)
{
	tcsetattr(tty, TCSADRAIN, before);
}

bool
answer_quiet(int tty, int cancel)
{
	int64_t end = clock_mono_ns() + QUIET_MAX_NS;
	struct pollfd p[2] = {
		{ .fd = tty, .events = POLLIN },
		{ .fd = cancel, .events = POLLIN },
	};
	int n;

	do {
		tcflush(tty, TCIFLUSH);
		n = poll(p, 2, QUIET_MS);
	} while ((n > 0 && p[1].revents == 0 &&
	    (p[0].revents & ~POLLIN) == 0 && clock_mono_ns() < end) ||
	    (n < 0 && errno == EINTR));
	tcflush(tty, TCIFLUSH);
	return n == 0;
}

bool
answer_read(int tty, int cancel, int64_t seconds, char *ret, size_t size)
{
	int64_t end = clock_mono_ns() + seconds * 1000000000;
	struct pollfd p[2] = {
		{ .fd = tty, .events = POLLIN },
		{ .fd = cancel, .events = POLLIN },
	};
	ssize_t n;

	for (;;) {
		int64_t left = (end - clock_mono_ns()) / 1000000;

		if (left <= 0)
			return false;
		n = poll(p, 2, (int)left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || p[1].revents != 0)
			return false;
		n = read(tty, ret, size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		ret[n] = '\0';
		return true;
	}
}
