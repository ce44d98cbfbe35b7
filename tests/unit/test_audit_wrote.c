/* SPDX-License-Identifier: ISC */
/* Texts in what lines wrote, with the index over it and without: the same
 * lines, whatever was written, deleted or damaged meanwhile. */
#include "audit/audit_wrote_int.h"
#include "pick.h"
#include "store.h"

#include "aegsh/audit_chain.h"
#include "aegsh/base/mem.h"
#include "aegsh/cast.h"
#include "aegsh/redact.h"

#define LINES 1600
#define TEXTS 40
#define INDEX "store/" AUDIT_OUTPUTS

static char *texts[TEXTS];	/* that were written */
static size_t n_texts;

/* Words, numbers, colours; and what comes once alone. */
static void
make_text(struct buf *b, size_t len)
{
	static const char *const words[] = { "total ", "error: ", "\n", "ok ",
		"\033[1;32mgreen\033[0m ", "2026-03-04 ", "/usr/share/doc ",
		"\xc3\xa9t\xc3\xa9 ", "\033]0;title\a", "\xff\xfe", "..... " };

	while (b->len < len) {
		if (pick(3) == 0)
			buf_putf(b, "%016llx ", (unsigned long long)pick_seed);
		else if (pick(4) == 0)
			buf_putf(b, "%u\n", pick(100000));
		else
			buf_puts(b, words[pick(AEG_NELEM(words))]);
	}
}

/* One of its own pieces to look for. */
static void
remember(const struct buf *b)
{
	size_t len = 5 + pick(60), at;

	if (n_texts == TEXTS || b->len < len)
		return;
	at = pick((unsigned)(b->len - len + 1));
	texts[n_texts++] = xmemdup0(b->data + at, len);
}

static void
record(struct audit *a, int64_t id, const struct cast_line *l)
{
	const struct cast_output *o[] = { &l->out, &l->err };
	struct audit_outcome outcome = { .status = 0 };
	int i;

	for (i = 0; i < 2; i++) {
		struct audit_output x = { .stream = i == 0 ?
			AUDIT_STREAM_OUT : AUDIT_STREAM_ERR,
			.head = o[i]->head, .head_len = o[i]->head_len,
			.tail = o[i]->tail, .tail_len = o[i]->tail_len,
			.bytes = o[i]->bytes, .kept = o[i]->kept,
			.cut = o[i]->cut,
			.offset = l->filed ? l->offset : 0,
			.length = l->filed ? l->length : 0 };

		memcpy(x.sha256, l->sha256, sizeof x.sha256);
		if (o[i]->bytes > 0)
			audit_output(a, id, &x);
	}
	audit_outcome(a, id, &outcome);
}

static void
write_line(struct audit *a, struct cast *c, unsigned i)
{
	struct audit_event ev = store_event("make");
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	unsigned char uuid[UUID_LEN];
	struct err err = ERR_INIT;
	size_t from, n;

	if (audit_intent(a, &ev, &err) < 0)
		scratch_die(err.text);
	if (!uuid_parse(ev.uuid, strlen(ev.uuid), uuid))
		scratch_die(ev.uuid);
	cast_begin(c, uuid, 0);
	make_text(&b, i % 400 == 7 ? 150000 : i % 40 == 3 ? 12000 :
	    1 + pick(200));
	if (i == 1200)
		buf_puts(&b, " needle in a heap ");
	for (from = 0; from < b.len; from += n) {
		n = 1 + pick(9000);
		n = n < b.len - from ? n : b.len - from;
		cast_put(c, pick(9) == 0 ? CAST_ERR : CAST_OUT, b.data + from,
		    n, 0);
	}
	/* Of some the end comes when many younger ones are over. */
	record(a, ev.id - (i % 97 == 50 ? 40 : 0), cast_end(c));
	if (i % (LINES / TEXTS + 9) == 0 || b.len > 100000)
		remember(&b);
	if (i % 500 == 0 && audit_flush(a, &err) < 0)
		scratch_die(err.text);
}

static void
fill(const char *dir, unsigned n)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit *a = store_open(dir);
	struct cast_setup setup = { .dir = path, .redact = redact_new(),
		.keep = CAST_KEEP_FULL };
	struct cast *c;
	unsigned i;

	audit_session_uuid(a, setup.session);
	c = cast_new(&setup);
	for (i = 1; i <= n; i++)
		write_line(a, c, i);
	cast_free(c);
	audit_session_end(a, NULL);
	audit_close(a);
	redact_free((struct redact *)(uintptr_t)setup.redact);
}

struct found {
	int64_t n, last;
	uint64_t sum;
	bool rising;
};

static int
take(void *ctx, const struct audit_row *row)
{
	struct found *f = ctx;

	f->rising &= row->id > f->last;
	f->n++;
	f->sum = f->sum * 31 + (uint64_t)row->id;
	f->last = row->id;
	return 0;
}

static struct found
ask(const char *text, int64_t limit, bool unindexed)
{
	AEG_AUTOFREE char *path = scratch_path("store");
	struct audit_query q = { .wrote = text, .limit = limit,
		.unindexed = unindexed };
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

static off_t
blocks_of(const char *file)
{
	AEG_AUTOFREE char *path = scratch_path(file);
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_blocks;
}

/* *ret_n: lines that were found. */
static int
differ(const char *text, int64_t limit, int64_t *ret_n)
{
	struct found with = ask(text, limit, false);
	struct found without = ask(text, limit, true);

	*ret_n += with.n;
	if (with.n == without.n && with.sum == without.sum && with.rising &&
	    with.n >= 0)
		return 0;
	printf("# of '%s', newest %lld: %lld lines, and %lld\n", text,
	    (long long)limit, (long long)with.n, (long long)without.n);
	return 1;
}

static void
same_lines(const char *when)
{
	static const char *const others[] = { "total", "error: ", "green ",
		"\033[1;32m", "no such text at all", "needle in a heap", "okok",
		"ab", "\xff\xfe\xff\xfe\xff\xfe", "2026-03-04 2026-03-04",
		"..... ..... ..... ..... ..... ..... ..... ..... ok ok ok" };
	static const int64_t limits[] = { 0, 1, 7, 100000 };
	static bool first = true;
	int bad = 0;
	int64_t n = 0;
	size_t i, k;

	for (i = 0; i < AEG_NELEM(others); i++)
		for (k = first ? 0 : 2; k < (first ? 4 : 3); k++)
			bad += differ(others[i], limits[k], &n);
	for (i = 0; i < n_texts; i++) {
		bad += differ(texts[i], limits[i % AEG_NELEM(limits)], &n);
		if (i % 4 > 0)
			continue;
		/* Nowhere, most of them. */
		texts[i][strlen(texts[i]) / 2] ^= 1;
		bad += differ(texts[i], 0, &n);
		texts[i][strlen(texts[i]) / 2] ^= 1;
	}
	first = false;
	OKF(bad == 0 && n > 0, "%s: %zu texts, %lld lines found, %d differ",
	    when, n_texts, (long long)n, bad);
}

static void
on_finding(void *ctx, const struct audit_finding *f)
{
	int *n = ctx;

	*n += f->fault == AUDIT_FAULT_INDEX;
}

static int
verify(void)
{
	AEG_AUTOFREE char *path = scratch_path("store");
	static const struct audit_against nothing;
	struct audit_verdict v = { .links = 0 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	int n = 0;

	if (audit_open(path, true, &a, &err) < 0 ||
	    audit_verify(a, &nothing, on_finding, &n, &v, &err) < 0) {
		printf("# %s\n", err.text);
		n = -1;
	}
	audit_close(a);
	return n;
}

static void
overwrite(off_t at, size_t len)
{
	AEG_AUTOFREE char *path = scratch_path(INDEX);
	AEG_AUTOFREE char *zeros = xcalloc(1, len);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, zeros, len, at) != (ssize_t)len)
		scratch_die(path);
	close(fd);
}

static void
damaged(void)
{
	AEG_AUTOFREE char *path = scratch_path(INDEX);
	AEG_AUTOFREE char *recordings = scratch_path("store/output");
	AEG_AUTOFREE char *elsewhere = scratch_path("store/elsewhere");
	const char *needle = "needle in a heap";
	off_t size = size_of(INDEX);
	int64_t n = 0;

	IS_INT(verify(), 0);
	/* Recordings that are gone are no fault of it. */
	OK(rename(recordings, elsewhere) == 0);
	IS_INT(verify(), 0);
	OK(rename(elsewhere, recordings) == 0);
	/* It hides what it is told to hide, and who compares finds out. */
	overwrite(8192, (size_t)size - 8192);
	OK(verify() > 0);
	IS_INT(ask(needle, 0, true).n, 1);
	OK(unlink(path) == 0);
	IS_INT(differ(needle, 0, &n), 0);
	/* Cut off, without a beginning, and with half a head. */
	OK(truncate(path, size - 10000) == 0);
	IS_INT(differ(needle, 0, &n), 0);
	IS_INT(size_of(INDEX), size);
	overwrite(0, 16);
	IS_INT(differ(needle, 0, &n), 0);
	overwrite(4096 + 20, 8);
	IS_INT(differ(needle, 0, &n), 0);
	IS_INT(size_of(INDEX), size);
	/* Not its owner's alone. */
	OK(chmod(path, 0644) == 0);
	IS_INT(differ(needle, 0, &n), 0);
	OK(unlink(path) == 0 && symlink("/dev/null", path) == 0);
	IS_INT(differ(needle, 0, &n), 0);
	OK(unlink(path) == 0);
	IS_INT(n, 6);
	IS_INT(verify(), 0);
}

static void
prune(int64_t lines)
{
	AEG_AUTOFREE char *path = scratch_path("store");
	struct audit_keep keep = { .lines = lines, .who = "a test" };
	struct audit_pruned pruned = { 0, 0 };
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	OK(audit_open(path, false, &a, &err) == 0 &&
	    audit_prune(a, &keep, &pruned, &err) == 0);
	audit_close(a);
	OKF(pruned.lines > 0, "%" PRId64 " lines went", pruned.lines);
}

/* What was made of lines that went is gone with them. */
static void
deleted(void)
{
	off_t was, now;

	IS_INT(ask("needle in a heap", 0, false).n, 1);
	was = blocks_of(INDEX);
	prune(LINES - 150);
	now = blocks_of(INDEX);
	OKF(now > 16 && now < was, "%lld blocks of %lld",
	    (long long)now, (long long)was);
	same_lines("after a deletion");
	IS_INT(verify(), 0);
	fill("store", 410);
	same_lines("and with more");
	IS_INT(verify(), 0);
	prune(1);
	OK(blocks_of(INDEX) <= 16);
	same_lines("and without most");
}

int
main(void)
{
	size_t i;

	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	scratch_mkdir("store", 0700);
	fill("store", LINES);
	IS_INT(size_of(INDEX), -1);
	same_lines("as it was written");
	OK(size_of(INDEX) > 0);
	damaged();
	deleted();
	for (i = 0; i < n_texts; i++)
		free(texts[i]);
	return tap_done();
}
