/* SPDX-License-Identifier: ISC */
/*
 * The key of the tags.  It stands in the store, which no profile grants to
 * a command: whoever had it could try out which secret a tag belongs to.
 */
#include "redact_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/log.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/conf.h"

#define KEY_NAME "redact.key"
#define RULES_NAME "redact.conf"

void
redact_key_set(struct redact *r, const unsigned char key[REDACT_KEY_LEN])
{
	memcpy(r->key, key, sizeof r->key);
	r->keyed = true;
}

static int
make_random(unsigned char key[REDACT_KEY_LEN], struct err *err)
{
	if (getrandom(key, REDACT_KEY_LEN, 0) != REDACT_KEY_LEN)
		return err_sys(err, errno, "random numbers");
	return 0;
}

/* Whole or not at all: written beside it and linked there, and the first
 * of several sessions wins. */
static int
make_key(int dir, struct err *err)
{
	unsigned char key[REDACT_KEY_LEN];
	char from[64];
	AEG_AUTOFD int fd = -1;
	int rc;

	rc = make_random(key, err);
	if (rc < 0)
		return rc;
	fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, KEY_NAME);
	rc = io_write_full(fd, key, sizeof key);
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
	if (rc == 0 && linkat(AT_FDCWD, from, dir, KEY_NAME,
	    AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST)
		rc = -errno;
	explicit_bzero(key, sizeof key);
	return rc < 0 ? err_sys(err, -rc, KEY_NAME) : 0;
}

static int
read_key(int fd, unsigned char key[REDACT_KEY_LEN], struct err *err)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, KEY_NAME);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 0177) != 0 || st.st_size != REDACT_KEY_LEN)
		return err_set(err, ERR_TRUST, KEY_NAME ": not a file of %d "
		    "bytes, yours and with mode 0600; remove it to have a new "
		    "one", REDACT_KEY_LEN);
	rc = io_read_full(fd, key, REDACT_KEY_LEN);
	return rc < 0 ? err_set(err, rc, KEY_NAME ": %s", err_str(rc)) : 0;
}

int
redact_key_load(struct redact *r, const char *path, struct err *err)
{
	unsigned char key[REDACT_KEY_LEN];
	AEG_AUTOFD int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AEG_AUTOFD int fd = -1;
	int rc = 0;

	if (dir < 0)
		return err_sys(err, errno, "%s", path);
	fd = openat(dir, KEY_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
	    O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		rc = make_key(dir, err);
		if (rc == 0)
			fd = openat(dir, KEY_NAME, O_RDONLY | O_NOFOLLOW |
			    O_CLOEXEC | O_NONBLOCK);
	}
	if (rc == 0)
		rc = fd < 0 ? err_sys(err, errno, KEY_NAME) :
		    read_key(fd, key, err);
	if (rc < 0) {
		err_context(err, "%s", path);
		return rc;
	}
	redact_key_set(r, key);
	explicit_bzero(key, sizeof key);
	return 0;
}

static int
load_rules(struct redact *r, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/" RULES_NAME,
	    sysdirs()->conf);
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	int rc = conf_trust_read(path, (uid_t)-1, REDACT_FILE_MAX, &text, err);

	if (rc == -ENOENT)
		return 0;
	return rc < 0 ? rc : redact_rules_add(r, path, text.data != NULL ?
	    text.data : "", text.len, err);
}

int
redact_open(const char *store, struct redact **ret, struct err *err)
{
	struct redact *r = redact_new();
	unsigned char key[REDACT_KEY_LEN];
	struct err why = ERR_INIT;
	int rc = load_rules(r, err);

	if (rc == 0 && (store == NULL || redact_key_load(r, store, &why) < 0)) {
		log_debug("redact: %s", why.text);
		rc = make_random(key, err);
	}
	if (rc < 0) {
		redact_free(r);
		return rc;
	}
	if (!r->keyed)
		redact_key_set(r, key);
	*ret = r;
	return 0;
}
