/* SPDX-License-Identifier: ISC */
/* The store that a verb reads, and the note that it was read. */
#include "admin_read.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/redact.h"

#define NOTE_MAX ((size_t)4096)

int
admin_store(struct admin *a, struct audit **ret, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	int rc = audit_place(a->uid, false, &place, err);

	return rc < 0 ? rc : audit_open(place, true, ret, err);
}

/* "uid 0 (root) read this: aegshctl audit log --user kim", the words without
 * their secrets. */
static void
put_note(struct admin *a, const char *place, struct buf *ret)
{
	AEG_AUTO(buf_done) struct buf words = BUF_INIT_MAX(NOTE_MAX);
	const struct passwd *pw = getpwuid(a->caller);
	struct redact *redact = NULL;

	if (a->words[0] != NULL && a->words[1] != NULL) {
		buf_putc(&words, ' ');
		text_quote_words(&words, a->words + 1);
	}
	buf_putf(ret, "uid %lu (%s) read this: aegshctl",
	    (unsigned long)a->caller, pw != NULL ? pw->pw_name : "?");
	if (redact_open(place, &redact, NULL) < 0)
		redact = redact_new();
	if (words.len > 0)
		redact_text(redact, ret, words.data, words.len);
	if (buf_overflow(&words))
		buf_puts(ret, " ...");
	redact_free(redact);
}

static int
note_reader(struct admin *a, const char *place, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct audit *store = NULL;
	int rc;

	put_note(a, place, &text);
	rc = audit_open(place, false, &store, err);
	if (rc == 0) {
		audit_note(store, "store-read", text.data);
		rc = audit_flush(store, err);
	}
	audit_close(store);
	return rc;
}

/* Where it cannot be recorded that somebody reads, a managed host shows
 * nothing of another's record; the own one is read all the same, because a
 * full disk is when people look. */
static int
tell_store(struct admin *a, const char *place, struct err *err)
{
	struct err why = ERR_INIT;

	if (note_reader(a, place, &why) == 0 || a->caller == a->uid)
		return 0;
	if (admin_conf(a, err) < 0 || conf_managed(a->conf))
		return err_set(err, ERR_STORE, "that it is read cannot be "
		    "recorded, and this host is managed: %s", why.text);
	admin_complain(a, "that it is read could not be recorded: %s",
	    why.text);
	return 0;
}

/* The store of the user, confined and told of; *ret_place is owned. */
static int
open_to_read(struct admin *a, const char *user, char **ret_place,
    struct audit **ret, struct err *err)
{
	int rc = user != NULL ? admin_become(a, user, err) : 0;

	if (rc == 0)
		rc = audit_place(a->uid, false, ret_place, err);
	if (rc < 0)
		return rc;
	admin_confine_but(a, *ret_place);
	/* Nothing is made where nothing was recorded. */
	return audit_open(*ret_place, true, ret, err);
}

int
admin_read_open(struct admin *a, const char *user, bool live,
    struct audit **ret, char **ret_place, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	struct audit *store = NULL;
	int rc = open_to_read(a, user, &place, &store, err);

	audit_close(store);
	if (rc == 0)
		rc = tell_store(a, place, err);
	/* Who cannot write cannot take the spool in, and reads what is. */
	if (rc == 0 && (!live || audit_open(place, false, ret, NULL) < 0))
		rc = audit_open(place, true, ret, err);
	if (rc == 0 && ret_place != NULL)
		*ret_place = AEG_STEAL(place);
	return rc;
}

int
admin_read_quietly(struct admin *a, const char *user, bool write,
    struct audit **ret, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	struct audit *store = NULL;
	int rc = open_to_read(a, user, &place, &store, err);

	if (rc == 0 && write) {
		audit_close(store);
		rc = audit_open(place, false, &store, err);
	}
	if (rc == 0)
		*ret = store;
	return rc;
}

int
admin_read_copy(struct admin *a, struct audit **ret, struct err *err)
{
	AEG_AUTOFREE char *place = NULL;
	struct audit *store = NULL;
	int rc = audit_place(a->uid, false, &place, err);

	if (rc == 0)
		rc = audit_open(place, true, &store, err);
	audit_close(store);
	if (rc == 0)
		rc = tell_store(a, place, err);
	return rc < 0 ? rc : audit_open(place, true, ret, err);
}

int
admin_read_fail(struct admin *a, int rc, const struct err *err)
{
	if (rc == -ENOENT) {
		admin_complain(a, "nothing is recorded yet");
		return ADMIN_NO;
	}
	return admin_fail(a, err);
}
