/* SPDX-License-Identifier: ISC */
/*
 * How well redaction finds secrets: redacttest [-v] FILE plants those of a
 * labelled file (tests/cases/redact.case) and prints recall and precision.
 * -l RECALL PRECISION (percent): fails when it finds less.
 */
#include "aegsh/redact.h"
#include "pick.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/mem.h"

/* %N and %xN of a pattern, spelt out. */
static void
plant(struct buf *to, const char *p, size_t len)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789";
	static const char hex[] = "0123456789abcdef";
	const char *end = p + len;
	char *after;
	long n;
	bool x;

	while (p < end) {
		if (*p != '%') {
			buf_putc(to, *p++);
			continue;
		}
		x = p[1] == 'x';
		n = strtol(p + (x ? 2 : 1), &after, 10);
		for (p = after; n > 0; n--)
			buf_putc(to, x ? hex[pick(16)] :
			    n == 2 ? '7' : all[pick(sizeof all - 1)]);
	}
}

struct count {
	unsigned lines, planted, found, taken;
};

static void
line(const struct redact *r, const char *text, bool verbose, struct count *n)
{
	struct buf in = BUF_INIT, out = BUF_INIT, secret = BUF_INIT;
	const char *open = strstr(text, "{{"), *close = NULL;
	size_t hits;
	bool gone;

	if (open != NULL)
		close = strstr(open, "}}");
	if (close != NULL) {
		plant(&secret, open + 2, (size_t)(close - open - 2));
		buf_put(&in, text, (size_t)(open - text));
		buf_put(&in, secret.data, secret.len);
		buf_puts(&in, close + 2);
	} else {
		buf_puts(&in, text);
	}
	hits = redact_text(r, &out, in.data, in.len);
	gone = close != NULL && strstr(out.data, secret.data) == NULL;
	n->lines++;
	n->planted += close != NULL;
	n->found += gone;
	n->taken += (unsigned)hits;
	if (verbose && (hits != (gone ? 1u : 0u) || gone != (close != NULL)))
		printf("%s: %s\n", close != NULL && !gone ? "missed" :
		    "taken wrongly", out.data);
	buf_done(&in);
	buf_done(&out);
	buf_done(&secret);
}

int
main(int argc, char **argv)
{
	static const unsigned char key[REDACT_KEY_LEN] = { 1 };
	struct redact *r = redact_new();
	struct count n = { 0 };
	unsigned recall = 0, precision = 0, found, right;
	bool verbose = false;
	char text[4096];
	FILE *f;

	for (argv++; *argv != NULL && (*argv)[0] == '-'; argv++) {
		verbose = verbose || strcmp(*argv, "-v") == 0;
		if (strcmp(*argv, "-l") == 0 && argc > 3) {
			recall = (unsigned)atoi(*++argv);
			precision = (unsigned)atoi(*++argv);
		}
	}
	f = *argv != NULL ? fopen(*argv, "r") : NULL;
	if (f == NULL) {
		fprintf(stderr, "redacttest [-v] [-l RECALL PRECISION] FILE\n");
		return 100;
	}
	redact_key_set(r, key);
	while (fgets(text, sizeof text, f) != NULL) {
		text[strcspn(text, "\n")] = '\0';
		if (text[0] != '#' && text[0] != '\0')
			line(r, text, verbose, &n);
	}
	fclose(f);
	redact_free(r);
	if (n.planted == 0 || n.taken == 0)
		return 1;
	found = 1000 * n.found / n.planted;
	right = 1000 * n.found / n.taken;
	printf("redaction: %u lines, %u secrets: recall %u.%u %%, precision "
	    "%u.%u %% (%u missed, %u taken wrongly)\n", n.lines, n.planted,
	    found / 10, found % 10, right / 10, right % 10,
	    n.planted - n.found, n.taken - n.found);
	return found < 10 * recall || right < 10 * precision;
}
