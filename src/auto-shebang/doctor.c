/* SPDX-License-Identifier: ISC */
/*
 * doctor: what would be tried for a script, step by step, and why each
 * candidate was refused; for people, or as JSON.
 */
#include "auto-shebang/auto_shebang_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "aegsh/base/mem.h"

struct doctor {
	bool json;
	struct buf settings, steps;	/* as text, or as JSON list elements */
};

static void
doctor_done(struct doctor *d)
{
	buf_done(&d->settings);
	buf_done(&d->steps);
}

static const char *
from_str(enum shebang_from from)
{
	switch (from) {
	case SHEBANG_OVERRIDE:
		return "AUTO_SHEBANG_OVERRIDE_EXE";
	case SHEBANG_WALK:
		return "walk";
	case SHEBANG_FALLBACK:
		return "AUTO_SHEBANG_FALLBACK_EXE";
	}
	return "walk";
}

static const char *
start_str(enum shebang_format format)
{
	return format == SHEBANG_SCRIPT ? "path" : "descriptor";
}

/* ---- for people --------------------------------------------------------- */

static void
text_step(struct doctor *d, const struct shebang_step *step)
{
	struct buf *out = step->kind == SHEBANG_STEP_SETTING ? &d->settings :
	    &d->steps;

	buf_puts(out, step->kind == SHEBANG_STEP_CANDIDATE ? "    " : "  ");
	ask_step_text(out, step);
	buf_putc(out, '\n');
}

static void
text_report(const struct doctor *d, const struct shebang_query *q,
    const struct hashbang *h, const struct shebang_result *r,
    const struct err *err, struct buf *out)
{
	size_t i;

	buf_puts(out, "script: ");
	say_text(out, q->script);
	buf_puts(out, "\nname: ");
	say_text(out, q->name);
	buf_putc(out, '\n');
	for (i = 0; i < h->problems.n; i++) {
		buf_puts(out, "problem: ");
		say_text(out, h->problems.v[i]);
		buf_putc(out, '\n');
	}
	if (d->settings.len > 0) {
		buf_puts(out, "settings:\n");
		buf_put(out, d->settings.data, d->settings.len);
	}
	if (d->steps.len > 0) {
		buf_puts(out, "steps:\n");
		buf_put(out, d->steps.data, d->steps.len);
	}
	buf_puts(out, "result: ");
	say_text(out, r->path != NULL ? r->path : err->text);
	if (r->path != NULL)
		buf_putf(out, "\n  found by: %s\n  started by: %s",
		    from_str(r->from), start_str(r->format));
	buf_putc(out, '\n');
}

/* ---- for programs ------------------------------------------------------- */

static void
json_comma(struct buf *out)
{
	if (out->len > 0)
		buf_putc(out, ',');
}

static void
json_setting(struct buf *out, const struct shebang_step *step)
{
	json_comma(out);
	buf_putc(out, '{');
	json_member(out, "key", step->name);
	buf_putc(out, ',');
	json_member(out, "value", step->text);
	buf_putc(out, ',');
	json_member(out, "source", shebang_source_str(step->source));
	buf_putc(out, '}');
}

static void
json_step(struct doctor *d, const struct shebang_step *step)
{
	struct buf *out = &d->steps;

	if (step->kind == SHEBANG_STEP_SETTING) {
		json_setting(&d->settings, step);
		return;
	}
	json_comma(out);
	switch (step->kind) {
	case SHEBANG_STEP_SETTING:
		break;
	case SHEBANG_STEP_UNKNOWN:
		buf_puts(out, "{\"step\":\"unknown-directive\",");
		json_member(out, "key", step->name);
		buf_putf(out, ",\"line\":%d}", step->line);
		break;
	case SHEBANG_STEP_ORIGIN:
		buf_puts(out, "{\"step\":\"origin\",");
		json_member(out, "origin", step->name);
		buf_putc(out, ',');
		json_member(out, "path", step->text);
		buf_putc(out, '}');
		break;
	case SHEBANG_STEP_SKIPPED:
		buf_puts(out, "{\"step\":\"skipped\",");
		json_member(out, "what", step->name);
		buf_putc(out, ',');
		json_member(out, "why", step->text);
		buf_putc(out, '}');
		break;
	case SHEBANG_STEP_CANDIDATE:
		buf_puts(out, "{\"step\":\"candidate\",");
		json_member(out, "path", step->text);
		buf_putc(out, ',');
		json_member(out, "verdict", shebang_verdict_str(step->verdict));
		if (step->errnum != 0) {
			buf_putc(out, ',');
			json_member(out, "error", err_str(-step->errnum));
		}
		buf_putc(out, '}');
		break;
	}
}

static void
json_report(const struct doctor *d, const struct shebang_query *q,
    const struct hashbang *h, const struct shebang_result *r, int status,
    const struct err *err, struct buf *out)
{
	size_t i;

	buf_putc(out, '{');
	json_member(out, "script", q->script);
	buf_putc(out, ',');
	json_member(out, "name", q->name);
	buf_puts(out, ",\"problems\":[");
	for (i = 0; i < h->problems.n; i++) {
		buf_puts(out, i > 0 ? "," : "");
		json_string(out, h->problems.v[i]);
	}
	buf_puts(out, "],\"settings\":[");
	buf_put(out, d->settings.data, d->settings.len);
	buf_puts(out, "],\"steps\":[");
	buf_put(out, d->steps.data, d->steps.len);
	buf_putf(out, "],\"result\":{\"exit\":%d,", status);
	if (r->path != NULL) {
		json_member(out, "path", r->path);
		buf_puts(out, ",");
		json_member(out, "found_by", from_str(r->from));
		buf_puts(out, ",");
		json_member(out, "started_by", start_str(r->format));
	} else {
		json_member(out, "error", err->text);
	}
	buf_puts(out, "}}\n");
}

/* ---- the verb ------------------------------------------------------------ */

static void
on_step(void *ctx, const struct shebang_step *step)
{
	struct doctor *d = ctx;

	if (d->json)
		json_step(d, step);
	else
		text_step(d, step);
}

static int
examine(const char *script, const char *name, bool json)
{
	AEG_AUTO(doctor_done) struct doctor d = { .json = json };
	AEG_AUTO(hashbang_done) struct hashbang h = HASHBANG_INIT;
	AEG_AUTO(shebang_result_done) struct shebang_result r =
	    SHEBANG_RESULT_INIT;
	AEG_AUTO(buf_done) struct buf out = BUF_INIT;
	AEG_AUTOFREE char *line = NULL;
	struct err err = ERR_INIT;
	struct shebang_query q;
	size_t len;
	int rc, status;

	rc = shebang_first_line(AT_FDCWD, script, &line, &len, &err);
	if (rc < 0) {
		say("%s", err.text);
		return shebang_exit_status(rc) == EXIT_USAGE ? EXIT_USAGE :
		    EXIT_NO;
	}
	hashbang_read(&h, line, len);
	ask_query(&q, name != NULL ? name : h.name, script);
	if (q.name == NULL) {
		say("the first line of %s tells no name: give one with "
		    "--name", script);
		return EXIT_USAGE;
	}
	q.explain = true;
	q.trace = on_step;
	q.trace_ctx = &d;
	rc = shebang_resolve(&q, &r, &err);
	status = rc == 0 ? 0 : shebang_exit_status(rc);
	if (json)
		json_report(&d, &q, &h, &r, status, &err, &out);
	else
		text_report(&d, &q, &h, &r, &err, &out);
	/* What is cut would be no JSON, and no whole story. */
	if (buf_overflow(&d.settings) || buf_overflow(&d.steps) ||
	    buf_overflow(&out)) {
		say("the report is too long");
		return EXIT_USAGE;
	}
	return say_out(&out, status == 0 || status == EXIT_USAGE ? status :
	    EXIT_NO);
}

int
doctor(int argc, char **argv)
{
	const char *name = NULL;
	bool json = false;
	int i;

	for (i = 0; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--name") == 0 && i + 1 < argc)
			name = argv[++i];
		else
			i = argc;
	}
	if (i != argc - 1) {
		say("usage: auto-shebang doctor [--json] [--name NAME] SCRIPT");
		return EXIT_USAGE;
	}
	return examine(argv[i], name, json);
}
