/* SPDX-License-Identifier: ISC */
/* Prompt strings, as tables; and, for what is bash's, bash beside them. */
#include "shell/prompt.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/mem.h"

static struct prompt_facts facts = {
	.user = "ann", .host = "node.example.org", .cwd = "/home/ann/a/b/c",
	.home = "/home/ann", .version = "1.2", .profile = "dev",
	.decision = "allow", .model = "model up", .uid = 1000, .status = 0,
	.jobs = 2, .took_ns = 1234567890,
};

static void
shows(const char *string, const char *want)
{
	struct buf out = BUF_INIT_MAX(PROMPT_MAX);

	buf_puts(&out, "");
	prompt_expand(string, &facts, &out);
	IS_STRN(out.data != NULL ? out.data : "", want, string);
	buf_done(&out);
}

#define H "\001"

static void
escapes(void)
{
	shows("\\u@\\h:\\H \\w \\W\\$ ", "ann@node:node.example.org "
	    "~/a/b/c c$ ");
	shows("[\\?] \\j \\s-\\v \\P|\\J", "[0] 2 aegsh-1.2 dev|model up");
	shows("\\\\ \\n \\q \\", "\\ \n \\q \\");
	shows("\\[\\]x\\{nonesuch}\\{", "x\\{nonesuch}\\{");
	shows("\\{profile} \\{decision} \\{model} \\{took}",
	    "dev allow model up 1.2s");
	shows("\\{failed}\\$", "$");
	facts.status = 7;
	facts.uid = 0;
	facts.took_ns = 42 * 1000000;
	shows("\\{failed}\\$ \\{took}", "7 # 42ms");
	facts.took_ns = (int64_t)754 * 1000000000;
	shows("\\{took}", "12m34s");
	facts.status = 0;
	facts.uid = 1000;
	/* What is put in place of an escape is inert. */
	facts.user = "a\033[31m\001";
	shows("\\u", "a^[[31m^A");
	facts.user = "ann";
}

static void
colours(void)
{
	facts.colours = PROMPT_PLAIN;
	shows("\\{red}x\\{off}\\e[1;31my\\[\\033[0m\\]\\{#ff8800}\\{208}",
	    "xy");
	facts.colours = PROMPT_16;
	shows("\\{red}x\\{off}", H "\033[31m" H "x" H "\033[0m" H);
	shows("\\[\\e[1;32m\\]\\w\\[\\e[0m\\]", H "\033[1;32m" H "~/a/b/c" H
	    "\033[0m" H);
	shows("\\{#ff8800}\\{208}z", "z");
	/* Of what a terminal would obey, colours alone get through. */
	shows("\\e[2Jx\\e]0;title\\e[31", "x]0;title");
	shows("\\e[?1049hx\\033cy\\e", "xcy");
	facts.colours = PROMPT_256;
	shows("\\{208}z\\{256}\\{#ff8800}", H "\033[38;5;208m" H
	    "z\\{256}");
	facts.colours = PROMPT_TRUE;
	shows("\\{#ff8800}z\\{#ff880}", H "\033[38;2;255;136;0m" H
	    "z\\{#ff880}");
	facts.colours = PROMPT_PLAIN;
	IS_INT(prompt_colours_of("xterm", NULL, NULL), PROMPT_16);
	IS_INT(prompt_colours_of("xterm", NULL, ""), PROMPT_16);
	IS_INT(prompt_colours_of("xterm-256color", NULL, NULL), PROMPT_256);
	IS_INT(prompt_colours_of("xterm-256color", "truecolor", NULL),
	    PROMPT_TRUE);
	IS_INT(prompt_colours_of("xterm-256color", "truecolor", "1"),
	    PROMPT_PLAIN);
	IS_INT(prompt_colours_of("dumb", "truecolor", NULL), PROMPT_PLAIN);
	IS_INT(prompt_colours_of(NULL, NULL, NULL), PROMPT_PLAIN);
}

static void
themes(void)
{
	size_t i;

	for (i = 0; prompt_theme(i) != NULL; i++) {
		AEG_AUTOFREE char *name = xasprintf("theme:%s",
		    prompt_theme(i));
		struct buf out = BUF_INIT_MAX(PROMPT_MAX);

		prompt_expand(prompt_of(name), &facts, &out);
		OKF(out.len > 2 && out.data[out.len - 1] == ' ' &&
		    strstr(out.data, "theme") == NULL && strchr(out.data,
		    '\\') == NULL && strchr(out.data, '\001') == NULL,
		    "%s is whole, and plain without colours", name);
		buf_done(&out);
	}
	OK(i >= 4);
	IS_STR(prompt_of("theme:none-such"), "theme:none-such");
	IS_STR(prompt_of("\\w> "), "\\w> ");
}

/* Where bash itself is asked. */
static void
like_bash(const char *base)
{
	static const char *const below[] = { "", "/a", "/a/b", "/a/b/c/d",
		"/a/bb/ccc" };
	AEG_AUTOFREE char *home = xasprintf("%s/home", base);
	size_t i, k;

	facts.home = home;
	for (i = 0; i < AEG_NELEM(below) * 2; i++) {
		AEG_AUTOFREE char *cwd = xasprintf("%s%s%s", base, i % 2 == 0 ?
		    "/home" : "/other", below[i / 2]);
		AEG_AUTOFREE char *make = xasprintf("mkdir -p %s", cwd);

		OK(system(make) == 0);
		facts.cwd = cwd;
		for (k = 0; k < 5; k++) {
			AEG_AUTOFREE char *cd = xasprintf("cd %s && "
			    "HOME=%s PROMPT_DIRTRIM=%zu P='\\w \\W' exec "
			    "/bin/bash --norc --noprofile -c "
			    "'printf %%s \"${P@P}\"'", cwd, home, k);
			struct buf out = BUF_INIT_MAX(PROMPT_MAX);
			char said[4096] = "";
			FILE *f = popen(cd, "r");

			if (f != NULL) {
				said[fread(said, 1, sizeof said - 1, f)] = 0;
				pclose(f);
			}
			facts.trim = (unsigned)k;
			prompt_expand("\\w \\W", &facts, &out);
			OKF(strcmp(out.data, said) == 0,
			    "PROMPT_DIRTRIM=%zu in %s: %s, bash: %s", k, cwd,
			    out.data, said);
			buf_done(&out);
		}
	}
	facts.trim = 0;
}

static void
put(const char *base, const char *name, const char *text)
{
	AEG_AUTOFREE char *path = xasprintf("%s/%s", base, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	OK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void
git_is(const char *dir, const char *want)
{
	struct buf out = BUF_INIT;
	bool found = prompt_git(dir, &out);

	if (want == NULL)
		OKF(!found && out.len == 0, "no branch in %s", dir);
	else
		OKF(found && strcmp(out.data, want) == 0, "%s in %s: %s", want,
		    dir, out.data != NULL ? out.data : "nothing");
	buf_done(&out);
}

static void
branches(const char *base)
{
	AEG_AUTOFREE char *tree = xasprintf("%s/tree", base);
	AEG_AUTOFREE char *deep = xasprintf("%s/tree/x/y", base);
	AEG_AUTOFREE char *linked = xasprintf("%s/linked", base);
	AEG_AUTOFREE char *fifo = xasprintf("%s/fifo/.git", base);
	AEG_AUTOFREE char *make = xasprintf("cd %s && mkdir -p tree/x/y "
	    "tree/.git/worktrees/w linked fifo/.git && "
	    "mkfifo fifo/.git/HEAD", base);

	OK(system(make) == 0);
	put(base, "tree/.git/HEAD", "ref: refs/heads/topic/one\n");
	git_is(tree, "topic/one");
	git_is(deep, "topic/one");
	git_is(base, NULL);
	put(base, "tree/.git/worktrees/w/HEAD", "ref: refs/heads/two\n");
	put(base, "linked/.git", "gitdir: ../tree/.git/worktrees/w\n");
	git_is(linked, "two");
	put(base, "tree/.git/HEAD",
	    "0123456789abcdef0123456789abcdef01234567\n");
	git_is(tree, "01234567");
	put(base, "tree/.git/HEAD", "ref: refs/heads/a\033[31m\n");
	git_is(tree, "a^[[31m");
	put(base, "tree/.git/HEAD", "nothing of a branch\n");
	git_is(tree, NULL);
	put(base, "tree/.git/HEAD", "");
	git_is(tree, NULL);
	put(base, "linked/.git", "gitdir: /nonexistent\n");
	git_is(linked, NULL);
	fifo[strlen(fifo) - 5] = '\0';
	git_is(fifo, NULL);
	git_is("/nonexistent", NULL);
}

int
main(void)
{
	char base[] = "/var/tmp/t-aegsh-prompt-XXXXXX";
	AEG_AUTOFREE char *clean = NULL;

	escapes();
	colours();
	themes();
	if (mkdtemp(base) == NULL)
		return 99;
	like_bash(base);
	branches(base);
	clean = xasprintf("rm -r %s", base);
	OK(system(clean) == 0);
	return tap_done();
}
