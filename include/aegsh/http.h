/* SPDX-License-Identifier: ISC */
/*
 * What each program that speaks HTTP has libcurl do, and what it never may:
 * one way for all of them, so that none is laxer than the others.
 */
#ifndef AEGSH_HTTP_H
#define AEGSH_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct http_way {
	const char *url;
	bool encrypted;		/* https alone; else http alone */
	const char *proxy;	/* URL of the one that is used; NULL: none,
				 * whatever the environment says */
	const char *ca;		/* PEM of the only authorities that are
				 * believed; copied */
	size_t ca_len;		/* 0: the system's */
};
/* easy is a CURL *.  No redirections, no .netrc, no signals; certificates are
 * checked, TLS is 1.2 or later.  0, or the CURLcode of what failed. */
int http_set_way(void *easy, const struct http_way *way);

/* Whether it is this host's own, by the address itself, whatever a name
 * server says localhost is. */
bool http_is_loopback(const struct sockaddr *a);

#endif
