/* SPDX-License-Identifier: ISC */
/*
 * One settings file: libconfuse reads it, the rows check it.
 *
 * Three things that libconfuse would do are refused beforehand, each with
 * its line: ${NAME}, because the environment sets nothing here; block
 * comments, because an unclosed one swallows the rest in silence; a
 * backslash at the end of a line, because it would hide the other two from
 * this look at single lines.
 */
#include "conf_int.h"

#include <confuse.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/mem.h"

/* libconfuse hands its callbacks no pointer of ours. */
static struct parse {
	const char *path;
	struct conf_setting *set;
	struct err *err;
	int code;
} *parsing;

static void
fail(int code, int line, const char *text)
{
	if (parsing->code != 0)
		return;		/* the first one tells the most */
	parsing->code = err_set(parsing->err, code, "%s:%d: %s", parsing->path,
	    line, text);
}

static void __attribute__((format(printf, 2, 0)))
on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof text, fmt, ap);
	if (strncmp(text, "no such option", strlen("no such option")) == 0)
		fail(ERR_UNKNOWN_NAME, cfg->line, text);
	else
		fail(ERR_SYNTAX, cfg->line, text);
}

static int
on_value(cfg_t *cfg, cfg_opt_t *opt)
{
	const char *name = cfg_opt_name(opt), *text = cfg_opt_getstr(opt);
	int id = conf_find(name, strlen(name)), rc;
	struct conf_setting *s = &parsing->set[id];
	struct err why = ERR_INIT;

	if (s->text != NULL) {
		snprintf(why.text, sizeof why.text,
		    "%s was set in line %d already", name, s->line);
		fail(ERR_SYNTAX, cfg->line, why.text);
		return -1;
	}
	rc = conf_value_check(conf_row((enum conf_id)id), text, &s->number,
	    &why);
	if (rc < 0) {
		fail(rc, cfg->line, why.text);
		return -1;
	}
	s->text = xstrdup(conf_value_canon(conf_row((enum conf_id)id), text,
	    s->number));
	s->line = cfg->line;
	return 0;
}

static int
look_at_line(const char *p, size_t len, int line)
{
	static const char spaces[] = " \t\r";

	while (len > 0 && memchr(spaces, *p, sizeof spaces - 1) != NULL) {
		p++;
		len--;
	}
	if (len == 0 || *p == '#')
		return 0;
	if (memmem(p, len, "${", 2) != NULL)
		fail(ERR_SYNTAX, line,
		    "'${': the environment sets nothing here");
	else if (memmem(p, len, "/*", 2) != NULL)
		fail(ERR_SYNTAX, line, "'/*': comments begin with #");
	else if (p[len - 1] == '\\')
		fail(ERR_SYNTAX, line, "a backslash ends the line");
	return parsing->code;
}

static int
look_at_lines(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	int line, rc;

	if (memchr(text, '\0', len) != NULL) {
		fail(ERR_SYNTAX, 1, "there is a NUL byte in it");
		return parsing->code;
	}
	for (line = 1; p < end; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl != NULL ? nl : end) - p);

		rc = look_at_line(p, n, line);
		if (rc < 0)
			return rc;
		p += n + 1;
	}
	return 0;
}

/*
 * The options that the text can set: libconfuse copies all that it is given,
 * which takes longer than reading a few lines does.  Behind a backslash a
 * name may be spelt in another way.
 */
static void
mark_named(const char *text, size_t len, bool named[CONF_COUNT])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *p = text, *end = text + len;

	memset(named, memchr(text, '\\', len) != NULL, CONF_COUNT);
	while (p < end) {
		const char *from = p;
		int id;

		while (p < end && memchr(letters, *p, sizeof letters - 1) !=
		    NULL)
			p++;
		id = p > from ? conf_find(from, (size_t)(p - from)) : -1;
		if (id >= 0)
			named[id] = true;
		p += p == from;
	}
}

static void
read_text(const char *text, size_t len)
{
	AEG_AUTOFREE char *bare = xmemdup0(text, len);
	cfg_opt_t opts[CONF_COUNT + 1] = { { .name = NULL } };
	bool named[CONF_COUNT];
	cfg_t *cfg;
	int id, n = 0;

	conf_blank_comments(bare, len);
	mark_named(bare, len, named);
	for (id = 0; id < CONF_COUNT; id++)
		if (named[id])
			opts[n++] = (cfg_opt_t)CFG_STR(
			    conf_row((enum conf_id)id)->name, NULL,
			    CFGF_NODEFAULT);
	opts[n] = (cfg_opt_t)CFG_END();
	cfg = cfg_init(opts, CFGF_NONE);
	if (cfg == NULL)
		abort();	/* no memory, as xmalloc() has it */
	cfg_set_error_function(cfg, on_error);
	for (id = 0; id < n; id++)
		cfg_set_validate_func(cfg, opts[id].name, on_value);
	if (cfg_parse_buf(cfg, bare) != CFG_SUCCESS)
		fail(ERR_SYNTAX, cfg->line, "cannot be read");
	cfg_free(cfg);
}

int
conf_file_parse(const char *path, const char *text, size_t len,
    struct conf_setting *set, struct err *err)
{
	struct parse parse = { .path = path, .set = set, .err = err };

	if (len > CONF_FILE_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "%s: longer than %zu bytes", path, CONF_FILE_MAX);
	parsing = &parse;
	if (len > 0 && look_at_lines(text, len) == 0)
		read_text(text, len);
	parsing = NULL;
	return parse.code;
}
