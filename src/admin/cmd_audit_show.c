/* SPDX-License-Identifier: ISC */
/* `aegshctl audit show`: all that is recorded of one line. */
#include <errno.h>
#include <string.h>

#include "admin_read.h"
#include "aegsh/audit_chain.h"
#include "aegsh/audit_read.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"

enum { O_JSON, O_USER };

static const struct admin_option options[] = {
	[O_JSON] = ADMIN_OPTION_JSON,
	[O_USER] = { "user", 0, "NAME", "in that user's store (root only)",
	    ADMIN_WORDS_USER },
	{ NULL }
};

struct shown {
	json_t *row, *programs, *files, *output;
	int64_t id;
	bool json;
};

static int
keep(void *ctx, const struct audit_row *row)
{
	struct shown *s = ctx;

	s->row = admin_row_json(row);
	s->id = row->id;
	return 1;
}

/* "4711: /bin/ls ls -l", inert. */
static json_t *
program_text(const struct audit_ran *x)
{
	AEG_AUTO(buf_done) struct buf words = BUF_INIT, text = BUF_INIT;
	const char *p = x->argv, *end = p + x->argv_len;

	buf_putf(&words, "%lld: ", (long long)x->pid);
	buf_put(&words, x->path, x->path_len);
	while (p < end) {
		size_t n = strnlen(p, (size_t)(end - p));

		buf_putc(&words, ' ');
		text_quote(&words, p, n);
		p += n + 1;
	}
	text_inert(&text, words.data, words.len, 0);
	return json_stringn(text.data, text.len);
}

static int
keep_program(void *ctx, const struct audit_ran *x)
{
	struct shown *s = ctx;
	char when[ADMIN_TIME_MAX];
	json_t *o;

	if (!s->json) {
		json_array_append_new(s->programs, program_text(x));
		return 0;
	}
	o = json_object();
	admin_time_json(x->wall_ns, when);
	admin_json_text(o, "time", when);
	json_object_set_new(o, "pid", json_integer(x->pid));
	json_object_set_new(o, "ppid", json_integer(x->ppid));
	admin_json_bytes(o, "path", x->path, x->path_len);
	json_object_set_new(o, "argv", x->argv != NULL ?
	    admin_words_json(x->argv, x->argv_len) : json_null());
	json_array_append_new(s->programs, o);
	return 0;
}

static void
put_hash(json_t *o, const char *key, const unsigned char *hash)
{
	if (hash != NULL)
		admin_json_hex(o, key, hash, AUDIT_HASH_LEN);
	else
		json_object_set_new(o, key, json_null());
}

/* "changed /etc/hosts", inert. */
static int
keep_file(void *ctx, const struct audit_touched *f)
{
	AEG_AUTO(buf_done) struct buf text = BUF_INIT;
	struct shown *s = ctx;
	char when[ADMIN_TIME_MAX];
	json_t *o;

	if (!s->json) {
		buf_putf(&text, "%s ", f->change != NULL ? f->change : "?");
		text_inert(&text, f->path, f->path_len, 0);
		json_array_append_new(s->files, json_stringn(text.data,
		    text.len));
		return 0;
	}
	o = json_object();
	admin_time_json(f->wall_ns, when);
	admin_json_text(o, "time", when);
	admin_json_text(o, "change", f->change);
	admin_json_bytes(o, "path", f->path, f->path_len);
	put_hash(o, "old_sha256", f->old_sha256);
	put_hash(o, "new_sha256", f->new_sha256);
	json_array_append_new(s->files, o);
	return 0;
}

/* Each line of a text, inert. */
static void
add_lines(json_t *list, const char *name, const char *p, size_t len)
{
	const char *end;
	size_t n;

	for (; len > 0; p += n, len -= n) {
		AEG_AUTO(buf_done) struct buf text = BUF_INIT;

		end = memchr(p, '\n', len);
		n = end != NULL ? (size_t)(end - p) + 1 : len;
		buf_putf(&text, "%s: ", name);
		text_inert(&text, p, end != NULL ? n - 1 : n, 0);
		json_array_append_new(list, json_stringn(text.data,
		    text.len));
	}
}

static int
keep_output(void *ctx, const struct audit_output *x)
{
	const char *name = x->stream == AUDIT_STREAM_ERR ? "err" : "out";
	struct shown *s = ctx;
	char cut[80];

	if (!s->json) {
		add_lines(s->output, name, x->head, x->head_len);
		snprintf(cut, sizeof cut, "… of %lld bytes …",
		    (long long)x->bytes);
		if (x->cut)
			add_lines(s->output, name, cut, strlen(cut));
		add_lines(s->output, name, x->tail, x->tail_len);
		return 0;
	}
	json_array_append_new(s->output, admin_output_json(x));
	return 0;
}

/* By this name, or its beginning, `audit replay' finds all of the session. */
static int
keep_session(struct audit *store, struct shown *s, struct err *err)
{
	unsigned char session[UUID_LEN];
	char text[UUID_TEXT];
	int rc = audit_line_session(store, s->id, session, err);

	if (rc == 0)
		uuid_text(session, text);
	admin_json_text(s->row, "session_uuid", rc == 0 ? text : NULL);
	return rc == -ENOENT ? 0 : rc;
}

static int
read_all(struct admin *a, const struct admin_filter *f, struct shown *s,
    struct err *err)
{
	struct audit *store = NULL;
	int rc = admin_read_open(a, f->user, false, &store, NULL, err);

	if (rc < 0)
		return rc;
	rc = audit_query(store, &f->q, keep, s, err);
	if (rc == 0 && s->row != NULL) {
		s->programs = json_array();
		s->files = json_array();
		s->output = json_array();
		rc = keep_session(store, s, err);
		if (rc == 0)
			rc = audit_execs(store, s->id, keep_program, s, err);
		if (rc == 0)
			rc = audit_files(store, s->id, keep_file, s, err);
		if (rc == 0)
			rc = audit_outputs(store, s->id, keep_output, s,
			    err);
	}
	audit_close(store);
	return rc;
}

/* No value looks like a line of another name. */
static void
flatten(json_t *o)
{
	void *at;

	for (at = json_object_iter(o); at != NULL;
	    at = json_object_iter_next(o, at)) {
		const json_t *v = json_object_iter_value(at);
		AEG_AUTO(buf_done) struct buf inert = BUF_INIT;

		if (!json_is_string(v) || json_string_length(v) == 0)
			continue;
		text_inert(&inert, json_string_value(v),
		    json_string_length(v), 0);
		json_object_iter_set_new(o, at,
		    json_stringn(inert.data, inert.len));
	}
}

/* A person reads moments and spans, not nanoseconds. */
static void
soften(json_t *o)
{
	static const char *const spans[] = { "latency_ns", "duration_ns",
		"cpu_ns", "judge_ns", "start_ns", "mono_ns" };
	static const char *const shown[] = { "latency", "duration", "cpu",
		"judged_in", "started_in", NULL };
	char text[ADMIN_TIME_MAX];
	size_t i;

	admin_time_show(json_integer_value(json_object_get(o, "wall_ns")),
	    text);
	admin_json_text(o, "time", text);
	json_object_del(o, "wall_ns");
	for (i = 0; i < AEG_NELEM(spans); i++) {
		json_int_t ns = json_integer_value(json_object_get(o,
		    spans[i]));

		json_object_del(o, spans[i]);
		if (ns <= 0 || shown[i] == NULL)
			continue;
		admin_span_show(ns, text);
		admin_json_text(o, shown[i], text);
	}
}

static int
show(struct admin *a, const struct admin_filter *f, const char *id)
{
	struct shown s = { .json = f->json };
	struct err err = ERR_INIT;
	json_t *o;
	int rc;

	if (!f->json)
		admin_page_start(a);
	rc = read_all(a, f, &s, &err);
	o = s.row;
	if (o != NULL && !f->json) {
		flatten(o);
		soften(o);
	}
	if (o != NULL) {
		json_object_set_new(o, "programs", s.programs);
		json_object_set_new(o, "files", s.files);
		json_object_set_new(o, "output", s.output);
	}
	if (o != NULL && f->json)
		admin_json_print(a, o);
	else if (o != NULL)
		admin_json_show(a, o, ADMIN_SHOW_AS_IS);
	admin_page_end(a);
	if (rc < 0)
		return admin_read_fail(a, rc, &err);
	if (o != NULL)
		return ADMIN_OK;
	admin_complain(a, "%s: no such line", id);
	return ADMIN_NO;
}

static int
run(struct admin *a, int argc, char **argv)
{
	struct admin_args args = ADMIN_ARGS_INIT(argc, argv);
	struct admin_filter f = ADMIN_FILTER_INIT(1);
	int o;

	while ((o = admin_option_next(a, &args)) != ADMIN_ARGS_END) {
		if (o == O_JSON)
			f.json = true;
		else if (o == O_USER)
			f.user = args.value;
		else
			return ADMIN_USAGE;
	}
	if (admin_operands(a, &args, 1, 1) < 0)
		return ADMIN_USAGE;
	if (text_to_i64(argv[args.at], 1, INT64_MAX, &f.q.id) < 0)
		f.q.uuid = argv[args.at];
	return show(a, &f, argv[args.at]);
}

const struct admin_verb cmd_audit_show = {
	.name = "audit show",
	.usage = "ID",
	.summary = "show all that is recorded of one line",
	.run = run,
	.options = options,
};
