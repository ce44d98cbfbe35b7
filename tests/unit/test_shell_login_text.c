/* SPDX-License-Identifier: ISC */
/* A start-up file as one text: what it sources stands in its place, and
 * files that are not to be believed are not read. */
#include "shell/login_int.h"
#include "tap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static char dir[] = "/var/tmp/aegsh-test-text.XXXXXX";

static char *
path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static void
put(const char *name, const void *text, size_t len)
{
	AEG_AUTOFREE char *path = path_of(name);
	FILE *f = fopen(path, "w");

	if (f == NULL || fwrite(text, 1, len, f) != len || fclose(f) != 0)
		exit(99);
}

static void
put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

/* The text of a file that sources others; "DIR" in want is the directory. */
static void
becomes(const char *text, struct shellenv_file *files, size_t n,
    const char *want, const char *what)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTO(buf_done) struct buf full = BUF_INIT;
	AEG_AUTOFREE char *path = path_of("main");
	struct login_text t = { .files = files, .n_files = n,
		.trust = geteuid() };
	struct err err = ERR_INIT;
	const char *p, *at;

	put_text("main", text);
	for (p = want; (at = strstr(p, "DIR")) != NULL; p = at + 3) {
		buf_put(&full, p, (size_t)(at - p));
		buf_puts(&full, dir);
	}
	buf_puts(&full, p);
	IS_INTN(shell_login_text(&t, path, path, &out, &err), 0, what);
	IS_STRN(out.len > 0 ? out.data : "", full.data, what);
	strv_done(&t.put);
	strv_done(&t.left_out);
	strv_done(&t.skip);
}

static void
test_in_place(void)
{
	AEG_AUTOFREE char *main = path_of("main"), *a = path_of("a"),
	    *b = path_of("b'c"), *bad = path_of("bad");
	struct shellenv_file files[] = {
		{ .path = a, .sourced_from = main, .line = 1,
		    .ends_at = SIZE_MAX },
		{ .path = b, .sourced_from = main, .line = 2,
		    .ends_at = SIZE_MAX },
	};

	put_text("a", "export A=1");
	put_text("b'c", "x || return\nexport B=1\n");
	put_text("bad", "if\n");
	becomes("x=1\n", files, 0, "x=1\n", "what sources nothing stays");
	becomes("x=1", files, 0, "x=1\n", "its last line ends");
	becomes(". ~/a\n. \"$f\"\n", files, 2,
	    "case ~/a in\n'DIR/a')\nexport A=1\n;;\n*) false ;;\nesac\n"
	    "case \"$f\" in\n'DIR/b'\\''c')\nwhile :; do\nx || break\n"
	    "export B=1\nbreak\ndone\n;;\n*) false ;;\nesac\n",
	    "each in its place, quoted");
	becomes("\n\n. ~/a\n", files, 1,
	    "\n\ncase ~/a in\n*) false ;;\nesac\n", "by its line alone");
	files[0].path = bad;
	becomes(". ~/a\n", files, 1, "case ~/a in\n*) false ;;\nesac\n",
	    "a syntax error stays out");
	becomes("if\n", files, 0, "if\n", "of the first it is for judges");
}

/* The cut is behind the command at which the session returns. */
static void
test_cut(void)
{
	static const char text[] = "a=1\ncase $- in\n*i*) ;;\n*) return;;\n"
	    "esac\nexport LATE=1\n";
	AEG_AUTOFREE char *main = path_of("main");
	struct shellenv_file file = { .path = main,
		.ends_at = (size_t)(strstr(text, "case") - text) };

	becomes(text, &file, 1, "while :; do\na=1\ncase $- in\n*i*) ;;\n"
	    "*) break;;\nesac\nbreak\ndone\n", "what is behind it is gone");
}

static int
left_out(const char *text, struct shellenv_file *files, size_t n,
    const char *why)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTOFREE char *path = path_of("main");
	struct login_text t = { .files = files, .n_files = n,
		.trust = geteuid() };
	struct err err = ERR_INIT;
	int rc;

	put_text("main", text);
	rc = shell_login_text(&t, path, path, &out, &err);
	OKF(t.left_out.n == 1 && strstr(t.left_out.v[0], why) != NULL,
	    "%s: %s", why, t.left_out.n > 0 ? t.left_out.v[0] : "nothing");
	strv_done(&t.put);
	strv_done(&t.left_out);
	return rc;
}

static void
test_left_out(void)
{
	AEG_AUTOFREE char *main = path_of("main"), *a = path_of("loop"),
	    *self = path_of("self"), *big = path_of("big");
	struct shellenv_file files[] = {
		{ .path = a, .sourced_from = main, .line = 1,
		    .ends_at = SIZE_MAX },
		{ .path = self, .sourced_from = self, .line = 1,
		    .ends_at = SIZE_MAX },
	};
	AEG_AUTOFREE char *text = xmalloc(LINE_MAX_BYTES);

	put_text("loop", "for i in 1; do return; done\n");
	put_text("self", ". self\n");
	IS_INT(left_out(". x\n", files, 1, "returns from within a loop"), 0);
	files[0].path = self;
	IS_INT(left_out(". x\n", files, 2, "sources itself"), 0);
	memset(text, '#', LINE_MAX_BYTES);
	text[LINE_MAX_BYTES - 8] = '\n';
	put("big", text, LINE_MAX_BYTES - 7);
	files[0].path = big;
	IS_INT(left_out(". xyzxyz\n", files, 1, "longer than"), 0);
}

static int
read_it(const char *name, uid_t trust)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT_MAX(LINE_MAX_BYTES);
	AEG_AUTOFREE char *path = path_of(name);
	struct err err = ERR_INIT;

	return shell_login_read(path, trust, &out, &err);
}

/* Whom a file is believed from, and what is a file. */
static void
test_read(void)
{
	AEG_AUTOFREE char *p = path_of("plain"), *link = path_of("link"),
	    *fifo = path_of("fifo"), *round = path_of("round");

	put_text("plain", "x\n");
	IS_INT(read_it("plain", geteuid()), 0);
	if (geteuid() == 0)
		SKIP(1, "to root its own files are the operator's");
	else
		IS_INT(read_it("plain", (uid_t)-1), ERR_TRUST);
	OK(chmod(p, 0646) == 0);
	IS_INTN(read_it("plain", geteuid()), ERR_TRUST,
	    "others may write to it");
	OK(chmod(p, 0644) == 0 && symlink("plain", link) == 0);
	IS_INTN(read_it("link", geteuid()), 0, "a link is followed");
	OK(symlink("round", round) == 0 && mkfifo(fifo, 0600) == 0);
	IS_INT(read_it("round", geteuid()), -ELOOP);
	OK(read_it("fifo", geteuid()) < 0);
	OK(read_it("", geteuid()) < 0);
	IS_INT(read_it("not-there", geteuid()), -ENOENT);
	put("plain", "a\0b", 3);
	IS_INTN(read_it("plain", geteuid()), -EILSEQ, "a NUL byte");
	put("plain", "", 0);
	IS_INTN(read_it("plain", geteuid()), 0, "an empty one");
	unlink(link);
	unlink(round);
	unlink(fifo);
	unlink(p);
}

int
main(void)
{
	static const char *const names[] = { "main", "a", "b'c", "bad",
		"loop", "self", "big" };
	size_t i;

	if (mkdtemp(dir) == NULL)
		exit(99);
	test_in_place();
	test_cut();
	test_left_out();
	test_read();
	for (i = 0; i < AEG_NELEM(names); i++) {
		AEG_AUTOFREE char *path = path_of(names[i]);

		unlink(path);
	}
	OK(rmdir(dir) == 0);
	return tap_done();
}
