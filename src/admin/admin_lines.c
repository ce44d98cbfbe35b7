/* SPDX-License-Identifier: ISC */
/*
 * JSON lines in, JSON lines out: {"id", "command", …} is answered by what
 * `test --json' would say, in order.  What cannot be understood is answered
 * too, as blocked and with an error, and never ends the run: whoever counts
 * answers gets one for each line that is not blank.
 */
#include "admin_judge.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

/* A command of SYN_LEN_MAX bytes, each as \u00xx, and what is around it. */
#define LINES_MAX (SYN_LEN_MAX * 6 + 65536)
#define LINES_READ ((size_t)65536)	/* asked of read(2) at once */

struct lines {
	struct admin *a;
	struct admin_judge *judge;
	struct buf in;			/* unanswered from at on */
	size_t at;
	int64_t number;			/* of the line, from 1 */
	bool explain, skipping;		/* … the rest of too long a line */
	bool wrong;			/* some line was an error */
};

/* The line's own id, or else its number. */
static json_t *
id_of(const struct lines *l, const json_t *line)
{
	json_t *id = json_object_get(line, "id");

	return id != NULL ? json_incref(id) : json_integer(l->number);
}

static void
refuse(struct lines *l, const json_t *line, const char *why)
{
	json_t *o = json_object();

	l->wrong = true;
	json_object_set_new(o, "id", id_of(l, line));
	admin_json_text(o, "decision", "block");
	admin_json_text(o, "rule", "unreadable-request");
	admin_json_text(o, "error", why);
	json_object_set_new(o, "number", json_integer(l->number));
	admin_json_print(l->a, o);
}

/* "command_hex" holds bytes that are no text; owned, or NULL. */
static char *
bytes_of(const json_t *line, size_t *ret_len)
{
	const json_t *hex = json_object_get(line, "command_hex");
	const json_t *text = json_object_get(line, "command");
	const char *p = json_string_value(hex);
	size_t i, len = json_string_length(hex) / 2;
	char *bytes;

	if (hex == NULL) {
		if (!json_is_string(text))
			return NULL;
		*ret_len = json_string_length(text);
		return xmemdup0(json_string_value(text), *ret_len);
	}
	if (p == NULL || json_string_length(hex) % 2 != 0)
		return NULL;
	bytes = xcalloc(len + 1, 1);
	for (i = 0; i < len; i++) {
		int high = text_hex(p[2 * i]), low = text_hex(p[2 * i + 1]);

		if (high < 0 || low < 0) {
			free(bytes);
			return NULL;
		}
		bytes[i] = (char)(high << 4 | low);
	}
	*ret_len = len;
	return bytes;
}

/* A member that is text or absent; *ret_good is left alone when it is. */
static const char *
option_of(const json_t *line, const char *key, bool *ret_good)
{
	const json_t *v = json_object_get(line, key);

	if (v == NULL || json_is_null(v))
		return NULL;
	if (!json_is_string(v) || strlen(json_string_value(v)) !=
	    json_string_length(v))
		*ret_good = false;
	return json_string_value(v);
}

static void
answer(struct lines *l, const json_t *line)
{
	enum policy_origin origin = POLICY_ORIGIN_UNKNOWN;
	bool good = true;
	const char *profile = option_of(line, "profile", &good);
	const char *cwd = option_of(line, "cwd", &good);
	const char *word = option_of(line, "origin", &good);
	struct admin_judged t;
	struct err err = ERR_INIT;
	size_t len = 0;
	char *bytes;
	json_t *o;

	if (!good) {
		refuse(l, line, "profile, cwd and origin are strings");
		return;
	}
	if (word != NULL && (origin = admin_origin(word)) ==
	    POLICY_ORIGIN_UNKNOWN) {
		refuse(l, line, "no such origin");
		return;
	}
	if (admin_judge_place(l->judge, profile, cwd, origin, &err) < 0) {
		refuse(l, line, err.text);
		return;
	}
	bytes = bytes_of(line, &len);
	if (bytes == NULL) {
		refuse(l, line, "no \"command\" that is a string");
		return;
	}
	if (admin_judge_line(l->judge, bytes, len, l->explain, &t,
	    &err) < 0) {
		refuse(l, line, err.text);
		return;
	}
	o = admin_judged_json(l->judge, &t, l->explain);
	json_object_set_new(o, "id", id_of(l, line));
	admin_json_print(l->a, o);
	admin_judged_done(&t);
}

static bool
is_blank(const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (memchr(" \t\r\n", p[i], 4) == NULL)
			return false;
	return true;
}

static void
one_line(struct lines *l, const char *p, size_t len)
{
	json_error_t why;
	json_t *line;

	l->number++;
	if (l->skipping) {
		l->skipping = false;
		refuse(l, NULL, "too long a line");
		return;
	}
	if (is_blank(p, len))
		return;
	line = json_loadb(p, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES,
	    &why);
	if (line == NULL)
		refuse(l, NULL, why.text);
	else if (!json_is_object(line))
		refuse(l, NULL, "not an object");
	else
		answer(l, line);
	json_decref(line);
}

/* Answer every whole line that has come. */
static void
answer_whole(struct lines *l)
{
	const char *end;

	while (l->at < l->in.len && (end = memchr(l->in.data + l->at, '\n',
	    l->in.len - l->at)) != NULL) {
		size_t len = (size_t)(end - (l->in.data + l->at));

		one_line(l, l->in.data + l->at, len);
		l->at += len + 1;
	}
	if (l->at > 0)
		memmove(l->in.data, l->in.data + l->at, l->in.len - l->at);
	l->in.len -= l->at;
	l->at = 0;
	if (l->in.len > LINES_MAX) {
		l->skipping = true;
		buf_reset(&l->in);
	}
}

int
admin_judge_lines(struct admin *a, struct admin_judge *j, int fd,
    bool explain)
{
	struct lines l = { .a = a, .judge = j, .explain = explain,
		.in = BUF_INIT_MAX(LINES_MAX + LINES_READ + 1) };
	struct err err = ERR_INIT;
	ssize_t n = 0;

	setvbuf(a->out, NULL, _IOFBF, LINES_READ);
	do {
		char *room = buf_reserve(&l.in, LINES_READ);

		/* Who asks line by line waits for each answer. */
		fflush(a->out);
		n = read(fd, room, LINES_READ);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0) {
			l.in.len += (size_t)n;
			answer_whole(&l);
		}
	} while (n != 0 && !(n < 0 && errno != EINTR) && !ferror(a->out));
	if (n == 0 && (l.in.len > 0 || l.skipping))
		one_line(&l, l.in.data, l.in.len);
	if (n < 0)
		err_sys(&err, errno, "standard input");
	buf_done(&l.in);
	if (n < 0)
		return admin_fail(a, &err);
	return l.wrong ? ADMIN_NO : ADMIN_OK;
}
