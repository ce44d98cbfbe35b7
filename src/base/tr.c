/* SPDX-License-Identifier: ISC */
/* Catalogues of messages ("The Format of GNU MO Files", gettext's manual). */
#include "aegsh/base/tr.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/mem.h"

#define MAGIC 0x950412deu		/* of this machine's byte order */
#define MESSAGES_MAX 65536u

static struct catalogue {
	char *bytes;
	size_t len;
	uint32_t n, texts, translations;	/* offsets of their tables */
} used;

static uint32_t
word_at(const struct catalogue *c, size_t at)
{
	uint32_t v;

	memcpy(&v, c->bytes + at, sizeof v);
	return v;
}

/* Of the i-th row of a table: NULL where it leaves the file. */
static const char *
text_at(const struct catalogue *c, uint32_t table, uint32_t i)
{
	size_t row = (size_t)table + (size_t)i * 8;
	size_t len = word_at(c, row), at = word_at(c, row + 4);

	if (at > c->len || len >= c->len - at || c->bytes[at + len] != '\0')
		return NULL;
	return c->bytes + at;
}

static bool
table_fits(const struct catalogue *c, uint32_t table)
{
	return table <= c->len && (size_t)c->n * 8 <= c->len - table;
}

/* Both tables in full, and the texts in order. */
static int
check(struct catalogue *c, struct err *err)
{
	const char *before = NULL, *text, *head;
	uint32_t i;

	if (c->len < 28 || word_at(c, 0) != MAGIC || word_at(c, 4) >> 16 != 0)
		return err_set(err, -EINVAL, "no catalogue of this machine");
	c->n = word_at(c, 8);
	c->texts = word_at(c, 12);
	c->translations = word_at(c, 16);
	if (c->n == 0 || c->n > MESSAGES_MAX || !table_fits(c, c->texts) ||
	    !table_fits(c, c->translations))
		return err_set(err, -EINVAL, "the catalogue is not whole");
	for (i = 0; i < c->n; i++) {
		text = text_at(c, c->texts, i);
		if (text == NULL || text_at(c, c->translations, i) == NULL ||
		    (before != NULL && strcmp(before, text) >= 0))
			return err_set(err, -EINVAL, "the catalogue is not "
			    "whole");
		before = text;
	}
	head = text_at(c, c->translations, 0);
	if (text_at(c, c->texts, 0)[0] != '\0' ||
	    strstr(head, "charset=UTF-8") == NULL)
		return err_set(err, -EINVAL, "the catalogue is not in UTF-8");
	return 0;
}

int
tr_use(const void *bytes, size_t len, struct err *err)
{
	struct catalogue c = { .len = len };
	int r;

	if (bytes == NULL) {
		free(used.bytes);
		used = (struct catalogue){ .bytes = NULL };
		return 0;
	}
	if (len > TR_MAX)
		return err_set(err, ERR_TOO_LONG, "a catalogue of more than "
		    "%zu bytes", TR_MAX);
	c.bytes = xmemdup0(bytes, len);
	r = check(&c, err);
	if (r != 0) {
		free(c.bytes);
		return r;
	}
	free(used.bytes);
	used = c;
	return 0;
}

/* The next conversion of a format behind *p, with its length; "" at the end. */
static const char *
conversion(const char **p, size_t *ret_len)
{
	const char *at = *p;

	while ((at = strchr(at, '%')) != NULL && at[1] == '%')
		at += 2;
	if (at == NULL) {
		*ret_len = 0;
		*p += strlen(*p);
		return "";
	}
	*ret_len = 1 + strspn(at + 1, "#0- +'I123456789.*$hlLqjzt");
	*ret_len += at[*ret_len] != '\0';
	*p = at + *ret_len;
	return at;
}

/* A catalogue may say things differently, and never read other arguments. */
static bool
asks_the_same(const char *text, const char *translation)
{
	const char *a, *b;
	size_t a_len, b_len;

	do {
		a = conversion(&text, &a_len);
		b = conversion(&translation, &b_len);
		if (a_len != b_len || memcmp(a, b, a_len) != 0)
			return false;
	} while (a_len > 0);
	return true;
}

const char *
tr(const char *text)
{
	uint32_t low = 0, high = used.n;
	const char *found;

	while (low < high && text[0] != '\0') {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(text, text_at(&used, used.texts, middle));

		if (order == 0) {
			found = text_at(&used, used.translations, middle);
			return found[0] != '\0' && asks_the_same(text, found) ?
			    found : text;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return text;
}

size_t
tr_names(const char *locale, char names[2][TR_NAME_SIZE])
{
	size_t len = strspn(locale, "abcdefghijklmnopqrstuvwxyz"), whole = len;
	const char *codeset;

	if (locale[len] == '_' && isupper((unsigned char)locale[len + 1]) &&
	    isupper((unsigned char)locale[len + 2]))
		whole += 3;
	if (len < 2 || len > 3 || locale[whole] != '.')
		return 0;
	codeset = locale + whole + 1;
	len = strncasecmp(codeset, "UTF-8", 5) == 0 ? 5 :
	    strncasecmp(codeset, "UTF8", 4) == 0 ? 4 : 0;
	if (len == 0 || (codeset[len] != '\0' && codeset[len] != '@'))
		return 0;
	len = strcspn(locale, "_.");
	if (len == 2 && memcmp(locale, "en", 2) == 0)
		return 0;
	memcpy(names[0], locale, whole);
	names[0][whole] = '\0';
	memcpy(names[1], locale, len);
	names[1][len] = '\0';
	return whole > len ? 2 : 1;
}
