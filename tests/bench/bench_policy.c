/* SPDX-License-Identifier: ISC */
/*
 * What policy costs: loading from the compiled form and from the sources,
 * and judging a line from its bytes to the verdict, split by stage; the
 * whole also as a multiple of one stat(2), which doesn't depend on the machine.
 * Lines come from the case tables, or one a line from standard input
 * with -i.
 */
#include "aegsh/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"

#define LINES_MAX 20000
#define ROUNDS 9
#define LOADS 200

static const char *const typical[] = {
	"ls -l", "cd /usr/share", "git status", "grep -rn main src | head -20",
	"cat /etc/hostname", "make -j2 && ./run --verbose",
	"find . -name '*.c' -newer Makefile",
	"tar czf /tmp/x.tgz src include",
	"for f in *.txt; do wc -l \"$f\"; done", "ps aux | grep nginx",
	"docker ps -a --format '{{.Names}}'",
	"ssh -p 22 bob@example.org uptime",
	"sudo systemctl status nginx", "awk -F: '{print $1}' /etc/passwd",
	"python3 -c 'print(2**10)'",
	"curl -fsSL https://example.org/x -o x",
	"echo \"$HOME\" > /tmp/out", "kubectl get pods -n kube-system",
	"export PATH=\"$HOME/bin:$PATH\"", "vim +12 src/main.c",
};

static char *lines[LINES_MAX];
static size_t n_lines;

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void
print(const char *what, int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
	printf("%-28s median %8.1f us   p99 %8.1f us\n", what,
	    (double)v[n / 2] / 1000, (double)v[n * 99 / 100] / 1000);
}

static void
load(const char *cache)
{
	static int64_t spent[LOADS];
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	int64_t start;
	size_t i;

	for (i = 0; i < LOADS; i++) {
		start = clock_mono_ns();
		if (policy_load("admin", cache, &p, &err) < 0) {
			fprintf(stderr, "bench_policy: %s\n", err.text);
			exit(111);
		}
		spent[i] = clock_mono_ns() - start;
		policy_free(p);
		if (i == 0)
			printf("%-28s        %8.1f us\n",
			    "load, from the sources",
			    (double)spent[0] / 1000);
	}
	print("load, compiled", spent + 1, LOADS - 1);
}

static enum syn_var
variable(void *ctx, const char *name, const char **ret_value)
{
	*ret_value = state_get(ctx, name);
	return *ret_value != NULL ? SYN_VAR_SET : SYN_VAR_UNSET;
}

enum { PARSE, FACTS, RESOLVE, POLICY, ALL, STAGES };

/* One line, once; the shortest time so far of each stage.  By itself, so that
 * a profiler finds it. */
__attribute__((noinline)) static void
judge(struct policy *p, struct state *state, const char *line,
	int64_t best[STAGES])
{
	const struct syn_options whole = { .at_end = true };
	const struct syn_vars vars = { variable, state };
	struct policy_input in = { .state = state, .uid = 1000, .line = line,
		.len = strlen(line), .origin = POLICY_ORIGIN_PROMPT };
	struct syn_tree *tree = NULL;
	struct syn_diag diag;
	struct syn_facts *facts;
	struct resolve_set *set = NULL;
	struct policy_verdict verdict;
	int64_t t[STAGES], took;
	int k;

	t[PARSE] = clock_mono_ns();
	if (syn_parse(line, in.len, &whole, &tree, &diag) != SYN_TREE)
		return;
	t[FACTS] = clock_mono_ns();
	facts = syn_facts_new(tree, &vars);
	t[RESOLVE] = clock_mono_ns();
	resolve_facts(facts, state, &set);
	in.facts = facts;
	in.resolved = set;
	t[POLICY] = clock_mono_ns();
	policy_eval(p, &in, &verdict, NULL);
	t[ALL] = clock_mono_ns();
	for (k = 0; k < STAGES; k++) {
		took = k == ALL ? t[ALL] - t[PARSE] : t[k + 1] - t[k];
		if (best[k] == 0 || took < best[k])
			best[k] = took;
	}
	resolve_free(set);
	syn_facts_free(facts);
	syn_free(tree);
}

/* A look at a name that is not there: what the same machine, as busy, takes
 * for a thing that does not change. */
static int64_t
look(void)
{
	static int64_t spent[LOADS];
	struct stat st;
	int64_t start;
	size_t i;

	for (i = 0; i < LOADS; i++) {
		start = clock_mono_ns();
		if (stat("/usr/local/sbin/no-such-program", &st) == 0)
			exit(111);
		spent[i] = clock_mono_ns() - start;
	}
	qsort(spent, LOADS, sizeof spent[0], by_value);
	return spent[LOADS / 10];
}

/* Of each line the shortest of its rounds counts: the longer ones tell of
 * what else the machine was doing. */
static void
judge_all(struct policy *p, struct state *state)
{
	static const char *const names[STAGES] = { "parse", "facts", "resolve",
		"policy", "from bytes to verdict" };
	int64_t (*best)[STAGES] = xcalloc(n_lines, sizeof *best);
	int64_t *v = xcalloc(n_lines, sizeof *v), one = look();
	size_t i, used;
	int k;

	for (i = 0; i < n_lines * ROUNDS; i++)
		judge(p, state, lines[i % n_lines], best[i % n_lines]);
	for (k = 0; k < STAGES; k++) {
		for (used = i = 0; i < n_lines; i++)
			if (best[i][k] > 0)
				v[used++] = best[i][k];
		print(names[k], v, used);
	}
	printf("%-28s median %8.1f     p99 %8.1f\n", "  in looks at a file",
	    (double)v[used / 2] / (double)one,
	    (double)v[used * 99 / 100] / (double)one);
	free(best);
	free(v);
}

static void
read_lines(void)
{
	char *line = NULL;
	size_t cap = 0;

	while (n_lines < LINES_MAX && getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		lines[n_lines++] = xstrdup(line);
	}
	free(line);
}

int
main(int argc, char **argv)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
	    "/usr/bin:/sbin:/bin", home[] = "HOME=/home/user";
	char *envp[] = { path, home, NULL };
	char dir[] = "/tmp/aegsh-bench-XXXXXX", *cache;
	struct policy *p = NULL;
	struct err err = ERR_INIT;
	struct state *state;
	size_t i;

	if (mkdtemp(dir) == NULL)
		return 111;
	if (getenv("AEGSH_TEST_ROOT") == NULL)
		setenv("AEGSH_TEST_ROOT", dir, 1);
	if (getenv("AEGSH_TEST_DATA") == NULL)
		setenv("AEGSH_TEST_DATA", "share", 1);
	cache = dir;
	state = state_new(envp);
	load(cache);
	if (argc > 1 && strcmp(argv[1], "-i") == 0)
		read_lines();
	for (i = 0; i < AEG_NELEM(typical) && argc == 1; i++)
		lines[n_lines++] = xstrdup(typical[i]);
	if (policy_load("admin", cache, &p, &err) < 0)
		return 111;
	judge_all(p, state);
	policy_free(p);
	state_free(state);
	for (i = 0; i < n_lines; i++)
		free(lines[i]);
	cache = xasprintf("rm -rf %s", dir);
	i = (size_t)system(cache);
	free(cache);
	return i != 0;
}
