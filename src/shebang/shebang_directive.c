/* SPDX-License-Identifier: ISC */
/*
 * Directives: `auto-shebang-KEY=VALUE` anywhere in the first lines of a
 * script, whatever its language's comments look like.  The bytes may be
 * anything; nothing is known of them but that they were read.
 */
#include "shebang/shebang_int.h"

#include <string.h>

#include "aegsh/base/mem.h"

static const char prefix[] = "auto-shebang-";
#define PREFIX_LEN (sizeof prefix - 1)

struct scan {
	const struct shebang_query *q;
	struct shebang_settings *s;
	int lines[SHEBANG_KEYS];	/* where the value that counts stands */
	int line;
	bool cut;
	const char *end;		/* of the head */
};

static bool
is_key_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* The value at p: up to blank space or the line's end, without carriage
 * returns.  *ret_end is where it ended. */
static int
value_take(struct scan *sc, int key, const char *p, const char *line_end,
    const char **ret_end, struct err *err)
{
	AEG_AUTO(buf_done) struct buf value = BUF_INIT_MAX(SHEBANG_VALUE_MAX);

	for (; p < line_end && !is_blank(*p); p++) {
		if (*p == '\0')
			return err_set(err, ERR_SYNTAX,
			    "line %d: %s%s holds a NUL byte", sc->line,
			    prefix, shebang_rows[key].key);
		if (*p != '\r')
			buf_putc(&value, *p);
	}
	/* What stands past the head would be part of it. */
	if (buf_overflow(&value) || (sc->cut && p == sc->end))
		return err_set(err, ERR_TOO_LONG,
		    "line %d: %s%s is longer than %zu bytes", sc->line,
		    prefix, shebang_rows[key].key, SHEBANG_VALUE_MAX);
	free(sc->s->value[key]);
	sc->s->value[key] = buf_take(&value);
	sc->s->source[key] = SHEBANG_DIRECTIVE;
	sc->lines[key] = sc->line;
	*ret_end = p;
	return 0;
}

static void
unknown_key(const struct scan *sc, const char *key, size_t len)
{
	AEG_AUTOFREE char *name = NULL;
	struct shebang_step step = { .kind = SHEBANG_STEP_UNKNOWN };

	name = xmemdup0(key, len < SHEBANG_NAME_MAX ? len : SHEBANG_NAME_MAX);
	step.name = name;
	step.line = sc->line;
	shebang_trace(sc->q, &step);
}

static int
line_scan(struct scan *sc, const char *p, const char *line_end,
    struct err *err)
{
	const char *key, *stop;
	int found, rc;

	for (;;) {
		p = memmem(p, (size_t)(line_end - p), prefix, PREFIX_LEN);
		if (p == NULL)
			return 0;
		key = stop = p + PREFIX_LEN;
		while (stop < line_end && is_key_byte(*stop))
			stop++;
		p = key;
		if (stop == line_end || *stop != '=')
			continue;
		found = shebang_key_find(key, (size_t)(stop - key));
		if (found < 0) {
			unknown_key(sc, key, (size_t)(stop - key));
			continue;
		}
		rc = value_take(sc, found, stop + 1, line_end, &p, err);
		if (rc < 0)
			return rc;
	}
}

int
shebang_directives(const struct shebang_query *q, const char *head,
    size_t len, bool cut, struct shebang_settings *s, struct err *err)
{
	struct scan sc = { .q = q, .s = s, .cut = cut, .end = head + len };
	const char *p = head, *nl;
	int i, rc;

	while (p < sc.end && sc.line < SHEBANG_HEAD_LINES) {
		sc.line++;
		nl = memchr(p, '\n', (size_t)(sc.end - p));
		rc = line_scan(&sc, p, nl != NULL ? nl : sc.end, err);
		if (rc < 0)
			return rc;
		p = nl != NULL ? nl + 1 : sc.end;
	}
	/* Only now: of several, the last one counts and the others don't. */
	for (i = 0; i < SHEBANG_KEYS; i++) {
		if (s->value[i] == NULL)
			continue;
		rc = shebang_value_check(i, s->value[i], err);
		if (rc < 0) {
			err_context(err, "line %d: %s%s=%.80s", sc.lines[i],
			    prefix, shebang_rows[i].key, s->value[i]);
			return rc;
		}
	}
	return 0;
}
