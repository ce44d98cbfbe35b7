/* SPDX-License-Identifier: ISC */
/* A copy of the store that is whole, taken while others write to it. */
#include "audit_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/audit_chain.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/cast.h"
#include "aegsh/cast_files.h"

static int
fail(const char *path, const char *why, struct err *err)
{
	return err_set(err, ERR_STORE, "backup %s: %s", path, why);
}

/* Of one file, with nothing beside it that would belong to it. */
static int
copy(sqlite3 *from, const char *path, struct err *err)
{
	sqlite3 *to = NULL;
	sqlite3_backup *b;
	int rc = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX |
	    SQLITE_OPEN_PRIVATECACHE, NULL);

	b = rc == SQLITE_OK ? sqlite3_backup_init(to, "main", from, "main") :
	    NULL;
	if (b != NULL) {
		sqlite3_backup_step(b, -1);
		rc = sqlite3_backup_finish(b);
	}
	if (rc == SQLITE_OK && b != NULL)
		rc = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL,
		    NULL, NULL);
	rc = rc == SQLITE_OK && b != NULL ? 0 :
	    fail(path, sqlite3_errmsg(to), err);
	sqlite3_close(to);
	return rc;
}

static int
copy_output(const struct audit_db *d, const char *path, struct err *err)
{
	const char *end = strrchr(d->path, '/'), *base = strrchr(path, '/');
	size_t dir = base != NULL ? (size_t)(base + 1 - path) : 0;
	/* Where it belongs to a store of that name, and else beside it. */
	AEG_AUTOFREE char *to = strcmp(path + dir, AUDIT_FILE) == 0 ?
	    xasprintf("%.*s" CAST_DIR, (int)dir, path) :
	    xasprintf("%s." CAST_DIR, path);
	AEG_AUTOFREE char *store = xmemdup0(d->path,
	    end != NULL ? (size_t)(end - d->path) : 0);

	return cast_copy(store, to, err);
}

int
audit_backup(struct audit *a, const char *path, struct err *err)
{
	AEG_AUTOFD int fd = -1;
	AEG_AUTOFREE char *whole = NULL;
	int rc = audit_ready(a, err);

	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    0600);
	if (fd < 0)
		return err_sys(err, errno, "backup %s", path);
	/* sqlite follows no link in all of the path. */
	whole = realpath(path, NULL);
	rc = whole == NULL ? fail(path, strerror(errno), err) :
	    copy(audit_db_of(a)->db, whole, err);
	if (rc == 0 && fsync(fd) < 0)
		rc = fail(path, strerror(errno), err);
	/* After the rows: so what they are of is there. */
	if (rc == 0)
		rc = copy_output(audit_db_of(a), path, err);
	if (rc < 0)
		unlink(path);
	return rc;
}
