/* SPDX-License-Identifier: ISC */
/* The key: from a file that others can neither write nor read. */
#include "judge_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/conf.h"

/* What may stand in a header field and still be one word (RFC 9110). */
int
judge_key_check(const char *what, struct buf *key, struct err *err)
{
	size_t i;

	while (key->len > 0 && strchr(" \t\r\n", key->data[key->len - 1]))
		key->data[--key->len] = '\0';
	if (key->len == 0)
		return err_set(err, ERR_SYNTAX, "%s: no key in it", what);
	for (i = 0; i < key->len; i++)
		if (key->data[i] < 0x21 || key->data[i] > 0x7e)
			return err_set(err, ERR_SYNTAX,
			    "%s: more than one word, or not ASCII", what);
	return 0;
}

int
judge_key_read(const char *path, uid_t uid, struct buf *ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf key = BUF_INIT_MAX(JUDGE_KEY_MAX);
	AEG_AUTOFD int fd = -1;
	struct stat st;
	int rc;

	rc = conf_trust_open(path, uid, &fd, err);
	if (rc < 0)
		return err_context(err, "key-file");
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "key-file: %s", path);
	if ((st.st_mode & 0137) != 0)
		return err_set(err, ERR_TRUST,
		    "key-file: %s: mode %04o, but 0600 or 0640 is needed",
		    path, (unsigned)st.st_mode & 07777);
	rc = io_read_all(fd, &key);
	if (rc < 0)
		return err_set(err, rc, "key-file: %s: %s", path, err_str(rc));
	rc = judge_key_check(path, &key, err);
	if (rc < 0)
		return err_context(err, "key-file");
	buf_put(ret, key.data, key.len);
	explicit_bzero(key.data, key.cap);
	return 0;
}
