/* SPDX-License-Identifier: ISC */
/* Clocks, in nanoseconds. */
#include "aegsh/base/clock.h"

#include <time.h>

static int64_t
now(clockid_t id)
{
	struct timespec ts = { 0, 0 };

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t
clock_wall_ns(void)
{
	return now(CLOCK_REALTIME);
}

int64_t
clock_mono_ns(void)
{
	return now(CLOCK_MONOTONIC);
}
