/* SPDX-License-Identifier: ISC */
/*
 * Where the model is asked: which addresses are taken, and which are too
 * dangerous for a key and a command line to travel to.
 */
#include "judge_int.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

static void
url_done(CURLU **u)
{
	curl_url_cleanup(*u);
}

static void
part_done(char **part)
{
	curl_free(*part);
}
#define PART AEG_AUTO(part_done) char *

void
judge_endpoint_done(struct judge_endpoint *e)
{
	free(e->url);
	free(e->unix_path);
	free(e->label);
	free(e->proxy);
	*e = (struct judge_endpoint){ .url = NULL };
}

/* NULL where there is no such part. */
static char *
get(CURLU *u, CURLUPart part, unsigned flags)
{
	char *text = NULL;

	return curl_url_get(u, part, &text, flags) == CURLUE_OK ? text : NULL;
}

/* host as the URL parser leaves it: numbers normal, brackets around IPv6. */
static bool
is_loopback(const char *host, bool *ret_is_name)
{
	char bare[INET6_ADDRSTRLEN];
	struct in6_addr a6;
	struct in_addr a4;
	size_t n = strlen(host);

	*ret_is_name = false;
	if (inet_pton(AF_INET, host, &a4) == 1)
		return (ntohl(a4.s_addr) >> 24) == 127;
	if (n > 2 && n < sizeof bare && host[0] == '[') {
		memcpy(bare, host + 1, n - 2);
		bare[n - 2] = '\0';
		return inet_pton(AF_INET6, bare, &a6) == 1 &&
		    IN6_IS_ADDR_LOOPBACK(&a6);
	}
	*ret_is_name = true;
	return strcasecmp(host, "localhost") == 0;
}

/* base path, without a slash at its end, and what the format appends. */
static int
set_path(CURLU *u, const char *base, const char *path, struct err *err)
{
	AEG_AUTOFREE char *whole = NULL;
	size_t n = strlen(base);

	while (n > 0 && base[n - 1] == '/')
		n--;
	whole = xasprintf("%.*s%s", (int)n, base, path);
	if (curl_url_set(u, CURLUPART_PATH, whole, 0) != CURLUE_OK)
		return err_set(err, ERR_SYNTAX, "endpoint: not a path");
	return 0;
}

static int
finish(CURLU *u, struct judge_endpoint *e, struct err *err)
{
	PART url = get(u, CURLUPART_URL, 0);

	if (url == NULL)
		return err_set(err, ERR_SYNTAX, "endpoint: not a URL");
	e->url = xstrdup(url);
	return 0;
}

static int
parse_unix(CURLU *u, const char *text, const char *path,
    const char *base, struct judge_endpoint *e, struct err *err)
{
	const char *colon = strchr(text, ':');
	size_t n = colon != NULL ? (size_t)(colon - text) : strlen(text);
	int rc;

	if (text[0] != '/' || n >= sizeof ((struct sockaddr_un *)0)->sun_path ||
	    (colon != NULL && colon[1] != '/'))
		return err_set(err, ERR_SYNTAX,
		    "endpoint: not unix:/SOCKET or unix:/SOCKET:/BASE");
	e->unix_path = xmemdup0(text, n);
	e->label = xstrdup(e->unix_path);
	e->plain = true;
	if (curl_url_set(u, CURLUPART_URL, "http://localhost", 0) != CURLUE_OK)
		return err_set(err, -EINVAL, "endpoint: no URL parser");
	rc = set_path(u, colon != NULL ? colon + 1 : base, path, err);
	return rc < 0 ? rc : finish(u, e, err);
}

static int
parse_url(CURLU *u, const char *text, const char *path,
    struct judge_endpoint *e, struct err *err)
{
	PART scheme = NULL;
	PART user = NULL;
	PART password = NULL;
	PART host = NULL;
	PART port = NULL;
	PART base = NULL;
	PART fragment = NULL;
	int64_t number;
	bool loopback;
	int rc;

	/* The parser forgives a third slash and takes a path for a host. */
	if (strstr(text, ":///") != NULL ||
	    curl_url_set(u, CURLUPART_URL, text, 0) != CURLUE_OK)
		return err_set(err, ERR_SYNTAX, "endpoint: not a URL");
	scheme = get(u, CURLUPART_SCHEME, 0);
	user = get(u, CURLUPART_USER, 0);
	password = get(u, CURLUPART_PASSWORD, 0);
	host = get(u, CURLUPART_HOST, 0);
	port = get(u, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	base = get(u, CURLUPART_PATH, 0);
	fragment = get(u, CURLUPART_FRAGMENT, 0);
	if (scheme == NULL || host == NULL || port == NULL || base == NULL ||
	    (strcmp(scheme, "https") != 0 && strcmp(scheme, "http") != 0))
		return err_set(err, ERR_SYNTAX,
		    "endpoint: not an https: or http: URL with a host");
	if (user != NULL || password != NULL || fragment != NULL)
		return err_set(err, ERR_SYNTAX,
		    "endpoint: a URL here has no user, password or fragment "
		    "(the key belongs into key-file)");
	if (text_to_i64(port, 1, 65535, &number) < 0)
		return err_set(err, ERR_RANGE, "endpoint: no such port");
	loopback = is_loopback(host, &e->is_name);
	e->plain = strcmp(scheme, "http") == 0;
	if (e->plain && !loopback)
		return err_set(err, ERR_REFUSED,
		    "endpoint: http: would send lines and key in the clear; "
		    "it is for 127.0.0.0/8, ::1 and localhost alone");
	e->port = (unsigned)number;
	e->label = xasprintf("%s:%s", host, port);
	rc = set_path(u, base, path, err);
	return rc < 0 ? rc : finish(u, e, err);
}

/* The format's path, with the model in it where it belongs there. */
static int
make_path(const struct judge_format *f, const char *model, char **ret,
    struct err *err)
{
	const char *mark = strstr(f->path, "%s");

	if (mark == NULL) {
		*ret = xstrdup(f->path);
		return 0;
	}
	if (model[0] == '\0' || strspn(model,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789._-") != strlen(model) || strstr(model, "..") != NULL)
		return err_set(err, ERR_SYNTAX, "model: it stands in the URL "
		    "here, and is letters, digits, dots and dashes");
	*ret = xasprintf("%.*s%s%s", (int)(mark - f->path), f->path, model,
	    mark + 2);
	return 0;
}

int
judge_endpoint_parse(const char *text, const struct judge_format *f,
    const char *model, struct judge_endpoint *ret, struct err *err)
{
	AEG_AUTO(url_done) CURLU *u = curl_url();
	AEG_AUTO(judge_endpoint_done) struct judge_endpoint e = {
		.url = NULL };
	AEG_AUTOFREE char *path = NULL;
	int rc;

	if (u == NULL)
		return err_set(err, -ENOMEM, "endpoint: no URL parser");
	if (text_needs_inert(text, strlen(text), 0))
		return err_set(err, ERR_SYNTAX,
		    "endpoint: control or invisible characters");
	rc = make_path(f, model, &path, err);
	if (rc < 0)
		return rc;
	if (text_starts(text, "unix:"))
		rc = parse_unix(u, text + strlen("unix:"), path,
		    f->unix_base, &e, err);
	else
		rc = parse_url(u, text, path, &e, err);
	if (rc < 0)
		return rc;
	*ret = e;
	e = (struct judge_endpoint){ .url = NULL };
	return 0;
}

int
judge_endpoint_proxy(struct judge_endpoint *e, const char *proxy,
    struct err *err)
{
	AEG_AUTO(url_done) CURLU *u = curl_url();
	PART scheme = NULL;
	PART user = NULL;
	PART host = NULL;
	PART port = NULL;
	int64_t number;

	if (e->plain)
		return err_set(err, ERR_REFUSED,
		    "proxy: none is used for sockets and the loopback");
	if (u == NULL || text_needs_inert(proxy, strlen(proxy), 0) ||
	    curl_url_set(u, CURLUPART_URL, proxy,
	    CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
		return err_set(err, ERR_SYNTAX, "proxy: not a URL");
	scheme = get(u, CURLUPART_SCHEME, 0);
	user = get(u, CURLUPART_USER, 0);
	host = get(u, CURLUPART_HOST, 0);
	port = get(u, CURLUPART_PORT, 0);
	if (scheme == NULL || host == NULL || port == NULL || user != NULL ||
	    (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0 &&
	    strcmp(scheme, "socks5h") != 0) ||
	    text_to_i64(port, 1, 65535, &number) < 0)
		return err_set(err, ERR_SYNTAX, "proxy: not http://HOST:PORT, "
		    "https://HOST:PORT or socks5h://HOST:PORT");
	e->proxy = xstrdup(proxy);
	e->port = (unsigned)number;
	e->is_name = true;
	return 0;
}
