/* SPDX-License-Identifier: ISC */
/*
 * Fills the store of a test with lines and what they wrote: cast_fill KEEP
 * [BYTES-KEPT], and on standard input
 *
 *	line TEXT | out MS HEX | err MS HEX | size MS WxH | end
 *
 * MS are milliseconds since the session began.  Prints the session's uuid.
 */
#include "aegsh/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/cast.h"

#define MS INT64_C(1000000)

static struct audit *store;
static struct cast *cast;
static struct audit_event ev;
static int64_t start;

static void
die(const char *what)
{
	fprintf(stderr, "cast_fill: %s\n", what);
	exit(99);
}

static void
record(int64_t id, enum audit_stream stream, const struct cast_output *o,
    const struct cast_line *l)
{
	struct audit_output w = { .stream = stream, .head = o->head,
		.head_len = o->head_len, .tail = o->tail,
		.tail_len = o->tail_len, .bytes = o->bytes, .kept = o->kept,
		.redacted = o->redacted, .cut = o->cut };

	if (l->filed && stream == AUDIT_STREAM_OUT) {
		w.offset = l->offset;
		w.length = l->length;
		memcpy(w.sha256, l->sha256, sizeof w.sha256);
	}
	audit_output(store, id, &w);
}

static void
begin(const char *line)
{
	unsigned char uuid[UUID_LEN];
	struct err err = ERR_INIT;

	ev = (struct audit_event){ .line = line, .len = strlen(line),
		.cwd = "/srv", .origin = "prompt", .decision = "allow",
		.source = "policy", .rule = "admin.read", .reason = "it reads",
		.confidence = -1, .ran = true };
	if (audit_intent(store, &ev, &err) < 0 ||
	    !uuid_parse(ev.uuid, strlen(ev.uuid), uuid))
		die(err.text);
	cast_begin(cast, uuid, start);
}

static void
end(void)
{
	const struct cast_line *l = cast_end(cast);
	const char *trouble = cast_trouble(cast);

	if (trouble != NULL)
		die(trouble);
	record(ev.id, AUDIT_STREAM_OUT, &l->out, l);
	if (l->err.bytes > 0)
		record(ev.id, AUDIT_STREAM_ERR, &l->err, l);
	audit_outcome(store, ev.id, &(struct audit_outcome){ .status = 0 });
}

static void
put(enum cast_stream stream, char *text)
{
	char *hex = strchr(text, ' ');
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;

	for (hex++; text_hex(hex[0]) >= 0 && text_hex(hex[1]) >= 0; hex += 2)
		buf_putc(&b, (char)(text_hex(hex[0]) << 4 |
		    text_hex(hex[1])));
	cast_put(cast, stream, b.data, b.len, start + atoll(text) * MS);
}

int
main(int argc, char **argv)
{
	struct cast_setup setup = { .wall_ns = 1700000000000 * MS };
	struct audit_session session = { .user = "somebody", .pid = 7,
		.uid = geteuid(), .loginuid = (uid_t)-1, .origin = "prompt" };
	struct err err = ERR_INIT;
	char *dir = NULL, *line = NULL, uuid[37];
	size_t size = 0;
	unsigned width, height;
	long long ms;
	ssize_t n;

	start = setup.mono_ns = clock_mono_ns();
	if (argc < 2 || cast_keep_parse(argv[1], &setup.keep) < 0)
		die("none, sample or full");
	setup.line_max = argc > 2 ? (size_t)atoll(argv[2]) : 0;
	if (audit_place(geteuid(), true, &dir, &err) < 0 ||
	    audit_open(dir, false, &store, &err) < 0 ||
	    audit_session_begin(store, &session, &err) < 0)
		die(err.text);
	setup.dir = dir;
	audit_session_uuid(store, setup.session);
	cast = cast_new(&setup);
	while ((n = getline(&line, &size, stdin)) > 0) {
		line[n - 1] = '\0';
		if (strncmp(line, "line ", 5) == 0)
			begin(line + 5);
		else if (strncmp(line, "out ", 4) == 0)
			put(CAST_OUT, line + 4);
		else if (strncmp(line, "err ", 4) == 0)
			put(CAST_ERR, line + 4);
		else if (sscanf(line, "size %lld %ux%u", &ms, &width,
		    &height) == 3)
			cast_resize(cast, width, height, start + ms * MS);
		else if (strcmp(line, "end") == 0)
			end();
	}
	cast_free(cast);
	if (audit_session_end(store, &err) < 0)
		die(err.text);
	audit_close(store);
	uuid_text(setup.session, uuid);
	puts(uuid);
	free(line);
	free(dir);
	return 0;
}
