/* SPDX-License-Identifier: ISC */
/* `aegshctl audit replay': what a line, or a session, wrote, as it did. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "admin_read.h"
#include "aegsh/audit_read.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/cast_files.h"
#include "aegsh/cast_read.h"

#define IDLE_S 3
#define IDLE_MAX 3600
#define BEGUN_LEAST 4	/* characters of a UUID that can be its beginning */
#define SPEED_MAX 1000
#define MORE "\n[… more was written than is kept …]\n"

enum { O_JSON, O_USER, O_SESSION, O_SPEED, O_IDLE, O_RAW };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = { "user", 0, "NAME", "from that user's store (root only)",
	    ADMIN_WORDS_USER },
	[O_SESSION] = { "session", 0, NULL,
	    "all of the session that line ID is of",
	    ADMIN_WORDS_NONE },
	[O_SPEED] = { "speed", 0, "N", "N times as fast (1..1000)",
	    ADMIN_WORDS_NONE },
	[O_IDLE] = { "idle", 0, "SECONDS",
	    "pauses are no longer than that (0..3600)", ADMIN_WORDS_NONE },
	[O_RAW] = { "raw", 0, NULL, "the bytes as they were written, not to "
	    "a terminal", ADMIN_WORDS_NONE },
	{ NULL }
};

struct asked {
	const char *user, *id;
	bool session;
	struct admin_play play;
};

struct found {
	int64_t id;		/* of the line, 0: none */
	int64_t offset, length;	/* in the file; length 0: nowhere */
	struct admin *a;
	const struct asked *q;
	int64_t rows;
};

static int
on_row(void *ctx, const struct audit_row *row)
{
	((struct found *)ctx)->id = row->id;
	return 1;
}

static int
on_place(void *ctx, const struct audit_output *o)
{
	struct found *f = ctx;

	f->rows += o->bytes > 0;
	if (o->length > 0) {
		f->offset = o->offset;
		f->length = o->length;
	}
	return 0;
}

/* A sequence that is not over where something is left out is none. */
static void
draw_both(struct buf *b, const struct audit_output *o)
{
	struct cast_draw draw = CAST_DRAW_INIT;

	cast_draw(&draw, b, o->head, o->head_len);
	if (o->cut) {
		draw.state = CAST_DRAW_TEXT;
		buf_puts(b, MORE);
	}
	cast_draw(&draw, b, o->tail, o->tail_len);
	cast_draw_done(&draw);
}

/* Where there is no file: the beginning and the end. */
static int
on_output(void *ctx, const struct audit_output *o)
{
	const struct found *f = ctx;
	const struct admin_play *how = &f->q->play;
	FILE *to = how->raw && o->stream == AUDIT_STREAM_ERR ? stderr :
	    f->a->out;
	AEG_AUTO(buf_done) struct buf b = BUF_INIT, all = BUF_INIT;

	buf_put(&all, o->head, o->head_len);
	if (o->cut && !how->raw)
		buf_puts(&all, MORE);
	buf_put(&all, o->tail, o->tail_len);
	if (how->json) {
		json_t *doc = json_object();

		admin_json_text(doc, "event", o->stream == AUDIT_STREAM_ERR ?
		    "err" : "out");
		admin_json_bytes(doc, "bytes", all.data != NULL ? all.data :
		    "", all.len);
		admin_json_print(f->a, doc);
		return 0;
	}
	if (how->raw)
		buf_put(&b, all.data, all.len);
	else
		draw_both(&b, o);
	fwrite(b.data != NULL ? b.data : "", 1, b.len, to);
	return 0;
}

/* How a session's UUID begins, and the recordings that are called so. */
struct begun {
	const char *text;
	unsigned char session[UUID_LEN];
	unsigned n;
};

static int
on_recording(void *ctx, const unsigned char session[UUID_LEN])
{
	struct begun *b = ctx;
	char text[UUID_TEXT];

	uuid_text(session, text);
	if (strncasecmp(text, b->text, strlen(b->text)) == 0 && b->n++ == 0)
		memcpy(b->session, session, UUID_LEN);
	return 0;
}

static int
find_session(const char *place, const char *text,
    unsigned char session[UUID_LEN], struct err *err)
{
	struct begun b = { .text = text };
	int rc;

	if (uuid_parse(text, strlen(text), session))
		return 0;
	if (strlen(text) < BEGUN_LEAST)
		return -ENOENT;
	rc = cast_each(place, on_recording, &b, err);
	if (rc == 0 && b.n > 1)
		return err_set(err, ERR_CALLER, "%s: the UUIDs of %u "
		    "sessions begin so; more of it tells which", text, b.n);
	if (rc == 0 && b.n == 0)
		return -ENOENT;
	if (rc == 0)
		memcpy(session, b.session, UUID_LEN);
	return rc;
}

/* The line, or the session, that is meant: f->id 0 for a session's uuid. */
static int
find(struct audit *store, const char *place, const struct asked *q,
    struct found *f, unsigned char session[UUID_LEN], struct err *err)
{
	struct audit_query line = { .limit = 1 };
	int rc;

	if (text_to_i64(q->id, 1, INT64_MAX, &line.id) < 0)
		line.uuid = q->id;
	rc = audit_query(store, &line, on_row, f, err);
	if (rc == 0 && f->id == 0)
		return find_session(place, q->id, session, err);
	if (rc == 0)
		rc = audit_line_session(store, f->id, session, err);
	if (rc == 0)
		rc = audit_outputs(store, f->id, on_place, f, err);
	return rc;
}

static int
play(struct admin *a, const struct asked *q, const char *place,
    struct audit *store, struct found *f, int64_t *ret_n, struct err *err)
{
	unsigned char session[UUID_LEN];
	struct cast_reader *r = NULL;
	bool whole;
	int rc = find(store, place, q, f, session, err);

	if (rc < 0)
		return rc;
	whole = q->session || f->id == 0;
	if (!whole && f->length == 0) {
		*ret_n = f->rows;
		rc = audit_outputs(store, f->id, on_output, f, err);
		if (f->rows > 0 && !q->play.json &&
		    isatty(fileno(a->out)) == 1)
			admin_player_plain(a);
		return rc;
	}
	rc = cast_reader_open(place, session, &r, err);
	if (rc == 0 && !whole)
		rc = cast_reader_seek(r, f->offset, f->length, err);
	if (rc == 0)
		rc = admin_player(a, r, &q->play, ret_n, err);
	cast_reader_free(r);
	return rc;
}

static int
replay(struct admin *a, const struct asked *q)
{
	struct found f = { .a = a, .q = q };
	AEG_AUTOFREE char *place = NULL;
	struct audit *store = NULL;
	struct err err = ERR_INIT;
	int64_t n = 0;
	int rc;

	if (q->play.raw && isatty(fileno(a->out)) == 1) {
		admin_complain(a, "--raw: a terminal would do what it is "
		    "told; send it to a file or a pipe");
		return ADMIN_USAGE;
	}
	rc = admin_read_open(a, q->user, false, &store, &place, &err);
	if (rc < 0) {
		audit_close(store);
		return admin_read_fail(a, rc, &err);
	}
	rc = play(a, q, place, store, &f, &n, &err);
	audit_close(store);
	if (rc == -ENOENT && f.id == 0) {
		admin_complain(a, "%s: no such line, and no recording of a "
		    "session of that name; aegshctl audit stats --sessions 0 "
		    "has their names, and under KEPT which have one", q->id);
		return ADMIN_NO;
	}
	if (rc < 0 && rc != -ENOENT)
		return admin_fail(a, &err);
	if (n > 0)
		return ADMIN_OK;
	admin_complain(a, "%s: nothing that it wrote is kept: output was none "
	    "then, see aegsh.conf(5), or none of it went to a pipe or the "
	    "terminal of a prompt", q->id);
	return ADMIN_NO;
}

static int
take(struct admin *a, int o, const char *value, struct asked *q)
{
	int64_t n;

	switch (o) {
	case O_JSON:
		q->play.json = true;
		return 0;
	case O_USER:
		q->user = value;
		return 0;
	case O_SESSION:
		q->session = true;
		return 0;
	case O_RAW:
		q->play.raw = true;
		return 0;
	case O_SPEED:
		if (text_to_i64(value, 1, SPEED_MAX, &q->play.speed) == 0)
			return 0;
		admin_complain(a, "--speed: a number from 1 to %d",
		    SPEED_MAX);
		return -EINVAL;
	case O_IDLE:
		if (text_to_i64(value, 0, IDLE_MAX, &n) == 0) {
			q->play.idle_ns = n * 1000000000;
			return 0;
		}
		admin_complain(a, "--idle: seconds, from 0 to %d", IDLE_MAX);
		return -EINVAL;
	}
	return -EINVAL;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct asked q = { .play.idle_ns = IDLE_S * INT64_C(1000000000) };
	int o;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END)
		if (take(a, o, args.value, &q) < 0)
			return ADMIN_USAGE;
	if (admin_operands(a, &args, 1, 1) < 0)
		return ADMIN_USAGE;
	if (q.play.raw && q.play.json) {
		admin_complain(a, "--raw and --json: one of them");
		return ADMIN_USAGE;
	}
	q.id = argv[args.at];
	return replay(a, &q);
}

const struct admin_verb cmd_audit_replay = {
	.name = "audit replay",
	.usage = "ID|SESSION",
	.summary = "play what a line, or a session, wrote",
	.run = run,
	.options = options,
};
