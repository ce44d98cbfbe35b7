/* SPDX-License-Identifier: ISC */
/* A file of JSON lines, which is only appended to.  A line that was written
 * in part, on a full disk, is taken back; where whoever wrote it was killed, it
 * is ended, so that nothing stands behind it. */
#include "shipper_int.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"

static bool
is_torn(int fd, off_t size)
{
	char last = '\n';

	return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

void
shipper_to_file(struct shipper *s, const struct ship_batch *b,
    struct ship_taken *ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct shipper_item t;
	struct stat st;
	int rc = 0;
	size_t i;

	for (i = 0; i < b->n && rc == 0; i++) {
		rc = shipper_item(s, b, i, &t, err);
		if (rc == 0) {
			shipper_line(&t, &text);
			shipper_item_done(&t);
		}
	}
	if (rc == 0 && b->n > 0) {
		buf_puts(&text, "{\"what\":\"head\",\"head\":\"");
		shipper_head(b, &text);
		buf_puts(&text, "\"}\n");
	}
	if (rc < 0)
		return;
	if (flock(s->file_fd, LOCK_EX) < 0 || fstat(s->file_fd, &st) < 0) {
		err_sys(err, errno, "%s", s->sink->name);
		return;
	}
	if (is_torn(s->file_fd, st.st_size))
		rc = io_write_full(s->file_fd, "\n", 1);
	if (rc == 0 && text.len > 0)
		rc = io_write_full(s->file_fd, text.data, text.len);
	if (rc == 0 && fdatasync(s->file_fd) < 0)
		rc = -errno;
	if (rc == 0)
		ret->taken = (int64_t)b->n;
	else if (ftruncate(s->file_fd, st.st_size) < 0)
		err_sys(err, errno, "%s: a part of a line stays there",
		    s->sink->name);
	else
		err_sys(err, -rc, "%s", s->sink->name);
	flock(s->file_fd, LOCK_UN);
}
