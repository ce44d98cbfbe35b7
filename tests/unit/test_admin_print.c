/* SPDX-License-Identifier: ISC */
#include "admin/admin_int.h"
#include "tap.h"

#include <locale.h>
#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

static const struct admin_column columns[] = {
	{ "NAME", 4, false, false },
	{ "N", 1, true, false },
	{ "TEXT", 5, false, true },
};

static void
fill(struct admin *a)
{
	struct admin_table *t = admin_table_new(columns, 3);

	admin_table_add(t, (const char *const[]){ "alpha", "1", "short" });
	admin_table_add(t, (const char *const[]){ "b", "200",
	    "a long text with\na newline" });
	admin_table_add(t, (const char *const[]){ NULL, NULL, "\033]0;x\a" });
	admin_table_print(t, a);
	admin_table_free(t);
}

static void
to_file(void)
{
	struct admin a = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *mem = open_memstream(&text, &size);
	FILE *file = tmpfile();
	char line[200];

	a.out = file;
	fill(&a);
	rewind(file);
	while (fgets(line, sizeof line, file) != NULL)
		fputs(line, mem);
	fclose(mem);
	fclose(file);
	IS_STRN(text,
	    "NAME     N  TEXT\n"
	    "alpha    1  short\n"
	    "b      200  a long text with^Ja newline\n"
	    "            ^[]0;x^G\n", "in a file nothing is cut");
	free(text);
}

/* On a terminal of so many columns. */
static void
to_terminal(unsigned short wide, const char *want)
{
	struct winsize ws = { .ws_row = 24, .ws_col = wide };
	struct admin a = { 0 };
	char got[1000];
	int controller, terminal;
	size_t len = 0, i = 0;
	ssize_t n;

	if (openpty(&controller, &terminal, NULL, NULL, &ws) < 0) {
		SKIP(1, "no pseudo-terminal");
		return;
	}
	a.out = fdopen(terminal, "w");
	fill(&a);
	fputc('$', a.out);
	fflush(a.out);
	while (len < sizeof got - 1 && memchr(got, '$', len) == NULL &&
	    (n = read(controller, got + len, sizeof got - 1 - len)) > 0)
		len += (size_t)n;
	got[len] = '\0';
	while ((i = strcspn(got, "\r$")) < len)
		memmove(got + i, got + i + 1, len-- - i);
	IS_STRN(got, want, "on a terminal");
	fclose(a.out);
	close(controller);
}

/* Folded text for f, of so many columns. */
static void
folded(unsigned width, unsigned hang, const char *from, const char *want)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	admin_fold(f, width, hang, from);
	fclose(f);
	IS_STRN(text, want, from);
	free(text);
}

static void
folding(void)
{
	folded(0, 5, "name a long text", "name a long text\n");
	folded(16, 5, "name a long text", "name a long text\n");
	folded(15, 5, "name a long text", "name a long\n     text\n");
	folded(10, 5, "name a long text", "name a\n     long\n     text\n");
	/* A word has its columns, whatever it takes; so has the name. */
	folded(8, 4, "name 0123456789 a b", "name 0123456789\n    a b\n");
	folded(4, 2, "0123456 89", "0123456\n  89\n");
	/* Not more than half of it is margin. */
	folded(8, 20, "name and a b c d", "name and\n    a b\n    c d\n");
	folded(20, 2, "usage: x [--a N] [--bcd MM]",
	    "usage: x [--a N]\n  [--bcd MM]\n");
	folded(8, 0, "[0 1 2 3 4 5] 6", "[0 1 2 3\n4 5] 6\n");
	folded(6, 0, "caf\xc3\xa9 au lait", "caf\xc3\xa9\nau\nlait\n");
	folded(5, 0, "words   ", "words   \n");
	folded(5, 0, "", "\n");
}

int
main(void)
{
	struct admin a = { 0 };
	char *text = NULL;
	size_t size = 0;

	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return 99;
	to_file();
	to_terminal(24,
	    "NAME     N  TEXT\n"
	    "alpha    1  short\n"
	    "b      200  a long text…\n"
	    "            ^[]0;x^G\n");
	/* The others give way only when the growing one cannot. */
	to_terminal(14,
	    "NAME  N  TEXT\n"
	    "alp…  1  short\n"
	    "b     …  a lo…\n"
	    "         ^[]0…\n");
	a.out = open_memstream(&text, &size);
	admin_say(&a, "%s\n", "x\033[31m\xff");
	admin_put(&a, "a\nb\0c", 5);
	fclose(a.out);
	IS_STR(text, "x^[[31m\\xff\na^Jb^@c");
	free(text);
	folding();
	return tap_done();
}
