/* SPDX-License-Identifier: ISC */
/* The pure parts of asking others for completions; what bash itself is told
 * is compared in tests/pty/tab_words.py. */
#include "shell/complete_prog.h"
#include "tap.h"

#include <string.h>

#include "aegsh/base/mem.h"

/* What is replaced, how it is quoted, how many words. */
static void
splits(const char *text, size_t from, enum line_quote quote, size_t n,
    const char *cur)
{
	struct complete_words w;

	complete_words_split(text, strlen(text), 0, NULL, &w);
	IS_INTN((int)w.from, (int)from, text);
	IS_INTN(w.quote, quote, text);
	IS_INTN((int)w.n, (int)n, text);
	IS_STRN(w.cur, cur, text);
	complete_words_done(&w);
}

static void
test_words(void)
{
	struct complete_words w;

	splits("ls", 0, LINE_UNQUOTED, 0, "ls");
	splits("ls ", 3, LINE_UNQUOTED, 1, "");
	splits("ls --x=ab", 7, LINE_UNQUOTED, 3, "ab");
	splits("ls --x=", 7, LINE_UNQUOTED, 2, "");
	splits("ls 'a b", 4, LINE_SINGLE, 1, "a b");
	splits("ls \"a b", 4, LINE_DOUBLE, 1, "a b");
	splits("ls x'a b", 3, LINE_UNQUOTED, 1, "x'a b");
	splits("ls a\\ b", 3, LINE_UNQUOTED, 1, "a\\ b");
	splits("ls a\\", 3, LINE_UNQUOTED, 1, "a\\");
	splits("ls $(a b", 3, LINE_UNQUOTED, 1, "$(a b");
	splits("ls `a", 3, LINE_UNQUOTED, 1, "`a");
	splits("", 0, LINE_UNQUOTED, 0, "");
	complete_words_split("x; ll -", 7, 3, "ls -l ", &w);
	IS_STR(w.line, "ls -l -");
	IS_INT((int)w.n, 2);
	IS_STR(w.word.v[1], "-l");
	IS_INT((int)w.from, 6);
	complete_words_done(&w);
}

static void
test_answers(void)
{
	static const char all[] = " known nospace \0one\0\0two\0cut";
	struct complete_answer a;
	struct buf many = BUF_INIT;
	int i;

	complete_answer_read(all, sizeof all - 1, &a);
	OK(a.known && a.nospace && !a.filenames && !a.plusdirs);
	IS_INT((int)a.choice.n, 2);
	IS_STR(a.choice.v[1], "two");
	complete_answer_done(&a);
	complete_answer_read(" ", 2, &a);
	OK(!a.known);
	complete_answer_done(&a);
	complete_answer_read("unknown", 8, &a);
	OK(!a.known);
	complete_answer_done(&a);
	complete_answer_read("known", 5, &a);
	OK(!a.known);
	complete_answer_done(&a);
	buf_put(&many, "known", 6);
	for (i = 0; i < COMPLETE_ANSWERS_MAX + 10; i++)
		buf_put(&many, "x", 2);
	complete_answer_read(many.data, many.len, &a);
	IS_INT((int)a.choice.n, COMPLETE_ANSWERS_MAX);
	complete_answer_done(&a);
	buf_done(&many);
}

static void
means(const char *choice, bool filename, const char *want)
{
	char *got AEG_AUTOFREE = complete_answer_value(choice, filename);

	IS_STRN(got, want, choice);
}

static void
test_values(void)
{
	means("plain", false, "plain");
	means("checkout ", false, "checkout");
	means("a\\ b", false, "a b");
	means("'a b'", false, "a b");
	means("a\\ ", false, "a ");
	means("a b", false, "a b");
	means("a;b", false, "a;b");
	means("$(id)", false, "$(id)");
	means("`id`", false, "`id`");
	means("a>b", false, "a>b");
	means("'open", false, "'open");
	means("end\\", false, "end\\");
	means("#x", false, "#x");
	means("a\\ b", true, "a\\ b");
	means("--x=", false, "--x=");
	means("x=y", false, "x=y");
}

static void
test_guard(void)
{
	struct strv typed = STRV_INIT;
	struct complete_guard g;
	size_t i;
	bool has_cat = false;

	complete_guard_init("cat no-such-program ../bin/cat sub/cat", &typed,
	    "/", "", &g);
	for (i = 0; i < g.allowed.n; i++)
		has_cat |= strcmp(g.allowed.v[i], "/usr/bin/cat") == 0 ||
		    strcmp(g.allowed.v[i], "/bin/cat") == 0;
	OK(has_cat);
	for (i = 0; i < g.allowed.n; i++)
		OK(strstr(g.allowed.v[i], "/cat") != NULL &&
		    strstr(g.allowed.v[i], "..") == NULL);
	complete_guard_done(&g);
	strv_add(&typed, "cat");
	complete_guard_init("cat", &typed, "/", "", &g);
	IS_INTN((int)g.allowed.n, 0, "by its name");
	complete_guard_done(&g);
	strv_done(&typed);
	strv_add(&typed, "/bin/../bin/cat");
	complete_guard_init("cat", &typed, "/", "", &g);
	IS_INTN((int)g.allowed.n, 0, "by a path");
	complete_guard_done(&g);
	strv_done(&typed);
	/* A script, and a file that is no program. */
	complete_guard_init("/etc/passwd /usr/bin/ldd", &typed, "/", "", &g);
	IS_INTN((int)g.allowed.n, 0, "no programs");
	complete_guard_done(&g);
}

int
main(void)
{
	test_words();
	test_answers();
	test_values();
	test_guard();
	return tap_done();
}
