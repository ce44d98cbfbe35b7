/* SPDX-License-Identifier: ISC */
/* The settings: which layer may set what, and what holds in the end. */
#include "conf_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/path.h"

struct value {
	char *text;
	int64_t number;
	enum conf_layer origin;
	int file, line;		/* index into files, -1: none */
	bool by_operator;	/* the operator's file names it */
};

enum { FILE_OPERATOR, FILE_USER, FILE_COUNT };

struct conf {
	struct value values[CONF_COUNT];
	char *files[FILE_COUNT];
	struct strv notes;
	char *left_out;		/* why the user's file was, or NULL */
	bool managed;
};

static const char *const layer_names[] = {
	[CONF_DEFAULT] = "default",
	[CONF_OPERATOR] = "operator",
	[CONF_USER] = "user",
	[CONF_CMDLINE] = "command-line",
};

const char *
conf_layer_name(enum conf_layer layer)
{
	return layer_names[layer];
}

static void
settings_done(struct conf_setting *set)
{
	int id;

	for (id = 0; id < CONF_COUNT; id++)
		free(set[id].text);
}

static void
put(struct conf *c, int id, const char *text, int64_t number,
    enum conf_layer layer, int file, int line)
{
	struct value *v = &c->values[id];

	free(v->text);
	v->text = xstrdup(text);
	v->number = number;
	v->origin = layer;
	v->file = file;
	v->line = line;
	v->by_operator = v->by_operator || layer == CONF_OPERATOR;
}

/* A layer above the operator's asks for a value: it gets it, or the owned
 * reason why not.  where is "file:line" or the command line's option. */
static char *
ask_for(struct conf *c, int id, const char *text, int64_t number,
    enum conf_layer layer, int file, int line, const char *where)
{
	const struct conf_row *row = conf_row((enum conf_id)id);
	const struct value *v = &c->values[id];

	if (row->scope == CONF_SCOPE_OPERATOR)
		return xasprintf("%s: %s is the operator's alone to set",
		    where, row->name);
	if (strcmp(text, v->text) == 0)
		return NULL;	/* asks for what is */
	if (!conf_value_tightens(row, c->managed, v->number, number) &&
	    (c->managed || v->by_operator))
		return xasprintf("%s: %s = %s would not tighten %s's '%s'",
		    where, row->name, text, conf_layer_name(v->origin),
		    v->text);
	put(c, id, text, number, layer, file, line);
	return NULL;
}

static int
load_operator(struct conf *c, struct err *err)
{
	struct conf_setting set[CONF_COUNT] = { { NULL, 0, 0 } };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	int id, rc;

	c->files[FILE_OPERATOR] = xasprintf("%s/aegsh.conf", sysdirs()->conf);
	rc = conf_trust_read(c->files[FILE_OPERATOR], (uid_t)-1,
	    CONF_FILE_MAX, &text, err);
	if (rc == -ENOENT)
		return 0;
	if (rc == 0)
		rc = conf_file_parse(c->files[FILE_OPERATOR], text.data,
		    text.len, set, err);
	for (id = 0; rc == 0 && id < CONF_COUNT; id++) {
		if (set[id].text != NULL)
			put(c, id, set[id].text, set[id].number,
			    CONF_OPERATOR, FILE_OPERATOR, set[id].line);
	}
	settings_done(set);
	c->managed = strcmp(c->values[CONF_MODE].text, "managed") == 0;
	return rc;
}

static int
load_user(struct conf *c, uid_t uid, struct err *err)
{
	struct conf_setting set[CONF_COUNT] = { { NULL, 0, 0 } };
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	const char *path = c->files[FILE_USER];
	struct err why = ERR_INIT;
	int id, rc;

	rc = conf_trust_read(path, uid, CONF_FILE_MAX, &text, &why);
	if (rc == -ENOENT || rc == -ENOTDIR)
		return 0;
	if (rc == 0)
		rc = conf_file_parse(path, text.data, text.len, set, &why);
	for (id = 0; rc == 0 && id < CONF_COUNT; id++) {
		AEG_AUTOFREE char *where = NULL;
		AEG_AUTOFREE char *why_not = NULL;

		if (set[id].text == NULL)
			continue;
		where = xasprintf("%s:%d", path, set[id].line);
		why_not = ask_for(c, id, set[id].text, set[id].number,
		    CONF_USER, FILE_USER, set[id].line, where);
		if (why_not != NULL)
			strv_addf(&c->notes, "%s: ignored", why_not);
	}
	settings_done(set);
	if (rc == 0)
		return 0;
	if (c->managed)
		return err_set(err, rc, "%s", why.text);
	c->left_out = xasprintf("%s: this file was left out", why.text);
	strv_add(&c->notes, c->left_out);
	return 0;
}

/* The XDG place of a home; the variable counts only for its own owner. */
static char *
user_place(uid_t uid, const char *home)
{
	const char *xdg = uid == getuid() ? secure_getenv("XDG_CONFIG_HOME") :
	    NULL;

	if (xdg != NULL && xdg[0] == '/')
		return path_canon(xdg, "aegsh/aegsh.conf");
	if (home == NULL || home[0] != '/')
		return NULL;
	return path_canon(home, ".config/aegsh/aegsh.conf");
}

static struct conf *
defaults(void)
{
	struct conf *c = xcalloc(1, sizeof *c);
	int id;

	for (id = 0; id < CONF_COUNT; id++) {
		const struct conf_row *row = conf_row((enum conf_id)id);
		int64_t number = 0;

		if (conf_value_check(row, row->preset, &number, NULL) < 0)
			abort();	/* the unit test loads every row */
		put(c, id, row->preset, number, CONF_DEFAULT, -1, 0);
	}
	return c;
}

int
conf_load(uid_t uid, const char *home, const char *user_file,
    struct conf **ret, struct err *err)
{
	struct conf *c = defaults();
	int rc = load_operator(c, err);

	if (rc == 0 && uid != 0) {
		c->files[FILE_USER] = user_file != NULL ? xstrdup(user_file) :
		    user_place(uid, home);
		if (c->files[FILE_USER] != NULL)
			rc = load_user(c, uid, err);
	}
	if (rc < 0) {
		conf_free(c);
		return rc;
	}
	*ret = c;
	return 0;
}

struct conf *
conf_strict(void)
{
	struct conf *c = defaults();

	c->managed = true;
	return c;
}

void
conf_free(struct conf *c)
{
	int i;

	if (c == NULL)
		return;
	for (i = 0; i < CONF_COUNT; i++)
		free(c->values[i].text);
	for (i = 0; i < FILE_COUNT; i++)
		free(c->files[i]);
	strv_done(&c->notes);
	free(c->left_out);
	free(c);
}

int
conf_override(struct conf *c, const char *assignment, struct err *err)
{
	const char *eq = strchr(assignment, '=');
	AEG_AUTOFREE char *where = NULL;
	AEG_AUTOFREE char *why_not = NULL;
	const struct conf_row *row;
	int64_t number = 0;
	int id, rc;

	if (eq == NULL)
		return err_set(err, ERR_SYNTAX,
		    "-o %s: not of the form name=value", assignment);
	id = conf_find(assignment, (size_t)(eq - assignment));
	if (id < 0)
		return err_set(err, ERR_UNKNOWN_NAME,
		    "-o %s: no such option; aegsh.conf(5) has them, "
		    "aegsh-sandbox(5) those of a sandbox", assignment);
	row = conf_row((enum conf_id)id);
	rc = conf_value_check(row, eq + 1, &number, err);
	if (rc < 0) {
		err_context(err, "-o %s", assignment);
		return rc;
	}
	where = xasprintf("-o %s", assignment);
	why_not = ask_for(c, id, conf_value_canon(row, eq + 1, number), number,
	    CONF_CMDLINE, -1, 0, where);
	return why_not == NULL ? 0 : err_set(err, ERR_RANGE, "%s", why_not);
}

bool
conf_managed(const struct conf *c)
{
	return c->managed;
}

bool
conf_bool(const struct conf *c, enum conf_id id)
{
	return c->values[id].number != 0;
}

int64_t
conf_int(const struct conf *c, enum conf_id id)
{
	return c->values[id].number;
}

const char *
conf_str(const struct conf *c, enum conf_id id)
{
	return c->values[id].text;
}

enum conf_layer
conf_origin(const struct conf *c, enum conf_id id)
{
	return c->values[id].origin;
}

const char *
conf_origin_file(const struct conf *c, enum conf_id id)
{
	int file = c->values[id].file;

	return file < 0 ? NULL : c->files[file];
}

unsigned
conf_origin_line(const struct conf *c, enum conf_id id)
{
	return (unsigned)c->values[id].line;
}

const char *
conf_layer_file(const struct conf *c, enum conf_layer layer)
{
	switch (layer) {
	case CONF_OPERATOR:
		return c->files[FILE_OPERATOR];
	case CONF_USER:
		return c->files[FILE_USER];
	case CONF_DEFAULT:
	case CONF_CMDLINE:
		break;
	}
	return NULL;
}

const char *
conf_left_out(const struct conf *c)
{
	return c->left_out;
}

const struct strv *
conf_notes(const struct conf *c)
{
	return &c->notes;
}
