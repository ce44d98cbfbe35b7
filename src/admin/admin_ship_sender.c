/* SPDX-License-Identifier: ISC */
/* The process of a sink: what it needs is read here, and it opens nothing. */
#include "admin_ship.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/wire.h"
#include "aegsh/wire_helper.h"

#define HELLO_MS 10000
#define CA_BYTES ((size_t)64 * 1024)
#define HEADER_BYTES ((size_t)16 * 1024)
#define SPARE_MS 10000		/* more than the sink may take */

/* ---- settings ----------------------------------------------------------- */

/* In front of what is wrong with a setting: where it stands. */
static int
at_setting(struct admin *a, enum conf_id id, struct err *err)
{
	const char *file = conf_origin_file(a->conf, id);

	if (file != NULL)
		return err_context(err, "%s:%u: %s", file,
		    conf_origin_line(a->conf, id), conf_row(id)->name);
	return err_context(err, "%s", conf_row(id)->name);
}

/* Whose files a setting of that layer may name. */
static uid_t
trusted(struct admin *a, enum conf_id id)
{
	return conf_origin(a->conf, id) == CONF_OPERATOR ? (uid_t)-1 : a->uid;
}

static int
read_named(struct admin *a, enum conf_id id, size_t most, char **ret,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	const char *path = conf_str(a->conf, id);
	int rc;

	if (path[0] == '\0')
		return 0;
	rc = conf_trust_read(path, trusted(a, id), most, &text, err);
	if (rc == 0 && (text.len == 0 || memchr(text.data, '\0', text.len) !=
	    NULL))
		rc = err_set(err, ERR_SYNTAX, "%s: holds no text", path);
	if (rc == 0)
		*ret = buf_take(&text);
	return rc < 0 ? at_setting(a, id, err) : 0;
}

/* A line of HTTP's head: "Name: value". */
static bool
is_header(const char *p, size_t len)
{
	size_t name = 0, i;

	while (name < len && ((p[name] >= 'a' && p[name] <= 'z') ||
	    (p[name] >= 'A' && p[name] <= 'Z') ||
	    (p[name] >= '0' && p[name] <= '9') || p[name] == '-'))
		name++;
	if (name == 0 || name == len || p[name] != ':')
		return false;
	for (i = name; i < len; i++) {
		if ((unsigned char)p[i] < ' ' || p[i] == 127)
			return false;
	}
	return true;
}

/* They may prove who we are. */
static int
look_at_headers(struct admin *a, const char *text, struct err *err)
{
	const char *path = conf_str(a->conf, CONF_SHIP_HEADERS);
	struct stat st;
	unsigned line;
	int rc = 0;

	if (text == NULL)
		return 0;
	if (stat(path, &st) < 0)
		rc = err_sys(err, errno, "%s", path);
	else if ((st.st_mode & 077) != 0)
		rc = err_set(err, ERR_TRUST, "%s: others may read it: mode "
		    "0600 is needed", path);
	for (line = 1; rc == 0 && *text != '\0'; line++) {
		size_t len = strcspn(text, "\n");

		if (len > 0 && !is_header(text, len))
			rc = err_set(err, ERR_SYNTAX, "%s:%u: not of the form "
			    "Name: value", path, line);
		text += len + (text[len] == '\n' ? 1 : 0);
	}
	return rc < 0 ? at_setting(a, CONF_SHIP_HEADERS, err) : 0;
}

int
admin_ship_means(struct admin *a, struct admin_ship_means *ret,
    struct err *err)
{
	int rc = admin_conf(a, err);

	*ret = (struct admin_ship_means){ .ca = NULL };
	if (rc < 0)
		return rc;
	ret->timeout_ms = conf_int(a->conf, CONF_SHIP_TIMEOUT);
	if (ship_sinks_parse(conf_str(a->conf, CONF_SHIP), &ret->sinks,
	    err) < 0)
		return at_setting(a, CONF_SHIP, err);
	rc = read_named(a, CONF_SHIP_CA_FILE, CA_BYTES, &ret->ca, err);
	if (rc == 0)
		rc = read_named(a, CONF_SHIP_HEADERS, HEADER_BYTES,
		    &ret->headers, err);
	if (rc == 0)
		rc = look_at_headers(a, ret->headers, err);
	if (rc < 0)
		admin_ship_means_done(ret);
	return rc;
}

void
admin_ship_means_done(struct admin_ship_means *m)
{
	ship_sinks_done(&m->sinks);
	if (m->headers != NULL)
		explicit_bzero(m->headers, strlen(m->headers));
	free(m->headers);
	free(m->ca);
	*m = (struct admin_ship_means){ .ca = NULL };
}

/* ---- a file ------------------------------------------------------------- */

/* To append to, in a directory in which nobody else can put another. */
static int
open_file(struct admin *a, const char *path, struct err *err)
{
	const char *name = path_base(path);
	AEG_AUTOFREE char *parent = xmemdup0(path, name > path + 1 ?
	    (size_t)(name - path) - 1 : 1);
	AEG_AUTOFD int dir = -1, fd = -1;
	struct stat st;
	int rc = conf_trust_dir(parent, trusted(a, CONF_SHIP), &dir, err);

	if (rc < 0)
		return rc;
	fd = openat(dir, name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 022) != 0)
		return err_set(err, ERR_TRUST, "%s: must be a file that "
		    "nobody else can write to", path);
	rc = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	return rc < 0 ? err_sys(err, errno, "%s", path) : rc;
}

/* ---- the process -------------------------------------------------------- */

static int
send_setup(struct admin *a, int fd, const struct admin_ship_means *m,
    const struct ship_sink *sink, struct err *err)
{
	struct ship_setup setup = { .sink = sink->name, .ca = m->ca,
		.headers = sink->kind == SHIP_OTLP ? m->headers : NULL,
		.timeout_ms = m->timeout_ms };
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct wire_msg frame = WIRE_MSG_INIT;
	AEG_AUTOFD int file = -1;
	char host[256] = "";
	int rc = 0;

	if (gethostname(host, sizeof host - 1) < 0)
		snprintf(host, sizeof host, "localhost");
	setup.host = host;
	if (sink->kind == SHIP_FILE) {
		file = open_file(a, sink->path, err);
		if (file < 0)
			return file;
		frame.fds[0] = file;
		frame.n_fds = 1;
	}
	rc = ship_setup_pack(&setup, &body, err);
	frame.type = SHIP_FRAME_SETUP;
	frame.body = body.data;
	frame.len = body.len;
	if (rc == 0) {
		rc = wire_hello(fd, SHIP_ROLE, HELLO_MS, err);
		if (rc == 0)
			rc = wire_send(fd, &frame, err);
		if (rc < 0)
			err_context(err, "aegsh-ship");
	}
	explicit_bzero(body.data, body.cap);
	return rc;
}

int
admin_sender_start(struct admin *a, struct admin_sender *s,
    const struct admin_ship_means *m, const struct ship_sink *sink,
    struct err *err)
{
	AEG_AUTOFD int theirs = -1;
	int ends[2], rc = wire_pair(ends, err);

	if (rc < 0)
		return rc;
	s->fd = ends[0];
	theirs = io_move_up(ends[1], 10);
	fflush(a->out);
	rc = theirs < 0 ? err_sys(err, -theirs, "move a descriptor") :
	    wire_helper_spawn("aegsh-ship", theirs, false, &s->pid, err);
	io_close(&theirs);
	if (rc == 0)
		rc = send_setup(a, s->fd, m, sink, err);
	if (rc < 0)
		admin_sender_end(s);
	return rc;
}

int
admin_sender_send(struct admin_sender *s, const struct ship_batch *b,
    int64_t timeout_ms, struct ship_taken *ret, struct err *err)
{
	AEG_AUTO(wire_msg_done) struct wire_msg answer = WIRE_MSG_INIT;
	AEG_AUTO(buf_done) struct buf body = BUF_INIT;
	struct wire_msg m = WIRE_MSG_INIT;
	int rc = ship_batch_pack(b, &body, err);

	*ret = (struct ship_taken){ .taken = 0 };
	m.type = SHIP_FRAME_BATCH;
	m.body = body.data;
	m.len = body.len;
	if (rc == 0)
		rc = wire_send(s->fd, &m, err);
	if (rc == 0)
		rc = wire_recv(s->fd, (int)(timeout_ms + SPARE_MS), -1,
		    &answer, err);
	if (rc == 0)
		rc = ship_taken_unpack(answer.body, answer.len, ret, err);
	if (rc == 0 && ret->taken > (int64_t)b->n)
		rc = err_set(err, ERR_PROTOCOL, "aegsh-ship says what cannot "
		    "be");
	if (rc < 0)
		return err_context(err, "aegsh-ship");
	if (ret->why != NULL)
		err_set(err, ERR_REFUSED, "%s", ret->why);
	ret->why = NULL;	/* it was the frame's */
	return 0;
}

void
admin_sender_end(struct admin_sender *s)
{
	io_close(&s->fd);
	/* It talks to somebody whom it may wait for. */
#ifndef AEGSH_SANITIZE	/* it looks for leaks when it ends by itself */
	if (s->pid > 0)
		kill(s->pid, SIGKILL);
#endif
	while (s->pid > 0 && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = -1;
}
