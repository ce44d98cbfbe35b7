/* SPDX-License-Identifier: ISC */
/*
 * Syslog over a connection (RFC 6587, 3.4.1, and RFC 5425), and OTLP/HTTP,
 * by libcurl.
 *
 * Syslog has no answers.  What the kernel of the other side has is lost when
 * its program is killed; so each batch has a connection, which is closed in
 * one direction and then waited for: who sees the end has read all before.
 * An end from there that comes before says nothing of the kind.
 */
#include "shipper_int.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/http.h"

#define SET(option, value) \
	do { \
		if (rc == CURLE_OK) \
			rc = curl_easy_setopt(c, CURLOPT_##option, (value)); \
	} while (0)

struct net {
	struct shipper *s;
	CURL *curl;
	int64_t end_ns;
	struct buf answer;
	int kept;		/* the socket of a connection that libcurl
				 * has closed, or -1 */
	bool refused;		/* not on this host, and not encrypted */
	char why[CURL_ERROR_SIZE];
};

static int
left_ms(const struct net *n)
{
	int64_t left = (n->end_ns - clock_mono_ns()) / 1000000;

	return left > 0 ? (int)left : 0;
}

static int
fail(const struct net *n, CURLcode rc, struct err *err)
{
	if (n->refused)
		return err_set(err, ERR_TRUST, "%s: is not on this host, and "
		    "the way there is not encrypted", n->s->sink->name);
	return err_set(err, rc == CURLE_PEER_FAILED_VERIFICATION ? ERR_TRUST :
	    rc == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO, "%s: %s",
	    n->s->sink->name, n->why[0] != '\0' ? n->why :
	    curl_easy_strerror(rc));
}

/* http:// carries what proves who we are: on this host alone. */
static curl_socket_t
on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct net *n = ctx;

	(void)purpose;
	if (n->s->sink->kind == SHIP_OTLP && !n->s->sink->encrypted &&
	    !http_is_loopback((const void *)&a->addr)) {
		n->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* Of a connection that was said good-bye to; the end of it is still to
 * come. */
static int
on_close(void *ctx, curl_socket_t fd)
{
	struct net *n = ctx;

	if (n->kept < 0) {
		n->kept = fd;
		return 0;
	}
	return close(fd);
}

static CURLcode
set_up(struct net *n, const char *url)
{
	CURL *c = n->curl;
	const char *ca = n->s->ca;
	const struct http_way way = { url, n->s->sink->encrypted, NULL, ca,
		ca != NULL ? strlen(ca) : 0 };
	CURLcode rc = (CURLcode)http_set_way(c, &way);
	int left = left_ms(n);

	SET(ERRORBUFFER, n->why);
	SET(OPENSOCKETFUNCTION, on_open);
	SET(OPENSOCKETDATA, (void *)n);
	/* Of a batch in pieces each has what the others left; 0 would be for
	 * ever. */
	SET(TIMEOUT_MS, (long)(left > 0 ? left : 1));
	SET(CONNECTTIMEOUT_MS, (long)(left > 0 ? left : 1));
	return rc;
}

/* ---- syslog ------------------------------------------------------------- */

static CURLcode
open_stream(struct net *n)
{
	bool v6 = strchr(n->s->sink->host, ':') != NULL;
	AEG_AUTOFREE char *url = xasprintf("%s://%s%s%s:%u/",
	    n->s->sink->encrypted ? "https" : "http", v6 ? "[" : "",
	    n->s->sink->host, v6 ? "]" : "", n->s->sink->port);
	CURL *c = n->curl;
	CURLcode rc = set_up(n, url);

	SET(CONNECT_ONLY, 1L);
	SET(SSL_ENABLE_ALPN, 0L);
	SET(CLOSESOCKETFUNCTION, on_close);
	SET(CLOSESOCKETDATA, (void *)n);
	return rc == CURLE_OK ? curl_easy_perform(c) : rc;
}

static CURLcode
send_all(struct net *n, const char *p, size_t len)
{
	curl_socket_t fd = CURL_SOCKET_BAD;
	CURLcode rc = curl_easy_getinfo(n->curl, CURLINFO_ACTIVESOCKET, &fd);
	struct pollfd poll_for = { .fd = fd, .events = POLLOUT };
	size_t sent;

	while (rc == CURLE_OK && len > 0) {
		rc = curl_easy_send(n->curl, p, len, &sent);
		if (rc == CURLE_OK) {
			p += sent;
			len -= sent;
		} else if (rc == CURLE_AGAIN) {
			if (left_ms(n) == 0)
				return CURLE_OPERATION_TIMEDOUT;
			poll(&poll_for, 1, left_ms(n));
			rc = CURLE_OK;
		}
	}
	return rc;
}

/* Before we have said good-bye nobody can have answered it. */
static int
is_open(const struct net *n, struct err *err)
{
	curl_socket_t fd = CURL_SOCKET_BAD;
	struct tcp_info now = { .tcpi_state = 0 };
	socklen_t len = sizeof now;

	if (curl_easy_getinfo(n->curl, CURLINFO_ACTIVESOCKET, &fd) ==
	    CURLE_OK && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &now, &len) ==
	    0 && now.tcpi_state == TCP_ESTABLISHED)
		return 0;
	return err_set(err, -EIO, "%s: ends the connection before the end "
	    "of what is sent, so it is not known whether it read everything",
	    n->s->sink->name);
}

/* The end has come: of what we sent nothing but our end may be on its way
 * still, or it came from one who had not got that. */
static int
has_all(const struct net *n, struct err *err)
{
	int left = 0, error = 0;
	socklen_t len = sizeof error;

	if (getsockopt(n->kept, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ||
	    ioctl(n->kept, SIOCOUTQ, &left) < 0)
		error = errno;
	if (error == 0 && left > 1)
		error = ECONNRESET;
	return error == 0 ? 0 : err_sys(err, error, "%s", n->s->sink->name);
}

/* Nothing more comes from us; the end from there says that all was read.
 * What it sends meanwhile (an alert of TLS) is of no interest, and must not
 * be endless. */
static int
wait_for_end(struct net *n, struct err *err)
{
	struct pollfd p = { .fd = n->kept, .events = POLLIN };
	size_t most = SHIPPER_ANSWER_MAX;
	char rest[4096];
	ssize_t got;

	if (n->kept < 0 || shutdown(n->kept, SHUT_WR) < 0)
		return err_set(err, -EIO, "%s: the connection is gone",
		    n->s->sink->name);
	while (most > 0) {
		if (poll(&p, 1, left_ms(n)) == 0)
			return err_set(err, -ETIMEDOUT, "%s: does not close "
			    "the connection, so it is not known whether it "
			    "read everything", n->s->sink->name);
		got = recv(n->kept, rest, sizeof rest, MSG_DONTWAIT);
		if (got == 0)
			return has_all(n, err);
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return err_sys(err, errno, "%s", n->s->sink->name);
		most -= got > 0 ? (size_t)got < most ? (size_t)got : most : 0;
	}
	return err_set(err, ERR_PROTOCOL, "%s: talks, where syslog has no "
	    "answers", n->s->sink->name);
}

/* MSG-LEN SP SYSLOG-MSG */
static void
put_frame(struct buf *text, const struct buf *message)
{
	buf_putf(text, "%zu ", message->len);
	buf_put(text, message->data, message->len);
}

static int
put_messages(struct shipper *s, const struct ship_batch *b, struct buf *text,
    struct err *err)
{
	AEG_AUTO(buf_done) struct buf message = BUF_INIT;
	struct shipper_item t;
	size_t i;
	int rc;

	for (i = 0; i < b->n; i++) {
		rc = shipper_item(s, b, i, &t, err);
		if (rc < 0)
			return rc;
		buf_reset(&message);
		shipper_syslog(&t, &message);
		shipper_item_done(&t);
		put_frame(text, &message);
	}
	buf_reset(&message);
	shipper_syslog_head(s, b, &message);
	put_frame(text, &message);
	return 0;
}

void
shipper_to_stream(struct shipper *s, const struct ship_batch *b,
    struct ship_taken *ret, struct err *err)
{
	struct net n = { .s = s, .kept = -1, .end_ns = clock_mono_ns() +
		s->timeout_ms * 1000000 };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	bool open = false;
	CURLcode rc;

	if (put_messages(s, b, &text, err) < 0)
		return;
	n.curl = curl_easy_init();
	rc = n.curl != NULL ? open_stream(&n) : CURLE_FAILED_INIT;
	if (rc == CURLE_OK)
		rc = send_all(&n, text.data, text.len);
	if (rc != CURLE_OK)
		fail(&n, rc, err);
	else
		open = is_open(&n, err) == 0;
	curl_easy_cleanup(n.curl);
	if (open && wait_for_end(&n, err) == 0)
		ret->taken = (int64_t)b->n;
	io_close(&n.kept);
}

/* ---- HTTP --------------------------------------------------------------- */

static size_t
on_body(char *p, size_t size, size_t count, void *ctx)
{
	struct net *n = ctx;

	buf_put(&n->answer, p, size * count);
	return buf_overflow(&n->answer) ? 0 : size * count;
}

/* One header a line; what they are was looked at by who read them. */
static struct curl_slist *
headers(const char *text)
{
	struct curl_slist *list = curl_slist_append(NULL,
	    "Content-Type: application/json");

	list = curl_slist_append(list, "Expect:");
	while (text != NULL && *text != '\0') {
		size_t len = strcspn(text, "\n");
		AEG_AUTOFREE char *one = xmemdup0(text, len);

		if (len > 0)
			list = curl_slist_append(list, one);
		text += len + (text[len] == '\n' ? 1 : 0);
	}
	return list;
}

/* ExportLogsServiceResponse: a collector that takes the request may still
 * throw some of it away, and is not to be asked again. */
static void
read_answer(const struct net *n, int64_t sent, struct ship_taken *ret,
    struct err *err)
{
	json_t *o = n->answer.len > 0 ? json_loadb(n->answer.data,
	    n->answer.len, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const json_t *part = json_object_get(o, "partialSuccess");
	const json_t *count = json_object_get(part, "rejectedLogRecords");
	const char *why = json_string_value(json_object_get(part,
	    "errorMessage"));
	const char *digits = json_string_value(count);
	int64_t rejected = digits != NULL ? strtoll(digits, NULL, 10) :
	    (int64_t)json_integer_value(count);

	if (rejected > 0) {
		ret->rejected += rejected < sent ? rejected : sent;
		err_set(err, ERR_REFUSED, "%s: took the request, and none of "
		    "%" PRId64 " of its records: %s", n->s->sink->name,
		    rejected, why != NULL ? why : "without a reason");
	}
	json_decref(o);
}

static CURLcode
post(struct net *n, const struct buf *body, struct curl_slist *list,
    long *ret_status)
{
	CURL *c = n->curl;
	CURLcode rc = set_up(n, n->s->sink->name);

	buf_reset(&n->answer);
	SET(POST, 1L);
	SET(POSTFIELDS, body->data);
	SET(POSTFIELDSIZE, (long)body->len);
	SET(HTTPHEADER, list);
	SET(WRITEFUNCTION, on_body);
	SET(WRITEDATA, (void *)n);
	if (rc == CURLE_OK)
		rc = curl_easy_perform(c);
	if (rc == CURLE_OK)
		rc = curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, ret_status);
	return rc;
}

/* What the answer means for these records; false: to be sent again. */
static bool
is_settled(struct net *n, long status, int64_t sent, struct ship_taken *ret,
    struct err *err)
{
	curl_off_t wait = 0;

	/* 200 it should be; some say 204, and have them. */
	if (status / 100 == 2) {
		ret->taken += sent;
		read_answer(n, sent, ret, err);
		return true;
	}
	if (curl_easy_getinfo(n->curl, CURLINFO_RETRY_AFTER, &wait) ==
	    CURLE_OK && wait > 0)
		ret->retry_s = wait < 3600 ? wait : 3600;
	err_set(err, ERR_REFUSED, "%s: HTTP status %ld", n->s->sink->name,
	    status);
	/* One that it cannot take, whatever stands beside it, would be in
	 * the way of all others for ever. */
	if ((status == 400 || status == 413 || status == 422) && sent == 1) {
		ret->taken++;
		ret->rejected++;
		return true;
	}
	return false;
}

/* Of a batch that is refused as such, less and less is sent, until it is
 * clear which record it is. */
static void
post_records(struct net *n, const struct ship_batch *b,
    struct curl_slist *list, struct ship_taken *ret, struct err *err)
{
	size_t step = b->n, at, count;
	long status = 0;

	while ((at = (size_t)ret->taken) < b->n) {
		AEG_AUTO(buf_done) struct buf body = BUF_INIT;
		CURLcode rc;

		count = step < b->n - at ? step : b->n - at;
		if (shipper_request(n->s, b, at, at + count, &body, err) < 0)
			return;
		if (left_ms(n) == 0) {
			fail(n, CURLE_OPERATION_TIMEDOUT, err);
			return;
		}
		rc = post(n, &body, list, &status);
		if (rc != CURLE_OK) {
			fail(n, rc, err);
			return;
		}
		if (is_settled(n, status, (int64_t)count, ret, err))
			continue;
		if (count == 1 || (status != 400 && status != 413 &&
		    status != 422))
			return;
		step = count / 2;
	}
}

void
shipper_to_http(struct shipper *s, const struct ship_batch *b,
    struct ship_taken *ret, struct err *err)
{
	struct net n = { .s = s, .kept = -1,
		.answer = BUF_INIT_MAX(SHIPPER_ANSWER_MAX),
		.end_ns = clock_mono_ns() + s->timeout_ms * 1000000 };
	struct curl_slist *list = headers(s->headers);

	n.curl = curl_easy_init();
	if (n.curl == NULL)
		fail(&n, CURLE_FAILED_INIT, err);
	else
		post_records(&n, b, list, ret, err);
	curl_easy_cleanup(n.curl);
	curl_slist_free_all(list);
	buf_done(&n.answer);
}
