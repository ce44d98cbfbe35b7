/* SPDX-License-Identifier: ISC */
/*
 * Debug log.  Rooms never print; what a developer or `-o debug=yes` wants
 * to see goes to the sink that a program installed, or nowhere.  A sink
 * gets inert text without newline.
 */
#ifndef AEGSH_BASE_LOG_H
#define AEGSH_BASE_LOG_H

typedef void log_sink_fn(void *ctx, const char *text);

void log_set_sink(log_sink_fn *fn, void *ctx);	/* NULL: nowhere */
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
