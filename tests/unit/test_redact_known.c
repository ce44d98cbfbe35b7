/* SPDX-License-Identifier: ISC */
/* Tags, the key of the store, learned values, rules of the operator. */
#include "aegsh/redact.h"
#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static char *
redacted(const struct redact *r, const char *text)
{
	struct buf out = BUF_INIT;

	redact_text(r, &out, text, strlen(text));
	return buf_take(&out);
}

#define IS_REDACTED(r, in, want) \
	do { \
		AEG_AUTOFREE char *got_ = redacted((r), (in)); \
		IS_STRN(got_, (want), (in)); \
	} while (0)

static void
test_tags(void)
{
	static const unsigned char one[REDACT_KEY_LEN] = { 1 };
	static const unsigned char two[REDACT_KEY_LEN] = { 2 };
	struct redact *a = redact_new(), *b = redact_new();
	AEG_AUTOFREE char *x = NULL;
	AEG_AUTOFREE char *y = NULL;
	AEG_AUTOFREE char *z = NULL;
	AEG_AUTOFREE char *again = NULL;

	redact_key_set(a, one);
	redact_key_set(b, two);
	x = redacted(a, "A_TOKEN=hunter2");
	y = redacted(a, "mysql -phunter2");
	z = redacted(b, "A_TOKEN=hunter2");
	OKF(strlen(x) == strlen("A_TOKEN=<redacted:value:01234567>"),
	    "a tag is eight digits: %s", x);
	OKF(memcmp(x + 24, y + 25, 8) == 0,
	    "equal secrets have equal tags: %s, %s", x, y);
	OKF(memcmp(x + 24, z + 24, 8) != 0, "another key, another tag: %s",
	    z);
	free(y);
	y = redacted(a, "A_TOKEN=hunter3");
	OKF(memcmp(x + 24, y + 24, 8) != 0, "another secret, another tag");
	again = redacted(a, x);
	IS_STRN(again, x, "what is redacted stays as it is");
	redact_free(a);
	redact_free(b);
}

static void
test_learned(void)
{
	struct redact *r = redact_new();
	AEG_AUTOFREE char *name = NULL;
	int i;

	redact_learn(r, "DB_PASSWORD", "tr0ub4dor");
	IS_REDACTED(r, "./run --with tr0ub4dor now",
	    "./run --with <redacted:value> now");
	IS_REDACTED(r, "echo xtr0ub4dory", "echo x<redacted:value>y");
	redact_learn(r, "HOSTNAME", "web01prod");
	IS_REDACTED(r, "ping web01prod", "ping web01prod");
	redact_learn(r, "SECRET", "shutdown");
	IS_REDACTED(r, "shutdown now", "shutdown now");
	redact_learn(r, "SECRET", "rm2 -rf /");
	IS_REDACTED(r, "rm2 -rf /", "rm2 -rf /");
	redact_learn(r, "SECRET", "a1");
	IS_REDACTED(r, "ls a1", "ls a1");
	redact_learn(r, "SECRET", "/usr/bin/x11perf");
	IS_REDACTED(r, "/usr/bin/x11perf", "/usr/bin/x11perf");
	for (i = 0; i < 3 * REDACT_KNOWN_MAX; i++) {
		free(name);
		name = xasprintf("secret%dvalue", i + 1000);
		redact_learn(r, "A_TOKEN", name);
	}
	IS_REDACTED(r, name, "<redacted:value>");
	IS_REDACTED(r, "ls tr0ub4dor", "ls tr0ub4dor");
	redact_forget(r);
	IS_REDACTED(r, name, name);
	redact_free(r);
}

static void
test_rules(void)
{
	static const char good[] = "# ours\nname kundennr\nnot-name TOKEN_X\n"
	    "token ACME- 16   # badge\nheader x-acme\n\n"
	    "option acmectl -z next\noption acmectl --as attached after :\n";
	static const char *const bad[] = { "nonsense", "name", "name a b",
	    "token A 20", "token ACME- 3", "token ACME- x", "header",
	    "option a b", "option a b sometimes", "option a b next after",
	    "option a b next after xy", "option a b next before x",
	    ("name aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff"
	    "ggggggggg"), "name a b c d e f g h i j" };
	struct redact *r = redact_new();
	struct err err = ERR_INIT;
	struct buf many = BUF_INIT;
	size_t i;

	IS_INT(redact_rules_add(r, "F", good, sizeof good - 1, &err), 0);
	IS_REDACTED(r, "x --kundennr=4711 y",
	    "x --kundennr=<redacted:value> y");
	IS_REDACTED(r, "TOKEN_X=abc run", "TOKEN_X=abc run");
	IS_REDACTED(r, "show ACME-0123456789abcdef",
	    "show <redacted:token>");
	IS_REDACTED(r, "curl -H 'X-Acme: abc' u",
	    "curl -H 'X-Acme: <redacted:header>' u");
	IS_REDACTED(r, "acmectl -z abc on", "acmectl -z <redacted:option> on");
	IS_REDACTED(r, "acmectl --as=me:abc on",
	    "acmectl --as=me:<redacted:option> on");
	IS_REDACTED(r, "other -z abc", "other -z abc");
	for (i = 0; i < AEG_NELEM(bad); i++) {
		AEG_AUTOFREE char *text = xasprintf("name fine\n%s\n", bad[i]);

		err = (struct err)ERR_INIT;
		OKF(redact_rules_add(r, "F", text, strlen(text), &err) < 0 &&
		    strncmp(err.text, "F:2: ", 5) == 0, "refused: %s (%s)",
		    bad[i], err.text);
	}
	IS_REDACTED(r, "FINE=abc", "FINE=abc");
	IS_INT(redact_rules_add(r, "F", "name a\0b", 8, &err), ERR_SYNTAX);
	for (i = 0; i <= REDACT_RULES_MAX; i++)
		buf_putf(&many, "name x%zu\n", i);
	IS_INT(redact_rules_add(r, "F", many.data, many.len, &err),
	    ERR_TOO_LONG);
	buf_done(&many);
	redact_free(r);
}

static void
test_key(void)
{
	const char *dir = scratch_new();
	AEG_AUTOFREE char *path = scratch_path("redact.key");
	AEG_AUTOFREE char *x = NULL;
	AEG_AUTOFREE char *y = NULL;
	struct redact *a = NULL, *b = NULL;
	struct err err = ERR_INIT;
	struct stat st;

	setenv("AEGSH_TEST_ROOT", dir, 1);
	IS_INT(redact_open(dir, &a, &err), 0);
	IS_INT(redact_open(dir, &b, &err), 0);
	if (a == NULL || b == NULL) {
		OKF(false, "%s", err.text);
		return;
	}
	x = redacted(a, "A_TOKEN=hunter2");
	y = redacted(b, "A_TOKEN=hunter2");
	IS_STRN(x, y, "sessions of one store write the same tags");
	OK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
	redact_free(b);
	b = NULL;
	IS_INT(redact_open(NULL, &b, &err), 0);
	free(y);
	y = redacted(b, "A_TOKEN=hunter2");
	OKF(strcmp(x, y) != 0, "without a store, a key of its own");
	OK(chmod(path, 0644) == 0);
	IS_INTN(redact_key_load(a, dir, &err), ERR_TRUST,
	    "a key that others may read");
	OKF(strstr(err.text, "redact.key") != NULL, "%s", err.text);
	OK(chmod(path, 0600) == 0 && truncate(path, 5) == 0);
	IS_INTN(redact_key_load(a, dir, &err), ERR_TRUST, "a key cut short");
	OK(unlink(path) == 0 && symlink("/dev/zero", path) == 0);
	OKF(redact_key_load(a, dir, &err) < 0, "a link: %s", err.text);
	OK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	OKF(redact_key_load(a, dir, &err) < 0, "a pipe: %s", err.text);
	redact_free(b);
	b = NULL;
	IS_INTN(redact_open(dir, &b, &err), 0,
	    "a session goes on with a key of its own");
	scratch_mkdir("etc", 0755);
	scratch_puts("etc/redact.conf", "name kundennr\n");
	redact_free(b);
	b = NULL;
	IS_INT(redact_open(dir, &b, &err), 0);
	if (b != NULL) {
		free(x);
		x = redacted(b, "KUNDENNR=4711");
		OKF(strstr(x, "4711") == NULL, "the operator's rules: %s", x);
	}
	scratch_puts("etc/redact.conf", "nmae kundennr\n");
	redact_free(a);
	a = NULL;
	OKF(redact_open(dir, &a, &err) < 0 && strstr(err.text,
	    "redact.conf:1: not a rule") != NULL, "%s", err.text);
	redact_free(a);
	redact_free(b);
}

int
main(void)
{
	test_tags();
	test_learned();
	test_rules();
	test_key();
	return tap_done();
}
