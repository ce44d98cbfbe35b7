/* SPDX-License-Identifier: ISC */
/* One row of the record: as a document, and how it ended. */
#include "admin_read.h"

#include <signal.h>
#include <string.h>

#include "aegsh/base/mem.h"

void
admin_row_end(const struct audit_row *row, char *ret, size_t size)
{
	const char *name = sigabbrev_np(row->signal);

	if (!row->ran)
		snprintf(ret, size, "refused");
	else if (!row->finished)
		snprintf(ret, size, "unfinished");
	else if (row->signal != 0 && name != NULL)
		snprintf(ret, size, "SIG%s", name);
	else if (row->signal != 0)
		snprintf(ret, size, "signal %d", row->signal);
	else
		snprintf(ret, size, "%d", row->status);
}

static void
set_int(json_t *o, const char *key, bool there, int64_t n)
{
	json_object_set_new(o, key, there ? json_integer(n) : json_null());
}

/* Words that each end with a NUL. */
json_t *
admin_words_json(const char *p, size_t len)
{
	json_t *list = json_array();
	const char *end = p + len;

	while (p < end) {
		size_t n = strnlen(p, (size_t)(end - p));
		AEG_AUTOFREE char *word = xmemdup0(p, n);

		json_array_append_new(list, admin_json_string(word));
		p += n + 1;
	}
	return list;
}

static const char *
next_text(const char **p, const char *end)
{
	const char *text = *p;

	*p += strnlen(*p, (size_t)(end - *p));
	*p += *p < end;
	return text;
}

json_t *
admin_files_json(const struct audit_row *row)
{
	const char *p = row->files, *end = p + row->files_len;
	json_t *list = json_array(), *o;

	while (p < end) {
		const char *change = next_text(&p, end), *path, *was, *is;

		path = next_text(&p, end);
		was = next_text(&p, end);
		is = next_text(&p, end);
		o = json_object();
		admin_json_text(o, "change", change);
		admin_json_bytes(o, "path", path, strlen(path));
		admin_json_text(o, "old_sha256", was[0] != '\0' ? was : NULL);
		admin_json_text(o, "new_sha256", is[0] != '\0' ? is : NULL);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *
admin_output_json(const struct audit_output *x)
{
	json_t *o = json_object();

	admin_json_text(o, "stream", x->stream == AUDIT_STREAM_ERR ? "err" :
	    "out");
	set_int(o, "bytes", true, x->bytes);
	set_int(o, "kept", true, x->kept);
	json_object_set_new(o, "cut", json_boolean(x->cut));
	set_int(o, "redacted", true, x->redacted);
	admin_json_bytes(o, "head", x->head != NULL ? x->head : "",
	    x->head_len);
	admin_json_bytes(o, "tail", x->tail_len > 0 ? x->tail : NULL,
	    x->tail_len);
	return o;
}

json_t *
admin_row_json(const struct audit_row *row)
{
	bool done = row->ran && row->finished;
	char when[ADMIN_TIME_MAX];
	json_t *o = json_object();

	admin_time_json(row->wall_ns, when);
	set_int(o, "id", true, row->id);
	admin_json_text(o, "uuid", row->uuid);
	set_int(o, "session", true, row->session);
	admin_json_text(o, "time", when);
	set_int(o, "wall_ns", true, row->wall_ns);
	admin_json_bytes(o, "line", row->line, row->len);
	set_int(o, "redacted", true, row->redacted);
	admin_json_text(o, "cwd", row->cwd);
	admin_json_text(o, "user", row->user);
	admin_json_text(o, "host", row->host);
	admin_json_text(o, "tty", row->tty);
	admin_json_text(o, "origin", row->origin);
	admin_json_text(o, "interpreter", row->interpreter);
	admin_json_text(o, "decision", row->decision);
	admin_json_text(o, "source", row->source);
	admin_json_text(o, "rule", row->rule);
	admin_json_text(o, "reason", row->reason);
	admin_json_text(o, "model", row->model);
	admin_json_text(o, "answer", row->answer);
	set_int(o, "confidence", row->confidence >= 0, row->confidence);
	set_int(o, "latency_ns", row->latency_ns > 0, row->latency_ns);
	admin_json_text(o, "end", !row->ran ? "refused" :
	    row->finished ? "finished" : "unfinished");
	set_int(o, "status", done, row->status);
	set_int(o, "signal", done && row->signal != 0, row->signal);
	set_int(o, "duration_ns", done, row->duration_ns);
	set_int(o, "cpu_ns", done, row->cpu_ns);
	set_int(o, "maxrss_kib", done, row->maxrss_kib);
	admin_json_text(o, "note", row->note);
	admin_json_text(o, "writer", row->writer);
	admin_json_text(o, "answered_by", row->answered_by);
	admin_json_text(o, "votes", row->votes);
	admin_json_text(o, "remote", row->remote);
	json_object_set_new(o, "argv", row->argv != NULL ? admin_words_json(
	    row->argv, row->argv_len) : json_null());
	set_int(o, "judge_ns", row->judge_ns > 0, row->judge_ns);
	set_int(o, "start_ns", row->start_ns > 0, row->start_ns);
	set_int(o, "mono_ns", true, row->mono_ns);
	set_int(o, "tokens_in", row->tokens_in > 0, row->tokens_in);
	set_int(o, "tokens_out", row->tokens_out > 0, row->tokens_out);
	set_int(o, "cost", row->cost > 0, row->cost);
	return o;
}
