/* SPDX-License-Identifier: ISC */
#include "aegsh/redact.h"
#include "tap.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "aegsh/base/mem.h"

#define B64 "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB"

/* A line and what leaves of it; NULL: it leaves as it is. */
static const struct {
	const char *in, *out;
} rows[] = {
	/* header fields */
	{ "curl -H 'Authorization: Bearer abc.def' https://x",
	    "curl -H 'Authorization: Bearer <redacted:header>' https://x" },
	{ "curl -H \"authorization:Basic dXNlcjpwYXNz\"",
	    "curl -H \"authorization:Basic <redacted:header>\"" },
	{ "curl -H 'X-Api-Key: k1234' u",
	    "curl -H 'X-Api-Key: <redacted:header>' u" },
	{ "curl -H \"Authorization: Bearer $TOKEN\"", NULL },
	{ "curl -H \"Authorization: Bearer $(rm -rf /)\"", NULL },
	{ "curl -H 'Cookie: sid=abc; theme=dark' u",
	    "curl -H 'Cookie: sid=<redacted:cookie>; "
	    "theme=<redacted:cookie>' u" },
	{ "echo Cookie: a=b; X=1 rm -rf /",
	    "echo Cookie: a=<redacted:cookie>; X=<redacted:cookie> rm -rf /" },
	/* URLs */
	{ "git clone https://me:hunter2@host/r.git",
	    "git clone https://me:<redacted:url-password>@host/r.git" },
	{ "psql postgres://u:p%40ss@db:5432/x",
	    "psql postgres://u:<redacted:url-password>@db:5432/x" },
	{ "curl http://host:8080/a@b", NULL },
	{ "curl http://host/a:b@c", NULL },
	{ "curl http://u:$(id)@h/", NULL },
	{ "curl 'http://u:p;id@h/'", NULL },
	/* private keys */
	{ "echo '-----BEGIN PRIVATE KEY-----\n" B64 "\n" B64 "\nAb==\n"
	    "-----END PRIVATE KEY-----' >k",
	    "echo '-----BEGIN PRIVATE KEY-----\n<redacted:private-key>\n"
	    "-----END PRIVATE KEY-----' >k" },
	{ "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
	    "DEK-Info: AES-128-CBC,00\n\n" B64 "\n"
	    "-----END RSA PRIVATE KEY-----",
	    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
	    "DEK-Info: AES-128-CBC,00\n\n<redacted:private-key>\n"
	    "-----END RSA PRIVATE KEY-----" },
	{ "K=\"-----BEGIN OPENSSH PRIVATE KEY-----\\n" B64 "\\n-----END",
	    "K=\"-----BEGIN OPENSSH PRIVATE KEY-----\\n"
	    "<redacted:private-key>-----END" },
	{ "-----BEGIN PRIVATE KEY-----\n" B64 "\nrm -rf /\n-----END",
	    "-----BEGIN PRIVATE KEY-----\n<redacted:private-key> -rf /\n"
	    "-----END" },
	{ "-----BEGIN PRIVATE KEY-----\nreboot\n-----END", NULL },
	{ "-----BEGIN CERTIFICATE-----\n" B64, NULL },
	/* shapes */
	{ "export X=ghp_0123456789abcdefghijABCDEFGHIJ012345",
	    "export X=<redacted:token>" },
	{ "git clone https://ghp_0123456789abcdefghijABCDEFGHIJ@github.com/x",
	    "git clone https://<redacted:token>@github.com/x" },
	{ "aws configure set k AKIAIOSFODNN7EXAMPLE",
	    "aws configure set k <redacted:token>" },
	{ "echo sk-ant-api03-AAAABBBBCCCCDDDD1111",
	    "echo <redacted:token>" },
	{ "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
	    "x <redacted:token>" },
	{ "pip install sk-learn-contrib-something", NULL },
	{ "ls AKIA", NULL },
	{ "cd task-runner-with-a-long-name-2024", NULL },
	/* names */
	{ "export AWS_SECRET_ACCESS_KEY=wJalr/K7MDENG",
	    "export AWS_SECRET_ACCESS_KEY=<redacted:value>" },
	{ "PGPASSWORD='x y' psql", "PGPASSWORD='<redacted:value> y' psql" },
	{ "DB_PASS=abc ./run", "DB_PASS=<redacted:value> ./run" },
	{ "MYSQL_PWD=\"abc\" mysql", "MYSQL_PWD=\"<redacted:value>\" mysql" },
	{ "TOKEN=$(cat f) run", NULL },
	{ "TOKEN=`cat f` run", NULL },
	{ "TOKEN=\"$OTHER\" run", NULL },
	{ "TOKEN=abc$(rm -rf /) run",
	    "TOKEN=<redacted:value>$(rm -rf /) run" },
	{ "TOKEN=abc;rm -rf /", "TOKEN=<redacted:value>;rm -rf /" },
	{ "X='--password=' ; rm -rf / ; echo 'x'", NULL },
	{ "PWD=/tmp OLDPWD=/x cmd", NULL },
	{ "GITHUB_TOKEN_FILE=/run/t cmd", NULL },
	{ "curl 'https://h/?user=a&api_key=abc&x=1'",
	    "curl 'https://h/?user=a&api_key=<redacted:value>&x=1'" },
	{ "curl -d '{\"user\":\"a\",\"password\": \"abc\"}' u",
	    "curl -d '{\"user\":\"a\",\"password\": "
	    "\"<redacted:value>\"}' u" },
	{ "curl -d \"{\\\"password\\\":\\\"abc\\\"}\" u",
	    "curl -d \"{\\\"password\\\":\\\"<redacted:value>\\\"}\" u" },
	{ "cat <<E\npassword: abc\nE",
	    "cat <<E\npassword: <redacted:value>\nE" },
	{ "read -sp 'Password: ' x", NULL },
	{ "prog --password=abc x", "prog --password=<redacted:value> x" },
	{ "prog --password abc x", "prog --password <redacted:value> x" },
	{ "prog --client-secret \"abc\" x",
	    "prog --client-secret \"<redacted:value>\" x" },
	{ "docker login --password-stdin reg", NULL },
	{ "prog --token --verbose", NULL },
	{ "prog --secret-name abc", NULL },
	/* options of programs */
	{ "mysql -u root -phunter2 db",
	    "mysql -u root -p<redacted:option> db" },
	{ "mysql -u root -p db", NULL },
	{ "/usr/bin/mysqldump -p'hunter2' db",
	    "/usr/bin/mysqldump -p'<redacted:option>' db" },
	{ "mysql -p$(id) db", NULL },
	{ "mkdir -parent/x", NULL },
	{ "mysql db | tar -pxf x", NULL },
	{ "sshpass -p abc ssh h", "sshpass -p <redacted:option> ssh h" },
	{ "sshpass -pabc ssh h", "sshpass -p<redacted:option> ssh h" },
	{ "ssh -p 22 h", NULL },
	{ "curl -u me:abc https://h",
	    "curl -u me:<redacted:option> https://h" },
	{ "curl --user=me:abc https://h",
	    "curl --user=me:<redacted:option> https://h" },
	{ "curl --user-agent a:b https://h", NULL },
	{ "curl -u me https://h:8/x", NULL },
	{ "ps -u me:x", NULL },
	{ "redis-cli -h x -a abc ping",
	    "redis-cli -h x -a <redacted:option> ping" },
	{ "smbclient -U me%abc //h/s",
	    "smbclient -U me%<redacted:option> //h/s" },
	{ "docker login -u me -p abc reg",
	    "docker login -u me -p <redacted:option> reg" },
	{ "docker run -p 80:80 img", NULL },
	{ "openssl rsa -passin pass:abc -in k",
	    "openssl rsa -passin pass:<redacted:value> -in k" },
	/* what must be seen */
	{ "echo 'x ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/x", NULL },
	{ "echo \"me:$PW\" | chpasswd", NULL },
	{ "echo me:abc123 | chpasswd", "echo me:<redacted:typed> | chpasswd" },
	/* plain lines */
	{ "", NULL },
	{ "ls -la /tmp && echo \"it's fine\" | grep -p x", NULL },
	{ "\xff\xfe\n\n;;", NULL },
};

/* Whatever surrounds them, these bytes always arrive. */
static void
test_never_hidden(void)
{
	static const char *const pieces[] = { "$(rm -rf /)", "`rm -rf /`",
	    "; rm -rf /", "| rm -rf /", "&& rm -rf /", "\nrm -rf /",
	    "<(rm -rf /)", "\" rm -rf /", "' rm -rf /", "\\\nrm -rf /" };
	static const char *const fronts[] = { "TOKEN=", "TOKEN=a", "TOKEN='",
	    "TOKEN=\"", "mysql -p", "mysql -pa", "curl -u a:b", "x --password ",
	    "Authorization: Bearer ", "Cookie: a=b", "https://a:b",
	    "-----BEGIN PRIVATE KEY-----\n" B64, "eyJ" B64, "pass:",
	    "{\"secret\": \"" };
	size_t i, k;

	for (i = 0; i < AEG_NELEM(pieces); i++)
		for (k = 0; k < AEG_NELEM(fronts); k++) {
			AEG_AUTOFREE char *line = xasprintf("%s%s@h",
			    fronts[k], pieces[i]);
			struct buf out = BUF_INIT;

			redact_text(NULL, &out, line, strlen(line));
			OKF(strstr(out.data, " -rf /") != NULL &&
			    (strstr(out.data, "rm") != NULL ||
			    strncmp(fronts[k], "-----", 5) == 0),
			    "row %zu/%zu: the command after a secret stays",
			    i, k);
			buf_done(&out);
		}
}

/* Work grows with the length, not with its square: the longest lines that
 * are sent, made of what the rules look at. */
/* Of a processor: others on the machine are none of its cost. */
static int64_t
spent_ns(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void
test_cost(void)
{
	static const char *const pieces[] = { "-p ", "://", "https://a:b",
	    "Cookie: ", "a=;", "--password ", "-u a:", "TOKEN", "eyJ",
	    "-----BEGIN ", "-----BEGIN PRIVATE KEY-----Proc-Type:", "\"",
	    "curl -u ", "api_key: ", "-", "\\", "x" };
	static char line[32 * 1024];
	int64_t start;
	size_t i, k;

	for (i = 0; i < AEG_NELEM(pieces); i++) {
		struct buf out = BUF_INIT;

		for (k = 0; k < sizeof line; k++)
			line[k] = pieces[i][k % strlen(pieces[i])];
		start = spent_ns();
		redact_text(NULL, &out, line, sizeof line);
		start = spent_ns() - start;
		OKF(start < 2000000000, "'%s' again and again takes %" PRId64
		    " us", pieces[i], start / 1000);
		buf_done(&out);
	}
}

int
main(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(rows); i++) {
		struct buf out = BUF_INIT;
		const char *want = rows[i].out != NULL ? rows[i].out :
		    rows[i].in;
		size_t hits = redact_text(NULL, &out, rows[i].in,
		    strlen(rows[i].in));

		IS_STRN(out.data != NULL ? out.data : "", want, rows[i].in);
		OKF((hits > 0) == (rows[i].out != NULL), "row %zu: count", i);
		buf_done(&out);
	}
	test_never_hidden();
	test_cost();
	return tap_done();
}
