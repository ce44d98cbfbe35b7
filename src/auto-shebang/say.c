/* SPDX-License-Identifier: ISC */
/*
 * What the program says.  Paths, names and values come from scripts and
 * directories of others, so everything goes through text_inert(); and each
 * message is one write, so that those of several scripts don't mix.
 *
 * Standard error may be closed, and this process' own descriptors may then
 * stand on number 2: they are all O_PATH or read-only, so nothing can be
 * written into them.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

void
say_text(struct buf *out, const char *text)
{
	text_inert(out, text, strlen(text), 0);
}

void
say_block(const struct buf *text)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;

	buf_puts(&out, "auto-shebang: ");
	buf_put(&out, text->data, text->len);
	buf_putc(&out, '\n');
	(void)io_write_full(STDERR_FILENO, out.data, out.len);
}

void
say(const char *fmt, ...)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	AEG_AUTOFREE char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return;
	}
	text_inert(&out, text, (size_t)n, 0);
	say_block(&out);
}

int
say_out(const struct buf *out, int status)
{
	int rc = io_write_full(STDOUT_FILENO, out->data, out->len);

	if (rc == 0)
		return status;
	say("cannot write the answer: %s", err_str(rc));
	return EXIT_USAGE;
}
