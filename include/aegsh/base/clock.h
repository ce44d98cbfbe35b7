/* SPDX-License-Identifier: ISC */
/* Clocks, in nanoseconds: wall time for records, monotonic for spans. */
#ifndef AEGSH_BASE_CLOCK_H
#define AEGSH_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_wall_ns(void);	/* CLOCK_REALTIME, since 1970 */
int64_t clock_mono_ns(void);	/* CLOCK_MONOTONIC */

#endif
