/* SPDX-License-Identifier: ISC */
/*
 * A line goes to $VISUAL or $EDITOR and comes back to the prompt.  The editor
 * runs as a line of the session's own, judged, confined and recorded; what it
 * leaves is text at a prompt, of which nothing runs before Enter.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "shell/shell_int.h"

static const char *
editor_of(const struct shell *sh)
{
	static const char *const names[] = { "VISUAL", "EDITOR" };
	size_t i;

	for (i = 0; i < AEG_NELEM(names); i++) {
		const char *value = state_get(sh->state, names[i]);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return "vi";
}

/* A file of this user alone, with the text and a newline; its path, owned. */
static char *
put_file(const struct shell *sh, const struct buf *text)
{
	const char *dir = state_get(sh->state, "TMPDIR");
	char *path = xasprintf("%s/aegsh-line-XXXXXX.sh",
	    dir != NULL && dir[0] == '/' ? dir : "/tmp");
	int fd AEG_AUTOFD = mkostemps(path, 3, O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;

	if (rc == 0 && text->len > 0)
		rc = io_write_full(fd, text->data, text->len);
	if (rc == 0)
		rc = io_write_full(fd, "\n", 1);
	if (rc == 0)
		return path;
	shell_say("%s: %s", path, strerror(-rc));
	if (fd >= 0)
		unlink(path);
	free(path);
	return NULL;
}

/* What the editor left; many write a new file of that name. */
static int
take_file(const char *path, struct buf *ret)
{
	int fd AEG_AUTOFD = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return -EPERM;
	return io_read_all(fd, ret);
}

void
shell_edit(struct shell *sh, struct buf *text)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT, after =
	    BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTOFREE char *path = put_file(sh, text);
	const struct buf *back = text;
	size_t len;
	int rc;

	if (path != NULL) {
		/* The blank keeps it out of what is recalled. */
		buf_putf(&line, " %s ", editor_of(sh));
		text_quote(&line, path, strlen(path));
		if (shell_run_unit(sh, &line) &&
		    state_status(sh->state) == 0) {
			rc = take_file(path, &after);
			if (rc == 0)
				back = &after;
			else
				shell_say("%s: %s", path, err_str(rc));
		}
		unlink(path);
	}
	len = back->len;
	while (len > 0 && back->data[len - 1] == '\n')
		len--;
	line_editor_give(sh->editor, back->data, len);
}
