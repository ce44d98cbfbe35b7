/* SPDX-License-Identifier: ISC */
/*
 * `aegshctl audit export`: the lines in the shape that another program
 * takes: JSON lines, CSV (RFC 4180), the Elastic Common Schema, the Open
 * Cybersecurity Schema Framework.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

enum { O_FORMAT = ADMIN_F_COUNT };

static const struct admin_option options[] = {
	ADMIN_FILTER_OPTIONS("all"),
	[O_FORMAT] = { "format", 0, "FORMAT", "jsonl, csv, ecs or ocsf",
	    ADMIN_WORDS_EXPORT },
	{ NULL }
};

/* A member of o, made when it is first asked for. */
static json_t *
in(json_t *o, const char *key)
{
	json_t *member = json_object_get(o, key);

	if (member == NULL) {
		member = json_object();
		json_object_set_new(o, key, member);
	}
	return member;
}

/* Absent values stay out: both schemas have no null. */
static void
text(json_t *o, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0')
		json_object_set_new(o, key, admin_json_string(value));
}

static void
number(json_t *o, const char *key, bool there, int64_t n)
{
	if (there)
		json_object_set_new(o, key, json_integer(n));
}

static bool
was_refused(const struct audit_row *row)
{
	return !row->ran;
}

static bool
has_ended(const struct audit_row *row)
{
	return row->ran && row->finished;
}

/* The line in valid UTF-8, the exact bytes beside it when they are not. */
static void
line(json_t *o, const char *key, const struct audit_row *row)
{
	admin_json_bytes(o, key, row->line, row->len);
}

/* ---- what it wrote ------------------------------------------------------ */

static void
one_stream(json_t *o, const char *key, const struct audit_output *x)
{
	if (x->stream == AUDIT_STREAM_NONE)
		return;
	o = in(in(o, "output"), key);
	number(o, "bytes", true, x->bytes);
	json_object_set_new(o, "truncated", json_boolean(x->cut));
	number(o, "redacted", true, x->redacted);
	number(o, "kept", true, x->kept);
	admin_json_bytes(o, "head", x->head != NULL ? x->head : "",
	    x->head_len);
	if (x->tail_len > 0)
		admin_json_bytes(o, "tail", x->tail, x->tail_len);
}

/* Neither schema has a place for the beginning and the end of a stream, or for
 * several files. */
static void
both_streams(json_t *o, const struct audit_row *row)
{
	one_stream(o, "stdout", &row->out);
	one_stream(o, "stderr", &row->err);
	if (row->files_len > 0)
		json_object_set_new(o, "files", admin_files_json(row));
}

static json_t *
jsonl(const struct audit_row *row)
{
	json_t *o = admin_row_json(row), *list = json_array();

	if (row->out.stream != AUDIT_STREAM_NONE)
		json_array_append_new(list, admin_output_json(&row->out));
	if (row->err.stream != AUDIT_STREAM_NONE)
		json_array_append_new(list, admin_output_json(&row->err));
	json_object_set_new(o, "output", list);
	json_object_set_new(o, "files", admin_files_json(row));
	return o;
}

/* ---- ecs: Elastic Common Schema 8.11, field reference -------------------- */

static const char *
ecs_outcome(const struct audit_row *row)
{
	if (was_refused(row))
		return "failure";
	return !has_ended(row) ? "unknown" : row->status == 0 ? "success" :
	    "failure";
}

static void
ecs_event(json_t *o, const struct audit_row *row)
{
	json_t *e = in(o, "event"), *list;

	text(e, "kind", "event");
	list = json_array();
	json_array_append_new(list, json_string("process"));
	json_object_set_new(e, "category", list);
	list = json_array();
	json_array_append_new(list, json_string(was_refused(row) ? "denied" :
	    has_ended(row) ? "end" : "start"));
	json_object_set_new(e, "type", list);
	text(e, "action", row->decision);
	text(e, "outcome", ecs_outcome(row));
	text(e, "id", row->uuid);
	text(e, "reason", row->reason);
	text(e, "module", "aegsh");
	text(e, "dataset", "aegsh.command");
	number(e, "duration", has_ended(row), row->duration_ns);
}

static json_t *
ecs(const struct audit_row *row)
{
	char when[ADMIN_TIME_MAX];
	json_t *o = json_object(), *p, *own;

	admin_time_json(row->wall_ns, when);
	text(o, "@timestamp", when);
	text(in(o, "ecs"), "version", "8.11.0");
	ecs_event(o, row);
	p = in(o, "process");
	line(p, "command_line", row);
	text(p, "working_directory", row->cwd);
	number(p, "exit_code", has_ended(row), row->status);
	if (row->tty != NULL)
		json_object_set_new(p, "interactive", json_true());
	if (row->user != NULL)
		text(in(o, "user"), "name", row->user);
	if (row->host != NULL)
		text(in(o, "host"), "hostname", row->host);
	if (row->rule != NULL && row->rule[0] != '\0')
		text(in(o, "rule"), "id", row->rule);
	own = in(o, "aegsh");
	number(own, "id", true, row->id);
	number(own, "session", true, row->session);
	text(own, "origin", row->origin);
	text(own, "source", row->source);
	text(own, "model", row->model);
	text(own, "answer", row->answer);
	text(own, "writer", row->writer);
	text(own, "note", row->note);
	number(own, "confidence", row->confidence >= 0, row->confidence);
	number(own, "redacted", true, row->redacted);
	number(own, "signal", has_ended(row) && row->signal != 0,
	    row->signal);
	both_streams(own, row);
	return o;
}

/* ---- ocsf: schema 1.3, class 1007 Process Activity ----------------------- */

enum {
	OCSF_SYSTEM_ACTIVITY = 1,	/* category_uid */
	OCSF_PROCESS_ACTIVITY = 1007,	/* class_uid */
	OCSF_LAUNCH = 1,		/* activity_id */
};

static void
ocsf_verdict(json_t *o, const struct audit_row *row)
{
	bool refused = was_refused(row);
	bool good = has_ended(row) && row->status == 0;

	/* 1 informational, 3 medium: somebody wanted what is refused */
	number(o, "severity_id", true, refused ? 3 : 1);
	number(o, "status_id", true, good ? 1 : refused || has_ended(row) ?
	    2 : 0);
	text(o, "status", good ? "Success" : refused || has_ended(row) ?
	    "Failure" : "Unknown");
	number(o, "action_id", true, refused ? 2 : 1);
	text(o, "action", refused ? "Denied" : "Allowed");
	number(o, "disposition_id", true, refused ? 2 : 1);
	text(o, "disposition", refused ? "Blocked" : "Allowed");
	text(o, "status_detail", row->reason);
}

static json_t *
ocsf(const struct audit_row *row)
{
	json_t *o = json_object(), *meta, *p, *own;

	number(o, "category_uid", true, OCSF_SYSTEM_ACTIVITY);
	number(o, "class_uid", true, OCSF_PROCESS_ACTIVITY);
	text(o, "class_name", "Process Activity");
	number(o, "activity_id", true, OCSF_LAUNCH);
	text(o, "activity_name", "Launch");
	number(o, "type_uid", true, OCSF_PROCESS_ACTIVITY * 100 + OCSF_LAUNCH);
	number(o, "time", true, row->wall_ns / 1000000);
	number(o, "duration", has_ended(row), row->duration_ns / 1000000);
	number(o, "exit_code", has_ended(row), row->status);
	ocsf_verdict(o, row);
	meta = in(o, "metadata");
	text(meta, "version", "1.3.0");
	text(meta, "uid", row->uuid);
	text(in(meta, "product"), "name", "aegsh");
	text(in(meta, "product"), "vendor_name", "aegsh");
	text(in(meta, "product"), "version", PACKAGE_VERSION);
	text(in(in(o, "actor"), "user"), "name", row->user);
	text(in(o, "device"), "hostname", row->host);
	number(in(o, "device"), "type_id", true, 0);
	p = in(o, "process");
	line(p, "cmd_line", row);
	text(p, "working_directory", row->cwd);
	text(in(p, "user"), "name", row->user);
	own = in(o, "unmapped");
	number(own, "aegsh_id", true, row->id);
	number(own, "session", true, row->session);
	text(own, "decision", row->decision);
	text(own, "source", row->source);
	text(own, "rule", row->rule);
	text(own, "origin", row->origin);
	text(own, "answer", row->answer);
	text(own, "writer", row->writer);
	both_streams(own, row);
	return o;
}

/* ---- csv ---------------------------------------------------------------- */

/* A spreadsheet takes a cell that begins so for a formula; a quote in front
 * of it makes it text there. */
static bool
looks_like_formula(const char *p)
{
	return *p != '\0' && strchr("=+-@|%\t\r", *p) != NULL;
}

static void
put_cell(FILE *f, const char *p, size_t len)
{
	AEG_AUTO(buf_done) struct buf cell = BUF_INIT;
	size_t i;

	text_inert(&cell, p, len, 0);
	putc('"', f);
	if (cell.len > 0 && looks_like_formula(cell.data))
		putc('\'', f);
	for (i = 0; i < cell.len; i++) {
		if (cell.data[i] == '"')
			putc('"', f);
		putc(cell.data[i], f);
	}
	putc('"', f);
}

static void
put_stream_csv(FILE *f, const struct audit_output *x)
{
	if (x->stream == AUDIT_STREAM_NONE) {
		fputs(",,,,", f);
		return;
	}
	fprintf(f, ",%lld,%d,", (long long)x->bytes, x->cut);
	put_cell(f, x->head != NULL ? x->head : "", x->head_len);
	putc(',', f);
	if (x->tail_len > 0)
		put_cell(f, x->tail, x->tail_len);
}

/* Four texts each. */
static size_t
count_files(const struct audit_row *row)
{
	size_t i, n = 0;

	for (i = 0; i < row->files_len; i++)
		n += row->files[i] == '\0';
	return n / 4;
}

static void
put_row_csv(FILE *f, const struct audit_row *row)
{
	char when[ADMIN_TIME_MAX], end[32];
	const char *const cells[] = { row->uuid, when, row->user, row->host,
		row->tty, row->origin, row->cwd, row->decision, row->source,
		row->rule, row->reason, row->model, row->answer, end,
		row->writer, row->note };
	size_t i;

	admin_time_json(row->wall_ns, when);
	admin_row_end(row, end, sizeof end);
	fprintf(f, "%lld,%lld,", (long long)row->id, (long long)row->session);
	for (i = 0; i < AEG_NELEM(cells); i++) {
		if (cells[i] != NULL)
			put_cell(f, cells[i], strlen(cells[i]));
		putc(',', f);
	}
	if (has_ended(row))
		fprintf(f, "%d,%lld", row->status, (long long)row->duration_ns);
	else
		putc(',', f);
	putc(',', f);
	put_cell(f, row->line, row->len);
	put_stream_csv(f, &row->out);
	put_stream_csv(f, &row->err);
	fprintf(f, ",%zu", count_files(row));
	fputs("\r\n", f);
}

static const char csv_head[] = "id,session,uuid,time,user,host,tty,origin,"
	"cwd,decision,source,rule,reason,model,answer,end,writer,note,status,"
	"duration_ns,line,stdout_bytes,stdout_cut,stdout_head,stdout_tail,"
	"stderr_bytes,stderr_cut,stderr_head,stderr_tail,files\r\n";

/* ---- the verb ----------------------------------------------------------- */

static const struct format {
	const char *name, *head;
	json_t *(*document)(const struct audit_row *row);	/* NULL: csv */
} formats[] = {
	{ "jsonl", "", jsonl },
	{ "csv", csv_head, NULL },
	{ "ecs", "", ecs },
	{ "ocsf", "", ocsf },
};

struct out {
	struct admin *a;
	const struct format *format;
	int64_t rows;
};

static int
on_row(void *ctx, const struct audit_row *row)
{
	struct out *out = ctx;

	if (out->rows++ == 0)
		fputs(out->format->head, out->a->out);
	if (out->format->document != NULL)
		admin_json_print(out->a, out->format->document(row));
	else
		put_row_csv(out->a->out, row);
	return ferror(out->a->out);
}

static const struct format *
find_format(struct admin *a, const char *name)
{
	size_t i;

	for (i = 0; i < AEG_NELEM(formats); i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	admin_complain(a, "%s: not a format: jsonl, csv, ecs, ocsf", name);
	return NULL;
}

static int
export(struct admin *a, const struct admin_filter *f,
    const struct format *format)
{
	struct out out = { a, format, 0 };
	struct err err = ERR_INIT;
	bool bad;
	int rc = admin_rows(a, f, on_row, &out, &bad, &err);

	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	if (!bad && out.rows == 0)
		admin_rows_none(a, f);
	return bad ? ADMIN_SYSTEM : out.rows > 0 ? ADMIN_OK : ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	AEG_AUTO(admin_filter_done) struct admin_filter f =
	    ADMIN_FILTER_INIT(0);
	const struct format *format = &formats[0];
	int o, rc = 0;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_FORMAT)
			rc = (format = find_format(a, args.value)) != NULL ?
			    0 : -EINVAL;
		else
			rc = admin_filter_take(a, &f, o, args.value);
		if (rc < 0) {
			if (o != ADMIN_ARGS_BAD)
				admin_usage(a);
			return ADMIN_USAGE;
		}
	}
	f.q.outputs = true;
	return admin_operands(a, &args, 0, 0) < 0 ? ADMIN_USAGE :
	    export(a, &f, format);
}

const struct admin_verb cmd_audit_export = {
	.name = "audit export",
	.usage = "",
	.summary = "print the lines for another program: CSV, ECS, OCSF",
	.run = run,
	.options = options,
};
