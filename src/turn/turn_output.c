/* SPDX-License-Identifier: ISC */
/*
 * What a line wrote, for the record: by the setting of the policy profile
 * nothing of it, its beginning and end, or all of it up to a limit.  Here are
 * runs without a prompt; what is seen of them, and how, relay.h says.
 */
#include "aegsh/relay.h"

#include <string.h>

#include "aegsh/base/clock.h"
#include "aegsh/base/mem.h"
#include "aegsh/base/text.h"
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

/* Of text with dashes. */
static void
uuid_bytes(const char *text, unsigned char ret[CAST_UUID_LEN])
{
	size_t n = 0;

	memset(ret, 0, CAST_UUID_LEN);
	for (; *text != '\0' && n < CAST_UUID_LEN * 2; text++)
		if (*text != '-') {
			ret[n / 2] = (unsigned char)(ret[n / 2] << 4 |
			    (text_hex(*text) & 15));
			n++;
		}
}

const struct relay_opts *
turn_output(const struct turn *t, const char *uuid, struct relay_opts *ret)
{
	if (turn_is_guest(t) || t->audit == NULL || t->opts.session)
		return NULL;
	*ret = (struct relay_opts){ .cast = {
		.dir = t->store,
		.redact = t->redact,
		.keep = turn_keeps_output(t),
		.line_max = (size_t)conf_int(t->opts.conf, CONF_OUTPUT_MAX),
		.term = state_get(t->opts.state, "TERM"),
	} };
	if (ret->cast.keep == CAST_KEEP_NONE)
		return NULL;
	audit_session_uuid(t->audit, ret->cast.session);
	ret->cast.wall_ns = clock_wall_ns();
	ret->cast.mono_ns = clock_mono_ns();
	uuid_bytes(uuid, ret->line);
	return ret;
}

void
turn_output_next(const struct job *job, const char *uuid)
{
	unsigned char line[CAST_UUID_LEN];

	if (job_relay(job) == NULL)
		return;
	uuid_bytes(uuid, line);
	relay_line(job_relay(job), line);
}

void
turn_output_end(struct turn *t, const struct job *job, int64_t id)
{
	const struct cast_line *line;
	const char *trouble;

	if (job_relay(job) == NULL || relay_end(job_relay(job), &line,
	    &trouble) < 0)
		return;
	if (id != 0)
		(void)line;
	if (trouble != NULL)
		audit_note(t->audit, "output-not-kept", trouble);
}

const char *
turn_output_lost(const struct job *job)
{
	return job_relay(job) != NULL && relay_lost(job_relay(job)) ?
	    "what carries its output, and records it, was ended" : NULL;
}
