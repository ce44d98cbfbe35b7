/* SPDX-License-Identifier: ISC */
/* One value against its row: type, range, words, and which way is tighter. */
#include "conf_int.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

static const struct conf_row rows[CONF_COUNT] = {
#define CONF_ROW(id, name, type, preset, least, most, words, scope, tighten, \
	help) \
	[CONF_##id] = { name, CONF_##type, preset, least, most, words, \
	    CONF_SCOPE_##scope, CONF_TIGHTEN_##tighten, help },
#include "aegsh/conf_options.h"
#undef CONF_ROW
};

static const struct {
	const char *word;
	bool value;
} bools[] = {
	{ "no", false }, { "yes", true },
	{ "off", false }, { "on", true },
	{ "false", false }, { "true", true },
};

const struct conf_row *
conf_row(enum conf_id id)
{
	return &rows[id];
}

int
conf_find(const char *name, size_t len)
{
	int id;

	for (id = 0; id < CONF_COUNT; id++) {
		if (strlen(rows[id].name) == len &&
		    memcmp(rows[id].name, name, len) == 0)
			return id;
	}
	return -1;
}

static int
check_bool(const struct conf_row *row, const char *text, int64_t *ret,
    struct err *err)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(bools); i++) {
		if (strcmp(text, bools[i].word) == 0) {
			*ret = bools[i].value;
			return 0;
		}
	}
	return err_set(err, ERR_RANGE, "%s is yes or no, not '%s'", row->name,
	    text);
}

static int
check_int(const struct conf_row *row, const char *text, int64_t *ret,
    struct err *err)
{
	int rc = text_to_i64(text, row->least, row->most, ret);

	if (rc == 0)
		return 0;
	return err_set(err, ERR_RANGE,
	    "%s is a number from %" PRId64 " to %" PRId64 ", not '%s'",
	    row->name, row->least, row->most, text);
}

/* The place of a word among the row's; -1: it has none such. */
static int64_t
word_place(const struct conf_row *row, const char *word, size_t len)
{
	const char *p = row->words;
	int64_t place;

	for (place = 0; *p != '\0'; place++) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, word, n) == 0)
			return place;
		p += n;
		p += strspn(p, " ");
	}
	return -1;
}

static int
check_enum(const struct conf_row *row, const char *text, int64_t *ret,
    struct err *err)
{
	int64_t place = word_place(row, text, strlen(text));

	if (place < 0)
		return err_set(err, ERR_RANGE, "%s is one of: %s; not '%s'",
		    row->name, row->words, text);
	*ret = place;
	return 0;
}

/* At least one; "none" stands alone, for it would say nothing of others. */
static int
check_set(const struct conf_row *row, const char *text, int64_t *ret,
    struct err *err)
{
	int64_t bits = 0, none = word_place(row, "none", strlen("none"));
	const char *p = text + strspn(text, " \t");

	do {
		size_t n = strcspn(p, " \t");
		int64_t place = word_place(row, p, n);

		if (place < 0)
			return err_set(err, ERR_RANGE, "%s is one or more of: "
			    "%s; not '%s'", row->name, row->words, text);
		bits |= INT64_C(1) << place;
		p += n;
		p += strspn(p, " \t");
	} while (*p != '\0');
	if (none >= 0 && (bits & INT64_C(1) << none) != 0 &&
	    bits != INT64_C(1) << none)
		return err_set(err, ERR_RANGE, "%s is 'none', or others; not "
		    "'%s'", row->name, text);
	*ret = bits;
	return 0;
}

static int
check_string(const struct conf_row *row, const char *text, int64_t *ret,
    struct err *err)
{
	const unsigned char *p;

	for (p = (const unsigned char *)text; *p != '\0'; p++) {
		if (*p < 0x20 || *p == 0x7f)
			return err_set(err, ERR_SYNTAX,
			    "%s has a control character", row->name);
	}
	*ret = 0;
	return 0;
}

int
conf_value_check(const struct conf_row *row, const char *text,
    int64_t *ret_number, struct err *err)
{
	if (strlen(text) > CONF_VALUE_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "%s is longer than %zu bytes", row->name, CONF_VALUE_MAX);
	switch (row->type) {
	case CONF_BOOL:
		return check_bool(row, text, ret_number, err);
	case CONF_INT:
		return check_int(row, text, ret_number, err);
	case CONF_ENUM:
		return check_enum(row, text, ret_number, err);
	case CONF_STRING:
		return check_string(row, text, ret_number, err);
	case CONF_SET:
		return check_set(row, text, ret_number, err);
	}
	return err_set(err, -EINVAL, "%s has no type", row->name);
}

const char *
conf_value_canon(const struct conf_row *row, const char *text, int64_t number)
{
	return row->type == CONF_BOOL ? (number != 0 ? "yes" : "no") : text;
}

/*
 * The word "default" has no strictness of its own: by its row's help it
 * stands for the strictest word when managed and for the one after it
 * otherwise.  Taking its place in the list instead would let a user
 * "tighten" a managed default into something looser.
 */
static int64_t
word_rank(const struct conf_row *row, bool managed, int64_t place)
{
	const char *p = row->words;
	int64_t i;
	size_t n;

	for (i = 0; i < place; i++) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	n = strcspn(p, " ");
	if (n == strlen("default") && memcmp(p, "default", n) == 0)
		return managed ? 0 : 1;
	return place;
}

bool
conf_value_tightens(const struct conf_row *row, bool managed, int64_t from,
    int64_t to)
{
	switch (row->tighten) {
	case CONF_TIGHTEN_NONE:
		return false;
	case CONF_TIGHTEN_LESS:
		return to < from;
	case CONF_TIGHTEN_MORE:
		return to > from;
	case CONF_TIGHTEN_WORDS:
		return word_rank(row, managed, to) <
		    word_rank(row, managed, from);
	}
	return false;
}
