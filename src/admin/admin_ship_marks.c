/* SPDX-License-Identifier: ISC */
/*
 * How far each sink is with one store, in a file that is replaced whole.
 *
 * The operator's lie where the recorded user can read them and not write:
 * who could move them forward would keep lines from ever being sent.
 */
#include "admin_ship.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

#define DIRECTORY "ship"
#define OWN_FILE "ship.json"
#define FILE_BYTES ((size_t)256 * 1024)

/* ---- places ------------------------------------------------------------- */

static int
open_operators(bool make, struct err *err)
{
	AEG_AUTOFREE char *path = xasprintf("%s/" DIRECTORY,
	    sysdirs()->state);
	int fd = -1, rc = make ? io_make_dirs(path, 0755) : 0;

	if (rc < 0)
		return err_sys(err, -rc, "%s", path);
	rc = conf_trust_dir(path, (uid_t)-1, &fd, err);
	return rc < 0 ? rc : fd;
}

static int
open_own(uid_t uid, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	int fd = -1, rc = audit_place(uid, false, &place, err);

	if (rc == 0)
		rc = conf_trust_dir(place, uid, &fd, err);
	return rc < 0 ? rc : fd;
}

static int
open_place(uid_t uid, bool operators, bool make, char *ret_file, size_t size,
    struct err *err)
{
	if (!operators) {
		snprintf(ret_file, size, OWN_FILE);
		return open_own(uid, err);
	}
	snprintf(ret_file, size, "%lu.json", (unsigned long)uid);
	return open_operators(make, err);
}

int
admin_marks_lock(uid_t uid, bool operators, int *ret_fd, struct err *err)
{
	char file[32];
	AEG_AUTOFD int dir = open_place(uid, operators, true, file,
	    sizeof file, err);
	int fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, DIRECTORY ".lock", O_RDWR | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, errno, DIRECTORY ".lock");
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		io_close(&fd);
		return err_set(err, ERR_CALLER, "another aegshctl ships at "
		    "this moment");
	}
	*ret_fd = fd;
	return 0;
}

/* ---- bytes -------------------------------------------------------------- */

static bool
take_hex(const json_t *o, const char *key, unsigned char *ret, size_t len)
{
	const char *p = json_string_value(json_object_get(o, key));

	return p != NULL && strlen(p) == 2 * len && hex_bytes(p, len, ret);
}

static int64_t
take_number(const json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n > 0 ? n : 0;
}

static void
take_mark(const json_t *o, struct admin_mark *m)
{
	const char *why = json_string_value(json_object_get(o, "why"));

	/* What is damaged is sent again. */
	m->at.seq = take_number(o, "seq");
	if (!take_hex(o, "store", m->at.store, sizeof m->at.store) ||
	    !take_hex(o, "link", m->at.link, sizeof m->at.link))
		m->at.seq = 0;
	m->sent = take_number(o, "sent");
	m->rejected = take_number(o, "rejected");
	m->lost = take_number(o, "lost");
	m->changed = take_number(o, "changed");
	m->sent_ns = take_number(o, "sent_ns");
	m->since_ns = take_number(o, "since_ns");
	m->why = why != NULL ? xstrdup(why) : NULL;
}

static json_t *
mark_json(const struct admin_mark *m)
{
	json_t *o = json_object();

	admin_json_hex(o, "store", m->at.store,
	    sizeof m->at.store);
	json_object_set_new(o, "seq", json_integer(m->at.seq));
	admin_json_hex(o, "link", m->at.link, sizeof m->at.link);
	json_object_set_new(o, "sent", json_integer(m->sent));
	json_object_set_new(o, "rejected", json_integer(m->rejected));
	json_object_set_new(o, "lost", json_integer(m->lost));
	json_object_set_new(o, "changed", json_integer(m->changed));
	json_object_set_new(o, "sent_ns", json_integer(m->sent_ns));
	json_object_set_new(o, "since_ns", json_integer(m->since_ns));
	if (m->why != NULL)
		json_object_set_new(o, "why", admin_json_string(m->why));
	return o;
}

/* ---- the file ----------------------------------------------------------- */

struct admin_mark *
admin_marks_of(struct admin_marks *m, const char *sink)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (strcmp(m->at[i].sink, sink) == 0)
			return &m->at[i];
	}
	m->at = xreallocarray(m->at, m->n + 1, sizeof *m->at);
	m->at[m->n] = (struct admin_mark){ .sink = xstrdup(sink) };
	return &m->at[m->n++];
}

static int
read_marks(struct admin_marks *m, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT_MAX(FILE_BYTES);
	AEG_AUTOFD int fd = openat(m->dir, m->file, O_RDONLY | O_NOFOLLOW |
	    O_CLOEXEC | O_NONBLOCK);
	json_t *o, *one;
	const char *sink;
	int rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s",
		    m->file);
	rc = io_read_all(fd, &text);
	if (rc < 0)
		return err_set(err, rc, "%s: %s", m->file, err_str(rc));
	o = json_loadb(text.data != NULL ? text.data : "", text.len,
	    JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(o)) {
		json_decref(o);
		return err_set(err, ERR_SYNTAX, "%s is damaged: remove it, "
		    "and everything is sent again", m->file);
	}
	json_object_foreach(o, sink, one)
		take_mark(one, admin_marks_of(m, sink));
	json_decref(o);
	return 0;
}

int
admin_marks_load(uid_t uid, bool operators, bool make,
    struct admin_marks *ret, struct err *err)
{
	int rc;

	*ret = (struct admin_marks)ADMIN_MARKS_INIT;
	ret->dir = open_place(uid, operators, make, ret->file,
	    sizeof ret->file, err);
	rc = ret->dir < 0 ? ret->dir : read_marks(ret, err);
	if (rc < 0)
		admin_marks_done(ret);
	return rc;
}

int
admin_marks_save(struct admin_marks *m, struct err *err)
{
	json_t *o = json_object();
	char *text;
	size_t i;
	int rc;

	for (i = 0; i < m->n; i++)
		json_object_set_new(o, m->at[i].sink, mark_json(&m->at[i]));
	text = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	if (text == NULL)
		abort();
	rc = io_replace(m->dir, m->file, text, strlen(text), 0644);
	free(text);
	return rc < 0 ? err_sys(err, -rc, "%s", m->file) : 0;
}

void
admin_marks_done(struct admin_marks *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		free(m->at[i].sink);
		free(m->at[i].why);
	}
	free(m->at);
	io_close(&m->dir);
	*m = (struct admin_marks)ADMIN_MARKS_INIT;
}
