/* SPDX-License-Identifier: ISC */
/*
 * aegsh-ship: carries records to one sink.  aegshctl starts it, with a
 * socket on descriptor 3, over which it gets all that it needs; it opens no
 * file, and ends when the socket does.
 */
#include "shipper_int.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
#include "aegsh/wire.h"
#include "aegsh/wire_confine.h"
#include "aegsh/wire_helper.h"

#define HELLO_MS 10000
#define FILE_MOST (UINT64_C(1) << 60)

static char *
copy(const char *text)
{
	return text != NULL ? xstrdup(text) : NULL;
}

static int
take_setup(struct shipper *s, struct wire_msg *m, struct err *err)
{
	struct ship_setup setup;
	int rc = ship_setup_unpack(m->body, m->len, &setup, err);

	if (rc == 0)
		rc = ship_sinks_parse(setup.sink, &s->sinks, err);
	if (rc < 0)
		return rc;
	if (s->sinks.n != 1)
		return err_set(err, ERR_PROTOCOL, "no set-up");
	s->sink = &s->sinks.at[0];
	s->host = xstrdup(setup.host);
	s->ca = copy(setup.ca);
	s->headers = copy(setup.headers);
	s->timeout_ms = setup.timeout_ms;
	if (s->sink->kind == SHIP_FILE) {
		if (m->n_fds != 1)
			return err_set(err, ERR_PROTOCOL, "no file");
		s->file_fd = m->fds[0];
		m->fds[0] = -1;
	}
	return 0;
}

static int
set_up(struct shipper *s, struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
	struct wire_needs needs = { .program = "aegsh-ship",
		.file_most = FILE_MOST };
	int rc = wire_hello(s->fd, SHIP_ROLE, HELLO_MS, err);

	if (rc == 0)
		rc = wire_recv(s->fd, HELLO_MS, -1, &m, err);
	if (rc == 0 && m.type != SHIP_FRAME_SETUP)
		rc = err_set(err, ERR_PROTOCOL, "no set-up");
	if (rc == 0)
		rc = take_setup(s, &m, err);
	if (rc < 0)
		return rc;
	needs.ports[0] = s->sink->port;
	needs.n_ports = s->sink->host != NULL ? 1 : 0;
	needs.names = s->sink->host != NULL;
	needs.system_ca = s->sink->encrypted && s->ca == NULL;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(err, -EIO, "libcurl does not start");
	return wire_confine(&needs, err);
}

static void
deliver(struct shipper *s, const struct ship_batch *b, struct ship_taken *ret,
    struct err *err)
{
	switch (s->sink->kind) {
	case SHIP_UNIX:
	case SHIP_UDP:
	case SHIP_JOURNAL:
		shipper_to_datagrams(s, b, ret, err);
		return;
	case SHIP_TCP:
	case SHIP_TLS:
		shipper_to_stream(s, b, ret, err);
		return;
	case SHIP_OTLP:
		shipper_to_http(s, b, ret, err);
		return;
	case SHIP_FILE:
		shipper_to_file(s, b, ret, err);
		return;
	case SHIP_NONE:
		break;
	}
	err_set(err, -EINVAL, "%s: no such sink", s->sink->name);
}

/* One batch in, one answer out. */
static int
serve(struct shipper *s, struct err *err)
{
	AEG_AUTOFREE struct ship_batch *b = xcalloc(1, sizeof *b);
	int rc = 0;

	while (rc == 0) {
		AEG_AUTO(wire_msg_done) struct wire_msg m = WIRE_MSG_INIT;
		AEG_AUTO(buf_done) struct buf body = BUF_INIT;
		struct wire_msg answer = WIRE_MSG_INIT;
		struct ship_taken taken = { .taken = 0 };
		struct err why = ERR_INIT;

		rc = wire_recv(s->fd, -1, -1, &m, err);
		if (rc == 0 && m.type != SHIP_FRAME_BATCH)
			rc = err_set(err, ERR_PROTOCOL, "no batch");
		if (rc == 0)
			rc = ship_batch_unpack(m.body, m.len, b, err);
		if (rc < 0)
			return rc;
		if (b->n > 0)
			deliver(s, b, &taken, &why);
		taken.why = why.code != 0 ? why.text : NULL;
		ship_taken_pack(&taken, &body);
		answer.type = SHIP_FRAME_TAKEN;
		answer.body = body.data;
		answer.len = body.len;
		rc = wire_send(s->fd, &answer, err);
	}
	return rc;
}

static void
done(struct shipper *s)
{
	ship_sinks_done(&s->sinks);
	io_close(&s->file_fd);
	free(s->host);
	free(s->ca);
	free(s->headers);
}

int
main(int argc, char **argv)
{
	struct shipper s = { .fd = WIRE_HELPER_FD, .file_fd = -1 };
	struct err err = ERR_INIT;
	int rc = wire_helper_begin("aegsh-ship", "aegshctl", argc);

	(void)argv;
	if (rc != 0)
		return rc;
	rc = set_up(&s, &err);
	if (rc == 0)
		rc = serve(&s, &err);
	done(&s);
	if (rc == -ENODATA || rc == -EPIPE)	/* aegshctl is gone */
		return 0;
	if (rc < 0) {
		/* A server's words may be in it. */
		AEG_AUTO(buf_done) struct buf out = BUF_INIT;

		text_inert(&out, err.text, strlen(err.text), 0);
		fprintf(stderr, "aegsh-ship: %.*s\n", (int)out.len, out.data);
	}
	return rc < 0 ? WIRE_EXIT_SYSTEM : 0;
}
