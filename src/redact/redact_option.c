/* SPDX-License-Identifier: ISC */
/*
 * Secrets that are known by the program that takes them: in an option, or
 * typed into its standard input by the command in front of it.
 */
#include "redact_int.h"

#include <ctype.h>
#include <string.h>

#include "aegsh/base/mem.h"

static const struct redact_option rows[] = {
	{ "mysql", "-p", REDACT_ATTACHED, 0, NULL },
	{ "mariadb", "-p", REDACT_ATTACHED, 0, NULL },
	{ "mysqladmin", "password", REDACT_NEXT, 0, NULL },
	{ "7z", "-p", REDACT_ATTACHED, 0, NULL },
	{ "rar", "-p", REDACT_ATTACHED, 0, NULL },
	{ "rar", "-hp", REDACT_ATTACHED, 0, NULL },
	{ "unrar", "-p", REDACT_ATTACHED, 0, NULL },
	{ "sshpass", "-p", REDACT_BOTH, 0, NULL },
	{ "curl", "-u", REDACT_BOTH, ':', NULL },
	{ "curl", "--user", REDACT_NEXT, ':', NULL },
	{ "curl", "--user=", REDACT_ATTACHED, ':', NULL },
	{ "curl", "-U", REDACT_BOTH, ':', NULL },
	{ "curl", "--proxy-user", REDACT_NEXT, ':', NULL },
	{ "curl", "--oauth2-bearer", REDACT_NEXT, 0, NULL },
	{ "curl", "-b", REDACT_NEXT, '=', NULL },
	{ "curl", "--cookie", REDACT_NEXT, '=', NULL },
	{ "http", "-a", REDACT_NEXT, ':', NULL },
	{ "http", "--auth", REDACT_NEXT, ':', NULL },
	{ "http", "--auth=", REDACT_ATTACHED, ':', NULL },
	{ "xh", "-a", REDACT_NEXT, ':', NULL },
	{ "lftp", "-u", REDACT_NEXT, ',', NULL },
	{ "redis-cli", "-a", REDACT_NEXT, 0, NULL },
	{ "redis-cli", "--pass", REDACT_NEXT, 0, NULL },
	{ "ldap", "-w", REDACT_NEXT, 0, NULL },
	{ "smbclient", "-U", REDACT_BOTH, '%', NULL },
	{ "smbmap", "-p", REDACT_NEXT, 0, NULL },
	{ "rpcclient", "-U", REDACT_BOTH, '%', NULL },
	{ "net", "-U", REDACT_BOTH, '%', NULL },
	{ "mongo", "-p", REDACT_NEXT, 0, NULL },
	{ "cqlsh", "-p", REDACT_NEXT, 0, NULL },
	{ "influx", "-password", REDACT_NEXT, 0, NULL },
	{ "sqlcmd", "-P", REDACT_NEXT, 0, NULL },
	{ "bcp", "-P", REDACT_NEXT, 0, NULL },
	{ "tsql", "-P", REDACT_NEXT, 0, NULL },
	{ "clickhouse", "--password", REDACT_NEXT, 0, NULL },
	{ "zip", "-P", REDACT_NEXT, 0, NULL },
	{ "unzip", "-P", REDACT_NEXT, 0, NULL },
	{ "docker", "-p", REDACT_NEXT, 0, "login" },
	{ "podman", "-p", REDACT_NEXT, 0, "login" },
	{ "skopeo", "--creds", REDACT_NEXT, ':', NULL },
	{ "buildah", "--creds", REDACT_NEXT, ':', NULL },
	{ "helm", "--password", REDACT_NEXT, 0, NULL },
	{ "az", "-p", REDACT_NEXT, 0, "login" },
	{ "oc", "-p", REDACT_NEXT, 0, "login" },
	{ "cf", "-p", REDACT_NEXT, 0, "login" },
	{ "aws", "aws_secret_access_key", REDACT_NEXT, 0, NULL },
	{ "aws", "aws_session_token", REDACT_NEXT, 0, NULL },
	{ "vault", "login", REDACT_NEXT, 0, NULL },
	{ "vault", "unseal", REDACT_NEXT, 0, NULL },
	{ "ngrok", "authtoken", REDACT_NEXT, 0, NULL },
	{ "ngrok", "add-authtoken", REDACT_NEXT, 0, NULL },
	{ "doctl", "-t", REDACT_NEXT, 0, NULL },
	{ "nmcli", "password", REDACT_NEXT, 0, NULL },
	{ "nmcli", "wifi-sec.psk", REDACT_NEXT, 0, NULL },
	{ "ipmitool", "-P", REDACT_NEXT, 0, NULL },
	{ "mosquitto", "-P", REDACT_NEXT, 0, NULL },
	{ "snmp", "-c", REDACT_BOTH, 0, NULL },
	{ "snmp", "-A", REDACT_NEXT, 0, NULL },
	{ "snmp", "-X", REDACT_NEXT, 0, NULL },
	{ "rdesktop", "-p", REDACT_NEXT, 0, NULL },
	{ "xfreerdp", "/p:", REDACT_ATTACHED, 0, NULL },
	{ "keytool", "-storepass", REDACT_NEXT, 0, NULL },
	{ "keytool", "-keypass", REDACT_NEXT, 0, NULL },
	{ "jarsigner", "-storepass", REDACT_NEXT, 0, NULL },
	{ "openssl", "-k", REDACT_NEXT, 0, "enc" },
	{ "openssl", "-K", REDACT_NEXT, 0, "enc" },
	{ "openssl", "pass:", REDACT_ATTACHED, 0, NULL },
	{ "gpg", "--passphrase", REDACT_NEXT, 0, NULL },
	{ "useradd", "-p", REDACT_NEXT, 0, NULL },
	{ "usermod", "-p", REDACT_NEXT, 0, NULL },
	{ "sqlplus", "/", REDACT_ATTACHED, 0, NULL },
	{ "tailscale", "--authkey", REDACT_NEXT, 0, NULL },
	{ "svn", "--password", REDACT_NEXT, 0, NULL },
	{ "ansible-vault", "--vault-password", REDACT_NEXT, 0, NULL },
};

/* A word at the start of the command that is, or (prefix) starts with, this
 * one; directories and quotes in front of it are skipped. */
static bool
command_has(const struct redact_scan *s, const char *word, bool prefix)
{
	size_t i, start, n = strlen(word), end = s->i;

	if (end > s->segment + REDACT_NEAR)
		end = s->segment + REDACT_NEAR;
	for (i = s->segment; i < end;) {
		start = i;
		for (; i < end && !isspace((unsigned char)s->p[i]); i++)
			if (redact_at(s, i, "/'\"\\"))
				start = i + 1;
		if (i - start >= n && memcmp(s->p + start, word, n) == 0 &&
		    (prefix || i - start == n))
			return true;
		i++;
	}
	return false;
}

static bool
take_option(struct redact_scan *s, const struct redact_option *row)
{
	size_t i, n, end;

	if (row->option[0] != s->p[s->i] ||
	    !redact_word_is(s, s->i, row->option, false))
		return false;
	i = s->i + strlen(row->option);
	n = redact_spaces(s, i);
	if (i + n >= s->len ||
	    (row->where & (n > 0 ? REDACT_NEXT : REDACT_ATTACHED)) == 0)
		return false;
	if (!command_has(s, row->command, true) ||
	    (row->needs != NULL && !command_has(s, row->needs, false)))
		return false;
	i += n;
	if (n > 0 && redact_at(s, i, "-"))
		return false;	/* the next option */
	i += redact_quote(s, i);
	end = i + redact_run(s, i, s->len);
	while (row->after != 0 && i < end && s->p[i++] != row->after)
		continue;
	return redact_replace(s, i, end - i, "option");
}

bool
redact_rule_option(struct redact_scan *s)
{
	static struct redact_begins begins;	/* those of the rows */
	const struct redact_rules *own = s->r->rules;
	size_t k;

	if (!redact_at_start(s) || (s->i > 0 && redact_at(s, s->i, "/") &&
	    redact_at(s, s->i - 1, "/")))
		return false;
	for (k = 0; !begins.made && k < AEG_NELEM(rows); k++)
		redact_begins_add(&begins, rows[k].option);
	begins.made = true;
	k = redact_begins_here(&begins, s) ? 0 : AEG_NELEM(rows);
	for (; k < AEG_NELEM(rows); k++)
		if (take_option(s, &rows[k]))
			return true;
	for (k = 0; own != NULL && k < own->n_options; k++)
		if (take_option(s, &own->options[k]))
			return true;
	return false;
}

/* What stands, within sight, behind the pipe and reads a secret. */
static bool
pipe_reads_secret(const struct redact_scan *s, size_t i)
{
	static const char *const readers[] = { "chpasswd",
	    "--password-stdin", "sudo -S", "sudo --stdin", "passwd --stdin",
	    "cryptsetup", "--passphrase-fd 0", "--pinentry-mode",
	    "--with-token", "kinit", "smbpasswd", "secret-tool store",
	    "pass insert", "docker secret create", "podman secret create" };
	size_t end = i + REDACT_NEAR, k;
	bool piped = false;

	for (; i < s->len && i < end && !redact_at(s, i, "\n;&"); i++) {
		if (redact_at(s, i, "|"))
			piped = true;
		for (k = 0; piped && k < AEG_NELEM(readers); k++)
			if (redact_word_is(s, i, readers[k], false))
				return true;
	}
	return false;
}

/* echo SECRET | program: where the word after echo's options starts. */
bool
redact_rule_typed(struct redact_scan *s)
{
	static const char *const writers[] = { "echo ", "printf " };
	size_t k, i, n, colon;

	if (!redact_at_start(s))
		return false;
	for (k = 0; k < AEG_NELEM(writers); k++)
		if (redact_word_is(s, s->i, writers[k], false))
			break;
	if (k == AEG_NELEM(writers) || !pipe_reads_secret(s, s->i))
		return false;
	i = s->i + strlen(writers[k]);
	for (;;) {
		i += redact_spaces(s, i);
		n = redact_run(s, i + redact_quote(s, i), REDACT_NEAR);
		/* Not the secret: options, and printf's format. */
		if (redact_at(s, i, "-") || (n > 0 && n <= 6 &&
		    redact_at(s, i + redact_quote(s, i), "%")))
			i += 2 * redact_quote(s, i) + n;
		else
			break;
	}
	i += redact_quote(s, i);
	n = redact_run(s, i, s->len);
	/* user:password, as chpasswd(8) reads it */
	for (colon = 0; colon < n && s->p[i + colon] != ':'; colon++)
		continue;
	if (colon + 1 == n)
		return false;	/* what follows is not known anyway */
	if (colon + 1 < n) {
		i += colon + 1;
		n -= colon + 1;
	}
	return redact_replace(s, i, n, "typed");
}
