/* SPDX-License-Identifier: ISC */
/* The endpoints and what holds for each, out of settings and their file. */
#include "aegsh/validator_chain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aegsh/base/path.h"
#include "aegsh/base/text.h"

#define CENT ((uint64_t)10000)	/* in millionths */
#define PRICE_MOST 1000000	/* of the currency, for a million tokens */
#define CREDENTIALS "/run/credentials/"

enum kind { TEXT, FORMAT, NUMBER, PRICE, KEY_ENV, CREDENTIAL };

static const struct setting {
	const char *name;
	enum kind kind;
	size_t offset;
	int64_t least, most;
} settings[] = {
	{ "url", TEXT, offsetof(struct val_endpoint, url), 0, 0 },
	{ "model", TEXT, offsetof(struct val_endpoint, model), 0, 0 },
	{ "format", FORMAT, offsetof(struct val_endpoint, format), 0, 0 },
	{ "key-file", TEXT, offsetof(struct val_endpoint, key_file), 0, 0 },
	{ "key-env", KEY_ENV, offsetof(struct val_endpoint, key), 0, 0 },
	{ "key-credential", CREDENTIAL,
	    offsetof(struct val_endpoint, key_file), 0, 0 },
	{ "ca-file", TEXT, offsetof(struct val_endpoint, ca_file), 0, 0 },
	{ "proxy", TEXT, offsetof(struct val_endpoint, proxy), 0, 0 },
	{ "timeout", NUMBER, offsetof(struct val_endpoint, timeout_ms), 100,
	    60000 },
	{ "attempts", NUMBER, offsetof(struct val_endpoint, attempts), 1, 5 },
	{ "price-in", PRICE, offsetof(struct val_endpoint, price_in), 0, 0 },
	{ "price-out", PRICE, offsetof(struct val_endpoint, price_out), 0, 0 },
};

struct reading {
	struct val_chain *chain;
	bool managed, take_keys;
	struct val_endpoint *at;	/* the section, or NULL */
};

static const char *
keep(struct val_chain *c, const char *text)
{
	return arena_memdup0(c->arena, text, strlen(text));
}

static void
begin(struct val_chain *c)
{
	c->arena = arena_new();
	c->setup.quorum = 1;
	c->setup.store = c->setup.profile = "";
}

static struct val_endpoint *
add(struct val_chain *c, const char *name)
{
	struct val_endpoint *e = &c->setup.endpoints[c->setup.n++];

	*e = (struct val_endpoint){ .name = keep(c, name),
		.format = "openai-chat", .url = "", .model = "",
		.key_file = "", .key = "", .ca_file = "", .proxy = "",
		.attempts = 2 };
	return e;
}

/* "3.25" as millionths. */
static int
read_price(const char *text, uint64_t *ret, struct err *err)
{
	char whole[16] = "", *dot;
	size_t digits = 0, i;
	int64_t units, part = 0;

	if (strlen(text) >= sizeof whole)
		return err_set(err, ERR_RANGE, "not a price: '%s'", text);
	memcpy(whole, text, strlen(text) + 1);
	dot = strchr(whole, '.');
	if (dot != NULL) {
		*dot++ = '\0';
		digits = strlen(dot);
	}
	if (text_to_i64(whole, 0, PRICE_MOST, &units) < 0 || (dot != NULL &&
	    (digits < 1 || digits > 6 ||
	    strspn(dot, "0123456789") != digits)))
		return err_set(err, ERR_RANGE,
		    "a price is a number like 0.25, not '%s'", text);
	for (i = 0; dot != NULL && i < 6; i++)
		part = part * 10 + (i < digits ? dot[i] - '0' : 0);
	*ret = (uint64_t)units * 1000000 + (uint64_t)part;
	return 0;
}

/* Out of the environment, and out of the memory that /proc shows. */
static void
take_key(struct reading *r, const char *variable, const char **ret)
{
	char *value = getenv(variable);

	if (!r->take_keys || value == NULL || value[0] == '\0')
		return;
	*ret = keep(r->chain, value);
	explicit_bzero(value, strlen(value));
	unsetenv(variable);
	strv_add(&r->chain->taken, variable);
}

/* Where systemd put it (systemd.exec(5)).  The variable is the user's to
 * set: when managed, no other directory is believed. */
static int
find_credential(struct reading *r, const char *name, const char **ret,
    struct err *err)
{
	const char *dir = secure_getenv("CREDENTIALS_DIRECTORY");
	AEG_AUTOFREE char *path = NULL;

	if (strchr(name, '/') != NULL || name[0] == '\0')
		return err_set(err, ERR_RANGE,
		    "key-credential is a name, not '%s'", name);
	if (dir == NULL || dir[0] != '/')
		dir = CREDENTIALS "aegsh";
	path = path_canon(dir, name);
	if (r->managed && !text_starts(path, CREDENTIALS))
		return err_set(err, ERR_TRUST, "key-credential: %s is not "
		    "below " CREDENTIALS, path);
	*ret = keep(r->chain, path);
	return 0;
}

static bool
is_word(const char *words, const char *text)
{
	size_t n = strlen(text), len;

	for (; *words != '\0'; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		if (len == n && memcmp(words, text, n) == 0)
			return true;
	}
	return false;
}

static int
set(struct reading *r, const struct setting *s, const char *text,
    struct err *err)
{
	void *field = (char *)r->at + s->offset;
	const struct conf_row *row = conf_row(CONF_FORMAT);
	int64_t number;
	int rc = 0;

	switch (s->kind) {
	case TEXT:
		*(const char **)field = keep(r->chain, text);
		break;
	case FORMAT:
		if (!is_word(row->words, text))
			return err_set(err, ERR_RANGE,
			    "format is one of: %s", row->words);
		*(const char **)field = keep(r->chain, text);
		break;
	case NUMBER:
		if (text_to_i64(text, s->least, s->most, &number) < 0)
			return err_set(err, ERR_RANGE, "%s is a number from "
			    "%lld to %lld, not '%s'", s->name,
			    (long long)s->least, (long long)s->most, text);
		*(uint32_t *)field = (uint32_t)number;
		break;
	case PRICE:
		rc = read_price(text, field, err);
		break;
	case KEY_ENV:
		if (!text_is_name(text, strlen(text)))
			return err_set(err, ERR_RANGE,
			    "key-env is the name of a variable");
		take_key(r, text, field);
		break;
	case CREDENTIAL:
		rc = find_credential(r, text, field, err);
		break;
	}
	return rc;
}

static int
open_section(struct reading *r, char *line, struct err *err)
{
	char *end = strchr(line, ']');
	size_t i, n;

	if (end == NULL || end[1] != '\0')
		return err_set(err, ERR_SYNTAX, "a section is [NAME]");
	*end = '\0';
	line++;
	n = strlen(line);
	if (n == 0 || n >= VAL_NAME_MAX || strspn(line,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789._-") != n)
		return err_set(err, ERR_SYNTAX, "a section's name has at most "
		    "%d letters, digits, dots, dashes", VAL_NAME_MAX - 1);
	for (i = 0; i < r->chain->setup.n; i++)
		if (strcmp(r->chain->setup.endpoints[i].name, line) == 0)
			return err_set(err, ERR_SYNTAX,
			    "[%s] is there already", line);
	if (r->chain->setup.n == VAL_CHAIN_MAX)
		return err_set(err, ERR_TOO_LONG,
		    "more than %d endpoints", VAL_CHAIN_MAX);
	r->at = add(r->chain, line);
	return 0;
}

/* name = value, or name = "value"; both are cut out of the line. */
static int
split(char *line, char **ret_value, struct err *err)
{
	char *eq = strchr(line, '='), *end, *value;

	if (eq == NULL)
		return err_set(err, ERR_SYNTAX, "not of the form name = value");
	for (end = eq; end > line && isblank((unsigned char)end[-1]); end--)
		continue;
	*end = '\0';
	for (value = eq + 1; isblank((unsigned char)*value); value++)
		continue;
	if (*value == '"') {
		value++;
		end = strchr(value, '"');
		if (end == NULL || end[1 + strspn(end + 1, " \t")] != '\0')
			return err_set(err, ERR_SYNTAX, "a quote is open");
		*end = '\0';
	}
	if (strpbrk(value, "\"\\") != NULL)
		return err_set(err, ERR_SYNTAX,
		    "quotes and backslashes stand in no value");
	*ret_value = value;
	return 0;
}

static int
read_line(struct reading *r, char *line, struct err *err)
{
	size_t n, k;
	int64_t number;
	char *value;
	int rc;

	line += strspn(line, " \t");
	for (n = strlen(line); n > 0 && strchr(" \t\r", line[n - 1]); n--)
		line[n - 1] = '\0';
	if (line[0] == '\0' || line[0] == '#')
		return 0;
	if (line[0] == '[')
		return open_section(r, line, err);
	rc = split(line, &value, err);
	if (rc < 0)
		return rc;
	if (r->at == NULL) {
		if (strcmp(line, "quorum") != 0)
			return err_set(err, ERR_UNKNOWN_NAME, "only quorum "
			    "stands before the first [NAME], not '%s'", line);
		if (text_to_i64(value, 1, VAL_CHAIN_MAX, &number) < 0)
			return err_set(err, ERR_RANGE,
			    "quorum is a number from 1 to %d", VAL_CHAIN_MAX);
		r->chain->setup.quorum = (uint32_t)number;
		return 0;
	}
	for (k = 0; k < AEG_NELEM(settings); k++)
		if (strcmp(line, settings[k].name) == 0)
			return set(r, &settings[k], value, err);
	return err_set(err, ERR_UNKNOWN_NAME, "no such setting: '%s'", line);
}

static int
check_whole(const struct val_chain *c, const char *name, struct err *err)
{
	size_t i;

	if (c->setup.n == 0)
		return err_set(err, ERR_SYNTAX, "%s: no [NAME] in it", name);
	for (i = 0; i < c->setup.n; i++)
		if (c->setup.endpoints[i].url[0] == '\0')
			return err_set(err, ERR_SYNTAX, "%s: [%s] has no url",
			    name, c->setup.endpoints[i].name);
	if (c->setup.quorum > c->setup.n)
		return err_set(err, ERR_RANGE,
		    "%s: quorum is %u, and there are %zu endpoints", name,
		    c->setup.quorum, c->setup.n);
	return 0;
}

static int
parse(struct reading *r, const char *name, const char *text, size_t len,
    struct err *err)
{
	AEG_AUTOFREE char *copy = NULL;
	char *line, *next;
	int number = 0, rc = 0;

	if (len > 0 && text_needs_inert(text, len, TEXT_INERT_NEWLINE))
		return err_set(err, ERR_SYNTAX,
		    "%s: control or invisible characters", name);
	copy = xmemdup0(text, len);
	for (line = copy; rc == 0 && line != NULL; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		number++;
		rc = read_line(r, line, err);
	}
	if (rc < 0) {
		err_context(err, "%s:%d", name, number);
		return rc;
	}
	return check_whole(r->chain, name, err);
}

int
val_chain_parse(const char *name, const char *text, size_t len,
    struct val_chain *ret, struct err *err)
{
	struct val_chain c = VAL_CHAIN_INIT;
	struct reading r = { .chain = &c };
	int rc;

	begin(&c);
	rc = parse(&r, name, text, len, err);
	if (rc < 0)
		val_chain_done(&c);
	else
		*ret = c;
	return rc;
}

/* The one endpoint of the settings. */
static int
single(struct reading *r, const struct conf *conf, struct err *err)
{
	static const struct {
		enum conf_id id;
		const char *name;
	} from[] = {
		{ CONF_ENDPOINT, "url" }, { CONF_MODEL, "model" },
		{ CONF_FORMAT, "format" }, { CONF_KEY_FILE, "key-file" },
		{ CONF_CA_FILE, "ca-file" }, { CONF_PROXY, "proxy" },
		{ CONF_KEY_ENV, "key-env" },
		{ CONF_KEY_CREDENTIAL, "key-credential" },
	};
	size_t i, k;
	int rc = 0;

	r->at = add(r->chain, "endpoint");
	for (i = 0; rc == 0 && i < AEG_NELEM(from); i++) {
		const char *value = conf_str(conf, from[i].id);

		for (k = 0; strcmp(settings[k].name, from[i].name) != 0; k++)
			continue;
		if (value[0] != '\0')
			rc = set(r, &settings[k], value, err);
	}
	return rc;
}

static int
load_file(struct reading *r, const char *path, struct err *err)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	int rc = conf_trust_read(path, r->managed ? (uid_t)-1 : getuid(),
	    VAL_CHAIN_FILE_MAX, &text, err);

	if (rc < 0) {
		err_context(err, "chain");
		return rc;
	}
	return parse(r, path, text.data != NULL ? text.data : "", text.len,
	    err);
}

int
val_chain_load(const struct conf *conf, const char *store,
    const char *profile, bool take_keys, struct val_chain *ret,
    struct err *err)
{
	struct val_chain c = VAL_CHAIN_INIT;
	struct reading r = { .chain = &c, .managed = conf_managed(conf),
		.take_keys = take_keys };
	int rc = 0;

	begin(&c);
	if (conf_str(conf, CONF_CHAIN)[0] != '\0')
		rc = load_file(&r, conf_str(conf, CONF_CHAIN), err);
	else if (conf_str(conf, CONF_ENDPOINT)[0] != '\0')
		rc = single(&r, conf, err);
	if (rc < 0) {
		val_chain_done(&c);
		return rc;
	}
	c.setup.managed = r.managed;
	c.setup.store = store != NULL ? keep(&c, store) : "";
	c.setup.profile = profile != NULL ? keep(&c, profile) : "";
	c.setup.cache_ttl_s = (uint32_t)conf_int(conf, CONF_ASK_CACHE_TTL);
	c.setup.cache_rows = (uint32_t)conf_int(conf, CONF_ASK_CACHE_ROWS);
	c.setup.rate = (uint32_t)conf_int(conf, CONF_ASK_RATE);
	c.setup.host_rate = (uint32_t)conf_int(conf, CONF_ASK_HOST_RATE);
	c.setup.day_cost = (uint64_t)conf_int(conf, CONF_ASK_DAY_COST) * CENT;
	c.setup.host_day_cost = (uint64_t)conf_int(conf,
	    CONF_ASK_HOST_DAY_COST) * CENT;
	*ret = c;
	return 0;
}

void
val_chain_done(struct val_chain *c)
{
	size_t i;

	for (i = 0; i < c->setup.n; i++)
		if (c->setup.endpoints[i].key[0] != '\0')
			explicit_bzero((char *)(uintptr_t)
			    c->setup.endpoints[i].key,
			    strlen(c->setup.endpoints[i].key));
	arena_free(c->arena);
	strv_done(&c->taken);
	*c = (struct val_chain)VAL_CHAIN_INIT;
}
