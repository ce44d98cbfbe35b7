/* SPDX-License-Identifier: ISC */
/* JSON out: bytes of any kind become valid documents. */
#include "admin_int.h"

#include <string.h>

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
	AEG_AUTO(buf_done) struct buf hex = BUF_INIT;
	size_t i;

	for (i = 0; i < len; i++)
		buf_putf(&hex, "%02x", (unsigned char)p[i]);
	set(object, key, repaired(p, len));
	set(object, hex_key, json_stringn(hex.data, hex.len));
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
