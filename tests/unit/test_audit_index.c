/* SPDX-License-Identifier: ISC */
#include "audit/audit_index_int.h"
#include "aegsh/audit_chain.h"
#include "store.h"

#include "aegsh/base/mem.h"

/* Two full segments, and lines behind them that have no index. */
#define LINES (2 * AUDIT_INDEX_LINES + 1000)
#define SLOT (4096 + (off_t)AUDIT_INDEX_TABLE)

static const char *const words[] = { "ls", "git", "make -j2", "status",
	"/etc/hosts", "kubectl get pods", "\xc3\xa9t\xc3\xa9", "error" };

/* What line N is; some words are in one line alone. */
static void
line_of(int64_t n, char ret[80])
{
	snprintf(ret, 80, "%s %s n%lldx%s", words[n % 8], words[n / 8 % 7],
	    (long long)n, n == 40000 ? " needle" : n == 300 ? " %" : "");
}

static void
fill(const char *dir, int64_t n)
{
	struct audit *a = store_open(dir);
	struct err err = ERR_INIT;
	int64_t i;

	for (i = 1; i <= n; i++) {
		char line[80];
		struct audit_event ev;

		line_of(i, line);
		ev = store_event(line);
		audit_builtin(a, &ev, 0);
		if (i % 2000 == 0 && audit_flush(a, &err) < 0)
			scratch_die(err.text);
	}
	audit_session_end(a, NULL);
	audit_close(a);
}

struct found {
	int64_t n, first, last;
	bool rising;
};

static int
take(void *ctx, const struct audit_row *row)
{
	struct found *f = ctx;

	f->rising &= f->n == 0 || row->id > f->last;
	if (f->n++ == 0)
		f->first = row->id;
	f->last = row->id;
	return 0;
}

static struct found
ask(const char *dir, struct audit_query q)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct found f = { .rising = true };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_query(a, &q, take, &f, &err) < 0) {
		printf("# %s\n", err.text);
		f.n = -1;
	}
	audit_close(a);
	return f;
}

static off_t
size_of(const char *file)
{
	AEG_AUTOFREE char *path = scratch_path(file);
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_size;
}

/* With and without the index: the same lines in the same order. */
static void
same_lines(void)
{
	static const char *const texts[] = { "needle", "n40000x", "n1x", "n2",
		"git", "i", "ti", "%", "no such text", "zqz", "hosts git",
		"ls ls n", "\xc3\xa9t\xc3", "\xa9", "",
		("a text that is longer than any line, and than what of it "
		"is looked up in the index, which is 64 pieces: n40000x") };
	static const int64_t limits[] = { 0, 1, 3, 100000 };
	size_t i, j;

	for (i = 0; i < AEG_NELEM(texts); i++) {
		for (j = 0; j < AEG_NELEM(limits); j++) {
			struct audit_query q = { .text = texts[i],
				.limit = limits[j] };
			struct found with = ask("store", q), without;

			q.unindexed = true;
			without = ask("store", q);
			OKF(with.n == without.n && with.first == without.first
			    && with.last == without.last && with.rising,
			    "'%s' of %lld: %lld lines, and %lld", texts[i],
			    (long long)limits[j], (long long)with.n,
			    (long long)without.n);
		}
	}
	IS_INT(ask("store", (struct audit_query){ .text = "needle" }).first,
	    40000);
	IS_INT(ask("store", (struct audit_query){ .text = "n70000" }).n,
	    LINES >= 70000 ? 1 : 0);
	IS_INT(ask("store", (struct audit_query){ .text = "n66000x" }).n, 1);
	IS_INT(ask("store", (struct audit_query){ .text = "needle",
	    .rule = "admin" }).n, 1);
	IS_INT(ask("store", (struct audit_query){ .text = "needle",
	    .decision = "block" }).n, 0);
	IS_INT(size_of("store/audit.index"), 2 * SLOT);
}

struct told {
	int n;
	int64_t first;
};

static void
on_finding(void *ctx, const struct audit_finding *f)
{
	struct told *t = ctx;

	if (f->fault != AUDIT_FAULT_INDEX)
		return;
	if (t->n++ == 0)
		t->first = f->row;
}

static struct told
verify(const char *dir)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	static const struct audit_against nothing;
	struct audit_verdict v = { .links = 0 };
	struct err err = ERR_INIT;
	struct told t = { 0, 0 };
	struct audit *a = NULL;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_verify(a, &nothing, on_finding, &t, &v, &err) < 0) {
		printf("# %s\n", err.text);
		t.n = -1;
	}
	audit_close(a);
	if (v.findings != t.n)
		t.n = -2;
	return t;
}

static void
overwrite(const char *file, off_t at, size_t len)
{
	AEG_AUTOFREE char *path = scratch_path(file);
	AEG_AUTOFREE char *zeros = xcalloc(1, len);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, zeros, len, at) != (ssize_t)len)
		scratch_die(path);
	close(fd);
}

static void
drop(const char *file)
{
	AEG_AUTOFREE char *path = scratch_path(file);

	unlink(path);
}

/* An index that hides lines: found out by who compares, and gone when it is
 * removed. */
static void
told_lies(void)
{
	const struct audit_query needle = { .text = "needle" };
	struct told t;

	IS_INT(verify("store").n, 0);
	overwrite("store/audit.index", SLOT + 4096, AUDIT_INDEX_TABLE);
	IS_INT(ask("store", needle).n, 0);
	IS_INT(ask("store", (struct audit_query){ .text = "needle",
	    .unindexed = true }).n, 1);
	t = verify("store");
	IS_INT(t.n, AUDIT_INDEX_BLOCKS);
	IS_INT(t.first, AUDIT_INDEX_LINES + 1);
	drop("store/audit.index");
	IS_INT(ask("store", needle).n, 1);
	IS_INT(verify("store").n, 0);
}

/* What a power failure, another store or a hand leave of the file. */
static void
damaged(void)
{
	const struct audit_query needle = { .text = "needle" };
	AEG_AUTOFREE char *index = scratch_path("store/audit.index");
	AEG_AUTOFREE char *other = scratch_path("other/audit.index");

	overwrite("store/audit.index", SLOT, 8);
	IS_INT(ask("store", needle).n, 1);
	OK(truncate(index, SLOT + 5000) == 0);
	IS_INT(ask("store", needle).n, 1);
	IS_INT(size_of("store/audit.index"), 2 * SLOT);
	OK(chmod(index, 0644) == 0);
	IS_INT(ask("store", needle).n, 1);
	OK(chmod(index, 0600) == 0);
	/* The same numbers, and other lines. */
	fill("other", AUDIT_INDEX_LINES + 1);
	OK(rename(index, other) == 0);
	overwrite("other/audit.index", 4096, AUDIT_INDEX_TABLE);
	IS_INT(ask("other", (struct audit_query){ .text = "n301x" }).n, 1);
	IS_INT(verify("other").n, 0);
	IS_INT(ask("store", needle).n, 1);
	drop("store/audit.index");
	OK(symlink(other, index) == 0);
	IS_INT(ask("store", needle).n, 1);
	drop("store/audit.index");
	OK(mkfifo(index, 0600) == 0);
	IS_INT(ask("store", needle).n, 1);
	drop("store/audit.index");
}

static void
deleted(void)
{
	AEG_AUTOFREE char *path = scratch_path("store");
	struct audit_keep keep = { .lines = 30000, .who = "a test" };
	struct audit_pruned pruned = { 0, 0 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	IS_INT(ask("store", (struct audit_query){ .text = "n300x" }).n, 1);
	OK(audit_open(path, false, &a, &err) == 0);
	OK(audit_prune(a, &keep, &pruned, &err) == 0);
	audit_close(a);
	IS_INT(pruned.lines, LINES - 30000);
	IS_INT(size_of("store/audit.index"), -1);
	IS_INT(ask("store", (struct audit_query){ .text = "n300x" }).n, 0);
	IS_INT(ask("store", (struct audit_query){ .text = "needle" }).n, 1);
	IS_INT(ask("store", (struct audit_query){ .text = "n65000x" }).n, 1);
	IS_INT(size_of("store/audit.index"), 2 * SLOT);
	IS_INT(verify("store").n, 0);
}

/* Everything that a text marks, a line with it in it has marked. */
static void
grams(void)
{
	static const struct {
		const char *text;
		size_t rows;
	} cases[] = { { "", 0 }, { "a", 2 }, { "ab", 2 }, { "abc", 2 },
		{ "abcd", 4 }, { "\xff\xfe\xfd", 2 }, { "aaaaa", 6 } };
	AEG_AUTOFREE unsigned char *table = xcalloc(1, AUDIT_INDEX_TABLE);
	uint32_t rows[AUDIT_GRAMS_MAX];
	char line[200], longer[1000];
	size_t i, n, j, k;

	for (i = 0; i < AEG_NELEM(cases); i++)
		OKF(audit_grams_rows(cases[i].text, strlen(cases[i].text),
		    rows) == cases[i].rows, "rows of '%s'", cases[i].text);
	memset(longer, 'x', sizeof longer);
	IS_INT((intmax_t)audit_grams_rows(longer, sizeof longer, rows),
	    AUDIT_GRAMS_MAX);
	srandom(1);
	for (i = 0; i < sizeof line; i++)
		line[i] = (char)random();
	audit_grams_mark(table, 77, line, sizeof line);
	for (i = j = k = 0; i + 5 < sizeof line; i++) {
		size_t len = 1 + i % 5;

		n = audit_grams_rows(line + i, len, rows);
		while (n-- > 0) {
			k++;
			j += (table[rows[n] * (size_t)AUDIT_INDEX_MASK +
			    77 / 8] >> 77 % 8 & 1) != 0;
		}
	}
	OKF(k > 0 && j == k, "%zu rows of %zu are marked", j, k);
	for (i = k = 0; i < AUDIT_INDEX_TABLE; i++)
		k += table[i] != 0 && i % AUDIT_INDEX_MASK != 77 / 8;
	IS_INT((intmax_t)k, 0);
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("store", 0700);
	scratch_mkdir("other", 0700);
	grams();
	fill("store", LINES);
	same_lines();
	told_lies();
	damaged();
	deleted();
	return tap_done();
}
