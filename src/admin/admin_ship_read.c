/* SPDX-License-Identifier: ISC */
/*
 * A batch of one store, by a process with its user's rights.  That ends
 * before anything is sent: who waits for a sink holds no store.
 */
#include "admin_ship.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin_read.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/wire.h"

#define STORE_MS (15 * 1000)	/* a store that is held fast is left */
#define TEXT_MAX ((size_t)16 * 1024)
#define FRAME_BATCH 1
#define FRAME_ERROR 2

struct reading {
	struct ship_batch batch;
	struct buf text;	/* of all records, one behind the other */
	size_t at[SHIP_BATCH_MAX];
};

/* ---- columns ------------------------------------------------------------ */

static void
set_uuid(json_t *o, const char *key, const char *p)
{
	char text[UUID_TEXT];

	uuid_text((const unsigned char *)p, text);
	admin_json_text(o, key, text);
}

/* Words, each with its NUL, as bash would be told them. */
static void
set_words(json_t *o, const char *key, const char *p, size_t len)
{
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	const char *end = p + len;

	while (p < end) {
		size_t n = strnlen(p, (size_t)(end - p));

		if (b.len > 0)
			buf_putc(&b, ' ');
		text_quote(&b, p, n);
		p += n < (size_t)(end - p) ? n + 1 : n;
	}
	admin_json_bytes(o, key, b.data != NULL ? b.data : "", b.len);
}

static bool
is_hash(const char *name)
{
	return strcmp(name, "link") == 0 || strcmp(name, "root") == 0 ||
	    text_ends(name, "sha256");
}

/* At most most bytes of it, and how many there are. */
static void
set_bytes(json_t *o, const struct audit_value *v, size_t most)
{
	AEG_AUTOFREE char *whole = xasprintf("%s_bytes", v->name);
	size_t len = v->len < most ? v->len : most;

	if (strcmp(v->name, "uuid") == 0 && v->len == 16) {
		set_uuid(o, v->name, v->p);
		return;
	}
	if (is_hash(v->name) && v->len <= 64) {
		admin_json_hex(o, v->name, v->p, v->len);
		return;
	}
	while (len < v->len && len > 0 &&
	    ((unsigned char)v->p[len] & 0xc0) == 0x80)
		len--;
	if (strcmp(v->name, "argv") == 0)
		set_words(o, v->name, v->p, len);
	else
		admin_json_bytes(o, v->name, v->p != NULL ? v->p : "", len);
	if (len < v->len)
		json_object_set_new(o, whole, json_integer((json_int_t)
		    v->len));
}

static json_t *
columns(const struct audit_linked *l, size_t most)
{
	json_t *o = json_object();
	size_t i;

	json_object_set_new(o, "id", json_integer(l->row));
	for (i = 0; i < l->n; i++) {
		const struct audit_value *v = &l->values[i];

		if (v->type == AUDIT_VALUE_NUMBER)
			json_object_set_new(o, v->name, json_integer(
			    v->number));
		else if (v->type != AUDIT_VALUE_NONE)
			set_bytes(o, v, most);
	}
	if (l->again)
		json_object_set_new(o, "again", json_true());
	if (l->missing)
		json_object_set_new(o, "missing", json_true());
	if (l->altered)
		json_object_set_new(o, "altered", json_true());
	return o;
}

/* Shorter and shorter, until it is no more than a record. */
static char *
columns_text(const struct audit_linked *l)
{
	size_t most;

	for (most = TEXT_MAX;; most /= 8) {
		json_t *o = columns(l, most);
		char *text = json_dumps(o, JSON_COMPACT);

		json_decref(o);
		if (text == NULL)
			abort();
		if (strlen(text) <= SHIP_RECORD_MAX || most == 0)
			return text;
		free(text);
	}
}

/* ---- in the store's process --------------------------------------------- */

static enum ship_what
what_of(enum audit_linked_what w)
{
	static const enum ship_what words[AUDIT_LINKED_COUNT] = {
		[AUDIT_LINKED_SESSION] = SHIP_WHAT_SESSION,
		[AUDIT_LINKED_SESSION_END] = SHIP_WHAT_SESSION_END,
		[AUDIT_LINKED_LINE] = SHIP_WHAT_LINE,
		[AUDIT_LINKED_OUTCOME] = SHIP_WHAT_OUTCOME,
		[AUDIT_LINKED_EVENT] = SHIP_WHAT_EVENT,
		[AUDIT_LINKED_DELETION] = SHIP_WHAT_DELETION,
		[AUDIT_LINKED_PROGRAM] = SHIP_WHAT_PROGRAM,
		[AUDIT_LINKED_FILE] = SHIP_WHAT_FILE,
		[AUDIT_LINKED_OUTPUT] = SHIP_WHAT_OUTPUT,
	};

	return words[w];
}

static int
on_link(void *ctx, const struct audit_linked *l)
{
	struct reading *r = ctx;
	struct ship_record *to = &r->batch.records[r->batch.n];
	AEG_AUTOFREE char *text = columns_text(l);

	if (r->batch.n == SHIP_BATCH_MAX - 1 || (r->batch.n > 0 &&
	    r->text.len + strlen(text) > SHIP_BATCH_BYTES))
		return 1;
	*to = (struct ship_record){ .seq = l->seq, .wall_ns = l->wall_ns,
		.what = what_of(l->what), .len = strlen(text) };
	memcpy(to->link, l->link, sizeof to->link);
	r->at[r->batch.n++] = r->text.len;
	buf_put(&r->text, text, strlen(text));
	return 0;
}

static enum ship_follows
follows(enum audit_links_how how)
{
	switch (how) {
	case AUDIT_LINKS_FOLLOW:
		return SHIP_FOLLOWS;
	case AUDIT_LINKS_DELETED:
		return SHIP_FOLLOWS_DELETED;
	case AUDIT_LINKS_CHANGED:
		return SHIP_FOLLOWS_CHANGED;
	case AUDIT_LINKS_OTHER:
		break;
	}
	return SHIP_FOLLOWS_OTHER;
}

static int
read_batch(struct audit *store, const struct audit_links_from *from,
    struct buf *ret, struct err *err)
{
	AEG_AUTOFREE struct reading *r = xcalloc(1, sizeof *r);
	struct audit_links_found found;
	int rc = audit_links(store, from, on_link, r, &found, err);
	size_t i;

	if (rc == 0) {
		memcpy(r->batch.store, found.store, sizeof r->batch.store);
		r->batch.user = "";
		r->batch.follows = follows(found.how);
		r->batch.missing = found.missing;
		r->batch.last = found.last;
		for (i = 0; i < r->batch.n; i++)
			r->batch.records[i].json = r->text.data + r->at[i];
		rc = ship_batch_pack(&r->batch, ret, err);
	}
	buf_done(&r->text);
	return rc;
}

static void __attribute__((noreturn))
serve(struct admin *a, const char *user, const struct audit_links_from *from,
    int fd)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct wire_msg m = WIRE_MSG_INIT;
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int rc = admin_read_quietly(a, user, false, &store, &err);

	if (rc == 0)
		rc = read_batch(store, from, &text, &err);
	audit_close(store);
	m.type = rc == 0 ? FRAME_BATCH : FRAME_ERROR;
	m.id = (uint32_t)-rc;
	m.body = rc == 0 ? text.data : err.text;
	m.len = rc == 0 ? text.len : strlen(err.text);
	wire_send(fd, &m, NULL);
	_exit(0);
}

/* ---- here --------------------------------------------------------------- */

static int
take_error(const struct wire_msg *m, struct err *err)
{
	int code = m->id > 0 && m->id < 6000 ? -(int)m->id : ERR_STORE;

	return err_set(err, code, "%.*s", (int)(m->len < 900 ? m->len : 900),
	    (const char *)m->body);
}

/* Those two are the words of whoever ships. */
static bool
speaks_for_us(const struct ship_batch *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->records[i].what == SHIP_WHAT_GAP ||
		    b->records[i].what == SHIP_WHAT_HEAD)
			return true;
	return false;
}

/* What the process says may be the user's words; where it is from, and who
 * that is, is not theirs to say. */
static int
take_batch(const struct wire_msg *m, const struct audit_links_from *from,
    struct ship_batch *ret, struct buf *ret_text, struct err *err)
{
	int rc;

	buf_reset(ret_text);
	buf_put(ret_text, m->body, m->len);
	rc = ship_batch_unpack(ret_text->data, ret_text->len, ret, err);
	if (rc == 0 && ret->n > 0 && (ret->records[0].seq <= 0 ||
	    (ret->follows == SHIP_FOLLOWS && from->seq > 0 &&
	    (ret->records[0].seq <= from->seq ||
	    memcmp(ret->store, from->store, sizeof ret->store) != 0))))
		rc = err_set(err, ERR_PROTOCOL, "its reader says what does "
		    "not follow");
	if (rc == 0 && speaks_for_us(ret))
		rc = err_set(err, ERR_PROTOCOL, "its reader says what is not "
		    "its to say");
	/* One place is left for the word about a gap. */
	if (rc == 0 && ret->n == SHIP_BATCH_MAX)
		rc = err_set(err, ERR_PROTOCOL, "its reader says too much");
	return rc;
}

static int
hear(int fd, const struct audit_links_from *from, struct ship_batch *ret,
    struct buf *ret_text, struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	int rc = wire_recv(fd, STORE_MS, -1, &m, err);

	if (rc == -ETIMEDOUT)
		return err_set(err, ERR_STORE, "its store did not answer for "
		    "%d seconds", STORE_MS / 1000);
	if (rc < 0)
		return err_set(err, ERR_PROTOCOL, "its reader has ended");
	return m.type == FRAME_BATCH ? take_batch(&m, from, ret, ret_text,
	    err) : take_error(&m, err);
}

int
admin_ship_read(struct admin *a, uid_t uid, const char *user,
    const struct audit_links_from *from, struct ship_batch *ret,
    struct buf *ret_text, struct err *err)
{
	int ends[2], status, rc = wire_pair(ends, err);
	pid_t pid;

	if (rc < 0)
		return rc;
	fflush(a->out);
	pid = fork();
	if (pid == 0) {
		io_close(&ends[0]);
		/* The own store takes no becoming. */
		serve(a, uid != a->uid ? user : NULL, from, ends[1]);
	}
	io_close(&ends[1]);
	rc = pid < 0 ? err_sys(err, errno, "fork") :
	    hear(ends[0], from, ret, ret_text, err);
	io_close(&ends[0]);
	if (pid > 0) {
		if (rc < 0)
			kill(pid, SIGKILL);
		admin_reap(pid, &status);
	}
	ret->uid = uid;
	ret->user = user;
	return rc;
}
