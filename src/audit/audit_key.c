/* SPDX-License-Identifier: ISC */
/* The operator's key, and the public ones that a verifier trusts. */
#include "aegsh/audit_sign.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/keyfile.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"

#define SECRET "audit.key"
#define PUBLIC "audit.pub"
#define MARK "aegsh-key "
#define FILE_MAX ((size_t)64 * 1024)

bool
audit_key_open_to(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

int
audit_key_is_ours(struct err *err)
{
	return geteuid() == sysdirs()->operator_uid ? 0 : err_set(err,
	    ERR_CALLER, "only the operator has the key of the record");
}

int
audit_key_load(bool make, bool fresh, unsigned char ret[AUDIT_KEY_LEN],
    struct err *err)
{
	const char *dir = sysdirs()->conf;
	AEG_AUTOFD int fd = -1;
	int rc = audit_key_is_ours(err);

	if (rc < 0)
		return rc;
	rc = make ? io_make_dirs(dir, 0755) : 0;
	if (rc < 0)
		return err_sys(err, -rc, "%s", dir);
	rc = conf_trust_dir(dir, (uid_t)-1, &fd, err);
	if (rc < 0)
		return rc;
	if (fresh && keyfile_renew(fd, SECRET, AUDIT_KEY_LEN, err) < 0)
		return err_context(err, "%s", dir);
	if (!make && faccessat(fd, SECRET, F_OK, 0) < 0)
		return errno == ENOENT ? err_set(err, -ENOENT, "%s/" SECRET
		    ": there is no key; aegshctl audit key makes one", dir) :
		    err_sys(err, errno, "%s/" SECRET, dir);
	return keyfile_load(dir, SECRET, ret, AUDIT_KEY_LEN, err);
}

bool
audit_keys_have(const struct audit_keys *k,
    const unsigned char key[AUDIT_KEY_LEN])
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		if (memcmp(k->keys[i], key, AUDIT_KEY_LEN) == 0)
			return true;
	}
	return false;
}

static bool
take_key(const char *text, unsigned char ret[AUDIT_KEY_LEN])
{
	size_t i;

	for (i = 0; i < AUDIT_KEY_LEN; i++) {
		int high = text_hex((unsigned char)text[2 * i]);
		int low = high < 0 ? -1 :
		    text_hex((unsigned char)text[2 * i + 1]);

		if (low < 0)
			return false;
		ret[i] = (unsigned char)(high << 4 | low);
	}
	return strchr(" \t\n", text[2 * i]) != NULL;	/* or the end */
}

static int
parse(const char *path, const char *text, struct audit_keys *ret,
    struct err *err)
{
	int line = 1;

	for (; *text != '\0'; line++) {
		size_t len = strcspn(text, "\n");

		if (text_starts(text, MARK)) {
			if (ret->n == AUDIT_KEYS_MAX)
				return err_set(err, ERR_TOO_LONG,
				    "%s: more than %d keys", path,
				    AUDIT_KEYS_MAX);
			if (!take_key(text + strlen(MARK), ret->keys[ret->n]))
				return err_set(err, ERR_SYNTAX,
				    "%s:%d: not a key of 64 hexadecimal "
				    "digits", path, line);
			ret->n++;
		} else if (len > 0 && text[0] != '#') {
			return err_set(err, ERR_SYNTAX, "%s:%d: not a line "
			    "of aegsh-key", path, line);
		}
		text += len + (text[len] == '\n');
	}
	return 0;
}

static int
read_named(const char *path, struct buf *ret, struct err *err)
{
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int rc = fd < 0 ? -errno : io_read_all(fd, ret);

	if (rc == 0 && buf_overflow(ret))
		rc = ERR_TOO_LONG;
	return rc < 0 ? err_set(err, rc, "%s: %s", path, err_str(rc)) : 0;
}

/* text stays empty where there is no such file of this host. */
static int
read_keys(const char *path, struct buf *text, struct audit_keys *ret,
    struct err *err)
{
	AEG_AUTOFREE char *own = xasprintf("%s/" PUBLIC, sysdirs()->conf);
	int rc;

	ret->n = 0;
	if (path != NULL)
		rc = read_named(path, text, err);
	else
		rc = conf_trust_read(own, (uid_t)-1, FILE_MAX, text, err);
	if (rc == -ENOENT && path == NULL)
		return 0;
	if (rc == 0 && text->len > 0 && strlen(text->data) != text->len)
		rc = err_set(err, ERR_SYNTAX, "%s: has a NUL byte",
		    path != NULL ? path : own);
	return rc < 0 || text->len == 0 ? rc :
	    parse(path != NULL ? path : own, text->data, ret, err);
}

int
audit_keys_read(const char *path, struct audit_keys *ret, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(FILE_MAX);

	return read_keys(path, &text, ret, err);
}

int
audit_key_publish(const unsigned char public[AUDIT_KEY_LEN], struct err *err)
{
	const char *dir = sysdirs()->conf;
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(FILE_MAX);
	AEG_AUTOFD int fd = -1;
	struct audit_keys known;
	int rc = read_keys(NULL, &text, &known, err);

	if (rc < 0 || audit_keys_have(&known, public))
		return rc;
	/* An operator may have written the last line without its end. */
	if (text.len > 0 && text.data[text.len - 1] != '\n')
		buf_putc(&text, '\n');
	buf_puts(&text, MARK);
	hex_put(&text, public, AUDIT_KEY_LEN);
	buf_putc(&text, '\n');
	if (known.n == AUDIT_KEYS_MAX || buf_overflow(&text))
		return err_set(err, ERR_TOO_LONG, "%s/" PUBLIC ": is full; "
		    "take keys out that nothing is signed with any more, "
		    "then call aegshctl audit key again", dir);
	rc = conf_trust_dir(dir, (uid_t)-1, &fd, err);
	if (rc < 0)
		return rc;
	rc = io_replace(fd, PUBLIC, text.data, text.len, 0644);
	return rc < 0 ? err_sys(err, -rc, "%s/" PUBLIC, dir) : 0;
}
