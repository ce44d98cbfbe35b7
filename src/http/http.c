/* SPDX-License-Identifier: ISC */
/* How libcurl is set up. */
#include "aegsh/http.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#define SET(option, value) \
	do { \
		if (rc == CURLE_OK) \
			rc = curl_easy_setopt(c, CURLOPT_##option, (value)); \
	} while (0)

int
http_set_way(void *easy, const struct http_way *way)
{
	CURL *c = easy;
	CURLcode rc = CURLE_OK;
	struct curl_blob blob = { (void *)(uintptr_t)way->ca, way->ca_len,
		CURL_BLOB_COPY };

	SET(URL, way->url);
#if LIBCURL_VERSION_NUM >= 0x075500
	SET(PROTOCOLS_STR, way->encrypted ? "https" : "http");
#else
	SET(PROTOCOLS, way->encrypted ? (long)CURLPROTO_HTTPS :
	    (long)CURLPROTO_HTTP);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	/* A name server that hangs must not hold up what comes next. */
	SET(QUICK_EXIT, 1L);
#endif
	SET(FOLLOWLOCATION, 0L);
	SET(PROXY, way->proxy != NULL ? way->proxy : "");
	SET(NOPROXY, way->proxy != NULL ? "" : "*");
	SET(NETRC, (long)CURL_NETRC_IGNORED);
	SET(SSL_VERIFYPEER, 1L);
	SET(SSL_VERIFYHOST, 2L);
	SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(PROXY_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(NOSIGNAL, 1L);
	if (way->ca_len > 0) {
		/* These and no others. */
		SET(CAINFO, NULL);
		SET(CAPATH, NULL);
		SET(CAINFO_BLOB, &blob);
	}
	return (int)rc;
}

bool
http_is_loopback(const struct sockaddr *a)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (a->sa_family == AF_INET) {
		memcpy(&in, a, sizeof in);
		return ntohl(in.sin_addr.s_addr) >> 24 == 127;
	}
	if (a->sa_family == AF_INET6) {
		memcpy(&in6, a, sizeof in6);
		return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
	}
	return false;
}
