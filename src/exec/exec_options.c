/* SPDX-License-Identifier: ISC */
/*
 * Options of bash that stand before its -c or -s.  They are judged as the
 * commands that would set them, in front of the line; bash gets them as
 * options, and the line without those commands.  Here is the only place that
 * says which commands those are, so that what was judged is what runs.
 */
#include "exec_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static bool
takes_name(const char *option)
{
	return (option[1] == 'o' || option[1] == 'O') && option[2] == '\0';
}

/* The shopt of -O NAME and +O NAME. */
static void
put_shopt(char *const *options, char sign, const char *command,
    struct buf *out)
{
	size_t start = out->len, i;

	buf_puts(out, command);
	for (i = 0; options[i] != NULL; i++) {
		if (!takes_name(options[i]) || options[i + 1] == NULL)
			continue;
		if (options[i][1] == 'O' && options[i][0] == sign)
			buf_putf(out, " %s", options[i + 1]);
		i++;
	}
	if (out->len == start + strlen(command))
		out->len = start;
	else
		buf_putc(out, '\n');
}

void
exec_options_text(char *const *options, struct buf *out)
{
	size_t start = out->len, i;

	if (options == NULL || options[0] == NULL)
		return;
	put_shopt(options, '-', "shopt -s", out);
	put_shopt(options, '+', "shopt -u", out);
	start = out->len;
	buf_puts(out, "set");
	for (i = 0; options[i] != NULL; i++) {
		bool named = takes_name(options[i]) && options[i + 1] != NULL;

		if (!named || options[i][1] != 'O')
			buf_putf(out, " %s", options[i]);
		if (named && options[i][1] != 'O')
			buf_putf(out, " %s", options[i + 1]);
		i += named;
	}
	if (out->len == start + 3)
		out->len = start;
	else
		buf_putc(out, '\n');
}

int
exec_options_skip(char *const *options, const char **bytes, size_t *len,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;

	exec_options_text(options, &text);
	if (text.len == 0)
		return 0;
	if (*len < text.len || memcmp(*bytes, text.data, text.len) != 0)
		return err_set(err, ERR_REFUSED, "the options of bash were "
		    "not judged with the line");
	*bytes += text.len;
	*len -= text.len;
	return 0;
}
