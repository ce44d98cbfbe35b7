/* SPDX-License-Identifier: ISC */
/*
 * Secrets leave by no line: what looks like one is replaced before the
 * bytes leave this process.
 *
 * Whoever writes a line could also try to hide a command in what passes
 * for a secret.  Therefore one replaced run never holds white space, a
 * quote, an expansion or a separator: it is at most one piece of one word,
 * and the rest stays to be judged.
 */
#include "validator_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/mem.h"

/* How far is looked around a place; more would make the work quadratic. */
#define NEAR ((size_t)512)

struct scan {
	const char *p;
	size_t len, i;		/* i: the next byte to look at */
	size_t segment;		/* where the command around it starts */
	struct buf *out;
	size_t hits;
};

static bool
at(const struct scan *s, size_t i, const char *set)
{
	return i < s->len && s->p[i] != '\0' && strchr(set, s->p[i]) != NULL;
}

static bool
is_name(const struct scan *s, size_t i)
{
	return i < s->len && (isalnum((unsigned char)s->p[i]) ||
	    s->p[i] == '_' || s->p[i] == '-');
}

/* A name or an option can start here. */
static bool
at_start(const struct scan *s)
{
	return s->i == 0 || (!is_name(s, s->i - 1) && s->p[s->i - 1] != '.');
}

/* The literal that starts at i: up to what the shell reads as more, or up
 * to most bytes. */
static size_t
run(const struct scan *s, size_t i, size_t most)
{
	size_t start = i;

	for (; i < s->len && i - start < most; i++) {
		if (isspace((unsigned char)s->p[i]) || at(s, i, "'\"`$;|&<>()"))
			break;
		if (s->p[i] == '\\' &&
		    !(i + 1 < s->len && isalnum((unsigned char)s->p[i + 1])))
			break;
	}
	return i - start;
}

static size_t
spaces(const struct scan *s, size_t i)
{
	size_t n = 0;

	while (at(s, i + n, " \t"))
		n++;
	return n;
}

/* An opening or closing quote, with a backslash where it is nested. */
static size_t
quote(const struct scan *s, size_t i)
{
	if (at(s, i, "'\""))
		return 1;
	return at(s, i, "\\") && at(s, i + 1, "'\"") ? 2 : 0;
}

static bool
word_is(const struct scan *s, size_t i, const char *word, bool nocase)
{
	size_t n = strlen(word);

	return s->len - i >= n && (nocase ?
	    strncasecmp(s->p + i, word, n) : memcmp(s->p + i, word, n)) == 0;
}

/* Copy up to `from`, and put a tag in the place of n bytes there. */
static bool
replace(struct scan *s, size_t from, size_t n, const char *kind)
{
	if (n == 0)
		return false;
	buf_put(s->out, s->p + s->i, from - s->i);
	buf_putf(s->out, "<redacted:%s>", kind);
	s->i = from + n;
	s->hits++;
	return true;
}

/* PEM (RFC 7468): the base64 of a private key, over its lines. */
static bool
rule_pem(struct scan *s)
{
	static const char begin[] = "-----BEGIN ";
	static const char end[] = "PRIVATE KEY-----";
	size_t i = s->i, from, words = 0, field;

	if (!word_is(s, i, begin, false))
		return false;
	for (i += sizeof begin - 1; !word_is(s, i, end, false); i++)
		if (i >= s->len || words++ > 20 ||
		    !(isupper((unsigned char)s->p[i]) || at(s, i, " ")))
			return false;
	i += sizeof end - 1;
	for (;;) {
		while (at(s, i, "\r\n") || word_is(s, i, "\\n", false))
			i += s->p[i] == '\\' ? 2 : 1;
		if (!word_is(s, i, "Proc-Type:", false) &&
		    !word_is(s, i, "DEK-Info:", false))
			break;
		for (field = i; i < s->len && i - field < NEAR &&
		    !at(s, i, "\r\n\\"); i++)
			continue;
	}
	for (from = i; i < s->len; i++) {
		if (word_is(s, i, "\\n", false))
			i++;
		else if (!isalnum((unsigned char)s->p[i]) &&
		    !at(s, i, "+/=\r\n"))
			break;
	}
	while (i > from && isspace((unsigned char)s->p[i - 1]))
		i--;
	return i - from >= 40 && replace(s, from, i - from, "private-key");
}

/* scheme://user:password@host (RFC 3986, 3.2.1) */
static bool
rule_url(struct scan *s)
{
	size_t i = s->i + 3, end, from;

	if (!word_is(s, s->i, "://", false))
		return false;
	end = i + run(s, i, NEAR);
	while (i < end && !at(s, i, ":/@?#"))
		i++;
	if (!at(s, i, ":"))
		return false;
	from = ++i;
	while (i < end && !at(s, i, "/@?#"))
		i++;
	return i < end && at(s, i, "@") &&
	    replace(s, from, i - from, "url-password");
}

/* Header fields that carry credentials, and their schemes (RFC 9110). */
static bool
rule_header(struct scan *s)
{
	static const char *const names[] = { "authorization",
	    "proxy-authorization", "x-api-key", "api-key", "x-auth-token",
	    "private-token", "x-gitlab-token", "x-vault-token",
	    "x-goog-api-key", "x-amz-security-token" };
	static const char *const schemes[] = { "bearer", "basic", "token",
	    "apikey", "key", "negotiate" };
	size_t k, i, n;

	if (!at_start(s))
		return false;
	for (k = 0; k < AEG_NELEM(names); k++)
		if (word_is(s, s->i, names[k], true) &&
		    at(s, s->i + strlen(names[k]), ":"))
			break;
	if (k == AEG_NELEM(names))
		return false;
	i = s->i + strlen(names[k]) + 1;
	i += spaces(s, i);
	for (k = 0; k < AEG_NELEM(schemes); k++) {
		n = strlen(schemes[k]);
		if (word_is(s, i, schemes[k], true) &&
		    spaces(s, i + n) > 0) {
			i += n + spaces(s, i + n);
			break;
		}
	}
	return replace(s, i, run(s, i, s->len), "header");
}

/* Cookie: name=value; name=value */
static bool
rule_cookie(struct scan *s)
{
	static const char name[] = "cookie:";
	bool hit = false;
	size_t i;

	if (!at_start(s) || !word_is(s, s->i, name, true))
		return false;
	i = s->i + sizeof name - 1;
	for (;;) {
		i += spaces(s, i);
		while (is_name(s, i) || at(s, i, "."))
			i++;
		if (!at(s, i, "=") || !replace(s, i + 1, run(s, i + 1, s->len),
		    "cookie"))
			return hit;
		hit = true;
		i = s->i;
		if (!at(s, i, ";"))
			return hit;
		i++;
	}
}

/* Tokens that say by their shape whose they are. */
static bool
rule_token(struct scan *s)
{
	static const struct {
		const char *prefix;
		size_t least;		/* bytes after the prefix */
	} shapes[] = {
		{ "ghp_", 20 }, { "gho_", 20 }, { "ghu_", 20 },
		{ "ghs_", 20 }, { "ghr_", 20 }, { "github_pat_", 20 },
		{ "glpat-", 16 }, { "gldt-", 16 }, { "glrt-", 16 },
		{ "sk-", 20 }, { "sk_live_", 16 }, { "sk_test_", 16 },
		{ "rk_live_", 16 }, { "whsec_", 16 }, { "xoxb-", 10 },
		{ "xoxa-", 10 }, { "xoxp-", 10 }, { "xoxr-", 10 },
		{ "xoxs-", 10 }, { "xapp-", 10 }, { "AKIA", 16 },
		{ "ASIA", 16 }, { "AIza", 30 }, { "ya29.", 20 },
		{ "GOCSPX-", 20 }, { "hf_", 20 }, { "npm_", 30 },
		{ "pypi-", 30 }, { "dop_v1_", 40 }, { "SG.", 30 },
		{ "shpat_", 20 }, { "hvs.", 20 }, { "eyJ", 40 },
		{ "AGE-SECRET-KEY-1", 30 }, { "gsk_", 20 }, { "r8_", 20 },
		{ "dckr_pat_", 20 }, { "ATATT", 30 }, { "lin_api_", 20 },
	};
	bool digit = false;
	size_t k, i, n;

	if (!at_start(s) && !at(s, s->i - 1, "."))
		return false;
	for (k = 0; k < AEG_NELEM(shapes); k++) {
		if (!word_is(s, s->i, shapes[k].prefix, false))
			continue;
		n = strlen(shapes[k].prefix);
		for (i = s->i + n; is_name(s, i) || at(s, i, "."); i++)
			digit = digit || isdigit((unsigned char)s->p[i]);
		/* Words of a language have none. */
		if (digit && i - s->i - n >= shapes[k].least)
			return replace(s, s->i, i - s->i, "token");
	}
	return false;
}

/* A name that announces a secret, and not where one is kept. */
static bool
name_is_secret(const char *p, size_t len)
{
	static const char *const words[] = { "PASSWORD", "PASSWD",
	    "PASSPHRASE", "SECRET", "TOKEN", "APIKEY", "API_KEY",
	    "ACCESS_KEY", "PRIVATE_KEY", "AUTH_KEY", "CREDENTIAL" };
	static const char *const ends[] = { "_PASS", "_PWD", "_PW" };
	static const char *const not_ends[] = { "FILE", "PATH", "DIR",
	    "STDIN", "COMMAND", "CMD", "PROMPT", "ENV", "NAME", "_ID", "URL",
	    "URI", "FD", "POLICY", "TYPE", "LENGTH", "TTL", "EXPIRY" };
	char name[64];
	size_t i, n;

	if (len >= sizeof name)
		return false;
	for (i = 0; i < len; i++)
		name[i] = p[i] == '-' || p[i] == '.' ? '_' :
		    (char)toupper((unsigned char)p[i]);
	name[len] = '\0';
	for (i = 0; i < AEG_NELEM(not_ends); i++) {
		n = strlen(not_ends[i]);
		if (len >= n && strcmp(name + len - n, not_ends[i]) == 0)
			return false;
	}
	for (i = 0; i < AEG_NELEM(words); i++)
		if (strstr(name, words[i]) != NULL)
			return true;
	for (i = 0; i < AEG_NELEM(ends); i++) {
		n = strlen(ends[i]);
		if (len > n && strcmp(name + len - n, ends[i]) == 0)
			return true;
	}
	return strcmp(name, "PASS") == 0 || strcmp(name, "PWD") == 0;
}

/* NAME=value, --name=value, "name": "value", name: value; also the words
 * --name value, where the name can mean nothing else. */
static bool
rule_named(struct scan *s)
{
	static const char *const alone[] = { "password", "passwd",
	    "passphrase", "token", "secret", "api-key", "access-token",
	    "auth-token", "client-secret", "secret-key", "http-password" };
	size_t i = s->i, k, from, name_end, dashes;

	if (!at_start(s))
		return false;
	while (at(s, i, "-"))
		i++;
	dashes = i - s->i;
	for (from = i; is_name(s, i) || at(s, i, "."); i++)
		continue;
	name_end = i;
	if (name_end == from || !name_is_secret(s->p + from, name_end - from) ||
	    (dashes == 0 && name_end - from == 3))	/* PWD itself */
		return false;
	if (at(s, i, "=") || word_is(s, i, "+=", false)) {
		i += s->p[i] == '+' ? 2 : 1;
	} else if (dashes == 2 && spaces(s, i) > 0) {
		i += spaces(s, i);
		for (k = 0; k < AEG_NELEM(alone); k++)
			if (strlen(alone[k]) == name_end - from &&
			    word_is(s, from, alone[k], true))
				break;
		if (k == AEG_NELEM(alone) || at(s, i, "-"))
			return false;
	} else {
		i += quote(s, i);
		i += spaces(s, i);
		if (!at(s, i, ":"))
			return false;
		i++;
		i += spaces(s, i);
	}
	i += quote(s, i);
	return replace(s, i, run(s, i, s->len), "value");
}

/* Options of well-known programs that take a password. */
enum where { ATTACHED = 1, NEXT = 2, BOTH = 3 };

static const struct option_row {
	const char *command;	/* starts the name of the program */
	const char *option;
	enum where where;
	char after;		/* the secret starts behind this byte */
	const char *needs;	/* a word that must stand between, or NULL */
} option_rows[] = {
	{ "mysql", "-p", ATTACHED, 0, NULL },
	{ "mariadb", "-p", ATTACHED, 0, NULL },
	{ "7z", "-p", ATTACHED, 0, NULL },
	{ "sshpass", "-p", BOTH, 0, NULL },
	{ "curl", "-u", BOTH, ':', NULL },
	{ "curl", "--user", NEXT, ':', NULL },
	{ "curl", "--user=", ATTACHED, ':', NULL },
	{ "curl", "-U", BOTH, ':', NULL },
	{ "curl", "--proxy-user", NEXT, ':', NULL },
	{ "redis-cli", "-a", NEXT, 0, NULL },
	{ "ldap", "-w", NEXT, 0, NULL },
	{ "smbclient", "-U", BOTH, '%', NULL },
	{ "mongo", "-p", NEXT, 0, NULL },
	{ "zip", "-P", NEXT, 0, NULL },
	{ "unzip", "-P", NEXT, 0, NULL },
	{ "docker", "-p", NEXT, 0, "login" },
	{ "podman", "-p", NEXT, 0, "login" },
};

/* A word at the start of the command that is, or (prefix) starts with, this
 * one; directories and quotes in front of it are skipped. */
static bool
command_has(const struct scan *s, const char *word, bool prefix)
{
	size_t i, start, n = strlen(word), end = s->i;

	if (end > s->segment + NEAR)
		end = s->segment + NEAR;
	for (i = s->segment; i < end;) {
		start = i;
		for (; i < end && !isspace((unsigned char)s->p[i]); i++)
			if (at(s, i, "/'\"\\"))
				start = i + 1;
		if (i - start >= n && memcmp(s->p + start, word, n) == 0 &&
		    (prefix || i - start == n))
			return true;
		i++;
	}
	return false;
}

static bool
rule_option(struct scan *s)
{
	const struct option_row *row;
	size_t k, i, n, end;

	if (!at_start(s))
		return false;
	for (k = 0; k < AEG_NELEM(option_rows); k++) {
		row = &option_rows[k];
		if (!word_is(s, s->i, row->option, false))
			continue;
		i = s->i + strlen(row->option);
		n = spaces(s, i);
		if (i + n >= s->len ||
		    (row->where & (n > 0 ? NEXT : ATTACHED)) == 0)
			continue;
		if (!command_has(s, row->command, true) ||
		    (row->needs != NULL && !command_has(s, row->needs, false)))
			continue;
		i += n;
		i += quote(s, i);
		end = i + run(s, i, s->len);
		while (row->after != 0 && i < end && s->p[i++] != row->after)
			continue;
		if (replace(s, i, end - i, "option"))
			return true;
	}
	return false;
}

size_t
val_redact(struct buf *ret, const char *text, size_t len)
{
	static bool (*const rules[])(struct scan *) = { rule_pem, rule_url,
	    rule_header, rule_cookie, rule_token, rule_named, rule_option };
	struct scan s = { .p = text, .len = len, .out = ret };
	size_t k;

	while (s.i < len) {
		for (k = 0; k < AEG_NELEM(rules); k++)
			if (rules[k](&s))
				break;
		if (k < AEG_NELEM(rules))
			continue;
		if (at(&s, s.i, ";|&\n("))
			s.segment = s.i + 1;
		buf_putc(ret, text[s.i++]);
	}
	return s.hits;
}
