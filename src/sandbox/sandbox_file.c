/* SPDX-License-Identifier: ISC */
/*
 * The text of a profile: NAME.conf and the files it extends, read by
 * libconfuse, each value checked in the line where it stands.
 *
 * A chain is read from its far end, into one set of values: "=" replaces
 * what came from above, "+=" adds to it.  The operator's sandbox.d/NAME.conf
 * lies over the vendor's file of that name in the same way.
 */
#include "sandbox_int.h"

#include <confuse.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"
#include "aegsh/base/text.h"
#include "aegsh/conf.h"

static const char *const key_names[SANDBOX_KEY_COUNT] = {
	[SANDBOX_KEY_READ] = "read",
	[SANDBOX_KEY_LIST] = "list",
	[SANDBOX_KEY_EXECUTE] = "execute",
	[SANDBOX_KEY_WRITE] = "write",
	[SANDBOX_KEY_MAKE] = "make",
	[SANDBOX_KEY_NODE] = "node",
	[SANDBOX_KEY_DEVICE] = "device",
	[SANDBOX_KEY_CONNECT] = "connect",
	[SANDBOX_KEY_HIDE] = "hide",
	[SANDBOX_KEY_COVER_EMPTY] = "cover-empty",
	[SANDBOX_KEY_COVER_READONLY] = "cover-readonly",
	[SANDBOX_KEY_REQUIRE] = "require",
	[SANDBOX_KEY_TCP_CONNECT] = "tcp-connect",
	[SANDBOX_KEY_TCP_BIND] = "tcp-bind",
	[SANDBOX_KEY_UNIX] = "unix",
};

/* One file of the chain. */
struct source {
	char *path;
	struct buf bytes;
	size_t level;		/* how far up the chain */
};

/* libconfuse hands its callbacks no pointer of ours. */
static struct reading {
	const char *path;
	struct sandbox_list *list;
	struct err *err;
	int code;
} *reading;

const char *
sandbox_key_name(enum sandbox_key key)
{
	return key_names[key];
}

static void
fail(int code, int line, const char *text)
{
	if (reading->code == 0)		/* the first one tells the most */
		reading->code = err_set(reading->err, code, "%s:%d: %s",
		    reading->path, line, text);
}

static void __attribute__((format(printf, 2, 0)))
on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof text, fmt, ap);
	fail(text_starts(text, "no such option") ? ERR_UNKNOWN_NAME :
	    ERR_SYNTAX, cfg->line, text);
}

/* Remember where a value of a list stands. */
static int
on_list(cfg_t *cfg, cfg_opt_t *opt)
{
	unsigned n = cfg_opt_size(opt);
	struct sandbox_list *list;
	size_t key;

	if (n == 0)
		return 0;
	if (cfg_opt_getnstr(opt, n - 1)[0] == '\0') {
		fail(ERR_SYNTAX, cfg->line, "an empty value");
		return -1;
	}
	if (n > SANDBOX_GRANTS_MAX) {
		fail(ERR_RANGE, cfg->line, "too many values in one list");
		return -1;
	}
	for (key = 0; strcmp(key_names[key], cfg_opt_name(opt)) != 0; key++)
		;
	list = &reading->list[key];
	while (list->where.n >= n)	/* "=" began a list anew */
		free(list->where.v[--list->where.n]);
	strv_addf(&list->where, "%s:%d", reading->path, cfg->line);
	return 0;
}

static int
on_limit(cfg_t *cfg, cfg_opt_t *opt)
{
	long value = cfg_opt_getnint(opt, cfg_opt_size(opt) - 1);
	size_t i;

	for (i = 0; strcmp(sandbox_limit_name((enum sandbox_limit)i),
	    cfg_opt_name(opt)) != 0; i++)
		;
	/* One that counts bash itself, or all that it starts. */
	if (value == 0 && sandbox_limit_is_shared((enum sandbox_limit)i)) {
		fail(ERR_RANGE, cfg->line, "with a limit of 0 no line could "
		    "run; leave it out where there is none");
		return -1;
	}
	if (value >= 0 && value <= 1L << 40)
		return 0;
	fail(ERR_RANGE, cfg->line, "a limit outside 0 to 2^40");
	return -1;
}

static int
line_at(const char *text, const char *p)
{
	int line = 1;

	for (; text < p; text++)
		line += *text == '\n';
	return line;
}

/* What libconfuse would do on its own is refused beforehand: ${NAME} takes
 * the environment's word; an unclosed block comment swallows the rest. */
static int
look_at(const struct source *s)
{
	const char *p = s->bytes.data, *hit;
	static const char *const bad[] = { "${", "/*" };
	size_t i;

	if (s->bytes.len == 0)
		return 0;
	if (memchr(p, '\0', s->bytes.len) != NULL) {
		fail(ERR_SYNTAX, 1, "there is a NUL byte in it");
		return reading->code;
	}
	for (i = 0; i < AEG_NELEM(bad); i++) {
		hit = strstr(p, bad[i]);
		if (hit == NULL)
			continue;
		fail(ERR_SYNTAX, line_at(p, hit), i == 0 ?
		    "'${': the environment sets nothing here" :
		    "'/*': comments begin with #");
		return reading->code;
	}
	return 0;
}

static cfg_t *
new_cfg(void)
{
	static const char every[] =
	    "{no-new-privs, landlock, scope, net, seccomp, limits}";
	char preset[sizeof every], all[] = "{all}";
	cfg_opt_t opts[] = {
		CFG_STR("description", "", CFGF_NONE),
		CFG_STR("extends", NULL, CFGF_NODEFAULT),
		CFG_STR("for-root", NULL, CFGF_NODEFAULT),
		CFG_STR_LIST("read", NULL, CFGF_NONE),
		CFG_STR_LIST("list", NULL, CFGF_NONE),
		CFG_STR_LIST("execute", NULL, CFGF_NONE),
		CFG_STR_LIST("write", NULL, CFGF_NONE),
		CFG_STR_LIST("make", NULL, CFGF_NONE),
		CFG_STR_LIST("node", NULL, CFGF_NONE),
		CFG_STR_LIST("device", NULL, CFGF_NONE),
		CFG_STR_LIST("connect", NULL, CFGF_NONE),
		CFG_STR_LIST("hide", NULL, CFGF_NONE),
		CFG_STR_LIST("cover-empty", NULL, CFGF_NONE),
		CFG_STR_LIST("cover-readonly", NULL, CFGF_NONE),
		CFG_STR_LIST("require", preset, CFGF_NONE),
		CFG_STR_LIST("tcp-connect", NULL, CFGF_NONE),
		CFG_STR_LIST("tcp-bind", NULL, CFGF_NONE),
		CFG_STR("udp", "none", CFGF_NONE),
		CFG_STR_LIST("unix", all, CFGF_NONE),
		CFG_STR("seccomp", "strict", CFGF_NONE),
		CFG_STR("supervise", "scripts", CFGF_NONE),
		CFG_STR("started", "block", CFGF_NONE),
		CFG_STR("shell-escape", "record", CFGF_NONE),
		CFG_STR("descendant-shells", "allow", CFGF_NONE),
		CFG_STR("addresses", "ignore", CFGF_NONE),
		CFG_STR("umask", "tighten", CFGF_NONE),
		CFG_STR("scope", "all", CFGF_NONE),
		CFG_INT("limit-cpu", -1, CFGF_NONE),
		CFG_INT("limit-memory", -1, CFGF_NONE),
		CFG_INT("limit-processes", -1, CFGF_NONE),
		CFG_INT("limit-files", -1, CFGF_NONE),
		CFG_INT("limit-file-size", -1, CFGF_NONE),
		CFG_INT("limit-core", -1, CFGF_NONE),
		CFG_INT("limit-address-space", -1, CFGF_NONE),
		CFG_INT("limit-children", -1, CFGF_NONE),
		CFG_INT("limit-time", -1, CFGF_NONE),
		CFG_INT("limit-output", -1, CFGF_NONE),
		CFG_STR("limit-output-then", "truncate", CFGF_NONE),
		CFG_STR("survivors", "keep", CFGF_NONE),
		CFG_END()
	};
	cfg_t *cfg;
	size_t i;

	memcpy(preset, every, sizeof every);
	cfg = cfg_init(opts, CFGF_NONE);
	if (cfg == NULL)
		abort();	/* no memory, as xmalloc() has it */
	cfg_set_error_function(cfg, on_error);
	for (i = 0; i < SANDBOX_KEY_COUNT; i++)
		cfg_set_validate_func(cfg, key_names[i], on_list);
	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++)
		cfg_set_validate_func(cfg, sandbox_limit_name(
		    (enum sandbox_limit)i), on_limit);
	return cfg;
}

/* Comments in these files are long, and libconfuse reads them byte by byte;
 * blanks in their place keep the numbers of the lines. */
static void
drop_comments(char *text)
{
	char *line, *next;

	for (line = text; line != NULL && *line != '\0'; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			next++;
		line += strspn(line, " \t");
		if (*line == '#')
			memset(line, ' ', strcspn(line, "\n"));
	}
}

/* Parse one file into cfg. */
static int
parse(cfg_t *cfg, const struct source *s, struct sandbox_list *list,
    struct err *err)
{
	struct reading now = { .path = s->path, .list = list, .err = err };

	reading = &now;
	if (s->bytes.len > 0)
		drop_comments(s->bytes.data);
	if (s->bytes.len > 0 && look_at(s) == 0) {
		conf_blank_comments(s->bytes.data, s->bytes.len);
		if (cfg_parse_buf(cfg, s->bytes.data) != CFG_SUCCESS)
			fail(ERR_SYNTAX, cfg->line, "cannot be read");
	}
	reading = NULL;
	return now.code;
}

static bool
name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && n <= SANDBOX_NAME_MAX && name[n] == '\0';
}

/* A directory with profiles. */
struct place {
	char *path;
	uid_t uid;		/* trusted besides the operator, or -1 */
	int fd;			/* -1: it isn't there */
};

static int
open_place(struct place *place, struct err *err)
{
	int rc = conf_trust_dir(place->path, place->uid, &place->fd, err);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return 0;
	return rc < 0 ? err_context(err, "sandbox profiles") : 0;
}

/* As conf_trust_open() has it, in a directory that was looked at. */
static int
check_file(const struct place *place, int fd, const char *path,
    struct sandbox_seen *seen, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	sandbox_seen_as(&st, seen);
	if (!S_ISREG(st.st_mode) || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
	    (st.st_uid != 0 && st.st_uid != sysdirs()->operator_uid &&
	    st.st_uid != place->uid))
		return err_set(err, ERR_TRUST, "%s: not a regular file of "
		    "its owner that nobody else can write", path);
	return 0;
}

/* The file NAME.conf of a place: 1, or 0 when it isn't there. */
static int
read_source(const struct place *place, struct sandbox_seen *seen,
    struct source *ret, struct err *err)
{
	const char *file = seen->name;
	AEG_AUTOFREE char *path = xasprintf("%s/%s", place->path, file);
	AEG_AUTO(buf_done) struct buf bytes = BUF_INIT_MAX(CONF_FILE_MAX);
	AEG_AUTOFD int fd = -1;
	int rc;

	if (place->fd < 0)
		return 0;
	fd = openat(place->fd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	rc = check_file(place, fd, path, seen, err);
	if (rc < 0)
		return rc;
	rc = io_read_all(fd, &bytes);
	if (rc < 0)
		return err_set(err, rc, "%s: %s", path, err_str(rc));
	ret->bytes = bytes;
	bytes = (struct buf)BUF_INIT;
	ret->path = AEG_STEAL(path);
	return 1;
}

struct chain {
	struct source source[2 * SANDBOX_EXTENDS_MAX];	/* far end last */
	size_t n;
	struct strv names;	/* what each profile extends, or "" */
	struct place place[SANDBOX_PLACES];
	struct sandbox_seen seen[2 * SANDBOX_EXTENDS_MAX];
	size_t n_seen;
};

static void
chain_done(struct chain *c)
{
	size_t i;

	while (c->n > 0) {
		c->n--;
		free(c->source[c->n].path);
		buf_done(&c->source[c->n].bytes);
	}
	strv_done(&c->names);
	for (i = 0; i < c->n_seen; i++)
		free(c->seen[i].name);
	for (i = 0; i < AEG_NELEM(c->place); i++) {
		free(c->place[i].path);
		io_close(&c->place[i].fd);
	}
}

/* What a file extends, by its line "extends = NAME": looked for by hand,
 * because libconfuse's reading is kept for the chain in its right order.
 * What it says then is compared with this.  Owned, or NULL. */
static char *
find_extends(const struct source *s, int *ret_line)
{
	static const char key[] = "extends";
	const char *p = s->bytes.len > 0 ? s->bytes.data : "";

	for (; p != NULL; p = strchr(p, '\n')) {
		size_t n;

		p += strspn(p, " \t\r\n");
		if (!text_starts(p, key))
			continue;
		p += sizeof key - 1;
		p += strspn(p, " \t");
		if (*p != '=')
			continue;
		p++;
		p += strspn(p, " \t\"'");
		n = strcspn(p, " \t\r\n\"'#;,");
		*ret_line = line_at(s->bytes.data, p);
		return xmemdup0(p, n);
	}
	return NULL;
}

/* Gather NAME's own files, the operator's before the vendor's. */
static int
gather_one(const char *name, struct chain *c, struct err *err)
{
	size_t i, before = c->n;
	int rc, unknown = c->names.n == 0 ? ERR_CALLER : ERR_UNKNOWN_NAME;

	if (!name_ok(name))
		return err_set(err, unknown,
		    "not a name of a sandbox profile");
	for (i = 0; i < AEG_NELEM(c->place); i++) {
		struct sandbox_seen *seen = &c->seen[c->n_seen++];

		seen->place = (unsigned)i;
		seen->name = xasprintf("%s.conf", name);
		c->source[c->n].level = c->names.n;
		rc = read_source(&c->place[i], seen, &c->source[c->n], err);
		if (rc < 0)
			return rc;
		c->n += rc > 0;
	}
	if (c->n == before)
		return err_set(err, unknown,
		    "no sandbox profile '%s' in %s or %s", name,
		    c->place[0].path, c->place[1].path);
	return 0;
}

static int
gather(const char *name, struct chain *c, struct err *err)
{
	AEG_AUTOFREE char *next = xstrdup(name);
	const char *by = NULL;
	int line = 0;
	int depth, rc;

	for (depth = 0; depth < SANDBOX_EXTENDS_MAX; depth++) {
		char *above = NULL;
		size_t i = c->n;

		rc = gather_one(next, c, err);
		if (rc < 0 && by != NULL)
			err_context(err, "%s:%d: extends", by, line);
		if (rc < 0)
			return rc;
		for (; above == NULL && i < c->n; i++) {
			by = c->source[i].path;
			above = find_extends(&c->source[i], &line);
		}
		strv_add(&c->names, above != NULL ? above : "");
		free(next);
		next = above;
		if (next == NULL)
			return 0;
	}
	return err_set(err, ERR_RANGE,
	    "sandbox profile '%s': more than %d profiles extend one another",
	    name, SANDBOX_EXTENDS_MAX);
}

/* What libconfuse read last, a profile's own word, is what was done. */
static int
check_extends(cfg_t *cfg, const struct source *s, const char *name,
    struct err *err)
{
	const char *said = cfg_getstr(cfg, "extends");

	if (strcmp(said != NULL ? said : "", name) == 0)
		return 0;
	return err_set(err, ERR_SYNTAX,
	    "%s: extends must begin a line: extends = NAME", s->path);
}

/* From the far end of the chain to the profile itself. */
static int
parse_chain(cfg_t *cfg, const struct chain *c, struct sandbox_list *list,
    struct err *err)
{
	size_t i;
	int rc = 0;

	for (i = c->n; rc == 0 && i > 0; i--) {
		const struct source *s = &c->source[i - 1];

		rc = parse(cfg, s, list, err);
		if (rc == 0 && (i == 1 || s[-1].level != s->level))
			rc = check_extends(cfg, s, c->names.v[s->level], err);
	}
	return rc;
}

static char *
take(cfg_t *cfg, const char *name)
{
	const char *value = cfg_getstr(cfg, name);

	return value != NULL ? xstrdup(value) : NULL;
}

static void
take_all(cfg_t *cfg, struct sandbox_text *t)
{
	size_t i;
	unsigned n;

	t->description = take(cfg, "description");
	t->for_root = take(cfg, "for-root");
	t->udp = take(cfg, "udp");
	t->seccomp = take(cfg, "seccomp");
	t->supervise = take(cfg, "supervise");
	t->started = take(cfg, "started");
	t->escape = take(cfg, "shell-escape");
	t->shells = take(cfg, "descendant-shells");
	t->addresses = take(cfg, "addresses");
	t->umask = take(cfg, "umask");
	t->output_then = take(cfg, "limit-output-then");
	t->survivors = take(cfg, "survivors");
	t->scope = take(cfg, "scope");
	for (i = 0; i < SANDBOX_KEY_COUNT; i++) {
		struct sandbox_list *l = &t->list[i];

		for (n = 0; n < cfg_size(cfg, key_names[i]); n++)
			strv_add(&l->value, cfg_getnstr(cfg, key_names[i], n));
		while (l->where.n > l->value.n)
			free(l->where.v[--l->where.n]);
		while (l->where.n < l->value.n)		/* presets */
			strv_add(&l->where, "(built in)");
	}
	for (i = 0; i < SANDBOX_LIMIT_COUNT; i++)
		t->limit[i] = cfg_getint(cfg, sandbox_limit_name(
		    (enum sandbox_limit)i));
}

static int
read_chain(const struct chain *c, struct sandbox_text *ret, struct err *err)
{
	struct sandbox_text t;
	cfg_t *cfg;
	int rc;

	memset(&t, 0, sizeof t);
	cfg = new_cfg();
	rc = parse_chain(cfg, c, t.list, err);
	if (rc == 0) {
		t.file = xstrdup(c->source[0].path);
		take_all(cfg, &t);
		*ret = t;
	} else {
		sandbox_text_done(&t);
	}
	cfg_free(cfg);
	return rc;
}

int
sandbox_text_read(const char *name, const char *cache,
    struct sandbox_text *ret, struct err *err)
{
	/* What the vendor installed belongs to root or, where somebody built
	 * it for themselves, to them. */
	AEG_AUTO(chain_done) struct chain c = { .place = {
		{ xasprintf("%s/sandbox.d", sysdirs()->conf), (uid_t)-1, -1 },
		{ xasprintf("%s/sandbox", sysdirs()->data), geteuid(), -1 },
	} };
	int rc = open_place(&c.place[0], err);

	if (rc == 0)
		rc = open_place(&c.place[1], err);
	if (rc < 0)
		return rc;
	if (cache != NULL && name_ok(name) && sandbox_cache_read(cache, name,
	    (const int[SANDBOX_PLACES]){ c.place[0].fd, c.place[1].fd },
	    ret) == 0)
		return 0;
	rc = gather(name, &c, err);
	if (rc == 0)
		rc = read_chain(&c, ret, err);
	if (rc == 0 && cache != NULL)
		sandbox_cache_write(cache, name, c.seen, c.n_seen, ret);
	return rc;
}

int
sandbox_text_builtin(const char *text, struct sandbox_text *ret,
    struct err *err)
{
	AEG_AUTO(chain_done) struct chain c = { .n = 1, .place = {
		{ NULL, (uid_t)-1, -1 }, { NULL, (uid_t)-1, -1 },
	} };

	c.source[0].path = xstrdup("(built in)");
	c.source[0].bytes = (struct buf)BUF_INIT;
	buf_puts(&c.source[0].bytes, text);
	strv_add(&c.names, "");
	return read_chain(&c, ret, err);
}
