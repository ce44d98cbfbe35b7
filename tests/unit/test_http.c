/* SPDX-License-Identifier: ISC */
/* Which addresses are this host's own; what libcurl is told is seen by what
 * the judge and the shipper do. */
#include "aegsh/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "tap.h"

static const struct {
	const char *text;
	bool own;
} rows[] = {
	{ "127.0.0.1", true }, { "127.0.0.0", true },
	{ "127.255.255.255", true }, { "::1", true },
	{ "0.0.0.0", false }, { "126.255.255.255", false },
	{ "128.0.0.1", false }, { "1.0.0.127", false },
	{ "192.0.2.1", false }, { "::", false }, { "::2", false },
	{ "::ffff:192.0.2.1", false }, { "::ffff:127.0.0.1", false },
	{ "fe80::1", false }, { "1::1", false },
};

int
main(void)
{
	struct sockaddr_un other = { .sun_family = AF_UNIX };
	size_t i;

	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct sockaddr_in in = { .sin_family = AF_INET };
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
		const struct sockaddr *a = (const void *)&in;

		if (inet_pton(AF_INET, rows[i].text, &in.sin_addr) != 1) {
			a = (const void *)&in6;
			IS_INT(inet_pton(AF_INET6, rows[i].text,
			    &in6.sin6_addr), 1);
		}
		OKF(http_is_loopback(a) == rows[i].own, "%s", rows[i].text);
	}
	OK(!http_is_loopback((const void *)&other));
	return tap_done();
}
