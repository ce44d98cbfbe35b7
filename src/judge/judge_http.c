/* SPDX-License-Identifier: ISC */
/*
 * POSTs over kept connections, one at a time for each endpoint.  What is
 * not wanted is off: redirects, proxies that were not set, other protocols,
 * cookies, netrc, compression.
 */
#include "judge_int.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/http.h"

#define IDLE_MS 60000
#define WARM_MS 5000		/* for opening a connection ahead */
#define FRESH_NS ((int64_t)30000000000)	/* a connection used since then
					 * is taken to be open */

struct judge_net {
	CURLM *multi;
};

struct judge_http {
	struct judge_net *net;
	CURL *easy, *warm;
	struct curl_slist *headers;
	const struct judge_endpoint *at;
	const char *label;
	struct err refused;		/* why there is no socket */
	bool plain, active, warming, too_long;
	int64_t timeout_ms, used_ns;
	struct buf request, body;
	size_t header_bytes;
	CURLcode code;
	char why[CURL_ERROR_SIZE];
};

int
judge_net_new(struct judge_net **ret, struct err *err)
{
	struct judge_net *net = xcalloc(1, sizeof *net);

	net->multi = curl_multi_init();
	if (net->multi == NULL) {
		free(net);
		return err_set(err, -ENOMEM, "libcurl cannot be set up");
	}
	*ret = net;
	return 0;
}

void
judge_net_free(struct judge_net *net)
{
	if (net == NULL)
		return;
	curl_multi_cleanup(net->multi);
	free(net);
}

static size_t
on_body(char *p, size_t size, size_t n, void *ctx)
{
	struct judge_http *h = ctx;

	buf_put(&h->body, p, size * n);
	if (!buf_overflow(&h->body))
		return size * n;
	h->too_long = true;
	return 0;
}

static size_t
on_header(char *p, size_t size, size_t n, void *ctx)
{
	struct judge_http *h = ctx;

	(void)p;
	h->header_bytes += size * n;
	if (h->header_bytes <= JUDGE_HEADERS_MAX)
		return size * n;
	h->too_long = true;
	return 0;
}

/* What answers the request that only opens a connection is of no interest,
 * but must not be endless. */
static size_t
on_nothing(char *p, size_t size, size_t n, void *ctx)
{
	size_t *left = ctx;

	(void)p;
	if (size * n > *left)
		return 0;
	*left -= size * n;
	return size * n;
}

/* Without TLS the address itself must be loopback, whatever a name server
 * says localhost is; and a socket must be whose it should. */
static curl_socket_t
on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct judge_http *h = ctx;

	(void)purpose;
	if (a->family == AF_UNIX && judge_socket_check(h->at->unix_path,
	    h->at->trusted_uid, &h->refused) < 0)
		return CURL_SOCKET_BAD;
	if (h->plain && a->family != AF_UNIX &&
	    !http_is_loopback((const void *)&a->addr)) {
		err_set(&h->refused, ERR_TRUST, "%s: is not on this host, and "
		    "the way there is not encrypted", h->label);
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static int
add_header(struct judge_http *h, const char *text)
{
	struct curl_slist *more = curl_slist_append(h->headers, text);

	if (more == NULL)
		return -ENOMEM;
	h->headers = more;
	return 0;
}

static int
set_headers(struct judge_http *h, const struct judge_format *f,
    const struct buf *key)
{
	AEG_AUTO(buf_done) struct buf line = BUF_INIT;
	const char *mark = strstr(f->auth, "%s");
	int rc;

	if (add_header(h, "Content-Type: application/json") < 0 ||
	    add_header(h, "Accept: application/json") < 0 ||
	    add_header(h, "Expect:") < 0 ||
	    (f->header != NULL && add_header(h, f->header) < 0))
		return -ENOMEM;
	if (key->len == 0)
		return 0;
	buf_put(&line, f->auth, (size_t)(mark - f->auth));
	buf_put(&line, key->data, key->len);
	buf_puts(&line, mark + 2);
	rc = add_header(h, line.data);
	explicit_bzero(line.data, line.cap);
	return rc;
}

#define SET(option, value) \
	do { \
		if (rc == CURLE_OK) \
			rc = curl_easy_setopt(c, CURLOPT_##option, (value)); \
	} while (0)

/* What decides which connection is used, and what never may happen: the
 * same for both kinds of request. */
static CURLcode
set_connection(CURL *c, struct judge_http *h, const struct judge_endpoint *e,
    const struct buf *ca)
{
	const struct http_way way = { e->url, !e->plain, e->proxy, ca->data,
		ca->len };
	CURLcode rc = (CURLcode)http_set_way(c, &way);

	SET(TCP_NODELAY, 1L);
	SET(TCP_KEEPALIVE, 1L);
	SET(MAXFILESIZE, (long)JUDGE_BODY_MAX);
	SET(USERAGENT, "aegsh-judge");
	if (e->unix_path != NULL)
		SET(UNIX_SOCKET_PATH, e->unix_path);
	SET(PRIVATE, (void *)h);
	SET(OPENSOCKETFUNCTION, on_socket);
	SET(OPENSOCKETDATA, (void *)h);
	return rc;
}

static CURLcode
set_request(struct judge_http *h)
{
	CURL *c = h->easy;
	CURLcode rc = CURLE_OK;

	SET(POST, 1L);
	SET(HTTPHEADER, h->headers);
	SET(ERRORBUFFER, h->why);
	SET(WRITEFUNCTION, on_body);
	SET(WRITEDATA, (void *)h);
	SET(HEADERFUNCTION, on_header);
	SET(HEADERDATA, (void *)h);
	return rc;
}

int
judge_http_new(struct judge_net *net, const struct judge_endpoint *e,
    const struct judge_format *f, const struct buf *key,
    const struct buf *ca, struct judge_http **ret, struct err *err)
{
	struct judge_http *h = xcalloc(1, sizeof *h);

	h->net = net;
	h->at = e;
	h->easy = curl_easy_init();
	h->warm = curl_easy_init();
	h->label = e->label;
	h->plain = e->plain;
	h->body.max = JUDGE_BODY_MAX;
	if (h->easy == NULL || h->warm == NULL ||
	    set_headers(h, f, key) < 0 ||
	    set_connection(h->easy, h, e, ca) != CURLE_OK ||
	    set_connection(h->warm, h, e, ca) != CURLE_OK ||
	    set_request(h) != CURLE_OK) {
		judge_http_free(h);
		return err_set(err, -EINVAL, "%s: libcurl cannot be set up",
		    e->label);
	}
	*ret = h;
	return 0;
}

static void
drop_warm(struct judge_http *h)
{
	if (h->warming)
		curl_multi_remove_handle(h->net->multi, h->warm);
	h->warming = false;
}

void
judge_http_free(struct judge_http *h)
{
	if (h == NULL)
		return;
	judge_http_drop(h);
	drop_warm(h);
	curl_easy_cleanup(h->easy);
	curl_easy_cleanup(h->warm);
	curl_slist_free_all(h->headers);
	buf_done(&h->request);
	buf_done(&h->body);
	free(h);
}

static void
take_out(struct judge_http *h)
{
	if (h->active)
		curl_multi_remove_handle(h->net->multi, h->easy);
	h->active = false;
}

/* With its connection, also where that is HTTP/2 and could go on: so the
 * server hears of it now, not when the next question is sent. */
void
judge_http_drop(struct judge_http *h)
{
	if (!h->active)
		return;
	curl_easy_setopt(h->easy, CURLOPT_FORBID_REUSE, 1L);
	take_out(h);
	curl_easy_setopt(h->easy, CURLOPT_FORBID_REUSE, 0L);
}

void
judge_http_warm(struct judge_http *h)
{
	static size_t left;
	int64_t now = clock_mono_ns();
	CURL *c = h->warm;
	CURLcode rc = CURLE_OK;

	if (h->active || h->warming ||
	    (h->used_ns != 0 && now - h->used_ns < FRESH_NS))
		return;
	left = JUDGE_HEADERS_MAX;
	SET(NOBODY, 1L);
	SET(HEADERFUNCTION, on_nothing);
	SET(HEADERDATA, (void *)&left);
	SET(TIMEOUT_MS, (long)WARM_MS);
	h->used_ns = now;
	h->warming = rc == CURLE_OK &&
	    curl_multi_add_handle(h->net->multi, c) == CURLM_OK;
}

int
judge_http_start(struct judge_http *h, struct buf *body, int64_t timeout_ms,
    struct err *err)
{
	CURL *c = h->easy;
	CURLcode rc = CURLE_OK;

	judge_http_drop(h);
	buf_done(&h->request);
	h->request = *body;
	*body = (struct buf)BUF_INIT;
	buf_reset(&h->body);
	h->header_bytes = 0;
	h->too_long = false;
	h->why[0] = '\0';
	h->refused = (struct err)ERR_INIT;
	h->timeout_ms = timeout_ms;
	SET(POSTFIELDS, h->request.data);
	SET(POSTFIELDSIZE, (long)h->request.len);
	SET(TIMEOUT_MS, (long)timeout_ms);
	SET(CONNECTTIMEOUT_MS, (long)timeout_ms);
	if (rc != CURLE_OK ||
	    curl_multi_add_handle(h->net->multi, c) != CURLM_OK)
		return err_set(err, -EINVAL, "%s: the request cannot be made",
		    h->label);
	h->active = true;
	return 0;
}

/* The next request that ended, or NULL; openings end here. */
static struct judge_http *
take_ended(struct judge_net *net)
{
	struct judge_http *h;
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(net->multi, &left)) != NULL) {
		char *owner = NULL;

		if (msg->msg != CURLMSG_DONE || curl_easy_getinfo(
		    msg->easy_handle, CURLINFO_PRIVATE, &owner) != CURLE_OK)
			continue;
		h = (void *)owner;
		if (msg->easy_handle == h->warm) {
			drop_warm(h);
			continue;
		}
		if (!h->active)
			continue;
		h->code = msg->data.result;
		h->used_ns = clock_mono_ns();
		take_out(h);
		return h;
	}
	return NULL;
}

int
judge_net_work(struct judge_net *net, int fd, int wait_ms,
    struct judge_http **ret, struct err *err)
{
	struct curl_waitfd also = { .fd = fd, .events = CURL_WAIT_POLLIN };
	int running;

	if (curl_multi_perform(net->multi, &running) != CURLM_OK)
		return err_set(err, -EIO, "libcurl");
	*ret = take_ended(net);
	if (*ret != NULL)
		return 1;
	if (curl_multi_poll(net->multi, &also, 1, wait_ms >= 0 &&
	    wait_ms < IDLE_MS ? wait_ms : IDLE_MS, NULL) != CURLM_OK)
		return err_set(err, -EIO, "libcurl");
	return 0;
}

static bool
is_certificate(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION ||
	    code == CURLE_SSL_CACERT_BADFILE;
}

static enum judge_outcome
failed(const struct judge_http *h, struct err *err)
{
	if (h->too_long || h->code == CURLE_FILESIZE_EXCEEDED)
		err_set(err, ERR_TOO_LONG,
		    "%s: the server's answer is longer than %zu bytes",
		    h->label, JUDGE_BODY_MAX);
	else if (h->refused.code != 0)
		*err = h->refused;
	else if (h->code == CURLE_OUT_OF_MEMORY)
		/* How libcurl calls a field that is over its own cap. */
		err_set(err, -ENOMEM, "%s: a header field of the answer is too "
		    "long, or there is no memory", h->label);
	else if (h->code == CURLE_OPERATION_TIMEDOUT)
		err_set(err, -ETIMEDOUT, "%s: no answer within %lld ms",
		    h->label, (long long)h->timeout_ms);
	else
		err_set(err, is_certificate(h->code) ? ERR_TRUST : -EIO,
		    "%s: %s", h->label, h->why[0] != '\0' ?
		    h->why : curl_easy_strerror(h->code));
	/* Names and authorities may have changed; ours are as of the start. */
	return h->code == CURLE_COULDNT_RESOLVE_HOST ||
	    is_certificate(h->code) ? JUDGE_LEAVE : JUDGE_FAILED;
}

enum judge_outcome
judge_http_result(struct judge_http *h, long *ret_status,
    const struct buf **ret_body, struct err *err)
{
	long status = 0;

	if (h->code != CURLE_OK)
		return failed(h, err);
	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	*ret_status = status;
	*ret_body = &h->body;
	return JUDGE_REPLIED;
}

int64_t
judge_http_retry_after(const struct judge_http *h)
{
	curl_off_t seconds = 0;

	return curl_easy_getinfo(h->easy, CURLINFO_RETRY_AFTER, &seconds) ==
	    CURLE_OK && seconds > 0 ? (int64_t)seconds : -1;
}
