/* SPDX-License-Identifier: ISC */
/* The setting ship: one row a kind of sink. */
#include "aegsh/ship.h"

#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

static const struct scheme {
	const char *start;
	enum ship_kind kind;
	bool host;		/* and perhaps ":PORT" */
	bool path;
	bool encrypted;
	unsigned port;		/* the usual one; 0: must be said */
} schemes[] = {
	{ "unix:", SHIP_UNIX, false, true, false, 0 },
	{ "udp://", SHIP_UDP, true, false, false, 514 },
	{ "tcp://", SHIP_TCP, true, false, false, 601 },
	{ "tls://", SHIP_TLS, true, false, true, 6514 },
	{ "journal:", SHIP_JOURNAL, false, false, false, 0 },
	{ "http://", SHIP_OTLP, true, true, false, 80 },
	{ "https://", SHIP_OTLP, true, true, true, 443 },
	{ "file:", SHIP_FILE, false, true, false, 0 },
};

static const struct scheme *
find_scheme(const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(schemes); i++) {
		if (text_starts(name, schemes[i].start))
			return &schemes[i];
	}
	return NULL;
}

static bool
is_host(const char *p, size_t len, bool v6)
{
	size_t i;

	for (i = 0; i < len; i++) {
		char c = p[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || c == '.' ||
		    (v6 ? c == ':' : c == '-' || c == '_')))
			return false;
	}
	return len > 0 && len < 256;
}

/* HOST[:PORT], [V6][:PORT], up to end. */
static const char *
take_host(const char *p, const char *end, struct ship_sink *s)
{
	bool v6 = *p == '[';
	const char *stop = v6 ? memchr(p, ']', (size_t)(end - p)) :
	    memchr(p, ':', (size_t)(end - p));
	AEG_AUTOFREE char *digits = NULL;
	int64_t port = s->port;

	if (v6 && stop == NULL)
		return "a bracket is not closed";
	if (stop == NULL)
		stop = end;
	p += v6 ? 1 : 0;
	if (!is_host(p, (size_t)(stop - p), v6))
		return "that is no name or address of a host";
	s->host = xmemdup0(p, (size_t)(stop - p));
	stop += v6 ? 1 : 0;
	if (stop < end) {
		digits = xmemdup0(stop + 1, (size_t)(end - stop - 1));
		if (*stop != ':' || text_to_i64(digits, 1, 65535, &port) < 0)
			return "that is no port";
	}
	s->port = (unsigned)port;
	return NULL;
}

static const char *
take_sink(const struct scheme *k, struct ship_sink *s)
{
	const char *rest = s->name + strlen(k->start), *end;

	s->kind = k->kind;
	s->port = k->port;
	s->encrypted = k->encrypted;
	if (k->host) {
		end = rest + strcspn(rest, "/");
		if (*end != '\0' && !k->path)
			return "it has a path";
		return take_host(rest, end, s);
	}
	if (!k->path)
		return *rest != '\0' ? "nothing stands behind it" : NULL;
	if (*rest != '/')
		return "its path must be absolute";
	s->path = rest;
	return NULL;
}

static int
add_sink(const char *p, size_t len, struct ship_sinks *ret, struct err *err)
{
	struct ship_sink *s = &ret->at[ret->n];
	const struct scheme *k;
	const char *why;
	size_t i;

	*s = (struct ship_sink){ .name = xmemdup0(p, len) };
	ret->n++;
	k = find_scheme(s->name);
	why = text_needs_inert(p, len, 0) ? "it has characters that no "
	    "address has" : k == NULL ? "not one of unix:, udp://, tcp://, "
	    "tls://, journal:, http://, https://, file:" : take_sink(k, s);
	for (i = 0; i + 1 < ret->n && why == NULL; i++) {
		if (strcmp(ret->at[i].name, s->name) == 0)
			why = "it is named twice";
	}
	return why != NULL ? err_set(err, ERR_SYNTAX, "sink '%s': %s", s->name,
	    why) : 0;
}

int
ship_sinks_parse(const char *text, struct ship_sinks *ret, struct err *err)
{
	size_t len;
	int rc = 0;

	*ret = (struct ship_sinks){ .n = 0 };
	for (; rc == 0; text += len) {
		text += strspn(text, " \t");
		len = strcspn(text, " \t");
		if (len == 0)
			return 0;
		if (ret->n == SHIP_SINKS_MAX)
			rc = err_set(err, ERR_TOO_LONG, "more than %d sinks",
			    SHIP_SINKS_MAX);
		else
			rc = add_sink(text, len, ret, err);
	}
	ship_sinks_done(ret);
	return rc;
}

void
ship_sinks_done(struct ship_sinks *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->at[i].name);
		free(s->at[i].host);
	}
	s->n = 0;
}
