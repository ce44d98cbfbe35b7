/* SPDX-License-Identifier: ISC */
/*
 * Secrets that are known by the name in front of them: NAME=value,
 * --name value, "name": "value".
 */
#include "redact_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

#define NAME_SIZE 64
#define RANDOM_LEAST 16	/* bytes of a value whose name says little */
#define RANDOM_MOST ((size_t)1024)	/* of it that are looked at */

static bool
ends_with(const char *name, const char *tail)
{
	size_t n = strlen(name), t = strlen(tail);

	return n >= t && strcmp(name + n - t, tail) == 0;
}

/* In capitals, with "_" for what joins words; false: too long for one. */
static bool
fold(char ret[NAME_SIZE], const char *p, size_t len)
{
	size_t i;

	if (len == 0 || len >= NAME_SIZE)
		return false;
	for (i = 0; i < len; i++)
		ret[i] = p[i] == '-' || p[i] == '.' ? '_' :
		    (char)toupper((unsigned char)p[i]);
	ret[len] = '\0';
	return true;
}

bool
redact_name_is_secret(const struct redact *r, const char *p, size_t len)
{
	static const char *const words[] = { "PASSWORD", "PASSWD",
	    "PASSPHRASE", "PASSCODE", "SECRET", "TOKEN", "APIKEY", "API_KEY",
	    "ACCESS_KEY", "ACCOUNTKEY", "ACCOUNT_KEY", "PRIVATE_KEY",
	    "AUTH_KEY", "AUTHKEY", "CREDENTIAL", "STOREPASS", "KEYPASS",
	    "ENCRYPTION_KEY", "SIGNING_KEY", "WEBHOOK_URL", "DATABASE_PASS",
	    "DB_PASS" };
	static const char *const ends[] = { "_PASS", "_PWD", "_PW", "_PSK" };
	static const char *const whole[] = { "PASS", "PWD", "PSK",
	    "SSHPASS" };
	static const char *const not_ends[] = { "FILE", "PATH", "DIR",
	    "STDIN", "COMMAND", "CMD", "PROMPT", "ENV", "NAME", "_ID",
	    "URI", "FD", "POLICY", "TYPE", "LENGTH", "TTL", "EXPIRY",
	    "COUNT", "MAX_TOKENS", "ENABLED", "SECONDS",
	    "NOPASSWD", "NOPASSWORD" };
	const struct redact_rules *own = r != NULL ? r->rules : NULL;
	char name[NAME_SIZE];
	size_t i;

	if (!fold(name, p, len))
		return false;
	for (i = 0; own != NULL && i < own->n_not_names; i++)
		if (strcmp(name, own->not_names[i]) == 0)
			return false;
	for (i = 0; own != NULL && i < own->n_names; i++)
		if (strstr(name, own->names[i]) != NULL)
			return true;
	for (i = 0; i < AEG_NELEM(not_ends); i++)
		if (ends_with(name, not_ends[i]))
			return false;
	if (ends_with(name, "URL") && !ends_with(name, "WEBHOOK_URL"))
		return false;
	for (i = 0; i < AEG_NELEM(words); i++)
		if (strstr(name, words[i]) != NULL)
			return true;
	for (i = 0; i < AEG_NELEM(ends); i++)
		if (ends_with(name, ends[i]) && strlen(name) >
		    strlen(ends[i]))
			return true;
	return TEXT_AMONG(name, whole);
}

/* A name that only sometimes announces one: then the value must look it. */
static bool
name_is_hint(const char *p, size_t len)
{
	static const char *const hints[] = { "KEY", "AUTH", "PASS", "PW",
	    "CRED", "CREDS", "SIG", "SIGNATURE", "SESSION", "SESSIONID", "SID",
	    "COOKIE", "PSK", "PIN", "CODE", "SALT", "BEARER", "JWT", "K" };
	static const char *const ends[] = { "_KEY", "_AUTH", "_CREDS", "_SIG",
	    "_SESSION", "_SALT", "_JWT", "_COOKIE", "_DSN" };
	char name[NAME_SIZE];
	size_t i;

	if (!fold(name, p, len))
		return false;
	if (TEXT_AMONG(name, hints))
		return true;
	for (i = 0; i < AEG_NELEM(ends); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

/* Where the value behind the name starts, or 0 where it is no name of one.
 * dashes are those in front of the name. */
static size_t
value_start(const struct redact_scan *s, size_t from, size_t name_end,
    size_t dashes, bool *ret_next_word)
{
	size_t i = name_end;

	*ret_next_word = false;
	if (redact_at(s, i, "=") || redact_word_is(s, i, "+=", false)) {
		i += s->p[i] == '+' ? 2 : 1;
	} else if (dashes > 0 && redact_spaces(s, i) > 0) {
		i += redact_spaces(s, i);
		*ret_next_word = true;
		if (redact_at(s, i, "-"))
			return 0;
	} else {
		i += redact_quote(s, i);
		i += redact_spaces(s, i);
		if (!redact_at(s, i, ":"))
			return 0;
		i++;
		i += redact_spaces(s, i);
	}
	return i + redact_quote(s, i) > from ? i + redact_quote(s, i) : 0;
}

/* Options whose argument is the secret, whatever the program. */
static bool
takes_secret(const struct redact_scan *s, size_t from, size_t len)
{
	static const char *const alone[] = { "password", "passwd",
	    "passphrase", "token", "secret", "api-key", "access-token",
	    "auth-token", "client-secret", "secret-key", "http-password",
	    "authkey", "auth-key", "storepass", "keypass", "apikey",
	    "access-key", "secret-access-key", "private-token", "api-token",
	    "bearer-token", "proxy-password", "ftp-password", "passcode" };
	size_t k;

	for (k = 0; k < AEG_NELEM(alone); k++)
		if (strlen(alone[k]) == len &&
		    redact_word_is(s, from, alone[k], true))
			return true;
	return false;
}

/* The name behind an option of one letter: "-eSSHPASS=…". */
static bool
is_attached(const struct redact_scan *s, size_t from, size_t len,
    size_t dashes)
{
	return dashes == 1 && len > 2 && redact_name_is_secret(s->r,
	    s->p + from + 1, len - 1) && !(len == 4 &&
	    redact_word_is(s, from + 1, "PWD", false));
}

bool
redact_rule_named(struct redact_scan *s)
{
	size_t i = s->i, from, name_end, dashes, n;
	bool sure, next_word;

	if (!redact_at_start(s))
		return false;
	while (redact_at(s, i, "-"))
		i++;
	dashes = i - s->i;
	for (from = i; redact_is_name(s, i) || redact_at(s, i, "."); i++)
		continue;
	name_end = i;
	/* Of most words none does. */
	i = value_start(s, from, name_end, dashes, &next_word);
	if (i == 0)
		return false;
	sure = redact_name_is_secret(s->r, s->p + from, name_end - from) ||
	    is_attached(s, from, name_end - from, dashes);
	if (!sure && !name_is_hint(s->p + from, name_end - from))
		return false;
	if (dashes == 0 && name_end - from == 3 &&
	    redact_word_is(s, from, "PWD", false))
		return false;
	if (next_word && sure && !takes_secret(s, from, name_end - from))
		sure = false;
	n = redact_run(s, i, sure ? s->len : RANDOM_MOST);
	if (!sure && !redact_random_looking(s->p + i, n, RANDOM_LEAST))
		return false;
	if (n == RANDOM_MOST)
		n = redact_run(s, i, s->len);
	return redact_replace(s, i, n, sure ? "value" : "random");
}

/* csh's, tmux's: setenv [-g] NAME value. */
bool
redact_rule_setenv(struct redact_scan *s)
{
	static const char *const setters[] = { "setenv", "set-environment" };
	size_t k, i, from;

	if ((s->p[s->i] | 32) != 's' || !redact_at_start(s))
		return false;
	for (k = 0; k < AEG_NELEM(setters); k++)
		if (redact_word_is(s, s->i, setters[k], false))
			break;
	if (k == AEG_NELEM(setters))
		return false;
	i = s->i + strlen(setters[k]);
	while (redact_spaces(s, i) > 0 && redact_at(s, i + redact_spaces(s,
	    i), "-"))
		for (i += redact_spaces(s, i); redact_is_name(s, i); i++)
			continue;
	from = i + redact_spaces(s, i);
	if (from == i)
		return false;
	for (i = from; redact_is_name(s, i); i++)
		continue;
	if (!redact_name_is_secret(s->r, s->p + from, i - from) ||
	    redact_spaces(s, i) == 0)
		return false;
	i += redact_spaces(s, i);
	i += redact_quote(s, i);
	return redact_replace(s, i, redact_run(s, i, s->len), "value");
}
