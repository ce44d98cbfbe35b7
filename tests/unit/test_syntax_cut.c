/* SPDX-License-Identifier: ISC */
/* Cutting a stream into units: the same units as by reading everything anew
 * after each line, at a cost that grows with the length alone. */
#include "aegsh/syntax.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aegsh/base/mem.h"
#include "tap.h"

struct lines {
	const char *p, *end;
	unsigned asked;
};

static bool
next_line(void *ctx, const char **ret, size_t *ret_len)
{
	struct lines *l = ctx;
	const char *nl;

	if (l->p == l->end)
		return false;
	nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	*ret = l->p;
	*ret_len = nl != NULL ? (size_t)(nl - l->p) + 1 :
	    (size_t)(l->end - l->p);
	l->p += *ret_len;
	l->asked++;
	return true;
}

/* How much of text is one unit. */
static size_t
cut(const char *text, size_t len)
{
	struct lines l = { text, text + len, 0 };
	const char *line;
	size_t n;

	if (!next_line(&l, &line, &n))
		return 0;
	syn_cut(line, n, NULL, next_line, &l);
	return (size_t)(l.p - text);
}

static size_t
cut_anew(const char *text, size_t len)
{
	struct lines l = { text, text + len, 0 };
	struct syn_tree *tree;
	struct syn_diag diag;
	const char *line;
	size_t n;

	while (next_line(&l, &line, &n)) {
		enum syn_answer answer;

		tree = NULL;
		answer = syn_parse(text, (size_t)(l.p - text), NULL, &tree,
		    &diag);
		syn_free(tree);
		if (answer != SYN_INCOMPLETE)
			break;
	}
	return (size_t)(l.p - text);
}

static const char *const units[] = {
	"cat <<a\nb\na\\\nE\na\n", "a &&\n\\\n\nb\n", "{\n\\\n\n}\n",
	"ls\n", "\n", "# x\n", "ls # x\n", "ls;\n", "ls &\n", "ls &&\nx\n",
	"ls |\n\n\nx\n", "a \\\nb\n", "\\\n\\\nb\n", "a\\\n", "'a\nb'\n",
	"\"a\n$(b\nc)\n\"\n", "`a\nb`\n", "$'a\n\\'b'\n", "${a:-\nb}\n",
	"\"${a:-'\nb'}\"\n", "$((1 +\n2))\n", "((1 +\n2))\n", "((a) ;\nb)\n",
	"( (a\n) )\n", "a=(b\nc\n)\n", "a[1\n]=x\n", "<(a\nb)\n",
	"cat <<E\na\nE\n", "cat <<E <<F\na\nE\nb\nF\n", "cat <<'E'\na\nE\nb\n",
	"cat <<-E\n\ta\n\tE\n", "cat <<E\na\\\nE\nE\n", "cat <<E |\na\nE\nb\n",
	"cat <<E && (\na\nE\nb)\n", "if a\nthen b\nfi\n", "if a; then\nb\n",
	"f()\n{\na\n}\n", "f() {\n  case a in\n  b) c ;;\n  esac\n}\nx\n",
	"for a in b\ndo\nc\ndone\n", "for a\nin b\ndo c; done\n",
	"while a\ndo b\ndone | c\n", "{ a\n}\n", "[[ a &&\nb ]]\n",
	"case a\nin\nb)\n;;\nesac\n", "select a\ndo b\ndone\n",
	"function f {\na\n}\n", "coproc {\na\n}\n", "! {\na\n}\n",
	"time {\na\n}\n", "fi\nx\n", "if a; then\n)\nfi\n", "a )\nb\n",
	"echo ${\nx}\n", "echo \"a\n", "f() {\n'a\n}\n'\n}\n", "a <<\nb\n",
	"a <<E\nb\nc", "a &&", "'a\nb", "{\n\n\n# a\n\n}\nx\n", "a;;\nb\n",
	"if a; then # x\n# y\nb; fi\n", "a=(\n# x\nb)\n", "$(\n# )\na)\n",
	"$(cat <<E\nx\nE\n)\n", "a() (\nb\n)\n", "((\n1\n))\n",
	"[[ a =~ (b\n) ]]\n",
	"{ a; } >x\nb\n", "if a; then b; fi >x\nc\n", "a() { b; }\n\nc\n",
	"a\0b\nc\n",
};

static void
check_units(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(units); i++) {
		size_t len = strlen(units[i]);

		OKF(cut(units[i], len) == cut_anew(units[i], len),
		    "unit %zu: %zu of its bytes, and not %zu", i,
		    cut_anew(units[i], len), cut(units[i], len));
	}
}

/* Every way to stand open in the middle of another. */
static void
check_pairs(void)
{
	size_t i, j;
	bool same = true;

	for (i = 0; i < AEG_NELEM(units); i++)
		for (j = 0; j < AEG_NELEM(units); j++) {
			AEG_AUTOFREE char *text = xasprintf("{ x\n%s%s}\ny\n",
			    units[i], units[j]);
			size_t len = strlen(text);

			if (cut(text, len) == cut_anew(text, len))
				continue;
			same = false;
			printf("# units %zu and %zu: %zu, not %zu\n", i, j,
			    cut(text, len), cut_anew(text, len));
		}
	OKF(same, "units inside others end where they do");
}

static const struct {
	const char *name, *head, *line, *tail;
} shapes[] = {
	{ "a function", "f() {\n", "a \"${x}\"; { b; }; c '}'\n", "}\n" },
	{ "a here-document", "cat <<E\n", "a $b\n", "E\n" },
	{ "a quotation", "echo '\n", "a b\n", "'\n" },
	{ "a double one", "echo \"\n", "a $b\n", "\"\n" },
	{ "an array", "a=(\n", "b 'c d'\n", ")\n" },
	{ "a loop", "while a; do\n", "if b; then c; fi\n", "done\n" },
	{ "case", "case a in\n", "b) c ;;\n", "esac\n" },
	{ "a subshell", "(\n", "a; (b)\n", ")\n" },
	{ "a substitution", "a $(\n", "b $(c)\n", ")\n" },
	{ "a list", "a &&\n", "b &&\n", "c\n" },
	{ "joined lines", "a \\\n", "b \\\n", "c\n" },
	{ "here-documents", "{\n", "cat <<E\nx\nE\n", "}\n" },
	{ "arithmetic", "a $((\n", "1 +\n", "1))\n" },
};

/* Of the processor, in microseconds: others on the machine do not count. */
static int64_t
time_used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t
time_shape(size_t shape, size_t lines)
{
	struct buf b = BUF_INIT_MAX(SYN_LEN_MAX);
	int64_t best = INT64_MAX, start, took;
	size_t i;

	buf_puts(&b, shapes[shape].head);
	for (i = 0; i < lines; i++)
		buf_puts(&b, shapes[shape].line);
	buf_puts(&b, shapes[shape].tail);
	for (i = 0; i < 3; i++) {
		start = time_used();
		if (cut(b.data, b.len) != b.len)
			best = -1;
		took = time_used() - start;
		if (best >= 0 && took < best)
			best = took;
	}
	buf_done(&b);
	return best;
}

/* Eight times the lines cost about eight times as much; by reading anew it
 * would be sixty-four. */
static void
check_growth(void)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(shapes); i++) {
		int64_t few = time_shape(i, 4000), many = time_shape(i, 32000);

		OKF(few > 0 && many > 0 && many < 24 * few,
		    "%s of many lines: %lld us for 4000, %lld us for 32000",
		    shapes[i].name, (long long)few,
		    (long long)many);
	}
}

int
main(void)
{
	check_units();
	check_pairs();
	check_growth();
	return tap_done();
}
