/* SPDX-License-Identifier: ISC */
/*
 * Secrets as values of environment variables, in each of the ways in which a
 * line, a program's words, a state or output has an environment: by the
 * token's own shape in a variable of any name, and by the variable's name
 * whatever the value.  None comes through, and equal ones have equal tags.
 */
#include "aegsh/redact.h"
#include "pick.h"
#include "tap.h"

#include <stdint.h>
#include <string.h>

#include "aegsh/base/mem.h"

/* Vendors' tokens, as they publish them; %s is at least 36 random letters and
 * digits. */
static const char *const shapes[] = { "ghp_%s", "gho_%s", "ghs_%s",
    "github_pat_%s", "glpat-%s", "sk-%s", "sk-ant-api03-%s", "sk_live_%s",
    "rk_live_%s", "AKIA%s", "ASIA%s", "xoxb-%s", "xoxp-%s", "xapp-%s",
    "AIza%s", "ya29.%s", "hvs.%s", "npm_%s", "pypi-%s",
    "eyJ%1$s.eyJ%1$s.%1$s", "SG.%s",
    "shpat_%s", "dop_v1_%1$s%1$s", "dckr_pat_%s", "glsa_%s", "figd_%s",
    "hf_%s",
    "AGE-SECRET-KEY-1%s", "whsec_%s", "tskey-%s" };
static const char *const plain_names[] = { "FOO", "x", "DEPLOY", "CI_VALUE",
    "_", "A1" };
static const char *const secret_names[] = { "API_TOKEN", "DB_PASSWORD",
    "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "apiKey",
    "MYSQL_PWD", "CLIENT_SECRET", "SSHPASS", "VAULT_TOKEN" };

/* N: the variable, V: its value; ^: a NUL byte. */
static const char *const forms[] = { "export N=V", "export N='V'",
    "export N=\"V\"", "N=V", "N=V make -j2", "env N=V true",
    "env -i A=b N=V PATH=/bin sh -c true", "declare -x N=\"V\"",
    "declare -gx N='V'", "typeset -x N=V", "readonly N=V", "local N=V",
    "sudo N=V systemctl restart x", "sudo -E env N=V id",
    "docker run -e N=V image", "docker run --env N=V image",
    "docker run --env=N=V image", "podman run -eN=V image",
    "systemd-run --setenv=N=V id", "kubectl set env deploy/x N=V",
    "ssh h N=V id", "A=1^N=V^B=2^", "A=1\nN=V\nB=2\n", "N=V\n",
    "Environment=\"N=V\"", "Environment=N=V", "{\"N\": \"V\"}",
    "{\"N\":\"V\",\"A\":\"b\"}", "N: V", "  - N=V", "'N=V'", "\"N=V\"",
    "setenv N V", "setenv N 'V'", "tmux setenv -g N V",
    "tmux set-environment -gu N V", "set -x; export N=V; true", "+ export N=V",
    "for i in 1 2; do N=V ./run $i; done", "x=$(N=V id)", "(N=V; export N)",
    "N+=V", "export A=b N=V C=d", "unset A; N=V" };

/* With letters of both cases and digits, as a secret's. */
static void
random_text(char *ret, size_t n)
{
	pick_text(ret, n);
	memcpy(ret + n - 6, "4q7Z19", 6);
}

static void
write_form(struct buf *b, const char *form, const char *name,
    const char *value)
{
	const char *p;

	buf_reset(b);
	for (p = form; *p != '\0'; p++) {
		bool alone = (p == form || strchr(" '\"(=\n^e-;{", p[-1]) !=
		    NULL) && (p[1] == '\0' || strchr(" ='\"+:)\n^;}", p[1]) !=
		    NULL);

		if (*p == 'N' && alone)
			buf_puts(b, name);
		else if (*p == 'V' && (alone || p[-1] == '='))
			buf_puts(b, value);
		else
			buf_putc(b, *p == '^' ? '\0' : *p);
	}
}

static bool
has(const struct buf *b, const char *text, size_t len)
{
	return memmem(b->data, b->len, text, len) != NULL;
}

/* The tag, as ">" ends it, or "". */
static void
tag_of(const struct buf *b, char *ret, size_t size)
{
	const char *p = memmem(b->data, b->len, "<redacted:", 10);
	const char *end = p != NULL ? memchr(p, '>', b->len - (size_t)(p -
	    b->data)) : NULL;
	/* Its last part is the keyed one; kinds are by what announced it. */
	const char *colon = end != NULL ? memrchr(p, ':', (size_t)(end - p)) :
	    NULL;

	snprintf(ret, size, "%.*s", colon != NULL ? (int)(end - colon) : 0,
	    colon != NULL ? colon : "");
}

struct counts {
	unsigned planted, told, tags;
};

static void
plant(const struct redact *r, const char *form, const char *name,
    const char *value, struct counts *c)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT, got = BUF_INIT;
	AEG_AUTO(buf_done) struct buf again = BUF_INIT;
	char tag[64], other[64];
	size_t third = strlen(value) / 3;

	write_form(&text, form, name, value);
	redact_text(r, &got, text.data, text.len);
	c->planted++;
	if (!has(&text, value, strlen(value)) ||
	    has(&got, value + 2 * third, strlen(value) - 2 * third) ||
	    !has(&got, "<redacted:", 10)) {
		if (c->told++ < 12)
			printf("# %s\n# %s\n", text.data, got.data);
		return;
	}
	/* In the first of all the forms, it is the same secret. */
	write_form(&text, forms[0], name, value);
	redact_text(r, &again, text.data, text.len);
	tag_of(&got, tag, sizeof tag);
	tag_of(&again, other, sizeof other);
	if ((tag[0] == '\0' || strcmp(tag, other) != 0) && c->tags++ < 5)
		printf("# %s\n# %s\n", got.data, again.data);
}

static void
by_shape(const struct redact *r)
{
	struct counts c = { 0, 0, 0 };
	size_t i, k;

	for (i = 0; i < AEG_NELEM(forms); i++) {
		for (k = 0; k < AEG_NELEM(shapes); k++) {
			char random[64], value[256];

			random_text(random, 36 + pick(12));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(value, sizeof value, shapes[k], random);
#pragma GCC diagnostic pop
			plant(r, forms[i], plain_names[pick(AEG_NELEM(
			    plain_names))], value, &c);
		}
	}
	OKF(c.told == 0, "of %u tokens %u came through", c.planted, c.told);
	OKF(c.tags == 0, "%u have another tag than elsewhere", c.tags);
}

static void
by_name(const struct redact *r)
{
	struct counts c = { 0, 0, 0 };
	size_t i, k;

	for (i = 0; i < AEG_NELEM(forms); i++) {
		for (k = 0; k < 10 * AEG_NELEM(secret_names); k++) {
			char value[64];

			random_text(value, 12 + pick(40));
			plant(r, forms[i], secret_names[k % AEG_NELEM(
			    secret_names)], value, &c);
		}
	}
	OKF(c.told == 0, "of %u values %u came through", c.planted, c.told);
	OKF(c.tags == 0, "%u have another tag than elsewhere", c.tags);
}

/* A variable of the session: wherever its value stands from then on. */
static void
learned(struct redact *r)
{
	struct counts c = { 0, 0, 0 };
	static const char *const anywhere[] = { "ls V", "cp a/V/b .", "echo V",
	    "^V^", "see (V), there", "V", "\"V\"", "x=V", "a:V:b" };
	size_t i, k;

	for (k = 0; k < 60; k++) {
		char value[64];

		random_text(value, 12 + pick(40));
		redact_learn(r, secret_names[k % AEG_NELEM(secret_names)],
		    value);
		for (i = 0; i < AEG_NELEM(anywhere); i++) {
			AEG_AUTO(buf_done) struct buf b = BUF_INIT;
			AEG_AUTO(buf_done) struct buf got = BUF_INIT;
			const char *p;

			for (p = anywhere[i]; *p != '\0'; p++)
				if (*p == 'V')
					buf_puts(&b, value);
				else
					buf_putc(&b, *p == '^' ? '\0' : *p);
			redact_text(r, &got, b.data, b.len);
			c.planted++;
			if (has(&got, value, strlen(value)) && c.told++ < 5)
				printf("# %s\n", got.data);
		}
	}
	OKF(c.told == 0, "of %u that were learned %u came through", c.planted,
	    c.told);
}

int
main(void)
{
	static const unsigned char key[REDACT_KEY_LEN] = { 7 };
	struct redact *r = redact_new();

	redact_key_set(r, key);
	by_shape(r);
	by_name(r);
	learned(r);
	redact_free(r);
	return tap_done();
}
