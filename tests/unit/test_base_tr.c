/* SPDX-License-Identifier: ISC */
#include "aegsh/base/tr.h"
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/buf.h"

#define HEAD "Content-Type: text/plain; charset=UTF-8\n"

static void
put32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof v);
}

/* Pairs of a text and its translation, as msgfmt(1) writes them. */
static void
make(struct buf *b, const char *const *pairs, size_t n)
{
	size_t i, k, at = 28 + n * 16;

	put32(b, 0x950412de);
	put32(b, 0);
	put32(b, (uint32_t)n);
	put32(b, 28);
	put32(b, (uint32_t)(28 + n * 8));
	put32(b, 0);
	put32(b, 0);
	for (k = 0; k < 2; k++)
		for (i = 0; i < n; i++) {
			size_t len = strlen(pairs[i * 2 + k]);

			put32(b, (uint32_t)len);
			put32(b, (uint32_t)at);
			at += len + 1;
		}
	for (k = 0; k < 2; k++)
		for (i = 0; i < n; i++)
			buf_put(b, pairs[i * 2 + k],
			    strlen(pairs[i * 2 + k]) + 1);
}

static const char *const good[] = {
	"", HEAD,
	"%d of %s", "%d von %s",
	"%d to %s", "%2$s zu %1$d",
	"%s twice", "%s %s",
	"100 %%", "100 %% ja",
	"a", "ein",
	"bare", "%n",
	"none", "",
	"z %zu", "%u z",
};

static const struct {
	const char *text, *want;
} cases[] = {
	{ "a", "ein" },
	{ "%d of %s", "%d von %s" },
	{ "100 %%", "100 %% ja" },
	{ "unknown", "unknown" },
	{ "", "" },
	{ "none", "none" },
	/* Other arguments than the text has are never read. */
	{ "%d to %s", "%d to %s" },
	{ "%s twice", "%s twice" },
	{ "bare", "bare" },
	{ "z %zu", "z %zu" },
};

static const struct {
	const char *locale, *names;	/* with a blank between */
} names[] = {
	{ "de_DE.UTF-8", "de_DE de" }, { "de.utf8", "de" },
	{ "fr_CA.UTF-8@euro", "fr_CA fr" }, { "gsw_CH.utf8", "gsw_CH gsw" },
	{ "en_GB.UTF-8", "" }, { "C", "" }, { "C.UTF-8", "" },
	{ "POSIX", "" }, { "", "" }, { "de_DE", "" },
	{ "de_DE.ISO-8859-1", "" }, { "../../tmp/x.UTF-8", "" },
	{ "de/../x.UTF-8", "" }, { "/tmp.UTF-8", "" },
	{ "de_de.UTF-8", "" }, { "d.UTF-8", "" }, { "deutsch.UTF-8", "" },
	{ "de_DE.UTF-8/../..", "" }, { "de_DE.UTF-8x", "" },
};

static void
test_bad(const struct buf *whole)
{
	struct err err = ERR_INIT;
	size_t i, taken = 0;
	unsigned seed = 1;
	char *copy = malloc(whole->len);

	for (i = 0; i < whole->len; i++)
		taken += tr_use(whole->data, i, &err) == 0;
	OKF(taken == 0, "nothing that was cut off is taken");
	/* Whatever is in one that is taken, looking stays inside of it. */
	for (i = 0; i < 20000; i++) {
		memcpy(copy, whole->data, whole->len);
		seed = seed * 1103515245u + 12345u;
		copy[(seed >> 8) % whole->len] = (char)(seed >> 24);
		if (tr_use(copy, whole->len, &err) == 0)
			taken += strlen(tr("a")) + strlen(tr("%d of %s"));
	}
	OKF(taken > 0, "nor is one read outside that was changed");
	free(copy);
	OKF(tr_use(whole->data, TR_MAX + 1, &err) == ERR_TOO_LONG,
	    "nor is one that is too long read at all");
}

int
main(void)
{
	struct buf b = BUF_INIT, other = BUF_INIT;
	struct err err = ERR_INIT;
	size_t i;
	static const char *const latin[] = { "", "charset=ISO-8859-1\n",
		"a", "x" };
	static const char *const unsorted[] = { "", HEAD, "b", "x", "a",
		"y" };

	OKF(strcmp(tr("a"), "a") == 0, "without a catalogue, the text");
	make(&b, good, sizeof good / sizeof *good / 2);
	OKF(tr_use(b.data, b.len, &err) == 0, "a catalogue is taken");
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		OKF(strcmp(tr(cases[i].text), cases[i].want) == 0,
		    "%s", cases[i].text);
	make(&other, latin, 2);
	OKF(tr_use(other.data, other.len, &err) != 0, "UTF-8 is wanted");
	buf_done(&other);
	other = (struct buf)BUF_INIT;
	make(&other, unsorted, 3);
	OKF(tr_use(other.data, other.len, &err) != 0, "and order");
	OKF(strcmp(tr("a"), "ein") == 0, "the one before stays in use");
	test_bad(&b);
	tr_use(NULL, 0, &err);
	OKF(strcmp(tr("a"), "a") == 0, "until none is");
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		char got[2][TR_NAME_SIZE] = { "", "" }, all[64];
		size_t n = tr_names(names[i].locale, got);

		snprintf(all, sizeof all, "%s%s%s", n > 0 ? got[0] : "",
		    n > 1 ? " " : "", n > 1 ? got[1] : "");
		OKF(strcmp(all, names[i].names) == 0, "locale '%s'",
		    names[i].locale);
	}
	buf_done(&b);
	buf_done(&other);
	return tap_done();
}
