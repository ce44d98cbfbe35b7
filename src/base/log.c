/* SPDX-License-Identifier: ISC */
/* Debug log: text made inert, handed to whoever asked for it. */
#include "aegsh/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/buf.h"
#include "aegsh/base/text.h"

static log_sink_fn *sink;
static void *sink_ctx;

void
log_set_sink(log_sink_fn *fn, void *ctx)
{
	sink = fn;
	sink_ctx = ctx;
}

void
log_debug(const char *fmt, ...)
{
	char text[2048];
	struct buf inert = BUF_INIT;
	va_list ap;

	if (sink == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	text_inert(&inert, text, strlen(text), 0);
	sink(sink_ctx, inert.data != NULL ? inert.data : "");
	buf_done(&inert);
}
