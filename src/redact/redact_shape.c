/* SPDX-License-Identifier: ISC */
/* Secrets that are known by their shape, wherever they stand. */
#include "redact_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "aegsh/base/mem.h"

/* The line of a PEM block that begins it, behind its kind; where the base64
 * may start, or 0. */
static size_t
pem_head(const struct redact_scan *s)
{
	static const char begin[] = "-----BEGIN ";
	static const char *const ends[] = { "PRIVATE KEY-----",
	    "PRIVATE KEY BLOCK-----" };
	size_t i = s->i + sizeof begin - 1, words = 0, k;

	if (!redact_word_is(s, s->i, begin, false))
		return 0;
	for (; words++ < 20; i++) {
		for (k = 0; k < AEG_NELEM(ends); k++)
			if (redact_word_is(s, i, ends[k], false))
				return i + strlen(ends[k]);
		if (i >= s->len || !(isupper((unsigned char)s->p[i]) ||
		    redact_at(s, i, " ")))
			return 0;
	}
	return 0;
}

/* PEM (RFC 7468) and OpenPGP's armour: the base64 of a private key, over its
 * lines. */
bool
redact_rule_pem(struct redact_scan *s)
{
	static const char *const fields[] = { "Proc-Type:", "DEK-Info:",
	    "Version:", "Comment:" };
	size_t i = pem_head(s), from, field, k;

	if (i == 0)
		return false;
	for (;;) {
		while (redact_at(s, i, "\r\n") ||
		    redact_word_is(s, i, "\\n", false))
			i += s->p[i] == '\\' ? 2 : 1;
		for (k = 0; k < AEG_NELEM(fields); k++)
			if (redact_word_is(s, i, fields[k], false))
				break;
		if (k == AEG_NELEM(fields))
			break;
		for (field = i; i < s->len && i - field < REDACT_NEAR &&
		    !redact_at(s, i, "\r\n\\"); i++)
			continue;
	}
	for (from = i; i < s->len; i++) {
		if (redact_word_is(s, i, "\\n", false))
			i++;
		else if (!isalnum((unsigned char)s->p[i]) &&
		    !redact_at(s, i, "+/=\r\n"))
			break;
	}
	while (i > from && isspace((unsigned char)s->p[i - 1]))
		i--;
	return i - from >= 40 && redact_replace(s, from, i - from,
	    "private-key");
}

/* scheme://user:password@host (RFC 3986, 3.2.1) */
bool
redact_rule_url(struct redact_scan *s)
{
	size_t i = s->i + 3, end, from;

	if (!redact_word_is(s, s->i, "://", false))
		return false;
	end = i + redact_run(s, i, REDACT_NEAR);
	while (i < end && !redact_at(s, i, ":/@?#"))
		i++;
	if (!redact_at(s, i, ":"))
		return false;
	from = ++i;
	while (i < end && !redact_at(s, i, "/@?#"))
		i++;
	return i < end && redact_at(s, i, "@") &&
	    redact_replace(s, from, i - from, "url-password");
}

/* Addresses that are themselves the secret: whoever knows them may post. */
bool
redact_rule_hook(struct redact_scan *s)
{
	static const char *const hooks[] = { "hooks.slack.com/services/",
	    "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	    "api.telegram.org/bot", "outlook.office.com/webhook/" };
	size_t k, i;

	if (!redact_at_start(s))
		return false;
	for (k = 0; k < AEG_NELEM(hooks); k++)
		if (hooks[k][0] == (s->p[s->i] | 32) &&
		    redact_word_is(s, s->i, hooks[k], true))
			break;
	if (k == AEG_NELEM(hooks))
		return false;
	i = s->i + strlen(hooks[k]);
	return redact_replace(s, i, redact_run(s, i, REDACT_NEAR), "hook");
}

/* Header fields that carry credentials, and their schemes (RFC 9110). */
static size_t
header_name(const struct redact_scan *s)
{
	static const char *const names[] = { "authorization",
	    "proxy-authorization", "x-api-key", "api-key", "x-auth-token",
	    "private-token", "x-gitlab-token", "x-vault-token",
	    "x-goog-api-key", "x-amz-security-token",
	    "x-csrf-token", "dd-api-key", "x-plex-token", "api-token" };
	const struct redact_rules *own = s->r->rules;
	size_t all = AEG_NELEM(names) + (own != NULL ? own->n_headers : 0), k;
	const char *name;

	for (k = 0; k < all; k++) {
		name = k < AEG_NELEM(names) ? names[k] :
		    own->headers[k - AEG_NELEM(names)];
		if ((name[0] | 32) == (s->p[s->i] | 32) &&
		    redact_word_is(s, s->i, name, true) &&
		    redact_at(s, s->i + strlen(name), ":"))
			return strlen(name);
	}
	return 0;
}

bool
redact_rule_header(struct redact_scan *s)
{
	static const char *const schemes[] = { "bearer", "basic", "token",
	    "apikey", "key", "negotiate" };
	size_t k, i, n;

	if (!redact_at_start(s))
		return false;
	n = header_name(s);
	if (n == 0)
		return false;
	i = s->i + n + 1;
	i += redact_spaces(s, i);
	for (k = 0; k < AEG_NELEM(schemes); k++) {
		n = strlen(schemes[k]);
		if (redact_word_is(s, i, schemes[k], true) &&
		    redact_spaces(s, i + n) > 0) {
			i += n + redact_spaces(s, i + n);
			break;
		}
	}
	return redact_replace(s, i, redact_run(s, i, s->len), "header");
}

/* Cookie: name=value; name=value */
bool
redact_rule_cookie(struct redact_scan *s)
{
	static const char name[] = "cookie:";
	bool hit = false;
	size_t i;

	if ((s->p[s->i] | 32) != name[0] || !redact_at_start(s) ||
	    !redact_word_is(s, s->i, name, true))
		return false;
	i = s->i + sizeof name - 1;
	for (;;) {
		i += redact_spaces(s, i);
		while (redact_is_name(s, i) || redact_at(s, i, "."))
			i++;
		if (!redact_at(s, i, "=") || !redact_replace(s, i + 1,
		    redact_run(s, i + 1, s->len), "cookie"))
			return hit;
		hit = true;
		i = s->i;
		if (!redact_at(s, i, ";"))
			return hit;
		i++;
	}
}

/* Tokens that say by their shape whose they are. */
static const struct redact_token shapes[] = {
	{ "ghp_", 20 }, { "gho_", 20 }, { "ghu_", 20 }, { "ghs_", 20 },
	{ "ghr_", 20 }, { "github_pat_", 20 }, { "glpat-", 16 },
	{ "gldt-", 16 }, { "glrt-", 16 }, { "glptt-", 16 }, { "glsoat-", 16 },
	{ "glcbt-", 16 }, { "sk-", 20 }, { "sk_live_", 16 },
	{ "sk_test_", 16 }, { "rk_live_", 16 }, { "rk_test_", 16 },
	{ "whsec_", 16 }, { "xoxb-", 10 }, { "xoxa-", 10 }, { "xoxp-", 10 },
	{ "xoxr-", 10 }, { "xoxs-", 10 }, { "xoxe-", 10 }, { "xapp-", 10 },
	{ "AKIA", 16 }, { "ASIA", 16 }, { "FwoGZX", 40 }, { "AIza", 30 },
	{ "ya29.", 20 }, { "GOCSPX-", 20 }, { "hf_", 20 }, { "npm_", 30 },
	{ "pypi-", 30 }, { "rubygems_", 30 }, { "dop_v1_", 40 },
	{ "doo_v1_", 40 }, { "SG.", 30 }, { "shpat_", 20 }, { "shpca_", 20 },
	{ "shppa_", 20 }, { "shpss_", 20 }, { "hvs.", 20 }, { "hvb.", 20 },
	{ "hvr.", 20 }, { "eyJ", 40 }, { "AGE-SECRET-KEY-1", 30 },
	{ "gsk_", 20 }, { "r8_", 20 }, { "dckr_pat_", 20 }, { "ATATT", 30 },
	{ "ATBB", 20 }, { "lin_api_", 20 }, { "figd_", 20 }, { "ntn_", 30 },
	{ "NRAK-", 20 }, { "NRJS-", 16 }, { "dapi", 30 }, { "dp.pt.", 30 },
	{ "PMAK-", 30 }, { "sntrys_", 30 }, { "glc_", 30 }, { "glsa_", 30 },
	{ "pul-", 40 }, { "sq0csp-", 20 }, { "sq0atp-", 20 },
	{ "tskey-", 16 }, { "xkeysib-", 30 }, { "key-", 32 }, { "rnd_", 24 },
	{ "fio-u-", 30 }, { "CCIPAT_", 20 }, { "bkua_", 30 },
};

/* The token of that shape at s->i: its length, or 0. */
static size_t
token_length(const struct redact_scan *s, const struct redact_token *shape)
{
	size_t n, i;
	bool digit = false;

	if (shape->prefix[0] != s->p[s->i])
		return 0;
	n = strlen(shape->prefix);
	if (!redact_word_is(s, s->i, shape->prefix, false))
		return 0;
	for (i = s->i + n; redact_is_name(s, i) || redact_at(s, i, "."); i++)
		digit = digit || isdigit((unsigned char)s->p[i]);
	/* Words of a language have none. */
	return digit && i - s->i - n >= shape->least ? i - s->i : 0;
}

bool
redact_rule_token(struct redact_scan *s)
{
	static struct redact_begins begins;	/* those shapes */
	const struct redact_rules *own = s->r->rules;
	size_t all = AEG_NELEM(shapes) + (own != NULL ? own->n_tokens : 0);
	size_t k, n;

	for (k = 0; !begins.made && k < AEG_NELEM(shapes); k++)
		redact_begins_add(&begins, shapes[k].prefix);
	begins.made = true;
	if (!redact_at_start(s) && !redact_at(s, s->i - 1, "."))
		return false;
	k = redact_begins_here(&begins, s) ? 0 : AEG_NELEM(shapes);
	for (; k < all; k++) {
		n = token_length(s, k < AEG_NELEM(shapes) ? &shapes[k] :
		    &own->tokens[k - AEG_NELEM(shapes)]);
		if (n > 0)
			return redact_replace(s, s->i, n, "token");
	}
	return false;
}

/* crypt(5): $id$…$hash, quoted or as a field of shadow(5).  The hash alone
 * goes. */
bool
redact_rule_hash(struct redact_scan *s)
{
	static const char *const ids[] = { "$1$", "$2a$", "$2b$", "$2y$",
	    "$5$", "$6$", "$7$", "$y$", "$gy$", "$argon2i$", "$argon2id$" };
	size_t k, i, from, end;

	if (!redact_at(s, s->i, "$") || s->i == 0 ||
	    !redact_at(s, s->i - 1, "':"))
		return false;
	for (k = 0; k < AEG_NELEM(ids); k++)
		if (redact_word_is(s, s->i, ids[k], false))
			break;
	if (k == AEG_NELEM(ids))
		return false;
	from = end = s->i + strlen(ids[k]);
	for (i = from; i < s->len && i - s->i < REDACT_NEAR; i++) {
		if (redact_at(s, i, "$"))
			from = i + 1;
		else if (!isalnum((unsigned char)s->p[i]) &&
		    !redact_at(s, i, "./,=+"))
			break;
		end = i + 1;
	}
	return end - from >= 20 && redact_replace(s, from, end - from,
	    "hash");
}
