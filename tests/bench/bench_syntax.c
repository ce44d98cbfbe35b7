/* SPDX-License-Identifier: ISC */
/*
 * What reading a line costs, and that the cost is linear.
 *
 *	bench_syntax [FILE]
 *
 * FILE holds one line of bash a line (typical ones by default); each is
 * timed from bytes to facts, alone.  Then inputs from 1 KB to 1 MB, plain
 * and of the nastiest nesting: their cost per KB must not grow.
 */
#include "aegsh/syntax.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/io.h"
#include "aegsh/base/mem.h"

#define TRIES 15		/* the fastest of these counts */

static const char *const typical[] = {
	"ls -la",
	"cd /srv/app && git pull --rebase && make -j4",
	"grep -rn 'main' src/ | sort | uniq -c | sort -rn | head -20",
	"for f in *.log; do gzip -9 \"$f\" && mv \"$f.gz\" /backup/; done",
	"tar -czf /tmp/backup-$(date +%F).tar.gz --exclude=.git ~/project",
	"docker run --rm -v \"$PWD\":/work -w /work alpine sh -c 'make test'",
	"find . -name '*.c' -newer Makefile -print0 | xargs -0 wc -l",
	"curl -fsSL https://example.org/install.sh | sudo bash -s -- --yes",
	"export PATH=\"$HOME/bin:$PATH\" EDITOR=vim",
	"if [ -f /etc/debian_version ]; then apt-get update; fi",
	"awk -F: '$3 >= 1000 { print $1 }' /etc/passwd > users.txt 2>&1",
	"ssh -o BatchMode=yes admin@db1 'systemctl restart postgresql'",
	"echo \"$((2 * 21)) ${USER:-nobody} ${#HOME}\" >> notes.txt",
	"while read -r a b; do echo \"$b $a\"; done < list | tee out",
	"git log --oneline --graph --decorate --all | head -n 30",
	"kill -9 $(pgrep -f 'node server.js') 2>/dev/null || true",
	"cp -r {src,include,tests} /tmp/build/ && cd /tmp/build",
	"vim ~/.config/nvim/init.lua",
	"rsync -avz --delete ./site/ www@web:/var/www/html/",
	"[[ $OSTYPE == linux* ]] && diff <(sort a) <(sort b)",
};

static enum syn_var
get(void *ctx, const char *name, const char **ret_value)
{
	(void)ctx;
	*ret_value = "/home/user";
	return strcmp(name, "HOME") == 0 ? SYN_VAR_SET : SYN_VAR_UNSET;
}

static const struct syn_vars vars = { .get = get };

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Nanoseconds for reading alone and for all, the fastest of some tries. */
static bool
measure(const char *s, size_t len, unsigned tries, int64_t *ret_parse,
    int64_t *ret_all)
{
	static const struct syn_options opts = { .at_end = true };
	bool good = true;

	*ret_parse = *ret_all = INT64_MAX;
	while (tries-- > 0) {
		struct syn_tree *tree = NULL;
		struct syn_diag diag;
		int64_t start = clock_mono_ns(), middle, end;

		good = syn_parse(s, len, &opts, &tree, &diag) == SYN_TREE;
		middle = clock_mono_ns();
		if (good)
			syn_facts_free(syn_facts_new(tree, &vars));
		syn_free(tree);
		end = clock_mono_ns();
		if (middle - start < *ret_parse)
			*ret_parse = middle - start;
		if (end - start < *ret_all)
			*ret_all = end - start;
	}
	return good;
}

static void
report(const char *name, int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
	printf("%-16s median %7.2f us, p99 %8.2f us\n", name,
	    (double)v[n / 2] / 1000, (double)v[n - 1 - n / 100] / 1000);
}

static void
bench_lines(const char *const *lines, size_t n, const char *what)
{
	int64_t *parse = xcalloc(n, sizeof *parse);
	int64_t *all = xcalloc(n, sizeof *all);
	size_t i, used = 0, bytes = 0, trees = 0;
	int64_t total = 0;

	for (i = 0; i < n; i++) {
		size_t len = strlen(lines[i]);

		if (len == 0 || len > 120)
			continue;
		trees += measure(lines[i], len, TRIES, &parse[used],
		    &all[used]);
		total += all[used++];
		bytes += len;
	}
	if (used == 0)
		return;
	printf("%s: %zu lines of at most 120 bytes, %zu bytes, %zu trees\n",
	    what, used, bytes, trees);
	report("  parse", parse, used);
	report("  parse + facts", all, used);
	printf("  all together   %.1f MB/s, %.0f lines/s\n",
	    (double)bytes * 1000 / (double)total,
	    (double)used * 1e9 / (double)total);
	free(parse);
	free(all);
}

/* ---- linearity ---------------------------------------------------------- */

/* Text of about size bytes: head, then unit again and again, then tail; or
 * groups that open and close, at most deep at a time. */
static const struct shape {
	const char *name, *open, *inside, *close;
	unsigned deep;
	const char *between;
} shapes[] = {
	{ "commands", "ls -l \"$HOME/x\" | grep -v 'a b' >/tmp/o; ", "", "",
	    1 },
	{ "one long word", "abcdefgh", "", "", 1 },
	{ "double quotes", "echo \"a $b ${c:-d} e\"; ", "", "", 1 },
	{ "backslashes", "\\a", "", "", 1 },
	{ "joined lines", "a\\\n", "", "", 1 },
	{ "here-documents", "cat <<E\n$a `b` $(c)\nE\n", "", "", 1 },
	{ "assignments", "a=$a b=$b; ", "", "", 1 },
	{ "values", "a=x$a; ", "", "", 1 },
	{ "braces", "{a,b}{1..9} ", "", "", 1 },
	{ "subshells", "( ", "a", " ) ;", 190 },
	{ "substitutions", "$(", "a", ") ", 190 },
	{ "quoted subst.", "\"$(", "a", ")\" ", 90 },
	{ "arithmetic", "$((", "1", ")) ", 60 },
	{ "no arithmetic", "$((a) ", "b", " ) ", 60 },
	{ "(( subshells", "((a) ; ", "b", " ) ;", 60 },
	{ "parameters", "${a:-", "b", "} ", 190 },
	{ "quoted param.", "\"${a:-", "b", "}\" ", 90 },
	{ "if", "if a; then ", "b", "; fi", 190, "; " },
	{ "loops", "while a=$a; do ", "b", "; done", 190, "; " },
	{ "functions", "f() { ", "a", "; }", 90, "; " },
	{ "case", "case a in b) ", "c", ";; esac", 190, "; " },
	{ "conditions", "[[ a && ( b ) ]]", "", "", 1, "; " },
	{ "elif", "if a; then ", "b", "; elif c; then d; fi", 90, "; " },
	{ "pipes", "a=b | ", "", "", 1 },
	{ "or", "a=b || ", "", "", 1 },
	{ "arrays", "a[$(b)]=(c [1]=d) ", "", "", 1 },
	{ "values again", "x='x[$(c)]x x'; ((x)); ", "", "", 1 },
	{ "for words", "for i in a b c d; do ", "$i", "; done", 60, "; " },
	{ "elements", "a=(b c); a+=(d); \"${a[@]}\"; ", "", "", 1 },
	{ "operators", "x=aXbXc; e ${x//X/xx} ${x##*X}; ", "", "", 1 },
};

static char *
build(const struct shape *shape, size_t size)
{
	struct buf b = BUF_INIT_MAX(SYN_LEN_MAX);
	size_t level = strlen(shape->open) + strlen(shape->close), group;
	size_t deep = shape->deep, i;

	if (deep > (size - 64) / level)
		deep = (size - 64) / level;
	group = level * deep + strlen(shape->inside);

	while (b.len + group + 4 <= size) {
		for (i = 0; i < deep; i++)
			buf_puts(&b, shape->open);
		buf_puts(&b, shape->inside);
		for (i = 0; i < deep && *shape->close != '\0'; i++)
			buf_puts(&b, shape->close);
		buf_puts(&b, shape->between != NULL ? shape->between : "");
	}
	buf_puts(&b, "z");
	return buf_take(&b);
}

/* From 256 KB to 1 MB, beyond every cache, a byte may cost this much more;
 * four times would be quadratic. */
#define GROWTH_MAX 2.5

static bool
bench_shape(const struct shape *shape)
{
	static const size_t sizes[] = { 1024, 4096, 16384, 65536, 262144,
	    1048576 };
	double per_kb[AEG_NELEM(sizes)];
	size_t i;
	bool good = true, linear;

	printf("%-15s", shape->name);
	for (i = 0; i < AEG_NELEM(sizes); i++) {
		AEG_AUTOFREE char *s = build(shape, sizes[i]);
		size_t len = strlen(s);
		int64_t parse, all;

		good = measure(s, len, i < 4 ? 7 : 6, &parse, &all) && good;
		per_kb[i] = (double)all / 1000 / ((double)len / 1024);
		printf(" %8.2f", per_kb[i]);
	}
	linear = per_kb[AEG_NELEM(sizes) - 1] <
	    GROWTH_MAX * per_kb[AEG_NELEM(sizes) - 2];
	printf("%s%s\n", good ? "" : "  (no tree)",
	    linear ? "" : "  GROWS");
	return linear;
}

static void
bench_file(const char *path)
{
	AEG_AUTOFD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf b = BUF_INIT;
	const char **lines = NULL;
	size_t n = 0, cap = 0;
	char *line, *save = NULL;

	if (fd < 0 || io_read_all(fd, &b) != 0) {
		perror(path);
		exit(111);
	}
	for (line = strtok_r(b.data, "\n", &save); line != NULL;
	    line = strtok_r(NULL, "\n", &save)) {
		if (n == cap) {
			cap = cap * 2 + 64;
			lines = xreallocarray(lines, cap, sizeof *lines);
		}
		lines[n++] = line;
	}
	bench_lines(lines, n, path);
	free(lines);
	buf_done(&b);
}

int
main(int argc, char **argv)
{
	bool linear = true;
	size_t i;

	/* Keep memory between tries: fresh pages are the kernel's cost. */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	bench_lines(typical, AEG_NELEM(typical), "typical lines");
	if (argc > 1)
		bench_file(argv[1]);
	printf("\nus per KB at       1 KB     4 KB    16 KB    64 KB   "
	    "256 KB     1 MB\n");
	for (i = 0; i < AEG_NELEM(shapes); i++)
		linear = bench_shape(&shapes[i]) && linear;
	/* Others on the machine may spoil the last column: look twice. */
	puts(linear ? "linear" : "a cost grows");
	return 0;
}
