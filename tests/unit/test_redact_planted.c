/* SPDX-License-Identifier: ISC */
/* Thousands of planted secrets: none comes through, and nothing that a shell
 * would read as more than a piece of a word is lost. */
#include "aegsh/redact.h"
#include "pick.h"
#include "tap.h"

#include <stdint.h>
#include <string.h>

#include "aegsh/base/mem.h"

#define ROUNDS 6000

static const char *const shapes[] = { "%s", "ghp_%s", "glpat-%s", "sk-%s",
    "AKIA%s", "xoxb-%s", "hvs.%s", "npm_%s", "eyJ%s" };
/* %s is the secret; the first four hold it for its shape, too. */
static const char *const places[] = { "export API_TOKEN=%s", "run --token %s",
    "curl -H 'Authorization: Bearer %s' https://x", "curl -u me:%s https://x",
    "PASSWORD='%s' run", "PASSWORD=\"%s\" run", "git clone https://u:%s@h/x",
    "mysql -u root -p%s db", "sshpass -p %s ssh h", "echo %s | sudo -S id",
    "curl -d '{\"password\":\"%s\"}' u", ("curl -d \"{\\\"secret\\\":\\\"%s"
    "\\\"}\" u"), "x <<E\npassword: %s\nE", "curl 'https://h/?api_key=%s&x=1'",
    "curl -H 'Cookie: a=%s; b=c' u", "docker login -u me -p %s reg",
    "KEY=%s run", "redis-cli -a %s ping", "cd /x && PGPASSWORD=%s psql; ls",
    "for i in 1 2; do DB_PASS=%s ./run $i; done", "x=$(curl -u a:%s h)",
    "{ TOKEN=%s; } 2>/dev/null", "printf '%%s' %s | chpasswd" };

static void
make_secret(char *ret, size_t size)
{
	char random[64];
	size_t n = 34 + pick(20);

	pick_text(random, n);
	memcpy(random + n - 6, "4q7Z19", 6);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(ret, size, shapes[pick(AEG_NELEM(shapes))], random);
#pragma GCC diagnostic pop
}

static size_t
count(const char *text, char c)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == c;
	return n;
}

static bool
keeps_all(const char *in, const char *out)
{
	static const char kept[] = "$`;|&()'\" \t\n{}";
	size_t i;

	for (i = 0; i < sizeof kept - 1; i++)
		if (count(in, kept[i]) != count(out, kept[i]))
			return false;
	return true;
}

int
main(void)
{
	static const unsigned char key[REDACT_KEY_LEN] = { 7 };
	struct redact *r = redact_new();
	unsigned bad = 0, i;

	redact_key_set(r, key);
	for (i = 0; i < ROUNDS; i++) {
		struct buf out = BUF_INIT;
		char secret[160], line[512];
		size_t hits;

		make_secret(secret, sizeof secret);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(line, sizeof line, places[i % AEG_NELEM(places)],
		    secret);
#pragma GCC diagnostic pop
		hits = redact_text(r, &out, line, strlen(line));
		/* Not even a third of it. */
		secret[strlen(secret) - 1] = '\0';
		if (hits == 0 || !keeps_all(line, out.data) ||
		    strstr(out.data, secret + 2 * strlen(secret) / 3) !=
		    NULL) {
			bad++;
			printf("# %s\n# %s\n", line, out.data);
		}
		buf_done(&out);
	}
	IS_INTN(bad, 0, "planted secrets that came through");
	OKF(i == ROUNDS, "%d were planted", ROUNDS);
	redact_free(r);
	return tap_done();
}
