/* SPDX-License-Identifier: ISC */
/* Files that a line changed: rows of that line however it was recorded, also
 * once it is over, in the chain, and found by path, name and directory. */
#include "audit/audit_int.h"
#include "aegsh/audit_read.h"
#include "apart.h"
#include "store_sql.h"

#include "aegsh/base/io.h"

static void
find_fault(void *ctx, const struct audit_finding *f)
{
	snprintf(ctx, 80, "%s %s %" PRId64, audit_fault_name(f->fault),
	    f->table != NULL ? f->table : "-", f->row);
}

/* The last thing that is wrong, or "". */
static const char *
verify(const char *dir)
{
	static char found[80];
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct audit_against against = { .n = 0 };
	struct audit_verdict v;
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	found[0] = '\0';
	if (audit_open(path, true, &a, &err) < 0 || audit_verify(a, &against,
	    find_fault, found, &v, &err) < 0)
		snprintf(found, sizeof found, "%.70s", err.text);
	audit_close(a);
	return found;
}

static int
add_file(void *ctx, const struct audit_touched *f)
{
	buf_putf(ctx, "%s %.*s %d%d %d\n", f->change, (int)f->path_len,
	    f->path, f->old_sha256 != NULL ? f->old_sha256[31] : -1,
	    f->new_sha256 != NULL ? f->new_sha256[31] : -1,
	    f->wall_ns == 11);
	return 0;
}

static int
add_line(void *ctx, const struct audit_row *row)
{
	buf_putf(ctx, "%.*s ", (int)row->len, row->line);
	return 0;
}

/* With the bytes that an export has of its files. */
static int
add_exported(void *ctx, const struct audit_row *row)
{
	size_t i;

	buf_putf(ctx, "%.*s:", (int)row->len, row->line);
	for (i = 0; i < row->files_len; i++)
		buf_putc(ctx, row->files[i] == '\0' ? ',' : row->files[i]);
	buf_putc(ctx, '\n');
	return 0;
}

static void
found(struct audit *a, const char *file, const char *want)
{
	struct audit_query q = { .file = file };
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	IS_INTN(audit_query(a, &q, add_line, &b, &err), 0, err.text);
	IS_STRN(b.len > 0 ? b.data : "", want, file);
}

static void
look(const char *dir)
{
	struct audit_query all = { .outputs = true };
	AEG_AUTO(buf_done) struct buf b = BUF_INIT, rows = BUF_INIT;
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct err err = ERR_INIT;
	struct audit *a = NULL;
	char want[400];

	IS_INTN(audit_open(path, true, &a, &err), 0, err.text);
	IS_INT(audit_files(a, 1, add_file, &b, &err), 0);
	IS_STRN(b.len > 0 ? b.data : "", "made /srv/x/new -17 1\nchanged "
	    "/etc/hosts 67 1\nremoved /srv/old 6-1 1\n", dir);
	buf_reset(&b);
	IS_INT(audit_files(a, 2, add_file, &b, &err), 0);
	IS_STR(b.len > 0 ? b.data : "", "");
	found(a, "/etc/hosts", "one ");
	found(a, "hosts", "one ");
	found(a, "/etc", "one ");
	found(a, "/srv/x", "one ");
	found(a, "/", "one ");
	found(a, "/et", "");
	found(a, "osts", "");
	found(a, "/etc/hosts/x", "");
	IS_INT(audit_query(a, &all, add_exported, &rows, &err), 0);
	snprintf(want, sizeof want, "one:made,/srv/x/new,,%062d07,changed,"
	    "/etc/hosts,%062d06,%062d07,removed,/srv/old,%062d06,,\ntwo:\n",
	    0, 0, 0, 0);
	IS_STR(rows.data, want);
	audit_close(a);
	IS_STR(verify(dir), "");
}

static void
put(struct audit *a, const struct audit_event *ev, enum audit_change change,
    const char *path)
{
	struct audit_file f = { .change = change, .path = path, .wall_ns = 11,
		.mono_ns = 12, .has_old = change != AUDIT_CHANGE_MADE,
		.has_new = change != AUDIT_CHANGE_REMOVED };

	f.old_sha256[31] = 6;
	f.new_sha256[31] = 7;
	audit_file(a, ev->id, ev->uuid, &f);
}

/* The first line's come before its outcome, and when it is long over. */
static void
record(struct audit *a)
{
	struct audit_event one = store_event("one"), two = store_event("two");
	struct audit_outcome o = { .status = 0 };
	struct err err = ERR_INIT;

	IS_INT(audit_intent(a, &one, &err), 0);
	put(a, &one, AUDIT_CHANGE_MADE, "/srv/x/new");
	audit_outcome(a, one.id, &o);
	IS_INT(audit_intent(a, &two, &err), 0);
	put(a, &one, AUDIT_CHANGE_CHANGED, "/etc/hosts");
	audit_outcome(a, two.id, &o);
	put(a, &one, AUDIT_CHANGE_REMOVED, "/srv/old");
	IS_INT(audit_session_end(a, &err), 0);
	audit_close(a);
}

static struct audit *
brief(const char *dir)
{
	AEG_AUTOFREE char *path = scratch_path(dir);
	struct err err = ERR_INIT;
	struct audit *a = NULL;

	if (audit_open_brief(path, STORE_WAIT_NS, true, &a, &err) < 0 ||
	    audit_session_begin(a, &store_session, &err) < 0)
		scratch_die(err.text);
	return a;
}

static void
in_each_way(void)
{
	struct audit *a;
	pid_t pid;

	scratch_mkdir("direct", 0700);
	record(store_open("direct"));
	look("direct");
	scratch_mkdir("brief", 0700);
	record(brief("brief"));
	look("brief");
	a = fresh("apart", PATIENCE_NS, false);
	IS_INT(audit_warm(a, NULL), 0);
	pid = audit_writer_pid(a);
	record(a);
	OK(until(is_gone, &pid));
	look("apart");
}

static void
tampered(void)
{
	store_sql("direct", "UPDATE files SET change = 'made' WHERE id = 2");
	IS_STR(verify("direct"), "altered files 2");
	store_sql("brief", "DELETE FROM files WHERE id = 3");
	IS_STR(verify("brief"), "missing files 3");
	store_sql("apart", "INSERT INTO files SELECT 9, command, writer,"
	    " wall_ns, mono_ns, path, change, old_sha256, new_sha256 FROM"
	    " files WHERE id = 1");
	IS_STR(verify("apart"), "unchained files 9");
}

static int
count_rows(void *ctx, const struct audit_touched *f)
{
	(void)f;
	++*(int *)ctx;
	return 0;
}

static int
add_event(void *ctx, const struct audit_happened *e)
{
	buf_putf(ctx, "%s %s", e->kind, e->text != NULL ? e->text : "");
	return 0;
}

/* What a setting leaves out, and what has no line. */
static void
left_out(void)
{
	struct audit_event ev = store_event("one"), other = ev;
	AEG_AUTO(buf_done) struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	unsigned fields = 0;
	struct audit *a;
	int n = 0;

	scratch_mkdir("without", 0700);
	IS_INT(audit_without_parse("execs files", &fields, &err), 0);
	a = store_open("without");
	audit_without(a, fields);
	IS_INT(audit_intent(a, &ev, &err), 0);
	put(a, &ev, AUDIT_CHANGE_MADE, "/srv/new");
	IS_INT(audit_flush(a, &err), 0);
	IS_INT(audit_files(a, 1, count_rows, &n, &err), 0);
	IS_INT(n, 0);
	audit_close(a);

	scratch_mkdir("none", 0700);
	a = brief("none");
	IS_INT(audit_intent(a, &ev, &err), 0);
	snprintf(other.uuid, sizeof other.uuid,
	    "00000000-0000-4000-8000-000000000000");
	put(a, &other, AUDIT_CHANGE_MADE, "/srv/new");
	IS_INT(audit_session_end(a, &err), 0);
	audit_close(a);
	a = store_open("none");
	IS_INT(audit_events(a, &(struct audit_events_query){ .kind =
	    "file-without-row" }, add_event, &b, &err), 0);
	IS_STR(b.len > 0 ? b.data : "", "file-without-row /srv/new");
	audit_close(a);
	IS_STR(verify("none"), "");
}

/* What a deletion of its line takes with it. */
static void
pruned(void)
{
	struct audit_keep keep = { .lines = 1, .who = "somebody" };
	struct audit_pruned p;
	struct err err = ERR_INIT;
	struct audit *a;
	int n = 0;

	scratch_mkdir("pruned", 0700);
	record(store_open("pruned"));
	a = store_open("pruned");
	store_put(a, "three", &err);
	IS_INT(audit_prune(a, &keep, &p, &err), 0);
	IS_INT(audit_files(a, 1, count_rows, &n, &err), 0);
	IS_INT(n, 0);
	audit_close(a);
	IS_STR(verify("pruned"), "");
}

int
main(void)
{
	setenv("AEGSH_TEST_ROOT", scratch_new(), 1);
	in_each_way();
	tampered();
	left_out();
	pruned();
	return tap_done();
}
