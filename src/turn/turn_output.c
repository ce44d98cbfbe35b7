/* SPDX-License-Identifier: ISC */
/*
 * What a line wrote, for the record: by the setting of the policy profile
 * nothing of it, its beginning and end, or all of it up to a limit.  Here are
 * runs without a prompt; what is seen of them, and how, relay.h says.
 */
#include "aegsh/relay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/hex.h"
#include "aegsh/base/mem.h"
#include "turn/turn_int.h"

/* The word of a list "PROFILE=WORD …" for that profile; owned, or NULL. */
static char *
word_for(const char *list, const char *profile)
{
	size_t n = strlen(profile), len;

	for (; *list != '\0'; list += len) {
		list += strspn(list, " \t,");
		len = strcspn(list, " \t,");
		if (len > n && memcmp(list, profile, n) == 0 &&
		    list[n] == '=')
			return xmemdup0(list + n + 1, len - n - 1);
	}
	return NULL;
}

/* A word that is none is taken for the one that keeps most: who wrote it
 * wanted something kept. */
enum cast_keep
turn_keeps_output(const struct turn *t)
{
	AEG_AUTOFREE char *own = word_for(conf_str(t->opts.conf,
	    CONF_OUTPUT_PROFILES), policy_profile(t->policy));
	const char *word = own != NULL ? own :
	    conf_str(t->opts.conf, CONF_OUTPUT);
	enum cast_keep keep;

	return cast_keep_parse(word, &keep) == 0 ? keep : CAST_KEEP_FULL;
}

/* Of a line's row, or of no line: then nothing. */
static void
uuid_bytes(const char *text, unsigned char ret[UUID_LEN])
{
	if (!uuid_parse(text, strlen(text), ret))
		memset(ret, 0, UUID_LEN);
}

const struct relay_opts *
turn_output(const struct turn *t, const char *uuid, struct relay_opts *ret)
{
	struct sandbox_line_limits most;

	if (turn_is_guest(t) || t->opts.session)
		return NULL;
	sandbox_line_limits(t->sandbox, &most);
	*ret = (struct relay_opts){ .cast = {
		.dir = t->store != NULL ? t->store : "",
		.redact = t->redact,
		.keep = t->audit != NULL ? turn_keeps_output(t) :
		    CAST_KEEP_NONE,
		.line_max = (size_t)conf_int(t->opts.conf, CONF_OUTPUT_MAX),
		.term = state_get(t->opts.state, "TERM"),
		.wait_ns = turn_record_wait(t),
	}, .most = most.output,
	    .kills = most.output_then == SANDBOX_OUTPUT_KILL };
	if (ret->cast.keep == CAST_KEEP_NONE && ret->most == 0)
		return NULL;
	if (t->audit != NULL)
		audit_session_uuid(t->audit, ret->cast.session);
	ret->cast.wall_ns = clock_wall_ns();
	ret->cast.mono_ns = clock_mono_ns();
	uuid_bytes(uuid, ret->line);
	return ret;
}

void
turn_output_next(const struct job *job, const char *uuid)
{
	unsigned char line[UUID_LEN];

	if (job_relay(job) == NULL)
		return;
	uuid_bytes(uuid, line);
	relay_line(job_relay(job), line);
}

/* ---- a terminal --------------------------------------------------------- */

void
turn_output_keep(struct turn *t)
{
	struct cast_setup setup = {
		.dir = t->store,
		.term = state_get(t->opts.state, "TERM"),
		.wait_ns = turn_record_wait(t),
	};
	AEG_AUTOFREE char *text = NULL;

	if (t->opts.term == NULL || t->audit == NULL)
		return;
	setup.keep = turn_keeps_output(t);
	setup.line_max = (size_t)conf_int(t->opts.conf, CONF_OUTPUT_MAX);
	audit_session_uuid(t->audit, setup.session);
	relay_term_keep(t->opts.term, &setup);
	text = xasprintf("%s, shown on %s", t->tty,
	    relay_term_outer(t->opts.term));
	audit_note(t->audit, "terminal-between", text);
}

static int
count_secret(void *ctx, const char *name, const char *value)
{
	uint64_t *n = ctx;	/* FNV-1a */

	for (; *name != '\0'; name++)
		*n = (*n ^ (unsigned char)*name) * 0x100000001b3U;
	*n *= 0x100000001b3U;
	for (; value != NULL && *value != '\0'; value++)
		*n = (*n ^ (unsigned char)*value) * 0x100000001b3U;
	*n *= 0x100000001b3U;
	return 0;
}

static int
learn(void *ctx, const char *name, const char *value)
{
	if (value != NULL)
		relay_term_learn(ctx, name, value);
	return 0;
}

void
turn_output_line(struct turn *t, const char *uuid)
{
	unsigned char line[UUID_LEN];
	uint64_t secrets = 0xcbf29ce484222325U;
	struct sandbox_line_limits most;

	if (t->opts.term == NULL || uuid == NULL)
		return;
	state_each(t->opts.state, count_secret, &secrets);
	if (secrets != t->secrets) {
		t->secrets = secrets;
		relay_term_forget(t->opts.term);
		state_each(t->opts.state, learn, t->opts.term);
	}
	uuid_bytes(uuid, line);
	sandbox_line_limits(t->sandbox, &most);
	relay_term_line(t->opts.term, line, most.output,
	    most.output_then == SANDBOX_OUTPUT_KILL);
}

/* ---- both --------------------------------------------------------------- */

static int
end_line(struct turn *t, const struct job *job, const struct cast_line **ret,
    const char **ret_trouble)
{
	if (job != NULL && job_relay(job) != NULL)
		return relay_end(job_relay(job), ret, ret_trouble);
	return t->opts.term != NULL ? relay_term_end(t->opts.term, ret,
	    ret_trouble) : -ENODATA;
}

static void
record_stream(struct turn *t, int64_t id, enum audit_stream stream,
    const struct cast_output *o, const struct cast_line *in_file)
{
	struct audit_output row = {
		.stream = stream,
		.head = o->head, .head_len = o->head_len,
		.tail = o->tail, .tail_len = o->tail_len,
		.bytes = o->bytes,
		.kept = o->kept,
		.redacted = o->redacted,
		.cut = o->cut,
	};

	if (in_file != NULL && in_file->filed) {
		row.offset = in_file->offset;
		row.length = in_file->length;
		memcpy(row.sha256, in_file->sha256, sizeof row.sha256);
	}
	audit_output(t->audit, id, &row);
}

/* Where it is in the file stands in the first row that there is. */
static void
record(struct turn *t, int64_t id, const struct cast_line *line)
{
	bool out = line->out.bytes > 0;

	if (out)
		record_stream(t, id, AUDIT_STREAM_OUT, &line->out, line);
	if (line->err.bytes > 0)
		record_stream(t, id, AUDIT_STREAM_ERR, &line->err, out ?
		    NULL : line);
}

/* A person hears at once that not all of it is kept. */
static void
warn(struct turn *t, const struct cast_line *line, const char *trouble,
    struct turn_result *ret)
{
	if (trouble != NULL && t->audit != NULL)
		audit_note(t->audit, "output-not-kept", trouble);
	if (trouble != NULL && t->output_trouble == NULL)
		t->output_trouble = xstrdup(trouble);
	if (ret != NULL && ret->note[0] == '\0' && line->cut &&
	    t->opts.session)
		snprintf(ret->note, sizeof ret->note, "it wrote more than is "
		    "recorded of one line; see output-max");
}

void
turn_output_end(struct turn *t, const struct job *job, int64_t id,
    struct turn_result *ret)
{
	const struct cast_line *line;
	const char *trouble;

	if (end_line(t, job, &line, &trouble) < 0)
		return;
	if (id != 0 && t->audit != NULL)
		record(t, id, line);
	warn(t, line, trouble, ret);
}

const char *
turn_output_trouble(const struct turn *t)
{
	return t->output_trouble;
}

const char *
turn_output_kept(const struct turn *t)
{
	enum cast_keep keep = turn_is_guest(t) || t->audit == NULL ?
	    CAST_KEEP_NONE : turn_keeps_output(t);

	return keep != CAST_KEEP_NONE ? cast_keep_word(keep) : NULL;
}

/* What the terminal tells is of the line in front, whatever ends meanwhile. */
static struct relay_term *
term_of(const struct turn *t, const struct job *job)
{
	return job_in_front(job) ? t->opts.term : NULL;
}

const char *
turn_output_limited(const struct turn *t, const struct job *job)
{
	struct relay_term *term = term_of(t, job);
	const char *which = job_relay(job) != NULL ?
	    relay_limited(job_relay(job)) : NULL;

	return which == NULL && term != NULL ? relay_term_limited(term) : which;
}

const char *
turn_output_lost(const struct turn *t, const struct job *job)
{
	if (job_relay(job) != NULL && relay_killed(job_relay(job)) != NULL)
		return relay_killed(job_relay(job));
	if (term_of(t, job) != NULL &&
	    relay_term_killed(t->opts.term) != NULL)
		return relay_term_killed(t->opts.term);
	if ((job_relay(job) != NULL && relay_lost(job_relay(job))) ||
	    (t->opts.term != NULL && relay_term_lost(t->opts.term)))
		return "what carries its output, and records it, was ended";
	return NULL;
}
