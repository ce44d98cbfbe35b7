/* SPDX-License-Identifier: ISC */
/* JSON out: bytes of any kind become valid documents. */
#include "admin_int.h"

#include <string.h>

#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

static void
set(json_t *object, const char *key, json_t *value)
{
	if (value == NULL || json_object_set_new(object, key, value) < 0)
		abort();	/* no memory, as xmalloc() has it */
}

/* The bytes with each wrong one as U+FFFD. */
static json_t *
repaired(const char *p, size_t len)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	uint32_t cp;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = text_utf8(p + i, len - i, &cp);
		if (n > 0) {
			buf_put(&text, p + i, n);
		} else {
			buf_puts(&text, "\xef\xbf\xbd");
			n = 1;
		}
	}
	return json_stringn(text.data != NULL ? text.data : "", text.len);
}

static void
set_damaged(json_t *object, const char *key, const char *p, size_t len)
{
	AEG_AUTOFREE char *hex_key = xasprintf("%s_hex", key);

	set(object, key, repaired(p, len));
	admin_json_hex(object, hex_key, p, len);
}

void
admin_json_hex(json_t *object, const char *key, const void *p, size_t len)
{
	AEG_AUTO(buf_done) struct buf hex = BUF_INIT;

	hex_put(&hex, p, len);
	set(object, key, json_stringn(hex.data != NULL ? hex.data : "",
	    hex.len));
}

json_t *
admin_json_string(const char *text)
{
	return repaired(text, strlen(text));
}

void
admin_json_bytes(json_t *object, const char *key, const char *p, size_t len)
{
	json_t *text;

	if (p == NULL) {
		set(object, key, json_null());
		return;
	}
	text = json_stringn(p, len);
	if (text != NULL)
		set(object, key, text);
	else
		set_damaged(object, key, p, len);
}

void
admin_json_text(json_t *object, const char *key, const char *text)
{
	admin_json_bytes(object, key, text, text != NULL ? strlen(text) : 0);
}

void
admin_json_print(struct admin *a, json_t *document)
{
	/* ASCII only: nothing in it can move a cursor or turn the text. */
	AEG_AUTOFREE char *text = json_dumps(document,
	    JSON_COMPACT | JSON_ENSURE_ASCII);

	if (text == NULL)
		abort();
	fprintf(a->out, "%s\n", text);
	json_decref(document);
}

/* ---- a document for people --------------------------------------------- */

#define NAMES 18	/* columns of the members' names */

struct page {
	struct admin *a;
	enum admin_show how;
};

static void print_value(const struct page *p, const char *key,
	const json_t *v, int depth);

static void
print_object(const struct page *p, const json_t *o, int depth)
{
	void *at = json_object_iter((json_t *)(uintptr_t)o);

	for (; at != NULL; at = json_object_iter_next(
	    (json_t *)(uintptr_t)o, at))
		print_value(p, json_object_iter_key(at),
		    json_object_iter_value(at), depth);
}

/* One line: the member's name with blanks, and its value. */
static void
print_line(const struct page *p, const char *key, const char *value, int depth)
{
	AEG_AUTOFREE char *name = xstrdup(key), *text = NULL;
	int pad = value[0] != '\0' ? NAMES - depth * 2 : 0;
	char *c;

	for (c = name; *c != '\0'; c++) {
		if (*c == '_')
			*c = ' ';
	}
	text = xasprintf("%*s%-*s%s%s", depth * 2, "", pad, name,
	    value[0] != '\0' ? " " : "", value);
	switch (p->how) {
	case ADMIN_SHOW_AS_IS:
		admin_say(p->a, "%s\n", text);
		break;
	case ADMIN_SHOW_FOLDED:
		admin_say_folded(p->a, NAMES + 1, "%s", text);
		break;
	}
}

/* Strings stand together; other members of a list one below the other. */
static void
print_list(const struct page *p, const char *key, const json_t *v, int depth)
{
	AEG_AUTO(buf_done) struct buf words = BUF_INIT;
	size_t i;

	for (i = 0; i < json_array_size(v); i++) {
		const char *word = json_string_value(json_array_get(v, i));

		if (word == NULL || strchr(word, ' ') != NULL)
			print_value(p, key, json_array_get(v, i), depth);
		else
			buf_putf(&words, "%s%s", words.len > 0 ? " " : "",
			    word);
	}
	if (words.len > 0)
		print_line(p, key, words.data, depth);
}

static void
print_value(const struct page *p, const char *key, const json_t *v, int depth)
{
	AEG_AUTOFREE char *number = NULL;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		print_line(p, key, "", depth);
		print_object(p, v, depth + 1);
		break;
	case JSON_ARRAY:
		print_list(p, key, v, depth);
		break;
	case JSON_STRING:
		if (json_string_length(v) > 0)
			print_line(p, key, json_string_value(v), depth);
		break;
	case JSON_INTEGER:
		number = xasprintf("%lld", (long long)json_integer_value(v));
		print_line(p, key, number, depth);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		print_line(p, key, json_is_true(v) ? "yes" : "no", depth);
		break;
	case JSON_REAL:
	case JSON_NULL:
		break;
	}
}

void
admin_json_show(struct admin *a, json_t *document, enum admin_show how)
{
	const struct page p = { a, how };

	print_object(&p, document, 0);
	json_decref(document);
}
