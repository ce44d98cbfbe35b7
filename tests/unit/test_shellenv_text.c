/* SPDX-License-Identifier: ISC */
/* Templates, the lines written from them, blocks, and diffs. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "shellenv/block_int.h"
#include "tap.h"

#include "aegsh/shellenv_mend.h"

static struct shellenv *se;

static const char *
get(void *ctx, const char *name)
{
	return strcmp(name, "GOPATH") == 0 ? "/go" : NULL;
}

static const struct {
	const char *arg;
	bool dir;
	const char *posix, *fish, *means;	/* NULL: refused */
} table[] = {
	{ "$HOME/.cargo/bin", true, "$HOME/.cargo/bin", "$HOME/.cargo/bin",
	    "/home/u/.cargo/bin" },
	{ "~/.cargo/bin", true, "$HOME/.cargo/bin", "$HOME/.cargo/bin",
	    "/home/u/.cargo/bin" },
	{ "${HOME}/.cargo/bin", true, "$HOME/.cargo/bin",
	    "$HOME/.cargo/bin", "/home/u/.cargo/bin" },
	{ "/home/u/.cargo/bin/", true, "$HOME/.cargo/bin",
	    "$HOME/.cargo/bin", "/home/u/.cargo/bin" },
	{ "/home/u", true, "$HOME", "$HOME", "/home/u" },
	{ "/home/user/x", true, "/home/user/x", "/home/user/x",
	    "/home/user/x" },
	{ "/opt/x", true, "/opt/x", "/opt/x", "/opt/x" },
	{ "$GOPATH/bin", true, "$GOPATH/bin", "$GOPATH/bin", "/go/bin" },
	{ "${GOPATH}bin", true, "${GOPATH}bin", "{$GOPATH}bin", "/gobin" },
	{ "/a b", true, "/a b", "\"/a b\"", "/a b" },
	{ "/a\"b", true, "/a\\\"b", "\"/a\\\"b\"", "/a\"b" },
	{ "/a`id`", true, "/a\\`id\\`", "\"/a`id`\"", "/a`id`" },
	{ "/a$(id)", true, "/a\\$(id)", "\"/a\\$(id)\"", "/a$(id)" },
	{ "/a\\$b", true, "/a\\$b", "\"/a\\$b\"", "/a$b" },
	{ "/a\\b", true, "/a\\\\b", "\"/a\\\\b\"", "/a\\b" },
	{ "/a'b", true, "/a'b", "\"/a'b\"", "/a'b" },
	{ "/a*?[b]", true, "/a*?[b]", "\"/a*?[b]\"", "/a*?[b]" },
	{ "/a;b&c|d", true, "/a;b&c|d", "\"/a;b&c|d\"", "/a;b&c|d" },
	{ "/a$", true, "/a\\$", "\"/a\\$\"", "/a$" },
	{ "/a$1", true, "/a\\$1", "\"/a\\$1\"", "/a$1" },
	{ "/a${b", true, "/a\\${b", "\"/a\\${b\"", "/a${b" },
	{ "a b", false, "a b", "\"a b\"", "a b" },
	{ "", false, "", "\"\"", "" },
	{ "~/go", false, "$HOME/go", "$HOME/go", "/home/u/go" },
	{ "x:~/go", false, "x:~/go", "\"x:~/go\"", "x:~/go" },
	{ "/a:b", true, NULL, NULL, NULL },
	{ "relative", true, NULL, NULL, NULL },
	{ "./x", true, NULL, NULL, NULL },
	{ "", true, NULL, NULL, NULL },
	{ "~other/x", true, NULL, NULL, NULL },
	{ "/a\nb", true, NULL, NULL, NULL },
	{ "a\033b", false, NULL, NULL, NULL },
	{ "$(id)/x", true, NULL, NULL, NULL },
};

static void
check_templates(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(table); i++) {
		struct err err = ERR_INIT;
		struct tmpl t;
		int r = se_tmpl_parse(se, table[i].arg, table[i].dir, &t, &err);

		if (table[i].posix == NULL) {
			OKF(r < 0 && err.text[0] != '\0', "refused: %s",
			    err.text);
			continue;
		}
		OKF(r == 0, "taken: %s", table[i].arg);
		IS_STRN(se_tmpl_posix(se, &t), table[i].posix, "for sh");
		IS_STRN(se_tmpl_fish(se, &t), table[i].fish, "for fish");
		IS_STRN(se_tmpl_expand(se, &t, get, NULL), table[i].means,
		    "what it means");
	}
}

/* The value that a shell ends with for a line of ours. */
static char *
run(const char *shell, const char *line, const char *print)
{
	AEG_AUTOFREE char *script = xasprintf("%s\n%s\n", line, print);
	char *got = xcalloc(1, 4096);
	size_t n = 0;
	ssize_t k;
	int p[2];
	pid_t pid;

	if (pipe(p) < 0)
		exit(99);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		static char *const env[] = { (char *)(uintptr_t)"GOPATH=/go",
		    (char *)(uintptr_t)"PATH=/usr/bin:/bin",
		    (char *)(uintptr_t)"HOME=/home/u", NULL };
		const char *argv[] = { shell, "-c", script, NULL };

		dup2(p[1], 1);
		execvpe(shell, (char *const *)(uintptr_t)argv, env);
		_exit(127);
	}
	close(p[1]);
	while ((k = read(p[0], got + n, 4095 - n)) > 0)
		n += (size_t)k;
	close(p[0]);
	waitpid(pid, NULL, 0);
	return got;
}

/* Every shell reads the lines as they are meant. */
static void
check_shells(void)
{
	static const char *const shells[] = { "bash", "dash", "zsh", "mksh",
	    "ksh93", "yash", "fish" };
	size_t i, k;

	for (k = 0; k < AEG_NELEM(shells); k++) {
		bool fish = strcmp(shells[k], "fish") == 0;
		int bad = 0;

		if (se_program(se, shells[k]) == NULL) {
			SKIP(1, shells[k]);
			continue;
		}
		for (i = 0; i < AEG_NELEM(table); i++) {
			struct item it = { .kind = ITEM_VAR, .name = "AEG_X" };
			AEG_AUTOFREE char *got = NULL;
			struct tmpl t;

			if (table[i].posix == NULL || se_tmpl_parse(se,
			    table[i].arg, table[i].dir, &t, NULL) < 0)
				continue;
			it.text = fish ? se_tmpl_fish(se, &t) :
			    se_tmpl_posix(se, &t);
			got = run(shells[k], se_item_line(se, &it, fish), fish ?
			    "printf %s $AEG_X" : "printf %s \"$AEG_X\"");
			if (strcmp(got, table[i].means) != 0) {
				printf("# %s: %s: %s\n", shells[k],
				    table[i].arg, got);
				bad++;
			}
		}
		OKF(bad == 0, "%s reads each value as it is meant",
		    shells[k]);
	}
}

static void
check_blocks(void)
{
	static const char odd[] = "a\n# >>> aegshctl env >>>\nnot ours\n"
	    "export X=\"y\"\n# <<< aegshctl env <<<\nb\n";
	AEG_AUTOFREE char *text = NULL;
	struct block b;
	size_t len;

	IS_INT(se_block_find(se, "a\n", 2, 0, false, &b), -ENOENT);
	IS_INT(se_block_find(se, odd, strlen(odd), 0, false, &b), 0);
	IS_INT(b.n, 2);
	OK(b.items[0].kind == ITEM_RAW && b.items[1].kind == ITEM_VAR);
	IS_STR(b.items[1].text, "y");
	/* A line that a person put into it stays. */
	b.n = 1;
	text = se_block_put(odd, strlen(odd), &b, false, se, &len);
	OK(strstr(text, "\nnot ours\n") != NULL);
	OK(strstr(text, "export X") == NULL);
	free(text);
	b.n = 0;
	text = se_block_put(odd, strlen(odd), &b, false, se, &len);
	IS_STR(text, "a\nb\n");
	IS_INT(se_block_damaged(odd, strlen(odd)), 0);
	IS_INT(se_block_damaged(odd, 40), 2);
	IS_INT(se_block_damaged("# <<< aegshctl env <<<\n", 23), 1);
	IS_INT(se_block_find(se, odd, 40, 0, false, &b), -ENOENT);
}

static void
diff_is(const char *old, const char *new, const char *want)
{
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	struct shellenv_edit e = { .path = "f", .old = old, .new = new,
		.old_len = old != NULL ? strlen(old) : 0,
		.new_len = new != NULL ? strlen(new) : 0 };

	shellenv_diff(&e, &out);
	IS_STRN(out.data, want, "a diff");
}

static void
check_diffs(void)
{
	diff_is("a\nb\n", "a\nb\nc\n",
	    "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n b\n+c\n");
	diff_is("a", "a\nb\n", "--- f\n+++ f\n@@ -1 +1,2 @@\n-a\n"
	    "\\ No newline at end of file\n+a\n+b\n");
	diff_is(NULL, "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
	diff_is("a\n", NULL, "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
	diff_is("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
	    "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n"
	    " 8\n");
	diff_is("a\nb\nc\n", "c\n", "--- f\n+++ f\n@@ -1,3 +1 @@\n-a\n-b\n"
	    " c\n");
}

int
main(void)
{
	static char *const env[] = { NULL };
	struct shellenv_opts opts = { .home = "/home/u", .shell = "bash",
		.env = env };

	if (shellenv_open(&opts, &se, NULL) < 0)
		scratch_die("shellenv_open");
	check_templates();
	check_shells();
	check_blocks();
	check_diffs();
	shellenv_free(se);
	return tap_done();
}
