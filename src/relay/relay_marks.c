/* SPDX-License-Identifier: ISC */
/* Marks in a stream: found, taken out, and not looked for without need. */
#include "relay/relay_int.h"

#include <stdio.h>
#include <string.h>

/* For terminals a command that none knows; no letter that a terminal's modes
 * would change, and at its end what brings its column back to where a new
 * line begins. */
void
relay_marks_init(struct relay_marks *m,
    const unsigned char nonce[RELAY_NONCE])
{
	size_t i, n;

	memset(m, 0, sizeof *m);
	n = (size_t)snprintf(m->text, sizeof m->text, "\033]7777;");
	for (i = 0; i < RELAY_NONCE; i++)
		n += (size_t)snprintf(m->text + n, sizeof m->text - n, "%02X",
		    nonce[i]);
	m->text[n++] = '\a';
	m->len = n;
}

/* So many bytes at the end may be the beginning of one. */
static size_t
begun(const struct relay_marks *m, const char *p, size_t len)
{
	size_t n = len < m->len - 1 ? len : m->len - 1;

	while (n > 0 && memcmp(p + len - n, m->text, n) != 0)
		n--;
	return n;
}

static void
drop_return(struct relay_marks *m, const char **p, size_t *len)
{
	if (*len == 0 || !m->returns)
		return;
	m->returns = false;
	if (**p == '\r') {
		(*p)++;
		(*len)--;
	}
}

static void
look(struct relay_marks *m, const char *p, size_t len,
    const struct relay_marks_to *to)
{
	const char *at;
	size_t keep;

	while (m->due > 0 && (at = memmem(p, len, m->text, m->len)) != NULL) {
		to->text(to->ctx, p, (size_t)(at - p));
		len -= (size_t)(at - p) + m->len;
		p = at + m->len;
		m->due--;
		m->returns = true;
		to->mark(to->ctx);
		drop_return(m, &p, &len);
	}
	keep = m->due > 0 ? begun(m, p, len) : 0;
	to->text(to->ctx, p, len - keep);
	memcpy(m->held, p + len - keep, keep);
	m->n_held = keep;
}

void
relay_marks_feed(struct relay_marks *m, const char *p, size_t len,
    const struct relay_marks_to *to)
{
	char both[RELAY_MARK_MAX + RELAY_TERM_CHUNK];
	size_t n = m->n_held;

	drop_return(m, &p, &len);
	if (m->due == 0 && n == 0) {
		to->text(to->ctx, p, len);
		return;
	}
	memcpy(both, m->held, n);
	memcpy(both + n, p, len);
	look(m, both, n + len, to);
}
