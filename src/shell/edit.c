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
#include "aegsh/base/scratch.h"
#include "aegsh/base/text.h"
#include "shell/shell_int.h"

#define PREFIX "aegsh-line."
#define NAME "line.sh"		/* in it */

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

static const char *
directory(const struct shell *sh)
{
	const char *dir = state_get(sh->state, "TMPDIR");

	return dir != NULL && dir[0] == '/' ? dir : "/tmp";
}

/* The text and a newline, in a directory of its own, which is locked as long
 * as we live.  Its descriptor, or -1; ret_path: of the file, owned. */
static int
put_file(const char *dir, const struct buf *text, char **ret_place,
	char **ret_path)
{
	int place = scratch_make(dir, PREFIX, ret_place), rc;
	AEG_AUTOFD int fd = place < 0 ? -1 : openat(place, NAME, O_WRONLY |
	    O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (place < 0) {
		shell_say("%s: %s", dir, strerror(-place));
		return -1;
	}
	*ret_path = xasprintf("%s/" NAME, *ret_place);
	rc = fd < 0 ? -errno : 0;
	if (rc == 0 && text->len > 0)
		rc = io_write_full(fd, text->data, text->len);
	if (rc == 0)
		rc = io_write_full(fd, "\n", 1);
	if (rc == 0)
		return place;
	shell_say("%s: %s", *ret_path, strerror(-rc));
	scratch_remove(place, AT_FDCWD, *ret_place);
	io_close(&place);
	return -1;
}

/* What the editor left; many write a new file of that name. */
static int
take_file(int place, struct buf *ret)
{
	int fd AEG_AUTOFD = openat(place, NAME, O_RDONLY | O_CLOEXEC |
	    O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
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
	AEG_AUTOFREE char *path = NULL;
	AEG_AUTOFREE char *in = NULL;
	AEG_AUTOFD int place = -1;
	const char *dir = directory(sh);
	const struct buf *back = text;
	size_t len;
	int rc;

	/* Of a session that was killed: nobody waits for what is in it, and
	 * it may have secrets. */
	scratch_sweep(dir, PREFIX);
	place = put_file(dir, text, &in, &path);
	if (place >= 0) {
		/* The blank keeps it out of what is recalled. */
		buf_putf(&line, " %s ", editor_of(sh));
		text_quote(&line, path, strlen(path));
		if (shell_run_unit(sh, &line) &&
		    state_status(sh->state) == 0) {
			rc = take_file(place, &after);
			if (rc == 0)
				back = &after;
			else
				shell_say("%s: %s", path, err_str(rc));
		}
		scratch_empty(place);
		if (rmdir(in) < 0 && errno != ENOENT)
			shell_say("%s: what the editor left in it stays: %s",
			    in, strerror(errno));
	}
	len = back->len;
	while (len > 0 && back->data[len - 1] == '\n')
		len--;
	line_editor_give(sh->editor, back->data, len);
}
